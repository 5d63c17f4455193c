/* fuzz_perf_db.c - MIOpen's perf-dbs of text
   SPDX-License-Identifier: MIT */
#include "cut.h"
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cut_channels = 1;
    if (fuzz_load(SPEC_MIOPEN, "gfx906_60.cd.pdb.txt", data, size))
        FUZZ_REACHED("rows");
    cut_channels = 0;
    return 0;
}
