/* test_archive.c - the cache of a search and its log: what it keeps, and what it refuses
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "evolve/archive.h"

#include "harness/test.h"
#include "scratch.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *const names_v[] = {"delete", "copy", "move"};
static const struct edit_names names = {names_v, 3};
static const struct archive_story no_story[] = {{NULL, NULL}};
static const struct archive_story story[] = {
    {"kernel", "0123abcd"}, {"seed", "1"}, {"place", "a b\nc"}, {NULL, NULL}};
static uint64_t seed = 1;

static struct edits list_of(uint32_t what)
{
    const struct edit e = {1, 2, what, 3, 4 * what};
    struct edits list = {0};
    edits_add(&list, &e);
    return list;
}

static struct result result_of(double time, double error)
{
    const struct result r = {OUTCOME_VALID, time, 0.01, error, 2, {time, time}, {{0, 0}}};
    return r;
}

static void add(struct archive *a, uint32_t what, enum effort effort, double time, double error)
{
    struct edits list = list_of(what);
    const struct result r = result_of(time, error);
    CHECK_EQ(archive_add(a, &list, effort, &r), 0);
    edits_free(&list);
}

static double time_of(const struct archive *a, uint32_t what, enum effort effort)
{
    struct edits list = list_of(what);
    const struct entry *e = archive_find(a, &list, effort);
    edits_free(&list);
    return e != NULL ? e->result.time : -1;
}

static double exact_time_of(const struct archive *a, uint32_t what, enum effort effort)
{
    struct edits list = list_of(what);
    const struct result *r = archive_exact(a, &list, effort);
    edits_free(&list);
    return r != NULL ? r->time : -1;
}

/* ---- the cache ---- */

static void keeps_efforts(void)
{
    struct archive *a;
    REQUIRE(archive_open(&a, NULL, 0, no_story, names) == 0);
    CHECK(time_of(a, 1, EFFORT_SEARCH) == -1);
    add(a, 1, EFFORT_SEARCH, 0.5, 0);
    CHECK(time_of(a, 1, EFFORT_SEARCH) == 0.5 && time_of(a, 1, EFFORT_CONFIRM) == -1);
    add(a, 1, EFFORT_CONFIRM, 0.75, 0);
    CHECK(time_of(a, 1, EFFORT_SEARCH) == 0.75 && time_of(a, 1, EFFORT_CONFIRM) == 0.75);
    CHECK(exact_time_of(a, 1, EFFORT_SEARCH) == 0.5 && exact_time_of(a, 1, EFFORT_JUDGE) == -1);
    add(a, 1, EFFORT_SEARCH, 0.25, 0); /* the first one stays */
    CHECK(time_of(a, 1, EFFORT_SEARCH) == 0.75 && exact_time_of(a, 1, EFFORT_SEARCH) == 0.5);
    add(a, 2, EFFORT_JUDGE, 0.25, 0);
    add(a, 2, EFFORT_SEARCH, 0.125, 0);
    CHECK(time_of(a, 2, EFFORT_SEARCH) == 0.25 && exact_time_of(a, 2, EFFORT_SEARCH) == 0.125);
    CHECK_EQ(archive_size(a), 2);
    CHECK_EQ(archive_entry(a, 1)->list.v[0].what, 2);
    archive_close(a);
}

static void holds_many(void)
{
    struct archive *a;
    size_t counts[N_OUTCOMES];
    const struct entry *first;
    REQUIRE(archive_open(&a, NULL, 0, no_story, names) == 0);
    add(a, 0, EFFORT_SEARCH, 1, 0);
    first = archive_entry(a, 0);
    for (uint32_t i = 1; i < 5000; i++)
        add(a, i, EFFORT_SEARCH, 1 + i, 0);
    for (uint32_t i = 0; i < 5000; i++)
        CHECK(time_of(a, i, EFFORT_SEARCH) == 1 + i);
    CHECK(time_of(a, 5000, EFFORT_SEARCH) == -1);
    CHECK(first == archive_entry(a, 0)); /* entries stay where they are */
    archive_counts(a, counts);
    CHECK_EQ(counts[OUTCOME_VALID], 5000);
    archive_close(a);
}

static void fronts(void)
{
    for (int round = 0; round < 100; round++) {
        struct archive *a;
        const struct entry **front;
        REQUIRE(archive_open(&a, NULL, 0, no_story, names) == 0);
        for (uint32_t i = 0; i < 40; i++)
            add(a, i, EFFORT_SEARCH, test_between(&seed, 1, 30), test_between(&seed, 0, 30));
        const size_t n = archive_front(a, &front);
        for (size_t i = 0; i < archive_size(a); i++) {
            const struct result *r = &archive_entry(a, i)->result;
            int is_covered = 0, is_worse = 0;
            for (size_t k = 0; k < n; k++) {
                const struct result *f = &front[k]->result;
                is_covered |= f->time <= r->time && f->error <= r->error;
                is_worse |= r->time <= f->time && r->error < f->error;
                is_worse |= r->time < f->time && r->error <= f->error;
            }
            CHECK(is_covered && !is_worse);
        }
        for (size_t k = 1; k < n; k++)
            CHECK(front[k - 1]->result.time < front[k]->result.time);
        free(front);
        archive_close(a);
    }
}

/* A lucky time does not hide what was confirmed, nor does what failed. */
static void front_of_confirmed(void)
{
    struct archive *a;
    const struct entry **front;
    REQUIRE(archive_open(&a, NULL, 0, no_story, names) == 0);
    CHECK_EQ(archive_front(a, &front), 0);
    free(front);
    add(a, 1, EFFORT_CONFIRM, 0.9, 0);
    add(a, 2, EFFORT_SEARCH, 0.8, 0);
    add(a, 3, EFFORT_CONFIRM, 0.95, 0);
    CHECK(archive_front(a, &front) == 1 && front[0]->list.v[0].what == 1);
    free(front);
    archive_close(a);
}

/* ---- the log ---- */

/* A log of three lines, written and closed */
static struct buf written(void)
{
    struct archive *a;
    unlink(scratch_path);
    if (archive_open(&a, scratch_path, 0, story, names) != 0)
        abort();
    add(a, 1, EFFORT_SEARCH, 1.0 / 3, 5e-324);
    add(a, 1, EFFORT_CONFIRM, 0.1, 0);
    add(a, 2, EFFORT_SEARCH, 1e-300, 1e300);
    archive_close(a);
    return scratch_get();
}

static void comes_back(void)
{
    struct archive *a;
    struct edits empty = {0};
    struct result crashed = {.outcome = OUTCOME_CRASHED, .time = HUGE_VAL};
    struct buf text = written();
    buf_free(&text);
    REQUIRE(archive_open(&a, scratch_path, 1, story, names) == 0);
    CHECK_EQ(archive_add(a, &empty, EFFORT_JUDGE, &crashed), 0);
    archive_close(a);
    REQUIRE(archive_read(&a, scratch_path, names) == 0);
    size_t counts[N_OUTCOMES];
    archive_counts(a, counts);
    CHECK(counts[OUTCOME_VALID] == 3 && counts[OUTCOME_CRASHED] == 1);
    CHECK_EQ(archive_size(a), 3);
    CHECK(exact_time_of(a, 1, EFFORT_SEARCH) == 1.0 / 3 && time_of(a, 1, EFFORT_SEARCH) == 0.1);
    CHECK(archive_entry(a, 1)->result.error == 1e300 && archive_entry(a, 1)->result.n_cases == 2);
    const struct entry *e = archive_find(a, &empty, EFFORT_JUDGE);
    CHECK(e != NULL && e->result.outcome == OUTCOME_CRASHED && e->result.time == HUGE_VAL);
    CHECK_TEXT(archive_value(a, "kernel"), "0123abcd");
    CHECK_TEXT(archive_value(a, "place"), "a b?c");
    CHECK(archive_value(a, "no such") == NULL);
    archive_close(a);
    CHECK(!scratch_said("log"));
}

static int opens(int resume, const struct archive_story *s, struct edit_names n)
{
    struct archive *a;
    const int rc = archive_open(&a, scratch_path, resume, s, n);
    CHECK((rc == 0) == (a != NULL));
    archive_close(a);
    return rc == 0;
}

static void is_of_one_search(void)
{
    static const struct archive_story other[] = {
        {"kernel", "0123abcd"}, {"seed", "2"}, {"place", "a b\nc"}, {NULL, NULL}};
    static const struct archive_story less[] = {{"kernel", "0123abcd"}, {NULL, NULL}};
    static const struct archive_story more[] = {
        {"kernel", "0123abcd"}, {"jobs", "2"}, {NULL, NULL}};
    const struct edit_names fewer = {names_v, 2};
    struct buf before = written();
    CHECK(!opens(0, story, names) && scratch_said("log: is there already"));
    CHECK(!opens(1, other, names) && scratch_said("\"seed\" is \"1\" there and \"2\" here"));
    CHECK(!opens(1, less, names) && scratch_said("\"seed\" is \"1\" there"));
    CHECK(!opens(1, more, names) && scratch_said("it has no \"jobs\""));
    CHECK(!opens(1, story, fewer) && scratch_said("\"operators\" is \"delete copy move\" there"));
    struct archive *a;
    CHECK(archive_read(&a, scratch_path, fewer) != 0 && scratch_said("operators"));
    struct buf after = scratch_get();
    CHECK_TEXT(after.s, before.s);
    CHECK(opens(1, story, names) && !scratch_said("log"));
    buf_free(&before);
    buf_free(&after);
}

/* Whole lines of the first n bytes of a log, its heading aside; -1: the heading is not whole */
static long whole_lines(const struct buf *text, size_t n)
{
    const char *body = strchr(strstr(text->s, "\n# end ") + 1, '\n') + 1;
    long lines = 0;
    if (text->s + n < body)
        return -1;
    for (const char *p = body; p < text->s + n; p++)
        lines += *p == '\n';
    return lines;
}

/* Cut anywhere, as by a kill: what is whole stays, and the log goes on behind it. */
static void cut_anywhere(void)
{
    struct buf text = written();
    for (size_t n = 1; n < text.n; n++) {
        struct archive *a;
        const long lines = whole_lines(&text, n);
        const int is_within = n > 0 && text.s[n - 1] != '\n';
        size_t counts[N_OUTCOMES];
        scratch_put(text.s, n);
        CHECK_EQ(archive_open(&a, scratch_path, 1, story, names), lines < 0 ? -1 : 0);
        CHECK_EQ(scratch_said(lines < 0 ? "log: ends within its heading" : "has no end"),
                 lines < 0 || is_within);
        if (lines < 0)
            continue;
        archive_counts(a, counts);
        CHECK_EQ(counts[OUTCOME_VALID], lines);
        add(a, 9, EFFORT_SEARCH, 1, 0);
        archive_close(a);
        REQUIRE(archive_read(&a, scratch_path, names) == 0);
        archive_counts(a, counts);
        CHECK_EQ(counts[OUTCOME_VALID], lines + 1);
        archive_close(a);
        CHECK(!scratch_said("log"));
    }
    buf_free(&text);
}

/* Where the n-th line begins */
static size_t line_at(const struct buf *text, long n)
{
    size_t at = 0;
    while (n > 1)
        n -= text->s[at++] == '\n';
    return at;
}

/* Any byte that is another one is found, and its line is named; within the heading the message may
   be that of another search. */
static void damaged_anywhere(void)
{
    struct buf text = written();
    const size_t body = line_at(&text, 7);
    long line = 1;
    for (size_t i = 0; i + 1 < text.n; i++) {
        struct archive *a;
        char where[32];
        const char was = text.s[i];
        text.s[i] ^= 1;
        scratch_put(text.s, text.n);
        text.s[i] = was;
        CHECK(archive_read(&a, scratch_path, names) != 0 && a == NULL);
        snprintf(where, sizeof where, i >= body ? "log:%ld: " : "log", line);
        CHECK_OF(scratch_said(where), where);
        line += was == '\n';
    }
    CHECK_EQ(line, 9);
    buf_free(&text);
}

/* An editor changed the ends of its lines: it reads, and goes on with such ends. */
static void edited(void)
{
    struct archive *a;
    size_t counts[N_OUTCOMES];
    struct buf text = written();
    test_put_edited(scratch_path, text.s);
    buf_free(&text);
    REQUIRE(archive_open(&a, scratch_path, 1, story, names) == 0);
    add(a, 9, EFFORT_SEARCH, 1, 0);
    archive_close(a);
    REQUIRE(archive_read(&a, scratch_path, names) == 0);
    archive_counts(a, counts);
    CHECK_EQ(counts[OUTCOME_VALID], 4);
    archive_close(a);
    text = scratch_get();
    for (const char *p = text.s; (p = strchr(p, '\n')) != NULL; p++)
        CHECK(p[-1] == '\r');
    text.n -= 5; /* and a kill may cut that, too */
    scratch_put(text.s, text.n);
    CHECK(opens(1, story, names) && scratch_said("has no end"));
    CHECK(opens(1, story, names) && !scratch_said("log"));
    buf_free(&text);
}

static int reads(const struct buf *text)
{
    struct archive *a;
    scratch_put(text->s, text->n);
    const int rc = archive_read(&a, scratch_path, names);
    archive_close(a);
    return rc == 0;
}

/* A log of the heading, in six lines, and of those of the other three that `order` names */
static int reads_in_order(const char *order)
{
    struct buf text = written(), other = {0};
    buf_add(&other, text.s, line_at(&text, 7));
    for (; *order != '\0'; order++) {
        const size_t at = line_at(&text, *order - '0');
        buf_add(&other, text.s + at, line_at(&text, *order - '0' + 1) - at);
    }
    const int is_read = reads(&other);
    buf_free(&text);
    buf_free(&other);
    return is_read;
}

static void lines_in_order(void)
{
    CHECK(reads_in_order("789") && reads_in_order("78") && reads_in_order(""));
    static const char *const orders[] = {"79", "8", "798", "7899", "77"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        CHECK_OF(!reads_in_order(orders[i]) && scratch_said("is damaged"), orders[i]);
}

static void other_files(void)
{
    struct archive *a;
    static const char *const texts[] = {"a,b\n1,2\n", "\n",
                                        "# kpred-evolve log 2\n# end 00000000\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scratch_put(texts[i], strlen(texts[i]));
        CHECK(!opens(1, story, names) && scratch_said("log: is no log of kpred-evolve"));
    }
    scratch_put("", 0);
    CHECK(archive_read(&a, scratch_path, names) != 0 && scratch_said("is no log"));
    CHECK(opens(1, story, names)); /* a kill before the heading leaves an empty one */
    unlink(scratch_path);
    CHECK(archive_read(&a, scratch_path, names) != 0 && scratch_said("cannot open"));
    CHECK(opens(1, story, names)); /* or none */
    CHECK(archive_open(&a, scratch_folder, 1, story, names) != 0 && scratch_said("cannot open"));
}

/* The exit status of `job` in a child that may write files of so many bytes only, its messages
   aside */
static int with_room(rlim_t bytes, int (*job)(void))
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct rlimit limit;
        setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
        const int end = job();
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
        fflush(stderr);
        _exit(end);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int add_until_full(void)
{
    struct archive *a;
    struct edits list = list_of(1);
    const struct result r = result_of(1, 0);
    if (archive_open(&a, scratch_path, 0, story, names) != 0)
        return 1;
    for (uint32_t i = 1; i < 1000; i++) {
        list.v[0].what = i;
        if (archive_add(a, &list, EFFORT_SEARCH, &r) != 0)
            return archive_find(a, &list, EFFORT_SEARCH) == NULL ? 2 : 3;
    }
    return 4;
}

static void no_room(void)
{
    unlink(scratch_path);
    CHECK_EQ(with_room(10, add_until_full), 1);
    CHECK(scratch_said("cannot write") && access(scratch_path, F_OK) != 0);
    for (rlim_t bytes = 1000; bytes < 1080; bytes += 20) { /* what fits of the last line differs */
        struct archive *a;
        unlink(scratch_path);
        CHECK_EQ(with_room(bytes, add_until_full), 2);
        CHECK(scratch_said("cannot write"));
        REQUIRE(archive_read(&a, scratch_path, names) == 0);
        CHECK(archive_size(a) > 3 && !scratch_said("has no end"));
        archive_close(a);
    }
    struct archive *a;
    CHECK(archive_open(&a, "/dev/full", 0, story, names) != 0);
    CHECK(scratch_said("/dev/full: cannot write") && access("/dev/full", F_OK) == 0);
}

static int open_again(void)
{
    struct archive *a;
    return archive_open(&a, scratch_path, 1, story, names) != 0 ? 5 : 0;
}

static void one_writer(void)
{
    struct archive *a;
    struct buf text = written();
    buf_free(&text);
    REQUIRE(archive_open(&a, scratch_path, 1, story, names) == 0);
    CHECK_EQ(with_room(1 << 20, open_again), 5);
    CHECK(scratch_said("log: another search writes it now"));
    archive_close(a);
    CHECK_EQ(with_room(1 << 20, open_again), 0);
}

int main(void)
{
    if (scratch_open() != 0)
        return 1;
    RUN(keeps_efforts);
    RUN(holds_many);
    RUN(fronts);
    RUN(front_of_confirmed);
    RUN(comes_back);
    RUN(is_of_one_search);
    RUN(cut_anywhere);
    RUN(damaged_anywhere);
    RUN(edited);
    RUN(lines_in_order);
    RUN(other_files);
    RUN(no_room);
    RUN(one_writer);
    scratch_close();
    return test_end();
}
