/* minimal.c - the best parameters for one convolution, no heap: cc -I. examples/minimal.c */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"

#include <stdio.h>

int main(void)
{
    static int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(1)];
    const int32_t problem[KPRED_CONV_ASM_1X1U_FIELDS] = {
        [KPRED_CONV_ASM_1X1U_FIELD_GPU] = KPRED_CONV_ASM_1X1U_GPU_GFX906_60,
        [KPRED_CONV_ASM_1X1U_FIELD_DIR] = KPRED_CONV_ASM_1X1U_DIR_F,
        [KPRED_CONV_ASM_1X1U_FIELD_DTYPE] = KPRED_CONV_ASM_1X1U_DTYPE_FP32,
        [KPRED_CONV_ASM_1X1U_FIELD_N] = 16,
        [KPRED_CONV_ASM_1X1U_FIELD_C] = 64,
        [KPRED_CONV_ASM_1X1U_FIELD_H] = 56,
        [KPRED_CONV_ASM_1X1U_FIELD_W] = 56,
        [KPRED_CONV_ASM_1X1U_FIELD_K] = 256,
        [KPRED_CONV_ASM_1X1U_FIELD_STRIDE] = 1,
    };
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
