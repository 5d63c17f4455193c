/* allocations.c - counts the blocks of memory that a program and its libraries ask for
   SPDX-License-Identifier: MIT

   The program's own functions stand before those of libc for all that is loaded into it. They are
   glibc's own under its second names. */
#include "measure.h"

#include <errno.h>

#if defined(__GLIBC__)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);

static size_t count; /* threads may lose one; the peers have one */

void *malloc(size_t size)
{
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    count++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    count++;
    return __libc_realloc(p, size);
}

void *memalign(size_t alignment, size_t size)
{
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *p = memalign(alignment, size);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

size_t allocations(void)
{
    return count;
}

#else

size_t allocations(void)
{
    return 0;
}

#endif
