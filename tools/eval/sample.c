/* sample.c - tables in which only some of a problem's tuples were timed
   SPDX-License-Identifier: MIT */
#include "sample.h"

#include "base/numbers.h"
#include "model/tuples.h"

#include <stdlib.h>
#include <string.h>

/* ---- is it a sample? ---- */

enum { LISTED = 1 << 18 };

/* What was tried of a problem: how many tuples that the model may return, and the sum of the hashes
   of all */
struct tried {
    size_t n;
    uint64_t hash;
};

static void count(const struct eval *e, const unsigned char *target, int may, struct tried *t)
{
    uint64_t hash = 0;
    for (size_t p = 0; p < e->data.n_params; p++)
        hash = num_mix(hash, p, target[p]);
    t->hash += hash;
    t->n += (size_t)may;
}

/* Failures were tried as well. */
static struct tried count_tried(const struct eval *e, const struct eval_row *r)
{
    const struct data_failures *f = &e->data.failed;
    const size_t n_params = e->data.n_params;
    const int32_t *problem = e->data.problem + r->index * e->data.n_fields;
    struct tried t = {0, 0};
    size_t end;
    for (size_t i = r->index; i < r->end; i++)
        count(e, e->data.target + i * n_params, !(e->is_out && e->is_out[i]), &t);
    for (size_t i = data_find_failures(&e->data, problem, &end); i < end; i++)
        count(e, f->target + i * n_params,
              model_allows(e->model, problem, f->target + i * n_params), &t);
    return t;
}

static int has_all_legal(const struct eval *e, const struct eval_row *r, size_t tried)
{
    static const struct tuples_most most = {LISTED, 1};
    struct tuples legal;
    tuples_open(&legal, &e->model->m, e->data.problem + r->index * e->data.n_fields, &most);
    const int is_full = legal.kind == TUPLES_ALL && tried >= legal.n;
    tuples_close(&legal);
    return is_full;
}

int eval_find_sample(const struct eval *e)
{
    if (e->model->spec->format != SPEC_TIMED)
        return 0;
    uint64_t first = 0;
    for (size_t i = 0; i < e->n; i++) {
        const struct tried tried = count_tried(e, &e->row[i]);
        first = i ? first : tried.hash;
        if (e->model->m.rule ? !has_all_legal(e, &e->row[i], tried.n) : tried.hash != first)
            return 1;
    }
    return 0;
}

/* ---- the model that knows the timed tuples alone ---- */

static struct {
    const struct eval *e;
    const struct eval_row *row;
} timed; /* what the rule below asks: a rule has no argument for it */

static int begins_so(const struct eval *e, size_t row, const int32_t *values, size_t n)
{
    const unsigned char *target = e->data.target + row * e->data.n_params;
    for (size_t p = 0; p < n; p++)
        if (values[p] != e->model->params[p].values[target[p]])
            return 0;
    return 1;
}

static int timed_rule(const int32_t *problem, const int32_t *values, size_t n)
{
    (void)problem;
    for (size_t i = timed.row->index; i < timed.row->end; i++)
        if (!(timed.e->is_out && timed.e->is_out[i]) && begins_so(timed.e, i, values, n))
            return 1;
    return 0;
}

void eval_sample_row(const struct eval *e, const struct eval_row *row)
{
    timed.e = e;
    timed.row = row;
}

kpred_model eval_sample_model(const kpred_model *run)
{
    kpred_model m = *run;
    m.rule = timed_rule;
    return m;
}

size_t eval_count_timed(const struct eval *e, const struct eval_row *row, const kpred_tuple *t,
                        size_t n)
{
    size_t found = 0;
    eval_sample_row(e, row);
    for (size_t i = 0; i < n; i++)
        found += (size_t)timed_rule(NULL, t[i].value, e->model->m.n_params);
    return found;
}
