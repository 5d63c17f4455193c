/* init.h - from files that say what was tuned to a spec, for `kpred-train init`
   SPDX-License-Identifier: MIT */
#pragma once

#include "failed_rows.h"
#include "survey.h"

struct init {
    struct survey_asked asked;
    int conditions; /* write what explains the failures into the spec, as comments */
    /* Told before each file is read, and with NULL before tuples are counted. May be NULL. */
    void (*progress)(const char *path, size_t i, size_t n);
};

struct init_spec {
    struct buf text; /* of a spec that trains as it is */
    struct rule_count count;
    struct failed_rows failed;
    int has_rule;
    char name[64];         /* of the model */
    const char *split;     /* for a training: "config" or "none" */
    struct interned notes; /* of the files, a line each */
    struct opt_texts data; /* the files to train from, without T1 */
};

/* Reads the files and makes the spec; to be freed in any case. 0, or -1 with a message. */
int init_make(const struct init *in, struct init_spec *out);
void init_free(struct init_spec *spec);
