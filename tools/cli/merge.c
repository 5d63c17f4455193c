/* merge.c - `kpred-train merge`: the files of several tuners into one
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/outputs.h"
#include "tune/results.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-train merge FILE... -o FILE.csv [--force]\n"
    "\n"
    "Joins what several runs of tune have written, such as its shards, into one file.\n"
    "\n"
    "  FILE...      files that tune has written for one spec, maybe with .gz or .bz2; a last line\n"
    "               without an end is left out\n"
    "  -o FILE.csv  all their rows, in the order of the files, written whole or not at all\n"
    "  --force      replace FILE.csv if it is there\n"
    "\n"
    "A row that stands there several times counts once. Rows that give one tuple of a problem\n"
    "two times are an error, and nothing is written. Exit status: 0, 1 for trouble with the\n"
    "files, 2 for a wrong command line.\n";

int cmd_merge(int argc, char **argv)
{
    struct opt_texts files;
    struct output to = {"-o", NULL};
    int force = 0;
    const struct opt table[] = {
        {.name = "FILE", .kind = OPT_TEXTS, .to = &files, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &to.path, .is_required = 1},
        {.name = "--force", .kind = OPT_FLAG, .to = &force},
        {.name = NULL},
    };
    memset(&files, 0, sizeof files);
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = outputs_check_inputs(&to, 1, "FILE", &files) != 0
                 || join_files(files.v, files.n, to.path, force) != 0;
    free(files.v);
    return status;
}
