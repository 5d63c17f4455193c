/* use.c - a file of a program, which predicts with two models; NAME: what its function is called
   SPDX-License-Identifier: MIT

   KPRED_IMPLEMENTATION, KPRED_STATIC: as the header has it. LATE: the declarations come first, as
   from another header, the definitions after them. MAIN: the program's main asks both files, and
   their answers must agree. */
#ifdef MAIN
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
int32_t first(void);
int32_t second(void);
#ifdef __cplusplus
}
#endif

int main(void)
{
    printf("%ld\n", (long)first());
    return first() == 0 || first() != second();
}
#else
#ifdef LATE
#include "alpha.h"
#include "beta.h"
#define KPRED_IMPLEMENTATION
#endif
#include "alpha.h"
#include "beta.h"
#include "kpred.h"

#ifdef __cplusplus
extern "C" {
#endif

int32_t NAME(void);

/* A number that all of the tuples make, or 0. The ids are not at stake here: they are filled in. */
static int32_t all_of(const kpred_model *original, const int32_t *problem, size_t n_fields,
                      int32_t *arena, size_t words)
{
    kpred_model model = *original;
    kpred_ctx ctx;
    kpred_tuple out[4];
    size_t n = 0, i, t;
    int32_t sum = 0;
    model.id = kpred_model_id(&model);
    if (kpred_init(&ctx, KPRED_VERSION, &model, 4, arena, words) != KPRED_OK
        || kpred_predict(&ctx, problem, n_fields, out, 4, &n) != KPRED_OK || n != 4)
        return 0;
    for (i = 0; i < n; i++)
        for (t = 0; t < model.n_params; t++)
            sum = (sum * 31 + out[i].value[t] * 7 - out[i].score) % 1000003;
    return sum;
}

int32_t NAME(void)
{
    static int32_t alpha[KPRED_ALPHA_ARENA(4)], beta[KPRED_BETA_ARENA(4)];
    const int32_t problem[KPRED_ALPHA_FIELDS] = {1, 100};
    const int32_t one = all_of(&kpred_model_alpha, problem, KPRED_ALPHA_FIELDS, alpha,
                               sizeof alpha / sizeof *alpha);
    const int32_t two =
        all_of(&kpred_model_beta, problem + 1, KPRED_BETA_FIELDS, beta, sizeof beta / sizeof *beta);
    return one && two ? one ^ two << 1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif
