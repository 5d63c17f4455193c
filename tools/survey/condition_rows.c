/* condition_rows.c - rows that failed or worked, and tests that a sample leaves
   SPDX-License-Identifier: MIT */
#include "conditions.h"

#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ (h >> 29);
}

static void hash_row(const struct condition_table *t, size_t row, uint64_t of[N_UNITS])
{
    of[BY_PARAMS] = 1;
    of[BY_FIELDS] = 2;
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct condition_column *c = &t->column[i];
        uint64_t *h = &of[c->is_field ? BY_FIELDS : BY_PARAMS];
        *h = mix(*h, (uint32_t)c->v[row]);
    }
    of[BY_ROW] = mix(mix(of[BY_PARAMS], 0), of[BY_FIELDS]);
}

static void open_rows(struct term_rows *r, size_t n_columns, size_t n)
{
    *r = (struct term_rows){.n_columns = n_columns};
    for (size_t i = 0; i < n_columns; i++)
        r->v[i] = xcalloc(n + 1, sizeof *r->v[i]);
}

void term_rows_free(struct term_rows *r)
{
    for (size_t i = 0; i < r->n_columns; i++)
        free(r->v[i]);
    free(r->hash);
    free(r->at);
}

/* Takes those that failed, or those that worked, which have to come first. Hashes are numbered: two
   that are the same count as one unit. */
static void take_rows(const struct condition_table *t, int is_failed,
                      struct interned units[N_UNITS], struct condition_rows *out)
{
    struct term_rows *to = is_failed ? &out->failed : &out->worked;
    for (size_t row = 0; row < t->n; row++) {
        uint64_t hash[N_UNITS];
        uint32_t unit[N_UNITS];
        if (t->is_failed[row] != is_failed)
            continue;
        hash_row(t, row, hash);
        for (size_t k = 0; k < N_UNITS; k++)
            unit[k] = (uint32_t)intern(&units[k], &hash[k], sizeof hash[k]);
        if (is_failed && unit[BY_ROW] < out->n_worked[BY_ROW])
            continue;
        for (size_t k = 0; k < N_UNITS && is_failed; k++)
            out->unit[k][to->n] = unit[k];
        for (size_t i = 0; i < t->n_columns; i++)
            to->v[i][to->n] = t->column[i].v[row];
        to->hash[to->n++] = hash[BY_ROW];
    }
    for (size_t k = 0; k < N_UNITS; k++)
        (is_failed ? out->n_units : out->n_worked)[k] = units[k].n;
}

void condition_rows_open(const struct condition_table *t, struct condition_rows *out)
{
    struct interned units[N_UNITS] = {{0}};
    size_t n_failed = 0;
    memset(out, 0, sizeof *out);
    for (size_t row = 0; row < t->n; row++)
        n_failed += t->is_failed[row];
    open_rows(&out->worked, t->n_columns, t->n - n_failed);
    open_rows(&out->failed, t->n_columns, n_failed);
    out->worked.hash = xcalloc(t->n - n_failed + 1, sizeof *out->worked.hash);
    out->failed.hash = xcalloc(n_failed + 1, sizeof *out->failed.hash);
    for (size_t k = 0; k < N_UNITS; k++)
        out->unit[k] = xcalloc(n_failed + 1, sizeof *out->unit[k]);
    take_rows(t, 0, units, out);
    take_rows(t, 1, units, out);
    for (size_t k = 0; k < N_UNITS; k++) {
        out->n_failed[k] = xcalloc(out->n_units[k] + 1, sizeof *out->n_failed[k]);
        for (size_t i = 0; i < out->failed.n; i++)
            out->n_failed[k][out->unit[k][i]]++;
        intern_free(&units[k]);
    }
}

void condition_rows_close(struct condition_rows *r)
{
    term_rows_free(&r->worked);
    term_rows_free(&r->failed);
    for (size_t k = 0; k < N_UNITS; k++) {
        free(r->unit[k]);
        free(r->n_failed[k]);
    }
}

/* ---- samples ---- */

struct pick {
    uint64_t hash;
    uint32_t at;
};

static int by_hash(const void *pa, const void *pb)
{
    const struct pick *a = pa, *b = pb;
    return a->hash != b->hash ? ORDER(a->hash, b->hash) : ORDER(a->at, b->at);
}

static void take_picks(const struct term_rows *from, const struct pick *picks, size_t n,
                       struct term_rows *out)
{
    open_rows(out, from->n_columns, n);
    out->n = n;
    out->at = xcalloc(n + 1, sizeof *out->at);
    for (size_t i = 0; i < n; i++)
        out->at[i] = picks[i].at;
    for (size_t c = 0; c < from->n_columns; c++)
        for (size_t i = 0; i < n; i++)
            out->v[c][i] = from->v[c][picks[i].at];
}

void term_rows_sample(const struct term_rows *from, const unsigned char *is_out,
                      struct term_rows *out)
{
    struct pick *picks = xcalloc(from->n + 1, sizeof *picks);
    size_t left = 0, n = 0;
    for (size_t i = 0; i < from->n; i++)
        left += is_out == NULL || !is_out[i];
    const uint64_t limit =
        left > CONDITION_SAMPLE ? UINT64_MAX / left * CONDITION_SAMPLE : UINT64_MAX;
    for (size_t i = 0; i < from->n; i++)
        if ((is_out == NULL || !is_out[i]) && from->hash[i] <= limit)
            picks[n++] = (struct pick){from->hash[i], (uint32_t)i};
    qsort(picks, n, sizeof *picks, by_hash);
    take_picks(from, picks, n, out);
    free(picks);
}

/* Those for which the guard is such that a test counts */
static void take_guarded(const struct term_rows *from, const struct term *guard,
                         struct term_rows *out)
{
    struct pick *picks = xcalloc(from->n + 1, sizeof *picks);
    unsigned char *is_in = xcalloc(from->n + 1, 1);
    size_t n = 0;
    term_guarded(guard, from, 0, from->n, is_in);
    for (size_t i = 0; i < from->n; i++)
        if (is_in[i])
            picks[n++].at = (uint32_t)i;
    take_picks(from, picks, n, out);
    free(is_in);
    free(picks);
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

/* Adds those of the failures, or of a part of them, whose numbers `at` has then (else NULL). */
static void set_bits(const struct term *t, const struct term_rows *failed, const uint32_t *at,
                     uint64_t *bits)
{
    unsigned char is[TERM_BLOCK];
    for (size_t from = 0; from < failed->n; from += TERM_BLOCK) {
        const size_t n = term_block(from, failed->n);
        term_violations(t, failed, from, n, is);
        for (size_t i = 0; i < n; i++) {
            const size_t bit = at != NULL ? at[from + i] : from + i;
            bits[bit / 64] |= (uint64_t)is[i] << bit % 64;
        }
    }
}

/* ---- tests that live: the list ---- */

/* Those that explain most, then simple ones; of equal ones that which came first */
static int by_use(const void *pa, const void *pb)
{
    const struct condition_live *a = pa, *b = pb;
    const int order = a->n != b->n ? ORDER(b->n, a->n) : ORDER(a->cost, b->cost);
    return order != 0 ? order : ORDER(a->number, b->number);
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
    const uint32_t *at = l->some_failed != &l->failed ? l->some_failed->at : NULL;
    v.bits = xcalloc(l->words, sizeof *v.bits);
    set_bits(&v.t, l->some_failed, at, v.bits);
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
        const size_t n = term_block(from, end);
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
    const struct term_rows *r = l->some_failed;
    const int is_most = t->test == TERM_AT_MOST;
    int64_t v[TERM_BLOCK], near = is_most ? INT64_MAX : INT64_MIN;
    size_t roughness;
    for (size_t from = 0; from < r->n; from += TERM_BLOCK) {
        const size_t n = term_block(from, r->n);
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
        const size_t n = term_block(*at, end);
        widen(t, w, *at, *at + n, worked);
        *at += n;
    }
}

static void see_bound(struct condition_lives *l, const struct term *t, size_t cost)
{
    const struct term_rows *w = l->some_worked, *f = l->some_failed;
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
        const size_t n = term_block(from, end);
        term_violations(t, r, from, n, is);
        if (memchr(is, 1, n) != NULL)
            return 1;
    }
    return 0;
}

static void see_test(struct condition_lives *l, const struct term *t, size_t cost)
{
    const struct term_rows *w = l->some_worked, *f = l->some_failed;
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
    const size_t cost = term_cost(t, l->columns);
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
    struct term_rows worked, failed;
    if (c->is_field && c->names == NULL && l->columns->n_values[guard->guard] > 2)
        return;
    take_guarded(&l->worked, guard, &worked);
    take_guarded(&l->failed, guard, &failed);
    l->some_worked = &worked;
    l->some_failed = &failed;
    if (failed.n >= l->least && worked.n > 0)
        terms_each(l->columns, guard, see_term, l);
    term_rows_free(&worked);
    term_rows_free(&failed);
}

void condition_lives_open(const struct condition_rows *rows, const struct term_columns *columns,
                          const unsigned char *is_explained, size_t least,
                          struct condition_lives *out)
{
    *out = (struct condition_lives){.columns = columns, .least = least};
    term_rows_sample(&rows->worked, NULL, &out->worked);
    term_rows_sample(&rows->failed, is_explained, &out->failed);
    out->words = out->failed.n / 64 + 1;
    out->some_worked = &out->worked;
    out->some_failed = &out->failed;
    terms_each(columns, NULL, see_term, out);
    terms_each_guard(columns, see_guard, out);
}

void condition_lives_close(struct condition_lives *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i].bits);
    free(l->v);
    term_rows_free(&l->worked);
    term_rows_free(&l->failed);
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
        unsigned char is;
        term_violations(&v->t, worked, row, 1, &is);
        if (v->is_dead || !is)
            continue;
        if (term_has_bound(&v->t)) {
            term_values(&v->t, worked, row, 1, &v->t.k);
            memset(v->bits, 0, l->words * sizeof *v->bits);
            set_bits(&v->t, &l->failed, NULL, v->bits);
        } else {
            v->is_dead = 1;
        }
    }
}
