/* importance.h - what boosted trees that learnt a table think of all legal tuples of its problems
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/data.h"
#include "model/model.h"

/* The legal tuples of a problem, or a sample of them: by how many octaves each is slower than the
   best of them */
struct judged_problem {
    size_t n;
    unsigned char *target; /* n x n_params */
    double *octaves;
};

/* Of some of the table's problems, by trees of one seed, then of the same ones by trees of another
   */
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
/* The largest share first */
void importance_sort(struct importance *v, size_t n);
