/* rows.c - the rows of predictions that serve the shapes asked for
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- the best kernels of a shape ---- */

enum { CHOOSER_BEAMS = 8 };

struct chooser { /* to be closed */
    const kpred_model *model;
    const unsigned char *may_run; /* a flag for each kernel */
    int32_t gpu, field[4];        /* its token; where gpu, m, n and k are */
    uint32_t library, split;      /* parameters */
    size_t n_open;                /* beams, each wider than the one before */
    struct chooser_beam {
        size_t width;
        int32_t *arena;
        kpred_ctx ctx;
    } beam[CHOOSER_BEAMS];
    kpred_tuple *tuples; /* of the widest */
};

enum { WIDER = 4 };

static int find_fields(struct chooser *p, const struct target *t)
{
    static const char *const names[] = {"gpu", "m", "n", "k"};
    for (size_t i = 0; i < 4; i++) {
        p->field[i] = kpred_field_index(p->model, names[i]);
        if (p->field[i] < 0 || p->model->n_fields != 4)
            return fail("%s: its fields are not gpu, m, n and k", p->model->name);
    }
    p->gpu = kpred_token(p->model, (size_t)p->field[0], t->token);
    return 0;
}

static int find_params(struct chooser *p)
{
    const kpred_model *m = p->model;
    p->library = p->split = m->n_params;
    for (uint32_t i = 0; i < m->n_params; i++) {
        if (strcmp(m->params[i].name, "library") == 0 && m->params[i].names != NULL)
            p->library = i;
        if (strcmp(m->params[i].name, "split") == 0)
            p->split = i;
    }
    if (p->library == m->n_params || p->split == m->n_params)
        return fail("%s: it has no parameters library and split", m->name);
    return 0;
}

static kpred_status open_beam(struct chooser *p, size_t width)
{
    struct chooser_beam *b = &p->beam[p->n_open++];
    const size_t words = kpred_arena_words(p->model, width);
    b->width = width;
    b->arena = xcalloc(words, sizeof *b->arena);
    p->tuples = xrealloc(p->tuples, width, sizeof *p->tuples);
    return kpred_init(&b->ctx, KPRED_VERSION, p->model, width, b->arena, words);
}

/* 0, or -1 with a message. The beam is the one to begin with. */
static int chooser_open(struct chooser *p, const struct target *t, enum family_id family,
                        const unsigned char *may_run, size_t beam)
{
    memset(p, 0, sizeof *p);
    p->model = t->model[family];
    p->may_run = may_run;
    if (find_fields(p, t) != 0 || find_params(p) != 0)
        return -1;
    const kpred_status status = open_beam(p, beam);
    return status == KPRED_OK ? 0 : fail("%s: %s", p->model->name, kpred_status_string(status));
}

/* Those of n tuples that may run, at most `most` */
static size_t choose(const struct chooser *p, const int32_t problem[4], size_t n, size_t most,
                     struct prediction *out)
{
    const kpred_model *m = p->model;
    size_t found = 0;
    for (size_t i = 0; i < n && found < most; i++) {
        const int32_t *values = p->tuples[i].value, kernel = kpred_kernel_of(m, values);
        if (kernel < 0 || !p->may_run[kernel])
            continue;
        out[found].kernel = kpred_kernel_name(m, kernel);
        out[found].id = kpred_kernel_id(m, kernel, problem);
        out[found].library = m->params[p->library].names[values[p->library]];
        out[found].split = values[p->split];
        out[found++].score = p->tuples[i].score;
    }
    return found;
}

static size_t wider(size_t width)
{
    return width * WIDER < KPRED_MAX_BEAM ? width * WIDER : KPRED_MAX_BEAM;
}

/* The best 1..`most` of a shape, best first: their number. 0: there is none, since no legal kernel
   may run; *status then says whether there is a legal one. The beam grows as far as it has to. */
static size_t chooser_run(struct chooser *p, int32_t m, int32_t n, int32_t k, size_t most,
                          struct prediction *out, kpred_status *status)
{
    int32_t problem[4];
    const int32_t values[4] = {p->gpu, m, n, k};
    size_t found = 0, width = 0;
    for (size_t i = 0; i < 4; i++)
        problem[p->field[i]] = values[i];
    *status = KPRED_OK;
    for (size_t i = 0; width < KPRED_MAX_BEAM && found < most; i++) {
        size_t got = 0;
        if (i == p->n_open)
            *status = open_beam(p, wider(width));
        if (*status != KPRED_OK)
            return 0;
        width = p->beam[i].width;
        *status = kpred_predict(&p->beam[i].ctx, problem, 4, p->tuples, width, &got);
        if (*status != KPRED_OK)
            return 0;
        found = choose(p, problem, got, most, out);
    }
    return found;
}

static void chooser_close(struct chooser *p)
{
    for (size_t i = 0; i < p->n_open; i++)
        free(p->beam[i].arena);
    free(p->tuples);
    memset(p, 0, sizeof *p);
}

/* ---- rows ---- */

/* What is the same for all rows of a family */
struct work {
    struct rows *rows;
    struct rows_family *to;
    enum family_id family;
    const char *detail; /* of the pair of N and K at hand */
    const struct target *target;
    const struct installed *in;
    const struct rows_options *o;
    struct chooser chooser;
    struct prediction *best; /* of o->top */
    size_t without;          /* M for which there is no prediction */
};

/* ---- rows: one M ---- */

static void add(struct work *w, const int32_t mnk[3], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        w->to->v = xgrow(w->to->v, w->to->n, &w->to->cap, sizeof *w->to->v);
        w->to->v[w->to->n++] = (struct row){mnk[0], mnk[1], mnk[2], w->detail, i + 1, w->best[i]};
    }
}

static void leave_out(struct work *w, struct place at, kpred_status status)
{
    char why[160];
    w->without++;
    snprintf(why, sizeof why, "%s: %s", families[w->family].name,
             w->chooser.model == NULL
                 ? "no row of --installed names a kernel that is known to take the shape"
             : status == KPRED_OK ? "no kernel that is legal there is compiled in"
                                  : kpred_status_string(status));
    tally_add(&w->rows->left_out, at, why);
}

static size_t choose_nearest(struct work *w, const int32_t mnk[3])
{
    const struct asked_shape s = {
        .family = w->family, .m = mnk[0], .n = mnk[1], .k = mnk[2], .detail = w->detail};
    return nearest_find(&w->in->of[w->family], &s, w->o->only_ck, w->o->top, w->best);
}

static void predict(struct work *w, struct place at, const int32_t mnk[3])
{
    kpred_status status = KPRED_OK;
    const size_t n = w->chooser.model == NULL ? choose_nearest(w, mnk)
                                              : chooser_run(&w->chooser, mnk[0], mnk[1], mnk[2],
                                                            w->o->top, w->best, &status);
    if (n != 0)
        add(w, mnk, n);
    else
        leave_out(w, at, status);
}

static int has(const struct work *w, const int32_t mnk[3], int32_t m)
{
    return installed_has(w->in, w->target, w->family, m, mnk[1], mnk[2], w->detail);
}

/* AITER would find a row at M before the measured one of M's fine step: that one is not hidden
   unless just this M was asked for. */
static void add_m(struct work *w, struct place at, const int32_t mnk[3])
{
    if (has(w, mnk, mnk[0]))
        w->to->kept++;
    else if (!w->o->is_exact && families[w->family].ladder == LADDER_FINE
             && has(w, mnk, serving_fine(mnk[0])))
        w->to->served++;
    else
        predict(w, at, mnk);
}

/* ---- rows: one pair of N and K: the shapes v[0..n-1] ---- */

static void add_exact(struct work *w, const struct asked_shape *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t mnk[3] = {v[i].m, v[i].n, v[i].k};
        add_m(w, v[i].at, mnk);
    }
}

/* AITER takes the row of a smaller tier of tokens where one is missing. So a layer has all tiers or
   none: the kernels of few tokens may not suit many. */
static void take_back(struct work *w, struct place at, size_t n)
{
    for (; w->to->n > n; w->to->n--)
        tally_add(&w->rows->left_out, at,
                  "fmoe: AITER would take the row for a larger tier, for which there is none");
}

static void add_grid(struct work *w, const struct asked_shape *v, size_t n)
{
    int32_t grid[SERVING_MOST], last = SERVING_LAST;
    const size_t before = w->to->n, without = w->without;
    const int of_tokens = families[w->family].ladder == LADDER_TOKENS;
    const size_t n_grid = of_tokens ? serving_tiers(grid) : serving_grid(grid);
    for (size_t i = 0; i < n_grid; i++) {
        const int32_t mnk[3] = {grid[i], v->n, v->k};
        add_m(w, v->at, mnk);
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t m = of_tokens ? serving_tier(v[i].m) : serving_coarse(v[i].m, v->n);
        const int32_t mnk[3] = {m, v->n, v->k};
        if (mnk[0] > last)
            add_m(w, v[i].at, mnk);
        last = mnk[0] > last ? mnk[0] : last;
    }
    if (of_tokens && w->without != without)
        take_back(w, v->at, before);
}

/* ---- rows: one family ---- */

static int is_pair(const struct asked_shape *a, const struct asked_shape *b)
{
    return a->n == b->n && a->k == b->k && strcmp(a->detail, b->detail) == 0;
}

static void add_shapes(struct work *w, const struct asked_shape *v, size_t n)
{
    const int is_exact = w->o->is_exact || families[w->family].ladder == LADDER_ASKED;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && is_pair(&v[i], &v[next]);)
            next++;
        w->detail = v[i].detail;
        w->to->pairs++;
        (is_exact ? add_exact : add_grid)(w, v + i, next - i);
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

static void add_nearest(struct work *w, struct asked *a, const struct asked_shape *v, size_t n)
{
    char why[160];
    memset(&w->chooser, 0, sizeof w->chooser);
    if (w->in->of[w->family].n != 0) {
        add_shapes(w, v, n);
        return;
    }
    snprintf(why, sizeof why,
             "kpred has no model of the family %s, and --installed no measured row for %s",
             families[w->family].name, w->target->token);
    leave_all_out(a, v, n, why);
    w->rows->without_rows += n;
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
        if (families[w.family].has_nearest)
            add_nearest(&w, a, a->v + i, next - i);
        else if (t->model[w.family] == NULL)
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
