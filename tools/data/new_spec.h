/* new_spec.h - the text of a spec for a kernel, from what files say of it
   SPDX-License-Identifier: MIT */
#pragma once

#include "survey.h"
#include "t1.h"

struct new_spec {
    const struct survey *survey;
    const struct t1 *t1; /* NULL: there is none */
    const char *name;    /* of the model; NULL: from the files */
    const char *path;    /* of the spec */
};

/* Puts T1's parameters and sizes into the survey if no file of data did, and else compares: have
   both the same parameters? 0, or -1 with a message. Values that T1 does not have are told. */
int new_spec_compare(struct survey *s, const struct t1 *t1, const struct survey_asked *asked);

/* Adds the text: 0, or -1 with a message. */
int new_spec_text(const struct new_spec *n, struct buf *out);
