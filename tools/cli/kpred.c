/* kpred.c - the program for those who use models
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/util.h"

#include <stddef.h>

#ifdef _WIN32
static int cmd_of_servers(int argc, char **argv)
{
    (void)argc;
    fail("%s: is a command of the programs for Linux and WSL alone", argv[0]);
    return 1;
}
#define cmd_aiter  cmd_of_servers
#define cmd_triton cmd_of_servers
#define cmd_serve  cmd_of_servers
#endif

int main(int argc, char **argv)
{
    static const struct command table[] = {
        {"models", "the built-in models: kernel, fields, GPUs, bytes, id", cmd_models},
        {"predict", "the most promising legal tuples for one problem", cmd_predict},
        {"miopen", "MIOpen's log to a user perf-db of predicted parameters", cmd_miopen},
        {"aiter", "AITER's log to tuned tables of predicted kernels", cmd_aiter},
        {"triton", "vLLM's or SGLang's log to files of predicted Triton configurations",
         cmd_triton},
        {"serve", "a model's config and a GPU to all tuned files that its server looks for",
         cmd_serve},
        {"bench", "time and size of a prediction", cmd_bench},
        {NULL, NULL, NULL},
    };
    return commands_run("kpred", table, argc, argv);
}
