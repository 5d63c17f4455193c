/* clause_read.c - reads the clauses of [restrict], see clause.h
   SPDX-License-Identifier: MIT

   A recursive descent, a function for each level of Python's precedence. Nodes are appended to the
   clause, operands first; what may occur twice, the middle of a chained comparison, is shared. The
   first message is the only one: behind it the clause has no more tokens, and nodes are NONE. */
#include "clause.h"

#include "base/intern.h"
#include "base/names.h"
#include "kpred_constraints.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NONE     SIZE_MAX /* in place of a node */
#define NO_TRUTH "a quotient is neither true nor false: compare it"
#define NO_SIGN  "= does not compare: write =="
#define TOO_DEEP "operations are nested too deep, at most 48 are" /* CLAUSE_MAX_DEPTH */

struct constant {
    const char *name;
    int64_t value;
};

/* Limits that a clause may name */
static const struct constant limits[] = {{"wave_size", KPRED_GCN_WAVE_SIZE},
                                         {"simds", KPRED_GCN_SIMDS},
                                         {"workgroup_waves", KPRED_GCN_WORKGROUP_WAVES},
                                         {"vgprs", KPRED_GCN_VGPRS},
                                         {"sgprs", KPRED_GCN_SGPRS},
                                         {"lds_bytes", KPRED_GCN_LDS_BYTES}};

enum { N_LIMITS = sizeof limits / sizeof *limits, MAX_CONSTANTS = 64, MOST_POWER = 32 };

/* A number is digits alone, or 0x and hexadecimal digits; a sign is any other character, or two
   that make one: == != <= >= // ** << >>. */
enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_WHOLE,      /* 1e3 */
    TOKEN_FRACTION,   /* a number with a point behind it at once, or with e-3, */
    TOKEN_ODD_NUMBER, /* and with a letter */
    TOKEN_WORD,
    TOKEN_QUOTED, /* with its quotes */
    TOKEN_SIGN
};

struct token {
    enum token_kind kind;
    const char *at, *end; /* NULL: no quote closes it */
};

struct parser {
    const struct spec *spec;
    int is_formula; /* is it a line of [formulas], not of [restrict]? */
    const struct spec_line *line;
    const struct clauses *all; /* with the formulas so far */
    struct clause *c;
    struct constant constants[MAX_CONSTANTS];
    size_t n_constants;
    struct interned texts; /* words and quoted texts */
    size_t n_texts;
    int nesting, failed;
    struct token t;    /* the token that comes next */
    const char *ended; /* where the token before it ends */
    const char *word;  /* of a word or a text in quotes */
    int64_t number;
    struct clause_node none; /* in place of one that is not there */
};

static size_t expression(struct parser *p);

/* ---- messages ---- */

PRINTF_LIKE(3, 4) static size_t wrong_at(struct parser *p, const char *at, const char *fmt, ...)
{
    char what[2048]; /* as long as a message */
    va_list args;
    if (p->failed)
        return NONE;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    fail("%s:%ld:%ld: [%s]: %s: %s", p->spec->path, p->line->line,
         (long)(at - p->line->text) + p->line->column, p->is_formula ? "formulas" : "restrict",
         what, p->line->text);
    p->failed = 1;
    p->t.kind = TOKEN_END;
    return NONE;
}

static size_t wrong_here(struct parser *p, const char *what)
{
    return wrong_at(p, p->t.at, "%s", what);
}

static size_t not_read_here(struct parser *p)
{
    const char *word = p->t.kind == TOKEN_WORD ? p->word : "";
    return wrong_at(p, p->t.at, "%.*s is not allowed here%s", (int)(p->t.end - p->t.at) % 40,
                    p->t.at,
                    names_same(word, "and")  ? ": write and"
                    : names_same(word, "or") ? ": write or"
                                             : "");
}

/* ---- tokens ---- */

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

static int is_among(char c, const char *these)
{
    return c && strchr(these, c);
}

/* e3 behind digits: where it ends, and what such a number is */
static const char *behind_exponent(const char *p, enum token_kind *kind)
{
    const char *digits = p + (is_among(*p, "eE") ? 1 + is_among(p[1], "+-") : 0);
    if (digits == p || !is_among(*digits, DIGITS))
        return p;
    *kind = p[1] == '-' ? TOKEN_FRACTION : TOKEN_WHOLE;
    return digits + strspn(digits, DIGITS);
}

/* 0003, which Python does not read; it reads 000. */
static int has_zeros_before(const char *digits)
{
    return *digits == '0' && is_among(digits[strspn(digits, "0")], DIGITS);
}

static void end_number(struct token *t)
{
    const size_t hex =
        *t->at == '0' && is_among(t->at[1], "xX") ? strspn(t->at + 2, DIGITS "abcdefABCDEF") : 0;
    t->kind = TOKEN_NUMBER;
    t->end = hex ? t->at + 2 + hex : behind_exponent(t->at + strspn(t->at, DIGITS), &t->kind);
    if (*t->end == '.')
        t->kind = TOKEN_FRACTION;
    else if (is_among(*t->end, LETTERS DIGITS)
             || (t->kind == TOKEN_NUMBER && has_zeros_before(t->at)))
        t->kind = TOKEN_ODD_NUMBER;
}

/* The value of a number; 0: it is too large */
static int token_integer(const struct token *t, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(t->at, &end, is_among(t->at[1], "xX") ? 16 : 10);
    if (errno)
        return 0;
    for (long zeros = end < t->end ? strtol(end + 1, NULL, 10) : 0; *out && zeros > 0; zeros--) {
        if (*out > INT64_MAX / 10)
            return 0;
        *out *= 10;
    }
    return 1;
}

static const char *sign_end(const char *at)
{
    static const char *const twos[] = {"==", "!=", "<=", ">=", "//", "**", "<<", ">>"};
    const char *end = at + 1;
    while ((*end & 0xc0) == 0x80) /* the rest of a character of UTF-8 */
        end++;
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (!strncmp(at, twos[i], 2))
            end = at + 2;
    return end;
}

/* The first token of a text, behind blanks */
static struct token first_token(const char *text, const char *blanks)
{
    const char *at = text + strspn(text, blanks);
    struct token t = {TOKEN_END, at, at};
    if (is_among(*at, DIGITS)) {
        end_number(&t);
    } else if (is_among(*at, LETTERS)) {
        t.kind = TOKEN_WORD;
        t.end = at + strspn(at, LETTERS DIGITS);
    } else if (is_among(*at, "\"'")) {
        t.kind = TOKEN_QUOTED;
        t.end = strchr(at + 1, *at);
        t.end = t.end ? t.end + 1 : NULL;
    } else if (*at) {
        t.kind = TOKEN_SIGN;
        t.end = sign_end(at);
    }
    return t;
}

/* Is it this sign or word? */
static int token_is(const struct token *t, const char *text)
{
    const size_t n = strlen(text);
    return (t->kind == TOKEN_SIGN || t->kind == TOKEN_WORD) && (size_t)(t->end - t->at) == n
           && !strncmp(t->at, text, n);
}

/* ---- the next one ---- */

/* Keeps a text, which is that of the token. */
static void keep_text(struct parser *p, const char *from, size_t n)
{
    const size_t i = intern(&p->texts, from, n);
    if (p->n_texts++ == 2 * CLAUSE_MAX_NODES)
        wrong_here(p, "too many names");
    p->word = p->texts.v[i].s;
}

/* A sign of another language, or a slip, and what Python writes for it (NULL: it is Python's). The
   first that fits counts; NULL: none does. */
static const char *const *other_sign(const char *at)
{
    static const char *const signs[][2] = {
        {"===", "=="}, {"!==", "!="}, {"=<", "<="}, {"=>", ">="},  {"=!", "!="},
        {"<>", "!="},  {":=", "=="},  {"≤", "<="},  {"≥", ">="},   {"≠", "!="},
        {"!=", NULL},  {"!", "not"},  {"||", "or"}, {"&&", "and"}, {"?", "a if b else c"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(at, signs[i][0], strlen(signs[i][0])))
            return signs[i];
    return NULL;
}

static void read_sign(struct parser *p)
{
    const char *const *other = other_sign(p->t.at), *python = other ? other[1] : NULL;
    const size_t n = other ? strlen(other[0]) : (size_t)(p->t.end - p->t.at);
    const int is_shift = token_is(&p->t, "<<") || token_is(&p->t, ">>");
    if (*p->t.at == '#') /* a comment up to the end of the line */
        p->t.kind = TOKEN_END;
    else if (python || is_shift || !is_among(*p->t.at, "=!<>/*+-%(),[]"))
        wrong_at(p, p->t.at, "%.*s is not allowed%s%s", (int)n, p->t.at, python ? ": write " : "",
                 python ? python : "");
}

/* A number of Python's that is none here, or a name without quotes */
static const char *wrong_number(const char *at)
{
    const char *end = at + strspn(at, "_0123456789");
    const int is_other = !is_among(*end, LETTERS) || (*at == '0' && is_among(at[1], "xXbBoO"));
    return has_zeros_before(at) ? "a number of Python's does not begin with 0"
           : is_other           ? "a number is written in digits alone, or as 0x10"
                                : "a name that begins with a digit has to be in quotes";
}

/* Moves on to the next token. */
static void next(struct parser *p)
{
    if (p->failed)
        return;
    p->ended = p->t.end;
    p->t = first_token(p->t.end, " \t");
    const struct token *t = &p->t;
    if (t->kind == TOKEN_FRACTION)
        wrong_here(p, "decimal fractions are not allowed: write a quotient, or a name in quotes");
    else if (t->kind == TOKEN_ODD_NUMBER)
        wrong_here(p, wrong_number(t->at));
    else if (t->kind == TOKEN_SIGN)
        read_sign(p);
    else if (t->kind == TOKEN_WORD)
        keep_text(p, t->at, (size_t)(t->end - t->at));
    else if (t->kind == TOKEN_QUOTED && t->end)
        keep_text(p, t->at + 1, (size_t)(t->end - t->at - 2));
    else if (t->kind == TOKEN_QUOTED)
        wrong_here(p, "there is no closing quote");
    else if (t->kind != TOKEN_END && !token_integer(t, &p->number))
        wrong_here(p, "a number above 9223372036854775807");
}

/* Is the next token this sign, or this word? */
static int sees(const struct parser *p, const char *text)
{
    return token_is(&p->t, text);
}

/* The same, and if so moves on. */
static int takes(struct parser *p, const char *text)
{
    const int is_there = sees(p, text);
    if (is_there)
        next(p);
    return is_there;
}

/* Moves past what has to be there. */
static void expect(struct parser *p, const char *text)
{
    if (sees(p, "for"))
        wrong_here(p, "for is not allowed: write each member of the list");
    else if (!takes(p, text))
        wrong_at(p, p->t.at, "expected \"%s\"", text);
}

/* ---- nodes ---- */

static struct clause_node *node_at(struct parser *p, size_t i)
{
    return i == NONE ? &p->none : p->c->nodes + i;
}

static size_t add_any(struct parser *p, struct clause_node node)
{
    struct clause *c = p->c;
    if (c->n == CLAUSE_MAX_NODES)
        wrong_here(p, "the clause is too long");
    else if (node.depth > CLAUSE_MAX_DEPTH)
        wrong_here(p, TOO_DEEP);
    if (p->failed)
        return NONE;
    c->nodes = xrealloc(c->nodes, c->n + 1, sizeof *c->nodes);
    c->nodes[c->n] = node;
    return c->n++;
}

/* A leaf, which is the next token */
static size_t add_leaf(struct parser *p, enum clause_op op, enum clause_type type, int64_t k)
{
    struct clause_node node = {.op = op, .type = type, .k = k, .at = p->t.at, .end = p->t.end};
    return add_any(p, node);
}

static size_t add_constant(struct parser *p, int64_t k)
{
    return add_leaf(p, CLAUSE_CONST, CLAUSE_INTEGER, k);
}

/* A text, or True or False */
static size_t add_text(struct parser *p, enum clause_op op, int64_t k)
{
    const size_t i = add_leaf(p, op, op == CLAUSE_TEXT ? CLAUSE_INTEGER : CLAUSE_TRUTH, k);
    node_at(p, i)->text = p->word;
    return i;
}

static int is_column(const struct spec *spec, const char *name)
{
    return spec_field_index(spec, name) >= 0 || spec_param_index(spec, name) >= 0;
}

/* The field or the parameter of this name */
static size_t add_column(struct parser *p, const char *name)
{
    const int f = spec_field_index(p->spec, name), t = spec_param_index(p->spec, name);
    if (f >= 0)
        return add_leaf(p, CLAUSE_FIELD, p->spec->fields[f].n_tokens ? CLAUSE_NAME : CLAUSE_INTEGER,
                        f);
    p->c->params |= UINT32_C(1) << t;
    return add_leaf(p, CLAUSE_PARAM, p->spec->params[t].names[0] ? CLAUSE_NAME : CLAUSE_INTEGER, t);
}

/* The node was read up to here, and begins at `at`. */
static size_t reaches(struct parser *p, size_t i, const char *at)
{
    node_at(p, i)->at = at;
    node_at(p, i)->end = p->ended;
    return i;
}

static int is_name(const struct clause_node *node)
{
    return node->op == CLAUSE_TEXT || node->type == CLAUSE_NAME;
}

static int is_comparison(enum clause_op op)
{
    return op >= CLAUSE_EQ && op <= CLAUSE_LE;
}

/* Does the line define this name? */
static int defines(const struct spec_line *line, const char *name)
{
    const size_t n = strlen(name);
    return !strncmp(line->text, name, n) && is_among(line->text[n], " \t=");
}

static size_t unknown(struct parser *p, const struct clause_node *node)
{
    struct names_near near = {.text = node->text};
    struct buf question = {0};
    for (size_t i = p->all->n_formulas; i < p->spec->formulas.n; i++)
        if (defines(p->spec->formulas.v + i, node->text))
            return wrong_at(p, node->at,
                            "\"%.60s\" is the formula of line %ld: only those above "
                            "a line can stand in it",
                            node->text, p->spec->formulas.v[i].line);
    for (size_t i = 0; i < p->spec->n_fields; i++)
        names_offer(&near, p->spec->fields[i].name, p->spec->fields[i].name);
    for (size_t i = 0; i < p->spec->n_params; i++)
        names_offer(&near, p->spec->params[i].name, p->spec->params[i].name);
    for (size_t i = 0; i < p->all->n_formulas; i++)
        names_offer(&near, p->all->formula[i].name, p->all->formula[i].name);
    for (size_t i = 0; i < p->n_constants; i++)
        names_offer(&near, p->constants[i].name, p->constants[i].name);
    for (size_t i = 0; i < N_LIMITS; i++)
        names_offer(&near, limits[i].name, limits[i].name);
    wrong_at(p, node->at, "\"%.60s\" is %s%s", node->text,
             *node->at == '"' || *node->at == '\''
                 ? "a name, but is compared with something that has no names"
                 : "not a field, parameter, constant or limit",
             names_question(&near, &question));
    buf_free(&question);
    return NONE;
}

/* A node of nodes that are there, which stands where these stand. A long row of `and`, `or` or
   members is not deep: it is read and written from left to right. */
static size_t add_node(struct parser *p, enum clause_op op, enum clause_type type, size_t a,
                       size_t b)
{
    const struct clause_node *x = node_at(p, a), *y = node_at(p, b);
    const int first = x->depth + (op < CLAUSE_ANY), second = y->depth + 1;
    struct clause_node node = {.op = op, .type = type, .a = a, .b = b};
    node.at = x->at < y->at ? x->at : y->at;
    node.end = x->end > y->end ? x->end : y->end;
    node.depth = first > second ? first : second;
    return add_any(p, node);
}

/* The node once more, with all below it: two uses of one node are evaluated in no order, but for
   those that `and` and `or` put into one. */
static size_t copy(struct parser *p, size_t i)
{
    struct clause_node node = *node_at(p, i);
    if (p->failed)
        return NONE;
    if (node.op > CLAUSE_PARAM) {
        const int is_alone = node.a == node.b;
        node.a = copy(p, node.a);
        node.b = is_alone ? node.a : copy(p, node.b);
    }
    return add_any(p, node);
}

/* ---- names ---- */

/* What a node of type CLAUSE_NAME may be */
struct column {
    const char *name;
    const char *const *names;
    size_t n;
    const char *what; /* one of them is */
};

static struct column column_of(const struct parser *p, const struct clause_node *node)
{
    const struct spec_field *f = p->spec->fields + node->k;
    const struct spec_param *t = p->spec->params + node->k;
    return node->op == CLAUSE_FIELD
               ? (struct column){f->name, (const char *const *)f->tokens, f->n_tokens, "token"}
               : (struct column){t->name, (const char *const *)t->names, t->n_values, "value"};
}

/* The number of a text among them, which may be the same number in another form; -1: it is none */
static int64_t name_index(const struct column *of, const char *text)
{
    return number_find(of->names, of->n, text);
}

static int is_truth(const struct column *of)
{
    for (size_t i = 0; i < of->n; i++)
        if (strcmp(of->names[i], "True") && strcmp(of->names[i], "False"))
            return 0;
    return 1;
}

/* Is this name that of number k? (-1: it is not) */
static size_t add_is(struct parser *p, size_t name, int64_t k)
{
    const size_t index = add_constant(p, k);
    node_at(p, index)->at = node_at(p, name)->at;
    node_at(p, index)->end = node_at(p, name)->end;
    return add_node(p, CLAUSE_EQ, CLAUSE_TRUTH, name, index);
}

/* Names are compared, and nothing else, but for truths. */
static size_t operand(struct parser *p, size_t i, const char *at)
{
    const struct clause_node *node = node_at(p, i);
    if (!is_name(node))
        return i;
    if (node->op == CLAUSE_TEXT)
        return unknown(p, node);
    const struct column of = column_of(p, node);
    if (is_truth(&of))
        return add_is(p, i, name_index(&of, "True"));
    return wrong_at(p, at, "%.60s is a name: it can only be compared by ==, != and in", of.name);
}

/* A node of one operand (then b is a) or two */
static size_t add_operation(struct parser *p, enum clause_op op, size_t a, size_t b, const char *at)
{
    enum clause_type type = CLAUSE_INTEGER;
    const int is_alone = a == b;
    a = operand(p, a, at);
    b = is_alone ? a : operand(p, b, at);
    const enum clause_type x = node_at(p, a)->type, y = node_at(p, b)->type;
    const int quotient = x == CLAUSE_QUOTIENT || y == CLAUSE_QUOTIENT || op == CLAUSE_DIV;
    if (quotient && (op == CLAUSE_AND || op == CLAUSE_OR))
        return wrong_at(p, at, NO_TRUTH);
    p->c->quotients |= quotient;
    if (is_comparison(op) || op == CLAUSE_NOT || op == CLAUSE_ANY
        || (op >= CLAUSE_AND && x == CLAUSE_TRUTH && y == CLAUSE_TRUTH))
        type = CLAUSE_TRUTH;
    else if (quotient && op != CLAUSE_FLOOR_DIV && op != CLAUSE_CEIL_DIV)
        type = CLAUSE_QUOTIENT;
    return add_node(p, op, type, a, b);
}

/* The text, True, False or number is no name of the column: a message that shows both */
static size_t no_such_name(struct parser *p, const struct column *of,
                           const struct clause_node *node, const char *at)
{
    struct names_near near = {.text = node->text ? node->text : ""};
    struct buf more = {0};
    for (size_t i = 0; i < of->n; i++)
        names_offer(&near, of->names[i], of->names[i]);
    for (size_t i = 0; !node->text && i < of->n; i++)
        buf_printf(&more, "%s%s", i ? " " : "", of->names[i]);
    if (node->text)
        wrong_at(p, node->at, "\"%.60s\" is not a %s of %.60s%s", node->text, of->what, of->name,
                 names_question(&near, &more));
    else
        wrong_at(p, at, "%.*s is a number, and %.60s is one of the names %.120s",
                 (int)(node->end - node->at), node->at, of->name, more.s);
    buf_free(&more);
    return NONE;
}

/* The text, True, False or number is the name with this number; -1: none. True and False are the
   names 1 and 0, too. */
static int64_t find_name(const struct column *of, const struct clause_node *node)
{
    char number[24];
    const int64_t index = node->text ? name_index(of, node->text) : -1;
    snprintf(number, sizeof number, "%" PRId64, node->k);
    return index < 0 && node->op == CLAUSE_CONST ? name_index(of, number) : index;
}

static size_t add_both(struct parser *p, size_t a, int64_t of_a, size_t b, int64_t of_b)
{
    const size_t x = add_is(p, a, of_a), y = add_is(p, b, of_b);
    return add_node(p, CLAUSE_AND, CLAUSE_TRUTH, x, y);
}

/* The columns a and b have the same name: one of a's, if b has it, for both */
static size_t add_same_name(struct parser *p, size_t a, const struct column *of_a, size_t b,
                            const struct column *of_b)
{
    size_t any = add_both(p, a, -1, b, -1);
    for (size_t i = 0; i < of_a->n; i++) {
        const int64_t k = name_index(of_b, of_a->names[i]);
        if (k >= 0)
            any = add_node(p, CLAUSE_OR, CLAUSE_TRUTH, any, add_both(p, a, (int64_t)i, b, k));
    }
    return any;
}

/* Do two columns have the same names in the same order? Then their numbers are compared. */
static int same_names(const struct column *a, const struct column *b)
{
    int same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = !strcmp(a->names[i], b->names[i]);
    return same;
}

/* A name beside a name, or beside what may be one */
static size_t add_name_equal(struct parser *p, size_t name, size_t other, const char *at)
{
    const struct clause_node *y = node_at(p, other);
    const struct column of = column_of(p, node_at(p, name));
    if (y->type == CLAUSE_NAME) {
        const struct column of_y = column_of(p, y);
        return same_names(&of, &of_y) ? add_node(p, CLAUSE_EQ, CLAUSE_TRUTH, name, other)
                                      : add_same_name(p, name, &of, other, &of_y);
    }
    if (is_truth(&of) && y->type == CLAUSE_TRUTH)
        return y->op == CLAUSE_CONST ? add_is(p, name, name_index(&of, y->text))
                                     : add_operation(p, CLAUSE_EQ, name, other, at);
    const int64_t k = find_name(&of, y);
    return k < 0 ? no_such_name(p, &of, y, at) : add_is(p, name, k);
}

/* A comparison, in which names may stand */
static size_t add_comparison(struct parser *p, enum clause_op op, size_t a, size_t b,
                             const char *at)
{
    const struct clause_node *x = node_at(p, a), *y = node_at(p, b);
    if (p->failed || (!is_name(x) && !is_name(y)))
        return add_operation(p, op, a, b, at);
    if (x->op == CLAUSE_TEXT && y->type != CLAUSE_NAME)
        return unknown(p, x);
    if (y->op == CLAUSE_TEXT && x->type != CLAUSE_NAME)
        return unknown(p, y);
    if (op != CLAUSE_EQ && op != CLAUSE_NE)
        return wrong_at(p, at, "names have no order: compare them by ==, != and in");
    const int turned = x->type != CLAUSE_NAME;
    const size_t equal = add_name_equal(p, turned ? b : a, turned ? a : b, at);
    if (op == CLAUSE_EQ)
        return equal;
    if (node_at(p, equal)->op != CLAUSE_EQ)
        return add_node(p, CLAUSE_NOT, CLAUSE_TRUTH, equal, equal);
    node_at(p, equal)->op = op;
    return equal;
}

static const struct constant *find_constant(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->n_constants; i++)
        if (!strcmp(p->constants[i].name, name))
            return p->constants + i;
    for (size_t i = 0; i < N_LIMITS; i++)
        if (!strcmp(limits[i].name, name))
            return limits + i;
    return NULL;
}

/* The nodes of a formula, all of which stand where its name does */
static size_t add_formula(struct parser *p, const struct clause *of)
{
    const size_t first = p->c->n;
    size_t last = NONE;
    for (size_t i = 0; i < of->n; i++) {
        struct clause_node node = of->nodes[i];
        node.a += first;
        node.b += first;
        node.at = p->t.at;
        node.end = p->t.end;
        last = add_any(p, node);
    }
    p->c->params |= of->params;
    p->c->quotients |= of->quotients;
    return last;
}

static size_t named(struct parser *p)
{
    const struct formula *formula = formula_find(p->all, p->word);
    const struct constant *constant = find_constant(p, p->word);
    const size_t node = is_column(p->spec, p->word) ? add_column(p, p->word)
                        : formula                   ? add_formula(p, &formula->of)
                        : constant                  ? add_constant(p, constant->value)
                                                    : add_text(p, CLAUSE_TEXT, 0);
    next(p);
    return node;
}

/* ---- the grammar, from the tightest level to the loosest ---- */

struct function {
    const char *name;
    enum clause_op op;
    size_t least, most; /* arguments */
};

/* min(a, ...), max(a, ...), abs(a), ceil_div(a, b), behind the word */
static size_t call(struct parser *p, const struct function *of)
{
    const char *at = p->t.at;
    next(p);
    expect(p, "(");
    size_t n = 1, all = expression(p);
    for (; n < of->most && takes(p, ","); n++)
        all = add_operation(p, of->op, all, expression(p), at);
    if (n < of->least)
        wrong_at(p, at, "too few arguments");
    expect(p, ")");
    if (of->op == CLAUSE_ABS)
        all = add_operation(p, of->op, all, all, at);
    return reaches(p, all, at);
}

/* Moves past the end of a list whose members begin at `from`. Without a comma, (x) is x. */
static void end_list(struct parser *p, const char *from, size_t n, int has_comma,
                     const char *closes)
{
    const int length = (int)(p->ended - from);
    if (n > 1 || has_comma || *closes == ']' || !sees(p, ")"))
        expect(p, closes);
    else
        wrong_at(p, from, "(%.*s) is not a list: write (%.*s,)", length, from, length, from);
}

/* Any of a list's members, each of which is made a truth of what the list is for. As in Python, all
   are evaluated. */
static size_t list(struct parser *p, size_t (*member)(struct parser *, size_t, const char *),
                   size_t with, const char *at)
{
    const char *closes = sees(p, "[") ? "]" : ")";
    size_t any = NONE, n = 0;
    int has_comma = 0;
    next(p);
    const char *from = p->t.at;
    do {
        if (n++ && sees(p, closes)) /* a comma may end the list */
            break;
        const size_t one = member(p, with, at);
        any = n == 1 ? one : add_operation(p, CLAUSE_ANY, any, one, at);
        has_comma = takes(p, ",");
    } while (has_comma);
    end_list(p, from, n, has_comma, closes);
    return any;
}

/* A member of all([...]) or any([...]) as True or False, or the other way round */
static size_t member_truth(struct parser *p, size_t is_all, const char *at)
{
    const size_t one = operand(p, expression(p), at);
    const struct clause_node *node = node_at(p, one);
    if (node->type == CLAUSE_QUOTIENT)
        return wrong_at(p, node->at, NO_TRUTH);
    if (!is_all && node->type == CLAUSE_TRUTH)
        return one;
    const size_t not = add_operation(p, CLAUSE_NOT, one, one, at);
    return is_all ? not : add_operation(p, CLAUSE_NOT, not, not, at);
}

/* all([a, b]) or any([a, b]), behind the word. All are true where there is none that is not. */
static size_t all_or_any(struct parser *p, int is_all)
{
    const char *at = p->t.at;
    next(p);
    expect(p, "(");
    if (!sees(p, "[") && !sees(p, "("))
        return wrong_here(p, "expected a list: [a, b]");
    size_t any = list(p, member_truth, (size_t)is_all, at);
    expect(p, ")");
    if (is_all)
        any = add_operation(p, CLAUSE_NOT, any, any, at);
    return reaches(p, any, at);
}

/* p["NAME"] */
static size_t indexed(struct parser *p)
{
    const char *at = p->t.at;
    if (is_column(p->spec, p->word) || find_constant(p, p->word))
        return wrong_here(p, "[ is not allowed after a field, a parameter or a constant");
    next(p);
    next(p);
    if (p->t.kind != TOKEN_QUOTED)
        return wrong_here(p, "expected the name of a field or parameter in quotes");
    if (!is_column(p->spec, p->word))
        return unknown(p, &(struct clause_node){.text = p->word, .at = p->t.at + 1});
    const size_t node = add_column(p, p->word);
    next(p);
    expect(p, "]");
    return reaches(p, node, at);
}

static char behind(const struct parser *p)
{
    return p->t.end[strspn(p->t.end, " \t")];
}

/* A word behind which a ( stands */
static size_t function(struct parser *p)
{
    static const struct function functions[] = {{"min", CLAUSE_MIN, 2, CLAUSE_MAX_NODES},
                                                {"max", CLAUSE_MAX_OF, 2, CLAUSE_MAX_NODES},
                                                {"abs", CLAUSE_ABS, 1, 1},
                                                {"ceil_div", CLAUSE_CEIL_DIV, 2, 2}};
    if (sees(p, "all") || sees(p, "any"))
        return all_or_any(p, sees(p, "all"));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sees(p, functions[i].name))
            return call(p, functions + i);
    return wrong_here(p, "there is no such function: there are abs all any ceil_div max min");
}

static size_t word(struct parser *p)
{
    if (sees(p, "True") || sees(p, "False")) {
        const size_t node = add_text(p, CLAUSE_CONST, sees(p, "True"));
        next(p);
        return node;
    }
    if (names_has_word("and or not in", p->word))
        return wrong_here(p, "an operand is missing");
    if (names_has_word("lambda for if else is", p->word))
        return not_read_here(p);
    return behind(p) == '[' ? indexed(p) : behind(p) == '(' ? function(p) : named(p);
}

static size_t atom(struct parser *p)
{
    const char *at = p->t.at;
    size_t node;
    switch (p->t.kind) {
    case TOKEN_WORD: return word(p);
    case TOKEN_NUMBER:
    case TOKEN_WHOLE: node = add_constant(p, p->number); break;
    case TOKEN_QUOTED: node = add_text(p, CLAUSE_TEXT, 0); break;
    case TOKEN_SIGN:
        if (!takes(p, "("))
            return wrong_here(p, "an operand is missing");
        node = expression(p);
        expect(p, ")");
        return reaches(p, node, at);
    default: return wrong_here(p, "the clause ends where an operand should be");
    }
    next(p);
    return node;
}

/* a ** b of constants, b >= 0. From b = 64 on, its parity alone matters. */
static size_t fold_power(struct parser *p, const struct clause_node *x, int64_t by, const char *at)
{
    const char *from = x->at;
    int64_t result = 1;
    if (by < 0)
        return wrong_at(p, at, "** takes no negative exponent");
    for (int64_t n = by < 64 ? by : 64 + by % 2; n > 0; n--)
        result = kpri_x_mul(result, x->k);
    if (result == INT64_MAX || result == INT64_MIN)
        return wrong_at(p, at, "a power that passes 2^63");
    return reaches(p, add_constant(p, result), from);
}

/* a ** b as products */
static size_t add_power(struct parser *p, size_t a, size_t b, const char *at)
{
    const struct clause_node *x = node_at(p, a), *y = node_at(p, b);
    const char *from = x->at;
    int64_t left = y->k;
    if (x->op == CLAUSE_CONST && y->op == CLAUSE_CONST)
        return fold_power(p, x, y->k, at);
    if (y->op != CLAUSE_CONST || left < 1 || left > MOST_POWER)
        return wrong_at(p, at, "** takes a constant exponent, from 1 to 32");
    const size_t base = operand(p, a, at);
    size_t all = base;
    while (--left > 0)
        all = reaches(p, add_operation(p, CLAUSE_MUL, all, copy(p, base), at), from);
    return reaches(p, all, from);
}

static size_t unary(struct parser *p);

/* Binds tighter than a sign before it, and its exponent may have one. */
static size_t power(struct parser *p)
{
    const size_t a = atom(p);
    const char *at = p->t.at;
    return takes(p, "**") ? add_power(p, a, unary(p), at) : a;
}

/* Signs have no depth: two minus signs are none. */
static size_t unary(struct parser *p)
{
    const char *at = p->t.at;
    int signs = 0, minus = 0;
    for (; sees(p, "-") || sees(p, "+"); signs++) {
        minus ^= sees(p, "-");
        next(p);
    }
    size_t a = power(p);
    if (signs == 0)
        return a;
    a = operand(p, a, at);
    if (minus)
        a = node_at(p, a)->op == CLAUSE_CONST /* stays one, for ** and for messages */
                ? add_constant(p, -node_at(p, a)->k)
                : add_operation(p, CLAUSE_NEG, a, a, at);
    return reaches(p, a, at);
}

static const struct sign {
    const char *text;
    enum clause_op op;
    enum level { DISJUNCTION, CONJUNCTION, COMPARISON, SUM, PRODUCT } level;
} signs[] = {{"or", CLAUSE_OR, DISJUNCTION}, {"and", CLAUSE_AND, CONJUNCTION},
             {"==", CLAUSE_EQ, COMPARISON},  {"!=", CLAUSE_NE, COMPARISON},
             {"<=", CLAUSE_LE, COMPARISON},  {">=", CLAUSE_LE, COMPARISON},
             {"<", CLAUSE_LT, COMPARISON},   {">", CLAUSE_LT, COMPARISON},
             {"+", CLAUSE_ADD, SUM},         {"-", CLAUSE_SUB, SUM},
             {"*", CLAUSE_MUL, PRODUCT},     {"//", CLAUSE_FLOOR_DIV, PRODUCT},
             {"%", CLAUSE_MOD, PRODUCT},     {"/", CLAUSE_DIV, PRODUCT}};

/* Moves past a sign of this level, which is returned; NULL: none comes next. */
static const struct sign *take_sign(struct parser *p, enum level level)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].level == level && takes(p, signs[i].text))
            return signs + i;
    return NULL;
}

static size_t negation(struct parser *p);

/* A level of operators that are read from left to right */
static size_t row(struct parser *p, enum level level)
{
    size_t a = NONE;
    const struct sign *sign = NULL;
    const char *at = NULL;
    do {
        const size_t b = level == CONJUNCTION ? negation(p)
                         : level == PRODUCT   ? unary(p)
                                              : row(p, level + 1);
        a = sign ? add_operation(p, sign->op, a, b, at) : b;
        at = p->t.at;
        sign = take_sign(p, level);
    } while (sign);
    return a;
}

/* A member of a list in which node a is looked for */
static size_t member_equal(struct parser *p, size_t a, const char *at)
{
    return add_comparison(p, CLAUSE_EQ, a, expression(p), at);
}

/* The comparison of `a` with what follows it in a chain; NONE if nothing does. *last is the operand
   that the next comparison takes; NONE: there is none. > and >= are < and <= turned round. */
static size_t link_of_chain(struct parser *p, size_t a, size_t *last)
{
    const char *at = p->t.at;
    const int negated = takes(p, "not");
    if (takes(p, "in")) {
        *last = NONE; /* a list is not compared further */
        if (!sees(p, "[") && !sees(p, "("))
            return wrong_here(p, "expected \"(\"");
        const size_t in = list(p, member_equal, a, at);
        return negated ? add_operation(p, CLAUSE_NOT, in, in, at) : in;
    }
    if (negated)
        return wrong_here(p, "expected \"in\"");
    const struct sign *sign = take_sign(p, COMPARISON);
    if (!sign)
        return sees(p, "=") ? wrong_here(p, NO_SIGN) : NONE;
    const size_t b = *last = row(p, SUM);
    return *sign->text == '>' ? add_comparison(p, sign->op, b, a, at)
                              : add_comparison(p, sign->op, a, b, at);
}

static size_t comparison(struct parser *p)
{
    const size_t first = row(p, SUM);
    size_t last = first, all = NONE;
    while (last != NONE) {
        const char *at = p->t.at;
        const size_t one = link_of_chain(p, last, &last);
        if (one == NONE)
            break;
        all = all == NONE ? one : add_operation(p, CLAUSE_AND, all, one, at);
    }
    return all == NONE ? first : all;
}

static size_t negation(struct parser *p)
{
    const char *at = p->t.at;
    if (!takes(p, "not"))
        return comparison(p);
    if (++p->nesting > CLAUSE_MAX_DEPTH)
        return wrong_here(p, TOO_DEEP);
    const size_t a = negation(p);
    p->nesting--;
    return add_operation(p, CLAUSE_NOT, a, a, at);
}

/* x if c else y: of truths (c and x) or (not c and y), else the sum of both. So the one that is not
   asked for is not evaluated. */
static size_t add_choice(struct parser *p, size_t x, size_t c, size_t y, const char *at)
{
    x = operand(p, x, at);
    y = operand(p, y, at);
    const size_t no = add_operation(p, CLAUSE_NOT, c, c, at), again = copy(p, no);
    const size_t yes = add_operation(p, CLAUSE_NOT, again, again, at);
    const enum clause_type of_x = node_at(p, x)->type, of_y = node_at(p, y)->type;
    if (of_x == CLAUSE_QUOTIENT || of_y == CLAUSE_QUOTIENT)
        return wrong_at(p, at, "if does not choose between quotients: compare each of them");
    const enum clause_op op = of_x == CLAUSE_TRUTH && of_y == CLAUSE_TRUTH ? CLAUSE_OR : CLAUSE_ADD;
    const size_t first = add_operation(p, CLAUSE_AND, yes, x, at);
    return add_operation(p, op, first, add_operation(p, CLAUSE_AND, no, y, at), at);
}

static size_t choice(struct parser *p)
{
    const size_t x = row(p, DISJUNCTION);
    const char *at = p->t.at, *from = node_at(p, x)->at;
    if (!takes(p, "if"))
        return x;
    const size_t c = row(p, DISJUNCTION);
    expect(p, "else");
    return reaches(p, add_choice(p, x, c, expression(p), at), from);
}

static size_t expression(struct parser *p)
{
    if (++p->nesting > CLAUSE_MAX_DEPTH)
        return wrong_here(p, TOO_DEEP);
    const size_t a = choice(p);
    p->nesting--;
    return a;
}

/* ---- lines ---- */

/* NAME = NUMBER? */
static int is_constant_line(const char *text)
{
    struct token t = first_token(text, "");
    if (t.kind != TOKEN_WORD)
        return 0;
    t = first_token(t.end, " \t");
    return token_is(&t, "=") && !other_sign(t.at);
}

/* The expression, whose node is the last one; what was read behind it, as the 1 of x ** 1, has no
   use. */
static size_t whole_line(struct parser *p, const char *at)
{
    const size_t a = expression(p);
    if (p->t.kind != TOKEN_END)
        return not_read_here(p);
    const size_t node = operand(p, a, at);
    if (!p->failed)
        p->c->n = node + 1;
    return node;
}

/* A constant may be an expression of constants. */
static void constant_line(struct parser *p)
{
    const char *name = p->word, *at = p->t.at;
    const struct clause *c = p->c;
    int undefined = 0;
    if (is_column(p->spec, name))
        wrong_at(p, first_token(p->t.end, " \t").at, NO_SIGN);
    if (formula_find(p->all, name))
        wrong_here(p, "there is already a formula of that name");
    for (size_t i = 0; i < p->n_constants; i++)
        if (!strcmp(p->constants[i].name, name))
            wrong_here(p, "this constant is given twice");
    if (p->n_constants == MAX_CONSTANTS)
        wrong_here(p, "too many constants");
    next(p);
    next(p);
    whole_line(p, at);
    if (c->quotients)
        wrong_here(p, "a constant has to be an integer");
    if (c->params || clause_has_fields(c))
        wrong_at(p, at, "a constant depends on no field and no parameter");
    if (p->failed)
        return;
    p->constants[p->n_constants].value = clause_value(c, &undefined);
    p->constants[p->n_constants++].name = name;
    if (undefined)
        wrong_at(p, at, "the constant has no value: a division");
}

/* All terms have 64 bits, whatever the problem and the tuple. Where a formula's may have more by
   the ranges of fields, a condition with the formula is refused. */
static void check_sizes(struct parser *p)
{
    const struct clause_node *term = p->failed ? NULL : clause_too_large(p->c, p->spec);
    if (term)
        wrong_at(p, term->at, "\"%.*s\" may pass 2^63%s", (int)(term->end - term->at), term->at,
                 clause_has_fields(p->c) ? ": give its fields a largest size in [fields]" : "");
}

/* What keeps a line from naming a formula; NULL: nothing */
static const char *formula_name_trouble(const struct parser *p)
{
    return !is_constant_line(p->line->text) ? "expected NAME = EXPRESSION"
           : !is_identifier(p->word)        ? "is not a name of at most 63 characters"
           : is_column(p->spec, p->word)    ? "there is already a field or parameter of that name"
           : formula_find(p->all, p->word)  ? "this formula is given twice"
           : p->all->n_formulas == FORMULAS_MAX ? "too many formulas"
                                                : NULL;
}

/* Without fields and parameters it becomes its value. */
static void formula_line(struct parser *p, struct formula *to)
{
    const char *at = p->t.at, *trouble = formula_name_trouble(p);
    struct clause *c = p->c;
    int undefined = 0;
    if (trouble) {
        wrong_here(p, trouble);
        return;
    }
    snprintf(to->name, sizeof to->name, "%s", p->word);
    next(p);
    next(p);
    whole_line(p, at);
    if (p->failed || clause_has_fields(c))
        return;
    check_sizes(p);
    if (p->failed || c->params || c->quotients)
        return;
    c->nodes[0] = (struct clause_node){.k = clause_value(c, &undefined), .at = at, .end = p->ended};
    c->n = 1;
    if (undefined)
        wrong_at(p, at, "the formula has no value: a division");
}

static void truth_line(struct parser *p)
{
    const size_t node = whole_line(p, p->line->text);
    if (node_at(p, node)->type == CLAUSE_QUOTIENT)
        wrong_at(p, p->line->text, NO_TRUTH);
}

static void read_line(struct parser *p, struct clauses *all, const struct spec_line *line)
{
    struct clause c = {.text = line->text, .line = line->line};
    struct formula *formula = all->formula + all->n_formulas;
    const int is_formula = p->is_formula, constant = is_constant_line(line->text);
    p->line = line;
    p->c = &c;
    p->t.end = line->text;
    p->nesting = 0;
    next(p);
    if (is_formula) {
        formula_line(p, formula);
    } else {
        (constant ? constant_line : truth_line)(p);
        check_sizes(p);
    }
    if (!is_formula && !constant && all->n == CLAUSE_MAX)
        wrong_at(p, line->text, "too many clauses");
    if (p->failed || (constant && !is_formula))
        free(c.nodes);
    else if (is_formula)
        all->formula[all->n_formulas++].of = c;
    else
        all->v[all->n++] = c;
}

static void read_section(struct parser *p, struct clauses *all, int is_formula,
                         const struct spec_lines *lines)
{
    p->is_formula = is_formula;
    for (size_t i = 0; !p->failed && i < lines->n; i++)
        read_line(p, all, lines->v + i);
}

int clauses_read(struct clauses *c, const struct spec *spec)
{
    struct parser *p = xcalloc(1, sizeof *p);
    p->spec = spec;
    p->all = c;
    p->word = "";
    c->n = 0;
    c->n_formulas = 0;
    c->plain = 0;
    read_section(p, c, 1, &spec->formulas);
    read_section(p, c, 0, &spec->restricts);
    intern_free(&p->texts);
    const int failed = p->failed;
    free(p);
    if (failed)
        clauses_free(c);
    return failed ? -1 : 0;
}

void clauses_free(struct clauses *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i].nodes);
    for (size_t i = 0; i < c->n_formulas; i++)
        free(c->formula[i].of.nodes);
    c->n = 0;
    c->n_formulas = 0;
}

const struct formula *formula_find(const struct clauses *c, const char *name)
{
    for (size_t i = 0; i < c->n_formulas; i++)
        if (!strcmp(c->formula[i].name, name))
            return c->formula + i;
    return NULL;
}
