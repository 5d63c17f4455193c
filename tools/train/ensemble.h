/* ensemble.h - the mean opinion of several additive networks
   SPDX-License-Identifier: MIT */
#pragma once

#include "additive_rows.h"

/* What an ensemble makes of the rows: targets gets the mean of the nets' probabilities given the
   prefixes y, [n][net_target_width()]. With draws not null, values are drawn from those means on
   the way and become the prefix, in y of the rows as well; a row's seed is one of draws. The nets
   have the same inputs and values, and any widths. */
void net_ensemble(const struct net *nets, size_t n_nets, const struct net_rows *rows, uint8_t *y,
                  const uint64_t *draws, size_t n_threads, float *targets);
