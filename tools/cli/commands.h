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

/* Rows that several commands have, see opts.h; `how` is a struct data_options. */
#define UNIT_OPTION(where) \
    OPT(TEXT, "[--unit s|ms|us|ns]", where, "of times in .json files that say none; default: ms")
#define DATA_OPTIONS(how)                                                                          \
    OPT(TEXT, "[--gpu GPU]", &(how).gpu,                                                           \
        "the GPU of files that do not say it; default: the start of their names, up to the first " \
        "`.` or `-`, of files of other tuners the piece of the name that is a GPU. Words such as " \
        "PCIE, SXM4 and 80GB behind a `-` belong to it"),                                          \
        OPT(TEXTS, "[--set FIELD=VALUE...]", &(how).set,                                           \
            "the value of a field in files that do not say it, such as problem_size_x=4096"),      \
        UNIT_OPTION(&(how).unit),                                                                  \
        OPT(FLAG, "[--nearest]", &(how).nearest,                                                   \
            "for a GPU that the spec or model lacks, take the nearest that it has, if it is one "  \
            "of runs_on"),                                                                         \
        OPT(FLAG, "[--lenient]", &(how).lenient, "drop and count rows that would be an error")
#define SEED_OPTION(where) \
    OPT_RANGE(COUNT, "[--seed N]", where, 0, INT32_MAX, "of all that is random")
#define OUTPUT_OPTIONS(file, where, forced)                                                      \
    OPT(TEXT, "[-o " file, where, "write there, whole or not at all; default: standard output"), \
        OPT(FLAG, "[--force]]", forced, "replace " file " if it is there")
#define NEAREST_OPTION(where)       \
    OPT(FLAG, "[--nearest]", where, \
        "for a GPU that was not trained, take the nearest that was, if the kernel runs there")
#define SPEC_OPERAND "the kernel's .spec file"
#define DATA_FILES   "tuning results: files of any kind that `kpred-train ingest --help` lists"
#define INCLUDE_DIR(usual)                                                                      \
    "what stands before kpred.h in the #include of the header, a path that ends with a slash, " \
    "such as ../ (default: " usual ")"
#define MODEL_OPERAND "a built-in model (`kpred models`), or a header that kpred-train wrote"

/* The table of all file formats */
extern const struct data_format readers[];

/* A command as a user would type it, all zero at first; `text` is to be freed. In a header's
   comment, `is_story`, it is broken into lines, and files are named without their folders. */
struct next {
    struct buf text;
    int is_story;
    size_t column;
};

/* Each adds words, quoted if need be: an option with its value, if it has one; with files, if there
   are some; how data are read. */
void next_word(struct next *c, const char *word);
void next_option(struct next *c, const char *option, const char *value);
void next_files(struct next *c, const char *option, const struct opt_texts *files);
void next_sets(struct next *c, const struct opt_texts *set);
void next_how(struct next *c, const struct data_options *how);

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
int cmd_kernels(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_tuples(int argc, char **argv);
int cmd_report_page(int argc, char **argv);

/* ---- the part of a page (base/page.h) that holds models as WebAssembly, and asks them ---- */

/* Of headers that kpred-train wrote, by their paths, and the models in them: clang and lld compile
   them. Where these are missing the page says so. 0, or -1 with a message. */
int explore_add(struct buf *page, const char *const *paths, const struct model *const *models,
                size_t n);
