/* judge_file.c - trees of LightGBM or XGBoost as judges: what their features are, see judges.h
   SPDX-License-Identifier: MIT */
#include "judges.h"

#include "base/names.h"
#include "model/clause.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

enum op {
    OP_CONST,
    OP_NUMBER, /* of a register */
    OP_NAME,   /* a register of names, only while it is read */
    OP_TEXT,   /* a text in quotes, likewise */
    OP_IS,     /* has a register of names that one? */
    OP_NEG,
    OP_NOT,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FLOOR_DIV,
    OP_MOD,
    OP_POW,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_AND,
    OP_OR,
    OP_IF,   /* a if b else c */
    OP_CALL, /* function k of a and b */
};

struct node {
    enum op op;
    uint16_t a, b, c, k; /* nodes before this one; a register, or a function */
    double x;            /* a number, or a name's */
    const char *at;
};

enum { MOST_NODES = 4096, MOST_DEPTH = 64, MOST_REGISTERS = 512 };

/* A number by its name: fields, parameters, then lines */
struct number {
    char *name;
    size_t n_names; /* of a field or parameter of names: */
    const char *const *names;
    double *x; /* what each is as a number; NULL: they are none */
};

/* Where the file's feature comes from */
struct feature {
    size_t number;
    const struct interned *labels; /* of its categories; NULL: none */
    double *of_name;               /* the category of each name; NULL: of the number */
};

struct judge_file {
    const struct model *model;
    struct file_trees trees;
    size_t n, n_given, n_nodes, n_features; /* numbers, of which the first are given */
    struct number number[MOST_REGISTERS];
    size_t line[MOST_REGISTERS]; /* of those behind them, what it computes: nodes up to this one */
    size_t time;                 /* the same */
    struct node *node;
    struct feature *feature;
};

/* ---- expressions: what they come to ---- */

static double round_down(double a, double b)
{
    return floor(a / b);
}

static double least(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static double most(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static double round_up(double a, double b)
{
    return -round_down(-a, b);
}

static double as_it_is(double a)
{
    return a;
}

/* The first two take more than two arguments. */
static const struct function {
    const char *name;
    double (*of_one)(double);
    double (*of_two)(double, double);
} functions[] = {
    {"min", NULL, least},       {"max", NULL, most},    {"ceil_div", NULL, round_up},
    {"abs", fabs, NULL},        {"ceil", ceil, NULL},   {"floor", floor, NULL},
    {"round", nearbyint, NULL}, {"int", trunc, NULL},   {"float", as_it_is, NULL},
    {"sqrt", sqrt, NULL},       {"log", log, NULL},     {"log2", log2, NULL},
    {"log10", log10, NULL},     {"log1p", log1p, NULL}, {"exp", exp, NULL},
};

static double call(size_t k, double a, double b)
{
    return functions[k].of_one ? functions[k].of_one(a) : functions[k].of_two(a, b);
}

static double evaluate(const struct judge_file *j, size_t at, const double *r)
{
    const struct node *n = &j->node[at];
    const double a = n->op > OP_IS && n->op != OP_IF ? evaluate(j, n->a, r) : 0;
    const int is_pair = (n->op >= OP_ADD && n->op < OP_AND) || (n->op == OP_CALL && n->b != n->a);
    const double b = is_pair ? evaluate(j, n->b, r) : 0;
    switch (n->op) {
    case OP_CONST: return n->x;
    case OP_NUMBER: return j->number[n->k].x ? j->number[n->k].x[(size_t)r[n->k]] : r[n->k];
    case OP_IS: return r[n->k] == n->x;
    case OP_NEG: return -a;
    case OP_NOT: return a == 0;
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_FLOOR_DIV: return round_down(a, b);
    case OP_MOD: return a - b * round_down(a, b);
    case OP_POW: return pow(a, b);
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_AND: return a != 0 ? evaluate(j, n->b, r) : a;
    case OP_OR: return a != 0 ? a : evaluate(j, n->b, r);
    case OP_IF: return evaluate(j, evaluate(j, n->b, r) != 0 ? n->a : n->c, r);
    case OP_CALL: return call(n->k, a, b);
    default: return 0;
    }
}

/* ---- expressions: reading ---- */

struct parser {
    struct judge_file *j;
    const struct spec_line *line;
    struct python_token t; /* the token that comes next */
    int depth, has_score;
};

enum { NONE = MOST_NODES };

static size_t expression(struct parser *p);

static size_t wrong(const struct parser *p, const char *at, const char *what)
{
    fail("%s:%ld:%ld: [judge]: %s: %s", p->j->model->spec->path, p->line->line,
         (long)(at - p->line->text) + p->line->column, what, p->line->text);
    return NONE;
}

static void advance(struct parser *p)
{
    p->t = python_token(p->t.end ? p->t.end : p->t.at + strlen(p->t.at), " \t");
}

static int take(struct parser *p, const char *text)
{
    if (p->t.kind == PYTHON_END || !python_is(&p->t, text))
        return 0;
    advance(p);
    return 1;
}

static size_t add(struct parser *p, struct node node)
{
    struct judge_file *j = p->j;
    if (j->n_nodes == MOST_NODES)
        return wrong(p, node.at, "is one operation too many");
    j->node[j->n_nodes] = node;
    return j->n_nodes++;
}

/* A name has to be a number where it is one: 0, or -1 with a message. */
static int check_number(struct parser *p, size_t at)
{
    struct node *n = &p->j->node[at];
    const struct number *of = &p->j->number[n->k];
    const char *what = n->op == OP_TEXT ? "a text is only compared with a name"
                       : n->op == OP_NAME && of->names && !of->x
                           ? "its names are not numbers: compare it with a text"
                           : NULL;
    if (what) {
        wrong(p, n->at, what);
        return -1;
    }
    n->op = n->op == OP_NAME ? OP_NUMBER : n->op;
    return 0;
}

static size_t add_pair(struct parser *p, enum op op, size_t a, size_t b, const char *at)
{
    if (a == NONE || b == NONE || check_number(p, a) || check_number(p, b))
        return NONE;
    return add(p, (struct node){op, (uint16_t)a, (uint16_t)b, 0, 0, 0, at});
}

/* ---- expressions: atoms ---- */

static size_t read_number(struct parser *p)
{
    char *end;
    const char *at = p->t.at;
    const double x = strtod(at, &end);
    p->t.end = end;
    if (end == at || is_identifier((char[]){*end, '\0'}))
        return wrong(p, at, "is not a number");
    advance(p);
    return add(p, (struct node){OP_CONST, 0, 0, 0, 0, x, at});
}

/* The last of that name: a line may give a field of names its numbers. j->n: there is none. */
static size_t find_number(const struct judge_file *j, const char *name)
{
    size_t i = j->n;
    while (i > 0 && strcmp(j->number[i - 1].name, name) != 0)
        i--;
    return i > 0 ? i - 1 : j->n;
}

static size_t call_function(struct parser *p, size_t k, const char *at)
{
    const int n = functions[k].of_one ? 1 : 2;
    size_t a = expression(p), b = a;
    if (a != NONE && n == 2)
        b = take(p, ",") ? expression(p) : wrong(p, p->t.at, "expected a comma");
    /* min and max take more than two */
    for (int more = k < 2 && b != NONE; a != NONE && b != NONE; b = expression(p)) {
        if (check_number(p, a) || check_number(p, b))
            return NONE;
        a = add(p, (struct node){OP_CALL, (uint16_t)a, (uint16_t)b, 0, (uint16_t)k, 0, at});
        if (!more || !take(p, ","))
            break;
    }
    return a == NONE || b == NONE ? NONE : take(p, ")") ? a : wrong(p, p->t.at, "expected )");
}

static size_t read_word(struct parser *p)
{
    char name[64];
    const char *at = p->t.at;
    snprintf(name, sizeof name, "%.*s", (int)(p->t.end - at < 63 ? p->t.end - at : 63), at);
    advance(p);
    if (!strcmp(name, "True") || !strcmp(name, "False"))
        return add(p, (struct node){OP_CONST, 0, 0, 0, 0, *name == 'T', at});
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (!strcmp(functions[k].name, name) && python_is(&p->t, "("))
            return advance(p), call_function(p, k, at);
    if (!strcmp(name, "score") && p->has_score)
        return add(p, (struct node){OP_NUMBER, 0, 0, 0, MOST_REGISTERS - 1, 0, at});
    const size_t i = find_number(p->j, name);
    return i == p->j->n
               ? wrong(p, at, "is neither a field, a parameter, a name above nor a function")
               : add(p, (struct node){OP_NAME, 0, 0, 0, (uint16_t)i, 0, at});
}

static size_t read_quoted(struct parser *p)
{
    const char *at = p->t.at;
    if (!p->t.end)
        return wrong(p, at, "no quote closes the text");
    advance(p);
    return add(p, (struct node){OP_TEXT, 0, 0, 0, 0, 0, at});
}

static size_t atom(struct parser *p)
{
    const char *at = p->t.at;
    switch (p->t.kind) {
    case PYTHON_NUMBER:
    case PYTHON_WHOLE:
    case PYTHON_FRACTION:
    case PYTHON_ODD_NUMBER: return read_number(p);
    case PYTHON_WORD: return read_word(p);
    case PYTHON_QUOTED: return read_quoted(p);
    default: break;
    }
    if (!take(p, "("))
        return wrong(p, at, *at ? "is not allowed here" : "the line ends here");
    const size_t inner = expression(p);
    return inner == NONE || take(p, ")") ? inner : wrong(p, p->t.at, "expected )");
}

/* ---- expressions: operators, those that bind least last ---- */

static size_t unary(struct parser *p);

static size_t power(struct parser *p)
{
    const char *at = p->t.at;
    const size_t a = atom(p);
    return a != NONE && take(p, "**") ? add_pair(p, OP_POW, a, unary(p), at) : a;
}

static size_t unary(struct parser *p)
{
    const char *at = p->t.at;
    if (take(p, "+"))
        return unary(p);
    if (!take(p, "-"))
        return power(p);
    const size_t a = unary(p);
    return add_pair(p, OP_NEG, a, a, at);
}

struct binary {
    const char *sign;
    enum op op;
};

static size_t chain(struct parser *p, const struct binary *ops, size_t n,
                    size_t (*inner)(struct parser *))
{
    size_t a = inner(p);
    for (size_t i = 0; i < n && a != NONE; i++) {
        const char *at = p->t.at;
        if (take(p, ops[i].sign)) {
            a = add_pair(p, ops[i].op, a, inner(p), at);
            i = (size_t)-1; /* from the first sign on again */
        }
    }
    return a;
}

static size_t product(struct parser *p)
{
    static const struct binary ops[] = {
        {"*", OP_MUL}, {"//", OP_FLOOR_DIV}, {"/", OP_DIV}, {"%", OP_MOD}};
    return chain(p, ops, 4, unary);
}

static size_t sum(struct parser *p)
{
    static const struct binary ops[] = {{"+", OP_ADD}, {"-", OP_SUB}};
    return chain(p, ops, 2, product);
}

/* A name and a text, in either order */
static size_t compare_text(struct parser *p, size_t a, size_t b, int is_equal)
{
    const struct node *x = &p->j->node[a], *y = &p->j->node[b];
    const struct node *name = x->op == OP_NAME ? x : y, *text = x->op == OP_TEXT ? x : y;
    const struct number *of = &p->j->number[name->k];
    const size_t n = strcspn(text->at + 1, (char[]){*text->at, '\0'});
    size_t i = 0;
    if (name->op != OP_NAME || !of->names)
        return wrong(p, text->at, "a text is only compared with a field or parameter of names");
    while (i < of->n_names
           && (strlen(of->names[i]) != n || strncmp(of->names[i], text->at + 1, n) != 0))
        i++;
    if (i == of->n_names)
        return wrong(p, text->at, "is none of its names");
    a = add(p, (struct node){OP_IS, 0, 0, 0, name->k, (double)i, text->at});
    return a == NONE || is_equal ? a : add_pair(p, OP_NOT, a, a, text->at);
}

static size_t compare(struct parser *p, size_t a, const char *at)
{
    static const struct binary ops[] = {{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE},
                                        {"<", OP_LT},  {">=", OP_LE}, {">", OP_LT}};
    size_t i = 0;
    while (i < 6 && !take(p, ops[i].sign))
        i++;
    const size_t b = i < 6 ? sum(p) : NONE;
    if (a == NONE || b == NONE)
        return i < 6 ? NONE : a;
    if (i < 2 && (p->j->node[a].op == OP_TEXT || p->j->node[b].op == OP_TEXT))
        return compare_text(p, a, b, i == 0);
    return i < 4 ? add_pair(p, ops[i].op, a, b, at) : add_pair(p, ops[i].op, b, a, at);
}

static size_t comparison(struct parser *p)
{
    const char *at = p->t.at;
    if (take(p, "not")) {
        const size_t a = comparison(p);
        return add_pair(p, OP_NOT, a, a, at);
    }
    const size_t a = sum(p);
    return a == NONE ? NONE : compare(p, a, at);
}

static size_t both(struct parser *p)
{
    static const struct binary ops[] = {{"and", OP_AND}};
    return chain(p, ops, 1, comparison);
}

static size_t either(struct parser *p)
{
    static const struct binary ops[] = {{"or", OP_OR}};
    return chain(p, ops, 1, both);
}

static size_t expression(struct parser *p)
{
    const char *at = p->t.at;
    if (++p->depth > MOST_DEPTH)
        return wrong(p, at, "is nested too deep");
    const size_t a = either(p);
    size_t b = NONE, c = NONE;
    p->depth--;
    if (a == NONE || !take(p, "if"))
        return a;
    b = either(p);
    if (b != NONE)
        c = take(p, "else") ? expression(p) : wrong(p, p->t.at, "expected else");
    if (b == NONE || c == NONE || check_number(p, a) || check_number(p, b) || check_number(p, c))
        return NONE;
    return add(p, (struct node){OP_IF, (uint16_t)a, (uint16_t)b, (uint16_t)c, 0, 0, at});
}

/* ---- the lines of [judge] ---- */

/* Names that are no numbers are free for a line that gives the numbers. */
static int is_taken(const struct judge_file *j, const char *name)
{
    const size_t i = find_number(j, name);
    return i < j->n && (i >= j->n_given || !j->number[i].names || j->number[i].x);
}

/* NAME = EXPRESSION */
static int read_line(struct judge_file *j, const struct spec_line *line)
{
    struct parser p = {j, line, python_token(line->text, " \t"), 0, 0};
    char name[64];
    const char *at = p.t.at;
    snprintf(name, sizeof name, "%.*s", (int)(p.t.end - at < 63 ? p.t.end - at : 63), at);
    const int is_word = p.t.kind == PYTHON_WORD, is_time = is_word && !strcmp(name, "time");
    advance(&p);
    if (!is_word || !take(&p, "="))
        return wrong(&p, at, "expected NAME = EXPRESSION"), -1;
    if (is_taken(j, name) || !strcmp(name, "score") || (is_time && j->time))
        return wrong(&p, at, "this name is taken"), -1;
    if (j->n == MOST_REGISTERS - 1)
        return wrong(&p, at, "is one line too many"), -1;
    p.has_score = is_time;
    const size_t node = expression(&p);
    if (node == NONE || check_number(&p, node))
        return -1;
    if (p.t.kind != PYTHON_END)
        return wrong(&p, p.t.at, "is not allowed here"), -1;
    if (is_time)
        j->time = node + 1;
    else {
        j->line[j->n] = node;
        j->number[j->n++].name = xstrdup(name);
    }
    return 0;
}

/* What names are as numbers, if all of them are some: digits, True, False */
static double *numbers_of_names(const char *const *names, size_t n)
{
    double *x = xcalloc(n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        char *end;
        x[i] = strtod(names[i], &end);
        if (!strcmp(names[i], "True") || !strcmp(names[i], "False"))
            x[i] = *names[i] == 'T';
        else if (end == names[i] || *end != '\0') {
            free(x);
            return NULL;
        }
    }
    return x;
}

static void give(struct judge_file *j, const char *name, const char *const *names, size_t n)
{
    struct number *to = &j->number[j->n++];
    to->name = xstrdup(name);
    if (n == 0 || !names[0])
        return;
    to->names = names;
    to->n_names = n;
    to->x = numbers_of_names(names, n);
}

static int read_lines(struct judge_file *j)
{
    const struct spec *s = j->model->spec;
    j->node = xcalloc(MOST_NODES, sizeof *j->node);
    for (size_t i = 0; i < s->n_fields; i++)
        give(j, s->fields[i].name, s->fields[i].tokens, s->fields[i].n_tokens);
    for (size_t i = 0; i < s->n_params; i++)
        give(j, s->params[i].name, s->params[i].names, s->params[i].n_values);
    j->n_given = j->n;
    for (size_t i = 0; i < s->judge.n; i++)
        if (read_line(j, &s->judge.v[i]))
            return -1;
    return j->time ? 0
                   : fail("%s: [judge]: there is no line `time = ...` of what `score`, the "
                          "sum of the trees, means: such as `time = score` or `time = 1 / "
                          "score`",
                          s->path);
}

/* ---- the features of the file ---- */

static int no_feature(const struct judge_file *j, const char *path, const char *name)
{
    struct names_near near = {.text = name};
    struct buf b = {NULL, 0, 0};
    buf_printf(&b, "feature \"%s\": is neither a field, a parameter nor a line of [judge] in %s",
               name, j->model->spec->path);
    for (size_t i = 0; i < j->n; i++)
        names_offer(&near, j->number[i].name, j->number[i].name);
    fail("%s: %s", path, names_question(&near, &b));
    buf_free(&b);
    return -1;
}

static double label_of(const struct interned *labels, const char *text)
{
    const size_t i = intern_find_text(labels, text);
    return i == INTERN_NONE ? NAN : (double)i;
}

static int take_feature(struct judge_file *j, const char *path, size_t i)
{
    struct feature *f = &j->feature[i];
    const struct interned *labels = &j->trees.labels[i];
    const char *name = j->trees.name[i];
    f->number = find_number(j, name);
    if (f->number == j->n)
        return no_feature(j, path, name);
    const struct number *from = &j->number[f->number];
    f->labels = labels->n ? labels : NULL;
    if (!f->labels && from->names && !from->x)
        return fail(
            "%s: feature \"%s\": is a number there, but names in %s: a line of [judge] has to "
            "give the numbers, such as %s = 0 if %s == '%s' else 1",
            path, name, j->model->spec->path, name, name, from->names[0]);
    if (!f->labels || !from->names)
        return 0;
    f->of_name = xcalloc(from->n_names, sizeof *f->of_name);
    for (size_t k = 0; k < from->n_names; k++)
        f->of_name[k] = label_of(labels, from->names[k]);
    return 0;
}

/* Of a category that is a number */
static double category_of(const struct feature *f, double x)
{
    char text[32];
    return label_of(f->labels, double_text(x, text));
}

static double value_of(const struct judge_file *j, const struct feature *f, const double *r)
{
    const struct number *from = &j->number[f->number];
    if (f->of_name)
        return f->of_name[(size_t)r[f->number]];
    const double x = from->x ? from->x[(size_t)r[f->number]] : r[f->number];
    return f->labels ? category_of(f, x) : x;
}

/* ---- the whole ---- */

struct judge_file *judge_file_open(const struct model *model, const char *path)
{
    struct judge_file *j = xcalloc(1, sizeof *j);
    j->model = model;
    int bad = file_trees_read(&j->trees, path) || read_lines(j);
    j->feature = xcalloc(j->trees.n_features + 1, sizeof *j->feature);
    for (size_t i = 0; i < j->trees.n_features && !bad; i++)
        bad = take_feature(j, path, i);
    if (!bad)
        return j;
    judge_file_close(j);
    return NULL;
}

void judge_file_close(struct judge_file *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->trees.n_features; i++)
        free(j->feature[i].of_name);
    for (size_t i = 0; i < j->n; i++) {
        free(j->number[i].name);
        free(j->number[i].x);
    }
    file_trees_free(&j->trees);
    free(j->feature);
    free(j->node);
    free(j);
}

const char *judge_file_text(const struct judge_file *j, struct buf *b)
{
    buf_printf(b, "%s, %zu tree%s, %zu feature%s", j->trees.program, j->trees.n,
               as_counted(j->trees.n, "", "s"), j->trees.n_features,
               as_counted(j->trees.n_features, "", "s"));
    return b->s;
}

/* What is not a time at all is slower than any. */
#define NO_TIME 60.0 /* octaves */

static float mark_of(double time)
{
    const double octaves = time > 0 && time <= DBL_MAX ? log2(time) : NO_TIME;
    return (float)(octaves < NO_TIME ? octaves : NO_TIME);
}

void judge_file_ask(const struct judge_file *j, const int32_t *problem,
                    const unsigned char *targets, size_t n, float *marks)
{
    const struct model *m = j->model;
    double r[MOST_REGISTERS], *x = xcalloc(j->trees.n_features + 1, sizeof *x);
    for (size_t f = 0; f < m->m.n_fields; f++)
        r[f] = problem[f];
    for (size_t i = 0; i < n; i++) {
        for (size_t p = 0; p < m->m.n_params; p++)
            r[m->m.n_fields + p] = m->params[p].values[targets[i * m->m.n_params + p]];
        for (size_t k = j->n_given; k < j->n; k++)
            r[k] = evaluate(j, j->line[k], r);
        for (size_t k = 0; k < j->trees.n_features; k++)
            x[k] = value_of(j, &j->feature[k], r);
        r[MOST_REGISTERS - 1] = file_trees_ask(&j->trees, x);
        marks[i] = mark_of(evaluate(j, j->time - 1, r));
    }
    free(x);
}
