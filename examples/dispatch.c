/* dispatch.c - a launch path as a kernel library would have it: problem in, legal tuple out,
   whatever happens. Several kernels, a fallback for every status, a context for each thread, no
   allocation; docs/embedding.md gives the reasons. The threads are for show: two decide the same
   problems and must agree. cc -I. examples/dispatch.c -pthread */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"
#include "weights/conv_asm_bwd_wrw_3x3.h"
#include "weights/conv_ocl_direct_fwd_1x1.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SOLVERS = 3, DEFAULTS = 8, BEAM = 10, FIELDS = KPRED_CONV_FIELD_COUNT };
enum {
    ARENA = KPRED_CONV_ASM_1X1U_ARENA(BEAM) + KPRED_CONV_OCL_DIRECT_FWD_1X1_ARENA(BEAM)
            + KPRED_CONV_ASM_BWD_WRW_3X3_ARENA(BEAM)
};

/* In order of preference: a model ranks tuples of its kernel, not kernels. Of the defaults the
   first legal one is used; a row of zeros is legal for none of these kernels. */
static const struct solver {
    const kpred_model *model;
    int32_t filter;
    int32_t defaults[DEFAULTS][KPRED_MAX_TUPLE];
} solvers[SOLVERS] = {
    {&kpred_model_conv_asm_1x1u,
     1, /* MIOpen's untuned choices, for FP32 and then for FP16 */
     {{4, 16, 4, 16, 2, 1, 1, 1},
      {1, 4, 4, 1, 1, 1, 1, 1},
      {1, 1, 4, 1, 1, 2, 1, 1},
      {1, 1, 2, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, 1, 1, 1},
      {4, 16, 8, 16, 2, 2, 1, 1},
      {1, 4, 8, 1, 1, 2, 1, 1},
      {1, 4, 2, 1, 1, 2, 1, 1}}},
    {&kpred_model_conv_ocl_direct_fwd_1x1,
     1,
     {{1, 64, 1, 1, 1, 1, 32, 128, 0}, {1, 64, 1, 1, 0, 1, 16, 4, 0}}},
    {&kpred_model_conv_asm_bwd_wrw_3x3,
     3,
     {{0, 0, 16, 1, 2, 1}, {0, 1, 16, 1, 2, 1}, {0, 0, 16, 1, 1, 1}, {0, 1, 16, 1, 1, 1}}}};

static const struct device {
    const char *arch;
    int32_t units;
} devices[] = {{"gfx906", 60}, {"gfx906", 64}, {"gfx908", 120}, {"gfx1100", 96}};

/* Fields as the models have them: gpu (filled in later) dir dtype n c h w k stride groups. */
struct problem {
    const struct device *device;
    int32_t filter, field[FIELDS];
};
static const struct problem problems[] = {
    {&devices[0], 1, {0, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 56, 56, 256, 1, 1}},
    {&devices[0], 3, {0, KPRED_DIR_W, KPRED_DTYPE_FP16, 32, 64, 56, 56, 64, 1, 1}},
    {&devices[0], 1, {0, KPRED_DIR_F, KPRED_DTYPE_FP16, 16, 63, 28, 28, 128, 1, 1}},
    {&devices[0], 1, {0, KPRED_DIR_B, KPRED_DTYPE_FP32, 2048, 64, 28, 28, 256, 1, 1}},
    {&devices[1], 1, {0, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 56, 56, 256, 1, 1}},
    {&devices[2], 1, {0, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 56, 56, 256, 1, 1}},
    {&devices[3], 1, {0, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 56, 56, 256, 1, 1}},
    {&devices[0], 3, {0, KPRED_DIR_W, KPRED_DTYPE_FP32, 16, 64, 56, 56, 64, 2, 1}},
    {&devices[0], 1, {0, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 0, 56, 56, 256, 1, 1}},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

enum why { PREDICTED, EXTRAPOLATED, NEAREST_GPU, DEFAULT, NO_KERNEL }; /* the best first */
struct choice {
    enum why why;
    int tune_later;
    int32_t field[FIELDS], value[KPRED_MAX_TUPLE];
};

/* All that a thread writes to: nothing is shared, so nothing is locked. */
struct worker {
    kpred_ctx ctx[SOLVERS];
    int32_t arena[ARENA];
    uint32_t logged;
    struct choice choices[PROBLEMS][SOLVERS];
};

static void log_once(struct worker *w, size_t s, kpred_status status)
{
    const uint32_t bit = (uint32_t)1 << (-(int)status & 31);
    const kpred_detail *d = &w->ctx[s].detail;
    if (!(w->logged & bit))
        fprintf(stderr, "%s: %s (index %d, value %d, limit %d)\n", solvers[s].model->name,
                kpred_status_string(status), (int)d->index, (int)d->value, (int)d->limit);
    w->logged |= bit;
}

/* Outside the launch path. What fails here shows there as KPRED_ERR_CONTEXT. */
static void open_worker(struct worker *w)
{
    size_t s, words, used = 0;
    for (s = 0; s < SOLVERS; s++, used += words) {
        const kpred_model *m = solvers[s].model;
        kpred_status status;
        words = kpred_arena_words(m, BEAM);
        status = kpred_init(&w->ctx[s], KPRED_VERSION, m, BEAM, w->arena + used, words);
        if (status != KPRED_OK)
            log_once(w, s, status);
    }
}

enum action { TAKE, USE_DEFAULT, SKIP };

/* What to do about a status. No `default:`, so that the compiler speaks up when kpred.h gets one
   more. */
static enum action action_for(struct worker *w, size_t s, kpred_status status)
{
    switch (status) {
    case KPRED_OK: return TAKE;
    case KPRED_ERR_NOT_APPLICABLE:
    case KPRED_ERR_INFEASIBLE: /* nothing wrong: not this kernel */ return SKIP;
    case KPRED_ERR_BUDGET: /* no legal tuple found in time, though there may be one */
        return USE_DEFAULT;
    case KPRED_ERR_SIZE:
    case KPRED_ERR_TOKEN: /* no problem that the rule is defined for */
        log_once(w, s, status);
        return SKIP;
    case KPRED_ERR_NULL:
    case KPRED_ERR_FIELDS:
    case KPRED_ERR_K:       /* a mistake in this file */
    case KPRED_ERR_CONTEXT: /* kpred_init failed, with one of these: */
    case KPRED_ERR_BODY:
    case KPRED_ERR_VERSION:
    case KPRED_ERR_FORMAT:
    case KPRED_ERR_MODEL:
    case KPRED_ERR_ID:
    case KPRED_ERR_BEAM:
    case KPRED_ERR_ALIGN:
    case KPRED_ERR_ARENA: break;
    }
    log_once(w, s, status);
    return USE_DEFAULT;
}

/* Rules rely on it; kpred_predict checks it and kpred_legal does not. */
static int in_range(const kpred_model *m, const int32_t *field)
{
    uint32_t f = 0;
    while (f < m->n_fields && field[f] >= m->fields[f].least && field[f] <= m->fields[f].most)
        f++;
    return f == m->n_fields;
}

static enum why use_default(const struct solver *s, struct choice *c)
{
    size_t i;
    for (i = 0; i < DEFAULTS && in_range(s->model, c->field); i++)
        if (kpred_legal(s->model, c->field, s->defaults[i])) {
            memcpy(c->value, s->defaults[i], sizeof c->value);
            return DEFAULT;
        }
    return NO_KERNEL;
}

/* The nearest trained GPU into the field, and what the library thinks of a prediction for it: on
   another architecture, less than of a default. */
static enum why know_gpu(const kpred_model *m, const struct device *d, int32_t *token)
{
    int same_gpu = 0, same_arch = 0;
    (void)kpred_gpu_token(m, d->arch, 0, &same_arch);
    *token = kpred_gpu_token(m, d->arch, d->units, &same_gpu);
    return same_gpu ? PREDICTED : same_arch ? NEAREST_GPU : DEFAULT;
}

/* The launch path for one kernel. */
static enum why try_solver(struct worker *w, size_t s, const struct problem *p, struct choice *c)
{
    const struct solver *solver = &solvers[s];
    const kpred_model *m = solver->model;
    kpred_tuple best;
    size_t n;
    enum why known;
    memcpy(c->field, p->field, sizeof c->field);
    known = know_gpu(m, p->device, &c->field[KPRED_CONV_GPU]);
    if (solver->filter != p->filter || !kpred_runs_on(m, p->device->arch)
        || (m->n_fields <= KPRED_CONV_GROUPS && p->field[KPRED_CONV_GROUPS] != 1))
        return NO_KERNEL; /* what a kernel's name implies, its model does not know */
    if (known == DEFAULT)
        return use_default(solver, c);
    switch (action_for(w, s, kpred_predict(&w->ctx[s], c->field, m->n_fields, &best, 1, &n))) {
    case USE_DEFAULT: return use_default(solver, c);
    case SKIP: return NO_KERNEL;
    case TAKE: break;
    }
    memcpy(c->value, best.value, m->n_params * sizeof *c->value);
    return known == PREDICTED && w->ctx[s].extrapolated ? EXTRAPOLATED : known;
}

static void *run(void *worker)
{
    struct worker *w = worker;
    size_t i, s;
    open_worker(w);
    for (i = 0; i < PROBLEMS; i++)
        for (s = 0; s < SOLVERS; s++) {
            struct choice *c = &w->choices[i][s];
            c->why = try_solver(w, s, &problems[i], c);
            c->tune_later = c->why > PREDICTED && c->why < NO_KERNEL;
        }
    return NULL;
}

/* "gfx906:60 1x1 F FP32 16 64 56 56 256 1 1", then what was decided */
static void show(const struct problem *p, const struct choice *c, const kpred_model *m)
{
    static const char *const text[] = {"predicted", "extrapolated", "nearest GPU", "default",
                                       "no kernel"};
    uint32_t i;
    printf("%s:%d %dx%d %s %s", p->device->arch, (int)p->device->units, (int)p->filter,
           (int)p->filter, m->fields[1].tokens[p->field[1]], m->fields[2].tokens[p->field[2]]);
    for (i = 3; i < FIELDS; i++)
        printf(" %d", (int)p->field[i]);
    printf(" | %s", c->why == NO_KERNEL ? "-" : m->name);
    for (i = 0; c->why != NO_KERNEL && i < m->n_params; i++)
        printf("%c%d", i ? ',' : ' ', (int)c->value[i]);
    printf(" | %s%s\n", text[c->why], c->tune_later ? ", tune later" : "");
}

int main(void)
{
    static struct worker workers[2]; /* zeroed, so that they compare as bytes */
    pthread_t other;
    size_t i, bad = 0;
    if (pthread_create(&other, NULL, run, &workers[1]))
        return 1;
    run(&workers[0]);
    if (pthread_join(other, NULL))
        return 1;
    for (i = 0; i < PROBLEMS; i++) {
        const struct choice *c = workers[0].choices[i];
        size_t s, best = 0;
        for (s = 0; s < SOLVERS; s++) {
            bad += c[s].why != NO_KERNEL && !kpred_legal(solvers[s].model, c[s].field, c[s].value);
            best = c[s].why < c[best].why ? s : best;
        }
        show(&problems[i], &c[best], solvers[best].model); /* a library would launch it here */
    }
    bad += memcmp(workers[0].choices, workers[1].choices, sizeof workers[0].choices) != 0;
    printf("%zu wrong\n", bad);
    return bad != 0;
}
