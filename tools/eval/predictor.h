/* predictor.h - whatever network predicts: the default one, its float twins, or one of the paper's
   SPDX-License-Identifier: MIT */
#pragma once

#include "lab/paper/paper.h"
#include "model/model.h"
#include "train/recipe.h"

/* ---- float networks behind the scorer interface, for `eval --float` and `--teachers` ---- */

/* The mean of the networks' probabilities, of one just its own. */
struct float_scorer {
    const struct net *nets;
    size_t n_nets;
    const struct program *program;
};

/* ---- predictors ---- */

enum { MAX_TEACHERS = RECIPE_MAX_NETS - 1 };

struct predictor {
    struct model model; /* a struct predictor must not be copied */
    struct paper paper; /* if is_paper */
    struct recipe_nets nets;
    struct float_scorer scorer; /* of some of them */
    kpred_model run;            /* what predicts */
    const char *net; /* "additive", "additive float", or the name of the paper's network */
    int is_paper;
};

/* A built-in model by name, or a generated header by path. 0, or -1 with a message;
   predictor_close afterwards. */
int predictor_open(const char *name, struct predictor *out);
/* The same with the network before rounding, or the mean of some of its teachers, in its place. */
int predictor_open_float(const char *name, size_t teachers, struct predictor *out);
void predictor_close(struct predictor *p);

/* The bytes that the header adds to a program; for the paper's networks the weights only. */
size_t predictor_bytes(const struct predictor *p);
