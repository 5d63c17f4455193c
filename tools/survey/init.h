/* init.h - from files that say what was tuned to a spec, for `kpred-train init`
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/tuner.h"
#include "rule_rows.h"
#include "survey.h"

#include "model/header.h"
#include "model/spec.h"

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

/* ---- a new spec while it is written ---- */

struct draft {
    const struct survey *survey;
    const struct failed_rows *failed; /* for comments; NULL: none */
    struct buf *out;
    char name[NAMES_MOST_MODEL + 1];
    size_t n_params;
    struct {
        const struct survey_column *column;
        const struct interned *values;
    } param[KPRED_MAX_TUPLE];
};

/* ---- new_columns.c ---- */

/* Has it what begins or ends a comment of C, which a spec becomes? */
int has_comment_mark(const char *text);
/* Are all texts integers, within least..most? */
int values_are_integers(const struct interned *t, int64_t least, int64_t most);

int field_is_gpu(const struct survey_column *c);
/* Is it a size that is larger than a field's may be, in all files? */
int field_is_beyond(const struct survey_column *c);
/* Shall the network see it? Fields that tell the problems of the data from each other, and the GPU;
   if there are none, all. */
int field_is_seen(const struct survey *s, const struct survey_column *c);

/* Adds a line of [fields]: 0, or -1 with a message. */
int draft_field(struct buf *out, const struct survey *s, const struct survey_column *c);
/* Adds [fields]: 0, or -1 with a message. */
int draft_fields(struct draft *d);
/* Adds [unseen], if the GPUs are such that names for others can learn from them. */
void draft_unseen(const struct draft *d);
/* Sets d->param, in the order of T1, if there is one, with its values: 0, or -1 with a message.
   What T1 does not have has one value. */
int draft_list_params(struct draft *d);
/* Adds [params]: 0, or -1 with a message. */
int draft_params(const struct draft *d, struct buf *out);

/* ---- new_features.c ---- */

/* Adds [derived], if need be, and [features]: 0, or -1 with a message. */
int draft_features(const struct draft *d);

/* ---- telling_features.c ---- */

/* Features that are made of fields and parameters alone do not know which values the fields have.
   What is the same for all problems teaches nothing, and of two features that are the same one
   teaches as much as both. The problems are those of the data and others between them, as lessons
   are made of both: what a table of powers of two cannot tell from the size, odd sizes
   tell. Hats over a logarithm lie in a row without gaps, from the first that a problem reaches to
   the last. */

/* Problems as a program reads them: n times the fields of the spec */
struct telling_problems {
    size_t n;
    const int32_t *v;
};

/* The lines of [features] of a spec, which are as default_features() makes them, without what does
   not tell. 0, or -1 with a message. */
int telling_features(const struct spec *spec, const struct telling_problems *problems,
                     struct buf *out);
