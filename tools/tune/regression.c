/* regression.c - see regression.h
   SPDX-License-Identifier: MIT */
#include "regression.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 1024 }; /* candidates at once: their sums stay in the cache */

void regression_open(struct regression *r, const struct covariance *c, const size_t *tuple,
                     size_t n_candidates, size_t most)
{
    *r = (struct regression){
        .covariance = c, .most = most, .n_candidates = n_candidates, .tuple = tuple};
    r->known = xmalloc(most * n_candidates * sizeof *r->known);
    r->line = xmalloc(most * most * sizeof *r->line);
    r->mean = xcalloc(n_candidates, sizeof *r->mean);
    r->variance = xcalloc(n_candidates, sizeof *r->variance);
    r->row = xcalloc(c->columns->width + 1, sizeof *r->row);
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

void regression_free(struct regression *r)
{
    free(r->known);
    free(r->line);
    free(r->mean);
    free(r->variance);
    free(r->row);
}

/* ---- expected improvement ---- */

/* With u = ahead, it is phi(u) + u Phi(u). Below -2 the two nearly cancel, and a continued fraction
   of Mills' ratio is used; above 6 it is u. */
double expected_gain(double u)
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
