/* any_model.h - a model of either kind: the default network, or one of the paper's
   SPDX-License-Identifier: MIT */
#ifndef KPRED_TOOLS_ANY_MODEL_H
#define KPRED_TOOLS_ANY_MODEL_H

#include "train/paper/paper.h"

struct any_model {
    struct model model; /* a struct any_model must not be copied */
    struct paper paper; /* if is_paper */
    kpred_model run;    /* what predicts */
    const char *net;    /* "additive", or the name of the paper's network */
    int is_paper;
};

/* A built-in model by name, or a generated header by path. 0, or -1 with a message; any_close
   afterwards. */
int any_open(const char *name, struct any_model *out);
void any_close(struct any_model *m);

/* What the header adds to a program; of the paper's networks their weights alone. */
size_t any_bytes(const struct any_model *m);

#endif
