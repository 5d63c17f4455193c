/* beam.c - a beam search with the kernel's rule, for peers that score one parameter after the other
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

int beam_make(struct beam *b, const kpred_model *model, size_t k)
{
    b->model = model;
    b->k = k;
    b->now = calloc(k, sizeof *b->now);
    b->next = calloc(k, sizeof *b->next);
    b->logs = calloc(k * KPRED_MAX_VALUES, sizeof *b->logs);
    return b->now && b->next && b->logs ? 0 : -1;
}

void beam_free(struct beam *b)
{
    free(b->now);
    free(b->next);
    free(b->logs);
    memset(b, 0, sizeof *b);
}

/* Puts an extension among the n best so far, behind its equals; how many there are then */
static size_t insert(struct beam *b, size_t n, const struct beam_prefix *new, size_t length)
{
    size_t at = n < b->k ? n++ : b->k - 1;
    for (; at > 0 && b->next[at - 1].score < new->score; at--)
        b->next[at] = b->next[at - 1];
    b->next[at].score = new->score;
    memcpy(b->next[at].index, new->index, length);
    memcpy(b->next[at].value, new->value, length * sizeof *new->value);
    return n;
}

/* Extends n prefixes of t values; how many there are then */
static size_t extend(struct beam *b, const int32_t *problem, size_t t, size_t n)
{
    const kpred_param *param = &b->model->params[t];
    size_t n_next = 0;
    for (size_t i = 0; i < n; i++) {
        struct beam_prefix new = b->now[i];
        for (int32_t v = 0; v < param->n_values; v++) {
            new.score = b->now[i].score + b->logs[i * KPRED_MAX_VALUES + (size_t)v];
            if (n_next == b->k && new.score <= b->next[n_next - 1].score)
                continue;
            new.index[t] = (unsigned char)v;
            new.value[t] = param->values[v];
            if (b->model->rule == NULL || b->model->rule(problem, new.value, t + 1))
                n_next = insert(b, n_next, &new, t + 1);
        }
    }
    return n_next;
}

size_t beam_search(struct beam *b, const int32_t *problem, beam_logs *logs, void *state,
                   kpred_tuple *out)
{
    const size_t n_params = b->model->n_params;
    size_t n = 1;
    b->now[0].score = 0;
    for (size_t t = 0; t < n_params; t++) {
        logs(state, t, b->now, n, b->logs);
        n = extend(b, problem, t, n);
        struct beam_prefix *old = b->now;
        b->now = b->next;
        b->next = old;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(out[i].value, b->now[i].value, n_params * sizeof *out[i].value);
    return n;
}
