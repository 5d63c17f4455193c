/* test_vectors.c - the shipped models answer as a second implementation did, by each body
   SPDX-License-Identifier: MIT

       test_vectors [FILE]   a file of vectors.py (default: tests/proof/vectors.txt)

   Of each case the beam, k and the problem are read, and the whole line is written again. */
#include "kpred.h"

#include "base/util.h"
#include "harness/test.h"
#include "model/model.h"
#include "model/shipped.h"

#include <stdlib.h>

#define ONE(name, NAME) +1
enum { MODELS = 0 SHIPPED(ONE), LEAST_CASES = 10000, MOST_WRONG = 3 };

static int32_t *arena;

/* ---- a line as it should be ---- */

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

struct question {
    long beam, k;
    int32_t problem[KPRED_MAX_FIELDS];
};

/* The numbers before the first semicolon */
static struct question read_question(const kpred_model *m, const char *at)
{
    struct question q;
    char *next;
    q.beam = strtol(at, &next, 10);
    q.k = strtol(next, &next, 10);
    for (uint32_t f = 0; f < m->n_fields; f++)
        q.problem[f] = (int32_t)strtol(next, &next, 10);
    return q;
}

static void put_question(struct buf *line, const kpred_model *m, const struct question *q)
{
    buf_printf(line, "%ld %ld", q->beam, q->k);
    for (uint32_t f = 0; f < m->n_fields; f++)
        buf_printf(line, " %d", (int)q->problem[f]);
}

/* A question with what the model answers to it, by the body of the context */
static void put_line(struct buf *line, const struct question *q, kpred_ctx *ctx,
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

/* ---- the file ---- */

/* Do all bodies that this machine has answer so? */
static int is_right(const kpred_model *m, const char *text)
{
    static struct buf line;
    const struct question q = read_question(m, text);
    kpred_ctx ctx;
    const kpred_status status = kpred_init(&ctx, KPRED_VERSION, m, (size_t)q.beam, arena,
                                           kpred_arena_words(m, KPRED_MAX_BEAM));
    for (int body = 0; body < KPRED_BODIES; body++) {
        if (status == KPRED_OK && kpred_set_body(&ctx, (kpred_body)body) != KPRED_OK)
            continue;
        put_line(&line, &q, &ctx, m, status);
        if (strcmp(line.s, text) != 0) {
            printf("in the file: %s\n%11s: %s\n", text, kpred_body_name((kpred_body)body), line.s);
            return 0;
        }
    }
    return 1;
}

/* The model of a line `model NAME ID`, if it is built in and has that id */
static const kpred_model *model_of_line(const char *text)
{
    char line[128];
    for (const struct builtin *b = builtins; b->model; b++) {
        snprintf(line, sizeof line, "model %s %016llx", b->model->name,
                 (unsigned long long)b->model->id);
        if (strcmp(line, text) == 0)
            return b->model;
    }
    return NULL;
}

/* The cases of a model up to the next one, or to the end: how many there are */
static size_t check_model(char **at, const char *heading)
{
    const kpred_model *m = model_of_line(heading);
    size_t n = 0, wrong = 0;
    free(arena);
    arena = xmalloc(m ? kpred_arena_words(m, KPRED_MAX_BEAM) * sizeof *arena : 1);
    for (; **at && strncmp(*at, "model ", 6) != 0; n++) {
        const char *text = next_line(at);
        wrong += m && wrong < MOST_WRONG && !is_right(m, text);
    }
    CASE(m && n > 0 && wrong == 0, "%s%s", heading, m ? "" : ": make renew");
    return n;
}

int main(int argc, char **argv)
{
    struct buf text = {0};
    size_t n = 0, n_models = 0;
    char *at, *line;
    if (read_text(argc > 1 ? argv[1] : "tests/proof/vectors.txt", (size_t)1 << 24, &text) != 0)
        return 1;
    for (at = text.s; (line = next_line(&at)) != NULL;)
        if (line[0] != '#') {
            n += check_model(&at, line);
            n_models++;
        }
    if (argc == 1)
        CASE(n_models == MODELS && n >= LEAST_CASES, "%d models, %d cases", MODELS, (int)n);
    free(arena);
    buf_free(&text);
    return test_end();
}
