/* clause_eval.c - what a clause says of a problem and values, and of all: see clause.h
   SPDX-License-Identifier: MIT

   What an operation computes is the C that generated rules have, see clause.h. */
#include "clause.h"
#include "runtime.h"

#include "kpred_constraints.h"

#include <stddef.h>
#include <string.h>

/* ---- exactly, for decided parameters ---- */

/* Of a node. An integer is a quotient by 1. */
struct value {
    kpri_quotient q;
    int bad; /* it evaluates a division by 0 */
};

static int is_quotient(const struct clause *c, const struct clause_node *x)
{
    return x->type == CLAUSE_QUOTIENT || c->nodes[x->a].type == CLAUSE_QUOTIENT
           || c->nodes[x->b].type == CLAUSE_QUOTIENT;
}

static int is_leaf(enum clause_op op)
{
    return op <= CLAUSE_PARAM;
}

/* What the C of an operation gives, see clause.h */
#define CASE(op, result, expression) \
    case CLAUSE_##op:                \
        result = (expression);       \
        break;
#define INTEGER(op, expression)  CASE(op, integer, expression)
#define QUOTIENT(op, expression) CASE(op, quotient, expression)
#define SPAN(op, expression)     CASE(op, r.s, expression)
#define TRUTHS(op, expression)   CASE(op, r.truths, expression)

/* An operation on its operands' values, as C names them */
static kpri_quotient operate(const struct clause *c, const struct clause_node *node,
                             kpri_quotient x, kpri_quotient y, int *is_bad)
{
    const kpri_quotient u = x, v = y;
    const int64_t a = x.n, b = y.n, p = a, q = b;
    kpri_quotient quotient = x;
    int64_t integer = 0;
    int bad = 0;
    if (node->type == CLAUSE_QUOTIENT)
        switch (node->op) {
            CLAUSE_QUOTIENTS(QUOTIENT)
        default: break;
        }
    else if (is_quotient(c, node) && node->op != CLAUSE_NOT)
        switch (node->op) {
            CLAUSE_OF_QUOTIENTS(INTEGER)
        default: break;
        }
    else
        switch (node->op) {
            CLAUSE_INTEGERS(INTEGER)
            CLAUSE_TRUTHS(INTEGER)
        default: break;
        }
    *is_bad |= bad;
    return node->type == CLAUSE_QUOTIENT ? quotient : kpri_q_of(integer);
}

/* Does `and` or `or` look at its second operand? Others do. */
static int looks(enum clause_op op, int64_t a)
{
    return op == CLAUSE_AND ? a != 0 : op == CLAUSE_OR ? a == 0 : 1;
}

/* All nodes, operands first, so that each is evaluated once, however many use it */
static void evaluate_all(const struct clause *c, const int32_t *problem, const int32_t *values,
                         struct value *v)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct clause_node *x = c->nodes + i;
        if (is_leaf(x->op)) {
            const int64_t k = x->op == CLAUSE_FIELD   ? problem[x->k]
                              : x->op == CLAUSE_PARAM ? values[x->k]
                                                      : x->k;
            v[i] = (struct value){kpri_q_of(k), 0};
            continue;
        }
        const struct value a = v[x->a], b = v[x->b];
        v[i].bad = a.bad || (b.bad && looks(x->op, a.q.n));
        v[i].q = operate(c, x, a.q, b.q, &v[i].bad);
    }
}

static struct value evaluate(const struct clause *c, const int32_t *problem, const int32_t *values)
{
    struct value v[CLAUSE_MAX_NODES];
    evaluate_all(c, problem, values, v);
    return v[c->n - 1];
}

static double number_of(struct value v)
{
    return v.bad || v.q.d == 0 ? 0 : (double)v.q.n / (double)v.q.d;
}

void clause_numbers(const struct clause *c, const int32_t *problem, const int32_t *values,
                    double *out)
{
    struct value v[CLAUSE_MAX_NODES];
    evaluate_all(c, problem, values, v);
    for (size_t i = 0; i < c->n; i++)
        out[i] = number_of(v[i]);
}

double clause_number(const struct clause *c, const int32_t *problem, const int32_t *values)
{
    return number_of(evaluate(c, problem, values));
}

int clause_is_true(const struct clause *c, const int32_t *problem, const int32_t *values,
                   int *undefined)
{
    const struct value v = evaluate(c, problem, values);
    if (undefined)
        *undefined = v.bad;
    return v.q.n != 0 && !v.bad;
}

int64_t clause_value(const struct clause *c, int *undefined)
{
    const struct value v = evaluate(c, NULL, NULL);
    *undefined = v.bad;
    return v.q.n;
}

/* ---- bounds, while parameters are open ---- */

/* Of a node; of a quotient, those of its numerator and the largest denominator */
struct bound {
    kpri_span s;
    int64_t d;
    int truths;
    int is_wide; /* it may pass 2^63 */
};

static int64_t size(const struct bound *x)
{
    return kpri_x_max(kpri_x_abs(x->s.least), kpri_x_abs(x->s.most));
}

static struct bound bound_leaf(const struct clause_node *x, const struct spec *spec,
                               const int32_t *problem, const int32_t *values, size_t n)
{
    struct bound r = {kpri_s_of(x->k), 1, 0, 0};
    if (x->op == CLAUSE_FIELD)
        r.s = problem ? kpri_s_of(problem[x->k])
                      : kpri_s_from(spec->fields[x->k].least, spec->fields[x->k].most);
    if (x->op == CLAUSE_PARAM) {
        const struct spec_param *p = spec->params + x->k;
        r.s = kpri_s_param(values, n, (size_t)x->k, p->values[0], p->values[p->n_values - 1]);
    }
    r.truths = kpri_t_of(r.s);
    return r;
}

static int is_comparison(enum clause_op op)
{
    return op == CLAUSE_NOT || (op >= CLAUSE_EQ && op <= CLAUSE_ANY);
}

/* Numerators are bounded by their size alone, and comparisons of quotients may be false and true.
   a / b and c / d are the operands; their products are what the arithmetic of quotients computes.
 */
static struct bound bound_quotient(const struct clause_node *node, const struct bound *x,
                                   const struct bound *y)
{
    const enum clause_op op = node->op;
    const int64_t a = size(x), b = x->d, c = size(y), d = y->d;
    const int64_t ad = kpri_x_mul(a, d), cb = kpri_x_mul(c, b);
    const int is_alone = op == CLAUSE_NEG || op == CLAUSE_ABS || op == CLAUSE_NOT;
    const int crosses = !is_alone && op != CLAUSE_MUL;
    int64_t n = kpri_x_max(a, c), by = kpri_x_max(b, d);
    if (op == CLAUSE_ADD || op == CLAUSE_SUB || op == CLAUSE_MUL || op == CLAUSE_MOD)
        by = kpri_x_mul(b, d);
    if (op == CLAUSE_ADD || op == CLAUSE_SUB)
        n = kpri_x_add(ad, cb);
    else if (op == CLAUSE_MUL)
        n = kpri_x_mul(a, c);
    else if (op == CLAUSE_MOD) /* a/b - (c/d times a whole number): no more than ad + c above d */
        n = kpri_x_add(ad, kpri_x_mul(kpri_x_add(ad, c), b));
    else if (op == CLAUSE_DIV || op == CLAUSE_FLOOR_DIV || op == CLAUSE_CEIL_DIV)
        n = ad, by = cb;
    const int64_t most = kpri_x_max(n, by);
    const int is_wide = most == INT64_MAX || (crosses && kpri_x_max(ad, cb) == INT64_MAX);
    return (struct bound){is_comparison(op) ? kpri_s_from(0, 1) : kpri_s_from(-n, n),
                          node->type == CLAUSE_QUOTIENT ? by : 1, 3, is_wide};
}

static struct bound bound_integer(enum clause_op op, const struct bound *x, const struct bound *y)
{
    const kpri_span s = x->s, t = y->s;
    const int f = x->truths, g = y->truths;
    struct bound r = {s, 1, 0, 0};
    switch (op) {
        CLAUSE_SPANS(SPAN)
    default: break;
    }
    r.truths = kpri_t_of(r.s);
    switch (op) {
        CLAUSE_BOUNDS(TRUTHS)
    default: break;
    }
    if (is_comparison(op))
        r.s = kpri_s_of_truth(r.truths);
    r.is_wide = op <= CLAUSE_MUL && (r.s.least == INT64_MIN || r.s.most == INT64_MAX);
    return r;
}

/* All nodes, as evaluate_all() does; returns the last one's, which is the whole's. */
static struct bound bound_all(const struct clause *c, const struct spec *spec,
                              const int32_t *problem, const int32_t *values, size_t n,
                              struct bound *v)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct clause_node *x = c->nodes + i;
        v[i] = is_leaf(x->op)      ? bound_leaf(x, spec, problem, values, n)
               : is_quotient(c, x) ? bound_quotient(x, v + x->a, v + x->b)
                                   : bound_integer(x->op, v + x->a, v + x->b);
    }
    return v[c->n - 1];
}

const struct clause_node *clause_too_large(const struct clause *c, const struct spec *spec)
{
    struct bound v[CLAUSE_MAX_NODES];
    bound_all(c, spec, NULL, NULL, 0, v);
    for (size_t i = 0; i < c->n; i++)
        if (v[i].is_wide)
            return c->nodes + i;
    return NULL;
}

void clause_range(const struct clause *c, const struct spec *spec, size_t node, int64_t *least,
                  int64_t *most)
{
    struct bound v[CLAUSE_MAX_NODES];
    bound_all(c, spec, NULL, NULL, 0, v);
    *least = v[node].s.least;
    *most = v[node].s.most;
}

/* Is it a number beyond 0 and 1 that nothing is compared with? */
static int clause_is_number(const struct clause *c, const struct spec *spec)
{
    struct bound v[CLAUSE_MAX_NODES];
    const struct bound whole = bound_all(c, spec, NULL, NULL, 0, v);
    return c->nodes[c->n - 1].type == CLAUSE_INTEGER && (whole.s.least < 0 || whole.s.most > 1);
}

/* What the clause may be for the problem (NULL: for any) and the tuples that begin with n values,
   as far as bounds tell: bit 0 false, bit 1 true */
static int clause_truths(const struct clause *c, const struct spec *spec, const int32_t *problem,
                         const int32_t *values, size_t n)
{
    struct bound v[CLAUSE_MAX_NODES];
    return bound_all(c, spec, problem, values, n, v).truths;
}

int clause_may_be_true(const struct clause *c, const struct spec *spec, const int32_t *problem,
                       const int32_t *values, size_t n)
{
    return (clause_truths(c, spec, problem, values, n) & 2) != 0;
}

int clause_has_fields(const struct clause *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->nodes[i].op == CLAUSE_FIELD)
            return 1;
    return 0;
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

/* ---- with kernels ---- */

/* A condition of the runtime is told the problem and the values, and finds the clauses here. */
struct asked {
    const struct clauses *c;
    int32_t problem[KPRED_MAX_FIELDS];
};

static int is_legal(const int32_t *problem, const int32_t *values)
{
    const struct asked *of =
        (const void *)((const char *)problem - offsetof(struct asked, problem));
    size_t i = 0;
    while (i < of->c->n && clause_is_true(of->c->v + i, problem, values, NULL))
        i++;
    return i == of->c->n;
}

static int kernels_allow(const struct clauses *c, const struct spec *spec, const int32_t *problem,
                         const int32_t *values, size_t n)
{
    const struct spec_param *p = spec->params;
    const kpred_param first = {p->name, p->values, NULL, (int32_t)p->n_values};
    struct asked asked = {.c = c};
    memcpy(asked.problem, problem, spec->n_fields * sizeof *problem);
    return runtime_named(&c->kernels->names, &first, is_legal, asked.problem, values, n);
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

enum { MOST_WORK = 1 << 20 }; /* nodes that are evaluated for a clause */

/* ---- slips: over all tuples and all problems ---- */

/* As clause_truths, for a whole tuple and any problem; what has no value is false. */
static int truths_for(const struct clause *c, const struct spec *spec, const int32_t *values)
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
        truths |= truths_for(c, spec, values);
        work += c->n;
    } while (truths != 3 && work < MOST_WORK && next_tuple(c, spec, at, values));
    return work < MOST_WORK ? truths : 3;
}

/* ---- slips: what is said ---- */

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
                        ? "is a number that is never 0, and not a comparison: it rejects nothing"
                        : "is a number, and not a comparison: it rejects tuples for which it is 0");
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
