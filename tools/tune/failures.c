/* failures.c - how likely a tuple is to run, by those that ran and those that failed
   SPDX-License-Identifier: MIT */
#include "expert.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A term has one of PLACES places, on a logarithmic scale, between which the bounds are. */
enum { PLACES = 64, MOST_FACTORS = 4, MOST_TERMS = 1024, MOST_CAUSES = 3, MOST_LEARNT = 4096 };

/* What is on a side of a bound nearly always fails or nearly always runs: as if so much of a
   failure and so much of a success had been seen there (a beta distribution). */
static const double seen_before = 0.1;
/* Terms that are so much less likely (log2) than the best one are left out, for speed's sake. */
static const double unlikely = -7;

struct term {
    int is_sum; /* of the first two factors */
    size_t n;   /* none: the share of other tables */
    size_t factor[MOST_FACTORS];
    int sign[MOST_FACTORS]; /* -1: it is divided by that factor */
    double low, scale;      /* of the logarithm: at place 0, and places for each octave */
    double prior;           /* log2 of how likely each bound on it is beforehand */
};

struct rule { /* all bounds on a term */
    size_t term;
    float chance[PLACES]; /* of failing; that of a tuple is the sum over all rules */
};

struct cause {
    size_t n;
    struct rule *rule; /* the most likely one first */
};

typedef uint32_t counts[PLACES];

struct failures {
    const struct space *space;
    const double *elsewhere;
    double **logs; /* of each parameter's values */
    size_t n_terms;
    struct term *term;
    size_t n, n_failed;      /* results */
    unsigned char *failed;   /* of each failure its places by all terms */
    counts *ran, *bad;       /* for each term: tuples that ran, and failures that are unexplained */
    double (*bound)[PLACES]; /* log2 of how likely each is, which is below a place */
    double *few,
        *both;      /* log2 of gamma(k + b) / gamma(b), for b = seen_before and for twice that */
    size_t n_gamma; /* up to such a k */
    size_t n_causes;
    struct cause cause[MOST_CAUSES];
};

/* ---- places ---- */

/* log2(2^a + 2^b) */
static double log_of_sum(double a, double b)
{
    const double more = a > b ? a : b, less = a > b ? b : a;
    return more + num_log2(1 + (double)num_exp2((float)(less - more)));
}

static double factor_of(const struct failures *f, const struct term *t, size_t i,
                        const uint16_t *value)
{
    return t->sign[i] * f->logs[t->factor[i]][value[t->factor[i]]];
}

static double value_of(const struct failures *f, const struct term *t, const uint16_t *value)
{
    double sum = factor_of(f, t, 0, value);
    size_t i = 1;
    if (t->is_sum)
        sum = log_of_sum(sum, factor_of(f, t, i++, value));
    for (; i < t->n; i++)
        sum += factor_of(f, t, i, value);
    return sum;
}

static size_t place_of(const struct failures *f, const struct term *t, size_t tuple)
{
    if (t->n == 0)
        return (size_t)(f->elsewhere[tuple] * (PLACES - 1) + 0.5);
    const uint16_t *value = f->space->value + tuple * f->space->n_params;
    const double place = (value_of(f, t, value) - t->low) * t->scale + 0.5;
    return place < PLACES - 1 ? (size_t)place : PLACES - 1;
}

/* The number of the value with which a factor is least (way: -1) or largest (1) */
static uint16_t extreme(const struct failures *f, const struct term *t, size_t i, int way)
{
    const double *logs = f->logs[t->factor[i]];
    uint16_t best = 0;
    for (uint16_t v = 1; v < f->space->n_values[t->factor[i]]; v++)
        if (way * t->sign[i] * (logs[v] - logs[best]) > 0)
            best = v;
    return best;
}

static double extreme_of(const struct failures *f, const struct term *t, int way)
{
    uint16_t *value = xcalloc(f->space->n_params, sizeof *value);
    for (size_t i = 0; i < t->n; i++)
        value[t->factor[i]] = extreme(f, t, i, way);
    const double at = value_of(f, t, value);
    free(value);
    return at;
}

/* ---- terms ---- */

static void add_term(struct failures *f, const struct term *like)
{
    struct term *t = &f->term[f->n_terms++];
    *t = *like;
    if (t->n > 0) {
        t->low = extreme_of(f, t, -1);
        t->scale = (PLACES - 1) / (extreme_of(f, t, 1) - t->low);
    }
}

/* The product, and all quotients */
static void add_signs(struct failures *f, struct term *t, int is_all)
{
    for (unsigned signs = 0; signs < (is_all ? 1u << (t->n - 1) : 1u); signs++) {
        for (size_t i = 0; i < t->n; i++)
            t->sign[i] = i > 0 && (signs >> (i - 1) & 1) != 0 ? -1 : 1;
        add_term(f, t);
    }
}

/* Sums of two of the factors, times the others, as of the tiles in a block's memory */
static void add_sums(struct failures *f, const struct term *t)
{
    for (size_t a = 0; a < t->n; a++)
        for (size_t b = a + 1; b < t->n; b++) {
            struct term sum = {.is_sum = 1, .n = 2, .factor = {t->factor[a], t->factor[b]}};
            for (size_t i = 0; i < t->n; i++)
                if (i != a && i != b)
                    sum.factor[sum.n++] = t->factor[i];
            for (size_t i = 0; i < t->n; i++)
                sum.sign[i] = 1;
            add_term(f, &sum);
        }
}

/* Two values are a choice rather than a number: they make no products. */
static int is_factor(const struct failures *f, size_t param, size_t n)
{
    return f->space->n_values[param] >= (n == 1 ? 2u : 3u);
}

/* Terms of n factors: t has some of them, and the others come from parameter p on. */
static void add_terms(struct failures *f, struct term *t, size_t p, size_t n, int is_all)
{
    if (t->n == n) {
        add_signs(f, t, is_all);
        if (is_all)
            add_sums(f, t);
        return;
    }
    for (; p < f->space->n_params; p++)
        if (is_factor(f, p, n)) {
            t->factor[t->n++] = p;
            add_terms(f, t, p + 1, n, is_all);
            t->n--;
        }
}

/* Products alone where there are too many quotients and sums; as likely are all together as all of
   another number of factors. */
static void add_terms_of(struct failures *f, size_t n)
{
    const size_t first = f->n_terms, kinds = ((size_t)1 << (n - 1)) + n * (n - 1) / 2;
    struct term t = {0};
    double products = 1, m = 0;
    for (size_t p = 0; p < f->space->n_params; p++)
        m += is_factor(f, p, n);
    for (size_t i = 0; i < n; i++)
        products *= (m - (double)i) / (double)(i + 1);
    if (products < 1 || (double)first + products > MOST_TERMS)
        return;
    add_terms(f, &t, 0, n, (double)first + products * (double)kinds <= MOST_TERMS);
    for (size_t i = first; i < f->n_terms; i++)
        f->term[i].prior = -num_log2((double)(f->n_terms - first));
}

struct failures *failures_open(const struct space *space, const double *elsewhere,
                               struct heap *heap)
{
    struct failures *f = heap_new(heap, 1, sizeof *f);
    f->space = space;
    f->elsewhere = elsewhere;
    f->logs = columns_logarithms(space, heap);
    f->term = heap_new(heap, MOST_TERMS + 1, sizeof *f->term);
    if (elsewhere != NULL)
        add_term(f, &(struct term){0});
    for (size_t n = 1; n <= MOST_FACTORS; n++)
        add_terms_of(f, n);
    f->ran = heap_new(heap, f->n_terms, sizeof *f->ran);
    f->bad = heap_new(heap, f->n_terms, sizeof *f->bad);
    f->bound = heap_new(heap, f->n_terms, sizeof *f->bound);
    f->failed = heap_new(heap, MOST_LEARNT * f->n_terms, sizeof *f->failed);
    for (size_t c = 0; c < MOST_CAUSES; c++)
        f->cause[c].rule = heap_new(heap, f->n_terms, sizeof *f->cause[c].rule);
    f->few = heap_new(heap, MOST_LEARNT + 1, sizeof *f->few);
    f->both = heap_new(heap, MOST_LEARNT + 1, sizeof *f->both);
    return f;
}

/* ---- rules ---- */

static void take_gamma(struct failures *f, size_t most)
{
    for (size_t k = f->n_gamma; k < most; f->n_gamma = ++k) {
        f->few[k + 1] = f->few[k] + num_log2((double)k + seen_before);
        f->both[k + 1] = f->both[k] + num_log2((double)k + 2 * seen_before);
    }
}

struct side {
    size_t bad, ran;
};

static double likely(const struct failures *f, struct side s)
{
    return f->few[s.bad] + f->few[s.ran] - f->both[s.bad + s.ran];
}

static double rate(struct side s)
{
    return ((double)s.bad + seen_before) / ((double)(s.bad + s.ran) + 2 * seen_before);
}

/* What is at a place moves from above a bound to below it. */
static void move(const struct failures *f, size_t term, size_t place, struct side *below,
                 struct side *above)
{
    below->bad += f->bad[term][place];
    below->ran += f->ran[term][place];
    above->bad -= f->bad[term][place];
    above->ran -= f->ran[term][place];
}

/* Returns how likely the most likely bound is. */
static double weigh_bounds(struct failures *f, size_t term, struct side all)
{
    struct side below = {0, 0}, above = all;
    double *bound = f->bound[term], most = -HUGE_VAL;
    for (size_t k = 0; k < PLACES; k++) {
        const int is_new = k == 0 || f->bad[term][k - 1] + f->ran[term][k - 1] > 0;
        bound[k] =
            is_new ? f->term[term].prior + likely(f, below) + likely(f, above) : bound[k - 1];
        most = bound[k] > most ? bound[k] : most;
        move(f, term, k, &below, &above);
    }
    return most;
}

/* What each bound says of each place, by its weight. Returns the sum of the weights. */
static double take_rule(const struct failures *f, size_t term, double most, struct side all,
                        struct rule *r)
{
    struct side below = {0, 0}, above = all;
    double weight, sum = 0, from_here = 0, ends[PLACES];
    for (size_t k = 0; k < PLACES; k++) {
        weight = (double)num_exp2((float)(f->bound[term][k] - most));
        sum += weight;
        from_here += weight * rate(above);
        r->chance[k] = (float)from_here;
        ends[k] = weight * rate(below);
        move(f, term, k, &below, &above);
    }
    double up_to_here = 0;
    for (size_t k = PLACES; k-- > 0; up_to_here += ends[k])
        r->chance[k] += (float)up_to_here;
    r->term = term;
    return sum;
}

struct ranked {
    double likely;
    size_t term;
};

static int by_likelihood(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    if (a->likely < b->likely || a->likely > b->likely)
        return a->likely > b->likely ? -1 : 1;
    return a->term < b->term ? -1 : 1;
}

static struct ranked *rank_terms(struct failures *f, struct side all)
{
    struct ranked *ranked = xcalloc(f->n_terms + 1, sizeof *ranked);
    for (size_t t = 0; t < f->n_terms; t++)
        ranked[t] = (struct ranked){weigh_bounds(f, t, all), t};
    qsort(ranked, f->n_terms, sizeof *ranked, by_likelihood);
    return ranked;
}

static void find_cause(struct failures *f, struct side all)
{
    struct cause *c = &f->cause[f->n_causes++];
    struct ranked *ranked = rank_terms(f, all);
    const double most = ranked[0].likely;
    double sum = 0;
    c->n = 0;
    while (c->n < f->n_terms && ranked[c->n].likely >= most + unlikely)
        c->n++;
    for (size_t i = 0; i < c->n; i++)
        sum += take_rule(f, ranked[i].term, most, all, &c->rule[i]);
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < PLACES; k++)
            c->rule[i].chance[k] /= (float)sum;
    free(ranked);
}

/* ---- results ---- */

static unsigned char *failure(const struct failures *f, size_t i)
{
    return f->failed + i * f->n_terms;
}

static int explains(const struct failures *f, const struct cause *c, size_t i)
{
    double sum = 0;
    for (size_t k = 0; k < c->n; k++)
        sum += (double)c->rule[k].chance[failure(f, i)[c->rule[k].term]];
    return sum >= 0.5;
}

static void find_causes(struct failures *f)
{
    size_t left = f->n_failed, had = left + 1;
    unsigned char *is_explained = xcalloc(left + 1, 1);
    f->n_causes = 0;
    take_gamma(f, f->n);
    while (f->n_terms > 0 && left > 0 && left < had && f->n_causes < MOST_CAUSES) {
        memset(f->bad, 0, f->n_terms * sizeof *f->bad);
        for (size_t i = 0; i < f->n_failed; i++)
            for (size_t t = 0; t < f->n_terms && !is_explained[i]; t++)
                f->bad[t][failure(f, i)[t]]++;
        find_cause(f, (struct side){left, f->n - f->n_failed});
        had = left;
        for (size_t i = 0; i < f->n_failed; i++)
            if (!is_explained[i] && explains(f, &f->cause[f->n_causes - 1], i)) {
                is_explained[i] = 1;
                left--;
            }
    }
    free(is_explained);
}

static void add_result(struct failures *f, size_t tuple, double time)
{
    const int ran = time < HUGE_VAL;
    f->n_failed += !ran;
    for (size_t t = 0; t < f->n_terms; t++) {
        const size_t place = place_of(f, &f->term[t], tuple);
        if (ran)
            f->ran[t][place]++;
        else
            failure(f, f->n_failed - 1)[t] = (unsigned char)place;
    }
    f->n++;
}

void failures_learn(struct failures *f, const size_t *tuple, const double *time, size_t n)
{
    const size_t had = f->n;
    while (f->n < n && f->n < MOST_LEARNT)
        add_result(f, tuple[f->n], time[f->n]);
    if (f->n > had)
        find_causes(f);
}

/* The chance that this cause spares the tuple, by the likeliest rules alone if they say enough */
static double spares(const struct failures *f, const struct cause *c, size_t tuple, double least)
{
    double left = 1;
    for (size_t i = 0; i < c->n && left > least; i++)
        left -= (double)c->rule[i].chance[place_of(f, &f->term[c->rule[i].term], tuple)];
    return left > 1e-6 ? left : 1e-6;
}

double failures_works(const struct failures *f, size_t tuple, double least)
{
    double works = 1;
    for (size_t c = 0; c < f->n_causes && works > least; c++)
        works *= spares(f, &f->cause[c], tuple, least / works);
    return works;
}
