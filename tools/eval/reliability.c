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
    double off;        /* of one unit: hits less the bin's part of them */
    double square;     /* sum over units of off^2, for the standard error */
};

static size_t bin_of(const struct outcome *o)
{
    const int64_t i = (int64_t)o->probability * BINS / ONE;
    return i < BINS ? (size_t)i : BINS - 1;
}

static void count(struct bin *b, const struct outcome *o)
{
    b->n++;
    b->hits += o->hit;
    b->predicted += o->probability;
}

static void add_off(struct bin *b, size_t hit)
{
    b->off += (double)hit - (double)b->hits / (double)b->n;
}

/* The rows of one unit, first..end-1 */
static void add_unit(struct bin *bins, const struct outcome *out, size_t first, size_t end)
{
    for (size_t i = 0; i <= ALL; i++)
        bins[i].off = 0;
    for (size_t i = first; i < end; i++) {
        add_off(bins + bin_of(out + i), out[i].hit);
        add_off(bins + ALL, out[i].hit);
    }
    for (size_t i = 0; i <= ALL; i++)
        bins[i].square += bins[i].off * bins[i].off;
}

/* Rows first..end-1 are one group, sorted by unit. */
static void fill(const struct eval *e, const struct outcome *out, size_t first, size_t end,
                 struct bin *bins)
{
    size_t j;
    for (size_t i = first; i < end; i++) {
        count(bins + bin_of(out + i), out + i);
        count(bins + ALL, out + i);
    }
    for (size_t i = first; i < end; i = j) {
        for (j = i; j < end && e->row[j].unit == e->row[i].unit; j++)
            ;
        add_unit(bins, out, i, j);
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
    size_t n = 0;
    for (size_t i = from; i < to; i++)
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
    struct buf name = {NULL, 0, 0};
    buf_printf(&name, "%zu-%zu", i * 100 / BINS, (i + 1) * 100 / BINS);
    eval_group_cells(e, t, first);
    table_number(t, "%zu", k);
    table_text(t, i == ALL ? "all" : name.s);
    table_number(t, "%zu", b->n);
    table_number(t, "%.2f", predicted(b));
    table_number(t, "%.2f", observed(b));
    table_number(t, "%.2f", 100.0 * sqrt(b->square) / (double)b->n);
    table_number(t, "%.2f",
                 i == ALL ? calibration_error(bins, 0, BINS) : calibration_error(bins, i, i + 1));
    buf_free(&name);
}

/* The lines of a group and their points, which are the next curve */
static void add_group(const struct eval *e, struct table *t, struct plot *plot, size_t k,
                      const struct bin *bins, size_t first)
{
    const size_t curve = plot->n;
    struct buf name = {NULL, 0, 0};
    eval_group_name(e, &name, first);
    buf_printf(&name, ", k = %zu", k);
    for (size_t i = 0; i <= ALL; i++) {
        if (bins[i].n)
            add_line(e, t, k, bins, i, first);
        if (bins[i].n && i < ALL)
            plot_point(plot, curve, name.s, predicted(bins + i), observed(bins + i));
    }
    buf_free(&name);
}

int eval_reliability(const struct eval *e, const long *k, size_t n_k, struct outcome *out,
                     struct table *t, struct plot *plot)
{
    size_t end;
    table_heading(t, heading);
    plot->diagonal = 1;
    for (size_t i = 0; i < n_k; i++) {
        if (eval_run(e, &k[i], 1, out))
            return -1;
        for (size_t first = 0; first < e->n; first = end) {
            struct bin bins[BINS + 1] = {{0, 0, 0, 0, 0}};
            end = eval_group_end(e, first);
            fill(e, out, first, end, bins);
            add_group(e, t, plot, (size_t)k[i], bins, first);
        }
    }
    return 0;
}
