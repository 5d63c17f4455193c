/* listed.c - see listed.h
   SPDX-License-Identifier: MIT */
#include "listed.h"

#include "runtime.h"

/* ---- a rule for each model that is open ---- */

#define SLOTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

static struct slot {
    const kpred_param *params;
    const unsigned char *bits; /* NULL: it is free */
} slots[LISTED_MAX_MODELS];

#define RULE(i)                                                                 \
    static int rule##i(const int32_t *problem, const int32_t *values, size_t n) \
    {                                                                           \
        (void)problem;                                                          \
        return runtime_listed(slots[i].params, slots[i].bits, values, n);       \
    }
SLOTS(RULE)

#define RULE_NAME(i) rule##i,
static const kpred_rule rules[LISTED_MAX_MODELS] = {SLOTS(RULE_NAME)};

kpred_rule listed_rule(const kpred_param *params, const unsigned char *bits)
{
    size_t i = 0;
    while (i < LISTED_MAX_MODELS && slots[i].bits)
        i++;
    if (i == LISTED_MAX_MODELS)
        return NULL;
    slots[i] = (struct slot){params, bits};
    return rules[i];
}

void listed_release(const unsigned char *bits)
{
    for (size_t i = 0; i < LISTED_MAX_MODELS; i++)
        if (slots[i].bits == bits)
            slots[i].bits = NULL;
}

/* ---- the bits ---- */

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
