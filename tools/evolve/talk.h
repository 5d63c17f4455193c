/* talk.h - a program of the user's that stays, is asked by lines, and may crash or hang
   SPDX-License-Identifier: MIT */
#pragma once

#include "process.h"

struct talk {
    const char *command; /* a line of the shell */
    char *said;          /* the path of a file for its standard error */
    pid_t pid;           /* 0: it does not run */
    int socket;          /* its standard input and output */
    int status;          /* of its last end, as of waitpid */
    struct buf got;      /* read, but not taken as a line yet */
    size_t begun;        /* bytes of the next question that it has */
};

enum talk_news { TALK_LINE, TALK_ENDED, TALK_LATE, TALK_TOO_LONG, TALK_READS };

/* It leads a process group, and dies when this process dies, with all that it started. -1 after a
   message */
int talk_begin(struct talk *t);
void talk_ask(struct talk *t, const char *line); /* if it is gone, talk_hear finds out */
/* Behind its answer: sends what the next question begins with. TALK_READS: it has read that, and so
   has written all that belongs to the answer. TALK_LINE: it has written more. */
enum talk_news talk_settle(struct talk *t, const char *beginning, double deadline);
/* Before it is asked: 1 if it waits, 0 if it has written more than it had to, -1 if it has ended */
int talk_waits(const struct talk *t);
/* Waits for a line until clock_seconds shows `deadline`; the line is in `line`, without its end. */
enum talk_news talk_hear(struct talk *t, double deadline, struct buf *line);
void talk_end(struct talk *t);    /* with all of its group, now */
void talk_finish(struct talk *t); /* the same, but it may first end by itself for a moment */
/* ", and said: no device": the last line on its standard error, or nothing */
void talk_said(const struct talk *t, struct buf *out);
/* "signal 11", "status 3, and said: no device": of the last end */
void talk_last_words(const struct talk *t, struct buf *out);
