/* init.h - from files that say what was tuned to a spec, for `kpred-train init`
   SPDX-License-Identifier: MIT */
#pragma once

#include "rule_count.h"
#include "survey.h"

struct init {
    struct survey_asked asked;
    const char *name; /* by --name; NULL */
    /* Told before each file is read, and with NULL before tuples are counted. May be NULL. */
    void (*progress)(const char *path, size_t i, size_t n);
};

struct init_spec {
    struct buf text; /* of a spec that trains as it is */
    struct rule_count count;
    int has_rule;
    size_t n_problems;
};

/* Reads the files and makes the spec; to be freed in any case. 0, or -1 with a message. */
int init_make(const struct init *in, struct init_spec *out);
