/* judge_trees.h - boosted trees that judge how fast a tuple is for a problem, and whether it fails
   SPDX-License-Identifier: MIT */
#pragma once

#include "judge_inputs.h"

struct judge {
    struct judge_inputs inputs;
    struct boost *trees; /* NULL: there is nothing to judge */
};

struct judge_trees {
    struct judge time, works; /* works is without trees where nothing failed */
    double left_out;          /* so many failures there are for each that works has learnt from */
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
