/* tally.h - counts of what a program leaves out, each with the place where it was met first
   SPDX-License-Identifier: MIT */
#pragma once

#include "intern.h"

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
/* All words, with "; " between them, into `b` */
void tally_words(const struct tally *t, struct buf *b);
void tally_free(struct tally *t);
