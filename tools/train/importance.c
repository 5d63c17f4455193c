/* importance.c - see judges.h
   SPDX-License-Identifier: MIT

   An analysis of variance of what the trees say of legal tuples. They are drawn without regard to
   their values, so chance alone gives each group of tuples another mean; what that comes to is
   taken off, as epsilon squared does. */
#include "judges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 12, LISTED = 4096, SEEDS = 2, FEWEST_ROWS = 8 };

/* ---- what trees say ---- */

static void judge_problem(const struct model *model, const struct judge_trees *trees,
                          const int32_t *problem, struct judged_problem *out)
{
    static const struct tuples_most most = {LISTED, LISTED};
    struct tuples legal;
    double least = HUGE_VAL;
    tuples_open(&legal, &model->m, problem, &most);
    float *mark = xcalloc(legal.n + 1, sizeof *mark);
    out->n = legal.n;
    out->target = tuples_targets(&legal);
    out->octaves = xcalloc(legal.n + 1, sizeof *out->octaves);
    judge_trees_ask(trees, problem, out->target, legal.n, mark);
    for (size_t i = 0; i < legal.n; i++)
        least = fmin(least, (double)mark[i]);
    for (size_t i = 0; i < legal.n; i++)
        out->octaves[i] = judge_octaves((double)mark[i] - least);
    free(mark);
    tuples_close(&legal);
}

int judged_open(const struct model *model, const struct dataset *d, struct judged *out)
{
    size_t row[PROBLEMS], seen = 0;
    const size_t all = data_count_problems(d), apart = (all + PROBLEMS - 1) / PROBLEMS;
    struct judge_task task = {.model = model, .data = d, .n_threads = worker_count(0)};
    int bad = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < d->n && d->n >= FEWEST_ROWS; i = data_problem_end(d, i))
        if (seen++ % apart == 0)
            row[out->n++] = i;
    out->v = xcalloc(SEEDS * PROBLEMS, sizeof *out->v);
    while (task.seed < SEEDS && out->n > 0 && !bad) {
        struct judge_trees trees;
        task.seed++;
        bad = judge_trees_fit(&trees, &task);
        for (size_t i = 0; i < out->n && !bad; i++)
            judge_problem(model, &trees, d->problem + row[i] * d->n_fields,
                          &out->v[(task.seed - 1) * out->n + i]);
        judge_trees_free(&trees);
    }
    return bad;
}

void judged_close(struct judged *j)
{
    for (size_t i = 0; i < SEEDS * j->n; i++) {
        free(j->v[i].target);
        free(j->v[i].octaves);
    }
    free(j->v);
}

/* ---- variance ---- */

/* Of the variance of a problem's octaves, the share between the groups of tuples that have the same
   values of both parameters */
static double share_of(const struct judged_problem *p, const kpred_model *m, size_t a, size_t b)
{
    const size_t n_b = (size_t)m->params[b].n_values, cells = (size_t)m->params[a].n_values * n_b;
    double *sum = xcalloc(cells, sizeof *sum), *count = xcalloc(cells, sizeof *count);
    double between = 0, all = 0, groups = 0, mean = 0;
    const double n = (double)p->n;
    for (size_t i = 0; i < p->n; i++)
        mean += p->octaves[i] / n;
    for (size_t i = 0; i < p->n; i++) {
        const unsigned char *target = p->target + i * m->n_params;
        const double off = p->octaves[i] - mean;
        sum[target[a] * n_b + target[b]] += off;
        count[target[a] * n_b + target[b]]++;
        all += off * off;
    }
    for (size_t i = 0; i < cells; i++) {
        between += count[i] > 0 ? sum[i] * sum[i] / count[i] : 0;
        groups += count[i] > 0;
    }
    free(sum);
    free(count);
    const double chance = n > groups ? (groups - 1) / (n - groups) : 0;
    return all > 0 ? fmax(0, (between - chance * (all - between)) / all) : 0;
}

/* The mean over problems and seeds; the error is that over problems and that between seeds. */
static void importance_mean(const struct judged *j, const double *share, struct importance *out)
{
    double mean[SEEDS] = {0}, square = 0;
    const double n = (double)j->n;
    for (size_t i = 0; i < SEEDS * j->n; i++)
        mean[i / j->n] += share[i] / n;
    out->share = (mean[0] + mean[1]) / 2;
    for (size_t i = 0; i < j->n; i++)
        square += pow((share[i] + share[j->n + i]) / 2 - out->share, 2);
    out->error = hypot(n > 1 ? sqrt(square / (n * (n - 1))) : 0, (mean[0] - mean[1]) / 2);
}

static int by_share(const void *pa, const void *pb)
{
    const struct importance *x = pa, *y = pb;
    const int order = x->a != y->a ? ORDER(x->a, y->a) : ORDER(x->b, y->b);
    return x->share < y->share || x->share > y->share ? ORDER(y->share, x->share) : order;
}

size_t importance_find(const struct model *model, const struct judged *j, struct importance **out)
{
    const kpred_model *m = &model->m;
    const size_t n_params = m->n_params, n_all = SEEDS * j->n;
    double *single = xcalloc((n_params + 1) * n_all + 1, sizeof *single);
    double *share = single + n_params * n_all;
    size_t n = 0;
    *out = xcalloc(n_params * n_params + 1, sizeof **out);
    for (size_t t = 0; t < n_params * n_all; t++)
        single[t] = share_of(&j->v[t % n_all], m, t / n_all, t / n_all);
    for (size_t at = 0; at < n_params * n_params && n_all > 0; at++) {
        const size_t a = at / n_params, b = at % n_params;
        if (a > b || m->params[a].n_values < 2 || m->params[b].n_values < 2)
            continue;
        for (size_t i = 0; i < n_all; i++) {
            const double alone = single[a * n_all + i], other = single[b * n_all + i];
            share[i] = a == b ? alone : fmax(0, share_of(&j->v[i], m, a, b) - alone - other);
        }
        (*out)[n] = (struct importance){.a = a, .b = b};
        importance_mean(j, share, &(*out)[n++]);
    }
    qsort(*out, n, sizeof **out, by_share);
    free(single);
    return n;
}
