/* fuzz_tensile.c - the tables of Tensile's benchmarks
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_load(SPEC_TENSILE, "table.csv", data, size);
    return 0;
}
