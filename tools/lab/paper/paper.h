/* paper.h - a network of the paper as a model: trained, as a header, behind the scorer interface
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/model.h"
#include "net.h"
#include "train/recipe.h"

/* ---- words

   A problem is a sentence of one word a field, in the spec's order. A number is the same word in
   every field; a name (gpu, dtype, ...) belongs to its field. Words are those that training saw;
   word 0 is "unknown", which stands for every other.

   An answer is a sentence of one word a parameter that has more than one value. The same number (or
   the same name) is the same word for every parameter. */

struct words {
    size_t n; /* of problems, "unknown" included */
    size_t n_names, n_sizes;
    int32_t *name; /* of the spec's token fields, one after the other: the word, or 0 */
    int32_t *size; /* ascending; the words after those of names */
    size_t n_answers, n_steps;
    size_t step[KPRED_MAX_TUPLE]; /* of a parameter, among those with more than one value */
    uint16_t answer[KPRED_MAX_TUPLE][KPRED_MAX_VALUES];
};

/* 0, or -1 with a message. To be freed on success. */
int words_new(struct words *w, const struct spec *spec, const int32_t *problems, size_t n);
void words_free(struct words *w);

/* The number of names in all token fields of a spec. */
size_t words_n_names(const struct spec *spec);
/* The answers' part, which the spec alone gives. */
void words_set_answers(struct words *w, const struct spec *spec);
/* n, from the other members; -1: they contradict each other */
int words_count(struct words *w);

void words_of_problem(const struct words *w, const struct spec *spec, const int32_t *problem,
                      uint16_t *out);
/* target: indexes of values, as in a dataset */
void words_of_answer(const struct words *w, const struct spec *spec, const unsigned char *target,
                     uint16_t *out);

/* ---- model

   These networks are for comparisons in the tools; programs use the default network. Their weights
   are floats, so nothing promises the same predictions on every machine. */

struct paper {
    struct words words;
    struct paper_net net;
    struct paper_tape *tape;     /* one row */
    const struct spec *spec;     /* the model's */
    struct recipe_losses losses; /* where it was just trained */
};

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

/* ---- training

   It gives the same bits with any number of threads: a batch is cut into FIT_SHARDS parts, whose
   gradients are added in their order. There are two parts only, because these networks have
   millions of weights: each part reads all of them, and writes as many derivatives. */

enum { FIT_SHARDS = 2 };

/* Row i: in + i * n_in, out + i * n_out. */
struct fit_rows {
    size_t n;
    uint16_t *in, *out;
    float *unknown; /* for each problem word, how often to show the unknown word, 0, instead;
                       null: never */
};

struct paper_training {
    enum paper_kind kind;
    const struct recipe *recipe;
    const struct model *model;
    const struct recipe_rows *rows, *held_out;
    uint64_t seed;
    size_t n_threads;
    recipe_progress *progress; /* or null; without rows that are held out their loss is 0 */
};

/* Of the training it takes the numbers alone: recipe, seed, threads, progress. */
void fit(struct paper_net *net, const struct fit_rows *rows, const struct fit_rows *held_out,
         const struct paper_training *t);

/* The rows' loss in bits, without dropout; where gradient is not null, n_weights derivatives. */
double fit_loss(const struct paper_net *net, const struct fit_rows *rows, float *gradient);

/* Trains *out; it does not depend on n_threads and progress. 0, or -1 with a message. paper_close
   afterwards. */
int paper_train(const struct paper_training *t, struct paper *out);
