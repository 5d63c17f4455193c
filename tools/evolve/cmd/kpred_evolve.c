/* kpred_evolve.c - the program for those who let a kernel evolve
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "cli/commands.h"
#include "evolve/process.h"

#include "base/util.h"

#ifndef HAVE_MLIR
static int kpred_evolve_refuse(int argc, char **argv)
{
    (void)argc, (void)argv;
    fail_without("a module", "MLIR", "libmlir-16-dev");
    return 1;
}
#define cmd_ml        kpred_evolve_refuse
#define cmd_ml_report kpred_evolve_refuse
#define cmd_ml_export kpred_evolve_refuse
#endif

int main(int argc, char **argv)
{
    static const struct command table[] = {
        {"check", "does the harness run, and which baseline is the fastest?", cmd_check_kernel},
        {"search", "edits that make a kernel faster, into a log", cmd_search},
        {"report", "what a search found, and how it went", cmd_report},
        {"minimise", "the edits that matter, judged with held-out cases", cmd_minimise},
        {"export", "the best variants as a library, with a spec and timings", cmd_export},
        {"emit", "the edited kernel as IR, assembly or object", cmd_emit},
        {"network", "a small network, trained, as an MLIR module", cmd_network},
        {"ml", "edits that make a network faster, or more right, into a log", cmd_ml},
        {"ml-report", "its front, and what is chosen from it, in words", cmd_ml_report},
        {"ml-export", "points of its front as a library, to choose by a bound on error",
         cmd_ml_export},
        {NULL, NULL, NULL},
    };
    no_memory_begin();
    return commands_run("kpred-evolve", table, argc, argv);
}
