/* paper.h - a network of the paper as a model: trained, as a header, behind the scorer interface
   SPDX-License-Identifier: MIT

   These networks are for comparisons in the tools; programs use the default network. Their weights
   are floats, so nothing promises the same predictions on every machine. */
#pragma once

#include "net.h"
#include "train/recipe.h"
#include "words.h"

struct paper {
    struct words words;
    struct paper_net net;
    struct paper_tape *tape;     /* one row */
    float *scratch;              /* memory, state, next state, logits of one problem */
    const struct spec *spec;     /* the model's */
    struct recipe_losses losses; /* where it was just trained */
};

/* Trains *out; it does not depend on n_threads and progress. 0, or -1 with a message. paper_close
   afterwards. */
int paper_train(enum paper_kind kind, const struct recipe *recipe, const struct model *model,
                const struct recipe_rows *rows, const struct recipe_rows *held_out, uint64_t seed,
                size_t n_threads, recipe_progress *progress, struct paper *out);
void paper_close(struct paper *p);

/* The net and the tape, once words and dimensions are known; weights all 0. */
int paper_build(struct paper *p, const struct model *model, const struct paper_dims *dims);

/* Makes a copy of `model` in `out` that runs the network; both must outlive it. */
void paper_attach(const struct model *model, const struct paper *p, kpred_model *out);

/* Hash of all that the predictions depend on. */
uint64_t paper_id(const struct model *model, const struct paper *p);

/* Writes NAME.h; story: lines for the opening comment. */
void paper_write(FILE *f, const struct model *model, const struct paper *p, const char *story);
/* Reads it back. 0; -1 with a message; or 1: it is no such header, and no message. */
int paper_read(const char *path, struct model *model, struct paper *out);
