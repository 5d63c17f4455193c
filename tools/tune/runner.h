/* runner.h - measures a tuple by a command of the user's, in one of two ways
   SPDX-License-Identifier: MIT */
#pragma once

#include "answer.h"
#include "child.h"

struct runner {
    const char *command;
    int is_server;
    double timeout; /* seconds */
    /* of a server */
    struct child server;
    int is_running;
    size_t n_answers; /* since it was started */
    int silent;       /* servers in a row that ended without an answer */
};

/* The answer for the problem and tuple of `a`. */
void runner_measure(struct runner *r, const struct assign *a, struct answer *out);
void runner_end(struct runner *r);

/* launch.c: a process for each measurement, which gets NAME=value as arguments and KPRED_NAME=value
   in its environment, and whose last line is the time */
void launch_measure(const struct runner *r, const struct assign *a, struct answer *out);

/* server.c: one process, a line of NAME=value for each measurement, and a line for its time. One
   that dies is started again for the next tuple. */
void server_measure(struct runner *r, const struct assign *a, struct answer *out);
void server_end(struct runner *r);
