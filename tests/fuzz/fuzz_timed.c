/* fuzz_timed.c - CSV of all that was timed
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_load(SPEC_TIMED, "timed.csv", data, size))
        FUZZ_REACHED("rows");
    return 0;
}
