/* aiter.c - `kpred aiter`
   SPDX-License-Identifier: MIT */
#include "aiter/aiter.h"
#include "commands.h"

#include <stdlib.h>

int cmd_aiter(int argc, char **argv)
{
    struct aiter_options o = {.beam = 8};
    const struct opt table[] = {
        OPT_SAYS("Turns the lines of a server's log in which AITER finds no tuned kernel for a "
                 "matrix product into tuned tables of predicted kernels. For families without a "
                 "model (a8w8, fmoe, a8w8_batched, bf16_batched), INT8 of a8w8_bpreshuffle, and "
                 "bf16 with shuffled weights, the kernels of the nearest shapes in the tables of "
                 "--installed are taken. It is an error if no shape can be answered."),
        OPT(TEXT, "--gpu GPU", &o.gpu,
            "the GPU that the tables are for: gfx942_304, MI300X; of an architecture alone, the "
            "one that AITER builds for: gfx942_304, gfx950_256, gfx1250_256"),
        OPT(TEXT, "[--family NAME]", &o.family,
            "take this family alone, and what names a table of no known family, and lines of "
            "batched products, as its"),
        OPT(FLAG, "[--exact]", &o.is_exact,
            "rows for the M asked for alone; without it, for the M that serve every M"),
        OPT(TEXTS, "[--installed FILE.csv...]", &o.installed,
            "AITER's tuned tables: their keys are left out, and the kernels that they name for the "
            "GPU are taken to be compiled in, or to be near; what cannot be read is left out, with "
            "a line for each file; it is an error if a key comes twice"),
        OPT(TEXT, "[--compiled FILE]", &o.compiled,
            "the names of the kernels that are compiled in, a line each; other lines do not count. "
            "Without it, those in the installed tables for the GPU and AITER's default; without "
            "such tables all of AITER's list, with a warning"),
        OPT_RANGE(COUNT, "[--top K]", &o.top, 1, KPRED_MAX_BEAM,
                  "the K best of each shape instead, for timing: DIR/candidates_FAMILY.csv"),
        OPT_RANGE(
            COUNT, "[--beam B]", &o.beam, 1, KPRED_MAX_BEAM,
            "beam width to begin with, which grows where no kernel that is compiled in was found"),
        OPT(CHOICE, "[--schema " WRITE_SCHEMAS "]", &o.schema,
            "columns of older versions of AITER: no-gfx (before 2026-03), no-libtype (before "
            "2026-01, kernels of ck alone) or no-tflops (before 2025-09), each without those of "
            "the ones before"),
        OPT(TEXT, "[-o FILE.csv|DIR", &o.output,
            "the table of one family, or a folder for those of all, which is made if need be; "
            "default: standard output"),
        OPT(FLAG, "[--force]]", &o.force,
            "replace files that hold measured rows, and go on where a log names another GPU"),
        OPT(TEXTS, "[INPUT...]", &o.inputs,
            "logs, or untuned lists of AITER's tuners; none, or -: standard input"),
        OPT_SAYS(
            "The time of each row is 999999.0, so that a measured row wins. What was left out, and "
            "why, is counted on standard error, with the rows that act only after AITER is built "
            "again and the variable that tells AITER of the tables.\nExample:\n  kpred aiter --gpu "
            "MI300X -o tuned --installed \\\n      aiter/configs/*_tuned_gemm*.csv \\\n      "
            "aiter/configs/model_configs/*_tuned_gemm*.csv -- server.log"),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0)
        status = aiter_run(&o);
    opts_free(table);
    return status;
}
