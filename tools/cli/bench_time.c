/* bench_time.c - times predictions, hot or cold, and bare loops between them
   SPDX-License-Identifier: MIT */
#ifdef __linux__
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "bench.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#define HAS_FLUSH
#ifdef __linux__
#include <link.h>
#define HAS_IMAGE
#endif
#endif

/* ---- caches ---- */

enum { LINE = 64, TIMES = 2, LEAST = 64 << 20, MOST = 128 << 20 };

/* The largest cache of the machine as the system knows it; 0: it does not */
static size_t largest_cache(void)
{
    long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : 0;
}

void caches_open(struct caches *c)
{
    c->bytes = TIMES * largest_cache();
    c->bytes = c->bytes < LEAST ? LEAST : c->bytes > MOST ? MOST : c->bytes;
    c->walk = xmalloc(c->bytes);
    memset(c->walk, 1, c->bytes); /* so that it is in memory */
}

void caches_free(struct caches *c)
{
    free(c->walk);
}

void caches_flush(const void *p, size_t bytes)
{
#ifdef HAS_FLUSH
    const char *at = p;
    if (bytes == 0)
        return;
    for (size_t i = 0; i < bytes; i += LINE)
        _mm_clflush(at + i);
    _mm_clflush(at + bytes - 1);
    _mm_mfence();
#else
    (void)p, (void)bytes;
#endif
}

#ifdef HAS_IMAGE

/* The segments of the first object, which is the program */
static int flush_segments(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size, (void)data;
    for (size_t i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_memsz > 0)
            caches_flush((const char *)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr,
                         object->dlpi_phdr[i].p_memsz);
    return 1;
}

#endif

void caches_empty(const struct caches *c)
{
    for (size_t i = 0; i < c->bytes; i += LINE)
        ((volatile unsigned char *)c->walk)[i]++;
#ifdef HAS_IMAGE
    dl_iterate_phdr(flush_segments, NULL);
#endif
}

/* ---- what is timed ---- */

/* Slow predictions need no repeats for the clock's sake, and fewer rounds must do. The bare loops
   are timed before every eighth problem. */
enum { N_REPEATS = 8, SLOW_NS = 1000000, MOST_SECONDS = 10, EVERY = 8 };

struct samples {
    double *v;
    size_t n, cap;
};

struct timing {
    const struct bench_tools *tools;
    kpred_ctx *ctx;
    const int32_t *problem; /* that is timed */
    kpred_tuple *tuples;
    bare_loop loop;
    int repeats, failed;
    double spent;
    struct samples predictions, plains, loops, warm_loops;
};

typedef void (*action)(struct timing *t);

static void bench_time_predict(struct timing *t)
{
    size_t n_out;
    t->failed |=
        kpred_predict(t->ctx, t->problem, t->ctx->model->n_fields, t->tuples, t->ctx->beam, &n_out)
        != KPRED_OK;
}

static void run_plain(struct timing *t)
{
    bare_plain(&t->tools->bare);
}

static volatile int32_t sink; /* so that the loop is not left out */

static void run_loop(struct timing *t)
{
    sink = t->loop(&t->tools->bare);
}

/* ---- the clock ---- */

#ifdef _WIN32
#define CPU_CLOCK CLOCK_MONOTONIC /* the other one moves by milliseconds */
#else
#define CPU_CLOCK CLOCK_PROCESS_CPUTIME_ID
#endif

static double now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The weights of a model that was read from a header: those of the others are in the image. */
static void flush_weights(const kpred_model *m)
{
    const kpred_additive *net = m->net;
    if (m->scorer != &kpred_additive_scorer)
        return;
    for (size_t i = 0; i < 3; i++)
        caches_flush(net->layer[i].weight, (size_t)net->layer[i].rows * net->layer[i].cols);
    for (size_t t = 0; t < m->n_params; t++)
        if (net->heads[t].weight) {
            caches_flush(net->heads[t].weight, model_head_rows(m, t) * net->hidden);
            caches_flush(net->heads[t].embedding, model_embedding_rows(m, t) * net->hidden);
        }
}

static void empty_caches(const struct timing *t)
{
    const kpred_model *m = t->ctx->model;
    caches_empty(&t->tools->caches);
    flush_weights(m);
    caches_flush(t->ctx->arena, kpred_arena_words(m, t->ctx->beam) * sizeof *t->ctx->arena);
    caches_flush(t->tuples, t->ctx->beam * sizeof *t->tuples);
    caches_flush(t->tools->bare.weights, BARE_BYTES);
}

/* The clock's own code is warm, and it asks no system call, whose code is not timed then. */
static double cold_ns(struct timing *t, action act)
{
    double start;
    empty_caches(t);
    now_ns(CLOCK_MONOTONIC);
    start = now_ns(CLOCK_MONOTONIC);
    act(t);
    return now_ns(CLOCK_MONOTONIC) - start;
}

static double hot_ns(struct timing *t, action act)
{
    const double start = now_ns(CPU_CLOCK);
    for (int r = 0; r < t->repeats; r++)
        act(t);
    return (now_ns(CPU_CLOCK) - start) / t->repeats;
}

static double sample(struct timing *t, action act, struct samples *s)
{
    const double ns = t->tools->is_cold ? cold_ns(t, act) : hot_ns(t, act);
    s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
    s->v[s->n++] = ns;
    return ns;
}

/* ---- rounds ---- */

static void sample_loops(struct timing *t)
{
    sample(t, run_plain, &t->plains);
    sample(t, run_loop, &t->loops);
    t->warm_loops.v = xgrow(t->warm_loops.v, t->warm_loops.n, &t->warm_loops.cap, sizeof(double));
    t->warm_loops.v[t->warm_loops.n++] = hot_ns(t, run_loop);
}

static void one_round(struct timing *t, const int32_t *problems, size_t n_problems)
{
    for (size_t i = 0; i < n_problems && !t->failed; i++) {
        if (i % EVERY == 0)
            sample_loops(t);
        t->problem = problems + i * t->ctx->model->n_fields;
        t->spent += sample(t, bench_time_predict, &t->predictions) * t->repeats;
    }
}

/* The first prediction is cold, the second one tells. */
static void choose_repeats(struct timing *t, const int32_t *problems)
{
    t->repeats = 1;
    t->problem = problems;
    hot_ns(t, bench_time_predict);
    t->repeats = hot_ns(t, bench_time_predict) > SLOW_NS ? 1 : N_REPEATS;
}

static void forget(struct timing *t)
{
    t->predictions.n = t->plains.n = t->loops.n = t->warm_loops.n = 0;
    t->spent = 0;
}

static double median(struct samples *s)
{
    qsort(s->v, s->n, sizeof *s->v, num_rising);
    return s->v[s->n / 2];
}

static void summarise(struct timing *t, struct bench_times *times)
{
    const struct samples *s = &t->predictions;
    times->ns = median(&t->predictions);
    times->least = s->v[0];
    times->p95 = s->v[s->n * 95 / 100];
    times->plain = median(&t->plains);
    times->loop = median(&t->loops);
    times->warm_loop = median(&t->warm_loops);
}

int bench_time(const struct bench_tools *tools, kpred_ctx *ctx, const int32_t *problems,
               size_t n_problems, kpred_tuple *tuples, struct bench_times *times)
{
    struct timing t = {.tools = tools, .ctx = ctx, .tuples = tuples};
    t.loop = bare_loop_of((kpred_body)ctx->body);
    choose_repeats(&t, problems);
    if (!tools->is_cold && !t.failed) {
        one_round(&t, problems, n_problems);
        forget(&t);
    }
    for (int r = 0; r < tools->rounds && t.spent < MOST_SECONDS * 1e9 && !t.failed; r++)
        one_round(&t, problems, n_problems);
    const int bad = t.failed || t.predictions.n == 0 ? -1 : 0;
    if (bad == 0)
        summarise(&t, times);
    free(t.predictions.v);
    free(t.plains.v);
    free(t.loops.v);
    free(t.warm_loops.v);
    return bad;
}
