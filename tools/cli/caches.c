/* caches.c - see caches.h
   SPDX-License-Identifier: MIT */
#ifdef __linux__
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "caches.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#define HAS_FLUSH
#ifdef __linux__
#include <link.h>
#define HAS_IMAGE
#endif
#endif

enum { LINE = 64, TIMES = 2, LEAST = 64 << 20, MOST = 128 << 20 };

/* The largest cache of the machine as the system knows it; 0: it does not */
static size_t largest_cache(void)
{
    long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : 0;
}

void caches_open(struct caches *c)
{
    c->bytes = TIMES * largest_cache();
    c->bytes = c->bytes < LEAST ? LEAST : c->bytes > MOST ? MOST : c->bytes;
    c->walk = xmalloc(c->bytes);
    memset(c->walk, 1, c->bytes); /* so that it is in memory */
}

void caches_free(struct caches *c)
{
    free(c->walk);
}

void caches_flush(const void *p, size_t bytes)
{
#ifdef HAS_FLUSH
    const char *at = p;
    if (bytes == 0)
        return;
    for (size_t i = 0; i < bytes; i += LINE)
        _mm_clflush(at + i);
    _mm_clflush(at + bytes - 1);
    _mm_mfence();
#else
    (void)p, (void)bytes;
#endif
}

#ifdef HAS_IMAGE

/* The segments of the first object, which is the program */
static int flush_segments(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size, (void)data;
    for (size_t i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_phdr[i].p_memsz > 0)
            caches_flush((const char *)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr,
                         object->dlpi_phdr[i].p_memsz);
    return 1;
}

#endif

void caches_empty(const struct caches *c)
{
    for (size_t i = 0; i < c->bytes; i += LINE)
        ((volatile unsigned char *)c->walk)[i]++;
#ifdef HAS_IMAGE
    dl_iterate_phdr(flush_segments, NULL);
#endif
}
