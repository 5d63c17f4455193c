/* test_methods.c - the methods of search on a task without a compiler
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "evolve/search.h"

#include "harness/test.h"
#include "scratch.h"
#include "synthetic.h"

enum { N_METHODS = METHOD_RANDOM + 1 };
static const struct archive_story story[] = {{"kernel", "synthetic"}, {NULL, NULL}};

/* A search of a small population, so that few evaluations are many generations */
static struct search_plan small_plan(enum method method, long evaluations)
{
    struct search_plan plan = search_defaults;
    plan.method = method;
    plan.population = 12;
    plan.first_edits = 2;
    plan.evaluations = evaluations;
    return plan;
}

static struct archive *opened(const char *path, int resume, const struct synthetic *s)
{
    struct synthetic copy = *s;
    struct archive *a;
    if (archive_open(&a, path, resume, story, syn_task(&copy).names) != 0)
        abort();
    return a;
}

/* ---- what is found ---- */

struct progress {
    long all_found; /* evaluations until the best list had all planted edits; 0: it has not */
};

static void watch(void *user, const struct search_state *state)
{
    struct progress *p = user;
    const struct entry **front;
    const size_t n = archive_front(state->archive, &front);
    if (p->all_found == 0 && n != 0 && syn_found(&front[0]->list) == SYN_GAINS)
        p->all_found = state->evaluations;
    free(front);
}

/* Is what is left of the fastest list exactly what was planted? */
static int minimises(const struct task *t, struct archive *a)
{
    const struct entry **front;
    struct minimised m;
    if (archive_front(a, &front) == 0 || search_minimise(t, a, &front[0]->list, &m) != 0)
        return 0;
    const int is = m.list.n == SYN_GAINS && syn_found(&m.list) == SYN_GAINS;
    free(front);
    minimised_free(&m);
    return is;
}

static int by_value(const void *x, const void *y)
{
    const long *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

/* Of ten seeds, the number that find and minimise all; says after how many evaluations. */
static int successes(enum method method, const char *name)
{
    long needed[10];
    int n = 0;
    for (int i = 0; i < 10; i++) {
        struct synthetic s = {.seed = 100 + (uint64_t)i, .noise = 0.01};
        struct progress p = {0};
        const struct search_news news = {watch, &p};
        const struct task t = syn_task(&s);
        struct archive *a = opened(NULL, 0, &s);
        struct search_plan plan = search_defaults;
        plan.method = method;
        plan.seed = (uint64_t)i + 1;
        CHECK_EQ(search_run(&plan, &t, a, NULL, &news), 0);
        n += minimises(&t, a);
        needed[i] = p.all_found != 0 ? p.all_found : plan.evaluations + 1;
        archive_close(a);
    }
    qsort(needed, 10, sizeof *needed, by_value);
    printf("%s: %d of 10 found and minimised all; evaluations until found: median %ld, %ld..%ld\n",
           name, n, (needed[4] + needed[5]) / 2, needed[0], needed[9]);
    return n;
}

static void finds_what_was_planted(void)
{
    CHECK(successes(METHOD_NSGA2, "NSGA-II") >= 9);
    CHECK(successes(METHOD_CLIMB, "climb") >= 7);
    CHECK(successes(METHOD_RANDOM, "random") == 0); /* or the task would be too easy */
}

/* Without noise, and with an edit that is faster and inexact: both ends of the front are found. */
static void finds_a_front(void)
{
    struct synthetic s = {.seed = 7, .inexact = 1};
    const struct task t = syn_task(&s);
    struct archive *a = opened(NULL, 0, &s);
    const struct entry **front;
    struct search_plan plan = search_defaults;
    plan.evaluations = 8000;
    CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
    const size_t n = archive_front(a, &front);
    REQUIRE(n >= 2);
    CHECK(front[0]->result.error > 0 && front[n - 1]->result.error == 0);
    CHECK(front[n - 1]->result.time < 0.9);
    CHECK(front[0]->result.time < 0.95 * front[n - 1]->result.time);
    free(front);
    archive_close(a);
}

/* ---- budgets ---- */

/* Never more than the budget; of what is kept to confirm the best at the end some may be left. */
static int is_spent(long ran, long budget)
{
    return ran <= budget && ran >= budget - (budget / 20 < 16 ? budget / 20 : 16);
}

static void budgets_are_kept(void)
{
    static const long budgets[] = {1, 2, 5, 63, 64, 65, 100, 777};
    for (int m = 0; m < N_METHODS; m++)
        for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
            struct synthetic s = {.seed = 3, .noise = 0.01};
            const struct task t = syn_task(&s);
            struct archive *a = opened(NULL, 0, &s);
            const struct search_plan plan = small_plan((enum method)m, budgets[i]);
            CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
            CHECK(is_spent(s.ran, budgets[i]));
            CHECK(m == METHOD_RANDOM || s.ran < s.evaluations || s.ran < 60);
            archive_close(a);
        }
}

static volatile int stop_now;
static long stop_at;

static void stop_there(void *user, const struct search_state *state)
{
    long *latest = user;
    *latest = state->evaluations;
    stop_now = state->evaluations >= stop_at;
}

static void stops_when_told(void)
{
    for (int m = 0; m < N_METHODS; m++) {
        struct synthetic s = {.seed = 3, .noise = 0.01};
        const struct task t = syn_task(&s);
        struct archive *a = opened(NULL, 0, &s);
        struct search_plan plan = small_plan((enum method)m, 5000);
        long latest = 0;
        const struct search_news news = {stop_there, &latest};
        stop_now = 0;
        stop_at = 200;
        CHECK_EQ(search_run(&plan, &t, a, &stop_now, &news), 0);
        CHECK(latest >= 200 && latest < 300 && s.ran == latest);
        plan.seconds = 1e-9;
        stop_now = 0;
        CHECK_EQ(search_run(&plan, &t, a, &stop_now, &news), 0);
        CHECK(s.ran == latest || s.ran < 300);
        archive_close(a);
    }
}

/* ---- going on from a log ---- */

/* The log of a search with that log at its begin, which may be empty; and what it minimised */
static struct buf log_of(const struct search_plan *plan, struct synthetic s,
                         const struct buf *begin)
{
    const struct task t = syn_task(&s);
    const struct entry **front;
    struct minimised m;
    unlink(scratch_path);
    if (begin != NULL)
        scratch_put(begin->s, begin->n);
    struct archive *a = opened(scratch_path, begin != NULL, &s);
    if (search_run(plan, &t, a, NULL, NULL) == 0 && archive_front(a, &front) != 0) {
        if (search_minimise(&t, a, &front[0]->list, &m) == 0)
            minimised_free(&m);
        free(front);
    }
    archive_close(a);
    return scratch_get();
}

/* Killed after any evaluation, with its line written by half, it comes to the same log. */
static void goes_on_anywhere(void)
{
    static const int steps[N_METHODS] = {3, 11, 41};
    for (int m = 0; m < N_METHODS; m++) {
        const struct search_plan plan = small_plan((enum method)m, 200);
        struct synthetic s = {.seed = 5, .noise = 0.01};
        struct buf whole = log_of(&plan, s, NULL);
        long lines = 0;
        for (size_t i = 0; i < whole.n; i++)
            lines += whole.s[i] == '\n';
        CHECK(lines > 190);
        for (s.kill_at = 1; s.kill_at < lines; s.kill_at += steps[m]) {
            struct synthetic rest = s;
            struct buf begin = log_of(&plan, s, NULL);
            buf_add(&begin, "valid sea", (size_t)(s.kill_at % 10));
            rest.kill_at = 0;
            struct buf again = log_of(&plan, rest, &begin);
            CHECK_OF(again.n == whole.n && memcmp(again.s, whole.s, whole.n) == 0,
                     "another log after a kill");
            buf_free(&begin);
            buf_free(&again);
        }
        buf_free(&whole);
    }
}

/* A greater budget goes on where a smaller one ended. */
static void goes_on_with_more(void)
{
    for (int m = 0; m < N_METHODS; m++) {
        const struct search_plan less = small_plan((enum method)m, 111),
                                 more = small_plan((enum method)m, 300);
        struct synthetic s = {.seed = 5, .noise = 0.01};
        struct archive *a = opened(NULL, 0, &s), *b = opened(NULL, 0, &s);
        const struct task t = syn_task(&s);
        CHECK_EQ(search_run(&less, &t, a, NULL, NULL), 0);
        CHECK(is_spent(s.ran, 111));
        CHECK_EQ(search_run(&more, &t, a, NULL, NULL), 0);
        CHECK(s.ran >= 285 && s.ran <= 300 + 5); /* the five of the first end */
        CHECK_EQ(search_run(&more, &t, b, NULL, NULL), 0);
        CHECK_EQ(archive_size(a), archive_size(b));
        for (size_t i = 0; i < archive_size(a); i++)
            CHECK(archive_find(b, &archive_entry(a, i)->list, archive_entry(a, i)->effort) != NULL);
        archive_close(a);
        archive_close(b);
    }
}

/* Results that come in another order lead to the same lists. */
static void order_does_not_matter(void)
{
    for (int m = 0; m < N_METHODS; m++) {
        const struct search_plan plan = small_plan((enum method)m, 1000);
        struct synthetic s = {.seed = 5, .noise = 0.01}, other = s;
        other.backward = 1;
        struct archive *a = opened(NULL, 0, &s), *b = opened(NULL, 0, &s);
        const struct task t = syn_task(&s), u = syn_task(&other);
        CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
        CHECK_EQ(search_run(&plan, &u, b, NULL, NULL), 0);
        CHECK(s.evaluations == other.evaluations && archive_size(a) == archive_size(b));
        for (size_t i = 0; i < archive_size(a); i++)
            CHECK(archive_find(b, &archive_entry(a, i)->list, archive_entry(a, i)->effort) != NULL);
        archive_close(a);
        archive_close(b);
    }
}

static void seeds_differ(void)
{
    for (int m = 0; m < N_METHODS; m++) {
        struct search_plan plan = small_plan((enum method)m, 50);
        struct synthetic s = {.seed = 5};
        struct archive *a = opened(NULL, 0, &s);
        const struct task t = syn_task(&s);
        CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
        plan.seed++;
        CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
        CHECK(s.ran > 90);
        archive_close(a);
    }
}

/* ---- what cannot be searched ---- */

static void evaluate_wrong(void *self, const struct edits *lists, size_t n, enum effort effort,
                           void (*done)(void *user, size_t i, const struct result *result),
                           void *user)
{
    const struct result wrong = {.outcome = OUTCOME_WRONG, .time = HUGE_VAL};
    (void)self, (void)lists, (void)effort;
    for (size_t i = 0; i < n; i++)
        done(user, i, &wrong);
}

/* Times that cannot be, for all but the empty list */
static void evaluate_madly(void *self, const struct edits *lists, size_t n, enum effort effort,
                           void (*done)(void *user, size_t i, const struct result *result),
                           void *user)
{
    static const double mad[] = {-1, 0, NAN, HUGE_VAL};
    (void)self, (void)effort;
    for (size_t i = 0; i < n; i++) {
        struct result r = {.outcome = OUTCOME_VALID, .time = 1};
        if (lists[i].n != 0)
            *(lists[i].v[0].what % 2 ? &r.time : &r.error) = mad[lists[i].v[0].seed % 4];
        if (r.error == 0 && lists[i].n != 0)
            r.spread = -1;
        done(user, i, &r);
    }
}

static int propose_nothing(void *self, const struct edits *list, uint64_t *random, struct edit *out)
{
    (void)self, (void)list, (void)random, (void)out;
    return -1;
}

/* Three edits are all there is. */
static int propose_few(void *self, const struct edits *list, uint64_t *random, struct edit *out)
{
    const struct edit e = {SYN_DELETE, 0, 6 + (uint32_t)(num_draw(random) % 3), 0, 0};
    (void)self;
    *out = e;
    return edits_hold(list, &e) ? -1 : 0;
}

static void small_worlds_end(void)
{
    for (int m = 0; m < N_METHODS; m++) {
        struct synthetic s = {.seed = 5};
        const struct search_plan plan = small_plan((enum method)m, 100000);
        struct task t = syn_task(&s);
        struct archive *a = opened(NULL, 0, &s);
        t.propose = propose_nothing;
        CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
        CHECK_EQ(s.evaluations, 1);
        t.propose = propose_few;
        CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
        CHECK(archive_size(a) >= 4 && archive_size(a) <= 16);
        archive_close(a);
    }
}

static void mad_results(void)
{
    for (int m = 0; m < N_METHODS; m++) {
        struct synthetic s = {.seed = 5};
        const struct search_plan plan = small_plan((enum method)m, 300);
        struct task t = syn_task(&s);
        struct archive *a = opened(NULL, 0, &s);
        size_t counts[N_OUTCOMES];
        t.evaluate = evaluate_madly;
        CHECK_EQ(search_run(&plan, &t, a, NULL, NULL), 0);
        archive_counts(a, counts);
        CHECK(counts[OUTCOME_VALID] == 1 && counts[OUTCOME_GARBLED] == 284);
        archive_close(a);
    }
}

static void says_what_is_wrong(void)
{
    struct synthetic s = {.seed = 5, .kill_at = 40};
    const struct search_plan plan = small_plan(METHOD_NSGA2, 300);
    struct task t = syn_task(&s);
    struct archive *a = opened(NULL, 0, &s);
    struct minimised m;
    struct edits bad = {0};
    CHECK(search_run(&plan, &t, a, NULL, NULL) == -1 && scratch_said("came to no end"));
    archive_close(a);
    a = opened(NULL, 0, &s);
    t.evaluate = evaluate_wrong;
    CHECK(search_run(&plan, &t, a, NULL, NULL) == -1 && scratch_said("is not valid: it is wrong"));
    const struct edit e = {SYN_DELETE, 0, 1, 0, 0};
    edits_add(&bad, &e);
    CHECK(search_minimise(&t, a, &bad, &m) == -1 && scratch_said("of 1 edits, is not valid"));
    CHECK(m.kept == NULL && m.list.n == 0);
    archive_close(a);
    edits_free(&bad);
}

int main(void)
{
    if (scratch_open() != 0)
        return 1;
    RUN(finds_what_was_planted);
    RUN(finds_a_front);
    RUN(budgets_are_kept);
    RUN(stops_when_told);
    RUN(goes_on_anywhere);
    RUN(goes_on_with_more);
    RUN(order_does_not_matter);
    RUN(seeds_differ);
    RUN(small_worlds_end);
    RUN(mad_results);
    RUN(says_what_is_wrong);
    scratch_close();
    return test_end();
}
