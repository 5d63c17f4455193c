/* fuzz_tensile.c - the tables of Tensile's benchmarks
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_load(SPEC_TENSILE, "table.csv", data, size))
        FUZZ_REACHED("rows");
    return 0;
}
