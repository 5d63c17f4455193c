/* model_page.c - see model_page.h
   SPDX-License-Identifier: MIT */
#include "model_page.h"

#include "base/numbers.h"
#include "data/split.h"
#include "train/judges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- facts ---- */

static void field_row(struct table *t, const kpred_field *f)
{
    struct buf b = {0};
    table_text(t, f->name);
    for (int32_t i = 0; f->tokens && i < f->n_tokens; i++)
        buf_printf(&b, "%s%s", i ? " " : "", f->tokens[i]);
    if (!f->tokens)
        buf_printf(&b, "%ld to %ld", (long)f->trained_min, (long)f->trained_max);
    table_text(t, b.s);
    buf_free(&b);
}

static void param_row(struct table *t, const kpred_param *p)
{
    struct buf b = {0};
    table_text(t, p->name);
    for (int32_t i = 0; i < p->n_values; i++) {
        if (i)
            buf_puts(&b, " ");
        if (p->names)
            buf_puts(&b, p->names[i]);
        else
            buf_printf(&b, "%ld", (long)p->values[i]);
    }
    table_text(t, b.s);
    buf_free(&b);
}

void model_page_facts(struct buf *page, const struct model *model)
{
    const kpred_model *m = &model->m;
    struct table fields = {0}, params = {0};
    page_say(page, "%s: %u fields, %u parameters, %.0f KB of constants; split %s.", m->kernel,
             (unsigned)m->n_fields, (unsigned)m->n_params, (double)model_cost(m).bytes / 1024,
             m->split);
    table_heading(&fields, "field,learnt from");
    for (uint32_t f = 0; f < m->n_fields; f++)
        field_row(&fields, &m->fields[f]);
    table_heading(&params, "parameter,values");
    for (uint32_t t = 0; t < m->n_params; t++)
        param_row(&params, &m->params[t]);
    page_table(page, "Fields of a problem", &fields);
    page_table(page, "Parameters of a tuple", &params);
    table_free(&fields);
    table_free(&params);
}

/* ---- the model over k ---- */

static const long asked[] = {1, 2, 3, 4, 6, 8, 10, 16, 24, 32};
enum { N_ASKED = sizeof asked / sizeof *asked };

/* What a prediction was worth, in octaves below the best, or for tuples without times a miss as one
   whole */
static double worth_of(const struct eval *e, const struct outcome *o)
{
    return eval_is_timed(e) ? o->share : (double)o->hit;
}

/* Percent: a geometric mean of shares, or hits */
static double mean_worth(const struct eval *e, const struct outcome *o, const size_t *row, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double worth = worth_of(e, &o[row ? row[i] : i]);
        sum += eval_is_timed(e) ? num_log2(worth) : worth;
    }
    sum /= (double)(n > 0 ? n : 1);
    return 100 * (eval_is_timed(e) ? exp2(sum) : sum);
}

static const char *worth_name(const struct eval *e)
{
    return eval_is_timed(e) ? "% of the best speed, geometric mean" : "% hits of the tuned tuple";
}

static void add_peers(struct plot *plot, struct peer_figure f[N_PEERS][PEER_PLACES])
{
    static const char *const names[N_PEERS] = {[PEER_JUDGES] = "boosted trees",
                                               [PEER_NEAREST] = "nearest known problem",
                                               [PEER_SINGLE] = "best tuple on average"};
    for (int way = PEER_JUDGES; way < N_PEERS; way++)
        for (size_t place = 0; place < PEER_PLACES; place++)
            plot_point(plot, (size_t)way, names[way], (double)watch_places[place],
                       100 * f[way][place].share);
}

/* Those who learnt of the same problems as the model */
static int measure_peers(struct eval *e, struct plot *plot)
{
    struct peer_figure figures[N_PEERS][PEER_PLACES];
    struct held_out held;
    struct judge_trees judges = {0};
    struct judge_task task = {
        .model = e->model, .data = &e->data, .seed = 1, .n_threads = worker_count(0)};
    int bad = held_out_find(e->model->spec, e->model->m.split, &e->data, &held);
    task.part = held.part;
    bad = bad || judge_trees_fit(&judges, &task) || peers_measure(e, held.part, &judges, figures);
    if (!bad)
        add_peers(plot, figures);
    if (!bad && e->is_sample)
        bad = eval_sizes(e, &judges);
    judge_trees_free(&judges);
    held_out_free(&held);
    return bad;
}

static int put_shares(struct buf *page, struct eval *e, const struct outcome *out)
{
    struct plot plot = {.is_whole = 1};
    struct buf notes = {0};
    int bad = 0;
    for (size_t i = 0; i < N_ASKED; i++)
        plot_point(&plot, 0, "kpred", (double)asked[i], mean_worth(e, out + i * e->n, NULL, e->n));
    buf_puts(&notes, "");
    notes_keep(&notes);
    if (e->rows == EVAL_TEST && e->model->spec->format == SPEC_TIMED && e->n > 1)
        bad = measure_peers(e, &plot);
    notes_keep(NULL);
    page_plot(page, &plot, eval_is_timed(e) ? "Share of the best speed" : "Hit rate",
              "k, tuples tried", worth_name(e));
    char *at = notes.s;
    for (const char *line; (line = next_line(&at)) != NULL;)
        page_say(page, "%s", line);
    plot_free(&plot);
    buf_free(&notes);
    return bad;
}

/* ---- calibration ---- */

static int put_calibration(struct buf *page, const struct eval *e)
{
    static const long k[] = {1, 10};
    struct outcome *out = xcalloc(e->n, sizeof *out);
    struct table t = {0};
    struct plot plot = {0};
    const int bad = eval_reliability(e, k, 2, out, &t, &plot);
    if (!bad) {
        page_plot(page, &plot, "Do probabilities come true?", "predicted probability, %",
                  "observed, % of problems");
        page_table(page, "Predicted and observed probabilities", &t);
    }
    table_free(&t);
    plot_free(&plot);
    free(out);
    return bad;
}

/* ---- by field ---- */

/* A token has a group of its own, and so have 0 and the sizes of an octave. */
static int32_t group_of(const struct eval *e, size_t row, size_t field)
{
    const int32_t value = e->data.problem[e->row[row].index * e->data.n_fields + field];
    int32_t octave = 0;
    if (e->model->fields[field].tokens)
        return value;
    while (value >> octave)
        octave++;
    return octave;
}

static void group_rows(const struct eval *e, const struct outcome *out, size_t field,
                       struct table *t)
{
    const kpred_field *f = &e->model->fields[field];
    size_t *row = xcalloc(e->n + 1, sizeof *row);
    for (int32_t group = 0; group < (f->tokens ? f->n_tokens : 26); group++) {
        struct buf name = {0};
        size_t n = 0;
        for (size_t i = 0; i < e->n; i++)
            if (group_of(e, i, field) == group)
                row[n++] = i;
        if (n == 0)
            continue;
        if (f->tokens)
            buf_puts(&name, f->tokens[group]);
        else if (group <= 1)
            buf_printf(&name, "%ld", (long)group);
        else
            buf_printf(&name, "%ld to %ld", 1L << (group - 1), (1L << group) - 1);
        table_text(t, f->name);
        table_text(t, name.s);
        table_number(t, "%zu", n);
        table_number(t, "%.1f", mean_worth(e, out, row, n));
        table_number(t, "%.1f", mean_worth(e, out + 3 * e->n, row, n)); /* asked[3] */
        buf_free(&name);
    }
    free(row);
}

static void put_fields(struct buf *page, const struct eval *e, const struct outcome *out)
{
    struct table t = {0};
    table_heading(&t, "field,value,problems,k = 1,k = 4");
    for (size_t f = 0; f < e->data.n_fields; f++)
        group_rows(e, out, f, &t);
    page_heading(page, "By field");
    page_table(page, worth_name(e), &t);
    table_free(&t);
}

/* ---- the worst problems ---- */

enum { WORST = 25 };

struct worst {
    size_t row;
    double worth;
};

static int by_worth(const void *pa, const void *pb)
{
    const struct worst *a = pa, *b = pb;
    return a->worth < b->worth || a->worth > b->worth
               ? (a->worth > b->worth) - (a->worth < b->worth)
               : (a->row > b->row) - (a->row < b->row);
}

static void add_values(const struct eval *e, const int32_t *value, const unsigned char *target,
                       struct table *t)
{
    struct buf b = {0};
    for (size_t i = 0; i < e->model->m.n_params; i++) {
        const kpred_param *p = &e->model->m.params[i];
        const int32_t at = value ? value[i] : target[i] == DATA_UNKNOWN ? 0 : p->values[target[i]];
        buf_puts(&b, i ? " " : "");
        if (target && target[i] == DATA_UNKNOWN)
            buf_puts(&b, "?");
        else if (p->names)
            buf_puts(&b, p->names[at]);
        else
            buf_printf(&b, "%ld", (long)at);
    }
    table_text(t, b.s);
    buf_free(&b);
}

static void worst_row(const struct eval *e, kpred_ctx *ctx, const struct worst *w, struct table *t)
{
    const struct eval_row *row = &e->row[w->row];
    const int32_t *problem = e->data.problem + row->index * e->data.n_fields;
    kpred_tuple tuple;
    size_t n = 0;
    model_problem_cells(&e->model->m, problem, t);
    table_number(t, "%.1f", 100 * w->worth);
    if (kpred_predict(ctx, problem, e->data.n_fields, &tuple, 1, &n) == KPRED_OK)
        add_values(e, tuple.value, NULL, t);
    else
        table_text(t, "none");
    add_values(e, NULL, e->data.target + eval_best_row(e, row) * e->data.n_params, t);
}

static void put_worst(struct buf *page, const struct eval *e, const struct outcome *out)
{
    struct worst *w = xcalloc(e->n + 1, sizeof *w);
    struct table t = {0};
    struct buf names = {0};
    kpred_ctx ctx;
    const size_t words = kpred_arena_words(e->run, 1);
    int32_t *arena = xcalloc(words, sizeof *arena);
    for (size_t i = 0; i < e->n; i++)
        w[i] = (struct worst){i, worth_of(e, &out[i])};
    qsort(w, e->n, sizeof *w, by_worth);
    for (size_t f = 0; f < e->data.n_fields; f++)
        buf_printf(&names, "%s,", e->model->fields[f].name);
    buf_puts(&names, eval_is_timed(e) ? "% of best,predicted,best" : "% hit,predicted,tuned");
    table_heading(&t, names.s);
    if (kpred_init(&ctx, KPRED_VERSION, e->run, 1, arena, words) == KPRED_OK)
        for (size_t i = 0; i < e->n && i < WORST; i++)
            worst_row(e, &ctx, &w[i], &t);
    page_heading(page, "The worst problems at k = 1");
    page_table(page, "Where the first tuple is furthest from the best", &t);
    table_free(&t);
    buf_free(&names);
    free(arena);
    free(w);
}

int model_page_figures(struct buf *page, struct eval *e)
{
    if (eval_select_rows(e) != 0)
        return -1;
    struct outcome *out = xcalloc(N_ASKED * e->n, sizeof *out);
    int bad = eval_run(e, asked, N_ASKED, out);
    if (!bad) {
        page_heading(page, "How good it is");
        page_say(page, "%zu %s %s.", e->n, as_counted(e->n, "problem", "problems"),
                 e->rows == EVAL_TEST ? "that its split kept from training"
                                      : "of the table, which the model may have learnt");
        bad = put_shares(page, e, out);
    }
    if (!bad)
        bad = put_calibration(page, e);
    if (!bad) {
        put_fields(page, e, out);
        put_worst(page, e, out);
    }
    free(out);
    return bad;
}
