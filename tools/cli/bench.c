/* bench.c - `kpred bench`, and `kpred-train bench`, which also runs the paper's networks
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include "base/opts.h"
#include "base/table.h"
#include "commands.h"
#include "model/registry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Slow predictions need no repeats for the clock's sake, and fewer rounds must do. */
enum { N_PROBLEMS = 32, N_ROUNDS = 61, N_REPEATS = 8, SLOW_NS = 1000000, MOST_SECONDS = 10 };

#define HELP(program, more)                                                                        \
    "usage: " program " bench [MODEL|FILE.h]... [--beam B,...]\n"                                  \
    "       [--body NAME] [--csv|--json]\n"                                                        \
    "\n"                                                                                           \
    "Times predictions, hot, on one core: the median, the least and the 95th percentile over\n"    \
    "pseudo-random problems that the kernel applies to, in nanoseconds of CPU time. What takes\n"  \
    "longer than a millisecond is timed less often.\n"                                             \
    "\n"                                                                                           \
    "  MODEL|FILE.h   built-in models, or headers that kpred-train wrote (default: all "           \
    "built-in)\n"                                                                                  \
    "  --beam B,...   beam widths, and as many tuples (default 1,10,100)\n"                        \
    "  --body NAME    the body of the network, such as avx2, sse2 or portable: the same bits by\n" \
    "                 other instructions; all: each that the machine has (default: the "           \
    "fastest).\n"                                                                                  \
    "                 It adds a last column, body\n"                                               \
    "  --csv          as CSV, columns model,beam,ns,ns_min,ns_p95,bytes,arena_words\n"             \
    "  --json         as JSON, an array of objects with the same names\n"                          \
    "\n"                                                                                           \
    "bytes: what the model adds to a program" more "; arena_words: of int32_t.\n"

static const char help[] = HELP("kpred", "");
static const char help_any[] =
    HELP("kpred-train", ", of the paper's networks (train --net) 4 for each\nweight");

struct options {
    struct opt_texts models;
    struct opt_counts beam;
    const char *body; /* NULL: the fastest */
    struct table_form form;
};

struct bench {
    const struct opt_counts *beam;
    const char *body; /* a name or "all"; NULL: the fastest, without a column for it */
    struct table table;
};

/* 31 bits of a 64-bit linear congruential generator (Knuth's MMIX constants) */
static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Sizes log-uniform over the range trained on, rounded to few significant bits as real ones are. */
static void draw_problem(const kpred_model *m, uint64_t *seed, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const kpred_field *field = m->fields + f;
        int32_t x = field->trained_max, bits;
        if (field->tokens) {
            problem[f] = (int32_t)(draw(seed) % (uint32_t)field->n_tokens);
            continue;
        }
        for (bits = 0; x >> bits; bits++)
            ;
        bits = (int32_t)(draw(seed) % (uint32_t)bits);
        x = ((1 << bits) | (int32_t)(draw(seed) & ((1u << bits) - 1))) & ~((1 << bits) >> 3);
        x &= ~(((1 << bits) >> 2) - 1) | (bits < 2 ? -1 : 0);
        problem[f] = x < field->trained_min   ? field->trained_min
                     : x > field->trained_max ? field->trained_max
                                              : x;
    }
}

/* Does the kernel apply to the problem, and is there a legal tuple? */
static int can_predict(kpred_ctx *ctx, const int32_t *p, kpred_tuple *tuples)
{
    size_t n_out;
    return (!ctx->model->rule || ctx->model->rule(p, p, 0))
           && kpred_predict(ctx, p, ctx->model->n_fields, tuples, 1, &n_out)
                  != KPRED_ERR_INFEASIBLE;
}

/* Fills `problems` with ones that it can predict; how many there were within the tries. */
static size_t draw_problems(kpred_ctx *ctx, int32_t *problems, kpred_tuple *tuples)
{
    uint64_t seed = 1;
    size_t n = 0;
    for (long tries = 0; tries < 1000000 && n < N_PROBLEMS; tries++) {
        int32_t *p = problems + n * ctx->model->n_fields;
        draw_problem(ctx->model, &seed, p);
        n += (size_t)can_predict(ctx, p, tuples);
    }
    return n;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Nanoseconds of each of some predictions of one problem; -1 if it cannot be predicted */
static double time_problem(kpred_ctx *ctx, const int32_t *p, kpred_tuple *tuples, int repeats)
{
    const double start = now_ns();
    size_t n_out;
    for (int r = 0; r < repeats; r++)
        if (kpred_predict(ctx, p, ctx->model->n_fields, tuples, ctx->beam, &n_out))
            return -1;
    return (now_ns() - start) / repeats;
}

/* By the second prediction: the first one is cold. */
static int repeats_of(kpred_ctx *ctx, const int32_t *p, kpred_tuple *tuples)
{
    time_problem(ctx, p, tuples, 1);
    return time_problem(ctx, p, tuples, 1) > SLOW_NS ? 1 : N_REPEATS;
}

/* Mean time of the repeats of each problem in each round, sorted; the first round warms up. The
   number of samples. */
static size_t sample(kpred_ctx *ctx, const int32_t *problems, size_t n_problems,
                     kpred_tuple *tuples, double *ns)
{
    const int repeats = repeats_of(ctx, problems, tuples);
    double spent = 0;
    size_t n = 0;
    for (size_t round = 0; round <= N_ROUNDS && (round < 2 || spent < MOST_SECONDS * 1e9); round++)
        for (size_t i = 0; i < n_problems; i++) {
            const int32_t *p = problems + i * ctx->model->n_fields;
            const double each = time_problem(ctx, p, tuples, repeats);
            if (each < 0)
                return 0;
            spent += each * repeats;
            if (round)
                ns[n++] = each;
        }
    qsort(ns, n, sizeof *ns, by_value);
    return n;
}

/* ---- bodies ---- */

static int has_bodies(const kpred_model *m)
{
    return m->scorer == &kpred_additive_scorer;
}

static int is_asked_for(const char *name, kpred_body body)
{
    return strcmp(name, "all") == 0 || strcmp(name, kpred_body_name(body)) == 0;
}

/* Is there such a body, and does the machine have it? -1 after a message */
static int check_body(const char *name)
{
    const kpred_model *m = builtins[0].model;
    kpred_ctx ctx;
    int rc = -1, body = 0;
    if (!name || strcmp(name, "all") == 0 || !m)
        return 0;
    while (body < KPRED_BODIES && strcmp(name, kpred_body_name((kpred_body)body)) != 0)
        body++;
    if (body == KPRED_BODIES)
        return fail("--body \"%s\": is none of all, portable, sse2, avx2, avx_vnni, avx512_vnni, "
                    "neon and neon_dot",
                    name);
    const size_t words = kpred_arena_words(m, 1);
    int32_t *arena = xcalloc(words, sizeof *arena);
    if (kpred_init(&ctx, KPRED_VERSION, m, 1, arena, words) == KPRED_OK
        && kpred_set_body(&ctx, (kpred_body)body) == KPRED_OK)
        rc = 0;
    free(arena);
    return rc == 0 ? 0 : fail("--body %s: this build or this machine lacks it", name);
}

/* ---- the table ---- */

/* A line of the table; -1 if no problem was found that it could predict */
static int bench_context(struct bench *b, kpred_ctx *ctx, const char *name, size_t bytes)
{
    struct table *t = &b->table;
    const kpred_model *m = ctx->model;
    int32_t *problems = xcalloc((size_t)N_PROBLEMS * m->n_fields, sizeof *problems);
    kpred_tuple *tuples = xcalloc(ctx->beam, sizeof *tuples);
    double *ns = xcalloc((size_t)N_PROBLEMS * N_ROUNDS, sizeof *ns);
    const size_t n = sample(ctx, problems, draw_problems(ctx, problems, tuples), tuples, ns);
    if (n) {
        table_text(t, name);
        table_number(t, "%zu", (size_t)ctx->beam);
        table_number(t, "%.0f", ns[n / 2]);
        table_number(t, "%.0f", ns[0]);
        table_number(t, "%.0f", ns[n * 95 / 100]);
        table_number(t, "%zu", bytes);
        table_number(t, "%zu", kpred_arena_words(m, ctx->beam));
        if (b->body)
            table_text(t, has_bodies(m) ? kpred_body_name((kpred_body)ctx->body) : "");
    }
    free(problems);
    free(tuples);
    free(ns);
    return n ? 0 : fail("%s: no problem found that it could predict", m->name);
}

/* The context as it is, or by the bodies that are asked for */
static int bench_bodies(struct bench *b, kpred_ctx *ctx, const char *name, size_t bytes)
{
    int bad = 0;
    if (!b->body || !has_bodies(ctx->model))
        return bench_context(b, ctx, name, bytes);
    for (int body = 0; body < KPRED_BODIES && !bad; body++)
        if (is_asked_for(b->body, (kpred_body)body)
            && kpred_set_body(ctx, (kpred_body)body) == KPRED_OK)
            bad = bench_context(b, ctx, name, bytes);
    return bad;
}

static int bench_beam(struct bench *b, const kpred_model *m, const char *name, size_t bytes,
                      size_t beam)
{
    const size_t words = kpred_arena_words(m, beam);
    int32_t *arena = xcalloc(words, sizeof *arena);
    kpred_ctx ctx;
    const int bad = kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words) != KPRED_OK
                        ? fail("%s: cannot be initialised", m->name)
                        : bench_bodies(b, &ctx, name, bytes);
    free(arena);
    return bad;
}

int bench_model(struct bench *b, const kpred_model *run, const char *name, size_t bytes)
{
    int bad = 0;
    for (size_t i = 0; i < b->beam->n && !bad; i++)
        bad = bench_beam(b, run, name, bytes, (size_t)b->beam->v[i]);
    return bad;
}

static int open_default(struct bench *b, const char *name)
{
    struct model model;
    if (model_open(name, &model))
        return -1;
    int bad = bench_model(b, &model.m, model.m.name, model_cost(&model.m).bytes);
    model_free(&model);
    return bad;
}

static int run(const struct options *o, bench_opener open)
{
    struct bench bench = {&o->beam, o->body, {0, {NULL, 0, 0}}};
    int bad = 0;
    if (table_form_check(&o->form) || check_body(o->body))
        return 2;
    table_heading(&bench.table, o->body ? "model,beam,ns,ns_min,ns_p95,bytes,arena_words,body"
                                        : "model,beam,ns,ns_min,ns_p95,bytes,arena_words");
    for (const struct builtin *b = builtins; o->models.n == 0 && b->model && !bad; b++)
        bad = open(&bench, b->model->name);
    for (size_t i = 0; i < o->models.n && !bad; i++)
        bad = open(&bench, o->models.v[i]);
    if (!bad) {
        table_print(&bench.table, stdout, o->form);
        bad = flush_stdout();
    }
    table_free(&bench.table);
    return bad ? 1 : 0;
}

int bench_run(int argc, char **argv, bench_opener open)
{
    struct options o;
    const struct opt table[] = {
        {.name = "MODEL|FILE.h", .kind = OPT_TEXTS, .to = &o.models},
        {.name = "--beam", .kind = OPT_COUNTS, .to = &o.beam, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--body", .kind = OPT_TEXT, .to = &o.body},
        {.name = "--csv", .kind = OPT_FLAG, .to = &o.form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &o.form.json},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    o.beam.n = 3;
    o.beam.v[0] = 1;
    o.beam.v[1] = 10;
    o.beam.v[2] = 100;
    int status = opts_parse(table, open ? help_any : help, argc, argv);
    if (status < 0)
        status = run(&o, open ? open : open_default);
    free(o.models.v);
    return status;
}

int cmd_bench(int argc, char **argv)
{
    return bench_run(argc, argv, NULL);
}
