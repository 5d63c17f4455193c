/* full_table.c - see full_table.h
   SPDX-License-Identifier: MIT */
#include "full_table.h"

#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void full_table_free(struct full_table *t)
{
    for (size_t p = 0; t->values != NULL && p < t->params.n; p++)
        intern_free(&t->values[p]);
    free(t->values);
    intern_free(&t->params);
    free(t->value);
    free(t->time);
    for (size_t i = 0; i < t->n_facts; i++) {
        free(t->fact[i].name);
        free(t->fact[i].text);
    }
}

/* ---- the problem ---- */

void full_table_add_fact(struct full_table *t, const char *name, const char *text)
{
    if (t->n_facts == FULL_FACTS)
        return;
    t->fact[t->n_facts].name = xstrdup(name);
    t->fact[t->n_facts++].text = xstrdup(text);
}

const char *full_table_fact(const struct full_table *t, const char *name)
{
    const size_t param = intern_find_text(&t->params, name);
    if (param != INTERN_NONE && t->values[param].n == 1)
        return t->values[param].v[0].s;
    for (size_t i = 0; i < t->n_facts; i++)
        if (strcmp(t->fact[i].name, name) == 0)
            return t->fact[i].text;
    return NULL;
}

/* ---- tuples ---- */

int full_table_check(struct full_table *t)
{
    t->best = HUGE_VAL;
    for (size_t i = 0; i < t->n; i++)
        t->best = t->time[i] < t->best ? t->time[i] : t->best;
    if (t->n == 0)
        return fail("%s: has no tuple", t->path);
    if (t->best == HUGE_VAL)
        return fail("%s: each of its %zu tuples failed: there is nothing to find", t->path, t->n);
    return 0;
}

void full_table_keep(struct full_table *t, const unsigned char *marked)
{
    const size_t n = t->params.n;
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (!marked[i])
            continue;
        memmove(t->value + kept * n, t->value + i * n, n * sizeof *t->value);
        t->time[kept++] = t->time[i];
    }
    t->n = kept;
}

/* ---- as a space ---- */

/* Texts that are numbers have their values as ranks, if all of a parameter are. */
static void rank_values(const struct interned *values, double *rank)
{
    int are_numbers = 1;
    for (size_t i = 0; i < values->n; i++) {
        char *end;
        rank[i] = strtod(values->v[i].s, &end);
        are_numbers &= end != values->v[i].s && *end == '\0' && isfinite(rank[i]);
    }
    for (size_t i = 0; i < values->n && !are_numbers; i++)
        rank[i] = (double)i;
}

void full_table_space(const struct full_table *t, struct space *space)
{
    size_t n = 0;
    unsigned *n_values = xcalloc(t->params.n + 1, sizeof *n_values);
    for (size_t p = 0; p < t->params.n; p++) {
        n_values[p] = (unsigned)t->values[p].n;
        n += t->values[p].n;
    }
    double *rank = xcalloc(n + 1, sizeof *rank);
    n = 0;
    for (size_t p = 0; p < t->params.n; p++) {
        rank_values(&t->values[p], rank + n);
        n += t->values[p].n;
    }
    *space = (struct space){t->params.n, t->n, n_values, t->value, rank, 0};
}

/* They were allocated here, and are const for the strategy alone. */
void full_table_end_space(struct space *space)
{
    union {
        const void *theirs;
        void *ours;
    } n_values = {space->n_values}, rank = {space->rank};
    free(n_values.ours);
    free(rank.ours);
}

/* ---- another table ---- */

/* The number of a tuple's values of some parameters, as text */
static const char *key_of(const struct full_table *t, size_t tuple, const size_t *params, size_t n,
                          struct buf *key)
{
    key->n = 0;
    buf_puts(key, "");
    for (size_t i = 0; i < n; i++) {
        const uint16_t value = t->value[tuple * t->params.n + params[i]];
        buf_puts(key, t->values[params[i]].v[value].s);
        buf_puts(key, "\x1f");
    }
    return key->s;
}

/* The parameters, with more than one value, that both have: by their numbers here and there */
static size_t common(const struct full_table *t, const struct full_table *other, size_t *here,
                     size_t *there)
{
    size_t n = 0;
    for (size_t p = 0; p < t->params.n; p++) {
        const size_t at = intern_find_text(&other->params, t->params.v[p].s);
        if (at == INTERN_NONE || t->values[p].n < 2)
            continue;
        here[n] = p;
        there[n++] = at;
    }
    return n;
}

/* What only the other table has may be set as it likes: the best of these tuples counts. */
static void match(const struct full_table *t, const struct full_table *other, const size_t *here,
                  const size_t *there, size_t n, double *times)
{
    struct interned keys = {0};
    struct buf key = {0};
    double *best = xcalloc(other->n + 1, sizeof *best);
    for (size_t i = 0; i < other->n; i++) {
        const size_t before = keys.n, at = intern_text(&keys, key_of(other, i, there, n, &key));
        if (at == before || other->time[i] < best[at])
            best[at] = other->time[i];
    }
    for (size_t i = 0; i < t->n; i++) {
        const size_t at = intern_find_text(&keys, key_of(t, i, here, n, &key));
        times[i] = at == INTERN_NONE ? NAN : best[at];
    }
    free(best);
    intern_free(&keys);
    buf_free(&key);
}

int full_table_match(const struct full_table *t, const struct full_table *other, double *times)
{
    size_t *here = xcalloc(t->params.n + 1, sizeof *here);
    size_t *there = xcalloc(t->params.n + 1, sizeof *there);
    const size_t n = common(t, other, here, there);
    if (n > 0)
        match(t, other, here, there, n, times);
    free(here);
    free(there);
    return n > 0 ? 0
                 : fail("--data %s: has no parameter of %s: the tables are of one kernel",
                        other->path, t->path);
}
