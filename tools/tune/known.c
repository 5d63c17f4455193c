/* known.c - what a tuning knows beforehand: a model, and tables of other GPUs and problems
   SPDX-License-Identifier: MIT */
#include "loop.h"

#include "model/gpus.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_TABLES = 16 }; /* problems of the data that a strategy is told of: the nearest */

int known_open(struct known *k, const struct spec *spec, const char *model,
               const struct opt_texts *data, const struct data_format *readers)
{
    const struct data_options how = {.lenient = 0};
    memset(k, 0, sizeof *k);
    if (model != NULL) {
        if (model_open(model, &k->model) != 0)
            return -1;
        k->has_model = 1;
        if (order_check(model, &k->model, spec) != 0)
            return -1;
    }
    if (data->n == 0)
        return 0;
    if (data_load(readers, spec, data->v, data->n, &how, &k->data) != 0)
        return -1;
    k->has_data = 1;
    data_note_drops(&k->data);
    return 0;
}

void known_close(struct known *k)
{
    if (k->has_model)
        model_free(&k->model);
    if (k->has_data)
        data_free(&k->data);
}

/* ---- tables ---- */

double known_weight(const char *gpu, const char *other)
{
    const char *here = gpu != NULL ? gpu_vendor(gpu) : NULL;
    const char *there = other != NULL ? gpu_vendor(other) : NULL;
    return here == NULL || there == NULL || strcmp(here, there) == 0 ? 1 : 0.1;
}

static const char *gpu_of(const struct spec *spec, const int32_t *problem)
{
    const int f = spec_field_index(spec, "gpu");
    return f >= 0 && spec->fields[f].n_tokens != 0 ? spec->fields[f].tokens[problem[f]] : NULL;
}

int known_nearer(const void *pa, const void *pb)
{
    const struct known_near *a = pa, *b = pb;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

static size_t known_find(const struct legal *l, const unsigned char *target, size_t n_params)
{
    uint16_t value[KPRED_MAX_TUPLE];
    for (size_t t = 0; t < n_params; t++)
        value[t] = target[t];
    return tuples_find(&l->tuples, value);
}

double known_table(const struct dataset *d, size_t first, const struct legal *l, double *times)
{
    double best = HUGE_VAL;
    size_t end = data_problem_end(d, first);
    for (size_t i = 0; i < l->space.n; i++)
        times[i] = (double)NAN;
    for (size_t row = first; row < end; row++) {
        const size_t i = known_find(l, d->target + row * d->n_params, d->n_params);
        if (i != SIZE_MAX && !(times[i] <= d->time_us[row]))
            times[i] = d->time_us[row];
        best = i != SIZE_MAX && times[i] < best ? times[i] : best;
    }
    for (size_t f = data_find_failures(d, d->problem + first * d->n_fields, &end); f < end; f++) {
        const size_t i = known_find(l, d->failed.target + f * d->n_params, d->n_params);
        if (i != SIZE_MAX && isnan(times[i]))
            times[i] = HUGE_VAL;
    }
    return best;
}

static void tell_tables(const struct known *k, const struct spec *spec, const int32_t *problem,
                        const struct legal *l, struct strategy *s, double *times)
{
    const struct dataset *d = &k->data;
    struct known_near *near = xcalloc(data_count_problems(d) + 1, sizeof *near);
    size_t n = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        near[n++] =
            (struct known_near){data_distance(spec, problem, d->problem + i * d->n_fields), i};
    qsort(near, n, sizeof *near, known_nearer);
    for (size_t i = 0; i < n && i < MOST_TABLES; i++) {
        (void)known_table(d, near[i].at, l, times);
        const int32_t *there = d->problem + near[i].at * d->n_fields;
        strategy_warm(s, times, known_weight(gpu_of(spec, problem), gpu_of(spec, there)));
    }
    free(near);
}

void known_tell(struct known *k, const struct spec *spec, const int32_t *problem,
                const struct legal *l, struct strategy *s)
{
    double *numbers = xcalloc(l->space.n + 1, sizeof *numbers);
    if (k->has_data)
        tell_tables(k, spec, problem, l, s, numbers);
    if (k->has_model) {
        if (order_scores(&k->model, spec, problem, l, numbers))
            strategy_prior(s, numbers);
        else
            k->n_strange++;
    }
    free(numbers);
}
