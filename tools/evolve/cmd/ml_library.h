/* ml_library.h - lists of a module's edits as the functions of a library
   SPDX-License-Identifier: MIT

   Function i is NAME_vI(const float *in0, ..., float *out, void *arena). Its code is for the
   processor of this machine; no other one may run it. */
#pragma once

#include "library.h"
#include "ml_session.h"

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
