/* fuzz_find_db.c - MIOpen's find-dbs
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_load(SPEC_FIND_DB, "gfx906_60.HIP.fdb.txt", data, size))
        FUZZ_REACHED("rows");
    return 0;
}
