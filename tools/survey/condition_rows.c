/* condition_rows.c - rows that failed or worked, and tests that a sample leaves
   SPDX-License-Identifier: MIT */
#include "conditions.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows: units ---- */

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

/* ---- rows: rows ---- */

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

/* ---- rows: samples ---- */

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

/* ---- tests that live ---- */

enum {
    FIRST = 128,       /* successes, and failures, beyond which a test has to explain something, */
    SECOND = 2048,     /* and then successes */
    FIRST_TESTED = 16, /* most tests do not last longer */
    MOST_LIVE = 8000
};

struct range {
    int64_t least, most;
};

static size_t block(size_t at, size_t n)
{
    return n - at < TERM_BLOCK ? n - at : TERM_BLOCK;
}

size_t condition_bits_count(const uint64_t *a, const uint64_t *b, size_t words)
{
    size_t n = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t x = a[i] & b[i];
        x -= x >> 1 & UINT64_C(0x5555555555555555);
        x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
        x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        n += (size_t)(x * UINT64_C(0x0101010101010101) >> 56);
    }
    return n;
}

/* ---- tests that live: what a test explains ---- */

static void set_bits(const struct term *t, const struct condition_sample *failed,
                     const uint32_t *at, uint64_t *bits)
{
    unsigned char is[TERM_BLOCK];
    for (size_t from = 0; from < failed->rows.n; from += TERM_BLOCK) {
        const size_t n = block(from, failed->rows.n);
        term_violations(t, &failed->rows, from, n, is);
        for (size_t i = 0; i < n; i++) {
            const size_t bit = at != NULL ? at[from + i] : from + i;
            bits[bit / 64] |= (uint64_t)is[i] << bit % 64;
        }
    }
}

/* Of a bound that was changed: computes what it explains. */
static void condition_live_explain(const struct condition_lives *l, struct condition_live *v)
{
    memset(v->bits, 0, l->words * sizeof *v->bits);
    if (v->t.guard == TERM_NO_GUARD) {
        set_bits(&v->t, &l->failed, NULL, v->bits);
        return;
    }
    struct condition_sample some;
    condition_sample_guard(&l->failed, &v->t, l->columns->table->n_columns, &some);
    set_bits(&v->t, &some, some.at, v->bits);
    condition_sample_free(&some, l->columns->table->n_columns);
}

/* ---- tests that live: the list ---- */

/* Those that explain most, then simple ones; of equal ones that which came first */
static int by_use(const void *pa, const void *pb)
{
    const struct condition_live *a = pa, *b = pb;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return a->cost != b->cost ? (a->cost > b->cost) - (a->cost < b->cost)
                              : (a->number > b->number) - (a->number < b->number);
}

/* Of too many tests half stay. */
static void drop_least(struct condition_lives *l)
{
    const size_t kept = l->n / 2;
    qsort(l->v, l->n, sizeof *l->v, by_use);
    for (size_t i = kept; i < l->n; i++)
        free(l->v[i].bits);
    l->n = kept;
    l->least = l->v[kept - 1].n;
}

static void condition_rows_keep(struct condition_lives *l, const struct term *t, size_t cost)
{
    struct condition_live v = {.t = *t, .cost = cost, .number = l->n_kept++};
    if (l->guard != NULL) {
        v.t.guard = l->guard->guard;
        v.t.is_other = l->guard->is_other;
        v.t.value = l->guard->value;
    }
    v.bits = xcalloc(l->words, sizeof *v.bits);
    set_bits(&v.t, l->some_failed, l->guard != NULL ? l->some_failed->at : NULL, v.bits);
    v.n = condition_bits_count(v.bits, v.bits, l->words);
    if (v.n < l->least) {
        free(v.bits);
        return;
    }
    l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
    l->v[l->n++] = v;
    if (l->n == MOST_LIVE)
        drop_least(l);
}

/* ---- tests that live: bounds ---- */

static void widen(const struct term *t, const struct term_rows *r, size_t from, size_t end,
                  struct range *x)
{
    int64_t v[TERM_BLOCK];
    for (; from < end; from += TERM_BLOCK) {
        const size_t n = block(from, end);
        term_values(t, r, from, n, v);
        for (size_t i = 0; i < n; i++) {
            x->least = v[i] < x->least ? v[i] : x->least;
            x->most = v[i] > x->most ? v[i] : x->most;
        }
    }
}

/* The explained failure that is nearest to the bound, and what a round bound costs */
static size_t rounding_cost(const struct condition_lives *l, const struct term *t)
{
    const struct term_rows *r = &l->some_failed->rows;
    const int is_most = t->test == TERM_AT_MOST;
    int64_t v[TERM_BLOCK], near = is_most ? INT64_MAX : INT64_MIN;
    size_t roughness;
    for (size_t from = 0; from < r->n; from += TERM_BLOCK) {
        const size_t n = block(from, r->n);
        term_values(t, r, from, n, v);
        for (size_t i = 0; i < n; i++)
            if (is_most ? v[i] > t->k && v[i] < near : v[i] < t->k && v[i] > near)
                near = v[i];
    }
    (void)term_round(t, is_most ? t->k : near + 1, is_most ? near - 1 : t->k, &roughness);
    return roughness;
}

static void keep_bound(struct condition_lives *l, const struct term *t, enum term_test test,
                       int64_t k, size_t cost)
{
    struct term with = *t;
    with.test = (unsigned char)test;
    with.k = k;
    condition_rows_keep(l, &with, 4 * cost + rounding_cost(l, &with));
}

static int is_beyond(const struct range *failed, const struct range *worked)
{
    return failed->most > worked->most || failed->least < worked->least;
}

/* Successes up to `end` are seen, as long as failures lie beyond. */
static void see_worked(const struct term *t, const struct term_rows *w, size_t *at, size_t end,
                       const struct range *failed, struct range *worked)
{
    while (*at < end && is_beyond(failed, worked)) {
        const size_t n = block(*at, end);
        widen(t, w, *at, *at + n, worked);
        *at += n;
    }
}

static void see_bound(struct condition_lives *l, const struct term *t, size_t cost)
{
    const struct term_rows *w = &l->some_worked->rows, *f = &l->some_failed->rows;
    struct range worked = {INT64_MAX, INT64_MIN}, failed = {INT64_MAX, INT64_MIN};
    const size_t first = f->n < FIRST ? f->n : FIRST, second = w->n < SECOND ? w->n : SECOND;
    size_t at = w->n < FIRST ? w->n : FIRST;
    widen(t, f, 0, first, &failed);
    widen(t, w, 0, at, &worked);
    see_worked(t, w, &at, second, &failed, &worked);
    if (!is_beyond(&failed, &worked))
        return;
    widen(t, f, first, f->n, &failed);
    see_worked(t, w, &at, w->n, &failed, &worked);
    if (failed.most > worked.most)
        keep_bound(l, t, TERM_AT_MOST, worked.most, cost);
    if (failed.least < worked.least)
        keep_bound(l, t, TERM_AT_LEAST, worked.least, cost);
}

/* ---- tests that live: other tests ---- */

static int has_violation(const struct term *t, const struct term_rows *r, size_t from, size_t end)
{
    unsigned char is[TERM_BLOCK];
    for (; from < end; from += TERM_BLOCK) {
        const size_t n = block(from, end);
        term_violations(t, r, from, n, is);
        if (memchr(is, 1, n) != NULL)
            return 1;
    }
    return 0;
}

static void see_test(struct condition_lives *l, const struct term *t, size_t cost)
{
    const struct term_rows *w = &l->some_worked->rows, *f = &l->some_failed->rows;
    const size_t first = w->n < FIRST_TESTED ? w->n : FIRST_TESTED;
    if (!has_violation(t, w, 0, first)
        && has_violation(t, f, 0, f->n < TERM_BLOCK ? f->n : TERM_BLOCK)
        && !has_violation(t, w, first, w->n))
        condition_rows_keep(l, t, 4 * cost);
}

/* ---- tests that live: the screening ---- */

static void see_term(void *to, const struct term *t)
{
    struct condition_lives *l = to;
    struct term with = *t;
    if (l->guard != NULL) {
        with.guard = l->guard->guard;
        with.is_other = l->guard->is_other;
    }
    const size_t cost = term_cost(&with, l->columns);
    l->n_tried[cost] += term_has_bound(t) ? 2 : 1;
    if (term_has_bound(t))
        see_bound(l, t, cost);
    else
        see_test(l, t, cost);
}

/* A guard of a field of numbers would be one of a few problems. */
static void see_guard(void *to, const struct term *guard)
{
    struct condition_lives *l = to;
    const struct condition_column *c = &l->columns->table->column[guard->guard];
    const size_t n_columns = l->columns->table->n_columns;
    struct condition_sample worked, failed;
    if (c->is_field && c->names == NULL && l->columns->n_values[guard->guard] > 2)
        return;
    condition_sample_guard(&l->worked, guard, n_columns, &worked);
    condition_sample_guard(&l->failed, guard, n_columns, &failed);
    l->guard = guard;
    l->some_worked = &worked;
    l->some_failed = &failed;
    if (failed.rows.n >= l->least && worked.rows.n > 0)
        terms_each(l->columns, 0, guard->guard, see_term, l);
    condition_sample_free(&worked, n_columns);
    condition_sample_free(&failed, n_columns);
}

void condition_lives_open(const struct condition_rows *rows, const struct term_columns *columns,
                          const unsigned char *is_explained, size_t least,
                          struct condition_lives *out)
{
    const size_t n_columns = columns->table->n_columns;
    memset(out, 0, sizeof *out);
    out->columns = columns;
    out->least = least;
    condition_sample_take(&rows->worked, rows->worked_hash, NULL, n_columns, CONDITION_SAMPLE,
                          &out->worked);
    condition_sample_take(&rows->failed, rows->failed_hash, is_explained, n_columns,
                          CONDITION_SAMPLE, &out->failed);
    out->words = out->failed.rows.n / 64 + 1;
    out->some_worked = &out->worked;
    out->some_failed = &out->failed;
    terms_each(columns, 1, TERM_NO_GUARD, see_term, out);
    terms_each_guard(columns, see_guard, out);
    out->guard = NULL;
}

void condition_lives_close(struct condition_lives *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i].bits);
    free(l->v);
    condition_sample_free(&l->worked, l->columns->table->n_columns);
    condition_sample_free(&l->failed, l->columns->table->n_columns);
}

size_t condition_lives_tried(const struct condition_lives *l, size_t cost)
{
    size_t n = 0;
    for (size_t i = 0; i <= cost && i < TERM_MOST_COST; i++)
        n += l->n_tried[i];
    return n;
}

void condition_lives_contradict(struct condition_lives *l, const struct term_rows *worked,
                                size_t row)
{
    for (size_t i = 0; i < l->n; i++) {
        struct condition_live *v = &l->v[i];
        unsigned char counts, is;
        term_guarded(&v->t, worked, row, 1, &counts);
        term_violations(&v->t, worked, row, 1, &is);
        if (v->is_dead || !counts || !is)
            continue;
        if (term_has_bound(&v->t)) {
            term_values(&v->t, worked, row, 1, &v->t.k);
            condition_live_explain(l, v);
        } else {
            v->is_dead = 1;
        }
    }
}
