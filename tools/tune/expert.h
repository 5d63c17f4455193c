/* expert.h - what a strategy judges tuples by: hints, experts, failures, the chance of a faster one
   SPDX-License-Identifier: MIT */
#pragma once

#include "regression.h"

/* ---- candidates ---- */

/* The tuples among which the next one is chosen. All of them, or, of more than CANDIDATES_MOST, the
   tuples with a result that counts, those that differ from the best ones by one parameter, and
   others by chance. */
enum { CANDIDATES_MOST = 16384 };

struct candidates {
    size_t n;
    size_t *tuple;
    uint32_t *where; /* of each tuple its number among the candidates, or CANDIDATE_NONE */
};

#define CANDIDATE_NONE UINT32_MAX

/* `first` are taken in any case; the neighbours are those of `best`. */
void candidates_open(struct candidates *c, const struct space *s, const size_t *first,
                     size_t n_first, const size_t *best, size_t n_best, uint64_t seed,
                     struct heap *heap);

/* A tuple without a result that is far from `n` others: the farthest of some drawn by chance. */
size_t candidate_spread(const struct space *s, const size_t *others, size_t n,
                        const unsigned char *is_taken, uint64_t seed);

/* ---- the chance of a faster tuple ---- */

/* How likely it is that a tuple without a result is fast enough to go on for. Draws from what the
   regression says of the most promising tuples together: tuples that are alike are fast together,
   so that neither the sum of their chances nor the largest one is the chance that one of them is.
   */
enum { STOP_LISTED = 96 };

struct outlook { /* of a tuple without a result */
    size_t candidate;
    double ahead; /* the time to be faster than, less the mean, in deviations of the tuple */
    double works; /* the chance that it runs */
};

struct shortlist { /* the most promising ones, best first; all zero: none */
    size_t n;
    struct outlook v[STOP_LISTED];
};

/* Of the time of a candidate that would be measured, in units of the regression */
double stop_variance(const struct regression *r, size_t candidate);
void shortlist_add(struct shortlist *l, size_t candidate, double ahead);

/* The chance that one of them is faster; instead of one above `most`, any number above it. */
double stop_chance(const struct shortlist *l, const struct regression *r, double most,
                   uint64_t seed);

/* ---- hints ---- */

/* What is known before anything is measured: times on other GPUs and problems, orders. Each table
   or order is kept as a loss for each tuple: log2 of its time over the best one's. Half of the
   tuples are slow, and how slow they are matters little: beyond the median a loss counts for a
   fifth. */
struct hints { /* all zero but for the heap, whose memory it has: none */
    struct heap *heap;
    size_t n, n_tuples;
    double *loss[STRATEGY_MOST_KNOWN];
    double weight[STRATEGY_MOST_KNOWN]; /* of each, before anything is measured; their sum: */
    double weights;
    double *share;  /* of the best one's speed, the weighted sum: for the first picks */
    double *failed; /* the weighted share of the tables in which each failed; NULL: none did */
    double *expect; /* the loss that they give, together, after hints_finish */
    double middle;  /* the loss beyond which losses are made smaller, the mean of the tables */
    double spread;  /* how much tables differ from one another */
};

/* A loss beyond the middle one, made smaller */
double hints_clip(double loss, double middle);

void hints_add_times(struct hints *k, const double *time, size_t n_tuples, double weight);
void hints_add_scores(struct hints *k, const double *score, size_t n_tuples);
/* After the last one: a column for each. */
void hints_finish(struct hints *k, struct columns *c);
/* The most promising tuple of which `is_taken` is 0; there is one. */
size_t hints_best(const struct hints *k, const unsigned char *is_taken);

/* ---- expert ---- */

/* A regression on the losses so far, and what improvement it expects of each candidate. A strategy
   that knows something beforehand has two experts: one begins with that, the other one does
   without. Losses are log2 of times, those beyond the median made smaller. */
struct results { /* those so far, as they were told */
    size_t n;    /* with losses */
    size_t *tuple;
    double *loss;
    size_t *used, n_used; /* those within the regression */
};

struct expert {
    const struct results *results;
    const struct hints *hints; /* what is known to it; NULL: nothing */
    double more, spread;       /* results that are as if seen, and how far they are apart */
    struct covariance covariance;
    struct fit fit;
    struct regression regression;
    double *target;   /* of all results */
    double deviation; /* a loss is a target times it, and their mean, and what the hints give */
    double variance;  /* of the regression, by the last fit */
    size_t n_fitted;  /* results at the last fit */
    double evidence;  /* log2 of how likely it took what came after each fit */
};

/* With what is known, or, if `is_told` is 0, without it. Columns, hints and results, of which there
   are at most so many, have to outlive it. */
void expert_open(struct expert *e, const struct columns *columns, const struct hints *hints,
                 int is_told, const struct results *results, size_t most, uint64_t seed);
/* Takes the results, whose losses may have changed. */
void expert_take(struct expert *e);
/* Fits its numbers to the results that were taken; its regression is then to be made anew. */
void expert_fit(struct expert *e);
/* A regression over candidates, with the results that are used, and with room for so many; it and
   the candidates are of one heap. */
void expert_regress(struct expert *e, const struct candidates *c, size_t most, struct heap *heap);
void expert_means(struct expert *e);
/* Of a candidate, and of a result, with what is known, in deviations */
double expert_mean(const struct expert *e, size_t candidate, size_t tuple);
double expert_target(const struct expert *e, size_t result, size_t tuple);
/* log2 of the improvement upon a loss that is to be expected of a candidate; a loss is doubled for
   each unit. */
double expert_gain(const struct expert *e, size_t candidate, size_t tuple, double least);

/* ---- failures ---- */

/* How likely a tuple is to run, by those that ran and those that failed. A rule puts a bound on a
   term, which is a parameter, or a product, a quotient or a sum of some; it says how many of the
   tuples fail on either side. All rules judge together, each weighed by how likely it makes the
   results: after one failure many rules agree with them, later few do. Failures that the rules
   leave unexplained have another cause, for which there are rules again. */
struct failures;

/* `elsewhere` has for each tuple the share of other tables in which it failed; NULL: nothing is
   known. It and the space have to outlive the judge, which is of the heap. */
struct failures *failures_open(const struct space *space, const double *elsewhere,
                               struct heap *heap);

/* The tuples that were measured, and their times (HUGE_VAL: it failed): n of them, which begin with
   those of the call before. */
void failures_learn(struct failures *f, const size_t *tuple, const double *time, size_t n);

/* The chance that the tuple runs, above 0; instead of one up to `least`, any number up to it. */
double failures_works(const struct failures *f, size_t tuple, double least);
