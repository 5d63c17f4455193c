/* returned.c - what a shipped model predicts for each problem of a table, for rules_oracle.py
   SPDX-License-Identifier: MIT

   returned MODEL K < CSV that `kpred-train ingest` wrote for the model: for each problem a line
   with the problem, then up to K predicted tuples, separated by ';'. */
#define KPRED_IMPLEMENTATION
#include "model/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL(name, NAME) &kpred_model_##name,
static const kpred_model *const models[] = {SHIPPED(MODEL)};
#undef MODEL

static int32_t arena[65536];
static kpred_tuple out[KPRED_MAX_BEAM];

/* The columns stand in the model's order. */
static int read_problem(const kpred_model *m, char *line, char **cell, int32_t *problem)
{
    uint32_t f;
    cell[0] = strtok(line, ",\r\n");
    for (f = 0; f < m->n_fields && cell[f]; cell[++f] = strtok(NULL, ",\r\n"))
        problem[f] = m->fields[f].tokens ? kpred_token(m, f, cell[f]) : (int32_t)atol(cell[f]);
    return f == m->n_fields;
}

static void print_line(kpred_ctx *ctx, char *const *cell, const int32_t *problem, size_t k)
{
    const kpred_model *m = ctx->model;
    size_t n = 0;
    if (kpred_predict(ctx, problem, m->n_fields, out, k, &n) != KPRED_OK)
        n = 0;
    for (uint32_t f = 0; f < m->n_fields; f++)
        printf("%s%s", f ? "," : "", cell[f]);
    for (size_t i = 0; i < n; i++)
        for (uint32_t t = 0; t < m->n_params; t++)
            printf("%c%d", t ? ',' : ';', (int)out[i].value[t]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    char line[1024], *cell[KPRED_MAX_FIELDS + 1];
    int32_t problem[KPRED_MAX_FIELDS];
    const kpred_model *m = NULL;
    kpred_ctx ctx;
    size_t i, k = argc > 2 ? (size_t)atol(argv[2]) : 0;
    for (i = 0; argc > 1 && i < sizeof models / sizeof *models; i++)
        if (!strcmp(models[i]->name, argv[1]))
            m = models[i];
    if (!m || kpred_init(&ctx, KPRED_VERSION, m, k, arena, sizeof arena / sizeof *arena)
        || !fgets(line, sizeof line, stdin))
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        if (!read_problem(m, line, cell, problem))
            return 1;
        print_line(&ctx, cell, problem, k);
    }
    return 0;
}
