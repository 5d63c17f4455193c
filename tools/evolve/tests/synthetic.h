/* synthetic.h - a task without a compiler: a program of 50 instructions with planted gains
   SPDX-License-Identifier: MIT

   What an edit does is drawn from a hash of it: most are wrong, some slow the program down, the
   others do nothing. Planted ones gain; two of them only together, the second of which is wrong
   without the first. Times have noise that follows from the list, so that a test is repeatable. */
#pragma once

#include "base/numbers.h"
#include "evolve/search.h"

#include <math.h>
#include <stdlib.h>

enum { SYN_DELETE, SYN_COPY, SYN_MOVE, SYN_REPLACE, SYN_SWAP, SYN_OPERAND, SYN_OPERATORS };
enum { SYN_GAINS = 6, SYN_SINGLES = 4 };

static const char *const syn_names[SYN_OPERATORS] = {"delete",  "copy", "move",
                                                     "replace", "swap", "operand"};
static const double syn_gain[SYN_GAINS] = {0.05, 0.04, 0.06, 0.08, 0.01, 0.10};

struct synthetic {
    uint64_t seed;
    double noise; /* standard deviation of a time of EFFORT_SEARCH */
    int inexact;  /* there is an edit that gains and has an error */
    int backward; /* results come in the other order */
    long kill_at; /* after so many evaluations no more come back; 0: never */
    long evaluations, ran, compared, by_effort[3];
};

/* The number of the gain that an edit is, or -1 */
static inline int syn_planted(const struct edit *e)
{
    if (e->op == SYN_DELETE)
        return e->what == 7 ? 0 : e->what == 23 ? 1 : e->what == 41 ? 5 : -1;
    if (e->op == SYN_OPERAND && e->what == 31 && e->index == 0 && e->seed % 4 == 3)
        return 2;
    if (e->op == SYN_MOVE && e->what == 12 && e->where >= 3 && e->where <= 8)
        return 3;
    if (e->op == SYN_OPERAND && e->what == 40 && e->index == 1 && e->seed % 2 == 1)
        return 4;
    return -1;
}

static inline double syn_unit(uint64_t bits)
{
    return (double)(bits >> 11) / 9007199254740992.0;
}

static inline uint64_t syn_hash(const struct synthetic *s, const struct edit *e)
{
    return num_mix(s->seed, (uint64_t)e->op << 32 | e->what,
                   (uint64_t)e->index << 60 ^ (uint64_t)e->where << 32 ^ e->seed);
}

static inline int syn_applies(void *self, const struct edits *list)
{
    (void)self;
    for (size_t i = 0; i < list->n; i++)
        for (size_t j = 0; j < i; j++)
            if (list->v[j].op == SYN_DELETE && list->v[j].what == list->v[i].what)
                return 0;
    return 1;
}

static inline int syn_propose(void *self, const struct edits *list, uint64_t *random,
                              struct edit *out)
{
    struct edits longer = {0};
    memset(out, 0, sizeof *out);
    out->op = (uint16_t)(num_draw(random) % SYN_OPERATORS);
    out->what = 1 + (uint32_t)(num_draw(random) % 50);
    if (out->op == SYN_OPERAND)
        out->index = (uint16_t)(num_draw(random) % 2);
    else if (out->op != SYN_DELETE)
        out->where = 1 + (uint32_t)(num_draw(random) % 50);
    if (out->op != SYN_DELETE)
        out->seed = (uint32_t)num_draw(random);
    edits_copy(&longer, list);
    edits_add(&longer, out);
    const int rc = syn_applies(self, &longer) ? 0 : -1;
    edits_free(&longer);
    return rc;
}

/* 0 if the edit is right */
static inline int syn_is_wrong(const struct synthetic *s, const struct edits *list, size_t i)
{
    const struct edit *e = &list->v[i];
    const int planted = syn_planted(e);
    int has_first = 0;
    for (size_t j = 0; j < list->n; j++)
        has_first |= syn_planted(&list->v[j]) == 4;
    if (planted == 5)
        return !has_first;
    if (planted >= 0)
        return 0;
    for (size_t j = 0; j < i; j++) /* two that do not go together */
        if (syn_planted(&list->v[j]) < 0
            && num_mix(syn_hash(s, e), syn_hash(s, &list->v[j]), 7) % 50 == 0)
            return 1;
    return syn_unit(num_mix(syn_hash(s, e), 1, 0)) < 0.65;
}

/* The time without noise */
static inline double syn_time(const struct synthetic *s, const struct edits *list, double *error)
{
    double time = 1;
    int seen[SYN_GAINS] = {0};
    *error = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct edit *e = &list->v[i];
        const int planted = syn_planted(e);
        const double u = syn_unit(num_mix(syn_hash(s, e), 2, 0));
        if (planted >= 0)
            time *= seen[planted]++ == 0 ? 1 - syn_gain[planted] : 1;
        else if (s->inexact && e->op == SYN_REPLACE && e->what % 10 == 3)
            *error += 1e-3, time *= *error < 1.5e-3 ? 0.93 : 1;
        else if (u < 0.3)
            time *= 1 + u / 3;
    }
    return time;
}

static inline double syn_normal(uint64_t bits)
{
    const double u = syn_unit(num_mix(bits, 1, 1)), v = syn_unit(num_mix(bits, 2, 2));
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

static inline struct result syn_result(const struct synthetic *s, const struct edits *list,
                                       enum effort effort)
{
    struct result r = {.outcome = OUTCOME_VALID, .n_cases = 2};
    if (!syn_applies(NULL, list))
        r.outcome = OUTCOME_INAPPLICABLE;
    for (size_t i = 0; i < list->n && r.outcome == OUTCOME_VALID; i++)
        if (syn_is_wrong(s, list, i))
            r.outcome = syn_hash(s, &list->v[i]) % 16 == 0 ? OUTCOME_REJECTED : OUTCOME_WRONG;
    const double sd = effort == EFFORT_SEARCH ? s->noise : s->noise / sqrt(5);
    const uint64_t bits = num_mix(edits_hash(list), s->seed, effort);
    r.time = syn_time(s, list, &r.error) * (1 + sd * syn_normal(bits));
    r.spread = sd;
    r.ratio[0] = r.ratio[1] = r.time;
    if (r.outcome != OUTCOME_VALID)
        r.time = HUGE_VAL, r.n_cases = 0;
    return r;
}

/* What a task evaluates by */
#define SYN_EVALUATE(name)                                                                       \
    static inline void name(void *self, const struct edits *lists, size_t n, enum effort effort, \
                            result_taker *done, void *user)

SYN_EVALUATE(syn_evaluate)
{
    struct synthetic *s = self;
    for (size_t k = 0; k < n; k++) {
        const size_t i = s->backward ? n - 1 - k : k;
        const struct result r = syn_result(s, &lists[i], effort);
        if (s->kill_at != 0 && s->evaluations >= s->kill_at)
            return;
        s->evaluations++;
        s->by_effort[effort]++;
        s->ran += r.outcome != OUTCOME_REJECTED && r.outcome != OUTCOME_INAPPLICABLE;
        done(user, i, &r);
    }
}

/* The noise is that of both, but for what disturbs them together. */
static inline struct result syn_compare(void *self, const struct edits *list,
                                        const struct edits *with)
{
    struct synthetic *s = self;
    double error;
    struct result r = syn_result(s, list, EFFORT_CONFIRM);
    const uint64_t bits = num_mix(edits_hash(list), edits_hash(with), s->seed);
    s->compared++;
    r.spread = s->noise / 4;
    if (r.outcome == OUTCOME_VALID)
        r.time = syn_time(s, list, &error) / syn_time(s, with, &error)
                 * (1 + r.spread * syn_normal(bits));
    return r;
}

static inline struct task syn_task(struct synthetic *s)
{
    const struct task t = {.names = {syn_names, SYN_OPERATORS},
                           .program = s,
                           .propose = syn_propose,
                           .applies = syn_applies,
                           .trial = s,
                           .evaluate = syn_evaluate,
                           .compare = syn_compare};
    return t;
}

/* How many of the planted gains are in a list, each counted once */
static inline int syn_found(const struct edits *list)
{
    int found[SYN_GAINS] = {0}, n = 0;
    for (size_t i = 0; i < list->n; i++)
        if (syn_planted(&list->v[i]) >= 0)
            found[syn_planted(&list->v[i])] = 1;
    for (int i = 0; i < SYN_GAINS; i++)
        n += found[i];
    return n;
}
