/* fuzz_tuner.c - the files of Kernel Tuner and KTT, as training data
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_load(SPEC_TIMED, "gfx906_60.json", data, size))
        FUZZ_REACHED("rows");
    return 0;
}
