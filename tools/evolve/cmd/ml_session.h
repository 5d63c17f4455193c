/* ml_session.h - a module with labelled images: ready to be searched, and as the functions of a
   library
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve_commands.h"

#include "evolve/tensor/tensor.h"

struct ml_options { /* of the command line, or of a log */
    const char *module, *data;
    const char *function; /* NULL: the only one */
    long split;           /* 1..5 */
    long worse;           /* points of error that a candidate may have more than the module */
    long steps;           /* of training, where the module is a step of it */
    long jobs;            /* children at a time; 0: one for each processor */
    long timeout_ms, memory_mb, seed;
};

struct ml_session {
    struct ml_options options;
    struct engine *engine;
    struct tensor_program *program;
    struct exam exam;
    double error[EXAM_PARTS]; /* of the module as it is */
    struct trial_code code;
    struct trial_plan plan;
    struct host *host[EXAM_PARTS];
    struct trial *trial[EXAM_PARTS]; /* that of the search; the others when they are asked */
    struct task task;
};

/* The share of wrong labels of a list on a part: 0..1, HUGE_VAL if it is not valid there; -1 after
   a message */
double ml_error(struct ml_session *s, enum exam_part part, const struct edits *list);

/* A log that is added to, with the session that it is of: module and data are as they were */
struct ml_logged {
    struct ml_session session;
    struct archive *archive;
    struct archive *log; /* as it was found: the session's options are texts of it */
    char *found[2];      /* or these: the files beside it */
};

/* -1 after a message, also if the log's module or data would be overwritten by one of the outputs;
   jobs: see ml_options */
int ml_logged_open(struct ml_logged *run, const char *path, long jobs, const struct output *to,
                   size_t n_to);
void ml_logged_close(struct ml_logged *run);

/* ---- a library ---- */

/* Function i is NAME_vI(const float *in0, ..., float *out, void *arena). Its code is for the
   processor of this machine; no other one may run it. */

struct ml_variant {
    struct edits list;
    double time, us, error[EXAM_PARTS]; /* time: by the module's, in the search */
};

struct ml_variants { /* to be freed; the first one is the module, without edits */
    struct ml_variant v[MAX_VARIANTS];
    size_t n;
    uint64_t arena; /* bytes that the one that takes most needs; set by ml_library_make */
};

/* Compiles and links them, loads the library, and sets each variant's time and errors as it ships.
   -1 after a message. */
int ml_library_make(struct ml_session *s, struct ml_variants *v, const char *name,
                    struct library *out);
/* The type of the functions: "const float *in0, float *out, void *arena" */
void ml_library_put_type(struct buf *out, const struct ml_session *s);
