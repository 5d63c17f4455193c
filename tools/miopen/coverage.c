/* coverage.c - the convolutions that a log calls for, and the best tuples of the kernels for them
   SPDX-License-Identifier: MIT */
#include "user_db.h"

#include "tuple_text.h"

#include "base/names.h"
#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

/* Why a call is not covered: behind the kinds of reasons.h, those of the call as a whole */
enum call_kind { CALL_INFEASIBLE = REASON_SIZE + 1, CALL_OTHER, CALL_TRANSPOSED, CALL_BROKEN };

/* ---- models ---- */

static void close_model(struct coverage_model *cm)
{
    model_free(&cm->model);
    free(cm->arena);
    free(cm);
}

int coverage_models(struct coverage *c)
{
    size_t n = 0;
    memset(c, 0, sizeof *c);
    while (builtins[n].model != NULL)
        n++;
    c->models = xcalloc(n + 1, sizeof(struct coverage_model *));
    for (const struct builtin *b = builtins; b->model != NULL; b++) {
        struct coverage_model *cm = c->models[c->n_models++] = xcalloc(1, sizeof *cm);
        if (model_open(b->model->name, &cm->model) != 0)
            return -1;
        if (cm->model.spec->format != SPEC_MIOPEN)
            close_model(c->models[--c->n_models]);
        else if (conv_map_fields(cm->model.spec, b->model->name, cm->field) != 0)
            return -1;
    }
    return 0;
}

/* Its token of the GPU: does the model have one? */
static int set_model_gpu(struct coverage_model *cm, const char *gpu, int nearest)
{
    int exact = 1;
    cm->runs_there = kpred_runs_on(&cm->model.m, gpu);
    if (cm->field[CONV_GPU] < 0)
        cm->gpu = cm->runs_there ? 0 : -1;
    else
        cm->gpu = model_gpu(&cm->model, (size_t)cm->field[CONV_GPU], gpu, nearest, &exact);
    cm->is_near = cm->gpu >= 0 && !exact;
    return cm->gpu >= 0;
}

static const char *gpu_of(const struct coverage_model *cm)
{
    return cm->model.m.fields[cm->field[CONV_GPU]].tokens[cm->gpu];
}

/* Tells for each GPU that is taken as the nearest which solvers take it. */
static void note_nearest(const struct coverage *c, const char *gpu)
{
    for (size_t i = 0; i < c->n_models; i++) {
        struct buf solvers = {NULL, 0, 0};
        size_t first = c->n_models;
        for (size_t j = 0; c->models[i]->is_near && j < c->n_models; j++)
            if (c->models[j]->is_near && !strcmp(gpu_of(c->models[j]), gpu_of(c->models[i]))) {
                first = j < first ? j : first;
                buf_printf(&solvers, "%s%s", solvers.n ? ", " : "",
                           c->models[j]->model.spec->solver);
            }
        if (first == i)
            note("no model for %s, taking the nearest trained GPU, %s, for %s", gpu,
                 gpu_of(c->models[i]), solvers.s);
        buf_free(&solvers);
    }
}

static void add_once(struct buf *list, const char *word)
{
    if (!names_has_word(list->s, word))
        buf_printf(list, "%s%s", list->n ? " " : "", word);
}

/* No model knows the GPU: does one know a near one, or does no kernel run there? */
static int no_gpu(const struct coverage *c, const char *gpu, int nearest)
{
    struct buf known = {NULL, 0, 0}, archs = {NULL, 0, 0};
    int runs_there = 0;
    for (size_t i = 0; i < c->n_models; i++) {
        const kpred_model *m = &c->models[i]->model.m;
        const int f = c->models[i]->field[CONV_GPU];
        runs_there |= c->models[i]->runs_there;
        for (size_t t = 0; m->runs_on && m->runs_on[t]; t++)
            add_once(&archs, m->runs_on[t]);
        for (int32_t t = 0; f >= 0 && t < m->fields[f].n_tokens; t++)
            add_once(&known, m->fields[f].tokens[t]);
    }
    if (runs_there && !nearest)
        fail("--gpu \"%s\": no model was trained on it; they know %s, of which --nearest takes the "
             "nearest",
             gpu, known.s ? known.s : "none");
    else
        fail("--gpu \"%s\": no kernel of the models runs there; they run on %s", gpu,
             archs.s ? archs.s : "none");
    buf_free(&known);
    buf_free(&archs);
    return -1;
}

static int by_solver(const void *pa, const void *pb)
{
    const struct coverage_model *const *a = pa, *const *b = pb;
    return strcmp((*a)->model.spec->solver, (*b)->model.spec->solver);
}

int coverage_open(struct coverage *c, const char *gpu, int nearest, size_t beam)
{
    struct buf b = {NULL, 0, 0};
    size_t known = 0;
    int rc = coverage_models(c);
    for (size_t i = 0; i < c->n_models && rc == 0; i++) {
        struct coverage_model *cm = c->models[i];
        const size_t words = kpred_arena_words(&cm->model.m, beam);
        cm->arena = xcalloc(words, sizeof *cm->arena);
        const kpred_status status =
            kpred_init(&cm->ctx, KPRED_VERSION, &cm->model.m, beam, cm->arena, words);
        if (status != KPRED_OK)
            rc = fail("%s: %s", cm->model.m.name, kpred_status_string(status));
    }
    qsort(c->models, c->n_models, sizeof(struct coverage_model *), by_solver);
    gpu = rc == 0 ? gpu_asked("--gpu", gpu, &b) : NULL;
    if (gpu == NULL)
        rc = -1;
    for (size_t i = 0; i < c->n_models && rc == 0; i++)
        known += (size_t)set_model_gpu(c->models[i], gpu, nearest);
    if (rc == 0)
        note_nearest(c, gpu);
    if (rc == 0 && known == 0) /* at least one has to know it */
        rc = no_gpu(c, gpu, nearest);
    buf_free(&b);
    return rc;
}

void coverage_close(struct coverage *c)
{
    for (size_t i = 0; i < c->n_models; i++)
        close_model(c->models[i]);
    for (size_t i = 0; i < c->n; i++)
        free(c->problems[i].entries);
    for (size_t i = 0; i < c->n_gaps; i++) {
        free(c->gaps[i].log);
        free(c->gaps[i].broken);
    }
    free(c->gaps);
    free(c->models);
    free(c->problems);
    intern_free(&c->keys);
    buf_free(&c->key);
    buf_free(&c->entries);
    memset(c, 0, sizeof *c);
}

/* ---- one problem, one model ---- */

/* 0 with the best tuple, or 1 with why the kernel has none, or -1 with a message */
static int find_tuple(struct coverage_model *cm, const struct conv *conv, kpred_tuple *best,
                      struct reason *why)
{
    int32_t problem[KPRED_MAX_FIELDS];
    size_t n = 0;
    if (problem_of_conv(&cm->model, cm->field, conv, problem, why) != REASON_NONE)
        return 1;
    if (cm->field[CONV_GPU] >= 0)
        problem[cm->field[CONV_GPU]] = cm->gpu;
    const kpred_status status = kpred_predict(&cm->ctx, problem, cm->model.m.n_fields, best, 1, &n);
    if (status == KPRED_OK)
        return 0;
    if (status == KPRED_ERR_NOT_APPLICABLE && reason_find(&cm->model, problem, why) != REASON_NONE)
        return 1;
    *why = (struct reason){.kind = (enum reason_kind)CALL_INFEASIBLE};
    if (status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE
        || status == KPRED_ERR_BUDGET)
        return 1;
    return fail("%s: %s", cm->model.m.name, kpred_status_string(status));
}

/* Adds the entry of the best tuple. Without one the gap is told, if this kernel comes nearer than
   those before. 0, or -1 with a message. */
static int coverage_predict(struct coverage *c, struct coverage_model *cm, const struct conv *conv,
                            struct gap *gap)
{
    kpred_tuple best;
    struct reason why;
    if (cm->gpu < 0)
        return 0;
    const int rc = find_tuple(cm, conv, &best, &why);
    if (rc == 0) {
        buf_printf(&c->entries, "%s%s:", c->entries.n != 0 ? ";" : "", cm->model.spec->solver);
        tuple_text_add(&cm->model.m, best.value, &c->entries);
        c->n_entries++;
        c->extrapolated += cm->ctx.extrapolated != 0;
    } else if (rc > 0 && why.kind > gap->why.kind) {
        /* Layouts, types and the like are the same question for all kernels; sizes are not. */
        const int is_own =
            why.kind != REASON_DIMS && (why.kind < REASON_LAYOUT || why.kind > REASON_CASTS);
        gap->solver = is_own ? cm->model.spec->solver : NULL;
        gap->why = why;
    }
    return rc < 0 ? -1 : 0;
}

/* ---- distinct problems ---- */

/* Looks the problem up, or predicts it with every model; NULL with a message. */
static const struct problem *find_problem(struct coverage *c, const struct conv *conv)
{
    c->key.n = c->entries.n = 0;
    conv_add_key(conv, &c->key);
    const size_t at = intern(&c->keys, c->key.s, c->key.n);
    if (at < c->n)
        return &c->problems[at];
    c->problems = xgrow(c->problems, c->n, &c->cap, sizeof *c->problems);
    struct problem *p = &c->problems[c->n++];
    *p = (struct problem){.key = c->keys.v[at].s};
    for (size_t i = 0; i < c->n_models; i++)
        if (coverage_predict(c, c->models[i], conv, &p->gap) != 0)
            return NULL;
    if (c->entries.n != 0)
        p->entries = xstrdup(c->entries.s);
    return p;
}

/* ---- gaps ---- */

/* Sizes that a condition rules out are one gap; words are few, and each is one. */
static int compare_gaps(const struct gap *a, const struct gap *b)
{
    const int is_word = a->why.kind == REASON_LAYOUT || a->why.kind == REASON_DTYPE;
    int rc = (int)a->why.kind - (int)b->why.kind;
    if (rc == 0)
        rc = strcmp(a->why.what, b->why.what);
    if (rc == 0 && is_word)
        rc = strcmp(a->why.value, b->why.value);
    if (rc == 0)
        rc = strcmp(a->why.need, b->why.need);
    return rc == 0 && a->solver != NULL ? strcmp(a->solver, b->solver) : rc;
}

static int by_gap(const void *pa, const void *pb)
{
    const struct gap_count *a = pa, *b = pb;
    return compare_gaps(&a->gap, &b->gap);
}

/* `broken` is why a call is, or NULL. */
static void count_gap(struct coverage *c, const struct gap *gap, const char *broken,
                      const char *log, size_t line)
{
    size_t i = 0;
    while (i < c->n_gaps && compare_gaps(&c->gaps[i].gap, gap) != 0)
        i++;
    if (i == c->n_gaps) {
        c->gaps = xgrow(c->gaps, c->n_gaps, &c->gaps_cap, sizeof *c->gaps);
        c->gaps[c->n_gaps++] = (struct gap_count){.gap = *gap,
                                                  .log = xstrdup(log),
                                                  .broken = broken != NULL ? xstrdup(broken) : NULL,
                                                  .line = line,
                                                  .calls = 0};
    }
    c->gaps[i].calls++;
}

static const char *gap_text(const struct gap_count *count, struct buf *b)
{
    const struct gap *gap = &count->gap;
    switch ((int)gap->why.kind) {
    case CALL_OTHER: return "another operation than a convolution";
    case CALL_TRANSPOSED: return "a transposed convolution";
    case CALL_BROKEN: buf_printf(b, "broken: %s", count->broken); return b->s;
    case CALL_INFEASIBLE: buf_printf(b, "%s has no legal tuple", gap->solver); return b->s;
    default:
        if (gap->solver != NULL)
            buf_printf(b, "%s: ", gap->solver);
        return reason_text(&gap->why, b);
    }
}

/* ---- calls ---- */

/* 1 if a model covers one of its directions; 0 with the nearest of their gaps; -1 with a message */
static int add_conv(struct coverage *c, const struct driver_call *call, struct gap *gap)
{
    static const char dirs[] = "FBW"; /* in the order of DRIVER_FORWARD and so on */
    struct conv conv = call->conv;
    int covered = 0;
    for (int i = 0; i < 3; i++) {
        if (!(call->directions >> i & 1))
            continue;
        conv.dir = dirs[i];
        const struct problem *p = find_problem(c, &conv);
        if (p == NULL)
            return -1;
        covered |= p->entries != NULL;
        if (p->gap.why.kind > gap->why.kind)
            *gap = p->gap;
    }
    return covered;
}

int coverage_add(struct coverage *c, const char *log, size_t line, enum driver_kind kind,
                 const struct driver_call *call)
{
    struct gap gap = {0};
    int covered = 0;
    c->calls++;
    c->broken += kind == DRIVER_BROKEN;
    if (kind == DRIVER_CONV && !call->is_transposed)
        covered = add_conv(c, call, &gap);
    else if (kind == DRIVER_BROKEN)
        reason_set(&gap.why, (enum reason_kind)CALL_BROKEN, call->option, "", call->form);
    else
        gap.why.kind = (enum reason_kind)(kind == DRIVER_OTHER ? CALL_OTHER : CALL_TRANSPOSED);
    if (covered < 0)
        return -1;
    if (covered)
        c->covered++;
    else
        count_gap(c, &gap, kind == DRIVER_BROKEN ? call->why : NULL, log, line);
    return 0;
}

static struct problem *problem_of_key(const struct coverage *c, const char *key)
{
    const size_t at = intern_find_text(&c->keys, key);
    return at != INTERN_NONE ? &c->problems[at] : NULL;
}

const char *coverage_entries(const struct coverage *c, const char *key)
{
    const struct problem *p = problem_of_key(c, key);
    return p != NULL ? p->entries : NULL;
}

size_t coverage_leave_out(struct coverage *c, const char *key, const char *entries)
{
    struct problem *p = problem_of_key(c, key);
    size_t n = 0, n_solver, n_params, n_known;
    if (p == NULL || p->entries == NULL)
        return 0;
    c->entries.n = 0;
    for (const char *at = p->entries, *start = at;
         user_db_next_entry(&at, &n_solver, &n_params) != NULL; start = at) {
        if (user_db_find_entry(entries, start, n_solver, &n_known) != NULL) {
            n++;
            continue;
        }
        buf_puts(&c->entries, c->entries.n != 0 ? ";" : "");
        buf_add(&c->entries, start, n_solver + 1 + n_params);
    }
    free(p->entries);
    p->entries = c->entries.n != 0 ? xstrdup(c->entries.s) : NULL;
    return n;
}

void coverage_note(struct coverage *c)
{
    size_t problems = 0;
    for (size_t i = 0; i < c->n; i++)
        problems += c->problems[i].entries != NULL;
    note("%zu line%s, %zu driver line%s: %zu covered, %zu not; %zu problem%s, %zu %s", c->lines,
         as_counted(c->lines, "", "s"), c->calls, as_counted(c->calls, "", "s"), c->covered,
         c->calls - c->covered, problems, as_counted(problems, "", "s"), c->n_entries,
         as_counted(c->n_entries, "entry", "entries"));
    if (c->n_gaps != 0)
        qsort(c->gaps, c->n_gaps, sizeof *c->gaps, by_gap);
    for (size_t i = 0; i < c->n_gaps; i++) {
        const struct gap_count *g = &c->gaps[i];
        struct buf text = {NULL, 0, 0};
        note("  %zu line%s: %s; first %s:%zu", g->calls, as_counted(g->calls, "", "s"),
             gap_text(g, &text), g->log, g->line);
        buf_free(&text);
    }
    if (c->extrapolated != 0)
        note("%zu %s for sizes outside the range trained on", c->extrapolated,
             as_counted(c->extrapolated, "entry is", "entries are"));
}
