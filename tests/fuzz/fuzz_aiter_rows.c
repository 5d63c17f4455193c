/* fuzz_aiter_rows.c - AITER's tables of tuned kernels, as training data
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_load(SPEC_AITER, "a8w8_blockscale_tuned_gemm.csv", data, size))
        FUZZ_REACHED("rows");
    return 0;
}
