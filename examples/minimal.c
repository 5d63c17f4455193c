/* minimal.c - the best parameters for one convolution, no heap: cc -I. examples/minimal.c */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"

#include <stdio.h>

int main(void)
{
    static int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(1)];
    const int32_t problem[] = {KPRED_GPU_GFX906_60,
                               KPRED_DIR_F,
                               KPRED_DTYPE_FP32,
                               16,
                               64,
                               56,
                               56,
                               256,
                               1}; /* n c h w k stride */
    kpred_ctx ctx;
    kpred_tuple best;
    size_t i, n;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, &kpred_model_conv_asm_1x1u, 1, arena,
                                     sizeof arena / sizeof *arena);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, KPRED_CONV_ASM_1X1U_FIELDS, &best, 1, &n);
    for (i = 0; status == KPRED_OK && i < KPRED_CONV_ASM_1X1U_PARAMS; i++)
        printf("%s=%d\n", kpred_model_conv_asm_1x1u.params[i].name, (int)best.value[i]);
    if (status != KPRED_OK)
        fprintf(stderr, "%s\n", kpred_status_string(status));
    return status != KPRED_OK;
}
