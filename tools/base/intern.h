/* intern.h - numbers texts, from 0, in the order in which they come
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

struct interned { /* all zero: there are none */
    size_t n, cap, n_slots;
    struct interned_text {
        char *s; /* with a NUL behind */
        size_t n;
        uint64_t hash;
    } * v;
    uint32_t *slot; /* 1 + a number, or 0 */
};

#define INTERN_NONE SIZE_MAX

/* The number of these bytes, which are kept. */
size_t intern(struct interned *t, const void *bytes, size_t n);
size_t intern_text(struct interned *t, const char *text);
/* The same of what is there; INTERN_NONE: it is not. */
size_t intern_find(const struct interned *t, const void *bytes, size_t n);
size_t intern_find_text(const struct interned *t, const char *text);
void intern_free(struct interned *t);
