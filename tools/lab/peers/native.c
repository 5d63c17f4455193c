/* native.c - a kernel's rule and network for the scripts beside it, as a shared library
   SPDX-License-Identifier: MIT

   Built with -DHEADER='"weights/NAME.h"' -DMODEL=kpred_model_NAME. Tuples go in and out as indices
   of the spec's values, a byte for each parameter. */
#define KPRED_IMPLEMENTATION
#include HEADER

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const kpred_model *const model = &MODEL;

const char *bench_split(void)
{
    return model->split;
}

/* Whether the first n values may stand. */
int bench_prefix(const int32_t *problem, const unsigned char *index, size_t n)
{
    int32_t value[KPRED_MAX_TUPLE];
    for (size_t t = 0; t < n; t++)
        value[t] = model->params[t].values[index[t]];
    return model->rule == NULL || model->rule(problem, value, n) != 0;
}

/* For each prefix of n values and each value of the next parameter, whether it may follow. */
void bench_extend(const int32_t *problem, const unsigned char *prefix, size_t rows, size_t n,
                  unsigned char *may)
{
    const size_t n_values = (size_t)model->params[n].n_values;
    unsigned char index[KPRED_MAX_TUPLE];
    for (size_t i = 0; i < rows; i++) {
        memcpy(index, prefix + i * n, n);
        for (size_t v = 0; v < n_values; v++) {
            index[n] = (unsigned char)v;
            may[i * n_values + v] = (unsigned char)bench_prefix(problem, index, n + 1);
        }
    }
}

/* Advances to the next prefix in order: deeper if this one may stand, else to the next value. */
static size_t next_prefix(unsigned char *index, size_t n, int deeper)
{
    if (deeper) {
        index[n] = 0;
        return n + 1;
    }
    while (n > 0 && ++index[n - 1] == model->params[n - 1].n_values)
        n--;
    return n;
}

/* All legal tuples of a problem, in order; how many, of which the first `cap` are written. */
size_t bench_legal(const int32_t *problem, unsigned char *out, size_t cap)
{
    unsigned char index[KPRED_MAX_TUPLE] = {0};
    const size_t whole = model->n_params;
    size_t found = 0;
    if (!bench_prefix(problem, index, 0))
        return 0;
    for (size_t n = next_prefix(index, 0, 1); n > 0;) {
        const int may = bench_prefix(problem, index, n);
        if (may && n == whole && found++ < cap)
            memcpy(out + (found - 1) * whole, index, whole);
        n = next_prefix(index, n, may && n < whole);
    }
    return found;
}

static unsigned char index_of(size_t param, int32_t value)
{
    unsigned char i = 0;
    while (model->params[param].values[i] != value)
        i++;
    return i;
}

/* The network's k tuples for every problem; found: how many. A status, 0 if all went well. */
int bench_predict(const int32_t *problem, size_t rows, size_t k, unsigned char *out, int32_t *found)
{
    const size_t words = kpred_arena_words(model, k);
    int32_t *arena = calloc(words, sizeof *arena);
    kpred_tuple *tuple = calloc(k, sizeof *tuple);
    kpred_ctx ctx;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, model, k, arena, words);
    for (size_t i = 0; i < rows && status == KPRED_OK; i++) {
        size_t n = 0;
        status = kpred_predict(&ctx, problem + i * model->n_fields, model->n_fields, tuple, k, &n);
        if (status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE)
            status = KPRED_OK;
        found[i] = (int32_t)n;
        for (size_t j = 0; j < n; j++)
            for (size_t t = 0; t < model->n_params; t++)
                out[(i * k + j) * model->n_params + t] = index_of(t, tuple[j].value[t]);
    }
    free(arena);
    free(tuple);
    return (int)status;
}

/* ---- of AITER's models: the kernels by name ---- */

enum { BEAM = 8 };

static size_t param_named(const char *name)
{
    size_t p = 0;
    while (p < model->n_params && strcmp(model->params[p].name, name) != 0)
        p++;
    return p;
}

/* How long the line "LIBRARY NAME SPLIT" of a tuple is; 0: it is illegal, or has no name or no
   room. */
static size_t put_kernel(const int32_t *problem, const kpred_tuple *t, char *out, size_t cap)
{
    const kpred_param *library = &model->params[param_named("library")];
    const int32_t kernel = kpred_kernel_of(model, t->value);
    if (!kpred_legal(model, problem, t->value) || kernel < 0)
        return 0;
    const int n =
        snprintf(out, cap, "%s %s %" PRId32 "\n", library->names[t->value[param_named("library")]],
                 kpred_kernel_name(model, kernel), t->value[param_named("split")]);
    return (size_t)n < cap ? (size_t)n : 0;
}

/* The problem's values of the model's fields from "gpu=TOKEN m=SIZE ...", which may have others. */
static void read_problem(const char *text, int32_t *problem)
{
    for (int f = 0; f < model->n_fields; f++) {
        const char *name = model->fields[f].name, *at = text;
        char token[64] = "";
        while (at != NULL && (strncmp(at, name, strlen(name)) != 0 || at[strlen(name)] != '='))
            at = strchr(at, ' ') != NULL ? strchr(at, ' ') + 1 : NULL;
        if (at != NULL)
            sscanf(at + strlen(name) + 1, "%63[^ ]", token);
        problem[f] = model->fields[f].n_tokens != 0 ? kpred_token(model, (size_t)f, token)
                                                    : (int32_t)strtol(token, NULL, 10);
    }
}

/* A line for each kernel that the network names, best first. A GPU that the model does not know, or
   a problem without a legal tuple, has no kernels. 0, or -1 if a line cannot be written. */
int bench_kernels(const char *text, char *out, size_t cap)
{
    const size_t words = kpred_arena_words(model, BEAM);
    int32_t *arena = calloc(words, sizeof *arena), problem[KPRED_MAX_FIELDS] = {0};
    kpred_tuple tuple[BEAM];
    kpred_ctx ctx;
    size_t n = 0, used = 0, i = 0;
    int bad = !arena || kpred_init(&ctx, KPRED_VERSION, model, BEAM, arena, words) != KPRED_OK;
    out[0] = '\0';
    read_problem(text, problem);
    if (!bad && kpred_predict(&ctx, problem, model->n_fields, tuple, BEAM, &n) != KPRED_OK)
        n = 0;
    for (; i < n && !bad; i++) {
        const size_t length = put_kernel(problem, &tuple[i], out + used, cap - used);
        bad = !length;
        used += length;
    }
    free(arena);
    return bad ? -1 : 0;
}
