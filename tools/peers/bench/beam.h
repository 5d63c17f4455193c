/* beam.h - a beam search with the kernel's rule, for peers that score one parameter after the other
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

struct beam_prefix {
    double score;
    unsigned char index[KPRED_MAX_TUPLE]; /* of the values so far */
    int32_t value[KPRED_MAX_TUPLE];
};

/* For each of n prefixes of t values, log2 of the probabilities of the next one's:
   logs[prefix * KPRED_MAX_VALUES + value] */
typedef void beam_logs(void *state, size_t t, const struct beam_prefix *prefix, size_t n,
                       double *logs);

struct beam {
    const kpred_model *model;
    size_t k;
    struct beam_prefix *now, *next; /* k each */
    double *logs;
};

#ifdef __cplusplus
extern "C" {
#endif

/* 0, or -1: no memory. beam_free in either case. */
int beam_make(struct beam *b, const kpred_model *model, size_t k);
void beam_free(struct beam *b);

/* The k legal tuples that the search finds, best first, and how many there are. As in
   tools/peers/classics.py, of equal ones those of the better prefix come first. */
size_t beam_search(struct beam *b, const int32_t *problem, beam_logs *logs, void *state,
                   kpred_tuple *out);

#ifdef __cplusplus
}
#endif
