/* fuzz_aiter.c - AITER's logs, untuned lists and tuned tables: kpred aiter
   SPDX-License-Identifier: MIT

   The text up to a line --- is what --installed names, and what follows is a log. */
#include "fuzz.h"

#include "cli/commands.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = fuzz_text(data, size);
    const char *log = fuzz_second_part(&text);
    char *table = (char *)(uintptr_t)fuzz_file("a8w8_blockscale_tuned_gemm.csv", text.s, text.n);
    char *asked = (char *)(uintptr_t)fuzz_file("server.log", log, strlen(log));
    char *args[] = {"aiter",       "--gpu", "MI300X", "--exact", "--family", "a8w8_blockscale",
                    "--installed", table,   "--",     asked,     NULL};
    char *lists[] = {"aiter",           "--gpu", "MI300X", "--exact", "--family",
                     "a8w8_blockscale", "--",    table,    NULL};
    if (cmd_aiter(10, args) == 0)
        FUZZ_REACHED("lines for a log");
    if (cmd_aiter(8, lists) == 0)
        FUZZ_REACHED("lines for a list");
    buf_free(&text);
    return 0;
}
