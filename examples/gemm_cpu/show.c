/* show.c - how fast the tuples are that the model predicts for problems that it has not learnt from
   SPDX-License-Identifier: MIT

   show [--csv] [--rounds N] [--problems N] TIMES.csv UNSEEN.csv BEST.csv

   TIMES.csv has what the model learnt from, UNSEEN.csv the problems, BEST.csv the best tuples that
   a measurement of all found for them. gemm_cpu.h is what `kpred-train train` wrote. */
#define KPRED_IMPLEMENTATION
#include "gemm_cpu.h"

#include "contest.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEAM = 32, TEN = 10, SEARCHED = 8 };

struct options {
    int as_csv, rounds, problems;
    const char *path[3];
};

/* What is common to all problems */
struct setting {
    struct table times, unseen, best;
    kpred_ctx ctx;
    uint64_t seed;
};

/* The tuple that Goto's method suggests: both packed, a tile that fills the registers, a panel of B
   in the first cache. */
static const struct tuple by_default = {
    .mr = 8,
    .nr = 32,
    .unroll = 1,
    .pack_a = 1,
    .pack_b = 1,
    .order = 0,
    .kc = 192,
    .mc = 96,
    .nc = 576,
};

/* ---- ways to choose ---- */

static struct tuple tuple_of(const int32_t *v)
{
    return (struct tuple){
        .mr = v[KPRED_GEMM_CPU_PARAM_MR],
        .nr = v[KPRED_GEMM_CPU_PARAM_NR],
        .unroll = v[KPRED_GEMM_CPU_PARAM_UNROLL],
        .pack_a = v[KPRED_GEMM_CPU_PARAM_PACK_A],
        .pack_b = v[KPRED_GEMM_CPU_PARAM_PACK_B],
        .order = v[KPRED_GEMM_CPU_PARAM_ORDER],
        .kc = v[KPRED_GEMM_CPU_PARAM_KC],
        .mc = v[KPRED_GEMM_CPU_PARAM_MC],
        .nc = v[KPRED_GEMM_CPU_PARAM_NC],
    };
}

static int add_predicted(struct setting *s, struct contest *c, const int32_t *problem)
{
    kpred_tuple best[TEN];
    size_t n;
    const kpred_status status =
        kpred_predict(&s->ctx, problem, KPRED_GEMM_CPU_FIELDS, best, TEN, &n);
    if (status != KPRED_OK) {
        fprintf(stderr, "show: %s\n", kpred_status_string(status));
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        const struct tuple t = tuple_of(best[i].value);
        if (i == 0)
            contest_add(c, &t, BY_FIRST);
        contest_add(c, &t, BY_TEN);
    }
    return 0;
}

static uint64_t draw(struct setting *s, uint64_t below)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (s->seed >> 33) % below;
}

/* Draws until ten are legal: each legal tuple is as likely as any other. */
static void add_random(struct setting *s, struct contest *c, const int32_t *problem)
{
    const kpred_model *model = &kpred_model_gemm_cpu;
    int32_t v[KPRED_GEMM_CPU_PARAMS];
    for (int n = 0; n < TEN;) {
        for (size_t p = 0; p < KPRED_GEMM_CPU_PARAMS; p++)
            v[p] = model->params[p].values[draw(s, (uint64_t)model->params[p].n_values)];
        if (kpred_legal(model, problem, v)) {
            const struct tuple t = tuple_of(v);
            contest_add(c, &t, BY_RANDOM);
            n++;
        }
    }
}

static double octaves(struct problem p, struct problem q)
{
    const double m = log2((double)p.m / (double)q.m), n = log2((double)p.n / (double)q.n),
                 k = log2((double)p.k / (double)q.k);
    return m * m + n * n + k * k;
}

/* The fastest tuple of the problem among those learnt from whose sizes are the nearest */
static void add_nearest(const struct setting *s, struct contest *c, struct problem p)
{
    const struct row *best = NULL;
    double least = 0;
    for (size_t i = 0; i < s->times.n; i++) {
        const struct row *row = &s->times.row[i];
        const double far = octaves(row->p, p);
        if (best == NULL || far < least || (far == least && row->us < best->us)) {
            best = row;
            least = far;
        }
    }
    if (best != NULL)
        contest_add(c, &best->t, BY_NEAREST);
}

/* The first few of the problem; BEST.csv is in the order of time. */
static void add_searched(const struct setting *s, struct contest *c, struct problem p)
{
    int n = 0;
    for (size_t i = 0; i < s->best.n && n < SEARCHED; i++)
        if (same_problem(s->best.row[i].p, p)) {
            contest_add(c, &s->best.row[i].t, BY_SEARCH);
            n++;
        }
}

/* ---- all of them ---- */

static int compete(struct setting *s, struct problem p, int rounds, struct result *out)
{
    const int32_t problem[KPRED_GEMM_CPU_FIELDS] = {
        [KPRED_GEMM_CPU_FIELD_M] = (int32_t)p.m,
        [KPRED_GEMM_CPU_FIELD_N] = (int32_t)p.n,
        [KPRED_GEMM_CPU_FIELD_K] = (int32_t)p.k,
    };
    static struct contest contest;
    struct product product;
    int status;
    contest.n = 0;
    contest_add(&contest, &by_default, BY_DEFAULT);
    if (add_predicted(s, &contest, problem) != 0)
        return -1;
    add_random(s, &contest, problem);
    add_nearest(s, &contest, p);
    add_searched(s, &contest, p);
    if (product_open(&product, p) != 0)
        return -1;
    status = contest_run(&contest, &product, rounds);
    product_close(&product);
    *out = result_of(&contest, p);
    return status;
}

static int show(struct setting *s, const struct options *o)
{
    const size_t n =
        o->problems > 0 && (size_t)o->problems < s->unseen.n ? (size_t)o->problems : s->unseen.n;
    struct result *results = calloc(n + 1, sizeof *results);
    int status = results == NULL ? -1 : 0;
    for (size_t i = 0; status == 0 && i < n; i++)
        status = compete(s, s->unseen.row[i].p, o->rounds, &results[i]);
    if (status == 0)
        report(results, n, o->as_csv);
    free(results);
    return status;
}

static int open_all(struct setting *s, const struct options *o)
{
    static int32_t arena[KPRED_GEMM_CPU_ARENA(BEAM)];
    const kpred_status status = kpred_init(&s->ctx, KPRED_VERSION, &kpred_model_gemm_cpu, BEAM,
                                           arena, sizeof arena / sizeof *arena);
    if (status != KPRED_OK) {
        fprintf(stderr, "show: %s\n", kpred_status_string(status));
        return -1;
    }
    return table_read(&s->times, o->path[0]) || table_read(&s->unseen, o->path[1])
           || table_read(&s->best, o->path[2]);
}

static int take_options(int argc, char **argv, struct options *o)
{
    int n = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--csv") == 0)
            o->as_csv = 1;
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            o->rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--problems") == 0 && i + 1 < argc)
            o->problems = atoi(argv[++i]);
        else if (n < 3)
            o->path[n++] = argv[i];
        else
            return -1;
    }
    return n == 3 && o->rounds > 0 && o->rounds <= CONTEST_ROUNDS ? 0 : -1;
}

int main(int argc, char **argv)
{
    static struct setting setting = {.seed = 1};
    struct options o = {.rounds = 15};
    int status;
    if (take_options(argc, argv, &o) != 0) {
        fputs("usage: show [--csv] [--rounds N] [--problems N] TIMES.csv UNSEEN.csv BEST.csv\n",
              stderr);
        return 2;
    }
    status = open_all(&setting, &o) != 0 || show(&setting, &o) != 0;
    table_free(&setting.times);
    table_free(&setting.unseen);
    table_free(&setting.best);
    return status;
}
