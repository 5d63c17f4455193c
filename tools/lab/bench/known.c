/* known.c - problems whose best tuples are known: their rows, and what the nearest ones offer
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows that bench_models.py wrote ---- */

enum { LINE = 1024 };

/* The next number of a line, within 0..most, and what ends it; -1 if there is none such. */
static int32_t known_number(char **at, int32_t most, char end)
{
    char *stop;
    const long x = strtol(*at, &stop, 10);
    if (stop == *at || *stop != end || x < 0 || x > most)
        return -1;
    *at = stop + 1;
    return (int32_t)x;
}

/* A row of the line; 0, or -1 if it is none. */
static int known_parse(const kpred_model *model, char *line, int32_t *problem, unsigned char *index)
{
    for (size_t f = 0; f < model->n_fields; f++)
        if ((problem[f] = known_number(&line, KPRED_MAX_SIZE, ',')) < 0)
            return -1;
    for (size_t t = 0; t < model->n_params; t++) {
        const char end = t + 1 < model->n_params ? ',' : '\n';
        const int32_t value = known_number(&line, model->params[t].n_values - 1, end);
        if (value < 0)
            return -1;
        index[t] = (unsigned char)value;
    }
    return 0;
}

/* Room for one more than n elements, of which there is room for *cap; NULL: no memory */
static void *rows_grow(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    *cap = *cap ? 2 * *cap : 1024;
    return realloc(p, *cap * size);
}

/* All lines but the heading; the number of the first that is not a row, or 0. */
static long read_lines(const kpred_model *model, FILE *f, struct rows *rows)
{
    const size_t fields = model->n_fields, params = model->n_params;
    char line[LINE];
    size_t cap = 0, cap_index = 0;
    if (!fgets(line, sizeof line, f))
        return 1;
    for (long at = 2; fgets(line, sizeof line, f); at++) {
        rows->problem = rows_grow(rows->problem, rows->n, &cap, fields * sizeof(int32_t));
        rows->index = rows_grow(rows->index, rows->n, &cap_index, params);
        if (!rows->problem || !rows->index
            || known_parse(model, line, rows->problem + rows->n * fields,
                           rows->index + rows->n * params))
            return at;
        rows->n++;
    }
    return rows->n ? 0 : 2;
}

int rows_read(const kpred_model *model, const char *folder, const char *name, struct rows *rows,
              char *why, size_t size)
{
    char path[1024];
    memset(rows, 0, sizeof *rows);
    rows->n_fields = model->n_fields;
    rows->n_params = model->n_params;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f) {
        snprintf(why, size, "there is no %s: bench_models.py writes it", path);
        return -1;
    }
    const long bad = read_lines(model, f, rows);
    fclose(f);
    if (bad)
        snprintf(why, size, "%s:%ld: expected %zu fields and %zu indexes of values", path, bad,
                 rows->n_fields, rows->n_params);
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
