/* full_table.c - a full table as a space, beside another table, and as a spec or a model has it
   SPDX-License-Identifier: MIT */
#include "full_table.h"

#include "runner.h"

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
        return fail("%s: each tuple failed, %zu in all: there is nothing to find", t->path, t->n);
    return 0;
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

struct space full_table_space(const struct full_table *t)
{
    struct space s = {.n_params = t->params.n, .n = t->n, .value = t->value};
    size_t n = 0, at = 0;
    s.n_values = xcalloc(s.n_params + 1, sizeof *s.n_values);
    for (size_t p = 0; p < s.n_params; p++)
        n += s.n_values[p] = (unsigned)t->values[p].n;
    s.rank = xcalloc(n + 1, sizeof *s.rank);
    for (size_t p = 0; p < s.n_params; at += t->values[p++].n)
        rank_values(&t->values[p], s.rank + at);
    return s;
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

/* ---- by a spec ---- */

struct mapping {
    const struct full_table *table;
    const struct spec *spec;
    size_t at[KPRED_MAX_TUPLE];  /* the table's parameter, or INTERN_NONE: it has one value */
    int *index[KPRED_MAX_TUPLE]; /* of each of its values, that of the spec or -1 */
    int32_t problem[KPRED_MAX_FIELDS];
    int is_told[KPRED_MAX_FIELDS];
};

static void map_open(struct mapping *m, const struct full_table *t, const struct spec *spec)
{
    *m = (struct mapping){.table = t, .spec = spec};
    for (size_t f = 0; f < spec->n_fields; f++) {
        const char *text = full_table_fact(t, spec->fields[f].name);
        m->problem[f] = -1;
        m->is_told[f] =
            text != NULL && assign_field_read(&spec->fields[f], text, &m->problem[f]) == 0;
    }
    for (size_t p = 0; p < spec->n_params; p++) {
        const size_t at = m->at[p] = intern_find_text(&t->params, spec->params[p].name);
        if (at == INTERN_NONE)
            continue;
        m->index[p] = xcalloc(t->values[at].n, sizeof *m->index[p]);
        for (size_t v = 0; v < t->values[at].n; v++)
            m->index[p][v] = spec_value_index(&spec->params[p], t->values[at].v[v].s);
    }
}

static void map_close(struct mapping *m)
{
    for (size_t p = 0; p < m->spec->n_params; p++)
        free(m->index[p]);
}

/* The tuple by the spec's indexes: its first parameter without that value, or n_params. */
static size_t tuple_of(const struct mapping *m, size_t i, uint16_t *value)
{
    const struct full_table *t = m->table;
    for (size_t p = 0; p < m->spec->n_params; p++) {
        value[p] = 0;
        if (m->at[p] == INTERN_NONE)
            continue;
        const int index = m->index[p][t->value[i * t->params.n + m->at[p]]];
        if (index < 0)
            return p;
        value[p] = (uint16_t)index;
    }
    return m->spec->n_params;
}

/* ---- which are legal ---- */

static int is_known(const struct mapping *m, const struct clause *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->nodes[i].op == CLAUSE_FIELD && !m->is_told[c->nodes[i].k]
            && m->spec->fields[c->nodes[i].k].n_tokens == 0)
            return 0;
    return 1;
}

static int is_legal(const struct mapping *m, const struct clauses *clauses, size_t i)
{
    uint16_t index[KPRED_MAX_TUPLE];
    int32_t value[KPRED_MAX_TUPLE];
    if (tuple_of(m, i, index) < m->spec->n_params)
        return 0;
    for (size_t p = 0; p < m->spec->n_params; p++)
        value[p] = m->spec->params[p].values[index[p]];
    for (size_t k = 0; k < clauses->n; k++)
        if (is_known(m, &clauses->v[k]) && !clause_is_true(&clauses->v[k], m->problem, value, NULL))
            return 0;
    return 1;
}

int full_table_keep_legal(struct full_table *t, const struct spec *spec)
{
    const size_t n = t->n, n_params = t->params.n;
    struct clauses clauses;
    struct mapping m;
    if (clauses_read(&clauses, spec) != 0)
        return -1;
    map_open(&m, t, spec);
    t->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_legal(&m, &clauses, i))
            continue;
        memmove(t->value + t->n * n_params, t->value + i * n_params, n_params * sizeof *t->value);
        t->time[t->n++] = t->time[i];
    }
    map_close(&m);
    clauses_free(&clauses);
    return t->n > 0 ? full_table_check(t)
                    : fail("%s: none of its %zu %s is legal by %s", t->path, n,
                           as_counted(n, "tuple", "tuples"), spec->path);
}

/* ---- their order ---- */

static int check_model(const struct mapping *m, const char *path)
{
    const struct spec *s = m->spec;
    const char *table = m->table->path;
    for (size_t p = 0; p < s->n_params; p++)
        if (m->at[p] == INTERN_NONE && s->params[p].n_values > 1)
            return fail("%s: has no parameter %s, which --model %s has", table, s->params[p].name,
                        path);
    for (size_t f = 0; f < s->n_fields; f++) {
        const char *name = s->fields[f].name, *text = full_table_fact(m->table, name);
        if (text == NULL)
            return fail("%s: does not say what the field %s of --model %s is", table, name, path);
        if (!m->is_told[f])
            return fail("--model %s: does not know %s=%s, of which %s is", path, name, text, table);
    }
    return 0;
}

static int check_tuple(const struct mapping *m, const char *path, size_t i, uint16_t *value)
{
    const struct full_table *t = m->table;
    const size_t p = tuple_of(m, i, value);
    if (p == m->spec->n_params)
        return 0;
    const size_t at = m->at[p];
    return fail("--model %s: does not know %s=%s, which %s has", path, m->spec->params[p].name,
                t->values[at].v[t->value[i * t->params.n + at]].s, t->path);
}

int full_table_scores(const struct full_table *t, const char *path, const struct model *model,
                      double *score)
{
    struct mapping m;
    const size_t n = model->spec->n_params;
    uint16_t *value = xcalloc(t->n * n + 1, sizeof *value);
    map_open(&m, t, model->spec);
    int rc = check_model(&m, path);
    for (size_t i = 0; i < t->n && rc == 0; i++)
        rc = check_tuple(&m, path, i, value + i * n);
    if (rc == 0)
        order_tuples(&model->m, m.problem, value, t->n, score);
    map_close(&m);
    free(value);
    return rc;
}
