/* float_scorer.h - float networks behind the scorer interface, for `eval --float` and `--teachers`
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/model.h"
#include "train/additive_net.h"

/* The mean of the networks' probabilities, of one just its own. */
struct float_scorer {
    const struct net *nets;
    size_t n_nets;
    const struct program *program;
};

/* Makes a copy of `model` in `out` that runs n networks in place of the integer one. All must
   outlive the copy. 0, or -1 with a message if a network does not fit the model. */
int float_scorer_attach(const struct model *model, const struct net *nets, size_t n,
                        struct float_scorer *s, kpred_model *out);
