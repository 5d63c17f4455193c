/* listed.c - see listed.h
   SPDX-License-Identifier: MIT */
#include "listed.h"

size_t listed_bytes(const kpred_param *params, size_t n_params)
{
    size_t size = 1, all = 1;
    for (size_t t = 0; t < n_params && all <= LISTED_MAX_BITS; t++) {
        size *= (size_t)params[t].n_values;
        all += size;
    }
    return all <= LISTED_MAX_BITS ? (all + 7) / 8 : 0;
}

void listed_add(const kpred_param *params, size_t n_params, unsigned char *bits,
                const unsigned char *target)
{
    size_t first = 0, size = 1, at = 0;
    for (size_t t = 0;; t++) {
        unsigned char *byte = &bits[(first + at) / 8];
        *byte = (unsigned char)(*byte | 1 << (first + at) % 8);
        if (t == n_params)
            return;
        first += size;
        size *= (size_t)params[t].n_values;
        at = at * (size_t)params[t].n_values + target[t];
    }
}
