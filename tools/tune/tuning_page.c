/* tuning_page.c - see tuning_page.h
   SPDX-License-Identifier: MIT */
#include "tuning_page.h"

#include "loop.h"

#include "eval/importance.h"
#include "survey/rule_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is shown at most: curves of problems, problems with a row, tuples of a problem and of all,
   rows of importance, cells of heat maps; problems and results that the tuner is asked about */
enum {
    MOST_CURVES = 6,
    MOST_PROBLEMS = 300,
    MOST_TUPLES = 20,
    MOST_ROWS = 1200,
    MOST_IMPORTANT = 40,
    MOST_CELLS = 9000,
    MOST_ASKED = 8,
    MOST_RESULTS = 400
};

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

static int by_time(const void *pa, const void *pb)
{
    const double *t = sorted_data->time_us;
    const size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    return t[a] < t[b] || t[a] > t[b] ? (t[a] > t[b]) - (t[a] < t[b]) : (a > b) - (a < b);
}

static void sort_rows(const struct dataset *d, size_t *row, size_t n,
                      int (*order)(const void *, const void *))
{
    sorted_data = d;
    qsort(row, n, sizeof *row, order);
}

static void list_problems(struct tuning *t)
{
    const struct dataset *d = t->data;
    size_t failed_end;
    t->problem = xcalloc(data_count_problems(d) + 1, sizeof *t->problem);
    for (size_t i = 0; i < d->n; i = t->problem[t->n++].end) {
        struct tuning_problem *p = &t->problem[t->n];
        p->first = i;
        p->end = data_problem_end(d, i);
        p->order = xcalloc(p->end - i, sizeof *p->order);
        p->best = HUGE_VAL;
        for (size_t row = i; row < p->end; row++) {
            p->order[row - i] = row;
            p->best = fmin(p->best, d->time_us[row]);
        }
        sort_rows(d, p->order, p->end - i, by_place);
        const size_t failed = data_find_failures(d, d->problem + i * d->n_fields, &failed_end);
        p->n_failed = failed_end - failed;
    }
}

static const char *problem_name(const struct tuning *t, const struct tuning_problem *p,
                                struct buf *b)
{
    b->n = 0;
    buf_puts(b, "");
    return assign_problem_text(t->model->spec, t->data->problem + p->first * t->data->n_fields, b);
}

static void value_cells(const struct tuning *t, size_t row, struct table *to)
{
    const kpred_model *m = &t->model->m;
    const unsigned char *target = t->data->target + row * m->n_params;
    for (size_t i = 0; i < m->n_params; i++)
        model_value_cell(m->params[i].names, m->params[i].values[target[i]], to);
}

/* ---- the best so far ---- */

/* The best time of all, as percent of the best so far, at each so many timed tuples */
static void add_progress(const struct tuning *t, const struct tuning_problem *p, size_t index,
                         const char *name, struct plot *plot)
{
    const size_t n = p->end - p->first;
    double best = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        const double time = t->data->time_us[p->order[i]];
        if (time < best || i + 1 == n) {
            best = fmin(best, time);
            plot_point(plot, index, name, (double)(i + 1), 100 * p->best / best);
        }
    }
}

/* The geometric mean over all problems; one that has ended stays as it is. */
static void add_pooled(const struct tuning *t, struct plot *plot)
{
    double *best = xcalloc(t->n + 1, sizeof *best), next = 1;
    size_t longest = 0;
    for (size_t i = 0; i < t->n; i++) {
        const size_t n = t->problem[i].end - t->problem[i].first;
        longest = n > longest ? n : longest;
        best[i] = HUGE_VAL;
    }
    for (size_t k = 0; k < longest; k++) {
        double sum = 0;
        for (size_t i = 0; i < t->n; i++) {
            const struct tuning_problem *p = &t->problem[i];
            if (k < p->end - p->first)
                best[i] = fmin(best[i], t->data->time_us[p->order[k]]);
            sum += log2(p->best / best[i]);
        }
        if ((double)(k + 1) < next && k + 1 < longest)
            continue;
        next = fmax(next + 1, next * 1.05);
        plot_point(plot, 0, "all problems, geometric mean", (double)(k + 1),
                   100 * exp2(sum / (double)t->n));
    }
    free(best);
}

static void put_progress(const struct tuning *t, struct buf *page)
{
    struct plot plot = {.is_steps = 1, .is_whole = 1};
    struct buf name = {0};
    add_pooled(t, &plot);
    for (size_t i = 0; i < t->n && i < MOST_CURVES && t->n > 1; i++)
        add_progress(t, &t->problem[i], plot.n, problem_name(t, &t->problem[i], &name), &plot);
    page_plot(page, &plot, "Best so far", "timed tuples, in the order of the files",
              "% of the best speed found");
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
    double left = -1;
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
    if (told == legal.space.n)
        left = 0;
    for (size_t i = 0; i < sizeof left_shares / sizeof *left_shares && left < 0; i++)
        if (strategy_is_enough(s, left_shares[i]))
            left = left_shares[i];
    strategy_free(s);
    free(times);
    legal_close(&legal);
    return left;
}

static void problems_heading(const struct tuning *t, struct table *to)
{
    struct buf names = {0};
    for (size_t f = 0; f < t->model->spec->n_fields; f++)
        buf_printf(&names, "%s,", t->model->spec->fields[f].name);
    buf_puts(&names, "timed,failed,best us,at,% left to gain");
    table_heading(to, names.s);
    buf_free(&names);
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
    problems_heading(t, &rows);
    for (size_t i = 0; i < t->n && i < MOST_PROBLEMS; i++)
        problem_row(t, &t->problem[i], i < MOST_ASKED, &rows);
    page_heading(page, "Problems");
    page_say(page,
             "\"at\" is the number of the timed tuple that was the best. \"%% left to gain\" is "
             "the tuner's own estimate: probably no other tuple is faster by more percent.");
    page_table(page, "Problems", &rows);
    if (t->n > MOST_PROBLEMS)
        page_say(page, "These are %d of %zu problems.", MOST_PROBLEMS, t->n);
    table_free(&rows);
}

/* ---- the best tuples ---- */

static void tuples_heading(const struct tuning *t, struct table *to)
{
    struct buf names = {0};
    buf_puts(&names, "problem,rank,us,% of best");
    for (size_t i = 0; i < t->model->m.n_params; i++)
        buf_printf(&names, ",%s", t->model->m.params[i].name);
    table_heading(to, names.s);
    buf_free(&names);
}

/* As many of each problem as there is room for */
static void put_tuples(const struct tuning *t, struct buf *page)
{
    size_t most = MOST_ROWS / (t->n > 0 ? t->n : 1);
    struct table rows = {0};
    struct buf name = {0};
    most = most > MOST_TUPLES ? MOST_TUPLES : most > 0 ? most : 1;
    tuples_heading(t, &rows);
    for (size_t i = 0; i < t->n && i < MOST_ROWS; i++) {
        const struct tuning_problem *p = &t->problem[i];
        sort_rows(t->data, p->order, p->end - p->first, by_time);
        for (size_t k = 0; k < most && k < p->end - p->first; k++) {
            const double time = t->data->time_us[p->order[k]];
            table_text(&rows, problem_name(t, p, &name));
            table_number(&rows, "%zu", k + 1);
            table_number(&rows, "%.6g", time);
            table_number(&rows, "%.1f", 100 * p->best / time);
            value_cells(t, p->order[k], &rows);
        }
    }
    page_heading(page, "Best tuples");
    page_table(page, "Best tuples of each problem", &rows);
    buf_free(&name);
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
    page_heading(page, "Which parameters matter");
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
    const struct tuning *t;
    size_t param[2], n[2];
    double *sum, *count, *best; /* of the cells; `best` of a problem, in octaves */
};

static const char *map_value(void *user, size_t which, size_t at, char text[32])
{
    const struct map *map = user;
    const kpred_param *p = &map->t->model->m.params[map->param[which]];
    snprintf(text, 32, "%ld", (long)p->values[at]);
    return p->names ? p->names[at] : text;
}

static void map_see(struct map *map, const unsigned char *target, double octaves)
{
    double *best = &map->best[target[map->param[0]] * map->n[1] + target[map->param[1]]];
    *best = fmin(*best, octaves);
}

static void map_begin(struct map *map)
{
    for (size_t i = 0; i < map->n[0] * map->n[1]; i++)
        map->best[i] = HUGE_VAL;
}

static void map_add(struct map *map)
{
    for (size_t i = 0; i < map->n[0] * map->n[1]; i++)
        if (map->best[i] < HUGE_VAL) {
            map->sum[i] += map->best[i];
            map->count[i]++;
        }
}

/* Geometric means over the problems that have the cell; below 0: none has */
static double *map_end(struct map *map)
{
    const size_t n = map->n[0] * map->n[1];
    double *share = xcalloc(n, sizeof *share);
    for (size_t i = 0; i < n; i++)
        share[i] = map->count[i] > 0 ? exp2(-map->sum[i] / map->count[i]) : -1;
    memset(map->sum, 0, n * sizeof *map->sum);
    memset(map->count, 0, n * sizeof *map->count);
    return share;
}

static double *map_measured(struct map *map)
{
    const struct tuning *t = map->t;
    for (size_t i = 0; i < t->n; i++) {
        const struct tuning_problem *p = &t->problem[i];
        map_begin(map);
        for (size_t row = p->first; row < p->end; row++)
            map_see(map, t->data->target + row * t->data->n_params,
                    log2(t->data->time_us[row] / p->best));
        map_add(map);
    }
    return map_end(map);
}

static double *map_judged(struct map *map)
{
    for (size_t i = 0; i < map->t->judged.n; i++) {
        const struct judged_problem *p = &map->t->judged.v[i];
        map_begin(map);
        for (size_t k = 0; k < p->n; k++)
            map_see(map, p->target + k * map->t->data->n_params, p->octaves[k]);
        map_add(map);
    }
    return map_end(map);
}

static void put_map(const struct tuning *t, size_t a, size_t b, struct buf *page)
{
    const kpred_param *params = t->model->m.params;
    struct map map = {
        .t = t, .param = {a, b}, .n = {(size_t)params[a].n_values, (size_t)params[b].n_values}};
    const size_t n = map.n[0] * map.n[1];
    map.sum = xcalloc(n, sizeof *map.sum);
    map.count = xcalloc(n, sizeof *map.count);
    map.best = xcalloc(n, sizeof *map.best);
    double *measured = map_measured(&map), *judged = map_judged(&map);
    const struct heat heat = {.name = {params[a].name, params[b].name},
                              .n = {map.n[0], map.n[1]},
                              .value = map_value,
                              .user = &map,
                              .measured = measured,
                              .judged = judged};
    page_heat(page, &heat);
    free(measured);
    free(judged);
    free(map.sum);
    free(map.count);
    free(map.best);
}

/* Pairs, the one first of which both parameters explain most, alone and together */
static size_t list_pairs(const struct tuning *t, struct importance *pair)
{
    double alone[KPRED_MAX_TUPLE] = {0};
    size_t n = 0;
    for (size_t i = 0; i < t->n_important; i++)
        if (t->important[i].a == t->important[i].b)
            alone[t->important[i].a] = t->important[i].share;
    for (size_t i = 0; i < t->n_important; i++) {
        pair[n] = t->important[i];
        pair[n].share += alone[pair[n].a] + alone[pair[n].b];
        n += pair[n].a != pair[n].b;
    }
    importance_sort(pair, n);
    return n;
}

static void put_maps(const struct tuning *t, struct buf *page)
{
    struct importance *pair = xcalloc(t->n_important + 1, sizeof *pair);
    const size_t n = list_pairs(t, pair);
    size_t left = MOST_CELLS, shown = 0;
    page_heading(page, "Two parameters together");
    page_say(page, "A cell is the best speed with these two values, in percent of the problem's "
                   "best, the geometric mean over the problems that have it. Where nothing was "
                   "timed, the trees say it: such cells are hatched and in italics.");
    page_choice(page, "parameters");
    for (size_t i = 0; i < n; i++) {
        const kpred_param *params = t->model->m.params;
        const size_t cells =
            (size_t)params[pair[i].a].n_values * (size_t)params[pair[i].b].n_values;
        if (cells > left)
            continue;
        left -= cells;
        shown++;
        put_map(t, pair[i].a, pair[i].b, page);
    }
    page_choice_end(page);
    if (shown < n)
        page_say(page, "%zu of %zu pairs are shown, those that matter most.", shown, n);
    free(pair);
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
    page_heading(page, "Failures");
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

static void put_notes(const struct tuning *t, const char *notes, struct buf *page)
{
    struct buf copy = {0};
    page_heading(page, "Noise and contradictions");
    if (t->data->noise > 0)
        page_say(page, "A time scatters by %.2g percent.", 100 * (exp2(t->data->noise) - 1));
    else
        page_say(page, "The noise is not known: fewer than eight tuples were timed several times.");
    buf_puts(&copy, notes);
    char *at = copy.s;
    for (const char *line; (line = next_line(&at)) != NULL;)
        page_say(page, "%s", line);
    buf_free(&copy);
}

int tuning_page(struct buf *page, const struct model *model, const struct dataset *data,
                const char *notes)
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
    for (size_t i = 0; i < t.n; i++)
        free(t.problem[i].order);
    free(t.problem);
    free(t.important);
    judged_close(&t.judged);
    return bad;
}
