/* ensemble.h - the mean opinion of several additive networks
   SPDX-License-Identifier: MIT */
#pragma once

#include "additive_rows.h"

/* Writes into targets, [n][net_target_width()], the mean of the nets' probabilities after the
   prefixes y. If draws is not null, it draws each value from these means before it goes to the next
   parameter. The values drawn are then the prefix, and replace y of the rows; draws has a seed for
   each row. The nets have the same inputs and values, and any widths. */
void net_ensemble(const struct net *nets, size_t n_nets, const struct net_rows *rows, uint8_t *y,
                  const uint64_t *draws, size_t n_threads, float *targets);
