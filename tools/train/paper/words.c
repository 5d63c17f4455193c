/* words.c - see words.h
   SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* ---- problems ----------------------------------------------------------------------------- */

size_t words_n_names(const struct spec *spec)
{
    size_t n = 0;
    for (size_t f = 0; f < spec->n_fields; f++)
        n += spec->fields[f].n_tokens;
    return n;
}

static int by_value(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the values and keeps one of each. */
static size_t unique(int32_t *v, size_t n)
{
    size_t kept = 0;
    qsort(v, n, sizeof *v, by_value);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || v[i] != v[kept - 1])
            v[kept++] = v[i];
    return kept;
}

/* Marks the names of one field that occur, and appends its values if it is a size. */
static void see_field(struct words *w, const struct spec *spec, size_t f, size_t first_name,
                      const int32_t *problems, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t x = problems[i * spec->n_fields + f];
        if (spec->fields[f].n_tokens)
            w->name[first_name + (size_t)x] = 1;
        else
            w->size[w->n_sizes++] = x;
    }
}

int words_count(struct words *w)
{
    w->n = 1;
    for (size_t i = 0; i < w->n_names; i++)
        if (w->name[i] && w->name[i] != (int32_t)w->n++)
            return -1;
    for (size_t i = 1; i < w->n_sizes; i++)
        if (w->size[i - 1] >= w->size[i])
            return -1;
    w->n += w->n_sizes;
    return 0;
}

int words_new(struct words *w, const struct spec *spec, const int32_t *problems, size_t n)
{
    size_t first = 0;
    int32_t word = 1;
    memset(w, 0, sizeof *w);
    w->n_names = words_n_names(spec);
    w->name = xcalloc(w->n_names + 1, sizeof *w->name);
    w->size = xcalloc(n * spec->n_fields + 1, sizeof *w->size);
    for (size_t f = 0; f < spec->n_fields; f++) {
        see_field(w, spec, f, first, problems, n);
        first += spec->fields[f].n_tokens;
    }
    w->n_sizes = unique(w->size, w->n_sizes);
    for (size_t i = 0; i < w->n_names; i++)
        w->name[i] = w->name[i] ? word++ : 0;
    words_set_answers(w, spec);
    words_count(w);
    if (w->n <= UINT16_MAX)
        return 0;
    words_free(w);
    return fail("%s: more different sizes than a vocabulary takes", spec->name);
}

void words_free(struct words *w)
{
    free(w->name);
    free(w->size);
    w->name = w->size = NULL;
}

static uint16_t size_word(const struct words *w, int32_t x)
{
    const int32_t *p = bsearch(&x, w->size, w->n_sizes, sizeof x, by_value);
    return p ? (uint16_t)(w->n - w->n_sizes + (size_t)(p - w->size)) : 0;
}

void words_of_problem(const struct words *w, const struct spec *spec, const int32_t *problem,
                      uint16_t *out)
{
    const int32_t *name = w->name;
    for (size_t f = 0; f < spec->n_fields; f++) {
        out[f] = spec->fields[f].n_tokens ? (uint16_t)name[problem[f]] : size_word(w, problem[f]);
        name += spec->fields[f].n_tokens;
    }
}

/* ---- answers ------------------------------------------------------------------------------ */

/* Are value i of p and value j of q the same word? */
static int same_word(const struct spec_param *p, size_t i, const struct spec_param *q, size_t j)
{
    if (p->names[i] && q->names[j])
        return !strcmp(p->names[i], q->names[j]);
    return !p->names[i] && !q->names[j] && p->values[i] == q->values[j];
}

/* The word of a value as an earlier parameter has it, or a new one. */
static uint16_t answer_word(struct words *w, const struct spec *spec, size_t t, size_t i)
{
    for (size_t u = 0; u < t; u++)
        for (size_t j = 0; spec->params[u].n_values > 1 && j < spec->params[u].n_values; j++)
            if (same_word(&spec->params[t], i, &spec->params[u], j))
                return w->answer[u][j];
    return (uint16_t)w->n_answers++;
}

void words_set_answers(struct words *w, const struct spec *spec)
{
    w->n_answers = w->n_steps = 0;
    for (size_t t = 0; t < spec->n_params; t++) {
        w->step[t] = w->n_steps;
        w->n_steps += spec->params[t].n_values > 1;
        for (size_t i = 0; spec->params[t].n_values > 1 && i < spec->params[t].n_values; i++)
            w->answer[t][i] = answer_word(w, spec, t, i);
    }
}

void words_of_answer(const struct words *w, const struct spec *spec, const unsigned char *target,
                     uint16_t *out)
{
    for (size_t t = 0; t < spec->n_params; t++)
        if (spec->params[t].n_values > 1)
            out[w->step[t]] = w->answer[t][target[t]];
}
