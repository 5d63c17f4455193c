/* guarded.c - shared memory with pages around it that nobody may touch
   SPDX-License-Identifier: MIT

   sandbox.h declares it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "sandbox.h"

#include "base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATTERN = 4096 };

static const unsigned char *pattern(void)
{
    static unsigned char bytes[PATTERN];
    if (bytes[0] == 0)
        for (size_t i = 0; i < PATTERN; i++)
            bytes[i] = (unsigned char)(i * 167 + (i >> 8) + 89);
    return bytes;
}

struct margin {
    unsigned char *at;
    size_t bytes;
};

static struct margin margin_of(const struct guarded_area *a)
{
    const int is_behind = a->at == a->pages;
    const struct margin m = {is_behind ? a->at + a->bytes : a->pages, a->page_bytes - a->bytes};
    return m;
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* At least one page, so that an empty area has an address, too */
static size_t page_bytes(size_t bytes, size_t page)
{
    return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

/* All pages of the areas, `gap` bytes between each two and a page at both ends; 0 if that is too
   much. */
static size_t map_size(const size_t *bytes, size_t n, size_t page, size_t gap)
{
    size_t sum = 2 * page;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] > SIZE_MAX / 4 || sum > SIZE_MAX / 4)
            return 0;
        sum += page_bytes(bytes[i], page) + gap;
    }
    return sum;
}

static int open_areas(struct guarded *g, const size_t *bytes, enum guarded_side side, size_t page,
                      size_t gap)
{
    unsigned char *at = g->map + page;
    for (size_t i = 0; i < g->n; i++) {
        struct guarded_area *a = &g->area[i];
        a->pages = at;
        a->bytes = bytes[i];
        a->page_bytes = page_bytes(bytes[i], page);
        a->at = side == GUARDED_BEFORE ? at : at + a->page_bytes - bytes[i];
        if (mprotect(a->pages, a->page_bytes, PROT_READ | PROT_WRITE) != 0)
            return -1;
        at += a->page_bytes + gap;
    }
    return 0;
}

enum { ANYWHERE, LOW };

/* Systems with addresses of 64 bits leave this middle of them free, and begin above. */
static void *low_address(size_t bytes)
{
#if UINTPTR_MAX > 0xffffffffu
    static uintptr_t next = 0x200000000000u;
    void *at;
    memcpy(&at, &next, sizeof at);
    next += (bytes >> 30 << 30) + (2u << 30);
    next = next < 0x400000000000u ? next : 0x200000000000u;
    return at;
#else
    return (void)bytes, NULL;
#endif
}

static int make(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side,
                size_t gap, int where)
{
    const size_t page = page_size();
    memset(g, 0, sizeof *g);
    g->map_bytes = map_size(bytes, n, page, gap);
    g->map = g->map_bytes == 0 ? MAP_FAILED
                               : mmap(where == LOW ? low_address(g->map_bytes) : NULL, g->map_bytes,
                                      PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->map == MAP_FAILED) {
        memset(g, 0, sizeof *g);
        return fail("no memory for %zu buffers: %s", n, strerror(errno));
    }
    g->n = n;
    g->area = xcalloc(n + 1, sizeof *g->area);
    if (open_areas(g, bytes, side, page, gap) != 0) {
        const int error = errno;
        guarded_free(g);
        return fail("no memory for %zu buffers: %s", n, strerror(error));
    }
    guarded_mend(g);
    return 0;
}

int guarded_make(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side)
{
    return make(g, bytes, n, side, page_size(), ANYWHERE);
}

int guarded_make_low(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side)
{
    return make(g, bytes, n, side, page_size(), LOW);
}

int guarded_pack(struct guarded *g, const size_t *bytes, size_t n)
{
    return make(g, bytes, n, GUARDED_BEFORE, 0, ANYWHERE);
}

void guarded_free(struct guarded *g)
{
    if (g->map != NULL)
        munmap(g->map, g->map_bytes);
    free(g->area);
    memset(g, 0, sizeof *g);
}

static size_t piece(size_t left)
{
    return left < PATTERN ? left : PATTERN;
}

int guarded_margins_hold(const struct guarded *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct margin m = margin_of(&g->area[i]);
        for (size_t k = 0; k < m.bytes; k += PATTERN)
            if (memcmp(m.at + k, pattern(), piece(m.bytes - k)) != 0)
                return 0;
    }
    return 1;
}

void guarded_mend(const struct guarded *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct margin m = margin_of(&g->area[i]);
        for (size_t k = 0; k < m.bytes; k += PATTERN)
            memcpy(m.at + k, pattern(), piece(m.bytes - k));
    }
}

int guarded_seal(struct guarded *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (mprotect(g->area[i].pages, g->area[i].page_bytes, PROT_READ) != 0)
            return fail("buffers cannot be sealed: %s", strerror(errno));
    return 0;
}
