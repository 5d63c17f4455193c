/* watch.h - which epoch's network ships, by timed problems that it does not learn from
   SPDX-License-Identifier: MIT

   After each epoch the network ranks what was timed of these problems. What is lost with its first
   1, 4 and 10 tuples, in octaves of time and as the mean of the three, tells epochs apart. The last
   epoch ships unless an earlier one lost less by more than three standard errors of the difference
   over the problems: it is the best of many, so with fewer chance would decide. Training ends when
   it has become so much worse for WATCH_PATIENCE epochs in a row. */
#pragma once

#include "additive_net.h"

enum { WATCH_PATIENCE = 10, WATCH_ERRORS = 3, WATCH_PLACES = 3 };
extern const long watch_places[WATCH_PLACES]; /* 1, 4, 10 */

/* Timed tuples: x and y as in additive_rows.h, octaves above the fastest of the problem */
struct watch_rows {
    size_t n, n_problems;
    const uint8_t *x, *y;
    const float *octaves;
    const size_t *end; /* n_problems: behind the last row of each */
};

struct watch;

struct watch *watch_new(const struct watch_rows *rows);
void watch_free(struct watch *w);

/* How much the network of an epoch loses, in octaves. Epochs come in their order, from 0. */
double watch_epoch(struct watch *w, const struct net *net);
/* Is going on of no use? */
int watch_is_over(const struct watch *w);

struct watch_result {
    size_t problems, epochs; /* epochs until it was over */
    size_t epoch;            /* whose network ships, from 1 */
    double lost;             /* octaves, by that network */
};

/* Puts the weights that ship in the place of the last epoch's. */
struct watch_result watch_choose(const struct watch *w, struct net *net);
