/* hints.c - see hints.h
   SPDX-License-Identifier: MIT */
#include "hints.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

double hints_clip(double loss, double middle)
{
    return loss > middle ? middle + (loss - middle) / HINTS_CLIP : loss;
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

static double *take(struct hints *k, size_t n_tuples, double weight)
{
    if (k->n == 0) {
        k->n_tuples = n_tuples;
        k->share = xcalloc(n_tuples, sizeof *k->share);
        k->expect = xcalloc(n_tuples, sizeof *k->expect);
    }
    k->loss[k->n] = xcalloc(n_tuples, sizeof *k->loss[k->n]);
    k->weight[k->n] = weight;
    k->weights += weight;
    return k->loss[k->n++];
}

static void add_failure(struct hints *k, size_t tuple, double weight)
{
    if (k->failed == NULL)
        k->failed = xcalloc(k->n_tuples, sizeof *k->failed);
    k->failed[tuple] += weight;
}

void hints_add_times(struct hints *k, const double *time, size_t n_tuples, double weight)
{
    double best = HUGE_VAL;
    for (size_t i = 0; i < n_tuples; i++)
        best = time[i] > 0 && time[i] < best ? time[i] : best;
    if (k->n == STRATEGY_MOST_KNOWN || best == HUGE_VAL)
        return;
    double *loss = take(k, n_tuples, weight);
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
    double *sorted = xcalloc(n_tuples, sizeof *sorted), *loss = take(k, n_tuples, 1);
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

void hints_free(struct hints *k)
{
    for (size_t t = 0; t < k->n; t++)
        free(k->loss[t]);
    free(k->share);
    free(k->failed);
    free(k->expect);
}
