/* evaluator.c - candidates as files, evaluated by a program of the user's that is asked by lines
   SPDX-License-Identifier: MIT

   evaluator.h declares it; tools/evolve/examples/evaluator.h has the lines. */
#include "evaluator.h"

#include "base/numbers.h"
#include "base/talk.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PAIRS_FIRST = 7,    /* times of a candidate; of one that looks faster then, */
    PAIRS_SECOND = 31,  /* so many more: a lucky reading must not lead a search */
    LOADS = 7,          /* how often a list is loaded anew and timed with more effort, */
    PAIRS_OF_LOAD = 15, /* so often each time */
    MOST_SILENT = 20,   /* candidates in a row that were not answered */
    MOST_STARTS = 3,    /* in a row that came to nothing */
    MOST_DISTURBED = 5  /* answers of a disturbed machine in a row */
};
static const double start_seconds = 60; /* more for what a device takes to begin */
static const char beginning[] = "try "; /* of each question about a candidate */

struct evaluator {
    struct evaluator_plan plan;
    struct evaluator_code code;
    struct talk talk;
    struct crew *crew; /* one process, which writes candidates */
    const char *folder;
    char *baseline;
    unsigned long n_files;
    struct known_cases cases; /* as it named them first */
    double usual[TASK_CASES]; /* the least of the baseline's times so far */
    int silent, gave_up;
    int left;      /* it ended by itself in place of the last answer */
    char why[400]; /* of the last candidate without a result */
    double limit;  /* of the answer that is waited for */
    double own;    /* seconds for an answer about the unedited kernel; 0: not known yet */
};

/* ---- words ---- */

static void set_why(struct evaluator *e, const char *text)
{
    snprintf(e->why, sizeof e->why, "%s", text);
}

/* Cuts the next word off; NULL if there is none. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " ");
    const size_t n = strcspn(word, " ");
    if (n == 0)
        return NULL;
    *at = word + n;
    if (**at == ' ')
        *(*at)++ = '\0';
    return word;
}

static const char *behind(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0 ? line + strlen(start) : NULL;
}

/* ---- cases ---- */

/* Cuts "NAME=4096" off a label: 0, or -1 */
static int take_size(char **at, struct buf *names, int64_t *size)
{
    char *field = *at, *equals = strchr(field, '=');
    const size_t n = strcspn(field, ",");
    *at = field + n + (field[n] == ',');
    if (n == 0 || equals == NULL || equals > field + n)
        return -1;
    field[n] = *equals = '\0';
    buf_printf(names, "%s%s", names->n > 0 ? " " : "", field);
    return is_identifier(field) ? parse_int(equals + 1, 0, INT64_MAX, size) : -1;
}

/* The sizes of a label, whose names are those of the cases before: 0, or -1 */
static int read_label(struct known_cases *all, struct known_case *c)
{
    struct buf names = {0};
    char *text = xstrdup(c->label), *at = text;
    size_t n = 0;
    int rc = 0;
    while (rc == 0 && (*at != '\0' || n == 0))
        rc = n < EV_MAX_SIZES ? take_size(&at, &names, &c->size[n++]) : -1;
    if (rc == 0 && all->sizes == NULL)
        all->sizes = xstrdup(names.s);
    if (rc == 0 && strcmp(all->sizes, names.s) != 0)
        rc = -1;
    buf_free(&names);
    free(text);
    return rc;
}

/* The words behind "case " */
static int add_case(struct known_cases *all, const char *words)
{
    char *text = xstrdup(words), *at = text, *word = next_word(&at);
    int rc = -1;
    if (word != NULL && all->n < TASK_CASES) {
        struct known_case *c = &all->v[all->n++];
        *c = (struct known_case){.label = xstrdup(word), .timed = 1};
        rc = read_label(all, c);
        while (rc == 0 && (word = next_word(&at)) != NULL)
            if (strcmp(word, "held-out") == 0)
                c->held_out = 1;
            else if (strcmp(word, "untimed") == 0)
                c->timed = 0;
            else
                rc = -1;
    }
    free(text);
    return rc;
}

/* The cases that have times at that effort: their number */
static size_t timed(const struct known_cases *all, enum effort effort, size_t cases[TASK_CASES])
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].timed && (effort == EFFORT_JUDGE || !all->v[i].held_out))
            cases[n++] = i;
    return n;
}

static int check_cases(struct evaluator *e, const struct known_cases *all)
{
    size_t cases[TASK_CASES];
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(all->v[i].label, all->v[k].label) == 0) {
                snprintf(e->why, sizeof e->why, "case %.100s is there twice", all->v[i].label);
                return -1;
            }
    if (timed(all, EFFORT_SEARCH, cases) > 0)
        return 0;
    set_why(e, "it has no case that is timed and not held out");
    return -1;
}

/* ---- a start ---- */

/* What became of waiting for a line, as a reason; the program is ended. */
static enum outcome silence(struct evaluator *e, enum talk_news news)
{
    struct buf text = {0};
    talk_end(&e->talk);
    if (news == TALK_LATE)
        buf_printf(&text, "it did not answer within %.3g s", e->limit);
    else if (news == TALK_TOO_LONG)
        buf_puts(&text, "it wrote a line without end");
    else {
        buf_puts(&text, "it ended with ");
        talk_last_words(&e->talk, &text);
    }
    set_why(e, text.s);
    buf_free(&text);
    return news == TALK_LATE       ? OUTCOME_TIMED_OUT
           : news == TALK_TOO_LONG ? OUTCOME_GARBLED
                                   : OUTCOME_CRASHED;
}

static enum outcome nonsense(struct evaluator *e, const char *line)
{
    talk_end(&e->talk);
    snprintf(e->why, sizeof e->why, "it answered \"%.200s\"", line);
    return OUTCOME_GARBLED;
}

/* Reads cases up to "ready" */
static int hear_cases(struct evaluator *e, struct known_cases *all, struct buf *line)
{
    const double deadline = clock_seconds() + e->limit;
    for (;;) {
        const enum talk_news news = talk_hear(&e->talk, deadline, line);
        if (news != TALK_LINE)
            return silence(e, news), -1;
        const char *rest = behind(line->s, "case ");
        if (strcmp(line->s, "ready") == 0)
            return check_cases(e, all);
        if (rest == NULL || add_case(all, rest) != 0)
            return nonsense(e, line->s), -1;
    }
}

static void forget_cases(struct known_cases *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->v[i].label);
    free(all->sizes);
    *all = (struct known_cases){0};
}

static void tell_cases(const struct known_cases *all, struct buf *out)
{
    for (size_t i = 0; i < all->n; i++)
        buf_printf(out, "%s%s%s%s", i > 0 ? "; " : "", all->v[i].label,
                   all->v[i].held_out ? " held-out" : "", all->v[i].timed ? "" : " untimed");
}

void evaluator_tell(const struct evaluator *e, struct buf *out)
{
    tell_cases(&e->cases, out);
}

/* They are the same after each start. */
static int same_cases(struct evaluator *e, const struct known_cases *now)
{
    struct buf first = {0}, again = {0};
    tell_cases(&e->cases, &first);
    tell_cases(now, &again);
    const int is_same = strcmp(first.s, again.s) == 0;
    buf_free(&first);
    buf_free(&again);
    if (!is_same)
        set_why(e, "it named other cases than before");
    return is_same ? 0 : -1;
}

/* Starts it and asks for its cases; -1 with `why` */
static int begin_talk(struct evaluator *e)
{
    struct known_cases now = {0};
    struct buf line = {0};
    if (talk_begin(&e->talk) != 0)
        return set_why(e, "it cannot be started"), -1;
    e->limit = e->plan.seconds + start_seconds;
    talk_ask(&e->talk, "cases\n");
    int rc = hear_cases(e, &now, &line);
    if (rc == 0 && e->cases.n == 0) {
        e->cases = now;
        now = (struct known_cases){0};
    } else if (rc == 0) {
        rc = same_cases(e, &now);
    }
    forget_cases(&now);
    buf_free(&line);
    return rc;
}

/* ---- a candidate ---- */

struct question {
    const char *candidate, *baseline; /* paths */
    enum effort effort;
    int pairs;
    double seconds;
};

struct answer {
    struct result result;
    double square;               /* sum of the squares of errors */
    size_t n, cases[TASK_CASES]; /* those that are to be timed */
};

static int take_pair(char *word, uint64_t pair[2])
{
    static const double most = 1e9; /* microseconds */
    char *end;
    const double candidate = strtod(word, &end);
    if (*end != '/' || end == word)
        return -1;
    char *second = end + 1;
    const double baseline = strtod(second, &end);
    if (*end != '\0' || end == second || !(candidate > 0 && candidate < most)
        || !(baseline > 0 && baseline < most))
        return -1;
    pair[0] = (uint64_t)ceil(candidate * 1000);
    pair[1] = (uint64_t)ceil(baseline * 1000);
    return 0;
}

/* The words behind "time ": of the next case that is to be timed */
static int take_times(const struct evaluator *e, char *words, struct answer *a)
{
    uint64_t pairs[TIMING_MOST][2];
    size_t n = 0;
    struct result *r = &a->result;
    char *word = next_word(&words);
    if (word == NULL || (size_t)r->n_cases >= a->n
        || strcmp(word, e->cases.v[a->cases[r->n_cases]].label) != 0)
        return -1;
    while ((word = next_word(&words)) != NULL)
        if (n == TIMING_MOST || take_pair(word, pairs[n++]) != 0)
            return -1;
    if (n == 0)
        return -1;
    const struct timing t = timing_of((const uint64_t(*)[2])pairs, n);
    r->ratio[r->n_cases] = t.ratio;
    memcpy(r->ns[r->n_cases++], t.ns, sizeof t.ns);
    r->time += t.ratio;
    a->square += t.error * t.error;
    return 0;
}

/* "right", "right 1e-6": of the largest error */
static int take_right(const char *rest, struct answer *a)
{
    struct result *r = &a->result;
    char *end = NULL;
    r->error = *rest == '\0' ? 0 : strtod(rest, &end);
    if ((*rest != '\0' && (end == rest || *end != '\0')) || !(r->error >= 0 && r->error < HUGE_VAL)
        || (size_t)r->n_cases != a->n)
        return -1;
    r->time /= (double)a->n;
    r->spread = sqrt(a->square) / (double)a->n;
    return 0;
}

/* A line of an answer: 1 if it was the last one, 0 if not, -1 if it is none */
static int take_line(struct evaluator *e, char *line, struct answer *a)
{
    const char *rest;
    if (behind(line, "time ") != NULL)
        return take_times(e, line + strlen("time "), a);
    a->result.outcome = OUTCOME_VALID;
    if ((rest = behind(line, "right")) != NULL && (*rest == '\0' || *rest == ' '))
        return take_right(rest + strspn(rest, " "), a) == 0 ? 1 : -1;
    a->result.outcome = OUTCOME_WRONG;
    if (strcmp(line, "wrong") == 0)
        return set_why(e, "it is wrong"), 1;
    a->result.outcome = OUTCOME_CRASHED;
    if ((rest = behind(line, "failed: ")) != NULL)
        return set_why(e, rest), 1;
    return -1;
}

/* An answer is certain if nothing stands behind it. */
static enum outcome make_sure(struct evaluator *e, const struct question *q)
{
    const enum talk_news news = talk_settle(&e->talk, beginning, clock_seconds() + q->seconds);
    if (news == TALK_LATE)
        return silence(e, news);
    if (news == TALK_LINE)
        set_why(e, "it wrote something behind an answer");
    if (news != TALK_READS)
        talk_end(&e->talk);
    return news == TALK_LINE ? OUTCOME_GARBLED : OUTCOME_VALID;
}

static struct result hear_answer(struct evaluator *e, const struct question *q)
{
    struct answer a = {.square = 0};
    struct buf line = {0};
    int is_last = 0;
    enum talk_news news = TALK_LINE;
    const double deadline = clock_seconds() + q->seconds;
    e->limit = q->seconds;
    a.n = timed(&e->cases, q->effort, a.cases);
    while (is_last == 0 && (news = talk_hear(&e->talk, deadline, &line)) == TALK_LINE) {
        char *text = xstrdup(line.s);
        is_last = take_line(e, line.s, &a);
        if (is_last < 0)
            a.result.outcome = nonsense(e, text);
        free(text);
    }
    buf_free(&line);
    if (news != TALK_LINE)
        a.result.outcome = silence(e, news);
    const enum outcome doubt = is_last > 0 ? make_sure(e, q) : OUTCOME_VALID;
    if (doubt != OUTCOME_VALID) {
        a.result.outcome = doubt;
        is_last = -1;
    }
    e->silent = is_last > 0 ? 0 : e->silent + 1;
    e->left = news == TALK_ENDED && a.result.n_cases == 0 && e->talk.status == 0;
    return a.result.outcome == OUTCOME_VALID ? a.result : result_without(a.result.outcome);
}

static struct result evaluator_ask(struct evaluator *e, const struct question *q)
{
    struct buf line = {0};
    if (talk_waits(&e->talk) == 0) {
        talk_end(&e->talk);
        set_why(e, "it wrote something behind an answer");
        e->silent++;
        return result_without(OUTCOME_GARBLED);
    }
    buf_printf(&line, "%s%d %s %s %s\n", beginning, q->pairs,
               q->effort == EFFORT_JUDGE ? "all" : "search", q->candidate, q->baseline);
    talk_ask(&e->talk, line.s);
    buf_free(&line);
    return hear_answer(e, q);
}

/* ---- starts, and the end of all starts ---- */

/* One that was started anew first has to be right with the baseline: then it is the candidate's
   fault if it dies. */
static int try_to_start(struct evaluator *e)
{
    const struct question q = {e->baseline, e->baseline, EFFORT_SEARCH, 1,
                               e->plan.seconds + start_seconds};
    const int silent = e->silent;
    if (begin_talk(e) != 0)
        return -1;
    const int rc = evaluator_ask(e, &q).outcome == OUTCOME_VALID ? 0 : -1;
    e->silent = silent;
    return rc;
}

/* It runs; or -1 after a message, for good */
static int be_running(struct evaluator *e)
{
    if (e->gave_up)
        return -1;
    if (e->silent >= MOST_SILENT)
        e->gave_up = fail("%s: gave no answer for %d candidates in a row; the last time %s",
                          e->plan.command, e->silent, e->why);
    for (int i = 0; e->talk.pid == 0 && !e->gave_up; i++)
        if (i == MOST_STARTS)
            e->gave_up = fail("%s: was started %d times and is not right with the baseline; the "
                              "last time %s",
                              e->plan.command, i, e->why);
        else if (try_to_start(e) != 0)
            talk_end(&e->talk);
    if (e->gave_up)
        talk_end(&e->talk);
    return e->gave_up ? -1 : 0;
}

/* ---- files ---- */

static char *new_path(struct evaluator *e, const char *extension)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%lu%s", e->folder, e->n_files++, extension);
    return path.s;
}

static void drop_file(char *path)
{
    if (path != NULL)
        remove(path);
    free(path);
}

static const char *ending_of(const struct evaluator_code *code)
{
    static const char *const endings[] = {[IR_TEXT] = ".ll",
                                          [IR_BITCODE] = ".bc",
                                          [IR_ASSEMBLY] = ".s",
                                          [IR_OBJECT] = ".o",
                                          [IR_CODE_OBJECT] = ".co"};
    return code->ir != NULL ? endings[code->form] : ".cl";
}

/* VALID, or why there is no file */
static enum outcome write_code(const struct evaluator_code *code, const struct edits *list,
                               const char *path)
{
    struct buf text = {0};
    if (code->ir != NULL)
        return ir_write(code->ir, list, code->form, path);
    const int rc = ir_preprocess(code->source, &text) != 0 || out_whole(path, &text) != 0 ? -1 : 0;
    buf_free(&text);
    return rc == 0 ? OUTCOME_VALID : OUTCOME_UNCOMPILED;
}

struct written { /* the reply */
    enum outcome outcome;
    char why[300];
};

/* In the crew's process: the request is the path, with its NUL, and the edits. */
static void write_file(void *user, const void *request, size_t bytes, void *reply)
{
    const struct evaluator *e = user;
    const char *path = request;
    const size_t n = strlen(path) + 1;
    struct edits list = edits_unpack(path + n, (bytes - n) / sizeof *list.v);
    struct written *w = reply;
    w->outcome = write_code(&e->code, &list, path);
    if (w->outcome != OUTCOME_VALID)
        snprintf(w->why, sizeof w->why, "%s", ir_why(e->code.ir));
    edits_free(&list);
}

static int gather_crew(struct evaluator *e)
{
    const struct crew_work work = {
        e,   NULL, write_file, sizeof(struct written), e->plan.seconds + 10, e->plan.memory_bytes,
        1000};
    return e->crew != NULL ? 0 : crew_open(&e->crew, 1, &work);
}

/* The list as a file at a path of its own: VALID, or why there is none */
static enum outcome make_file(struct evaluator *e, const struct edits *list, char **path)
{
    struct buf request = {0};
    struct written w = {OUTCOME_UNCOMPILED, "the compiler ended"};
    size_t tag;
    *path = new_path(e, ending_of(&e->code));
    buf_add(&request, *path, strlen(*path) + 1);
    edits_pack(list, &request);
    if (gather_crew(e) == 0 && crew_ask(e->crew, request.s, request.n, 0) == 0)
        if (crew_wait(e->crew, &tag, &w) == CREW_LATE)
            w = (struct written){OUTCOME_TIMED_OUT, "the compiler did not end"};
    buf_free(&request);
    if (w.outcome != OUTCOME_VALID)
        set_why(e, w.why);
    return w.outcome;
}

/* A copy of the baseline, that it is loaded anew */
static int copy_baseline(struct evaluator *e, char **path)
{
    struct buf bytes = {0};
    *path = new_path(e, strrchr(e->baseline, '.'));
    int rc = read_file(e->baseline, (size_t)1 << 28, &bytes);
    if (rc == 0)
        rc = out_whole(*path, &bytes);
    buf_free(&bytes);
    return rc;
}

/* ---- evaluation ---- */

/* What left may have done so before it was asked, which is no fault of the candidate. */
static struct result ask_running(struct evaluator *e, const struct question *q)
{
    struct result r = result_without(OUTCOME_CRASHED);
    for (int tries = 0; tries < 2 && (tries == 0 || e->left) && be_running(e) == 0; tries++)
        r = evaluator_ask(e, q);
    return r;
}

/* Did the baseline take much longer than usual, as on a machine that does something else, too?
   After `tries` such answers this is usual. */
static int is_disturbed(struct evaluator *e, const struct question *q, const struct result *r,
                        int tries)
{
    size_t cases[TASK_CASES];
    int is_slow = 0;
    timed(&e->cases, q->effort, cases);
    for (int k = 0; k < r->n_cases; k++) {
        double *usual = &e->usual[cases[k]];
        const double us = r->ns[k][1] / 1000;
        if (us < *usual || tries == MOST_DISTURBED)
            *usual = us;
        is_slow |= us > 2 * *usual;
    }
    return is_slow;
}

/* The same of one that is timed with the baseline: again, if it was disturbed */
static struct result ask_quiet(struct evaluator *e, const struct question *q)
{
    static const struct timespec second = {1, 0};
    struct result r = ask_running(e, q);
    for (int tries = 1; is_disturbed(e, q, &r, tries); tries++) {
        nanosleep(&second, NULL);
        r = ask_running(e, q);
    }
    return r;
}

/* One in twenty never ends: so the limit is near what a useful one needs, which is less than the
   unedited kernel took, as that was loaded twice. Without the unedited kernel there is no search: a
   busy machine has more time for it. */
static double seconds_of(const struct evaluator *e, const struct edits *list, int pairs)
{
    const double own = 1 + 2 * e->own * pairs / PAIRS_FIRST;
    return (e->plan.is_given || e->own <= 0 ? e->plan.seconds : own)
           + (list->n == 0 ? start_seconds : 0);
}

/* For a search the baseline is the one that is loaded, and one that looks faster is asked about
   once more. With more effort both are loaded anew: what lies elsewhere takes another time. */
static struct result load_and_ask(struct evaluator *e, const struct edits *list,
                                  const struct edits *with, enum effort effort)
{
    char *path, *other = NULL;
    const int is_search = effort == EFFORT_SEARCH, pairs = is_search ? PAIRS_FIRST : PAIRS_OF_LOAD;
    enum outcome outcome = make_file(e, list, &path);
    if (outcome == OUTCOME_VALID && with != NULL)
        outcome = make_file(e, with, &other);
    else if (outcome == OUTCOME_VALID && !is_search && copy_baseline(e, &other) != 0)
        outcome = OUTCOME_UNCOMPILED;
    struct question q = {path, is_search ? e->baseline : other, effort, pairs,
                         seconds_of(e, list, pairs)};
    struct result r = outcome != OUTCOME_VALID ? result_without(outcome)
                      : with == NULL           ? ask_quiet(e, &q)
                                               : ask_running(e, &q);
    if (is_search && r.outcome == OUTCOME_VALID && r.time - r.spread < 1) {
        q.pairs = PAIRS_SECOND;
        q.seconds = seconds_of(e, list, PAIRS_SECOND);
        r = ask_quiet(e, &q);
    }
    drop_file(path);
    drop_file(other);
    return r;
}

static struct result load_often(struct evaluator *e, const struct edits *list,
                                const struct edits *with, enum effort effort)
{
    struct result of[LOADS];
    size_t n = 0;
    do
        of[n] = load_and_ask(e, list, with, effort);
    while (of[n++].outcome == OUTCOME_VALID && n < LOADS);
    return repeat_combine(of, n);
}

void evaluator_evaluate(void *evaluator, const struct edits *lists, size_t n, enum effort effort,
                        result_taker *done, void *user)
{
    struct evaluator *e = evaluator;
    for (size_t i = 0; i < n; i++) {
        struct result r = effort == EFFORT_SEARCH ? load_and_ask(e, &lists[i], NULL, effort)
                                                  : load_often(e, &lists[i], NULL, effort);
        if (e->gave_up)
            return;
        if (r.outcome != OUTCOME_VALID && r.outcome != OUTCOME_WRONG)
            r.why = e->why;
        done(user, i, &r);
    }
}

struct result evaluator_compare(void *evaluator, const struct edits *list, const struct edits *with)
{
    return load_often(evaluator, list, with, EFFORT_CONFIRM);
}

/* ---- baselines ---- */

static int write_baseline(struct evaluator *e, const struct evaluator_code *code, char **path)
{
    *path = new_path(e, ending_of(code));
    return write_code(code, &edits_none, *path) == OUTCOME_VALID ? 0 : -1;
}

int evaluator_take(struct evaluator *e, const struct evaluator_code *code)
{
    crew_close(e->crew);
    e->crew = NULL;
    e->code = *code;
    return evaluator_take_baseline(e, code);
}

/* Why it failed may stand on its standard error. */
static int refuse_baseline(const struct evaluator *e)
{
    struct buf said = {0};
    if (e->talk.pid != 0)
        talk_said(&e->talk, &said);
    fail("%s: the unedited kernel: %s%s", e->plan.command, e->why, said.n > 0 ? said.s : "");
    buf_free(&said);
    return -1;
}

int evaluator_take_baseline(struct evaluator *e, const struct evaluator_code *code)
{
    drop_file(e->baseline);
    if (write_baseline(e, code, &e->baseline) != 0)
        return -1;
    const struct question q = {e->baseline, e->baseline, EFFORT_JUDGE, PAIRS_FIRST,
                               e->plan.seconds + start_seconds};
    const double from = clock_seconds();
    const struct result r = evaluator_ask(e, &q);
    if (r.outcome != OUTCOME_VALID)
        return refuse_baseline(e);
    e->own = clock_seconds() - from;
    size_t cases[TASK_CASES];
    const size_t n = timed(&e->cases, EFFORT_JUDGE, cases);
    for (size_t k = 0; k < n; k++)
        e->cases.v[cases[k]].us = e->usual[cases[k]] = r.ns[k][1] / 1000;
    return 0;
}

/* One that it dies of does not race, either. */
int evaluator_race(struct evaluator *e, const struct evaluator_code *code, double *ratio,
                   double us[TASK_CASES], const char **why)
{
    char *path;
    size_t cases[TASK_CASES];
    struct result r = result_without(OUTCOME_UNCOMPILED);
    int rc = write_baseline(e, code, &path);
    const struct question q = {path, e->baseline, EFFORT_SEARCH, PAIRS_SECOND,
                               e->plan.seconds + start_seconds};
    if (rc == 0)
        r = ask_quiet(e, &q);
    drop_file(path);
    char *reason = xstrdup(e->why);
    rc = rc == 0 ? be_running(e) : rc;
    set_why(e, reason);
    free(reason);
    *why = e->why;
    *ratio = r.time;
    timed(&e->cases, EFFORT_SEARCH, cases);
    for (int k = 0; k < r.n_cases; k++)
        us[cases[k]] = r.ns[k][0] / 1000;
    return rc;
}

int evaluator_times(struct evaluator *e, const struct edits *list, double us[TASK_CASES])
{
    size_t cases[TASK_CASES];
    const size_t n = timed(&e->cases, EFFORT_JUDGE, cases);
    const struct result r = load_often(e, list, NULL, EFFORT_JUDGE);
    if (r.outcome != OUTCOME_VALID)
        return fail("%s: a variant that was right: %s", e->plan.command, e->why);
    for (size_t k = 0; k < n; k++)
        us[cases[k]] = r.ratio[k] * e->cases.v[cases[k]].us;
    return 0;
}

/* ---- opening ---- */

static int open_talk(struct evaluator *e)
{
    struct buf said = {0};
    e->folder = process_folder();
    if (e->folder == NULL)
        return -1;
    if (strchr(e->folder, ' ') != NULL)
        return fail("%s: has a blank, which paths for an evaluator cannot have: set TMPDIR",
                    e->folder);
    buf_printf(&said, "%s/said", e->folder);
    e->talk.said = said.s;
    e->talk.command = e->plan.command;
    return begin_talk(e) == 0 ? 0 : fail("%s: asked for its cases: %s", e->plan.command, e->why);
}

int evaluator_open(struct evaluator **out, const struct evaluator_plan *plan)
{
    struct evaluator *e = xcalloc(1, sizeof *e);
    e->plan = *plan;
    *out = e;
    if (open_talk(e) == 0)
        return 0;
    evaluator_close(e);
    *out = NULL;
    return -1;
}

void evaluator_close(struct evaluator *e)
{
    if (e == NULL)
        return;
    crew_close(e->crew);
    talk_finish(&e->talk);
    process_drop_folder(e->folder);
    free(e->baseline);
    free(e->talk.said);
    buf_free(&e->talk.got);
    forget_cases(&e->cases);
    free(e);
}

const struct known_cases *evaluator_cases(const struct evaluator *e)
{
    return &e->cases;
}

const int *evaluator_gave_up(const struct evaluator *e)
{
    return &e->gave_up;
}
