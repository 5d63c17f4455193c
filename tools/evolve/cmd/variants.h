/* variants.h - which lists of an archive become the variants of a library
   SPDX-License-Identifier: MIT */
#pragma once

#include "library.h"
#include "story.h"

struct variants { /* to be freed; the first one is the baseline, without edits */
    struct edits list[MAX_VARIANTS];
    struct result result[MAX_VARIANTS]; /* on all cases */
    size_t n;
};

/* At most k of them, the baseline included: each next one lowers the sum over the cases of the best
   time the most, and is valid on the held-out cases. It stops where the next one would lower the
   mean by less than one percent of the baseline's time. -1 after a message. */
int variants_choose(struct logged *run, size_t k, struct variants *out);
/* Drops the one whose loss costs least, if it costs less than that by us[variant * n_cases + case]
   (0: not timed): code that is linked otherwise lies elsewhere, and what ships decides. How
   many went, 0 or 1 */
size_t variants_prune(struct variants *v, const double *us, size_t n_cases);
void variants_free(struct variants *v);
