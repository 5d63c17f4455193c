/* tune.c - `kpred-train tune`: a spec, problems and a command in, measured times out
   SPDX-License-Identifier: MIT */
#include "commands.h"
#include "readers.h"

#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-train tune SPEC --problems FILE.csv --run COMMAND|--server COMMAND -o FILE.csv\n"
    "                        [--budget N|TIME] [--timeout S] [--repeat R] [--shard I/N]\n"
    "                        [--seed N] [--model FILE.h] [--data FILE...]\n"
    "\n"
    "Measures the tuples of a kernel that promise most, problem by problem, and adds each result\n"
    "to a table of times, which train and ingest read. A file that is there already is gone on\n"
    "with: what it has is not measured again. On a terminal a line shows the best so far and the\n"
    "time left.\n"
    "\n"
    "  SPEC                 the kernel's .spec file, of format = timed\n"
    "  --problems FILE.csv  a column for each field of the spec, a row for each problem\n"
    "  --run COMMAND        a command line of the shell, run for each measurement. It gets each\n"
    "                       field and parameter as NAME=VALUE, as an argument and in its\n"
    "                       environment. The last line that it prints is the time in\n"
    "                       microseconds; another status than 0 is a failure\n"
    "  --server COMMAND     in its place a program that is started once, reads a line of\n"
    "                       NAME=VALUE words for each measurement, and answers with a line: the\n"
    "                       time\n"
    "  -o FILE.csv          the results; only ever added to\n"
    "  --budget N|TIME      a number: launches of the command for each problem, those of earlier\n"
    "                       runs included; 90s, 30m, 2h: the time of this run, which problems\n"
    "                       share; default: all legal tuples\n"
    "  --timeout S          after so many seconds, also 500ms or 5m, the command is killed with\n"
    "                       all its children, and the tuple has failed (default 60)\n"
    "  --repeat R           launch each tuple R times, the median counts (default 1)\n"
    "  --shard I/N          take only every N-th problem, from number I; I is 1 to N\n"
    "  --seed N             of all that is random (default 1)\n"
    "  --model FILE.h       a model of the kernel, whose order is begun with\n"
    "  --data FILE...       times of other problems and GPUs, as train reads them\n"
    "\n"
    "Failures are told on standard error, the first ten of each kind. A command that is not\n"
    "found ends the tuning. Exit status: 0, 1 for trouble with what it was given or if nothing\n"
    "could be measured, 2 for a wrong command line.\n";

int cmd_tune(int argc, char **argv)
{
    struct tune_options o;
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &o.spec, .is_required = 1},
        {.name = "--problems", .kind = OPT_TEXT, .to = &o.problems, .is_required = 1},
        {.name = "--run", .kind = OPT_TEXT, .to = &o.run},
        {.name = "--server", .kind = OPT_TEXT, .to = &o.server},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        {.name = "--budget", .kind = OPT_TEXT, .to = &o.budget},
        {.name = "--timeout", .kind = OPT_TEXT, .to = &o.timeout},
        {.name = "--repeat", .kind = OPT_COUNT, .to = &o.repeat, .least = 1, .most = 10000},
        {.name = "--shard", .kind = OPT_TEXT, .to = &o.shard},
        {.name = "--seed", .kind = OPT_COUNT, .to = &o.seed, .least = 0, .most = 2147483647},
        {.name = "--model", .kind = OPT_TEXT, .to = &o.model},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    o.repeat = o.seed = 1;
    o.readers = readers;
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = tune_run(&o);
    free(o.data.v);
    return status;
}
