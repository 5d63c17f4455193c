/* condition_forms.c - which tests a search for conditions tries: see condition_terms.h
   SPDX-License-Identifier: MIT */
#include "condition_terms.h"

#define LARGEST (INT64_C(1) << 61) /* of an expression: a spec refuses what passes 2^63 */

enum { FEW_NUMBERS = 10 }; /* columns, of which even behind a guard there are sums of products */

typedef void see_term(void *to, const struct term *t);

struct forms {
    const struct term_columns *c;
    see_term *see;
    void *to;
    size_t n, guard;
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
    struct term t = {.test = (unsigned char)test,
                     .form = (unsigned char)form,
                     .n_a = (unsigned char)n_a,
                     .n_b = (unsigned char)n_b,
                     .guard = TERM_NO_GUARD};
    int64_t most;
    for (size_t i = 0; i < n_a + n_b; i++)
        t.c[i] = c[i];
    most = form == TERM_SHARED         ? times(2, greatest(f, c, 3))
           : form == TERM_SHARED_TIMES ? times(2, greatest(f, c, 4))
           : form == TERM_TWO_PRODUCTS ? times(2, greatest(f, c, 4))
                                       : greatest(f, c, n_a);
    if (most <= LARGEST && greatest(f, c + n_a, n_b) <= LARGEST)
        f->see(f->to, &t);
}

/* ---- expressions: in each call c holds `n` columns in rising order ---- */

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

/* ---- tests against a number of its own ---- */

static void see_number(const struct forms *f, enum term_test test, size_t n_a,
                       const unsigned char *c, int64_t k)
{
    struct term t = {
        .test = (unsigned char)test, .n_a = (unsigned char)n_a, .k = k, .guard = TERM_NO_GUARD};
    for (size_t i = 0; i < n_a; i++)
        t.c[i] = c[i];
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
        for (size_t v = 0; v < all->n_values[i] && i != f->guard; v++) {
            const unsigned char c = (unsigned char)i;
            see_number(f, TERM_IS_NOT, 1, &c, all->values[i][v]);
            if (all->n_values[i] > 2)
                see_number(f, TERM_IS, 1, &c, all->values[i][v]);
        }
}

void terms_each(const struct term_columns *c, int full, size_t guard, see_term *see_it, void *to)
{
    struct forms f = {.c = c, .see = see_it, .to = to, .guard = guard, .full = full};
    unsigned char columns[4] = {0};
    for (size_t i = 0; i < c->table->n_columns; i++)
        if (c->is_number[i] && i != guard)
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
