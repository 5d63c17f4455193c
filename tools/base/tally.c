/* tally.c - see tally.h
   SPDX-License-Identifier: MIT */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

void tally_add(struct tally *t, struct place at, const char *words)
{
    const size_t before = t->words.n, i = intern_text(&t->words, words);
    if (t->words.n != before) {
        t->v = xgrow(t->v, i, &t->cap, sizeof *t->v);
        t->v[i] = (struct tally_line){0, at};
    }
    t->v[i].n++;
}

void tally_note(const struct tally *t, const char *one, const char *several)
{
    for (size_t i = 0; i < t->words.n; i++) {
        const struct tally_line *line = &t->v[i];
        note("%zu %s: %s (first: %s:%zu)", line->n, line->n == 1 ? one : several, t->words.v[i].s,
             line->first.path, line->first.line);
    }
}

void tally_words(const struct tally *t, struct buf *b)
{
    for (size_t i = 0; i < t->words.n; i++)
        buf_printf(b, "%s%s", b->n != 0 ? "; " : "", t->words.v[i].s);
}

void tally_free(struct tally *t)
{
    intern_free(&t->words);
    free(t->v);
    memset(t, 0, sizeof *t);
}
