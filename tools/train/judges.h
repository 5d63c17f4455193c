/* judges.h - boosted trees that judge how fast a tuple is for a problem, and whether it fails
   SPDX-License-Identifier: MIT */
#pragma once

#include "trees.h"

#include "data/data.h"
#include "model/model.h"

/* A tuple of a problem, and what is to be explained of it */
struct judge_row {
    const int32_t *problem;
    const unsigned char *target; /* indexes of values */
    uint32_t table;              /* 0 for the data of the model, 1, 2, ... for those beside it */
    uint32_t group;              /* of a problem's rows the same; they stand together */
    float mark;
};

struct judge_rows {
    size_t n;
    const struct judge_row *row;
    int in_groups; /* do only differences within a group count? */
    int is_whole;  /* a database of all sizes, not a table of some: fewer columns do */
};

/* ---- the numbers by which judges know a problem and a tuple together (judge_inputs.c) ----

   Trees cut one number at a time, so what a kernel's time depends on should be a number of its own:
   how many tiles a size has, what a tile leaves over, how many waves the tiles make. Nobody has to
   list them. There are at first

     the fields and the parameters, each name of those that have names, the units of a GPU whose
     name tells them (gfx906_60), the powers of two that divide a size,
     of each size and parameter the quotient, rounded up, how full the last piece is, and the
     remainder, if the table has enough sizes to tell what it does,
     products and quotients of sizes and of parameters, sums of parameters,
     what the conditions of [restrict] and the lines of [judge] compute,
     the formulas of [formulas],
     where a parameter has names, what the tuple did in other problems.

   Judges of a few trees then tell which of these matter; products and quotients of those join, in
   some rounds, also what a size and a product of parameters make, and the ones that matter most of
   all stay. Formulas stay in any case, and parameters, but of a database of all sizes. */

/* What a tuple was marked with in the nearest other problems. A kernel's options may be names of
   which no number tells more: what the same tuple did in problems nearby tells a lot then. (Where
   options are numbers it misleads: with few tuples a problem, the nearest one that had the tuple is
   far.) Near is by the logarithms of the sizes; another name is as far as some octaves. */
struct judge_near {
    const struct model *model;
    struct judge_row *row; /* n, by their tuples */
    size_t n;
    float *place; /* n_fields of each row: logarithms, or names */
};

void judge_near_open(struct judge_near *near, const struct model *model,
                     const struct judge_rows *rows);
void judge_near_close(struct judge_near *near);

/* The numbers of a problem and a tuple: the nearest problem's mark, the mean of near ones, and how
   far. The problem's own rows do not count. */
enum { JUDGE_NEAR = 3 };
void judge_near_ask(const struct judge_near *near, const struct judge_row *row, double *out);

/* Register `at` of an operation of two registers before it */
struct judge_number {
    unsigned char op;
    uint16_t a, b;
};

struct judge_inputs {
    const struct model *model;
    struct program judge;   /* [judge] compiled; no features without it */
    struct judge_near near; /* of no rows where numbers tell all of a tuple */
    struct judge_number *number;
    size_t n, cap; /* registers: those given, then computed ones */
    size_t n_given;
    size_t n_clauses; /* conditions of [restrict] whose terms are given */
    uint16_t *asked;  /* the registers that are columns for the trees */
    size_t n_asked;
};

/* Chooses the columns. 0, or -1 with a message: [judge] is wrong. */
int judge_inputs_open(struct judge_inputs *in, const struct model *model,
                      const struct judge_rows *rows, uint64_t seed, size_t n_threads);
void judge_inputs_close(struct judge_inputs *in);

/* The columns of a problem and a tuple: n_asked numbers. `room` has room for n doubles. */
void judge_inputs_of(const struct judge_inputs *in, const struct judge_row *row, double *room,
                     float *x);

/* Trees that learn the marks of rows by these columns; pick: n of the rows, NULL: the first n */
struct boost *judge_inputs_fit(const struct judge_inputs *in, const struct judge_rows *rows,
                               const size_t *pick, size_t n, const struct boost_config *config);

/* ---- the trees (judge_trees.c) ---- */

struct judge {
    struct judge_inputs inputs;
    struct boost *trees; /* NULL: there is nothing to judge */
};

struct judge_trees {
    struct judge time, works; /* works is without trees where nothing failed */
};

/* They learn from the rows of data whose part is 0 (NULL: all), from its failures but in problems
   with other rows, and from all of the tables beside. 0, or -1 with a message. */
struct judge_task {
    const struct model *model;
    const struct dataset *data;
    const unsigned char *part;
    const struct dataset *beside; /* n_beside other tables */
    size_t n_beside;
    uint64_t seed;
    size_t n_threads;
    const unsigned char *gpu; /* only these tokens of the field gpu; NULL or all 0: all */
    int from_all; /* all rows teach one long sequence of trees, however many they are; else a part
                     of more than 120,000 teaches several short ones */
};

int judge_trees_fit(struct judge_trees *t, const struct judge_task *task);
void judge_trees_free(struct judge_trees *t);

/* What a tuple is marked with that is so many octaves slower than the best: as much at first, but
   less and less. Which of the fast ones is faster matters more than which of the slow ones. */
double judge_mark(double octaves);
double judge_octaves(double mark); /* the other way, of at least 0 */
/* What it counts from: of the rows of a problem, first..end-1 */
double judge_least_time(const struct dataset *d, size_t first, size_t end);

/* The marks of n tuples of a problem, of which differences alone mean something: less is better. A
   tuple that works half of the time has one more. */
void judge_trees_ask(const struct judge_trees *t, const int32_t *problem,
                     const unsigned char *targets, size_t n, float *marks);

/* Moves probabilities of the values of a model's only parameter towards the judges' odds, which
   fall `sharpness` times as fast as times rise: each becomes its power of 1 - share times theirs of
   share. Those below a thousandth stay. */
struct judge_mix {
    struct judge_trees *trees;
    double share, sharpness;
    unsigned char gpu[SPEC_MAX_TOKENS]; /* other problems stay as they are, as in judge_task */
};
void judge_trees_mix(const struct judge_mix *mix, const int32_t *problem, float *probability);

/* ---- importance.c: what trees that learnt a table think of all legal tuples ---- */

/* The legal tuples of a problem, or a sample of them: by how many octaves each is slower than the
   best of them */
struct judged_problem {
    size_t n;
    unsigned char *target; /* n x n_params */
    double *octaves;
};

/* Of some of the table's problems, by trees of one seed, then by trees of another */
struct judged {
    size_t n; /* of each seed */
    struct judged_problem *v;
};

/* 0, or -1 with a message; to be closed in both cases. n is 0 where the table has too few rows. */
int judged_open(const struct model *model, const struct dataset *data, struct judged *out);
void judged_close(struct judged *j);

/* Which part of the variance of log time a parameter explains alone, or two together beyond each
   alone: the mean over problems and seeds, and its standard error */
struct importance {
    size_t a, b; /* parameters; b = a: one alone */
    double share, error;
};

/* Of all parameters with two values or more and of all their pairs, by their shares, the largest
   first; to be freed */
size_t importance_find(const struct model *model, const struct judged *j, struct importance **out);
