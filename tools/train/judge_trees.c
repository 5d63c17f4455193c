/* judge_trees.c - boosted trees that judge, see judges.h
   SPDX-License-Identifier: MIT */
#include "judges.h"

#include "base/numbers.h"
#include "base/util.h"
#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

/* ---- what they learn ---- */

struct marks {
    size_t n, cap;
    struct judge_row *row;
    uint32_t groups; /* so far */
};

static void judge_trees_add(struct marks *m, const int32_t *problem, const unsigned char *target,
                            size_t table, double mark)
{
    m->row = xgrow(m->row, m->n, &m->cap, sizeof *m->row);
    m->row[m->n++] = (struct judge_row){problem, target, (uint32_t)table, m->groups, (float)mark};
}

/* Of how many octaves a mark can tell at most */
#define MARK_REACH 2.0
#define LN_2       0.6931471805599453

double judge_least_time(const struct dataset *d, size_t first, size_t end)
{
    double least = d->time_us[first];
    for (size_t i = first + 1; i < end; i++)
        least = d->time_us[i] < least ? d->time_us[i] : least;
    return least;
}

double judge_mark(double octaves)
{
    return MARK_REACH * (1 - (double)num_exp2((float)(-octaves / MARK_REACH))) / LN_2;
}

double judge_octaves(double mark)
{
    const double left = 1 - mark * LN_2 / MARK_REACH;
    return -MARK_REACH * num_log2(left > 1e-3 ? left : 1e-3);
}

/* Which problems are looked at */
struct scope {
    const struct spec *spec;
    struct unseen unseen;
    const unsigned char *gpu; /* of judge_task */
};

static int is_of_gpu(const struct spec *s, const unsigned char *gpu, const int32_t *problem)
{
    return !gpu || !memchr(gpu, 1, SPEC_MAX_TOKENS) || gpu[problem[spec_field_index(s, "gpu")]];
}

static int is_in(const struct scope *s, const int32_t *problem)
{
    return is_of_gpu(s->spec, s->gpu, problem)
           && (!s->unseen.n || unseen_index(&s->unseen, problem[s->unseen.field]) < 0);
}

/* With times: their marks; without: that the tuple works. No part: of all rows */
static void add_timed(struct marks *m, const struct dataset *d, const unsigned char *part,
                      const struct scope *scope, size_t table, int with_times)
{
    for (size_t i = 0, end; i < d->n; i = end, m->groups++) {
        const int32_t *problem = d->problem + i * d->n_fields;
        end = data_problem_end(d, i);
        if ((part && part[i]) || !is_in(scope, problem))
            continue;
        const double least = judge_least_time(d, i, end);
        for (size_t j = i; j < end; j++)
            if (data_is_known(d, j))
                judge_trees_add(m, problem, d->target + j * d->n_params, table,
                                with_times ? judge_mark(num_log2(d->time_us[j] / least)) : 1);
    }
}

/* Is it a problem that is kept from training? */
static int is_kept(const struct dataset *d, const unsigned char *part, const int32_t *problem)
{
    const size_t row = data_find_problem(d, problem);
    return row < d->n && part[row];
}

static void add_failed(struct marks *m, const struct dataset *d, const unsigned char *part,
                       const struct scope *scope, size_t table)
{
    for (size_t i = 0; i < d->failed.n; i++, m->groups++) {
        const int32_t *problem = d->failed.problem + i * d->n_fields;
        if (is_of_gpu(scope->spec, scope->gpu, problem) && (!part || !is_kept(d, part, problem)))
            judge_trees_add(m, problem, d->failed.target + i * d->n_params, table, 0);
    }
}

static int has_failures(const struct marks *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->row[i].mark < 0.5f)
            return 1;
    return 0;
}

/* ---- fitting ---- */

/* Draws whole groups of at most MOST rows together. */
static void draw_some(struct marks *m, uint64_t seed)
{
    enum { MOST = 120000 };
    const float share = (float)MOST / (float)m->n;
    size_t kept = 0;
    if (m->n <= MOST)
        return;
    for (size_t i = 0, end; i < m->n; i = end) {
        const int is_drawn = num_unit(&seed) < share;
        for (end = i; end < m->n && m->row[end].group == m->row[i].group; end++)
            if (is_drawn)
                m->row[kept++] = m->row[end];
    }
    note("%zu of %zu rows, drawn by whole problems, teach the trees", kept, m->n);
    m->n = kept;
}

static int fit(struct judge *j, const struct judge_task *t, const struct marks *m, int in_groups,
               uint64_t seed)
{
    struct boost_config config = {2, 400, 7, 4, 0.05f, 0.8f, 0.25f, seed, t->n_threads};
    if (t->from_all)
        config = (struct boost_config){1, 2500, 7, 4, 0.1f, 0.8f, 0.5f, seed, t->n_threads};
    const struct judge_rows rows = {m->n, m->row, in_groups, t->from_all};
    if (judge_inputs_open(&j->inputs, t->model, &rows, seed, t->n_threads))
        return -1;
    j->trees = judge_inputs_fit(&j->inputs, &rows, NULL, m->n, &config);
    return 0;
}

int judge_trees_fit(struct judge_trees *t, const struct judge_task *task)
{
    struct marks times = {0}, all = {0};
    struct scope scope = {task->model->spec, {0}, task->gpu};
    memset(t, 0, sizeof *t);
    if (unseen_read(&scope.unseen, scope.spec))
        return -1;
    for (size_t i = 0; i <= task->n_beside; i++) {
        const struct dataset *d = i ? &task->beside[i - 1] : task->data;
        const unsigned char *part = i ? NULL : task->part;
        add_timed(&times, d, part, &scope, i, 1);
        add_timed(&all, d, part, &scope, i, 0);
        add_failed(&all, d, part, &scope, i);
    }
    if (!task->from_all) {
        draw_some(&times, task->seed);
        draw_some(&all, task->seed);
    }
    int bad = !times.n ? fail("%s: no row for its trees", task->model->m.name)
                       : fit(&t->time, task, &times, 1, task->seed);
    if (!bad && has_failures(&all))
        bad = fit(&t->works, task, &all, 0, task->seed + 1);
    free(times.row);
    free(all.row);
    return bad;
}

static void close_judge(struct judge *j)
{
    judge_inputs_close(&j->inputs);
    boost_free(j->trees);
}

void judge_trees_free(struct judge_trees *t)
{
    close_judge(&t->time);
    close_judge(&t->works);
}

/* ---- asking ---- */

enum { CHUNK = 256 };

static void ask_trees(const struct judge *j, const int32_t *problem, const unsigned char *targets,
                      size_t n, float *out)
{
    const size_t width = j->inputs.n_asked;
    double *room = xcalloc(j->inputs.n, sizeof *room);
    float *x = xcalloc(CHUNK * width, sizeof *x);
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t some = n - i < CHUNK ? n - i : CHUNK;
        for (size_t k = 0; k < some; k++) {
            const struct judge_row row = {problem, targets + (i + k) * j->inputs.model->m.n_params,
                                          0, 0, 0};
            judge_inputs_of(&j->inputs, &row, room, x + k * width);
        }
        boost_ask(j->trees, x, some, out + i);
    }
    free(room);
    free(x);
}

void judge_trees_ask(const struct judge_trees *t, const int32_t *problem,
                     const unsigned char *targets, size_t n, float *marks)
{
    float *works = xcalloc(n + 1, sizeof *works);
    ask_trees(&t->time, problem, targets, n, marks);
    if (t->works.trees)
        ask_trees(&t->works, problem, targets, n, works);
    for (size_t i = 0; t->works.trees && i < n; i++) {
        const double share = works[i] < 0.001f ? 0.001 : works[i] > 1.0f ? 1 : (double)works[i];
        marks[i] -= (float)num_log2(share);
    }
    free(works);
}

/* The values to ask about, and the sum of their probabilities */
static size_t list_likely(const float *probability, size_t n_values, unsigned char *value,
                          float *sum)
{
    size_t n = 0;
    *sum = 0;
    for (size_t v = 0; v < n_values; v++)
        if (probability[v] > 0.001f) {
            value[n++] = (unsigned char)v;
            *sum += probability[v];
        }
    return n;
}

void judge_trees_mix(const struct judge_mix *mix, const int32_t *problem, float *probability)
{
    const struct model *m = mix->trees->time.inputs.model;
    unsigned char value[KPRED_MAX_VALUES];
    float mark[KPRED_MAX_VALUES], least = 4096, before, after = 0;
    if (!is_of_gpu(m->spec, mix->gpu, problem))
        return;
    const size_t n = list_likely(probability, (size_t)m->params[0].n_values, value, &before);
    judge_trees_ask(mix->trees, problem, value, n, mark);
    for (size_t i = 0; i < n; i++)
        least = mark[i] < least ? mark[i] : least;
    for (size_t i = 0; i < n; i++) {
        const double octaves = judge_octaves((double)(mark[i] - least));
        const double bits = (1 - mix->share) * num_log2((double)probability[value[i]])
                            - mix->share * mix->sharpness * octaves;
        probability[value[i]] = num_exp2((float)bits);
        after += probability[value[i]];
    }
    for (size_t i = 0; i < n; i++)
        probability[value[i]] *= before / after;
}
