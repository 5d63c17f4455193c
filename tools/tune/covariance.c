/* covariance.c - a tuple as places in columns, and how alike places make two tuples
   SPDX-License-Identifier: MIT */
#include "regression.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More places than MOST_PLACES are rounded to as many; products with more than MOST_TABLE pairs of
   values, and more than MOST_PRODUCTS, are left out, for the sake of speed. */
enum { MOST_PLACES = 256, MOST_TABLE = 4096, MOST_PRODUCTS = 36 };

static struct column *covariance_add(struct columns *c, enum column_kind kind, size_t n,
                                     size_t n_tuples)
{
    struct column *column = &c->v[c->n++];
    *column = (struct column){.kind = kind, .n = n, .first = c->width};
    column->place = heap_new(c->heap, n, sizeof *column->place);
    column->of = heap_new(c->heap, n_tuples, sizeof *column->of);
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

double **columns_logarithms(const struct space *s, struct heap *heap)
{
    double **logs = heap_new(heap, s->n_params, sizeof *logs);
    const double *rank = s->rank;
    for (size_t p = 0; p < s->n_params; rank += s->n_values[p++]) {
        const size_t n = s->n_values[p];
        double least = rank[0];
        logs[p] = heap_new(heap, n, sizeof **logs);
        for (size_t i = 0; i < n; i++)
            least = rank[i] < least ? rank[i] : least;
        for (size_t i = 0; i < n; i++)
            logs[p][i] = num_log2(least > 0 ? rank[i] : rank[i] - least + 1);
    }
    return logs;
}

/* A table with an entry for each value of parameter a, and of b if there is one (SIZE_MAX: not) */
static void add_table(struct columns *c, const struct space *s, const double *table, size_t n,
                      size_t a, size_t b)
{
    double *place = xcalloc(n, sizeof *place);
    uint16_t *number = xcalloc(n, sizeof *number);
    const size_t m = make_places(table, n, place, number);
    struct column *column =
        covariance_add(c, b == SIZE_MAX ? COLUMN_PARAM : COLUMN_PRODUCT, m, s->n);
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
    c->products = heap_new(c->heap, c->n + 1, sizeof *c->products);
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
    c->same = heap_new(c->heap, n + 1, sizeof *c->same);
    for (size_t i = 1; i < n; i++)
        while (c->same[i] < c->n && c->v[c->same[i]].of[i] == c->v[c->same[i]].of[i - 1])
            c->same[i]++;
}

void columns_open(struct columns *c, const struct space *s, struct heap *heap)
{
    double **logs = columns_logarithms(s, heap);
    *c = (struct columns){.heap = heap};
    c->v = heap_new(heap, s->n_params + 2 * MOST_PRODUCTS + STRATEGY_MOST_KNOWN, sizeof *c->v);
    for (size_t p = 0; p < s->n_params; p++)
        if (s->n_values[p] > 1)
            add_table(c, s, logs[p], s->n_values[p], p, SIZE_MAX);
    compare_neighbours(c, s->n);
    add_products(c, s, logs);
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
    struct column *column = covariance_add(c, COLUMN_KNOWN, MOST_PLACES, n);
    for (size_t i = 0; i < MOST_PLACES; i++)
        column->place[i] = (float)(least + (double)i * step);
    for (size_t i = 0; i < n; i++)
        column->of[i] = (uint16_t)((value[i] - least) / step + 0.5);
}

/* ---- covariance ---- */

/* What is summed up over parameters, the whole being a product */
enum { SINGLE, SQUARES, WHOLE, PRODUCTS, PARTS };

static size_t n_params(const struct covariance *c)
{
    return c->columns->n_of[COLUMN_PARAM];
}

/* Numbers that stand for no figure of ours are 1; the data change all of them. */
double covariance_usual(size_t number, double *spread)
{
    *spread = number == COVARIANCE_NOISE ? 2 : 1.5;
    if (number == COVARIANCE_NOISE)
        return -10;
    return number == COVARIANCE_PRODUCT_LENGTH ? -2 : 0;
}

void covariance_open(struct covariance *c, const struct columns *columns, uint64_t seed)
{
    double spread;
    *c = (struct covariance){.columns = columns};
    c->n = COVARIANCE_WEIGHTS + 2 * n_params(c);
    c->v = heap_new(columns->heap, c->n, sizeof *c->v);
    c->weight = heap_new(columns->heap, n_params(c) + 1, sizeof *c->weight);
    c->so_far = heap_new(columns->heap, PARTS * (n_params(c) + 1), sizeof *c->so_far);
    c->so_far[WHOLE] = 1;
    for (size_t i = 0; i < c->n; i++)
        c->v[i] = covariance_usual(i, &spread) + 0.4 * (double)num_signed(&seed);
    covariance_prepare(c);
}

int covariance_uses(const struct covariance *c, size_t number)
{
    const size_t *n_of = c->columns->n_of;
    switch (number) {
    case COVARIANCE_PAIRS: return n_of[COLUMN_PARAM] > 1;
    case COVARIANCE_PRODUCTS:
    case COVARIANCE_PRODUCT_LENGTH: return n_of[COLUMN_PRODUCT] > 0;
    case COVARIANCE_SPARE: return 0;
    case COVARIANCE_KNOWN: return n_of[COLUMN_KNOWN] > 0 && !c->ignores_known;
    default: return 1;
    }
}

static double power(const struct covariance *c, size_t number)
{
    return covariance_uses(c, number) ? (double)num_exp2((float)c->v[number]) : 0;
}

/* Each part is divided by what it is between a tuple and itself. One weight far above all others
   leaves next to nothing to the pairs: rounding must not become large then. */
void covariance_prepare(struct covariance *c)
{
    const size_t *n_of = c->columns->n_of;
    const double pairs = power(c, COVARIANCE_PAIRS), whole = power(c, COVARIANCE_WHOLE);
    const double products = power(c, COVARIANCE_PRODUCTS);
    const double all = 1 + pairs + whole + products;
    double sum = 0, squares = 0, apart;
    for (size_t i = 0; i < n_of[COLUMN_PARAM]; i++)
        sum += power(c, COVARIANCE_WEIGHTS + i);
    for (size_t i = 0; i < n_of[COLUMN_PARAM]; i++) {
        const double w = power(c, COVARIANCE_WEIGHTS + i) / sum;
        c->weight[i] = (float)w;
        squares += w * w;
    }
    apart = (1 - squares) / 2;
    c->single = (float)(1 / all);
    c->pairs = (float)(pairs / ((apart > 1e-3 ? apart : 1e-3) * all));
    c->whole = (float)(whole / all);
    c->products = products > 0 ? (float)(products / ((double)n_of[COLUMN_PRODUCT] * all)) : 0;
    c->known = (float)power(c, COVARIANCE_KNOWN);
    c->noise = power(c, COVARIANCE_NOISE);
    c->noise = c->noise < 1e-4 ? 1e-4 : c->noise;
}

/* ---- effects ---- */

/* exp(-r), and the Matern function of order 5/2, over the distance in lengths */
static float rough(float r)
{
    return num_exp2(-1.44269504f * r);
}

static float smooth(float r)
{
    const float z = 2.23606798f * r;
    return (1 + z + z * z / 3) * num_exp2(-1.44269504f * z);
}

static void effects(const struct column *column, size_t tuple, float length, float share,
                    float *out)
{
    const float x = column->place[column->of[tuple]], scale = 1 / length;
    for (size_t i = 0; i < column->n; i++) {
        const float r = fabsf(column->place[i] - x) * scale;
        out[i] = share * smooth(r) + (1 - share) * rough(r);
    }
}

/* What is known counts as it is. */
static void multiples(const struct column *column, size_t tuple, float *out)
{
    const float x = column->place[column->of[tuple]];
    for (size_t i = 0; i < column->n; i++)
        out[i] = x * column->place[i];
}

/* The number on which the reach of a column's effects depends */
static int length_of(const struct covariance *c, size_t column)
{
    switch (c->columns->v[column].kind) {
    case COLUMN_PARAM: return (int)(COVARIANCE_WEIGHTS + n_params(c) + column);
    case COLUMN_PRODUCT: return COVARIANCE_PRODUCT_LENGTH;
    default: return COVARIANCE_KNOWN;
    }
}

void covariance_row(const struct covariance *c, size_t tuple, int number, float *row)
{
    const double s = power(c, COVARIANCE_SMOOTH);
    const size_t n_known = c->columns->n_of[COLUMN_KNOWN];
    if (number == COVARIANCE_ALL && !c->ignores_known)
        for (size_t i = c->columns->n - n_known; i < c->columns->n; i++)
            multiples(&c->columns->v[i], tuple, row + c->columns->v[i].first);
    for (size_t i = 0; i < c->columns->n - n_known; i++) {
        const struct column *column = &c->columns->v[i];
        const int its = length_of(c, i);
        if (number != COVARIANCE_ALL && number != COVARIANCE_SMOOTH && number != its)
            continue;
        const double length = covariance_uses(c, (size_t)its) ? power(c, (size_t)its) : 1;
        effects(column, tuple, (float)length, (float)(s / (1 + s)), row + column->first);
    }
}

static float effect(const struct column *column, const float *row, size_t tuple)
{
    return row[column->first + column->of[tuple]];
}

/* Goes on with one more parameter, and its products with those before it. */
static void add_param(const struct covariance *c, const float *row, size_t tuple, size_t p)
{
    const struct columns *columns = c->columns;
    const float *before = c->so_far + p * PARTS;
    const float whole = effect(&columns->v[p], row, tuple), part = c->weight[p] * whole;
    float *after = c->so_far + (p + 1) * PARTS, products = before[PRODUCTS];
    for (size_t i = columns->products[p]; i < columns->products[p + 1]; i++)
        products += effect(&columns->v[i], row, tuple);
    after[SINGLE] = before[SINGLE] + part;
    after[SQUARES] = before[SQUARES] + part * part;
    after[WHOLE] = before[WHOLE] * whole;
    after[PRODUCTS] = products;
}

/* The sum over pairs is half of the square of the sum less the sum of the squares. */
static float finish(const struct covariance *c, const float *row, size_t tuple)
{
    const struct columns *columns = c->columns;
    const float *sums = c->so_far + n_params(c) * PARTS, single = sums[SINGLE];
    float known = 0;
    for (size_t i = columns->n - columns->n_of[COLUMN_KNOWN]; c->known > 0 && i < columns->n; i++)
        known += effect(&columns->v[i], row, tuple);
    return c->single * single + c->pairs * (single * single - sums[SQUARES]) * 0.5f
           + c->whole * sums[WHOLE] + c->products * sums[PRODUCTS] + c->known * known;
}

void covariance_all(const struct covariance *c, const float *row, const size_t *tuple, size_t n,
                    float *out)
{
    for (size_t i = 0; i < n; i++) {
        const int follows = i > 0 && tuple[i] == tuple[i - 1] + 1;
        for (size_t p = follows ? c->columns->same[tuple[i]] : 0; p < n_params(c); p++)
            add_param(c, row, tuple[i], p);
        out[i] = finish(c, row, tuple[i]);
    }
}

double covariance_self(const struct covariance *c, size_t tuple)
{
    const struct columns *columns = c->columns;
    double sum = 0;
    for (size_t i = columns->n - columns->n_of[COLUMN_KNOWN]; i < columns->n; i++) {
        const double x = (double)columns->v[i].place[columns->v[i].of[tuple]];
        sum += x * x;
    }
    return 1 + (double)c->known * sum;
}
