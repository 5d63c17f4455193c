/* candidates.h - the tuples among which the next one is chosen
   SPDX-License-Identifier: MIT

   All of them, or, of more than CANDIDATES_MOST, the tuples with a result that counts, those that
   differ from the best ones by one parameter, and others by chance. */
#pragma once

#include "space.h"

enum { CANDIDATES_MOST = 16384 };

struct candidates {
    size_t n;
    size_t *tuple;
    uint32_t *where; /* of each tuple its number among the candidates, or CANDIDATE_NONE */
};

#define CANDIDATE_NONE UINT32_MAX

/* `first` are taken in any case; the neighbours are those of `best`. */
void candidates_open(struct candidates *c, const struct space *s, const size_t *first,
                     size_t n_first, const size_t *best, size_t n_best, uint64_t seed);
void candidates_free(struct candidates *c);

/* A tuple without a result that is far from `n` others: the farthest of some drawn by chance. */
size_t candidate_spread(const struct space *s, const size_t *others, size_t n,
                        const unsigned char *is_taken, uint64_t seed);
