/* unseen_rows.h - what a model learns for GPUs on which nothing was measured
   SPDX-License-Identifier: MIT */
#pragma once

#include "data.h"

/* Adds rows of the names of the spec's section [unseen] (model/unseen.h) to timed data, which stay
   sorted. A problem of such a name has the options of the same problem on all GPUs. An option's
   speed is the mean of its shares of each GPU's best speed, weighed by unseen_weight; on a GPU
   where the option has no time its share is 0. A name gets no problem that none of its GPUs has.

   On a GPU that is new, options that differ in one parameter are often slow together, so the first
   few should differ in more. The best option is taken first; then, one after another, the one with
   the greatest speed, less a tenth of it for an option that differs in one parameter from one that
   was taken, 3 percent for two parameters, and so on. These speeds are what is learnt.

   0, or -1 with a message. */
int unseen_rows_add(const struct spec *spec, struct dataset *d);

/* What it does to the shares of n options, the best of which are to differ. */
void unseen_spread(const unsigned char *targets, size_t n_params, double *share, size_t n);
