/* estimate.c - what judges think of answers that nobody timed
   SPDX-License-Identifier: MIT

   Where a problem's table is a sample, most of a model's answers have no time. Trees that learn
   from all rows of the data, as those of training do (judges.h), say how fast they are beside
   the best of all legal tuples. That is an estimate: the trees err, and the best of many guesses is
   too good. */
#include "eval.h"

#include "base/numbers.h"
#include "train/judges.h"

#include <math.h>
#include <stdlib.h>

enum { ASKED = 128, LISTED = 16384, DRAWN = 4096 };

struct estimate {
    const struct eval *e;
    struct judge_trees own;
    const struct judge_trees *judges;
    size_t apart;               /* one row in so many is asked for */
    const struct eval_row *row; /* of the last question, */
    float least;                /* and the least mark of its legal tuples */
};

void eval_use_estimate(struct eval *e, const struct judge_trees *judges)
{
    struct estimate *t = xcalloc(1, sizeof *t);
    *t = (struct estimate){.e = e, .apart = (e->n + ASKED - 1) / ASKED, .judges = judges};
    e->estimate = t;
}

int eval_open_estimate(struct eval *e)
{
    const struct judge_task task = {
        .model = e->model, .data = &e->data, .seed = 1, .n_threads = worker_count(0)};
    eval_use_estimate(e, NULL);
    e->estimate->judges = &e->estimate->own;
    return judge_trees_fit(&e->estimate->own, &task);
}

const struct judge_trees *eval_estimate_judges(const struct eval *e)
{
    return e->estimate->judges;
}

void eval_close_estimate(struct eval *e)
{
    if (e->estimate)
        judge_trees_free(&e->estimate->own);
    free(e->estimate);
}

static float least_of(const struct estimate *t, const int32_t *problem, const unsigned char *target,
                      size_t n)
{
    float *mark = xcalloc(n + 1, sizeof *mark), least = INFINITY;
    judge_trees_ask(t->judges, problem, target, n, mark);
    for (size_t i = 0; i < n; i++)
        least = mark[i] < least ? mark[i] : least;
    free(mark);
    return least;
}

/* All legal tuples, or a sample of them; the targets are to be freed. */
static size_t list_legal(const struct eval *e, const int32_t *problem, unsigned char **target)
{
    static const struct tuples_most most = {LISTED, DRAWN};
    struct tuples legal;
    tuples_open(&legal, &e->model->m, problem, &most);
    const size_t n = legal.n;
    *target = tuples_targets(&legal);
    tuples_close(&legal);
    return n;
}

static float least_of_legal(const struct estimate *t, const int32_t *problem)
{
    unsigned char *target;
    const size_t n = list_legal(t->e, problem, &target);
    const float least = least_of(t, problem, target, n);
    free(target);
    return least;
}

static float least_of_answers(const struct estimate *t, const int32_t *problem,
                              const kpred_tuple *answers, size_t n)
{
    unsigned char *target = xcalloc(n, t->e->data.n_params);
    for (size_t i = 0; i < n; i++)
        eval_target(t->e, &answers[i], target + i * t->e->data.n_params);
    const float least = least_of(t, problem, target, n);
    free(target);
    return least;
}

double eval_estimate(const struct eval *e, const struct eval_row *row, const kpred_tuple *answers,
                     size_t n)
{
    struct estimate *t = e->estimate;
    const size_t number = (size_t)(row - e->row);
    const int32_t *problem = e->data.problem + row->index * e->data.n_fields;
    if (!t || number % t->apart || n == 0)
        return -1;
    if (t->row != row)
        t->least = least_of_legal(t, problem);
    t->row = row;
    const float least = least_of_answers(t, problem, answers, n);
    return (double)num_exp2(
        (float)-judge_octaves((double)(least > t->least ? least - t->least : 0)));
}

/* The target's tuple goes behind n that are as good or better. */
static void choose_put(const struct eval *e, const unsigned char *target, size_t n,
                       kpred_tuple *answers, size_t most)
{
    for (size_t i = most - 1; i > n; i--)
        answers[i] = answers[i - 1];
    for (size_t p = 0; p < e->data.n_params; p++)
        answers[n].value[p] = e->model->m.params[p].values[target[p]];
}

size_t eval_choose(const struct eval *e, const struct eval_row *row,
                   const struct judge_trees *chooser, kpred_tuple *answers, size_t most)
{
    const int32_t *problem = e->data.problem + row->index * e->data.n_fields;
    unsigned char *target;
    const size_t n = list_legal(e, problem, &target);
    float *mark = xcalloc(n + 1, sizeof *mark), best[KPRED_MAX_BEAM];
    size_t kept = 0;
    judge_trees_ask(chooser, problem, target, n, mark);
    for (size_t i = 0; i < n; i++) {
        size_t at = kept;
        for (; at > 0 && mark[i] < best[at - 1]; at--)
            if (at < most)
                best[at] = best[at - 1];
        if (at == most)
            continue;
        best[at] = mark[i];
        choose_put(e, target + i * e->data.n_params, at, answers, most);
        kept += kept < most;
    }
    free(mark);
    free(target);
    return kept;
}
