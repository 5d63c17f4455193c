/* predictor.c - opens whatever predicts, and puts float networks behind the scorer interface
   SPDX-License-Identifier: MIT */
#include "predictor.h"

#include "base/numbers.h"

#include <string.h>

/* ---- float networks ---- */

enum { MOST_CONTEXT = KPRED_MAX_PARAMS * 512 }; /* floats of one network */

static size_t context_size(const struct net *net)
{
    return net->at.n_active * net->dims.hidden;
}

/* work: the contexts as floats, one network's after the other, copied in and out bytewise */

static void predictor_start(const kpred_model *model, const int32_t *problem, int32_t *work,
                            int32_t *state)
{
    const struct float_scorer *s = model->net;
    uint8_t x[KPRED_MAX_WIDTH + 16] = {0};
    float base[MOST_CONTEXT];
    (void)state;
    program_run(s->program, problem, model->n_fields, x);
    for (size_t i = 0; i < s->n_nets; work += context_size(&s->nets[i++])) {
        net_context(&s->nets[i], 0, x, base);
        memcpy(work, base, context_size(&s->nets[i]) * sizeof *work);
    }
}

/* Adds the softmax of n logits in log2 units, times a weight. */
static void add_probabilities(const float *logit, size_t n, double weight, double *sum)
{
    float top = logit[0], p[KPRED_MAX_VALUES], all = 0;
    for (size_t v = 1; v < n; v++)
        top = logit[v] > top ? logit[v] : top;
    for (size_t v = 0; v < n; v++)
        all += p[v] = num_exp2(logit[v] - top);
    for (size_t v = 0; v < n; v++)
        sum[v] += weight * (double)p[v] / (double)all;
}

/* Logits of the mean of the networks' probabilities: of one network its own. */
static void logits(const kpred_model *model, int32_t *work, const int32_t *state,
                   const unsigned char *prefix, size_t n_decided, int32_t *out)
{
    const struct float_scorer *s = model->net;
    const size_t n = (size_t)model->params[n_decided].n_values;
    float base[MOST_CONTEXT], x[KPRED_MAX_VALUES + 16];
    double mean[KPRED_MAX_VALUES] = {0};
    (void)state;
    out[0] = 0;
    if (n < 2)
        return;
    for (size_t i = 0; i < s->n_nets; work += context_size(&s->nets[i++])) {
        memcpy(base, work, context_size(&s->nets[i]) * sizeof *work);
        net_logits(&s->nets[i], 0, base, n_decided, prefix, x);
        add_probabilities(x, n, 1.0 / (double)s->n_nets, mean);
    }
    for (size_t v = 0; v < n; v++)
        out[v] = num_logit(s->n_nets == 1 ? x[v] : (float)num_log2(mean[v]));
}

static const kpred_scorer scorer = {predictor_start, logits, NULL};

static int fits(const struct model *model, const struct net *net)
{
    const struct net_dims *d = &net->dims;
    const kpred_model *m = &model->m;
    for (size_t t = 0; t < m->n_params && t < d->n_params; t++)
        if (d->n_values[t] != (size_t)m->params[t].n_values)
            return 0;
    return d->n_params == m->n_params && d->n_features == model->net.layer[0].cols
           && context_size(net) <= MOST_CONTEXT;
}

/* Makes a copy of `model` in `out` that runs n networks in place of the integer one. All must
   outlive the copy. 0, or -1 with a message if a network does not fit the model. */
static int float_scorer_attach(const struct model *model, const struct net *nets, size_t n,
                               struct float_scorer *s, kpred_model *out)
{
    *out = model->m;
    out->work_words = 0;
    for (size_t i = 0; i < n; i++) {
        if (!fits(model, &nets[i]))
            return fail("%s: the float network does not fit the model", model->m.name);
        out->work_words += (uint32_t)context_size(&nets[i]);
    }
    s->nets = nets;
    s->n_nets = n;
    s->program = &model->program;
    out->scorer = &scorer;
    out->net = s;
    out->id = kpred_model_id(out);
    return 0;
}

/* ---- predictors ---- */

int predictor_open(const char *name, struct predictor *out)
{
    const int found = paper_read(name, &out->model, &out->paper);
    memset(&out->nets, 0, sizeof out->nets);
    out->is_paper = found == 0;
    if (found < 0 || (found > 0 && model_open(name, &out->model)))
        return -1;
    if (out->is_paper) {
        out->net = paper_names[out->paper.net.dims.kind];
        paper_attach(&out->model, &out->paper, &out->run);
    } else {
        out->net = "additive";
        out->run = out->model.m;
    }
    return 0;
}

static int take_float(struct predictor *p, const char *name, size_t teachers)
{
    if (float_file_read(name, &p->model, &p->nets))
        return -1;
    if (teachers >= p->nets.n)
        return fail("--teachers: value \"%zu\": the model has %zu", teachers, p->nets.n - 1);
    p->net = teachers ? "additive teachers" : "additive float";
    return float_scorer_attach(&p->model, p->nets.net + (teachers ? 1 : 0), teachers ? teachers : 1,
                               &p->scorer, &p->run);
}

int predictor_open_float(const char *name, size_t teachers, struct predictor *out)
{
    if (predictor_open(name, out))
        return -1;
    int bad = out->is_paper
                  ? fail("%s: --float, --teachers: it is a float network of its own", name)
                  : take_float(out, name, teachers);
    if (bad)
        predictor_close(out);
    return bad;
}

void predictor_close(struct predictor *p)
{
    recipe_nets_free(&p->nets);
    if (p->is_paper)
        paper_close(&p->paper);
    model_free(&p->model);
}

size_t predictor_bytes(const struct predictor *p)
{
    return p->is_paper ? sizeof *p->paper.net.w * p->paper.net.blocks.n_weights
                       : model_cost(&p->model.m).bytes;
}
