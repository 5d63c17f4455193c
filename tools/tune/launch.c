/* launch.c - a process for each measurement
   SPDX-License-Identifier: MIT

   runner.h declares it. */
#include "budget.h"
#include "runner.h"

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
static void judge(const struct runner *r, const struct child *c, struct tail *t, struct answer *out)
{
    char why[64];
    if (child_status_missing(c->status)) {
        fail("%s: is not found, or is no program: it ended with %s, as a shell says so", r->command,
             child_status_text(c->status, why));
        out->outcome = OUTCOME_STOP;
    } else if (*child_status_text(c->status, why) != '\0') {
        answer_set(out, OUTCOME_FAILED, "it ended with %s", why);
    } else {
        tail_answer(t, out);
    }
}

void launch_measure(const struct runner *r, const struct assign *a, struct answer *out)
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
        judge(r, &c, &t, out);
}
