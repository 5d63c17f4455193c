/* known.c - problems whose best tuples are known: their rows, and what the nearest ones offer
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows that bench_models.py wrote ---- */

enum { LINE = 1024 };

/* A row of the line, numbers with commas between them; 0, or -1 if it is none. */
static int known_parse(const kpred_model *model, const char *line, int32_t *problem,
                       unsigned char *index)
{
    const size_t fields = model->n_fields, n = fields + model->n_params;
    for (size_t i = 0; i < n; i++) {
        const int32_t most = i < fields ? KPRED_MAX_SIZE : model->params[i - fields].n_values - 1;
        char *end;
        const long x = strtol(line, &end, 10);
        if (end == line || *end != (i + 1 < n ? ',' : '\n') || x < 0 || x > most)
            return -1;
        if (i < fields)
            problem[i] = (int32_t)x;
        else
            index[i - fields] = (unsigned char)x;
        line = end + 1;
    }
    return 0;
}

/* All lines but the heading; the number of the first that is not a row, or 0. */
static long known_lines(const kpred_model *model, FILE *f, struct rows *rows)
{
    char line[LINE];
    if (!fgets(line, sizeof line, f))
        return 1;
    for (long at = 2; fgets(line, sizeof line, f); at++, rows->n++)
        if (known_parse(model, line, rows->problem + rows->n * rows->n_fields,
                        rows->index + rows->n * rows->n_params))
            return at;
    return rows->n ? 0 : 2;
}

int rows_read(const struct peer_task *task, const char *name, struct rows *rows, char why[PEER_WHY])
{
    char path[PEER_PATH];
    const size_t fields = task->model->n_fields, params = task->model->n_params;
    *rows = (struct rows){.n_fields = fields, .n_params = params};
    const long bytes = peer_file(task, name, path, why);
    FILE *f = bytes < 0 ? NULL : fopen(path, "r");
    if (!f)
        return -1;
    const size_t most = (size_t)bytes / (2 * (fields + params)) + 1; /* a digit and what ends it */
    rows->problem = malloc(most * fields * sizeof *rows->problem);
    rows->index = malloc(most * params);
    const long bad = rows->problem && rows->index ? known_lines(task->model, f, rows) : 1;
    fclose(f);
    if (bad)
        snprintf(why, PEER_WHY, "%.60s:%ld: expected %zu fields and %zu indexes of values", path,
                 bad, fields, params);
    return bad ? -1 : 0;
}

void rows_free(struct rows *rows)
{
    free(rows->problem);
    free(rows->index);
    memset(rows, 0, sizeof *rows);
}

/* ---- tuples of the nearest ---- */

static int is_there(const struct distinct *d, const int32_t *value, size_t size)
{
    for (size_t i = 0; i < d->n; i++)
        if (memcmp(d->out[i].value, value, size) == 0)
            return 1;
    return 0;
}

static int is_legal(const struct distinct *d, const int32_t *value)
{
    for (size_t n = 0; d->model->rule != NULL && n <= d->model->n_params; n++)
        if (!d->model->rule(d->problem, value, n))
            return 0;
    return 1;
}

int distinct_add(struct distinct *d, const unsigned char *index)
{
    const size_t n_params = d->model->n_params;
    int32_t *value = d->out[d->n].value;
    for (size_t t = 0; t < n_params; t++)
        value[t] = d->model->params[t].values[index[t]];
    if (!is_there(d, value, n_params * sizeof *value) && is_legal(d, value))
        d->n++;
    return d->n == d->k;
}
