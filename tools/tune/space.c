/* space.c - the legal tuples of a problem, and the order in which a model puts them
   SPDX-License-Identifier: MIT */
#include "space.h"

#include "base/numbers.h"
#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

/* ---- legal tuples ---- */

void space_free(struct space *s)
{
    free(s->n_values);
    free(s->rank);
    *s = (struct space){0};
}

/* A value that is a name is known by its number alone. */
void legal_open(struct legal *l, const struct model *model, const int32_t *problem)
{
    static const struct tuples_most most = {1 << 18, 1 << 16};
    const kpred_model *m = &model->m;
    struct space *s = &l->space;
    size_t n = 0, at = 0;
    tuples_open(&l->tuples, m, problem, &most);
    *s = (struct space){.n_params = m->n_params, .n = l->tuples.n, .value = l->tuples.value};
    s->n_values = xcalloc(m->n_params, sizeof *s->n_values);
    for (size_t t = 0; t < m->n_params; t++)
        n += s->n_values[t] = (unsigned)m->params[t].n_values;
    s->rank = xcalloc(n, sizeof *s->rank);
    for (size_t t = 0; t < m->n_params; t++)
        for (int32_t v = 0; v < m->params[t].n_values; v++)
            s->rank[at++] = m->params[t].values[v];
}

void legal_close(struct legal *l)
{
    tuples_close(&l->tuples);
    space_free(&l->space);
}

uint64_t legal_seed(uint64_t seed, const int32_t *problem, size_t n_fields)
{
    for (size_t f = 0; f < n_fields; f++)
        seed = num_mix(seed, f, (uint64_t)problem[f]);
    return seed;
}

/* ---- is it the same kernel? ---- */

static int same_values(const struct spec_param *a, const struct spec_param *b)
{
    char x[12], y[12];
    int is_same = strcmp(a->name, b->name) == 0 && a->n_values == b->n_values;
    for (size_t v = 0; is_same && v < a->n_values; v++)
        is_same = strcmp(spec_value_text(a, v, x), spec_value_text(b, v, y)) == 0;
    return is_same;
}

static int other_kernel(const char *path, const struct model *model, const struct spec *spec,
                        const char *what, const char *name)
{
    return fail("%s: is a model of another kernel: of %s, %s is about %s: %s %s is not the same",
                path, model->m.name, spec->path, spec->name, what, name);
}

int order_check(const char *path, const struct model *model, const struct spec *spec)
{
    const struct spec *of = model->spec;
    if (strcmp(of->name, spec->name) != 0)
        return other_kernel(path, model, spec, "the", "name");
    for (size_t t = 0; t < of->n_params || t < spec->n_params; t++)
        if (t >= of->n_params || t >= spec->n_params
            || !same_values(&of->params[t], &spec->params[t]))
            return other_kernel(path, model, spec, "parameter",
                                t < spec->n_params ? spec->params[t].name : of->params[t].name);
    for (size_t f = 0; f < of->n_fields; f++) {
        const int at = spec_field_index(spec, of->fields[f].name);
        if (at < 0 || !spec->fields[at].n_tokens != !of->fields[f].n_tokens)
            return other_kernel(path, model, spec, "field", of->fields[f].name);
    }
    return 0;
}

/* The problem as the model has it: 1, or 0 where it does not know a token. */
static int translate(const struct spec *of, const struct spec *spec, const int32_t *problem,
                     int32_t *out)
{
    for (size_t f = 0; f < of->n_fields; f++) {
        const struct spec_field *field = &of->fields[f];
        const size_t at = (size_t)spec_field_index(spec, field->name);
        out[f] = problem[at];
        if (field->n_tokens != 0)
            out[f] = field_token(field, spec->fields[at].tokens[problem[at]]);
        if (out[f] < field->least || out[f] > field->most)
            return 0;
    }
    return 1;
}

/* ---- scores ---- */

struct scorer {
    const kpred_model *m;
    size_t words;   /* of a state */
    int32_t *work;  /* scratch of the network */
    int32_t *state; /* of each prefix of the tuple at hand */
    float *bits;    /* n_params x KPRED_MAX_VALUES: log2-probabilities behind each prefix */
    double sum[KPRED_MAX_TUPLE + 1];
    unsigned char index[KPRED_MAX_TUPLE];
    size_t known; /* prefixes whose bits are there */
};

/* Q16 logits to log2-probabilities */
static void log_softmax(const int32_t *logit, size_t n, float *bits)
{
    int32_t most = logit[0];
    float sum = 0;
    for (size_t v = 1; v < n; v++)
        most = logit[v] > most ? logit[v] : most;
    for (size_t v = 0; v < n; v++) {
        bits[v] = (float)((double)logit[v] - most) / 65536;
        sum += num_exp2(bits[v]);
    }
    for (size_t v = 0; v < n; v++)
        bits[v] -= (float)num_log2((double)sum);
}

/* What may follow the first t values. pre: t is s->known */
static void find_bits(struct scorer *s, size_t t)
{
    int32_t logits[KPRED_MAX_VALUES + 16], *const state = s->state + t * s->words;
    if (t > 0 && s->m->scorer->extend != NULL)
        s->m->scorer->extend(s->m, s->work, state - s->words, t - 1, s->index[t - 1], state);
    s->m->scorer->logits(s->m, s->work, state, s->index, t, logits);
    log_softmax(logits, (size_t)s->m->params[t].n_values, s->bits + t * KPRED_MAX_VALUES);
    s->known = t + 1;
}

/* What a tuple shares with the one before it is not computed again. */
static double score_of(struct scorer *s, const uint16_t *value)
{
    size_t t = 0;
    while (t < s->known && s->index[t] == value[t])
        t++;
    s->known = t < s->known ? t + 1 : s->known;
    for (; t < s->m->n_params; t++) {
        if (t >= s->known)
            find_bits(s, t);
        s->index[t] = (unsigned char)value[t];
        s->sum[t + 1] = s->sum[t] + (double)s->bits[t * KPRED_MAX_VALUES + value[t]];
    }
    return s->sum[s->m->n_params];
}

void order_tuples(const kpred_model *m, const int32_t *problem, const uint16_t *value, size_t n,
                  double *score)
{
    struct heap heap = {NULL, 0, 0};
    struct scorer s = {.m = m, .words = m->state_words + 1};
    s.work = heap_new(&heap, m->work_words + 1, sizeof *s.work);
    s.state = heap_new(&heap, s.words * (m->n_params + 1), sizeof *s.state);
    s.bits = heap_new(&heap, m->n_params, KPRED_MAX_VALUES * sizeof *s.bits);
    m->scorer->start(m, problem, s.work, s.state);
    for (size_t i = 0; i < n; i++)
        score[i] = score_of(&s, value + i * m->n_params);
    heap_free(&heap);
}

int order_scores(const struct model *model, const struct spec *spec, const int32_t *problem,
                 const struct legal *l, double *score)
{
    int32_t translated[KPRED_MAX_FIELDS];
    if (!translate(model->spec, spec, problem, translated))
        return 0;
    order_tuples(&model->m, translated, l->space.value, l->space.n, score);
    return 1;
}
