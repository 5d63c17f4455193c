/* rows.c - the rows of predictions that serve the shapes asked for
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* ---- the best kernels of a shape ---- */

enum { CHOOSER_BEAMS = 8 };

struct chooser {
    const kpred_model *model;
    const unsigned char *may_run; /* a flag for each kernel */
    int32_t mnk_at[3];            /* the fields m, n and k */
    int32_t problem[KPRED_MAX_FIELDS];
    uint32_t library, split; /* parameters */
    size_t n_open;           /* beams, each wider than the one before */
    struct chooser_beam {
        size_t width;
        int32_t *arena;
        kpred_ctx ctx;
    } beam[CHOOSER_BEAMS];
    kpred_tuple *tuples; /* of the widest */
};

enum { WIDER = 4 };

/* The fields are gpu, m, n and k, and of the family's details as many as there are. */
static int find_fields(struct chooser *p, const struct target *t, const struct family *f)
{
    static const char *const names[] = {"m", "n", "k"};
    const int32_t gpu = kpred_field_index(p->model, "gpu");
    uint32_t n = 4;
    for (size_t i = 0; f->details[i] != NULL; i++)
        n += kpred_field_index(p->model, f->details[i]) >= 0;
    for (size_t i = 0; i < 3; i++)
        if ((p->mnk_at[i] = kpred_field_index(p->model, names[i])) < 0)
            n = 0;
    if (gpu < 0 || p->model->n_fields != n)
        return fail("%s: its fields are not gpu, m, n, k and details of the family %s",
                    p->model->name, f->name);
    p->problem[gpu] = kpred_token(p->model, (size_t)gpu, t->token);
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
    *p = (struct chooser){.model = t->model[family], .may_run = may_run};
    if (find_fields(p, t, &families[family]) != 0)
        return -1;
    const kpred_model *m = p->model;
    p->library = p->split = m->n_params;
    for (uint32_t i = 0; i < m->n_params; i++)
        if (strcmp(m->params[i].name, "library") == 0 && m->params[i].names != NULL)
            p->library = i;
        else if (strcmp(m->params[i].name, "split") == 0)
            p->split = i;
    if (p->library == m->n_params || p->split == m->n_params)
        return fail("%s: it has no parameters library and split", m->name);
    const kpred_status status = open_beam(p, beam);
    return status == KPRED_OK ? 0 : fail("%s: %s", m->name, kpred_status_string(status));
}

/* Those of n tuples that may run, at most `most` */
static size_t rows_choose(const struct chooser *p, size_t n, uint32_t outside, size_t most,
                          struct prediction *out)
{
    const kpred_model *m = p->model;
    size_t found = 0;
    for (size_t i = 0; i < n && found < most; i++) {
        const int32_t *values = p->tuples[i].value, kernel = kpred_kernel_of(m, values);
        if (kernel < 0 || !p->may_run[kernel])
            continue;
        out[found].kernel = kpred_kernel_name(m, kernel);
        out[found].id = kpred_kernel_id(m, kernel, p->problem);
        out[found].is_copied = 0;
        out[found].outside = outside;
        out[found].library = m->params[p->library].names[values[p->library]];
        out[found].split = values[p->split];
        out[found++].score = p->tuples[i].score;
    }
    return found;
}

/* The best 1..`most` of a shape, best first: their number. 0: there is none, since no legal kernel
   may run; *status then says whether there is a legal one. The beam grows as far as it has to. */
static size_t chooser_run(struct chooser *p, const struct asked_shape *s, size_t most,
                          struct prediction *out, kpred_status *status)
{
    const int32_t mnk[3] = {s->m, s->n, s->k};
    size_t found = 0, width = 0;
    for (size_t i = 0; i < 3; i++)
        p->problem[p->mnk_at[i]] = mnk[i];
    *status = KPRED_OK;
    for (size_t i = 0; width < KPRED_MAX_BEAM && found < most; i++) {
        size_t got = 0;
        if (i == p->n_open)
            *status = open_beam(p, width * WIDER < KPRED_MAX_BEAM ? width * WIDER : KPRED_MAX_BEAM);
        if (*status != KPRED_OK)
            return 0;
        width = p->beam[i].width;
        *status =
            kpred_predict(&p->beam[i].ctx, p->problem, p->model->n_fields, p->tuples, width, &got);
        if (*status != KPRED_OK)
            return 0;
        found = rows_choose(p, got, p->beam[i].ctx.extrapolated, most, out);
    }
    return found;
}

/* ---- rows ---- */

/* What is the same for all rows of a family */
struct work {
    struct rows *rows;
    struct rows_family *to;
    int is_modelled; /* does the model answer the pair of N and K at hand? */
    struct answering *by;
    const struct rows_options *o;
    struct chooser chooser;   /* without a model: no shape is predicted */
    struct prediction *best;  /* of o->top */
    size_t without;           /* M for which there is no prediction */
    struct rows_layer *layer; /* the one at hand */
};

/* Of a family without nearest shapes no measured rows are kept. */
static void rows_predict(struct work *w, const struct asked_shape *s)
{
    const struct installed_family *in = &w->by->installed.of[s->family];
    kpred_status status = KPRED_OK;
    char why[160];
    size_t n = w->is_modelled ? chooser_run(&w->chooser, s, w->o->top, w->best, &status) : 0;
    if (n == 0)
        n = nearest_find(in, s, w->o->only_ck, w->o->top, w->best);
    for (size_t i = 0; i < n; i++) {
        w->to->v = xgrow(w->to->v, w->to->n, &w->to->cap, sizeof *w->to->v);
        w->to->v[w->to->n++] = (struct row){*s, i + 1, w->best[i]};
        w->to->copied += (size_t)w->best[i].is_copied;
    }
    if (n != 0)
        return;
    w->without++;
    snprintf(why, sizeof why, "%s: %s", families[s->family].name,
             in->n != 0           ? "no kernel of --installed is known to take it"
             : status == KPRED_OK ? "no legal kernel is compiled in"
                                  : kpred_status_string(status));
    if (w->layer->why == NULL)
        w->layer->why = xstrdup(why);
    tally_add(&w->rows->left_out, s->at, why);
}

static int has(const struct work *w, const struct asked_shape *s, int32_t m)
{
    return installed_has(w->by, &(struct asked_shape){s->family, m, s->n, s->k, s->detail, s->at});
}

/* AITER would find a row at M before the measured one of M's fine step: that one is not hidden
   unless just this M was asked for. */
static void add_m(struct work *w, const struct asked_shape *of, int32_t m)
{
    const size_t before = w->to->kept + w->to->served;
    struct asked_shape s = *of;
    s.m = m;
    if (w->o->reads != NULL && !w->o->reads(w->o->with, &s))
        return;
    if (has(w, &s, s.m))
        w->to->kept++;
    else if (!w->o->is_exact && families[s.family].ladder == LADDER_FINE
             && has(w, &s, serving_fine(s.m)))
        w->to->served++;
    else
        rows_predict(w, &s);
    w->layer->measured += w->to->kept + w->to->served - before;
}

/* ---- rows: one pair of N and K: the shapes v[0..n-1] ---- */

enum { MOST_GRID = 128 };

static size_t add_powers(int32_t *m, size_t n, int32_t from, int32_t last)
{
    for (int32_t power = from; power <= last; power *= 2)
        m[n++] = power;
    return n;
}

/* Every M for which AITER looks, ascending: 1, 2, 4 and 8, every fine step, and 8192, 16384 and
   32768; or the powers of two among the tiers of tokens */
static size_t rows_grid(int32_t m[MOST_GRID], int of_tokens)
{
    size_t n = add_powers(m, 0, 1, of_tokens ? SERVING_LAST : serving_fine(1) / 2);
    for (int32_t fine = serving_fine(1); fine <= SERVING_LAST_FINE && !of_tokens;
         fine = serving_fine(fine + 1))
        m[n++] = fine;
    return of_tokens ? n : add_powers(m, n, 2 * SERVING_LAST_FINE, SERVING_LAST);
}

static void add_grid(struct work *w, const struct asked_shape *v, size_t n)
{
    int32_t grid[MOST_GRID], last = SERVING_LAST;
    const size_t before = w->to->n, without = w->without;
    const int of_tokens = families[v->family].ladder == LADDER_TOKENS;
    const size_t n_grid = rows_grid(grid, of_tokens);
    for (size_t i = 0; i < n_grid; i++)
        add_m(w, v, grid[i]);
    for (size_t i = 0; i < n; i++) {
        const int32_t m = of_tokens ? serving_tier(v[i].m) : serving_coarse(v[i].m, v->n);
        if (m <= last)
            continue;
        add_m(w, &v[i], m);
        last = m;
    }
    /* AITER takes the row of a smaller tier of tokens where one is missing. So a layer has all
       tiers or none: the kernels of few tokens may not suit many. */
    for (; of_tokens && w->without != without && w->to->n > before; w->to->n--) {
        w->to->copied -= (size_t)w->to->v[w->to->n - 1].best.is_copied;
        tally_add(&w->rows->left_out, v->at,
                  "fmoe: AITER would take the row for a larger tier, for which there is none");
    }
}

/* AITER looks for M, for its fine step and for its coarse one, or for the tier. Of a shape that is
   left out nothing is counted. */
static void rows_count(struct work *w, const struct asked_shape *s)
{
    const enum ladder ladder = families[s->family].ladder;
    int32_t m[3] = {s->m, serving_fine(s->m), serving_coarse(s->m, s->n)};
    if (ladder != LADDER_FINE)
        m[1] = m[2] = ladder == LADDER_TOKENS ? serving_tier(s->m) : s->m;
    for (size_t i = 0; i < 3; i++) {
        const struct row *r = NULL;
        for (size_t j = w->layer->first; j < w->to->n && r == NULL; j++)
            r = w->to->v[j].shape.m == m[i] ? &w->to->v[j] : NULL;
        const int is_measured = r == NULL && has(w, s, m[i]);
        w->rows->measured += (size_t)is_measured;
        if (r != NULL)
            ++*(r->best.is_copied ? &w->rows->copied : &w->rows->predicted);
        if (r != NULL || is_measured)
            return;
    }
}

/* ---- rows: one family ---- */

/* No model answers the shapes of a pair. */
static void why_not_modelled(const struct work *w, const struct asked_shape *s, struct buf *why)
{
    const struct family *f = &families[s->family];
    struct buf known = {NULL, 0, 0};
    const char *gpus = target_known(s->family, &known);
    if (*gpus == '\0')
        buf_printf(why, "kpred has no model of the family %s", f->name);
    else if (w->by->target.model[s->family] == NULL)
        buf_printf(why, "the model of %s does not know %s (known: %s)", f->name,
                   w->by->target.token, gpus);
    else if (w->chooser.model == NULL)
        buf_printf(why, "no kernel of %s that is compiled in is left", f->name);
    else
        buf_printf(why, "the model of %s does not answer %s", f->name, s->detail);
    if (f->has_nearest)
        buf_printf(why, ", nor has --installed a row for %s", w->by->target.token);
    buf_free(&known);
}

static void leave_pair_out(struct work *w, const struct asked_shape *v, size_t n)
{
    struct buf why = {NULL, 0, 0};
    why_not_modelled(w, v, &why);
    w->layer->why = xstrdup(why.s);
    for (size_t i = 0; i < n; i++)
        tally_add(&w->by->asked.left_out, v[i].at, why.s);
    if (families[v->family].has_nearest)
        w->rows->without_rows += n;
    else if (w->by->target.model[v->family] == NULL)
        w->rows->without_gpu += n;
    buf_free(&why);
}

static void add_pair(struct work *w, const struct asked_shape *v, size_t n)
{
    struct rows *r = w->rows;
    r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
    w->layer = &r->v[r->n++];
    *w->layer = (struct rows_layer){.shape = *v, .first = w->to->n};
    w->is_modelled = family_is_modelled(v->family, w->chooser.model, v->detail, w->chooser.problem);
    if (!w->is_modelled && w->by->installed.of[v->family].n == 0) {
        leave_pair_out(w, v, n);
        return;
    }
    w->to->pairs++;
    w->to->shapes += n;
    const int is_exact = w->o->is_exact || families[v->family].ladder == LADDER_ASKED;
    for (size_t i = 0; i < n && is_exact; i++)
        add_m(w, &v[i], v[i].m);
    if (!is_exact)
        add_grid(w, v, n);
    w->layer->rows = w->to->n - w->layer->first;
    for (size_t i = 0; i < n; i++)
        rows_count(w, &v[i]);
}

/* The model answers only where it has a kernel that can run. */
static int add_family(struct work *w, const struct asked_shape *v, size_t n)
{
    const enum family_id family = v->family;
    size_t n_kernels = 0;
    unsigned char *flags = NULL;
    int rc = 0;
    memset(&w->chooser, 0, sizeof w->chooser);
    w->to = &w->rows->of[family];
    if (w->by->target.model[family] != NULL)
        flags = compiled_flags(w->by, family, w->o->only_ck, &n_kernels);
    if (n_kernels != 0)
        rc = chooser_open(&w->chooser, &w->by->target, family, flags, w->o->beam);
    for (size_t i = 0, next; i < n && rc == 0; i = next) {
        for (next = i; next < n && asked_is_pair(&v[i], &v[next]);)
            next++;
        add_pair(w, v + i, next - i);
    }
    for (size_t i = 0; i < w->chooser.n_open; i++)
        free(w->chooser.beam[i].arena);
    free(w->chooser.tuples);
    free(flags);
    return rc;
}

size_t rows_outside(const struct row *v, size_t n, size_t ranks, const kpred_model *m,
                    struct buf *b)
{
    size_t outside = 0;
    uint32_t fields = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i].best.outside != 0 && v[i].rank <= ranks) {
            outside++;
            fields |= v[i].best.outside;
        }
    if (outside != 0)
        model_outside(m, fields, outside, as_counted(outside, "row lies", "rows lie"), b);
    return outside;
}

int rows_make(struct answering *by, const struct rows_options *o)
{
    const struct asked *a = &by->asked;
    struct work w = {.rows = &by->rows, .by = by, .o = o};
    int rc = 0;
    w.best = xcalloc(o->top, sizeof *w.best);
    for (size_t i = 0, next; i < a->n && rc == 0; i = next) {
        for (next = i; next < a->n && a->v[next].family == a->v[i].family;)
            next++;
        rc = add_family(&w, a->v + i, next - i);
    }
    free(w.best);
    return rc;
}

void rows_free(struct rows *r)
{
    for (int i = 0; i < N_FAMILIES; i++)
        free(r->of[i].v);
    for (size_t i = 0; i < r->n; i++)
        free(r->v[i].why);
    free(r->v);
    tally_free(&r->left_out);
    memset(r, 0, sizeof *r);
}
