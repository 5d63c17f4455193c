/* expert.c - see expert.h
   SPDX-License-Identifier: MIT */
#include "expert.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

/* Numbers that were fitted to few results make the regression too sure of itself. */
static const double doubt = 1.3;

enum { AS_IF = 5 }; /* results; and evidence counts from as many on */

void expert_open(struct expert *e, const struct columns *columns, const struct hints *hints,
                 int is_told, uint64_t seed)
{
    *e = (struct expert){.hints = is_told ? hints : NULL};
    e->more = hints->n > 0 ? AS_IF : 0;
    e->spread = hints->spread;
    covariance_open(&e->covariance, columns, seed);
    e->covariance.ignores_known = !is_told;
    covariance_prepare(&e->covariance);
}

/* What is known, as part of a mean */
static double known_loss(const struct expert *e, size_t tuple)
{
    return e->hints != NULL ? e->hints->expect[tuple] : 0;
}

/* Targets have the mean 0 and about the variance 1. Where something is known, they are what it does
   not explain, and few of them say little about the variance: it is as if some more had been seen,
   which differ as the tables do. */
void expert_take(struct expert *e, const struct results *r)
{
    const size_t n = r->n;
    double sum = 0, squares = 0;
    if (e->cap < n) {
        e->cap = 2 * n + 64;
        e->target = xrealloc(e->target, e->cap, sizeof *e->target);
    }
    for (size_t i = 0; i < n; i++) {
        e->target[i] = r->loss[i] - known_loss(e, r->tuple[i]);
        sum += e->target[i];
    }
    e->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        e->target[i] -= e->mean;
        squares += e->target[i] * e->target[i];
    }
    squares += e->more * e->spread * e->spread;
    e->deviation = sqrt(squares / ((double)n + e->more));
    e->deviation = e->deviation > 1e-6 ? e->deviation : 1e-6;
    for (size_t i = 0; i < n; i++)
        e->target[i] /= e->deviation;
}

/* The numbers of the last fit have made the choices since: what came of these speaks for or against
   them. */
void expert_fit(struct expert *e, const struct results *r)
{
    const size_t n = r->n, since = n - e->n_fitted;
    if (e->n_fitted >= AS_IF)
        e->evidence += fit_likelihood(&e->fit, &e->covariance, r->tuple, e->target, n, e->n_fitted,
                                      doubt * doubt * e->variance)
                       - (double)(since < FIT_MOST ? since : FIT_MOST) * num_log2(e->deviation);
    e->variance = fit_numbers(&e->fit, &e->covariance, r->tuple, e->target, n);
    e->n_fitted = n;
}

void expert_regress(struct expert *e, const struct candidates *c, const struct results *r,
                    const size_t *used, size_t n_used, size_t most)
{
    regression_open(&e->regression, &e->covariance, c->tuple, c->n, most);
    for (size_t i = 0; i < n_used; i++)
        regression_add(&e->regression, c->where[r->tuple[used[i]]]);
    e->is_open = 1;
}

static double variance(const struct expert *e, size_t candidate)
{
    const double least = 1e-6, v = (double)e->regression.variance[candidate];
    return doubt * doubt * e->variance * (v > least ? v : least);
}

double expert_mean(const struct expert *e, size_t candidate, size_t tuple)
{
    return (double)e->regression.mean[candidate] + known_loss(e, tuple) / e->deviation;
}

void expert_means(struct expert *e, const size_t *used, size_t n_used)
{
    double *target = xcalloc(n_used + 1, sizeof *target);
    for (size_t i = 0; i < n_used; i++)
        target[i] = e->target[used[i]];
    regression_means(&e->regression, target);
    free(target);
}

/* log2 of the expected improvement, by a table: -GAIN_FROM .. GAIN_FROM in steps */
enum { GAIN_FROM = 12, GAIN_STEPS = 64 };

static double gain(double ahead)
{
    static double table[2 * GAIN_FROM * GAIN_STEPS + 2];
    if (table[0] == 0)
        for (int i = 0; i < 2 * GAIN_FROM * GAIN_STEPS + 2; i++)
            table[i] = expected_gain((double)i / GAIN_STEPS - GAIN_FROM);
    if (ahead < -GAIN_FROM || ahead >= GAIN_FROM)
        return expected_gain(ahead);
    const double at = (ahead + GAIN_FROM) * GAIN_STEPS;
    const int i = (int)at;
    return table[i] + (at - i) * (table[i + 1] - table[i]);
}

double expert_target(const struct expert *e, size_t result, size_t tuple)
{
    return e->target[result] + known_loss(e, tuple) / e->deviation;
}

double expert_gain(const struct expert *e, size_t candidate, size_t tuple, double least)
{
    const double v = variance(e, candidate);
    return gain((least - expert_mean(e, candidate, tuple)) / sqrt(v)) + 0.5 * num_log2(v);
}

void expert_close_regression(struct expert *e)
{
    if (e->is_open)
        regression_free(&e->regression);
    e->is_open = 0;
}

void expert_free(struct expert *e)
{
    expert_close_regression(e);
    covariance_free(&e->covariance);
    fit_free(&e->fit);
    free(e->target);
}
