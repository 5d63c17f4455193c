/* memory.h - where the code of an MLIR module has its tensors: an arena, empty before each call
   SPDX-License-Identifier: MIT

   Such code asks for memory, and copies tensors, by two functions: these. They are part of
   kpred-evolve, and of each library that `kpred-evolve ml-export` writes. */
#pragma once

#include <stdint.h>
#include <string.h>

enum { MEMORY_ALIGNED = 64 }; /* no tensor asks for more */

struct memory {
    unsigned char *at; /* such a multiple */
    uint64_t size, taken;
};

static inline uint64_t memory_rounded(uint64_t bytes)
{
    return (bytes + MEMORY_ALIGNED - 1) / MEMORY_ALIGNED * MEMORY_ALIGNED;
}

/* NULL if there is no more. What reads it too soon reads 0. */
static inline void *memory_take(struct memory *m, uint64_t bytes)
{
    unsigned char *at = m->at + m->taken;
    if (bytes > m->size - m->taken)
        return NULL;
    m->taken += memory_rounded(bytes);
    return memset(at, 0, bytes);
}

struct memory_tensor { /* as MLIR describes it */
    char *base, *at;
    int64_t offset, more[]; /* sizes, then strides, both of its rank */
};

struct memory_ref {
    int64_t rank;
    struct memory_tensor *to;
};

/* How many elements from dimension d on lie behind each other; 0 if they lie apart */
static inline int64_t memory_together(const struct memory_ref *t, int64_t d)
{
    int64_t n = 1;
    for (int64_t i = t->rank - 1; i >= d; n *= t->to->more[i--])
        if (t->to->more[t->rank + i] != n)
            return 0;
    return n;
}

/* Dimension d of `from` and those behind it, whose strides may be any, to `to` */
static inline void memory_copy_from(const struct memory_ref *from, const struct memory_ref *to,
                                    int64_t d, const char *at_from, char *at_to, int64_t bytes)
{
    const int64_t n = memory_together(from, d);
    if (n > 0 && n == memory_together(to, d)) {
        memcpy(at_to, at_from, (size_t)(n * bytes));
        return;
    }
    for (int64_t i = 0; i < from->to->more[d]; i++)
        memory_copy_from(from, to, d + 1, at_from + i * from->to->more[from->rank + d] * bytes,
                         at_to + i * to->to->more[to->rank + d] * bytes, bytes);
}

/* All elements, of that many bytes each */
static inline void memory_copy(int64_t bytes, const struct memory_ref *from,
                               const struct memory_ref *to)
{
    memory_copy_from(from, to, 0, from->to->at + from->to->offset * bytes,
                     to->to->at + to->to->offset * bytes, bytes);
}
