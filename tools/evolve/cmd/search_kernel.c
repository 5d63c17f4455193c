/* search_kernel.c - `kpred-evolve search`: edits that make a kernel faster, into a log
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "kernel_options.h"
#include "search_options.h"
#include "story.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
    "usage: kpred-evolve search KERNEL HARNESS.c --function NAME -o RUN.log [--resume]\n"
    "                           [--method nsga2|climb|random] [--evaluations N] [--time S]\n"
    "                           [--population N] [--elite N] [--first-edits N]\n"
    "                           [--crossover PERCENT] [--mutation PERCENT] [--cflags=TEXT]\n"
    "                           [--oracle WHAT] [--baseline NAME] [--jobs N] [--timeout MS]\n"
    "                           [--memory MB] [--seed N]\n"
    "\n"
    "Looks for edits of the kernel's LLVM IR that make it faster while its outputs stay right on\n"
    "every case that is not held out. Each evaluation is a line of the log.\n"
    "\n";
struct kernel_search {
    struct session_options kernel;
    struct search_options search;
};

static int run(const struct kernel_search *o)
{
    struct session_options kernel = o->kernel;
    struct archive *a = NULL, *log = NULL;
    struct session s;
    struct story story;
    if (search_check_log(&o->search) != 0)
        return -1;
    /* The baseline was chosen when the log began: another measurement may choose another one. */
    if (!search_is_new(o->search.log)) {
        if (archive_read(&log, o->search.log, edit_operators) != 0)
            return -1;
        if (kernel.baseline == NULL)
            kernel.baseline = archive_value(log, "baseline");
    }
    int rc = session_open(&s, &kernel);
    if (rc == 0) {
        story_of(&story, &s, &o->search.plan);
        rc = archive_open(&a, o->search.log, o->search.resume, story.line, edit_operators);
        story_free(&story);
        rc = rc == 0 ? search_into(&o->search, &s.task, a) : -1;
        if (a != NULL)
            archive_close(a);
        session_close(&s);
    }
    if (log != NULL)
        archive_close(log);
    return rc;
}

int cmd_search(int argc, char **argv)
{
    struct kernel_search o;
    struct oracle oracle;
    struct opt table[KERNEL_OPTIONS + SEARCH_OPTIONS + 1];
    memset(table, 0, sizeof table);
    kernel_options(table, &o.kernel);
    search_options(table + KERNEL_OPTIONS, &o.search);
    char *help = kernel_help(head, search_options_help);
    const int status = opts_parse(table, help, argc, argv);
    free(help);
    if (status >= 0)
        return status;
    if (oracle_parse(o.kernel.oracle, &oracle) != 0
        || search_options_plan(&o.search, o.kernel.seed, oracle.most) != 0)
        return 2;
    return run(&o) != 0;
}
