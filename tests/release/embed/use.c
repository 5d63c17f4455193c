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

/* A scorer of its own */
static void start(const kpred_model *model, const int32_t *problem, int32_t *work, int32_t *state)
{
    (void)model;
    work[0] = problem[1];
    state[0] = 0;
}

static void logits(const kpred_model *model, int32_t *work, const int32_t *state,
                   const unsigned char *prefix, size_t n_decided, int32_t *to)
{
    int32_t v;
    (void)prefix;
    for (v = 0; v < model->params[n_decided].n_values; v++)
        to[v] = v * 30000 - state[0] * 5000 * v + (work[0] & 7) * 100;
}

static void extend(const kpred_model *model, int32_t *work, const int32_t *state, size_t n_decided,
                   int32_t value_index, int32_t *next)
{
    (void)model, (void)work, (void)n_decided;
    next[0] = state[0] + value_index;
}

/* A number that all of the tuples make, or 0 */
static int32_t all_of(const kpred_model *model, int32_t *arena, size_t words)
{
    const int32_t problem[KPRED_ALPHA_FIELDS] = {1, 100, 64};
    kpred_ctx ctx;
    kpred_tuple out[4];
    size_t n = 0, i, t;
    int32_t sum = 0;
    if (kpred_init(&ctx, KPRED_VERSION, model, 4, arena, words) != KPRED_OK
        || kpred_predict(&ctx, problem, KPRED_ALPHA_FIELDS, out, 4, &n) != KPRED_OK || n != 4)
        return 0;
    for (i = 0; i < n; i++)
        for (t = 0; t < model->n_params; t++)
            sum = (sum * 31 + out[i].value[t] * 7 - out[i].score) % 1000003;
    return sum;
}

/* Both models, and the second one with the scorer */
int32_t NAME(void)
{
    static int32_t alpha[KPRED_ALPHA_ARENA(4)], beta[KPRED_BETA_ARENA(4)];
    const size_t words = sizeof beta / sizeof *beta;
    const int32_t one = all_of(&kpred_model_alpha, alpha, sizeof alpha / sizeof *alpha);
    const int32_t two = all_of(&kpred_model_beta, beta, words);
    const kpred_scorer own = {start, logits, extend};
    kpred_model model = kpred_model_beta;
    int32_t three;
    model.scorer = &own;
    model.id = kpred_model_id(&model);
    three = all_of(&model, beta, words);
    return one && two && three ? one ^ two << 1 ^ three << 2 : 0;
}

#ifdef __cplusplus
}
#endif
#endif
