/* eval.h - how good predictions are: rows to test on, what each was worth, figures of groups
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/data.h"
#include "model/model.h"
#include "train/additive_train.h"

struct plot;        /* base/plot.h */
struct judge_trees; /* train/judges.h */

struct eval_row {
    size_t index;       /* into the dataset */
    size_t end;         /* timed data: of the options of the problem; else index + 1 */
    uint64_t unit;      /* what the split keeps together */
    int32_t gpu, dtype; /* -1: not grouped by */
};

/* What one prediction was worth. */
struct outcome {
    size_t hit, agree, returned, legal;
    int32_t probability; /* of all tuples together, Q24; none: 0 */
    /* timed data */
    size_t exact;    /* the best of k timed tuples is as fast as any */
    size_t unlisted; /* the first tuple was not timed */
    size_t answers;  /* tuples that came back for the problem */
    size_t timed;    /* those of them that were timed */
    double judged; /* the share of the answers as the judges see it; below 0: they were not asked */
    double share;  /* the best time divided by the time of the best of k timed tuples */
};

/* All rows; the rows kept from training to test on; for a fold, the rows in no fold (split.h) */
enum eval_rows { EVAL_ALL, EVAL_TEST, EVAL_ASIDE };

struct eval {
    const struct model *model;
    const kpred_model *run; /* the one that predicts */
    const char *method;     /* the kind of network */
    const char *by;         /* what to group by, "gpu,dtype"; NULL: all that the model has */
    size_t beam;            /* 0: as many as are asked for */
    enum eval_rows rows;    /* of the model's split */
    struct dataset data;
    struct eval_row *row; /* by group, in it by unit; at its end the n_left problems that are left
                             out, as fewer than two of their options were timed and are legal */
    size_t n, n_left;
    int is_single; /* timed, but each problem has one option: the best, as untimed data have */
    int is_sample; /* not all tuples were timed: score.c */
    int may_lack;  /* no row is no error */
    struct estimate *estimate; /* open, or NULL */
    unsigned char *is_out; /* of format = timed, for each row of the data: no model of this rule can
                              predict it; else NULL */
};

/* The indexes of the tuple's values, as targets have them */
static inline void eval_target(const struct eval *e, const kpred_tuple *t, unsigned char *target)
{
    const kpred_param *params = e->model->m.params;
    for (size_t i = 0; i < e->model->m.n_params; i++)
        for (target[i] = 0; params[i].values[target[i]] != t->value[i];)
            target[i]++;
}

/* ---- score.c: rows and outcomes ---- */

int eval_is_timed(const struct eval *e);

/* Sets e->row and e->is_out of the data, the caller's to free: 0, or -1 with a message. */
int eval_select_rows(struct eval *e);

/* Writes the rows of the problems of a part (split.h) of which two legal tuples or more were timed,
   each a unit of its own; how many. */
size_t eval_list_rows(const struct eval *e, const unsigned char *part, int which,
                      struct eval_row *row);

/* The outcomes of every row: those for the first k, then those for the next. 0, or -1 with a
   message. */
int eval_run(const struct eval *e, const long *k, size_t n_k, struct outcome *out);

/* The row of the dataset with the optimum, of format = timed the best one that is legal. */
size_t eval_best_row(const struct eval *e, const struct eval_row *r);

/* Adds the key by which the model's split knows the row. */
void eval_row_key(const struct eval *e, const struct eval_row *r, struct buf *key);

/* ---- estimate.c: trees that learn from the data judge answers that were not timed ---- */

/* 0, or -1 with a message; to be closed in both cases. */
int eval_open_estimate(struct eval *e);
void eval_use_estimate(struct eval *e, const struct judge_trees *judges); /* that are there */
const struct judge_trees *eval_estimate_judges(const struct eval *e);
void eval_close_estimate(struct eval *e);

/* The chooser's first answers to a row among all legal tuples, `most` at most; how many */
size_t eval_choose(const struct eval *e, const struct eval_row *row,
                   const struct judge_trees *chooser, kpred_tuple *answers, size_t most);

/* The share of the best of n answers to a row beside all legal tuples; below 0 without an estimate,
   and for most of many rows, as asking is slow. */
double eval_estimate(const struct eval *e, const struct eval_row *row, const kpred_tuple *answers,
                     size_t n);

/* ---- shares.c: figures of times ---- */

struct eval_shares {
    size_t exact, unlisted, answers, timed; /* sums of the outcomes' */
    double judged;            /* geometric mean of what the judges say; below 0: nothing */
    double share, se, p1, p5; /* geometric mean, its standard error, percentiles */
};

/* The standard error of the mean of a value for each of the rows first..end-1, over what the split
   keeps together */
double eval_error(const struct eval *e, const double *value, double mean, size_t first, size_t end);

/* The figures of the rows first..end-1, which are sorted by unit. */
struct eval_shares eval_shares_of(const struct eval *e, const struct outcome *out, size_t first,
                                  size_t end);

/* At k = 1 the geometric mean of the shares that who knew the true times would have, by
   the noise of the data; below 0: it is not known */
double eval_ceiling(const struct eval *e, size_t first, size_t end);

/* ---- score.c: groups of rows ---- */

/* The rows of a group follow each other; `first` is its first one. */
size_t eval_group_end(const struct eval *e, size_t first);
/* How many problems of the group are left out */
size_t eval_left_out(const struct eval *e, size_t first);
const char *eval_split_name(const struct eval *e);
void eval_group_cells(const struct eval *e, struct table *t, size_t first); /* model to dtype */
void eval_group_name(const struct eval *e, struct buf *name, size_t first); /* gfx906_60, FP16 */

/* ---- reliability.c: probabilities ---- */

/* How well probabilities fit, a line for every k, group and bin, and curves; `out` has room for
   every row. 0, or -1 with a message. */
int eval_reliability(const struct eval *e, const long *k, size_t n_k, struct outcome *out,
                     struct table *t, struct plot *plot);

/* The temperature: a line on standard error. */
void eval_temperature(const struct eval *e);

/* ---- peers.c: the network beside simpler ways to choose among timed tuples ---- */

/* network   the model
   judges    the trees that taught it (judges.h)
   nearest   the tuples of the nearest problem to train on, in their order, then those of the next
             one; near in the logarithms of the sizes, and of the same names first
   single    the tuples by their mean over all problems to train on

   Each has an order of the tuples that were timed for a problem kept apart; a share is the least
   time of the problem by that of the best of its first k. */
enum peer { PEER_NETWORK, PEER_JUDGES, PEER_NEAREST, PEER_SINGLE, N_PEERS };
extern const char *const peer_names[N_PEERS];

enum { PEER_PLACES = WATCH_PLACES }; /* k: watch_places */

struct peer_figure {
    double share, se;         /* geometric mean, its standard error over groups of the split */
    double behind, behind_se; /* of the network's logarithm (base 2) by which it is behind */
};

/* The rows of e are those to judge by; of the data those whose part is 0 are learnt from. Without
   judges, theirs are 0. 0, or -1 with a message. */
int peers_measure(const struct eval *e, const unsigned char *part, const struct judge_trees *judges,
                  struct peer_figure out[N_PEERS][PEER_PLACES]);

/* The log2 of the shares for each row at the PEER_PLACES, of judges or for NULL of the network: 0,
   or -1 with a message. */
int peers_ask(const struct eval *e, const struct judge_trees *judges, double *share);

/* ---- sizes.c: all legal tuples, and sizes that the table has not ---- */

/* Tells on standard error two lines: the estimated share among all legal tuples of sizes that the
   table has, and of sizes between them. The rows of e are those that the split keeps; judges have
   learnt of the others at least. 0, or -1 with a message. */
int eval_sizes(const struct eval *e, const struct judge_trees *judges);

/* ---- model_page.c: a part of a page (base/page.h) ---- */

/* How good it is on e->data: problems that its split kept from training or, where it kept none, all
   of them. Sets rows of e, the caller's to free. 0, or -1 with a message. */
int model_page_figures(struct buf *page, struct eval *e);
