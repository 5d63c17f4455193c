/* runner.c - a process for each measurement, or one that is asked for a time tuple by tuple
   SPDX-License-Identifier: MIT */
#include "runner.h"

#include <math.h>
#include <string.h>

/* ---- a process for each measurement ----

   It gets NAME=value as arguments and KPRED_NAME=value in its environment, and its last line is the
   time. */

enum { CHUNK = 1 << 16, MOST_LEFT = 1 << 24 }; /* bytes: at a time, and after its end */

/* Takes what is there, at most so many bytes. */
static void runner_take(struct talk *c, struct tail *t, size_t most)
{
    char bytes[CHUNK];
    for (size_t n; most > 0 && (n = talk_take(c, bytes, sizeof bytes)) > 0; most -= lesser(n, most))
        tail_add(t, bytes, n);
}

static void not_found(const struct runner *r, const char *why, struct answer *out)
{
    fail("%s: is not found, or is not a program: it ended with %s", r->command, why);
    out->outcome = OUTCOME_STOP;
}

/* Of one that ended by itself */
static void judge_end(const struct runner *r, const struct talk *c, struct tail *t,
                      struct answer *out)
{
    char why[64];
    talk_status_text(c, why);
    if (talk_is_missing(c))
        not_found(r, why, out);
    else if (*why != '\0')
        answer_set(out, OUTCOME_FAILED, "it ended with %s", why);
    else
        tail_answer(t, out);
}

static void launch_measure(const struct runner *r, const struct assign *a, struct answer *out)
{
    struct tail t = {.n = 0};
    struct buf line = {0};
    enum talk_news news = TALK_STOP;
    const double deadline = clock_seconds() + r->timeout;
    out->outcome = OUTCOME_STOP;
    buf_printf(&line, "%s \"$@\"", r->command);
    struct talk c = {
        .command = line.s, .word = a->word, .n_words = a->n, .environment = a->environment};
    if (talk_begin(&c) == 0) {
        while ((news = talk_wait(&c, deadline)) == TALK_BYTES)
            runner_take(&c, &t, CHUNK);
        talk_stop(&c);
        runner_take(&c, &t, MOST_LEFT);
        talk_close(&c);
    }
    buf_free(&line);
    if (news == TALK_LATE)
        answer_set(out, OUTCOME_TIMEOUT, "it took longer than %g s", r->timeout);
    else if (news == TALK_ENDED)
        judge_end(r, &c, &t, out);
}

/* ---- a server ----

   One process gets a line of NAME=value for each measurement, and writes a line for its time. One
   that dies is started again for the next tuple. */

enum { MOST_SILENT = 5, MOST_DISTRUSTED = 3 };

static const double for_a_tag = 5;        /* seconds of waiting for one behind words, */
static const double behind_a_line = 0.25; /* and behind what could be an answer */
static const double for_a_reader = 0.1;   /* for one that reads ahead */
static const double most_silence = 10;    /* seconds, at the end */

/* What it wrote for a question */
struct heard {
    struct tail line;                 /* that has not ended */
    int n_plain, n_tagged, has_plain; /* has_plain: so many of the former may be answers */
    struct answer plain, tagged;      /* in the first one of each */
    char first[64], other[64];        /* plain ones */
    double odd_at;                    /* when the first came that is no answer, or one too many */
    int is_early;                     /* something came before it was asked: */
    char early[64];
};

/* ---- lines ---- */

static void take_plain(struct heard *h, const char *text, const struct answer *a)
{
    if (h->n_plain++ == 0) {
        h->plain = *a;
        snprintf(h->first, sizeof h->first, "%.60s", text);
    }
    if (h->n_plain == 2)
        snprintf(h->other, sizeof h->other, "%.60s", text);
    if (h->odd_at == 0 && (a->is_stray || h->n_plain > 1))
        h->odd_at = clock_seconds();
    h->has_plain += !a->is_stray;
}

static void end_line(struct heard *h)
{
    struct answer a;
    tail_answer(&h->line, &a);
    const char *text = trim_blanks(h->line.s);
    if (answer_tagged(text) == NULL)
        take_plain(h, text, &a);
    else if (h->n_tagged++ == 0)
        h->tagged = a;
    h->line = (struct tail){.n = 0};
}

/* 1: there were bytes */
static int take_some(struct runner *r, struct heard *h)
{
    struct buf *got = &r->server.got;
    (void)talk_waits(&r->server);
    const size_t n = got->n;
    for (size_t from = 0, to; from < n; from = to + 1) {
        for (to = from; to < n && got->s[to] != '\n'; to++)
            ;
        tail_add(&h->line, got->s + from, to - from);
        if (to < n)
            end_line(h);
    }
    got->n = 0;
    r->is_tagged |= h->n_tagged > 0;
    return n > 0;
}

/* ---- waiting ---- */

/* Until there are bytes, which are taken, or other news */
static enum talk_news await(struct runner *r, struct heard *h, double deadline)
{
    const enum talk_news news = talk_wait(&r->server, deadline);
    if (news == TALK_BYTES)
        (void)take_some(r, h);
    while (news == TALK_ENDED && take_some(r, h))
        ;
    return news;
}

/* Is there what may be the answer, or what rules it out? */
static int is_heard(const struct runner *r, const struct heard *h)
{
    return h->n_tagged > 0 || (!r->is_tagged && h->n_plain > 0 && (r->is_plain || h->has_plain));
}

/* Nobody knows yet whether its answers have tags. */
static double patience(const struct runner *r, const struct heard *h, double deadline)
{
    return !r->is_tagged && h->odd_at > 0 ? fmin(h->odd_at + for_a_tag, deadline) : deadline;
}

static enum talk_news hear(struct runner *r, struct heard *h, double deadline)
{
    enum talk_news news = TALK_BYTES;
    while (news == TALK_BYTES && !is_heard(r, h))
        news = await(r, h, patience(r, h, deadline));
    return news;
}

/* What reads the beginning of the next question before the first answer is there reads ahead. */
static void watch(struct runner *r, const struct assign *a, struct heard *h, double deadline)
{
    const double soon = fmin(clock_seconds() + for_a_reader, deadline);
    const char first[] = {a->word[0][0], '\0'};
    r->reads_ahead |= talk_settle(&r->server, "", soon) == TALK_READS
                      && talk_settle(&r->server, first, soon) == TALK_READS;
    (void)take_some(r, h);
}

/* Sends the beginning of the next question, and waits until it is read. What it writes for this one
   is there by then, or `pause` seconds later: something may stand between. */
static enum talk_news settle(struct runner *r, const struct assign *a, struct heard *h,
                             double deadline, double pause)
{
    const char first[] = {a->word[0][0], '\0'};
    enum talk_news news = TALK_LINE;
    while (news == TALK_LINE && clock_seconds() < deadline) {
        news = talk_settle(&r->server, first, deadline);
        (void)take_some(r, h);
    }
    const int n = h->has_plain, has_read = news == TALK_READS;
    if (has_read)
        news = await(r, h, clock_seconds() + pause);
    r->is_out_of_step |= h->has_plain > n && r->is_plain;
    return news == TALK_ENDED || news == TALK_STOP ? news : has_read ? TALK_BYTES : TALK_LATE;
}

/* ---- trust ---- */

/* What came before it was asked may be an answer that is late. Is that the end of all trust? Of the
   first question nobody knows whether its answer has a tag. */
static int came_early(struct runner *r, struct heard *h)
{
    const int is_first = r->n_answers == 0;
    if (h->line.n > 0)
        end_line(h);
    r->is_out_of_step |= !r->is_tagged && !is_first && h->has_plain;
    if (r->is_tagged || h->n_plain == 0)
        return h->n_tagged > 0;
    memcpy(h->early, h->first, sizeof h->early);
    h->is_early = 1;
    h->n_plain = h->has_plain = 0;
    h->odd_at = 0;
    return r->is_plain || !is_first;
}

static int has_both_forms(const struct runner *r)
{
    return r->is_tagged && r->is_plain;
}

static int is_certain(const struct runner *r, const struct heard *h)
{
    return has_both_forms(r) ? 0
           : r->is_tagged    ? h->n_tagged == 1
                             : h->n_plain == 1 && h->has_plain && h->line.n == 0 && !h->is_early;
}

/* Why not, in words; the line that has no end is one, too. */
static void tell_doubt(const struct runner *r, struct heard *h, struct answer *out)
{
    if (h->line.n > 0)
        end_line(h);
    if (r->is_tagged)
        answer_set(out, OUTCOME_INVALID, "it answered more than once");
    else if (h->is_early)
        answer_set(out, OUTCOME_INVALID, "it wrote \"%s\" before it was asked", h->early);
    else if (h->n_plain > 1)
        answer_set(out, OUTCOME_INVALID, "it printed \"%s\" and \"%s\" for one tuple", h->first,
                   h->other);
    else
        *out = h->plain;
}

/* It is ended. */
static void distrust(struct runner *r, struct heard *h, struct answer *out)
{
    tell_doubt(r, h, out);
    talk_end(&r->server);
    r->is_out_of_step |= has_both_forms(r) || (r->reads_ahead && !r->is_tagged && h->has_plain > 1);
    if (r->is_out_of_step)
        out->outcome = OUTCOME_STOP;
    else if (++r->distrusted == MOST_DISTRUSTED) {
        fail("%s: it was started %d times, and each time wrote what is no answer; the last time %s:"
             " an answer with a tag, \"" ANSWER_TAG " 12.5\", cannot be mistaken",
             r->command, r->distrusted, out->why);
        out->outcome = OUTCOME_STOP;
    }
}

/* ---- a question ---- */

/* It died before it answered. Whether the tuple killed it or it cannot run at all, time will
   tell. */
static void died(struct runner *r, struct answer *out)
{
    char why[64];
    const int is_first = r->n_answers == 0;
    talk_end(&r->server);
    if (*talk_status_text(&r->server, why) == '\0')
        strcpy(why, "status 0");
    r->silent = is_first ? r->silent + 1 : 0;
    answer_set(out, OUTCOME_FAILED, "the server ended with %s", why);
    if (talk_is_missing(&r->server) && is_first)
        not_found(r, why, out);
    else if (r->silent > MOST_SILENT) {
        fail("%s: it was started %d times in a row and gave no answer, the last time it ended with "
             "%s",
             r->command, r->silent, why);
        out->outcome = OUTCOME_STOP;
    }
}

static void late(struct runner *r, const char *what, struct answer *out)
{
    answer_set(out, OUTCOME_TIMEOUT, "%s %g s", what, r->timeout);
    talk_end(&r->server);
}

static void accept(struct runner *r, const struct heard *h, double seconds, struct answer *out)
{
    *out = r->is_tagged ? h->tagged : h->plain;
    r->is_plain |= !r->is_tagged;
    if (seconds > r->longest || r->n_answers == 1)
        r->longest = seconds;
    r->n_answers++;
    r->silent = r->distrusted = 0;
}

static void runner_ask(struct runner *r, const struct assign *a)
{
    struct buf text = {0};
    assign_text(a, 0, &text);
    buf_puts(&text, "\n");
    talk_ask(&r->server, text.s);
    buf_free(&text);
}

static int runner_start(struct runner *r)
{
    r->server.command = r->command;
    r->longest = 0;
    r->n_answers = 0;
    return talk_begin(&r->server);
}

/* One that ended by itself behind its answer; as with a command, that is right if its status is. */
static void ended(struct runner *r, const struct heard *h, double seconds, struct answer *out)
{
    char why[64];
    accept(r, h, seconds, out);
    talk_end(&r->server);
    if (out->outcome == OUTCOME_TIME && *talk_status_text(&r->server, why) != '\0')
        answer_set(out, OUTCOME_FAILED, "the server ended with %s behind its answer", why);
}

/* Behind a line that may be the answer */
static void make_sure(struct runner *r, const struct assign *a, struct heard *h, double from,
                      struct answer *out)
{
    const double now = clock_seconds();
    enum talk_news news = TALK_BYTES;
    if (is_certain(r, h) || !r->is_plain)
        news = settle(r, a, h, now + r->timeout, fmin((now - from) / 16, 2e-3));
    if (news == TALK_BYTES && !is_certain(r, h) && !r->is_plain)
        while (!r->is_tagged && await(r, h, now + behind_a_line) == TALK_BYTES)
            ;
    if (news == TALK_STOP)
        out->outcome = OUTCOME_STOP;
    else if (!is_certain(r, h))
        distrust(r, h, out);
    else if (news == TALK_ENDED)
        ended(r, h, now - from, out);
    else if (news == TALK_LATE)
        late(r, "it did not ask for more behind its answer for", out);
    else
        accept(r, h, now - from, out);
}

/* 1: this server is not to be blamed on the tuple, which is to be asked again */
static int ask_and_hear(struct runner *r, const struct assign *a, struct answer *out)
{
    struct heard h = {.n_plain = 0};
    const double from = clock_seconds(), deadline = from + r->timeout;
    enum talk_news news = TALK_BYTES;
    if (r->server.begun == 0)
        news = settle(r, a, &h, deadline, 0);
    else
        (void)take_some(r, &h);
    if ((news == TALK_BYTES || news == TALK_ENDED) && came_early(r, &h))
        return distrust(r, &h, out), out->outcome != OUTCOME_STOP;
    if (news == TALK_BYTES) {
        runner_ask(r, a);
        if (r->n_answers == 0 && !r->is_tagged)
            watch(r, a, &h, deadline);
        news = hear(r, &h, deadline);
    }
    if (is_heard(r, &h)) {
        make_sure(r, a, &h, from, out);
        return h.is_early && out->outcome == OUTCOME_INVALID && r->distrusted > 0;
    }
    if (news == TALK_LATE && h.n_plain > 0 && !r->is_tagged)
        distrust(r, &h, out);
    else if (news == TALK_LATE)
        late(r, "it took longer than", out);
    else if (news == TALK_ENDED && r->n_answers > 0
             && (talk_end(&r->server), r->server.status == 0))
        return 1;
    else if (news == TALK_ENDED)
        died(r, out);
    return 0;
}

static void server_measure(struct runner *r, const struct assign *a, struct answer *out)
{
    do
        out->outcome = OUTCOME_STOP;
    while ((r->server.pid != 0 || runner_start(r) == 0) && ask_and_hear(r, a, out));
}

/* ---- the end ---- */

/* What reads for a server, as ssh does, makes reading no sign. One that is a line ahead writes the
   last answer now. */
int runner_end(struct runner *r)
{
    struct heard h = {.n_plain = 0};
    const double deadline = clock_seconds() + fmin(2 * r->longest + 0.02, most_silence);
    if (r->server.pid != 0 && !r->is_tagged && r->n_answers > 0)
        while (await(r, &h, deadline) == TALK_BYTES && !is_heard(r, &h))
            ;
    r->is_out_of_step |= h.n_plain > 0 && !h.plain.is_stray;
    talk_end(&r->server);
    buf_free(&r->server.got);
    if (!r->is_out_of_step)
        return 0;
    return fail("%s: it wrote %s: answers that all have a tag, \"" ANSWER_TAG
                " 12.5\", cannot be mistaken",
                r->command,
                has_both_forms(r) ? "answers with a tag and without one"
                                  : "one line too many, and nobody knows which");
}

void runner_measure(struct runner *r, const struct assign *a, struct answer *out)
{
    if (r->is_server)
        server_measure(r, a, out);
    else
        launch_measure(r, a, out);
}
