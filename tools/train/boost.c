/* boost.c - boosted regression trees on histograms, see trees.h
   SPDX-License-Identifier: MIT */
#include "trees.h"

#include "base/numbers.h"
#include "base/util.h"
#include "matrix.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 255, FRACTION_BITS = 18, LEAF = UINT16_MAX };

/* A leaf has column LEAF, and says `at`. */
struct node {
    uint16_t column;
    uint8_t bin;   /* rows at or below it go left */
    uint32_t left; /* the other follows it */
    float at;      /* the value of the cut: x <= at goes left */
};

struct sequence {
    struct node *nodes; /* of all trees */
    size_t n, cap, n_trees;
    uint32_t *root; /* n_trees */
    double *gain;   /* of each column */
};

struct boost {
    size_t n_columns, n_members;
    struct sequence *members;
};

/* ---- columns as bins ---- */

struct bins {
    size_t n, n_columns;
    uint8_t *bin; /* n_columns x n */
    float *cut;   /* n_columns x MOST_CUTS: a value is in the first bin whose cut is at or above */
    size_t *n_cuts; /* of each column; one bin more */
};

static int compare_floats(const void *a, const void *b)
{
    const float *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* Cuts between distinct values, so many rows apart. sorted: n values */
static size_t choose_cuts(const float *sorted, size_t n, float *cut)
{
    size_t n_cuts = 0, last = 0;
    for (size_t i = 1; i < n && n_cuts < MOST_CUTS; i++) {
        const size_t apart = (n - last) / (MOST_CUTS - n_cuts + 1);
        if (sorted[i] > sorted[i - 1] && i - last >= apart) {
            cut[n_cuts++] = sorted[i - 1] + (sorted[i] - sorted[i - 1]) * 0.5f;
            last = i;
        }
    }
    return n_cuts;
}

static uint8_t bin_of(const float *cut, size_t n_cuts, float x)
{
    size_t low = 0, high = n_cuts;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (x <= cut[mid])
            high = mid;
        else
            low = mid + 1;
    }
    return (uint8_t)low;
}

struct binning {
    const struct boost_rows *rows;
    struct bins *to;
};

static void bin_column(void *user, size_t column)
{
    const struct binning *b = user;
    const size_t n = b->rows->n;
    float *sorted = xcalloc(n, sizeof *sorted), *cut = b->to->cut + column * MOST_CUTS;
    for (size_t i = 0; i < n; i++)
        sorted[i] = b->rows->x[i * b->rows->n_columns + column];
    qsort(sorted, n, sizeof *sorted, compare_floats);
    const size_t n_cuts = b->to->n_cuts[column] = choose_cuts(sorted, n, cut);
    for (size_t i = 0; i < n; i++)
        b->to->bin[column * n + i] =
            bin_of(cut, n_cuts, b->rows->x[i * b->rows->n_columns + column]);
    free(sorted);
}

static void bins_open(struct bins *b, const struct boost_rows *rows, struct pool *pool)
{
    struct binning binning = {rows, b};
    b->n = rows->n;
    b->n_columns = rows->n_columns;
    b->bin = xcalloc(rows->n_columns, rows->n);
    b->cut = xcalloc(rows->n_columns * MOST_CUTS, sizeof *b->cut);
    b->n_cuts = xcalloc(rows->n_columns, sizeof *b->n_cuts);
    pool_run(pool, bin_column, &binning, rows->n_columns);
}

static void bins_close(struct bins *b)
{
    free(b->bin);
    free(b->cut);
    free(b->n_cuts);
}

/* ---- one tree ---- */

/* The rows of a bin, and the sum of what they leave */
struct cell {
    int64_t sum;
    uint64_t n;
};

enum { WIDTH = MOST_CUTS + 1, FEW_ROWS = 128, BITS = 64 };

struct growth {
    const struct bins *bins;
    const struct boost_config *config;
    struct sequence *to;
    const int32_t *left_over; /* of each row, in fractions */
    uint32_t *row, *other;    /* those drawn, in the order of the leaves; room to part them */
    uint16_t *column;         /* those drawn */
    size_t n_columns;
    struct cell **cells;   /* a histogram for each depth: n_columns x WIDTH */
    struct cell *empty;    /* WIDTH of 0, for the rows of one column at a time */
    const double *inverse; /* of n + 1 */
};

/* A node to be: its rows first..end-1, and what they leave in all */
struct leaf {
    size_t at, first, end, depth;
    struct cell all;
};

static void boost_count(const struct growth *g, size_t first, size_t end, struct cell *to)
{
    for (size_t c = 0; c < g->n_columns; c++, to += WIDTH) {
        memset(to, 0, (g->bins->n_cuts[g->column[c]] + 1) * sizeof *to);
        const uint8_t *bin = g->bins->bin + g->column[c] * g->bins->n;
        for (size_t i = first; i < end; i++) {
            struct cell *cell = to + bin[g->row[i]];
            cell->sum += g->left_over[g->row[i]];
            cell->n++;
        }
    }
}

/* Takes out of a histogram what is in that of a part. */
static void take_out(const struct growth *g, const struct cell *part, struct cell *from)
{
    for (size_t c = 0; c < g->n_columns; c++)
        for (size_t b = 0; b <= g->bins->n_cuts[g->column[c]]; b++) {
            from[c * WIDTH + b].sum -= part[c * WIDTH + b].sum;
            from[c * WIDTH + b].n -= part[c * WIDTH + b].n;
        }
}

/* The same of a few rows, without a histogram of theirs */
static void take_rows_out(const struct growth *g, const struct leaf *part, struct cell *from)
{
    for (size_t c = 0; c < g->n_columns; c++, from += WIDTH) {
        const uint8_t *bin = g->bins->bin + g->column[c] * g->bins->n;
        for (size_t i = part->first; i < part->end; i++) {
            from[bin[g->row[i]]].sum -= g->left_over[g->row[i]];
            from[bin[g->row[i]]].n--;
        }
    }
}

struct cut {
    size_t column; /* of those drawn */
    uint8_t bin;
    double gain; /* 0: none */
    struct cell left;
};

/* What a leaf explains, a little less for a small one */
static double worth(struct cell rows)
{
    const double s = (double)rows.sum;
    return s * s / ((double)rows.n + 1);
}

struct search {
    struct cell all;
    uint64_t least;        /* rows of a part */
    const double *inverse; /* of growth */
    double now, bound;     /* what all explain uncut; what the parts have to, but for rounding */
    struct cut best;
};

static void expect_more(struct search *s)
{
    s->bound = (s->best.gain + s->now) * (1 - 1e-9);
}

/* May it be the best to cut off these rows? Products rule most cuts out, quotients decide. */
static inline int may_gain(const struct search *s, struct cell left)
{
    const double l = (double)left.sum, r = (double)(s->all.sum - left.sum);
    const uint64_t n = s->all.n - left.n;
    return left.n >= s->least && n >= s->least
           && l * l * s->inverse[left.n] + r * r * s->inverse[n] > s->bound;
}

/* The cut behind bin b of column c, with these rows on its left */
static void try_cut(struct search *s, struct cell left, size_t c, size_t b)
{
    const struct cell right = {s->all.sum - left.sum, s->all.n - left.n};
    const double gain = worth(left) + worth(right) - s->now;
    if (gain > s->best.gain) {
        s->best = (struct cut){c, (uint8_t)b, gain, left};
        expect_more(s);
    }
}

static void try_column(struct search *s, const struct cell *cells, size_t n_cuts, size_t c)
{
    struct cell left = {0, 0};
    for (size_t b = 0; b < n_cuts && s->all.n - left.n >= s->least; b++) {
        left.sum += cells[b].sum;
        left.n += cells[b].n;
        if (may_gain(s, left))
            try_cut(s, left, c, b);
    }
}

/* The place of the lowest bit, of one at least */
static size_t lowest_bit(uint64_t x)
{
#if defined(__GNUC__)
    return (size_t)__builtin_ctzll(x);
#else
    size_t i = 0;
    for (; !(x & 1); x >>= 1)
        i++;
    return i;
#endif
}

/* Of a few rows most bins are empty: bits tell those that are not. */
static void try_column_of_few(struct search *s, const struct growth *g, const struct leaf *leaf,
                              size_t c)
{
    const uint8_t *bin = g->bins->bin + g->column[c] * g->bins->n;
    uint64_t full[WIDTH / BITS] = {0};
    struct cell left = {0, 0};
    for (size_t i = leaf->first; i < leaf->end; i++) {
        const size_t b = bin[g->row[i]];
        g->empty[b].sum += g->left_over[g->row[i]];
        g->empty[b].n++;
        full[b / BITS] |= UINT64_C(1) << b % BITS;
    }
    for (size_t word = 0; word < WIDTH / BITS; word++)
        for (uint64_t bits = full[word]; bits; bits &= bits - 1) {
            const size_t b = word * BITS + lowest_bit(bits);
            left.sum += g->empty[b].sum;
            left.n += g->empty[b].n;
            g->empty[b] = (struct cell){0, 0};
            if (may_gain(s, left))
                try_cut(s, left, c, b);
        }
}

static size_t part(struct growth *g, size_t first, size_t end, const struct cut *cut)
{
    const uint8_t *bin = g->bins->bin + g->column[cut->column] * g->bins->n;
    size_t left = first, right = 0;
    for (size_t i = first; i < end; i++)
        if (bin[g->row[i]] <= cut->bin)
            g->row[left++] = g->row[i];
        else
            g->other[right++] = g->row[i];
    memcpy(g->row + left, g->other, right * sizeof *g->row);
    return left;
}

static void set_leaf(struct growth *g, const struct leaf *leaf)
{
    const double mean = (double)leaf->all.sum / ((double)leaf->all.n + 1);
    g->to->nodes[leaf->at] =
        (struct node){LEAF, 0, 0, (float)(mean * (double)g->config->rate / (1 << FRACTION_BITS))};
}

static size_t add_node(struct sequence *s)
{
    s->nodes = xgrow(s->nodes, s->n, &s->cap, sizeof *s->nodes);
    return s->n++;
}

static struct cut best_cut(const struct growth *g, const struct leaf *leaf,
                           const struct cell *cells)
{
    struct search s = {leaf->all,  g->config->least_rows, g->inverse, worth(leaf->all), 0,
                       {.gain = 0}};
    if (leaf->depth == g->config->depth || leaf->all.n < 2 * s.least)
        return s.best;
    expect_more(&s);
    for (size_t c = 0; c < g->n_columns; c++)
        if (cells)
            try_column(&s, cells + c * WIDTH, g->bins->n_cuts[g->column[c]], c);
        else
            try_column_of_few(&s, g, leaf, c);
    return s.best;
}

/* The histograms of a node's parts. The greater part, if one is due to it, takes that of the node:
   what is left there without the smaller one. */
static void part_cells(const struct growth *g, const struct leaf *small, struct cell **of_small,
                       struct cell **of_great)
{
    *of_small = NULL;
    if (small->depth == g->config->depth || !*of_great)
        return;
    if (small->all.n > FEW_ROWS) {
        *of_small = g->cells[small->depth];
        boost_count(g, small->first, small->end, *of_small);
        take_out(g, *of_small, *of_great);
    } else {
        take_rows_out(g, small, *of_great);
    }
}

/* Grows a node from its histogram; NULL: it has few rows, or is as deep as may be. */
static void boost_grow(struct growth *g, const struct leaf *leaf, struct cell *cells)
{
    const struct cut best = best_cut(g, leaf, cells);
    if (!(best.gain > 0)) {
        set_leaf(g, leaf);
        return;
    }
    const size_t middle = part(g, leaf->first, leaf->end, &best), column = g->column[best.column];
    const size_t depth = leaf->depth + 1, at = add_node(g->to);
    const struct leaf to[2] = {{at, leaf->first, middle, depth, best.left},
                               {add_node(g->to),
                                middle,
                                leaf->end,
                                depth,
                                {leaf->all.sum - best.left.sum, leaf->all.n - best.left.n}}};
    g->to->nodes[leaf->at] = (struct node){(uint16_t)column, best.bin, (uint32_t)at,
                                           g->bins->cut[column * MOST_CUTS + best.bin]};
    g->to->gain[column] += best.gain;
    const int small = to[0].all.n > to[1].all.n;
    struct cell *of[2];
    of[!small] = to[!small].all.n > FEW_ROWS ? cells : NULL;
    part_cells(g, &to[small], &of[small], &of[!small]);
    boost_grow(g, &to[0], of[0]);
    boost_grow(g, &to[1], of[1]);
}

/* ---- a sequence ---- */

struct fitting {
    const struct boost_rows *rows;
    const struct boost_config *config;
    struct bins bins;
    double *inverse; /* of growth */
    struct boost *to;
};

static size_t draw_rows(struct growth *g, uint64_t *seed)
{
    size_t n = 0;
    for (size_t i = 0; i < g->bins->n; i++)
        if (num_unit(seed) < g->config->row_share)
            g->row[n++] = (uint32_t)i;
    return n;
}

static struct cell total(const struct growth *g, size_t n)
{
    struct cell all = {0, n};
    for (size_t i = 0; i < n; i++)
        all.sum += g->left_over[g->row[i]];
    return all;
}

static void draw_columns(struct growth *g, uint64_t *seed)
{
    g->n_columns = 0;
    for (size_t c = 0; c < g->bins->n_columns; c++)
        if (g->bins->n_cuts[c] > 0 && num_unit(seed) < g->config->column_share)
            g->column[g->n_columns++] = (uint16_t)c;
    for (size_t c = 0; g->n_columns == 0; c = (c + 1) % g->bins->n_columns)
        if (c + 1 == g->bins->n_columns || g->bins->n_cuts[c] > 0)
            g->column[g->n_columns++] = (uint16_t)c;
}

/* What the trees so far leave of each row, of a group from its mean */
static void leave(const struct boost_rows *rows, const float *said, int32_t *left_over)
{
    for (size_t i = 0, end; i < rows->n; i = end) {
        int64_t sum = 0;
        for (end = i;
             end < rows->n && (end == i || (rows->group && rows->group[end] == rows->group[i]));
             end++) {
            left_over[end] = (int32_t)((rows->target[end] - said[end]) * (1 << FRACTION_BITS));
            sum += left_over[end];
        }
        for (size_t j = i; rows->group && j < end; j++)
            left_over[j] -= (int32_t)(sum / (int64_t)(end - i));
    }
}

static void add_tree(const struct fitting *f, const struct sequence *s, size_t root, float *said)
{
    for (size_t i = 0; i < f->rows->n; i++) {
        const struct node *node = s->nodes + root;
        while (node->column != LEAF)
            node = s->nodes + node->left + (f->bins.bin[node->column * f->bins.n + i] > node->bin);
        said[i] += node->at;
    }
}

static void fit_member(void *user, size_t member)
{
    const struct fitting *f = user;
    const size_t n = f->rows->n, width = f->bins.n_columns * WIDTH;
    struct sequence *s = &f->to->members[member];
    struct cell *cells[32], empty[WIDTH] = {{0, 0}};
    int32_t *left_over = xcalloc(n, sizeof *left_over);
    float *said = xcalloc(n, sizeof *said);
    struct growth g = {&f->bins,
                       f->config,
                       s,
                       left_over,
                       xcalloc(n, sizeof *g.row),
                       xcalloc(n, sizeof *g.other),
                       xcalloc(f->bins.n_columns, sizeof *g.column),
                       0,
                       cells,
                       empty,
                       f->inverse};
    uint64_t seed = num_mix(f->config->seed, 21, member);
    for (size_t i = 0; i < f->config->depth; i++)
        cells[i] = xcalloc(width, sizeof *cells[i]);
    s->root = xcalloc(f->config->trees, sizeof *s->root);
    s->gain = xcalloc(f->bins.n_columns, sizeof *s->gain);
    for (; s->n_trees < f->config->trees; s->n_trees++) {
        leave(f->rows, said, left_over);
        const size_t drawn = draw_rows(&g, &seed), root = add_node(s);
        draw_columns(&g, &seed);
        const struct leaf all = {root, 0, drawn, 0, total(&g, drawn)};
        if (drawn > FEW_ROWS)
            boost_count(&g, 0, drawn, cells[0]);
        boost_grow(&g, &all, drawn > FEW_ROWS ? cells[0] : NULL);
        s->root[s->n_trees] = (uint32_t)root;
        add_tree(f, s, root, said);
    }
    for (size_t i = 0; i < f->config->depth; i++)
        free(cells[i]);
    free(g.row);
    free(g.other);
    free(g.column);
    free(left_over);
    free(said);
}

struct boost *boost_fit(const struct boost_rows *rows, const struct boost_config *config)
{
    struct boost *b = xcalloc(1, sizeof *b);
    struct pool *pool = pool_new(config->n_threads);
    struct fitting f = {.rows = rows, .config = config, .to = b};
    b->n_columns = rows->n_columns;
    b->n_members = config->members;
    b->members = xcalloc(config->members, sizeof *b->members);
    bins_open(&f.bins, rows, pool);
    f.inverse = xcalloc(rows->n + 1, sizeof *f.inverse);
    for (size_t i = 0; i <= rows->n; i++)
        f.inverse[i] = 1 / ((double)i + 1);
    pool_run(pool, fit_member, &f, config->members);
    bins_close(&f.bins);
    free(f.inverse);
    pool_free(pool);
    return b;
}

void boost_free(struct boost *b)
{
    for (size_t i = 0; b && i < b->n_members; i++) {
        free(b->members[i].nodes);
        free(b->members[i].root);
        free(b->members[i].gain);
    }
    if (b)
        free(b->members);
    free(b);
}

/* ---- asking ---- */

/* Rows that are asked for together are often alike: tuples of one problem. What is the same for all
   of them is decided once for each tree. */
struct shortened {
    const struct node *from;
    const float *least, *most; /* of each column, over the rows */
    struct node *to; /* a tree of these nodes, the first its root; a leaf leads to itself */
    float *said;     /* by its leaves */
    uint32_t n;
    size_t depth;
};

static void shorten(struct shortened *s, const struct node *node, uint32_t at, size_t depth)
{
    while (node->column != LEAF
           && (s->most[node->column] <= node->at || s->least[node->column] > node->at))
        node = s->from + node->left + (s->least[node->column] > node->at);
    s->to[at] = *node;
    if (node->column == LEAF) {
        s->said[at] = node->at;
        s->to[at] = (struct node){.column = 0, .left = at, .at = FLT_MAX};
        s->depth = depth > s->depth ? depth : s->depth;
        return;
    }
    const uint32_t left = s->to[at].left = s->n;
    s->n += 2;
    shorten(s, s->from + node->left, left, depth + 1);
    shorten(s, s->from + node->left + 1, left + 1, depth + 1);
}

enum { ABREAST = 8 };

/* Rows that go through the tree together, each as many steps as the longest way has: a processor
   has to wait for none, and to guess nothing. */
static void ask_abreast(const struct shortened *s, const float *x, size_t n_columns, float *out)
{
    uint32_t at[ABREAST] = {0};
    for (size_t d = 0; d < s->depth; d++)
        for (size_t i = 0; i < ABREAST; i++) {
            const struct node *node = s->to + at[i];
            at[i] = node->left + (x[i * n_columns + node->column] > node->at);
        }
    for (size_t i = 0; i < ABREAST; i++)
        out[i] += s->said[at[i]];
}

static void ask_tree(const struct shortened *s, const float *x, size_t n_columns, size_t n,
                     float *out)
{
    size_t i = 0;
    for (; i + ABREAST <= n; i += ABREAST)
        ask_abreast(s, x + i * n_columns, n_columns, out + i);
    for (; i < n; i++) {
        uint32_t at = 0;
        for (size_t d = 0; d < s->depth; d++)
            at = s->to[at].left + (x[i * n_columns + s->to[at].column] > s->to[at].at);
        out[i] += s->said[at];
    }
}

/* least and most: n_columns each */
static void find_ranges(const float *x, size_t n_columns, size_t n, float *least, float *most)
{
    memcpy(least, x, n_columns * sizeof *least);
    memcpy(most, x, n_columns * sizeof *most);
    for (size_t i = 1; i < n; i++)
        for (size_t c = 0; c < n_columns; c++) {
            const float v = x[i * n_columns + c];
            least[c] = v < least[c] ? v : least[c];
            most[c] = v > most[c] ? v : most[c];
        }
}

/* Nodes of the largest tree */
static size_t largest(const struct boost *b)
{
    size_t most = 1;
    for (size_t m = 0; m < b->n_members; m++) {
        const struct sequence *s = &b->members[m];
        for (size_t t = 0; t < s->n_trees; t++) {
            const size_t n = (t + 1 < s->n_trees ? s->root[t + 1] : s->n) - s->root[t];
            most = n > most ? n : most;
        }
    }
    return most;
}

/* Tree by tree, so that one stays near while all rows go through it */
void boost_ask(const struct boost *b, const float *x, size_t n, float *out)
{
    float *range = xcalloc(2 * b->n_columns + 1, sizeof *range);
    struct shortened s = {.least = range, .most = range + b->n_columns};
    const size_t most = largest(b);
    s.to = xmalloc(most * sizeof *s.to);
    s.said = xmalloc(most * sizeof *s.said);
    memset(out, 0, n * sizeof *out);
    if (n > 0)
        find_ranges(x, b->n_columns, n, range, range + b->n_columns);
    for (size_t m = 0; m < b->n_members && n > 0; m++) {
        s.from = b->members[m].nodes;
        for (size_t t = 0; t < b->members[m].n_trees; t++) {
            s.n = 1;
            s.depth = 0;
            shorten(&s, s.from + b->members[m].root[t], 0, 0);
            ask_tree(&s, x, b->n_columns, n, out);
        }
    }
    for (size_t i = 0; i < n; i++)
        out[i] /= (float)b->n_members;
    free(s.to);
    free(s.said);
    free(range);
}

void boost_gains(const struct boost *b, double *gain)
{
    for (size_t m = 0; m < b->n_members; m++)
        for (size_t c = 0; c < b->n_columns; c++)
            gain[c] += b->members[m].gain[c];
}
