/* process.h - runs programs, and what may do anything: in children that are locked in
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/process.h"

#include <sys/types.h>

/* ---- programs, and temporary folders ---- */

struct process_words { /* what a program is called with; all zero is empty */
    char **v;
    size_t n, cap;
};

void process_add(struct process_words *words, const char *word);
void process_add_all(struct process_words *words, const char *const *list); /* NULL ends it */
void process_free(struct process_words *words);
/* A new folder in TMPDIR; NULL after a message. What is in it goes when it is dropped, or when the
   program ends. */
const char *process_folder(void);
void process_drop_folder(const char *path); /* NULL: nothing */

/* Runs the program that the first word names; its standard input is the open file `input`, or
   nothing if that is NULL, and its standard output is appended to `out`. Its exit status; or -1
   after a message if it could not be started, or died of a signal. Signals that the caller holds
   back reach it. */
int process_run(struct process_words *words, FILE *input, struct buf *out);

/* ---- how a process gives up its rights for good ---- */

/* It dies when its parent dies, which is that process, and leads a process group of its own. -1 if
   the parent is gone already. */
int lock_to_parent(pid_t parent);
/* It may have so much more memory than it has now. -1 if that cannot be set. */
int lock_memory(size_t more_bytes);
/* Every signal ends the process again, or does what it does by default; none is blocked. */
void lock_signals(void);
/* Standard input, output and error become /dev/null, and `keep` becomes 3; all other open files are
   closed. -1 if that fails. */
int lock_files(int keep);
/* No file can be made or grow, no core be written, no process begun, no file opened. */
int lock_limits(void);
/* From here on every system call but clock_gettime and exit_group ends the process with SIGSYS.
   -1 with errno if the system has no such filters. */
int lock_calls(void);

/* ---- the end of the program where LLVM, MLIR or C++ gets no memory ---- */

/* Once, at the start: from then on it is as in util.h, a message and status 1. A forked child ends
   by SIGKILL, without a word. */
void no_memory_begin(void);

/* ---- sandbox.c: children that are locked in, shared areas with guards ---- */

/* A child is forked for each job. It may first prepare, with the rights of the parent. Then it
   locks itself in: a filter of system calls that leaves clock_gettime and exit_group, limits of
   processor time, memory, files and processes, a timer, its own process group, and death when the
   parent dies. Only then it runs the job. Whatever it does there, the parent reads nothing from it
   but the shared areas, and nothing of these that it does not check. Linux, x86-64 and aarch64. */

/* On which side of an area a touch ends the process. The rest of the area's pages, on the other
   side, is its margin: it is filled with a pattern, so that writes to it are seen. */
enum guarded_side {
    GUARDED_BEHIND, /* the area ends where its pages end */
    GUARDED_BEFORE  /* the area begins where its pages begin */
};

/* Memory that parent and children share: n areas, each between pages that nobody may touch */
struct guarded {
    size_t n;
    struct guarded_area {
        unsigned char *at;
        size_t bytes;
        unsigned char *pages; /* where its pages begin */
        size_t page_bytes;    /* of all of them */
    } * area;
    unsigned char *map;
    size_t map_bytes;
};

/* All bytes are 0. -1 after a message */
int guarded_make(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side);
/* The same at an address below all that guarded_make makes, where the system has room there. */
int guarded_make_low(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side);
/* The same with closed pages at both ends alone, and each area at the beginning of its pages: a
   process with thousands of areas is slow to fork. */
int guarded_pack(struct guarded *g, const size_t *bytes, size_t n);
void guarded_free(struct guarded *g);
/* Of all areas: are the margins as guarded_make left them? */
int guarded_margins_hold(const struct guarded *g);
void guarded_mend(const struct guarded *g); /* fills the margins anew */
/* From now on no process that is forked, nor this one, can write to the areas. */
int guarded_seal(struct guarded *g);

/* ---- children ---- */

struct sandbox_limits {
    double seconds; /* of real time, from the fork on, preparing included */
    unsigned cpu_seconds;
    size_t memory_bytes; /* beyond what the parent has */
};

enum sandbox_end {
    SANDBOX_DONE,       /* it ran to its end and exited with status 0 */
    SANDBOX_REFUSED,    /* `prepare` said no, with `code` */
    SANDBOX_UNPREPARED, /* it died while it prepared */
    SANDBOX_CRASHED,    /* a signal, or an exit that was not the end of `run` */
    SANDBOX_TIMED_OUT
};

enum { SANDBOX_EXITED = 256 };

struct sandbox_job {
    /* Both are called in the child. prepare: 0, or a code 1..63 to end with; NULL: nothing */
    int (*prepare)(void *user);
    void (*run)(void *user);
    void *user;
    double run_seconds; /* most processor time of `run`; 0: what the limits leave */
};

struct sandbox; /* one child at a time */

int sandbox_open(struct sandbox **s, const struct sandbox_limits *limits);
/* Runs the job to its end: all processes of it are gone then. *code is that of `prepare`, else the
   signal that ended the child, else SANDBOX_EXITED + the status it exited with. -1 after a message
   if there can be no child. */
int sandbox_run(struct sandbox *s, const struct sandbox_job *job, enum sandbox_end *end, int *code);
void sandbox_close(struct sandbox *s);

/* ---- crew.c: processes that stay, and answer one request after another ---- */

/* What LLVM needs for a candidate is quickest in a process that has compiled others; but LLVM may
   end its process, or never come back. So each member of a crew is a process of its own, which is
   replaced when it dies, takes too long, or has answered often. It knows what its parent knew when
   it was forked. */

struct crew_work {
    void *user;
    /* Both are called in a member, which has no files open. begin: 0, else it ends; may be NULL */
    int (*begin)(void *user);
    void (*answer)(void *user, const void *request, size_t bytes, void *reply);
    size_t reply_bytes;
    double seconds;      /* most for an answer, of real time */
    size_t memory_bytes; /* beyond what the parent has */
    int turns;           /* answers of a member */
};

enum crew_end { CREW_IDLE, CREW_ANSWERED, CREW_DIED, CREW_LATE };

struct crew;

int crew_open(struct crew **c, int jobs, const struct crew_work *work);
int crew_room(const struct crew *c); /* how many more requests may be made now */
/* `tag` comes back with the answer. -1 after a message if there can be no process. */
int crew_ask(struct crew *c, const void *request, size_t bytes, size_t tag);
/* Waits for the next end: CREW_ANSWERED with a reply, or CREW_IDLE if nothing was asked. */
enum crew_end crew_wait(struct crew *c, size_t *tag, void *reply);
void crew_close(struct crew *c); /* ends all of them, whatever they do */
