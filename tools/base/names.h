/* names.h - names as people type them: which two are the same, and which are near
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

enum { NAMES_FOLDED = 64, NAMES_MOST_NEAR = 4 };

/* The letters and digits of a name, in small letters; of a longer one, the first 63. */
void names_fold(const char *name, char out[NAMES_FOLDED]);

/* Have they the same letters and digits, and any at all? */
int names_same(const char *a, const char *b);

/* Is the word one of these, between which blanks stand? NULL: there are none. */
int names_has_word(const char *words, const char *word);

/* How many characters of one have to be put in, left out, exchanged or swapped with the next one to
   make the other of it. */
size_t names_distance(const char *a, const char *b);

/* Those of the names offered that are nearest to a text: few typing mistakes away, or with the text
   as a part of them. {TEXT} is one without names. The names have to outlive it. */
struct names_near {
    const char *text;
    size_t n;
    struct {
        const char *name;
        size_t distance;
    } best[NAMES_MOST_NEAR];
};

/* Offers a name, which may be written as `other` too: the nearer of all its forms counts. */
void names_offer(struct names_near *near, const char *name, const char *other);

/* "; did you mean A, B or C?", or "" where no name is near; added to `b`. */
const char *names_question(const struct names_near *near, struct buf *b);
