/* draft.h - a new spec while it is written
   SPDX-License-Identifier: MIT */
#pragma once

#include "failed_rows.h"
#include "survey.h"
#include "t1.h"

#include "model/header_names.h"

struct draft {
    const struct survey *survey;
    const struct t1 *t1;              /* NULL: there is none */
    const char *asked;                /* name of the model; NULL: the files tell */
    const char *path;                 /* of the spec */
    const struct failed_rows *failed; /* as in new_spec.h */
    struct buf *out;
    char name[NAMES_MOST_MODEL + 1];
    size_t n_params;
    struct {
        const struct survey_column *column;
        const struct interned *values;
    } param[KPRED_MAX_TUPLE];
};

/* ---- draft_columns.c ---- */

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

/* ---- draft_features.c ---- */

/* Adds [derived], if need be, and [features]: 0, or -1 with a message. */
int draft_features(const struct draft *d);
