/* condition_terms.c - the tests that a search for conditions tries
   SPDX-License-Identifier: MIT */
#include "conditions.h"

#include <ctype.h>
#include <string.h>

enum term_form {
    TERM_PRODUCT, /* of n_a columns */
    TERM_SUM,     /* of n_a columns */
    TERM_PRODUCT_PLUS,
    TERM_SHARED,
    TERM_TWO_PRODUCTS,
    TERM_SHARED_TIMES
};

/* Of the others: the columns by their numbers, what it costs to read, and the two products whose
   sum it is */
static const struct form {
    const char *text;
    size_t cost, n[2];
    unsigned char product[2][3];
} forms[] = {[TERM_PRODUCT_PLUS] = {"0 * 1 + 2", 9, {2, 1}, {{0, 1}, {2}}},
             [TERM_SHARED] = {"0 * 1 + 1 * 2", 9, {2, 2}, {{0, 1}, {1, 2}}},
             [TERM_TWO_PRODUCTS] = {"0 * 1 + 2 * 3", 12, {2, 2}, {{0, 1}, {2, 3}}},
             [TERM_SHARED_TIMES] = {"(0 + 1) * 2 * 3", 11, {3, 3}, {{0, 2, 3}, {1, 2, 3}}}};

/* ---- values ---- */

/* Adds the product of these columns. */
static void add_product(const unsigned char *c, size_t n_columns, const struct term_rows *r,
                        size_t from, size_t n, int64_t *restrict out)
{
    const int32_t *restrict a = r->v[c[0]] + from, *restrict b = r->v[c[1]] + from,
                            *restrict d = r->v[c[2]] + from, *restrict e = r->v[c[3]] + from;
    switch (n_columns) {
    case 1:
        for (size_t i = 0; i < n; i++)
            out[i] += a[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++)
            out[i] += (int64_t)a[i] * b[i];
        break;
    case 3:
        for (size_t i = 0; i < n; i++)
            out[i] += (int64_t)a[i] * b[i] * d[i];
        break;
    default:
        for (size_t i = 0; i < n; i++)
            out[i] += (int64_t)a[i] * b[i] * d[i] * e[i];
        break;
    }
}

void term_values(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                 int64_t *restrict out)
{
    const struct form *f = &forms[t->form];
    memset(out, 0, n * sizeof *out);
    if (t->form == TERM_PRODUCT)
        add_product(t->c, t->n_a, r, from, n, out);
    for (size_t k = 0; t->form == TERM_SUM && k < t->n_a; k++)
        add_product(t->c + k, 1, r, from, n, out);
    for (size_t k = 0; t->form > TERM_SUM && k < 2; k++) {
        unsigned char c[4] = {0};
        for (size_t i = 0; i < f->n[k]; i++)
            c[i] = t->c[f->product[k][i]];
        add_product(c, f->n[k], r, from, n, out);
    }
}

static int is_violated(enum term_test test, int64_t a, int64_t b)
{
    switch (test) {
    case TERM_NO_MORE: return a > b;
    case TERM_LESS: return a >= b;
    case TERM_MULTIPLE:
    case TERM_MULTIPLE_OF: return b == 0 || a % b != 0;
    case TERM_NO_MULTIPLE_OF: return a % b == 0;
    case TERM_IS:
    case TERM_SAME: return a != b;
    case TERM_IS_NOT:
    case TERM_OTHER: return a == b;
    default: break;
    }
    return 0;
}

static int is_guarded(const struct term *t, const struct term_rows *r, size_t row)
{
    return (r->v[t->guard][row] == t->value) != t->is_other;
}

void term_guarded(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                  unsigned char *out)
{
    memset(out, 1, n);
    for (size_t i = 0; i < n && t->guard != TERM_NO_GUARD; i++)
        out[i] = (unsigned char)is_guarded(t, r, from + i);
}

void term_violations(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                     unsigned char *out)
{
    int64_t a[TERM_BLOCK], b[TERM_BLOCK];
    const enum term_test test = (enum term_test)t->test;
    term_values(t, r, from, n, a);
    memset(b, 0, n * sizeof *b);
    if (t->n_b > 0)
        add_product(t->c + t->n_a, t->n_b, r, from, n, b);
    if (test == TERM_AT_MOST)
        for (size_t i = 0; i < n; i++)
            out[i] = a[i] > t->k;
    else if (test == TERM_AT_LEAST)
        for (size_t i = 0; i < n; i++)
            out[i] = a[i] < t->k;
    else
        for (size_t i = 0; i < n; i++)
            out[i] = (unsigned char)is_violated(test, a[i], t->n_b > 0 ? b[i] : t->k);
    for (size_t i = 0; i < n && t->guard != TERM_NO_GUARD; i++)
        out[i] = (unsigned char)(out[i] & is_guarded(t, r, from + i));
}

/* ---- cost ---- */

unsigned term_kinds(const struct term *t, const struct term_columns *c)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < (size_t)t->n_a + t->n_b; i++)
        kinds |= c->table->column[t->c[i]].is_field ? 2 : 1;
    if (t->guard != TERM_NO_GUARD)
        kinds |= c->table->column[t->guard].is_field ? 2 : 1;
    return kinds;
}

static size_t form_cost(const struct term *t)
{
    return t->form == TERM_SUM   ? (size_t)3 * t->n_a
           : forms[t->form].cost ? forms[t->form].cost
                                 : (size_t)3 * (t->n_a + t->n_b) - 1 - (t->n_b > 0);
}

/* A divisor or value of its own is an operation, a bound is none. */
size_t term_cost(const struct term *t, const struct term_columns *c)
{
    const int is_name = c->table->column[t->c[0]].names != NULL;
    size_t cost = 2 * form_cost(t);
    if (t->test == TERM_MULTIPLE_OF || t->test == TERM_NO_MULTIPLE_OF || t->test == TERM_IS)
        cost += 2;
    if (t->test == TERM_IS_NOT)
        cost += !is_name;
    if (t->test == TERM_LESS || t->test == TERM_OTHER || t->test == TERM_SAME)
        cost += 1;
    return t->guard == TERM_NO_GUARD ? cost : cost + 9 + 2 * t->is_other;
}

/* ---- round numbers ---- */

static int64_t round_to(int64_t x, int64_t unit, int is_up)
{
    const int64_t rest = x % unit;
    return rest == 0 ? x : is_up ? x + (unit - rest) : x - rest;
}

static int is_between(int64_t x, int64_t least, int64_t most)
{
    return least <= x && x <= most;
}

static int64_t round_positive(int64_t least, int64_t most, int is_up, size_t *roughness)
{
    const int64_t from = is_up ? least : most;
    int64_t power = 1;
    *roughness = 0;
    while (power < from)
        power *= 2;
    if (!is_up && power > from)
        power /= 2;
    if (is_between(power, least, most))
        return power;
    *roughness = 1;
    for (int64_t unit = INT64_C(1) << 50; unit > 1; unit /= 2)
        if (is_between(round_to(from, unit, is_up), least, most)
            && round_to(from, unit, is_up) / unit <= 7)
            return round_to(from, unit, is_up);
    *roughness = 2;
    for (int64_t unit = INT64_C(1000000000000000); unit > 1; unit /= 10)
        if (is_between(round_to(from, unit, is_up), least, most)
            && round_to(from, unit, is_up) / unit < 100)
            return round_to(from, unit, is_up);
    *roughness = 3;
    return from;
}

int64_t term_round(const struct term *t, int64_t least, int64_t most, size_t *roughness)
{
    const int is_up = t->test == TERM_AT_MOST, is_column = t->form == TERM_PRODUCT && t->n_a == 1;
    *roughness = 0;
    return least > 0 && !is_column ? round_positive(least, most, is_up, roughness)
           : is_up                 ? least
                                   : most;
}

/* ---- text ---- */

static void add_value(const struct condition_column *c, int64_t k, struct buf *out)
{
    if (c->names != NULL)
        buf_printf(out, "\"%s\"", c->names[k]);
    else
        buf_printf(out, "%lld", (long long)k);
}

static int is_truth(const struct condition_column *c)
{
    return c->names != NULL && c->n_names == 2
           && ((strcmp(c->names[0], "True") == 0 && strcmp(c->names[1], "False") == 0)
               || (strcmp(c->names[0], "False") == 0 && strcmp(c->names[1], "True") == 0));
}

/* "a == 1", "a != 1", "a", "not a". Of two numbers one is the other. */
static void add_is(const struct term_columns *all, size_t column, int is, int64_t k,
                   struct buf *out)
{
    const struct condition_column *c = &all->table->column[column];
    const int32_t *v = all->values[column];
    if (is_truth(c)) {
        buf_printf(out, "%s%s", (strcmp(c->names[k], "True") == 0) == is ? "" : "not ", c->name);
        return;
    }
    if (!is && all->n_values[column] == 2 && c->names == NULL) {
        is = 1;
        k = v[0] == k ? v[1] : v[0];
    }
    buf_printf(out, "%s %s ", c->name, is ? "==" : "!=");
    add_value(c, k, out);
}

static void add_columns(const struct term_columns *all, const unsigned char *c, size_t n,
                        const char *sign, struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%s", i > 0 ? sign : "", all->table->column[c[i]].name);
}

static void add_expression(const struct term *t, const struct term_columns *all, struct buf *out)
{
    const char *text = forms[t->form].text;
    if (text == NULL)
        add_columns(all, t->c, t->n_a, t->form == TERM_SUM ? " + " : " * ", out);
    for (; text != NULL && *text != '\0'; text++)
        if (isdigit((unsigned char)*text))
            buf_puts(out, all->table->column[t->c[*text - '0']].name);
        else
            buf_add(out, text, 1);
}

/* The product behind a sign; of several columns behind %, in parentheses */
static void add_right(const struct term *t, const struct term_columns *all, struct buf *out)
{
    const int is_in = t->test == TERM_MULTIPLE && t->n_b > 1;
    buf_puts(out, is_in ? "(" : "");
    add_columns(all, t->c + t->n_a, t->n_b, " * ", out);
    buf_puts(out, is_in ? ")" : "");
}

void term_text(const struct term *t, const struct term_columns *all, struct buf *out)
{
    static const char *const signs[] = {" <= ", " >= ", " % ", " % ",  "",    "",
                                        " % ",  " <= ", " < ", " == ", " != "};
    if (t->guard != TERM_NO_GUARD) {
        add_is(all, t->guard, t->is_other, t->value, out);
        buf_puts(out, " or ");
    }
    if (t->test == TERM_IS || t->test == TERM_IS_NOT) {
        add_is(all, t->c[0], t->test == TERM_IS, t->k, out);
        return;
    }
    add_expression(t, all, out);
    buf_puts(out, signs[t->test]);
    if (t->n_b > 0)
        add_right(t, all, out);
    else
        buf_printf(out, "%lld", (long long)t->k);
    if (t->test == TERM_MULTIPLE || t->test == TERM_MULTIPLE_OF)
        buf_puts(out, " == 0");
    if (t->test == TERM_NO_MULTIPLE_OF)
        buf_puts(out, " != 0");
}

/* ---- tests that are tried ---- */

#define LARGEST (INT64_C(1) << 61) /* of an expression: a spec refuses what passes 2^63 */

enum { FEW_NUMBERS = 10 }; /* columns, of which even behind a guard there are sums of products */

typedef void see_term(void *to, const struct term *t);

struct forms {
    const struct term_columns *c;
    see_term *see;
    void *to;
    size_t n;
    struct term base;                              /* of a test, which has the guard */
    unsigned char number[CONDITIONS_MOST_COLUMNS]; /* the columns that are numbers, but the guard */
    int full;
};

static int64_t times(int64_t a, int64_t b)
{
    return a > LARGEST / b ? LARGEST + 1 : a * b;
}

/* The greatest product of these columns; each is at least 1. */
static int64_t greatest(const struct forms *f, const unsigned char *c, size_t n)
{
    int64_t most = 1;
    for (size_t i = 0; i < n && most <= LARGEST; i++)
        most = times(most, f->c->most[c[i]]);
    return most;
}

static void see(const struct forms *f, enum term_test test, enum term_form form, size_t n_a,
                size_t n_b, const unsigned char *c)
{
    struct term t = f->base;
    const int64_t most = times(form > TERM_PRODUCT_PLUS ? 2 : 1, greatest(f, c, n_a));
    t.test = (unsigned char)test;
    t.form = (unsigned char)form;
    t.n_a = (unsigned char)n_a;
    t.n_b = (unsigned char)n_b;
    memcpy(t.c, c, n_a + n_b);
    if (most <= LARGEST && greatest(f, c + n_a, n_b) <= LARGEST)
        f->see(f->to, &t);
}

/* ---- tests that are tried: expressions: in each call c holds `n` columns in rising order ---- */

static void see_two(const struct forms *f, const unsigned char *c)
{
    const unsigned char back[2] = {c[1], c[0]};
    see(f, TERM_AT_MOST, TERM_PRODUCT, 2, 0, c);
    if (f->full)
        see(f, TERM_AT_MOST, TERM_SUM, 2, 0, c);
    see(f, TERM_NO_MORE, TERM_PRODUCT, 1, 1, c);
    see(f, TERM_NO_MORE, TERM_PRODUCT, 1, 1, back);
    see(f, TERM_LESS, TERM_PRODUCT, 1, 1, c);
    see(f, TERM_LESS, TERM_PRODUCT, 1, 1, back);
    see(f, TERM_MULTIPLE, TERM_PRODUCT, 1, 1, c);
    see(f, TERM_MULTIPLE, TERM_PRODUCT, 1, 1, back);
    see(f, TERM_SAME, TERM_PRODUCT, 1, 1, c);
    see(f, TERM_OTHER, TERM_PRODUCT, 1, 1, c);
}

/* One of three is set apart: `last` of turned, behind the two others */
static void see_turned(const struct forms *f, const unsigned char turned[3])
{
    const unsigned char first[3] = {turned[2], turned[0], turned[1]};
    const unsigned char middle[3] = {turned[0], turned[2], turned[1]};
    see(f, TERM_AT_MOST, TERM_SHARED, 3, 0, middle);
    if (!f->full)
        return;
    see(f, TERM_AT_MOST, TERM_PRODUCT_PLUS, 3, 0, turned);
    see(f, TERM_NO_MORE, TERM_PRODUCT, 2, 1, turned);
    see(f, TERM_NO_MORE, TERM_PRODUCT, 1, 2, first);
    see(f, TERM_MULTIPLE, TERM_PRODUCT, 2, 1, turned);
    see(f, TERM_MULTIPLE, TERM_PRODUCT, 1, 2, first);
}

static void see_three(const struct forms *f, const unsigned char *c)
{
    see(f, TERM_AT_MOST, TERM_PRODUCT, 3, 0, c);
    if (f->full)
        see(f, TERM_AT_MOST, TERM_SUM, 3, 0, c);
    for (size_t i = 0; i < 3; i++) {
        const unsigned char turned[3] = {c[(i + 1) % 3], c[(i + 2) % 3], c[i]};
        const unsigned char sorted[3] = {turned[0] < turned[1] ? turned[0] : turned[1],
                                         turned[0] < turned[1] ? turned[1] : turned[0], turned[2]};
        see_turned(f, sorted);
    }
}

static void see_four(const struct forms *f, const unsigned char *c)
{
    static const unsigned char pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                              {2, 3, 0, 1}, {1, 3, 0, 2}, {1, 2, 0, 3}};
    see(f, TERM_AT_MOST, TERM_PRODUCT, 4, 0, c);
    for (size_t i = 0; i < 6 && (f->full || f->n <= FEW_NUMBERS); i++) {
        const unsigned char *p = pairs[i];
        const unsigned char turned[4] = {c[p[0]], c[p[1]], c[p[2]], c[p[3]]};
        see(f, TERM_AT_MOST, TERM_SHARED_TIMES, 4, 0, turned);
        if (f->full && i < 3)
            see(f, TERM_AT_MOST, TERM_TWO_PRODUCTS, 4, 0, turned);
        if (f->full)
            see(f, TERM_MULTIPLE, TERM_PRODUCT, 2, 2, turned);
    }
}

static void see_products(const struct forms *f, unsigned char c[4], size_t n, size_t from)
{
    if (n == 1)
        see(f, TERM_AT_MOST, TERM_PRODUCT, 1, 0, c);
    else if (n > 1)
        (n == 2 ? see_two : n == 3 ? see_three : see_four)(f, c);
    for (size_t i = from; i < f->n && n < 4; i++) {
        c[n] = f->number[i];
        see_products(f, c, n + 1, i + 1);
    }
}

/* ---- tests that are tried: tests against a number of its own ---- */

static void see_number(const struct forms *f, enum term_test test, size_t n_a,
                       const unsigned char *c, int64_t k)
{
    struct term t = f->base;
    t.test = (unsigned char)test;
    t.n_a = (unsigned char)n_a;
    t.k = k;
    memcpy(t.c, c, n_a);
    f->see(f->to, &t);
}

static void see_divisors(const struct forms *f)
{
    static const int divisors[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 128, 256};
    for (size_t d = 0; d < sizeof divisors / sizeof *divisors; d++)
        for (size_t i = 0; i < f->n; i++) {
            const int k = divisors[d];
            see_number(f, TERM_MULTIPLE_OF, 1, f->number + i, k);
            if ((k & (k - 1)) == 0)
                see_number(f, TERM_NO_MULTIPLE_OF, 1, f->number + i, k);
            for (size_t j = i + 1; j < f->n && f->full && (k & (k - 1)) == 0; j++) {
                const unsigned char c[2] = {f->number[i], f->number[j]};
                if (times(f->c->most[c[0]], f->c->most[c[1]]) <= LARGEST)
                    see_number(f, TERM_MULTIPLE_OF, 2, c, k);
            }
        }
}

static void see_values(const struct forms *f)
{
    const struct term_columns *all = f->c;
    for (size_t i = 0; i < all->table->n_columns; i++)
        for (size_t v = 0; v < all->n_values[i] && i != f->base.guard; v++) {
            const unsigned char c = (unsigned char)i;
            see_number(f, TERM_IS_NOT, 1, &c, all->values[i][v]);
            if (all->n_values[i] > 2)
                see_number(f, TERM_IS, 1, &c, all->values[i][v]);
        }
}

void terms_each(const struct term_columns *c, const struct term *guard, see_term *see_it, void *to)
{
    struct forms f = {.c = c, .see = see_it, .to = to, .full = guard == NULL};
    unsigned char columns[4] = {0};
    f.base = guard != NULL ? *guard : (struct term){.guard = TERM_NO_GUARD};
    for (size_t i = 0; i < c->table->n_columns; i++)
        if (c->is_number[i] && i != f.base.guard)
            f.number[f.n++] = (unsigned char)i;
    see_products(&f, columns, 0, 0);
    see_divisors(&f);
    see_values(&f);
}

void terms_each_guard(const struct term_columns *c, see_term *see_it, void *to)
{
    for (size_t i = 0; i < c->table->n_columns; i++)
        for (size_t v = 0; v < c->n_values[i] && c->n_values[i] <= TERM_FEW; v++)
            for (int is_other = 0; is_other < 1 + (c->n_values[i] > 2); is_other++) {
                struct term t = {.guard = (unsigned char)i,
                                 .is_other = (unsigned char)is_other,
                                 .value = c->values[i][v]};
                see_it(to, &t);
            }
}
