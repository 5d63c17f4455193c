/* bench.c - `kpred bench`: how long a prediction takes, by any kind of network
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include "base/opts.h"
#include "base/table.h"
#include "commands.h"
#include "eval/predictor.h"

#include <stdlib.h>
#include <string.h>

enum { HOT_ROUNDS = 61, COLD_ROUNDS = 2, MOST_ROUNDS = 1000000 };

struct options {
    struct opt_texts models;
    struct opt_counts beam;
    const char *body; /* NULL: the fastest */
    int is_cold, has_ratio, has_limit;
    long rounds; /* 0: as many as there are by default */
    struct table_form form;
};

struct bench {
    const struct options *options;
    struct bench_tools tools;
    struct table table;
};

/* ---- problems ---- */

/* 31 bits of a 64-bit linear congruential generator (Knuth's MMIX constants) */
static uint32_t bench_draw(uint64_t *seed)
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
            problem[f] = (int32_t)(bench_draw(seed) % (uint32_t)field->n_tokens);
            continue;
        }
        for (bits = x == 0; x >> bits; bits++) /* a field may have been 0 in all rows */
            ;
        bits = (int32_t)(bench_draw(seed) % (uint32_t)bits);
        x = ((1 << bits) | (int32_t)(bench_draw(seed) & ((1u << bits) - 1))) & ~((1 << bits) >> 3);
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

size_t bench_problems(kpred_ctx *ctx, int32_t *problems, kpred_tuple *tuples)
{
    uint64_t seed = 1;
    size_t n = 0;
    for (long tries = 0; tries < 1000000 && n < BENCH_PROBLEMS; tries++) {
        int32_t *p = problems + n * ctx->model->n_fields;
        draw_problem(ctx->model, &seed, p);
        n += (size_t)can_predict(ctx, p, tuples);
    }
    return n;
}

/* ---- a scorer that counts, and leaves the scores to the built-in one ---- */

/* What has been counted; a scorer has no other place for it. */
static struct {
    struct work sum;
    unsigned char *has_read; /* by this prediction: of each head its weights, then the embedding's
                                rows; n for each head */
    size_t n;
} counted;

static void count_bytes(size_t head, size_t row, size_t bytes)
{
    unsigned char *seen = counted.has_read + head * counted.n + row;
    counted.sum.weight_bytes += *seen ? 0 : (double)bytes;
    *seen = 1;
}

static void counting_start(const kpred_model *m, const int32_t *problem, int32_t *work,
                           int32_t *state)
{
    const kpred_additive *net = m->net;
    for (size_t i = 0; i < 3; i++) {
        const double n = (double)net->layer[i].rows * net->layer[i].cols;
        counted.sum.multiply_adds += n;
        counted.sum.weight_bytes += n;
    }
    memset(counted.has_read, 0, KPRED_MAX_TUPLE * counted.n);
    kpred_additive_scorer.start(m, problem, work, state);
}

/* The rows of the embedding that a prefix adds; returns how many there are. */
static size_t count_embedding(const kpred_model *m, const unsigned char *prefix, size_t head)
{
    const kpred_additive *net = m->net;
    size_t first = 1, rows = 0;
    for (size_t u = 0; u < head; u++)
        if (net->heads[u].weight) {
            count_bytes(head, first + prefix[u], net->hidden);
            first += (size_t)m->params[u].n_values;
            rows++;
        }
    return rows;
}

static void counting_logits(const kpred_model *m, int32_t *work, const int32_t *state,
                            const unsigned char *prefix, size_t t, int32_t *logits)
{
    const kpred_additive *net = m->net;
    counted.sum.prefixes++;
    counted.sum.values += m->params[t].n_values;
    if (net->heads[t].weight) {
        const size_t rows = model_head_rows(m, t);
        count_bytes(t, 0, rows * net->hidden);
        counted.sum.multiply_adds += (double)((rows + count_embedding(m, prefix, t)) * net->hidden);
    }
    kpred_additive_scorer.logits(m, work, state, prefix, t, logits);
}

/* The search calls it for each prefix that it keeps. */
static void counting_extend(const kpred_model *m, int32_t *work, const int32_t *state, size_t t,
                            int32_t v, int32_t *next)
{
    (void)m, (void)work, (void)state, (void)t, (void)v, (void)next;
    counted.sum.kept++;
}

static const kpred_scorer counting_scorer = {counting_start, counting_logits, counting_extend};

/* ---- its predictions ---- */

static void divide(struct work *w, double n)
{
    w->prefixes /= n;
    w->values /= n;
    w->kept /= n;
    w->multiply_adds /= n;
    w->weight_bytes /= n;
}

static int predict_all(kpred_ctx *ctx, const int32_t *problems, size_t n_problems)
{
    kpred_tuple *tuples = xcalloc(ctx->beam, sizeof *tuples);
    size_t n_out, i = 0;
    while (i < n_problems
           && kpred_predict(ctx, problems + i * ctx->model->n_fields, ctx->model->n_fields, tuples,
                            ctx->beam, &n_out)
                  == KPRED_OK)
        i++;
    free(tuples);
    return i == n_problems ? 0 : -1;
}

int work_count(const kpred_ctx *ctx, const int32_t *problems, size_t n_problems, struct work *work)
{
    kpred_model m = *ctx->model;
    const size_t words = kpred_arena_words(&m, ctx->beam);
    int32_t *arena = xcalloc(words, sizeof *arena);
    kpred_ctx own;
    int bad = -1;
    memset(&counted, 0, sizeof counted);
    for (uint32_t t = 0; t < m.n_params; t++)
        counted.n += (size_t)m.params[t].n_values;
    counted.has_read = xcalloc(KPRED_MAX_TUPLE, ++counted.n);
    m.scorer = &counting_scorer;
    m.id = kpred_model_id(&m);
    if (kpred_init(&own, KPRED_VERSION, &m, ctx->beam, arena, words) == KPRED_OK)
        bad = predict_all(&own, problems, n_problems);
    divide(&counted.sum, (double)n_problems);
    *work = counted.sum;
    free(counted.has_read);
    free(arena);
    return bad;
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
        return fail(
            "--body \"%s\": is not one of all, portable, sse2, avx2, avx_vnni, avx512_vnni, "
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

static void put_heading(struct table *t, const struct options *o)
{
    struct buf names = {NULL, 0, 0};
    buf_puts(&names, "model,beam,ns,ns_min,ns_p95,bytes,arena_words");
    if (o->has_ratio)
        buf_puts(&names, ",ratio");
    if (o->has_limit)
        buf_puts(&names, ",prefixes,values,kept,multiply_adds,weight_bytes,limit_ns,distance");
    if (o->body)
        buf_puts(&names, ",body");
    table_heading(t, names.s);
    buf_free(&names);
}

/* Weights come from memory once, and are warm when they are read again. */
static double limit_ns(const struct work *w, const struct bench_times *times)
{
    return (w->weight_bytes * times->loop + (w->multiply_adds - w->weight_bytes) * times->warm_loop)
           / BARE_BYTES;
}

static void put_limit(struct table *t, const struct work *w, const struct bench_times *times)
{
    const double limit = limit_ns(w, times);
    table_number(t, "%.1f", w->prefixes);
    table_number(t, "%.1f", w->values);
    table_number(t, "%.1f", w->kept);
    table_number(t, "%.0f", w->multiply_adds);
    table_number(t, "%.0f", w->weight_bytes);
    table_number(t, "%.0f", limit);
    table_number(t, "%.2f", limit > 0 ? times->ns / limit : 0);
}

static void put_times(struct table *t, const char *name, const kpred_ctx *ctx, size_t bytes,
                      const struct bench_times *times)
{
    table_text(t, name);
    table_number(t, "%zu", (size_t)ctx->beam);
    table_number(t, "%.0f", times->ns);
    table_number(t, "%.0f", times->least);
    table_number(t, "%.0f", times->p95);
    table_number(t, "%zu", bytes);
    table_number(t, "%zu", kpred_arena_words(ctx->model, ctx->beam));
}

/* A line of the table, timed over these problems; -1: one could not be predicted */
static int put_line(struct bench *b, kpred_ctx *ctx, const char *name, size_t bytes,
                    const int32_t *problems, size_t n)
{
    const struct options *o = b->options;
    kpred_tuple *tuples = xcalloc(ctx->beam, sizeof *tuples);
    struct bench_times times;
    struct work work;
    int bad = bench_time(&b->tools, ctx, problems, n, tuples, &times);
    free(tuples);
    if (bad || (o->has_limit && work_count(ctx, problems, n, &work)))
        return -1;
    put_times(&b->table, name, ctx, bytes, &times);
    if (o->has_ratio)
        table_number(&b->table, "%.2f", times.ns / times.plain);
    if (o->has_limit)
        put_limit(&b->table, &work, &times);
    if (o->body)
        table_text(&b->table, has_bodies(ctx->model) ? kpred_body_name((kpred_body)ctx->body) : "");
    return 0;
}

/* A line by the body that the context has */
static int bench_body(struct bench *b, kpred_ctx *ctx, const char *name, size_t bytes)
{
    const kpred_model *m = ctx->model;
    int32_t *problems = xcalloc((size_t)BENCH_PROBLEMS * m->n_fields, sizeof *problems);
    kpred_tuple one;
    const size_t n = bench_problems(ctx, problems, &one);
    const int bad = n == 0 || put_line(b, ctx, name, bytes, problems, n);
    free(problems);
    return bad ? fail("%s: no problem found that it could predict", m->name) : 0;
}

/* By the fastest body, or those that are asked for */
static int bench_bodies(struct bench *b, kpred_ctx *ctx, const char *name, size_t bytes)
{
    const char *asked = b->options->body;
    int bad = 0;
    if (!asked || !has_bodies(ctx->model))
        return bench_body(b, ctx, name, bytes);
    for (int body = 0; body < KPRED_BODIES && !bad; body++)
        if (is_asked_for(asked, (kpred_body)body)
            && kpred_set_body(ctx, (kpred_body)body) == KPRED_OK)
            bad = bench_body(b, ctx, name, bytes);
    return bad;
}

/* Lines for each beam; bytes: what the model adds to a program. */
static int bench_model(struct bench *b, const kpred_model *m, const char *name, size_t bytes)
{
    const struct opt_counts *beam = &b->options->beam;
    kpred_ctx ctx;
    int bad = 0;
    for (size_t i = 0; i < beam->n && !bad; i++) {
        const size_t words = kpred_arena_words(m, (size_t)beam->v[i]);
        int32_t *arena = xcalloc(words, sizeof *arena);
        if (kpred_init(&ctx, KPRED_VERSION, m, (size_t)beam->v[i], arena, words) != KPRED_OK)
            bad = fail("%s: cannot be initialised", m->name);
        else if (!has_bodies(m) && b->options->has_limit)
            bad = fail("%s: --limit knows kpred's own network alone", name);
        else
            bad = bench_bodies(b, &ctx, name, bytes);
        free(arena);
    }
    return bad;
}

/* A network of the paper stands beside that of the same kernel: it is told apart by its kind. */
static int open_and_time(struct bench *b, const char *name)
{
    struct predictor any;
    struct buf label = {NULL, 0, 0};
    if (predictor_open(name, &any))
        return -1;
    buf_printf(&label, any.is_paper ? "%s %s" : "%s", any.model.m.name, any.net);
    int bad = bench_model(b, &any.run, label.s, predictor_bytes(&any));
    buf_free(&label);
    predictor_close(&any);
    return bad;
}

static void tools_open(struct bench_tools *t, const struct options *o)
{
    bare_open(&t->bare);
    t->is_cold = o->is_cold;
    t->rounds = o->rounds ? (int)o->rounds : o->is_cold ? COLD_ROUNDS : HOT_ROUNDS;
    if (t->is_cold)
        caches_open(&t->caches);
}

static void tools_free(struct bench_tools *t)
{
    bare_free(&t->bare);
    if (t->is_cold)
        caches_free(&t->caches);
}

static int run(const struct options *o)
{
    struct bench bench = {.options = o};
    int bad = 0;
    if (check_body(o->body))
        return 2;
    tools_open(&bench.tools, o);
    put_heading(&bench.table, o);
    for (const struct builtin *b = builtins; o->models.n == 0 && b->model && !bad; b++)
        bad = open_and_time(&bench, b->model->name);
    for (size_t i = 0; i < o->models.n && !bad; i++)
        bad = open_and_time(&bench, o->models.v[i]);
    if (!bad) {
        table_print(&bench.table, stdout, o->form);
        bad = flush_stdout();
    }
    table_free(&bench.table);
    tools_free(&bench.tools);
    return bad ? 1 : 0;
}

int cmd_bench(int argc, char **argv)
{
    struct options o = {.beam = {3, {1, 10, 100}}};
    const struct opt table[] = {
        OPT_SAYS(
            "Times predictions, hot, on one core: the median, the least and the 95th percentile "
            "over 32 pseudo-random problems that the kernel applies to, in nanoseconds of CPU "
            "time. What takes longer than a millisecond is timed less often."),
        OPT(TEXTS, "[MODEL|FILE.h...]", &o.models,
            "built-in models, or headers that kpred-train wrote (default: all built-in); lines of "
            "networks of the paper name the kind behind the model"),
        OPT_RANGE(COUNTS, "[--beam B,...]", &o.beam, 1, KPRED_MAX_BEAM,
                  "beam widths, and as many tuples"),
        OPT(TEXT, "[--body NAME]", &o.body,
            "the body of the network, such as avx2, sse2 or portable: the same bits by other "
            "instructions; all: each that the machine has (default: the fastest). It adds a last "
            "column, body"),
        OPT(FLAG, "[--cold]", &o.is_cold,
            "before each prediction empties the caches of model, arena and code (writes a buffer "
            "of twice the largest cache, 64 to 128 MiB, and on x86-64 flushes program, arena, "
            "tuples and weights), and times it alone, in nanoseconds of the clock; it takes some "
            "milliseconds each"),
        OPT(FLAG, "[--ratio]", &o.has_ratio,
            "adds a column ratio: ns over the time of a bare SSE2 loop (plain C elsewhere) over "
            "98304 int8 multiply-adds, a dot product for each row of 64, timed between the "
            "predictions, with cold caches where they are cold"),
        OPT(FLAG, "[--limit]", &o.has_limit,
            "for kpred's own network, adds what a prediction computes, the mean over the problems, "
            "as columns prefixes,values,kept,multiply_adds,weight_bytes, and limit_ns: the time "
            "that the body's instructions take for them in a bare loop, and distance: ns over "
            "limit_ns"),
        OPT_RANGE(COUNT, "[--rounds N]", &o.rounds, 1, MOST_ROUNDS,
                  "so many rounds over the problems; default: 61, with --cold 2"),
        FORM_OPTIONS(o.form, ", columns model,beam,ns,ns_min,ns_p95,bytes,arena_words"),
        OPT_SAYS("bytes: what the model adds to a program, of the paper's networks (kpred-train "
                 "train --net) 4 for each weight; arena_words: of int32_t; prefixes and values: "
                 "those that the network scores; kept: prefixes that the search keeps."),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? run(&o) : status);
}
