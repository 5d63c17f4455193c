/* test_tune.c - the parts of tune: outputs, durations, legal tuples, a model's order, results
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "weights/conv_asm_bwd_wrw_3x3.h"

#include "harness/cases.h"
#include "harness/specs.h"
#include "tune/loop.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the end of an output ---- */

/* What the last line of a text says, when the text comes in pieces of n bytes */
static void answer_of(const char *text, size_t n, struct answer *a)
{
    struct tail t = {.n = 0};
    const size_t length = strlen(text);
    for (size_t at = 0; at < length; at += n)
        tail_add(&t, text + at, length - at < n ? length - at : n);
    tail_answer(&t, a);
}

static void tails(void)
{
    static const struct {
        const char *text;
        double us; /* 0: it is not a time */
    } cases[] = {
        {"5", 5},      {"5\n", 5},       {"1\n2\n", 2},    {"a\r\n 2.5 \r\n\n", 2.5},
        {"", 0},       {"\n\n", 0},      {"5\nx\n", 0},    {"1e3\n", 1000},
        {"-1\n", 0},   {"0\n", 0},       {"nan\n", 0},     {"inf\n", 0},
        {"0x10\n", 0}, {"1e13\n", 0},    {"1e12\n", 1e12}, {"1 2\n", 0},
        {"1e-7\n", 0}, {"1e-6\n", 1e-6}, {"+3\n", 3},      {"3us\n", 0},
        {".5\n", 0.5}, {"5.\n", 5},      {"1,5\n", 0},     {"--5\n", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t n = 1; n < 8; n++) {
            struct answer a;
            answer_of(cases[i].text, n, &a);
            CHECK_OF(a.outcome == (cases[i].us > 0 ? OUTCOME_TIME : OUTCOME_INVALID),
                     cases[i].text);
            CHECK_OF(a.us == cases[i].us || cases[i].us == 0, cases[i].text);
            CHECK(a.outcome == OUTCOME_TIME || a.why[0] != '\0');
        }
}

/* Texts around the size of what is kept: the last line is a time only if its beginning is there. */
static void long_tails(void)
{
    char text[4 * TAIL_BYTES];
    for (size_t n = 1; n + 3 < sizeof text; n++) {
        struct answer a;
        memset(text, '0', n);
        memcpy(text + n, "7\n", 3);
        answer_of(text, 100, &a);
        CHECK_EQ(a.outcome, n + 2 <= TAIL_BYTES ? OUTCOME_TIME : OUTCOME_INVALID);
        text[n / 2] = '\n';
        answer_of(text, 1000, &a);
        CHECK_EQ(a.outcome, n - n / 2 + 1 < TAIL_BYTES ? OUTCOME_TIME : OUTCOME_INVALID);
    }
}

/* ---- durations ---- */

static void durations(void)
{
    double s = 0;
    char text[32];
    CHECK(duration_read("--x", "90", &s) == 0 && s == 90);
    CHECK(duration_read("--x", "1.5s", &s) == 0 && s == 1.5);
    CHECK(duration_read("--x", "250ms", &s) == 0 && s == 0.25);
    CHECK(duration_read("--x", "30m", &s) == 0 && s == 1800);
    CHECK(duration_read("--x", "2h", &s) == 0 && s == 7200);
    CHECK(duration_read("--x", "1d", &s) == 0 && s == 86400);
    CHECK_TEXT(duration_text(65, text), "1:05");
    CHECK_TEXT(duration_text(3600 + 62, text), "1:01:02");
}

static void bad_durations(void)
{
    static const char *const bad[] = {"",   "s",  "0",   "0s",   "-1",  "1.2.3",    "1 s",
                                      "1x", "1S", "nan", "1e3s", "inf", "1000000d", "."};
    double s;
    fclose(stderr); /* of the messages */
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK_OF(duration_read("--x", bad[i], &s) != 0, bad[i]);
}

/* ---- legal tuples ---- */

/* A model of one size n, with these sections */
static const struct model *hill(const char *params)
{
    return model_of(say("[kernel]\nname = hill\n[data]\nformat = timed\n[fields]\nn = size 0 1000\n"
                        "%s[derived]\nl = log2 n\n[features]\nhats l 0 1 9\n",
                        params),
                    "none");
}

/* Every tuple is legal by a statement of its own, no tuple stands there twice, and each finds
   itself. Returns how many a loop over all combinations finds. */
static size_t listed(const struct legal *l, int32_t n)
{
    size_t want = 0;
    for (uint16_t a = 0; a < 4; a++)
        for (uint16_t b = 0; b < 3; b++)
            for (uint16_t c = 0; c < 2; c++) {
                const uint16_t value[] = {a, b, c};
                const int is_legal = (1 << a) * (3 + 2 * b) <= n && (c == 0 || b != 1);
                const size_t at = tuples_find(&l->tuples, value);
                want += (size_t)is_legal;
                CHECK((at != SIZE_MAX) == is_legal);
                CHECK(at == SIZE_MAX || !memcmp(l->space.value + 3 * at, value, sizeof value));
            }
    return want;
}

static void legal_tuples(void)
{
    const struct model *model = hill("[params]\na = 1 2 4 8\nb = 3 5 7\nc = no yes\n"
                                     "[restrict]\na * b <= n\nc == no or b != 5\n");
    for (int32_t n = 0; n < 60; n++) {
        struct legal l;
        legal_open(&l, model, &n);
        CHECK_EQ(l.space.n, listed(&l, n));
        CHECK_EQ(l.tuples.kind, TUPLES_ALL);
        CHECK_EQ(tuples_any(&model->m, &n), l.space.n > 0);
        CHECK(l.space.rank[0] == 1 && l.space.rank[3] == 8 && l.space.rank[4] == 3
              && l.space.rank[8] == 1);
        CHECK(l.space.n_values[0] == 4 && l.space.n_values[1] == 3 && l.space.n_values[2] == 2);
        legal_close(&l);
    }
}

/* Eight parameters of eight values, of which no two neighbours are both above 4: each tuple of the
   sample is legal, and each value of the first parameter is as frequent as it should be. */
static void samples(void)
{
    struct legal l, again;
    const int32_t n = 10;
    size_t high = 0;
    char text[2048] = "[params]\n";
    for (char name = 'a'; name <= 'h'; name++)
        sprintf(text + strlen(text), "%c = 1 2 3 4 5 6 7 8\n", name);
    strcat(text, "[restrict]\n");
    for (char name = 'a'; name < 'h'; name++)
        sprintf(text + strlen(text), "%c <= 4 or %c <= 4\n", name, name + 1);
    legal_open(&l, hill(text), &n);
    legal_open(&again, hill(text), &n);
    CHECK_EQ(l.tuples.kind, TUPLES_DRAWN);
    CHECK_EQ(l.space.n, (1 << 16));
    CHECK(!memcmp(l.tuples.value, again.tuples.value, l.space.n * 8 * sizeof *l.tuples.value));
    for (size_t i = 0; i < l.space.n; i++) {
        const uint16_t *v = l.tuples.value + i * 8;
        for (size_t t = 0; t + 1 < 8; t++)
            CHECK(v[t] < 4 || v[t + 1] < 4);
        CHECK_EQ(tuples_find(&l.tuples, v), i);
        high += v[0] >= 4;
    }
    /* Of words of n letters without two high neighbours there are F(n + 2): 21 of 55 begin high. */
    CHECK(fabs((double)high / (double)l.space.n - 21.0 / 55) < 0.01);
    legal_close(&l);
    legal_close(&again);
}

/* One combination in 2^21 is legal: a draw hardly finds any, a walk does. */
static void rare(void)
{
    struct legal l;
    const int32_t n = 10;
    char text[2048] = "[params]\n";
    const char *names = "ABCDEFGHIJKLMNO";
    for (size_t i = 0; i < 15; i++)
        sprintf(text + strlen(text), "%c = 0 1 2 3 4 5 6 7\n", names[i]);
    strcat(text, "[restrict]\n");
    for (size_t i = 0; i + 1 < 8; i++)
        sprintf(text + strlen(text), "%c == %c\n", names[i], names[i + 1]);
    legal_open(&l, hill(text), &n);
    CHECK_EQ(l.tuples.kind, TUPLES_WALKED);
    CHECK_EQ(l.space.n, (1 << 16));
    for (size_t i = 0; i < l.space.n; i++)
        for (size_t t = 0; t + 1 < 8; t++)
            CHECK_EQ(l.tuples.value[i * 15 + t], l.tuples.value[i * 15 + t + 1]);
    legal_close(&l);
}

/* ---- a model's order ---- */

enum { BEAM = 256 };

/* Every tuple that the beam search returns is there, with the score that the search gave it. */
static void same_scores(const struct model *model, const int32_t *problem, const struct legal *l,
                        const double *score)
{
    const size_t words = kpred_arena_words(&model->m, BEAM);
    kpred_model plain = model->m;
    int32_t *arena = new_memory(words, sizeof *arena);
    kpred_tuple tuples[BEAM];
    kpred_ctx ctx;
    size_t n = 0;
    plain.scale = KPRED_SCALE_ONE;
    plain.id = kpred_model_id(&plain);
    CHECK(kpred_init(&ctx, KPRED_VERSION, &plain, BEAM, arena, words) == KPRED_OK);
    CHECK(kpred_predict(&ctx, problem, plain.n_fields, tuples, BEAM, &n) == KPRED_OK);
    CHECK(n > 10);
    for (size_t i = 0; i < n; i++) {
        uint16_t value[KPRED_MAX_TUPLE];
        for (size_t t = 0; t < plain.n_params; t++)
            for (value[t] = 0; plain.params[t].values[value[t]] != tuples[i].value[t];)
                value[t]++;
        const size_t at = tuples_find(&l->tuples, value);
        REQUIRE(at != SIZE_MAX);
        CHECK(fabs(score[at] - tuples[i].score / 65536.0) < 0.01);
    }
}

static void order_of_a_model(void)
{
    struct model model;
    struct legal l;
    /* gfx906_60, backward weights, FP32, n c h w k stride groups */
    const int32_t full[] = {1, 2, 0, 16, 64, 56, 56, 64, 1, 1};
    REQUIRE(model_open("conv_asm_bwd_wrw_3x3", &model) == 0);
    legal_open(&l, &model, full);
    REQUIRE(l.space.n > 10);
    double *score = new_memory(l.space.n, sizeof *score);
    CHECK(order_check("x.h", &model, model.spec) == 0);
    CHECK(order_scores(&model, model.spec, full, &l, score) == 1);
    same_scores(&model, full, &l, score);
    legal_close(&l);
    model_free(&model);
}

/* ---- a file of results ---- */

/* Of a tuple that stands there twice the first row counts. */
static const char rows[] = "# kpred-train tune: hill\n# ./time.sh\nn,a,time_us\n"
                           "7,1,5\n8,2,failed\n7,2,timeout\n8,1,invalid\n7,1,77\n";

/* Of a problem so many rows: the time of a = 1, and that of a = 2 */
static void has_rows(const struct results *r, int32_t n, double first, double second)
{
    struct result is;
    size_t at = 0, count = 0;
    for (; results_next(r, &n, &at, &is); count++) {
        const double want = *is.value == 0 ? first : second;
        CHECK(!(is.time < want) && !(is.time > want));
    }
    CHECK_EQ(count, n == 9 ? 0u : 2u);
}

/* Opens the file and adds a row for a = 4: returns how many it had. */
static size_t go_on(const struct spec *spec, const char *path)
{
    const struct answer answer = {OUTCOME_TIME, 9, "", 0};
    const int32_t problem[] = {7};
    const uint16_t value[] = {2};
    struct results *r;
    if (results_open(&r, path, spec, "./time.sh", 0) != 0)
        return SIZE_MAX;
    const size_t n = results_count(r);
    has_rows(r, 7, 5, HUGE_VAL);
    has_rows(r, 8, HUGE_VAL, HUGE_VAL);
    has_rows(r, 9, 0, 0);
    CHECK_EQ(results_append(r, problem, value, &answer), 0);
    results_close(r, 0);
    return n;
}

/* A file that an editor has written is read, goes on with the same ends of lines, and loses what a
   kill has left of a row. */
static void edited_results(void)
{
    static char path[] = "/tmp/kpred-tune-XXXXXX";
    const struct spec *spec = hill("[params]\na = 1 2 4\n")->spec;
    struct buf *whole = new_text();
    REQUIRE(close(mkstemp(path)) == 0);
    test_put_edited(path, rows);
    CHECK_EQ(read_file(path, 999, whole), 0);
    CHECK_EQ(go_on(spec, path), 4);
    buf_puts(whole, "7,4,9\r\n");
    CHECK_TEXT(text_of(path), whole->s);
    CHECK_EQ(truncate(path, (off_t)whole->n - 1), 0); /* it lacks the LF */
    CHECK_EQ(go_on(spec, path), 4);
    CHECK_TEXT(text_of(path), whole->s);
    unlink(path);
}

/* Each outcome has its word, and a time all of its digits. */
static void rows_are_added(void)
{
    static char path[] = "/tmp/kpred-tune-XXXXXX";
    static const struct answer answers[] = {{.us = 1234567.125},
                                            {.outcome = OUTCOME_FAILED},
                                            {.outcome = OUTCOME_TIMEOUT},
                                            {.outcome = OUTCOME_INVALID}};
    struct results *r;
    struct buf *whole = new_text();
    REQUIRE(close(mkstemp(path)) == 0);
    REQUIRE(
        results_open(&r, path, hill("[params]\na = 1 2 4\nmode = fast slow\n")->spec, "a\t b", 0)
        == 0);
    for (uint16_t i = 0; i < COUNT(answers); i++) {
        const int32_t problem[] = {i};
        const uint16_t value[] = {(uint16_t)(i % 3), (uint16_t)(i / 2)};
        CHECK_EQ(results_append(r, problem, value, &answers[i]), 0);
    }
    CHECK_EQ(results_count(r), 0);
    results_close(r, 0);
    CHECK_EQ(read_file(path, 999, whole), 0);
    CHECK_TEXT(whole->s, RESULTS_TITLE "hill\n# a? b\nn,a,mode,time_us\n0,1,fast,1234567.125\n"
                                       "1,2,fast,failed\n2,4,slow,timeout\n3,1,slow,invalid\n");
    unlink(path);
}

int main(void)
{
    RUN_ALL(tails, long_tails, durations, legal_tuples, samples, rare, order_of_a_model,
            edited_results, rows_are_added, bad_durations);
    return test_end();
}
