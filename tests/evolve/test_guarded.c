/* test_guarded.c - shared memory with pages around it that nobody may touch
   SPDX-License-Identifier: MIT */
#include "harness/test.h"

#include "evolve/sandbox.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf back;

static void jump(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* Does a store there end the process? */
static int is_closed(volatile unsigned char *at)
{
    volatile int closed = 0;
    struct sigaction act, old_segv, old_bus;
    memset(&act, 0, sizeof act);
    act.sa_handler = jump;
    sigemptyset(&act.sa_mask);
    sigaction(SIGSEGV, &act, &old_segv);
    sigaction(SIGBUS, &act, &old_bus);
    if (sigsetjmp(back, 1) == 0)
        *at = 1;
    else
        closed = 1;
    sigaction(SIGSEGV, &old_segv, NULL);
    sigaction(SIGBUS, &old_bus, NULL);
    return closed;
}

static void guards(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes[] = {0, 1, 100, page - 1, page, page + 1, 3 * page};
    const size_t n = sizeof bytes / sizeof *bytes;
    struct guarded g;
    for (int side = 0; side < 2; side++) {
        REQUIRE(guarded_make(&g, bytes, n, (enum guarded_side)side) == 0);
        CHECK(guarded_margins_hold(&g));
        for (size_t i = 0; i < n; i++) {
            const struct guarded_area *a = &g.area[i];
            CHECK(side == GUARDED_BEFORE ? is_closed(a->at - 1) : is_closed(a->at + a->bytes));
            CHECK(is_closed(a->pages - 1) && is_closed(a->pages + a->page_bytes));
            if (bytes[i] > 0)
                CHECK(a->at[0] == 0 && !is_closed(a->at) && !is_closed(a->at + bytes[i] - 1));
        }
        CHECK(guarded_margins_hold(&g));
        guarded_free(&g);
    }
}

static void margins(void)
{
    const size_t bytes[] = {100, 5000, 0};
    struct guarded g;
    for (int side = 0; side < 2; side++) {
        REQUIRE(guarded_make(&g, bytes, 3, (enum guarded_side)side) == 0);
        for (size_t i = 0; i < 3; i++) {
            const struct guarded_area *a = &g.area[i];
            unsigned char *beside = side == GUARDED_BEHIND ? a->at - 1 : a->at + a->bytes;
            *beside ^= 1;
            CHECK(!guarded_margins_hold(&g));
            guarded_mend(&g);
            CHECK(guarded_margins_hold(&g));
        }
        guarded_seal(&g);
        CHECK(is_closed(g.area[0].at) && is_closed(g.area[1].at));
        guarded_free(&g);
    }
    const size_t much[] = {SIZE_MAX / 2};
    CHECK(guarded_make(&g, much, 1, GUARDED_BEHIND) == -1 && g.map == NULL);
}

/* Packed, nothing is closed between two areas, and everything at both ends. */
static void packed(void)
{
    const size_t bytes[] = {8, 5000, 0};
    struct guarded g;
    REQUIRE(guarded_pack(&g, bytes, 3) == 0);
    CHECK(guarded_margins_hold(&g));
    for (size_t i = 0; i < 3; i++)
        CHECK(g.area[i].at == g.area[i].pages && !is_closed(g.area[i].at));
    CHECK(g.area[1].pages == g.area[0].pages + g.area[0].page_bytes);
    CHECK(is_closed(g.area[0].at - 1));
    CHECK(is_closed(g.area[2].pages + g.area[2].page_bytes));
    guarded_mend(&g);
    g.area[0].at[8] ^= 1;
    CHECK(!guarded_margins_hold(&g));
    guarded_free(&g);
}

int main(void)
{
    RUN(guards);
    RUN(margins);
    RUN(packed);
    return test_end();
}
