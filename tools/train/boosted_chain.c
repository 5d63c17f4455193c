/* boosted_chain.c - boosted trees that teach beside the networks, see trees.h
   SPDX-License-Identifier: MIT */
#include "trees.h"

#include "base/util.h"
#include "matrix.h"

#include <stdlib.h>

/* A parameter: of each value a sequence of trees says the chance that a row has it */
struct parameter {
    const struct chain *chain;
    size_t index;
    float *known, *asked; /* columns: what trees see, then the values of the parameters before */
    float *said;          /* n_values x rows asked */
};

static float *columns_of(const struct net_dims *d, const struct net_rows *rows, size_t p)
{
    const size_t n = d->n_features, width = n + p;
    float *x = xcalloc(rows->n * width + 1, sizeof *x);
    for (size_t i = 0; i < rows->n; i++) {
        for (size_t c = 0; c < n; c++)
            x[i * width + c] = rows->x[i * n + c];
        for (size_t c = 0; c < p; c++)
            x[i * width + n + c] = rows->y[i * d->n_params + c];
    }
    return x;
}

static void learn_value(void *user, size_t value)
{
    const struct parameter *p = user;
    const struct chain *c = p->chain;
    const size_t n_params = c->dims->n_params, width = c->dims->n_features + p->index;
    float *is_it = xcalloc(c->known.n, sizeof *is_it);
    for (size_t i = 0; i < c->known.n; i++)
        is_it[i] = c->known.y[i * n_params + p->index] == value;
    const struct boost_rows rows = {c->known.n, width, p->known, is_it, NULL};
    const struct boost_config config = {1, c->rounds, 6, 3, 0.1f, 0.8f, 0.5f, c->seed + value, 1};
    struct boost *b = boost_fit(&rows, &config);
    boost_ask(b, p->asked, c->asked.n, p->said + value * c->asked.n);
    boost_free(b);
    free(is_it);
}

/* Moves the targets of a row towards what is said of it, as shares, none of them 0. */
static void mix_row(const struct parameter *p, size_t row, float *target)
{
    const size_t n_values = p->chain->dims->n_values[p->index];
    const float least = 1e-3f, share = p->chain->share;
    float part[NET_MAX_VALUES], all = 0;
    for (size_t v = 0; v < n_values; v++) {
        const float said = p->said[v * p->chain->asked.n + row];
        part[v] = said > least ? said : least;
        all += part[v];
    }
    for (size_t v = 0; v < n_values; v++)
        target[v] = (1 - share) * target[v] + share * part[v] / all;
}

void chain_mix(const struct chain *c, size_t n_threads, float *targets)
{
    struct pool *pool = pool_new(n_threads);
    for (size_t p = 0, at = 0; p < c->dims->n_params; at += c->dims->n_values[p++]) {
        struct parameter now = {c, p, columns_of(c->dims, &c->known, p),
                                columns_of(c->dims, &c->asked, p), NULL};
        now.said = xcalloc(c->dims->n_values[p] * c->asked.n + 1, sizeof *now.said);
        pool_run(pool, learn_value, &now, c->dims->n_values[p]);
        for (size_t i = 0; i < c->asked.n; i++)
            mix_row(&now, i, targets + i * net_target_width(c->dims) + at);
        free(now.known);
        free(now.asked);
        free(now.said);
    }
    pool_free(pool);
}
