/* float_scorer.h - the float network behind the scorer interface, for `eval --float`
   SPDX-License-Identifier: MIT */
#ifndef KPRED_TOOLS_FLOAT_SCORER_H
#define KPRED_TOOLS_FLOAT_SCORER_H

#include "additive.h"
#include "model.h"

struct float_scorer {
    struct net net;
    const struct program *program;
};

/* Makes a copy of `model` in `out` that runs s->net in place of the integer network. Both must
   outlive the copy. 0, or -1 with a message if the network does not fit the model. */
int float_scorer_attach(const struct model *model, struct float_scorer *s, kpred_model *out);

#endif
