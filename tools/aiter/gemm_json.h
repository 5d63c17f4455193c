/* gemm_json.h - AITER's files of tuned Triton kernels for matrix products
   SPDX-License-Identifier: MIT

   gfx950-GEMM-A8W8_BLOCKSCALE-N=512-K=7168.json, or below a folder gfx950 without that beginning;
   until 2025 the beginning was MI350X. The file without N and K is for all others. */
#pragma once

#include "base/util.h"

#include <stdint.h>

enum { GEMM_JSON_NAME = 40 };

struct gemm_jsons { /* all zero: there are none; to be freed */
    size_t n, cap;
    struct gemm_json {
        char *path;
        char gfx[16], name[GEMM_JSON_NAME]; /* "gfx950", "A8W8_BLOCKSCALE" */
        int32_t n, k;                       /* 0: it is for all others */
    } * v;
};

/* Adds a file with such a name; 1, or 0: it has none. */
int gemm_json_add(struct gemm_jsons *j, const char *path);
/* NULL: there is none */
const struct gemm_json *gemm_json_find(const struct gemm_jsons *j, const char *gfx,
                                       const char *name, int32_t n, int32_t k);
/* The one whose N and K are within a factor of 1.5 of these both, and nearest, by the sum of the
   distances |log2|; NULL: none is */
const struct gemm_json *gemm_json_near(const struct gemm_jsons *j, const char *gfx,
                                       const char *name, int32_t n, int32_t k);
/* Adds to a table for tuning, with its heading, for each M the `most` tuples of the nearest rows, by
   the same sum with M, of the kernel's files for the GPU. What cannot be read is left out and told.
   */
void gemm_json_rank(const struct gemm_jsons *j, const char *gfx, const char *name, int32_t n,
                    int32_t k, size_t most, struct buf *csv);
void gemm_jsons_free(struct gemm_jsons *j);
