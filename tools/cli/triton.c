/* triton.c - `kpred triton`
   SPDX-License-Identifier: MIT */
#include "triton/triton.h"
#include "commands.h"
#include "kpred.h"

#include <stdlib.h>

static int rising(const void *left, const void *right)
{
    const long a = *(const long *)left, b = *(const long *)right;
    return (a > b) - (a < b);
}

/* Ascending, each once: a server takes the nearest one, of two the first. */
static void sort_counts(struct opt_counts *c)
{
    size_t n = 0;
    qsort(c->v, c->n, sizeof *c->v, rising);
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
        OPT(TEXT, "[-o DIR", &o.output,
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
    opts_free(table);
    return status;
}
