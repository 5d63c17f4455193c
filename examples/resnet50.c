/* resnet50.c - every convolution of ResNet-50 (batch 32) in all three directions, on two GPUs:
   which of MIOpen's solvers is the fastest, and of each kernel that ships and applies the best
   legal tuple, with its probability. `make demo` runs it. */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"
#include "weights/conv_asm_bwd_wrw_1x1.h"
#include "weights/conv_asm_bwd_wrw_3x3.h"
#include "weights/conv_bin_winograd_rxs_f2x3.h"
#include "weights/conv_bin_winograd_rxs_f3x2.h"
#include "weights/conv_hip_igemm_v4r1_wrw.h"
#include "weights/conv_igemm_gtc_bwd_nhwc.h"
#include "weights/conv_igemm_gtc_fwd_nhwc.h"
#include "weights/conv_igemm_gtc_wrw_nhwc.h"
#include "weights/conv_ocl_direct_fwd_1x1.h"
#include "weights/conv_solver.h"

#include <stdio.h>
#include <string.h>

/* Distinct layers: channels in, image side, filters, filter side, stride */
static const struct layer {
    int32_t c, hw, k, filter, stride;
} layers[] = {
    {3, 224, 64, 7, 2},    {64, 56, 64, 1, 1},    {64, 56, 64, 3, 1},     {64, 56, 256, 1, 1},
    {256, 56, 64, 1, 1},   {256, 56, 128, 1, 1},  {128, 28, 128, 3, 1},   {128, 28, 512, 1, 1},
    {256, 56, 512, 1, 2},  {512, 28, 128, 1, 1},  {512, 28, 256, 1, 1},   {256, 14, 256, 3, 1},
    {256, 14, 1024, 1, 1}, {512, 28, 1024, 1, 2}, {1024, 14, 256, 1, 1},  {1024, 14, 512, 1, 1},
    {512, 7, 512, 3, 1},   {512, 7, 2048, 1, 1},  {1024, 14, 2048, 1, 2}, {2048, 7, 512, 1, 1},
};

static const struct target {
    const char *gpu, *dtype;
} targets[] = {{"gfx906_60", "FP32"}, {"gfx942130", "FP16"}};

/* A side of 0: the filter is a field of its problems. */
static const struct kernel {
    const kpred_model *model;
    int32_t filter;
} kernels[] = {
    {&kpred_model_conv_asm_1x1u, 1},
    {&kpred_model_conv_ocl_direct_fwd_1x1, 1},
    {&kpred_model_conv_asm_bwd_wrw_1x1, 1},
    {&kpred_model_conv_asm_bwd_wrw_3x3, 3},
    {&kpred_model_conv_bin_winograd_rxs_f2x3, 0},
    {&kpred_model_conv_bin_winograd_rxs_f3x2, 0},
    {&kpred_model_conv_hip_igemm_v4r1_wrw, 0},
    {&kpred_model_conv_igemm_gtc_fwd_nhwc, 0},
    {&kpred_model_conv_igemm_gtc_bwd_nhwc, 0},
    {&kpred_model_conv_igemm_gtc_wrw_nhwc, 0},
};

enum { BEAM = 10, BATCH = 32 };
static int32_t arena[8192];

/* A problem's token or size; what the table leaves out is 1, and 0 of padding in depth. */
static int32_t field_of(const kpred_model *m, uint32_t f, const struct target *t,
                        const struct layer *l, const char *dir)
{
    const struct {
        const char *name, *token;
    } tokens[] = {
        {"gpu", t->gpu},
        {"dir", dir},
        {"dtype", t->dtype},
        {"layout", "NCHW"},
    };
    const struct {
        const char *name;
        int32_t size;
    } sizes[] = {
        {"n", BATCH},
        {"c", l->c},
        {"h", l->hw},
        {"w", l->hw},
        {"k", l->k},
        {"y", l->filter},
        {"x", l->filter},
        {"pad_d", 0},
        {"pad_h", l->filter / 2},
        {"pad_w", l->filter / 2},
        {"stride", l->stride},
        {"stride_h", l->stride},
        {"stride_w", l->stride},
    };
    const kpred_field *field = m->fields + f;
    size_t i;
    for (i = 0; field->tokens && i < sizeof tokens / sizeof *tokens; i++)
        if (!strcmp(field->name, tokens[i].name))
            return kpred_token(m, f, tokens[i].token);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!strcmp(field->name, sizes[i].name))
            return sizes[i].size;
    return 1;
}

/* How many tuples the model gives; 0 too where it is not one for the target, or does not apply. */
static size_t predict(const kpred_model *m, const struct target *t, const struct layer *l,
                      const char *dir, kpred_tuple *best)
{
    int32_t problem[KPRED_MAX_FIELDS];
    kpred_ctx ctx;
    kpred_status status;
    size_t n = 0;
    uint32_t f;
    for (f = 0; f < m->n_fields; f++)
        if ((problem[f] = field_of(m, f, t, l, dir)) < 0)
            return 0;
    status = kpred_init(&ctx, KPRED_VERSION, m, BEAM, arena, sizeof arena / sizeof *arena);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, m->n_fields, best, BEAM, &n);
    if (status != KPRED_OK && status != KPRED_ERR_NOT_APPLICABLE)
        fprintf(stderr, "%s: %s\n", m->name, kpred_status_string(status));
    return n;
}

static void print_tuple(const kpred_model *m, const kpred_tuple *t)
{
    uint32_t i;
    for (i = 0; i < m->n_params; i++)
        if (m->params[i].names)
            printf("%s%s", i ? "," : "", m->params[i].names[t->value[i]]);
        else
            printf("%s%d", i ? "," : "", (int)t->value[i]);
    printf("  %.1f %%", 100.0 * kpred_probability(t->score) / (1 << 24));
}

/* The three solvers that are the most likely to be the fastest */
static size_t print_solvers(const struct target *t, const struct layer *l, const char *dir)
{
    const kpred_model *m = &kpred_model_conv_solver;
    kpred_tuple best[BEAM];
    const size_t n = predict(m, t, l, dir, best);
    size_t i;
    printf("%s %s %s n=%d c=%d %dx%d k=%d, %dx%d, stride %d\n", t->gpu, t->dtype, dir, BATCH,
           (int)l->c, (int)l->hw, (int)l->hw, (int)l->k, (int)l->filter, (int)l->filter,
           (int)l->stride);
    for (i = 0; i < n && i < 3; i++) {
        printf(i ? ", " : "    solver: ");
        print_tuple(m, best + i);
    }
    printf("\n");
    return n;
}

static size_t print_kernels(const struct target *t, const struct layer *l, const char *dir)
{
    kpred_tuple best[BEAM];
    size_t i, taken = 0;
    for (i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const kpred_model *m = kernels[i].model;
        if ((kernels[i].filter && kernels[i].filter != l->filter) || !predict(m, t, l, dir, best))
            continue;
        printf("    %-27s ", m->name);
        print_tuple(m, best);
        printf("\n");
        taken++;
    }
    return taken;
}

int main(void)
{
    static const char *const dirs[] = {"F", "B", "W"};
    size_t i, d, t, problems = 0, tuples = 0, solved = 0;
    for (t = 0; t < sizeof targets / sizeof *targets; t++)
        for (i = 0; i < sizeof layers / sizeof *layers; i++)
            for (d = 0; d < sizeof dirs / sizeof *dirs; d++) {
                problems++;
                solved += print_solvers(&targets[t], &layers[i], dirs[d]) > 0;
                tuples += print_kernels(&targets[t], &layers[i], dirs[d]);
            }
    printf("%d convolutions: solvers for %d, and %d tuples\n", (int)problems, (int)solved,
           (int)tuples);
    return solved == problems && tuples ? 0 : 1;
}
