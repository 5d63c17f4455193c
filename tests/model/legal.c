/* legal.c - predicts problems of standard input with a header, all tuples that it gives
   SPDX-License-Identifier: MIT

   Compiled with -DHEADER='"FILE.h"' -DMODEL=kpred_model_NAME. A line of standard input is a beam
   and the fields' values, tokens as their numbers; the output has a line
   for each tuple, its number and values, and an empty line behind the problem's last one. */
#define KPRED_IMPLEMENTATION
#include HEADER

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 100 };

static int read_problem(size_t *beam, int32_t *problem, size_t n)
{
    int x;
    if (scanf("%d", &x) != 1 || x < 1 || x > MOST)
        return 0;
    *beam = (size_t)x;
    for (size_t i = 0; i < n; i++) {
        if (scanf("%d", &x) != 1)
            return 0;
        problem[i] = (int32_t)x;
    }
    return 1;
}

int main(void)
{
    const kpred_model *m = &MODEL;
    const size_t words = kpred_arena_words(m, MOST);
    int32_t *arena = (int32_t *)malloc(words * sizeof *arena), problem[KPRED_MAX_FIELDS];
    size_t beam;
    while (arena != NULL && read_problem(&beam, problem, m->n_fields)) {
        kpred_ctx ctx;
        kpred_tuple tuples[MOST];
        size_t n = 0;
        kpred_status status = kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words);
        if (status == KPRED_OK)
            status = kpred_predict(&ctx, problem, m->n_fields, tuples, beam, &n);
        if (status != KPRED_OK && status != KPRED_ERR_NOT_APPLICABLE
            && status != KPRED_ERR_INFEASIBLE)
            return 1;
        for (size_t i = 0; i < n; i++) {
            printf("%d", (int)i);
            for (size_t t = 0; t < m->n_params; t++)
                printf(" %ld", (long)tuples[i].value[t]);
            puts("");
        }
        puts("");
    }
    free(arena);
    return arena == NULL;
}
