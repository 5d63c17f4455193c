/* conditions.c - see conditions.h
   SPDX-License-Identifier: MIT

   A greedy cover: round by round the test that explains most of the failures left, or a simpler one
   that explains hardly less. What the samples show is verified on all rows. */
#include "conditions.h"

#include "condition_live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEWEST = 5,       /* failures that a condition explains, in units */
    FEW_PROBLEMS = 3, /* of a condition on fields and parameters */
    RIVALS = 200,     /* among which the best explains some more by chance */
    MOST_VERIFIED = 400
};

#define BY_CHANCE 1e-4 /* that any of the tests that were tried explains so much */
#define SOME_MORE 0.05

struct found {
    struct term t;
    size_t cost;
    unsigned char *explains; /* of each failure */
    int64_t near;            /* of a bound: the nearest of these */
    int is_out;
};

struct search {
    struct term_columns columns;
    struct condition_rows rows;
    struct condition_lives lives;
    unsigned char *is_explained; /* of each failure */
    uint64_t *left;              /* of the sample */
    size_t n_left, n_sample_left, n_verified, n;
    struct found v[CONDITIONS_MOST];
    uint32_t *seen, stamp;                        /* units */
    unsigned char *worked_places, *failed_places; /* of the samples' values, column by column */
};

static size_t block(size_t at, size_t n)
{
    return n - at < TERM_BLOCK ? n - at : TERM_BLOCK;
}

/* ---- columns ---- */

static void add_value(struct term_columns *c, size_t column, int32_t v, int *is_many)
{
    int32_t *values = c->values[column];
    size_t at = 0;
    while (at < c->n_values[column] && values[at] < v)
        at++;
    if (*is_many || (at < c->n_values[column] && values[at] == v))
        return;
    *is_many = c->n_values[column] == 2 * TERM_FEW;
    if (*is_many)
        return;
    memmove(values + at + 1, values + at, (c->n_values[column] - at) * sizeof *values);
    values[at] = v;
    c->n_values[column]++;
}

static void see_column(struct term_columns *c, size_t column)
{
    const struct condition_column *of = &c->table->column[column];
    int32_t least = INT32_MAX, most = INT32_MIN, last = 0;
    int is_many = 0;
    for (size_t row = 0; row < c->table->n; row++) {
        const int32_t v = of->v[row];
        if (row == 0 || v != last)
            add_value(c, column, v, &is_many);
        least = v < least ? v : least;
        most = v > most ? v : most;
        last = v;
    }
    c->is_number[column] = of->names == NULL && least >= 0 && most > 1 && least < most;
    c->most[column] = of->most > most ? of->most : most;
    if (is_many || c->n_values[column] < 2)
        c->n_values[column] = 0;
}

/* ---- the verification on all rows ---- */

/* The first success that the test forbids, or of a bound the one that lies farthest beyond it;
   SIZE_MAX: there is none */
static size_t find_contradiction(const struct term *t, const struct term_rows *r)
{
    size_t at = SIZE_MAX;
    int64_t v[TERM_BLOCK], farthest = t->k;
    unsigned char counts[TERM_BLOCK], is[TERM_BLOCK];
    for (size_t from = 0; from < r->n; from += TERM_BLOCK) {
        const size_t n = block(from, r->n);
        term_violations(t, r, from, n, is);
        if (memchr(is, 1, n) == NULL)
            continue;
        term_guarded(t, r, from, n, counts);
        term_values(t, r, from, n, v);
        for (size_t i = 0; i < n; i++) {
            if (!counts[i] || !is[i])
                continue;
            if (!term_has_bound(t))
                return from + i;
            if (t->test == TERM_AT_MOST ? v[i] > farthest : v[i] < farthest) {
                farthest = v[i];
                at = from + i;
            }
        }
    }
    return at;
}

static void explain(const struct term *t, const struct term_rows *r, struct found *out)
{
    int64_t v[TERM_BLOCK];
    unsigned char counts[TERM_BLOCK];
    const int is_most = t->test == TERM_AT_MOST;
    out->near = is_most ? INT64_MAX : INT64_MIN;
    for (size_t from = 0; from < r->n; from += TERM_BLOCK) {
        const size_t n = block(from, r->n);
        unsigned char *is = out->explains + from;
        term_violations(t, r, from, n, is);
        term_guarded(t, r, from, n, counts);
        term_values(t, r, from, n, v);
        for (size_t i = 0; i < n; i++) {
            is[i] &= counts[i];
            if (is[i] && (is_most ? v[i] < out->near : v[i] > out->near))
                out->near = v[i];
        }
    }
}

/* ---- could it be chance? ---- */

static int unit_of(const struct search *s, const struct term *t)
{
    static const int units[4] = {BY_ROW, BY_PARAMS, BY_FIELDS, BY_ROW};
    return units[term_kinds(t, &s->columns)];
}

/* Is it a problem or a tuple that failed throughout, often enough to tell? */
static int is_throughout(const struct condition_rows *r, int kind, size_t row)
{
    const uint32_t unit = r->unit[kind][row];
    return unit >= r->n_worked[kind] && r->n_failed[kind][unit] >= FEWEST;
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
    const struct term_rows *w = &s->lives.worked.rows;
    unsigned char counts[TERM_BLOCK];
    size_t n = 0;
    for (size_t from = 0; from < w->n; from += TERM_BLOCK) {
        term_guarded(t, w, from, block(from, w->n), counts);
        for (size_t i = 0; i < block(from, w->n); i++)
            n += counts[i];
    }
    return w->n == 0 ? 0 : (double)n / (double)w->n;
}

static int by_value(const void *pa, const void *pb)
{
    const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
    return (a > b) - (a < b);
}

struct values {
    int64_t *v;
    size_t n;
};

/* The values of an expression for those rows of a sample that the guard lets through; of failures,
   for those that are left */
static void take_values(const struct search *s, const struct term *t,
                        const struct condition_sample *sample, int is_failed, struct values *out)
{
    const size_t n_columns = s->columns.table->n_columns;
    struct condition_sample some;
    int64_t v[TERM_BLOCK];
    condition_sample_guard(sample, t, n_columns, &some);
    for (size_t from = 0; from < some.rows.n; from += TERM_BLOCK) {
        const size_t n = block(from, some.rows.n);
        term_values(t, &some.rows, from, n, v);
        for (size_t i = 0; i < n; i++)
            if (!is_failed || !s->is_explained[sample->at[some.at[from + i]]])
                out->v[out->n++] = v[i];
    }
    condition_sample_free(&some, n_columns);
}

/* How often rows fail that lie within what the `band` nearest successes take, in the sample */
static double rate_within(const struct search *s, const struct term *t, const struct values *w,
                          const struct values *f, size_t band)
{
    const struct condition_lives *l = &s->lives;
    const int64_t least = t->test == TERM_AT_LEAST ? t->k : w->v[w->n - band];
    const int64_t most = t->test == TERM_AT_LEAST ? w->v[band - 1] : t->k;
    size_t worked = 0, failed = 0;
    for (size_t i = 0; i < w->n; i++)
        worked += least <= w->v[i] && w->v[i] <= most;
    for (size_t i = 0; i < f->n; i++)
        failed += least <= f->v[i] && f->v[i] <= most;
    const double a = (double)failed * (double)s->n_left / (double)(s->n_sample_left + 1);
    const double b = (double)worked * (double)s->rows.worked.n / (double)(l->worked.rows.n + 1);
    return a / (a + b + 1);
}

/* How often rows fail close to a bound, on its allowed side: next to a true one no oftener than
   elsewhere */
static double rate_at_bound(const struct search *s, const struct term *t)
{
    const struct condition_lives *l = &s->lives;
    struct values w = {xcalloc(l->worked.rows.n + 1, sizeof *w.v), 0};
    struct values f = {xcalloc(l->failed.rows.n + 1, sizeof *f.v), 0};
    double most = 0;
    take_values(s, t, &l->worked, 0, &w);
    take_values(s, t, &l->failed, 1, &f);
    qsort(w.v, w.n, sizeof *w.v, by_value);
    for (size_t band = FEWEST; band <= w.n && band < w.n / 5 + 4 * FEWEST; band *= 2) {
        const double rate = rate_within(s, t, &w, &f, band);
        most = fmax(rate, most);
    }
    free(w.v);
    free(f.v);
    return most;
}

/* Rows of a sample for which the guard lets nothing through that the test would forbid; of failures
   those that are left */
static size_t count_unguarded(const struct search *s, const struct term *t,
                              const struct condition_sample *sample, int is_failed)
{
    unsigned char counts[TERM_BLOCK], is[TERM_BLOCK];
    size_t n = 0;
    for (size_t from = 0; from < sample->rows.n; from += TERM_BLOCK) {
        const size_t some = block(from, sample->rows.n);
        term_guarded(t, &sample->rows, from, some, counts);
        term_violations(t, &sample->rows, from, some, is);
        for (size_t i = 0; i < some; i++)
            n += !counts[i] && is[i] && !(is_failed && s->is_explained[sample->at[from + i]]);
    }
    return n;
}

/* How often rows fail that the test would forbid if it had no guard: where that is often, the guard
   is no part of a condition. */
static double rate_unguarded(const struct search *s, const struct term *t)
{
    const struct condition_lives *l = &s->lives;
    const double f = (double)count_unguarded(s, t, &l->failed, 1) * (double)s->n_left
                     / (double)(s->n_sample_left + 1);
    const double w = (double)count_unguarded(s, t, &l->worked, 0) * (double)s->rows.worked.n
                     / (double)(l->worked.rows.n + 1);
    return f / (f + w + FEWEST);
}

/* The probability that a unit fails that the test has nothing to do with */
static double failure_rate(struct search *s, const struct term *t)
{
    const int kind = unit_of(s, t);
    unsigned char *is_in = xcalloc(s->rows.failed.n + 1, 1);
    for (size_t from = 0; from < s->rows.failed.n; from += TERM_BLOCK)
        term_guarded(t, &s->rows.failed, from, block(from, s->rows.failed.n), is_in + from);
    const double failed = (double)count_units(s, kind, kind, is_in);
    const double worked = (double)s->rows.n_worked[kind] * guard_share(s, t);
    double rate = failed / (failed + worked + 1);
    free(is_in);
    if (t->guard != TERM_NO_GUARD)
        rate = fmax(rate, rate_unguarded(s, t));
    if (term_has_bound(t))
        rate = fmax(rate, rate_at_bound(s, t));
    return rate;
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
static unsigned char *take_places(const struct search *s, const struct condition_sample *sample)
{
    const size_t n = sample->rows.n, n_columns = s->columns.table->n_columns;
    unsigned char *places = xcalloc(n_columns * n + 1, 1);
    for (size_t c = 0; c < n_columns; c++)
        for (size_t i = 0; i < n; i++)
            places[c * n + i] = (unsigned char)value_place(s, c, sample->rows.v[c][i]);
    return places;
}

/* Raises the rates of what the test explains to those of rows beside it that share two values. */
static void raise_rates(const struct search *s, const struct found *f, size_t a, size_t b,
                        double *rate)
{
    const struct condition_lives *l = &s->lives;
    const size_t n_worked = l->worked.rows.n, n_failed = l->failed.rows.n;
    const double of_worked = (double)s->rows.worked.n / (double)(n_worked + 1);
    const double of_failed = (double)s->n_left / (double)(s->n_sample_left + 1);
    struct beside beside[MANY * MANY];
    memset(beside, 0, sizeof beside);
    for (size_t i = 0; i < n_worked; i++)
        beside[s->worked_places[a * n_worked + i] * MANY + s->worked_places[b * n_worked + i]]
            .worked += of_worked;
    for (size_t i = 0; i < n_failed; i++)
        if (!s->is_explained[l->failed.at[i]] && !f->explains[l->failed.at[i]])
            beside[s->failed_places[a * n_failed + i] * MANY + s->failed_places[b * n_failed + i]]
                .failed += of_failed;
    for (size_t i = 0; i < n_failed; i++) {
        const struct beside *x =
            &beside[s->failed_places[a * n_failed + i] * MANY + s->failed_places[b * n_failed + i]];
        rate[i] = fmax(rate[i], x->failed / (x->failed + x->worked + FEWEST));
    }
}

/* The mean logarithm of the probability with which rows fail that the test explains, if it has
   nothing to do with it */
static double mean_log_rate(struct search *s, const struct found *f)
{
    const struct condition_lives *l = &s->lives;
    const double least = failure_rate(s, &f->t);
    double *rate = xcalloc(l->failed.rows.n + 1, sizeof *rate), sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < l->failed.rows.n; i++)
        rate[i] = least;
    for (size_t a = 0; a < s->columns.table->n_columns; a++)
        for (size_t b = a; b < s->columns.table->n_columns; b++)
            if (s->columns.n_values[a] > 0 && s->columns.n_values[b] > 0)
                raise_rates(s, f, a, b, rate);
    for (size_t i = 0; i < l->failed.rows.n; i++)
        if (f->explains[l->failed.at[i]] && !s->is_explained[l->failed.at[i]]) {
            sum += log(rate[i]);
            n++;
        }
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
    return n_sizes > 0 && count_units(s, BY_FIELDS, unit_of(s, &f->t), f->explains) < FEW_PROBLEMS;
}

static int is_significant(struct search *s, const struct found *f)
{
    const int kind = unit_of(s, &f->t);
    const size_t n = count_units(s, kind, kind, f->explains);
    const double tries = (double)condition_lives_tried(&s->lives, f->cost / 4);
    return n >= FEWEST && !is_of_few_problems(s, f)
           && (double)n * mean_log_rate(s, f) + log(tries) < log(BY_CHANCE);
}

/* ---- the choice ---- */

static void count_live(struct search *s)
{
    struct condition_lives *l = &s->lives;
    for (size_t i = 0; i < l->n; i++)
        if (!l->v[i].is_dead)
            l->v[i].n = condition_bits_count(l->v[i].bits, s->left, l->words);
}

/* Rows of the sample that b explains and a does not, as units of a, if both are of these */
static size_t count_more(struct search *s, const struct condition_live *a,
                         const struct condition_live *b)
{
    const int kind = unit_of(s, &a->t) == unit_of(s, &b->t) ? unit_of(s, &a->t) : BY_ROW;
    const struct condition_lives *l = &s->lives;
    size_t n = 0;
    s->stamp++;
    for (size_t i = 0; i < l->words; i++) {
        uint64_t bits = b->bits[i] & ~a->bits[i] & s->left[i];
        for (size_t bit = 64 * i; bits != 0; bit++, bits >>= 1) {
            if (!(bits & 1))
                continue;
            const uint32_t unit = s->rows.unit[kind][l->failed.at[bit]];
            n += s->seen[unit] != s->stamp;
            s->seen[unit] = s->stamp;
        }
    }
    return n;
}

/* Does the best one explain no more than it may by chance, since it is the best of many? */
static int is_near(struct search *s, const struct condition_live *simple,
                   const struct condition_live *best, size_t n_left)
{
    const size_t n = count_more(s, simple, best);
    const double scale = (double)s->n_left / (double)(s->lives.failed.rows.n + 1);
    const double failed = (double)(n_left - simple->n) * scale;
    const double rate = failed / (failed + (double)s->rows.worked.n + 1);
    return n == 0 || (double)n * log(rate) + log(RIVALS) > log(SOME_MORE);
}

static int is_better(const struct condition_live *a, const struct condition_live *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->n > b->n;
}

static struct condition_live *find_best(const struct condition_lives *l)
{
    struct condition_live *best = NULL;
    for (size_t i = 0; i < l->n; i++)
        if (!l->v[i].is_dead
            && (best == NULL || l->v[i].n > best->n
                || (l->v[i].n == best->n && l->v[i].cost < best->cost)))
            best = &l->v[i];
    return best;
}

static struct condition_live *choose(struct search *s)
{
    struct condition_lives *l = &s->lives;
    struct condition_live *best = find_best(l), *chosen = best;
    const size_t n_left = condition_bits_count(s->left, s->left, l->words);
    for (size_t i = 0; i < l->n; i++)
        if (!l->v[i].is_dead && 10 * l->v[i].n >= 9 * best->n && is_better(&l->v[i], chosen)
            && is_near(s, &l->v[i], best, n_left))
            chosen = &l->v[i];
    return chosen;
}

/* ---- the search ---- */

static void take_left(struct search *s)
{
    const struct condition_lives *l = &s->lives;
    s->n_left = 0;
    for (size_t i = 0; i < s->rows.failed.n; i++)
        s->n_left += !s->is_explained[i];
    memset(s->left, 0, l->words * sizeof *s->left);
    for (size_t i = 0; i < l->failed.rows.n; i++)
        s->left[i / 64] |= (uint64_t)!s->is_explained[l->failed.at[i]] << i % 64;
    s->n_sample_left = condition_bits_count(s->left, s->left, l->words);
    count_live(s);
}

static void mark_explained(struct search *s, size_t but)
{
    memset(s->is_explained, 0, s->rows.failed.n);
    for (size_t i = 0; i < s->n; i++)
        for (size_t row = 0; row < s->rows.failed.n && i != but && !s->v[i].is_out; row++)
            s->is_explained[row] |= s->v[i].explains[row];
}

/* Takes a test if all rows bear it out: 1; 0: it is dead, or its bound has given way. */
static int verify(struct search *s, struct condition_live *v)
{
    struct condition_lives *l = &s->lives;
    struct found *f = &s->v[s->n];
    const size_t at = find_contradiction(&v->t, &s->rows.worked);
    s->n_verified++;
    if (at != SIZE_MAX) {
        condition_lives_contradict(l, &s->rows.worked, at);
        count_live(s);
        return 0;
    }
    *f = (struct found){.t = v->t, .cost = v->cost};
    f->explains = xcalloc(s->rows.failed.n + 1, 1);
    explain(&v->t, &s->rows.failed, f);
    if (is_significant(s, f))
        return 1;
    free(f->explains);
    v->is_dead = 1;
    return 0;
}

/* How many failures the least condition explains, if nothing else is tried */
static size_t fewest(const struct search *s)
{
    const double failed = (double)s->n_left, worked = (double)s->rows.worked.n;
    const double sample = failed > CONDITION_SAMPLE ? CONDITION_SAMPLE / failed : 1;
    const double n = log(BY_CHANCE) / log(failed / (failed + worked + 1)) * sample * 0.7;
    return n > FEWEST * sample ? (size_t)n + 1 : FEWEST;
}

/* One sample of failures: adds the conditions that it shows. */
static void search_sample(struct search *s)
{
    condition_lives_open(&s->rows, &s->columns, s->is_explained, fewest(s), &s->lives);
    s->left = xcalloc(s->lives.words, sizeof *s->left);
    s->worked_places = take_places(s, &s->lives.worked);
    s->failed_places = take_places(s, &s->lives.failed);
    take_left(s);
    while (s->n < CONDITIONS_MOST && s->n_verified < MOST_VERIFIED) {
        struct condition_live *best = find_best(&s->lives);
        if (best == NULL || best->n < s->lives.least)
            break;
        if (!verify(s, choose(s)))
            continue;
        s->n++;
        mark_explained(s, SIZE_MAX);
        take_left(s);
    }
    free(s->left);
    free(s->worked_places);
    free(s->failed_places);
    condition_lives_close(&s->lives);
}

static size_t count_new(const struct search *s, const struct found *f)
{
    size_t n = 0;
    for (size_t i = 0; i < s->rows.failed.n; i++)
        n += f->explains[i] && !s->is_explained[i];
    return n;
}

/* What the others explain as well is no condition of its own: the last ones leave first. */
static void drop_redundant(struct search *s)
{
    for (size_t i = s->n; i-- > 0;) {
        mark_explained(s, i);
        s->v[i].is_out = count_new(s, &s->v[i]) < FEWEST;
    }
}

/* ---- the result ---- */

static void add_text(const struct search *s, const struct found *f, struct buf *out)
{
    struct term t = f->t;
    const int is_most = t.test == TERM_AT_MOST;
    size_t roughness;
    if (term_has_bound(&t))
        t.k = term_round(&t, is_most ? t.k : f->near + 1, is_most ? f->near - 1 : t.k, &roughness);
    term_text(&t, &s->columns, out);
}

/* That of most new failures comes first. */
static size_t next_found(const struct search *s, const unsigned char *is_told)
{
    size_t best = SIZE_MAX, most = 0;
    for (size_t i = 0; i < s->n; i++) {
        const size_t n = s->v[i].is_out || is_told[i] ? 0 : count_new(s, &s->v[i]);
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

static void tell(struct search *s, struct conditions *out)
{
    unsigned char is_told[CONDITIONS_MOST] = {0};
    size_t i;
    memset(s->is_explained, 0, s->rows.failed.n);
    while ((i = next_found(s, is_told)) != SIZE_MAX) {
        struct condition *c = &out->v[out->n++];
        struct buf text = {0};
        c->more = count_new(s, &s->v[i]);
        out->explained += c->more;
        for (size_t row = 0; row < s->rows.failed.n; row++) {
            c->all += s->v[i].explains[row];
            s->is_explained[row] |= s->v[i].explains[row];
        }
        add_text(s, &s->v[i], &text);
        c->text = text.s;
        is_told[i] = 1;
    }
}

void conditions_find(const struct condition_table *t, struct conditions *out)
{
    struct search *s = xcalloc(1, sizeof *s);
    memset(out, 0, sizeof *out);
    s->columns.table = t;
    for (size_t i = 0; i < t->n_columns; i++)
        see_column(&s->columns, i);
    condition_rows_open(t, &s->rows);
    out->failed = s->n_left = s->rows.failed.n;
    s->is_explained = xcalloc(s->n_left + 1, 1);
    s->seen = xcalloc(t->n + 1, sizeof *s->seen);
    for (size_t before = SIZE_MAX; s->n != before && s->rows.worked.n > 0 && s->n_left >= FEWEST;) {
        before = s->n;
        search_sample(s);
    }
    drop_redundant(s);
    tell(s, out);
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i].explains);
    free(s->is_explained);
    free(s->seen);
    condition_rows_close(&s->rows);
    free(s);
}

void conditions_free(struct conditions *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i].text);
    memset(c, 0, sizeof *c);
}
