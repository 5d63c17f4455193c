/* contest.c - see contest.h
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "contest.h"

#include "table.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double sample_us = 200; /* what a sample takes, if one run does not take longer */

void contest_add(struct contest *c, const struct tuple *t, enum way way)
{
    int i = 0;
    while (i < c->n && !same_tuple(&c->candidate[i].t, t))
        i++;
    if (i == CONTEST_MOST)
        return;
    if (i == c->n) {
        c->candidate[i].t = *t;
        c->candidate[i].ways = 0;
        c->n++;
    }
    c->candidate[i].ways |= 1u << way;
}

static int compare(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void time_round(struct contest *c, const struct product *product, int round)
{
    for (int i = 0; i < c->n; i++) {
        struct candidate *x = &c->candidate[(i + 7 * round) % c->n];
        (void)time_runs(product, &x->t, 1); /* the caches forget the one before */
        x->sample[round] = time_runs(product, &x->t, x->runs);
    }
}

int contest_run(struct contest *c, const struct product *product, int rounds)
{
    for (int i = 0; i < c->n; i++) {
        if (!product_is_right(product, &c->candidate[i].t)) {
            fprintf(stderr, "show: a tuple gives a wrong product\n");
            return -1;
        }
        c->candidate[i].runs = runs_for(product, &c->candidate[i].t, sample_us);
    }
    for (int round = 0; round < rounds; round++)
        time_round(c, product, round);
    for (int i = 0; i < c->n; i++) {
        struct candidate *x = &c->candidate[i];
        qsort(x->sample, (size_t)rounds, sizeof *x->sample, compare);
        x->us = x->sample[rounds / 4];
    }
    return 0;
}

double contest_best(const struct contest *c, enum way way)
{
    double best = 0;
    for (int i = 0; i < c->n; i++)
        if ((way == WAYS || c->candidate[i].ways >> way & 1)
            && (best == 0 || c->candidate[i].us < best))
            best = c->candidate[i].us;
    return best;
}
