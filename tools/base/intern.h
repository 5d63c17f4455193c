/* intern.h - numbers texts, from 0, in the order in which they come, and counts them
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
/* Is it the first path of the file or folder among those that were asked for? */
int intern_file(struct interned *t, const struct stat *st);
void intern_free(struct interned *t);

/* ---- counts of what a program leaves out, each with the place where it was met first ---- */

struct place {
    const char *path; /* which has to live on */
    size_t line;
};

struct tally { /* all zero: nothing was counted; to be freed */
    struct interned words;
    size_t cap;
    struct tally_line {
        size_t n;
        struct place first;
    } * v; /* by the numbers of words */
};

void tally_add(struct tally *t, struct place at, const char *words);
/* A line on standard error for each: "3 shapes: WORDS (first: log:17)" */
void tally_note(const struct tally *t, const char *one, const char *several);
/* "NAME: there is nothing to WHAT: " with the words of both, each with its first place; -1. b: or
   NULL */
int tally_fail(const char *name, const char *what, const struct tally *a, const struct tally *b);
void tally_free(struct tally *t);
