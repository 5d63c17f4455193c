/* test_package.c - includes the headers in both ways, and predicts
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"
#include <kpred/weights/conv_asm_bwd_wrw_3x3.h>

int main(void)
{
    static int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(8)];
    const int32_t problem[] = {
        KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 56, 56, 256, 1};
    kpred_ctx ctx;
    kpred_tuple best[8];
    size_t n;
    return kpred_init(&ctx, KPRED_VERSION, &kpred_model_conv_asm_1x1u, 8, arena,
                      sizeof arena / sizeof *arena)
                   == KPRED_OK
               && kpred_predict(&ctx, problem, 9, best, 8, &n) == KPRED_OK && n == 8
           ? 0
           : 1;
}
