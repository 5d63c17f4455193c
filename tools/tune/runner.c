/* runner.c - a process for each measurement, or one that is asked for a time tuple by tuple
   SPDX-License-Identifier: MIT */
#include "runner.h"

/* ---- a process for each measurement ----

   It gets NAME=value as arguments and KPRED_NAME=value in its environment, and its last line is the
   time. */

enum { CHUNK = 1 << 16, MOST_LEFT = 1 << 24 }; /* bytes: at a time, and after its end */

/* Takes what is there, at most so many bytes. */
static void take(struct child *c, struct tail *t, size_t most)
{
    char bytes[CHUNK];
    size_t n;
    while (most > 0 && (n = child_take(c, bytes, sizeof bytes)) > 0) {
        tail_add(t, bytes, n);
        most -= n < most ? n : most;
    }
}

/* Of one that ended by itself */
static void judge_end(const struct runner *r, const struct child *c, struct tail *t,
                      struct answer *out)
{
    char why[64];
    if (child_status_missing(c->status)) {
        fail("%s: is not found, or is not a program: it ended with %s", r->command,
             child_status_text(c->status, why));
        out->outcome = OUTCOME_STOP;
    } else if (*child_status_text(c->status, why) != '\0') {
        answer_set(out, OUTCOME_FAILED, "it ended with %s", why);
    } else {
        tail_answer(t, out);
    }
}

static void launch_measure(const struct runner *r, const struct assign *a, struct answer *out)
{
    struct child c;
    struct tail t = {.n = 0};
    struct buf line = {0};
    enum child_news news = CHILD_STOP;
    const double deadline = clock_seconds() + r->timeout;
    out->outcome = OUTCOME_STOP;
    buf_printf(&line, "%s \"$@\"", r->command);
    if (child_begin(&c, line.s, a) == 0) {
        while ((news = child_wait(&c, deadline)) == CHILD_BYTES)
            take(&c, &t, CHUNK);
        child_end(&c);
        take(&c, &t, MOST_LEFT);
        child_close(&c);
    }
    buf_free(&line);
    if (news == CHILD_LATE)
        answer_set(out, OUTCOME_TIMEOUT, "it took longer than %g s", r->timeout);
    else if (news == CHILD_ENDED)
        judge_end(r, &c, &t, out);
}

/* ---- a server ----

   One process gets a line of NAME=value for each measurement, and writes a line for its time. One
   that dies is started again for the next tuple. */

enum { MOST_SILENT = 5 };

/* A line of an answer, as far as it is needed */
struct line {
    char s[TAIL_BYTES];
    size_t n;
    int is_whole, has_more; /* its end was seen, and bytes behind it */
};

void runner_end(struct runner *r)
{
    if (!r->is_running)
        return;
    child_end(&r->server);
    child_close(&r->server);
    r->is_running = 0;
}

static void add(struct line *l, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        l->has_more |= l->is_whole;
        if (bytes[i] == '\n')
            l->is_whole = 1;
        else if (!l->is_whole && l->n + 1 < sizeof l->s)
            l->s[l->n++] = bytes[i];
    }
    l->s[l->n] = '\0';
}

/* ---- the question ---- */

/* 1: it was written; 0: nobody reads it, or not all of it */
static int ask(const struct runner *r, const struct assign *a)
{
    struct buf text = {0};
    assign_text(a, &text);
    buf_puts(&text, "\n");
    const int is_written = write_whole(r->server.in, &text) == 0;
    buf_free(&text);
    return is_written;
}

static int too_much(const struct runner *r, struct answer *out)
{
    out->outcome = OUTCOME_STOP;
    return fail("%s: it writes more than one line for a tuple", r->command);
}

/* A server that ended after its last answer is started again, without blame for this tuple. It may
   end in the moment in which it is asked: see has_gone. */
static int ask_one(struct runner *r, const struct assign *a, struct answer *out)
{
    char byte;
    if (r->is_running && child_take(&r->server, &byte, 1) > 0)
        return too_much(r, out);
    if (r->is_running && r->server.out >= 0 && ask(r, a))
        return 0;
    runner_end(r);
    r->n_answers = 0;
    r->is_running = child_begin(&r->server, r->command, NULL) == 0;
    if (!r->is_running)
        return -1;
    (void)ask(r, a); /* if it is gone already, waiting finds out */
    return 0;
}

/* ---- the answer ---- */

static enum child_news read_line(struct runner *r, double deadline, struct line *l)
{
    char bytes[4096];
    enum child_news news;
    while ((news = child_wait(&r->server, deadline)) == CHILD_BYTES) {
        const size_t n = child_take(&r->server, bytes, sizeof bytes);
        add(l, bytes, n);
        if (l->is_whole)
            break;
    }
    if (news == CHILD_ENDED)
        add(l, bytes, child_take(&r->server, bytes, sizeof bytes));
    return l->is_whole ? CHILD_BYTES : news;
}

/* Did it end well, of its own will, after answers to others? Then the tuple is asked again. */
static int has_gone(struct runner *r)
{
    if (r->n_answers == 0)
        return 0;
    runner_end(r);
    return r->server.status == 0;
}

/* It died before it answered. Whether the tuple killed it or it cannot run at all, time will
   tell. */
static void died(struct runner *r, struct answer *out)
{
    char why[64];
    const int is_first = r->n_answers == 0;
    runner_end(r);
    child_status_text(r->server.status, why);
    r->silent = is_first ? r->silent + 1 : 0;
    answer_set(out, OUTCOME_FAILED, "the server ended with %s", *why != '\0' ? why : "status 0");
    if (child_status_missing(r->server.status) && is_first)
        fail("%s: is not found, or is not a program: it ended with %s", r->command, why);
    else if (r->silent > MOST_SILENT)
        fail("%s: it was started %d times in a row and gave no answer, the last time it ended with "
             "%s",
             r->command, r->silent, *why != '\0' ? why : "status 0");
    else
        return;
    out->outcome = OUTCOME_STOP;
}

/* Blanks around the number do no harm. */
static void judge_line(struct runner *r, struct line *l, struct answer *out)
{
    struct tail t = {.n = 0};
    tail_add(&t, l->s, l->n);
    r->n_answers++;
    r->silent = 0;
    if (l->has_more)
        (void)too_much(r, out);
    else
        tail_answer(&t, out);
}

/* What became of one question. -1: it could not be asked. */
static int ask_and_wait(struct runner *r, const struct assign *a, struct line *l,
                        struct answer *out)
{
    const double deadline = clock_seconds() + r->timeout;
    *l = (struct line){.n = 0};
    return ask_one(r, a, out) == 0 ? (int)read_line(r, deadline, l) : -1;
}

static void server_measure(struct runner *r, const struct assign *a, struct answer *out)
{
    struct line l;
    out->outcome = OUTCOME_STOP;
    int news = ask_and_wait(r, a, &l, out);
    if (news == CHILD_ENDED && has_gone(r))
        news = ask_and_wait(r, a, &l, out);
    if (news == CHILD_BYTES)
        judge_line(r, &l, out);
    else if (news == CHILD_ENDED)
        died(r, out);
    else if (news == CHILD_LATE) {
        answer_set(out, OUTCOME_TIMEOUT, "it took longer than %g s", r->timeout);
        runner_end(r);
    }
}

void runner_measure(struct runner *r, const struct assign *a, struct answer *out)
{
    if (r->is_server)
        server_measure(r, a, out);
    else
        launch_measure(r, a, out);
}
