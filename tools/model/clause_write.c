/* clause_write.c - the clauses of [restrict] as C, see clause.h
   SPDX-License-Identifier: MIT

   Each clause becomes a function that decides it, and one that bounds it where parameters are open.
   A node is one C expression: nothing that it calls has a side effect, except that a division which
   has no result sets `bad`. What is used more than once, as the middle of a chained comparison, has
   a variable. It is set where it is used first, since `and` and `or` may not come there; bounds
   have no order, and set all variables before. */
#include "clause.h"

#include "kpred_constraints.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH = 98 };

struct writer {
    const struct spec *spec;
    const struct clause *c;
    int is_plain;                         /* without variables */
    struct buf out;                       /* an expression */
    unsigned char uses[CLAUSE_MAX_NODES]; /* of a node: 0, 1, or 2 for more */
    unsigned char is_set[CLAUSE_MAX_NODES];
};

static const struct clause_node *node_of(const struct writer *w, size_t i)
{
    return w->c->nodes + i;
}

static int is_quotient(const struct writer *w, size_t i)
{
    return node_of(w, i)->type == CLAUSE_QUOTIENT;
}

static void clause_write_put(struct writer *w, const char *text)
{
    buf_puts(&w->out, text);
}

/* One beyond 32 bits stands in a call: what is compared with it has 32 bits, and compilers warn. */
static void put_constant(struct writer *w, int64_t k)
{
    if (k > INT32_MAX || k < INT32_MIN)
        buf_printf(&w->out, "kpri_x_signed(UINT64_C(%" PRIu64 "), %d)", kpri_x_size(k), k < 0);
    else
        buf_printf(&w->out, k < 0 ? "(%" PRId64 ")" : "%" PRId64, k);
}

/* ---- what is used more than once ---- */

static int is_shared(const struct writer *w, size_t i)
{
    return !w->is_plain && w->uses[i] > 1 && node_of(w, i)->op > CLAUSE_PARAM;
}

static void use(struct writer *w, size_t i)
{
    w->uses[i] = (unsigned char)(w->uses[i] ? 2 : 1);
}

static int is_logical(enum clause_op op)
{
    return op == CLAUSE_AND || op == CLAUSE_OR;
}

/* An `or` whose value is asked for, not its truth, is written with its first operand twice. */
static void count_uses(struct writer *w, int is_decided)
{
    unsigned char is_value[CLAUSE_MAX_NODES] = {0};
    memset(w->uses, 0, w->c->n);
    memset(w->is_set, 0, w->c->n);
    for (size_t i = w->c->n; i-- > 0;) {
        const struct clause_node *x = node_of(w, i);
        if (x->op <= CLAUSE_PARAM)
            continue;
        use(w, x->a);
        if (x->op == CLAUSE_OR && is_value[i] && is_decided)
            use(w, x->a);
        if (x->b != x->a)
            use(w, x->b);
        const int value =
            is_logical(x->op) ? is_value[i] : x->op != CLAUSE_NOT && x->op != CLAUSE_ANY;
        is_value[x->a] |= (unsigned char)value;
        is_value[x->b] |= (unsigned char)value;
    }
}

typedef void (*put_node)(struct writer *w, size_t i);

/* A node where it is used: what it is or, if it is shared, its variable, which is set there if it
   is not yet */
static void put_used(struct writer *w, size_t i, put_node node)
{
    const int is_set = w->is_set[i];
    if (!is_shared(w, i)) {
        node(w, i);
        return;
    }
    w->is_set[i] = 1;
    buf_printf(&w->out, is_set ? "x%zu" : "(x%zu = ", i);
    if (!is_set) {
        node(w, i);
        clause_write_put(w, ")");
    }
}

/* What operators are called in the helpers' names: kpri_x_add, kpri_q_add, kpri_s_add */
static const char *const names[] = {
    [CLAUSE_ABS] = "abs",    [CLAUSE_ADD] = "add",           [CLAUSE_SUB] = "sub",
    [CLAUSE_MUL] = "mul",    [CLAUSE_DIV] = "div",           [CLAUSE_FLOOR_DIV] = "floor_div",
    [CLAUSE_MOD] = "mod",    [CLAUSE_CEIL_DIV] = "ceil_div", [CLAUSE_MIN] = "min",
    [CLAUSE_MAX_OF] = "max",
};

/* FAMILY_NAME(a, b) or, of one operand, FAMILY_NAME(a); with `bad` where it may be set */
static void put_call(struct writer *w, const char *family, size_t i, put_node operand, int sets_bad)
{
    const struct clause_node *x = node_of(w, i);
    buf_printf(&w->out, "%s_%s(", family, names[x->op]);
    operand(w, x->a);
    if (x->op != CLAUSE_ABS) {
        clause_write_put(w, ", ");
        operand(w, x->b);
    }
    clause_write_put(w, sets_bad ? ", &bad)" : ")");
}

/* ---- decided ---- */

static void put_truth(struct writer *w, size_t i);
static void put_integer(struct writer *w, size_t i);

static void put_quotient(struct writer *w, size_t i);

/* An operand of a division */
static void put_term(struct writer *w, size_t i)
{
    if (is_quotient(w, i)) {
        put_quotient(w, i);
        return;
    }
    clause_write_put(w, "kpri_q_term(");
    put_integer(w, i);
    clause_write_put(w, ", &bad)");
}

static void put_quotient_node(struct writer *w, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    const int divides = x->op == CLAUSE_DIV || x->op == CLAUSE_MOD;
    if (x->op == CLAUSE_NEG) {
        clause_write_put(w, "kpri_q_sub(kpri_q_of(0), ");
        put_quotient(w, x->a);
        clause_write_put(w, ", &bad)");
    } else {
        put_call(w, "kpri_q", i, divides ? put_term : put_quotient,
                 x->op != CLAUSE_MIN && x->op != CLAUSE_MAX_OF);
    }
}

static void put_quotient(struct writer *w, size_t i)
{
    if (is_quotient(w, i)) {
        put_used(w, i, put_quotient_node);
        return;
    }
    clause_write_put(w, "kpri_q_of(");
    put_integer(w, i);
    clause_write_put(w, ")");
}

static void put_two(struct writer *w, const char *before, size_t a, const char *between, size_t b,
                    const char *after, put_node operand)
{
    clause_write_put(w, before);
    operand(w, a);
    clause_write_put(w, between);
    operand(w, b);
    clause_write_put(w, after);
}

static void put_comparison(struct writer *w, const struct clause_node *x)
{
    static const char *const signs[] = {
        [CLAUSE_EQ] = " == ", [CLAUSE_NE] = " != ", [CLAUSE_LT] = " < ", [CLAUSE_LE] = " <= "};
    if (!is_quotient(w, x->a) && !is_quotient(w, x->b))
        put_two(w, "(", x->a, signs[x->op], x->b, ")", put_integer);
    else if (x->op == CLAUSE_LT)
        put_two(w, "kpri_q_less(", x->a, ", ", x->b, ")", put_quotient);
    else if (x->op == CLAUSE_LE)
        put_two(w, "!kpri_q_less(", x->b, ", ", x->a, ")", put_quotient);
    else
        put_two(w, x->op == CLAUSE_NE ? "!kpri_q_equal(" : "kpri_q_equal(", x->a, ", ", x->b, ")",
                put_quotient);
}

/* What is looked for in a list is set before the list, whose comparisons have no order. */
static void put_sought(struct writer *w, const struct clause_node *x)
{
    while (x->op == CLAUSE_ANY)
        x = node_of(w, x->a);
    if (!is_shared(w, x->a) || w->is_set[x->a])
        return;
    clause_write_put(w, "(void)");
    (is_quotient(w, x->a) ? put_quotient : put_integer)(w, x->a);
    clause_write_put(w, ", ");
}

/* A row of the same operator needs no parentheses. */
static void put_row(struct writer *w, enum clause_op op, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    if (x->op != op) {
        put_truth(w, i);
        return;
    }
    put_row(w, op, x->a);
    clause_write_put(w, op == CLAUSE_AND ? " && " : op == CLAUSE_OR ? " || " : " | ");
    put_truth(w, x->b);
}

static void put_truth(struct writer *w, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    switch (x->op) {
    case CLAUSE_NOT:
        clause_write_put(w, "!");
        put_truth(w, x->a);
        break;
    case CLAUSE_ANY:
    case CLAUSE_AND:
    case CLAUSE_OR:
        clause_write_put(w, "(");
        if (x->op == CLAUSE_ANY)
            put_sought(w, x);
        put_row(w, x->op, i);
        clause_write_put(w, ")");
        break;
    case CLAUSE_EQ:
    case CLAUSE_NE:
    case CLAUSE_LT:
    case CLAUSE_LE: put_comparison(w, x); break;
    default:
        clause_write_put(w, is_quotient(w, i) ? "(kpri_x_high(" : "(");
        (is_quotient(w, i) ? put_quotient : put_integer)(w, i);
        clause_write_put(w, is_quotient(w, i) ? ") != 0)" : " != 0)");
    }
}

/* A division of quotients that rounds; up is minus down of minus. */
static void put_rounded(struct writer *w, const struct clause_node *x)
{
    if (x->op == CLAUSE_FLOOR_DIV) {
        put_two(w, "kpri_q_floor_div(", x->a, ", ", x->b, ", &bad)", put_term);
        return;
    }
    put_two(w, "kpri_x_sub(0, kpri_q_floor_div(kpri_q_sub(kpri_q_of(0), ", x->a, ", &bad), ", x->b,
            ", &bad))", put_quotient);
}

static int may_be_bad(enum clause_op op)
{
    return op == CLAUSE_FLOOR_DIV || op == CLAUSE_MOD || op == CLAUSE_CEIL_DIV;
}

static void put_operation(struct writer *w, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    switch (x->op) {
    case CLAUSE_NEG:
        clause_write_put(w, "kpri_x_sub(0, ");
        put_integer(w, x->a);
        clause_write_put(w, ")");
        break;
    case CLAUSE_AND: put_two(w, "(", x->a, " ? ", x->b, " : 0)", put_integer); break;
    case CLAUSE_OR:
        put_two(w, "(", x->a, " ? ", x->a, " : ", put_integer);
        put_integer(w, x->b);
        clause_write_put(w, ")");
        break;
    case CLAUSE_FLOOR_DIV:
    case CLAUSE_CEIL_DIV:
        if (is_quotient(w, x->a) || is_quotient(w, x->b)) {
            put_rounded(w, x);
            break;
        } /* fall through */
    default: put_call(w, "kpri_x", i, put_integer, may_be_bad(x->op));
    }
}

static void put_integer_node(struct writer *w, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    switch (x->op) {
    case CLAUSE_CONST: put_constant(w, x->k); break;
    case CLAUSE_FIELD: buf_printf(&w->out, "p[%" PRId64 "]", x->k); break;
    case CLAUSE_PARAM: buf_printf(&w->out, "v[%" PRId64 "]", x->k); break;
    case CLAUSE_NOT: /* in parentheses, as compilers warn of !a == b */
        clause_write_put(w, w->is_plain ? "" : "(");
        put_truth(w, i);
        clause_write_put(w, w->is_plain ? "" : ")");
        break;
    case CLAUSE_ANY:
    case CLAUSE_EQ:
    case CLAUSE_NE:
    case CLAUSE_LT:
    case CLAUSE_LE: put_truth(w, i); break;
    default: put_operation(w, i);
    }
}

static void put_integer(struct writer *w, size_t i)
{
    put_used(w, i, put_integer_node);
}

/* ---- bounded; clauses with quotients are not ---- */

static void put_bounded(struct writer *w, size_t i);

static void put_param_span(struct writer *w, int64_t t)
{
    const struct spec_param *p = w->spec->params + t;
    buf_printf(&w->out, "kpri_s_param(v, n, %" PRId64 ", %" PRId32 ", %" PRId32 ")", t,
               p->values[0], p->values[p->n_values - 1]);
}

static void put_span(struct writer *w, size_t i);

static void put_span_node(struct writer *w, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    switch (x->op) {
    case CLAUSE_CONST:
        clause_write_put(w, "kpri_s_of(");
        put_constant(w, x->k);
        clause_write_put(w, ")");
        break;
    case CLAUSE_FIELD: buf_printf(&w->out, "kpri_s_of(p[%" PRId64 "])", x->k); break;
    case CLAUSE_PARAM: put_param_span(w, x->k); break;
    case CLAUSE_NOT:
    case CLAUSE_ANY:
    case CLAUSE_EQ:
    case CLAUSE_NE:
    case CLAUSE_LT:
    case CLAUSE_LE:
        clause_write_put(w, "kpri_s_of_truth(");
        put_bounded(w, i);
        clause_write_put(w, ")");
        break;
    case CLAUSE_NEG:
        clause_write_put(w, "kpri_s_sub(kpri_s_of(0), ");
        put_span(w, x->a);
        clause_write_put(w, ")");
        break;
    case CLAUSE_AND:
    case CLAUSE_OR: put_two(w, "kpri_s_hull(", x->a, ", ", x->b, ")", put_span); break;
    default: put_call(w, "kpri_s", i, put_span, 0);
    }
}

static void put_span(struct writer *w, size_t i)
{
    put_used(w, i, put_span_node);
}

static void put_bounded(struct writer *w, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    switch (x->op) {
    case CLAUSE_NOT:
        clause_write_put(w, "kpri_t_not(");
        put_bounded(w, x->a);
        clause_write_put(w, ")");
        break;
    case CLAUSE_AND: put_two(w, "kpri_t_and(", x->a, ", ", x->b, ")", put_bounded); break;
    case CLAUSE_ANY: put_two(w, "kpri_t_any(", x->a, ", ", x->b, ")", put_bounded); break;
    case CLAUSE_OR: put_two(w, "kpri_t_or(", x->a, ", ", x->b, ")", put_bounded); break;
    case CLAUSE_EQ: put_two(w, "kpri_t_equal(", x->a, ", ", x->b, ")", put_span); break;
    case CLAUSE_NE: put_two(w, "kpri_t_not(kpri_t_equal(", x->a, ", ", x->b, "))", put_span); break;
    case CLAUSE_LT: put_two(w, "kpri_t_less(", x->a, ", ", x->b, ")", put_span); break;
    case CLAUSE_LE: put_two(w, "kpri_t_not(kpri_t_less(", x->b, ", ", x->a, "))", put_span); break;
    default:
        clause_write_put(w, "kpri_t_of(");
        put_span(w, i);
        clause_write_put(w, ")");
    }
}

/* ---- functions ---- */

/* A statement, broken at blanks */
static void write_wrapped(FILE *f, const char *text)
{
    size_t column = 4;
    fputs("   ", f);
    for (const char *word = text; *word;) {
        const size_t n = strcspn(word, " ");
        if (column + 1 + n > WIDTH) {
            fputs("\n       ", f);
            column = 7;
        }
        fprintf(f, " %.*s", (int)n, word);
        column += 1 + n;
        word += n + (word[n] == ' ');
    }
    fputc('\n', f);
}

static int uses(const struct clause *c, enum clause_op op)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->nodes[i].op == op)
            return 1;
    return 0;
}

static int divides(const struct clause *c)
{
    return c->quotients || uses(c, CLAUSE_FLOOR_DIV) || uses(c, CLAUSE_MOD)
           || uses(c, CLAUSE_CEIL_DIV);
}

/* The text stands in a comment. */
static void write_comment(FILE *f, const struct clause *c)
{
    fputs("/* ", f);
    for (const char *s = c->text; *s; s++)
        fputc(s[0] == '/' && s > c->text && s[-1] == '*' ? '?' : *s, f);
    fputs(" */\n", f);
}

static void write_unused(FILE *f, const struct clause *c)
{
    if (!uses(c, CLAUSE_FIELD))
        fputs("    (void)p;\n", f);
    if (!uses(c, CLAUSE_PARAM))
        fputs("    (void)v;\n", f);
}

static void write_expression(struct writer *w, FILE *f, const char *before, size_t i, put_node node,
                             const char *after)
{
    w->out.n = 0;
    clause_write_put(w, before);
    node(w, i);
    clause_write_put(w, after);
    write_wrapped(f, w->out.s);
}

static void write_variables(struct writer *w, FILE *f)
{
    count_uses(w, 1);
    for (size_t i = 0; i < w->c->n; i++)
        if (is_shared(w, i))
            fprintf(f,
                    is_quotient(w, i) ? "    kpri_quotient x%zu = kpri_q_of(0);\n"
                                      : "    int64_t x%zu = 0;\n",
                    i);
}

static void write_spans(struct writer *w, FILE *f)
{
    char before[48];
    count_uses(w, 0);
    for (size_t i = 0; i < w->c->n; i++)
        if (is_shared(w, i)) {
            snprintf(before, sizeof before, "const kpri_span x%zu = ", i);
            write_expression(w, f, before, i, put_span_node, ";");
            w->is_set[i] = 1;
        }
}

static void write_decided(struct writer *w, FILE *f, size_t i)
{
    const int bad = divides(w->c);
    write_comment(f, w->c);
    fprintf(f, "static int kpri_%s_clause_%zu(const int32_t *p, const int32_t *v)\n{\n",
            w->spec->name, i);
    if (bad)
        fputs("    int bad = 0;\n", f);
    write_variables(w, f);
    write_expression(w, f, "const int is_true = ", w->c->n - 1, put_truth, ";");
    write_unused(f, w->c);
    fputs(bad ? "    return is_true && !bad;\n}\n" : "    return is_true;\n}\n", f);
}

static int is_bounded(const struct clause *c, size_t n_params)
{
    int bounded = 0;
    for (size_t n = 0; n < n_params; n++)
        bounded |= clause_part(c, n) == CLAUSE_BOUNDED;
    return bounded;
}

static void write_bounded(struct writer *w, FILE *f, size_t i)
{
    fprintf(f, "static int kpri_%s_bound_%zu(const int32_t *p, const int32_t *v, size_t n)\n{\n",
            w->spec->name, i);
    write_spans(w, f);
    write_unused(f, w->c);
    write_expression(w, f, "return (", w->c->n - 1, put_bounded, " & 2) != 0;");
    fputs("}\n", f);
}

static void write_case(const struct clauses *c, const struct spec *spec, FILE *f, size_t n)
{
    const char *before = "";
    fprintf(f, "    case %zu:\n        return ", n);
    for (size_t i = 0; i < c->n; i++) {
        const enum clause_part part = clause_part(c->v + i, n);
        if (part == CLAUSE_SILENT)
            continue;
        fprintf(f, "%skpri_%s_%s_%zu(problem, values%s)", before, spec->name,
                part == CLAUSE_DECIDED ? "clause" : "bound", i,
                part == CLAUSE_DECIDED ? "" : ", n");
        before = "\n            && ";
    }
    fputs(*before ? ";\n" : "1;\n", f);
}

/* All clauses of a whole tuple, and the rule, which asks them for kernels */
static void write_named(const struct clauses *c, const struct spec *spec, FILE *f)
{
    if (c->n) {
        fprintf(f,
                "static int kpri_%s_condition(const int32_t *problem, const int32_t *values)\n{\n"
                "    return ",
                spec->name);
        for (size_t i = 0; i < c->n; i++)
            fprintf(f, "%skpri_%s_clause_%zu(problem, values)", i ? "\n           && " : "",
                    spec->name, i);
        fputs(";\n}\n", f);
    }
    fprintf(f,
            "static int kpri_%s_rule(const int32_t *problem, const int32_t *values, size_t n)\n{\n"
            "    return kpri_named(&kpri_%s_kernels, kpri_%s_params,\n                      ",
            spec->name, spec->name, spec->name);
    if (c->n)
        fprintf(f, "kpri_%s_condition", spec->name);
    else
        fputs("NULL", f);
    fputs(", problem, values, n);\n}\n", f);
}

static void write_cases(const struct clauses *c, const struct spec *spec, FILE *f)
{
    fprintf(f,
            "static int kpri_%s_rule(const int32_t *problem, const int32_t *values, size_t n)\n{\n"
            "    switch (n) {\n",
            spec->name);
    for (size_t n = 0; n <= spec->n_params; n++)
        write_case(c, spec, f, n);
    fputs("    default: return 0;\n    }\n}\n", f);
}

size_t clauses_plain_size(const struct clauses *c)
{
    const size_t most = (size_t)1 << 24;
    size_t all = 0, size[CLAUSE_MAX_NODES];
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->v[i].n; k++) {
            const struct clause_node *x = c->v[i].nodes + k;
            const size_t a = x->op <= CLAUSE_PARAM ? 0 : size[x->a];
            const size_t b = x->op <= CLAUSE_PARAM || x->b == x->a ? 0 : size[x->b];
            size[k] = 1 + (x->op == CLAUSE_OR ? 2 * a : a) + b;
            size[k] = size[k] < most ? size[k] : most;
            all += k + 1 == c->v[i].n ? size[k] : 0;
        }
    return all;
}

void clauses_write(const struct clauses *c, const struct spec *spec, FILE *f)
{
    struct writer w = {.spec = spec, .is_plain = c->is_plain};
    for (size_t i = 0; i < c->n; i++) {
        w.c = c->v + i;
        write_decided(&w, f, i);
        if (!c->kernels && is_bounded(w.c, spec->n_params))
            write_bounded(&w, f, i);
    }
    buf_free(&w.out);
    if (c->kernels)
        write_named(c, spec, f);
    else
        write_cases(c, spec, f);
}
