/* judge_nets.h - networks that judge whole tuples, and what the student learns from them
   SPDX-License-Identifier: MIT

   Where every option of a few problems was timed, there are many times and few problems. A network
   can learn little about problems from them, but much about how options suit problems. If a spec
   has a section [judge], its model learns timed data in two steps.

   1. judges    the recipe's teachers see a problem and an option together, by the features of
                [judge], and learn its mark, (best / t)^judge_sharpness. They may learn from other
                tables as well, say those of the same kernels for transposed operands. The register
                `table` is 0 for the data of the model and 1, 2, ... for the others.
   2. opinions  they judge all the data's tuples for the problems to train on, and for `judged`
                others that are made up of them: each size comes from some problem, half of the
                time changed by up to half an octave, and divisible by the same power of two up to
                64. What they make of a problem's options stands in for times, from which the
                student learns as from those that were measured (time_targets.h). */
#pragma once

#include "data/data.h"
#include "recipe.h"

struct judge_nets_task {
    const struct recipe *recipe;
    const struct model *model; /* with a section [judge] in its spec */
    const struct dataset *data;
    const unsigned char *part;    /* of each row of data; where not 0, nothing is learnt */
    const struct dataset *beside; /* n_beside other tables */
    size_t n_beside;
    uint64_t seed;
    size_t n_threads;
    recipe_progress *progress;
};

/* Adds the student's rows to `to`, which has room for so many more as judge_nets_most() says. 0,
   or -1 with a message. */
int judge_nets_add(const struct judge_nets_task *task, struct recipe_rows *to);
size_t judge_nets_most(const struct recipe *recipe, const struct dataset *d);
