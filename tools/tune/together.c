/* together.c - which problem to measure next, and which of its tuples, for a whole library
   SPDX-License-Identifier: MIT */
#include "loop.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each problem gets two turns of FIRST tuples, and then turns of TURN. A strategy is told of at
   most OTHERS results of other problems, those of the nearest ones. */
enum { FIRST = 2, TURN = 3, OTHERS = 200 };

struct member { /* a problem */
    size_t kernel;
    const int32_t *problem;
    const struct legal *legal;
    double count, best;
    size_t n, cap;
    struct measured {
        size_t tuple;
        double time;
    } * v;          /* results */
    double promise; /* when its last turn ended; NAN: it is to be found out */
    int is_done;
};

struct kernel {
    const struct spec *spec;
    size_t n_fields; /* in which its problems differ: they are parameters, */
    size_t field[KPRED_MAX_FIELDS];
    int32_t *value[KPRED_MAX_FIELDS]; /* with these values, rising */
    unsigned n_values[KPRED_MAX_FIELDS];
    struct numbers numbers;
};

struct together {
    struct heap heap; /* the fields' values */
    uint64_t seed;
    double stop_at;
    size_t n, cap, n_kernels, cap_kernels;
    struct member *v;
    struct kernel *kernel;
    size_t now, left; /* whose turn it is, and how many tuples it has left; n: nobody's */
    size_t tuple;     /* that was given last */
    int is_open;      /* are the fields known? */
    struct strategy *strategy;
    struct space space; /* of it: of the problem, and of others' results behind it */
};

struct together *together_new(uint64_t seed, double stop_at)
{
    struct together *t = xcalloc(1, sizeof *t);
    t->seed = seed;
    t->stop_at = stop_at;
    return t;
}

/* ---- problems ---- */

static size_t kernel_of(struct together *t, const struct spec *spec)
{
    size_t k = 0;
    while (k < t->n_kernels && t->kernel[k].spec != spec)
        k++;
    if (k == t->n_kernels) {
        t->kernel = xgrow(t->kernel, t->n_kernels, &t->cap_kernels, sizeof *t->kernel);
        t->kernel[t->n_kernels++] = (struct kernel){.spec = spec};
    }
    return k;
}

void together_add(struct together *t, const struct spec *spec, const int32_t *problem,
                  const struct legal *legal, double count)
{
    struct member m = {.problem = problem, .legal = legal, .count = count, .best = HUGE_VAL};
    m.kernel = kernel_of(t, spec);
    m.promise = (double)NAN;
    t->v = xgrow(t->v, t->n, &t->cap, sizeof *t->v);
    t->v[t->n++] = m;
    t->now = t->n;
}

void together_resume(struct together *t, size_t problem, size_t tuple, double time)
{
    struct member *m = &t->v[problem];
    m->v = xgrow(m->v, m->n, &m->cap, sizeof *m->v);
    m->v[m->n++] = (struct measured){tuple, time};
    m->best = time < m->best ? time : m->best;
    t->kernel[m->kernel].numbers.results++;
}

double together_best(const struct together *t, size_t problem)
{
    return t->v[problem].best;
}

/* ---- fields ---- */

static void add_field(struct together *t, size_t kernel, size_t field)
{
    struct kernel *k = &t->kernel[kernel];
    int32_t *v = heap_new(&t->heap, t->n, sizeof *v);
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].kernel == kernel)
            v[n++] = t->v[i].problem[field];
    n = num_unique(v, n);
    if (n < 2 || n > UINT16_MAX)
        return;
    k->field[k->n_fields] = field;
    k->value[k->n_fields] = v;
    k->n_values[k->n_fields++] = (unsigned)n;
}

static void open_fields(struct together *t)
{
    for (size_t k = 0; k < t->n_kernels && !t->is_open; k++)
        for (size_t f = 0; f < t->kernel[k].spec->n_fields; f++)
            add_field(t, k, f);
    t->is_open = 1;
}

static uint16_t value_number(const struct kernel *k, size_t i, const int32_t *problem)
{
    const int32_t *at = bsearch(&problem[k->field[i]], k->value[i], k->n_values[i],
                                sizeof *k->value[i], num_rising_int);
    return (uint16_t)(at - k->value[i]);
}

/* ---- the others' results ---- */

struct other {
    const struct member *from;
    const struct measured *result;
};

/* Of the nearest problems of the kernel: how many */
static size_t find_others(const struct together *t, const struct member *m,
                          struct other others[OTHERS])
{
    struct known_near *near = xcalloc(t->n, sizeof *near);
    size_t n_near = 0, n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct member *o = &t->v[i];
        if (o != m && o->kernel == m->kernel && o->n > 0)
            near[n_near++] = (struct known_near){
                data_distance(t->kernel[m->kernel].spec, m->problem, o->problem), i};
    }
    qsort(near, n_near, sizeof *near, known_nearer);
    for (size_t i = 0; i < n_near; i++) {
        const struct member *o = &t->v[near[i].at];
        for (size_t r = 0; r < o->n && n < OTHERS; r++)
            others[n++] = (struct other){o, &o->v[r]};
    }
    free(near);
    return n;
}

/* ---- a turn ---- */

/* A tuple of a problem: the fields first, so that a tuple and the next one differ late */
static void put_tuple(const struct together *t, uint16_t *to, const struct member *m, size_t tuple)
{
    const struct kernel *k = &t->kernel[m->kernel];
    const size_t n = m->legal->space.n_params;
    for (size_t i = 0; i < k->n_fields; i++)
        to[i] = value_number(k, i, m->problem);
    memcpy(to + k->n_fields, m->legal->space.value + tuple * n, n * sizeof *to);
}

static void put_values(const struct kernel *k, const struct space *of, struct space *out)
{
    size_t n = 0, n_own = 0, at = 0;
    out->n_fields = k->n_fields;
    out->n_values = xcalloc(out->n_params + 1, sizeof *out->n_values);
    for (size_t i = 0; i < k->n_fields; i++)
        n += out->n_values[i] = k->n_values[i];
    for (size_t p = 0; p < of->n_params; p++)
        n_own += out->n_values[k->n_fields + p] = of->n_values[p];
    out->rank = xcalloc(n + n_own + 1, sizeof *out->rank);
    for (size_t i = 0; i < k->n_fields; i++)
        for (unsigned v = 0; v < k->n_values[i]; v++)
            out->rank[at++] = k->value[i][v];
    memcpy(out->rank + n, of->rank, n_own * sizeof *out->rank);
}

static void open_space(struct together *t, const struct member *m, const struct other *others,
                       size_t n_others)
{
    const struct kernel *k = &t->kernel[m->kernel];
    const struct space *of = &m->legal->space;
    struct space *s = &t->space;
    *s = (struct space){.n_params = of->n_params + k->n_fields, .n = of->n + n_others};
    put_values(k, of, s);
    s->value = xcalloc(s->n * s->n_params + 1, sizeof *s->value);
    for (size_t i = 0; i < of->n; i++)
        put_tuple(t, s->value + i * s->n_params, m, i);
    for (size_t i = 0; i < n_others; i++)
        put_tuple(t, s->value + (of->n + i) * s->n_params, others[i].from, others[i].result->tuple);
}

static void open_turn(struct together *t, size_t problem)
{
    struct other others[OTHERS];
    struct member *m = &t->v[problem];
    struct kernel *k = &t->kernel[m->kernel];
    const size_t n = find_others(t, m, others), n_own = m->legal->space.n;
    t->now = problem;
    open_space(t, m, others, n);
    t->strategy = strategy_new(&t->space, legal_seed(t->seed, m->problem, k->spec->n_fields));
    strategy_beside(t->strategy, n_own, &k->numbers);
    for (size_t i = 0; i < n; i++) {
        const double time = others[i].result->time;
        strategy_tell(t->strategy, n_own + i, time < HUGE_VAL ? time / others[i].from->best : time);
    }
    for (size_t i = 0; i < m->n; i++)
        strategy_tell(t->strategy, m->v[i].tuple, m->v[i].time);
    t->left = m->n < FIRST ? FIRST - m->n : m->n < 2 * FIRST ? 2 * FIRST - m->n : TURN;
}

static void free_turn(struct together *t)
{
    strategy_free(t->strategy);
    t->strategy = NULL;
    free(t->space.value);
    space_free(&t->space);
    t->now = t->n;
}

/* Its promise is that of the tuple that would come next. */
static void close_turn(struct together *t)
{
    struct member *m = &t->v[t->now];
    if (!m->is_done && strategy_next(t->strategy) == SIZE_MAX)
        m->is_done = 1;
    m->promise = m->is_done ? 0 : strategy_promise(t->strategy);
    free_turn(t);
}

/* ---- whose turn it is ---- */

static void see_end(struct together *t)
{
    struct member *m = &t->v[t->now];
    if (t->stop_at > 0 && strategy_is_enough(t->strategy, t->stop_at))
        m->is_done = 1;
}

/* After an earlier run, whose results are there */
static void find_promises(struct together *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (isnan(t->v[i].promise) && t->v[i].n > 0) {
            open_turn(t, i);
            see_end(t);
            close_turn(t);
        }
}

/* How often a problem has had its first turns, before all that is worth more counts */
static int stage(const struct member *m)
{
    return m->n < FIRST ? 0 : m->n < 2 * FIRST ? 1 : 2;
}

/* The time that its next launch is expected to save. A regression is too sure of itself where there
   are few results: to the share that it promises comes what a launch saves on the average, which
   falls with the square of their number. Where all tuples have failed, the time is unknown: it is
   less likely with each of them. */
static double worth(const struct member *m, double usual)
{
    const double n = (double)m->n;
    if (m->best < HUGE_VAL)
        return m->count * m->best * (stage(m) < 2 ? 1 : m->promise + 1 / (n * n));
    return m->count * usual / (n + 1);
}

static size_t together_choose(const struct together *t)
{
    double usual = 0;
    size_t n = 0, best = t->n;
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].best < HUGE_VAL)
            usual += t->v[i].best, n++;
    usual = n > 0 ? usual / (double)n : 1;
    for (size_t i = 0; i < t->n; i++) {
        const struct member *m = &t->v[i], *b = best < t->n ? &t->v[best] : NULL;
        if (m->is_done)
            continue;
        if (b == NULL || stage(m) < stage(b)
            || (stage(m) == stage(b) && worth(m, usual) > worth(b, usual)))
            best = i;
    }
    return best;
}

int together_next(struct together *t, size_t *problem, size_t *tuple)
{
    open_fields(t);
    while (1) {
        if (t->strategy == NULL) {
            find_promises(t);
            const size_t next = together_choose(t);
            if (next == t->n)
                return 0;
            open_turn(t, next);
        }
        t->tuple = strategy_next(t->strategy);
        *problem = t->now;
        *tuple = t->tuple;
        if (t->tuple != SIZE_MAX)
            return 1;
        t->v[t->now].is_done = 1;
        free_turn(t);
    }
}

int together_tell(struct together *t, double time)
{
    struct member *m = &t->v[t->now];
    strategy_tell(t->strategy, t->tuple, time);
    together_resume(t, t->now, t->tuple, time);
    see_end(t);
    const int ends = m->is_done;
    if (ends || --t->left == 0)
        close_turn(t);
    return ends;
}

void together_free(struct together *t)
{
    if (t == NULL)
        return;
    free_turn(t);
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i].v);
    for (size_t k = 0; k < t->n_kernels; k++)
        free(t->kernel[k].numbers.v);
    heap_free(&t->heap);
    free(t->v);
    free(t->kernel);
    free(t);
}
