/* tune_replay.c - see tune_replay.h
   SPDX-License-Identifier: MIT */
#include "tune_replay.h"

#include "tune/replay.h"

#include "commands.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-train tune [SPEC] --replay TABLE [--data FILE...] [--gpu NAME] [--seeds N]\n"
    "                        [--budget N] [--csv|--json]\n"
    "\n"
    "Tunes on a table that holds the times of all tuples of a problem, as if they were measured,\n"
    "and prints for each seed how many measurements that takes.\n"
    "\n"
    "  SPEC            the kernel's .spec file, for a table of CSV\n"
    "  --replay TABLE  a file of Kernel Tuner or KTT (.json), or CSV (.csv) with time_us, and\n"
    "                  each of these with .bz2 or .gz; failures stay in it\n"
    "  --data FILE...  tables of other GPUs or problems, known beforehand; TABLE itself is\n"
    "                  passed over\n"
    "  --gpu NAME      the rows of this GPU, of a CSV with several\n"
    "  --seeds N       repeat it with the seeds 1 to N (default 30)\n"
    "  --budget N      the most measurements of a seed (default 300)\n"
    "  --csv           print CSV\n"
    "  --json          print JSON\n"
    "\n"
    "evals_5 and evals_1 count the measurements, failures included, until the best time is\n"
    "within 5 and 1 percent of the table's; a miss counts as the budget. share is the best\n"
    "speed at the budget over the table's. Exit status: 0, 1 for trouble with the tables,\n"
    "2 for a wrong command line.\n";

int tune_replay_is_asked(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--replay") == 0 || strncmp(argv[i], "--replay=", 9) == 0)
            return 1;
    return 0;
}

int cmd_tune_replay(int argc, char **argv)
{
    struct replay_asked o = {.seeds = 30, .budget = 300};
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &o.spec},
        {.name = "--replay", .kind = OPT_TEXT, .to = &o.table, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data},
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.gpu},
        {.name = "--seeds", .kind = OPT_COUNT, .to = &o.seeds, .least = 1, .most = 1000000},
        {.name = "--budget", .kind = OPT_COUNT, .to = &o.budget, .least = 1, .most = 1000000},
        {.name = "--csv", .kind = OPT_FLAG, .to = &o.form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &o.form.json},
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0 && table_form_check(&o.form) != 0)
        status = 2;
    if (status < 0)
        status = replay_print(&o) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    free(o.data.v);
    return status;
}
