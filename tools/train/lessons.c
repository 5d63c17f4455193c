/* lessons.c - see lessons.h
   SPDX-License-Identifier: MIT */
#include "lessons.h"

#include "balance.h"
#include "base/numbers.h"
#include "made_up.h"
#include "matrix.h"
#include "time_targets.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN = 1200 }; /* problems of the table that are learnt as they are, at most */

/* ---- the problems ---- */

/* Some of them, when they are many: the trees have learnt from all. */
static void draw_known(struct teaching *t)
{
    const size_t n_fields = t->task->judges.data->n_fields, bytes = n_fields * sizeof *t->problem;
    uint64_t seed = num_mix(t->task->judges.seed, 15, 0);
    int32_t swap[KPRED_MAX_FIELDS];
    for (size_t i = 0; i < KNOWN; i++) {
        const size_t from = i + num_draw(&seed) % (t->n - i);
        memcpy(swap, t->problem + i * n_fields, bytes);
        memmove(t->problem + i * n_fields, t->problem + from * n_fields, bytes);
        memcpy(t->problem + from * n_fields, swap, bytes);
    }
    t->n = KNOWN;
}

static void list_known(struct teaching *t)
{
    const struct dataset *d = t->task->judges.data;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i)) {
        const int32_t *problem = d->problem + i * d->n_fields;
        if (t->task->judges.part[i]
            || (t->unseen.n && unseen_index(&t->unseen, problem[t->unseen.field]) >= 0))
            continue;
        memcpy(t->problem + t->n++ * d->n_fields, problem, d->n_fields * sizeof *problem);
    }
    if (t->n > KNOWN)
        draw_known(t);
    t->n_known = t->n;
}

/* One in so many stands for a GPU that was not seen; half of these are known but for the GPU. */
enum { UNSEEN_PART = 6 };

static void list_made_up(struct teaching *t)
{
    const struct lessons_task *task = t->task;
    const size_t n_fields = task->judges.data->n_fields;
    uint64_t seed = num_mix(task->judges.seed, 12, 0);
    for (size_t i = 0; t->n_known && i < (size_t)task->recipe->judged; i++) {
        int32_t *problem = t->problem + t->n++ * n_fields;
        make_up_problem(task->judges.model, t->problem, t->n_known, &seed, problem);
        const uint64_t draw = num_draw(&seed) >> 32; /* of a name, its upper part */
        if (t->unseen.n && draw % (2 * UNSEEN_PART) == 0)
            memcpy(problem, t->problem + i % t->n_known * n_fields, n_fields * sizeof *problem);
        if (t->unseen.n && draw % UNSEEN_PART == 0)
            problem[t->unseen.field] = t->unseen.v[draw / UNSEEN_PART / 2 % t->unseen.n].token;
    }
}

int lessons_possible(const struct dataset *d, const unsigned char *part)
{
    size_t n = 0;
    for (size_t i = 0, end; i < d->n && d->time_us; i = end) {
        int differ = 0;
        end = data_problem_end(d, i);
        for (size_t j = i + 1; j < end; j++)
            differ |= d->time_us[j] < d->time_us[i] || d->time_us[j] > d->time_us[i];
        n += differ && !part[i];
    }
    return n > 1;
}

size_t lessons_most(const struct recipe *recipe, const struct dataset *d)
{
    const size_t problems = data_count_problems(d) + (size_t)recipe->judged;
    return problems * ((size_t)recipe->draws + LESSONS_LEAST);
}

static void free_lesson(struct dataset *d)
{
    free(d->problem);
    free(d->target);
    free(d->time_us);
}

/* Rows of each of so many problems: fewer, where all together would be too many */
static size_t rows_of_each(const struct recipe *recipe, size_t problems)
{
    const size_t most = LESSONS_ROWS / (problems + 1), asked = (size_t)recipe->draws;
    const size_t rows = asked < most ? asked : most;
    return rows > LESSONS_LEAST ? rows : LESSONS_LEAST;
}

/* How many rows each problem is to have: those of the table by the size of their groups */
static size_t *count_rows(const struct teaching *t)
{
    const struct judge_task *j = &t->task->judges;
    struct recipe recipe = *t->task->recipe;
    size_t *rows = xcalloc(t->n + 1, sizeof *rows);
    recipe.draws = (double)rows_of_each(&recipe, t->n);
    size_t *known = balance_rows(&recipe, j->model->spec, j->data, j->part);
    for (size_t i = 0; i < t->n; i++)
        rows[i] = i < t->n_known
                      ? known[data_find_problem(j->data, t->problem + i * j->data->n_fields)]
                      : (size_t)recipe.draws;
    free(known);
    return rows;
}

/* Beyond four rows for each tuple they say the same again. */
static void add_all(const struct teaching *t, struct recipe_rows *to)
{
    const struct lessons_task *task = t->task;
    size_t *asked = count_rows(t);
    for (size_t i = 0; i < t->n; i++) {
        const size_t n = t->lesson[i].n, enough = 4 * n, rows = asked[i];
        const struct time_problem all = {0, n, rows < enough ? rows : enough};
        if (n > 0)
            time_targets_add(task->recipe, task->judges.model, &t->lesson[i], &all,
                             num_mix(task->judges.seed, 13, i), to);
        free_lesson(&t->lesson[i]);
    }
    free(asked);
}

int lessons_add(const struct lessons_task *task, struct recipe_rows *to, struct judge_trees *judges)
{
    const struct dataset *d = task->judges.data;
    const size_t most = data_count_problems(d) + (size_t)task->recipe->judged;
    struct teaching t;
    memset(&t, 0, sizeof t);
    t.task = task;
    if (unseen_read(&t.unseen, task->judges.model->spec) || judge_trees_fit(judges, &task->judges))
        return -1;
    t.judges = judges;
    t.problem = xcalloc(most * d->n_fields + 1, sizeof *t.problem);
    t.lesson = xcalloc(most + 1, sizeof *t.lesson);
    list_known(&t);
    list_made_up(&t);
    struct pool *pool = pool_new(task->judges.n_threads);
    pool_run(pool, lesson_make, &t, t.n);
    pool_free(pool);
    add_all(&t, to);
    free(t.problem);
    free(t.lesson);
    return 0;
}
