/* t1_values.c - evaluates the Python expressions that give a parameter's values in a T1 input
   SPDX-License-Identifier: MIT

   A recursive descent over the text itself. The operand of a comprehension stands before its `for`:
   it is passed over once and read again for each value of the variable. */
#include "tuner.h"

#include "model/clause.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { T1_MAX_VALUES = 1024 }; /* of one list */

enum { MAX_DEPTH = 32, MAX_TEXT = 255 };
#define MOST_NUMBER (INT64_C(1) << 40) /* of a number on the way to a value */

struct list {
    size_t n, cap;
    char **v;
};

struct reader {
    const struct t1_place *place;
    const char *text, *at;
    int depth;
    const char *variable; /* of the comprehension that is being read; NULL: of none */
    size_t variable_n;
    int64_t value;
};

/* ---- messages and signs ---- */

static int wrong_at(const struct reader *r, const char *at, const char *what)
{
    return fail("%s:%ld:%ld: values of %s: %s: %s", r->place->path, r->place->line,
                r->place->column + (long)(at - r->text), r->place->param, what, r->text);
}

static int wrong(const struct reader *r, const char *what)
{
    return wrong_at(r, r->at, what);
}

static struct python_token peek(const struct reader *r)
{
    return python_token(r->at, " \t\r\n");
}

static int sees(const struct reader *r, const char *text)
{
    const struct python_token t = peek(r);
    return python_is(&t, text);
}

/* Moves to the next token, and behind it if it is this sign or word. */
static int takes(struct reader *r, const char *text)
{
    const struct python_token t = peek(r);
    const int is_there = python_is(&t, text);
    r->at = is_there ? t.end : t.at;
    return is_there;
}

static int expect(struct reader *r, const char *sign)
{
    char what[32];
    snprintf(what, sizeof what, "expected \"%s\"", sign);
    return takes(r, sign) ? 0 : wrong(r, what);
}

static int deeper(struct reader *r)
{
    return r->depth++ < MAX_DEPTH ? 0 : wrong(r, "it is nested too deep");
}

/* ---- lists ---- */

static void list_free(struct list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    memset(l, 0, sizeof *l);
}

static int list_add(const struct reader *r, struct list *l, const char *text)
{
    if (l->n == T1_MAX_VALUES)
        return wrong(r, "it has more than 1024 values");
    l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
    l->v[l->n++] = xstrdup(text);
    return 0;
}

static int list_add_number(const struct reader *r, struct list *l, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)v);
    return list_add(r, l, text);
}

/* ---- numbers ---- */

static int number(struct reader *r, int64_t *out);

static int fits(const struct reader *r, int64_t v)
{
    return v >= -MOST_NUMBER && v <= MOST_NUMBER ? 0 : wrong(r, "a number is too large");
}

static int product(const struct reader *r, int64_t a, int64_t b, int64_t *out)
{
    const int64_t most = a != 0 ? MOST_NUMBER / (a < 0 ? -a : a) : MOST_NUMBER;
    if (b > most || b < -most)
        return wrong(r, "a number is too large");
    *out = a * b;
    return 0;
}

/* Python rounds down, and the remainder has the divisor's sign. */
static int quotient(const struct reader *r, int64_t a, int64_t b, int is_remainder, int64_t *out)
{
    if (b == 0)
        return wrong(r, "a division by 0");
    int64_t q = a / b, rest = a % b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
        q--;
        rest += b;
    }
    *out = is_remainder ? rest : q;
    return 0;
}

static int literal(struct reader *r, const struct python_token *t, int64_t *out)
{
    if (t->kind != PYTHON_NUMBER)
        return wrong_at(r, t->at, "expected an integer");
    if (!python_integer(t, out) || *out > MOST_NUMBER)
        return wrong(r, "a number is too large");
    r->at = t->end;
    return 0;
}

static int operand(struct reader *r, int64_t *out)
{
    const struct python_token t = peek(r);
    r->at = t.at;
    if (t.kind >= PYTHON_NUMBER && t.kind <= PYTHON_ODD_NUMBER)
        return literal(r, &t, out);
    if (takes(r, "("))
        return number(r, out) != 0 ? -1 : expect(r, ")");
    if (t.kind != PYTHON_WORD)
        return wrong(r, "expected a number");
    const size_t n = (size_t)(t.end - t.at);
    if (r->variable == NULL || n != r->variable_n || strncmp(t.at, r->variable, n) != 0)
        return wrong(r, "this name is not known here");
    r->at = t.end;
    *out = r->value;
    return 0;
}

static int sign(struct reader *r, int64_t *out);

/* ** binds tighter than a sign before it, and from right to left. */
static int power(struct reader *r, int64_t *out)
{
    int64_t base, exponent;
    if (operand(r, &base) != 0)
        return -1;
    *out = base;
    if (!takes(r, "**"))
        return 0;
    if (deeper(r) != 0 || sign(r, &exponent) != 0)
        return -1;
    r->depth--;
    if (exponent < 0)
        return wrong(r, "a negative power is not an integer");
    if (base >= -1 && base <= 1 && exponent > 2)
        exponent = 2 + (exponent & 1);
    for (*out = 1; exponent > 0; exponent--)
        if (product(r, *out, base, out) != 0)
            return -1;
    return 0;
}

static int sign(struct reader *r, int64_t *out)
{
    const int is_minus = takes(r, "-");
    if (deeper(r) != 0 || (is_minus || takes(r, "+") ? sign(r, out) : power(r, out)) != 0)
        return -1;
    r->depth--;
    *out = is_minus ? -*out : *out;
    return 0;
}

static int term(struct reader *r, int64_t *out)
{
    int64_t b;
    int rc = sign(r, out);
    while (rc == 0) {
        const int is_product = takes(r, "*"), is_rest = !is_product && takes(r, "%");
        if (!is_product && !is_rest && !takes(r, "//"))
            return sees(r, "/") ? wrong(r, "/ gives no integer in Python, write //") : 0;
        rc = sign(r, &b);
        if (rc == 0)
            rc = is_product ? product(r, *out, b, out) : quotient(r, *out, b, is_rest, out);
    }
    return rc;
}

static int number(struct reader *r, int64_t *out)
{
    int64_t b;
    if (deeper(r) != 0 || term(r, out) != 0)
        return -1;
    for (;;) {
        const int is_minus = takes(r, "-");
        if (!is_minus && !takes(r, "+"))
            break;
        if (term(r, &b) != 0 || fits(r, *out += is_minus ? -b : b) != 0)
            return -1;
    }
    r->depth--;
    return 0;
}

/* ---- elements ---- */

/* 'text' or "text", without a backslash */
static int quoted(struct reader *r, const struct python_token *t, struct list *out)
{
    char text[MAX_TEXT + 1];
    if (t->end == NULL)
        return wrong(r, "there is no closing quote");
    const size_t n = (size_t)(t->end - t->at) - 2;
    if (n > MAX_TEXT || memchr(t->at + 1, '\\', n) != NULL)
        return wrong(r, "a text is long or has a backslash");
    memcpy(text, t->at + 1, n);
    text[n] = '\0';
    if (list_add(r, out, text) != 0)
        return -1;
    r->at = t->end;
    return 0;
}

/* The length of a decimal fraction; 0: it is none. */
static size_t fraction_length(const char *s)
{
    const char *digits = s + (*s == '-' || *s == '+');
    char *end;
    if (!isdigit((unsigned char)*digits) && *digits != '.')
        return 0;
    (void)strtod(s, &end);
    const size_t n = (size_t)(end - s);
    return strcspn(s, ".eE") < n && strcspn(s, "xX") >= n ? n : 0;
}

static int fraction(struct reader *r, size_t n, struct list *out)
{
    char text[32];
    const int rc = list_add(r, out, double_text(strtod(r->at, NULL), text));
    r->at += n;
    return rc;
}

static int element(struct reader *r, struct list *out)
{
    int64_t v;
    const struct python_token t = peek(r);
    r->at = t.at;
    const size_t n = fraction_length(r->at);
    if (t.kind == PYTHON_QUOTED)
        return quoted(r, &t, out);
    if (n > 0)
        return fraction(r, n, out);
    if (sees(r, "True") || sees(r, "False")) {
        v = takes(r, "True");
        (void)(sees(r, "False") && takes(r, "False"));
    } else if (number(r, &v) != 0) {
        return -1;
    }
    return list_add_number(r, out, v);
}

/* ---- what has several values ---- */

static int values(struct reader *r, struct list *out);

/* range(STOP), range(START, STOP) or range(START, STOP, STEP), behind the word */
static int range(struct reader *r, struct list *out)
{
    int64_t v[3] = {0, 0, 1};
    size_t n = 0;
    const char *start = r->at;
    if (expect(r, "(") != 0)
        return -1;
    do {
        if (number(r, &v[n++]) != 0)
            return -1;
    } while (n < 3 && takes(r, ","));
    if (expect(r, ")") != 0)
        return -1;
    if (n == 1) {
        v[1] = v[0];
        v[0] = 0;
    }
    if (v[2] == 0)
        return wrong_at(r, start, "a range with a step of 0");
    for (int64_t i = v[0]; v[2] > 0 ? i < v[1] : i > v[1]; i += v[2])
        if (list_add_number(r, out, i) != 0)
            return -1;
    return 0;
}

/* The `for` of the list or tuple whose first element comes next; NULL: there is none. */
static const char *find_for(struct reader at)
{
    for (int depth = 0; depth >= 0;) {
        const struct python_token t = peek(&at);
        if (t.kind == PYTHON_END || t.end == NULL)
            return NULL;
        if (depth == 0 && python_is(&t, "for"))
            return t.at;
        depth += (strchr("([", *t.at) != NULL) - (strchr(")]", *t.at) != NULL);
        at.at = t.end;
    }
    return NULL;
}

/* The operand at `operand` for one value of the variable; the reader ends up at `for`. */
static int one_turn(struct reader *r, const char *operand, const char *value, struct list *out)
{
    if (parse_int(value, -MOST_NUMBER, MOST_NUMBER, &r->value) != 0)
        return wrong(r, "the variable is not an integer");
    r->at = operand;
    if (element(r, out) != 0)
        return -1;
    return sees(r, "for") ? 0 : wrong(r, "expected \"for\"");
}

/* EXPRESSION for NAME in VALUES, where the reader stands at the expression */
static int comprehension(struct reader *r, const char *at_for, struct list *out)
{
    struct list turns = {0};
    const char *operand = r->at, *end;
    if (r->variable != NULL)
        return wrong_at(r, at_for, "one comprehension within another");
    const struct python_token variable = python_token(at_for + 3, " \t\r\n");
    const int is_name = variable.kind == PYTHON_WORD;
    r->at = is_name ? variable.end : variable.at;
    if (!is_name || !sees(r, "in"))
        return wrong(r, "expected a name and \"in\"");
    (void)takes(r, "in");
    int rc = values(r, &turns);
    end = r->at;
    r->variable = variable.at;
    r->variable_n = (size_t)(variable.end - variable.at);
    for (size_t i = 0; i < turns.n && rc == 0; i++)
        rc = one_turn(r, operand, turns.v[i], out);
    r->variable = NULL;
    if (rc == 0)
        r->at = end;
    list_free(&turns);
    return rc;
}

/* Elements up to the bracket that closes, which a comma may precede */
static int elements(struct reader *r, const char *close, struct list *out)
{
    const char *at_for = find_for(*r);
    if (at_for != NULL)
        return comprehension(r, at_for, out) != 0 ? -1 : expect(r, close);
    while (!takes(r, close)) {
        if (element(r, out) != 0)
            return -1;
        if (!takes(r, ","))
            return expect(r, close);
    }
    return 0;
}

/* list(VALUES) or tuple(VALUES), behind the word */
static int converted(struct reader *r, struct list *out)
{
    return expect(r, "(") != 0 || values(r, out) != 0 ? -1 : expect(r, ")");
}

static int one_list(struct reader *r, struct list *out)
{
    if (takes(r, "range"))
        return range(r, out);
    if (takes(r, "list") || takes(r, "tuple"))
        return converted(r, out);
    if (takes(r, "["))
        return elements(r, "]", out);
    return takes(r, "(") ? elements(r, ")", out)
                         : wrong(r, "expected a list, such as [1, 2] or list(range(4))");
}

static int values(struct reader *r, struct list *out)
{
    if (deeper(r) != 0)
        return -1;
    do {
        if (one_list(r, out) != 0)
            return -1;
    } while (takes(r, "+"));
    r->depth--;
    return 0;
}

int t1_values(const char *expression, const struct t1_place *place, struct interned *out)
{
    struct reader r = {.place = place, .text = expression, .at = expression};
    struct list list = {0};
    int rc = values(&r, &list);
    r.at = peek(&r).at;
    if (rc == 0 && *r.at != '\0')
        rc = wrong(&r, "unexpected text after the list");
    if (rc == 0 && list.n == 0)
        rc = wrong(&r, "it has no value");
    for (size_t i = 0; i < list.n && rc == 0; i++)
        (void)intern_text(out, list.v[i]);
    list_free(&list);
    return rc;
}
