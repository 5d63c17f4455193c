/* test_archive.c - the cache of a search, its log, and lists of edits: what is kept, and refused
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "evolve/task.h"

#include "told.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static const char *const names_v[] = {"delete", "copy", "move"};
static const struct edit_names names = {names_v, 3};
static const struct log_pair story[] = {
    {"kernel", "0123abcd"}, {"seed", "1"}, {"place", "a b\nc"}, {NULL, NULL}};
static uint64_t seed = 1;

static struct edits *parsed(const char *text)
{
    struct edits *list = new_memory(1, sizeof *list);
    CHECK_OF(edits_parse(text, names, list) == 0, text);
    return list;
}

static struct edits *list_about(uint32_t what)
{
    return parsed(say("copy %u 3 2 %x", (unsigned)what, (unsigned)(4 * what)));
}

static int add(struct archive *a, uint32_t what, enum effort effort, double time, double error)
{
    const struct result r = {.outcome = OUTCOME_VALID,
                             .time = time,
                             .spread = 0.01,
                             .error = error,
                             .n_cases = 2,
                             .ratio = {time, time}};
    return archive_add(a, list_about(what), effort, &r);
}

/* The time of that effort alone, or of that or a greater one; -1: there is none */
static double time_of(const struct archive *a, uint32_t what, enum effort effort, int is_exact)
{
    const struct edits *list = list_about(what);
    const struct entry *e = archive_find(a, list, effort);
    const struct result *r = is_exact ? archive_exact(a, list, effort) : e ? &e->result : NULL;
    return r != NULL ? r->time : -1;
}

static size_t n_of(const struct archive *a, enum outcome outcome)
{
    size_t counts[N_OUTCOMES];
    archive_counts(a, counts);
    return counts[outcome];
}

/* ---- the cache ---- */

static void keeps_efforts(void)
{
    struct archive *a = in_memory(names);
    CHECK(time_of(a, 1, EFFORT_SEARCH, 0) == -1);
    add(a, 1, EFFORT_SEARCH, 0.5, 0);
    CHECK(time_of(a, 1, EFFORT_SEARCH, 0) == 0.5 && time_of(a, 1, EFFORT_CONFIRM, 0) == -1);
    add(a, 1, EFFORT_CONFIRM, 0.75, 0);
    CHECK(time_of(a, 1, EFFORT_SEARCH, 0) == 0.75 && time_of(a, 1, EFFORT_CONFIRM, 0) == 0.75);
    CHECK(time_of(a, 1, EFFORT_SEARCH, 1) == 0.5 && time_of(a, 1, EFFORT_JUDGE, 1) == -1);
    add(a, 1, EFFORT_SEARCH, 0.25, 0); /* the first one stays */
    CHECK(time_of(a, 1, EFFORT_SEARCH, 0) == 0.75 && time_of(a, 1, EFFORT_SEARCH, 1) == 0.5);
    add(a, 2, EFFORT_JUDGE, 0.25, 0);
    add(a, 2, EFFORT_SEARCH, 0.125, 0);
    CHECK(time_of(a, 2, EFFORT_SEARCH, 0) == 0.25 && time_of(a, 2, EFFORT_SEARCH, 1) == 0.125);
    CHECK_EQ(archive_size(a), 2);
    CHECK_EQ(archive_entry(a, 1)->list.v[0].what, 2);
    archive_close(a);
}

static void holds_many(void)
{
    struct archive *a = in_memory(names);
    add(a, 0, EFFORT_SEARCH, 1, 0);
    const struct entry *first = archive_entry(a, 0);
    for (uint32_t i = 1; i < 3000; i++)
        add(a, i, EFFORT_SEARCH, 1 + i, 0);
    for (uint32_t i = 0; i < 3000; i++)
        CHECK(time_of(a, i, EFFORT_SEARCH, 0) == 1 + i);
    CHECK(time_of(a, 3000, EFFORT_SEARCH, 0) == -1);
    CHECK(first == archive_entry(a, 0)); /* entries stay where they are */
    CHECK_EQ(n_of(a, OUTCOME_VALID), 3000);
    archive_close(a);
}

static void fronts(void)
{
    for (int round = 0; round < 30; round++) {
        struct archive *a = in_memory(names);
        const struct entry **front;
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
    struct archive *a = in_memory(names);
    const struct entry **front;
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

/* A log of a heading in six lines and of three more, written and closed; it stays until the fourth
   call after. */
static const char *written(void)
{
    struct archive *a;
    unlink("log");
    if (archive_open(&a, "log", 0, story, names) != 0)
        program_stop("log");
    add(a, 1, EFFORT_SEARCH, 1.0 / 3, 5e-324);
    add(a, 1, EFFORT_CONFIRM, 0.1, 0);
    add(a, 2, EFFORT_SEARCH, 1e-300, 1e300);
    archive_close(a);
    return text_of("log");
}

/* NULL if it is refused */
static struct archive *read_log(void)
{
    struct archive *a;
    CHECK((archive_read(&a, "log", names) == 0) == (a != NULL));
    return a;
}

static int opens(int resume, const struct log_pair *s, struct edit_names n)
{
    struct archive *a;
    const int rc = archive_open(&a, "log", resume, s, n);
    CHECK((rc == 0) == (a != NULL));
    archive_close(a);
    return rc == 0;
}

static void comes_back(void)
{
    struct archive *a;
    struct edits empty = {0};
    struct result crashed = {.outcome = OUTCOME_CRASHED, .time = HUGE_VAL};
    written();
    REQUIRE(archive_open(&a, "log", 1, story, names) == 0);
    CHECK_EQ(archive_add(a, &empty, EFFORT_JUDGE, &crashed), 0);
    archive_close(a);
    REQUIRE((a = read_log()) != NULL);
    CHECK(n_of(a, OUTCOME_VALID) == 3 && n_of(a, OUTCOME_CRASHED) == 1);
    CHECK_EQ(archive_size(a), 3);
    CHECK(time_of(a, 1, EFFORT_SEARCH, 1) == 1.0 / 3 && time_of(a, 1, EFFORT_SEARCH, 0) == 0.1);
    CHECK(archive_entry(a, 1)->result.error == 1e300 && archive_entry(a, 1)->result.n_cases == 2);
    const struct entry *e = archive_find(a, &empty, EFFORT_JUDGE);
    CHECK(e != NULL && e->result.outcome == OUTCOME_CRASHED && e->result.time == HUGE_VAL);
    CHECK_TEXT(archive_value(a, "kernel"), "0123abcd");
    CHECK_TEXT(archive_value(a, "place"), "a b?c");
    CHECK(archive_value(a, "no such") == NULL);
    archive_close(a);
    CHECK(!was_told("log"));
}

static void is_of_one_search(void)
{
    static const struct log_pair other[] = {
        {"kernel", "0123abcd"}, {"seed", "2"}, {"place", "a b\nc"}, {NULL, NULL}};
    static const struct log_pair less[] = {{"kernel", "0123abcd"}, {NULL, NULL}};
    static const struct log_pair more[] = {{"kernel", "0123abcd"}, {"jobs", "2"}, {NULL, NULL}};
    const struct edit_names fewer = {names_v, 2};
    struct archive *a;
    char *before = new_copy(written());
    CHECK(!opens(0, story, names) && was_told("log: is there already"));
    CHECK(!opens(1, other, names) && was_told("\"seed\" is \"1\" there and \"2\" here"));
    CHECK(!opens(1, less, names) && was_told("\"seed\" is \"1\" there"));
    CHECK(!opens(1, more, names) && was_told("it has no \"jobs\""));
    CHECK(!opens(1, story, fewer) && was_told("\"operators\" is \"delete copy move\" there"));
    CHECK(archive_read(&a, "log", fewer) != 0 && was_told("operators"));
    CHECK_TEXT(text_of("log"), before);
    CHECK(opens(1, story, names) && !was_told("log"));
}

/* Cut anywhere, as by a kill: what is whole stays, and the log goes on behind it. */
static void cut_anywhere(void)
{
    char *text = new_copy(written());
    const char *body = strchr(strstr(text, "\n# end ") + 1, '\n') + 1;
    for (size_t n = 1; text[n] != '\0'; n++) {
        struct archive *a;
        const int in_heading = text + n < body;
        size_t lines = 0;
        put_bytes("log", text, n);
        for (const char *p = body; p < text + n; p++)
            lines += *p == '\n';
        CHECK_EQ(archive_open(&a, "log", 1, story, names), in_heading ? -1 : 0);
        CHECK_EQ(was_told(in_heading ? "log: ends within its heading" : "has no end"),
                 in_heading || text[n - 1] != '\n');
        if (in_heading)
            continue;
        CHECK_EQ(n_of(a, OUTCOME_VALID), lines);
        add(a, 9, EFFORT_SEARCH, 1, 0);
        archive_close(a);
        REQUIRE((a = read_log()) != NULL);
        CHECK_EQ(n_of(a, OUTCOME_VALID), lines + 1);
        archive_close(a);
        CHECK(!was_told("log"));
    }
}

/* Where the n-th line begins */
static const char *line_at(const char *text, long n)
{
    while (n > 1)
        n -= *text++ == '\n';
    return text;
}

/* Any byte that is another one is found, and its line is named; within the heading the message may
   be that of another search. */
static void damaged_anywhere(void)
{
    char *text = new_copy(written());
    const char *body = line_at(text, 7);
    long line = 1;
    for (char *at = text; at[1] != '\0'; at++) {
        const char *where = at >= body ? say("log:%ld: ", line) : "log";
        line += *at == '\n';
        *at ^= 1;
        put_text("log", "%s", text);
        *at ^= 1;
        CHECK(read_log() == NULL);
        CHECK_OF(was_told(where), where);
    }
    CHECK_EQ(line, 9);
}

/* An editor changed the ends of its lines: it reads, and goes on with such ends. */
static void edited_log(void)
{
    struct archive *a;
    test_put_edited("log", written());
    REQUIRE(archive_open(&a, "log", 1, story, names) == 0);
    add(a, 9, EFFORT_SEARCH, 1, 0);
    archive_close(a);
    REQUIRE((a = read_log()) != NULL);
    CHECK_EQ(n_of(a, OUTCOME_VALID), 4);
    archive_close(a);
    const char *text = text_of("log");
    CHECK_EQ(count_of(text, "\n"), count_of(text, "\r\n"));
    put_bytes("log", text, strlen(text) - 5); /* and a kill may cut that, too */
    CHECK(opens(1, story, names) && was_told("has no end"));
    CHECK(opens(1, story, names) && !was_told("log"));
}

/* A log of the heading, and of those of the other three lines that `order` names */
static int reads_in_order(const char *order)
{
    const char *text = written(), *all = say("%.*s", (int)(line_at(text, 7) - text), text);
    for (; *order != '\0'; order++) {
        const char *line = line_at(text, *order - '0');
        all = say("%s%.*s\n", all, (int)strcspn(line, "\n"), line);
    }
    put_text("log", "%s", all);
    struct archive *a = read_log();
    const int is_read = a != NULL;
    archive_close(a);
    return is_read;
}

static void lines_in_order(void)
{
    CHECK(reads_in_order("789") && reads_in_order("78") && reads_in_order(""));
    static const char *const orders[] = {"79", "8", "798", "7899", "77"};
    for (size_t i = 0; i < COUNT(orders); i++)
        CHECK_OF(!reads_in_order(orders[i]) && was_told("is damaged"), orders[i]);
}

static void other_files(void)
{
    struct archive *a;
    static const char *const texts[] = {"a,b\n1,2\n", "\n",
                                        "# kpred-evolve log 2\n# end 00000000\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        put_text("log", "%s", texts[i]);
        CHECK(!opens(1, story, names) && was_told("log: is not a log of kpred-evolve"));
    }
    put_text("log", "%s", "");
    CHECK(read_log() == NULL && was_told("is not a log"));
    CHECK(opens(1, story, names)); /* a kill before the heading leaves an empty one */
    unlink("log");
    CHECK(read_log() == NULL && was_told("cannot open"));
    CHECK(opens(1, story, names)); /* or none */
    CHECK(archive_open(&a, ".", 1, story, names) != 0 && was_told("cannot open"));
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
    if (archive_open(&a, "log", 0, story, names) != 0)
        return 1;
    for (uint32_t i = 1; i < 1000; i++)
        if (add(a, i, EFFORT_SEARCH, 1, 0) != 0)
            return time_of(a, i, EFFORT_SEARCH, 0) < 0 ? 2 : 3;
    return 4;
}

static void no_room(void)
{
    struct archive *a;
    unlink("log");
    CHECK_EQ(with_room(10, add_until_full), 1);
    CHECK(was_told("cannot write") && !is_there("log"));
    for (rlim_t bytes = 1000; bytes < 1080; bytes += 20) { /* what fits of the last line differs */
        unlink("log");
        CHECK_EQ(with_room(bytes, add_until_full), 2);
        CHECK(was_told("cannot write"));
        REQUIRE((a = read_log()) != NULL);
        CHECK(archive_size(a) > 3 && !was_told("has no end"));
        archive_close(a);
    }
    CHECK(archive_open(&a, "/dev/full", 0, story, names) != 0);
    CHECK(was_told("/dev/full: cannot write") && is_there("/dev/full"));
}

static int open_again(void)
{
    return opens(1, story, names) ? 0 : 5;
}

static void one_writer(void)
{
    struct archive *a;
    written();
    REQUIRE(archive_open(&a, "log", 1, story, names) == 0);
    CHECK_EQ(with_room(1 << 20, open_again), 5);
    CHECK(was_told("log: another search writes it now"));
    archive_close(a);
    CHECK_EQ(with_room(1 << 20, open_again), 0);
}

/* ---- lists of edits and their text ---- */

static void prints_as_it_reads(void)
{
    static const char *const texts[] = {"-", "delete 7 0 0 00000000",
                                        "move 12 30 0 9f31c2aa; delete 7 0 0 00000000",
                                        "copy 4294967295 4294967295 65535 ffffffff"};
    const struct edit copy = {1, 3, 1, 2, 10}, move = {2, 6, 4, 5, 255};
    const struct edits *two = parsed("copy 1 2 3 0000000a; move 4 5 6 ff");
    CHECK(two->n == 2 && edit_equal(&two->v[0], &copy) && edit_equal(&two->v[1], &move));
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct buf *b = new_text();
        edits_print(parsed(texts[i]), names, b);
        CHECK_TEXT(b->s, texts[i]);
    }
}

static void refuses_lists(void)
{
    static const char texts[] =
        "| |- |delete|delete 1 2 0|delete 1 2 0 |delete 1 2 0 0000000g|delete 1 2 0 0x1|"
        "erase 1 2 0 00000000|delet 1 2 0 00000000|deletes 1 2 0 00000000|"
        "delete 1 2 0 100000000|delete 1 2 65536 00000000|delete 4294967296 2 0 00000000|"
        "delete 99999999999999999999999 2 0 00000000|delete -1 2 0 00000000|"
        "delete +1 2 0 00000000|delete 1  2 0 00000000| delete 1 2 0 00000000|"
        "delete 1 2 0 00000000 |delete 1 2 0 00000000;|delete 1 2 0 00000000; |"
        "delete 1 2 0 00000000;delete 1 2 0 00000000|delete 1 2 0 00000000; -|"
        "delete 1 2 0 00000000\n";
    for (const char *at = texts, *end = "|"; *end != '\0'; at = end + 1) { /* between bars */
        struct edits list = {0};
        end = at + strcspn(at, "|");
        const char *text = say("%.*s", (int)(end - at), at);
        CHECK_OF(edits_parse(text, names, &list) == -1, text);
        CHECK(list.n == 0 && list.v == NULL);
        edits_free(&list);
    }
}

static void drops_and_copies(void)
{
    struct edits list = *parsed("copy 1 2 3 0a; move 4 5 6 ff; delete 9 0 0 00"), other = {0};
    edits_copy(&other, &list);
    CHECK(edits_equal(&other, &list) && other.v != list.v);
    edits_drop(&other, 1);
    CHECK(other.n == 2 && other.v[0].what == 1 && other.v[1].what == 9);
    CHECK(!edits_equal(&other, &list) && !edits_hold(&other, &list.v[1]));
    CHECK(edits_hold(&other, &list.v[2]));
    edits_drop(&other, 2); /* there is none */
    CHECK_EQ(other.n, 2);
    edits_copy(&list, &other); /* into a longer one */
    CHECK(edits_equal(&other, &list));
    edits_add(&list, &list.v[0]); /* one of its own */
    CHECK(list.n == 3 && edit_equal(&list.v[2], &list.v[0]));
    edits_free(&list);
    edits_free(&other);
}

/* Each field, the order and the length count. */
static void hashes_differ(void)
{
    enum { N = 10, LENGTH = 32 };
    static const char texts[N][LENGTH] = {"-",
                                          "copy 1 2 3 0a",
                                          "move 1 2 3 0a",
                                          "copy 2 2 3 0a",
                                          "copy 1 3 3 0a",
                                          "copy 1 2 4 0a",
                                          "copy 1 2 3 0b",
                                          "copy 1 2 3 0a; copy 1 2 3 0a",
                                          "copy 1 2 3 0a; move 1 2 3 0a",
                                          "move 1 2 3 0a; copy 1 2 3 0a"};
    for (int i = 0; i < N * N; i++) {
        const struct edits *a = parsed(texts[i / N]), *b = parsed(texts[i % N]);
        CHECK_EQ(edits_equal(a, b), i / N == i % N);
        CHECK_EQ(edits_hash(a) == edits_hash(b), i / N == i % N);
    }
}

int main(void)
{
    told_begin();
    RUN_ALL(keeps_efforts, holds_many, fronts, front_of_confirmed, comes_back, is_of_one_search,
            cut_anywhere, damaged_anywhere, edited_log, lines_in_order, other_files, no_room,
            one_writer, prints_as_it_reads, refuses_lists, drops_and_copies, hashes_differ);
    return program_end();
}
