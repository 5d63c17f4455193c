/* clause_slips.c - conditions of [restrict] that can only be slips, see clause.h
   SPDX-License-Identifier: MIT */
#include "clause.h"

enum { MOST_WORK = 1 << 20 }; /* nodes that are evaluated for a clause */

/* ---- over all tuples and all problems ---- */

/* As clause_truths, for a whole tuple and any problem; what has no value is false. */
static int truths_of(const struct clause *c, const struct spec *spec, const int32_t *values)
{
    if (!clause_has_fields(c))
        return clause_is_true(c, NULL, values, NULL) ? 2 : 1;
    const int truths = clause_truths(c, spec, NULL, values, spec->n_params);
    return truths ? truths : 1;
}

/* The next tuple in the clause's parameters; 0: that was the last one. */
static int next_tuple(const struct clause *c, const struct spec *spec, size_t *at, int32_t *values)
{
    for (size_t t = 0; t < spec->n_params; t++) {
        const struct spec_param *p = spec->params + t;
        if (!(c->params >> t & 1))
            continue;
        at[t] = at[t] + 1 < p->n_values ? at[t] + 1 : 0;
        values[t] = p->values[at[t]];
        if (at[t] > 0)
            return 1;
    }
    return 0;
}

/* Bit 0: it may be false, bit 1: it may be true */
static int all_truths(const struct clause *c, const struct spec *spec)
{
    size_t at[KPRED_MAX_TUPLE] = {0}, work = 0;
    int32_t values[KPRED_MAX_TUPLE];
    int truths = 0;
    for (size_t t = 0; t < spec->n_params; t++)
        values[t] = spec->params[t].values[0];
    do {
        truths |= truths_of(c, spec, values);
        work += c->n;
    } while (truths != 3 && work < MOST_WORK && next_tuple(c, spec, at, values));
    return work < MOST_WORK ? truths : 3;
}

/* ---- what is said ---- */

static void note_clause(const struct clause *c, const struct spec *spec, const char *what)
{
    note("%s:%ld: %s: %s", spec->path, c->line, c->text, what);
}

static int has_value(const struct clause_node *x, const struct spec *spec, int64_t k)
{
    if (x->op == CLAUSE_FIELD)
        return k >= spec->fields[x->k].least && k <= spec->fields[x->k].most;
    const struct spec_param *p = spec->params + x->k;
    for (size_t i = 0; i < p->n_values; i++)
        if (p->values[i] == k)
            return 1;
    return 0;
}

/* A field or parameter of numbers that is compared with a number which it never has: 1, after a
   message */
static int note_value(const struct clause *c, const struct spec *spec, const struct clause_node *x)
{
    const struct clause_node *a = c->nodes + x->a, *b = c->nodes + x->b;
    const struct clause_node *of = a->op == CLAUSE_CONST ? b : a;
    const int64_t k = a->op == CLAUSE_CONST ? a->k : b->k;
    char what[120];
    if ((a->op == CLAUSE_CONST) == (b->op == CLAUSE_CONST) || of->type == CLAUSE_NAME
        || (of->op != CLAUSE_FIELD && of->op != CLAUSE_PARAM) || has_value(of, spec, k))
        return 0;
    snprintf(what, sizeof what, "%.60s never has the value %lld",
             of->op == CLAUSE_FIELD ? spec->fields[of->k].name : spec->params[of->k].name,
             (long long)k);
    note_clause(c, spec, what);
    return 1;
}

static int note_values(const struct clause *c, const struct spec *spec)
{
    int noted = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->nodes[i].op == CLAUSE_EQ || c->nodes[i].op == CLAUSE_NE)
            noted |= note_value(c, spec, c->nodes + i);
    return noted;
}

/* Returns whether the clause is false for all. */
static int note_slips(const struct clause *c, const struct spec *spec)
{
    const int truths = all_truths(c, spec), is_number = clause_is_number(c, spec);
    const int noted = note_values(c, spec);
    if (truths == 1)
        note_clause(c, spec, "is false for all tuples: no tuple is legal");
    else if (is_number)
        note_clause(c, spec,
                    truths == 2
                        ? "is a number that is never 0, and no comparison: it rejects nothing"
                        : "is a number, and no comparison: it rejects what makes it 0");
    else if (truths == 2 && !noted)
        note_clause(c, spec, "is true for all tuples: it rejects nothing");
    return truths == 1;
}

size_t clauses_note_slips(const struct clauses *c, const struct spec *spec)
{
    size_t n_false = 0;
    for (size_t i = 0; i < c->n; i++)
        n_false += (size_t)note_slips(c->v + i, spec);
    return n_false;
}
