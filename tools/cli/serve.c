/* serve.c - `kpred serve`
   SPDX-License-Identifier: MIT */
#include "serve/serve.h"
#include "commands.h"

#include <stdlib.h>

static const char help[] =
    "usage: kpred serve --gpu GPU --server vllm|sglang --config CONFIG.json [--tp N]\n"
    "                   [--ep] [--ep-size N] [--quant NAME] [--installed DIR] [--known DIR]\n"
    "                   [--triton VERSION] [--aiter [--compiled FILE]] [--top K]\n"
    "                   [--dry-run | -o DIR [--force]] [--csv | --json]\n"
    "       kpred serve --gpu GPU [OPTIONS] [--dry-run | -o DIR [--force]] [INPUT...]\n"
    "\n"
    "Finds all files of tuned Triton configurations that vLLM or SGLang will look for, and all\n"
    "rows of AITER's tables, and writes those that are not there: by a model's config, or by a\n"
    "server's log.\n"
    "\n"
    "  --gpu GPU      MI300X, H100; or as torch.cuda.get_device_name() gives it\n"
    "  --server NAME  vllm or sglang; of a log it is told by the lines\n"
    "  --config CONFIG.json  the config of the model on Hugging Face\n"
    "  --tp N         GPUs that share each layer (default 1)\n"
    "  --ep           these GPUs share the experts, not each expert\n"
    "  --ep-size N    so many GPUs share the experts\n"
    "  --quant NAME   how the server quantises the weights, where the config does not say it:\n"
    "                 none, fp8 (a scale for each tensor), fp8_block (128 x 128), fp8_channel,\n"
    "                 int8_w8a8, int8_w8a16, int4_w4a16, mxfp4\n"
    "  --installed DIR[:DIR]  the server's own files, or the folder of its package, and that of\n"
    "                 AITER's: what is there is left out, and copied where SGLang's variable\n"
    "                 hides it; what cannot be read is left out and told\n"
    "  --known DIR[:DIR]  files that you tuned: their rows stay; predicted ones are added for\n"
    "                 fewer and for more tokens than were measured\n"
    "  --triton VERSION  of Triton, 3.5.1: names SGLang's folder\n"
    "  --aiter        the server runs AITER: its tuned tables, as kpred aiter makes them, too\n"
    "  --compiled FILE  the names of AITER's kernels that are compiled in, a line each\n"
    "  --top K        write candidates_*.csv, too: for each look-up and M the K tuples or kernels\n"
    "                 that a tuning should measure, at most 32; kpred_tune.py runs tuners so\n"
    "  --dry-run      write nothing\n"
    "  -o DIR         a folder for the files and for kpred.json, which says what they are from\n"
    "  --force        replace files that hold other tuples; go on where a log is of another GPU\n"
    "                 or server\n"
    "  --csv          the table of look-ups as CSV\n"
    "  --json         the table of look-ups as JSON\n"
    "  INPUT...       logs, or names of files; none, or -: a log on standard input\n"
    "\n"
    "The table has for each look-up its layer, the file or key, by what it is answered, and in\n"
    "how many percent of M a tuning should agree, in the tuple and in the tile. Standard error\n"
    "has the total and the lines that make the server read the files. Exit status: 0, 1 for\n"
    "trouble with what was given, 2 for a wrong command line.\n"
    "\n"
    "Example: kpred serve --gpu MI300X --server vllm --config config.json --tp 8 -o configs\n";

int cmd_serve(int argc, char **argv)
{
    struct serve_options o = {.server = TRITON_N_SERVERS, .quantization = QUANTIZATIONS};
    const struct opt table[] = {
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.gpu, .is_required = 1},
        {.name = "INPUT", .kind = OPT_TEXTS, .to = &o.inputs},
        {.name = "--server", .kind = OPT_CHOICE, .to = &o.server, .choices = "vllm|sglang"},
        OPTION("--config", OPT_TEXT, &o.config),
        OPTION_COUNT("--tp", &o.tp, 1, 4096),
        OPTION("--ep", OPT_FLAG, &o.has_ep),
        OPTION_COUNT("--ep-size", &o.ep_size, 1, 4096),
        {.name = "--quant",
         .kind = OPT_CHOICE,
         .to = &o.quantization,
         .choices = QUANTIZATION_NAMES},
        OPTION("--installed", OPT_TEXT, &o.installed),
        OPTION("--known", OPT_TEXT, &o.known),
        OPTION("--triton", OPT_TEXT, &o.version),
        OPTION("--aiter", OPT_FLAG, &o.has_aiter),
        OPTION("--compiled", OPT_TEXT, &o.compiled),
        OPTION_COUNT("--top", &o.top, 1, 32),
        OPTION("--dry-run", OPT_FLAG, &o.is_dry),
        OPTION("-o", OPT_TEXT, &o.output),
        OPTION("--force", OPT_FLAG, &o.force),
        FORM_OPTIONS(o.form),
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = serve_run(&o);
    free(o.inputs.v);
    return status;
}
