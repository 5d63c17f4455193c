/* condition_chance.c - whether chance explains as much as a condition does
   SPDX-License-Identifier: MIT */
#include "conditions.h"

#include "base/intern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows that differ in one column alone ---- */

enum { MOST_ROWS = 8192, FEW_PAIRS = 20 };
#define WORKED UINT32_MAX

static uint64_t mix(size_t column, int32_t v)
{
    uint64_t z = ((uint64_t)column << 32 | (uint32_t)v) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t hash_row(const struct term_rows *r, size_t row, const unsigned char *is_in)
{
    uint64_t h = 0;
    for (size_t c = 0; c < r->n_columns; c++)
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
    return a->group != b->group ? ORDER(a->group, b->group) : ORDER(a->row, b->row);
}

static uint64_t *hash_rows(const struct term_rows *r)
{
    uint64_t *hash = xcalloc(r->n + 1, sizeof *hash);
    for (size_t row = 0; row < r->n; row++)
        hash[row] = hash_row(r, row, NULL);
    return hash;
}

/* Of all groups, some whose hashes are low: they are there as a whole. */
static void open_siblings(struct search *s)
{
    const size_t n_columns = s->columns.table->n_columns, n = s->rows.worked.n + s->rows.failed.n;
    const uint64_t limit = n > MOST_ROWS ? UINT64_MAX / n * MOST_ROWS : UINT64_MAX;
    uint64_t *worked = hash_rows(&s->rows.worked);
    uint64_t *failed = hash_rows(&s->rows.failed);
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

static void mark_own(const struct term *t, unsigned char *is_in)
{
    for (size_t i = 0; i < (size_t)t->n_a + t->n_b; i++)
        is_in[t->c[i]] = 1;
    if (t->guard != TERM_NO_GUARD)
        is_in[t->guard] = 1;
}

/* How many of these rows, which the test explains, differ in more than what makes no difference: a
   column that is none of the test's, and in which other rows may differ while all of them fail. */
static size_t search_count_apart(const struct search *s, const struct found *f,
                                 const struct term_rows *explained)
{
    unsigned char is_in[CONDITIONS_MOST_COLUMNS] = {0};
    struct interned apart = {0};
    for (size_t c = 0; c < explained->n_columns; c++)
        is_in[c] = !is_idle(s, f, c);
    mark_own(&f->t, is_in);
    for (size_t i = 0; i < explained->n; i++) {
        const uint64_t hash = hash_row(explained, i, is_in);
        (void)intern(&apart, &hash, sizeof hash);
    }
    const size_t n = apart.n;
    intern_free(&apart);
    return n;
}

/* ---- chance ---- */

enum { FEW_PROBLEMS = 3 };    /* of a condition on fields and parameters */
#define MOST_PER_SUCCESS 0.07 /* nats */

/* ---- could it be chance? ---- */

int search_unit(const struct search *s, const struct term *t)
{
    static const int units[4] = {BY_ROW, BY_PARAMS, BY_FIELDS, BY_ROW};
    return units[term_kinds(t, &s->columns)];
}

/* Is it a problem or a tuple that failed throughout, often enough to tell? */
static int is_throughout(const struct condition_rows *r, int kind, size_t row)
{
    const uint32_t unit = r->unit[kind][row];
    return unit >= r->n_worked[kind] && r->n_failed[kind][unit] >= CONDITION_FEWEST;
}

/* May the row witness for a test of this kind? */
static int is_witness(const struct condition_rows *r, int kind, size_t row)
{
    return kind == BY_ROW ? !is_throughout(r, BY_PARAMS, row) && !is_throughout(r, BY_FIELDS, row)
                          : r->unit[kind][row] >= r->n_worked[kind];
}

/* Distinct units of `kind` among the failures that are left, for which `is_in` (may be NULL) is
   set; of those that witness for tests of units `of` */
static size_t count_units(struct search *s, int kind, int of, const unsigned char *is_in)
{
    const struct condition_rows *r = &s->rows;
    size_t n = 0;
    s->stamp++;
    for (size_t i = 0; i < r->failed.n; i++) {
        const uint32_t unit = r->unit[kind][i];
        if (s->is_explained[i] || (is_in != NULL && !is_in[i]) || s->seen[unit] == s->stamp
            || !is_witness(r, of, i))
            continue;
        s->seen[unit] = s->stamp;
        n++;
    }
    return n;
}

/* What share of the sample's successes the guard lets through */
static double guard_share(const struct search *s, const struct term *t)
{
    const struct term_rows *w = &s->worked;
    unsigned char *counts = xcalloc(w->n + 1, 1);
    size_t n = 0;
    term_guarded(t, w, 0, w->n, counts);
    for (size_t i = 0; i < w->n; i++)
        n += counts[i];
    free(counts);
    return w->n == 0 ? 0 : (double)n / (double)w->n;
}

static int by_value(const void *pa, const void *pb)
{
    const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
    return ORDER(a, b);
}

struct values {
    int64_t *v;
    size_t n;
};

/* Is it a failure that is explained? */
static int is_out(const struct search *s, const struct term_rows *sample, size_t row)
{
    return sample == &s->failed && s->is_explained[sample->at[row]];
}

/* The values of an expression for those rows of a sample that the guard lets through; of failures,
   for those that are left. To be freed */
static struct values take_values(const struct search *s, const struct term *t,
                                 const struct term_rows *sample)
{
    const size_t n = sample->n;
    struct values of = {xcalloc(n + 1, sizeof *of.v), 0};
    unsigned char *counts = xcalloc(n + 1, 1);
    term_guarded(t, sample, 0, n, counts);
    term_values(t, sample, 0, n, of.v);
    for (size_t i = 0; i < n; i++)
        if (counts[i] && !is_out(s, sample, i))
            of.v[of.n++] = of.v[i];
    free(counts);
    return of;
}

/* How often rows fail that lie within what the `band` nearest successes take, in the sample */
static double rate_within(const struct search *s, const struct term *t, const struct values *w,
                          const struct values *f, size_t band)
{
    const int64_t least = t->test == TERM_AT_LEAST ? t->k : w->v[w->n - band];
    const int64_t most = t->test == TERM_AT_LEAST ? w->v[band - 1] : t->k;
    size_t worked = 0, failed = 0;
    for (size_t i = 0; i < w->n; i++)
        worked += least <= w->v[i] && w->v[i] <= most;
    for (size_t i = 0; i < f->n; i++)
        failed += least <= f->v[i] && f->v[i] <= most;
    const double a = (double)failed * s->of_failed, b = (double)worked * s->of_worked;
    return a / (a + b + 1);
}

/* How often rows fail close to a bound, on its allowed side: next to a true one no oftener than
   elsewhere */
static double rate_at_bound(const struct search *s, const struct term *t)
{
    const struct values w = take_values(s, t, &s->worked), f = take_values(s, t, &s->failed);
    double most = 0;
    qsort(w.v, w.n, sizeof *w.v, by_value);
    for (size_t band = CONDITION_FEWEST; band <= w.n && band < w.n / 5 + 4 * CONDITION_FEWEST;
         band *= 2) {
        const double rate = rate_within(s, t, &w, &f, band);
        most = fmax(rate, most);
    }
    free(w.v);
    free(f.v);
    return most;
}

/* Rows of a sample that the test forbids only without its guard; of failures those that are left */
static size_t count_unguarded(const struct search *s, const struct term *t,
                              const struct term_rows *sample)
{
    struct term bare = *t;
    unsigned char counts[TERM_BLOCK], is[TERM_BLOCK];
    size_t n = 0;
    bare.guard = TERM_NO_GUARD;
    for (size_t from = 0; from < sample->n; from += TERM_BLOCK) {
        const size_t some = term_block(from, sample->n);
        term_guarded(t, sample, from, some, counts);
        term_violations(&bare, sample, from, some, is);
        for (size_t i = 0; i < some; i++)
            n += !counts[i] && is[i] && !is_out(s, sample, from + i);
    }
    return n;
}

/* How often rows fail that the test would forbid if it had no guard: where that is often, the guard
   is not a part of a condition. */
static double rate_unguarded(const struct search *s, const struct term *t)
{
    const double f = (double)count_unguarded(s, t, &s->failed) * s->of_failed;
    const double w = (double)count_unguarded(s, t, &s->worked) * s->of_worked;
    return f / (f + w + CONDITION_FEWEST);
}

/* How often a unit fails where the guard is as the test has it */
static double failure_rate(struct search *s, const struct term *t)
{
    const int kind = search_unit(s, t);
    unsigned char *is_in = xcalloc(s->rows.failed.n + 1, 1);
    term_guarded(t, &s->rows.failed, 0, s->rows.failed.n, is_in);
    const double failed = (double)count_units(s, kind, kind, is_in);
    const double worked = (double)s->rows.n_worked[kind] * guard_share(s, t);
    free(is_in);
    return failed / (failed + worked + 1);
}

/* Rows of the samples that have the same values of two columns, outside of what a test explains */
struct beside {
    double worked, failed;
};

enum { MANY = 2 * TERM_FEW + 1 };

static size_t value_place(const struct search *s, size_t column, int32_t v)
{
    size_t at = 0;
    while (at < s->columns.n_values[column] && s->columns.values[column][at] != v)
        at++;
    return at;
}

/* The places of a sample's values, column by column */
static unsigned char *take_places(const struct search *s, const struct term_rows *sample)
{
    const size_t n = sample->n, n_columns = sample->n_columns;
    unsigned char *places = xcalloc(n_columns * n + 1, 1);
    for (size_t c = 0; c < n_columns; c++)
        for (size_t i = 0; i < n; i++)
            places[c * n + i] = (unsigned char)value_place(s, c, sample->v[c][i]);
    return places;
}

/* Raises the rates of rows that the test explains to those of rows beside them that share two
   values. */
static void raise_rates(const struct search *s, const struct found *f, size_t a, size_t b,
                        const struct term_rows *explained, double *rate)
{
    const size_t n_worked = s->worked.n, n_failed = s->failed.n;
    struct beside beside[MANY * MANY];
    memset(beside, 0, sizeof beside);
    for (size_t i = 0; i < n_worked; i++)
        beside[s->worked_places[a * n_worked + i] * MANY + s->worked_places[b * n_worked + i]]
            .worked += s->of_worked;
    for (size_t i = 0; i < n_failed; i++)
        if (!s->is_explained[s->failed.at[i]] && !f->explains[s->failed.at[i]])
            beside[s->failed_places[a * n_failed + i] * MANY + s->failed_places[b * n_failed + i]]
                .failed += s->of_failed;
    for (size_t i = 0; i < explained->n; i++) {
        const size_t at =
            value_place(s, a, explained->v[a][i]) * MANY + value_place(s, b, explained->v[b][i]);
        const struct beside *x = &beside[at];
        rate[i] = fmax(rate[i], x->failed / (x->failed + x->worked + CONDITION_FEWEST));
    }
}

/* The mean logarithm of the probability with which rows fail that the test explains, if it has
   nothing to do with it */
static double mean_log_rate(struct search *s, const struct found *f,
                            const struct term_rows *explained)
{
    const size_t n = explained->n, n_columns = s->columns.table->n_columns;
    double least = failure_rate(s, &f->t), sum = 0, *rate = xcalloc(n + 1, sizeof *rate);
    if (f->t.guard != TERM_NO_GUARD)
        least = fmax(least, rate_unguarded(s, &f->t));
    if (term_has_bound(&f->t))
        least = fmax(least, rate_at_bound(s, &f->t));
    for (size_t i = 0; i < n; i++)
        rate[i] = least;
    for (size_t a = 0; a < n_columns; a++)
        for (size_t b = a; b < n_columns; b++)
            if (s->columns.n_values[a] > 0 && s->columns.n_values[b] > 0)
                raise_rates(s, f, a, b, explained, rate);
    for (size_t i = 0; i < n; i++)
        sum += log(rate[i]);
    free(rate);
    return n > 0 ? sum / (double)n : 0;
}

/* A test of fields has to be about several problems, but for those of a named kind. */
static int is_of_few_problems(struct search *s, const struct found *f)
{
    const struct condition_column *columns = s->columns.table->column;
    size_t n_sizes = 0;
    for (size_t i = 0; i < (size_t)f->t.n_a + f->t.n_b; i++)
        n_sizes += columns[f->t.c[i]].is_field && columns[f->t.c[i]].names == NULL;
    return n_sizes > 0
           && count_units(s, BY_FIELDS, search_unit(s, &f->t), f->explains) < FEW_PROBLEMS;
}

/* So few successes say little against so many tests. */
static int are_few(const struct search *s, double tries, int kind)
{
    return log(tries) > MOST_PER_SUCCESS * (double)s->rows.n_worked[kind];
}

int search_may_be(struct search *s, const struct found *f)
{
    const int kind = search_unit(s, &f->t);
    const size_t n = count_units(s, kind, kind, f->explains);
    const double tries = (double)f->tries;
    return n >= CONDITION_FEWEST && !are_few(s, tries, kind) && !is_of_few_problems(s, f)
           && (double)n * log(failure_rate(s, &f->t)) + log(tries) < log(CONDITION_CHANCE);
}

double search_chance(struct search *s, const struct found *f)
{
    const int kind = search_unit(s, &f->t);
    const size_t units = count_units(s, kind, kind, f->explains);
    unsigned char *others = xcalloc(s->rows.failed.n + 1, 1);
    struct term_rows explained;
    for (size_t i = 0; i < s->rows.failed.n; i++)
        others[i] = s->is_explained[i] || !f->explains[i];
    term_rows_sample(&s->rows.failed, others, &explained);
    const size_t apart = search_count_apart(s, f, &explained), n = units < apart ? units : apart;
    const double chance = (double)n * mean_log_rate(s, f, &explained) + log((double)f->tries);
    term_rows_free(&explained);
    free(others);
    return n < CONDITION_FEWEST || is_of_few_problems(s, f) ? log((double)f->tries) : chance;
}

void search_open_chance(struct search *s)
{
    open_siblings(s);
    term_rows_sample(&s->rows.worked, NULL, &s->worked);
    term_rows_sample(&s->rows.failed, NULL, &s->failed);
    s->of_worked = (double)s->rows.worked.n / (double)(s->worked.n + 1);
    s->of_failed = (double)s->rows.failed.n / (double)(s->failed.n + 1);
    s->worked_places = take_places(s, &s->worked);
    s->failed_places = take_places(s, &s->failed);
}

void search_close_chance(struct search *s)
{
    for (size_t c = 0; c < CONDITIONS_MOST_COLUMNS; c++)
        free(s->siblings[c].v);
    term_rows_free(&s->worked);
    term_rows_free(&s->failed);
    free(s->worked_places);
    free(s->failed_places);
}
