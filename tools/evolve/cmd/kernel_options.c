/* kernel_options.c - the options that the commands with a kernel and a harness share
   SPDX-License-Identifier: MIT

   kernel_options.h declares it. */
#include "kernel_options.h"

#include <string.h>

const char kernel_options_help[] =
    "  KERNEL             C (.c), LLVM IR (.ll) or bitcode (.bc)\n"
    "  HARNESS.c          cases, buffers and the call: see docs/evolve.md\n"
    "  --function NAME    the function of KERNEL\n"
    "  --cflags=TEXT      more options for clang, separated by blanks, such as \"-DN=4 -g\"\n"
    "  --oracle WHAT      which outputs are right: exact (default), bit for bit; REL,FLOOR: the\n"
    "                     error |got - want| / max(|want|, FLOOR) is at most REL; harness,MOST:\n"
    "                     what the harness's own function returns is at most MOST\n"
    "  --baseline NAME    what the times are compared with, such as O3-native (default: the "
    "fastest\n"
    "                     of six, which check prints)\n"
    "  --jobs N           candidates at a time (default: one for each processor)\n"
    "  --timeout MS       the most time that one candidate runs (default 10000)\n"
    "  --memory MB        the most memory of one candidate (default 1024)\n"
    "  --seed N           of all that is drawn (default 1)\n";

void kernel_options(struct opt table[KERNEL_OPTIONS], struct session_options *o)
{
    const struct opt lines[KERNEL_OPTIONS] = {
        {.name = "KERNEL", .kind = OPT_TEXT, .to = &o->kernel, .is_required = 1},
        {.name = "HARNESS.c", .kind = OPT_TEXT, .to = &o->harness, .is_required = 1},
        {.name = "--function", .kind = OPT_TEXT, .to = &o->function, .is_required = 1},
        {.name = "--cflags", .kind = OPT_TEXT, .to = &o->cflags},
        {.name = "--oracle", .kind = OPT_TEXT, .to = &o->oracle},
        {.name = "--baseline", .kind = OPT_TEXT, .to = &o->baseline},
        {.name = "--jobs", .kind = OPT_COUNT, .to = &o->jobs, .least = 1, .most = 256},
        {.name = "--timeout", .kind = OPT_COUNT, .to = &o->timeout_ms, .least = 1, .most = 600000},
        {.name = "--memory", .kind = OPT_COUNT, .to = &o->memory_mb, .least = 1, .most = 1 << 20},
        {.name = "--seed", .kind = OPT_COUNT, .to = &o->seed, .least = 0, .most = INT32_MAX},
    };
    memset(o, 0, sizeof *o);
    o->timeout_ms = 10000;
    o->memory_mb = 1024;
    o->seed = 1;
    memcpy(table, lines, sizeof lines);
}

char *kernel_help(const char *head, const char *tail)
{
    struct buf text = {NULL, 0, 0};
    buf_puts(&text, head);
    buf_puts(&text, kernel_options_help);
    buf_puts(&text, tail);
    return text.s;
}
