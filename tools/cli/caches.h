/* caches.h - empties the caches of a core, for what is timed cold
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

struct caches {
    unsigned char *walk; /* several times the largest cache */
    size_t bytes;
};

void caches_open(struct caches *c);
void caches_free(struct caches *c);

/* Writes one word of each line of `walk`, which drives out data, the tables of pages and, where the
   second cache holds what the first ones hold, code; on x86-64 it also flushes the program's image,
   code and built-in models, from all caches, which is certain. */
void caches_empty(const struct caches *c);

/* Flushes those bytes from all caches on x86-64; elsewhere the walk has to do. */
void caches_flush(const void *p, size_t bytes);
