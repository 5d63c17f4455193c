/* hostile.h - models of any bytes that kpred_init admits, with rules that lie
   SPDX-License-Identifier: MIT */
#pragma once

#include "fuzz.h"

/* Makes a model of the built-in network and predicts with it. 1: there was a tuple */
int hostile_network(struct fuzz_bytes *in);
/* The same of a model with a scorer of its own, whose logits are any numbers. */
int hostile_scorer(struct fuzz_bytes *in);
