/* condition_search.c - finds conditions that tell rows that failed from others
   SPDX-License-Identifier: MIT

   A greedy cover: round by round the test that explains most of the failures left, or a simpler one
   that explains hardly less. What the samples show is verified on all rows. */
#include "conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RIVALS = 1000,       /* among which the best explains some more by chance */
    MOST_VERIFIED = 100, /* of a sample */
    MOST_ROUNDS = 3,
    SIMPLE = 10 /* cost of a product of two columns */
};

#define SOME_MORE 0.05

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
    unsigned char is[TERM_BLOCK];
    for (size_t from = 0; from < r->n; from += TERM_BLOCK) {
        const size_t n = term_block(from, r->n);
        term_violations(t, r, from, n, is);
        const unsigned char *first = memchr(is, 1, n);
        if (first == NULL)
            continue;
        if (!term_has_bound(t))
            return from + (size_t)(first - is);
        term_values(t, r, from, n, v);
        for (size_t i = 0; i < n; i++)
            if (is[i] && (t->test == TERM_AT_MOST ? v[i] > farthest : v[i] < farthest)) {
                farthest = v[i];
                at = from + i;
            }
    }
    return at;
}

static void explain(const struct term *t, const struct term_rows *r, struct found *out)
{
    int64_t v[TERM_BLOCK];
    const int is_most = t->test == TERM_AT_MOST;
    out->near = is_most ? INT64_MAX : INT64_MIN;
    for (size_t from = 0; from < r->n; from += TERM_BLOCK) {
        const size_t n = term_block(from, r->n);
        const unsigned char *is = out->explains + from;
        term_violations(t, r, from, n, out->explains + from);
        term_values(t, r, from, n, v);
        for (size_t i = 0; i < n; i++)
            if (is[i] && (is_most ? v[i] < out->near : v[i] > out->near))
                out->near = v[i];
    }
}

/* What a live test explains, if all rows bear it out: 1; 0: it is dead, or its bound has given
   way. */
static int bear_out(struct search *s, const struct condition_live *v, struct found *out)
{
    const size_t at = find_contradiction(&v->t, &s->rows.worked);
    if (at != SIZE_MAX) {
        condition_lives_contradict(&s->lives, &s->rows.worked, at);
        return 0;
    }
    *out = (struct found){
        .t = v->t, .cost = v->cost, .tries = condition_lives_tried(&s->lives, v->cost / 4)};
    out->explains = xcalloc(s->rows.failed.n + 1, 1);
    explain(&v->t, &s->rows.failed, out);
    return 1;
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
    const int kind =
        search_unit(s, &a->t) == search_unit(s, &b->t) ? search_unit(s, &a->t) : BY_ROW;
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
    const double scale = (double)s->n_left / (double)(s->lives.failed.n + 1);
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

static struct condition_live *condition_search_choose(struct search *s)
{
    struct condition_lives *l = &s->lives;
    struct condition_live *best = find_best(l), *chosen = best;
    const size_t n_left = condition_bits_count(s->left, s->left, l->words);
    for (size_t i = 0; i < l->n; i++)
        if (!l->v[i].is_dead && 10 * l->v[i].n >= 7 * best->n && is_better(&l->v[i], chosen)
            && is_near(s, &l->v[i], best, n_left))
            chosen = &l->v[i];
    return chosen;
}

/* ---- the search ---- */

static void count_left(struct search *s)
{
    s->n_left = 0;
    for (size_t i = 0; i < s->rows.failed.n; i++)
        s->n_left += !s->is_explained[i];
}

static void take_left(struct search *s)
{
    const struct condition_lives *l = &s->lives;
    count_left(s);
    memset(s->left, 0, l->words * sizeof *s->left);
    for (size_t i = 0; i < l->failed.n; i++)
        s->left[i / 64] |= (uint64_t)!s->is_explained[l->failed.at[i]] << i % 64;
    count_live(s);
}

static void mark_explained(struct search *s, size_t but)
{
    memset(s->is_explained, 0, s->rows.failed.n);
    for (size_t i = 0; i < s->n; i++)
        for (size_t row = 0; row < s->rows.failed.n && i != but && !s->v[i].is_out; row++)
            s->is_explained[row] |= s->v[i].explains[row];
}

static int was_taken_back(const struct search *s, const struct term *t)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].is_out && memcmp(&s->v[i].t, t, sizeof *t) == 0)
            return 1;
    return 0;
}

/* Takes a test if all rows bear it out: 1; 0: it is dead, or its bound has given way. */
static int verify(struct search *s, struct condition_live *v)
{
    struct found *f = &s->v[s->n];
    s->n_verified++;
    if (!bear_out(s, v, f)) {
        count_live(s);
        return 0;
    }
    if (!was_taken_back(s, &v->t) && search_may_be(s, f))
        return 1;
    free(f->explains);
    v->is_dead = 1;
    return 0;
}

/* How many failures of the sample the least condition explains, if nothing else is tried */
static size_t fewest(const struct search *s)
{
    const double failed = (double)s->n_left, worked = (double)s->rows.worked.n;
    const double sample = failed > CONDITION_SAMPLE ? CONDITION_SAMPLE / failed : 1;
    const double n = log(CONDITION_CHANCE) / log(failed / (failed + worked + 1)) * sample * 0.7;
    return n > CONDITION_FEWEST ? (size_t)n : CONDITION_FEWEST;
}

/* One sample of failures: adds the conditions that it shows. */
static void search_sample(struct search *s)
{
    condition_lives_open(&s->rows, &s->columns, s->is_explained, fewest(s), &s->lives);
    s->left = xcalloc(s->lives.words, sizeof *s->left);
    s->n_verified = 0;
    take_left(s);
    while (s->n < SEARCH_MOST && s->n_verified < MOST_VERIFIED) {
        struct condition_live *best = find_best(&s->lives);
        if (best == NULL || best->n < s->lives.least)
            break;
        if (!verify(s, condition_search_choose(s)))
            continue;
        s->n++;
        mark_explained(s, SIZE_MAX);
        take_left(s);
    }
    free(s->left);
    condition_lives_close(&s->lives);
}

static size_t count_new(const struct search *s, const struct found *f)
{
    size_t n = 0;
    for (size_t i = 0; i < s->rows.failed.n; i++)
        n += f->explains[i] && !s->is_explained[i];
    return n;
}

/* Takes back what chance explains, or what the others explain as well, the weakest first: how many
   left. */
static size_t take_back(struct search *s)
{
    for (size_t n = 0;; n++) {
        size_t worst = SIZE_MAX;
        double most = log(CONDITION_CHANCE);
        for (size_t i = s->n; i-- > 0;) {
            if (s->v[i].is_out)
                continue;
            mark_explained(s, i);
            const double chance = search_chance(s, &s->v[i]);
            if (chance > most) {
                most = chance;
                worst = i;
            }
        }
        if (worst == SIZE_MAX)
            return n;
        s->v[worst].is_out = 1;
    }
}

/* ---- simpler ones ---- */

static int covers(const struct search *s, const struct found *f, const unsigned char *is_out)
{
    for (size_t i = 0; i < s->rows.failed.n; i++)
        if (!is_out[i] && !f->explains[i])
            return 0;
    return 1;
}

/* The simplest test below this cost that explains the whole sample; NULL: there is none */
static struct condition_live *find_simplest(const struct condition_lives *l, size_t cost)
{
    struct condition_live *best = NULL;
    for (size_t i = 0; i < l->n; i++) {
        struct condition_live *v = &l->v[i];
        if (!v->is_dead && v->cost < cost && (best == NULL || v->cost < best->cost)
            && condition_bits_count(v->bits, v->bits, l->words) == l->failed.n)
            best = v;
    }
    return best;
}

/* Puts a simpler test in the place of one, if it explains what is not out: among those that were
   screened for these failures. */
static void replace(struct search *s, struct found *f, const unsigned char *is_out)
{
    struct condition_live *v;
    struct found with;
    for (size_t n = 0; n < MOST_VERIFIED && (v = find_simplest(&s->lives, f->cost)) != NULL; n++) {
        if (!bear_out(s, v, &with))
            continue;
        v->is_dead = 1;
        if (covers(s, &with, is_out)) {
            free(f->explains);
            *f = with;
        } else {
            free(with.explains);
        }
    }
}

/* The first ones were found when there were no others: what these explain need not be theirs. */
static void simplify(struct search *s)
{
    unsigned char *is_out = xcalloc(s->rows.failed.n + 1, 1);
    size_t n_in = 0;
    for (size_t i = 0; i < s->n; i++)
        n_in += !s->v[i].is_out;
    for (size_t i = 0; i < s->n && n_in > 1; i++) {
        struct found *f = &s->v[i];
        size_t n = 0;
        if (f->is_out || f->cost / 4 <= SIMPLE)
            continue;
        mark_explained(s, i);
        for (size_t row = 0; row < s->rows.failed.n; row++) {
            is_out[row] = s->is_explained[row] || !f->explains[row];
            n += !is_out[row];
        }
        n = n < CONDITION_SAMPLE ? n : CONDITION_SAMPLE;
        condition_lives_open(&s->rows, &s->columns, is_out, n * 9 / 10, &s->lives);
        replace(s, f, is_out);
        condition_lives_close(&s->lives);
    }
    free(is_out);
}

/* What was taken back may have stood in the way of better ones. */
static void search_all(struct search *s)
{
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        for (size_t before = SIZE_MAX; s->n != before && s->n_left >= CONDITION_FEWEST;) {
            before = s->n;
            search_sample(s);
        }
        const size_t n = s->n;
        if (take_back(s) == 0 || n == SEARCH_MOST)
            return;
        mark_explained(s, SIZE_MAX);
        count_left(s);
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

static void condition_search_tell(struct search *s, struct conditions *out)
{
    unsigned char is_told[SEARCH_MOST] = {0};
    size_t i;
    memset(s->is_explained, 0, s->rows.failed.n);
    while (out->n < CONDITIONS_MOST && (i = next_found(s, is_told)) != SIZE_MAX) {
        struct condition *c = &out->v[out->n++];
        struct buf text = {0};
        c->more = count_new(s, &s->v[i]);
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
    search_open_chance(s);
    if (s->rows.worked.n > 0 && s->n_left > 0) {
        search_all(s);
        simplify(s);
    }
    condition_search_tell(s, out);
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i].explains);
    free(s->is_explained);
    free(s->seen);
    search_close_chance(s);
    condition_rows_close(&s->rows);
    free(s);
}

void conditions_free(struct conditions *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i].text);
    memset(c, 0, sizeof *c);
}
