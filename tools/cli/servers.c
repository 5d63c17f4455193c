/* servers.c - `kpred aiter`, `triton` and `serve`: the tuned files that servers look for
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "aiter/aiter.h"
#include "serve/serve.h"
#include "triton/triton.h"

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
            "a line for each file; of two rows of one key the faster counts"),
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
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? aiter_run(&o) : status);
}

/* ---- triton ---- */

/* Ascending, each once: a server takes the nearest one, of two the first. */
static void sort_counts(struct opt_counts *c)
{
    size_t n = 0;
    qsort(c->v, c->n, sizeof *c->v, compare_longs);
    for (size_t i = 0; i < c->n; i++)
        if (n == 0 || c->v[n - 1] != c->v[i])
            c->v[n++] = c->v[i];
    c->n = n;
}

int cmd_triton(int argc, char **argv)
{
    struct triton_options o = {.from.server = TRITON_N_SERVERS, .choices.ms = triton_tuned};
    const struct opt table[] = {
        OPT_SAYS(
            "Writes the configuration files of Triton kernels that vLLM or SGLang looks for and "
            "does not find: of the fused mixture of experts (E=..,N=..,device_name=...json), and "
            "of the 8-bit matrix product with block scales (N=..,K=..,device_name=...json)."),
        OPT(CHOICE, "[--server vllm|sglang]", &o.from.server,
            "whose files they are, where the names, their folders and the log do not tell; else "
            "vLLM's"),
        OPT(TEXT, "[--gpu NAME]", &o.from.gpu,
            "for this GPU, in place of that of the names; as torch.cuda.get_device_name() gives "
            "it"),
        NEAREST_OPTION(&o.choices.nearest),
        OPT(TEXT, "[--triton VERSION]", &o.from.version,
            "of Triton, 3.5.1: names SGLang's folder, and stands in vLLM's files of the mixture of "
            "experts; default: that of the path of the INPUT"),
        OPT_RANGE(COUNTS, "[-M M,M,...]", &o.choices.ms, 1, KPRED_MAX_SIZE,
                  "numbers of tokens, of which a server takes the nearest; the servers' tuners "
                  "have these 18"),
        OPT(FLAG, "[--always-predict]", &o.choices.always_predict,
            "never write what the server takes without a file; an M without a legal tuple is left "
            "out"),
        OPT(FLAG, "[--dry-run", &o.is_dry, "write nothing"),
        OPT(TEXT, "|-o DIR", &o.output,
            "a folder for the files, which is made if need be; default: one file, on standard "
            "output"),
        OPT(FLAG, "[--force]]", &o.from.force,
            "replace files that hold other tuples; go on where a log is of another GPU or server"),
        OPT(TEXTS, "[INPUT...]", &o.inputs,
            "names of files, with or without folders, which end with .json and need not be there; "
            "and logs of servers, of which each `Config file not found at PATH` gives a name; "
            "none, or -: a log on standard input"),
        OPT_SAYS("For each M the model's most probable tuple is written, or the most probable one "
                 "of the tile that is the most probable (\"cautious\"), or what the server takes "
                 "without a file (\"default\"): if all M get that, no file is written. How many of "
                 "each, what was left out and why, and how the server finds the files is told on "
                 "standard error; and in what share of the M a tuning should agree, by the model's "
                 "own probabilities, or of how many sizes the model was not trained "
                 "on.\nExample:\n  kpred triton --triton 3.5.1 -o configs server.log"),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0) {
        sort_counts(&o.choices.ms);
        status = triton_run(&o);
    }
    return opts_free(table, status);
}

/* ---- serve ---- */

int cmd_serve(int argc, char **argv)
{
    struct serve_options o = {.quantization = QUANTIZATIONS};
    const struct opt table[] = {
        OPT_SAYS("Finds all files of tuned Triton configurations that vLLM or SGLang will look "
                 "for, and all rows of AITER's tables, and writes those that are not there: by a "
                 "model's config, or by a server's log."),
        OPT(TEXT, "--gpu GPU", &o.gpu,
            "MI300X, H100; or as torch.cuda.get_device_name() gives it; a log's own name of it is "
            "kept"),
        OPT(TEXT, "[--server vllm|sglang]", &o.server,
            "whose files they are: needed with --config; of a log it is told by the lines; with "
            "=VERSION behind it, of which vllm=0.33.0 and sglang=0.5.23 are known"),
        OPT(TEXT, "[--config CONFIG.json]", &o.config, "the config of the model on Hugging Face"),
        OPT_RANGE(COUNT, "[--tp N]", &o.tp, 1, 4096, "GPUs that share each layer; default: 1"),
        OPT(FLAG, "[--ep]", &o.has_ep, "these GPUs share the experts, not each expert"),
        OPT_RANGE(COUNT, "[--ep-size N]", &o.ep_size, 1, 4096, "so many GPUs share the experts"),
        OPT(CHOICE, "[--quant " QUANTIZATION_NAMES "]", &o.quantization,
            "how the server quantises the weights, where the config does not say it; fp8: a scale "
            "for each tensor, fp8_block: for each 128 x 128"),
        OPT(TEXT, "[--triton VERSION]", &o.version, "of Triton, 3.5.1: names SGLang's folder"),
        NEAREST_OPTION(&o.nearest),
        OPT(TEXTS, "[INPUT...]", &o.inputs,
            "logs, or names of files; none, or -: a log on standard input"),
        OPT(TEXT, "[--installed DIR]", &o.installed,
            "the server's own files, in any folder within DIR, such as that of its package, and "
            "that of AITER's, as DIR:DIR: what is there is left out, and copied where SGLang's "
            "variable hides it; what "
            "cannot be read is left out, with a line for each file"),
        OPT(TEXT, "[--known DIR]", &o.known,
            "files that you tuned, in one folder or several, DIR:DIR: their rows stay; predicted "
            "ones are added for fewer and for more tokens than were measured"),
        OPT(FLAG, "[--aiter", &o.has_aiter,
            "the server runs AITER: its tuned tables, as kpred aiter makes them, too, of whose "
            "inputs INPUT may be one"),
        OPT(TEXT, "[--compiled FILE]", &o.compiled,
            "the names of AITER's kernels that are compiled in, a line each, as of kpred aiter"),
        OPT(FLAG, "[--switch]", &o.may_switch,
            "write rows, and AITER's Triton files of near shapes, that make the server run another "
            "kernel, too, which may be slower"),
        OPT(FLAG, "[--write-triton-json]]", &o.has_json,
            "SGLang on an MI300X: write AITER's Triton files of FP8 in blocks, too, where "
            "--installed has one whose N and K are within a factor of 1.5"),
        OPT_RANGE(COUNT, "[--top K]", &o.top, 1, 32,
                  "write candidates_triton.csv, and with --aiter candidates_FAMILY.csv, too: for "
                  "each look-up and M the K tuples or kernels that a tuning should measure; "
                  "kpred_tune.py runs tuners so. Rows of earlier runs for other files stay"),
        OPT(FLAG, "[--dry-run", &o.is_dry, "write nothing"),
        OPT(TEXT, "|-o DIR", &o.output,
            "a folder for the files and for kpred.json, which says what each row is from, of "
            "earlier runs for the same GPU and versions too; runs into one folder wait for each "
            "other"),
        OPT(FLAG, "[--force]]", &o.force,
            "replace files that hold other tuples, without which nothing is written; go on where a "
            "log is of another GPU or server"),
        ALL_OPTION(o.form),
        FORM_OPTIONS(o.form, ": the table of look-ups"),
        OPT_SAYS("The table has for each look-up its layer, the file or key, by what it is "
                 "answered, and in how many percent of M a tuning should agree, in the tuple and "
                 "in the tile. Standard error has the total and the lines that make the server "
                 "read the files.\nExample:\n  kpred serve --gpu MI300X --server vllm --config "
                 "config.json --tp 8 -o configs"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? serve_run(&o) : status);
}
