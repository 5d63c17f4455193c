/* forest.c - a random forest that teaches beside the networks, see trees.h
   SPDX-License-Identifier: MIT */
#include "trees.h"

#include "base/numbers.h"
#include "base/util.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

/* A leaf has feature LEAF, and its rows' classes are class_of[left..right-1]. */
struct node {
    uint32_t feature, left, right;
    uint8_t at_most; /* values that go left */
};

#define NONE SIZE_MAX
#define LEAF UINT32_MAX
enum { TRIED_PART = 4, MOST_VALUES = 256 };

struct tree {
    struct node *nodes;
    size_t n, cap;
    uint16_t *class_of; /* of the rows drawn, as the leaves cut them */
    uint8_t *has_seen;  /* a flag a problem */
};

struct forest {
    struct net_dims dims;
    size_t n_trees, n_classes;
    struct tree *trees;
    uint8_t *classes; /* n_classes x n_params: the tuples */
    size_t n_rows, n_problems;
    uint32_t *problem_of,
        *first_row; /* of rows; of problems, and behind the last: rows of a problem
                                         stand together */
};

/* ---- classes ---- */

static int compare_tuples(const struct forest *f, const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, f->dims.n_params);
}

/* Where the tuple is or belongs among the classes */
static size_t find_class(const struct forest *f, const uint8_t *y)
{
    size_t low = 0, high = f->n_classes;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (compare_tuples(f, f->classes + mid * f->dims.n_params, y) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void add_class(struct forest *f, const uint8_t *y)
{
    const size_t p = f->dims.n_params, at = find_class(f, y);
    uint8_t *place = f->classes + at * p;
    if (at < f->n_classes && !compare_tuples(f, place, y))
        return;
    memmove(place + p, place, (f->n_classes++ - at) * p);
    memcpy(place, y, p);
}

/* ---- growing ---- */

struct grower {
    const struct forest *f;
    const struct net_rows *rows;
    const uint8_t *narrow;
    const uint16_t *class_of; /* of the rows */
    uint64_t seed;
};

/* One tree while it grows */
struct growth {
    size_t n, cap; /* rows drawn */
    const struct grower *g;
    struct tree *tree;
    uint32_t *row, *sorted; /* rows drawn, and room to sort them */
    uint32_t *left, *right; /* counts of classes */
    uint64_t seed;
};

static uint8_t value_of(const struct grower *g, uint32_t row, size_t feature)
{
    const size_t n = g->f->dims.n_features;
    if (feature < n)
        return g->rows->x[row * n + feature];
    return g->narrow ? g->narrow[row] : 0;
}

struct cut {
    size_t feature;
    uint8_t at_most;
    double purity; /* sums of squares of both halves' counts, each by its rows */
};

/* Sorts rows first..end-1 by a feature's value; the count of each value. */
static void sort_by(struct growth *w, size_t first, size_t end, size_t feature,
                    uint32_t count[MOST_VALUES])
{
    uint32_t place[MOST_VALUES], sum = 0;
    memset(count, 0, MOST_VALUES * sizeof *count);
    for (size_t i = first; i < end; i++)
        count[value_of(w->g, w->row[i], feature)]++;
    for (size_t v = 0; v < MOST_VALUES; v++) {
        place[v] = sum;
        sum += count[v];
    }
    for (size_t i = first; i < end; i++)
        w->sorted[place[value_of(w->g, w->row[i], feature)]++] = w->row[i];
}

/* Tries all cuts of one feature. */
static void try_feature(struct growth *w, size_t first, size_t end, size_t feature,
                        struct cut *best)
{
    const size_t n = end - first, n_classes = w->g->f->n_classes;
    uint32_t count[MOST_VALUES];
    size_t at = 0;
    uint64_t in_left = 0, in_right = 0;
    sort_by(w, first, end, feature, count);
    memset(w->left, 0, n_classes * sizeof *w->left);
    memset(w->right, 0, n_classes * sizeof *w->right);
    for (size_t i = 0; i < n; i++)
        in_right += 2 * (uint64_t)w->right[w->g->class_of[w->sorted[i]]]++ + 1;
    for (size_t v = 0; v < MOST_VALUES; v++) {
        for (size_t i = 0; i < count[v]; i++) {
            const uint16_t c = w->g->class_of[w->sorted[at++]];
            in_left += 2 * (uint64_t)w->left[c]++ + 1;
            in_right -= 2 * (uint64_t)w->right[c]-- - 1;
        }
        if (!count[v] || at == n)
            continue;
        const double purity = (double)in_left / (double)at + (double)in_right / (double)(n - at);
        if (purity > best->purity)
            *best = (struct cut){feature, (uint8_t)v, purity};
    }
}

static int is_pure(const struct growth *w, size_t first, size_t end)
{
    for (size_t i = first + 1; i < end; i++)
        if (w->g->class_of[w->row[i]] != w->g->class_of[w->row[first]])
            return 0;
    return 1;
}

/* The best cut of some features; a purity of 0: there is none. */
static struct cut find_cut(struct growth *w, size_t first, size_t end)
{
    const size_t n_features = w->g->f->dims.n_features + 1;
    struct cut best = {0, 0, 0};
    if (is_pure(w, first, end))
        return best;
    for (size_t i = 0; i < n_features / TRIED_PART + 1; i++)
        try_feature(w, first, end, num_draw(&w->seed) % n_features, &best);
    return best;
}

/* Puts the rows that go left first; where the others begin. */
static size_t part(struct growth *w, size_t first, size_t end, const struct cut *cut)
{
    size_t left = first, right = 0;
    for (size_t i = first; i < end; i++)
        if (value_of(w->g, w->row[i], cut->feature) <= cut->at_most)
            w->row[left++] = w->row[i];
        else
            w->sorted[right++] = w->row[i];
    memcpy(w->row + left, w->sorted, right * sizeof *w->row);
    return left;
}

static size_t add_node(struct tree *t, size_t first, size_t end)
{
    t->nodes = xgrow(t->nodes, t->n, &t->cap, sizeof *t->nodes);
    t->nodes[t->n] = (struct node){LEAF, (uint32_t)first, (uint32_t)end, 0};
    return t->n++;
}

/* Cuts leaf after leaf; the new ones come behind. */
static void forest_grow(struct growth *w)
{
    struct tree *t = w->tree;
    for (size_t i = 0; i < t->n; i++) {
        const size_t first = t->nodes[i].left, end = t->nodes[i].right;
        const struct cut cut = find_cut(w, first, end);
        if (!(cut.purity > 0))
            continue;
        const size_t middle = part(w, first, end, &cut);
        const size_t left = add_node(t, first, middle), right = add_node(t, middle, end);
        t->nodes[i] =
            (struct node){(uint32_t)cut.feature, (uint32_t)left, (uint32_t)right, cut.at_most};
    }
}

/* Draws problems, each with all its rows. */
static void draw_rows(struct growth *w)
{
    const struct forest *f = w->g->f;
    for (size_t i = 0; i < f->n_problems; i++) {
        const size_t p = num_draw(&w->seed) % f->n_problems;
        w->tree->has_seen[p] = 1;
        for (uint32_t row = f->first_row[p]; row < f->first_row[p + 1]; row++) {
            w->row = xgrow(w->row, w->n, &w->cap, sizeof *w->row);
            w->row[w->n++] = row;
        }
    }
}

static void grow_tree(void *user, size_t index)
{
    const struct grower *g = user;
    const size_t n_classes = g->f->n_classes;
    struct tree *t = &g->f->trees[index];
    struct growth w = {.g = g, .tree = t, .seed = num_mix(g->seed, 9, index)};
    t->has_seen = xcalloc(g->f->n_problems, 1);
    draw_rows(&w);
    w.sorted = xcalloc(w.n, sizeof *w.sorted);
    w.left = xcalloc(n_classes, sizeof *w.left);
    w.right = xcalloc(n_classes, sizeof *w.right);
    t->class_of = xcalloc(w.n, sizeof *t->class_of);
    add_node(t, 0, w.n);
    forest_grow(&w);
    for (size_t i = 0; i < w.n; i++)
        t->class_of[i] = g->class_of[w.row[i]];
    free(w.row);
    free(w.sorted);
    free(w.left);
    free(w.right);
}

/* Rows that follow each other with the same activations are one problem's. */
static void find_problems(struct forest *f, const struct net_rows *rows)
{
    const size_t n = f->dims.n_features;
    f->n_rows = rows->n;
    f->problem_of = xcalloc(rows->n, sizeof *f->problem_of);
    f->first_row = xcalloc(rows->n + 1, sizeof *f->first_row);
    for (size_t i = 0; i < rows->n; i++) {
        if (i == 0 || memcmp(rows->x + (i - 1) * n, rows->x + i * n, n) != 0)
            f->first_row[f->n_problems++] = (uint32_t)i;
        f->problem_of[i] = (uint32_t)f->n_problems - 1;
    }
    f->first_row[f->n_problems] = (uint32_t)rows->n;
}

struct forest *forest_new(const struct net_dims *dims, const struct net_rows *rows,
                          const uint8_t *narrow, size_t n_trees, uint64_t seed, size_t n_threads)
{
    struct forest *f = xcalloc(1, sizeof *f);
    uint16_t *class_of = xcalloc(rows->n, sizeof *class_of);
    struct pool *pool = pool_new(n_threads);
    f->dims = *dims;
    f->n_trees = n_trees;
    f->trees = xcalloc(n_trees, sizeof *f->trees);
    f->classes = xcalloc(rows->n + 1, dims->n_params);
    for (size_t i = 0; i < rows->n; i++)
        add_class(f, rows->y + i * dims->n_params);
    for (size_t i = 0; i < rows->n; i++)
        class_of[i] = (uint16_t)find_class(f, rows->y + i * dims->n_params);
    find_problems(f, rows);
    struct grower g = {f, rows, narrow, class_of, seed};
    pool_run(pool, grow_tree, &g, n_trees);
    pool_free(pool);
    free(class_of);
    return f;
}

void forest_free(struct forest *f)
{
    for (size_t i = 0; i < f->n_trees; i++) {
        free(f->trees[i].nodes);
        free(f->trees[i].class_of);
        free(f->trees[i].has_seen);
    }
    free(f->trees);
    free(f->classes);
    free(f->problem_of);
    free(f->first_row);
    free(f);
}

/* ---- asking ---- */

/* Adds up the share of each class in the leaves of a row that is not narrow. known: the problem if
   the forest learned from it, or NONE */
static void forest_ask(const struct forest *f, const uint8_t *x, size_t known, double *share)
{
    memset(share, 0, f->n_classes * sizeof *share);
    for (size_t t = 0; t < f->n_trees; t++) {
        if (known != NONE && f->trees[t].has_seen[known])
            continue;
        const struct node *nodes = f->trees[t].nodes, *node = nodes;
        while (node->feature != LEAF) {
            const uint8_t v = node->feature < f->dims.n_features ? x[node->feature] : 0;
            node = nodes + (v <= node->at_most ? node->left : node->right);
        }
        const double each = 1.0 / (double)(node->right - node->left);
        for (uint32_t i = node->left; i < node->right; i++)
            share[f->trees[t].class_of[i]] += each;
    }
}

/* Mixes what the classes say of each parameter, given the values y before it. A class that does not
   begin with these loses its share. */
static void mix_row(const struct forest *f, const uint8_t *y, double *share, float part,
                    float *target)
{
    for (size_t p = 0; p < f->dims.n_params; target += f->dims.n_values[p++]) {
        double sum[NET_MAX_VALUES] = {0}, all = 0;
        for (size_t c = 0; c < f->n_classes; c++) {
            const uint8_t v = f->classes[c * f->dims.n_params + p];
            sum[v] += share[c];
            all += share[c];
            share[c] = v == y[p] ? share[c] : 0;
        }
        for (size_t v = 0; v < f->dims.n_values[p] && all > 0; v++)
            target[v] = (1 - part) * target[v] + part * (float)(sum[v] / all);
    }
}

struct mixing {
    const struct forest *f;
    const struct net_rows *rows;
    size_t n_known;
    float share, *targets;
};

static void mix_some(void *user, size_t index)
{
    const struct mixing *m = user;
    const struct net_dims *d = &m->f->dims;
    double *share = xcalloc(m->f->n_classes, sizeof *share);
    for (size_t i = m->rows->n * index / NET_SHARDS; i < m->rows->n * (index + 1) / NET_SHARDS;
         i++) {
        forest_ask(m->f, m->rows->x + i * d->n_features,
                   i < m->n_known ? m->f->problem_of[i % m->f->n_rows] : NONE, share);
        mix_row(m->f, m->rows->y + i * d->n_params, share, m->share,
                m->targets + i * net_target_width(d));
    }
    free(share);
}

void forest_mix(const struct forest *f, const struct net_rows *rows, size_t n_known, float share,
                size_t n_threads, float *targets)
{
    struct mixing m = {f, rows, n_known, share, targets};
    struct pool *pool = pool_new(n_threads);
    pool_run(pool, mix_some, &m, NET_SHARDS);
    pool_free(pool);
}
