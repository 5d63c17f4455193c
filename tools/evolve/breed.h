/* breed.h - new lists out of those that are there
   SPDX-License-Identifier: MIT */
#pragma once

#include "run.h"

/* `child`, which may hold another list or be the parent, becomes the parent's with one more
   proposed edit, such as this run has not met: 0, or -1 if none was found; then it is as the
   parent. */
int breed_longer(const struct run *r, const struct edits *parent, uint64_t *random,
                 struct edits *child);
/* ... the parent's without a random edit */
int breed_shorter(const struct run *r, const struct edits *parent, uint64_t *random,
                  struct edits *child);
/* ... what two parents share and a random part of the rest. It applies, and is neither parent. */
int breed_crossed(const struct run *r, const struct edits *a, const struct edits *b,
                  uint64_t *random, struct edits *child);
