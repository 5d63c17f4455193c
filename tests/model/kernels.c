/* kernels.c - the legal tuples of problems, by the names of their kernels
   SPDX-License-Identifier: MIT

   Reads lines "MODEL GPU M N K" from standard input, of built-in models or of headers, and prints
   a line for each legal tuple: that line, the kernel's name, its number for that GPU, the split. */
#include "kpred.h"

#include "model/registry.h"

#include <stdio.h>
#include <string.h>

/* The splits of one kernel */
static void print_splits(const kpred_model *m, const char *line, const int32_t *problem,
                         int32_t *values, int32_t kernel)
{
    const kpred_param *split = &m->params[0];
    for (int32_t s = 0; s < split->n_values; s++) {
        values[0] = split->values[s];
        if (kpred_legal(m, problem, values))
            printf("%s %s %d %d\n", line, kpred_kernel_name(m, kernel),
                   (int)kpred_kernel_id(m, kernel, problem), (int)values[0]);
    }
}

static int print_legal(const char *line)
{
    char name[64], gpu[32];
    long size[3];
    struct model model;
    int32_t values[KPRED_MAX_TUPLE];
    if (sscanf(line, "%63s %31s %ld %ld %ld", name, gpu, &size[0], &size[1], &size[2]) != 5
        || model_open(name, &model) != 0)
        return 1;
    const int32_t problem[] = {kpred_token(&model.m, 0, gpu), (int32_t)size[0], (int32_t)size[1],
                               (int32_t)size[2]};
    for (int32_t i = 0; problem[0] >= 0 && i < (int32_t)model.m.names->n; i++) {
        kpred_kernel_values(&model.m, i, values);
        print_splits(&model.m, line, problem, values, i);
    }
    model_free(&model);
    return 0;
}

int main(void)
{
    char line[256];
    int bad = 0;
    while (!bad && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        bad = print_legal(line);
    }
    return bad;
}
