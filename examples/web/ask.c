/* ask.c - kpred in a web page, whose script index.html has; this makes ask.wasm:

       clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--export=ask,--export=ask_tuples -I. \
           examples/web/ask.c -o examples/web/ask.wasm
       python3 -m http.server --directory examples/web

   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"

static int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(8)];
static kpred_tuple best[8];

int ask(int n, int c, int h, int w, int k);
const kpred_tuple *ask_tuples(void);

/* The tuples of a convolution forward in FP32 on a Radeon VII: how many; they lie at ask_tuples. */
int ask(int n, int c, int h, int w, int k)
{
    const int32_t problem[] = {
        KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32, n, c, h, w, k, 1};
    kpred_ctx ctx;
    size_t found = 0;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, &kpred_model_conv_asm_1x1u, 8, arena,
                                     sizeof arena / sizeof *arena);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, 9, best, 8, &found);
    return status == KPRED_OK ? (int)found : 0;
}

const kpred_tuple *ask_tuples(void)
{
    return best;
}
