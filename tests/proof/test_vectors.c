/* test_vectors.c - the shipped models answer as a second implementation did, by each body
   SPDX-License-Identifier: MIT

       test_vectors [FILE]      hashes of vectors.py (default: tests/proof/vectors.txt)
       test_vectors COUNT NAME  prints so many cases of a model, as vectors.py does */
#include "kpred.h"

#include "base/util.h"
#include "model/model.h"
#include "model/shipped.h"
#include "proof/drawn.h"

#include <stdlib.h>

#define ONE(name, NAME) +1
enum { MODELS = 0 SHIPPED(ONE), LEAST_CASES = 10000, MOST_WRONG = 3 };

static int32_t *arena;

/* ---- a case as a line ---- */

static void put_tuple(struct buf *line, const kpred_model *m, const kpred_tuple *tuple)
{
    buf_printf(line, ";%d", (int)tuple->score);
    for (uint32_t t = 0; t < m->n_params; t++)
        buf_printf(line, " %d", (int)tuple->value[t]);
}

static void put_answer(struct buf *line, const kpred_ctx *ctx, kpred_status status,
                       const kpred_tuple *tuples, size_t n)
{
    if (status != KPRED_OK) {
        const kpred_detail *d = &ctx->detail;
        buf_printf(line, ";%d %d %d %d", (int)status, (int)d->index, (int)d->value, (int)d->limit);
        return;
    }
    buf_printf(line, ";%d %u", (int)status, (unsigned)ctx->extrapolated);
    for (size_t i = 0; i < n; i++)
        put_tuple(line, ctx->model, tuples + i);
}

static void put_question(struct buf *line, const kpred_model *m, const struct question *q)
{
    buf_printf(line, "%d %d", (int)q->beam, (int)q->k);
    for (uint32_t f = 0; f < m->n_fields; f++)
        buf_printf(line, " %d", (int)q->problem[f]);
}

/* A question with what the model answers to it, by the body of the context */
static void put_case(struct buf *line, const struct question *q, kpred_ctx *ctx,
                     const kpred_model *m, kpred_status status)
{
    static kpred_tuple tuples[KPRED_MAX_BEAM];
    size_t n = 0;
    if (status == KPRED_OK)
        status = kpred_predict(ctx, q->problem, m->n_fields, tuples, (size_t)q->k, &n);
    line->n = 0;
    put_question(line, m, q);
    put_answer(line, ctx, status, tuples, n);
}

/* The case by the first body; do all others that this machine has answer so? */
static int add_case(struct buf *block, const kpred_model *m, const struct question *q)
{
    static struct buf first, line;
    kpred_ctx ctx;
    const kpred_status status = kpred_init(&ctx, KPRED_VERSION, m, (size_t)q->beam, arena,
                                           kpred_arena_words(m, KPRED_MAX_BEAM));
    int is_same = 1;
    for (int body = 0; body < KPRED_BODIES; body++) {
        if (status == KPRED_OK && kpred_set_body(&ctx, (kpred_body)body) != KPRED_OK)
            continue;
        put_case(body == 0 ? &first : &line, q, &ctx, m, status);
        if (body > 0 && strcmp(line.s, first.s) != 0) {
            printf("%11s: %s\n%11s: %s\n", kpred_body_name((kpred_body)0), first.s,
                   kpred_body_name((kpred_body)body), line.s);
            is_same = 0;
        }
    }
    buf_printf(block, "%s\n", first.s);
    return is_same;
}

/* ---- blocks ---- */

/* So many cases of a model: in how many of them do bodies differ? */
static size_t put_block(struct buf *block, const kpred_model *m, size_t n)
{
    struct drawn drawn = drawn_open(m);
    struct question q;
    size_t wrong = 0;
    free(arena);
    arena = xmalloc(kpred_arena_words(m, KPRED_MAX_BEAM) * sizeof *arena);
    block->n = 0;
    buf_printf(block, "model %s %016llx\n", m->name, (unsigned long long)m->id);
    for (size_t i = 0; i < n && wrong < MOST_WRONG && drawn_next(&drawn, &q); i++)
        wrong += !add_case(block, m, &q);
    return wrong;
}

static const kpred_model *model_named(const char *name)
{
    for (const struct builtin *b = builtins; b->model; b++)
        if (strcmp(b->model->name, name) == 0)
            return b->model;
    return NULL;
}

static int print_block(const char *count, const char *name)
{
    struct buf block = {0};
    const kpred_model *m = model_named(name);
    if (m == NULL || put_block(&block, m, strtoul(count, NULL, 10)) > 0)
        return 1;
    printf("%s", block.s);
    buf_free(&block);
    return 0;
}

/* How many cases does the line of a block have, `NAME ID COUNT HASH`? */
static size_t check_block(const char *line)
{
    static struct buf block;
    char name[64] = "", id[17], hash[65], is[65];
    size_t n = 0;
    const int is_line = sscanf(line, "%63s %16s %zu %64s", name, id, &n, hash) == 4;
    const kpred_model *m = model_named(name);
    const int agree = is_line && m && n > 0 && put_block(&block, m, n) == 0;
    sha256_hex(block.s, block.n, is);
    if (!CASE(agree && strcmp(hash, is) == 0, "%s", line))
        printf("  make renew, if the model is new. Otherwise the first difference is that of what\n"
               "  python3 tests/proof/vectors.py %zu weights/%s.h and %s/check/test_vectors %zu %s "
               "print\n",
               n, name, getenv("BUILD") ? getenv("BUILD") : "build", n, name);
    return n;
}

int main(int argc, char **argv)
{
    struct buf text = {0};
    size_t n = 0, n_models = 0;
    char *at, *line;
    if (argc == 3)
        return print_block(argv[1], argv[2]);
    if (read_text(argc > 1 ? argv[1] : "tests/proof/vectors.txt", 1 << 20, &text) != 0)
        return 1;
    for (at = text.s; (line = next_line(&at)) != NULL;)
        if (line[0] != '#') {
            n += check_block(line);
            n_models++;
        }
    if (argc == 1)
        CASE(n_models == MODELS && n >= LEAST_CASES, "%d models, %d cases", MODELS, (int)n);
    free(arena);
    buf_free(&text);
    return test_end();
}
