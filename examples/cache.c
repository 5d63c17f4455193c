/* cache.c - a cache in front of kpred_predict, for a launch path that sees the same problems again
   and again: a problem that it holds takes tens of nanoseconds in place of microseconds.

   Copy what stands between the two lines below. It allocates nothing, calls no libc and divides
   nothing. The entries are an array of the caller's, its length a power of two. A problem has one
   place in it, by a hash of model, beam and fields (direct-mapped), and drives out what was there.
   An entry answers only if all of its key is the same, so no hash gives a problem the tuples of
   another one, of another model or of another beam. Problems that share a place drive each other
   out, and miss. With n problems in m entries that befalls about n / m of them, so be generous.

   Threads: an entry changes when a problem misses, and what a call returns lies in the entry. So a
   cache serves one thread at a time, as a context does. Give each thread a cache beside its
   contexts: no lock then, and a hit touches memory that no other core writes. A cache that several
   threads share needs a lock of yours from the call until the answer has been read.

   The answers depend on key and weights alone, so a cache never grows stale: the model's id, which
   is in the key, covers its weights. One that outlives its process must have been written by the
   same build, for the layout's sake.

   cc -O2 -I. examples/cache.c -o cache; ./cache measures a hit and a miss. */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"

#include <stdio.h>
#include <time.h>

/* ---- copy from here ---- */

enum { CACHE_TUPLES = 1 }; /* kept for each problem: at most the beam of its context */

struct cache_entry { /* 256 bytes, if it keeps one tuple */
    uint64_t model;  /* its id */
    uint32_t beam;   /* of the context; 0: the entry is empty */
    int32_t problem[KPRED_MAX_FIELDS];
    int32_t status;        /* KPRED_OK; else there are no tuples, and it says why */
    uint32_t extrapolated; /* as in kpred_ctx; read it here, the context knows nothing of a hit */
    uint32_t n;            /* tuples, best first */
    kpred_tuple tuples[CACHE_TUPLES];
};

struct cache {
    struct cache_entry *entries; /* 2^bits of them */
    unsigned bits;
    uint32_t hits, misses;
};

/* Before the first call, and to forget everything. pre: bits <= 32 */
static void cache_clear(struct cache *c, struct cache_entry *entries, unsigned bits)
{
    size_t i;
    c->entries = entries;
    c->bits = bits;
    c->hits = c->misses = 0;
    for (i = 0; i < (size_t)1 << bits; i++)
        entries[i].beam = 0;
}

/* Two fields a step. The index takes the upper bits of the last product, on which all bits of the
   key have an influence. */
static struct cache_entry *cache_place(const struct cache *c, const kpred_ctx *ctx,
                                       const int32_t *problem)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t n = ctx->model->n_fields;
    uint64_t h = ctx->model->id + ctx->beam;
    uint32_t f;
    for (f = 0; f + 1 < n; f += 2)
        h = (h ^ ((uint64_t)(uint32_t)problem[f] << 32 | (uint32_t)problem[f + 1])) * odd;
    if (f < n)
        h = (h ^ (uint32_t)problem[f]) * odd;
    return c->entries + (size_t)((h >> 32) >> (32 - c->bits));
}

static int cache_holds(const struct cache_entry *e, const kpred_ctx *ctx, const int32_t *problem)
{
    const uint32_t n = ctx->model->n_fields;
    uint32_t f, other = 0;
    if (e->beam != ctx->beam || e->model != ctx->model->id)
        return 0;
    for (f = 0; f < n; f++) /* to the end: a hit, which has to be fast, goes there anyway */
        other |= (uint32_t)e->problem[f] ^ (uint32_t)problem[f];
    return !other;
}

/* What is the same whenever the problem comes again. Other statuses are mistakes of the caller,
   found quickly, and ctx->detail tells of them. */
static int cache_keeps(kpred_status status)
{
    return status == KPRED_OK || status == KPRED_ERR_NOT_APPLICABLE
           || status == KPRED_ERR_INFEASIBLE || status == KPRED_ERR_BUDGET;
}

/* A prediction, into the entry. On a status that is not kept, kpred_predict has left the tuples as
   they were, so the entry still answers the problem that it answered before. */
static kpred_status cache_fill(struct cache_entry *e, kpred_ctx *ctx, const int32_t *problem)
{
    size_t n = 0;
    uint32_t f;
    const kpred_status status =
        kpred_predict(ctx, problem, ctx->model->n_fields, e->tuples, CACHE_TUPLES, &n);
    if (!cache_keeps(status))
        return status;
    e->model = ctx->model->id;
    e->beam = ctx->beam;
    for (f = 0; f < ctx->model->n_fields; f++)
        e->problem[f] = problem[f];
    e->status = (int32_t)status;
    e->extrapolated = status == KPRED_OK ? ctx->extrapolated : 0;
    e->n = (uint32_t)n;
    return status;
}

/* As kpred_predict for CACHE_TUPLES tuples. On KPRED_OK *answer holds them until the next call with
   this cache; else it stays as it was. The context is one of the caller's thread. */
static kpred_status cache_predict(struct cache *c, kpred_ctx *ctx, const int32_t *problem,
                                  const struct cache_entry **answer)
{
    struct cache_entry *e;
    kpred_status status;
    if (!ctx->model)
        return KPRED_ERR_CONTEXT;
    e = cache_place(c, ctx, problem);
    if (cache_holds(e, ctx, problem)) {
        c->hits++;
        status = (kpred_status)e->status;
    } else {
        c->misses++;
        status = cache_fill(e, ctx, problem);
    }
    if (status == KPRED_OK)
        *answer = e;
    return status;
}

/* ---- to here ---- */

enum { BEAM = 4, BITS = 12, PROBLEMS = 64, HITS = 2000000, MISSES = 5000 };
typedef int32_t problem[KPRED_CONV_ASM_1X1U_FIELDS];

/* 1x1 convolutions with 16 to 1024 channels, 7x7 to 56x56 */
static void make_problem(int32_t *p, int32_t i)
{
    p[KPRED_CONV_ASM_1X1U_FIELD_GPU] = KPRED_CONV_ASM_1X1U_GPU_GFX906_60;
    p[KPRED_CONV_ASM_1X1U_FIELD_DIR] = KPRED_CONV_ASM_1X1U_DIR_F;
    p[KPRED_CONV_ASM_1X1U_FIELD_DTYPE] = KPRED_CONV_ASM_1X1U_DTYPE_FP32;
    p[KPRED_CONV_ASM_1X1U_FIELD_N] = 16;
    p[KPRED_CONV_ASM_1X1U_FIELD_C] = 16 << i % 4;
    p[KPRED_CONV_ASM_1X1U_FIELD_H] = 7 << i / 4 % 4;
    p[KPRED_CONV_ASM_1X1U_FIELD_W] = 7 << i / 4 % 4;
    p[KPRED_CONV_ASM_1X1U_FIELD_K] = 128 << i / 16 % 4;
    p[KPRED_CONV_ASM_1X1U_FIELD_STRIDE] = 1;
}

/* Nanoseconds of a call, over the problems in turn; below 0: a prediction failed. The next problem
   depends on the answer before it, as a launch does: else the processor overlaps the calls. */
static double measure(struct cache *c, kpred_ctx *ctx, problem *problems, uint32_t n, long calls)
{
    const clock_t start = clock();
    const struct cache_entry *answer;
    uint32_t p = 0;
    long i;
    for (i = 0; i < calls; i++) {
        if (cache_predict(c, ctx, problems[p], &answer) != KPRED_OK)
            return -1;
        p += 1
             + ((uint32_t)answer->tuples[0].value[0] >> 31); /* values of this model are positive */
        p = p < n ? p : 0;
    }
    return (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / (double)calls;
}

/* Moves the problems that the cache holds to the front, and returns how many they are. */
static uint32_t held(const struct cache *c, const kpred_ctx *ctx, problem *problems)
{
    uint32_t n = 0;
    int i, f;
    for (i = 0; i < PROBLEMS; i++)
        if (cache_holds(cache_place(c, ctx, problems[i]), ctx, problems[i])) {
            for (f = 0; f < KPRED_CONV_ASM_1X1U_FIELDS; f++)
                problems[n][f] = problems[i][f];
            n++;
        }
    return n;
}

int main(void)
{
    static int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(BEAM)];
    static problem problems[PROBLEMS];
    static struct cache_entry entries[1 << BITS], one[1];
    struct cache cache, forgets; /* with one entry, each problem drives out the one before */
    kpred_ctx ctx;
    double hit, miss;
    uint32_t n;
    int i;
    if (kpred_init(&ctx, KPRED_VERSION, &kpred_model_conv_asm_1x1u, BEAM, arena,
                   sizeof arena / sizeof *arena)
        != KPRED_OK)
        return 1;
    for (i = 0; i < PROBLEMS; i++)
        make_problem(problems[i], i);
    cache_clear(&cache, entries, BITS);
    cache_clear(&forgets, one, 0);
    miss = measure(&forgets, &ctx, problems, PROBLEMS, MISSES);
    measure(&cache, &ctx, problems, PROBLEMS, PROBLEMS);
    n = held(&cache, &ctx, problems);
    cache.hits = cache.misses = 0;
    hit = measure(&cache, &ctx, problems, n, HITS);
    printf("hit %.0f ns, miss %.0f ns; %d entries of %lu bytes hold %u of %d problems\n", hit, miss,
           1 << BITS, (unsigned long)sizeof *entries, (unsigned)n, PROBLEMS);
    return hit < 0 || miss < 0 || cache.hits != HITS || forgets.misses != MISSES;
}
