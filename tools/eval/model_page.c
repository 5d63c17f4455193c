/* model_page.c - see eval.h
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include "base/page.h"
#include "data/split.h"
#include "train/judges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model over k ---- */

static const long asked[] = {1, 2, 3, 4, 6, 8, 10, 16, 24, 32};
enum { N_ASKED = sizeof asked / sizeof *asked };

/* Of a field: a token has a group of its own, and so have 0 and the sizes of an octave. */
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

static double worth_of(const struct eval *e, const struct outcome *o)
{
    return eval_is_timed(e) ? o->share : (double)o->hit;
}

/* Percent: a geometric mean of shares, or hits, of a group, or for -1 of all rows; n: how many */
static double mean_worth(const struct eval *e, const struct outcome *o, size_t field, int32_t group,
                         size_t *n)
{
    double sum = 0;
    *n = 0;
    for (size_t i = 0; i < e->n; i++)
        if (group < 0 || group_of(e, i, field) == group) {
            sum += eval_is_timed(e) ? log2(o[i].share) : (double)o[i].hit;
            ++*n;
        }
    sum /= (double)(*n > 0 ? *n : 1);
    return 100 * (eval_is_timed(e) ? exp2(sum) : sum);
}

static const char *worth_name(const struct eval *e)
{
    return eval_is_timed(e) ? "% of the best speed, geometric mean" : "% hits of the tuned tuple";
}

static void add_peers(struct plot *plot, struct peer_figure f[N_PEERS][PEER_PLACES])
{
    for (int way = PEER_JUDGES; way < N_PEERS; way++)
        for (size_t place = 0; place < PEER_PLACES; place++)
            plot_point(plot, (size_t)way, peer_names[way], (double)watch_places[place],
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
    size_t n;
    int bad = 0;
    for (size_t i = 0; i < N_ASKED; i++)
        plot_point(&plot, 0, "kpred", (double)asked[i], mean_worth(e, out + i * e->n, 0, -1, &n));
    notes_keep(&notes);
    if (e->rows == EVAL_TEST && e->model->spec->format == SPEC_TIMED && e->n > 1)
        bad = measure_peers(e, &plot);
    notes_keep(NULL);
    plot_svg(&plot, eval_is_timed(e) ? "Share of the best speed" : "Hit rate", "k, tuples tried",
             worth_name(e), 0, page);
    page_lines(page, notes.s);
    plot_free(&plot);
    buf_free(&notes);
    return bad;
}

/* ---- calibration ---- */

static int put_calibration(struct buf *page, const struct eval *e, struct outcome *out)
{
    static const long k[] = {1, 10};
    struct table t = {0};
    struct plot plot = {0};
    const int bad = eval_reliability(e, k, 2, out, &t, &plot);
    if (!bad) {
        plot_svg(&plot, "Do probabilities come true?", "predicted probability, %",
                 "observed, % of problems", 0, page);
        page_table(page, "Predicted and observed probabilities", &t);
    }
    table_free(&t);
    plot_free(&plot);
    return bad;
}

/* ---- by field ---- */

/* A value of a parameter or a field; `?` where it is not known */
static void add_value(struct buf *b, const char *const *names, int32_t value)
{
    buf_puts(b, b->n > 0 ? " " : "");
    if (value == INT32_MIN)
        buf_puts(b, "?");
    else if (names != NULL)
        buf_puts(b, names[value]);
    else
        buf_printf(b, "%ld", (long)value);
}

static void group_rows(const struct eval *e, const struct outcome *out, size_t field,
                       struct table *t)
{
    const kpred_field *f = &e->model->fields[field];
    size_t n;
    for (int32_t group = 0; group < (f->tokens ? f->n_tokens : 26); group++) {
        struct buf name = {0};
        const double first = mean_worth(e, out, field, group, &n);
        if (n == 0)
            continue;
        if (f->tokens || group <= 1)
            add_value(&name, f->tokens, group);
        else
            buf_printf(&name, "%ld to %ld", 1L << (group - 1), (1L << group) - 1);
        table_text(t, f->name);
        table_text(t, name.s);
        buf_free(&name);
        table_number(t, "%zu", n);
        table_number(t, "%.1f", first);
        table_number(t, "%.1f", mean_worth(e, out + 3 * e->n, field, group, &n)); /* asked[3] */
    }
}

static void put_fields(struct buf *page, const struct eval *e, const struct outcome *out)
{
    struct table t = {0};
    table_heading(&t, "field,value,problems,k = 1,k = 4");
    for (size_t f = 0; f < e->data.n_fields; f++)
        group_rows(e, out, f, &t);
    page_element(page, "h3", "By field");
    page_table(page, worth_name(e), &t);
    table_free(&t);
}

/* ---- the worst problems ---- */

enum { WORST = 25 };

static void tuple_cell(const struct eval *e, const int32_t *value, struct table *t)
{
    struct buf b = {0};
    for (size_t i = 0; i < e->model->m.n_params; i++)
        add_value(&b, e->model->m.params[i].names, value[i]);
    table_text(t, b.s);
    buf_free(&b);
}

static void worst_row(const struct eval *e, kpred_ctx *ctx, size_t at, double worth,
                      struct table *t)
{
    const struct eval_row *row = &e->row[at];
    const int32_t *problem = e->data.problem + row->index * e->data.n_fields;
    const unsigned char *best = e->data.target + eval_best_row(e, row) * e->data.n_params;
    int32_t value[KPRED_MAX_TUPLE];
    kpred_tuple tuple;
    size_t n = 0;
    model_problem_cells(&e->model->m, problem, t);
    table_number(t, "%.1f", 100 * worth);
    if (kpred_predict(ctx, problem, e->data.n_fields, &tuple, 1, &n) == KPRED_OK)
        tuple_cell(e, tuple.value, t);
    else
        table_text(t, "none");
    for (size_t i = 0; i < e->data.n_params; i++)
        value[i] = best[i] == DATA_UNKNOWN ? INT32_MIN : e->model->m.params[i].values[best[i]];
    tuple_cell(e, value, t);
}

static void put_worst(struct buf *page, const struct eval *e, const struct outcome *out)
{
    struct table t = {0};
    kpred_ctx ctx;
    const size_t words = kpred_arena_words(e->run, 1);
    int32_t *arena = xcalloc(words, sizeof *arena);
    char *is_told = xcalloc(e->n, 1);
    for (size_t f = 0; f < e->data.n_fields; f++)
        table_heading(&t, e->model->fields[f].name);
    table_heading(&t, eval_is_timed(e) ? "% of best,predicted,best" : "% hit,predicted,tuned");
    if (kpred_init(&ctx, KPRED_VERSION, e->run, 1, arena, words) == KPRED_OK)
        for (size_t k = 0; k < e->n && k < WORST; k++) {
            size_t worst = e->n;
            for (size_t i = 0; i < e->n; i++)
                if (!is_told[i]
                    && (worst == e->n || worth_of(e, &out[i]) < worth_of(e, &out[worst])))
                    worst = i;
            is_told[worst] = 1;
            worst_row(e, &ctx, worst, worth_of(e, &out[worst]), &t);
        }
    page_element(page, "h3", "The worst problems at k = 1");
    page_table(page, "Where the first tuple is furthest from the best", &t);
    table_free(&t);
    free(arena);
    free(is_told);
}

int model_page_figures(struct buf *page, struct eval *e)
{
    e->may_lack = 1;
    if (eval_select_rows(e) != 0)
        return -1;
    page_element(page, "h3", "How good it is");
    page_say(page, "%zu %s %s.", e->n, as_counted(e->n, "problem", "problems"),
             e->rows == EVAL_TEST ? "that its split kept from training"
                                  : "of the table, which the model may have learnt");
    if (e->n == 0)
        return 0;
    struct outcome *out = xcalloc((N_ASKED + 1) * e->n, sizeof *out);
    const int bad = eval_run(e, asked, N_ASKED, out) || put_shares(page, e, out)
                    || put_calibration(page, e, out + N_ASKED * e->n);
    if (!bad) {
        put_fields(page, e, out);
        put_worst(page, e, out);
    }
    free(out);
    return bad ? -1 : 0;
}
