/* reasons.h - why a kernel does not apply to a problem, in words
   SPDX-License-Identifier: MIT

   The rules of kpred_constraints.h say whether a kernel applies, and must be small. Here the same
   conditions stand a second time, each with its words. tests/model/test_reasons.c holds the two
   together: there is a reason exactly where the rule says no. */
#pragma once

#include "model.h"

/* What a condition is about, from the general to the particular. Conditions are asked in this
   order, so that of several kernels the one with the greatest kind came nearest. */
enum reason_kind {
    REASON_NONE,
    REASON_DIR,
    REASON_DIMS,
    REASON_FILTER,
    REASON_PAD,
    REASON_DILATION,
    REASON_LAYOUT,
    REASON_DTYPE,
    REASON_BIAS,
    REASON_CASTS,
    REASON_GROUPS,
    REASON_STRIDE,
    REASON_SIZE
};

/* A condition that fails: "stride = 2 (it must be 1)" */
struct reason {
    enum reason_kind kind;
    char what[96];  /* a field, what is computed of several: "c * h * w", or a clause */
    char value[64]; /* as it stands on command lines */
    char need[64];  /* what it must be */
};

/* Sets all of it; returns the kind. */
enum reason_kind reason_set(struct reason *why, enum reason_kind kind, const char *what,
                            const char *value, const char *need);
/* The kind of what is said of a field alone; REASON_SIZE for all that is not a field's name. */
enum reason_kind reason_kind_of(const char *field);
/* The field's value is none of the model's tokens. */
enum reason_kind reason_no_token(struct reason *why, const kpred_field *field, const char *value);

/* The first condition of the model's rule that the problem does not meet; REASON_NONE where the
   kernel applies.
   pre: each value lies in its field's least..most */
enum reason_kind reason_find(const struct model *model, const int32_t *problem, struct reason *why);

/* The words of a reason, as above, into `b`. */
const char *reason_text(const struct reason *why, struct buf *b);
