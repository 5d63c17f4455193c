/* lessons.c - what is learnt of a table of times: the problems, those that are watched, their rows
   SPDX-License-Identifier: MIT */
#include "timed.h"

#include "base/numbers.h"
#include "data/split.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

enum {
    KNOWN = 1200,           /* problems of the table that are learnt as they are, at most */
    LESSONS_ROWS = 1 << 16, /* rows of all problems, at most, */
    LESSONS_FEW = 1 << 15,  /* and at least, */
    LESSONS_LEAST = 8       /* but so many of each */
};

/* ---- the problems ---- */

/* Some of them, when they are many: the trees have learnt from all. */
static void draw_known(struct teaching *t)
{
    const size_t n_fields = t->data->n_fields, bytes = n_fields * sizeof *t->problem;
    uint64_t seed = num_mix(t->seed, 15, 0);
    int32_t swap[KPRED_MAX_FIELDS];
    for (size_t i = 0; i < KNOWN; i++) {
        const size_t from = i + num_draw(&seed) % (t->n - i);
        memcpy(swap, t->problem + i * n_fields, bytes);
        memmove(t->problem + i * n_fields, t->problem + from * n_fields, bytes);
        memcpy(t->problem + from * n_fields, swap, bytes);
    }
    t->n = KNOWN;
}

/* Was it measured, and may be a lesson? Rows for a name of [unseen] were made of others. */
static int is_known(const struct teaching *t, size_t row)
{
    const struct dataset *d = t->data;
    return !t->part[row]
           && !(t->unseen.n
                && unseen_index(&t->unseen, d->problem[row * d->n_fields + t->unseen.field]) >= 0);
}

static void list_known(struct teaching *t)
{
    const struct dataset *d = t->data;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (t->task->is_judged ? !t->part[i] : is_known(t, i))
            memcpy(t->problem + t->n++ * d->n_fields, d->problem + i * d->n_fields,
                   d->n_fields * sizeof *t->problem);
    if (t->n > KNOWN && !t->task->is_judged)
        draw_known(t);
    t->n_known = t->n;
}

/* ---- those that are watched ---- */

enum {
    WATCHED = 64, /* problems at most: */
    ONE_IN = 10,  /* a tenth, */
    ENOUGH = 8,   /* or as many, if they are */
    NOT_ONE_IN = 5,
    FEW = 4, /* cannot tell */
    WATCHED_ROWS = 8192
};

/* How many problems to watch of so many */
static size_t how_many(size_t n)
{
    size_t watched = n / ONE_IN < ENOUGH ? ENOUGH : n / ONE_IN;
    watched = watched < WATCHED ? watched : WATCHED;
    watched = watched < n / NOT_ONE_IN ? watched : n / NOT_ONE_IN;
    return watched < FEW ? 0 : watched;
}

/* Sets them apart, whole units of the split; how many there are. Where a unit is most of them all,
   none are. */
static size_t choose_watched(struct teaching *t)
{
    const struct dataset *d = t->data;
    size_t n = 0, chosen = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        n += (size_t)is_known(t, i);
    const float share = (float)how_many(n) / (float)(n + 1);
    for (size_t i = 0, end; i < d->n; i = end) {
        uint64_t seed = num_mix(t->seed, 17, t->task->unit[i]);
        end = data_problem_end(d, i);
        if (is_known(t, i) && num_unit(&seed) < share) {
            memset(t->part + i, HELD_OUT_ASIDE, end - i);
            chosen++;
        }
    }
    if (2 * chosen <= n)
        return chosen;
    memcpy(t->part, t->task->judges.part, d->n);
    return 0;
}

/* The first of the fastest of the legal tuples that were timed; `end`: none */
static size_t find_fastest(const struct teaching *t, size_t first, size_t end)
{
    const struct dataset *d = t->data;
    size_t at = end;
    for (size_t i = first; i < end; i++)
        if (timed_can_return(t->model, d, i) && (at == end || d->time_us[i] < d->time_us[at]))
            at = i;
    return at;
}

static void watch_row(const struct dataset *d, size_t row, float octaves, struct recipe_rows *to)
{
    to->octaves[to->n] = octaves;
    timed_append(d, d->problem + row * d->n_fields, d->target + row * d->n_params, to);
}

/* The fastest, and some of the other legal tuples that were timed */
static void watch_problem(const struct teaching *t, size_t first, size_t most,
                          struct recipe_rows *to)
{
    const struct dataset *d = t->data;
    const size_t end = data_problem_end(d, first), fastest = find_fastest(t, first, end);
    const float share = (float)most / (float)(end - first);
    uint64_t seed = num_mix(t->seed, 18, first);
    if (fastest < end)
        watch_row(d, fastest, 0, to);
    for (size_t i = first, n = 1; fastest < end && i < end && n < most; i++) {
        if (i == fastest || num_unit(&seed) >= share || !timed_can_return(t->model, d, i))
            continue;
        watch_row(d, i, (float)num_log2(d->time_us[i] / d->time_us[fastest]), to);
        n++;
    }
}

/* Makes the rows to watch. */
static void add_watched(struct teaching *t, size_t n, struct recipe_rows *to)
{
    const struct dataset *d = t->data;
    const size_t most = WATCHED_ROWS / (n + 1), rows = n * most;
    to->is_exact = t->task->is_judged;
    to->problem = xcalloc(rows + 1, d->n_fields * sizeof *to->problem);
    to->target = xcalloc(rows + 1, d->n_params);
    to->octaves = xcalloc(rows + 1, sizeof *to->octaves);
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (t->part[i] != t->task->judges.part[i])
            watch_problem(t, i, most, to);
}

/* ---- all of it ---- */

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
    return problems * ((size_t)recipe->draws + LESSONS_LEAST) + LESSONS_FEW;
}

/* Rows of each of so many problems: fewer, where all together would be too many, and more, where
   they would be too few for a network, which needs many steps */
static size_t rows_of_each(const struct recipe *recipe, size_t problems)
{
    const size_t most = LESSONS_ROWS / (problems + 1), few = LESSONS_FEW / (problems + 1);
    const size_t asked = (size_t)recipe->draws > few ? (size_t)recipe->draws : few;
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

/* Beyond four rows for each tuple they say the same again, which only few problems need. */
static void add_all(const struct teaching *t, struct recipe_rows *to)
{
    const struct lessons_task *task = t->task;
    size_t *asked = count_rows(t);
    const size_t few = LESSONS_FEW / (t->n + 1);
    for (size_t i = 0; i < t->n; i++) {
        const size_t n = t->lesson[i].n, enough = 4 * n > few ? 4 * n : few;
        const struct time_problem all = {0, n, asked[i] < enough ? asked[i] : enough};
        if (n > 0)
            time_targets_add(task->recipe, task->judges.model, &t->lesson[i], &all,
                             num_mix(task->judges.seed, 13, i), to);
        data_free(&t->lesson[i]);
    }
    free(asked);
}

int lessons_add(const struct lessons_task *task, struct lessons_made *out)
{
    const struct dataset *d = task->judges.data;
    const size_t most = data_count_problems(d) + (size_t)task->recipe->judged;
    struct teaching t = {.task = task,
                         .data = d,
                         .model = task->judges.model,
                         .seed = task->judges.seed,
                         .judges = out->judges};
    if (unseen_read(&t.unseen, task->judges.model->spec)
        || (!task->is_judged && judge_trees_fit(out->judges, &task->judges)))
        return -1;
    t.problem = xcalloc(most * d->n_fields + 1, sizeof *t.problem);
    t.lesson = xcalloc(most + 1, sizeof *t.lesson);
    t.part = xmalloc(d->n);
    memcpy(t.part, task->judges.part, d->n);
    add_watched(&t, choose_watched(&t), out->watched);
    list_known(&t);
    if (!task->is_judged)
        out->made_up = make_up_problems(t.model, &t.unseen, t.problem, t.n_known,
                                        (size_t)task->recipe->judged, num_mix(t.seed, 12, 0));
    t.n += out->made_up;
    struct pool *pool = pool_new(task->judges.n_threads);
    pool_run(pool, lesson_make, &t, t.n);
    pool_free(pool);
    add_all(&t, out->train);
    free(t.problem);
    free(t.lesson);
    free(t.part);
    return 0;
}
