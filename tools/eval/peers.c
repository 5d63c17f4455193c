/* peers.c - the network beside simpler ways to choose, see eval.h
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include "base/numbers.h"
#include "train/judges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const peer_names[N_PEERS] = {"network", "teacher trees", "nearest problem",
                                         "one tuple for all"};

/* ---- tuples by number ---- */

struct places {
    const struct eval *e;
    const unsigned char *part;
    const struct judge_trees *judges;
    struct tuples tuples; /* the distinct ones of the data */
    double *worth;        /* of each, as one for all: mean octaves above a problem's mean */
    double *rank;         /* of each, by the nearest problem */
};

static const unsigned char *target_of(const struct eval *e, size_t row)
{
    return e->data.target + row * e->data.n_params;
}

/* Its number; SIZE_MAX: the data's rows have no such tuple. */
static size_t number_of(const struct places *p, const unsigned char *target)
{
    uint16_t value[KPRED_MAX_TUPLE];
    for (size_t t = 0; t < p->tuples.n_params; t++)
        value[t] = target[t];
    return tuples_find(&p->tuples, value);
}

static void list_tuples(struct places *p)
{
    uint16_t value[KPRED_MAX_TUPLE];
    p->tuples.n_params = p->e->data.n_params;
    for (size_t i = 0; i < p->e->data.n; i++) {
        for (size_t t = 0; t < p->tuples.n_params; t++)
            value[t] = target_of(p->e, i)[t];
        tuples_add(&p->tuples, value);
    }
}

/* ---- single ---- */

enum { FAILURE = 3, CAUTION = 2 }; /* octaves; problems of mean worth beside a tuple's */

static void find_worth(struct places *p)
{
    const struct dataset *d = &p->e->data;
    double *count = xcalloc(p->tuples.n + 1, sizeof *count);
    p->worth = xcalloc(p->tuples.n + 1, sizeof *p->worth);
    for (size_t i = 0, end; i < d->n; i = end) {
        double mean = 0;
        end = data_problem_end(d, i);
        for (size_t j = i; j < end; j++)
            mean += num_log2(d->time_us[j]) / (double)(end - i);
        for (size_t j = i; j < end && !p->part[i]; j++) {
            const size_t at = number_of(p, target_of(p->e, j));
            p->worth[at] += num_log2(d->time_us[j]) - mean;
            count[at]++;
        }
    }
    for (size_t i = 0; i < d->failed.n; i++) {
        const size_t row = data_find_problem(d, d->failed.problem + i * d->n_fields);
        const size_t at = number_of(p, d->failed.target + i * d->n_params);
        if (at != SIZE_MAX && !(row < d->n && p->part[row])) {
            p->worth[at] += FAILURE;
            count[at]++;
        }
    }
    for (size_t i = 0; i < p->tuples.n; i++)
        p->worth[i] /= count[i] + CAUTION;
    free(count);
}

/* ---- nearest ---- */

/* A row of the data by a time or how far it is */
struct near {
    double far;
    size_t row;
};

static int by_far(const void *pa, const void *pb)
{
    const struct near *a = pa, *b = pb;
    const int order = ORDER(a->far, b->far);
    return order != 0 ? order : ORDER(a->row, b->row);
}

static double peers_distance(const struct eval *e, const int32_t *a, const int32_t *b)
{
    double far = 0;
    for (size_t f = 0; f < e->data.n_fields; f++)
        if (e->model->fields[f].tokens)
            far += a[f] == b[f] ? 0 : 100;
        else
            far += fabs(num_log2(a[f] + 1.0) - num_log2(b[f] + 1.0));
    return far;
}

/* Ranks the tuples of one problem behind those that have a rank. */
static void rank_problem(struct places *p, size_t first, double *next)
{
    const struct dataset *d = &p->e->data;
    const size_t end = data_problem_end(d, first);
    struct near *order = xcalloc(end - first, sizeof *order);
    for (size_t i = first; i < end; i++)
        order[i - first] = (struct near){d->time_us[i], i};
    qsort(order, end - first, sizeof *order, by_far);
    for (size_t i = 0; i < end - first; i++) {
        double *rank = &p->rank[number_of(p, target_of(p->e, order[i].row))];
        *rank = *rank > 0 ? *rank : (*next)++;
    }
    free(order);
}

static void rank_nearest(struct places *p, const struct eval_row *row)
{
    enum { MOST = 64 }; /* problems; a tuple that none of them has comes last */
    const struct dataset *d = &p->e->data;
    struct near *near = xcalloc(d->n + 1, sizeof *near);
    double next = 1;
    size_t n = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (!p->part[i])
            near[n++] = (struct near){peers_distance(p->e, d->problem + i * d->n_fields,
                                                     d->problem + row->index * d->n_fields),
                                      i};
    qsort(near, n, sizeof *near, by_far);
    memset(p->rank, 0, p->tuples.n * sizeof *p->rank);
    for (size_t i = 0; i < n && i < MOST; i++)
        rank_problem(p, near[i].row, &next);
    for (size_t i = 0; i < p->tuples.n; i++)
        p->rank[i] = p->rank[i] > 0 ? p->rank[i] : next;
    free(near);
}

/* ---- shares ---- */

/* What a way thinks of a row's timed tuples: the less, the better */
static void think(struct places *p, enum peer way, const struct eval_row *row, float *mark)
{
    const struct dataset *d = &p->e->data;
    if (way == PEER_NEAREST)
        rank_nearest(p, row);
    if (way == PEER_JUDGES)
        judge_trees_ask(p->judges, d->problem + row->index * d->n_fields,
                        target_of(p->e, row->index), row->end - row->index, mark);
    else
        for (size_t i = row->index; i < row->end; i++)
            mark[i - row->index] =
                (float)(way == PEER_NEAREST ? p->rank : p->worth)[number_of(p, target_of(p->e, i))];
}

/* The log2 of the share for each of the places */
static void shares_of(const struct eval *e, const struct eval_row *row, const float *mark,
                      double *share)
{
    const size_t n = row->end - row->index;
    const double best = e->data.time_us[eval_best_row(e, row)];
    unsigned char *is_taken = xcalloc(n, 1);
    double found = 0;
    if (e->is_out != NULL)
        memcpy(is_taken, e->is_out + row->index, n);
    for (size_t k = 0, place = 0; place < PEER_PLACES; k++) {
        size_t next = n;
        for (size_t i = 0; i < n; i++)
            if (!is_taken[i] && (next == n || mark[i] < mark[next]))
                next = i;
        if (next < n) {
            const double time = e->data.time_us[row->index + next];
            is_taken[next] = 1;
            found = found > 0 && found < time ? found : time;
        }
        if (k + 1 == (size_t)watch_places[place])
            share[place++] = num_log2(best / found);
    }
    free(is_taken);
}

static int ask_network(const struct eval *e, double *share)
{
    struct outcome *out = xcalloc(PEER_PLACES * e->n + 1, sizeof *out);
    const int bad = eval_run(e, watch_places, PEER_PLACES, out);
    for (size_t i = 0; i < e->n && !bad; i++)
        for (size_t place = 0; place < PEER_PLACES; place++)
            share[i * PEER_PLACES + place] = num_log2(out[place * e->n + i].share);
    free(out);
    return bad;
}

static int ask_way(struct places *p, enum peer way, double *share)
{
    size_t most = 0;
    if (way == PEER_NETWORK)
        return ask_network(p->e, share);
    for (size_t i = 0; i < p->e->n; i++)
        most = p->e->row[i].end - p->e->row[i].index > most ? p->e->row[i].end - p->e->row[i].index
                                                            : most;
    float *mark = xcalloc(most + 1, sizeof *mark);
    for (size_t i = 0; i < p->e->n && (way != PEER_JUDGES || p->judges); i++) {
        think(p, way, &p->e->row[i], mark);
        shares_of(p->e, &p->e->row[i], mark, share + i * PEER_PLACES);
    }
    free(mark);
    return 0;
}

int peers_ask(const struct eval *e, const struct judge_trees *judges, double *share)
{
    struct places p = {.e = e, .judges = judges};
    return ask_way(&p, judges ? PEER_JUDGES : PEER_NETWORK, share);
}

/* The mean of share - less, and its standard error */
static double mean_of(const struct eval *e, const double *share, const double *less, size_t place,
                      double *se)
{
    double *value = xcalloc(e->n + 1, sizeof *value), sum = 0;
    for (size_t i = 0; i < e->n; i++) {
        const size_t at = i * PEER_PLACES + place;
        value[i] = share[at] - (less ? less[at] : 0);
        sum += value[i];
    }
    *se = eval_error(e, value, sum / (double)e->n, 0, e->n);
    free(value);
    return sum / (double)e->n;
}

int peers_measure(const struct eval *e, const unsigned char *part, const struct judge_trees *judges,
                  struct peer_figure out[N_PEERS][PEER_PLACES])
{
    struct places p = {.e = e, .part = part, .judges = judges};
    double *share[N_PEERS];
    int bad = 0;
    list_tuples(&p);
    find_worth(&p);
    p.rank = xcalloc(p.tuples.n + 1, sizeof *p.rank);
    for (int way = 0; way < N_PEERS; way++) {
        share[way] = xcalloc(e->n * PEER_PLACES + 1, sizeof *share[way]);
        bad = bad || ask_way(&p, (enum peer)way, share[way]);
    }
    for (int way = 0; way < N_PEERS; way++)
        for (size_t k = 0; k < PEER_PLACES; k++) {
            struct peer_figure *f = &out[way][k];
            f->share = exp2(mean_of(e, share[way], NULL, k, &f->se));
            f->se *= f->share * log(2);
            f->behind = mean_of(e, share[way], share[PEER_NETWORK], k, &f->behind_se);
        }
    for (int way = 0; way < N_PEERS; way++)
        free(share[way]);
    tuples_close(&p.tuples);
    free(p.worth);
    free(p.rank);
    return bad;
}
