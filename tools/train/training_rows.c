/* training_rows.c - from files of tuning results to the rows that a network learns from
   SPDX-License-Identifier: MIT */
#include "timed.h"
#include "train.h"

#include "base/numbers.h"
#include "survey/rule_rows.h"

#include <stdlib.h>

/* ---- data ---- */

void training_data_close(struct training_data *d)
{
    for (size_t i = 0; i < d->n_beside; i++)
        data_free(&d->beside[i]);
    free(d->beside);
    data_free(&d->own);
}

enum { MOST_TOLD = 5 }; /* lines */

/* How many rows failed, and what explains those that the rule allows */
static void note_failures(const struct model *model, const struct dataset *d)
{
    struct failed_rows failed;
    struct buf where = {0};
    if (d->failed.n == 0)
        return;
    buf_printf(&where, "%s: ", model->m.name);
    failed_rows_of_data(model, d, &failed);
    failed_rows_note(&failed, where.s, MOST_TOLD);
    failed_rows_free(&failed);
    buf_free(&where);
}

int training_data_open(const struct model *model, const struct training_files *files,
                       const struct data_options *how, struct training_data *out)
{
    const struct spec *spec = model->spec;
    memset(out, 0, sizeof *out);
    if (data_load(files->formats, spec, files->own, files->n_own, how, &out->own))
        return -1;
    out->beside = xcalloc(files->n_beside, sizeof *out->beside);
    int bad = no_tuple_check(model, &out->own, how->lenient);
    if (!bad) {
        data_note_drops(&out->own);
        note_failures(model, &out->own);
        bad = unseen_rows_add(spec, &out->own);
    }
    for (size_t i = 0; i < files->n_beside && !bad; i++) {
        bad = data_load(files->formats, spec, &files->beside[i], 1, how, &out->beside[i]);
        if (!bad)
            data_note_drops(&out->beside[out->n_beside++]);
    }
    if (bad)
        training_data_close(out);
    return bad;
}

/* ---- measured rows ---- */

struct maker {
    const struct training_task *task;
    const struct recipe *recipe; /* the task's, settled */
    const struct model *model;
    const struct dataset *data;
    const struct held_out *held;
    struct judge_task judges; /* on all of the data */
    struct training_rows *out;
};

/* Does the row say what the one before it says? Rows are sorted: equal ones stand together. */
static int is_copy(const struct dataset *d, size_t i)
{
    const int32_t *problem = d->problem + i * d->n_fields;
    const unsigned char *target = d->target + i * d->n_params;
    return i > 0 && !memcmp(problem - d->n_fields, problem, d->n_fields * sizeof *problem)
           && !memcmp(target - d->n_params, target, d->n_params);
}

/* One optimum */
static void add_optimum(const struct maker *m, size_t i, struct recipe_rows *to)
{
    const struct dataset *d = m->data;
    const int32_t *problem = d->problem + i * d->n_fields;
    const unsigned char *target = d->target + i * d->n_params;
    if (is_copy(d, i))
        m->out->copies++;
    else if (!model_allows(m->model, problem, target))
        m->out->illegal++;
    else
        timed_append(d, problem, target, to);
}

static struct recipe_rows *rows_of(const struct maker *m, unsigned char part)
{
    return part == HELD_OUT_TRAIN ? &m->out->train : &m->out->held_out;
}

static void add_optima(const struct maker *m)
{
    for (size_t i = 0; i < m->data->n; i++)
        if (m->held->part[i] != HELD_OUT_ASIDE)
            add_optimum(m, i, rows_of(m, m->held->part[i]));
}

/* counts: of balance_rows */
static void add_timed(const struct maker *m, const size_t *counts)
{
    const struct dataset *d = m->data;
    for (size_t i = 0, end; i < d->n; i = end) {
        const unsigned char part = m->held->part[i];
        end = data_problem_end(d, i);
        const struct time_problem problem = {i, end, counts[i]};
        if (part != HELD_OUT_ASIDE && !(part == HELD_OUT_TRAIN && m->recipe->judge_trees > 0)
            && !time_targets_add(m->recipe, m->model, d, &problem, num_mix(m->task->seed, 7, i),
                                 rows_of(m, part)))
            m->out->lost++;
    }
}

static int add_lessons(const struct maker *m, int is_judged)
{
    const struct lessons_task task = {m->recipe, m->judges, m->held->unit, is_judged};
    struct lessons_made made = {&m->out->train, &m->out->watched, NULL, 0};
    if (!is_judged)
        made.judges = m->out->judges = xcalloc(1, sizeof *m->out->judges);
    m->out->are_judged = 1;
    const int bad = lessons_add(&task, &made);
    m->out->made_up = made.made_up;
    return bad;
}

static void mix_judges(const void *mix, const int32_t *problem, float *target)
{
    judge_trees_mix(mix, problem, target);
}

/* Judges that teach beside the networks: of a few options of each of many problems */
static int add_mixing(const struct maker *m)
{
    struct judge_task task = m->judges;
    struct judge_trees *trees = xcalloc(1, sizeof *trees);
    struct judge_mix *mix = &m->out->mix;
    *mix = (struct judge_mix){trees, m->recipe->judge_share, m->recipe->sharpness, {0}};
    memcpy(mix->gpu, m->recipe->judge_gpu, sizeof mix->gpu);
    m->out->train.mix = mix_judges;
    m->out->train.mixer = mix;
    task.gpu = m->recipe->judge_gpu;
    task.from_all = 1;
    return judge_trees_fit(trees, &task);
}

/* What the judges say, who are the recipe's teachers. */
static int add_judged(const struct maker *m)
{
    const struct training_task *t = m->task;
    const struct judge_nets_task task = {{m->recipe, m->model, t->seed, t->n_threads, t->progress},
                                         &m->judges};
    return judge_nets_add(&task, &m->out->train);
}

static void allocate(struct recipe_rows *r, const struct dataset *d, size_t most, size_t width)
{
    r->problem = xcalloc(most, d->n_fields * sizeof *r->problem);
    r->target = xcalloc(most, d->n_params);
    r->soft = d->time_us ? xcalloc(most, width * sizeof *r->soft) : NULL;
}

static size_t rows_at_most(const struct maker *m, const size_t *counts)
{
    const struct recipe *r = m->recipe;
    size_t most = r->judge_trees > 0        ? lessons_most(r, m->data)
                  : m->model->spec->judge.n ? judge_nets_most(r, m->data)
                                            : 0;
    if (!counts)
        return m->data->n;
    for (size_t i = 0; i < m->data->n; i++)
        most += counts[i];
    return most;
}

/* Makes room for the rows of both parts, and fills it with the measured ones. */
static void add_measured(const struct maker *m)
{
    const struct dataset *d = m->data;
    const size_t width = recipe_width(m->model);
    size_t *counts = d->time_us ? balance_rows(m->recipe, m->model->spec, d, m->held->part) : NULL;
    allocate(&m->out->train, d, rows_at_most(m, counts), width);
    allocate(&m->out->held_out, d, rows_at_most(m, counts), width);
    if (counts)
        add_timed(m, counts);
    else
        add_optima(m);
    free(counts);
}

/* Rows of names for unseen GPUs were made of the others: they are no problems of the user's. */
static int is_of_unseen(const struct unseen *u, const int32_t *problem)
{
    return u->n > 0 && unseen_index(u, problem[u->field]) >= 0;
}

/* Rows of a problem stand together. */
static struct training_part count_part(const struct maker *m, const struct recipe_rows *rows)
{
    const struct spec *spec = m->model->spec;
    const struct split_key *key =
        strcmp(m->task->split, "none") ? held_out_key(spec, m->task->split) : NULL;
    const size_t n_fields = m->data->n_fields;
    struct training_part part = {0, 0};
    struct buf scratch = {NULL, 0, 0};
    struct unseen unseen;
    if (unseen_read(&unseen, spec) != 0) /* it was read before */
        unseen.n = 0;
    uint64_t *group = xcalloc(rows->n, sizeof *group);
    for (size_t i = 0; i < rows->n; i++) {
        const int32_t *problem = rows->problem + i * n_fields;
        if ((i > 0 && !memcmp(problem - n_fields, problem, n_fields * sizeof *problem))
            || is_of_unseen(&unseen, problem))
            continue;
        group[part.problems++] = key ? split_row_hash(spec, key, problem, &scratch) : 0;
    }
    qsort(group, part.problems, sizeof *group, compare_hashes);
    for (size_t i = 0; key && i < part.problems; i++)
        part.groups += i == 0 || group[i] != group[i - 1];
    buf_free(&scratch);
    free(group);
    return part;
}

/* As many draws as the data ask for, and trees only where there is something to learn */
static struct recipe settle(const struct recipe *asked, const struct training_data *data,
                            const unsigned char *part)
{
    const struct dataset *d = &data->own;
    struct recipe r = *asked;
    r.judge_trees = data->is_judged || (r.judge_trees > 0 && lessons_possible(d, part));
    if (d->time_us && (r.draws < 1 || !(r.judge_trees > 0)))
        r.draws = r.judge_trees > 0 ? LESSONS_DRAWS : (double)time_targets_draws(&r, d);
    return r;
}

static int make_rows(const struct maker *m, int is_judged, struct model *model)
{
    const struct dataset *d = m->data;
    const int has_trees = m->recipe->judge_trees > 0;
    const int is_mixed = m->recipe->judge_share > 0 && d->time_us;
    struct training_rows *out = m->out;
    add_measured(m);
    struct recipe_rows known = {.problem = xcalloc(d->n, d->n_fields * sizeof(int32_t))};
    known.n = timed_problems(d, m->held->part, known.problem);
    const struct recipe_rows *rows = has_trees ? &known : &out->train;
    out->train_part = count_part(m, rows);
    out->held_out_part = count_part(m, &out->held_out);
    model_train_ranges(model, rows->problem, rows->n); /* the judges' problems are made up */
    free(known.problem);
    return has_trees              ? add_lessons(m, is_judged)
           : is_mixed             ? add_mixing(m)
           : model->spec->judge.n ? add_judged(m)
                                  : 0;
}

int training_rows_make(const struct training_task *task, struct model *model,
                       const struct training_data *data, struct training_rows *out)
{
    const struct dataset *d = &data->own;
    struct held_out held;
    memset(out, 0, sizeof *out);
    if (model->lists.set && model_list(model, d->problem, d->target, d->n))
        return -1;
    int bad = held_out_find(model->spec, task->split, d, &held);
    if (!bad) {
        const struct recipe recipe = settle(task->recipe, data, held.part);
        const struct judge_task judges = {.model = model,
                                          .data = d,
                                          .part = held.part,
                                          .beside = data->beside,
                                          .n_beside = data->n_beside,
                                          .seed = task->seed,
                                          .n_threads = task->n_threads};
        const struct maker m = {task, &recipe, model, d, &held, judges, out};
        bad = make_rows(&m, data->is_judged, model);
    }
    held_out_free(&held);
    return bad ? -1 : 0;
}

static void note_dropped(const char *model, size_t n, const char *what, const char *why)
{
    if (n)
        note("%s: dropped %zu %s%s%s", model, n, what, as_counted(n, "", "s"), why);
}

void training_rows_note_drops(const struct training_rows *rows, const char *model)
{
    note_dropped(model, rows->copies, "row", ": another says the same");
    note_dropped(model, rows->illegal, "row", " whose optimum the rule rejects");
    note_dropped(model, rows->lost, "problem", " that the model can do nothing for");
}

static void free_rows(struct recipe_rows *r)
{
    free(r->problem);
    free(r->target);
    free(r->soft);
    free(r->octaves);
}

static void free_judges(struct judge_trees *judges)
{
    if (judges)
        judge_trees_free(judges);
    free(judges);
}

void training_rows_free(struct training_rows *rows)
{
    free_rows(&rows->train);
    free_rows(&rows->held_out);
    free_rows(&rows->watched);
    free_judges(rows->judges);
    free_judges(rows->mix.trees);
}
