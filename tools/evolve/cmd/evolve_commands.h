/* evolve_commands.h - the commands of kpred-evolve, what they share: searches, sessions, libraries
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/evaluator.h"
#include "evolve/ir/ir.h"
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

/* ---- options of a search, and the search itself ---- */

enum { SEARCH_OPTIONS = 10 };

struct search_options {
    struct search_plan plan;
    const char *log;
    int resume, method;
    long crossover, mutation, seconds;
};

/* Their lines of a table for opts_parse, with the defaults put into *o; the end comes behind. */
void search_options(struct opt table[SEARCH_OPTIONS], struct search_options *o);
extern const char search_options_help[]; /* what --help says of them */
/* Fills the plan in; -1 after a message */
int search_options_plan(struct search_options *o, long seed, double most_error);

/* -1 after a message if there is a log that is not to be resumed: now, and not after long work */
int search_check_log(const struct search_options *o);
/* Opens the log with that story, which is freed, and searches, with progress on a terminal, until
   the budget is spent or a signal comes; then prints the front. */
struct story;
int search_of(const struct search_options *o, struct story *story, const struct task *task);

/* ---- fronts, and how a search went, for people to read ---- */

/* Columns log,method,seed,evaluations,point,time,gain,low,high,error,edits,effort,list: the gain in
   percent of the baseline's time, with a 95 % interval */
void front_heading(struct table *t);
void front_rows(struct table *t, const char *log, const struct archive *a);

/* Column list is long: broken over lines, or whole as CSV and JSON; t is freed. */
int front_print(struct table *t, struct table_form form);

/* The evaluations by outcome, one line */
void outcomes_print(const size_t counts[N_OUTCOMES], FILE *f);

/* ---- session.c: a kernel with its harness ready to be searched ---- */

struct session_options { /* of the command line, or of a log */
    const char *kernel, *function;
    const char *harness;      /* NULL: */
    const char *evaluate;     /* the command of an evaluator, which has the cases */
    const char *target, *cpu; /* of an evaluator, see struct ir_source */
    int form, barriers;       /* the same: an enum ir_form; may barriers be edited? */
    const char *cflags;       /* separated by blanks, NULL: none */
    const char *oracle;       /* see oracle_parse; NULL: exact */
    const char *baseline;     /* its name; NULL: the fastest */
    long jobs;                /* children at a time; 0: one for each processor */
    long timeout_ms;          /* of one candidate; 0: the usual one, or as an evaluator has it */
    long memory_mb;
    long seed;
};

struct session {
    struct session_options options;
    struct ir_source source;
    struct ir_kept kept;
    struct host *host; /* and trial; NULL where there is an evaluator */
    struct ir *ir;     /* behind the passes of the baseline */
    const struct ir_passes *passes;
    int has_source;    /* times are compared with the device's own build of the source */
    char baseline[32]; /* its name: "O3", "O3+source" */
    struct trial *trial;
    struct evaluator *evaluator;
    struct made *made; /* what it gets is made of; the ir is the session's */
    struct trial_plan plan;
    struct trial_code code;
    struct task task;
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

/* What these options say of a trial; its oracle is exact. jobs 0: one for each processor */
enum { SESSION_TIMEOUT_MS = 10000 }; /* the usual time limit */
struct trial_plan session_plan(long jobs, long timeout_ms, long memory_mb, long seed);

/* Reads and compiles kernel and harness, chooses the baseline and tries the unmodified kernel: 0,
   or -1 after a message. */
int session_open(struct session *s, const struct session_options *options);
void session_close(struct session *s);

/* "for.end (line 7), number 9": the blocks of the unedited kernel that no case enters, added to
   `out`; nothing where an evaluator runs it. -1 after a message */
int session_unentered(struct session *s, struct buf *out);
/* A line that says so, for people; NULL or "": no line */
void unentered_print(const char *log, const char *blocks);
extern const char unentered_key[]; /* in a log */

size_t session_cases(const struct session *s);
struct trial_case session_case(const struct session *s, size_t i);
const char *session_sizes(const struct session *s); /* their names, with blanks between */

/* ---- evaluated.c: the same with an evaluator in place of a harness ---- */

/* Do the options go together? -1 after a message */
int evaluated_check(const struct session_options *o);
/* Of a session whose options are set: evaluator, ir, passes and task; -1 after a message */
int evaluated_open(struct session *s);
struct story;
/* What the log says of it, and back; -1 after a message */
void evaluated_story(struct story *story, const struct session *s);
int evaluated_options(const struct archive *log, const char *path, struct session_options *o);
/* ---- a list tried on all cases, those that are held out too ---- */

/* 1 if it is valid on all, 0 if not, -1 after a message; the result goes into the archive. */
int judge_list(struct session *s, struct archive *a, const struct edits *list, struct result *out);

/* ---- story.c: what a log says of its search; session.c: and a session made again from it ---- */

enum { STORY_LINES = 24 };

struct story { /* to be freed */
    struct archive_story line[STORY_LINES + 1];
    size_t n;
};

void story_put(struct story *story, const char *key, const char *value);
void story_put_number(struct story *story, const char *key, double value);
/* The SHA-256 of a file, "" if it cannot be read */
void story_put_hash_of_file(struct story *story, const char *key, const char *path);
/* The method and its settings */
void story_put_plan(struct story *story, const struct search_plan *plan);

/* Numbers and texts that a log has; -1 after a message if one is not there */
struct story_text { /* the last one has no key */
    const char *key, **to;
};
int story_texts(const struct archive *log, const char *path, const struct story_text *texts);
int story_number(const struct archive *log, const char *path, const char *key, long *out);
/* A file that a log names: *path stays if it is there, else it is beside the log, *found, to be
   freed; -1 after a message: it is neither */
int story_find(const char *log, const char *key, const char **path, char **found);

/* Of a search: what has to be the same when it goes on */
void story_of(struct story *story, const struct session *s, const struct search_plan *plan);
/* Opens the log to go on with it: its values stand in place of those of a command line; what is
   read from files stays. Frees the story; -1 after a message */
int story_go_on(struct story *story, const struct archive *log, const char *path,
                struct archive **archive);
void story_free(struct story *story);

/* A log that is added to, with the session that it is of: kernel and harness are as they were */
struct logged {
    struct session session;
    struct archive *archive;
    struct archive *log; /* as it was found: the session's options are texts of it */
    char *found[2];      /* or these: the files beside it */
};

int logged_open(struct logged *run, const char *path, long jobs); /* jobs: see session_options */
void logged_close(struct logged *run);

/* ---- library.c: variants as one object, loaded and timed as it ships ---- */

enum { MAX_VARIANTS = 64 };

struct library {                   /* to be freed */
    struct buf object;             /* the bytes of NAME.o: functions NAME_v0, NAME_v1, ... */
    ev_kernel *code[MAX_VARIANTS]; /* of the object, loaded */
    void *handle;
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
void library_free(struct library *l);

/* What the commands that write one are asked for */
struct export_options {
    const char *log, *folder, *name;
    long k, jobs;
    int force;
};
enum { EXPORT_OPTIONS = 7 };

/* Their lines of a table for opts_parse, its end included, with the defaults put into *o; `most`:
   the most that k may be */
void export_options(struct opt table[EXPORT_OPTIONS], struct export_options *o, long most);

/* May `folder` take NAME.o, NAME.h, NAME.spec and NAME.csv? -1 after a message if it is no folder,
   if the name is no identifier, if one of them is there without --force, or if one is `data`, which
   the log names (NULL: none) */
int library_check(const char *folder, const char *name, int force, const char *data);

/* The declarations of the variants, and the table of them */
void library_put_table(struct buf *header, const char *name, size_t n_variants);

struct library_files {
    struct buf object, header, spec, csv; /* to be freed */
};

/* Writes NAME.o, if it is not empty, NAME.h, NAME.spec and NAME.csv: all before the first one takes
   its place. The folder is made. -1 after a message */
int library_write(const char *folder, const char *name, const struct library_files *files);
void library_free_files(struct library_files *files);
