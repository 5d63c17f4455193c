/* watch.c - see watch.h
   SPDX-License-Identifier: MIT */
#include "watch.h"

#include "additive_rows.h"
#include "base/util.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 };

const long watch_places[WATCH_PLACES] = {1, 4, 10};

struct watch {
    struct watch_rows rows;
    float *mark;        /* what the network thinks of each row: the more the better */
    double *now, *best; /* octaves that are lost in each problem: by this epoch, by the best one */
    float *weights;     /* of the best */
    size_t epochs, best_epoch, worse; /* epochs so far; how many in a row were worse */
};

struct watch *watch_new(const struct watch_rows *rows)
{
    struct watch *w = xcalloc(1, sizeof *w);
    w->rows = *rows;
    w->mark = xcalloc(rows->n, sizeof *w->mark);
    w->now = xcalloc(rows->n_problems, sizeof *w->now);
    w->best = xcalloc(rows->n_problems, sizeof *w->best);
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    free(w->mark);
    free(w->now);
    free(w->best);
    free(w->weights);
    free(w);
}

/* ---- what an epoch's network loses ---- */

/* The logarithm of the probability of each row's tuple */
static void mark_chunk(const struct watch *w, struct net_shard *s, size_t first, size_t n)
{
    const struct net_dims *d = &s->net->dims;
    const uint8_t *y = w->rows.y + first * d->n_params;
    float p[NET_MAX_VALUES];
    net_shard_start(s, w->rows.x + first * d->n_features, y, n);
    memset(w->mark + first, 0, n * sizeof *w->mark);
    for (size_t t = 0; t < d->n_params; t++) {
        if (d->n_values[t] == 1)
            continue;
        net_shard_logits(s, t, &NET_PLAIN);
        for (size_t i = 0; i < n; i++) {
            const float *logits = s->logits + i * pad16(d->n_values[t]);
            const double all = net_softmax2(logits, d->n_values[t], p);
            w->mark[first + i] += logits[y[i * d->n_params + t]] - (float)all;
        }
    }
}

static void mark_rows(const struct watch *w, const struct net *net)
{
    struct net_shard s;
    net_shard_new(&s, net, CHUNK);
    for (size_t i = 0; i < w->rows.n; i += CHUNK)
        mark_chunk(w, &s, i, w->rows.n - i < CHUNK ? w->rows.n - i : CHUNK);
    net_shard_free(&s);
}

/* The row that the network likes best, which then has lost its mark */
static size_t take_first(const struct watch *w, size_t first, size_t end)
{
    size_t at = first;
    for (size_t i = first + 1; i < end; i++)
        if (w->mark[i] > w->mark[at])
            at = i;
    w->mark[at] = -INFINITY;
    return at;
}

/* The mean over the places, in the problem of these rows */
static double lost_in(const struct watch *w, size_t first, size_t end)
{
    float least = INFINITY;
    double lost = 0;
    for (size_t place = 0, k = 0; place < WATCH_PLACES; place++) {
        for (; k < (size_t)watch_places[place]; k++) {
            const float octaves = w->rows.octaves[take_first(w, first, end)];
            least = octaves < least ? octaves : least;
        }
        lost += (double)least / WATCH_PLACES;
    }
    return lost;
}

/* The mean over the problems of how much more this epoch loses than the best one, and its standard
   error; where there is none yet, what it loses */
static double mean_behind(const struct watch *w, double *error)
{
    const size_t n = w->rows.n_problems;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += (w->now[i] - w->best[i]) / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (w->now[i] - w->best[i] - mean) * (w->now[i] - w->best[i] - mean);
    *error = sqrt(squares) / (double)n;
    return mean;
}

static void keep(struct watch *w, const struct net *net)
{
    const size_t bytes = net->at.n_weights * sizeof *w->weights;
    w->weights = xrealloc(w->weights, bytes, 1);
    memcpy(w->weights, net->w, bytes);
    memcpy(w->best, w->now, w->rows.n_problems * sizeof *w->best);
    w->best_epoch = w->epochs;
}

double watch_epoch(struct watch *w, const struct net *net)
{
    double lost = 0, error;
    mark_rows(w, net);
    for (size_t i = 0, first = 0; i < w->rows.n_problems; first = w->rows.end[i++]) {
        w->now[i] = lost_in(w, first, w->rows.end[i]);
        lost += w->now[i] / (double)w->rows.n_problems;
    }
    const double behind = mean_behind(w, &error);
    w->worse = w->epochs && behind > WATCH_ERRORS * error ? w->worse + 1 : 0;
    if (!w->epochs || !(behind > 0))
        keep(w, net);
    w->epochs++;
    return lost;
}

int watch_is_over(const struct watch *w)
{
    return w->worse >= WATCH_PATIENCE;
}

struct watch_result watch_choose(const struct watch *w, struct net *net)
{
    double error;
    const int is_behind = mean_behind(w, &error) > WATCH_ERRORS * error;
    const double *lost = is_behind ? w->best : w->now;
    struct watch_result r = {w->rows.n_problems, w->epochs, w->epochs, 0};
    if (is_behind) {
        r.epoch = w->best_epoch + 1;
        memcpy(net->w, w->weights, net->at.n_weights * sizeof *net->w);
    }
    for (size_t i = 0; i < r.problems; i++)
        r.lost += lost[i] / (double)r.problems;
    return r;
}
