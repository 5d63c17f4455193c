/* test_crew.c - processes that stay and answer, and die
   SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "told.h"

#include "evolve/crew.h"

#include <signal.h>
#include <sys/mman.h>

enum { JOBS = 3, TURNS = 4 };

static volatile int always = 1;
static volatile int *seen; /* shared with the members */

struct reply {
    int sum;
    pid_t pid;
};

static int begin(void *user)
{
    seen[0]++;
    return *(int *)user;
}

/* The sum of a request's bytes, unless its first byte asks for something else */
static void answer(void *user, const void *request, size_t bytes, void *reply)
{
    const unsigned char *at = request;
    struct reply r = {0, getpid()};
    (void)user;
    switch (bytes == 0 ? 0 : at[0]) {
    case 'a': abort();
    case 'e': exit(0);
    case 'l':
        while (always)
            ;
        break;
    case 'm': r.sum = malloc((size_t)2 << 30) == NULL; break;
    case 'f': r.sum = fcntl(4, F_GETFD) < 0 && write(2, "not seen\n", 9) == 9; break;
    default:
        for (size_t i = 0; i < bytes; i++)
            r.sum += at[i];
    }
    memcpy(reply, &r, sizeof r);
}

static struct crew *crew_of(double seconds, int *begins_with)
{
    struct crew *c = NULL;
    const struct crew_work work = {begins_with, begin,           answer, sizeof(struct reply),
                                   seconds,     (size_t)1 << 30, TURNS};
    CHECK_EQ(crew_open(&c, JOBS, &work), 0);
    return c;
}

static int good_begin;

static enum crew_end one_answer(struct crew *c, const char *request, struct reply *r)
{
    size_t tag = 0;
    CHECK_EQ(crew_ask(c, request, strlen(request), 77), 0);
    const enum crew_end end = crew_wait(c, &tag, r);
    CHECK_EQ(tag, 77);
    return end;
}

static void answers(void)
{
    struct crew *c = crew_of(60, &good_begin);
    struct reply r;
    size_t tag;
    CHECK_EQ(crew_wait(c, &tag, &r), CREW_IDLE);
    CHECK(one_answer(c, "\1\2\3", &r) == CREW_ANSWERED && r.sum == 6);
    CHECK(one_answer(c, "", &r) == CREW_ANSWERED && r.sum == 0);
    CHECK(one_answer(c, "m", &r) == CREW_ANSWERED && r.sum == 1);
    CHECK(one_answer(c, "f", &r) == CREW_ANSWERED && r.sum == 1);
    crew_close(c);
    CHECK(no_children());
}

/* More than a socket holds */
static void large_requests(void)
{
    enum { BYTES = 3000000 };
    struct crew *c = crew_of(60, &good_begin);
    struct reply r = {0, 0};
    size_t tag;
    char *request = malloc(BYTES);
    REQUIRE(request != NULL);
    memset(request, 1, BYTES);
    for (size_t i = 0; i < JOBS; i++)
        CHECK_EQ(crew_ask(c, request, BYTES, i), 0);
    for (size_t i = 0; i < JOBS; i++)
        CHECK(crew_wait(c, &tag, &r) == CREW_ANSWERED && r.sum == BYTES);
    free(request);
    crew_close(c);
}

/* All at once, each answered by its own; a fourth has no room. */
static void several(void)
{
    const char *texts[JOBS] = {"\1", "\2\2", "\3\3\3"};
    struct crew *c = crew_of(60, &good_begin);
    struct reply r[JOBS], one;
    size_t tag;
    for (size_t i = 0; i < JOBS; i++) {
        CHECK_EQ(crew_room(c), JOBS - (int)i);
        CHECK_EQ(crew_ask(c, texts[i], strlen(texts[i]), i), 0);
    }
    CHECK_EQ(crew_ask(c, "x", 1, 9), -1);
    CHECK(was_told("3 requests are being answered already"));
    for (int i = 0; i < JOBS; i++) {
        CHECK_EQ(crew_wait(c, &tag, &one), CREW_ANSWERED);
        REQUIRE(tag < JOBS);
        r[tag] = one;
    }
    for (int i = 0; i < JOBS; i++)
        EXPECT(r[i].sum == (i + 1) * (i + 1), "answer %d is %d", i, r[i].sum);
    CHECK(r[0].pid != r[1].pid && r[1].pid != r[2].pid && r[0].pid != r[2].pid);
    crew_close(c);
}

static void members_are_replaced(void)
{
    struct crew *c = crew_of(60, &good_begin);
    struct reply r;
    pid_t pid[2 * TURNS];
    for (int i = 0; i < 2 * TURNS; i++) {
        CHECK_EQ(one_answer(c, "\1", &r), CREW_ANSWERED);
        pid[i] = r.pid;
    }
    CHECK_EQ(pid[TURNS - 1], pid[0]);
    CHECK(pid[TURNS] != pid[0] && pid[2 * TURNS - 1] == pid[TURNS]);
    crew_close(c);
}

static void dying(void)
{
    struct crew *c = crew_of(60, &good_begin);
    struct reply r, before;
    CHECK_EQ(one_answer(c, "a", &r), CREW_DIED);
    CHECK_EQ(one_answer(c, "e", &r), CREW_DIED);
    CHECK(one_answer(c, "\5", &before) == CREW_ANSWERED && before.sum == 5);
    kill(before.pid, SIGKILL); /* while nothing is asked of it */
    while (waitid(P_PID, (id_t)before.pid, &(siginfo_t){0}, WEXITED | WNOWAIT) != 0)
        ;
    CHECK(one_answer(c, "\6", &r) == CREW_ANSWERED && r.sum == 6 && r.pid != before.pid);
    crew_close(c);
    CHECK(no_children());
}

/* An endless one ends at its time, and not before; the others are not kept waiting by it. */
static void late(void)
{
    struct crew *c = crew_of(0.6, &good_begin);
    struct reply r;
    size_t tag;
    const double from = now();
    CHECK_EQ(crew_ask(c, "l", 1, 5), 0);
    CHECK_EQ(crew_ask(c, "\1", 1, 6), 0);
    CHECK(crew_wait(c, &tag, &r) == CREW_ANSWERED && tag == 6);
    CHECK(crew_wait(c, &tag, &r) == CREW_LATE && tag == 5);
    CHECK(now() - from >= 0.59);
    CHECK_EQ(one_answer(c, "\1", &r), CREW_ANSWERED);
    CHECK_EQ(crew_ask(c, "l", 1, 5), 0);
    crew_close(c); /* which does not wait for it */
    CHECK(no_children());
}

static void cannot_begin(void)
{
    int bad_begin = 1;
    struct crew *c = crew_of(60, &bad_begin);
    struct reply r;
    const int before = seen[0];
    CHECK_EQ(one_answer(c, "\1", &r), CREW_DIED);
    CHECK_EQ(seen[0], before + 1);
    crew_close(c);
    CHECK(crew_open(&c, 0, &(struct crew_work){0}) == -1 && c == NULL);
    CHECK(was_told("jobs: 0 is not within 1 and 1024"));
}

int main(void)
{
    told_begin();
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    seen = shared;
    RUN(answers);
    RUN(large_requests);
    RUN(several);
    RUN(members_are_replaced);
    RUN(dying);
    RUN(late);
    RUN(cannot_begin);
    return program_end();
}
