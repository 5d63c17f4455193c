/* scorer.c - a network of the paper behind the scorer interface of kpred.h, and its id
   SPDX-License-Identifier: MIT */
#include "paper.h"

#include "base/numbers.h"

#include <string.h>

/* work: what paper_start leaves for all prefixes; state: that of a prefix. Both hold floats, copied
   in and out bytewise through the paper's scratch. */

static float *memory_of(const struct paper *p)
{
    return p->scratch;
}

static float *state_of(const struct paper *p)
{
    return memory_of(p) + paper_memory(&p->net);
}

static float *next_of(const struct paper *p)
{
    return state_of(p) + paper_state(&p->net);
}

static float *logits_of(const struct paper *p)
{
    return next_of(p) + paper_state(&p->net);
}

static void start(const kpred_model *model, const int32_t *problem, int32_t *work, int32_t *state)
{
    const struct paper *p = model->net;
    uint16_t in[KPRED_MAX_FIELDS];
    words_of_problem(&p->words, p->spec, problem, in);
    paper_start(&p->net, p->tape, in, memory_of(p), state_of(p));
    memcpy(work, memory_of(p), paper_memory(&p->net) * sizeof *work);
    memcpy(state, state_of(p), paper_state(&p->net) * sizeof *state);
}

static void load(const struct paper *p, const int32_t *work, const int32_t *state)
{
    memcpy(memory_of(p), work, paper_memory(&p->net) * sizeof *work);
    memcpy(state_of(p), state, paper_state(&p->net) * sizeof *state);
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
    load(p, work, state);
    paper_logits(&p->net, memory_of(p), state_of(p), p->words.step[n_decided], logits_of(p));
    for (size_t v = 0; v < n; v++)
        out[v] = num_logit(logits_of(p)[p->words.answer[n_decided][v]]);
}

/* A parameter of one value leaves the state, and nothing comes after the last word. */
static void extend(const kpred_model *model, int32_t *work, const int32_t *state, size_t n_decided,
                   int32_t value_index, int32_t *next)
{
    const struct paper *p = model->net;
    const size_t words = paper_state(&p->net);
    if (!words || p->words.step[n_decided] + 1 >= p->words.n_steps
        || model->params[n_decided].n_values < 2) {
        memcpy(next, state, words * sizeof *next);
        return;
    }
    load(p, work, state);
    paper_extend(&p->net, p->tape, memory_of(p), state_of(p),
                 p->words.answer[n_decided][value_index], next_of(p));
    memcpy(next, next_of(p), words * sizeof *next);
}

static const kpred_scorer scorer = {start, logits, extend};

void paper_attach(const struct model *model, const struct paper *p, kpred_model *out)
{
    *out = model->m;
    out->scorer = &scorer;
    out->net = p;
    out->work_words = (uint32_t)paper_memory(&p->net);
    out->state_words = (uint32_t)paper_state(&p->net);
    out->id = kpred_model_id(out);
}

/* ---- the id: FNV-1a, 64 bits -------------------------------------------------------------- */

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
