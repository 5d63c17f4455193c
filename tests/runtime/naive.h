/* naive.h - naive searches of any model: exhaustive, beam, depth first
   SPDX-License-Identifier: MIT

   Include it after kpred.h. They know the header's text only and share no line with its search:
   all is expanded, sorted and cut. The scores and the law come from naive_by. */
#pragma once

#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

enum { NAIVE_MOST = 1 << 17 }; /* tuples and extensions at a time */

static struct {
    /* log2-probabilities of the values after n indexes */
    void (*scores)(const kpred_model *m, const int32_t *problem, const unsigned char *index,
                   size_t n, int64_t *out);
    /* is the prefix of n values legal, given that the shorter one is? Not asked without a rule */
    int (*allows)(const int32_t *values, size_t n);
} naive_by;

struct naive {
    int64_t score;
    unsigned char index[KPRED_MAX_TUPLE]; /* 0 where undecided */
};

static inline int naive_order(const void *left, const void *right)
{
    const struct naive *a = (const struct naive *)left, *b = (const struct naive *)right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return memcmp(a->index, b->index, sizeof a->index);
}

static inline void naive_values(const kpred_model *m, const struct naive *p, int32_t *values)
{
    for (uint32_t t = 0; t < m->n_params; t++)
        values[t] = m->params[t].values[p->index[t]];
}

/* Is the prefix of length n legal, given that the shorter one is? */
static inline int naive_allows(const kpred_model *m, const struct naive *p, size_t n)
{
    int32_t values[KPRED_MAX_TUPLE] = {0};
    naive_values(m, p, values);
    return !m->rule || naive_by.allows(values, n);
}

/* All extensions of p, a prefix of length n; returns how many. */
static inline size_t naive_extensions(const kpred_model *m, const int32_t *problem,
                                      const struct naive *p, size_t n, struct naive *out)
{
    int64_t scores[KPRED_MAX_VALUES] = {0};
    int32_t v;
    naive_by.scores(m, problem, p->index, n, scores);
    for (v = 0; v < m->params[n].n_values; v++) {
        out[v] = *p;
        out[v].index[n] = (unsigned char)v;
        out[v].score += scores[v];
    }
    return (size_t)v;
}

/* Every legal tuple in order, however unlikely: the space counted through. Returns how many. */
static inline size_t naive_exhaust(const kpred_model *m, const int32_t *problem, struct naive *out)
{
    const size_t n_params = m->n_params;
    struct naive p = {0};
    size_t n = 0, t;
    for (;;) {
        int legal = 1;
        p.score = 0;
        for (t = 0; t < n_params; t++) {
            int64_t scores[KPRED_MAX_VALUES] = {0};
            naive_by.scores(m, problem, p.index, t, scores);
            p.score += scores[p.index[t]];
            legal = legal && naive_allows(m, &p, t + 1);
        }
        if (legal)
            out[n++] = p;
        while (t > 0 && ++p.index[t - 1] == m->params[t - 1].n_values)
            p.index[--t] = 0;
        if (t == 0)
            break;
    }
    qsort(out, n, sizeof *out, naive_order);
    return n;
}

/* The first prefix of each length that the last naive_beam had */
static struct naive naive_first[KPRED_MAX_TUPLE];
static size_t naive_reached; /* how many lengths that was */

/* Expand all, sort, keep the first `beam` that are legal. *calls: how often a rule asked best first
   and not beyond need is asked. Returns the number of tuples, 0 where the beam died out. */
static inline size_t naive_beam(const kpred_model *m, const int32_t *problem, size_t beam,
                                struct naive *list, long *calls)
{
    static struct naive wide[NAIVE_MOST];
    size_t n = 1, n_wide, i;
    memset(list, 0, sizeof *list);
    *calls = 0;
    for (size_t t = 0; t < m->n_params; t++) {
        naive_first[t] = list[0];
        naive_reached = n ? t + 1 : naive_reached;
        for (n_wide = i = 0; i < n; i++)
            n_wide += naive_extensions(m, problem, &list[i], t, wide + n_wide);
        qsort(wide, n_wide, sizeof *wide, naive_order);
        for (n = i = 0; i < n_wide && n < beam; i++, ++*calls)
            if (naive_allows(m, &wide[i], t + 1))
                list[n++] = wide[i];
    }
    return n;
}

/* Depth first below *p, a legal prefix of length n. 1: *p is the tuple found. 0: there is none, or
   no call of *left was left for it (then *left < 0). */
static inline int naive_descend(const kpred_model *m, const int32_t *problem, struct naive *p,
                                size_t n, long *left)
{
    struct naive next[KPRED_MAX_VALUES];
    if (n == m->n_params)
        return 1;
    size_t count = naive_extensions(m, problem, p, n, next);
    qsort(next, count, sizeof *next, naive_order);
    for (size_t i = 0; i < count && *left >= 0; i++)
        if (--*left >= 0 && naive_allows(m, &next[i], n + 1)
            && naive_descend(m, problem, &next[i], n + 1, left)) {
            *p = next[i];
            return 1;
        }
    return 0;
}

/* What the rescue has to say; *calls: of the rule, at most KPRED_RESCUE_CALLS. */
static inline kpred_status naive_rescue(const kpred_model *m, const int32_t *problem,
                                        struct naive *p, long *calls)
{
    long left = KPRED_RESCUE_CALLS;
    memset(p, 0, sizeof *p);
    if (naive_descend(m, problem, p, 0, &left)) {
        *calls = KPRED_RESCUE_CALLS - left;
        return KPRED_OK;
    }
    *calls = left < 0 ? KPRED_RESCUE_CALLS : KPRED_RESCUE_CALLS - left;
    return left < 0 ? KPRED_ERR_BUDGET : KPRED_ERR_INFEASIBLE;
}

static inline void naive_check_tuple(const kpred_model *m, const kpred_tuple *got,
                                     const struct naive *want)
{
    int32_t values[KPRED_MAX_TUPLE] = {0};
    naive_values(m, want, values);
    CHECK_EQ(got->score, want->score);
    for (uint32_t t = 0; t < m->n_params; t++)
        CHECK_EQ(got->value[t], values[t]);
}
