/* coverage.c - see coverage.h
   SPDX-License-Identifier: MIT */
#include "coverage.h"

#include "data/split.h"
#include "model/registry.h"
#include "tuple_text.h"
#include "user_db.h"

#include <stdlib.h>
#include <string.h>

struct coverage_model {
    struct model model;
    int field[CONV_N_SOURCES];
    int32_t gpu;    /* -1: the model has not seen it */
    int is_near;    /* it is the nearest in place of the one asked for */
    int runs_there; /* the kernel, on the GPU asked for */
    int32_t *arena;
    kpred_ctx ctx;
};

/* ---- models ---- */

static int open_model(struct coverage_model *cm, const struct builtin *b, size_t beam)
{
    if (model_open(b->model->name, &cm->model) != 0)
        return -1;
    if (cm->model.spec->format != SPEC_MIOPEN)
        return 0;
    if (conv_map_fields(cm->model.spec, b->model->name, cm->field) != 0)
        return -1;
    const size_t words = kpred_arena_words(&cm->model.m, beam);
    cm->arena = xcalloc(words, sizeof *cm->arena);
    const kpred_status status =
        kpred_init(&cm->ctx, KPRED_VERSION, &cm->model.m, beam, cm->arena, words);
    return status == KPRED_OK ? 0 : fail("%s: %s", b->model->name, kpred_status_string(status));
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

/* Adds a word to a list, unless it is there. */
static void add_once(struct buf *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list->s; p && (p = strstr(p, word)) != NULL; p += n)
        if ((p == list->s || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return;
    buf_printf(list, "%s%s", list->n ? " " : "", word);
}

/* What may be asked for: the GPUs of all models, or the architectures of their kernels */
static void list_gpus(const struct coverage *c, int archs, struct buf *list)
{
    for (size_t i = 0; i < c->n_models; i++) {
        const kpred_model *m = &c->models[i]->model.m;
        const int f = c->models[i]->field[CONV_GPU];
        for (size_t t = 0; archs && m->runs_on && m->runs_on[t]; t++)
            add_once(list, m->runs_on[t]);
        for (int32_t t = 0; !archs && f >= 0 && t < m->fields[f].n_tokens; t++)
            add_once(list, m->fields[f].tokens[t]);
    }
}

static int no_gpu(const struct coverage *c, const char *gpu)
{
    struct buf list = {NULL, 0, 0};
    size_t there = 0, near = 0;
    for (size_t i = 0; i < c->n_models; i++) {
        int exact;
        there += c->models[i]->runs_there != 0;
        near += c->models[i]->field[CONV_GPU] >= 0
                && model_gpu(&c->models[i]->model, (size_t)c->models[i]->field[CONV_GPU], gpu, 1,
                             &exact)
                       >= 0;
    }
    const int is_known = there > 0 || near > 0;
    list_gpus(c, !is_known && strncmp(gpu, "gfx", 3) == 0, &list);
    const int bad =
        c->n_models == 0 ? fail("there is no model of a kernel of MIOpen")
        : near > 0       ? fail("--gpu \"%s\": no model was trained on it; they know %s, of which "
                                      "--nearest takes the nearest",
                                gpu, list.s)
        : strncmp(gpu, "gfx", 3) == 0
            ? fail("--gpu \"%s\": no kernel of the models runs there; they run on %s", gpu, list.s)
            : fail("--gpu \"%s\": is no name of a GPU; the models know %s", gpu, list.s);
    buf_free(&list);
    return bad;
}

/* Each model's token of the GPU; at least one has to have it. */
static int set_gpu(struct coverage *c, const char *gpu, int nearest)
{
    size_t known = 0;
    for (size_t i = 0; i < c->n_models; i++)
        known += (size_t)set_model_gpu(c->models[i], gpu, nearest);
    note_nearest(c, gpu);
    return known != 0 ? 0 : no_gpu(c, gpu);
}

static void close_model(struct coverage_model *cm)
{
    model_free(&cm->model);
    free(cm->arena);
    free(cm);
}

static int by_solver(const void *pa, const void *pb)
{
    const struct coverage_model *const *a = pa, *const *b = pb;
    return strcmp((*a)->model.spec->solver, (*b)->model.spec->solver);
}

int coverage_open(struct coverage *c, const char *gpu, int nearest, size_t beam)
{
    size_t n = 0;
    memset(c, 0, sizeof *c);
    while (builtins[n].model != NULL)
        n++;
    c->models = xcalloc(n, sizeof(struct coverage_model *));
    for (size_t i = 0; i < n; i++) {
        struct coverage_model *cm = xcalloc(1, sizeof *cm);
        c->models[c->n_models++] = cm;
        if (open_model(cm, &builtins[i], beam) != 0)
            return -1;
        if (cm->model.spec->format != SPEC_MIOPEN)
            close_model(c->models[--c->n_models]);
    }
    qsort(c->models, c->n_models, sizeof(struct coverage_model *), by_solver);
    return set_gpu(c, gpu, nearest);
}

void coverage_close(struct coverage *c)
{
    for (size_t i = 0; i < c->n_models; i++)
        close_model(c->models[i]);
    for (size_t i = 0; i < c->n; i++) {
        free(c->problems[i].key);
        free(c->problems[i].entries);
    }
    free(c->models);
    free(c->problems);
    free(c->slots);
    buf_free(&c->key);
    buf_free(&c->entries);
    memset(c, 0, sizeof *c);
}

/* ---- one problem, one model ---- */

/* The problem in the model's fields; -1, or why the model does not cover it. */
static int read_problem(const struct coverage_model *cm, const struct conv *conv, int32_t *problem)
{
    const kpred_model *m = &cm->model.m;
    const char dir[] = {conv->dir, '\0'};
    int64_t value[KPRED_MAX_FIELDS] = {0};
    struct conv_gap gap;
    const enum conv_gap_kind kind = conv_find_gap(cm->model.spec, cm->field, conv, &gap);
    if (kind != GAP_NONE)
        return (int)kind;
    if (!conv_has_key(conv))
        return CALL_SIZE;
    conv_put_sizes(cm->field, conv, value);
    value[cm->field[CONV_DIR]] = kpred_token(m, (size_t)cm->field[CONV_DIR], dir);
    value[cm->field[CONV_DTYPE]] = kpred_token(m, (size_t)cm->field[CONV_DTYPE], conv->dtype);
    if (value[cm->field[CONV_DTYPE]] < 0)
        return CALL_DTYPE;
    if (cm->field[CONV_LAYOUT] >= 0)
        value[cm->field[CONV_LAYOUT]] =
            kpred_token(m, (size_t)cm->field[CONV_LAYOUT], conv_layout(conv));
    if (cm->field[CONV_LAYOUT] >= 0 && value[cm->field[CONV_LAYOUT]] < 0)
        return GAP_LAYOUT;
    if (value[cm->field[CONV_DIR]] < 0)
        return CALL_RULE;
    if (cm->gpu < 0)
        return cm->runs_there ? CALL_GPU : CALL_ARCH;
    if (cm->field[CONV_GPU] >= 0)
        value[cm->field[CONV_GPU]] = cm->gpu;
    for (size_t f = 0; f < m->n_fields; f++) {
        if (value[f] < m->fields[f].least || value[f] > m->fields[f].most)
            return CALL_SIZE;
        problem[f] = (int32_t)value[f];
    }
    return -1;
}

static void add_entry(struct buf *b, const struct coverage_model *cm, const kpred_tuple *t)
{
    buf_printf(b, "%s%s:", b->n != 0 ? ";" : "", cm->model.spec->solver);
    tuple_text_add(&cm->model.m, t->value, b);
}

/* Why the rule rejects a problem: would it take another direction? */
static int find_fault(const struct coverage_model *cm, int32_t *problem)
{
    const kpred_field *field = &cm->model.m.fields[cm->field[CONV_DIR]];
    int32_t *dir = &problem[cm->field[CONV_DIR]];
    for (*dir = 0; *dir < field->n_tokens; ++*dir)
        if (cm->model.m.rule(problem, problem, 0))
            return CALL_DIRECTION;
    return CALL_RULE;
}

/* Adds the entry of the best tuple: 0, or 1 with *gap told, or -1 with a message. */
static int predict(struct coverage *c, struct coverage_model *cm, const struct conv *conv, int *gap)
{
    int32_t problem[KPRED_MAX_FIELDS];
    kpred_tuple best;
    size_t n = 0;
    *gap = read_problem(cm, conv, problem);
    if (*gap >= 0)
        return 1;
    const kpred_status status =
        kpred_predict(&cm->ctx, problem, cm->model.m.n_fields, &best, 1, &n);
    if (status == KPRED_OK) {
        add_entry(&c->entries, cm, &best);
        c->n_entries++;
        c->extrapolated += cm->ctx.extrapolated != 0;
        return 0;
    }
    *gap = status == KPRED_ERR_NOT_APPLICABLE ? find_fault(cm, problem) : CALL_INFEASIBLE;
    if (status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE
        || status == KPRED_ERR_BUDGET)
        return 1;
    return fail("%s: %s", cm->model.m.name, kpred_status_string(status));
}

/* ---- distinct problems ---- */

static size_t *find_slot(const struct coverage *c, const char *key, size_t n)
{
    size_t i = (size_t)split_hash(key, n) & (c->n_slots - 1);
    while (c->slots[i] != 0 && strcmp(c->problems[c->slots[i] - 1].key, key) != 0)
        i = (i + 1) & (c->n_slots - 1);
    return &c->slots[i];
}

/* Keeps at least half of the slots free. */
static void grow(struct coverage *c)
{
    if (2 * c->n < c->n_slots)
        return;
    c->n_slots = c->n_slots != 0 ? 2 * c->n_slots : 1024;
    free(c->slots);
    c->slots = xcalloc(c->n_slots, sizeof *c->slots);
    for (size_t i = 0; i < c->n; i++)
        *find_slot(c, c->problems[i].key, strlen(c->problems[i].key)) = i + 1;
}

static struct problem *new_problem(struct coverage *c, const char *key)
{
    c->problems = xgrow(c->problems, c->n, &c->cap, sizeof *c->problems);
    struct problem *p = &c->problems[c->n++];
    p->key = xstrdup(key);
    p->entries = NULL;
    p->gap = -1;
    return p;
}

/* Looks the problem up, or predicts it with every model; NULL with a message. */
static const struct problem *find_problem(struct coverage *c, const struct conv *conv)
{
    c->key.n = c->entries.n = 0;
    conv_add_key(conv, &c->key);
    grow(c);
    size_t *slot = find_slot(c, c->key.s, c->key.n);
    if (*slot != 0)
        return &c->problems[*slot - 1];
    struct problem *p = new_problem(c, c->key.s);
    *slot = c->n;
    for (size_t i = 0; i < c->n_models; i++) {
        int gap;
        const int rc = predict(c, c->models[i], conv, &gap);
        if (rc < 0)
            return NULL;
        if (rc > 0 && gap > p->gap)
            p->gap = gap;
    }
    if (c->entries.n != 0)
        p->entries = xstrdup(c->entries.s);
    return p;
}

/* ---- calls ---- */

static int add_conv(struct coverage *c, const struct driver_call *call)
{
    static const char dirs[] = "FBW"; /* in the order of DRIVER_FORWARD and so on */
    struct conv conv = call->conv;
    int covered = 0, gap = -1;
    for (int i = 0; i < 3; i++) {
        if (!(call->directions >> i & 1))
            continue;
        conv.dir = dirs[i];
        const struct problem *p = find_problem(c, &conv);
        if (p == NULL)
            return -1;
        covered |= p->entries != NULL;
        gap = p->gap > gap ? p->gap : gap;
    }
    if (covered)
        c->covered++;
    else
        c->gaps[gap]++;
    return 0;
}

int coverage_add(struct coverage *c, enum driver_kind kind, const struct driver_call *call)
{
    c->calls++;
    if (kind == DRIVER_OTHER)
        c->gaps[CALL_OTHER]++;
    else if (kind == DRIVER_BROKEN)
        c->gaps[CALL_BROKEN]++;
    else if (call->is_transposed)
        c->gaps[CALL_TRANSPOSED]++;
    else
        return add_conv(c, call);
    return 0;
}

size_t coverage_leave_out(struct coverage *c, const char *key, const char *entries)
{
    const size_t slot = c->n != 0 ? *find_slot(c, key, strlen(key)) : 0;
    struct problem *p = slot != 0 ? &c->problems[slot - 1] : NULL;
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

void coverage_note(const struct coverage *c)
{
#define GAP_TEXT(name, text) text,
    static const char *const texts[CALL_N_GAPS] = {CONV_GAPS(GAP_TEXT) CALL_GAPS(GAP_TEXT)};
#undef GAP_TEXT
    size_t problems = 0;
    for (size_t i = 0; i < c->n; i++)
        problems += c->problems[i].entries != NULL;
    note("%zu line%s, %zu driver lines: %zu covered, %zu not; %zu problems, %zu entries", c->lines,
         c->lines == 1 ? "" : "s", c->calls, c->covered, c->calls - c->covered, problems,
         c->n_entries);
    for (size_t i = 0; i < CALL_N_GAPS; i++)
        if (c->gaps[i] != 0)
            note("  %zu line%s: %s", c->gaps[i], c->gaps[i] == 1 ? "" : "s", texts[i]);
    if (c->extrapolated != 0)
        note("%zu entries are for sizes outside the range trained on", c->extrapolated);
}
