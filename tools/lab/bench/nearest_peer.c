/* nearest_peer.c - the tuples of the nearest known problems, by a scan of all that are in memory
   SPDX-License-Identifier: MIT

   The distance is that of tools/lab/peers/classics.py: squared, in octaves, over all sizes;
   problems of another GPU, direction or type come after all others. Problems of the same tokens lie
   together, so a scan reads those alone, unless they have not k legal tuples. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };
#define OTHER_TOKEN 1e6f

struct near { /* a known problem */
    float distance;
    uint32_t row;
};

struct state {
    struct peer_state head;
    const kpred_model *model; /* the task's */
    size_t n;
    size_t *start;        /* of each group of problems with the same tokens */
    float *octaves;       /* [field][row] */
    unsigned char *index; /* [row][parameter]: of the values of the optimum */
    struct near *near;
};

struct query {
    float octave[KPRED_MAX_FIELDS];
    int same_tokens; /* it is put to problems with the same tokens alone */
};

/* A field as the distance has it: a token itself, a size as log2, of 1 more if it may be 0 */
static float octave(const kpred_field *field, int32_t x)
{
    return field->tokens ? (float)x : (float)log2((double)x + (field->least == 0));
}

/* The number of a problem's group: those with the same tokens */
static size_t group_of(const kpred_model *model, const int32_t *problem)
{
    size_t group = 0;
    for (size_t f = 0; f < model->n_fields; f++)
        if (model->fields[f].tokens)
            group = group * (size_t)model->fields[f].n_tokens + (size_t)problem[f];
    return group;
}

static size_t groups_of(const kpred_model *model)
{
    size_t n = 1;
    for (size_t f = 0; f < model->n_fields; f++)
        n *= model->fields[f].tokens ? (size_t)model->fields[f].n_tokens : 1;
    return n;
}

/* Where each group begins, the first of all at 0, and behind them the end */
static void count_groups(struct state *s, const struct rows *from)
{
    for (size_t i = 0; i < from->n; i++)
        s->start[group_of(s->model, from->problem + i * from->n_fields) + 1]++;
    for (size_t g = 0; g < groups_of(s->model); g++)
        s->start[g + 1] += s->start[g];
}

/* Copies a row to its place in the order of groups */
static void nearest_peer_put(struct state *s, const struct rows *from, size_t i, size_t at)
{
    const int32_t *problem = from->problem + i * from->n_fields;
    memcpy(s->index + at * from->n_params, from->index + i * from->n_params, from->n_params);
    for (size_t f = 0; f < from->n_fields; f++)
        s->octaves[f * s->n + at] = octave(&s->model->fields[f], problem[f]);
}

/* Orders rows by groups, and in these as they were; -1: no memory */
static int encode(struct state *s, const struct rows *from)
{
    const size_t groups = groups_of(s->model);
    s->n = from->n;
    s->start = calloc(groups + 1, sizeof *s->start);
    s->octaves = calloc((s->n + BLOCK) * from->n_fields, sizeof *s->octaves);
    s->index = malloc(s->n * from->n_params);
    s->near = malloc(s->n * sizeof *s->near);
    size_t *next = malloc(groups * sizeof *next);
    if (s->start && s->octaves && s->index && s->near && next) {
        count_groups(s, from);
        memcpy(next, s->start, groups * sizeof *next);
        for (size_t i = 0; i < from->n; i++)
            nearest_peer_put(s, from, i,
                             next[group_of(s->model, from->problem + i * from->n_fields)]++);
    }
    free(next);
    return s->start && s->octaves && s->index && s->near && next ? 0 : -1;
}

static void nearest_peer_close(void *state)
{
    struct state *s = state;
    free(s->index);
    free(s->octaves);
    free(s->start);
    free(s->near);
}

static int nearest_peer_open(void *state, char why[PEER_WHY])
{
    struct state *s = state;
    struct rows rows;
    int bad = rows_read(&s->head.task, "train.csv", &rows, why);
    s->model = s->head.task.model;
    if (!bad)
        bad = encode(s, &rows);
    s->head.model_bytes = s->n * (s->model->n_fields * sizeof *s->octaves + s->model->n_params);
    rows_free(&rows);
    return bad;
}

/* Puts a row among the n nearest so far, of at most `cap`; how many there are then */
static size_t insert(struct near *near, size_t n, size_t cap, struct near new)
{
    size_t at = n < cap ? n++ : cap - 1;
    for (; at > 0 && near[at - 1].distance > new.distance; at--)
        near[at] = near[at - 1];
    near[at] = new;
    return n;
}

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define BY_MACHINE \
    __attribute__((optimize("O3", "fp-contract=off"), target_clones("default", "avx2", "avx512f")))
#else
#define BY_MACHINE
#endif

/* Distances of BLOCK rows from `first` on, field by field as classics.py adds them up. How many are
   below the limit. */
BY_MACHINE static int distances(const struct state *s, const struct query *q, size_t first,
                                float limit, float *out)
{
    int below = 0;
    memset(out, 0, BLOCK * sizeof *out);
    for (size_t f = 0; f < s->model->n_fields; f++) {
        const float *x = s->octaves + f * s->n + first, mine = q->octave[f];
        if (!s->model->fields[f].tokens)
            for (size_t i = 0; i < BLOCK; i++)
                out[i] += (mine - x[i]) * (mine - x[i]);
        else if (!q->same_tokens)
            for (size_t i = 0; i < BLOCK; i++)
                out[i] += mine != x[i] ? OTHER_TOKEN : 0;
    }
    for (size_t i = 0; i < BLOCK; i++)
        below += out[i] < limit;
    return below;
}

/* The nearest of the rows first..end-1, at most `cap` of them, into s->near; how many */
static size_t scan(struct state *s, const struct query *q, size_t first, size_t end, size_t cap)
{
    float distance[BLOCK], limit = INFINITY;
    size_t n = 0;
    for (; first < end; first += BLOCK) {
        const size_t in_block = end - first < BLOCK ? end - first : BLOCK;
        if (!distances(s, q, first, limit, distance))
            continue;
        for (size_t i = 0; i < in_block; i++)
            if (distance[i] < limit) {
                n = insert(s->near, n, cap, (struct near){distance[i], (uint32_t)(first + i)});
                limit = n < cap ? INFINITY : s->near[n - 1].distance;
            }
    }
    return n;
}

/* Of the n nearest, the first k new and legal tuples; whether there were k */
static int nearest_peer_take(struct state *s, struct distinct *d, size_t n)
{
    d->n = 0;
    for (size_t i = 0; i < n; i++)
        if (distinct_add(d, s->index + s->near[i].row * s->model->n_params))
            return 1;
    return 0;
}

static int is_nearer(const struct near *a, const struct near *b)
{
    return a->distance < b->distance || (a->distance == b->distance && a->row < b->row);
}

/* Lets the row at that place of a heap sink to where none below is nearer */
static void sink(struct near *heap, size_t n, size_t at)
{
    const struct near moved = heap[at];
    for (size_t below; (below = 2 * at + 1) < n; at = below) {
        below += below + 1 < n && is_nearer(&heap[below + 1], &heap[below]);
        if (!is_nearer(&heap[below], &moved))
            break;
        heap[at] = heap[below];
    }
    heap[at] = moved;
}

/* The rows first..end-1 as a heap in s->near, and how many they are */
static size_t make_heap(struct state *s, const struct query *q, size_t first, size_t end)
{
    const size_t n = end - first;
    float distance[BLOCK];
    for (size_t at = first; at < end; at += BLOCK) {
        distances(s, q, at, 0, distance);
        for (size_t i = 0; i < BLOCK && at + i < end; i++)
            s->near[at - first + i] = (struct near){distance[i], (uint32_t)(at + i)};
    }
    for (size_t i = n / 2; i-- > 0;)
        sink(s->near, n, i);
    return n;
}

/* The same of as many rows as it takes */
static int take_all(struct state *s, struct distinct *d, size_t n)
{
    d->n = 0;
    for (; n > 0; sink(s->near, n, 0)) {
        if (distinct_add(d, s->index + s->near[0].row * s->model->n_params))
            return 1;
        s->near[0] = s->near[--n];
    }
    return 0;
}

/* Few rows mostly have k tuples, then those with the same tokens, then all. */
static size_t nearest_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    struct distinct d = {s->model, problem, out, 0, s->head.task.k};
    const size_t *group = s->start + group_of(s->model, problem);
    struct query q = {{0}, 1};
    for (size_t f = 0; f < s->model->n_fields; f++)
        q.octave[f] = octave(&s->model->fields[f], problem[f]);
    if (nearest_peer_take(s, &d, scan(s, &q, group[0], group[1], 8 * d.k))
        || take_all(s, &d, make_heap(s, &q, group[0], group[1])))
        return d.n;
    q.same_tokens = 0;
    take_all(s, &d, make_heap(s, &q, 0, s->n));
    return d.n;
}

const struct peer the_peer = {sizeof(struct state), nearest_peer_open, nearest_peer_predict,
                              nearest_peer_close, 0};
