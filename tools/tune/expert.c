/* expert.c - what is known beforehand, and a regression that begins with it or without
   SPDX-License-Identifier: MIT */
#include "expert.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

enum { CLIP = 5 }; /* what a loss beyond the middle one is divided by there */

double hints_clip(double loss, double middle)
{
    return loss > middle ? middle + (loss - middle) / CLIP : loss;
}

/* ---- tables and orders ---- */

/* Of the losses of tuples that ran: what is NAN is unknown and gets the middle one, what is
   HUGE_VAL failed and counts as the worst, and as one bit beyond the middle at least. Returns the
   middle one. */
static double clip_all(double *loss, size_t n)
{
    double *sorted = xcalloc(n + 1, sizeof *sorted), worst = 0, middle = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(loss[i]) && loss[i] < HUGE_VAL)
            sorted[m++] = loss[i];
    qsort(sorted, m, sizeof *sorted, num_rising);
    if (m > 0) {
        middle = sorted[m / 2];
        worst = hints_clip(sorted[m - 1] > middle + 1 ? sorted[m - 1] : middle + 1, middle);
    }
    for (size_t i = 0; i < n; i++)
        loss[i] = isnan(loss[i])        ? middle
                  : loss[i] == HUGE_VAL ? worst
                                        : hints_clip(loss[i], middle);
    free(sorted);
    return middle;
}

static double *add_hints(struct hints *k, size_t n_tuples, double weight)
{
    if (k->n == 0) {
        k->n_tuples = n_tuples;
        k->share = heap_new(k->heap, n_tuples, sizeof *k->share);
        k->expect = heap_new(k->heap, n_tuples, sizeof *k->expect);
    }
    k->loss[k->n] = heap_new(k->heap, n_tuples, sizeof *k->loss[k->n]);
    k->weight[k->n] = weight;
    k->weights += weight;
    return k->loss[k->n++];
}

static void add_failure(struct hints *k, size_t tuple, double weight)
{
    if (k->failed == NULL)
        k->failed = heap_new(k->heap, k->n_tuples, sizeof *k->failed);
    k->failed[tuple] += weight;
}

void hints_add_times(struct hints *k, const double *time, size_t n_tuples, double weight)
{
    double best = HUGE_VAL;
    for (size_t i = 0; i < n_tuples; i++)
        best = time[i] > 0 && time[i] < best ? time[i] : best;
    if (k->n == STRATEGY_MOST_KNOWN || best == HUGE_VAL)
        return;
    double *loss = add_hints(k, n_tuples, weight);
    for (size_t i = 0; i < n_tuples; i++) {
        if (time[i] == HUGE_VAL)
            add_failure(k, i, weight);
        const int ran = time[i] > 0 && time[i] < HUGE_VAL;
        loss[i] = ran ? num_log2(time[i] / best) : isnan(time[i]) ? time[i] : HUGE_VAL;
        k->share[i] += ran ? weight * best / time[i] : 0;
    }
    k->middle += weight * clip_all(loss, n_tuples);
}

/* An order says which tuple is better, not by how much: the loss of the best is 0, of the worst 1.
 */
void hints_add_scores(struct hints *k, const double *score, size_t n_tuples)
{
    if (k->n == STRATEGY_MOST_KNOWN || n_tuples == 0)
        return;
    double *sorted = xcalloc(n_tuples, sizeof *sorted), *loss = add_hints(k, n_tuples, 1);
    for (size_t i = 0; i < n_tuples; i++)
        sorted[i] = -score[i];
    qsort(sorted, n_tuples, sizeof *sorted, num_rising);
    for (size_t i = 0; i < n_tuples; i++) {
        size_t low = 0, high = n_tuples;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (sorted[middle] < -score[i])
                low = middle + 1;
            else
                high = middle;
        }
        loss[i] = (double)low / (double)n_tuples;
        k->share[i] += 1 - loss[i];
    }
    free(sorted);
}

static double mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double deviation(const double *v, size_t n)
{
    const double middle = mean(v, n);
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - middle) * (v[i] - middle);
    return sqrt(squares / (double)n);
}

/* How far a table is, commonly, from the mean of the others; of one alone, how far its tuples are
   from each other */
static double spread(const struct hints *k)
{
    double *away = xcalloc(k->n_tuples, sizeof *away), squares = 0;
    for (size_t t = 0; t < k->n; t++) {
        for (size_t i = 0; i < k->n_tuples; i++) {
            double others = 0;
            for (size_t o = 0; o < k->n; o++)
                others += o != t ? k->loss[o][i] : 0;
            away[i] = k->loss[t][i] - (k->n > 1 ? others / (double)(k->n - 1) : 0);
        }
        const double d = deviation(away, k->n_tuples);
        squares += d * d / (double)k->n;
    }
    free(away);
    return sqrt(squares);
}

/* The tables' losses with the weights that were given */
static void expect(struct hints *k)
{
    k->middle /= k->weights;
    for (size_t t = 0; t < k->n; t++)
        for (size_t i = 0; i < k->n_tuples; i++)
            k->expect[i] += k->weight[t] / k->weights * k->loss[t][i];
}

void hints_finish(struct hints *k, struct columns *c)
{
    double *scaled = xcalloc(k->n_tuples + 1, sizeof *scaled);
    for (size_t t = 0; t < k->n; t++) {
        const double d = deviation(k->loss[t], k->n_tuples) * sqrt((double)k->n);
        const double middle = mean(k->loss[t], k->n_tuples);
        for (size_t i = 0; i < k->n_tuples; i++)
            scaled[i] = d > 0 ? (k->loss[t][i] - middle) / d : 0;
        columns_add_known(c, scaled, k->n_tuples);
    }
    free(scaled);
    if (k->n > 0)
        expect(k);
    k->spread = k->n > 0 ? spread(k) : 0;
    for (size_t i = 0; k->failed != NULL && i < k->n_tuples; i++)
        k->failed[i] /= k->weights;
}

size_t hints_best(const struct hints *k, const unsigned char *is_taken)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < k->n_tuples; i++)
        if (!is_taken[i] && (best == SIZE_MAX || k->share[i] > k->share[best]))
            best = i;
    return best;
}

/* ---- the expert ---- */

/* Numbers that were fitted to few results make the regression too sure of itself. */
static const double doubt = 1.3;

enum { AS_IF = 5 }; /* results; and evidence counts from as many on */

void expert_open(struct expert *e, const struct columns *columns, const struct hints *hints,
                 int is_told, const struct results *results, size_t most, uint64_t seed)
{
    *e = (struct expert){.results = results, .hints = is_told ? hints : NULL};
    e->target = heap_new(columns->heap, most, sizeof *e->target);
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
void expert_take(struct expert *e)
{
    const struct results *r = e->results;
    const size_t n = r->n;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        e->target[i] = r->loss[i] - known_loss(e, r->tuple[i]);
        sum += e->target[i];
    }
    const double middle = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        e->target[i] -= middle;
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
void expert_fit(struct expert *e)
{
    const size_t *tuple = e->results->tuple, n = e->results->n, since = n - e->n_fitted;
    if (e->n_fitted >= AS_IF)
        e->evidence += fit_likelihood(&e->fit, &e->covariance, tuple, e->target, n, e->n_fitted,
                                      doubt * doubt * e->variance)
                       - (double)(since < FIT_MOST ? since : FIT_MOST) * num_log2(e->deviation);
    e->variance = fit_numbers(&e->fit, &e->covariance, tuple, e->target, n);
    e->n_fitted = n;
}

void expert_regress(struct expert *e, const struct candidates *c, size_t most, struct heap *heap)
{
    const struct results *r = e->results;
    regression_open(&e->regression, &e->covariance, c->tuple, c->n, most, heap);
    for (size_t i = 0; i < r->n_used; i++)
        regression_add(&e->regression, c->where[r->tuple[r->used[i]]]);
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

void expert_means(struct expert *e)
{
    const struct results *r = e->results;
    double *target = xcalloc(r->n_used + 1, sizeof *target);
    for (size_t i = 0; i < r->n_used; i++)
        target[i] = e->target[r->used[i]];
    regression_means(&e->regression, target);
    free(target);
}

/* log2 of the improvement to be expected of a normal variable of variance 1 that is to fall below a
   value u above its mean: phi(u) + u Phi(u). Below -2 the two nearly cancel, and a continued
   fraction of Mills' ratio is used; above 6 it is u. */
static double expected_gain(double u)
{
    const double log_phi = -0.72134752 * u * u - 1.32574806; /* log2 */
    if (u > 6)
        return num_log2(u);
    if (u < -2) {
        double below = 0;
        for (int k = 24; k > 0; k--)
            below = k / (-u + below);
        return log_phi + num_log2(below / (-u + below));
    }
    double term = u, sum = u;
    for (int k = 1; k < 60; k++) {
        term *= u * u / (2 * k + 1);
        sum += term;
    }
    const double phi = (double)num_exp2((float)log_phi);
    return num_log2(phi + u * (0.5 + phi * sum));
}

/* The same by a table: -GAIN_FROM .. GAIN_FROM in steps */
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
