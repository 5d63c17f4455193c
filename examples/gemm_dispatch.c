/* gemm_dispatch.c - which kernel of AITER multiplies m tokens by FP8 or FP4 weights [n, k], and how
   it splits k: libtype, kernelId, splitK and kernelName, as AITER's tables of tuned kernels have
   them. Three families, a fallback for every status, no allocation.
   cc -I. examples/gemm_dispatch.c -o gemm_dispatch; ./gemm_dispatch gfx942_304 16 7168 2048 */
#define KPRED_IMPLEMENTATION
#include "weights/gemm_a4w4_blockscale.h"
#include "weights/gemm_a8w8_blockscale.h"
#include "weights/gemm_a8w8_blockscale_bpreshuffle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The models have the same fields, and their first two parameters are these. */
enum { GPU, M, N, K, FIELDS };
enum { SPLIT, LIBRARY };
enum { FAMILIES = 3, BEAM = 1 };

/* What AITER runs where a table has no row for the problem. A server's library may hold no kernels
   but this one and those of its tables, so it is what to take in doubt. */
struct fallback {
    const char *libtype, *name; /* name "": AITER chooses a kernel by a rule of its own */
};
static const struct fallback ck_block = {"ck",
                                         "a8w8_blockscale_1x128x128_256x16x128x256_16x16_16x16"
                                         "_1x2_16x16x1_16x16x1_1x16x1x16_8_1x2_intrawave_v1"};
static const struct fallback ck_shuffled = {
    "ck", "a8w8_blockscale_bpreshuffle_1x128x128_256x64x64x128"
          "_16x16_16x16_8x32x1_8x32x1_1x32x1x8_8_2x1_intrawave_v1"};
static const struct fallback triton = {"triton", "triton"};
static const struct fallback own_choice = {"asm", ""};

static const struct fallback *fallback_for(const kpred_model *model, const char *arch)
{
    if (model == &kpred_model_gemm_a4w4_blockscale)
        return &own_choice;
    if (model == &kpred_model_gemm_a8w8_blockscale)
        return &ck_block;
    return strcmp(arch, "gfx1250") == 0 ? &triton : &ck_shuffled;
}

/* All that is written to; a thread needs one of its own. */
static int32_t block[KPRED_GEMM_A8W8_BLOCKSCALE_ARENA(BEAM)];
static int32_t shuffled[KPRED_GEMM_A8W8_BLOCKSCALE_BPRESHUFFLE_ARENA(BEAM)];
static int32_t a4w4[KPRED_GEMM_A4W4_BLOCKSCALE_ARENA(BEAM)];
static struct dispatcher {
    const kpred_model *model;
    int32_t *arena;
    size_t words;
    kpred_ctx ctx;
} families[FAMILIES] = {{.model = &kpred_model_gemm_a8w8_blockscale,
                         .arena = block,
                         .words = sizeof block / sizeof *block},
                        {.model = &kpred_model_gemm_a8w8_blockscale_bpreshuffle,
                         .arena = shuffled,
                         .words = sizeof shuffled / sizeof *shuffled},
                        {.model = &kpred_model_gemm_a4w4_blockscale,
                         .arena = a4w4,
                         .words = sizeof a4w4 / sizeof *a4w4}};

struct choice {
    const char *libtype, *name, *why;
    int32_t id, split; /* id 0 where AITER has no number for it: it goes by the name */
};

static struct choice use_fallback(const kpred_model *model, const char *arch, const char *why)
{
    const struct fallback *f = fallback_for(model, arch);
    const struct choice c = {f->libtype, f->name, why, 0, 0};
    return c;
}

/* NULL: take what was predicted. No `default:`, so that the compiler speaks up when kpred.h gets
   one more. */
static const char *why_not(kpred_status status)
{
    switch (status) {
    case KPRED_OK: return NULL;
    case KPRED_ERR_NOT_APPLICABLE:
    case KPRED_ERR_INFEASIBLE: return "no kernel of the model's takes this problem";
    case KPRED_ERR_BUDGET: return "no kernel found in time";
    case KPRED_ERR_SIZE:
    case KPRED_ERR_TOKEN: return "outside the model's range";
    case KPRED_ERR_BODY:
    case KPRED_ERR_NULL:
    case KPRED_ERR_FIELDS:
    case KPRED_ERR_K:       /* a mistake in this file */
    case KPRED_ERR_CONTEXT: /* kpred_init failed, with one of these: */
    case KPRED_ERR_VERSION:
    case KPRED_ERR_FORMAT:
    case KPRED_ERR_MODEL:
    case KPRED_ERR_ID:
    case KPRED_ERR_BEAM:
    case KPRED_ERR_ALIGN:
    case KPRED_ERR_ARENA: break;
    }
    return kpred_status_string(status);
}

/* A tuple as AITER writes it; a tuple without a name would be a model without names. */
static struct choice named(const kpred_model *model, const char *arch, const int32_t *problem,
                           const int32_t *value)
{
    const int32_t kernel = kpred_kernel_of(model, value);
    struct choice c = {NULL, kpred_kernel_name(model, kernel), "predicted", 0, value[SPLIT]};
    if (!c.name)
        return use_fallback(model, arch, "the kernel has no name");
    c.libtype = model->params[LIBRARY].names[value[LIBRARY]];
    c.id = kpred_kernel_id(model, kernel, problem);
    if (c.id < 0)
        return use_fallback(model, arch, "the kernel is not in this GPU's list");
    return c;
}

/* AITER's library for this GPU may lack any kernel of another one: only an exact match counts. */
static struct choice choose(struct dispatcher *d, const char *arch, int32_t units, int32_t *problem)
{
    kpred_tuple best;
    size_t n;
    int is_exact = 0;
    const char *why;
    problem[GPU] = kpred_gpu_token(d->model, arch, units, &is_exact);
    if (!kpred_runs_on(d->model, arch)) {
        const struct choice none = {"-", "", "no kernel known on this architecture", 0, 0};
        return none;
    }
    if (!is_exact)
        return use_fallback(d->model, arch, "nothing was tuned on this GPU");
    why = why_not(kpred_predict(&d->ctx, problem, FIELDS, &best, 1, &n));
    return why ? use_fallback(d->model, arch, why) : named(d->model, arch, problem, best.value);
}

/* Once, outside the launch path. What fails here shows later as KPRED_ERR_CONTEXT. */
static void open_all(void)
{
    struct dispatcher *d = families;
    size_t i;
    for (i = 0; i < FAMILIES; i++) {
        const kpred_status status =
            kpred_init(&d[i].ctx, KPRED_VERSION, d[i].model, BEAM, d[i].arena, d[i].words);
        if (status != KPRED_OK)
            fprintf(stderr, "%s: %s\n", d[i].model->name, kpred_status_string(status));
    }
}

/* "gfx942_304" into 304, and "gfx942" into arch; 0: it is no such name */
static int32_t take_gpu(const char *text, char arch[16])
{
    const size_t n = strcspn(text, "_");
    char *end = NULL;
    const long units = text[n] ? strtol(text + n + 1, &end, 10) : 0;
    if (strncmp(text, "gfx", 3) != 0 || n >= 16 || units < 1 || units > 4096 || *end)
        return 0;
    memcpy(arch, text, n);
    arch[n] = '\0';
    return (int32_t)units;
}

/* 0: it is no size that a GPU could have */
static int32_t take_size(const char *text)
{
    char *end;
    const long size = strtol(text, &end, 10);
    return *end == '\0' && size > 0 && size <= INT32_MAX ? (int32_t)size : 0;
}

static void show(const kpred_model *model, const struct choice *c)
{
    printf("%s: %s", model->name, c->why);
    if (strcmp(c->libtype, "-") != 0)
        printf("; libtype %s, kernelId %d, splitK %d, kernelName %s", c->libtype, (int)c->id,
               (int)c->split, c->name[0] ? c->name : "(AITER's choice)");
    printf("\n");
}

static int usage(void)
{
    fprintf(stderr, "usage: gemm_dispatch [GPU [M N K]], such as gfx942_304 16 7168 2048\n");
    return 2;
}

int main(int argc, char **argv)
{
    int32_t problem[FIELDS] = {0, 16, 7168, 2048};
    char arch[16];
    const int32_t units = take_gpu(argc > 1 ? argv[1] : "gfx950_256", arch);
    int i;
    if (argc == 3 || argc == 4 || argc > 5 || units == 0)
        return usage();
    for (i = 2; i < argc; i++)
        if ((problem[i - 1] = take_size(argv[i])) == 0)
            return usage();
    open_all();
    for (i = 0; i < FAMILIES; i++) {
        const struct choice c = choose(&families[i], arch, units, problem);
        show(families[i].model, &c);
    }
    return 0;
}
