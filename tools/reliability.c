/* reliability.c - `kpred-train eval --reliability`: predicted probabilities against what came true
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include <inttypes.h>
#include <math.h>

enum { BINS = 10, ALL = BINS, ONE = 1 << 24 };

static const char heading[] = "model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece";

/* Problems with a probability from i/10 up to (i + 1)/10; in the one behind them all problems. */
struct bin {
    size_t n, hits;
    int64_t predicted; /* sum, Q24 */
    double off;        /* of one unit: hits less the bin's share of them */
    double square;     /* sum over units of off^2, for the standard error */
};

/* What is looked at: the first tuple, or whether the optimum is among all that came back. */
enum claim { FIRST, AMONG };

static size_t hit_of(const struct outcome *o, enum claim claim)
{
    return claim == FIRST ? o->first_hit : o->hit;
}

static int32_t probability_of(const struct outcome *o, enum claim claim)
{
    return claim == FIRST ? o->first : o->all;
}

static size_t bin_of(const struct outcome *o, enum claim claim)
{
    const int64_t i = (int64_t)probability_of(o, claim) * BINS / ONE;
    return i < BINS ? (size_t)i : BINS - 1;
}

static void count(struct bin *b, const struct outcome *o, enum claim claim)
{
    b->n++;
    b->hits += hit_of(o, claim);
    b->predicted += probability_of(o, claim);
}

static void add_off(struct bin *b, size_t hit)
{
    b->off += (double)hit - (double)b->hits / (double)b->n;
}

/* The rows of one unit, first..end-1 */
static void add_unit(struct bin *bins, const struct outcome *out, enum claim claim, size_t first,
                     size_t end)
{
    size_t i;
    for (i = 0; i <= ALL; i++)
        bins[i].off = 0;
    for (i = first; i < end; i++) {
        add_off(bins + bin_of(out + i, claim), hit_of(out + i, claim));
        add_off(bins + ALL, hit_of(out + i, claim));
    }
    for (i = 0; i <= ALL; i++)
        bins[i].square += bins[i].off * bins[i].off;
}

/* Rows first..end-1 are one group, sorted by unit. */
static void fill(const struct eval *e, const struct outcome *out, enum claim claim, size_t first,
                 size_t end, struct bin *bins)
{
    size_t i, j;
    for (i = first; i < end; i++) {
        count(bins + bin_of(out + i, claim), out + i, claim);
        count(bins + ALL, out + i, claim);
    }
    for (i = first; i < end; i = j) {
        for (j = i; j < end && e->row[j].unit == e->row[i].unit; j++)
            ;
        add_unit(bins, out, claim, i, j);
    }
}

static double predicted(const struct bin *b)
{
    return 100.0 * (double)b->predicted / ONE / (double)b->n;
}

static double observed(const struct bin *b)
{
    return 100.0 * (double)b->hits / (double)b->n;
}

/* The mean over the problems of bins from..to-1 of how far their bin is off, in points */
static double calibration_error(const struct bin *bins, size_t from, size_t to)
{
    double sum = 0;
    size_t i, n = 0;
    for (i = from; i < to; i++)
        if (bins[i].n) {
            sum += (double)bins[i].n * fabs(observed(bins + i) - predicted(bins + i));
            n += bins[i].n;
        }
    return sum / (double)n;
}

static void add_line(const struct eval *e, struct table *t, size_t k, const struct bin *bins,
                     size_t i, size_t first)
{
    const struct bin *b = bins + i;
    struct buf name = { NULL, 0, 0 };
    buf_printf(&name, "%zu-%zu", i * 100 / BINS, (i + 1) * 100 / BINS);
    eval_group_cells(e, t, first);
    table_number(t, "%zu", k);
    table_text(t, i == ALL ? "all" : name.s);
    table_number(t, "%zu", b->n);
    table_number(t, "%.2f", predicted(b));
    table_number(t, "%.2f", observed(b));
    table_number(t, "%.2f", 100.0 * sqrt(b->square) / (double)b->n);
    table_number(t, "%.2f", i == ALL ? calibration_error(bins, 0, BINS)
                                     : calibration_error(bins, i, i + 1));
    buf_free(&name);
}

/* The lines of a group and their points, which are the next curve */
static void add_group(const struct eval *e, struct table *t, struct plot *plot, size_t k,
                      const struct bin *bins, size_t first)
{
    const size_t curve = plot->n;
    struct buf name = { NULL, 0, 0 };
    size_t i;
    eval_group_name(e, &name, first);
    buf_printf(&name, ", k = %zu", k);
    for (i = 0; i <= ALL; i++) {
        if (bins[i].n)
            add_line(e, t, k, bins, i, first);
        if (bins[i].n && i < ALL)
            plot_point(plot, curve, name.s, predicted(bins + i), observed(bins + i));
    }
    buf_free(&name);
}

static void add_claim(const struct eval *e, const struct outcome *out, enum claim claim, size_t k,
                      struct table *t, struct plot *plot)
{
    size_t first, end;
    for (first = 0; first < e->n; first = end) {
        struct bin bins[BINS + 1] = { { 0, 0, 0, 0, 0 } };
        end = eval_group_end(e, first);
        fill(e, out, claim, first, end, bins);
        add_group(e, t, plot, k, bins, first);
    }
}

int eval_reliability(const struct eval *e, struct outcome *out, struct table *t, struct plot *plot)
{
    long k = 0;
    size_t i;
    for (i = 0; i < e->o->k.n; i++)
        k = e->o->k.v[i] > k ? e->o->k.v[i] : k;
    if (eval_run(e, (size_t)k, out))
        return -1;
    table_heading(t, heading);
    plot->diagonal = 1;
    add_claim(e, out, FIRST, 1, t, plot);
    if (k > 1)
        add_claim(e, out, AMONG, (size_t)k, t, plot);
    return 0;
}
