/* paper.c - a network of the paper as a model: words, the scorer interface of kpred.h, its id
   SPDX-License-Identifier: MIT */
#include "paper.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

/* ---- problems ------------------------------------------------------------------------------ */

size_t words_n_names(const struct spec *spec)
{
    size_t n = 0;
    for (size_t f = 0; f < spec->n_fields; f++)
        n += spec->fields[f].n_tokens;
    return n;
}

int words_count(struct words *w)
{
    w->n = 1;
    for (size_t i = 0; i < w->n_names; i++)
        if (w->name[i] && w->name[i] != (int32_t)w->n++)
            return -1;
    for (size_t i = 1; i < w->n_sizes; i++)
        if (w->size[i - 1] >= w->size[i])
            return -1;
    w->n += w->n_sizes;
    return 0;
}

int words_new(struct words *w, const struct spec *spec, const int32_t *problems, size_t n)
{
    const size_t fields = spec->n_fields;
    int32_t word = 1;
    *w = (struct words){.n_names = words_n_names(spec)};
    w->name = xcalloc(w->n_names + 1, sizeof *w->name);
    w->size = xcalloc(n * fields + 1, sizeof *w->size);
    for (size_t f = 0, first = 0; f < fields; first += spec->fields[f++].n_tokens)
        for (size_t i = 0; i < n; i++)
            if (spec->fields[f].n_tokens)
                w->name[first + (size_t)problems[i * fields + f]] = 1;
            else
                w->size[w->n_sizes++] = problems[i * fields + f];
    w->n_sizes = num_unique(w->size, w->n_sizes);
    for (size_t i = 0; i < w->n_names; i++)
        w->name[i] = w->name[i] ? word++ : 0;
    words_set_answers(w, spec);
    words_count(w);
    if (w->n <= UINT16_MAX)
        return 0;
    words_free(w);
    return fail("%s: more different sizes than a vocabulary takes", spec->name);
}

void words_free(struct words *w)
{
    free(w->name);
    free(w->size);
    w->name = w->size = NULL;
}

static uint16_t size_word(const struct words *w, int32_t x)
{
    const int32_t *p = bsearch(&x, w->size, w->n_sizes, sizeof x, num_rising_int);
    return p ? (uint16_t)(w->n - w->n_sizes + (size_t)(p - w->size)) : 0;
}

void words_of_problem(const struct words *w, const struct spec *spec, const int32_t *problem,
                      uint16_t *out)
{
    const int32_t *name = w->name;
    for (size_t f = 0; f < spec->n_fields; f++) {
        out[f] = spec->fields[f].n_tokens ? (uint16_t)name[problem[f]] : size_word(w, problem[f]);
        name += spec->fields[f].n_tokens;
    }
}

/* ---- answers ------------------------------------------------------------------------------- */

/* Are value i of p and value j of q the same word? */
static int same_word(const struct spec_param *p, size_t i, const struct spec_param *q, size_t j)
{
    if (p->names[i] && q->names[j])
        return !strcmp(p->names[i], q->names[j]);
    return !p->names[i] && !q->names[j] && p->values[i] == q->values[j];
}

/* The word of a value as an earlier parameter has it, or a new one. */
static uint16_t answer_word(struct words *w, const struct spec *spec, size_t t, size_t i)
{
    for (size_t u = 0; u < t; u++)
        for (size_t j = 0; spec->params[u].n_values > 1 && j < spec->params[u].n_values; j++)
            if (same_word(&spec->params[t], i, &spec->params[u], j))
                return w->answer[u][j];
    return (uint16_t)w->n_answers++;
}

void words_set_answers(struct words *w, const struct spec *spec)
{
    w->n_answers = w->n_steps = 0;
    for (size_t t = 0; t < spec->n_params; t++) {
        w->step[t] = w->n_steps;
        w->n_steps += spec->params[t].n_values > 1;
        for (size_t i = 0; spec->params[t].n_values > 1 && i < spec->params[t].n_values; i++)
            w->answer[t][i] = answer_word(w, spec, t, i);
    }
}

void words_of_answer(const struct words *w, const struct spec *spec, const unsigned char *target,
                     uint16_t *out)
{
    for (size_t t = 0; t < spec->n_params; t++)
        if (spec->params[t].n_values > 1)
            out[w->step[t]] = w->answer[t][target[t]];
}

/* ---- opening and closing ------------------------------------------------------------------- */

int paper_build(struct paper *p, const struct model *model, const struct paper_dims *dims)
{
    p->spec = model->spec;
    if (paper_new(&p->net, dims, model->m.name))
        return -1;
    p->tape = xcalloc(1, sizeof *p->tape);
    paper_tape_new(p->tape, &p->net, 1);
    return 0;
}

void paper_close(struct paper *p)
{
    words_free(&p->words);
    paper_free(&p->net);
    if (p->tape)
        paper_tape_free(p->tape);
    free(p->tape);
}

/* ---- the scorer interface ------------------------------------------------------------------ */

/* work: what paper_start leaves for all prefixes; state: that of a prefix. Both hold floats. */

static void start_problem(const kpred_model *model, const int32_t *problem, int32_t *work,
                          int32_t *state)
{
    const struct paper *p = model->net;
    uint16_t in[KPRED_MAX_FIELDS];
    words_of_problem(&p->words, p->spec, problem, in);
    paper_start(&p->net, p->tape, in, work, state);
}

/* Those words of the answers' vocabulary that are values of the parameter. */
static void logits(const kpred_model *model, int32_t *work, const int32_t *state,
                   const unsigned char *prefix, size_t n_decided, int32_t *out)
{
    const struct paper *p = model->net;
    const size_t n = (size_t)model->params[n_decided].n_values;
    (void)prefix;
    out[0] = 0;
    if (n < 2)
        return;
    const float *of = paper_logits(&p->net, p->tape, work, state, p->words.step[n_decided]);
    for (size_t v = 0; v < n; v++)
        out[v] = num_logit(of[p->words.answer[n_decided][v]]);
}

/* A parameter of one value leaves the state, and nothing comes after the last word. */
static void extend(const kpred_model *model, int32_t *work, const int32_t *state, size_t n_decided,
                   int32_t value_index, int32_t *next)
{
    const struct paper *p = model->net;
    const size_t words = paper_state(&p->net);
    if (!words || p->words.step[n_decided] + 1 >= p->words.n_steps
        || model->params[n_decided].n_values < 2)
        memcpy(next, state, words * sizeof *next);
    else
        paper_extend(&p->net, p->tape, work, state, p->words.answer[n_decided][value_index], next);
}

static const kpred_scorer scorer = {start_problem, logits, extend};

void paper_attach(const struct model *model, const struct paper *p, kpred_model *out)
{
    *out = model->m;
    out->scorer = &scorer;
    out->net = p;
    out->work_words = (uint32_t)paper_memory(&p->net);
    out->state_words = (uint32_t)paper_state(&p->net);
    out->id = kpred_model_id(out);
}

/* ---- the id: FNV-1a, 64 bits --------------------------------------------------------------- */

static void hash(uint64_t *h, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *h = (*h ^ (x >> (8 * i) & 255)) * UINT64_C(0x100000001b3);
}

uint64_t paper_id(const struct model *model, const struct paper *p)
{
    const struct paper_dims *d = &p->net.dims;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    kpred_model run;
    paper_attach(model, p, &run);
    hash(&h, run.id, 8);
    hash(&h, (uint64_t)d->kind, 4);
#define HASH(name, most) hash(&h, d->name, 4);
    PAPER_DIMS(HASH)
#undef HASH
    for (size_t i = 0; i < p->words.n_names; i++)
        hash(&h, (uint64_t)p->words.name[i], 4);
    for (size_t i = 0; i < p->words.n_sizes; i++)
        hash(&h, (uint64_t)p->words.size[i], 4);
    for (size_t i = 0; i < p->net.blocks.n_weights; i++) {
        uint32_t bits;
        memcpy(&bits, p->net.w + i, sizeof bits);
        hash(&h, bits, 4);
    }
    return h;
}
