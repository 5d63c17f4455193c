/* ml_search.c - `kpred-evolve ml`: edits that make a network faster, or more right, into a log
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "ml_session.h"
#include "search_options.h"

#include "base/outputs.h"

#include <string.h>

static const char head[] =
    "usage: kpred-evolve ml MODULE.mlir --data IMAGES.csv -o RUN.log [--resume]\n"
    "                       [--function NAME] [--split N] [--worse POINTS] [--steps N]\n"
    "                       [--method nsga2|climb|random] [--evaluations N] [--time S]\n"
    "                       [--population N] [--elite N] [--first-edits N]\n"
    "                       [--crossover PERCENT] [--mutation PERCENT] [--jobs N]\n"
    "                       [--timeout MS] [--memory MB] [--seed N]\n"
    "\n"
    "Looks for edits of a network's tensor operations that save time, and sees how many labels\n"
    "become wrong by them. Each evaluation is a line of the log.\n"
    "\n"
    "  MODULE.mlir        an MLIR module with linalg on tensors, or TOSA: from a batch of images\n"
    "                     to a number for each label, the largest for the likeliest; or a step of\n"
    "                     training, as network --step writes it\n"
    "  --data FILE        labelled images as CSV; the first column is label, from 0 on\n"
    "  --function NAME    the function (default: the only one of the module)\n"
    "  --split N          which fifth of the images is for tests alone: 1 to 5 (default 1)\n"
    "  --worse POINTS     the most points of error more than the module's, in percent of the\n"
    "                     images that the search sees (default 10)\n"
    "  --steps N          of training, before the network that is trained is asked for labels\n"
    "                     (default 100)\n"
    "  --jobs N           candidates at a time (default: one for each processor)\n"
    "  --timeout MS       the most time that one candidate runs (default 10000)\n"
    "  --memory MB        the most memory of one candidate (default 1024)\n"
    "  --seed N           of all that is drawn (default 1)\n";

struct ml_search {
    struct ml_options ml;
    struct search_options search;
};

static int run(const struct ml_search *o)
{
    struct ml_session s;
    struct story story;
    struct archive *a = NULL;
    const struct output to = {"-o", o->search.log};
    if (outputs_check_input(&to, 1, "MODULE.mlir", o->ml.module) != 0
        || outputs_check_input(&to, 1, "--data", o->ml.data) != 0
        || search_check_log(&o->search) != 0 || ml_session_open(&s, &o->ml) != 0)
        return -1;
    ml_story(&story, &s, &o->search.plan);
    int rc = archive_open(&a, o->search.log, o->search.resume, story.line, edit_operators);
    story_free(&story);
    rc = rc == 0 ? search_into(&o->search, &s.task, a) : -1;
    if (a != NULL)
        archive_close(a);
    ml_session_close(&s);
    return rc;
}

int cmd_ml(int argc, char **argv)
{
    struct ml_search o = {.ml = {.split = 1, .worse = 10, .steps = 100, .seed = 1}};
    struct ml_options *m = &o.ml;
    const struct opt own[] = {
        {.name = "MODULE.mlir", .kind = OPT_TEXT, .to = &m->module, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXT, .to = &m->data, .is_required = 1},
        {.name = "--function", .kind = OPT_TEXT, .to = &m->function},
        {.name = "--split", .kind = OPT_COUNT, .to = &m->split, .least = 1, .most = IMAGES_SPLITS},
        {.name = "--worse", .kind = OPT_COUNT, .to = &m->worse, .least = 0, .most = 100},
        {.name = "--steps", .kind = OPT_COUNT, .to = &m->steps, .least = 1, .most = 100000},
        {.name = "--jobs", .kind = OPT_COUNT, .to = &m->jobs, .least = 1, .most = 256},
        {.name = "--timeout", .kind = OPT_COUNT, .to = &m->timeout_ms, .least = 1, .most = 600000},
        {.name = "--memory", .kind = OPT_COUNT, .to = &m->memory_mb, .least = 1, .most = 1 << 20},
        {.name = "--seed", .kind = OPT_COUNT, .to = &m->seed, .least = 0, .most = INT32_MAX},
    };
    enum { OWN = sizeof own / sizeof *own };
    struct opt table[OWN + SEARCH_OPTIONS + 1];
    struct buf help = {0};
    memset(table, 0, sizeof table);
    memcpy(table, own, sizeof own);
    search_options(table + OWN, &o.search);
    m->timeout_ms = 10000;
    m->memory_mb = 1024;
    buf_puts(&help, head);
    buf_puts(&help, search_options_help);
    const int status = opts_parse(table, help.s, argc, argv);
    buf_free(&help);
    if (status >= 0)
        return status;
    if (search_options_plan(&o.search, m->seed, 1) != 0)
        return 2;
    return run(&o) != 0;
}
