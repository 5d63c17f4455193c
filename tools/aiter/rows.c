/* rows.c - see rows.h
   SPDX-License-Identifier: MIT */
#include "rows.h"

#include "compiled.h"
#include "serving.h"

#include <stdlib.h>
#include <string.h>

/* What is the same for all rows of a family */
struct work {
    struct rows *rows;
    struct rows_family *to;
    enum family_id family;
    const struct target *target;
    const struct installed *in;
    const struct rows_options *o;
    struct chooser chooser;
    struct prediction *best; /* of o->top */
};

/* ---- one M ---- */

static void add(struct work *w, const int32_t mnk[3], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        w->to->v = xgrow(w->to->v, w->to->n, &w->to->cap, sizeof *w->to->v);
        w->to->v[w->to->n++] = (struct row){mnk[0], mnk[1], mnk[2], i + 1, w->best[i]};
    }
}

static void leave_out(struct work *w, struct place at, kpred_status status)
{
    char why[160];
    snprintf(why, sizeof why, "%s: %s", families[w->family].name,
             status == KPRED_OK ? "no kernel that is legal there is compiled in"
                                : kpred_status_string(status));
    tally_add(&w->rows->left_out, at, why);
}

static void predict(struct work *w, struct place at, const int32_t mnk[3])
{
    kpred_status status;
    const size_t n = chooser_run(&w->chooser, mnk[0], mnk[1], mnk[2], w->o->top, w->best, &status);
    if (n != 0)
        add(w, mnk, n);
    else
        leave_out(w, at, status);
}

static int has(const struct work *w, const int32_t mnk[3], int32_t m)
{
    return installed_has(w->in, w->target, w->family, m, mnk[1], mnk[2]);
}

/* AITER would find a row at M before the measured one of M's fine step: that one is not hidden
   unless just this M was asked for. */
static void add_m(struct work *w, struct place at, const int32_t mnk[3])
{
    if (has(w, mnk, mnk[0]))
        w->to->kept++;
    else if (!w->o->is_exact && has(w, mnk, serving_fine(mnk[0])))
        w->to->served++;
    else
        predict(w, at, mnk);
}

/* ---- one pair of N and K: the shapes v[0..n-1] ---- */

static void add_exact(struct work *w, const struct asked_shape *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t mnk[3] = {v[i].m, v[i].n, v[i].k};
        add_m(w, v[i].at, mnk);
    }
}

static void add_grid(struct work *w, const struct asked_shape *v, size_t n)
{
    int32_t grid[SERVING_MOST], last = SERVING_LAST;
    const size_t n_grid = serving_grid(grid);
    for (size_t i = 0; i < n_grid; i++) {
        const int32_t mnk[3] = {grid[i], v->n, v->k};
        add_m(w, v->at, mnk);
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t mnk[3] = {serving_coarse(v[i].m, v->n), v->n, v->k};
        if (mnk[0] > last)
            add_m(w, v[i].at, mnk);
        last = mnk[0] > last ? mnk[0] : last;
    }
}

/* ---- one family ---- */

static void add_shapes(struct work *w, const struct asked_shape *v, size_t n)
{
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && v[next].n == v[i].n && v[next].k == v[i].k;)
            next++;
        w->to->pairs++;
        (w->o->is_exact ? add_exact : add_grid)(w, v + i, next - i);
    }
    w->to->shapes += n;
}

/* All shapes of a family, for one reason */
static void leave_all_out(struct asked *a, const struct asked_shape *v, size_t n, const char *why)
{
    for (size_t i = 0; i < n; i++)
        tally_add(&a->left_out, v[i].at, why);
}

static void without_model(struct rows *r, struct asked *a, const struct target *t,
                          const struct asked_shape *v, size_t n)
{
    struct buf why = {NULL, 0, 0}, known = {NULL, 0, 0};
    const char *gpus = target_known(v->family, &known);
    if (*gpus == '\0')
        buf_printf(&why, "kpred has no model of the family %s", families[v->family].name);
    else
        buf_printf(&why, "the model of %s does not know %s (known: %s)", families[v->family].name,
                   t->token, gpus);
    leave_all_out(a, v, n, why.s);
    r->without_gpu += n;
    buf_free(&why);
    buf_free(&known);
}

static void without_kernel(struct asked *a, const struct asked_shape *v, size_t n)
{
    char why[160];
    snprintf(why, sizeof why, "no kernel of %s that is compiled in is left",
             families[v->family].name);
    leave_all_out(a, v, n, why);
}

static int add_family(struct work *w, struct asked *a, const struct asked_shape *v, size_t n)
{
    size_t n_kernels;
    unsigned char *flags =
        compiled_flags(w->o->compiled, w->in, w->target, w->family, w->o->only_ck, &n_kernels);
    const int rc = chooser_open(&w->chooser, w->target, w->family, flags, w->o->beam);
    if (rc == 0 && n_kernels == 0)
        without_kernel(a, v, n);
    else if (rc == 0)
        add_shapes(w, v, n);
    chooser_close(&w->chooser);
    free(flags);
    return rc;
}

int rows_make(struct rows *r, struct asked *a, const struct target *t, const struct installed *in,
              const struct rows_options *o)
{
    struct work w = {.rows = r, .target = t, .in = in, .o = o};
    int rc = 0;
    w.best = xcalloc(o->top, sizeof *w.best);
    for (size_t i = 0, next; i < a->n && rc == 0; i = next) {
        for (next = i; next < a->n && a->v[next].family == a->v[i].family;)
            next++;
        w.family = a->v[i].family;
        w.to = &r->of[w.family];
        if (t->model[w.family] == NULL)
            without_model(r, a, t, a->v + i, next - i);
        else
            rc = add_family(&w, a, a->v + i, next - i);
    }
    free(w.best);
    return rc;
}

void rows_free(struct rows *r)
{
    for (int i = 0; i < N_FAMILIES; i++)
        free(r->of[i].v);
    tally_free(&r->left_out);
    memset(r, 0, sizeof *r);
}
