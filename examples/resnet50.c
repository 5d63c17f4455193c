/* resnet50.c - every convolution of ResNet-50 (batch 32) that one of the shipped kernels can run, in
   all three directions: the best legal tuple of each, with its probability. `make demo` runs it. */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"
#include "weights/conv_asm_bwd_wrw_1x1.h"
#include "weights/conv_asm_bwd_wrw_3x3.h"
#include "weights/conv_ocl_direct_fwd_1x1.h"

#include <stdio.h>

/* Distinct layers: channels in, image side, filters, filter side, stride */
static const struct layer {
    int32_t c, hw, k, filter, stride;
} layers[] = {
    { 64, 56, 64, 1, 1 },    { 64, 56, 64, 3, 1 },    { 64, 56, 256, 1, 1 },
    { 256, 56, 64, 1, 1 },   { 256, 56, 128, 1, 1 },  { 128, 28, 128, 3, 1 },
    { 128, 28, 512, 1, 1 },  { 256, 56, 512, 1, 2 },  { 512, 28, 128, 1, 1 },
    { 512, 28, 256, 1, 1 },  { 256, 14, 256, 3, 1 },  { 256, 14, 1024, 1, 1 },
    { 512, 28, 1024, 1, 2 }, { 1024, 14, 256, 1, 1 }, { 1024, 14, 512, 1, 1 },
    { 512, 7, 512, 3, 1 },   { 512, 7, 2048, 1, 1 },  { 1024, 14, 2048, 1, 2 },
    { 2048, 7, 512, 1, 1 },
};

static const struct kernel {
    const kpred_model *model;
    int32_t filter;
} kernels[] = {
    { &kpred_model_conv_asm_1x1u, 1 },
    { &kpred_model_conv_ocl_direct_fwd_1x1, 1 },
    { &kpred_model_conv_asm_bwd_wrw_1x1, 1 },
    { &kpred_model_conv_asm_bwd_wrw_3x3, 3 },
};

static int32_t arena[4096];

static void print_problem(const kpred_model *m, const int32_t *p)
{
    uint32_t f;
    printf("%-24s", m->name);
    for (f = 0; f < m->n_fields; f++)
        if (m->fields[f].tokens)
            printf(" %s", m->fields[f].tokens[p[f]]);
        else
            printf(" %s=%d", m->fields[f].name, (int)p[f]);
    printf(":\n");
}

static void print_tuple(const kpred_model *m, const kpred_tuple *t)
{
    uint32_t i;
    printf("    ");
    for (i = 0; i < m->n_params; i++)
        printf("%s%d", i ? "," : "", (int)t->value[i]);
    printf("   %.1f %%\n", 100.0 * kpred_probability(t->score) / (1 << 24));
}

/* 1 if the kernel took the layer; 0 if it does not apply; -1 on trouble */
static int predict(const struct kernel *kernel, const struct layer *l, int32_t dir)
{
    const kpred_model *m = kernel->model;
    const int32_t problem[] = { KPRED_GPU_GFX906_60, dir, KPRED_DTYPE_FP32, 32, l->c,
                                l->hw, l->hw, l->k, l->stride, 1 };
    kpred_ctx ctx;
    kpred_tuple best[3];
    kpred_status status;
    size_t n, i;
    if (kernel->filter != l->filter)
        return 0;
    status = kpred_init(&ctx, KPRED_VERSION, m, 3, arena, sizeof arena / sizeof *arena);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, m->n_fields, best, 3, &n);
    if (status == KPRED_ERR_NOT_APPLICABLE)
        return 0;
    if (status != KPRED_OK) {
        fprintf(stderr, "%s: %s\n", m->name, kpred_status_string(status));
        return -1;
    }
    print_problem(m, problem);
    for (i = 0; i < n; i++)
        print_tuple(m, best + i);
    return 1;
}

int main(void)
{
    size_t i, j, taken = 0;
    int32_t dir;
    for (i = 0; i < sizeof layers / sizeof *layers; i++)
        for (dir = KPRED_DIR_F; dir <= KPRED_DIR_W; dir++)
            for (j = 0; j < sizeof kernels / sizeof *kernels; j++) {
                const int done = predict(&kernels[j], &layers[i], dir);
                if (done < 0)
                    return 1;
                taken += (size_t)done;
            }
    printf("%zu predictions, the three best of each\n", taken);
    return taken ? 0 : 1;
}
