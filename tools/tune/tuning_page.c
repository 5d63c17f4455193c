/* tuning_page.c - see tune.h
   SPDX-License-Identifier: MIT */
#include "tune.h"

#include "loop.h"

#include "base/page.h"
#include "survey/rule_rows.h"
#include "train/judges.h"

#include <math.h>
#include <stdlib.h>

/* What is shown at most: curves of problems, problems with a row, tuples of a problem and of all,
   rows of importance, cells of heat maps; problems and results that the tuner is asked about */
enum { MOST_CURVES = 6, MOST_PROBLEMS = 300, MOST_TUPLES = 20, MOST_ROWS = 1200 };
enum { MOST_IMPORTANT = 40, MOST_CELLS = 9000, MOST_ASKED = 8, MOST_RESULTS = 400 };

struct tuning_problem {
    size_t first, end, n_failed;
    size_t *order; /* its rows as they were measured */
    double best;
};

struct tuning {
    const struct model *model;
    const struct dataset *data;
    size_t n;
    struct tuning_problem *problem;
    struct judged_problem *measured; /* of each, its rows */
    struct judged judged;
    struct importance *important;
    size_t n_important;
};

/* ---- problems ---- */

static const struct dataset *sorted_data; /* for qsort, which has no argument for it */

static int by_place(const void *pa, const void *pb)
{
    const size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    return data_stands_before(sorted_data, b, a) - data_stands_before(sorted_data, a, b);
}

static void add_problem(struct tuning *t, size_t first)
{
    const struct dataset *d = t->data;
    const size_t end = data_problem_end(d, first), n = end - first;
    struct tuning_problem *p = &t->problem[t->n];
    double *octaves = xcalloc(n, sizeof *octaves);
    size_t failed_end;
    const size_t failed = data_find_failures(d, d->problem + first * d->n_fields, &failed_end);
    *p = (struct tuning_problem){.first = first,
                                 .end = end,
                                 .n_failed = failed_end - failed,
                                 .order = xcalloc(n, sizeof *p->order),
                                 .best = judge_least_time(d, first, end)};
    for (size_t i = 0; i < n; i++) {
        p->order[i] = first + i;
        octaves[i] = log2(d->time_us[first + i] / p->best);
    }
    sorted_data = d;
    qsort(p->order, n, sizeof *p->order, by_place);
    t->measured[t->n++] = (struct judged_problem){n, d->target + first * d->n_params, octaves};
}

static void list_problems(struct tuning *t)
{
    const size_t n = data_count_problems(t->data);
    t->problem = xcalloc(n + 1, sizeof *t->problem);
    t->measured = xcalloc(n + 1, sizeof *t->measured);
    while (t->n < n)
        add_problem(t, t->n > 0 ? t->problem[t->n - 1].end : 0);
}

static const char *problem_name(const struct tuning *t, const struct tuning_problem *p,
                                struct buf *b)
{
    b->n = 0;
    buf_puts(b, "");
    return assign_problem_text(t->model->spec, t->data->problem + p->first * t->data->n_fields, b);
}

/* ---- the best so far ---- */

/* The best time of all, as percent of the best so far, at each so many timed tuples: the geometric
   mean over n problems, of which one that has ended stays as it is */
static void add_progress(const struct tuning *t, size_t first, size_t n, const char *name,
                         struct plot *plot)
{
    const size_t index = plot->n;
    double *best = xcalloc(n, sizeof *best), told = -HUGE_VAL;
    size_t left = n;
    for (size_t i = 0; i < n; i++)
        best[i] = HUGE_VAL;
    for (size_t k = 0; left > 0; k++) {
        double sum = 0;
        left = 0;
        for (size_t i = 0; i < n; i++) {
            const struct tuning_problem *p = &t->problem[first + i];
            if (k < p->end - p->first)
                best[i] = fmin(best[i], t->data->time_us[p->order[k]]);
            left += k + 1 < p->end - p->first;
            sum += log2(p->best / best[i]);
        }
        if (sum > told || left == 0)
            plot_point(plot, index, name, (double)(k + 1), 100 * exp2(sum / (double)n));
        told = sum;
    }
    free(best);
}

static void put_progress(const struct tuning *t, struct buf *page)
{
    struct plot plot = {.is_steps = 1, .is_whole = 1};
    struct buf name = {0};
    add_progress(t, 0, t->n, "all problems, geometric mean", &plot);
    for (size_t i = 0; i < t->n && i < MOST_CURVES && t->n > 1; i++)
        add_progress(t, i, 1, problem_name(t, &t->problem[i], &name), &plot);
    plot_svg(&plot, "Best so far", "timed tuples, in the order of the files",
             "% of the best speed found", 0, page);
    if (t->n > MOST_CURVES)
        page_say(page, "The first %d of %zu problems have a curve of their own.", MOST_CURVES,
                 t->n);
    plot_free(&plot);
    buf_free(&name);
}

/* ---- what is left to gain ---- */

static const double left_shares[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};

/* By the tuner's own judgement: the least of the shares by which no other tuple is faster, as far
   as the results tell; 0: all were measured; below 0: it was not asked, or does not know. */
static double left_to_gain(const struct tuning *t, const struct tuning_problem *p)
{
    const struct dataset *d = t->data;
    const int32_t *problem = d->problem + p->first * d->n_fields;
    const size_t n = p->end - p->first + p->n_failed;
    struct legal legal;
    double left;
    if (n > MOST_RESULTS)
        return -1;
    legal_open(&legal, t->model, problem);
    double *times = xcalloc(legal.space.n + 1, sizeof *times);
    struct strategy *s =
        strategy_new(&legal.space, legal_seed(1, problem, t->model->spec->n_fields));
    (void)known_table(d, p->first, &legal, times);
    size_t told = 0;
    for (size_t i = 0; i < legal.space.n; i++)
        if (!isnan(times[i])) {
            strategy_tell(s, i, times[i]);
            told++;
        }
    left = told == legal.space.n ? 0 : -1;
    for (size_t i = 0; i < sizeof left_shares / sizeof *left_shares && left < 0; i++)
        if (strategy_is_enough(s, left_shares[i]))
            left = left_shares[i];
    strategy_free(s);
    free(times);
    legal_close(&legal);
    return left;
}

static void problem_row(const struct tuning *t, const struct tuning_problem *p, int is_asked,
                        struct table *to)
{
    const size_t n = p->end - p->first;
    const double left = is_asked ? left_to_gain(t, p) : -1;
    size_t at = 0;
    while (t->data->time_us[p->order[at]] > p->best)
        at++;
    model_problem_cells(&t->model->m, t->data->problem + p->first * t->data->n_fields, to);
    table_number(to, "%zu", n);
    table_number(to, "%zu", p->n_failed);
    table_number(to, "%.6g", p->best);
    table_number(to, "%zu", at + 1);
    if (left < 0)
        table_text(to, is_asked ? "not known" : "not asked");
    else
        table_number(to, "%.4g", 100 * left);
}

static void put_problems(const struct tuning *t, struct buf *page)
{
    struct table rows = {0};
    for (size_t f = 0; f < t->model->spec->n_fields; f++)
        table_heading(&rows, t->model->spec->fields[f].name);
    table_heading(&rows, "timed,failed,best us,at,% left to gain");
    for (size_t i = 0; i < t->n && i < MOST_PROBLEMS; i++)
        problem_row(t, &t->problem[i], i < MOST_ASKED, &rows);
    page_element(page, "h3", "Problems");
    page_say(page,
             "\"at\" is the number of the timed tuple that was the best. \"%% left to gain\" is "
             "the tuner's own estimate: probably no other tuple is faster by more percent.");
    page_table(page, "Problems", &rows);
    if (t->n > MOST_PROBLEMS)
        page_say(page, "These are %d of %zu problems.", MOST_PROBLEMS, t->n);
    table_free(&rows);
}

/* ---- the best tuples ---- */

static void tuple_rows(const struct tuning *t, const struct tuning_problem *p, size_t most,
                       struct table *to)
{
    const kpred_model *m = &t->model->m;
    struct buf name = {0};
    const double *const time_us = t->data->time_us;
    for (size_t k = 0; k < most && k < p->end - p->first; k++) {
        for (size_t i = k + 1; i < p->end - p->first; i++)
            if (time_us[p->order[i]] < time_us[p->order[k]]) {
                const size_t faster = p->order[i];
                p->order[i] = p->order[k];
                p->order[k] = faster;
            }
        const double time = time_us[p->order[k]];
        const unsigned char *target = t->data->target + p->order[k] * m->n_params;
        table_text(to, problem_name(t, p, &name));
        table_number(to, "%zu", k + 1);
        table_number(to, "%.6g", time);
        table_number(to, "%.1f", 100 * p->best / time);
        for (size_t i = 0; i < m->n_params; i++)
            model_value_cell(m->params[i].names, m->params[i].values[target[i]], to);
    }
    buf_free(&name);
}

/* As many of each problem as there is room for; `order` no longer is that of the files. */
static void put_tuples(const struct tuning *t, struct buf *page)
{
    const size_t room = MOST_ROWS / t->n, most = room > MOST_TUPLES ? MOST_TUPLES : room;
    struct table rows = {0};
    table_heading(&rows, "problem,rank,us,% of best");
    for (size_t i = 0; i < t->model->m.n_params; i++)
        table_heading(&rows, t->model->m.params[i].name);
    for (size_t i = 0; i < t->n && i < MOST_ROWS; i++)
        tuple_rows(t, &t->problem[i], most > 0 ? most : 1, &rows);
    page_element(page, "h3", "Best tuples");
    page_table(page, "Best tuples of each problem", &rows);
    table_free(&rows);
}

/* ---- which parameters matter ---- */

static void put_importance(const struct tuning *t, struct buf *page)
{
    struct table rows = {0};
    table_heading(&rows, "parameters,% of the variance,+-");
    for (size_t i = 0; i < t->n_important && i < MOST_IMPORTANT; i++) {
        const struct importance *of = &t->important[i];
        struct buf name = {0};
        buf_puts(&name, t->model->m.params[of->a].name);
        if (of->a != of->b)
            buf_printf(&name, " with %s", t->model->m.params[of->b].name);
        table_text(&rows, name.s);
        table_number(&rows, "%.1f", 100 * of->share);
        table_number(&rows, "%.1f", 100 * of->error);
        buf_free(&name);
    }
    page_element(page, "h3", "Which parameters matter");
    page_say(page,
             "Boosted trees learnt the table. This is how much of the variance of log time, "
             "over the legal tuples of a problem, a parameter explains alone, or two explain "
             "together beyond each alone: the mean over %zu %s, and its standard error.",
             t->judged.n, as_counted(t->judged.n, "problem", "problems"));
    page_table(page, "Importance", &rows);
    table_free(&rows);
}

/* ---- heat maps ---- */

struct map {
    const kpred_param *param[2];
    size_t at[2], cells; /* the parameters' numbers */
};

static size_t map_cell(const struct map *map, const unsigned char *target)
{
    return target[map->at[0]] * (size_t)map->param[1]->n_values + target[map->at[1]];
}

/* Of each cell the best speed as a share of the problem's best, the geometric mean over the
   problems that have it; 0: none has. */
static double *map_shares(const struct map *map, const struct judged_problem *problem, size_t n,
                          size_t n_params)
{
    double *sum = xcalloc(map->cells, sizeof *sum), *count = xcalloc(map->cells, sizeof *count);
    double *best = xcalloc(map->cells, sizeof *best);
    for (const struct judged_problem *p = problem; p < problem + n; p++) {
        for (size_t i = 0; i < map->cells; i++)
            best[i] = HUGE_VAL;
        for (size_t k = 0; k < p->n; k++) {
            double *of = &best[map_cell(map, p->target + k * n_params)];
            *of = fmin(*of, p->octaves[k]);
        }
        for (size_t i = 0; i < map->cells; i++)
            if (best[i] < HUGE_VAL) {
                sum[i] += best[i];
                count[i]++;
            }
    }
    for (size_t i = 0; i < map->cells; i++)
        sum[i] = count[i] > 0 ? exp2(-sum[i] / count[i]) : 0;
    free(count);
    free(best);
    return sum;
}

/* Percent, also as the depth of the colour: half of the best speed has none. */
static void heat_cell(struct buf *page, double share, int is_judged)
{
    if (share > 0)
        buf_printf(page, "<td%s style=\"--a:%.2f\">%.0f</td>", is_judged ? " class=\"judged\"" : "",
                   fmax(0, (share - 0.5) * 1.4), 100 * share);
    else
        buf_puts(page, "<td></td>");
}

static void heat_head(struct buf *page, const kpred_param *p, int32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%ld", (long)p->values[value]);
    page_element(page, "th", p->names ? p->names[value] : text);
}

static void put_map(const struct tuning *t, const struct map *map, struct buf *page)
{
    const size_t n_params = t->model->m.n_params;
    double *measured = map_shares(map, t->measured, t->n, n_params);
    double *judged = map_shares(map, t->judged.v, t->judged.n, n_params);
    struct buf caption = {0};
    buf_printf(&caption, "%s by %s", map->param[0]->name, map->param[1]->name);
    page_table_begin(page, caption.s, "heat");
    buf_puts(page, "<thead><tr><td></td>");
    for (int32_t b = 0; b < map->param[1]->n_values; b++)
        heat_head(page, map->param[1], b);
    buf_puts(page, "</tr></thead>\n<tbody>");
    for (size_t i = 0; i < map->cells; i++) {
        const int32_t n = map->param[1]->n_values, b = (int32_t)i % n;
        buf_puts(page, b == 0 ? "<tr>" : "");
        if (b == 0)
            heat_head(page, map->param[0], (int32_t)i / n);
        heat_cell(page, measured[i] > 0 ? measured[i] : judged[i], !(measured[i] > 0));
        buf_puts(page, b + 1 == n ? "</tr>\n" : "");
    }
    buf_puts(page, "</tbody>\n");
    page_table_end(page);
    buf_free(&caption);
    free(measured);
    free(judged);
}

/* Of all pairs, those first of which both parameters matter most */
static void put_maps(const struct tuning *t, struct buf *page)
{
    size_t single[KPRED_MAX_TUPLE], n = 0, left = MOST_CELLS, shown = 0;
    page_element(page, "h3", "Two parameters together");
    page_say(page, "A cell is the best speed with these two values, in percent of the problem's "
                   "best, the geometric mean over the problems that have it. Where nothing was "
                   "timed, the trees say it: such cells are hatched and in italics.");
    for (size_t i = 0; i < t->n_important; i++)
        if (t->important[i].a == t->important[i].b)
            single[n++] = t->important[i].a;
    buf_puts(page, "<div data-choose=\"parameters\">\n");
    for (size_t j = 1; j < n; j++)
        for (size_t i = 0; i < j; i++) {
            const kpred_param *params = t->model->m.params;
            const size_t a = single[i], b = single[j];
            const struct map map = {{&params[a], &params[b]},
                                    {a, b},
                                    (size_t)params[a].n_values * (size_t)params[b].n_values};
            if (map.cells > left)
                continue;
            left -= map.cells;
            shown++;
            put_map(t, &map, page);
        }
    buf_puts(page, "</div>\n");
    if (shown < n * (n - 1) / 2)
        page_say(page, "%zu of %zu pairs are shown, those that matter most.", shown,
                 n * (n - 1) / 2);
}

static int put_judged(struct tuning *t, struct buf *page)
{
    if (judged_open(t->model, t->data, &t->judged) != 0)
        return -1;
    t->n_important = importance_find(t->model, &t->judged, &t->important);
    if (t->judged.n == 0) {
        page_say(page, "There are too few timed tuples to say which parameters matter.");
        return 0;
    }
    put_importance(t, page);
    if (t->n_important > 1)
        put_maps(t, page);
    return 0;
}

/* ---- failures, and what the reader said ---- */

static void put_failures(const struct tuning *t, struct buf *page)
{
    struct failed_rows f;
    page_element(page, "h3", "Failures");
    failed_rows_of_data(t->model, t->data, &f);
    if (f.failed == 0)
        page_say(page, "None of %zu measured tuples failed.", t->data->n);
    else
        page_say(page, "%zu of %zu measured tuples failed; [restrict] allows %zu of these.",
                 f.failed, f.n, f.allowed);
    struct table rows = {0};
    table_heading(&rows, "condition,explains");
    for (size_t i = 0; i < f.found.n; i++) {
        struct buf text = {0};
        table_text(&rows, f.found.v[i].text);
        failed_rows_count_text(&f, i, &text);
        table_text(&rows, text.s);
        buf_free(&text);
    }
    if (f.found.n > 0)
        page_table(page, "Conditions that every success satisfies", &rows);
    table_free(&rows);
    failed_rows_free(&f);
}

static void put_notes(const struct tuning *t, char *notes, struct buf *page)
{
    page_element(page, "h3", "Noise and contradictions");
    if (t->data->noise > 0)
        page_say(page, "A time scatters by %.2g percent.", 100 * (exp2(t->data->noise) - 1));
    else
        page_say(page, "The noise is not known: fewer than eight tuples were timed several times.");
    page_lines(page, notes);
}

int tuning_page(struct buf *page, const struct model *model, const struct dataset *data,
                char *notes)
{
    struct tuning t = {.model = model, .data = data};
    int bad = 0;
    list_problems(&t);
    page_say(page, "%zu %s, %zu timed %s, %zu %s.", t.n, as_counted(t.n, "problem", "problems"),
             data->n, as_counted(data->n, "tuple", "tuples"), data->failed.n,
             as_counted(data->failed.n, "failure", "failures"));
    if (t.n > 0) {
        put_progress(&t, page);
        put_problems(&t, page);
        put_tuples(&t, page);
        bad = put_judged(&t, page);
    }
    put_failures(&t, page);
    put_notes(&t, notes, page);
    for (size_t i = 0; i < t.n; i++) {
        free(t.problem[i].order);
        free(t.measured[i].octaves);
    }
    free(t.problem);
    free(t.measured);
    free(t.important);
    judged_close(&t.judged);
    return bad;
}
