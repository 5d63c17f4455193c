/* ceiling.c - what the noise of a table leaves of the share at k = 1
   SPDX-License-Identifier: MIT

   Noise lets some tuple look faster than it is. So who knew all true times would choose the truly
   fastest tuple, and lose against the one that looks so. How much, depends on how many tuples are
   nearly as fast. The times scatter more than the truth does: the distribution of true
   times that makes the measured ones most likely is found by expectation and maximization (Kiefer
   and Wolfowitz 1956; Laird 1978). Then problems are drawn from it. */
#include "eval.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

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
