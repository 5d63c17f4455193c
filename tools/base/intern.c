/* intern.c - see intern.h
   SPDX-License-Identifier: MIT */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, with its high bits mixed into the low ones that choose the slot */
static uint64_t hash_of(const unsigned char *p, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

/* The slot that these bytes have, or would have: there is always an empty one. */
static size_t slot_of(const struct interned *t, const void *bytes, size_t n, uint64_t hash)
{
    size_t i = (size_t)hash & (t->n_slots - 1);
    for (; t->slot[i] != 0; i = (i + 1) & (t->n_slots - 1)) {
        const struct interned_text *x = &t->v[t->slot[i] - 1];
        if (x->hash == hash && x->n == n && memcmp(x->s, bytes, n) == 0)
            break;
    }
    return i;
}

static void intern_grow(struct interned *t)
{
    free(t->slot);
    t->n_slots = t->n_slots != 0 ? 2 * t->n_slots : 64;
    t->slot = xcalloc(t->n_slots, sizeof *t->slot);
    for (size_t i = 0; i < t->n; i++)
        t->slot[slot_of(t, t->v[i].s, t->v[i].n, t->v[i].hash)] = (uint32_t)i + 1;
}

static size_t intern_add(struct interned *t, const void *bytes, size_t n, uint64_t hash)
{
    struct interned_text x = {xmalloc(n + 1), n, hash};
    memcpy(x.s, bytes, n);
    x.s[n] = '\0';
    t->v = xgrow(t->v, t->n, &t->cap, sizeof *t->v);
    t->v[t->n] = x;
    return t->n++;
}

size_t intern(struct interned *t, const void *bytes, size_t n)
{
    const uint64_t hash = hash_of(bytes, n);
    if (t->n_slots < 2 * t->n + 2)
        intern_grow(t);
    uint32_t *slot = &t->slot[slot_of(t, bytes, n, hash)];
    if (*slot == 0)
        *slot = (uint32_t)intern_add(t, bytes, n, hash) + 1;
    return *slot - 1;
}

size_t intern_text(struct interned *t, const char *text)
{
    return intern(t, text, strlen(text));
}

size_t intern_find(const struct interned *t, const void *bytes, size_t n)
{
    if (t->n_slots == 0)
        return INTERN_NONE;
    const uint32_t at = t->slot[slot_of(t, bytes, n, hash_of(bytes, n))];
    return at != 0 ? at - 1 : INTERN_NONE;
}

size_t intern_find_text(const struct interned *t, const char *text)
{
    return intern_find(t, text, strlen(text));
}

void intern_free(struct interned *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i].s);
    free(t->v);
    free(t->slot);
    memset(t, 0, sizeof *t);
}

int intern_file(struct interned *t, const struct stat *st)
{
    const uint64_t id[] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    const size_t before = t->n;
    (void)intern(t, id, sizeof id);
    return t->n != before;
}

/* ---- counts ---- */

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
        note("%zu %s: %s (first: %s:%zu)", line->n, as_counted(line->n, one, several),
             t->words.v[i].s, line->first.path, line->first.line);
    }
}

int tally_fail(const char *name, const char *what, const struct tally *a, const struct tally *b)
{
    struct buf why = {NULL, 0, 0};
    for (const struct tally *t = a; t != NULL; t = t == a ? b : NULL)
        for (size_t i = 0; i < t->words.n; i++)
            buf_printf(&why, "%s%s (first: %s:%zu)", why.n != 0 ? "; " : "", t->words.v[i].s,
                       t->v[i].first.path, t->v[i].first.line);
    fail("%s: there is nothing to %s: %s", name, what, why.s);
    buf_free(&why);
    return -1;
}

void tally_free(struct tally *t)
{
    intern_free(&t->words);
    free(t->v);
    memset(t, 0, sizeof *t);
}
