/* bench_work.c - see bench_work.h
   SPDX-License-Identifier: MIT */
#include "bench_work.h"

#include "base/util.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* ---- a scorer that counts, and leaves the scores to the built-in one ---- */

/* What has been counted; a scorer has no other place for it. */
static struct {
    struct work sum;
    unsigned char *has_read; /* by this prediction: of each head its weights, then the embedding's
                                rows; n for each head */
    size_t n;
} counted;

static void count_bytes(size_t head, size_t row, size_t bytes)
{
    unsigned char *seen = counted.has_read + head * counted.n + row;
    counted.sum.weight_bytes += *seen ? 0 : (double)bytes;
    *seen = 1;
}

static void counting_start(const kpred_model *m, const int32_t *problem, int32_t *work,
                           int32_t *state)
{
    const kpred_additive *net = m->net;
    for (size_t i = 0; i < 3; i++) {
        const double n = (double)net->layer[i].rows * net->layer[i].cols;
        counted.sum.multiply_adds += n;
        counted.sum.weight_bytes += n;
    }
    memset(counted.has_read, 0, KPRED_MAX_TUPLE * counted.n);
    kpred_additive_scorer.start(m, problem, work, state);
}

/* The rows of the embedding that a prefix adds; returns how many there are. */
static size_t count_embedding(const kpred_model *m, const unsigned char *prefix, size_t head)
{
    const kpred_additive *net = m->net;
    size_t first = 1, rows = 0;
    for (size_t u = 0; u < head; u++)
        if (net->heads[u].weight) {
            count_bytes(head, first + prefix[u], net->hidden);
            first += (size_t)m->params[u].n_values;
            rows++;
        }
    return rows;
}

static void counting_logits(const kpred_model *m, int32_t *work, const int32_t *state,
                            const unsigned char *prefix, size_t t, int32_t *logits)
{
    const kpred_additive *net = m->net;
    counted.sum.prefixes++;
    counted.sum.values += m->params[t].n_values;
    if (net->heads[t].weight) {
        const size_t rows = model_head_rows(m, t);
        count_bytes(t, 0, rows * net->hidden);
        counted.sum.multiply_adds += (double)((rows + count_embedding(m, prefix, t)) * net->hidden);
    }
    kpred_additive_scorer.logits(m, work, state, prefix, t, logits);
}

/* The search calls it for each prefix that it keeps. */
static void counting_extend(const kpred_model *m, int32_t *work, const int32_t *state, size_t t,
                            int32_t v, int32_t *next)
{
    (void)m, (void)work, (void)state, (void)t, (void)v, (void)next;
    counted.sum.kept++;
}

static const kpred_scorer counting_scorer = {counting_start, counting_logits, counting_extend};

/* ---- its predictions ---- */

static void divide(struct work *w, double n)
{
    w->prefixes /= n;
    w->values /= n;
    w->kept /= n;
    w->multiply_adds /= n;
    w->weight_bytes /= n;
}

static int predict_all(kpred_ctx *ctx, const int32_t *problems, size_t n_problems)
{
    kpred_tuple *tuples = xcalloc(ctx->beam, sizeof *tuples);
    size_t n_out, i = 0;
    while (i < n_problems
           && kpred_predict(ctx, problems + i * ctx->model->n_fields, ctx->model->n_fields, tuples,
                            ctx->beam, &n_out)
                  == KPRED_OK)
        i++;
    free(tuples);
    return i == n_problems ? 0 : -1;
}

int work_count(const kpred_ctx *ctx, const int32_t *problems, size_t n_problems, struct work *work)
{
    kpred_model m = *ctx->model;
    const size_t words = kpred_arena_words(&m, ctx->beam);
    int32_t *arena = xcalloc(words, sizeof *arena);
    kpred_ctx own;
    int bad = -1;
    memset(&counted, 0, sizeof counted);
    for (uint32_t t = 0; t < m.n_params; t++)
        counted.n += (size_t)m.params[t].n_values;
    counted.has_read = xcalloc(KPRED_MAX_TUPLE, ++counted.n);
    m.scorer = &counting_scorer;
    m.id = kpred_model_id(&m);
    if (kpred_init(&own, KPRED_VERSION, &m, ctx->beam, arena, words) == KPRED_OK)
        bad = predict_all(&own, problems, n_problems);
    divide(&counted.sum, (double)n_problems);
    *work = counted.sum;
    free(counted.has_read);
    free(arena);
    return bad;
}
