/* clause_read.c - reads the clauses of [restrict], see clause.h
   SPDX-License-Identifier: MIT

   A recursive descent, a function for each level of Python's precedence. Nodes are appended to the
   clause, operands first; what may occur twice, the middle of a chained comparison, is shared. */
#include "clause.h"

#include "base/names.h"
#include "kpred_constraints.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE     SIZE_MAX /* in place of a node: there was a message */
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

struct parser {
    const struct spec *spec;
    const struct spec_line *line;
    struct clause *c;
    struct constant constants[MAX_CONSTANTS];
    size_t n_constants;
    char *text[2 * CLAUSE_MAX_NODES]; /* words and quoted texts, owned until the section is read */
    size_t n_text;
    int nesting;
    struct python_token t; /* the token that comes next */
    const char *ended;     /* where the token before it ends */
    const char *word;      /* of a word or a text in quotes */
    int64_t number;
};

static size_t expression(struct parser *p);

/* ---- messages ---- */

static size_t wrong_at(const struct parser *p, const char *at, const char *what)
{
    fail("%s:%ld:%ld: [restrict]: %s: %s", p->spec->path, p->line->line,
         (long)(at - p->line->text) + p->line->column, what, p->line->text);
    return NONE;
}

static size_t clause_read_wrong(const struct parser *p, const char *what)
{
    return wrong_at(p, p->t.at, what);
}

static size_t not_read_here(const struct parser *p)
{
    const char *word = p->t.kind == PYTHON_WORD ? p->word : "";
    char what[80];
    snprintf(what, sizeof what, "%.*s is not allowed here%s", (int)(p->t.end - p->t.at) % 40,
             p->t.at,
             names_same(word, "and")  ? ": write and"
             : names_same(word, "or") ? ": write or"
                                      : "");
    return clause_read_wrong(p, what);
}

/* ---- tokens ---- */

static int starts_word(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static const char *behind_digits(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

/* e3 behind digits: where it ends, and what such a number is */
static const char *behind_exponent(const char *p, enum python_kind *kind)
{
    if (*p != 'e' && *p != 'E')
        return p;
    const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');
    if (!isdigit((unsigned char)*digits))
        return p;
    *kind = p[1] == '-' ? PYTHON_FRACTION : PYTHON_WHOLE;
    return behind_digits(digits);
}

/* 0003, which Python does not read; it reads 000. */
static int has_zeros_before(const char *digits)
{
    const char *end = digits + strspn(digits, "0");
    return end > digits && isdigit((unsigned char)*end);
}

static void end_number(struct python_token *t)
{
    t->kind = PYTHON_NUMBER;
    if (*t->at == '0' && (t->at[1] == 'x' || t->at[1] == 'X') && isxdigit((unsigned char)t->at[2]))
        for (t->end = t->at + 2; isxdigit((unsigned char)*t->end);)
            t->end++;
    else
        t->end = behind_exponent(behind_digits(t->at), &t->kind);
    if (*t->end == '.')
        t->kind = PYTHON_FRACTION;
    else if (starts_word(*t->end) || isdigit((unsigned char)*t->end)
             || (t->kind == PYTHON_NUMBER && has_zeros_before(t->at)))
        t->kind = PYTHON_ODD_NUMBER;
}

static int append_digit(int64_t *x, int64_t base, char digit)
{
    const int c = tolower((unsigned char)digit);
    const int64_t value = isdigit(c) ? c - '0' : c - 'a' + 10;
    if (*x > (INT64_MAX - value) / base)
        return 0;
    *x = *x * base + value;
    return 1;
}

int python_integer(const struct python_token *t, int64_t *out)
{
    const int is_hex = t->end - t->at > 2 && tolower((unsigned char)t->at[1]) == 'x';
    const char *p = t->at + (is_hex ? 2 : 0);
    int good = 1;
    for (*out = 0; good && p < t->end && (is_hex || isdigit((unsigned char)*p)); p++)
        good = append_digit(out, is_hex ? 16 : 10, *p);
    long zeros = good && p < t->end ? strtol(p + 1, NULL, 10) : 0; /* of e3 */
    for (; good && *out != 0 && zeros > 0; zeros--)
        good = append_digit(out, 10, '0');
    return good;
}

static void end_word(struct python_token *t)
{
    while (starts_word(*t->end) || isdigit((unsigned char)*t->end))
        t->end++;
    t->kind = PYTHON_WORD;
}

static void end_quoted(struct python_token *t)
{
    const char *closing = strchr(t->at + 1, *t->at);
    t->end = closing ? closing + 1 : NULL;
    t->kind = PYTHON_QUOTED;
}

static void end_sign(struct python_token *t)
{
    static const char *const twos[] = {"==", "!=", "<=", ">=", "//", "**", "<<", ">>"};
    t->kind = PYTHON_SIGN;
    for (t->end = t->at + 1; (*t->end & 0xc0) == 0x80;) /* the rest of a character of UTF-8 */
        t->end++;
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (!strncmp(t->at, twos[i], 2))
            t->end = t->at + 2;
}

struct python_token python_token(const char *text, const char *blanks)
{
    struct python_token t = {PYTHON_END, text + strspn(text, blanks), NULL};
    t.end = t.at;
    if (isdigit((unsigned char)*t.at))
        end_number(&t);
    else if (starts_word(*t.at))
        end_word(&t);
    else if (*t.at == '"' || *t.at == '\'')
        end_quoted(&t);
    else if (*t.at)
        end_sign(&t);
    return t;
}

int python_is(const struct python_token *t, const char *text)
{
    const size_t n = strlen(text);
    return (t->kind == PYTHON_SIGN || t->kind == PYTHON_WORD) && (size_t)(t->end - t->at) == n
           && !strncmp(t->at, text, n);
}

/* ---- the next one ---- */

/* Keeps a text, which is that of the token; 0 after a message. */
static int keep_text(struct parser *p, const char *from, size_t n)
{
    if (p->n_text == sizeof p->text / sizeof *p->text)
        return clause_read_wrong(p, "too many names") != NONE;
    char *s = xmalloc(n + 1);
    memcpy(s, from, n);
    s[n] = '\0';
    p->word = p->text[p->n_text++] = s;
    return 1;
}

static int read_number(struct parser *p)
{
    return python_integer(&p->t, &p->number)
           || clause_read_wrong(p, "a number above 9223372036854775807") != NONE;
}

static int read_quoted(struct parser *p)
{
    if (!p->t.end)
        return clause_read_wrong(p, "there is no closing quote") != NONE;
    return keep_text(p, p->t.at + 1, (size_t)(p->t.end - p->t.at - 2));
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

static int read_sign(struct parser *p)
{
    const char *const *other = other_sign(p->t.at), *python = other ? other[1] : NULL;
    const size_t n = other ? strlen(other[0]) : (size_t)(p->t.end - p->t.at);
    char what[60];
    if (*p->t.at == '#') { /* a comment up to the end of the line */
        p->t.kind = PYTHON_END;
        return 1;
    }
    const int is_shift = python_is(&p->t, "<<") || python_is(&p->t, ">>");
    if (!python && !is_shift && strchr("=!<>/*+-%(),[]", *p->t.at))
        return 1;
    snprintf(what, sizeof what, "%.*s is not allowed%s%s", (int)n, p->t.at,
             python ? ": write " : "", python ? python : "");
    return clause_read_wrong(p, what) != NONE;
}

/* A number of Python's that is none here, or a name without quotes: 0 */
static int wrong_number(const struct parser *p)
{
    const char *at = p->t.at, *end = at + strspn(at, "_0123456789");
    const int is_other = !starts_word(*end) || (*at == '0' && strchr("xXbBoO", at[1]));
    return clause_read_wrong(p, has_zeros_before(at) ? "a number of Python's does not begin with 0"
                                : is_other ? "a number is written in digits alone, or as 0x10"
                                           : "a name that begins with a digit has to be in quotes")
           != NONE;
}

/* Moves on to the next token; 0 after a message. */
static int next(struct parser *p)
{
    p->ended = p->t.end;
    p->t = python_token(p->t.end, " \t");
    switch (p->t.kind) {
    case PYTHON_NUMBER:
    case PYTHON_WHOLE: return read_number(p);
    case PYTHON_FRACTION:
        return clause_read_wrong(
                   p, "decimal fractions are not allowed: write a quotient, or a name in quotes")
               != NONE;
    case PYTHON_ODD_NUMBER: return wrong_number(p);
    case PYTHON_WORD: return keep_text(p, p->t.at, (size_t)(p->t.end - p->t.at));
    case PYTHON_QUOTED: return read_quoted(p);
    case PYTHON_SIGN: return read_sign(p);
    default: return 1;
    }
}

/* Is the next token this sign, or this word? */
static int sees(const struct parser *p, const char *text)
{
    return python_is(&p->t, text);
}

/* The same, and if so moves on: 1; 0: it is not; -1: it was, and behind it is an error. */
static int takes(struct parser *p, const char *text)
{
    return !sees(p, text) ? 0 : next(p) ? 1 : -1;
}

/* Moves past what has to be there; 0 after a message. */
static int expect(struct parser *p, const char *text)
{
    char what[40];
    const int taken = takes(p, text);
    if (taken)
        return taken > 0;
    snprintf(what, sizeof what, "expected \"%s\"", text);
    return clause_read_wrong(p, sees(p, "for") ? "for is not allowed: write each member of the list"
                                               : what)
           != NONE;
}

/* ---- nodes ---- */

static size_t clause_read_add(struct parser *p, struct clause_node node)
{
    struct clause *c = p->c;
    if (c->n == CLAUSE_MAX_NODES)
        return clause_read_wrong(p, "the clause is too long");
    if (node.depth > CLAUSE_MAX_DEPTH)
        return clause_read_wrong(p, TOO_DEEP);
    c->nodes = xrealloc(c->nodes, c->n + 1, sizeof *c->nodes);
    c->nodes[c->n] = node;
    return c->n++;
}

/* A leaf, which is the next token: a number, or the field or parameter that is not NULL */
static size_t add_leaf(struct parser *p, enum clause_op op, int64_t k,
                       const struct spec_field *field, const struct spec_param *param)
{
    struct clause_node node = {0};
    node.op = op;
    node.k = k;
    node.at = p->t.at;
    node.end = p->t.end;
    node.type = field || param ? CLAUSE_NAME : CLAUSE_INTEGER;
    node.field = field;
    node.param = param;
    return clause_read_add(p, node);
}

static size_t add_constant(struct parser *p, int64_t k)
{
    return add_leaf(p, CLAUSE_CONST, k, NULL, NULL);
}

/* The node was read up to here, and begins at `at`. */
static size_t reaches(const struct parser *p, size_t i, const char *at)
{
    p->c->nodes[i].at = at;
    p->c->nodes[i].end = p->ended;
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

static size_t unknown(const struct parser *p, const struct clause_node *node)
{
    struct names_near near = {.text = node->text};
    struct buf what = {0};
    for (size_t i = 0; i < p->spec->n_fields; i++)
        names_offer(&near, p->spec->fields[i].name, p->spec->fields[i].name);
    for (size_t i = 0; i < p->spec->n_params; i++)
        names_offer(&near, p->spec->params[i].name, p->spec->params[i].name);
    for (size_t i = 0; i < p->n_constants; i++)
        names_offer(&near, p->constants[i].name, p->constants[i].name);
    for (size_t i = 0; i < N_LIMITS; i++)
        names_offer(&near, limits[i].name, limits[i].name);
    buf_printf(&what,
               *node->at == '"' || *node->at == '\''
                   ? "\"%.60s\" is a name, but is compared with something that has no names"
                   : "\"%.60s\" is not a field, parameter, constant or limit",
               node->text);
    wrong_at(p, node->at, names_question(&near, &what));
    buf_free(&what);
    return NONE;
}

/* A long row of `and`, `or` or members is not deep: it is read and written from left to right. */
static int node_depth(const struct clause *c, enum clause_op op, size_t a, size_t b)
{
    const int x = c->nodes[a].depth + (op < CLAUSE_ANY);
    const int y = c->nodes[b].depth + 1;
    return x > y ? x : y;
}

/* A node of nodes that are there, which stands where these stand */
static size_t add_node(struct parser *p, enum clause_op op, enum clause_type type, size_t a,
                       size_t b)
{
    const struct clause_node *x = p->c->nodes + a, *y = p->c->nodes + b;
    struct clause_node node = {0};
    node.op = op;
    node.type = type;
    node.a = a;
    node.b = b;
    node.at = x->at < y->at ? x->at : y->at;
    node.end = x->end > y->end ? x->end : y->end;
    node.depth = node_depth(p->c, op, a, b);
    return clause_read_add(p, node);
}

/* The node once more, with all below it: two uses of one node are evaluated in no order, but for
   those that `and` and `or` put into one. */
static size_t copy(struct parser *p, size_t i)
{
    struct clause_node node = p->c->nodes[i];
    if (node.op > CLAUSE_PARAM) {
        const int is_alone = node.a == node.b;
        node.a = copy(p, node.a);
        node.b = is_alone || node.a == NONE ? node.a : copy(p, node.b);
        if (node.b == NONE)
            return NONE;
    }
    return clause_read_add(p, node);
}

/* ---- names ---- */

static size_t n_names(const struct clause_node *of)
{
    return of->field ? of->field->n_tokens : of->param->n_values;
}

static const char *const *names_of(const struct clause_node *of)
{
    return of->field ? of->field->tokens : of->param->names;
}

/* The number of a text among them, which may be the same number in another form; -1: it is none */
static int64_t name_index(const struct clause_node *of, const char *text)
{
    return number_find(names_of(of), n_names(of), text);
}

static int is_truth(const struct clause_node *of)
{
    for (size_t i = 0; i < n_names(of); i++)
        if (strcmp(names_of(of)[i], "True") && strcmp(names_of(of)[i], "False"))
            return 0;
    return 1;
}

/* Is this name that of number k? (-1: it is not) */
static size_t add_is(struct parser *p, size_t name, int64_t k)
{
    const size_t index = add_constant(p, k);
    if (index == NONE)
        return NONE;
    p->c->nodes[index].at = p->c->nodes[name].at;
    p->c->nodes[index].end = p->c->nodes[name].end;
    return add_node(p, CLAUSE_EQ, CLAUSE_TRUTH, name, index);
}

/* Names are compared, and nothing else, but for truths. */
static size_t operand(struct parser *p, size_t i, const char *at)
{
    const struct clause_node *node = p->c->nodes + i;
    char what[120];
    if (!is_name(node))
        return i;
    if (node->op == CLAUSE_TEXT)
        return unknown(p, node);
    if (is_truth(node))
        return add_is(p, i, name_index(node, "True"));
    snprintf(what, sizeof what, "%.60s is a name: it can only be compared by ==, != and in",
             node->field ? node->field->name : node->param->name);
    return wrong_at(p, at, what);
}

/* A node of one operand (then b is a) or two */
static size_t add_operation(struct parser *p, enum clause_op op, size_t a, size_t b, const char *at)
{
    enum clause_type type = CLAUSE_INTEGER;
    const int is_alone = a == b;
    a = operand(p, a, at);
    b = a == NONE || is_alone ? a : operand(p, b, at);
    if (b == NONE)
        return NONE;
    const enum clause_type x = p->c->nodes[a].type, y = p->c->nodes[b].type;
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

/* The text, True, False or number is the name with this number. -1: none, after a message that
   shows both. True and False are the names 1 and 0, too. */
static int64_t find_name(const struct parser *p, const struct clause_node *name,
                         const struct clause_node *node, const char *at)
{
    const char *of = name->field ? name->field->name : name->param->name;
    struct names_near near = {.text = node->text ? node->text : ""};
    struct buf what = {0}, values = {0};
    char number[24];
    int64_t index = node->text ? name_index(name, node->text) : -1;
    snprintf(number, sizeof number, "%" PRId64, node->k);
    if (index < 0 && node->op == CLAUSE_CONST)
        index = name_index(name, number);
    if (index >= 0)
        return index;
    for (size_t i = 0; i < n_names(name); i++)
        names_offer(&near, names_of(name)[i], names_of(name)[i]);
    if (node->text) {
        buf_printf(&what, "\"%.60s\" is not a %s of %.60s", node->text,
                   name->field ? "token" : "value", of);
        names_question(&near, &what);
    } else
        buf_printf(&what, "%.*s is a number, and %.60s is one of the names %.120s",
                   (int)(node->end - node->at), node->at, of,
                   name->field ? spec_tokens_text(name->field, &values)
                               : spec_values_text(name->param, &values));
    wrong_at(p, node->text ? node->at : at, what.s);
    buf_free(&what);
    buf_free(&values);
    return -1;
}

static size_t add_both(struct parser *p, size_t a, int64_t of_a, size_t b, int64_t of_b)
{
    const size_t x = add_is(p, a, of_a), y = x == NONE ? NONE : add_is(p, b, of_b);
    return y == NONE ? NONE : add_node(p, CLAUSE_AND, CLAUSE_TRUTH, x, y);
}

/* The fields or parameters a and b have the same name: one of a's, if b has it, for both */
static size_t add_same_name(struct parser *p, size_t a, size_t b)
{
    size_t any = add_both(p, a, -1, b, -1);
    for (size_t i = 0; any != NONE && i < n_names(p->c->nodes + a); i++) {
        const int64_t k = name_index(p->c->nodes + b, names_of(p->c->nodes + a)[i]);
        if (k < 0)
            continue;
        const size_t both = add_both(p, a, (int64_t)i, b, k);
        any = both == NONE ? NONE : add_node(p, CLAUSE_OR, CLAUSE_TRUTH, any, both);
    }
    return any;
}

/* Do two fields or parameters have the same names in the same order? Then their numbers are
   compared. */
static int same_names(const struct clause_node *a, const struct clause_node *b)
{
    int same = n_names(a) == n_names(b);
    for (size_t i = 0; same && i < n_names(a); i++)
        same = !strcmp(names_of(a)[i], names_of(b)[i]);
    return same;
}

/* A name beside a name, or beside what may be one; NONE after a message */
static size_t add_name_equal(struct parser *p, size_t name, size_t other, const char *at)
{
    const struct clause_node *x = p->c->nodes + name, *y = p->c->nodes + other;
    if (y->type == CLAUSE_NAME)
        return same_names(x, y) ? add_node(p, CLAUSE_EQ, CLAUSE_TRUTH, name, other)
                                : add_same_name(p, name, other);
    if (is_truth(x) && y->type == CLAUSE_TRUTH)
        return y->op == CLAUSE_CONST ? add_is(p, name, name_index(x, y->text))
                                     : add_operation(p, CLAUSE_EQ, name, other, at);
    const int64_t k = find_name(p, x, y, at);
    return k < 0 ? NONE : add_is(p, name, k);
}

/* A comparison, in which names may stand */
static size_t add_comparison(struct parser *p, enum clause_op op, size_t a, size_t b,
                             const char *at)
{
    const struct clause_node *x = p->c->nodes + a, *y = p->c->nodes + b;
    if (!is_name(x) && !is_name(y))
        return add_operation(p, op, a, b, at);
    if (x->op == CLAUSE_TEXT && y->type != CLAUSE_NAME)
        return unknown(p, x);
    if (y->op == CLAUSE_TEXT && x->type != CLAUSE_NAME)
        return unknown(p, y);
    if (op != CLAUSE_EQ && op != CLAUSE_NE)
        return wrong_at(p, at, "names have no order: compare them by ==, != and in");
    const int turned = x->type != CLAUSE_NAME;
    const size_t equal = add_name_equal(p, turned ? b : a, turned ? a : b, at);
    if (equal == NONE || op == CLAUSE_EQ)
        return equal;
    if (p->c->nodes[equal].op != CLAUSE_EQ)
        return add_node(p, CLAUSE_NOT, CLAUSE_TRUTH, equal, equal);
    p->c->nodes[equal].op = op;
    return equal;
}

static size_t add_field(struct parser *p, int f)
{
    const struct spec_field *field = p->spec->fields + f;
    return add_leaf(p, CLAUSE_FIELD, f, field->n_tokens ? field : NULL, NULL);
}

static size_t add_param(struct parser *p, int t)
{
    const struct spec_param *param = p->spec->params + t;
    p->c->params |= UINT32_C(1) << t;
    return add_leaf(p, CLAUSE_PARAM, t, NULL, param->names[0] ? param : NULL);
}

/* A text, or True or False */
static size_t add_text(struct parser *p, enum clause_op op, int64_t k)
{
    const size_t node = add_leaf(p, op, k, NULL, NULL);
    if (node != NONE)
        p->c->nodes[node].text = p->word;
    if (node != NONE && op == CLAUSE_CONST)
        p->c->nodes[node].type = CLAUSE_TRUTH;
    return node;
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

static size_t named(struct parser *p)
{
    const int f = spec_field_index(p->spec, p->word), t = spec_param_index(p->spec, p->word);
    const struct constant *constant = find_constant(p, p->word);
    const size_t node = f >= 0     ? add_field(p, f)
                        : t >= 0   ? add_param(p, t)
                        : constant ? add_constant(p, constant->value)
                                   : add_text(p, CLAUSE_TEXT, 0);
    return node == NONE || !next(p) ? NONE : node;
}

/* ---- the grammar, from the tightest level to the loosest ---- */

/* min(a, ...), max(a, ...), abs(a), ceil_div(a, b), behind the word */
static size_t call(struct parser *p, enum clause_op op, size_t least, size_t most)
{
    const char *at = p->t.at;
    size_t all = NONE, n = 0;
    int more = 0;
    if (!next(p) || !expect(p, "("))
        return NONE;
    do {
        const size_t one = expression(p);
        if (one == NONE)
            return NONE;
        all = n == 0 ? one : add_operation(p, op, all, one, at);
        if (all == NONE)
            return NONE;
        n++;
    } while (n < most && (more = takes(p, ",")) > 0);
    if (more < 0)
        return NONE;
    if (n < least)
        return wrong_at(p, at, "too few arguments");
    if (!expect(p, ")"))
        return NONE;
    if (op == CLAUSE_ABS)
        all = add_operation(p, op, all, all, at);
    return all == NONE ? NONE : reaches(p, all, at);
}

/* A member of all([...]) or any([...]) as True or False, or the other way round */
static size_t member_truth(struct parser *p, size_t one, int is_all, const char *at)
{
    one = one == NONE ? NONE : operand(p, one, at);
    if (one == NONE)
        return NONE;
    const struct clause_node *node = p->c->nodes + one;
    if (node->type == CLAUSE_QUOTIENT)
        return wrong_at(p, node->at, NO_TRUTH);
    if (!is_all && node->type == CLAUSE_TRUTH)
        return one;
    one = add_operation(p, CLAUSE_NOT, one, one, at);
    return is_all || one == NONE ? one : add_operation(p, CLAUSE_NOT, one, one, at);
}

/* Moves past the end of a list whose members begin at `from`. Without a comma behind it, (x) is x;
   0 after a message. */
static int end_list(struct parser *p, const char *from, size_t n, int has_comma, const char *closes)
{
    struct buf what = {0};
    if (n > 1 || has_comma || *closes == ']' || !sees(p, ")"))
        return expect(p, closes);
    buf_printf(&what, "(%.*s) is not a list: write (%.*s,)", (int)(p->ended - from), from,
               (int)(p->ended - from), from);
    wrong_at(p, from, what.s);
    buf_free(&what);
    return 0;
}

/* all([a, b]) or any([a, b]), behind the word. As in Python, all members are evaluated. All are
   true where there is none that is not. */
static size_t all_or_any(struct parser *p, int is_all)
{
    const char *at = p->t.at, *closes, *from;
    size_t any = NONE, n = 0;
    int more = 0;
    if (!next(p) || !expect(p, "("))
        return NONE;
    closes = sees(p, "[") ? "]" : ")";
    if (!sees(p, "[") && !sees(p, "("))
        return clause_read_wrong(p, "expected a list: [a, b]");
    if (!next(p))
        return NONE;
    from = p->t.at;
    do {
        if (n++ && sees(p, closes)) /* a comma may end the list */
            break;
        const size_t one = member_truth(p, expression(p), is_all, at);
        any = one == NONE || any == NONE ? one : add_operation(p, CLAUSE_ANY, any, one, at);
        if (any == NONE)
            return NONE;
    } while ((more = takes(p, ",")) > 0);
    if (more < 0 || !end_list(p, from, n, more, closes) || !expect(p, ")"))
        return NONE;
    if (is_all)
        any = add_operation(p, CLAUSE_NOT, any, any, at);
    return any == NONE ? NONE : reaches(p, any, at);
}

/* p["NAME"] */
static size_t indexed(struct parser *p)
{
    const char *at = p->t.at;
    if (spec_field_index(p->spec, p->word) >= 0 || spec_param_index(p->spec, p->word) >= 0
        || find_constant(p, p->word))
        return clause_read_wrong(p, "[ is not allowed after a field, a parameter or a constant");
    if (!next(p) || !next(p))
        return NONE;
    if (p->t.kind != PYTHON_QUOTED)
        return clause_read_wrong(p, "expected the name of a field or parameter in quotes");
    const int f = spec_field_index(p->spec, p->word), t = spec_param_index(p->spec, p->word);
    if (f < 0 && t < 0) {
        const struct clause_node node = {.text = p->word, .at = p->t.at + 1};
        return unknown(p, &node);
    }
    const size_t node = f >= 0 ? add_field(p, f) : add_param(p, t);
    return node == NONE || !next(p) || !expect(p, "]") ? NONE : reaches(p, node, at);
}

static char behind(const struct parser *p)
{
    return p->t.end[strspn(p->t.end, " \t")];
}

static size_t word(struct parser *p)
{
    static const char *const not_read[] = {"lambda", "for", "if", "else", "is"};
    if (sees(p, "True") || sees(p, "False")) {
        const size_t node = add_text(p, CLAUSE_CONST, sees(p, "True"));
        return node != NONE && next(p) ? node : NONE;
    }
    if (sees(p, "and") || sees(p, "or") || sees(p, "not") || sees(p, "in"))
        return clause_read_wrong(p, "an operand is missing");
    for (size_t i = 0; i < sizeof not_read / sizeof *not_read; i++)
        if (sees(p, not_read[i]))
            return not_read_here(p);
    if (behind(p) == '[')
        return indexed(p);
    if (behind(p) == '(') {
        if (sees(p, "all") || sees(p, "any"))
            return all_or_any(p, sees(p, "all"));
        if (sees(p, "min"))
            return call(p, CLAUSE_MIN, 2, CLAUSE_MAX_NODES);
        if (sees(p, "max"))
            return call(p, CLAUSE_MAX_OF, 2, CLAUSE_MAX_NODES);
        if (sees(p, "abs"))
            return call(p, CLAUSE_ABS, 1, 1);
        if (sees(p, "ceil_div"))
            return call(p, CLAUSE_CEIL_DIV, 2, 2);
        return clause_read_wrong(
            p, "there is no such function: there are abs all any ceil_div max min");
    }
    return named(p);
}

static size_t atom(struct parser *p)
{
    const char *at = p->t.at;
    size_t node;
    switch (p->t.kind) {
    case PYTHON_NUMBER:
    case PYTHON_WHOLE: node = add_constant(p, p->number); return next(p) ? node : NONE;
    case PYTHON_QUOTED:
        node = add_text(p, CLAUSE_TEXT, 0);
        return node != NONE && next(p) ? node : NONE;
    case PYTHON_WORD: return word(p);
    case PYTHON_SIGN:
        if (!sees(p, "("))
            return clause_read_wrong(p, "an operand is missing");
        if (!next(p) || (node = expression(p)) == NONE)
            return NONE;
        return expect(p, ")") ? reaches(p, node, at) : NONE;
    default: return clause_read_wrong(p, "the clause ends where an operand should be");
    }
}

/* a ** b of constants, b >= 0. From b = 64 on, its parity alone matters. */
static size_t fold_power(struct parser *p, size_t a, size_t b, const char *at)
{
    const struct clause_node *x = p->c->nodes + a, *y = p->c->nodes + b;
    int64_t result = 1;
    if (y->k < 0)
        return wrong_at(p, at, "** takes no negative exponent");
    for (int64_t n = y->k < 64 ? y->k : 64 + y->k % 2; n > 0; n--)
        result = kpri_x_mul(result, x->k);
    if (result == INT64_MAX || result == INT64_MIN)
        return wrong_at(p, at, "a power that passes 2^63");
    const char *from = x->at;
    const size_t node = add_constant(p, result);
    return node == NONE ? NONE : reaches(p, node, from);
}

/* a ** b as products */
static size_t add_power(struct parser *p, size_t a, size_t b, const char *at)
{
    const struct clause_node *x = p->c->nodes + a, *y = p->c->nodes + b;
    const char *from = x->at;
    if (x->op == CLAUSE_CONST && y->op == CLAUSE_CONST)
        return fold_power(p, a, b, at);
    if (y->op != CLAUSE_CONST || y->k < 1 || y->k > MOST_POWER)
        return wrong_at(p, at, "** takes a constant exponent, from 1 to 32");
    int64_t left = y->k;
    size_t all = operand(p, a, at);
    for (const size_t base = all; all != NONE && --left > 0;) {
        const size_t once_more = copy(p, base);
        all = once_more == NONE ? NONE : add_operation(p, CLAUSE_MUL, all, once_more, at);
        if (all != NONE)
            reaches(p, all, from);
    }
    return all == NONE ? NONE : reaches(p, all, from);
}

static size_t unary(struct parser *p);

/* Binds tighter than a sign before it, and its exponent may have one. */
static size_t power(struct parser *p)
{
    const size_t a = atom(p);
    const char *at = p->t.at;
    const int taken = a == NONE ? -1 : takes(p, "**");
    if (taken <= 0)
        return taken < 0 ? NONE : a;
    const size_t b = unary(p);
    return b == NONE ? NONE : add_power(p, a, b, at);
}

/* Signs have no depth: two minus signs are none. */
static size_t unary(struct parser *p)
{
    const char *at = p->t.at;
    int signs = 0, minus = 0;
    for (; sees(p, "-") || sees(p, "+"); signs++) {
        minus ^= sees(p, "-");
        if (!next(p))
            return NONE;
    }
    size_t a = power(p);
    if (a == NONE || signs == 0)
        return a;
    a = operand(p, a, at);
    if (a != NONE && minus)
        a = p->c->nodes[a].op == CLAUSE_CONST /* stays one, for ** and for messages */
                ? add_constant(p, -p->c->nodes[a].k)
                : add_operation(p, CLAUSE_NEG, a, a, at);
    return a == NONE ? NONE : reaches(p, a, at);
}

struct sign {
    const char *text;
    enum clause_op op;
};

/* A level of operators that are read from left to right */
static size_t level(struct parser *p, size_t (*tighter)(struct parser *), const struct sign *signs,
                    size_t n)
{
    size_t a = tighter(p);
    for (size_t i = 0; a != NONE && i < n;) {
        const char *at = p->t.at;
        const int taken = takes(p, signs[i].text);
        if (!taken) {
            i++;
            continue;
        }
        const size_t b = taken < 0 ? NONE : tighter(p);
        a = b == NONE ? NONE : add_operation(p, signs[i].op, a, b, at);
        i = 0;
    }
    return a;
}

static size_t product(struct parser *p)
{
    static const struct sign signs[] = {
        {"*", CLAUSE_MUL}, {"//", CLAUSE_FLOOR_DIV}, {"%", CLAUSE_MOD}, {"/", CLAUSE_DIV}};
    return level(p, unary, signs, 4);
}

static size_t sum(struct parser *p)
{
    static const struct sign signs[] = {{"+", CLAUSE_ADD}, {"-", CLAUSE_SUB}};
    return level(p, product, signs, 2);
}

/* a in (x, y, ...) or a in [x, y, ...]: a == x or a == y or ..., behind the `in`; as in Python, all
   are evaluated. */
static size_t membership(struct parser *p, size_t a, const char *at)
{
    const char *opens = sees(p, "[") ? "[" : "(", *closes = *opens == '[' ? "]" : ")";
    size_t any = NONE, n = 0;
    int more = 0;
    if (!expect(p, opens))
        return NONE;
    const char *from = p->t.at;
    do {
        if (n++ && sees(p, closes)) /* a comma may end the list */
            break;
        const size_t one = expression(p);
        const size_t equal = one == NONE ? NONE : add_comparison(p, CLAUSE_EQ, a, one, at);
        if (equal == NONE)
            return NONE;
        any = any == NONE ? equal : add_operation(p, CLAUSE_ANY, any, equal, at);
        if (any == NONE)
            return NONE;
    } while ((more = takes(p, ",")) > 0);
    return more >= 0 && end_list(p, from, n, more, closes) ? any : NONE;
}

/* The operator of a comparison, if one comes next: 1, and moves past it; 0; -1 after a message.
   > and >= are < and <= the other way round. */
static int comparison_sign(struct parser *p, enum clause_op *op, int *turned)
{
    static const struct sign signs[] = {{"==", CLAUSE_EQ}, {"!=", CLAUSE_NE}, {"<=", CLAUSE_LE},
                                        {">=", CLAUSE_LE}, {"<", CLAUSE_LT},  {">", CLAUSE_LT}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        *op = signs[i].op;
        *turned = signs[i].text[0] == '>';
        if (sees(p, signs[i].text))
            return takes(p, signs[i].text);
    }
    if (sees(p, "="))
        return clause_read_wrong(p, NO_SIGN) != NONE ? 1 : -1;
    return 0;
}

/* The comparison of `a` with what follows it in a chain; NONE if nothing does, or after a message,
   which sets *bad. *last is the operand that the next comparison takes; NONE: there is none. */
static size_t link_of_chain(struct parser *p, size_t a, size_t *last, int *bad)
{
    enum clause_op op;
    int turned;
    const char *at = p->t.at;
    const int negated = takes(p, "not");
    const int member = negated < 0 ? -1 : takes(p, "in");
    *bad = 1;
    if (member < 0 || (negated && !member && clause_read_wrong(p, "expected \"in\"") == NONE))
        return NONE;
    if (member) {
        const size_t in = membership(p, a, at);
        *bad = in == NONE;
        *last = NONE; /* a list is not compared further */
        return in == NONE || !negated ? in : add_operation(p, CLAUSE_NOT, in, in, at);
    }
    const int sign = comparison_sign(p, &op, &turned);
    *bad = sign < 0;
    if (sign <= 0)
        return NONE;
    const size_t b = sum(p);
    const size_t node =
        b == NONE ? NONE : add_comparison(p, op, turned ? b : a, turned ? a : b, at);
    *bad = node == NONE;
    *last = b;
    return node;
}

static size_t comparison(struct parser *p)
{
    size_t last = sum(p), all = NONE;
    const size_t first = last;
    int bad = first == NONE;
    while (!bad && last != NONE) {
        const char *at = p->t.at;
        const size_t one = link_of_chain(p, last, &last, &bad);
        if (one == NONE)
            break;
        all = all == NONE ? one : add_operation(p, CLAUSE_AND, all, one, at);
        bad = all == NONE;
    }
    return bad ? NONE : all == NONE ? first : all;
}

static size_t negation(struct parser *p)
{
    const char *at = p->t.at;
    const int taken = takes(p, "not");
    if (!taken)
        return comparison(p);
    if (taken < 0 || ++p->nesting > CLAUSE_MAX_DEPTH)
        return taken < 0 ? NONE : clause_read_wrong(p, TOO_DEEP);
    const size_t a = negation(p);
    p->nesting--;
    return a == NONE ? NONE : add_operation(p, CLAUSE_NOT, a, a, at);
}

static size_t conjunction(struct parser *p)
{
    static const struct sign signs[] = {{"and", CLAUSE_AND}};
    return level(p, negation, signs, 1);
}

static size_t disjunction(struct parser *p)
{
    static const struct sign signs[] = {{"or", CLAUSE_OR}};
    return level(p, conjunction, signs, 1);
}

/* x if c else y: of truths (c and x) or (not c and y), else the sum of both. So the one that is not
   asked for is not evaluated. */
static size_t add_choice(struct parser *p, size_t x, size_t c, size_t y, const char *at)
{
    x = operand(p, x, at);
    y = x == NONE ? NONE : operand(p, y, at);
    const size_t no = y == NONE ? NONE : add_operation(p, CLAUSE_NOT, c, c, at);
    const size_t again = no == NONE ? NONE : copy(p, no);
    const size_t yes = again == NONE ? NONE : add_operation(p, CLAUSE_NOT, again, again, at);
    if (yes == NONE)
        return NONE;
    const enum clause_type of_x = p->c->nodes[x].type, of_y = p->c->nodes[y].type;
    if (of_x == CLAUSE_QUOTIENT || of_y == CLAUSE_QUOTIENT)
        return wrong_at(p, at, "if does not choose between quotients: compare each of them");
    const enum clause_op op = of_x == CLAUSE_TRUTH && of_y == CLAUSE_TRUTH ? CLAUSE_OR : CLAUSE_ADD;
    const size_t first = add_operation(p, CLAUSE_AND, yes, x, at);
    const size_t second = first == NONE ? NONE : add_operation(p, CLAUSE_AND, no, y, at);
    return second == NONE ? NONE : add_operation(p, op, first, second, at);
}

static size_t choice(struct parser *p)
{
    const size_t x = disjunction(p);
    const char *at = p->t.at, *from = x == NONE ? NULL : p->c->nodes[x].at;
    const int taken = x == NONE ? -1 : takes(p, "if");
    if (taken <= 0)
        return taken < 0 ? NONE : x;
    const size_t c = disjunction(p);
    if (c == NONE || !expect(p, "else"))
        return NONE;
    const size_t y = expression(p);
    const size_t all = y == NONE ? NONE : add_choice(p, x, c, y, at);
    return all == NONE ? NONE : reaches(p, all, from);
}

static size_t expression(struct parser *p)
{
    if (++p->nesting > CLAUSE_MAX_DEPTH)
        return clause_read_wrong(p, TOO_DEEP);
    const size_t a = choice(p);
    p->nesting--;
    return a;
}

/* ---- lines ---- */

/* NAME = NUMBER? */
static int is_constant_line(const char *text)
{
    struct python_token t = python_token(text, "");
    if (t.kind != PYTHON_WORD)
        return 0;
    t = python_token(t.end, " \t");
    return python_is(&t, "=") && !other_sign(t.at);
}

/* The expression, whose node is the last one; what was read behind it, as the 1 of x ** 1, has no
   use. */
static size_t whole_line(struct parser *p, const char *at)
{
    const size_t a = expression(p);
    if (a != NONE && p->t.kind != PYTHON_END)
        return not_read_here(p);
    const size_t node = a == NONE ? NONE : operand(p, a, at);
    if (node != NONE)
        p->c->n = node + 1;
    return node;
}

/* A constant may be an expression of constants. */
static int constant_line(struct parser *p, struct clause *c)
{
    const char *name = p->word, *at = p->t.at;
    if (spec_field_index(p->spec, name) >= 0 || spec_param_index(p->spec, name) >= 0)
        return wrong_at(p, python_token(p->t.end, " \t").at, NO_SIGN) != NONE;
    for (size_t i = 0; i < p->n_constants; i++)
        if (!strcmp(p->constants[i].name, name))
            return clause_read_wrong(p, "this constant is given twice") != NONE;
    if (p->n_constants == MAX_CONSTANTS)
        return clause_read_wrong(p, "too many constants") != NONE;
    if (!next(p) || !next(p))
        return 0;
    int undefined = 0;
    if (whole_line(p, at) == NONE)
        return 0;
    if (c->quotients)
        return clause_read_wrong(p, "a constant has to be an integer") != NONE;
    for (size_t i = 0; i < c->n; i++)
        if (c->nodes[i].op == CLAUSE_FIELD || c->nodes[i].op == CLAUSE_PARAM)
            return wrong_at(p, at, "a constant depends on no field and no parameter") != NONE;
    p->constants[p->n_constants].value = clause_value(c, &undefined);
    p->constants[p->n_constants++].name = name;
    return !undefined || wrong_at(p, at, "the constant has no value: a division") != NONE;
}

static int truth_line(struct parser *p)
{
    const size_t node = whole_line(p, p->line->text);
    return node != NONE
           && (p->c->nodes[node].type != CLAUSE_QUOTIENT
               || wrong_at(p, p->line->text, NO_TRUTH) != NONE);
}

/* All terms have 64 bits, whatever the problem and the tuple. */
static int check_sizes(const struct parser *p)
{
    const struct clause_node *term = clause_too_large(p->c, p->spec);
    struct buf what = {0};
    if (!term)
        return 1;
    buf_printf(&what, "\"%.*s\" may pass 2^63", (int)(term->end - term->at), term->at);
    if (clause_has_fields(p->c))
        buf_puts(&what, ": give its fields a largest size in [fields]");
    wrong_at(p, term->at, what.s);
    buf_free(&what);
    return 0;
}

static int read_line(struct parser *p, struct clauses *all, const struct spec_line *line)
{
    struct clause c = {0};
    c.text = line->text;
    c.line = line->line;
    p->line = line;
    p->c = &c;
    p->t.end = line->text;
    p->nesting = 0;
    if (!next(p))
        return 0;
    const int constant = is_constant_line(line->text);
    int good = (constant ? constant_line(p, &c) : truth_line(p)) && check_sizes(p);
    if (good && !constant && all->n == CLAUSE_MAX)
        good = wrong_at(p, line->text, "too many clauses") != NONE;
    if (good && !constant)
        all->v[all->n++] = c;
    else
        free(c.nodes);
    return good;
}

int clauses_read(struct clauses *c, const struct spec *spec)
{
    struct parser *p = xcalloc(1, sizeof *p);
    int good = 1;
    p->spec = spec;
    c->n = 0;
    c->is_plain = 0;
    for (size_t i = 0; good && i < spec->restricts.n; i++)
        good = read_line(p, c, spec->restricts.v + i);
    for (size_t i = 0; i < p->n_text; i++)
        free(p->text[i]);
    free(p);
    if (!good)
        clauses_free(c);
    return good ? 0 : -1;
}

void clauses_free(struct clauses *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i].nodes);
    c->n = 0;
}
