/* oracle.h - how far outputs are from what they have to be
   SPDX-License-Identifier: MIT */
#pragma once

#include "harness.h"

enum oracle_kind {
    ORACLE_EXACT,    /* bit for bit; any NaN is as good as another */
    ORACLE_RELATIVE, /* |got - want| / max(|want|, floor) is the error; `most` of it is allowed */
    ORACLE_HARNESS   /* what the harness's own function returns */
};

struct oracle {
    enum oracle_kind kind;
    double most, floor;
};

/* A buffer after a call. The reference was called twice, with other contents of the outputs: an
   element of an output that kept both of them is one that no code may touch. */
struct oracle_region {
    enum ev_type type;
    enum ev_role role;
    size_t n;
    const unsigned char *got;
    const unsigned char *want[2], *before[2];
    int poison; /* which of the two `got` began with */
};

/* The largest error of an element: 0 if all are equal bit for bit, less than any other number if
   just their bits differ, HUGE_VAL for one that had to stay untouched, and for a NaN or an infinity
   in place of something else. With ORACLE_HARNESS only the former of these is looked for. */
double oracle_error(const struct oracle *o, const struct oracle_region *r);
/* Is the error allowed? */
int oracle_accepts(const struct oracle *o, double error);
/* The first element in which two calls of the reference differ, SIZE_MAX if none does. `a` and `b`
   began with the same contents. */
size_t oracle_differs(enum ev_type type, size_t n, const void *a, const void *b);
/* The first element that the reference made of what was in the buffer before, SIZE_MAX if none */
size_t oracle_depends(const struct oracle_region *r);
