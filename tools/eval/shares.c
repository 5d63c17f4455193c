/* shares.c - shares of the best time where options were timed, and what the noise leaves of them
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

/* The least share that at least `percent` percent of the problems do not exceed */
static double percentile(const double *sorted, size_t n, size_t percent)
{
    const size_t rank = (n * percent + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

double eval_error(const struct eval *e, const double *value, double mean, size_t first, size_t end)
{
    double square = 0;
    for (size_t i = first, j; i < end; i = j) {
        double off = 0;
        for (j = i; j < end && e->row[j].unit == e->row[i].unit; j++)
            off += value[j - first] - mean;
        square += off * off;
    }
    return sqrt(square) / (double)(end - first);
}

/* The geometric mean of what the judges were asked for */
static double judged(const struct outcome *out, size_t n)
{
    double sum = 0;
    size_t asked = 0;
    for (size_t i = 0; i < n; i++)
        if (out[i].judged > 0) {
            sum += log(out[i].judged);
            asked++;
        }
    return asked ? exp(sum / (double)asked) : -1;
}

struct eval_shares eval_shares_of(const struct eval *e, const struct outcome *out, size_t first,
                                  size_t end)
{
    const size_t n = end - first;
    double *sorted = xcalloc(n, sizeof *sorted), *logs = xcalloc(n, sizeof *logs), sum = 0;
    struct eval_shares s = {0};
    for (size_t i = 0; i < n; i++) {
        sorted[i] = out[first + i].share;
        logs[i] = log(sorted[i]);
        sum += logs[i];
        s.exact += out[first + i].exact;
        s.unlisted += out[first + i].unlisted;
        s.answers += out[first + i].answers;
        s.timed += out[first + i].timed;
    }
    qsort(sorted, n, sizeof *sorted, num_rising);
    s.share = exp(sum / (double)n);
    s.se = s.share * eval_error(e, logs, sum / (double)n, first, end);
    s.judged = judged(out + first, n);
    s.p1 = percentile(sorted, n, 1);
    s.p5 = percentile(sorted, n, 5);
    free(sorted);
    free(logs);
    return s;
}

/* ---- the ceiling ---- */

/* Noise lets some tuple look faster than it is. So who knew all true times would choose the truly
   fastest tuple, and lose against the one that looks so. How much, depends on how many tuples are
   nearly as fast. The times scatter more than the truth does: the distribution of true
   times that makes the measured ones most likely is found by expectation and maximization (Kiefer
   and Wolfowitz 1956; Laird 1978). Then problems are drawn from it. */

enum { NEAR = 96, ROUNDS = 50, DRAWS = 64 };
#define REACH 8 /* of the noise: who is slower by more never looks fastest */

struct near_best {
    size_t n;
    double noise;
    double at[NEAR];     /* octaves above the fastest, rising */
    double weight[NEAR]; /* how likely a true time is there: of sum 1 */
    double likely[NEAR][NEAR];
};

static void list_near(const struct eval *e, const struct eval_row *r, struct near_best *t)
{
    const struct dataset *d = &e->data;
    const double best = d->time_us[eval_best_row(e, r)];
    double *octaves = xmalloc((r->end - r->index) * sizeof *octaves);
    size_t n = 0;
    for (size_t i = r->index; i < r->end; i++)
        if (!(e->is_out != NULL && e->is_out[i]))
            octaves[n++] = num_log2(d->time_us[i] / best);
    qsort(octaves, n, sizeof *octaves, num_rising);
    t->noise = d->noise;
    for (t->n = 0; t->n < n && t->n < NEAR && octaves[t->n] < REACH * t->noise; t->n++)
        t->at[t->n] = octaves[t->n];
    free(octaves);
}

static void set_likely(struct near_best *t)
{
    for (size_t i = 0; i < t->n; i++) {
        t->weight[i] = 1.0 / (double)t->n;
        for (size_t j = 0; j < t->n; j++) {
            const double off = (t->at[i] - t->at[j]) / t->noise;
            t->likely[i][j] = exp(-0.5 * off * off);
        }
    }
}

static void improve(struct near_best *t)
{
    double next[NEAR] = {0};
    for (size_t i = 0; i < t->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < t->n; j++)
            sum += t->weight[j] * t->likely[i][j];
        for (size_t j = 0; j < t->n; j++)
            next[j] += t->weight[j] * t->likely[i][j] / sum / (double)t->n;
    }
    for (size_t j = 0; j < t->n; j++)
        t->weight[j] = next[j];
}

static double draw_true(const struct near_best *t, uint64_t *seed)
{
    double left = (double)num_unit(seed);
    size_t i = 0;
    for (; i + 1 < t->n && left >= t->weight[i]; i++)
        left -= t->weight[i];
    return t->at[i];
}

/* In octaves, of a problem that is drawn */
static double draw_loss(const struct near_best *t, uint64_t *seed)
{
    double least_true = INFINITY, chosen = 0, least = INFINITY;
    for (size_t i = 0; i < t->n; i++) {
        const double is = draw_true(t, seed), looks = is + t->noise * num_normal(seed);
        least = looks < least ? looks : least;
        if (is < least_true) {
            least_true = is;
            chosen = looks;
        }
    }
    return chosen - least;
}

static double loss_of(const struct eval *e, const struct eval_row *r, struct near_best *t)
{
    uint64_t seed = num_mix(20, r->index, 0);
    double sum = 0;
    list_near(e, r, t);
    set_likely(t);
    for (int i = 0; i < ROUNDS; i++)
        improve(t);
    for (int i = 0; i < DRAWS; i++)
        sum += draw_loss(t, &seed);
    return sum / DRAWS;
}

double eval_ceiling(const struct eval *e, size_t first, size_t end)
{
    struct near_best *t = xmalloc(sizeof *t);
    double sum = 0;
    for (size_t i = first; i < end && e->data.noise > 0; i++)
        sum += loss_of(e, &e->row[i], t);
    free(t);
    return e->data.noise > 0 ? exp2(-sum / (double)(end - first)) : -1;
}
