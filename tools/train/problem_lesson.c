/* problem_lesson.c - what the judges say of the tuples of one problem, see timed.h
   SPDX-License-Identifier: MIT */
#include "timed.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

enum {
    LISTED = 16384, /* legal tuples of a problem; of more than those */
    DRAWN = 4096,   /* so many are drawn; LESSON_BEST of them are kept, and some others */
    CLIMBS = 6,     /* rounds of a search among a sample's neighbours, */
    CLIMBERS = 12   /* of the best so far */
};
#define TRUST 0.8 /* in a measured time, the rest in the judges */

/* ---- the tuples of a problem ---- */

struct options {
    struct tuples tuples;
    unsigned char *target; /* the same again, as the judges read them */
    float *mark;
    size_t cap, n_marked; /* the first so many have a mark */
};

/* Number of the tuple; a new one has no mark yet. */
static size_t problem_lesson_put(struct options *o, const unsigned char *target, size_t n_params)
{
    uint16_t value[KPRED_MAX_TUPLE];
    for (size_t p = 0; p < n_params; p++)
        value[p] = target[p];
    const size_t before = o->tuples.n, at = tuples_add(&o->tuples, value);
    if (o->tuples.n == before)
        return at;
    if (at >= o->cap) {
        o->cap = 2 * o->cap + 256;
        o->target = xrealloc(o->target, o->cap, n_params);
        o->mark = xrealloc(o->mark, o->cap, sizeof *o->mark);
    }
    memcpy(o->target + at * n_params, target, n_params);
    return at;
}

static void close_options(struct options *o)
{
    tuples_close(&o->tuples);
    free(o->target);
    free(o->mark);
}

/* All legal tuples, or a sample */
static void list(const struct teaching *t, const int32_t *problem, struct options *o)
{
    static const struct tuples_most most = {LISTED, DRAWN};
    tuples_open(&o->tuples, &t->model->m, problem, &most);
    o->cap = o->tuples.n + 1;
    o->target = tuples_targets(&o->tuples);
    o->mark = xcalloc(o->cap, sizeof *o->mark);
}

/* ---- which of them are learnt ---- */

struct ranked {
    float mark;
    uint32_t at;
};

static int by_mark(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    const int order = ORDER(a->mark, b->mark);
    return order != 0 ? order : ORDER(a->at, b->at);
}

static struct ranked *problem_lesson_rank(const struct options *o)
{
    struct ranked *r = xcalloc(o->tuples.n + 1, sizeof *r);
    for (size_t i = 0; i < o->tuples.n; i++)
        r[i] = (struct ranked){o->mark[i], (uint32_t)i};
    qsort(r, o->tuples.n, sizeof *r, by_mark);
    return r;
}

/* Legal tuples that differ from one in a parameter and are new */
static void put_neighbours(const struct teaching *t, const int32_t *problem, size_t at,
                           struct options *o)
{
    const struct model *m = t->model;
    const size_t n_params = m->m.n_params;
    unsigned char target[KPRED_MAX_TUPLE];
    memcpy(target, o->target + at * n_params, n_params);
    for (size_t p = 0; p < n_params; p++) {
        const unsigned char own = target[p];
        for (int32_t v = 0; v < m->params[p].n_values; v++) {
            target[p] = (unsigned char)v;
            if (v != own && model_allows(m, problem, target))
                problem_lesson_put(o, target, n_params);
        }
        target[p] = own;
    }
}

/* Asks the judges for the marks that are not there yet. */
static void mark_rest(const struct teaching *t, const int32_t *problem, struct options *o)
{
    const size_t first = o->n_marked;
    judge_trees_ask(t->judges, problem, o->target + first * o->tuples.n_params, o->tuples.n - first,
                    o->mark + first);
    o->n_marked = o->tuples.n;
}

/* From the best of a sample to better ones */
static void climb(const struct teaching *t, const int32_t *problem, struct options *o)
{
    mark_rest(t, problem, o);
    for (int round = 0; round < CLIMBS; round++) {
        const size_t before = o->tuples.n;
        struct ranked *r = problem_lesson_rank(o);
        for (size_t i = 0; i < CLIMBERS && i < before; i++)
            put_neighbours(t, problem, r[i].at, o);
        free(r);
        mark_rest(t, problem, o);
    }
}

/* The rows of a problem to train on; *end stays 0 if it is none. */
static size_t find_known(const struct teaching *t, const int32_t *problem, size_t *end)
{
    const struct dataset *d = t->data;
    const size_t row = data_find_problem(d, problem);
    if (row < d->n && !t->part[row])
        *end = data_problem_end(d, row);
    return row;
}

/* Adds the timed tuples of a problem that a sample may lack, and says which number each has;
   SIZE_MAX: it is not legal. */
static size_t *put_timed(const struct teaching *t, size_t first, size_t end, struct options *o)
{
    const struct dataset *d = t->data;
    size_t *at = xcalloc(end - first + 1, sizeof *at);
    for (size_t i = first; i < end; i++) {
        const int may = timed_can_return(t->model, d, i);
        at[i - first] =
            may ? problem_lesson_put(o, d->target + i * d->n_params, d->n_params) : SIZE_MAX;
    }
    return at;
}

/* By how much a time is worse than the judges say, as a mark */
static double off_by(const struct dataset *d, size_t row, double least, float mark)
{
    return judge_mark(num_log2(d->time_us[row] / least)) - (double)mark;
}

struct spread {
    double mean, square;
};

/* Of these differences, over the options that are legal */
static struct spread spread_of(const struct dataset *d, size_t first, size_t end, const size_t *at,
                               const struct options *o)
{
    const double least = judge_least_time(d, first, end);
    struct spread s = {0, 0};
    double n = 0;
    for (size_t i = first; i < end; i++)
        if (at[i - first] != SIZE_MAX) {
            const double off = off_by(d, i, least, o->mark[at[i - first]]);
            s.mean += off;
            s.square += off * off;
            n++;
        }
    s.mean /= n > 0 ? n : 1;
    s.square = s.square / (n > 0 ? n : 1) - s.mean * s.mean;
    return s;
}

/* What was timed counts for the most part by its time, as far as it goes with the judges' scale;
   but what noise explains of the difference teaches nothing. */
static void mix_times(const struct dataset *d, size_t first, size_t end, const size_t *at,
                      struct options *o)
{
    const double least = judge_least_time(d, first, end), noise = d->noise * d->noise;
    const struct spread s = spread_of(d, first, end, at, o);
    const double trust = s.square > noise ? TRUST * (1 - noise / s.square) : 0;
    for (size_t i = first; i < end; i++)
        if (at[i - first] != SIZE_MAX) {
            float *mark = &o->mark[at[i - first]];
            *mark += (float)(trust * (off_by(d, i, least, *mark) - s.mean));
        }
}

/* ---- a problem of a name for unseen GPUs ---- */

static int name_of(const struct teaching *t, const int32_t *problem)
{
    return t->unseen.n ? unseen_index(&t->unseen, problem[t->unseen.field]) : -1;
}

/* The marks of all options on one GPU, by what was timed there as well */
static void mark_on(const struct teaching *t, const int32_t *problem, struct options *o)
{
    size_t *at = NULL, end = 0;
    const size_t first = find_known(t, problem, &end);
    if (end)
        at = put_timed(t, first, end, o);
    mark_rest(t, problem, o);
    if (end)
        mix_times(t->data, first, end, at, o);
    free(at);
}

static void add_shares(const struct options *o, double weight, double *share)
{
    float best = o->mark[0];
    for (size_t i = 1; i < o->tuples.n; i++)
        best = o->mark[i] < best ? o->mark[i] : best;
    for (size_t i = 0; i < o->tuples.n; i++)
        share[i] += weight * (double)num_exp2(best - o->mark[i]);
}

/* The next GPU that counts for the name, from `gpu` on; the number of tokens: there is none */
static int32_t next_gpu(const struct teaching *t, int name, int32_t gpu, double *weight)
{
    const int32_t n = t->model->fields[t->unseen.field].n_tokens;
    for (; gpu < n; gpu++) {
        *weight = unseen_weight(&t->unseen, (size_t)name, gpu);
        if (unseen_index(&t->unseen, gpu) < 0 && *weight > 0.1)
            break;
    }
    return gpu;
}

/* Puts what was timed of the problem on the name's GPUs among the options. */
static void put_timed_on_all(const struct teaching *t, int32_t *problem, int name,
                             struct options *o)
{
    const int32_t n_gpus = t->model->fields[t->unseen.field].n_tokens;
    double weight;
    for (int32_t g = next_gpu(t, name, 0, &weight); g < n_gpus;
         g = next_gpu(t, name, g + 1, &weight)) {
        size_t end = 0;
        problem[t->unseen.field] = g;
        const size_t first = find_known(t, problem, &end);
        free(end ? put_timed(t, first, end, o) : NULL);
    }
}

/* The mean of the shares on the GPUs, spread as data.h has it */
static void mark_name(const struct teaching *t, const int32_t *problem, int name, struct options *o)
{
    const struct model *m = t->model;
    const int32_t n_gpus = m->fields[t->unseen.field].n_tokens;
    int32_t own[KPRED_MAX_FIELDS];
    double weight, all = 0;
    memcpy(own, problem, m->m.n_fields * sizeof *own);
    put_timed_on_all(t, own, name, o);
    double *share = xcalloc(o->tuples.n + 1, sizeof *share);
    for (int32_t g = next_gpu(t, name, 0, &weight); g < n_gpus && o->tuples.n;
         g = next_gpu(t, name, g + 1, &weight)) {
        own[t->unseen.field] = g;
        o->n_marked = 0; /* those there are are another GPU's */
        mark_on(t, own, o);
        add_shares(o, weight, share);
        all += weight;
    }
    unseen_spread(o->target, m->m.n_params, share, o->tuples.n);
    for (size_t i = 0; i < o->tuples.n; i++)
        o->mark[i] = all > 0 ? -(float)num_log2(share[i] / all + 1e-9) : 0;
    free(share);
}

/* ---- what is learnt of a problem ---- */

/* A problem of timed data with room for n tuples */
static struct dataset new_lesson(const struct dataset *like, size_t n)
{
    struct dataset d = {.n = n, .n_fields = like->n_fields, .n_params = like->n_params};
    d.problem = xcalloc(n * d.n_fields + 1, sizeof *d.problem);
    d.target = xcalloc(n + 1, d.n_params);
    d.time_us = xcalloc(n + 1, sizeof *d.time_us);
    return d;
}

/* The best of them and some others become a problem of timed data. */
static void problem_lesson_take(const struct teaching *t, const int32_t *problem,
                                const struct options *o, uint64_t seed, struct dataset *to)
{
    const struct dataset *d = t->data;
    struct ranked *r = problem_lesson_rank(o);
    for (size_t i = LESSON_BEST; i < LESSON_BEST + LESSON_OTHERS && i < o->tuples.n; i++) {
        const size_t other = i + num_draw(&seed) % (o->tuples.n - i);
        const struct ranked swap = r[i];
        r[i] = r[other];
        r[other] = swap;
    }
    *to = new_lesson(d, o->tuples.n < LESSON_BEST + LESSON_OTHERS ? o->tuples.n
                                                                  : LESSON_BEST + LESSON_OTHERS);
    for (size_t i = 0; i < to->n; i++) {
        memcpy(to->problem + i * d->n_fields, problem, d->n_fields * sizeof *problem);
        memcpy(to->target + i * d->n_params, o->target + r[i].at * d->n_params, d->n_params);
        to->time_us[i] = (double)num_exp2(r[i].mark - r[0].mark);
    }
    free(r);
}

/* What a judge of the user's says of a problem is the table. */
static int take_known(const struct teaching *t, const int32_t *problem, struct dataset *to)
{
    size_t end = 0;
    const size_t first = t->task->is_judged ? find_known(t, problem, &end) : 0;
    if (end == 0)
        return 0;
    const struct dataset *d = t->data;
    *to = new_lesson(d, end - first);
    memcpy(to->problem, d->problem + first * d->n_fields,
           to->n * d->n_fields * sizeof *to->problem);
    memcpy(to->target, d->target + first * d->n_params, to->n * d->n_params);
    memcpy(to->time_us, d->time_us + first, to->n * sizeof *to->time_us);
    return 1;
}

void lesson_make(void *user, size_t index)
{
    const struct teaching *t = user;
    const int32_t *problem = t->problem + index * t->data->n_fields;
    const int name = name_of(t, problem);
    struct options o = {.cap = 0};
    if (take_known(t, problem, &t->lesson[index]))
        return;
    list(t, problem, &o);
    if (name < 0 && o.tuples.kind != TUPLES_ALL && o.tuples.n)
        climb(t, problem, &o);
    if (name < 0)
        mark_on(t, problem, &o);
    else
        mark_name(t, problem, name, &o);
    problem_lesson_take(t, problem, &o, num_mix(t->seed, 14, index), &t->lesson[index]);
    close_options(&o);
}
