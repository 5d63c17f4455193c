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
    size_t left;                          /* bytes of expressions that may still come */
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

/* ---- expressions ---- */

/* In which form a node is written. A term is a quotient that is divided, or divides. */
enum form { TRUTH, INTEGER, QUOTIENT, TERM, SPAN, BOUND };

/* Of these forms: the letters of an operation's first and second operand (clause.h), and of the
   node itself where one form is made of another */
static const char firsts[] = "paxusf", seconds[] = "qbyvtg", selves[] = "PAXUSF";

#define TEXT(op, expression) [CLAUSE_##op] = #expression,

/* An operation in a form; NULL: it is made of another form. */
static const char *const operations[][CLAUSE_OPS] = {
    [TRUTH] = {CLAUSE_TRUTHS(TEXT)[CLAUSE_AND] = "p && q", [CLAUSE_OR] = "p || q"},
    [INTEGER] = {CLAUSE_INTEGERS(TEXT)},
    [QUOTIENT] = {CLAUSE_QUOTIENTS(TEXT)},
    [TERM] = {NULL},
    [SPAN] = {CLAUSE_SPANS(TEXT)[CLAUSE_CONST] = "kpri_s_of(A)", [CLAUSE_FIELD] = "kpri_s_of(A)"},
    [BOUND] = {CLAUSE_BOUNDS(TEXT)}};
static const char *const of_quotients[CLAUSE_OPS] = {CLAUSE_OF_QUOTIENTS(TEXT)};

/* A form that is made of another one, of an integer and of a quotient */
static const char *const made[][2] = {[TRUTH] = {"(A != 0)", "(kpri_x_high(X) != 0)"},
                                      [INTEGER] = {"P", NULL},
                                      [QUOTIENT] = {"kpri_q_of(A)", NULL},
                                      [TERM] = {"kpri_q_term(A, &bad)", "X"},
                                      [SPAN] = {"kpri_s_of_truth(F)", NULL},
                                      [BOUND] = {"kpri_t_of(S)", NULL}};

static const char *node_text(const struct writer *w, enum form form, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    const char *own = operations[form][x->op];
    if (form == INTEGER && x->op == CLAUSE_NOT && !w->is_plain)
        return "(P)"; /* as compilers warn of !a == b */
    if (!own || (form == QUOTIENT && !is_quotient(w, i)))
        return made[form][is_quotient(w, i)];
    if (form <= INTEGER && of_quotients[x->op] && (is_quotient(w, x->a) || is_quotient(w, x->b)))
        return of_quotients[x->op];
    return own;
}

static void put(struct writer *w, enum form form, size_t i);
static void put_text(struct writer *w, const char *text, size_t i);

/* A row of the same operator needs no parentheses. */
static void put_first(struct writer *w, enum form form, const struct clause_node *x)
{
    if (form == TRUTH && node_of(w, x->a)->op == x->op)
        put_text(w, operations[TRUTH][x->op], x->a);
    else
        put(w, form, x->a);
}

/* What a letter stands for in the C of node i; 0: it stands for itself. */
static int put_letter(struct writer *w, char c, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    const char *first = strchr(firsts, c), *second = strchr(seconds, c), *self = strchr(selves, c);
    if (first)
        put_first(w, (enum form)(first - firsts), x);
    else if (second)
        put(w, (enum form)(second - seconds), x->b);
    else if (self)
        put(w, (enum form)(self - selves), i);
    return first || second || self;
}

static void put_text(struct writer *w, const char *text, size_t i)
{
    while (*text && w->left > 0) {
        const size_t word =
            strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        const size_t n = word ? word : 1;
        if (word != 1 || !put_letter(w, *text, i)) {
            buf_add(&w->out, text, n);
            w->left -= n < w->left ? n : w->left;
        }
        text += n;
    }
}

static void put_leaf(struct writer *w, const struct clause_node *x)
{
    if (x->op == CLAUSE_CONST)
        put_constant(w, x->k);
    else
        buf_printf(&w->out, x->op == CLAUSE_FIELD ? "p[%" PRId64 "]" : "v[%" PRId64 "]", x->k);
}

static void put_param_span(struct writer *w, int64_t t)
{
    const struct spec_param *p = w->spec->params + t;
    buf_printf(&w->out, "kpri_s_param(v, n, %" PRId64 ", %" PRId32 ", %" PRId32 ")", t,
               p->values[0], p->values[p->n_values - 1]);
}

/* What is looked for in a list is set before the list, whose comparisons have no order. */
static void put_sought(struct writer *w, const struct clause_node *x)
{
    while (x->op == CLAUSE_ANY)
        x = node_of(w, x->a);
    if (is_shared(w, x->a) && !w->is_set[x->a])
        put_text(w, is_quotient(w, x->a) ? "(void)X, " : "(void)A, ", x->a);
}

static void put_node(struct writer *w, enum form form, size_t i)
{
    const struct clause_node *x = node_of(w, i);
    if (form == INTEGER && x->op <= CLAUSE_PARAM) {
        put_leaf(w, x);
    } else if (form == SPAN && x->op == CLAUSE_PARAM) {
        put_param_span(w, x->k);
    } else if (form == TRUTH && x->op >= CLAUSE_ANY) {
        buf_puts(&w->out, "(");
        if (x->op == CLAUSE_ANY)
            put_sought(w, x);
        put_text(w, operations[TRUTH][x->op], i);
        buf_puts(&w->out, ")");
    } else {
        put_text(w, node_text(w, form, i), i);
    }
}

/* A node where it is used: what it is or, if it is shared, its variable, which is set there if it
   is not yet */
static void put(struct writer *w, enum form form, size_t i)
{
    const int has_variable =
        form == INTEGER || form == SPAN || (form == QUOTIENT && is_quotient(w, i));
    const int is_set = w->is_set[i];
    if (!has_variable || !is_shared(w, i)) {
        put_node(w, form, i);
        return;
    }
    w->is_set[i] = 1;
    buf_printf(&w->out, is_set ? "x%zu" : "(x%zu = ", i);
    if (!is_set) {
        put_node(w, form, i);
        buf_puts(&w->out, ")");
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
    if (!clause_has_fields(c))
        fputs("    (void)p;\n", f);
    if (!c->params)
        fputs("    (void)v;\n", f);
}

static void write_variables(const struct writer *w, FILE *f)
{
    for (size_t i = 0; i < w->c->n; i++)
        if (is_shared(w, i))
            fprintf(f,
                    is_quotient(w, i) ? "    kpri_quotient x%zu = kpri_q_of(0);\n"
                                      : "    int64_t x%zu = 0;\n",
                    i);
}

static void write_decided(struct writer *w, FILE *f, size_t i)
{
    count_uses(w, 1);
    w->out.n = 0;
    buf_puts(&w->out, "const int is_true = ");
    put(w, TRUTH, w->c->n - 1);
    buf_puts(&w->out, ";");
    const int bad = strstr(w->out.s, "&bad") != NULL;
    write_comment(f, w->c);
    fprintf(f, "static int kpri_%s_clause_%zu(const int32_t *p, const int32_t *v)\n{\n%s",
            w->spec->name, i, bad ? "    int bad = 0;\n" : "");
    write_variables(w, f);
    write_wrapped(f, w->out.s);
    write_unused(f, w->c);
    fputs(bad ? "    return is_true && !bad;\n}\n" : "    return is_true;\n}\n", f);
}

static void write_span(struct writer *w, FILE *f, size_t i)
{
    w->out.n = 0;
    buf_printf(&w->out, "const kpri_span x%zu = ", i);
    put_node(w, SPAN, i);
    buf_puts(&w->out, ";");
    write_wrapped(f, w->out.s);
    w->is_set[i] = 1;
}

static void write_bounded(struct writer *w, FILE *f, size_t i)
{
    fprintf(f, "static int kpri_%s_bound_%zu(const int32_t *p, const int32_t *v, size_t n)\n{\n",
            w->spec->name, i);
    count_uses(w, 0);
    for (size_t k = 0; k < w->c->n; k++)
        if (is_shared(w, k))
            write_span(w, f, k);
    write_unused(f, w->c);
    w->out.n = 0;
    buf_puts(&w->out, "return (");
    put(w, BOUND, w->c->n - 1);
    buf_puts(&w->out, " & 2) != 0;");
    write_wrapped(f, w->out.s);
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

void clauses_write(const struct clauses *c, const struct spec *spec, FILE *f)
{
    struct writer w = {
        .spec = spec, .is_plain = c->plain > 0, .left = c->plain ? c->plain : SIZE_MAX};
    for (size_t i = 0; i < c->n; i++) {
        w.c = c->v + i;
        write_decided(&w, f, i);
        if (!c->kernels && w.c->params && !w.c->quotients)
            write_bounded(&w, f, i);
    }
    buf_free(&w.out);
    if (c->kernels)
        write_named(c, spec, f);
    else
        write_cases(c, spec, f);
}
