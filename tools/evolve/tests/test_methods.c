/* test_methods.c - the methods of search on a task without a compiler
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "evolve/search.h"

#include "synthetic.h"
#include "told.h"

#define EACH_METHOD(m) for (enum method m = METHOD_NSGA2; m <= METHOD_RANDOM; m++)

static const struct log_pair story[] = {{"kernel", "synthetic"}, {NULL, NULL}};

/* A task with the archive of its search */
struct world {
    struct synthetic s;
    struct task t;
    struct archive *a;
};

static void world_open(struct world *w, struct synthetic s, const char *log, int resume)
{
    w->s = s;
    w->t = syn_task(&w->s);
    if (archive_open(&w->a, log, resume, story, w->t.names) != 0)
        program_stop("an archive");
}

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

static int searches(struct world *w, const struct search_plan *plan)
{
    return search_run(plan, &w->t, w->a, NULL, NULL) == 0;
}

static int searches_small(struct world *w, enum method method, long evaluations)
{
    const struct search_plan plan = small_plan(method, evaluations);
    return searches(w, &plan);
}

static const struct synthetic usual = {.seed = 5, .noise = 0.01}, quiet = {.seed = 5};

/* ---- what is found ---- */

/* Evaluations until the best list had all planted edits */
static void watch(void *user, const struct search_state *state)
{
    long *all_found = user;
    const struct entry **front;
    const size_t n = archive_front(state->archive, &front);
    if (*all_found == 0 && n != 0 && syn_found(&front[0]->list) == SYN_GAINS)
        *all_found = state->evaluations;
    free(front);
}

/* Is what is left of the fastest list exactly what was planted? */
static int minimises(const struct world *w)
{
    const struct entry **front;
    struct minimised m;
    if (archive_front(w->a, &front) == 0 || search_minimise(&w->t, w->a, &front[0]->list, &m) != 0)
        return 0;
    const int is = m.list.n == SYN_GAINS && syn_found(&m.list) == SYN_GAINS;
    free(front);
    minimised_free(&m);
    return is;
}

/* Of so many seeds, the number that find and minimise all; says after how many evaluations. */
static int successes(enum method method, const char *name, int seeds)
{
    int n = 0;
    printf("%s: evaluations until all were found:", name);
    for (int i = 0; i < seeds; i++) {
        struct world w;
        long all_found = 0;
        const struct search_news news = {watch, &all_found};
        struct search_plan plan = search_defaults;
        plan.method = method;
        plan.seed = (uint64_t)i + 1;
        world_open(&w, (struct synthetic){.seed = 100 + (uint64_t)i, .noise = 0.01}, NULL, 0);
        CHECK_EQ(search_run(&plan, &w.t, w.a, NULL, &news), 0);
        n += minimises(&w);
        printf(" %ld", all_found);
        archive_close(w.a);
    }
    printf("\n%s: %d of %d found and minimised all\n", name, n, seeds);
    return n;
}

static void finds_what_was_planted(void)
{
    CHECK(successes(METHOD_NSGA2, "NSGA-II", 5) >= 5);
    CHECK(successes(METHOD_CLIMB, "climb", 5) >= 4);
    CHECK(successes(METHOD_RANDOM, "random", 2) == 0); /* or the task would be too easy */
}

/* Without noise, and with an edit that is faster and inexact: both ends of the front are found. */
static void finds_a_front(void)
{
    struct world w;
    const struct entry **front;
    struct search_plan plan = search_defaults;
    plan.evaluations = 8000;
    world_open(&w, (struct synthetic){.seed = 7, .inexact = 1}, NULL, 0);
    CHECK(searches(&w, &plan));
    const size_t n = archive_front(w.a, &front);
    REQUIRE(n >= 2);
    CHECK(front[0]->result.error > 0 && front[n - 1]->result.error == 0);
    CHECK(front[n - 1]->result.time < 0.9);
    CHECK(front[0]->result.time < 0.95 * front[n - 1]->result.time);
    free(front);
    archive_close(w.a);
}

/* Never more than the budget; of what is kept to confirm the best at the end some may be left. */
static int is_spent(long ran, long budget)
{
    return ran <= budget && ran >= budget - (budget / 20 < 16 ? budget / 20 : 16);
}

static void budgets_are_kept(void)
{
    static const long budgets[] = {1, 2, 5, 63, 64, 65, 100, 777};
    EACH_METHOD(m)
    for (size_t i = 0; i < COUNT(budgets); i++) {
        struct world w;
        world_open(&w, (struct synthetic){.seed = 3, .noise = 0.01}, NULL, 0);
        CHECK(searches_small(&w, m, budgets[i]) && is_spent(w.s.ran, budgets[i]));
        CHECK(m == METHOD_RANDOM || w.s.ran < w.s.evaluations || w.s.ran < 60);
        archive_close(w.a);
    }
}

static volatile int stop_now;

static void stop_at_200(void *user, const struct search_state *state)
{
    *(long *)user = state->evaluations;
    stop_now = state->evaluations >= 200;
}

static void stops_when_told(void)
{
    EACH_METHOD(m)
    {
        struct world w;
        struct search_plan plan = small_plan(m, 5000);
        long latest = 0;
        const struct search_news news = {stop_at_200, &latest};
        world_open(&w, (struct synthetic){.seed = 3, .noise = 0.01}, NULL, 0);
        stop_now = 0;
        CHECK_EQ(search_run(&plan, &w.t, w.a, &stop_now, &news), 0);
        CHECK(latest >= 200 && latest < 300 && w.s.ran == latest);
        plan.seconds = 1e-9;
        stop_now = 0;
        CHECK_EQ(search_run(&plan, &w.t, w.a, &stop_now, &news), 0);
        CHECK(w.s.ran == latest || w.s.ran < 300);
        archive_close(w.a);
    }
}

/* ---- going on from a log ---- */

/* The log of a search with that log at its begin, or NULL; and what it minimised */
static struct buf log_of(const struct search_plan *plan, struct synthetic s,
                         const struct buf *begin)
{
    struct world w;
    struct buf log = {0};
    unlink("log");
    if (begin != NULL)
        put_bytes("log", begin->s, begin->n);
    world_open(&w, s, "log", begin != NULL);
    if (searches(&w, plan))
        minimises(&w);
    archive_close(w.a);
    read_file("log", 1 << 26, &log);
    return log;
}

/* Killed after any evaluation, with its line written by half, it comes to the same log. */
static void goes_on_anywhere(void)
{
    static const int steps[] = {7, 23, 61};
    EACH_METHOD(m)
    {
        const struct search_plan plan = small_plan(m, 200);
        struct synthetic s = usual;
        struct buf whole = log_of(&plan, s, NULL);
        const long lines = (long)count_lines(whole.s);
        CHECK(lines > 190);
        for (s.kill_at = 1; s.kill_at < lines; s.kill_at += steps[m]) {
            struct buf begin = log_of(&plan, s, NULL);
            buf_add(&begin, "valid sea", (size_t)(s.kill_at % 10));
            struct buf again = log_of(&plan, usual, &begin);
            CHECK_OF(again.n == whole.n && memcmp(again.s, whole.s, whole.n) == 0,
                     "another log after a kill");
            buf_free(&begin);
            buf_free(&again);
        }
        buf_free(&whole);
    }
}

/* The same lists with the same efforts */
static void same_lists(const struct archive *a, const struct archive *b)
{
    CHECK_EQ(archive_size(a), archive_size(b));
    for (size_t i = 0; i < archive_size(a); i++)
        CHECK(archive_find(b, &archive_entry(a, i)->list, archive_entry(a, i)->effort) != NULL);
}

/* A greater budget goes on where a smaller one ended. Results that come in another order lead to
   the same lists. */
static void goes_on_with_more(void)
{
    EACH_METHOD(m)
    {
        struct world w, whole, backward;
        world_open(&w, usual, NULL, 0);
        world_open(&whole, usual, NULL, 0);
        world_open(&backward, usual, NULL, 0);
        backward.s.backward = 1;
        CHECK(searches_small(&w, m, 111) && is_spent(w.s.ran, 111));
        CHECK(searches_small(&w, m, 300));
        CHECK(w.s.ran >= 285 && w.s.ran <= 300 + 5); /* the five of the first end */
        CHECK(searches_small(&whole, m, 300));
        same_lists(w.a, whole.a);
        CHECK(searches_small(&whole, m, 1000) && searches_small(&backward, m, 300)
              && searches_small(&backward, m, 1000));
        CHECK_EQ(whole.s.evaluations, backward.s.evaluations);
        same_lists(whole.a, backward.a);
        archive_close(w.a);
        archive_close(whole.a);
        archive_close(backward.a);
    }
}

static void seeds_differ(void)
{
    EACH_METHOD(m)
    {
        struct world w;
        struct search_plan plan = small_plan(m, 50);
        world_open(&w, quiet, NULL, 0);
        CHECK(searches(&w, &plan));
        plan.seed++;
        CHECK(searches(&w, &plan) && w.s.ran > 90);
        archive_close(w.a);
    }
}

/* ---- what cannot be searched ---- */

SYN_EVALUATE(evaluate_wrong)
{
    const struct result wrong = {.outcome = OUTCOME_WRONG, .time = HUGE_VAL};
    (void)self, (void)lists, (void)effort;
    for (size_t i = 0; i < n; i++)
        done(user, i, &wrong);
}

/* Times that cannot be, for all but the empty list */
SYN_EVALUATE(evaluate_madly)
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

/* Two that gain, the second one twice */
static size_t order_few(void *self, struct edit **out)
{
    (void)self;
    *out = xcalloc(3, sizeof **out);
    for (size_t i = 0; i < 3; i++)
        (*out)[i] = (struct edit){SYN_DELETE, 0, i == 0 ? 7 : 23, 0, 0};
    return 3;
}

/* Each edit that has its order is tried, and no such edit by random search. */
static void tries_in_order(void)
{
    EACH_METHOD(m)
    {
        struct world w;
        world_open(&w, quiet, NULL, 0);
        w.t.propose = propose_nothing;
        w.t.ordered = order_few;
        CHECK(searches_small(&w, m, 100000));
        CHECK_EQ(archive_size(w.a), m == METHOD_RANDOM ? 1 : m == METHOD_CLIMB ? 3 : 5);
        archive_close(w.a);
    }
}

static void small_worlds_end(void)
{
    EACH_METHOD(m)
    {
        struct world w;
        world_open(&w, quiet, NULL, 0);
        w.t.propose = propose_nothing;
        CHECK(searches_small(&w, m, 100000) && w.s.evaluations == 1);
        w.t.propose = propose_few;
        CHECK(searches_small(&w, m, 100000));
        CHECK(archive_size(w.a) >= 4 && archive_size(w.a) <= 16);
        archive_close(w.a);
    }
}

static void mad_results(void)
{
    EACH_METHOD(m)
    {
        struct world w;
        size_t counts[N_OUTCOMES];
        world_open(&w, quiet, NULL, 0);
        w.t.evaluate = evaluate_madly;
        CHECK(searches_small(&w, m, 300));
        archive_counts(w.a, counts);
        CHECK(counts[OUTCOME_VALID] == 1 && counts[OUTCOME_GARBLED] == 284);
        archive_close(w.a);
    }
}

static void says_what_is_wrong(void)
{
    struct world w;
    struct minimised m;
    struct edit e = {SYN_DELETE, 0, 1, 0, 0};
    const struct edits bad = {&e, 1, 1};
    world_open(&w, (struct synthetic){.seed = 5, .kill_at = 40}, NULL, 0);
    CHECK(!searches_small(&w, METHOD_NSGA2, 300) && was_told("came to no end"));
    archive_close(w.a);
    world_open(&w, quiet, NULL, 0);
    w.t.evaluate = evaluate_wrong;
    CHECK(!searches_small(&w, METHOD_NSGA2, 300) && was_told("is not valid: it is wrong"));
    CHECK(search_minimise(&w.t, w.a, &bad, &m) == -1 && was_told("of 1 edit, is not valid"));
    CHECK(m.kept == NULL && m.list.n == 0);
    archive_close(w.a);
}

int main(void)
{
    told_begin();
    RUN_ALL(finds_what_was_planted, finds_a_front, budgets_are_kept, stops_when_told,
            goes_on_anywhere, goes_on_with_more, seeds_differ, tries_in_order, small_worlds_end,
            mad_results, says_what_is_wrong);
    return program_end();
}
