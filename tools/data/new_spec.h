/* new_spec.h - the text of a spec for a kernel, from what files say of it
   SPDX-License-Identifier: MIT */
#pragma once

#include "failed_rows.h"
#include "survey.h"
#include "t1.h"

struct new_spec {
    const struct survey *survey;
    const struct t1 *t1;              /* NULL: there is none */
    const char *name;                 /* of the model; NULL: the files tell */
    const char *path;                 /* of the spec */
    const struct failed_rows *failed; /* with conditions, for comments; NULL: no such comments */
};

/* What to train with: "config", or "none" where the problems are too few to keep any for testing */
const char *new_spec_split(const struct survey *s);

/* Adds the text: 0, or -1 with a message. */
int new_spec_text(const struct new_spec *n, struct buf *out);
