/* assign.h - a problem and a tuple as NAME=value, for arguments, environment and messages
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/spec.h"

struct assign { /* all zero is empty; to be freed */
    const struct spec *spec;
    size_t n;                                       /* fields, then parameters */
    char *word[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE]; /* NAME=value */
    char **environment; /* that of this process, and KPRED_NAME=value; NULL behind the last */
    size_t n_other;     /* entries before these */
};

void assign_open(struct assign *a, const struct spec *spec);
void assign_problem(struct assign *a, const int32_t *problem);
/* by the numbers of the values */
void assign_tuple(struct assign *a, const uint16_t *value);
void assign_free(struct assign *a);

/* "rows=16 cols=16", of a problem; added to `b` */
const char *assign_problem_text(const struct spec *spec, const int32_t *problem, struct buf *b);
/* All of it, or the tuple alone, with blanks between; added to `b` */
const char *assign_text(const struct assign *a, struct buf *b);
const char *assign_tuple_text(const struct assign *a, struct buf *b);
/* A field's value as text; `number` is overwritten if it is a size. */
const char *assign_field_text(const struct spec_field *f, int32_t value, char number[12]);
