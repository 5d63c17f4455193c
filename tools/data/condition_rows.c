/* condition_rows.c - see condition_search.h
   SPDX-License-Identifier: MIT */
#include "condition_search.h"

#include <stdlib.h>
#include <string.h>

/* ---- units ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ (h >> 29);
}

struct hashes {
    uint64_t of[N_UNITS];
};

static struct hashes hash_row(const struct condition_table *t, size_t row)
{
    struct hashes h = {{1, 2, 3}};
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct condition_column *c = &t->column[i];
        uint64_t *of = &h.of[c->is_field ? BY_FIELDS : BY_PARAMS];
        *of = mix(*of, (uint32_t)c->v[row]);
    }
    h.of[BY_ROW] = mix(mix(h.of[BY_PARAMS], 0), h.of[BY_FIELDS]);
    return h;
}

/* Numbers hashes: two that are the same count as one unit. */
struct numbers {
    size_t mask, n;
    uint64_t *key;
    uint32_t *number; /* 1 + it; 0: the place is free */
};

static void open_numbers(struct numbers *s, size_t n)
{
    size_t size = 16;
    while (size < 2 * n)
        size *= 2;
    s->mask = size - 1;
    s->n = 0;
    s->key = xcalloc(size, sizeof *s->key);
    s->number = xcalloc(size, sizeof *s->number);
}

static uint32_t number_of(struct numbers *s, uint64_t hash)
{
    size_t i = (size_t)(hash ^ (hash >> 32)) & s->mask;
    while (s->number[i] != 0 && s->key[i] != hash)
        i = (i + 1) & s->mask;
    if (s->number[i] == 0) {
        s->key[i] = hash;
        s->number[i] = (uint32_t)++s->n;
    }
    return s->number[i] - 1;
}

static void close_numbers(struct numbers *s)
{
    free(s->key);
    free(s->number);
}

/* ---- rows ---- */

static void open_rows(struct term_rows *r, size_t n_columns, size_t n)
{
    r->n = 0;
    for (size_t i = 0; i < n_columns; i++)
        r->v[i] = xcalloc(n + 1, sizeof *r->v[i]);
}

static void close_rows(struct term_rows *r, size_t n_columns)
{
    for (size_t i = 0; i < n_columns; i++)
        free(r->v[i]);
}

static void add_row(struct term_rows *r, const struct condition_table *t, size_t row)
{
    for (size_t i = 0; i < t->n_columns; i++)
        r->v[i][r->n] = t->column[i].v[row];
    r->n++;
}

static void take_worked(const struct condition_table *t, struct numbers numbers[N_UNITS],
                        struct condition_rows *out)
{
    for (size_t row = 0; row < t->n; row++) {
        if (t->is_failed[row])
            continue;
        const struct hashes h = hash_row(t, row);
        for (size_t k = 0; k < N_UNITS; k++)
            (void)number_of(&numbers[k], h.of[k]);
        out->worked_hash[out->worked.n] = h.of[BY_ROW];
        add_row(&out->worked, t, row);
    }
    for (size_t k = 0; k < N_UNITS; k++)
        out->n_worked[k] = numbers[k].n;
}

static void take_failed(const struct condition_table *t, struct numbers numbers[N_UNITS],
                        struct condition_rows *out)
{
    for (size_t row = 0; row < t->n; row++) {
        if (!t->is_failed[row])
            continue;
        const struct hashes h = hash_row(t, row);
        const size_t n = out->failed.n;
        const uint32_t number = number_of(&numbers[BY_ROW], h.of[BY_ROW]);
        if (number < out->n_worked[BY_ROW])
            continue;
        out->unit[BY_ROW][n] = number;
        out->unit[BY_PARAMS][n] = number_of(&numbers[BY_PARAMS], h.of[BY_PARAMS]);
        out->unit[BY_FIELDS][n] = number_of(&numbers[BY_FIELDS], h.of[BY_FIELDS]);
        out->failed_hash[n] = h.of[BY_ROW];
        add_row(&out->failed, t, row);
    }
    for (size_t k = 0; k < N_UNITS; k++)
        out->n_units[k] = numbers[k].n;
}

static void count_failed(struct condition_rows *r)
{
    for (size_t k = 0; k < BY_ROW; k++) {
        r->n_failed[k] = xcalloc(r->n_units[k] + 1, sizeof *r->n_failed[k]);
        for (size_t i = 0; i < r->failed.n; i++)
            r->n_failed[k][r->unit[k][i]]++;
    }
}

void condition_rows_open(const struct condition_table *t, struct condition_rows *out)
{
    struct numbers numbers[N_UNITS];
    size_t n_failed = 0;
    memset(out, 0, sizeof *out);
    for (size_t row = 0; row < t->n; row++)
        n_failed += t->is_failed[row];
    open_rows(&out->worked, t->n_columns, t->n - n_failed);
    open_rows(&out->failed, t->n_columns, n_failed);
    out->worked_hash = xcalloc(t->n - n_failed + 1, sizeof *out->worked_hash);
    out->failed_hash = xcalloc(n_failed + 1, sizeof *out->failed_hash);
    for (size_t k = 0; k < N_UNITS; k++) {
        out->unit[k] = xcalloc(n_failed + 1, sizeof *out->unit[k]);
        open_numbers(&numbers[k], t->n);
    }
    take_worked(t, numbers, out);
    take_failed(t, numbers, out);
    count_failed(out);
    for (size_t k = 0; k < N_UNITS; k++)
        close_numbers(&numbers[k]);
}

void condition_rows_close(struct condition_rows *r)
{
    close_rows(&r->worked, CONDITIONS_MOST_COLUMNS);
    close_rows(&r->failed, CONDITIONS_MOST_COLUMNS);
    free(r->worked_hash);
    free(r->failed_hash);
    for (size_t k = 0; k < N_UNITS; k++) {
        free(r->unit[k]);
        free(r->n_failed[k]);
    }
}

/* ---- samples ---- */

struct place {
    uint64_t hash;
    uint32_t at;
};

static int by_hash(const void *pa, const void *pb)
{
    const struct place *a = pa, *b = pb;
    return a->hash != b->hash ? (a->hash > b->hash) - (a->hash < b->hash)
                              : (a->at > b->at) - (a->at < b->at);
}

static void take_places(const struct term_rows *from, const struct place *places, size_t n,
                        size_t n_columns, struct condition_sample *out)
{
    open_rows(&out->rows, n_columns, n);
    out->rows.n = n;
    out->at = xcalloc(n + 1, sizeof *out->at);
    for (size_t i = 0; i < n; i++)
        out->at[i] = places[i].at;
    for (size_t c = 0; c < n_columns; c++)
        for (size_t i = 0; i < n; i++)
            out->rows.v[c][i] = from->v[c][places[i].at];
}

void condition_sample_take(const struct term_rows *from, const uint64_t *hash,
                           const unsigned char *is_out, size_t n_columns, size_t most,
                           struct condition_sample *out)
{
    struct place *places = xcalloc(from->n + 1, sizeof *places);
    size_t left = 0, n = 0;
    for (size_t i = 0; i < from->n; i++)
        left += is_out == NULL || !is_out[i];
    const uint64_t limit = left > most ? UINT64_MAX / left * most : UINT64_MAX;
    for (size_t i = 0; i < from->n; i++)
        if ((is_out == NULL || !is_out[i]) && hash[i] <= limit)
            places[n++] = (struct place){hash[i], (uint32_t)i};
    qsort(places, n, sizeof *places, by_hash);
    take_places(from, places, n, n_columns, out);
    free(places);
}

void condition_sample_guard(const struct condition_sample *from, const struct term *guard,
                            size_t n_columns, struct condition_sample *out)
{
    struct place *places = xcalloc(from->rows.n + 1, sizeof *places);
    unsigned char is_in[TERM_BLOCK];
    size_t n = 0;
    for (size_t at = 0; at < from->rows.n; at += TERM_BLOCK) {
        const size_t left = from->rows.n - at, some = left < TERM_BLOCK ? left : TERM_BLOCK;
        term_guarded(guard, &from->rows, at, some, is_in);
        for (size_t i = 0; i < some; i++)
            if (is_in[i])
                places[n++].at = (uint32_t)(at + i);
    }
    take_places(&from->rows, places, n, n_columns, out);
    free(places);
}

void condition_sample_free(struct condition_sample *s, size_t n_columns)
{
    close_rows(&s->rows, n_columns);
    free(s->at);
}
