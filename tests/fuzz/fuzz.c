/* fuzz.c - see fuzz.h
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cli/readers.h"

#include <string.h>

void fuzz_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
    abort();
}

/* ---- bytes as numbers ---- */

static uint8_t take(struct fuzz_bytes *in)
{
    if (in->n == 0)
        return 0;
    in->n--;
    return *in->at++;
}

uint32_t fuzz_u32(struct fuzz_bytes *in)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x = x << 8 | take(in);
    return x;
}

int32_t fuzz_between(struct fuzz_bytes *in, int32_t least, int32_t most)
{
    const uint64_t n = (uint64_t)((int64_t)most - least) + 1;
    uint64_t x = 0;
    for (uint64_t rest = n - 1; rest > 0; rest >>= 8)
        x = x << 8 | take(in);
    return (int32_t)((int64_t)(x % n) + least);
}

/* ---- texts and files ---- */

struct buf fuzz_text(const uint8_t *data, size_t size)
{
    struct buf text = {0};
    buf_add(&text, (const char *)data, size);
    return text;
}

char *fuzz_second_part(struct buf *text)
{
    char *cut = strstr(text->s, "\n---\n");
    if (cut == NULL)
        return text->s + strlen(text->s);
    cut[1] = '\0';
    text->n = (size_t)(cut + 1 - text->s);
    return cut + strlen("\n---\n");
}

/* The scripts make it, and remove it also where a target fails. */
static const char *folder(void)
{
    const char *given = getenv("FUZZ_FOLDER");
    return given != NULL ? given : ".";
}

const char *fuzz_file(const char *name, const void *bytes, size_t n)
{
    static char path[4][256];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof *path, "%s/%s", folder(), name);
    FILE *f = fopen(p, "wb");
    FUZZ_CHECK(f != NULL && fwrite(bytes, 1, n, f) == n);
    FUZZ_CHECK(fclose(f) == 0);
    return p;
}

/* ---- data files ---- */

static int only_other_tuples(const struct dataset *d)
{
    size_t all = 0;
    for (int why = 0; why < DATA_N_DROPS; why++)
        all += d->dropped[why];
    return all > 0 && all == d->dropped[DROP_OTHER_TUPLE];
}

/* The rows as CSV: 0, 1 if some were left out for the one reason that their problem has another
   tuple, or -1 if the file was refused. *n: their number */
static int read_rows(const struct spec *spec, const char *path, int lenient, struct buf *rows,
                     size_t *n_rows)
{
    const struct data_options how = {.lenient = lenient};
    struct dataset d;
    if (data_load(readers, spec, &path, 1, &how, &d) != 0)
        return -1;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    FUZZ_CHECK(f != NULL);
    data_write(spec, &d, (struct table_form){.csv = 1}, f);
    FUZZ_CHECK(fclose(f) == 0);
    buf_add(rows, text, n);
    free(text);
    data_note_drops(&d);
    const int others = only_other_tuples(&d);
    *n_rows = d.n;
    data_free(&d);
    return others;
}

/* Two names of one GPU may have a tuple each for a problem. The rows tell them apart no longer, so
   that they are refused, and the first tuple stays of each problem. */
static void read_back(const struct spec *spec, const struct buf *rows)
{
    struct buf again = {0};
    size_t n;
    const char *path = fuzz_file("rows.csv", rows->s, rows->n);
    if (read_rows(spec, path, 0, &again, &n) != 0) {
        FUZZ_CHECK(read_rows(spec, path, 1, &again, &n) == 1);
        read_back(spec, &again);
    } else {
        FUZZ_CHECK(strcmp(rows->s, again.s) == 0);
    }
    buf_free(&again);
}

static int load(const struct spec *spec, const char *path, int lenient)
{
    struct buf rows = {0};
    size_t n = 0;
    if (read_rows(spec, path, lenient, &rows, &n) >= 0)
        read_back(spec, &rows);
    buf_free(&rows);
    return n > 0;
}

int fuzz_load(const char *text, const char *name, const void *bytes, size_t n)
{
    struct spec spec;
    FUZZ_CHECK(spec_parse(&spec, text, "fuzz.spec") == 0);
    const char *path = fuzz_file(name, bytes, n);
    const int strictly = load(&spec, path, 0);
    const int leniently = load(&spec, path, 1);
    spec_free(&spec);
    return strictly || leniently;
}

/* ---- predictions ---- */

enum { MOST_K = 16 };

struct answer {
    kpred_status status;
    size_t n;
    kpred_tuple tuple[MOST_K];
};

static void draw_problem(const kpred_model *m, struct fuzz_bytes *in, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const kpred_field *field = &m->fields[f];
        const int kind = fuzz_between(in, 0, 15);
        problem[f] = kind == 0   ? (int32_t)fuzz_u32(in)
                     : kind == 1 ? field->most
                     : kind == 2 ? field->least
                                 : fuzz_between(in, field->least, field->most);
    }
}

static int same_tuple(const kpred_model *m, const kpred_tuple *a, const kpred_tuple *b)
{
    return memcmp(a->value, b->value, m->n_params * sizeof *a->value) == 0;
}

static void check_answer(const kpred_model *m, const int32_t *problem, size_t k,
                         const struct answer *a, int rule_lies)
{
    FUZZ_CHECK(a->n >= 1 && a->n <= k);
    for (size_t i = 0; i < a->n; i++) {
        FUZZ_CHECK(a->tuple[i].score <= 0 && kpred_probability(a->tuple[i].score) >= 0);
        FUZZ_CHECK(i == 0 || a->tuple[i].score <= a->tuple[i - 1].score);
        FUZZ_CHECK(rule_lies || kpred_legal(m, problem, a->tuple[i].value));
        for (size_t j = 0; j < i; j++)
            FUZZ_CHECK(!same_tuple(m, &a->tuple[i], &a->tuple[j]));
    }
    FUZZ_CHECK(kpred_tuples_needed(a->tuple, a->n, 1 << 24) <= a->n);
}

static void same_answers(const kpred_model *m, const struct answer *a, const struct answer *b)
{
    FUZZ_CHECK(a->status == b->status && a->n == b->n);
    for (size_t i = 0; a->status == KPRED_OK && i < a->n; i++)
        FUZZ_CHECK(a->tuple[i].score == b->tuple[i].score
                   && same_tuple(m, &a->tuple[i], &b->tuple[i]));
}

static void predict_once(kpred_ctx *ctx, const int32_t *problem, size_t k, int rule_lies,
                         struct answer *a)
{
    a->n = 0;
    a->status = kpred_predict(ctx, problem, ctx->model->n_fields, a->tuple, k, &a->n);
    if (a->status == KPRED_OK)
        check_answer(ctx->model, problem, k, a, rule_lies);
    else
        FUZZ_CHECK(a->n == 0);
}

static int predict_by_all(kpred_ctx *ctx, const int32_t *problem, size_t k, int rule_lies)
{
    struct answer first, other;
    predict_once(ctx, problem, k, rule_lies, &first);
    for (int body = 0; body < KPRED_BODIES && ctx->model->scorer == &kpred_additive_scorer; body++)
        if (kpred_set_body(ctx, (kpred_body)body) == KPRED_OK) {
            predict_once(ctx, problem, k, rule_lies, &other);
            if (!rule_lies)
                same_answers(ctx->model, &first, &other);
        }
    return first.status == KPRED_OK;
}

int fuzz_predict(const kpred_model *m, struct fuzz_bytes *in, int rule_lies)
{
    const size_t beam = (size_t)fuzz_between(in, 1, fuzz_between(in, 0, 7) ? 12 : KPRED_MAX_BEAM);
    const size_t k = (size_t)fuzz_between(in, 1, beam < MOST_K ? (int32_t)beam : MOST_K);
    const size_t words = kpred_arena_words(m, beam);
    int32_t problem[KPRED_MAX_FIELDS], *arena = xmalloc(words * sizeof *arena);
    kpred_ctx ctx;
    FUZZ_CHECK(kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words - 1) == KPRED_ERR_ARENA);
    FUZZ_CHECK(kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words) == KPRED_OK);
    draw_problem(m, in, problem);
    const int answered = predict_by_all(&ctx, problem, k, rule_lies);
    free(arena);
    return answered;
}
