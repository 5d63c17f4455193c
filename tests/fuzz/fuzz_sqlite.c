/* fuzz_sqlite.c - MIOpen's perf-dbs of SQLite
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_load(SPEC_MIOPEN, "gfx906_60.db", data, size))
        FUZZ_REACHED("rows");
    return 0;
}
