/* session.h - a kernel with its harness ready to be searched, and what a log says of its search
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/ir/ir.h"
#include "evolve/search.h"
#include "evolve/trial.h"

/* ---- a session ---- */

struct session_options { /* of the command line, or of a log */
    const char *kernel, *harness, *function;
    const char *cflags;   /* separated by blanks, NULL: none */
    const char *oracle;   /* see oracle_parse; NULL: exact */
    const char *baseline; /* its name; NULL: the fastest */
    long jobs;            /* children at a time; 0: one for each processor */
    long timeout_ms;      /* of one candidate */
    long memory_mb;
    long seed;
};

struct session {
    struct session_options options;
    struct host *host;
    struct ir *ir; /* behind the passes of the baseline */
    const struct ir_passes *passes;
    struct trial *trial;
    struct trial_plan plan;
    struct trial_code code;
    struct task task;
    char **flags;
    double us[IR_BASELINES][TASK_CASES]; /* of all baselines by case, if they were compared */
    size_t sizes[IR_BASELINES];          /* their instructions */
};

/* `exact`; `REL,FLOOR`: |got - want| / max(|want|, FLOOR) is at most REL; `harness,MOST`: what
   the harness's function returns is at most MOST. 0, or -1 with a message. */
int oracle_parse(const char *text, struct oracle *out);

/* The passes of that baseline, or NULL */
const struct ir_passes *baseline_of(const char *name);

/* The words of a text (NULL: none), NULL at their end; one block, to be freed */
char **words_of(const char *text);

/* What these options say of a trial; its oracle is exact. jobs 0: one for each processor */
struct trial_plan session_plan(long jobs, long timeout_ms, long memory_mb, long seed);

/* Reads and compiles kernel and harness, chooses the baseline and tries the unmodified kernel: 0,
   or -1 after a message. */
int session_open(struct session *s, const struct session_options *options);
void session_close(struct session *s);

/* ---- a list tried on all cases, those that are held out too ---- */

/* 1 if it is valid on all, 0 if not, -1 after a message; the result goes into the archive. */
int judge_list(struct session *s, struct archive *a, const struct edits *list, struct result *out);

/* ---- what a log says of its search, and a session made again from it ---- */

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
};

int logged_open(struct logged *run, const char *path, long jobs); /* jobs: see session_options */
void logged_close(struct logged *run);
