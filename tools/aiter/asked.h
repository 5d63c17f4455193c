/* asked.h - the distinct shapes that logs and untuned lists ask for
   SPDX-License-Identifier: MIT */
#pragma once

#include "families.h"
#include "tally.h"

struct asked_shape {
    enum family_id family; /* one with a model */
    int32_t m, n, k;
    struct place at; /* where it was met first */
};

struct asked { /* all zero: nothing was asked for; to be freed */
    struct interned seen;
    size_t n, cap;
    struct asked_shape *v; /* those to predict for */
    size_t lines, calls;   /* that were read: calls are lines of AITER's, and rows of lists */
    size_t usable;         /* calls that are whole, of a family with a model that is wanted */
    struct tally left_out; /* distinct shapes */
    struct tally cut;      /* lines that cannot be used */
    struct buf key;        /* of the one at hand */
};

/* Where a call comes from: only one family may be wanted (else FAMILY_NONE), which is that of calls
   whose family nothing tells. */
struct asked_from {
    enum family_id only;
    int cu_num; /* of the GPU that rows are for; hits on another one are left out */
};

struct call;

/* A call that is no CALL_CUT. 0, or -1 with a message. */
int asked_call(struct asked *a, const struct asked_from *from, struct place at, int kind,
               const struct call *call);

/* A row of an untuned list: texts of numbers (b: NULL: there is none); `rest` is the whole row. */
int asked_row(struct asked *a, const struct asked_from *from, struct place at,
              enum family_id family, const char *const mnk[3], const char *rest);

/* By family, N, K and M */
void asked_sort(struct asked *a);
void asked_free(struct asked *a);
