/* contest.c - see contest.h
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "contest.h"

#include "table.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[WAYS] = {"default",        "k = 1",   "k = 10",
                                        "best of random", "nearest", "long search"};

static const double sample_us = 200; /* what a sample takes, if one run does not take longer */

enum { DRAWS = 2000 };

/* ---- times ---- */

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

static double contest_best(const struct contest *c, enum way way)
{
    double best = 0;
    for (int i = 0; i < c->n; i++)
        if ((way == WAYS || c->candidate[i].ways >> way & 1)
            && (best == 0 || c->candidate[i].us < best))
            best = c->candidate[i].us;
    return best;
}

struct result result_of(const struct contest *c, struct problem p)
{
    const double flops = 2 * (double)p.m * (double)p.n * (double)p.k;
    struct result r = {.p = p, .best = flops / contest_best(c, WAYS) / 1e3};
    for (int w = 0; w < WAYS; w++) {
        const double us = contest_best(c, (enum way)w);
        r.speed[w] = us > 0 ? flops / us / 1e3 : 0;
    }
    return r;
}

/* ---- means ---- */

struct mean {
    double share, low, high; /* the interval has 95 of 100 draws of as many problems */
};

static double log_share(const struct result *r, int way)
{
    return log(r->speed[way] / r->best);
}

/* Geometric mean of the shares of n problems, which are drawn with a seed, or all without */
static double mean_of(const struct result *results, size_t n, int way, unsigned long long *seed)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        if (seed != NULL) {
            *seed = *seed * 6364136223846793005u + 1442695040888963407u;
            at = (size_t)(*seed >> 33) % n;
        }
        sum += log_share(&results[at], way);
    }
    return exp(sum / (double)n);
}

static struct mean mean_and_interval(const struct result *results, size_t n, int way)
{
    static double drawn[DRAWS];
    unsigned long long seed = 1;
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = mean_of(results, n, way, &seed);
    qsort(drawn, DRAWS, sizeof *drawn, compare);
    return (struct mean){mean_of(results, n, way, NULL), drawn[DRAWS / 40],
                         drawn[DRAWS - 1 - DRAWS / 40]};
}

/* ---- output ---- */

static void print_csv(const struct result *results, size_t n)
{
    puts("m,n,k,way,gflops,share,low,high");
    for (size_t i = 0; i < n; i++)
        for (int w = 0; w < WAYS; w++)
            printf("%zu,%zu,%zu,%s,%.3f,%.4f,,\n", results[i].p.m, results[i].p.n, results[i].p.k,
                   names[w], results[i].speed[w], results[i].speed[w] / results[i].best);
    for (int w = 0; w < WAYS; w++) {
        const struct mean mean = mean_and_interval(results, n, w);
        printf(",,,%s,,%.4f,%.4f,%.4f\n", names[w], mean.share, mean.low, mean.high);
    }
}

static void print_table(const struct result *results, size_t n)
{
    printf("GFLOP/s\n    m    n    k");
    for (int w = 0; w < WAYS; w++)
        printf("  %14s", names[w]);
    printf("  %10s\n", "best known");
    for (size_t i = 0; i < n; i++) {
        printf("%5zu%5zu%5zu", results[i].p.m, results[i].p.n, results[i].p.k);
        for (int w = 0; w < WAYS; w++)
            printf("  %14.1f", results[i].speed[w]);
        printf("  %10.1f\n", results[i].best);
    }
    printf("\nshare of the best known speed in percent: geometric mean over the problems, and its "
           "95 %% interval\n");
    for (int w = 0; w < WAYS; w++) {
        const struct mean mean = mean_and_interval(results, n, w);
        printf("%-14s  %5.1f   %5.1f to %5.1f\n", names[w], 100 * mean.share, 100 * mean.low,
               100 * mean.high);
    }
}

void report(const struct result *results, size_t n, int as_csv)
{
    if (as_csv)
        print_csv(results, n);
    else
        print_table(results, n);
}
