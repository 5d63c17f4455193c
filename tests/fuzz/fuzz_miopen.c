/* fuzz_miopen.c - a whole log to a user perf-db: kpred miopen
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cli/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = (char *)(uintptr_t)fuzz_file("log.txt", data, size);
    char *args[] = {"miopen", "--gpu", "gfx906_60", "--", path, NULL};
    if (cmd_miopen(5, args) == 0)
        FUZZ_REACHED("lines for a log");
    return 0;
}
