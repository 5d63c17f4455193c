/* evolve_commands.h - the commands of kpred-evolve, what they share: searches, sessions, libraries
   SPDX-License-Identifier: MIT */
#pragma once

#include "evaluator.h"

#include "evolve/search.h"

#include "base/opts.h"
#include "base/table.h"

/* ---- the commands ---- */

/* Each takes its own name as argv[0] and returns the status to exit with: 0, 1 for trouble with
   what it was given, 2 for a wrong command line. */

int cmd_check_kernel(int argc, char **argv);
int cmd_search(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_minimise(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_emit(int argc, char **argv);
int cmd_network(int argc, char **argv);
int cmd_ml(int argc, char **argv);
int cmd_ml_report(int argc, char **argv);
int cmd_ml_export(int argc, char **argv);

/* ---- fronts, and how a search went, for people to read ---- */

/* Columns log,method,seed,evaluations,point,time,gain,low,high,error,edits,effort,list: the gain in
   percent of the baseline's time, with a 95 % interval */
void front_heading(struct table *t);
void front_rows(struct table *t, const char *log, const struct archive *a);

/* Column list is long: broken over lines, or whole as CSV and JSON. */
int front_print(const struct table *t, struct table_form form);

/* Cells of a table: time, gain, low, high; a list of edits */
void cells_of_time(struct table *t, const struct result *r);
void cell_of_list(struct table *t, const struct edits *list);

/* -1 after a message if nothing is left of so many edits */
int minimised_check(const struct minimised *m, size_t n_before);
/* "12.3 % of the gain, only together with others" */
void kept_print(const struct kept_edit *k);
/* "gain 12.30 % (95 % interval 11.02 to 13.58) of OF; edits: 2 of 5"; `more` stands behind the
   interval. */
void gain_print(const struct minimised *m, const struct result *r, size_t n_before,
                const char *more, const char *of);

/* The evaluations by outcome, one line */
void outcomes_print(const size_t counts[N_OUTCOMES], FILE *f);

/* ---- session.c: a kernel with its harness ready to be searched ---- */

struct session_options {  /* of the command line, or of a log */
    const char *program;  /* the kernel, or the module */
    const char *function; /* NULL: the only one of a module */
    const char *cases;    /* the harness, or labelled images; NULL: an evaluator has them */
    long jobs;            /* children at a time; 0: one for each processor */
    long timeout_ms;      /* of one candidate; 0: the usual one, or as an evaluator has it */
    long memory_mb;
    long seed;
    /* of a kernel */
    const char *evaluate;     /* the command of an evaluator */
    const char *target, *cpu; /* of an evaluator, see struct ir_source */
    int form, barriers;       /* the same: an enum ir_form; may barriers be edited? */
    const char *cflags;       /* separated by blanks, NULL: none */
    const char *oracle;       /* see oracle_parse; NULL: exact */
    const char *baseline;     /* its name; NULL: the fastest */
    /* of a module */
    long split; /* 1..5 */
    long worse; /* points of error that a candidate may have more than the module */
    long steps; /* of training, where the module is a step of it */
};

/* Rows that several commands have, see opts.h; `o` is a struct session_options, and `more` what is
   said of the default. */
#define OF_ANSWERS \
    ", for an answer of an evaluator 1s and twice what the first one took for the unedited kernel"
#define JOBS_ROW(where)                           \
    OPT_RANGE(COUNT, "[--jobs N]", where, 1, 256, \
              "candidates at a time, by default one for each processor")
#define SESSION_ROWS(o, more)                                                                    \
    JOBS_ROW(&(o).jobs),                                                                         \
        OPT_RANGE(MILLISECONDS, "[--timeout TIME]", &(o).timeout_ms, 1, 600000,                  \
                  "the most time that one candidate runs, in seconds or as 200ms, 5s or 2m; by " \
                  "default 10s" more),                                                           \
        OPT_RANGE(COUNT, "[--memory MB]", &(o).memory_mb, 1, 1 << 20,                            \
                  "the most memory of one candidate"),                                           \
        OPT_RANGE(COUNT, "[--seed N]", &(o).seed, 0, INT32_MAX, "of all that is drawn")
#define KERNEL_ROW(where) \
    OPT(TEXT, "KERNEL", where, "C (.c), OpenCL C (.cl), LLVM IR (.ll) or bitcode (.bc)")
#define FUNCTION_ROW(where) OPT(TEXT, "--function NAME", where, "the function of KERNEL")
#define TARGET_ROWS(target, cpu, barriers, flags)                                    \
    OPT(TEXT, "[--target TRIPLE]", target,                                           \
        "the target, such as amdgcn-amd-amdhsa (default: this machine)"),            \
        OPT(TEXT, "[--cpu NAME]", cpu, "a processor of the target, such as gfx90a"), \
        OPT(FLAG, "[--barriers]", barriers, "barriers may be edited, too"),          \
        OPT(TEXT, "[--cflags=TEXT]", flags,                                          \
            "more options for clang, separated by blanks, such as \"-DN=4 -g\"")
#define FORMS "; code-object: AMD's, linked by lld-16; PTX is the asm of nvptx64-nvidia-cuda"
#define KERNEL_ROWS(o)                                                                            \
    KERNEL_ROW(&(o).program),                                                                     \
        OPT(TEXT, "[HARNESS.c]", &(o).cases,                                                      \
            "cases, buffers and the call: see tools/evolve/README.md"),                           \
        FUNCTION_ROW(&(o).function),                                                              \
        OPT(TEXT, "[--evaluate COMMAND]", &(o).evaluate,                                          \
            "a program that runs candidates, in place of HARNESS.c, such as on a GPU: see "       \
            "tools/evolve/examples/evaluator.h"),                                                 \
        OPT(CHOICE, "[--form " IR_FORM_NAMES "]", &(o).form, "what it gets" FORMS),               \
        TARGET_ROWS(&(o).target, &(o).cpu, &(o).barriers, &(o).cflags),                           \
        OPT(TEXT, "[--oracle WHAT]", &(o).oracle,                                                 \
            "which outputs are right: exact (default), bit for bit; REL,FLOOR: the error |got - " \
            "want| / max(|want|, FLOOR) is at most REL; harness,MOST: what the harness's own "    \
            "function returns is at most MOST"),                                                  \
        OPT(TEXT, "[--baseline NAME]", &(o).baseline,                                             \
            "what the times are compared with, such as O3-native (default: the fastest of six, "  \
            "which check prints)")
#define SPLIT_ROW(where)                                             \
    OPT_RANGE(COUNT, "[--split 1|2|3|4|5]", where, 1, IMAGES_SPLITS, \
              "which fifth of the images is for tests alone")
#define LOG_ROW(where) \
    OPT(TEXT, "RUN.log", where, "the log of a search; what is timed is appended to it")

struct session;
struct story;

/* What there is to search: a kernel with its harness or an evaluator, or a module with images */
struct session_way {
    const char *command;                /* that exports what a search found */
    const char *key, *key_of_cases;     /* of the program, in a log */
    const char *input, *input_of_cases; /* of a log that no output may overwrite, for messages */
    int (*open)(struct session *s);     /* reads, compiles and tries; -1 after a message */
    void (*close)(struct session *s);
    /* What the log says of it, but for what all say, and back; -1 after a message */
    void (*tell)(struct story *story, const struct session *s);
    int (*recall)(const struct archive *log, const char *path, struct session_options *o);
};
extern const struct session_way of_kernel;

struct session {
    struct session_options options;
    const struct session_way *way;
    struct trial_plan plan;
    struct trial_code code;
    struct task task;
    struct module *module; /* of a module all that is its own; the rest is of a kernel */
    struct ir_source source;
    struct ir_kept kept;
    struct host *host; /* and trial; NULL where there is an evaluator */
    struct ir *ir;     /* behind the passes of the baseline */
    const struct ir_passes *passes;
    int has_source;    /* times are compared with the device's own build of the source */
    char baseline[32]; /* its name: "O3", "O3+source" */
    struct trial *trial;
    struct evaluator *evaluator;
    const struct known_cases *cases;
    char **flags;
    double us[IR_BASELINES + 1][TASK_CASES]; /* of all baselines by case, if they were compared, and
                                                of the source */
    size_t sizes[IR_BASELINES + 1];          /* their instructions; 0: not compared */
};

/* `exact`; `REL,FLOOR`: |got - want| / max(|want|, FLOOR) is at most REL; `harness,MOST`: what
   the harness's function returns is at most MOST. 0, or -1 with a message. */
int oracle_parse(const char *text, struct oracle *out);

/* The words of a text (NULL: none), NULL at their end; one block, to be freed */
char **words_of(const char *text);

int session_open(struct session *s, const struct session_options *options,
                 const struct session_way *way);
void session_close(struct session *s);

/* "for.end (line 7), number 9": the blocks of the unedited kernel that no case enters, added to
   `out`; nothing where an evaluator runs it. -1 after a message */
int session_unentered(struct session *s, struct buf *out);
/* A line that says so, for people; NULL or "": no line */
void unentered_print(const char *log, const char *blocks);
extern const char unentered_key[]; /* in a log */

/* Of the options: do those of a harness and of an evaluator go together? -1 after a message */
int evaluated_check(const struct session_options *o);
/* The most that a candidate runs; an evaluator has limits of its own if none is given */
long session_timeout_ms(const struct session_options *o);
/* For of_kernel */
int kernel_open(struct session *s);
void kernel_close(struct session *s);

/* ---- search.c: what commands that search share ---- */

struct searching { /* its session is begun with the defaults that are the command's own */
    struct session_options session;
    struct search_plan plan;
    const char *log;
    int resume, method;
    long crossover, mutation, seconds;
};

/* The rows of a search, `o` a struct searching, and its defaults, with those of its session */
#define SEARCH_ROWS(o)                                                                       \
    OPT(TEXT, "-o RUN.log", &(o).log,                                                        \
        "the log, which is not there yet and gets a line for each evaluation"),              \
        OPT(FLAG, "[--resume]", &(o).resume,                                                 \
            "goes on from the log: nothing in it is evaluated again"),                       \
        OPT(CHOICE, "[--method nsga2|climb|random]", &(o).method,                            \
            "nsga2, as GEVO does; climb: hill climbing"),                                    \
        OPT_RANGE(COUNT, "[--evaluations N]", &(o).plan.evaluations, 1, 100000000,           \
                  "the most candidates that run"),                                           \
        OPT_RANGE(COUNT, "[--time S]", &(o).seconds, 1, 100000000,                           \
                  "the most seconds, by default without a limit"),                           \
        OPT_RANGE(COUNT, "[--population N]", &(o).plan.population, 4, 65536, "of nsga2"),    \
        OPT_RANGE(COUNT, "[--elite N]", &(o).plan.elite, 0, 65536,                           \
                  "the best that survive a generation of nsga2, fewer than the population"), \
        OPT_RANGE(COUNT, "[--first-edits N]", &(o).plan.first_edits, 1, 64,                  \
                  "the edits of each in its first generation"),                              \
        OPT_RANGE(COUNT, "[--crossover PERCENT]", &(o).crossover, 0, 100,                    \
                  "the chance that two parents are crossed"),                                \
        OPT_RANGE(COUNT, "[--mutation PERCENT]", &(o).mutation, 0, 100,                      \
                  "the chance that a child gets one more edit")
void searching_begin(struct searching *o);
/* Fills the plan in; -1 after a message */
int search_plan_of(struct searching *o, double most_error);
/* Opens session and log, and searches, with progress on a terminal, until the budget is spent or a
   signal comes; then prints the front. -1 after a message, at once if there is a log that is not to
   be resumed */
int search_session(const struct searching *o, const struct session_way *way);

/* ---- a list tried on all cases, those that are held out too ---- */

/* 1 if it is valid on all, 0 if not, -1 after a message; the result goes into the archive. */
int judge_list(struct session *s, struct archive *a, const struct edits *list, struct result *out);

/* ---- what a log says of its search, and a session made again from it ---- */

enum { STORY_LINES = 24 };

struct story { /* to be freed */
    struct log_pair line[STORY_LINES + 1];
    size_t n;
};

void story_put(struct story *story, const char *key, const char *value);
void story_put_number(struct story *story, const char *key, double value);
/* The SHA-256 of a file, "" if it cannot be read */
void story_put_hash_of_file(struct story *story, const char *key, const char *path);

/* Numbers and texts that a log has; -1 after a message if one is not there */
struct story_text { /* the last one has no key */
    const char *key, **to;
};
int story_texts(const struct archive *log, const char *path, const struct story_text *texts);
int story_number(const struct archive *log, const char *path, const char *key, long *out);

/* Of a search: what has to be the same when it goes on */
void story_of(struct story *story, const struct session *s, const struct search_plan *plan);
void story_free(struct story *story);

/* A log that is added to, with the session that it is of: program and cases are as they were */
struct logged {
    struct session session;
    struct archive *archive;
    struct archive *log; /* as it was found: the session's options are texts of it */
    char *found[2];      /* or these: the files beside it */
};

/* -1 after a message, also if the log's program or cases would be overwritten by one of the
   outputs; jobs: see session_options */
int logged_open(struct logged *run, const char *path, const struct session_way *way, long jobs,
                const struct output *to, size_t n_to);
void logged_close(struct logged *run);

/* ---- library.c: variants, as one object, loaded and timed as it ships, and as files ---- */

enum { MAX_VARIANTS = 64 }; /* of a library */

struct variant {
    struct edits list;
    struct result result;  /* of a kernel on all cases, of a module in the search */
    double us[TASK_CASES]; /* of the timed cases, as it ships; else 0 */
    double error[3];       /* of a module as it ships; by its enum exam_part */
};

struct variants { /* all zero: none; to be freed */
    struct variant *v;
    size_t n, cap;
};

struct variant *variants_add(struct variants *v, const struct edits *list,
                             const struct result *result);
void variants_drop(struct variants *v, size_t i); /* the order of the others stays */
int variants_have(const struct variants *v, const struct edits *list);
void variants_free(struct variants *v);

struct library {                   /* to be freed */
    struct buf object;             /* the bytes of NAME.o: functions NAME_v0, NAME_v1, ... */
    ev_kernel *code[MAX_VARIANTS]; /* of the object, loaded */
    void *handle;
    uint64_t arena; /* of modules: bytes that the one that takes most needs */
};

struct library_parts { /* the objects that are linked to one */
    void *user;
    /* Writes the part i into a file that is not there; -1 after a message */
    int (*write)(void *user, size_t i, const char *path);
    size_t n, n_variants;
    const char *name;
};

/* -1 after a message */
int library_make(const struct library_parts *parts, struct library *out);
/* Sets each variant's times, as trial_compare has them. */
int library_time(const struct library *l, const struct host *host, const struct trial_plan *plan,
                 struct variants *v);
void library_free(struct library *l);

/* ---- library.c: the commands that write one ---- */

/* `most`: variants; `first`: what is the first of them */
#define EXPORT_ROWS(o, most, first, why)                                                           \
    LOG_ROW(&(o).log), OPT(TEXT, "-o FOLDER", &(o).folder, "made if it is not there"),             \
        OPT_RANGE(COUNT, "[-k K]", &(o).k, 1, most,                                                \
                  "the most variants, the " first " included" why),                                \
        OPT(TEXT, "[--name NAME]", &(o).name, "a C identifier (default: the function)"),           \
        JOBS_ROW(&(o).jobs),                                                                       \
        OPT(FLAG, "[--force]", &(o).force,                                                         \
            "replace files of FOLDER that are there; without it they are refused before anything " \
            "is timed")

struct export_options {
    const char *log, *folder, *name; /* name: by default the function */
    long k, jobs;
    int force;
};

struct library_files {
    struct buf header, spec, csv;
};

struct export_way {
    const struct session_way *of;
    /* Each gives -1 after a message. Chooses at most k variants, the first of which is as it is; */
    int (*choose)(struct logged *run, size_t k, struct variants *out);
    /* makes what ships, and times it; */
    int (*make)(struct session *s, struct variants *v, const char *name, struct library *out);
    int (*prune)(struct variants *v); /* drops one that gains nothing so: 0 if there is none */
    int (*put)(const struct export_options *o, const struct session *s, const struct variants *v,
               const struct library *l, struct library_files *out);
    void (*say)(const struct variants *v); /* more of them; may be NULL */
};

/* Opens the log and makes the library: the status to exit with */
int export_run(const struct export_way *way, struct export_options *o);

/* The opening comment, with nothing behind; the edits of each; the declarations, and the
   table of them */
void library_put_title(struct buf *header, const char *name, const struct session *s);
void library_put_edits(struct buf *header, const struct variants *v);
void library_put_table(struct buf *header, const char *name, size_t n_variants);
/* The spec up to the values of the parameter: what a variant is wanted for, and the fields */
void library_put_spec(struct buf *spec, const char *name, const struct session *s,
                      const char *purpose, const char *fields, size_t n_variants);
