/* commands.h - the subcommands of both programs; each takes its own name as argv[0] and returns the
   status to exit with: 0, 1 for trouble with what it was given, 2 for a wrong command line
   SPDX-License-Identifier: MIT */
#pragma once

extern const char *commands_path; /* how the program was called: argv[0] */

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

/* Runs the command that argv[1] names; `help`, --help, --version and their short forms for the
   program itself. The table ends with a name NULL. */
int commands_run(const char *program, const struct command *table, int argc, char **argv);

int cmd_models(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_miopen(int argc, char **argv);
int cmd_aiter(int argc, char **argv);

int cmd_ingest(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_relayout(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_aiter_model(int argc, char **argv);
int cmd_kernels(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_merge(int argc, char **argv);
