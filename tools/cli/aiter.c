/* aiter.c - `kpred aiter`
   SPDX-License-Identifier: MIT */
#include "aiter/aiter.h"
#include "commands.h"

#include <stdlib.h>

static const char help[] =
    "usage: kpred aiter --gpu GPU [--family NAME] [--exact] [--installed FILE...]\n"
    "                   [--compiled FILE] [--top K] [--beam B] [--schema NAME]\n"
    "                   [-o FILE.csv|DIR [--force]] [INPUT...]\n"
    "\n"
    "Turns the lines of a server's log in which AITER finds no tuned kernel for a matrix product\n"
    "into tuned tables of predicted kernels. For families without a model (a8w8, fmoe,\n"
    "a8w8_batched, bf16_batched), INT8 of a8w8_bpreshuffle, and bf16 with shuffled weights,\n"
    "the kernels of the nearest shapes in the tables of --installed are taken.\n"
    "\n"
    "  INPUT...       logs, or untuned lists of AITER's tuners; none, or -: standard input\n"
    "  --gpu GPU      the GPU that the tables are for: gfx942_304, MI300X; of an architecture\n"
    "                 alone, the one that AITER builds for\n"
    "  --family NAME  take this family alone, and the tables whose names tell no family as its\n"
    "  --exact        rows for the M asked for alone; without it, for the M that serve every M\n"
    "  --installed FILE...  AITER's tuned tables: their keys are left out, and the kernels that\n"
    "                 they name for the GPU are taken to be compiled in, or to be near; what\n"
    "                 cannot be read is left out and told\n"
    "  --compiled FILE  the names of the kernels that are compiled in, a line each\n"
    "  --top K        the K best of each shape instead, for timing: DIR/candidates_FAMILY.csv\n"
    "  --beam B       beam width to begin with (default 8)\n"
    "  --schema NAME  columns of older versions of AITER: no-gfx (before 2026-03), no-libtype\n"
    "                 (before 2026-01) or no-tflops (before 2025-09), each without those of the\n"
    "                 ones before; default: current\n"
    "  -o FILE.csv|DIR  the table of one family, or a folder for those of all, which is made if\n"
    "                 need be; default: standard output\n"
    "  --force        replace files that hold measured rows, and go on where a log names\n"
    "                 another GPU\n"
    "\n"
    "The time of each row is 999999.0, so that a measured row wins. What was left out, and why, "
    "is\n"
    "counted on standard error, with the variable that tells AITER of the tables.\n"
    "\n"
    "Example: kpred aiter --gpu MI300X -o tuned --installed aiter/configs/*_tuned_gemm*.csv \\\n"
    "             aiter/configs/model_configs/*_tuned_gemm*.csv -- server.log\n";

int cmd_aiter(int argc, char **argv)
{
    struct aiter_options o = {.beam = 8};
    const struct opt table[] = {
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.gpu, .is_required = 1},
        {.name = "INPUT", .kind = OPT_TEXTS, .to = &o.inputs},
        {.name = "--family", .kind = OPT_TEXT, .to = &o.family},
        {.name = "--exact", .kind = OPT_FLAG, .to = &o.is_exact},
        {.name = "--installed", .kind = OPT_TEXTS, .to = &o.installed},
        {.name = "--compiled", .kind = OPT_TEXT, .to = &o.compiled},
        {.name = "--top", .kind = OPT_COUNT, .to = &o.top, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--beam", .kind = OPT_COUNT, .to = &o.beam, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--schema", .kind = OPT_CHOICE, .to = &o.schema, .choices = WRITE_SCHEMAS},
        {.name = "--force", .kind = OPT_FLAG, .to = &o.force},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output},
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = aiter_run(&o);
    free(o.inputs.v);
    free(o.installed.v);
    return status;
}
