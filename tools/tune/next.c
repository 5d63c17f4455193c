/* next.c - which problems to time next: `tune --next`
   SPDX-License-Identifier: MIT

   A problem teaches much of which judges that learnt from one half of the table think otherwise
   than judges of the other half: what one half would choose is slow to the other. Of problems that
   are near each other one is enough. */
#include "loop.h"
#include "tune.h"

#include "base/numbers.h"
#include "train/matrix.h"
#include "train/timed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 200, TRIES = 4000, FEWEST = 8 };

struct proposing {
    struct spec spec;
    struct model model;
    struct known known;
    struct judge_trees half[2];
    int32_t *problem; /* n x n_fields */
    double *worth;    /* n: octaves that a choice may lose, less where one nearby was chosen */
    size_t n;
};

/* ---- candidates ---- */

/* Does each size lie between those of the n known problems, or is it theirs? Is any one new? */
static int is_between(const int32_t *known, size_t n, size_t n_fields, const int32_t *problem)
{
    int is_new = 0;
    for (size_t f = 0; f < n_fields; f++) {
        int is_below = 0, is_above = 0, is_there = 0;
        for (size_t i = 0; i < n; i++) {
            const int32_t value = known[i * n_fields + f];
            is_below |= value < problem[f];
            is_above |= value > problem[f];
            is_there |= value == problem[f];
        }
        if (!is_there && !(is_below && is_above))
            return 0;
        is_new |= !is_there;
    }
    return is_new;
}

static int is_listed(const struct proposing *p, const int32_t *problem)
{
    const size_t n_fields = p->spec.n_fields;
    for (size_t i = 0; i < p->n; i++)
        if (!memcmp(p->problem + i * n_fields, problem, n_fields * sizeof *problem))
            return 1;
    return 0;
}

/* Problems between those of the table */
static void list_candidates(struct proposing *p, uint64_t seed)
{
    const struct dataset *d = &p->known.data;
    int32_t *known = xcalloc(d->n * d->n_fields + 1, sizeof *known);
    unsigned char *part = xcalloc(d->n + 1, 1);
    const size_t n_known = timed_problems(d, part, known);
    p->problem = xcalloc(CANDIDATES + 1, d->n_fields * sizeof *known);
    p->worth = xcalloc(CANDIDATES, sizeof *p->worth);
    for (size_t i = 0; i < TRIES && p->n < CANDIDATES; i++) {
        int32_t *next = p->problem + p->n * d->n_fields;
        make_up_problem(&p->spec, MADE_UP_ANY, known, n_known, &seed, next);
        p->n += is_between(known, n_known, d->n_fields, next) && !is_listed(p, next)
                && tuples_any(&p->model.m, next) != 0;
    }
    free(part);
    free(known);
}

/* ---- what they are worth ---- */

static int fit_half(struct proposing *p, size_t half, uint64_t seed)
{
    const struct dataset *d = &p->known.data;
    unsigned char *part = xcalloc(d->n + 1, 1);
    const struct judge_task task = {
        .model = &p->model, .data = d, .part = part, .seed = seed, .n_threads = worker_count(0)};
    for (size_t i = 0, end, at = 0; i < d->n; i = end, at++) {
        end = data_problem_end(d, i);
        memset(part + i, num_mix(24, at, 0) % 2 == half, end - i);
    }
    const int bad = judge_trees_fit(&p->half[half], &task);
    free(part);
    return bad;
}

static size_t least_of(const float *mark, size_t n)
{
    size_t least = 0;
    for (size_t i = 1; i < n; i++)
        least = mark[i] < mark[least] ? i : least;
    return least;
}

/* What each half's choice loses in the eyes of the other, in octaves */
static void find_worth(void *user, size_t index)
{
    static const struct tuples_most most = {2048, 2048};
    struct proposing *p = user;
    const int32_t *problem = p->problem + index * p->spec.n_fields;
    struct tuples legal;
    tuples_open(&legal, &p->model.m, problem, &most);
    unsigned char *target = tuples_targets(&legal);
    float *mark[2];
    for (size_t h = 0; h < 2; h++) {
        mark[h] = xcalloc(legal.n + 1, sizeof *mark[h]);
        judge_trees_ask(&p->half[h], problem, target, legal.n, mark[h]);
    }
    const size_t a = least_of(mark[0], legal.n), b = least_of(mark[1], legal.n);
    p->worth[index] = judge_octaves((double)(mark[0][b] - mark[0][a]))
                      + judge_octaves((double)(mark[1][a] - mark[1][b]));
    free(mark[0]);
    free(mark[1]);
    free(target);
    tuples_close(&legal);
}

/* ---- the choice ---- */

static size_t choose_next(struct proposing *p)
{
    const size_t n_fields = p->spec.n_fields;
    size_t best = 0;
    for (size_t i = 1; i < p->n; i++)
        best = p->worth[i] > p->worth[best] ? i : best;
    for (size_t i = 0; i < p->n; i++)
        p->worth[i] *= 1
                       - exp(-data_distance(&p->spec, p->problem + i * n_fields,
                                            p->problem + best * n_fields));
    p->worth[best] = -1; /* is not chosen again */
    return best;
}

static void next_heading(const struct spec *spec, struct table *t)
{
    struct buf names = {NULL, 0, 0};
    for (size_t f = 0; f < spec->n_fields; f++)
        buf_printf(&names, "%s%s", f ? "," : "", spec->fields[f].name);
    table_heading(t, names.s);
    buf_free(&names);
}

/* ---- the command ---- */

static int open_table(struct proposing *p, const struct next_asked *o)
{
    if (spec_load(&p->spec, o->spec) || default_features_give(&p->spec, NULL))
        return -1;
    if (p->spec.format != SPEC_TIMED)
        return fail("%s: format = %s: --next is for `format = timed` in [data]", p->spec.path,
                    spec_formats[p->spec.format]);
    if (model_from_spec(&p->model, &p->spec, "none")
        || known_open(&p->known, &p->spec, NULL, &o->data, o->readers))
        return -1;
    const struct dataset *d = &p->known.data;
    const size_t n = data_count_problems(d);
    if (n < FEWEST)
        return fail("%s: --next: the data have %zu %s: at least %d tell where more are needed",
                    p->spec.path, n, as_counted(n, "problem", "problems"), FEWEST);
    return spec_is_listed(&p->spec) ? model_list(&p->model, d->problem, d->target, d->n) : 0;
}

static int propose(struct proposing *p, const struct next_asked *o)
{
    struct table t = {0};
    if (open_table(p, o) || fit_half(p, 0, (uint64_t)o->seed) || fit_half(p, 1, (uint64_t)o->seed))
        return -1;
    list_candidates(p, num_mix(25, (uint64_t)o->seed, 0));
    struct pool *pool = pool_new(worker_count(0));
    pool_run(pool, find_worth, p, p->n);
    pool_free(pool);
    if ((size_t)o->n > p->n)
        return fail("%s: --next %ld: only %zu %s between those of the data", p->spec.path, o->n,
                    p->n, as_counted(p->n, "problem is", "problems are"));
    next_heading(&p->spec, &t);
    for (long i = 0; i < o->n; i++)
        model_problem_cells(&p->model.m, p->problem + choose_next(p) * p->spec.n_fields, &t);
    table_print(&t, stdout, o->form);
    table_free(&t);
    return flush_stdout();
}

int next_print(const struct next_asked *o)
{
    struct proposing *p = xcalloc(1, sizeof *p);
    const int bad = propose(p, o);
    judge_trees_free(&p->half[0]);
    judge_trees_free(&p->half[1]);
    known_close(&p->known);
    model_free(&p->model);
    spec_free(&p->spec);
    free(p->problem);
    free(p->worth);
    free(p);
    return bad != 0;
}
