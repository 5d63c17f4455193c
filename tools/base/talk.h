/* talk.h - a command of the user's: begun, asked, heard, and ended with all that it started
   SPDX-License-Identifier: MIT */
#pragma once

#include "process.h"

/* A command runs in a process group of its own, which the keeper of process.h ends with this
   process. It may crash, hang, write what it likes, and leave its group. */
struct talk {
    const char *command; /* a line of the shell */
    char *const *word;   /* its arguments "$@"; NULL: it gets lines on its standard input instead */
    size_t n_words;
    char *const *environment; /* NULL: ours */
    char *said;               /* the path of a file for its standard error; NULL: ours gets it */
    pid_t pid;                /* 0: it does not run */
    int in, out;              /* our ends of its standard input and output; -1: none */
    int err;                  /* of its standard error, where ours is a terminal; else -1 */
    int status;               /* of its last end, as of waitpid */
    struct buf told;          /* on `err`, a line that has not ended; others are passed on */
    struct buf got;           /* read, but not taken as a line yet */
    size_t begun;             /* bytes of the next question that it has */
};

enum talk_news {
    TALK_BYTES, /* it wrote something, or closed its output */
    TALK_ENDED,
    TALK_LATE,
    TALK_STOP, /* a signal asks this process to end */
    TALK_LINE,
    TALK_TOO_LONG, /* the line is */
    TALK_READS     /* it has read what it was sent */
};

/* For a process that has no other children: signals that end it wait until talk_wait, and on Linux
   what leaves the group of a command ends with it. To be called before all else. 0, or -1 with a
   message. */
int talk_ready(void);
/* Has a signal asked this process to end? */
int talk_must_stop(void);
/* If so, ends it by that signal. */
void talk_die_of_signal(void);

/* 0, or -1 after a message */
int talk_begin(struct talk *t);
void talk_stop(struct talk *t);   /* ends it, now; what it wrote can still be taken */
void talk_close(struct talk *t);  /* its pipes */
void talk_end(struct talk *t);    /* both, if it runs */
void talk_finish(struct talk *t); /* the same, but it may first end by itself for a moment */

/* Waits until there is news, or clock_seconds shows `deadline`. */
enum talk_news talk_wait(struct talk *t, double deadline);
/* What it wrote, without waiting: the number of bytes, or 0. The output is closed at its end. */
size_t talk_take(struct talk *t, char *bytes, size_t room);

/* ---- lines ---- */

void talk_ask(struct talk *t, const char *line); /* if it is gone, talk_hear finds out */
/* Behind its answer: sends what the next question begins with, once, and waits until it has read
   that, and so has written all that belongs to the answer. TALK_LINE: it has written more. */
enum talk_news talk_settle(struct talk *t, const char *beginning, double deadline);
/* Before it is asked: 1 if it waits, 0 if it has written more than it had to, -1 if it has ended */
int talk_waits(struct talk *t);
/* Waits for a line until clock_seconds shows `deadline`; the line is in `line`, without its end. */
enum talk_news talk_hear(struct talk *t, double deadline, struct buf *line);

/* ---- last words ---- */

/* Why it ended, in words: "status 3", "signal 11"; "" if it ended well. In `text`. */
const char *talk_status_text(const struct talk *t, char text[64]);
/* Is it the status by which a shell says that there is no such command, or that it cannot run? */
int talk_is_missing(const struct talk *t);
/* ", and said: no device": the last line in the file `said`, or nothing */
void talk_said(const struct talk *t, struct buf *out);
/* "signal 11", "status 3, and said: no device": of the last end */
void talk_last_words(const struct talk *t, struct buf *out);
