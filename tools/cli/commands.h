/* commands.h - the subcommands of both programs; each takes its own name as argv[0] and returns the
   status to exit with: 0, 1 for trouble with what it was given, 2 for a wrong command line
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/formats.h"

extern const char *commands_path; /* how the program was called: argv[0] */

struct command {
    const char *name, *summary; /* summary: NULL for an old name, which no list has */
    int (*run)(int argc, char **argv);
};

/* Runs the command that argv[1] names; `help`, --help, --version and their short forms for the
   program itself. The table ends with a name NULL. */
int commands_run(const char *program, const struct command *table, int argc, char **argv);

/* Lines of a table for opts_parse, and those of several commands: `how` is a struct data_options,
   `form` a struct table_form. */
#define OPTION(option, type, where)                     \
    {                                                   \
        .name = (option), .kind = (type), .to = (where) \
    }
#define OPTION_COUNT(option, where, from, up_to)                                             \
    {                                                                                        \
        .name = (option), .kind = OPT_COUNT, .to = (where), .least = (from), .most = (up_to) \
    }
#define DATA_OPTIONS(how)                                                                       \
    OPTION("--gpu", OPT_TEXT, &(how).gpu), OPTION("--set", OPT_TEXTS, &(how).set),              \
        OPTION("--unit", OPT_TEXT, &(how).unit), OPTION("--nearest", OPT_FLAG, &(how).nearest), \
        OPTION("--lenient", OPT_FLAG, &(how).lenient)
#define FORM_OPTIONS(form) \
    OPTION("--csv", OPT_FLAG, &(form).csv), OPTION("--json", OPT_FLAG, &(form).json)

/* The table of all file formats */
extern const struct data_format readers[];

/* Adds to a command that a user would type next: a blank and a word, quoted if need be; an option
   with its value, if it has one; the files of --data; each --set. */
void next_word(struct buf *b, const char *word);
void next_option(struct buf *b, const char *option, const char *value);
void next_files(struct buf *b, const struct opt_texts *files);
void next_sets(struct buf *b, const struct opt_texts *set);

int cmd_models(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_miopen(int argc, char **argv);
int cmd_aiter(int argc, char **argv);
int cmd_triton(int argc, char **argv);
int cmd_serve(int argc, char **argv);

int cmd_ingest(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_relayout(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_shapes(int argc, char **argv);
int cmd_shapes_as_aiter(int argc, char **argv); /* --model in place of --config */
int cmd_kernels(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_tuples(int argc, char **argv);
