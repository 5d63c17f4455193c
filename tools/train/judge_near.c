/* judge_near.c - see judge_near.h
   SPDX-License-Identifier: MIT */
#include "judge_near.h"

#include "base/numbers.h"
#include "base/util.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };   /* rows of a tuple that are looked at */
#define OTHER_NAME 4.0f /* octaves */
#define FAR        64.0

static void place(const struct judge_near *near, const int32_t *problem, float *to)
{
    const struct model *m = near->model;
    for (size_t f = 0; f < m->m.n_fields; f++)
        to[f] = m->fields[f].tokens ? (float)problem[f] : (float)num_log2(problem[f] + 1.0);
}

static float distance(const struct model *m, const float *a, const float *b)
{
    float far = 0;
    for (size_t f = 0; f < m->m.n_fields; f++) {
        const float d = a[f] < b[f] ? b[f] - a[f] : a[f] - b[f];
        far += !m->fields[f].tokens ? d : d > 0 ? OTHER_NAME : 0;
    }
    return far;
}

static size_t sort_params;

static int by_tuple(const void *pa, const void *pb)
{
    const struct judge_row *a = pa, *b = pb;
    const int order = memcmp(a->target, b->target, sort_params);
    return order ? order : (a->group > b->group) - (a->group < b->group);
}

void judge_near_open(struct judge_near *near, const struct model *model,
                     const struct judge_rows *rows)
{
    const size_t n_fields = model->m.n_fields;
    near->model = model;
    near->n = rows->n;
    near->row = xcalloc(rows->n + 1, sizeof *near->row);
    near->place = xcalloc(rows->n * n_fields + 1, sizeof *near->place);
    memcpy(near->row, rows->row, rows->n * sizeof *rows->row);
    sort_params = model->m.n_params;
    qsort(near->row, near->n, sizeof *near->row, by_tuple);
    for (size_t i = 0; i < rows->n; i++)
        place(near, near->row[i].problem, near->place + i * n_fields);
}

void judge_near_close(struct judge_near *near)
{
    free(near->row);
    free(near->place);
}

/* The first row, by tuples, of this one or a later one */
static size_t first_of(const struct judge_near *near, const unsigned char *target)
{
    size_t low = 0, high = near->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (memcmp(near->row[mid].target, target, near->model->m.n_params) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void judge_near_ask(const struct judge_near *near, const struct judge_row *row, double *out)
{
    const struct model *m = near->model;
    const size_t first = first_of(near, row->target), n_fields = m->m.n_fields;
    float own[KPRED_MAX_FIELDS];
    double nearest = FAR, mark = -1, sum = 0, all = 0;
    place(near, row->problem, own);
    for (size_t i = first; i < near->n && i < first + MOST; i++) {
        const struct judge_row *other = &near->row[i];
        if (memcmp(other->target, row->target, m->m.n_params))
            break;
        if (!memcmp(other->problem, row->problem, n_fields * sizeof *row->problem))
            continue;
        const float far = distance(m, own, near->place + i * n_fields);
        const double weight = (double)num_exp2(-2 * far);
        if ((double)far < nearest) {
            nearest = (double)far;
            mark = (double)other->mark;
        }
        sum += weight * (double)other->mark;
        all += weight;
    }
    out[0] = mark;
    out[1] = all > 0 ? sum / all : -1;
    out[2] = nearest;
}
