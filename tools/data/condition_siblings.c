/* condition_siblings.c - rows that differ in one column alone: see condition_search.h
   SPDX-License-Identifier: MIT */
#include "condition_search.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 8192, WORKED = UINT32_MAX, FEW_PAIRS = 20 };

static uint64_t mix(size_t column, int32_t v)
{
    uint64_t z = ((uint64_t)column << 32 | (uint32_t)v) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t hash_row(const struct term_rows *r, size_t row, const unsigned char *is_in,
                         size_t n_columns)
{
    uint64_t h = 0;
    for (size_t c = 0; c < n_columns; c++)
        if (is_in == NULL || is_in[c])
            h += mix(c, r->v[c][row]);
    return h;
}

/* ---- groups of siblings ---- */

static void add_siblings(struct siblings *s, const struct term_rows *r, const uint64_t *hash,
                         size_t column, int is_failed, uint64_t limit)
{
    for (size_t row = 0; row < r->n; row++) {
        const uint64_t group = hash[row] - mix(column, r->v[column][row]);
        if (group > limit)
            continue;
        s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
        s->v[s->n++] = (struct sibling){group, is_failed ? (uint32_t)row : WORKED};
    }
}

static int by_group(const void *pa, const void *pb)
{
    const struct sibling *a = pa, *b = pb;
    return a->group != b->group ? (a->group > b->group) - (a->group < b->group)
                                : (a->row > b->row) - (a->row < b->row);
}

static uint64_t *hash_rows(const struct term_rows *r, size_t n_columns)
{
    uint64_t *hash = xcalloc(r->n + 1, sizeof *hash);
    for (size_t row = 0; row < r->n; row++)
        hash[row] = hash_row(r, row, NULL, n_columns);
    return hash;
}

/* Of all groups, some whose hashes are low: they are there as a whole. */
void search_open_siblings(struct search *s)
{
    const size_t n_columns = s->columns.table->n_columns, n = s->rows.worked.n + s->rows.failed.n;
    const uint64_t limit = n > MOST_ROWS ? UINT64_MAX / n * MOST_ROWS : UINT64_MAX;
    uint64_t *worked = hash_rows(&s->rows.worked, n_columns);
    uint64_t *failed = hash_rows(&s->rows.failed, n_columns);
    for (size_t c = 0; c < n_columns; c++) {
        struct siblings *of = &s->siblings[c];
        add_siblings(of, &s->rows.worked, worked, c, 0, limit);
        add_siblings(of, &s->rows.failed, failed, c, 1, limit);
        if (of->n > 0)
            qsort(of->v, of->n, sizeof *of->v, by_group);
    }
    free(worked);
    free(failed);
}

void search_close_siblings(struct search *s)
{
    for (size_t c = 0; c < CONDITIONS_MOST_COLUMNS; c++)
        free(s->siblings[c].v);
}

/* ---- columns that make no difference ---- */

/* If a row fails, do its siblings fail, too? Asked of what is left beside the condition. */
static int is_idle(const struct search *s, const struct found *f, size_t column)
{
    const struct siblings *all = &s->siblings[column];
    size_t pairs = 0, same = 0;
    for (size_t i = 0, end; i < all->n; i = end) {
        size_t failed = 0, worked = 0;
        for (end = i; end < all->n && all->v[end].group == all->v[i].group; end++) {
            const uint32_t row = all->v[end].row;
            worked += row == WORKED;
            failed += row != WORKED && !s->is_explained[row] && !f->explains[row];
        }
        same += failed > 0 ? failed * (failed - 1) : 0;
        pairs += failed > 0 ? failed * (failed - 1 + worked) : 0;
    }
    return pairs >= FEW_PAIRS && 3 * same > 2 * pairs;
}

static int by_hash(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

static void mark_own(const struct term *t, unsigned char *is_in)
{
    for (size_t i = 0; i < (size_t)t->n_a + t->n_b; i++)
        is_in[t->c[i]] = 1;
    if (t->guard != TERM_NO_GUARD)
        is_in[t->guard] = 1;
}

size_t search_count_apart(const struct search *s, const struct found *f,
                          const struct condition_sample *explained)
{
    const size_t n_columns = s->columns.table->n_columns;
    unsigned char is_in[CONDITIONS_MOST_COLUMNS] = {0};
    const size_t n = explained->rows.n;
    uint64_t *hash = xcalloc(n + 1, sizeof *hash);
    size_t apart = 0;
    for (size_t c = 0; c < n_columns; c++)
        is_in[c] = !is_idle(s, f, c);
    mark_own(&f->t, is_in);
    for (size_t i = 0; i < n; i++)
        hash[i] = hash_row(&explained->rows, i, is_in, n_columns);
    qsort(hash, n, sizeof *hash, by_hash);
    for (size_t i = 0; i < n; i++)
        apart += i == 0 || hash[i] != hash[i - 1];
    free(hash);
    return apart;
}
