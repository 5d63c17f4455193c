/* search.h - the methods: NSGA-II as GEVO uses it, hill climbing, random search
   SPDX-License-Identifier: MIT

   Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE TEC 6(2), 2002;
   Liou et al., "GEVO: GPU Code Optimization Using Evolutionary Computation", ACM TACO 17(4), 2020.
   */
#pragma once

#include "task.h"

enum method { METHOD_NSGA2, METHOD_CLIMB, METHOD_RANDOM };

struct search_plan { /* search_defaults has GEVO's settings */
    enum method method;
    long population;  /* 256 */
    long elite;       /* 4 */
    long first_edits; /* 3: of each individual of the first population */
    double crossover; /* 0.8: the chance that two parents are crossed */
    double mutation;  /* 0.3: the chance that a child gets one more edit */
    long evaluations; /* most candidates that ran; 20000 */
    double seconds;   /* most; 0: no limit */
    uint64_t seed;
    double most_error; /* of a valid list; the task keeps to it, the search only shows it */
};

extern const struct search_plan search_defaults;

struct search_state { /* what a search tells after each batch */
    const struct archive *archive;
    long evaluations, generation;
    double seconds;
    size_t counts[N_OUTCOMES];
};

struct search_news {
    void (*tell)(void *user, const struct search_state *s); /* may be NULL */
    void *user;
};

/* 0 when the budget is spent or `*stop` is set (by a signal handler; may be NULL), -1 after a
   message. The empty list is evaluated first; if it is not valid, that is the message. */
int search_run(const struct search_plan *plan, const struct task *task, struct archive *archive,
               const volatile int *stop, const struct search_news *news);

/* ---- what a list can do without ---- */

/* The edits of a list that all cases accept together, those that are held out too: all of it, or
   its halves are added one behind the other, as far as they are right. -1 after a message. */
int search_mend(const struct task *task, struct archive *archive, const struct edits *list,
                struct edits *right);

struct kept_edit {
    struct edit edit;
    double share;     /* of the gain: what goes when this edit alone is dropped, over the gain */
    int needs_others; /* alone it gains nothing beyond the noise, or is not valid */
    double error;     /* of the list without it; HUGE_VAL if that is not valid */
};

struct minimised { /* to be freed */
    struct edits list;
    struct kept_edit *kept;  /* one for each edit of the list */
    struct edit_step *steps; /* and what each did; NULL of a task that does not tell */
    struct result before, after;
};

/* Drops edits one at a time while no more of the gain goes than the noise, then in pairs; then puts
   simpler ones in the place of others, and drops again. What is left is always compared with the
   whole list. -1 after a message, if the list is not valid. */
int search_minimise(const struct task *task, struct archive *archive, const struct edits *list,
                    struct minimised *out);
void minimised_free(struct minimised *m);

/* ---- which of some points are better ---- */

/* Deb et al. 2002: the points that no other dominates have rank 0; without them, those that are not
   dominated then have rank 1, and so on. Within a rank, a point is crowded by its neighbours. */

struct point {
    double time, error; /* less is better */
    size_t size;        /* less is better where the others are equal */
    /* filled in */
    int rank;
    double crowding; /* HUGE_VAL at the ends of a rank */
};

void pareto_rank(struct point *points, size_t n);
/* Of points that have their ranks */
void pareto_crowd(struct point *points, size_t n);
/* Is `a` to be preferred by rank and crowding? */
int point_precedes(const struct point *a, const struct point *b);
