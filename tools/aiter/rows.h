/* rows.h - the rows of predictions that serve the shapes asked for
   SPDX-License-Identifier: MIT */
#pragma once

#include "asked.h"
#include "chooser.h"
#include "installed.h"

struct rows_options {
    int is_exact;              /* only the M asked for */
    int only_ck;               /* of other libraries no kernel */
    size_t top, beam;          /* so many predictions a shape */
    struct interned *compiled; /* names of kernels; empty: see compiled.h */
};

struct rows { /* all zero: there are none; to be freed */
    struct rows_family {
        size_t n, cap;
        struct row {
            int32_t m, n, k;
            size_t rank; /* from 1 */
            struct prediction best;
        } * v;
        size_t shapes, pairs; /* asked for: of M, N and K, and of N and K */
        size_t kept, served;  /* M left out: --installed has them, or their fine step */
    } of[N_FAMILIES];
    size_t without_gpu;    /* shapes of families whose model does not know the GPU */
    struct tally left_out; /* M of the rest */
};

/* 0, or -1 with a message. The shapes are sorted; those without a prediction are counted. */
int rows_make(struct rows *r, struct asked *a, const struct target *t, const struct installed *in,
              const struct rows_options *o);
void rows_free(struct rows *r);
