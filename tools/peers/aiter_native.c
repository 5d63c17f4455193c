/* aiter_native.c - the kernels that a model names, for tools/peers/aiter_network.py
   SPDX-License-Identifier: MIT

   Built with -DHEADER='"FILE.h"' -DMODEL=kpred_model_NAME. Each line "GPU M N K" of the input gives
   a line "LIBRARY NAME SPLIT" for each kernel, best first, and an empty line. */
#define KPRED_IMPLEMENTATION
#include HEADER

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEAM = 8 };

static const kpred_model *const model = &MODEL;

static size_t param_named(const char *name)
{
    size_t p = 0;
    while (p < model->n_params && strcmp(model->params[p].name, name) != 0)
        p++;
    return p;
}

static void print_kernel(const int32_t *problem, const kpred_tuple *t)
{
    const kpred_param *library = &model->params[param_named("library")];
    const int32_t kernel = kpred_kernel_of(model, t->value);
    if (!kpred_legal(model, problem, t->value) || kernel < 0) {
        fprintf(stderr, "aiter_native: a tuple is illegal or has no name\n");
        exit(1);
    }
    printf("%s %s %" PRId32 "\n", library->names[t->value[param_named("library")]],
           kpred_kernel_name(model, kernel), t->value[param_named("split")]);
}

/* A GPU that the model does not know, or a problem without a legal tuple, has no kernels. */
static void answer(kpred_ctx *ctx, const int32_t *problem)
{
    kpred_tuple tuple[BEAM];
    size_t n = 0;
    if (kpred_predict(ctx, problem, 4, tuple, BEAM, &n) != KPRED_OK)
        n = 0;
    for (size_t i = 0; i < n; i++)
        print_kernel(problem, &tuple[i]);
    printf("\n");
}

int main(void)
{
    const size_t words = kpred_arena_words(model, BEAM);
    int32_t *arena = calloc(words, sizeof *arena), problem[4];
    char gpu[64];
    kpred_ctx ctx;
    if (!arena || kpred_init(&ctx, KPRED_VERSION, model, BEAM, arena, words) != KPRED_OK)
        return 1;
    while (
        scanf("%63s %" SCNd32 " %" SCNd32 " %" SCNd32, gpu, problem + 1, problem + 2, problem + 3)
        == 4) {
        problem[0] = kpred_token(model, 0, gpu);
        answer(&ctx, problem);
    }
    free(arena);
    return 0;
}
