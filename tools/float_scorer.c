/* float_scorer.c - see float_scorer.h
   SPDX-License-Identifier: MIT */
#include "float_scorer.h"

#include "numbers.h"

#include <string.h>

/* work: the context as floats, copied in and out bytewise */

static void start(const kpred_model *model, const int32_t *problem, int32_t *work, int32_t *state)
{
    const struct float_scorer *s = model->net;
    uint8_t x[KPRED_MAX_WIDTH + 16] = { 0 };
    float base[KPRED_MAX_PARAMS * KPRED_MAX_HIDDEN];
    (void)state;
    program_run(s->program, problem, model->n_fields, x);
    net_context(&s->net, 0, x, base);
    memcpy(work, base, model->work_words * sizeof *work);
}

static void logits(const kpred_model *model, int32_t *work, const int32_t *state,
                   const unsigned char *prefix, size_t n_decided, int32_t *out)
{
    const struct float_scorer *s = model->net;
    const size_t n = (size_t)model->params[n_decided].n_values;
    float base[KPRED_MAX_PARAMS * KPRED_MAX_HIDDEN], x[KPRED_MAX_VALUES + 16];
    size_t v;
    (void)state;
    out[0] = 0;
    if (n < 2)
        return;
    memcpy(base, work, model->work_words * sizeof *work);
    net_logits(&s->net, 0, base, n_decided, prefix, x);
    for (v = 0; v < n; v++)
        out[v] = num_logit(x[v]);
}

static const kpred_scorer scorer = { start, logits, NULL };

int float_scorer_attach(const struct model *model, struct float_scorer *s, kpred_model *out)
{
    const struct net_dims *d = &s->net.dims;
    const kpred_model *m = &model->m;
    size_t t;
    int fits = d->n_params == m->n_params && d->n_features == model->net.layer[0].cols
               && s->net.at.n_active * d->hidden == model->net.layer[2].rows;
    for (t = 0; t < m->n_params && fits; t++)
        fits = d->n_values[t] == (size_t)m->params[t].n_values;
    if (!fits)
        return fail("%s: the float network does not fit the model", m->name);
    s->program = &model->program;
    *out = *m;
    out->scorer = &scorer;
    out->net = s;
    out->work_words = (uint32_t)(s->net.at.n_active * d->hidden);
    out->id = kpred_model_id(out);
    return 0;
}
