/* write.h - writes rows as AITER's tuned tables, and as lists of candidates
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"
#include "rows.h"

/* The columns of a table, from today's to older ones, each without those of the one before, too:
   gfx (AITER has it since 2026-03), libtype (2026-01; all kernels were ck), and tflops, bw and
   errRatio (2025-09) */
enum write_schema {
    SCHEMA_CURRENT,
    SCHEMA_NO_GFX,
    SCHEMA_NO_LIBTYPE,
    SCHEMA_NO_TFLOPS,
    SCHEMA_CANDIDATES /* ranked, without times: AITER does not read it */
};
#define WRITE_SCHEMAS "current|no-gfx|no-libtype|no-tflops"

void write_rows(FILE *f, const struct rows_family *rows, enum family_id family,
                const struct target *t, enum write_schema schema);

/* May a file that is there be replaced? It holds nothing but predictions then. 0, or -1 with a
   message. A path at which there is nothing, or no regular file, may be written to. */
int write_check_old(const char *path, enum family_id family, enum write_schema schema);
