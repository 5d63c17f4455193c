/* temperature.c - by what all logits would have to be divided to fit the tuned optima best
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 50, MOST = 200 }; /* hundredths */

/* Along the optimum of each row, for every value of every parameter: its logit less that of the
   optimum's value. */
struct margins {
    const kpred_model *m;
    size_t n, width; /* rows, and values of all parameters */
    int32_t *at;     /* n x width, Q16 */
};

struct scratch {
    int32_t *work, *state, *next, *logits;
};

static void scratch_new(struct scratch *s, const kpred_model *m)
{
    s->work = xcalloc(m->work_words + 1, sizeof *s->work);
    s->state = xcalloc(m->state_words + 1, sizeof *s->state);
    s->next = xcalloc(m->state_words + 1, sizeof *s->next);
    s->logits = xcalloc(KPRED_MAX_VALUES, sizeof *s->logits);
}

static void scratch_free(struct scratch *s)
{
    free(s->work);
    free(s->state);
    free(s->next);
    free(s->logits);
}

/* The state of the prefix that is longer by the optimum's value of parameter t */
static void extend(const kpred_model *m, struct scratch *s, size_t t, int32_t value)
{
    int32_t *const before = s->state;
    if (m->scorer->extend == NULL || t + 1 == m->n_params)
        return;
    m->scorer->extend(m, s->work, before, t, value, s->next);
    s->state = s->next;
    s->next = before;
}

static void add_row(struct margins *g, struct scratch *s, const int32_t *problem,
                    const unsigned char *target)
{
    int32_t *at = g->at + g->n++ * g->width;
    g->m->scorer->start(g->m, problem, s->work, s->state);
    for (size_t t = 0; t < g->m->n_params; t++) {
        g->m->scorer->logits(g->m, s->work, s->state, target, t, s->logits);
        for (int32_t v = 0; v < g->m->params[t].n_values; v++)
            *at++ = s->logits[v] - s->logits[target[t]];
        extend(g->m, s, t, target[t]);
    }
}

/* Rows that the kernel does not apply to have no prediction to look at. */
static struct margins gather(const struct eval *e)
{
    struct margins g = {e->run, 0, 0, NULL};
    struct scratch s;
    for (size_t i = 0; i < e->run->n_params; i++)
        g.width += (size_t)e->run->params[i].n_values;
    g.at = xcalloc(e->n, g.width * sizeof *g.at);
    scratch_new(&s, e->run);
    for (size_t i = 0; i < e->n; i++) {
        const size_t row = e->row[i].index;
        const int32_t *problem = e->data.problem + row * e->data.n_fields;
        if (!e->run->rule || e->run->rule(problem, problem, 0))
            add_row(&g, &s, problem, e->data.target + row * e->data.n_params);
    }
    scratch_free(&s);
    return g;
}

/* -log2 of the optimum's part in one softmax; nothing overflows, since the largest is taken out */
static double loss_of(const int32_t *margin, int32_t n, double scale)
{
    int32_t most = 0;
    double sum = 0;
    for (int32_t v = 0; v < n; v++)
        most = margin[v] > most ? margin[v] : most;
    for (int32_t v = 0; v < n; v++)
        sum += exp2(((double)margin[v] - most) * scale);
    return most * scale + log2(sum);
}

/* The mean loss in bits with all logits divided by `hundredths` / 100 */
static double mean_loss(const struct margins *g, int hundredths)
{
    const double scale = 100.0 / hundredths / 65536;
    const int32_t *at = g->at;
    double sum = 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t t = 0; t < g->m->n_params; t++) {
            sum += loss_of(at, g->m->params[t].n_values, scale);
            at += g->m->params[t].n_values;
        }
    return sum / (double)g->n;
}

/* The loss is convex in 1 / temperature: it falls up to its least value, and rises behind it. */
static int best_temperature(const struct margins *g)
{
    int least = LEAST, most = MOST;
    while (least < most) {
        const int middle = (least + most) / 2;
        if (mean_loss(g, middle) <= mean_loss(g, middle + 1))
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}

void eval_temperature(const struct eval *e)
{
    const struct margins g = gather(e);
    if (g.n) {
        const int best = best_temperature(&g);
        note("%s: temperature %.2f: all logits divided by it give the least log-loss of the tuned "
             "optima, %.4f bits a problem in place of %.4f (%zu problems)",
             e->model->m.name, best / 100.0, mean_loss(&g, best), mean_loss(&g, 100), g.n);
    }
    free(g.at);
}
