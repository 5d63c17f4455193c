/* judge_nets.c - networks that judge whole tuples, see timed.h
   SPDX-License-Identifier: MIT */
#include "timed.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

struct judges {
    const struct judge_nets_task *task;
    struct program program;
    size_t width; /* of its activations, a multiple of 16 */
    struct recipe_nets nets;
    int32_t *known; /* n_known problems to learn from */
    size_t n_known;
    float *missed; /* by how many octaves each option was slower there than they say */
};

/* What the judges learn from: activations, and marks with what is left to 1. */
struct lessons {
    size_t n, room;
    uint8_t *x;
    float *target;
};

/* ---- activations ---- */

static void activations(const struct judges *j, const int32_t *problem, const unsigned char *target,
                        size_t table, uint8_t *x)
{
    const struct model *m = j->task->train.model;
    int32_t registers[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE + 1];
    size_t n = m->m.n_fields;
    memcpy(registers, problem, n * sizeof *registers);
    for (size_t p = 0; p < m->m.n_params; p++)
        registers[n++] = m->params[p].values[target[p]];
    registers[n++] = (int32_t)table;
    program_run(&j->program, registers, n, x);
}

/* ---- judges ---- */

static void add_lesson(const struct judges *j, struct lessons *to, const struct dataset *d,
                       size_t row, size_t table, double mark)
{
    if (to->n == to->room) {
        to->room = 2 * to->room + 1024;
        to->x = xrealloc(to->x, to->room, j->width);
        to->target = xrealloc(to->target, to->room, 2 * sizeof *to->target);
    }
    memset(to->x + to->n * j->width, 0, j->width);
    activations(j, d->problem + row * d->n_fields, d->target + row * d->n_params, table,
                to->x + to->n * j->width);
    to->target[2 * to->n] = (float)mark;
    to->target[2 * to->n + 1] = (float)(1 - mark);
    to->n++;
}

/* Some of the options of the problem of rows first..end-1 */
static void add_problem(const struct judges *j, struct lessons *to, const struct dataset *d,
                        size_t first, size_t end, size_t table)
{
    const struct recipe *r = j->task->train.recipe;
    const size_t n = end - first;
    uint64_t seed = num_mix(j->task->train.seed, 11 + table, first);
    const double best = judge_least_time(d, first, end);
    for (size_t i = first; i < end; i++)
        if ((double)(num_draw(&seed) % n) < r->judge_rows && data_is_known(d, i))
            add_lesson(
                j, to, d, i, table,
                (double)num_exp2((float)(r->judge_sharpness * num_log2(best / d->time_us[i]))));
}

static void add_table(const struct judges *j, struct lessons *to, const struct dataset *d,
                      const unsigned char *part, size_t table)
{
    for (size_t i = 0, end; i < d->n; i = end) {
        end = data_problem_end(d, i);
        if (!part || !part[i])
            add_problem(j, to, d, i, end, table);
    }
}

static int train_judges(struct judges *j)
{
    const struct judge_nets_task *t = j->task;
    const struct judge_task *of = t->judges;
    struct lessons lessons = {0, 0, NULL, NULL};
    add_table(j, &lessons, of->data, of->part, 0);
    for (size_t i = 0; i < of->n_beside; i++)
        add_table(j, &lessons, &of->beside[i], NULL, 1 + i);
    uint8_t *y = xcalloc(lessons.n + 1, 1);
    const struct net_rows rows = {.n = lessons.n, .x = lessons.x, .y = y, .target = lessons.target};
    int bad = !rows.n ? fail("%s: no row for its teachers", t->train.model->m.name)
                      : recipe_train_teachers(&t->train, j->width, &rows, &j->nets);
    free(y);
    free(lessons.x);
    free(lessons.target);
    return bad;
}

/* ---- the options to judge: a problem of timed data, whose times are theirs ---- */

static size_t tuple_bytes; /* for qsort and bsearch */

static int compare_tuples(const void *a, const void *b)
{
    return memcmp(a, b, tuple_bytes);
}

/* The distinct tuples of the data */
static void list_options(const struct dataset *d, struct dataset *one)
{
    size_t n = 0;
    one->target = xcalloc(d->n, d->n_params);
    for (size_t i = 0; i < d->n; i++)
        if (data_is_known(d, i))
            memcpy(one->target + n++ * d->n_params, d->target + i * d->n_params, d->n_params);
    tuple_bytes = d->n_params;
    qsort(one->target, n, d->n_params, compare_tuples);
    for (size_t i = 0; i < n; i++)
        if (!one->n
            || compare_tuples(one->target + (one->n - 1) * d->n_params,
                              one->target + i * d->n_params))
            memmove(one->target + one->n++ * d->n_params, one->target + i * d->n_params,
                    d->n_params);
}

static void open_options(const struct dataset *d, struct dataset *one)
{
    *one = (struct dataset){.n_fields = d->n_fields, .n_params = d->n_params};
    list_options(d, one);
    one->problem = xcalloc(one->n + 1, d->n_fields * sizeof *one->problem);
    one->time_us = xcalloc(one->n + 1, sizeof *one->time_us);
}

enum { CHUNK = 2048 };

/* Their opinion on options first..first+n-1, as times */
static void judge_chunk(const struct judges *j, struct dataset *one, size_t first, size_t n,
                        uint8_t *x)
{
    const struct judge_nets_task *t = j->task;
    float target[2 * CHUNK];
    uint8_t y[CHUNK] = {0};
    const struct net_rows rows = {.n = n, .x = x, .y = y};
    for (size_t i = 0; i < n; i++)
        activations(j, one->problem, one->target + (first + i) * one->n_params, 0,
                    x + i * j->width);
    net_ensemble(j->nets.net, j->nets.n, &rows, y, NULL, t->train.n_threads, target);
    for (size_t i = 0; i < n; i++) {
        const double mark = target[2 * i] > 1e-9f ? (double)target[2 * i] : 1e-9;
        one->time_us[first + i] =
            (double)num_exp2((float)(-num_log2(mark) / t->train.recipe->judge_sharpness));
    }
}

static void judge_problem(const struct judges *j, struct dataset *one, const int32_t *problem,
                          uint8_t *x)
{
    for (size_t i = 0; i < one->n; i++)
        memcpy(one->problem + i * one->n_fields, problem, one->n_fields * sizeof *problem);
    for (size_t i = 0; i < one->n; i += CHUNK)
        judge_chunk(j, one, i, one->n - i < CHUNK ? one->n - i : CHUNK, x);
}

/* ---- what they miss ---- */

/* Of an option that was not timed in a problem, nothing is. */
static void find_missed(struct judges *j, struct dataset *one, uint8_t *x)
{
    const struct dataset *d = j->task->judges->data;
    const size_t n_params = d->n_params;
    float *missed = j->missed = xcalloc(j->n_known * one->n + 1, sizeof *j->missed);
    for (size_t i = 0, end; i < d->n; i = end) {
        end = data_problem_end(d, i);
        if (j->task->judges->part[i])
            continue;
        const double best = judge_least_time(d, i, end);
        judge_problem(j, one, d->problem + i * d->n_fields, x);
        for (size_t k = i; k < end; k++) {
            const unsigned char *at =
                bsearch(d->target + k * n_params, one->target, one->n, n_params, compare_tuples);
            const size_t option = at ? (size_t)(at - one->target) / n_params : 0;
            if (at && data_is_known(d, k))
                missed[option] =
                    (float)(num_log2(d->time_us[k] / best) - num_log2(one->time_us[option]));
        }
        missed += one->n;
    }
}

/* The nearer a known problem, the more of what they miss there is added: half of it at judge_range
   octaves if no other is near, and all of it where the problem is known itself. */
static void add_missed(const struct judges *j, struct dataset *one, const int32_t *problem)
{
    const struct recipe_task *t = &j->task->train;
    const float most = 120; /* of num_exp2 */
    double *weight = xcalloc(j->n_known + 1, sizeof *weight), all = 1;
    for (size_t k = 0; k < j->n_known; k++) {
        const double far = data_distance(t->model->spec, problem, j->known + k * one->n_fields)
                           / t->recipe->judge_range;
        all += weight[k] = 1 / ((double)num_exp2(far < most ? (float)far : most) - 1 + 1e-9);
    }
    for (size_t i = 0; i < one->n; i++) {
        double octaves = 0;
        for (size_t k = 0; k < j->n_known; k++)
            octaves += weight[k] / all * (double)j->missed[k * one->n + i];
        one->time_us[i] *= (double)num_exp2((float)octaves);
    }
    free(weight);
}

/* ---- problems ---- */

static void add_opinions(struct judges *j, struct dataset *one, struct recipe_rows *to)
{
    const struct judge_nets_task *t = j->task;
    const size_t n = j->n_known + (size_t)t->train.recipe->judged;
    uint8_t *x = xcalloc(CHUNK, j->width);
    uint64_t seed = num_mix(t->train.seed, 12, 0);
    int32_t problem[KPRED_MAX_FIELDS];
    if (t->train.recipe->judge_range > 0)
        find_missed(j, one, x);
    for (size_t i = 0; i < n; i++) {
        if (i < j->n_known)
            memcpy(problem, j->known + i * one->n_fields, one->n_fields * sizeof *problem);
        else
            make_up_problem(t->train.model->spec, MADE_UP_NEAR, j->known, j->n_known, &seed,
                            problem);
        judge_problem(j, one, problem, x);
        if (j->missed)
            add_missed(j, one, problem);
        const struct time_problem all = {0, one->n, (size_t)t->train.recipe->draws};
        time_targets_add(t->train.recipe, t->train.model, one, &all, num_mix(t->train.seed, 13, i),
                         to);
    }
    free(x);
}

size_t judge_nets_most(const struct recipe *recipe, const struct dataset *d)
{
    return (data_count_problems(d) + (size_t)recipe->judged) * (size_t)recipe->draws;
}

int judge_nets_add(const struct judge_nets_task *task, struct recipe_rows *to)
{
    const struct dataset *d = task->judges->data;
    struct judges j = {.task = task};
    struct dataset one;
    if (program_compile_judge(task->train.model->spec, &j.program))
        return -1;
    j.width = (j.program.n_features + 15) / 16 * 16;
    if (train_judges(&j))
        return -1;
    j.known = xcalloc(data_count_problems(d) + 1, d->n_fields * sizeof *j.known);
    j.n_known = timed_problems(d, task->judges->part, j.known);
    open_options(d, &one);
    add_opinions(&j, &one, to);
    data_free(&one);
    free(j.missed);
    free(j.known);
    recipe_nets_free(&j.nets);
    return 0;
}
