/* step_text.h - a step of training as an MLIR module
   SPDX-License-Identifier: MIT */
#pragma once

#include "net.h"

struct buf;

/* Appends a module with a function NAME_step of the network `dense`: its values in their order, a
   batch of images, and for each the labels, 1 for its own and 0 for the others, go in; the values
   behind one step of stochastic gradient descent come out: each less `rate` times the slope of the
   mean cross-entropy. -1 after a message if the network is another one. */
int step_text(const struct net *net, long batch, double rate, struct buf *out);
