/* ml_session.h - a module with labelled images, ready to be searched
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve_commands.h"

#include "evolve/tensor/tensor.h"

extern const struct session_way of_module;

struct module { /* of a session */
    struct engine *engine;
    struct tensor_program *program;
    struct exam exam;
    double error[EXAM_PARTS]; /* of the module as it is */
    struct host *host[EXAM_PARTS];
    struct trial *trial[EXAM_PARTS]; /* that of the search; the others when they are asked */
};

/* The share of wrong labels of a list on a part: 0..1, HUGE_VAL if it is not valid there; -1 after
   a message */
double ml_error(const struct session *s, enum exam_part part, const struct edits *list);
