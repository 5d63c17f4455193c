/* peers.h - the network beside simpler ways to choose among the timed tuples of problems kept apart
   SPDX-License-Identifier: MIT

   network   the model
   judges    the trees that taught it (judges.h)
   nearest   the tuples of the nearest problem to train on, in their order, then those of the next
             one; near in the logarithms of the sizes, and of the same names first
   single    the tuples by their mean over all problems to train on

   Each has an order of the tuples that were timed for a problem; a share is the least time of the
   problem by that of the best of its first k. */
#pragma once

#include "eval.h"

#include "train/additive_train.h"
#include "train/judges.h"

enum peer { PEER_NETWORK, PEER_JUDGES, PEER_NEAREST, PEER_SINGLE, N_PEERS };
extern const char *const peer_names[N_PEERS];

enum { PEER_PLACES = WATCH_PLACES }; /* k: watch_places */

struct peer_figure {
    double share, se;         /* geometric mean, its standard error over groups of the split */
    double behind, behind_se; /* of the network's logarithm (base 2) by which it is behind */
};

/* The rows of e are those to judge by; of the data those whose part is 0 are learnt from. Without
   judges, theirs are 0. 0, or -1 with a message. */
int peers_measure(const struct eval *e, const unsigned char *part, const struct judge_trees *judges,
                  struct peer_figure out[N_PEERS][PEER_PLACES]);
