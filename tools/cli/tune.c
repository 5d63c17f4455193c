/* tune.c - `kpred-train tune`: a spec, problems and a command in, measured times out; or a replay
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

static int tune_all; /* --all, which tells the forms apart */
static struct tune_options measured = {.repeat = 1, .seed = 1, .readers = readers};
static struct tune_lists lists;
static struct opt_texts servers;
static struct replay_asked replayed = {.seeds = 30, .budget = 300};
static struct next_asked next = {.seed = 1, .readers = readers};
static struct replay_all_asked replayed_all = {.seeds = 5, .budget = 80, .readers = readers};

/* What forms have in common. The help tells it once: `told` is TOLD there, else UNTOLD. */
#define TOLD(text)   text
#define UNTOLD(text) ""
#define REPLAY_OPTIONS(o, fewest, told)                                                            \
    OPT_RANGE(COUNT, "[--seeds N]", &(o).seeds, 1, 1000000,                                        \
              told("repeat it with the seeds 1 to N")),                                            \
        OPT_RANGE(COUNT, "[--budget N]", &(o).budget, fewest, 1000000,                             \
                  told("the most measurements of a seed")),                                        \
        OPT(TEXT, "[--stop-at P%]", &(o).stop_at,                                                  \
            told("end a seed as a problem is ended, and print the columns launches, end (enough, " \
                 "budget, or all tuples measured) and gap: by how many percent the best time is "  \
                 "above the table's")),                                                            \
        OPT(FLAG, "[--csv", &(o).form.csv, told("print CSV")),                                     \
        OPT(FLAG, "|--json]", &(o).form.json, told("print JSON"))
#define MEASURE_OPTIONS(budgeted, told)                                                         \
    OPT(TEXT, "[--budget N|TIME]", &measured.budget, budgeted),                                 \
        OPT(TEXT, "[--stop-at P%]", &measured.stop_at,                                          \
            told("a problem ends before its budget when probably no other tuple is faster by "  \
                 "more than so many percent, 0.1% to 50%; after 20 tuples at the earliest")),   \
        OPT(TEXT, "[--timeout S]", &measured.timeout,                                           \
            told("after so many seconds, also 500ms or 5m, the command is killed with all its " \
                 "children, and the tuple has failed (default 60)")),                           \
        OPT_RANGE(COUNT, "[--repeat R]", &measured.repeat, 1, 10000,                            \
                  told("launch each tuple R times, the median counts")),                        \
        OPT(TEXT, "[--shard I/N]", &measured.shard,                                             \
            told("take only every N-th problem, from number I; I is 1 to N. Each shard has a "  \
                 "file of its own")),                                                           \
        OPT_RANGE(COUNT, "[--seed N]", &measured.seed, 0, INT32_MAX,                            \
                  told("of all that is random")),                                               \
        OPT(FLAG, "[--force]", &measured.force,                                                 \
            told("go on with a FILE.csv that another command measured"))

static const struct opt replay_all_rows[] = {
    OPT(FLAG, "--all", &tune_all, ""),
    OPT(TEXTS, "SPEC...", &replayed_all.specs, ""),
    OPT(TEXTS, "--replay TABLE...", &replayed_all.tables,
        "tables of times, as train reads them: of one SPEC any number, else one for each. It "
        "prints for an eighth to the whole of --budget (80), launches a problem, by how many "
        "percent the sum of the best times is above that of the tables: with the launches spent "
        "evenly, with --all, and with --all and half of them. Means of --seeds N (5)"),
    REPLAY_OPTIONS(replayed_all, 2, UNTOLD),
    OPT_SAYS("evals_5 and evals_1 count the measurements, failures included, until the best time "
             "is within 5 and 1 percent of the table's; a miss counts as the budget. share is the "
             "best speed at the budget over the table's. The exit status is 1 if nothing could be "
             "measured, too."),
    {.usage = NULL},
};

static const struct opt measure_all_rows[] = {
    OPT_SAYS("With --all one budget is for all problems. The next launch goes where it is expected "
             "to save most time, and each problem learns from the others."),
    OPT(FLAG, "--all", &tune_all, "of one kernel or several"),
    OPT(TEXTS, "SPEC...", &lists.specs,
        "kernels; one of each of the next three for each, in their order"),
    OPT(TEXTS, "--problems FILE.csv...", &lists.problems,
        "with a column count, unless that is a field: how often each problem runs, a whole number "
        "from 1 on; without it each counts once"),
    OPT(TEXTS, "--run COMMAND...", &lists.commands, "or one for all, and so with --server"),
    OPT(TEXTS, "|--server COMMAND...", &servers, ""),
    OPT(TEXTS, "-o FILE.csv...", &lists.outputs, "results"),
    MEASURE_OPTIONS("launches of all problems together, those of earlier runs included; or the "
                    "time of this run",
                    UNTOLD),
    {.next = replay_all_rows},
};

static const struct opt replay_rows[] = {
    OPT_SAYS("With --replay nothing is measured: it tunes on a table that holds the times of all "
             "tuples of a problem, and prints for each seed how many measurements that takes. A "
             "model has to know the table's GPU, if it has that field."),
    OPT(TEXT, "[SPEC]", &replayed.spec,
        "the kernel's .spec file: needed for a table of CSV; tuples that it forbids are passed "
        "over"),
    OPT(TEXT, "--replay TABLE", &replayed.table,
        "a file of another tuner (.json), or CSV (.csv) with time_us, and each of these with .bz2 "
        "or .gz; failures stay in it"),
    OPT(TEXTS, "[--data FILE...]", &replayed.data,
        "tables of other GPUs or problems, known beforehand; TABLE itself is passed over"),
    OPT(TEXT, "[--model FILE.h]", &replayed.model, ""),
    OPT(TEXT, "[--gpu GPU]", &replayed.gpu, "the rows of this GPU, of a CSV with several"),
    REPLAY_OPTIONS(replayed, 1, TOLD),
    {.next = measure_all_rows},
};

static const struct opt next_rows[] = {
    OPT_SAYS("With --next nothing is measured either: it proposes problems between those of a "
             "table that would teach most if they were timed."),
    OPT(TEXT, "SPEC", &next.spec, ""),
    OPT_RANGE(COUNT, "--next N", &next.n, 1, 100, "how many problems"),
    OPT(TEXTS, "--data FILE...", &next.data, "the table, as train reads it"),
    OPT_RANGE(COUNT, "[--seed N]", &next.seed, 0, INT32_MAX, ""),
    OPT(FLAG, "[--csv", &next.form.csv, "for --problems"),
    OPT(FLAG, "|--json]", &next.form.json, ""),
    {.next = replay_rows},
};

static const struct opt measure_rows[] = {
    OPT_SAYS(
        "Measures the tuples of a kernel that promise most, problem by problem, and adds each "
        "result to a table of times, which train and ingest read. Results that the table already "
        "has, failures too, are not measured again. On a terminal a line shows the best so far and "
        "the time left. A table at the end has the best tuple of each problem, its time, and how "
        "many legal tuples were measured, failures and earlier runs included."),
    OPT(TEXT, "SPEC", &measured.spec, "the kernel's .spec file, of format = timed"),
    OPT(TEXT, "--problems FILE.csv", &measured.problems,
        "a column for each field of the spec, in any order, a row for each problem"),
    OPT(TEXT, "--run COMMAND", &measured.run,
        "a command line of the shell, run for each measurement in a process group of its own. It "
        "gets each field and parameter as the argument NAME=VALUE, and as KPRED_NAME in its "
        "environment. The last line that it prints is the time in microseconds, 1e-6 to 1e12; "
        "another status than 0 is a failure; 126 and 127 end the tuning"),
    OPT(TEXT, "|--server COMMAND", &measured.server,
        "in its place a program that is started once, reads a line of NAME=VALUE words for each "
        "measurement, and answers with a line: the time, or better `answer: TIME`, `answer: "
        "failed` or `answer: failed: REASON`, beside which other lines do no harm"),
    OPT(TEXT, "-o FILE.csv", &measured.output,
        "the results, which are added, each in one write. One process writes it at a time, and the "
        "next run cuts off a line without an end"),
    MEASURE_OPTIONS(
        "a number: launches of the command for each problem, those of earlier runs included; 90s, "
        "30m, 2h: the time of this run, of which each problem gets an equal part; default: all "
        "legal tuples, or, where there are more than 262144, a sample of 65536",
        TOLD),
    OPT(TEXT, "[--model FILE.h]", &measured.model,
        "a model of the kernel, whose order is begun with"),
    OPT(TEXTS, "[--data FILE...]", &measured.data,
        "times of other problems and GPUs, as train reads them"),
    OPT_SAYS("Standard error has the first ten failures of each kind, the reason by which all "
             "launches of a problem failed, what was measured, and kpred-train's own processor "
             "time for each launch. An interrupt prints the command that goes on."),
    {.next = next_rows},
};

static int is_asked(int argc, char **argv, const char *option)
{
    const size_t n = strlen(option);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], option, n) == 0 && (argv[i][n] == '\0' || argv[i][n] == '='))
            return 1;
    return 0;
}

static const struct opt *form_asked(int argc, char **argv)
{
    const int all = is_asked(argc, argv, "--all");
    if (is_asked(argc, argv, "--help") || is_asked(argc, argv, "-h"))
        return measure_rows;
    if (is_asked(argc, argv, "--replay"))
        return all ? replay_all_rows : replay_rows;
    return is_asked(argc, argv, "--next") ? next_rows : all ? measure_all_rows : measure_rows;
}

/* The command line, as it was given */
static const char *own_line(int argc, char **argv)
{
    static struct next line;
    next_word(&line, commands_path);
    for (int i = 0; i < argc; i++)
        next_word(&line, argv[i]);
    return line.text.s;
}

static int measure_all(void)
{
    struct tune_lists given = lists;
    if ((servers.n > 0) == (lists.commands.n > 0))
        return (fail("give one of --run and --server"), 2);
    given.is_server = servers.n > 0;
    given.commands = given.is_server ? servers : lists.commands;
    return tune_all_run(&measured, &given);
}

static int tune_form(const struct opt *form)
{
    if (form == measure_rows)
        return tune_run(&measured);
    if (form == measure_all_rows)
        return measure_all();
    if (form == next_rows)
        return next_print(&next);
    return form == replay_rows ? replay_print(&replayed) : replay_all_print(&replayed_all);
}

int cmd_tune(int argc, char **argv)
{
    const struct opt *form = form_asked(argc, argv);
    measured.line = own_line(argc, argv);
    const int status = opts_parse(form, argc, argv);
    return opts_free(form, status < 0 ? tune_form(form) : status);
}
