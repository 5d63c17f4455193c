/* listed.c - see listed.h
   SPDX-License-Identifier: MIT */
#include "listed.h"

#include <stdlib.h>
#include <string.h>

/* ---- combinations ---- */

static int add_field(const struct spec *spec, const char *name, struct listed_by *by)
{
    const int i = spec_field_index(spec, name);
    const char *what = NULL;
    if (i < 0 || !spec->fields[i].n_tokens)
        what = "is no field of tokens";
    for (size_t k = 0; k < by->n_fields && !what; k++)
        what = by->field[k] == (uint32_t)i ? "stands there twice" : NULL;
    if (what)
        return fail("%s:%ld: listed_by: value \"%s\": %s", spec->path, spec->listed_by_line, name,
                    what);
    by->field[by->n_fields] = (uint32_t)i;
    by->n_tokens[by->n_fields++] = (int32_t)spec->fields[i].n_tokens;
    by->n *= spec->fields[i].n_tokens;
    return by->n <= LISTED_MAX_COMBINATIONS
               ? 0
               : fail("%s:%ld: listed_by: value \"%s\": with it there are %zu combinations of "
                      "tokens: at most %d",
                      spec->path, spec->listed_by_line, name, by->n, LISTED_MAX_COMBINATIONS);
}

int listed_by_read(const struct spec *spec, struct listed_by *by)
{
    char *text = xstrdup(spec->listed_by ? spec->listed_by : "");
    int bad = 0;
    memset(by, 0, sizeof *by);
    by->n = 1;
    for (char *name = strtok(text, " \t"); name && !bad; name = strtok(NULL, " \t"))
        bad = add_field(spec, name, by);
    free(text);
    return bad;
}

size_t listed_combination(const struct listed_by *by, const int32_t *problem)
{
    size_t at = 0;
    for (size_t i = 0; i < by->n_fields; i++)
        at = at * (size_t)by->n_tokens[i] + (size_t)problem[by->field[i]];
    return at;
}

/* ---- bits ---- */

static size_t bits_of(const kpred_param *params, size_t n_params)
{
    size_t size = 1, all = 1;
    for (size_t t = 0; t < n_params && all <= LISTED_MAX_BITS; t++) {
        size *= (size_t)params[t].n_values;
        all += size;
    }
    return all;
}

size_t listed_bytes(const kpred_param *params, size_t n_params)
{
    const size_t bits = bits_of(params, n_params);
    return bits <= LISTED_MAX_BITS ? (bits + 7) / 8 : 0;
}

void listed_add(const kpred_param *params, size_t n_params, unsigned char *bits,
                const unsigned char *target)
{
    size_t first = 0, size = 1, at = 0;
    for (size_t t = 0;; t++) {
        unsigned char *byte = &bits[(first + at) / 8];
        *byte = (unsigned char)(*byte | 1 << (first + at) % 8);
        if (t == n_params)
            return;
        first += size;
        size *= (size_t)params[t].n_values;
        at = at * (size_t)params[t].n_values + target[t];
    }
}

/* ---- sets ---- */

static int is_tuple(const kpred_model *m, const unsigned char *target)
{
    size_t t;
    for (t = 0; t < m->n_params && target[t] < m->params[t].n_values; t++)
        ;
    return t == m->n_params;
}

/* The number of a set, from 1; it is added if it is new. */
static size_t number_of(struct buf *sets, const unsigned char *set, size_t bytes)
{
    size_t i = 0;
    while (i < sets->n && memcmp(sets->s + i, set, bytes) != 0)
        i += bytes;
    if (i == sets->n)
        buf_add(sets, (const char *)set, bytes);
    return i / bytes + 1;
}

int listed_collect(const kpred_model *m, struct listed_by *by, const int32_t *problems,
                   const unsigned char *targets, size_t n, struct buf *sets)
{
    const size_t bits = bits_of(m->params, m->n_params), bytes = (bits + 7) / 8;
    size_t *last = xcalloc(by->n, sizeof *last), *before = xcalloc(n, sizeof *before);
    unsigned char *set = xmalloc(bytes);
    size_t n_sets = 0;
    /* 1 + the last row of each combination, and before each row: a combination's rows alone are
       looked at */
    for (size_t i = 0; i < n; i++) {
        const size_t c = listed_combination(by, problems + i * m->n_fields);
        before[i] = last[c];
        last[c] = i + 1;
    }
    for (size_t c = 0; c < by->n && n_sets * bits <= LISTED_MAX_BITS; c++) {
        memset(set, 0, bytes);
        for (size_t i = last[c]; i != 0; i = before[i - 1])
            if (is_tuple(m, targets + (i - 1) * m->n_params))
                listed_add(m->params, m->n_params, set, targets + (i - 1) * m->n_params);
        by->set[c] = (uint16_t)(set[0] & 1 ? number_of(sets, set, bytes) : 0);
        n_sets = sets->n / bytes;
    }
    free(set);
    free(before);
    free(last);
    return n_sets * bits <= LISTED_MAX_BITS ? 0 : -1;
}

/* ---- the rule's name ---- */

void listed_name(const struct listed_by *by, const unsigned char *sets, size_t bytes, size_t n_sets,
                 char name[48])
{
    struct buf all = {NULL, 0, 0};
    char hex[65];
    buf_add(&all, (const char *)sets, bytes * n_sets);
    for (size_t c = 0; by->n_fields && c < by->n; c++)
        buf_printf(&all, "%d ", by->set[c]);
    sha256_hex(all.s, all.n, hex);
    buf_free(&all);
    const int n = snprintf(name, 48, LISTED_PREFIX "%.16s", hex);
    if (by->n_fields)
        snprintf(name + n, 48 - (size_t)n, "_%zuof%zu", n_sets, by->n);
}

size_t listed_bytes_of(const kpred_model *m)
{
    size_t n_sets = 1, n = 0;
    if (strncmp(m->rule_name, LISTED_PREFIX, strlen(LISTED_PREFIX)) != 0)
        return 0;
    const char *more = strchr(m->rule_name + strlen(LISTED_PREFIX), '_');
    if (more && sscanf(more, "_%4zuof%4zu", &n_sets, &n) != 2)
        return 0;
    return n_sets * listed_bytes(m->params, m->n_params) + n * sizeof(uint16_t);
}
