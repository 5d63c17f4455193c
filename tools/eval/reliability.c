/* reliability.c - whether probabilities come true, and the temperature by which they would
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include "base/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bins ---- */

enum { BINS = 10, ALL = BINS, ONE = 1 << 24 };

static const char heading[] = "model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece";

/* Problems with a probability from i/10 up to (i + 1)/10; in the one behind them all problems. */
struct bin {
    size_t n, hits;
    int64_t predicted; /* sum, Q24 */
    double off;        /* of one unit: hits less the bin's part of them */
    double square;     /* sum over units of off^2, for the standard error */
};

static size_t bin_of(const struct outcome *o)
{
    const int64_t i = (int64_t)o->probability * BINS / ONE;
    return i < BINS ? (size_t)i : BINS - 1;
}

static void reliability_count(struct bin *b, const struct outcome *o)
{
    b->n++;
    b->hits += o->hit;
    b->predicted += o->probability;
}

static void add_off(struct bin *b, size_t hit)
{
    b->off += (double)hit - (double)b->hits / (double)b->n;
}

/* The rows of one unit, first..end-1 */
static void add_unit(struct bin *bins, const struct outcome *out, size_t first, size_t end)
{
    for (size_t i = 0; i <= ALL; i++)
        bins[i].off = 0;
    for (size_t i = first; i < end; i++) {
        add_off(bins + bin_of(out + i), out[i].hit);
        add_off(bins + ALL, out[i].hit);
    }
    for (size_t i = 0; i <= ALL; i++)
        bins[i].square += bins[i].off * bins[i].off;
}

/* Rows first..end-1 are one group, sorted by unit. */
static void reliability_fill(const struct eval *e, const struct outcome *out, size_t first,
                             size_t end, struct bin *bins)
{
    size_t j;
    for (size_t i = first; i < end; i++) {
        reliability_count(bins + bin_of(out + i), out + i);
        reliability_count(bins + ALL, out + i);
    }
    for (size_t i = first; i < end; i = j) {
        for (j = i; j < end && e->row[j].unit == e->row[i].unit; j++)
            ;
        add_unit(bins, out, i, j);
    }
}

static double predicted(const struct bin *b)
{
    return 100.0 * (double)b->predicted / ONE / (double)b->n;
}

static double observed(const struct bin *b)
{
    return 100.0 * (double)b->hits / (double)b->n;
}

/* The mean over the problems of bins from..to-1 of how far their bin is off, in points */
static double calibration_error(const struct bin *bins, size_t from, size_t to)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (bins[i].n) {
            sum += (double)bins[i].n * fabs(observed(bins + i) - predicted(bins + i));
            n += bins[i].n;
        }
    return sum / (double)n;
}

static void add_line(const struct eval *e, struct table *t, size_t k, const struct bin *bins,
                     size_t i, size_t first)
{
    const struct bin *b = bins + i;
    struct buf name = {NULL, 0, 0};
    buf_printf(&name, "%zu-%zu", i * 100 / BINS, (i + 1) * 100 / BINS);
    eval_group_cells(e, t, first);
    table_number(t, "%zu", k);
    table_text(t, i == ALL ? "all" : name.s);
    table_number(t, "%zu", b->n);
    table_number(t, "%.2f", predicted(b));
    table_number(t, "%.2f", observed(b));
    table_number(t, "%.2f", 100.0 * sqrt(b->square) / (double)b->n);
    table_number(t, "%.2f",
                 i == ALL ? calibration_error(bins, 0, BINS) : calibration_error(bins, i, i + 1));
    buf_free(&name);
}

/* The lines of a group and their points, which are the next curve */
static void add_group(const struct eval *e, struct table *t, struct plot *plot, size_t k,
                      const struct bin *bins, size_t first)
{
    const size_t curve = plot->n;
    struct buf name = {NULL, 0, 0};
    eval_group_name(e, &name, first);
    buf_printf(&name, ", k = %zu", k);
    for (size_t i = 0; i <= ALL; i++) {
        if (bins[i].n)
            add_line(e, t, k, bins, i, first);
        if (bins[i].n && i < ALL)
            plot_point(plot, curve, name.s, predicted(bins + i), observed(bins + i));
    }
    buf_free(&name);
}

int eval_reliability(const struct eval *e, const long *k, size_t n_k, struct outcome *out,
                     struct table *t, struct plot *plot)
{
    size_t end;
    table_heading(t, heading);
    plot->diagonal = 1;
    for (size_t i = 0; i < n_k; i++) {
        if (eval_run(e, &k[i], 1, out))
            return -1;
        for (size_t first = 0; first < e->n; first = end) {
            struct bin bins[BINS + 1] = {{0, 0, 0, 0, 0}};
            end = eval_group_end(e, first);
            reliability_fill(e, out, first, end, bins);
            add_group(e, t, plot, (size_t)k[i], bins, first);
        }
    }
    return 0;
}

/* ---- the temperature ---- */

enum { LEAST = 55, MOST = 800 }; /* hundredths, as a spec's [calibration] takes them */

/* For every problem, and every value of every parameter along its first tuple: the value's logit
   minus the logit of the tuple's value. And whether the tuple is the optimum. */
struct margins {
    const kpred_model *m;
    size_t n, width; /* problems, and values of all parameters */
    int32_t *at;     /* n x width, Q16 */
    unsigned char *hit;
};

struct scratch {
    int32_t *work, *state, *next, *arena;
    int32_t logits[KPRED_MAX_VALUES];
    kpred_ctx ctx;
};

static int scratch_new(struct scratch *s, const struct eval *e)
{
    const size_t beam = e->beam ? e->beam : 1, words = kpred_arena_words(e->run, beam);
    s->work = xcalloc(e->run->work_words + 1, sizeof *s->work);
    s->state = xcalloc(e->run->state_words + 1, sizeof *s->state);
    s->next = xcalloc(e->run->state_words + 1, sizeof *s->next);
    s->arena = xcalloc(words, sizeof *s->arena);
    return kpred_init(&s->ctx, KPRED_VERSION, e->run, beam, s->arena, words) == KPRED_OK;
}

static void scratch_free(struct scratch *s)
{
    free(s->work);
    free(s->state);
    free(s->next);
    free(s->arena);
}

/* The state of the prefix that is longer by one value of parameter t */
static void extend(const kpred_model *m, struct scratch *s, size_t t, int32_t value)
{
    int32_t *const before = s->state;
    if (m->scorer->extend == NULL || t + 1 == m->n_params)
        return;
    m->scorer->extend(m, s->work, before, t, value, s->next);
    s->state = s->next;
    s->next = before;
}

static void add_problem(struct margins *g, struct scratch *s, const int32_t *problem,
                        const unsigned char *index, int is_hit)
{
    int32_t *at = g->at + g->n * g->width;
    g->m->scorer->start(g->m, problem, s->work, s->state);
    for (size_t t = 0; t < g->m->n_params; t++) {
        g->m->scorer->logits(g->m, s->work, s->state, index, t, s->logits);
        for (int32_t v = 0; v < g->m->params[t].n_values; v++)
            *at++ = s->logits[v] - s->logits[index[t]];
        extend(g->m, s, t, index[t]);
    }
    g->hit[g->n++] = (unsigned char)is_hit;
}

/* Problems without a prediction are passed over. */
static void gather(const struct eval *e, struct margins *g, struct scratch *s)
{
    for (size_t i = 0; i < e->n; i++) {
        const int32_t *problem = e->data.problem + e->row[i].index * e->data.n_fields;
        const unsigned char *best =
            e->data.target + eval_best_row(e, e->row + i) * e->data.n_params;
        unsigned char index[KPRED_MAX_TUPLE];
        kpred_tuple tuple;
        size_t n;
        if (kpred_predict(&s->ctx, problem, e->data.n_fields, &tuple, 1, &n) != KPRED_OK)
            continue;
        eval_target(e, &tuple, index);
        add_problem(g, s, problem, index, !memcmp(index, best, e->data.n_params));
    }
}

/* -log2 of the tuple's part in one softmax; nothing overflows, since the largest is taken out */
static double bits_of(const int32_t *margin, int32_t n, double scale)
{
    int32_t most = 0;
    double sum = 0;
    for (int32_t v = 0; v < n; v++)
        most = margin[v] > most ? margin[v] : most;
    for (int32_t v = 0; v < n; v++)
        sum += exp2(((double)margin[v] - most) * scale);
    return most * scale + log2(sum);
}

/* The mean log-loss of the claims that the first tuple is the optimum, with all logits divided by a
   temperature. A claim of certainty costs at most 40 bits. */
static double mean_loss(const struct margins *g, double temperature)
{
    const double scale = 1 / temperature / 65536;
    const int32_t *at = g->at;
    double sum = 0;
    for (size_t i = 0; i < g->n; i++) {
        double bits = 0;
        for (size_t t = 0; t < g->m->n_params; t++) {
            bits += bits_of(at, g->m->params[t].n_values, scale);
            at += g->m->params[t].n_values;
        }
        sum += g->hit[i] ? bits : -log2(fmax(1 - exp2(-bits), 0x1p-40));
    }
    return sum / (double)g->n;
}

/* The best of first..last in steps, in hundredths */
static int best_of(const struct margins *g, int first, int last, int step)
{
    int best = first;
    double least = mean_loss(g, first / 100.0);
    for (int t = first + step; t <= last; t += step) {
        const double loss = mean_loss(g, t / 100.0);
        if (loss < least) {
            least = loss;
            best = t;
        }
    }
    return best;
}

/* Coarse, then fine. */
static int best_temperature(const struct margins *g)
{
    enum { COARSE = 25 };
    const int about = best_of(g, LEAST, MOST, COARSE);
    return best_of(g, about - COARSE < LEAST ? LEAST : about - COARSE + 1,
                   about + COARSE > MOST ? MOST : about + COARSE - 1, 1);
}

void eval_temperature(const struct eval *e)
{
    const double own = (double)KPRED_SCALE_ONE / e->run->scale;
    struct margins g = {e->run, 0, 0, NULL, NULL};
    struct scratch s;
    for (size_t i = 0; i < e->run->n_params; i++)
        g.width += (size_t)e->run->params[i].n_values;
    g.at = xcalloc(e->n, g.width * sizeof *g.at);
    g.hit = xcalloc(e->n, 1);
    if (scratch_new(&s, e))
        gather(e, &g, &s);
    if (g.n) {
        const int best = best_temperature(&g);
        note("%s: temperature %.2f: the network's logits divided by it give the first tuple's "
             "probability the least log-loss, %.4f bits a problem; divided by %.2f, as the scores "
             "are, %.4f (%zu %s)",
             e->model->m.name, best / 100.0, mean_loss(&g, best / 100.0), own, mean_loss(&g, own),
             g.n, as_counted(g.n, "problem", "problems"));
    }
    scratch_free(&s);
    free(g.at);
    free(g.hit);
}
