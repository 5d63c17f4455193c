/* serve.c - `kpred serve`
   SPDX-License-Identifier: MIT */
#include "serve/serve.h"
#include "commands.h"

#include <stdlib.h>

int cmd_serve(int argc, char **argv)
{
    struct serve_options o = {.server = TRITON_N_SERVERS, .quantization = QUANTIZATIONS};
    const struct opt table[] = {
        OPT_SAYS("Finds all files of tuned Triton configurations that vLLM or SGLang will look "
                 "for, and all rows of AITER's tables, and writes those that are not there: by a "
                 "model's config, or by a server's log."),
        OPT(TEXT, "--gpu GPU", &o.gpu,
            "MI300X, H100; or as torch.cuda.get_device_name() gives it; a log's own name of it is "
            "kept"),
        OPT(CHOICE, "[--server vllm|sglang]", &o.server,
            "whose files they are: needed with --config; of a log it is told by the lines"),
        OPT(TEXT, "[--config CONFIG.json", &o.config, "the config of the model on Hugging Face"),
        OPT_RANGE(COUNT, "[--tp N]", &o.tp, 1, 4096, "GPUs that share each layer; default: 1"),
        OPT(FLAG, "[--ep]", &o.has_ep, "these GPUs share the experts, not each expert"),
        OPT_RANGE(COUNT, "[--ep-size N]", &o.ep_size, 1, 4096, "so many GPUs share the experts"),
        OPT(CHOICE, "[--quant " QUANTIZATION_NAMES "]", &o.quantization,
            "how the server quantises the weights, where the config does not say it; fp8: a scale "
            "for each tensor, fp8_block: for each 128 x 128"),
        OPT(TEXT, "[--triton VERSION]]", &o.version, "of Triton, 3.5.1: names SGLang's folder"),
        OPT(TEXTS, "|INPUT...]", &o.inputs,
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
        OPT(TEXT, "[--compiled FILE]]", &o.compiled,
            "the names of AITER's kernels that are compiled in, a line each, as of kpred aiter"),
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
        FORM_OPTIONS(o.form, ": the table of look-ups"),
        OPT_SAYS("The table has for each look-up its layer, the file or key, by what it is "
                 "answered, and in how many percent of M a tuning should agree, in the tuple and "
                 "in the tile. Standard error has the total and the lines that make the server "
                 "read the files.\nExample:\n  kpred serve --gpu MI300X --server vllm --config "
                 "config.json --tp 8 -o configs"),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0)
        status = serve_run(&o);
    opts_free(table);
    return status;
}
