/* drawn.h - questions to a model, drawn at random: problems, and the beam and k for each
   SPDX-License-Identifier: MIT

   The same ones everywhere: vectors.py compiles this, too. */
#pragma once

#include "kpred.h"

#include "harness/test.h"

enum { DRAWN_MOST = 1000000, DRAWN_TRIES = 20 };

struct question {
    int32_t beam, k, problem[KPRED_MAX_FIELDS];
};

struct drawn {
    const kpred_model *model;
    uint64_t seed;
    int32_t n, has_last;
    int32_t last[KPRED_MAX_FIELDS]; /* the last problem that the kernel applies to */
};

static inline struct drawn drawn_open(const kpred_model *m)
{
    struct drawn d = {m, 0, 0, 0, {0}};
    uint64_t power = 1;
    for (const char *c = m->name; *c != '\0'; c++, power *= 257)
        d.seed += (unsigned char)*c * power;
    return d;
}

static inline int32_t drawn_below(struct drawn *d, int32_t n)
{
    return test_between(&d->seed, 0, n - 1);
}

static inline int32_t drawn_clamp(int32_t x, int32_t least, int32_t most)
{
    return x < least ? least : x > most ? most : x;
}

static inline int drawn_applies(const struct drawn *d, const int32_t *problem)
{
    static const int32_t none[KPRED_MAX_TUPLE];
    return d->model->rule == NULL || d->model->rule(problem, none, 0) != 0;
}

/* ---- values of a field ---- */

/* Of the trained range; sizes are mostly small, and mostly a power of two times 1, 3, 5 or 7. */
static inline int32_t drawn_usual(struct drawn *d, const kpred_field *f)
{
    const int32_t least = f->trained_min, most = f->trained_max;
    int32_t bits = 0;
    if (f->tokens != NULL)
        return test_between(&d->seed, least, most);
    while (most >> bits != 0)
        bits++;
    const int32_t kind = drawn_below(d, 8), top = drawn_below(d, bits + 1);
    const int32_t x = kind == 0  ? least
                      : kind < 3 ? drawn_below(d, (1 << top) + 1)
                                 : (1 + 2 * drawn_below(d, 4)) << top;
    return drawn_clamp(x, least, most);
}

/* Those of the values that lie in the field's range, or that do not; returns how many */
static inline size_t drawn_within(const kpred_field *f, int is_within, const int64_t *values,
                                  size_t n, int32_t *out)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if ((values[i] >= f->least && values[i] <= f->most) == is_within)
            out[found++] = (int32_t)values[i];
    return found;
}

static inline size_t drawn_usual_one(struct drawn *d, const kpred_field *f, int32_t *out)
{
    *out = drawn_usual(d, f);
    return 1;
}

/* What lies at the ends of the ranges, and beside them */
static inline size_t drawn_limits(struct drawn *d, const kpred_field *f, int32_t *out)
{
    const int64_t least = f->trained_min, most = f->trained_max;
    const int64_t limits[] = {f->least,  f->most,  least,       most,
                              least - 1, most + 1, f->most / 2, INT32_MAX / 128};
    (void)d;
    return drawn_within(f, 1, limits, COUNT(limits), out);
}

static inline size_t drawn_beyond(struct drawn *d, const kpred_field *f, int32_t *out)
{
    const int64_t least = f->least, most = f->most;
    const int64_t beyond[] = {least - 1, most + 1, INT32_MIN, INT32_MAX, -1};
    (void)d;
    return drawn_within(f, 0, beyond, COUNT(beyond), out);
}

/* ---- problems, each from the one before it or new ---- */

/* With n fields, each one of the values that there are for it */
static inline void drawn_change(struct drawn *d, int32_t *problem, int32_t n,
                                size_t (*values)(struct drawn *, const kpred_field *, int32_t *))
{
    int32_t value[8];
    while (n-- > 0) {
        const int32_t f = drawn_below(d, (int32_t)d->model->n_fields);
        const size_t n_values = values(d, &d->model->fields[f], value);
        problem[f] = value[drawn_below(d, (int32_t)n_values)];
    }
}

static inline void drawn_any(struct drawn *d, int32_t *problem)
{
    if (!d->has_last || drawn_below(d, 2)) {
        for (uint32_t f = 0; f < d->model->n_fields; f++)
            problem[f] = drawn_usual(d, &d->model->fields[f]);
        return;
    }
    memcpy(problem, d->last, sizeof d->last);
    drawn_change(d, problem, 1 + drawn_below(d, 3), drawn_usual_one);
}

/* One that the kernel applies to: is there one? */
static inline int drawn_applicable(struct drawn *d, int32_t *problem)
{
    for (int i = 0; i < DRAWN_MOST; i++) {
        drawn_any(d, problem);
        if (drawn_applies(d, problem)) {
            memcpy(d->last, problem, sizeof d->last);
            d->has_last = 1;
            return 1;
        }
    }
    return 0;
}

/* With one or two fields at the ends of what they may be, where the kernel applies to that */
static inline void drawn_at_limits(struct drawn *d, int32_t *problem)
{
    int is_found = 0;
    for (int i = 0; i < DRAWN_TRIES; i++) {
        int32_t other[KPRED_MAX_FIELDS];
        memcpy(other, d->last, sizeof other);
        drawn_change(d, other, 1 + drawn_below(d, 2), drawn_limits);
        const int applies = drawn_applies(d, other);
        if (i == 0 || (applies && !is_found))
            memcpy(problem, other, sizeof other);
        is_found = is_found || applies;
    }
}

/* With one field at its least or most, where the kernel applies to that */
static inline int drawn_at_limit(struct drawn *d, int32_t *problem, int32_t end)
{
    const kpred_field *f = &d->model->fields[end / 2];
    for (int i = 0; i < DRAWN_TRIES; i++) {
        if (!drawn_applicable(d, problem))
            return 0;
        problem[end / 2] = end % 2 ? f->most : f->least;
        if (drawn_applies(d, problem))
            break;
    }
    return 1;
}

/* First each field at each of its two limits */
static inline int drawn_problem(struct drawn *d, int32_t i, int32_t *problem)
{
    if (i >= 4 && i < 4 + 2 * (int32_t)d->model->n_fields)
        return drawn_at_limit(d, problem, i - 4);
    const int32_t kind = drawn_below(d, 32);
    if (!drawn_applicable(d, problem))
        return 0;
    if (kind < 2)
        drawn_change(d, problem, 1, drawn_beyond);
    else if (kind == 2)
        drawn_any(d, problem);
    else if (kind < 10)
        drawn_at_limits(d, problem);
    return 1;
}

/* ---- questions ---- */

/* Of the first ones, the widest and wrong ones */
static inline int32_t drawn_beam(struct drawn *d, int32_t i)
{
    static const int32_t first[] = {1024, 100, 0, 1025}, usual[] = {1, 2, 4, 10};
    return i < 4 ? first[i] : drawn_below(d, 2) ? usual[drawn_below(d, 4)] : 1 + drawn_below(d, 32);
}

static inline int32_t drawn_k(struct drawn *d, int32_t beam)
{
    const int32_t kind = drawn_below(d, 64);
    if (kind == 0)
        return drawn_below(d, 2) ? beam + 1 : 0;
    return drawn_clamp(kind < 44 ? 1 : kind < 58 ? 3 : kind < 62 ? 10 : 32, 1, beam > 1 ? beam : 1);
}

/* The next one; 0: the kernel applies to none of a million problems */
static inline int drawn_next(struct drawn *d, struct question *q)
{
    const int32_t i = d->n++;
    q->beam = drawn_beam(d, i);
    q->k = drawn_k(d, q->beam);
    return drawn_problem(d, i, q->problem);
}
