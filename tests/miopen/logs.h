/* logs.h - what the tests of `kpred miopen` share: calls, their keys, and texts of many lines
   SPDX-License-Identifier: MIT

   run.sh skips the tests that include it where there are no weights. */
#pragma once

#include "harness/cases.h"

/* How MIOpen logs a call: behind this stand the operation and its options. */
#define DRIVER  "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver "
#define STRIDED "-n 16 -c 64 -H 55 -W 28 -k 256 -y 1 -x 1 -u 2 -v 2"
#define KEY_F   "64-55-28-1x1-256-28-14-16-0x0-2x2-1x1-0-NCHW-FP32-F"

static inline void put_noise(const char *path)
{
    uint64_t seed = 1;
    char bytes[50000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(test_random64(&seed) & 255);
    put_bytes(path, bytes, sizeof bytes);
}

/* The calls of a network as NAME.log, and as NAME.keys the lines behind them: what a perf-db of the
   four kernels of test_miopen.c has of these, without values */
static inline void put_network(const char *name)
{
    struct buf *parts[] = {new_text(), new_text()};
    const char *heading = say("# %s\n", name);
    char *text = new_copy(text_of(in_root("tests/fixtures/networks.log")));
    char *at = strstr(text, heading), *line;
    if (at == NULL)
        program_stop(name);
    at += strlen(heading);
    while ((line = next_line(&at)) != NULL && *line != '#')
        buf_printf(parts[*line >= '0' && *line <= '9'], "%s\n", line);
    put_text(say("%s.log", name), "%s", parts[0]->s);
    put_text(say("%s.keys", name), "%s", parts[1]->s);
}

/* kpred's output for the calls of two networks, and the log of these: `both` */
static inline char *put_both(void)
{
    put_network("resnet50");
    put_network("mobilenet");
    put_text("both", "%s%s", text_of("resnet50.log"), text_of("mobilenet.log"));
    return new_copy(RAN("kpred miopen --gpu gfx906_60 both") == 0 ? program.out.s : "");
}
