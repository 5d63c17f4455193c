/* columns.c - see columns.h
   SPDX-License-Identifier: MIT */
#include "columns.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More places than MOST_PLACES are rounded to as many; products with more than MOST_TABLE pairs of
   values, and more than MOST_PRODUCTS, are left out, for the sake of speed. */
enum { MOST_PLACES = 256, MOST_TABLE = 4096, MOST_PRODUCTS = 36 };

static struct column *add(struct columns *c, enum column_kind kind, size_t n, size_t n_tuples)
{
    c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
    struct column *column = &c->v[c->n++];
    *column = (struct column){.kind = kind, .n = n, .first = c->width};
    column->place = xcalloc(n, sizeof *column->place);
    column->of = xcalloc(n_tuples, sizeof *column->of);
    c->width += n;
    c->n_of[kind]++;
    return column;
}

/* ---- places on a line ---- */

/* Sorts the numbers and leaves each once; those that rounding alone tells apart count as one. */
static size_t distinct(double *v, size_t n)
{
    size_t kept = 0;
    qsort(v, n, sizeof *v, num_rising);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || v[i] - v[kept - 1] > 1e-9)
            v[kept++] = v[i];
    return kept;
}

static size_t nearest_below(const double *v, size_t n, double x)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (v[middle] <= x + 1e-9)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The numbers of a table as places 0..1: the place of each entry goes to `number`, and the distinct
   ones to `place`. Returns how many there are. */
static size_t make_places(const double *table, size_t n, double *place, uint16_t *number)
{
    memcpy(place, table, n * sizeof *place);
    size_t m = distinct(place, n);
    const double low = place[0], span = place[m - 1] - low;
    if (m <= MOST_PLACES) {
        for (size_t i = 0; i < n; i++)
            number[i] = (uint16_t)nearest_below(place, m, table[i]);
        for (size_t i = 0; i < m; i++)
            place[i] = m > 1 ? (place[i] - low) / span : 0;
        return m;
    }
    m = MOST_PLACES;
    for (size_t i = 0; i < n; i++)
        number[i] = (uint16_t)((table[i] - low) / span * (double)(m - 1) + 0.5);
    for (size_t i = 0; i < m; i++)
        place[i] = (double)i / (double)(m - 1);
    return m;
}

/* ---- parameters and products ---- */

double *columns_logarithms(const double *rank, size_t n)
{
    double *out = xcalloc(n, sizeof *out), least = rank[0];
    for (size_t i = 0; i < n; i++)
        least = rank[i] < least ? rank[i] : least;
    for (size_t i = 0; i < n; i++)
        out[i] = num_log2(least > 0 ? rank[i] : rank[i] - least + 1);
    return out;
}

/* A table with an entry for each value of parameter a, and of b if there is one (SIZE_MAX: not) */
static void add_table(struct columns *c, const struct space *s, const double *table, size_t n,
                      size_t a, size_t b)
{
    double *place = xcalloc(n, sizeof *place);
    uint16_t *number = xcalloc(n, sizeof *number);
    const size_t m = make_places(table, n, place, number);
    struct column *column = add(c, b == SIZE_MAX ? COLUMN_PARAM : COLUMN_PRODUCT, m, s->n);
    for (size_t i = 0; i < m; i++)
        column->place[i] = (float)place[i];
    for (size_t i = 0; i < s->n; i++) {
        const uint16_t *value = s->value + i * s->n_params;
        column->of[i] = number[b == SIZE_MAX ? value[a] : value[a] * s->n_values[b] + value[b]];
    }
    free(place);
    free(number);
}

static void add_product(struct columns *c, const struct space *s, double *const *logs, size_t a,
                        size_t b, size_t *left)
{
    const size_t na = s->n_values[a], nb = s->n_values[b];
    if (na < 3 || nb < 3 || na * nb > MOST_TABLE || *left == 0)
        return;
    --*left;
    double *table = xcalloc(na * nb, sizeof *table);
    for (size_t i = 0; i < na; i++)
        for (size_t k = 0; k < nb; k++)
            table[i * nb + k] = logs[a][i] + logs[b][k];
    add_table(c, s, table, na * nb, a, b);
    free(table);
}

/* Those of two parameters, and those of a field and a parameter */
static void add_products(struct columns *c, const struct space *s, double *const *logs)
{
    size_t n = 0, left = MOST_PRODUCTS, left_of_fields = MOST_PRODUCTS;
    c->products = xcalloc(c->n + 1, sizeof *c->products);
    for (size_t a = 0; a < s->n_params; a++) {
        if (s->n_values[a] > 1)
            c->products[n++] = c->n;
        for (size_t b = 0; b < a && a >= s->n_fields; b++)
            add_product(c, s, logs, a, b, b < s->n_fields ? &left_of_fields : &left);
    }
    c->products[n] = c->n;
}

static void compare_neighbours(struct columns *c, size_t n)
{
    c->same = xcalloc(n + 1, sizeof *c->same);
    for (size_t i = 1; i < n; i++)
        while (c->same[i] < c->n && c->v[c->same[i]].of[i] == c->v[c->same[i]].of[i - 1])
            c->same[i]++;
}

void columns_open(struct columns *c, const struct space *s)
{
    double **logs = xcalloc(s->n_params + 1, sizeof *logs);
    const double *rank = s->rank;
    memset(c, 0, sizeof *c);
    for (size_t p = 0; p < s->n_params; p++) {
        logs[p] = columns_logarithms(rank, s->n_values[p]);
        rank += s->n_values[p];
        if (s->n_values[p] > 1)
            add_table(c, s, logs[p], s->n_values[p], p, SIZE_MAX);
    }
    compare_neighbours(c, s->n);
    add_products(c, s, logs);
    for (size_t p = 0; p < s->n_params; p++)
        free(logs[p]);
    free(logs);
}

/* ---- what is known ---- */

void columns_add_known(struct columns *c, const double *value, size_t n)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    const double step = most > least ? (most - least) / (MOST_PLACES - 1) : 1;
    struct column *column = add(c, COLUMN_KNOWN, MOST_PLACES, n);
    for (size_t i = 0; i < MOST_PLACES; i++)
        column->place[i] = (float)(least + (double)i * step);
    for (size_t i = 0; i < n; i++)
        column->of[i] = (uint16_t)((value[i] - least) / step + 0.5);
}

void columns_free(struct columns *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->v[i].place);
        free(c->v[i].of);
    }
    free(c->v);
    free(c->products);
    free(c->same);
}
