/* test_minimise.c - what is left of a list, and what each edit that is left is worth; and ranks of
   non-domination with crowding, against definitions taken word by word
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "evolve/search.h"

#include "synthetic.h"
#include "told.h"

static const struct edit planted[SYN_GAINS] = {
    {SYN_DELETE, 0, 7, 0, 0}, {SYN_DELETE, 0, 23, 0, 0},  {SYN_OPERAND, 0, 31, 0, 3},
    {SYN_MOVE, 0, 12, 5, 9},  {SYN_OPERAND, 1, 40, 0, 1}, {SYN_DELETE, 0, 41, 0, 0}};

/* The planted edits among `n` others that do nothing, and are valid with all before them; they
   delete nothing that a planted one is about. */
static struct edits mixed(const struct synthetic *s, size_t n)
{
    struct edits list = {0};
    uint64_t random = s->seed;
    double error;
    for (size_t i = 0, k = 0; list.n < SYN_GAINS + n;) {
        struct edit e;
        const int is_due = k < SYN_GAINS && i++ % 3 == 2;
        if (is_due)
            e = planted[k++];
        else if (list.n - k >= n || syn_propose(NULL, &list, &random, &e) != 0
                 || syn_planted(&e) >= 0 || e.op == SYN_DELETE)
            continue;
        const double before = syn_time(s, &list, &error);
        edits_add(&list, &e);
        const int is_idle = !(before < syn_time(s, &list, &error)) && error == 0;
        if (!is_due && (!is_idle || syn_result(s, &list, EFFORT_SEARCH).outcome != OUTCOME_VALID))
            edits_drop(&list, list.n - 1);
    }
    return list;
}

/* Does it come down to the planted edits? Twice the same. */
static int comes_down(struct synthetic s, size_t n_idle)
{
    const struct task t = syn_task(&s);
    struct edits list = mixed(&s, n_idle);
    struct archive *a = in_memory(t.names);
    struct minimised m, again;
    const int is = search_minimise(&t, a, &list, &m) == 0 && m.list.n == SYN_GAINS
                   && syn_found(&m.list) == SYN_GAINS;
    const long evaluations = s.evaluations;
    CHECK(s.compared <= 200);
    CHECK(search_minimise(&t, a, &list, &again) == 0 && edits_equal(&m.list, &again.list));
    CHECK_EQ(s.evaluations, evaluations);
    CHECK_EQ(s.by_effort[EFFORT_CONFIRM] + s.by_effort[EFFORT_JUDGE], evaluations);
    minimised_free(&m);
    minimised_free(&again);
    edits_free(&list);
    archive_close(a);
    return is;
}

static void what_was_planted(void)
{
    int n = 0;
    for (size_t idle = 0; idle < 40; idle += 13)
        CHECK(comes_down((struct synthetic){.seed = 11}, idle));
    for (uint64_t seed = 1; seed <= 40; seed++)
        n += comes_down((struct synthetic){.seed = seed, .noise = 0.01}, 12);
    EXPECT(n >= 36, "with noise, minimised to what was planted: %d of 40", n);
}

static void shares(void)
{
    struct synthetic s = {.seed = 11};
    const struct task t = syn_task(&s);
    struct edits list = mixed(&s, 5);
    struct archive *a = in_memory(t.names);
    struct minimised m;
    double after = 1;
    REQUIRE(search_minimise(&t, a, &list, &m) == 0);
    for (int i = 0; i < SYN_GAINS; i++)
        after *= 1 - syn_gain[i];
    CHECK(fabs(m.after.time - after) < 1e-12 && fabs(m.before.time - after) < 1e-12);
    for (size_t i = 0; i < m.list.n; i++) {
        const int k = syn_planted(&m.kept[i].edit);
        const double want = k == 4 ? 1 : (after / (1 - syn_gain[k]) - after) / (1 - after);
        CHECK(edit_equal(&m.kept[i].edit, &m.list.v[i]));
        CHECK(fabs(m.kept[i].share - want) < 1e-12);
        CHECK_EQ(m.kept[i].needs_others, k == 5);
    }
    minimised_free(&m);
    edits_free(&list);
    archive_close(a);
}

/* ---- edits that depend on each other: a digit is a deletion, or a move behind an `m` ---- */

static struct edits list_in(const char *digits)
{
    struct edits list = {0};
    for (; *digits != '\0'; digits++) {
        const int moves = *digits == 'm';
        digits += moves;
        const struct edit e = {moves ? SYN_MOVE : SYN_DELETE, 0, (uint32_t)(*digits - '0'),
                               moves ? 9 : 0, 0};
        edits_add(&list, &e);
    }
    return list;
}

static const char *digits_of(const struct edits *list)
{
    static char text[40];
    text[0] = '\0';
    for (size_t i = 0; i < list->n && i < 10; i++)
        sprintf(text + strlen(text), list->v[i].op == SYN_MOVE ? "m%u" : "%u",
                (unsigned)list->v[i].what);
    return text;
}

/* What is in a list */
struct digits {
    int moved[10], deleted[10];
};

static struct digits digits_in(const struct edits *list)
{
    struct digits d = {{0}, {0}};
    for (size_t k = 0; k < list->n; k++)
        (list->v[k].op == SYN_MOVE ? d.moved : d.deleted)[list->v[k].what] = 1;
    return d;
}

/* Compares by what the task itself, which is its trial, evaluates by */
static struct result compare(void *trial, const struct edits *list, const struct edits *with)
{
    const struct task *t = trial;
    struct result r, other;
    t->evaluate(NULL, list, 1, EFFORT_CONFIRM, result_keep, &r);
    t->evaluate(NULL, with, 1, EFFORT_CONFIRM, result_keep, &other);
    r.time /= other.time;
    return r;
}

static struct task task_by(void (*evaluate)(void *self, const struct edits *lists, size_t n,
                                            enum effort effort, result_taker *done, void *user))
{
    static struct synthetic s;
    struct task t = syn_task(&s);
    t.evaluate = evaluate;
    t.compare = compare;
    return t;
}

/* 1 breaks what 2 mends, and 2 alone is wrong as well; 3 gains 20 %, and makes 4 exact, which gains
   10 % and has an error without 3; 5 does nothing; 7 gains 30 %, and held-out cases refuse it
   without 6, which does nothing else. */
SYN_EVALUATE(evaluate_bound)
{
    (void)self;
    for (size_t i = 0; i < n; i++) {
        const struct digits d = digits_in(&lists[i]);
        const int *has = d.deleted;
        struct result r = {.outcome = has[1] == has[2] ? OUTCOME_VALID : OUTCOME_WRONG};
        if (effort == EFFORT_JUDGE && has[7] && !has[6])
            r.outcome = OUTCOME_WRONG;
        r.time = (has[3] ? 0.8 : 1) * (has[4] ? 0.9 : 1) * (has[7] ? 0.7 : 1);
        r.error = has[4] && !has[3] ? 1e-3 : 0;
        done(user, i, &r);
    }
}

/* Moving 3 gains 15 %, with 5 another 5 %, which deleting 3 gains by itself; moving 4 gains 10 %,
   and deleting it is wrong. */
SYN_EVALUATE(evaluate_moved)
{
    (void)self, (void)effort;
    for (size_t i = 0; i < n; i++) {
        const struct digits d = digits_in(&lists[i]);
        struct result r = {.outcome = d.deleted[4] ? OUTCOME_WRONG : OUTCOME_VALID};
        r.time = d.deleted[3] || (d.moved[3] && d.deleted[5]) ? 0.8 : d.moved[3] ? 0.85 : 1;
        r.time *= d.moved[4] ? 0.9 : 1;
        done(user, i, &r);
    }
}

/* Held-out cases refuse 2 and 7, and 5 without 4. */
SYN_EVALUATE(evaluate_strictly)
{
    (void)self;
    for (size_t i = 0; i < n; i++) {
        const struct digits d = digits_in(&lists[i]);
        const int is_wrong = d.deleted[2] || d.deleted[7] || (d.deleted[5] && !d.deleted[4]);
        struct result r = {.outcome =
                               is_wrong && effort == EFFORT_JUDGE ? OUTCOME_WRONG : OUTCOME_VALID};
        r.time = 1 - 0.01 * (double)lists[i].n;
        done(user, i, &r);
    }
}

static int deletes_what_is_moved(void *self, const struct edit *e, struct edit *out)
{
    const struct edit deletes = {SYN_DELETE, 0, e->what, 0, 0};
    (void)self;
    *out = deletes;
    return e->op == SYN_MOVE ? 0 : -1;
}

/* What is left of these, or what is mended of them */
static const char *left_of(struct task t, const char *digits)
{
    struct edits list = list_in(digits);
    struct archive *a = in_memory(t.names);
    struct minimised m;
    t.trial = &t;
    CHECK_EQ(search_minimise(&t, a, &list, &m), 0);
    CHECK(m.list.n > 0 || (m.before.time == 1 && m.after.time == 1));
    const char *text = digits_of(&m.list);
    minimised_free(&m);
    edits_free(&list);
    archive_close(a);
    return text;
}

static const char *mended(const char *digits)
{
    struct task t = task_by(evaluate_strictly);
    struct edits list = list_in(digits), right = {0};
    struct archive *a = in_memory(t.names);
    CHECK_EQ(search_mend(&t, a, &list, &right), 0);
    const char *text = digits_of(&right);
    edits_free(&right);
    edits_free(&list);
    archive_close(a);
    return text;
}

static void pairs_go(void)
{
    const struct task t = task_by(evaluate_bound);
    CHECK_TEXT(left_of(t, "13245"), "34");
    CHECK_TEXT(left_of(t, "5"), "");
    CHECK_TEXT(left_of(t, "12"), "");
    CHECK_TEXT(left_of(t, ""), "");
    CHECK_TEXT(left_of(t, "657"), "67"); /* held-out cases keep what they need */
}

static void simpler_ones(void)
{
    struct task t = task_by(evaluate_moved);
    CHECK_TEXT(left_of(t, "m45m3"), "m45m3");
    t.simpler = deletes_what_is_moved;
    CHECK_TEXT(left_of(t, "m45m3"), "m43");
}

static void mends(void)
{
    static const char *const all[][2] = {
        {"134", "134"}, {"123456789", "1345689"}, {"2", ""},      {"27", ""},
        {"541", "541"}, {"52471", "41"},          {"451", "451"}, {"", ""}};
    for (size_t i = 0; i < COUNT(all); i++)
        CHECK_TEXT(mended(all[i][0]), all[i][1]);
}

/* ---- ranks and crowding ---- */

enum { MOST = 60 };
static uint64_t seed = 1;

/* With few different values, so that points are equal, or equal in one of them */
static void draw(struct point *p, size_t n, int values)
{
    memset(p, 0, n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        p[i].time = test_between(&seed, 0, values);
        p[i].error = test_between(&seed, 0, values);
        p[i].size = (size_t)test_between(&seed, 0, 2);
    }
}

static int better(const struct point *a, const struct point *b)
{
    const int none_worse = a->time <= b->time && a->error <= b->error;
    const int same = a->time == b->time && a->error == b->error;
    return same ? a->size < b->size : none_worse;
}

/* Takes the points that none of those left dominates, again and again. */
static void peel(const struct point *p, size_t n, int *rank)
{
    size_t left = n;
    for (size_t i = 0; i < n; i++)
        rank[i] = -1;
    for (int r = 0; left > 0; r++) {
        int is_best[MOST];
        for (size_t i = 0; i < n; i++) {
            is_best[i] = rank[i] < 0;
            for (size_t j = 0; j < n && is_best[i]; j++)
                is_best[i] = rank[j] >= 0 || !better(&p[j], &p[i]);
        }
        for (size_t i = 0; i < n; i++)
            if (is_best[i])
                rank[i] = r, left--;
    }
}

static void ranks(void)
{
    for (int round = 0; round < 150; round++) {
        struct point p[MOST];
        int rank[MOST], wrong = 0;
        const size_t n = (size_t)test_between(&seed, 0, MOST);
        draw(p, n, round % 2 ? 8 : 1 << 20);
        peel(p, n, rank);
        pareto_rank(p, n);
        for (size_t i = 0; i < n; i++)
            wrong += p[i].rank != rank[i];
        CHECK_EQ(wrong, 0);
    }
}

/* The neighbours of a point within its rank, by one of the objectives; all values differ. */
static double gap(const struct point *p, size_t n, size_t of, int by_error)
{
    double below = -HUGE_VAL, above = HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL;
    const double x = by_error ? p[of].error : p[of].time;
    for (size_t i = 0; i < n; i++) {
        const double y = by_error ? p[i].error : p[i].time;
        if (p[i].rank != p[of].rank)
            continue;
        least = fmin(least, y);
        most = fmax(most, y);
        below = y < x ? fmax(below, y) : below;
        above = y > x ? fmin(above, y) : above;
    }
    return (above - below) / (most - least);
}

static void crowding(void)
{
    for (int round = 0; round < 150; round++) {
        struct point p[MOST];
        int wrong = 0;
        const size_t n = (size_t)test_between(&seed, 1, MOST);
        draw(p, n, 1 << 30);
        pareto_rank(p, n);
        pareto_crowd(p, n);
        for (size_t i = 0; i < n; i++) {
            const double want = gap(p, n, i, 0) + gap(p, n, i, 1);
            if (!(want < HUGE_VAL)) /* an end of its rank, or alone in it */
                wrong += p[i].crowding != HUGE_VAL;
            else
                wrong += !(fabs(p[i].crowding - want) < 1e-9);
        }
        CHECK_EQ(wrong, 0);
    }
}

/* Of three that lie close and one far away, the latter is to be preferred; ranks come first. */
static void preference(void)
{
    struct point p[] = {{1, 9, 0, 0, 0}, {2, 8, 0, 0, 0}, {3, 7, 0, 0, 0},
                        {6, 4, 0, 0, 0}, {9, 1, 0, 0, 0}, {9, 2, 0, 0, 0}};
    pareto_rank(p, 6);
    pareto_crowd(p, 6);
    CHECK(point_precedes(&p[3], &p[1]) && !point_precedes(&p[1], &p[3]));
    CHECK(point_precedes(&p[0], &p[3]));
    CHECK(p[5].rank == 1 && point_precedes(&p[1], &p[5]) && !point_precedes(&p[5], &p[1]));
}

/* What failed when it was confirmed has no finite value; it is behind all others. */
static void infinities(void)
{
    struct point p[] = {
        {HUGE_VAL, HUGE_VAL, 0, 0, 0}, {2, 8, 5, 0, 0}, {HUGE_VAL, HUGE_VAL, 1, 0, 0}};
    pareto_rank(p, 3);
    pareto_crowd(p, 3);
    CHECK(p[1].rank == 0 && p[0].rank == 1 && p[2].rank == 2);
}

int main(void)
{
    RUN_ALL(what_was_planted, shares, pairs_go, simpler_ones, mends, ranks, crowding, preference,
            infinities);
    return test_end();
}
