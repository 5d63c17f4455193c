/* fuzz_packed.c - data files packed by gzip and bzip2; the first byte says by which
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const int rows =
        fuzz_load(SPEC_TINY, *data % 2 ? "best.csv.gz" : "best.csv.bz2", data + 1, size - 1);
    if (rows && *data % 2)
        FUZZ_REACHED("rows by gzip");
    else if (rows)
        FUZZ_REACHED("rows by bzip2");
    return 0;
}
