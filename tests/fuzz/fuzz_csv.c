/* fuzz_csv.c - CSV of best tuples
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_load(SPEC_TINY, "best.csv", data, size))
        FUZZ_REACHED("rows");
    return 0;
}
