/* regression.c - a Gaussian process over the candidates, and the fit of its covariance
   SPDX-License-Identifier: MIT */
#include "regression.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 }; /* candidates at once: their sums stay in the cache */

void regression_open(struct regression *r, const struct covariance *c, const size_t *tuple,
                     size_t n_candidates, size_t most, struct heap *heap)
{
    *r = (struct regression){
        .covariance = c, .most = most, .n_candidates = n_candidates, .tuple = tuple};
    r->known = heap_new(heap, most * n_candidates, sizeof *r->known);
    r->line = heap_new(heap, most * most, sizeof *r->line);
    r->mean = heap_new(heap, n_candidates, sizeof *r->mean);
    r->variance = heap_new(heap, n_candidates, sizeof *r->variance);
    r->row = heap_new(heap, c->columns->width + 1, sizeof *r->row);
    for (size_t i = 0; i < n_candidates; i++)
        r->variance[i] = (float)covariance_self(c, tuple[i]);
}

/* The next line of the factor: what the results so far tell of this candidate */
static void add_line(struct regression *r, size_t candidate)
{
    double *line = r->line + r->n * r->most,
           left = covariance_self(r->covariance, r->tuple[candidate]) + r->covariance->noise;
    for (size_t i = 0; i < r->n; i++) {
        line[i] = r->known[i * r->n_candidates + candidate];
        left -= line[i] * line[i];
    }
    line[r->n] = sqrt(left > 1e-6 ? left : 1e-6);
}

static void add_block(struct regression *r, size_t at, size_t n)
{
    const double *line = r->line + r->n * r->most;
    const float scale = (float)(1 / line[r->n]);
    float sum[BLOCK], *out = r->known + r->n * r->n_candidates + at;
    covariance_all(r->covariance, r->row, r->tuple + at, n, sum);
    for (size_t k = 0; k < r->n; k++) {
        const float *known = r->known + k * r->n_candidates + at, factor = (float)line[k];
        for (size_t i = 0; i < n; i++)
            sum[i] -= factor * known[i];
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = sum[i] * scale;
        r->variance[at + i] -= out[i] * out[i];
    }
}

static size_t block(const struct regression *r, size_t at)
{
    return r->n_candidates - at < BLOCK ? r->n_candidates - at : BLOCK;
}

void regression_add(struct regression *r, size_t candidate)
{
    covariance_row(r->covariance, r->tuple[candidate], COVARIANCE_ALL, r->row);
    add_line(r, candidate);
    for (size_t at = 0; at < r->n_candidates; at += BLOCK)
        add_block(r, at, block(r, at));
    r->n++;
}

void regression_means(struct regression *r, const double *target)
{
    double *z = xcalloc(r->n + 1, sizeof *z);
    for (size_t i = 0; i < r->n; i++) {
        const double *line = r->line + i * r->most;
        z[i] = target[i];
        for (size_t k = 0; k < i; k++)
            z[i] -= line[k] * z[k];
        z[i] /= line[i];
    }
    for (size_t at = 0; at < r->n_candidates; at += BLOCK) {
        const size_t n = block(r, at);
        for (size_t i = 0; i < n; i++)
            r->mean[at + i] = 0;
        for (size_t k = 0; k < r->n; k++) {
            const float *known = r->known + k * r->n_candidates + at, factor = (float)z[k];
            for (size_t i = 0; i < n; i++)
                r->mean[at + i] += factor * known[i];
        }
    }
    free(z);
}

/* ---- fit ---- */

/* The others are spread evenly over the time in which they were measured. */
size_t fit_choose(const double *target, size_t n, size_t most, size_t *chosen)
{
    size_t kept = 0, others = 0, due = 0;
    if (n <= most) {
        for (size_t i = 0; i < n; i++)
            chosen[i] = i;
        return n;
    }
    double *sorted = xmalloc(n * sizeof *sorted);
    memcpy(sorted, target, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, num_rising);
    const double limit = sorted[most / 2];
    free(sorted);
    for (size_t i = 0; i < n; i++)
        others += target[i] >= limit;
    const size_t wanted = most - (n - others);
    for (size_t i = 0; i < n; i++) {
        due += target[i] >= limit ? wanted : 0;
        if (target[i] >= limit && due < others)
            continue;
        due -= target[i] >= limit ? others : 0;
        chosen[kept++] = i;
    }
    return kept;
}

/* How far from its usual value a number may be, in log2 */
enum { FARTHEST = 8 };

/* ---- how unlikely the targets are ---- */

static float *row_of(const struct fit *f, const struct covariance *c, size_t i)
{
    return f->rows + i * (c->columns->width + 1);
}

/* A number is another one now: so are the effects that depend on it. */
static void take_number(struct fit *f, const struct covariance *c, int number, size_t n)
{
    for (size_t i = 0; i < n; i++)
        covariance_row(c, f->tuple[i], number, row_of(f, c, i));
}

static void regression_fill(struct fit *f, const struct covariance *c, size_t n)
{
    float between[FIT_MOST];
    for (size_t a = 0; a < n; a++) {
        covariance_all(c, row_of(f, c, a), f->tuple, a + 1, between);
        for (size_t b = 0; b <= a; b++)
            f->matrix[a * n + b] = between[b];
        f->matrix[a * n + a] += c->noise;
    }
}

/* Four sums, so that a processor can go on with one while it waits for another; their order is
   fixed. */
static double dot(const double *a, const double *b, size_t n)
{
    double s[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            s[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        s[0] += a[i] * b[i];
    return s[0] + s[1] + (s[2] + s[3]);
}

/* Cholesky's factor in place of the lower triangle; a matrix that rounding has made indefinite gets
   a tiny pivot. */
static void cholesky(double *m, size_t n)
{
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            const double left = m[a * n + b] - dot(m + a * n, m + b * n, b);
            if (a == b)
                m[a * n + a] = sqrt(left > 1e-9 ? left : 1e-9);
            else
                m[a * n + b] = left / m[b * n + b];
        }
}

/* How far each target is from what those before it make it, in deviations; these are on the
   diagonal then. */
static void solve(struct fit *f, const struct covariance *c, size_t n, double *z)
{
    regression_fill(f, c, n);
    cholesky(f->matrix, n);
    for (size_t i = 0; i < n; i++) {
        const double *line = f->matrix + i * n;
        z[i] = (f->target[i] - dot(line, z, i)) / line[i];
    }
}

/* Numbers far from their usual values count as less likely. */
static double strangeness(const struct covariance *c)
{
    double sum = 0, spread;
    for (size_t i = 0; i < c->n; i++) {
        const double usual = covariance_usual(i, &spread), away = (c->v[i] - usual) / spread;
        sum += away * away;
    }
    return sum / 2;
}

/* The logarithm of the likelihood, without its constants and with the best variance of all, as if
   two more targets had been seen, whose variance is 1 */
static double unlikeliness(struct fit *f, struct covariance *c, size_t n, double *variance)
{
    double logs = 0, squares = 0, z[FIT_MOST];
    covariance_prepare(c);
    solve(f, c, n, z);
    for (size_t i = 0; i < n; i++) {
        squares += z[i] * z[i];
        logs += num_log2(f->matrix[i * n + i]);
    }
    *variance = (squares + 2) / ((double)n + 2);
    return (logs + 0.5 * (double)n * num_log2(*variance)) * 0.69314718 + strangeness(c);
}

/* ---- the search ---- */

/* A step that helped grows, one that helped in the other direction turns, one that did not help
   shrinks. */
static double try_number(struct fit *f, struct covariance *c, size_t number, size_t n, double best)
{
    double *v = &c->v[number], *step = &f->step[number], variance, spread;
    const double old = *v, usual = covariance_usual(number, &spread);
    for (int direction = 1; direction >= -1; direction -= 2) {
        *v = old + direction * *step;
        if (fabs(*v - usual) > FARTHEST)
            continue;
        take_number(f, c, (int)number, n);
        const double got = unlikeliness(f, c, n, &variance);
        if (got < best) {
            *step *= 1.3 * direction;
            return got;
        }
    }
    *v = old;
    take_number(f, c, (int)number, n);
    *step *= 0.6;
    return best;
}

static void bound_step(double *step)
{
    const double size = fabs(*step), sign = *step < 0 ? -1 : 1;
    *step = sign * (size > 3 ? 3 : size < 0.15 ? 0.15 : size);
}

static void sweep(struct fit *f, struct covariance *c, size_t n)
{
    double variance, best = unlikeliness(f, c, n, &variance);
    for (size_t i = 0; i < c->n; i++) {
        if (!covariance_uses(c, i))
            continue;
        best = try_number(f, c, i, n, best);
        bound_step(&f->step[i]);
    }
}

static void regression_prepare(struct fit *f, const struct covariance *c)
{
    struct heap *heap = c->columns->heap;
    f->step = heap_new(heap, c->n, sizeof *f->step);
    for (size_t i = 0; i < c->n; i++)
        f->step[i] = 1;
    f->matrix = heap_new(heap, (size_t)FIT_MOST * FIT_MOST, sizeof *f->matrix);
    f->target = heap_new(heap, FIT_MOST, sizeof *f->target);
    f->tuple = heap_new(heap, FIT_MOST, sizeof *f->tuple);
    f->rows = heap_new(heap, FIT_MOST * (c->columns->width + 1), sizeof *f->rows);
}

double fit_numbers(struct fit *f, struct covariance *c, const size_t *tuple, const double *target,
                   size_t n)
{
    size_t chosen[FIT_MOST];
    double variance;
    const int is_first = f->step == NULL;
    if (is_first)
        regression_prepare(f, c);
    n = fit_choose(target, n, FIT_MOST, chosen);
    for (size_t i = 0; i < n; i++) {
        f->tuple[i] = tuple[chosen[i]];
        f->target[i] = target[chosen[i]];
    }
    take_number(f, c, COVARIANCE_ALL, n);
    for (int i = 0; i < (is_first ? 2 : 1); i++)
        sweep(f, c, n);
    unlikeliness(f, c, n, &variance);
    return variance;
}

/* The variance follows from `before` results and the two that are as if seen: Student's
   distribution */
double fit_likelihood(struct fit *f, const struct covariance *c, const size_t *tuple,
                      const double *target, size_t n, size_t before, double variance)
{
    const size_t first = n > FIT_MOST ? n - FIT_MOST : 0, m = n - first;
    double z[FIT_MOST], sum = 0, freedom = (double)before + 2;
    for (size_t i = 0; i < m; i++) {
        f->tuple[i] = tuple[first + i];
        f->target[i] = target[first + i];
    }
    take_number(f, c, COVARIANCE_ALL, m);
    solve(f, c, m, z);
    for (size_t i = before > first ? before - first : 0; i < m; i++) {
        const double scale = f->matrix[i * m + i] * f->matrix[i * m + i] * variance;
        sum -= 0.5 * (freedom + 1) * num_log2(1 + z[i] * z[i] / (variance * freedom))
               + 0.5 * num_log2(scale);
    }
    return sum;
}
