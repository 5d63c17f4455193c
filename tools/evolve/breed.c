/* breed.c - new lists out of those that are there
   SPDX-License-Identifier: MIT

   breed.h declares it. */
#include "breed.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 8 };

int breed_longer(const struct run *r, const struct edits *parent, uint64_t *random,
                 struct edits *child)
{
    const struct task *t = r->task;
    struct edit e;
    edits_copy(child, parent);
    for (int i = 0; i < TRIES; i++) {
        if (t->propose(t->self, child, random, &e) != 0)
            continue;
        edits_add(child, &e);
        if (!run_met(r, child))
            return 0;
        edits_drop(child, child->n - 1);
    }
    return -1;
}

int breed_shorter(const struct run *r, const struct edits *parent, uint64_t *random,
                  struct edits *child)
{
    const struct task *t = r->task;
    for (int i = 0; i < TRIES && parent->n > 1; i++) {
        edits_copy(child, parent);
        edits_drop(child, run_below(random, child->n));
        if (!run_met(r, child) && t->applies(t->self, child))
            return 0;
    }
    return -1;
}

/* ---- crossing ---- */

/* Fills `taken` for the n edits that only one parent has: each order of them is as probable as any
   other, and those before a random point are taken. */
static void split(unsigned char *taken, size_t n, uint64_t *random)
{
    size_t left = 1 + run_below(random, n); /* at least one edit comes along */
    for (size_t i = 0; i < n; i++) {
        taken[i] = run_below(random, n - i) < left;
        left -= taken[i];
    }
}

static size_t count_own(const struct edits *list, const struct edits *other)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += !edits_hold(other, &list->v[i]);
    return n;
}

/* The edits stay in the order that they have in a parent: a later one may act on what an earlier
   one made. What is b's alone comes last. */
static void join(const struct edits *a, const struct edits *b, const unsigned char *taken,
                 struct edits *child)
{
    child->n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (edits_hold(b, &a->v[i]) || *taken++)
            edits_add(child, &a->v[i]);
    for (size_t i = 0; i < b->n; i++)
        if (!edits_hold(a, &b->v[i]) && *taken++)
            edits_add(child, &b->v[i]);
}

int breed_crossed(const struct run *r, const struct edits *a, const struct edits *b,
                  uint64_t *random, struct edits *child)
{
    const struct task *t = r->task;
    const size_t n = count_own(a, b) + count_own(b, a);
    int rc = -1;
    if (n == 0)
        return -1;
    unsigned char *taken = xmalloc(n);
    for (int i = 0; i < TRIES && rc != 0; i++) {
        split(taken, n, random);
        join(a, b, taken, child);
        if (!edits_equal(child, a) && !edits_equal(child, b) && t->applies(t->self, child))
            rc = 0;
    }
    free(taken);
    return rc;
}
