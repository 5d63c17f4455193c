/* replay.c - how many measurements the strategy would have needed on tables of all of them
   SPDX-License-Identifier: MIT */
#include "tune.h"

#include "full_table.h"
#include "loop.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

struct replay_row {
    size_t evals_5, evals_1; /* measurements until within 5 and 1 percent of the table's best time,
                                failures included; a miss counts as the budget */
    double share;            /* of the best speed, at the end */
    size_t launches;         /* until the end, and */
    const char *end;         /* its cause: "budget", "enough" (--stop-at) or "all" */
};

static void replay_count(const struct full_table *t, double best, size_t n, struct replay_row *row)
{
    if (best <= 1.05 * t->best && n < row->evals_5)
        row->evals_5 = n;
    if (best <= 1.01 * t->best && n < row->evals_1)
        row->evals_1 = n;
}

struct known_times { /* what is known beforehand, of each tuple */
    struct heap heap;
    double **warm;  /* times elsewhere, */
    double *weight; /* and how much they count */
    size_t n_warm;
    double *score; /* by a model, or NULL */
};

static struct strategy *replay_begin(const struct space *space, const struct known_times *known,
                                     uint64_t seed)
{
    struct strategy *s = strategy_new(space, seed);
    for (size_t i = 0; i < known->n_warm; i++)
        strategy_warm(s, known->warm[i], known->weight[i]);
    if (known->score != NULL)
        strategy_prior(s, known->score);
    return s;
}

static void replay_run(const struct full_table *t, const struct space *space,
                       const struct known_times *known, uint64_t seed, size_t budget,
                       double stop_at, struct replay_row *row)
{
    struct strategy *s = replay_begin(space, known, seed);
    double best = HUGE_VAL;
    int is_done = 0;
    *row = (struct replay_row){.evals_5 = budget, .evals_1 = budget, .end = "budget"};
    for (size_t n = 1; n <= budget && !is_done; n++) {
        const size_t tuple = strategy_next(s);
        if (tuple == SIZE_MAX) {
            row->end = "all";
            break;
        }
        strategy_tell(s, tuple, t->time[tuple]);
        best = t->time[tuple] < best ? t->time[tuple] : best;
        replay_count(t, best, n, row);
        row->launches = n;
        is_done = stop_at > 0 ? strategy_is_enough(s, stop_at) : best <= t->best;
    }
    if (stop_at > 0 && is_done)
        row->end = "enough";
    row->share = best < HUGE_VAL ? t->best / best : 0;
    strategy_free(s);
}

/* ---- all seeds ---- */

/* The table's own times would tell the tuner the answer. */
static int read_warm(const struct replay_asked *o, const struct spec *spec,
                     const struct full_table *t, struct known_times *known)
{
    known->warm = heap_new(&known->heap, o->data.n, sizeof *known->warm);
    known->weight = heap_new(&known->heap, o->data.n, sizeof *known->weight);
    for (size_t i = 0; i < o->data.n; i++) {
        struct full_table other;
        if (outputs_same(o->data.v[i], o->table))
            continue;
        const size_t n = known->n_warm++;
        known->warm[n] = heap_new(&known->heap, t->n, sizeof **known->warm);
        int rc = full_table_read(&other, o->data.v[i], spec, NULL);
        if (rc == 0)
            rc = full_table_match(t, &other, known->warm[n]);
        if (rc == 0)
            known->weight[n] =
                known_weight(full_table_fact(t, "gpu"), full_table_fact(&other, "gpu"));
        full_table_free(&other);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static int read_model(const struct replay_asked *o, const struct spec *spec,
                      const struct full_table *t, struct known_times *known)
{
    struct model model;
    if (model_open(o->model, &model) != 0)
        return -1;
    known->score = heap_new(&known->heap, t->n, sizeof *known->score);
    int rc = spec != NULL ? order_check(o->model, &model, spec) : 0;
    if (rc == 0)
        rc = full_table_scores(t, o->model, &model, known->score);
    model_free(&model);
    return rc;
}

static const char *start_of(const struct known_times *known)
{
    if (known->score != NULL)
        return known->n_warm > 0 ? "data+model" : "model";
    return known->n_warm > 0 ? "data" : "cold";
}

/* The gap: how much slower the best one found is than the table's, in percent */
static void add_end(struct table *table, const struct replay_row *row)
{
    table_number(table, "%zu", row->launches);
    table_text(table, row->end);
    if (row->share > 0)
        table_number(table, "%.2f", 100 / row->share - 100);
    else
        table_text(table, "");
}

static void add_row(struct table *table, const struct replay_asked *o, const char *start, long seed,
                    const struct replay_row *row)
{
    table_text(table, base_name(o->table));
    table_text(table, "kpred");
    table_text(table, start);
    table_number(table, "%ld", seed);
    table_number(table, "%zu", row->evals_5);
    table_number(table, "%zu", row->evals_1);
    table_number(table, "%.5f", row->share);
    if (o->stop_at != NULL)
        add_end(table, row);
}

static int print_replays(const struct replay_asked *o, const struct full_table *t,
                         const struct known_times *known, double stop_at)
{
    struct table table = {0};
    struct space space = full_table_space(t);
    table_heading(&table, o->stop_at != NULL
                              ? "table,strategy,start,seed,evals_5,evals_1,share,launches,end,gap"
                              : "table,strategy,start,seed,evals_5,evals_1,share");
    for (long seed = 1; seed <= o->seeds; seed++) {
        struct replay_row row;
        replay_run(t, &space, known, (uint64_t)seed, (size_t)o->budget, stop_at, &row);
        add_row(&table, o, start_of(known), seed, &row);
    }
    table_print(&table, stdout, o->form);
    table_free(&table);
    space_free(&space);
    return flush_stdout();
}

static int replay_table(const struct replay_asked *o, const struct spec *spec, double stop_at)
{
    struct full_table t;
    struct known_times known = {0};
    const int bad = full_table_read(&t, o->table, spec, o->gpu) != 0
                    || (spec != NULL && full_table_keep_legal(&t, spec) != 0)
                    || read_warm(o, spec, &t, &known) != 0
                    || (o->model != NULL && read_model(o, spec, &t, &known) != 0)
                    || print_replays(o, &t, &known, stop_at) != 0;
    heap_free(&known.heap);
    full_table_free(&t);
    return bad ? -1 : 0;
}

int replay_print(const struct replay_asked *o)
{
    struct spec spec;
    double stop_at;
    if (stop_at_read(o->stop_at, &stop_at) != 0)
        return 2;
    if (o->spec == NULL)
        return replay_table(o, NULL, stop_at) != 0;
    if (spec_load(&spec, o->spec) != 0)
        return 1;
    const int rc = replay_table(o, &spec, stop_at);
    spec_free(&spec);
    return rc != 0;
}

/* ---- a whole library ---- */

struct shelf { /* a kernel: its problems follow each other in the library */
    struct spec spec;
    struct model model;
    struct dataset data;
};

struct book { /* a problem */
    const struct shelf *of;
    const int32_t *problem;
    struct legal legal;
    double *time, best; /* of each tuple; NAN: none */
};

struct library {
    struct heap heap;
    size_t n, cap, n_shelves;
    struct book *v;
    struct shelf *shelf;
    double best; /* the sum of the best times */
    size_t most; /* launches of each problem */
    double stop_at;
    double *even, *all; /* excess after n launches of each problem, and after n launches; the sums
                           over the seeds, NAN where a problem had no time yet */
};

static void add_book(struct library *l, const struct shelf *of, size_t first)
{
    struct book b = {.of = of, .problem = of->data.problem + first * of->data.n_fields};
    legal_open(&b.legal, &of->model, b.problem);
    b.time = heap_new(&l->heap, b.legal.space.n, sizeof *b.time);
    b.best = known_table(&of->data, first, &b.legal, b.time);
    if (b.best < HUGE_VAL) {
        l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
        l->v[l->n++] = b;
        l->best += b.best;
    } else {
        legal_close(&b.legal);
    }
}

static int open_shelf(struct library *l, struct shelf *s, const struct replay_all_asked *o)
{
    const struct data_options how = {.lenient = 0};
    const size_t i = l->n_shelves;
    const int is_one = o->specs.n == 1;
    if (spec_load(&s->spec, o->specs.v[i]) != 0)
        return -1;
    l->n_shelves++;
    if (default_features_give(&s->spec, NULL) != 0
        || data_load(o->readers, &s->spec, o->tables.v + (is_one ? 0 : i), is_one ? o->tables.n : 1,
                     &how, &s->data)
               != 0)
        return -1;
    data_note_drops(&s->data);
    if (s->data.time_us == NULL)
        return fail("%s: format = %s: a replay needs times", s->spec.path,
                    spec_formats[s->spec.format]);
    if (model_from_spec(&s->model, &s->spec, "none") != 0
        || (spec_is_listed(&s->spec)
            && model_list(&s->model, s->data.problem, s->data.target, s->data.n) != 0))
        return -1;
    for (size_t row = 0; row < s->data.n; row = data_problem_end(&s->data, row))
        add_book(l, s, row);
    return 0;
}

static void close_library(struct library *l)
{
    for (size_t i = 0; i < l->n; i++)
        legal_close(&l->v[i].legal);
    for (size_t i = 0; i < l->n_shelves; i++) {
        model_free(&l->shelf[i].model);
        data_free(&l->shelf[i].data);
        spec_free(&l->shelf[i].spec);
    }
    free(l->v);
    heap_free(&l->heap);
}

/* A tuple of which the table has no time counts as one that failed. */
static double book_time(const struct book *b, size_t tuple)
{
    return isnan(b->time[tuple]) ? HUGE_VAL : b->time[tuple];
}

/* Adds the best times of a problem, tuned by itself. */
static void tune_book(const struct library *l, const struct book *b, uint64_t seed, double *sums)
{
    struct strategy *s = strategy_new(&b->legal.space, seed);
    double best = HUGE_VAL;
    int is_done = 0;
    for (size_t n = 1; n <= l->most; n++) {
        const size_t tuple = is_done ? SIZE_MAX : strategy_next(s);
        is_done = tuple == SIZE_MAX;
        if (!is_done) {
            strategy_tell(s, tuple, book_time(b, tuple));
            best = book_time(b, tuple) < best ? book_time(b, tuple) : best;
            is_done = l->stop_at > 0 && strategy_is_enough(s, l->stop_at);
        }
        sums[n] += best;
    }
    strategy_free(s);
}

static double excess(const struct library *l, double sum)
{
    return sum < HUGE_VAL ? sum / l->best - 1 : (double)NAN;
}

static void tune_evenly(struct library *l, uint64_t seed)
{
    double *sums = xcalloc(l->most + 1, sizeof *sums);
    for (size_t i = 0; i < l->n; i++)
        tune_book(l, &l->v[i], num_mix(seed, i, 0), sums);
    for (size_t n = 1; n <= l->most; n++)
        l->even[n] += excess(l, sums[n]);
    free(sums);
}

static double best_times(const struct library *l, const struct together *t)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += together_best(t, i);
    return sum;
}

static void tune_together(struct library *l, uint64_t seed)
{
    struct together *t = together_new(seed, l->stop_at);
    size_t problem, tuple;
    for (size_t i = 0; i < l->n; i++)
        together_add(t, &l->v[i].of->spec, l->v[i].problem, &l->v[i].legal, 1);
    for (size_t n = 1; n <= l->most * l->n; n++) {
        if (together_next(t, &problem, &tuple))
            (void)together_tell(t, book_time(&l->v[problem], tuple));
        l->all[n] += excess(l, best_times(l, t));
    }
    together_free(t);
}

static void add_percent(struct table *table, double sum, long seeds)
{
    if (isnan(sum))
        table_text(table, "");
    else
        table_number(table, "%.2f", 100 * sum / (double)seeds);
}

static int print_library(const struct library *l, const struct replay_all_asked *o)
{
    struct table table = {0};
    table_heading(&table, "problems,launches,even,all,all_half");
    for (size_t parts = 8; parts > 0; parts /= 2) {
        const size_t n = l->most / parts;
        if (n < 2)
            continue;
        table_number(&table, "%zu", l->n);
        table_number(&table, "%zu", n);
        add_percent(&table, l->even[n], o->seeds);
        add_percent(&table, l->all[n * l->n], o->seeds);
        add_percent(&table, l->all[n * l->n / 2], o->seeds);
    }
    table_print(&table, stdout, o->form);
    table_free(&table);
    return flush_stdout();
}

static int open_library(struct library *l, const struct replay_all_asked *o)
{
    l->most = (size_t)o->budget;
    l->shelf = heap_new(&l->heap, o->specs.n, sizeof *l->shelf);
    for (size_t i = 0; i < o->specs.n; i++)
        if (open_shelf(l, &l->shelf[i], o) != 0)
            return -1;
    if (l->n == 0)
        return fail("%s: no problem has a time", o->tables.v[0]);
    l->even = heap_new(&l->heap, l->most + 1, sizeof *l->even);
    l->all = heap_new(&l->heap, l->most * l->n + 1, sizeof *l->all);
    return 0;
}

int replay_all_print(const struct replay_all_asked *o)
{
    struct library l = {0};
    if (stop_at_read(o->stop_at, &l.stop_at) != 0)
        return 2;
    if (o->specs.n > 1 && o->specs.n != o->tables.n) {
        fail("--replay: %zu table%s for %zu specs: give one for each", o->tables.n,
             as_counted(o->tables.n, "", "s"), o->specs.n);
        return 2;
    }
    int rc = open_library(&l, o);
    for (long seed = 1; rc == 0 && seed <= o->seeds; seed++) {
        tune_evenly(&l, (uint64_t)seed);
        tune_together(&l, (uint64_t)seed);
    }
    if (rc == 0)
        rc = print_library(&l, o);
    close_library(&l);
    return rc != 0;
}
