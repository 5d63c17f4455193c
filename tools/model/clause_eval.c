/* clause_eval.c - what a clause says of a problem and values, see clause.h
   SPDX-License-Identifier: MIT

   The arithmetic is that of kpred_constraints.h, >>expressions, which generated rules call too. */
#include "clause.h"

#include <string.h>

#include "kpred_constraints.h"

/* Where a clause is evaluated: for this problem and these values */
struct at {
    const struct clause *c;
    const struct spec *spec;
    const int32_t *problem, *values;
    size_t n_decided;
    int bad; /* a clause is false because of a division or a quotient */
};

static const struct clause_node *node_of(const struct at *at, size_t i)
{
    return at->c->nodes + i;
}

/* ---- exactly, for decided parameters ---- */

static int truth(struct at *at, size_t i);
static int32_t integer(struct at *at, size_t i);

static uint64_t quotient(struct at *at, size_t i);

/* An operand of a division */
static uint64_t term(struct at *at, size_t i)
{
    return node_of(at, i)->type == CLAUSE_QUOTIENT ? quotient(at, i)
                                                   : kpri_q_term(integer(at, i), &at->bad);
}

static uint64_t quotient(struct at *at, size_t i)
{
    const struct clause_node *x = node_of(at, i);
    if (x->type != CLAUSE_QUOTIENT)
        return kpri_q_of(integer(at, i));
    if (x->op == CLAUSE_DIV)
        return kpri_q_div(term(at, x->a), term(at, x->b), &at->bad);
    if (x->op == CLAUSE_MOD)
        return kpri_q_mod(term(at, x->a), term(at, x->b), &at->bad);
    const uint64_t a = quotient(at, x->a);
    if (x->op == CLAUSE_ABS)
        return kpri_q_abs(a, &at->bad);
    if (x->op == CLAUSE_NEG)
        return kpri_q_sub(kpri_q_of(0), a, &at->bad);
    const uint64_t b = quotient(at, x->b);
    switch (x->op) {
    case CLAUSE_ADD: return kpri_q_add(a, b, &at->bad);
    case CLAUSE_SUB: return kpri_q_sub(a, b, &at->bad);
    case CLAUSE_MUL: return kpri_q_mul(a, b, &at->bad);
    case CLAUSE_MIN: return kpri_q_min(a, b);
    default: return kpri_q_max(a, b); /* CLAUSE_MAX_OF */
    }
}

static int is_quotient(const struct at *at, size_t i)
{
    return node_of(at, i)->type == CLAUSE_QUOTIENT;
}

static int compare(struct at *at, const struct clause_node *x)
{
    if (is_quotient(at, x->a) || is_quotient(at, x->b)) {
        const uint64_t a = quotient(at, x->a), b = quotient(at, x->b);
        return x->op == CLAUSE_EQ   ? kpri_q_equal(a, b)
               : x->op == CLAUSE_NE ? !kpri_q_equal(a, b)
               : x->op == CLAUSE_LT ? kpri_q_less(a, b)
                                    : !kpri_q_less(b, a);
    }
    const int32_t a = integer(at, x->a), b = integer(at, x->b);
    return x->op == CLAUSE_EQ   ? a == b
           : x->op == CLAUSE_NE ? a != b
           : x->op == CLAUSE_LT ? a < b
                                : a <= b;
}

/* A division of quotients that rounds */
static int32_t rounded(struct at *at, const struct clause_node *x)
{
    const uint64_t a = term(at, x->a), b = term(at, x->b);
    if (x->op == CLAUSE_FLOOR_DIV)
        return kpri_q_floor_div(a, b, &at->bad);
    return kpri_x_sub(0, kpri_q_floor_div(kpri_q_sub(kpri_q_of(0), a, &at->bad), b, &at->bad));
}

static int32_t operation(struct at *at, const struct clause_node *x)
{
    const int32_t a = integer(at, x->a);
    switch (x->op) {
    case CLAUSE_NEG: return kpri_x_sub(0, a);
    case CLAUSE_ABS: return kpri_x_abs(a);
    case CLAUSE_AND: return a ? integer(at, x->b) : a;
    case CLAUSE_OR: return a ? a : integer(at, x->b);
    default: break;
    }
    const int32_t b = integer(at, x->b);
    switch (x->op) {
    case CLAUSE_ADD: return kpri_x_add(a, b);
    case CLAUSE_SUB: return kpri_x_sub(a, b);
    case CLAUSE_MUL: return kpri_x_mul(a, b);
    case CLAUSE_FLOOR_DIV: return kpri_x_floor_div(a, b, &at->bad);
    case CLAUSE_MOD: return kpri_x_mod(a, b, &at->bad);
    case CLAUSE_CEIL_DIV: return kpri_x_ceil_div(a, b, &at->bad);
    case CLAUSE_MIN: return kpri_x_min(a, b);
    case CLAUSE_ANY: return a | b;    /* of truths */
    default: return kpri_x_max(a, b); /* CLAUSE_MAX_OF */
    }
}

static int32_t integer(struct at *at, size_t i)
{
    const struct clause_node *x = node_of(at, i);
    switch (x->op) {
    case CLAUSE_CONST: return x->k;
    case CLAUSE_FIELD: return at->problem[x->k];
    case CLAUSE_PARAM: return at->values[x->k];
    case CLAUSE_NOT: return !truth(at, x->a);
    case CLAUSE_EQ:
    case CLAUSE_NE:
    case CLAUSE_LT:
    case CLAUSE_LE: return compare(at, x);
    case CLAUSE_FLOOR_DIV:
    case CLAUSE_CEIL_DIV:
        if (is_quotient(at, x->a) || is_quotient(at, x->b))
            return rounded(at, x);
        return operation(at, x);
    default: return operation(at, x);
    }
}

static int truth(struct at *at, size_t i)
{
    return is_quotient(at, i) ? kpri_x_high(quotient(at, i)) != 0 : integer(at, i) != 0;
}

int clause_is_true(const struct clause *c, const int32_t *problem, const int32_t *values,
                   int *undefined)
{
    struct at at = {c, NULL, problem, values, 0, 0};
    const int is_true = truth(&at, c->n - 1);
    if (undefined)
        *undefined = at.bad;
    return is_true && !at.bad;
}

int32_t clause_value(const struct clause *c, int *undefined)
{
    struct at at = {c, NULL, NULL, NULL, 0, 0};
    const int32_t value = integer(&at, c->n - 1);
    *undefined = at.bad;
    return value;
}

/* ---- bounds, while parameters are open ---- */

static int bounded_truth(const struct at *at, size_t i);

static uint64_t param_span(const struct at *at, size_t t)
{
    const struct spec_param *p = at->spec->params + t;
    return kpri_s_param(at->values, at->n_decided, t, p->values[0], p->values[p->n_values - 1]);
}

static uint64_t span(const struct at *at, size_t i)
{
    const struct clause_node *x = node_of(at, i);
    switch (x->op) {
    case CLAUSE_CONST: return kpri_s_of(x->k);
    case CLAUSE_FIELD: return kpri_s_of(at->problem[x->k]);
    case CLAUSE_PARAM: return param_span(at, (size_t)x->k);
    case CLAUSE_NOT:
    case CLAUSE_ANY:
    case CLAUSE_EQ:
    case CLAUSE_NE:
    case CLAUSE_LT:
    case CLAUSE_LE: return kpri_s_of_truth(bounded_truth(at, i));
    default: break;
    }
    const uint64_t a = span(at, x->a);
    if (x->op == CLAUSE_ABS)
        return kpri_s_abs(a);
    const uint64_t b = span(at, x->b);
    switch (x->op) {
    case CLAUSE_NEG: return kpri_s_sub(kpri_s_of(0), a);
    case CLAUSE_ADD: return kpri_s_add(a, b);
    case CLAUSE_SUB: return kpri_s_sub(a, b);
    case CLAUSE_MUL: return kpri_s_mul(a, b);
    case CLAUSE_FLOOR_DIV: return kpri_s_floor_div(a, b);
    case CLAUSE_MOD: return kpri_s_mod(a, b);
    case CLAUSE_CEIL_DIV: return kpri_s_ceil_div(a, b);
    case CLAUSE_MIN: return kpri_s_min(a, b);
    case CLAUSE_MAX_OF: return kpri_s_max(a, b);
    default: return kpri_s_hull(a, b); /* CLAUSE_AND, CLAUSE_OR: one of their operands */
    }
}

/* A comparison of quotients is not bounded: it may be false and may be true. */
static int bounded_truth(const struct at *at, size_t i)
{
    const struct clause_node *x = node_of(at, i);
    switch (x->op) {
    case CLAUSE_NOT: return kpri_t_not(bounded_truth(at, x->a));
    case CLAUSE_AND: return kpri_t_and(bounded_truth(at, x->a), bounded_truth(at, x->b));
    case CLAUSE_ANY: return kpri_t_any(bounded_truth(at, x->a), bounded_truth(at, x->b));
    case CLAUSE_OR: return kpri_t_or(bounded_truth(at, x->a), bounded_truth(at, x->b));
    default: break;
    }
    if (is_quotient(at, i) || is_quotient(at, x->a) || is_quotient(at, x->b))
        return 3;
    switch (x->op) {
    case CLAUSE_EQ: return kpri_t_equal(span(at, x->a), span(at, x->b));
    case CLAUSE_NE: return kpri_t_not(kpri_t_equal(span(at, x->a), span(at, x->b)));
    case CLAUSE_LT: return kpri_t_less(span(at, x->a), span(at, x->b));
    case CLAUSE_LE: return kpri_t_not(kpri_t_less(span(at, x->b), span(at, x->a)));
    default: return kpri_t_of(span(at, i));
    }
}

int clause_may_be_true(const struct clause *c, const struct spec *spec, const int32_t *problem,
                       const int32_t *values, size_t n)
{
    const struct at at = {c, spec, problem, values, n, 0};
    return (bounded_truth(&at, c->n - 1) & 2) != 0;
}

/* ---- a prefix ---- */

/* A clause with quotients has no bounds, so it waits until it is decided. */
enum clause_part clause_part(const struct clause *c, size_t n)
{
    const uint32_t newest = n ? UINT32_C(1) << (n - 1) : 0;
    const uint32_t open = n < 32 ? c->params >> n : 0;
    if (n ? !(c->params & newest) : !open && c->params)
        return CLAUSE_SILENT;
    if (!open)
        return CLAUSE_DECIDED;
    return c->quotients ? CLAUSE_SILENT : CLAUSE_BOUNDED;
}

/* ---- with kernels: as kpri_named in kpred.h ---- */

static int is_legal(const struct clauses *c, const int32_t *problem, const int32_t *values)
{
    size_t i = 0;
    while (i < c->n && clause_is_true(c->v + i, problem, values, NULL))
        i++;
    return i == c->n;
}

/* Does a kernel that the problem's GPU has go on as these n values begin, to a legal tuple? */
static int any_kernel(const struct clauses *c, const int32_t *problem, const int32_t *values,
                      size_t n)
{
    const kpred_names *k = &c->kernels->names;
    const size_t have = n - k->first;
    const uint32_t at = k->n_ids > 1 ? (uint32_t)problem[k->id_field] : 0;
    int32_t v[KPRED_MAX_TUPLE];
    int found = 0;
    memcpy(v, values, n * sizeof *v);
    for (uint32_t i = 0; i < k->n && !found; i++) {
        const int32_t *kernel = k->values + i * k->n_params;
        if (k->ids[i * k->n_ids + at] < 0 || memcmp(kernel, v + k->first, have * sizeof *v))
            continue;
        memcpy(v + n, kernel + have, (k->n_params - have) * sizeof *v);
        found = is_legal(c, problem, v);
    }
    return found;
}

static int kernels_allow(const struct clauses *c, const struct spec *spec, const int32_t *problem,
                         const int32_t *values, size_t n)
{
    int found = 0;
    if (n >= c->kernels->names.first)
        return any_kernel(c, problem, values, n);
    for (size_t i = 0; i < spec->params->n_values && !found; i++)
        found = any_kernel(c, problem, &spec->params->values[i], 1);
    return found;
}

int clauses_allow(const struct clauses *c, const struct spec *spec, const int32_t *problem,
                  const int32_t *values, size_t n)
{
    int good = n <= spec->n_params;
    if (good && c->kernels)
        return kernels_allow(c, spec, problem, values, n);
    for (size_t i = 0; good && i < c->n; i++)
        switch (clause_part(c->v + i, n)) {
        case CLAUSE_DECIDED: good = clause_is_true(c->v + i, problem, values, NULL); break;
        case CLAUSE_BOUNDED: good = clause_may_be_true(c->v + i, spec, problem, values, n); break;
        case CLAUSE_SILENT: break;
        }
    return good;
}
