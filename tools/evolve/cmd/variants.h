/* variants.h - which lists of an archive become the variants of a library
   SPDX-License-Identifier: MIT */
#pragma once

#include "story.h"

enum { MAX_VARIANTS = 64 };

struct variants { /* to be freed; the first one is the baseline, without edits */
    struct edits list[MAX_VARIANTS];
    struct result result[MAX_VARIANTS]; /* on all cases */
    size_t n;
};

/* At most k of them, the baseline included: each next one lowers the sum over the cases of the best
   time the most, and is valid on the held-out cases. It stops where the next one gains nothing
   beyond the noise. -1 after a message. */
int variants_choose(struct logged *run, size_t k, struct variants *out);
void variants_free(struct variants *v);
