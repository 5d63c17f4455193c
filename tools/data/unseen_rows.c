/* unseen_rows.c - makes what a model learns for GPUs on which nothing was measured
   SPDX-License-Identifier: MIT */
#include "data.h"

#include "model/gpus.h"

#include <stdlib.h>

/* One row of the data, or one to be added */
struct row {
    const struct dataset *d;
    size_t gpu_field, at; /* at: itself in the data; of a new one, a row of the same option */
    int32_t gpu;
    double time, share; /* share: of the speed of the best option there */
};

struct rows {
    size_t n, cap;
    struct row *v;
};

/* ---- order: by what the problem is but for the GPU, then by option, then by GPU and time ---- */

static int compare_problems(const struct row *a, const struct row *b)
{
    const int32_t *p = a->d->problem + a->at * a->d->n_fields;
    const int32_t *q = b->d->problem + b->at * b->d->n_fields;
    for (size_t f = 0; f < a->d->n_fields; f++)
        if (f != a->gpu_field && p[f] != q[f])
            return p[f] < q[f] ? -1 : 1;
    return 0;
}

static int compare_options(const struct row *a, const struct row *b)
{
    const size_t n = a->d->n_params;
    return memcmp(a->d->target + a->at * n, b->d->target + b->at * n, n);
}

static int compare_rows(const void *pa, const void *pb)
{
    const struct row *a = pa, *b = pb;
    int order = compare_problems(a, b);
    order = order != 0 ? order : compare_options(a, b);
    order = order != 0 ? order : ORDER(a->gpu, b->gpu);
    order = order != 0 ? order : ORDER(a->time, b->time);
    return order != 0 ? order : ORDER(a->at, b->at);
}

static void add_row(struct rows *rows, struct row row)
{
    rows->v = xgrow(rows->v, rows->n, &rows->cap, sizeof *rows->v);
    rows->v[rows->n++] = row;
}

/* Adds those of the data: of the options that the spec knows, or all */
static void add_rows(const struct dataset *d, size_t gpu_field, int only_known, struct rows *rows)
{
    for (size_t i = 0; i < d->n; i++)
        if (!only_known || data_is_known(d, i))
            add_row(rows, (struct row){d, gpu_field, i, d->problem[i * d->n_fields + gpu_field],
                                       d->time_us[i], 0});
}

/* ---- one problem: rows first..end-1, on several GPUs ---- */

struct problem {
    const struct unseen *u;
    struct row *first;
    size_t n;
    double best[SPEC_MAX_TOKENS]; /* time by GPU; 0: the GPU has not the problem */
};

static void set_shares(struct problem *p)
{
    memset(p->best, 0, sizeof p->best);
    for (size_t i = 0; i < p->n; i++) {
        double *best = &p->best[p->first[i].gpu];
        *best = *best > 0 && *best < p->first[i].time ? *best : p->first[i].time;
    }
    for (size_t i = 0; i < p->n; i++)
        p->first[i].share = p->best[p->first[i].gpu] / p->first[i].time;
}

/* The weights of all GPUs that have the problem; 0: the name's own do not. */
static double weigh(const struct problem *p, size_t name)
{
    double all = 0;
    int own = 0;
    for (int32_t gpu = 0; gpu < SPEC_MAX_TOKENS; gpu++)
        if (p->best[gpu] > 0) {
            all += unseen_weight(p->u, name, gpu);
            own |= p->u->v[name].stands_for[gpu];
        }
    return own ? all : 0;
}

/* The mean share of one option, rows first..end-1, the fastest of each GPU first */
static double mean_share(const struct problem *p, size_t name, size_t first, size_t end, double all)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        if (i == first || p->first[i].gpu != p->first[i - 1].gpu)
            sum += unseen_weight(p->u, name, p->first[i].gpu) * p->first[i].share;
    return sum / all;
}

/* ---- the options of one name: neighbours of a better one count for less ---- */

enum { TAKEN = 32 }; /* as many are taken one after another */

/* What an option loses that differs in so many parameters from one that is taken */
static double loss_of(size_t differences)
{
    double loss = 0.1;
    for (size_t i = 1; i < differences && i < 8; i++)
        loss *= 0.3;
    return loss;
}

static size_t count_differences(const unsigned char *p, const unsigned char *q, size_t n)
{
    size_t differences = 0;
    for (size_t i = 0; i < n; i++)
        differences += p[i] != q[i];
    return differences;
}

/* The one that is not taken with the greatest speed; of equal ones the first */
static size_t best_option(const double *share, size_t n, const double *loss,
                          const unsigned char *is_taken)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (!is_taken[i]
            && (best == n || share[i] * (1 - loss[i]) > share[best] * (1 - loss[best])))
            best = i;
    return best;
}

void unseen_spread(const unsigned char *targets, size_t n_params, double *share, size_t n)
{
    double *loss = xcalloc(n + 1, sizeof *loss);
    unsigned char *is_taken = xcalloc(n + 1, 1);
    for (size_t k = 0; k < TAKEN && k < n; k++) {
        const size_t best = best_option(share, n, loss, is_taken);
        is_taken[best] = 1;
        for (size_t i = 0; i < n; i++) {
            const size_t differences =
                count_differences(targets + i * n_params, targets + best * n_params, n_params);
            const double more = is_taken[i] ? 0 : loss_of(differences);
            loss[i] = more > loss[i] ? more : loss[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        share[i] *= 1 - loss[i];
    free(loss);
    free(is_taken);
}

static void spread(struct row *v, size_t n)
{
    const size_t n_params = n > 0 ? v->d->n_params : 0;
    unsigned char *targets = xcalloc(n + 1, n_params + 1);
    double *share = xcalloc(n + 1, sizeof *share);
    for (size_t i = 0; i < n; i++) {
        memcpy(targets + i * n_params, v[i].d->target + v[i].at * n_params, n_params);
        share[i] = v[i].share;
    }
    unseen_spread(targets, n_params, share, n);
    for (size_t i = 0; i < n; i++)
        v[i].share = share[i];
    free(targets);
    free(share);
}

static void add_name(const struct problem *p, size_t name, struct rows *out)
{
    const double all = weigh(p, name);
    const size_t before = out->n;
    if (!(all > 0))
        return;
    for (size_t i = 0, end; i < p->n; i = end) {
        end = i + 1;
        while (end < p->n && compare_options(&p->first[i], &p->first[end]) == 0)
            end++;
        struct row row = p->first[i];
        row.gpu = p->u->v[name].token;
        row.share = mean_share(p, name, i, end, all);
        add_row(out, row);
    }
    spread(out->v + before, out->n - before);
    for (size_t i = before; i < out->n; i++)
        out->v[i].time = data_round_time(1 / out->v[i].share); /* 1 us: it is best everywhere */
}

static struct rows make_rows(const struct unseen *u, struct rows *known)
{
    struct rows out = {0, 0, NULL};
    for (size_t i = 0, end; i < known->n; i = end) {
        end = i + 1;
        while (end < known->n && compare_problems(&known->v[i], &known->v[end]) == 0)
            end++;
        struct problem p = {u, known->v + i, end - i, {0}};
        set_shares(&p);
        for (size_t name = 0; name < u->n; name++)
            add_name(&p, name, &out);
    }
    return out;
}

/* ---- into the data ---- */

static int32_t field_of(const struct row *r, size_t f)
{
    return f == r->gpu_field ? r->gpu : r->d->problem[r->at * r->d->n_fields + f];
}

/* The order of struct dataset; rows of one file and place keep theirs. */
static int compare_as_data(const void *pa, const void *pb)
{
    const struct row *a = pa, *b = pb;
    for (size_t f = 0; f < a->d->n_fields; f++)
        if (field_of(a, f) != field_of(b, f))
            return field_of(a, f) < field_of(b, f) ? -1 : 1;
    const int c = compare_options(a, b);
    return c != 0 ? c : ORDER(a->at, b->at);
}

static void take_rows(struct dataset *d, const struct rows *rows)
{
    struct dataset to = data_new_rows(d, rows->n);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->v[i];
        data_copy_row(&to, i, d, r->at);
        to.problem[i * d->n_fields + r->gpu_field] = r->gpu;
        to.time_us[i] = r->time;
    }
    data_take_rows(d, &to);
}

int unseen_rows_add(const struct spec *spec, struct dataset *d)
{
    struct unseen u;
    if (unseen_read(&u, spec) != 0)
        return -1;
    if (u.n == 0)
        return 0;
    struct rows known = {0, 0, NULL};
    add_rows(d, u.field, 1, &known);
    if (known.n > 0)
        qsort(known.v, known.n, sizeof *known.v, compare_rows);
    struct rows rows = make_rows(&u, &known);
    add_rows(d, u.field, 0, &rows);
    qsort(rows.v, rows.n, sizeof *rows.v, compare_as_data);
    take_rows(d, &rows);
    free(known.v);
    free(rows.v);
    return 0;
}
