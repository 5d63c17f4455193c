/* triton.c - `kpred triton`
   SPDX-License-Identifier: MIT */
#include "triton/triton.h"
#include "commands.h"
#include "kpred.h"

#include <stdlib.h>

static const char help[] =
    "usage: kpred triton [--server vllm|sglang] [--gpu NAME] [--nearest] [--triton VERSION]\n"
    "                    [-M M,M,...] [--always-predict] [-o DIR [--force]] [INPUT...]\n"
    "\n"
    "Writes the configuration files of Triton kernels that vLLM or SGLang looks for and does not\n"
    "find: of the fused mixture of experts (E=..,N=..), and of the 8-bit matrix product with\n"
    "block scales (N=..,K=..).\n"
    "\n"
    "  INPUT...       names of files, with or without folders, which end with .json and need not\n"
    "                 be there; and logs of servers; none, or -: a log on standard input\n"
    "  --server NAME  whose files they are, where the names and the log do not tell: vllm or\n"
    "                 sglang\n"
    "  --gpu NAME     for this GPU, in place of that of the names; as\n"
    "                 torch.cuda.get_device_name() gives it\n"
    "  --nearest      for a GPU that was not trained, take the nearest that was\n"
    "  --triton VERSION  of Triton, 3.5.1: names SGLang's folder, and stands in vLLM's files of\n"
    "                 the mixture of experts\n"
    "  -M M,M,...     numbers of tokens (default: the 18 from 1 to 4096 that the servers' tuners\n"
    "                 have)\n"
    "  --always-predict  never write what the server takes without a file\n"
    "  -o DIR         a folder for the files, which is made if need be; default: one file, on\n"
    "                 standard output\n"
    "  --force        replace files that hold other tuples; go on where a log is of another GPU\n"
    "                 or server\n"
    "\n"
    "For each M the model's most probable tuple is written, or the most probable one of the tile\n"
    "that is the most probable (\"cautious\"), or what the server takes without a file\n"
    "(\"default\"). How many of each, what was left out and why, and how the server finds the\n"
    "files is told on standard error.\n"
    "\n"
    "Example: kpred triton --triton 3.5.1 -o configs server.log\n";

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
        {.name = "INPUT", .kind = OPT_TEXTS, .to = &o.inputs},
        {.name = "--server", .kind = OPT_CHOICE, .to = &o.from.server, .choices = "vllm|sglang"},
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.from.gpu},
        {.name = "--nearest", .kind = OPT_FLAG, .to = &o.choices.nearest},
        {.name = "--triton", .kind = OPT_TEXT, .to = &o.from.version},
        {.name = "-M", .kind = OPT_COUNTS, .to = &o.choices.ms, .least = 1, .most = KPRED_MAX_SIZE},
        {.name = "--always-predict", .kind = OPT_FLAG, .to = &o.choices.always_predict},
        {.name = "--force", .kind = OPT_FLAG, .to = &o.from.force},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output},
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0) {
        sort_counts(&o.choices.ms);
        status = triton_run(&o);
    }
    free(o.inputs.v);
    return status;
}
