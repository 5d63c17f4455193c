/* tune.c - `kpred-train tune`: a spec, problems and a command in, measured times out; or a replay
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-train tune SPEC --problems FILE.csv --run COMMAND|--server COMMAND -o FILE.csv\n"
    "                        [--budget N|TIME] [--stop-at P%] [--timeout S] [--repeat R]\n"
    "                        [--shard I/N] [--seed N] [--model FILE.h] [--data FILE...]\n"
    "                        [--force]\n"
    "       kpred-train tune [SPEC] --replay TABLE [--data FILE...] [--model FILE.h]\n"
    "                        [--gpu NAME] [--seeds N] [--budget N] [--stop-at P%]\n"
    "                        [--csv|--json]\n"
    "       kpred-train tune --all SPEC... --problems FILE.csv... --run COMMAND...|--server\n"
    "                        COMMAND... -o FILE.csv... [--budget N|TIME] [--stop-at P%]\n"
    "                        [--timeout S] [--repeat R] [--shard I/N] [--seed N] [--force]\n"
    "       kpred-train tune --all SPEC... --replay TABLE... [--seeds N] [--budget N]\n"
    "                        [--stop-at P%] [--csv|--json]\n"
    "\n"
    "Measures the tuples of a kernel that promise most, problem by problem, and adds each result\n"
    "to a table of times, which train and ingest read. Results that the table already has are not\n"
    "measured again. On a terminal a line shows the best so far and the time left. A table at the\n"
    "end has the best tuple of each problem, its time, and how many legal tuples were measured.\n"
    "\n"
    "  SPEC                 the kernel's .spec file, of format = timed\n"
    "  --problems FILE.csv  a column for each field of the spec, a row for each problem\n"
    "  --run COMMAND        a command line of the shell, run for each measurement. It gets each\n"
    "                       field and parameter as the argument NAME=VALUE, and as KPRED_NAME in\n"
    "                       its environment. The last line that it prints is the time in\n"
    "                       microseconds; another status than 0 is a failure\n"
    "  --server COMMAND     in its place a program that is started once, reads a line of\n"
    "                       NAME=VALUE words for each measurement, and answers with a line: the\n"
    "                       time, or better `answer: TIME`, beside which other lines do no harm\n"
    "  -o FILE.csv          the results, which are added\n"
    "  --budget N|TIME      a number: launches of the command for each problem, those of earlier\n"
    "                       runs included; 90s, 30m, 2h: the time of this run, which problems\n"
    "                       share; default: all legal tuples\n"
    "  --stop-at P%         a problem ends before its budget when probably no other tuple is\n"
    "                       faster by more than so many percent, 0.1% to 50%; after 20 tuples at\n"
    "                       the earliest\n"
    "  --timeout S          after so many seconds, also 500ms or 5m, the command is killed with\n"
    "                       all its children, and the tuple has failed (default 60)\n"
    "  --repeat R           launch each tuple R times, the median counts (default 1)\n"
    "  --shard I/N          take only every N-th problem, from number I; I is 1 to N\n"
    "  --seed N             of all that is random (default 1)\n"
    "  --model FILE.h       a model of the kernel, whose order is begun with\n"
    "  --data FILE...       times of other problems and GPUs, as train reads them\n"
    "  --force              go on with a FILE.csv that another command measured\n"
    "\n"
    "Standard error has the first ten failures of each kind. A command that is not found ends\n"
    "the tuning.\n"
    "\n";

static const char help_more[] =
    "With --replay nothing is measured: it tunes on a table that holds the times of all tuples of\n"
    "a problem, and prints for each seed how many measurements that takes.\n"
    "\n"
    "  SPEC            the kernel's .spec file: needed for a table of CSV; tuples that it forbids\n"
    "                  are passed over\n"
    "  --replay TABLE  a file of another tuner (.json), or CSV (.csv) with time_us, and\n"
    "                  each of these with .bz2 or .gz; failures stay in it\n"
    "  --data FILE...  tables of other GPUs or problems, known beforehand; TABLE itself is\n"
    "                  passed over\n"
    "  --gpu NAME      the rows of this GPU, of a CSV with several\n"
    "  --seeds N       repeat it with the seeds 1 to N (default 30)\n"
    "  --budget N      the most measurements of a seed (default 300)\n"
    "  --stop-at P%    end a seed as a problem is ended, and print the columns launches, end\n"
    "                  (enough, budget, or all tuples measured) and gap: by how many percent the\n"
    "                  best time is above the table's\n"
    "  --csv           print CSV\n"
    "  --json          print JSON\n"
    "\n"
    "With --all one budget is for all problems. The next launch goes where it is expected to save\n"
    "most time, and each problem learns from the others.\n"
    "\n"
    "  --all SPEC...           kernels; one of each of the next three for each, in their order\n"
    "  --problems FILE.csv...  with a column count, unless that is a field: how often each "
    "problem\n"
    "                          runs, a whole number from 1 on; without it each counts once\n"
    "  --run COMMAND...        or one for all, and so with --server\n"
    "  -o FILE.csv...          results\n"
    "  --budget N|TIME         launches of all problems together, those of earlier runs included;\n"
    "                          or the time of this run\n"
    "  --replay TABLE...       tables of times, as train reads them: of one SPEC any number, else\n"
    "                          one for each. It prints for an eighth to the whole of --budget "
    "(80),\n"
    "                          launches a problem, by how many percent the sum of the best times\n"
    "                          is above that of the tables: with the launches spent evenly, with\n"
    "                          --all, and with --all and half of them. Means of --seeds N (5)\n"
    "\n";

static const char help_end[] =
    "evals_5 and evals_1 count the measurements, failures included, until the best time is\n"
    "within 5 and 1 percent of the table's; a miss counts as the budget. share is the best\n"
    "speed at the budget over the table's. Exit status: 0, 1 for trouble with what it was given\n"
    "or if nothing could be measured, 2 for a wrong command line.\n";

/* The three texts as one: C99 has no longer ones */
static const char *whole_help(void)
{
    static char text[sizeof help + sizeof help_more + sizeof help_end];
    memcpy(text, help, sizeof help - 1);
    memcpy(text + sizeof help - 1, help_more, sizeof help_more - 1);
    memcpy(text + sizeof help + sizeof help_more - 2, help_end, sizeof help_end);
    return text;
}

static int is_asked(int argc, char **argv, const char *option)
{
    const size_t n = strlen(option);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], option, n) == 0 && (argv[i][n] == '\0' || argv[i][n] == '='))
            return 1;
    return 0;
}

/* What a replay has in common with one of --all, and measuring with that of --all */
#define REPLAY_OPTIONS(o, fewest)                               \
    OPTION_COUNT("--seeds", &(o).seeds, 1, 1000000),            \
        OPTION_COUNT("--budget", &(o).budget, fewest, 1000000), \
        OPTION("--stop-at", OPT_TEXT, &(o).stop_at), FORM_OPTIONS((o).form)
#define MEASURE_OPTIONS(o)                                                                        \
    OPTION("--budget", OPT_TEXT, &(o).budget), OPTION("--stop-at", OPT_TEXT, &(o).stop_at),       \
        OPTION("--timeout", OPT_TEXT, &(o).timeout),                                              \
        OPTION_COUNT("--repeat", &(o).repeat, 1, 10000), OPTION("--shard", OPT_TEXT, &(o).shard), \
        OPTION_COUNT("--seed", &(o).seed, 0, INT32_MAX), OPTION("--force", OPT_FLAG, &(o).force)

static int replay(int argc, char **argv)
{
    struct replay_asked o = {.seeds = 30, .budget = 300};
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &o.spec},
        {.name = "--replay", .kind = OPT_TEXT, .to = &o.table, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data},
        {.name = "--model", .kind = OPT_TEXT, .to = &o.model},
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.gpu},
        REPLAY_OPTIONS(o, 1),
        {.name = NULL},
    };
    int status = opts_parse(table, whole_help(), argc, argv);
    if (status < 0 && table_form_check(&o.form) != 0)
        status = 2;
    if (status < 0)
        status = replay_print(&o);
    free(o.data.v);
    return status;
}

static int replay_all(int argc, char **argv)
{
    int all;
    struct replay_all_asked o = {.seeds = 5, .budget = 80, .readers = readers};
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXTS, .to = &o.specs, .is_required = 1},
        {.name = "--all", .kind = OPT_FLAG, .to = &all},
        {.name = "--replay", .kind = OPT_TEXTS, .to = &o.tables, .is_required = 1},
        REPLAY_OPTIONS(o, 2),
        {.name = NULL},
    };
    int status = opts_parse(table, whole_help(), argc, argv);
    if (status < 0 && table_form_check(&o.form) != 0)
        status = 2;
    if (status < 0)
        status = replay_all_print(&o);
    free(o.specs.v);
    free(o.tables.v);
    return status;
}

/* The command line, as it was given */
static const char *own_line(int argc, char **argv)
{
    static struct buf line;
    quote(&line, commands_path, '*');
    for (int i = 0; i < argc; i++)
        next_word(&line, argv[i]);
    return line.s;
}

static int tune_measure(int argc, char **argv)
{
    struct tune_options o = {
        .repeat = 1, .seed = 1, .readers = readers, .line = own_line(argc, argv)};
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &o.spec, .is_required = 1},
        {.name = "--problems", .kind = OPT_TEXT, .to = &o.problems, .is_required = 1},
        {.name = "--run", .kind = OPT_TEXT, .to = &o.run},
        {.name = "--server", .kind = OPT_TEXT, .to = &o.server},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        MEASURE_OPTIONS(o),
        {.name = "--model", .kind = OPT_TEXT, .to = &o.model},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data},
        {.name = NULL},
    };
    int status = opts_parse(table, whole_help(), argc, argv);
    if (status < 0)
        status = tune_run(&o);
    free(o.data.v);
    return status;
}

static int measure_all(int argc, char **argv)
{
    int all;
    struct tune_options o = {
        .repeat = 1, .seed = 1, .readers = readers, .line = own_line(argc, argv)};
    struct tune_lists lists = {.is_server = 0};
    struct opt_texts servers = {0};
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXTS, .to = &lists.specs, .is_required = 1},
        {.name = "--all", .kind = OPT_FLAG, .to = &all},
        {.name = "--problems", .kind = OPT_TEXTS, .to = &lists.problems, .is_required = 1},
        {.name = "--run", .kind = OPT_TEXTS, .to = &lists.commands},
        {.name = "--server", .kind = OPT_TEXTS, .to = &servers},
        {.name = "-o", .kind = OPT_TEXTS, .to = &lists.outputs, .is_required = 1},
        MEASURE_OPTIONS(o),
        {.name = NULL},
    };
    int status = opts_parse(table, whole_help(), argc, argv);
    if (status < 0 && (servers.n > 0) == (lists.commands.n > 0))
        status = (fail("give one of --run and --server"), 2);
    free(servers.n > 0 ? lists.commands.v : NULL);
    if (servers.n > 0) {
        lists.commands = servers;
        lists.is_server = 1;
    }
    if (status < 0)
        status = tune_all_run(&o, &lists);
    free(lists.specs.v);
    free(lists.problems.v);
    free(lists.commands.v);
    free(lists.outputs.v);
    return status;
}

int cmd_tune(int argc, char **argv)
{
    if (is_asked(argc, argv, "--replay"))
        return is_asked(argc, argv, "--all") ? replay_all(argc, argv) : replay(argc, argv);
    return is_asked(argc, argv, "--all") ? measure_all(argc, argv) : tune_measure(argc, argv);
}
