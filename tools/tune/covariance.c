/* covariance.c - see covariance.h
   SPDX-License-Identifier: MIT */
#include "covariance.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

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
    c->v = xcalloc(c->n, sizeof *c->v);
    c->weight = xcalloc(n_params(c) + 1, sizeof *c->weight);
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
    case COVARIANCE_KNOWN:
    case COVARIANCE_KNOWN_LENGTH: return n_of[COLUMN_KNOWN] > 0 && !c->ignores_known;
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
    const double products = power(c, COVARIANCE_PRODUCTS), known = power(c, COVARIANCE_KNOWN);
    const double all = 1 + pairs + whole + products + known;
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
    c->known = known > 0 ? (float)(known / ((double)n_of[COLUMN_KNOWN] * all)) : 0;
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

/* What is known has smooth effects alone. */
static void effects(const struct column *column, size_t tuple, float length, float share,
                    float *out)
{
    const float x = column->place[column->of[tuple]], scale = 1 / length;
    for (size_t i = 0; i < column->n; i++) {
        const float r = fabsf(column->place[i] - x) * scale;
        out[i] =
            column->kind == COLUMN_KNOWN ? smooth(r) : share * smooth(r) + (1 - share) * rough(r);
    }
}

void covariance_row(const struct covariance *c, size_t tuple, float *row)
{
    const double s = power(c, COVARIANCE_SMOOTH);
    for (size_t i = 0; i < c->columns->n; i++) {
        const struct column *column = &c->columns->v[i];
        const size_t number = column->kind == COLUMN_PARAM ? COVARIANCE_WEIGHTS + n_params(c) + i
                              : column->kind == COLUMN_PRODUCT ? COVARIANCE_PRODUCT_LENGTH
                                                               : COVARIANCE_KNOWN_LENGTH;
        const double length = covariance_uses(c, number) ? power(c, number) : 1;
        effects(column, tuple, (float)length, (float)(s / (1 + s)), row + column->first);
    }
}

/* The sum over pairs is half of the square of the sum less the sum of the squares. */
float covariance_at(const struct covariance *c, const float *row, size_t tuple)
{
    const struct column *column = c->columns->v;
    const size_t *n_of = c->columns->n_of;
    float sum = 0, squares = 0, all = 1, products = 0, known = 0;
    for (size_t i = 0; i < n_of[COLUMN_PARAM]; i++, column++) {
        const float effect = row[column->first + column->of[tuple]], part = c->weight[i] * effect;
        sum += part;
        squares += part * part;
        all *= effect;
    }
    for (size_t i = 0; i < n_of[COLUMN_PRODUCT]; i++, column++)
        products += row[column->first + column->of[tuple]];
    for (size_t i = 0; i < n_of[COLUMN_KNOWN]; i++, column++)
        known += row[column->first + column->of[tuple]];
    return c->single * sum + c->pairs * (sum * sum - squares) * 0.5f + c->whole * all
           + c->products * products + c->known * known;
}

void covariance_free(struct covariance *c)
{
    free(c->v);
    free(c->weight);
}
