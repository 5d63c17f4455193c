/* problem_lesson.h - what the judges say of the tuples of one problem, see lessons.h
   SPDX-License-Identifier: MIT */
#pragma once

#include "judge_trees.h"
#include "recipe.h"

#include "model/gpus.h"

struct lessons_task {
    const struct recipe *recipe;
    struct judge_task judges; /* of the data, the part to train on, the seed */
    const uint64_t *unit;     /* of each row of the data what stays together (split.h) */
};

struct teaching {
    const struct lessons_task *task;
    const struct judge_trees *judges;
    struct unseen unseen;
    unsigned char *part;    /* of the data: 0 for lessons, as they are known */
    struct dataset *lesson; /* of each problem, its tuples with the judges' times */
    int32_t *problem;       /* n x n_fields: those of the table, then others */
    size_t n_known, n;
};

/* Makes lesson number `index`; user is a struct teaching. Several may run side by side. */
void lesson_make(void *user, size_t index);
