/* test_altered.c - headers with other numbers in them: refused, or they predict without harm
   SPDX-License-Identifier: MIT

   Each altered header is consistent: its id is that of what it holds, and its code is what
   kpred-train writes for these numbers. The sanitizers look on in the suite `sanitized`. Numbers
   anywhere and specs at random: the targets header_cut and spec of tests/fuzz. */
#include "kpred.h"

#include "harness/program.h"
#include "model/header.h"
#include "model/model.h"

#include <limits.h>

static const char shipped[] = "weights/conv_asm_bwd_wrw_3x3.h";
static uint64_t seed = 1;
static char path[] = "/tmp/kpred-altered-XXXXXX"; /* main makes it */

/* The opening comment of a header, to the end of the spec */
static char *opening_of(const char *header)
{
    static const char end[] = "end of spec */\n";
    char *text = new_copy(text_of(header)), *p = strstr(text, end);
    if (p)
        p[strlen(end)] = '\0';
    return text;
}

/* Writes the model behind the opening, with the id that it has then. */
static void write_model(const char *opening, struct model *m)
{
    FILE *f = fopen(path, "w");
    m->m.id = kpred_model_id(&m->m);
    CHECK(f != NULL);
    if (!f)
        return;
    fputs(opening, f);
    header_write_code(f, m);
    CHECK(fclose(f) == 0);
}

static void draw(const kpred_model *m, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const kpred_field *field = m->fields + f;
        const int32_t most = field->tokens || test_between(&seed, 0, 3) == 0 ? field->most : 512;
        problem[f] = test_between(&seed, field->least, most < field->least ? field->least : most);
    }
}

/* Predicts for problems of all kinds, into an arena of exactly the size that is asked for. */
static void predict(const kpred_model *m, size_t beam)
{
    const size_t words = kpred_arena_words(m, beam);
    int32_t *arena = malloc(words * sizeof *arena), problem[KPRED_MAX_FIELDS];
    kpred_tuple out[16];
    kpred_ctx ctx;
    size_t n;
    REQUIRE(arena && kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words) == KPRED_OK);
    for (int i = 0; i < 20; i++) {
        draw(m, problem);
        const kpred_status s = kpred_predict(&ctx, problem, m->n_fields, out, beam, &n);
        CHECK(s == KPRED_OK || s == KPRED_ERR_NOT_APPLICABLE || s == KPRED_ERR_INFEASIBLE
              || s == KPRED_ERR_BUDGET);
    }
    free(arena);
}

/* Is the file taken? Then it is run. */
static int is_taken(void)
{
    struct model m;
    if (header_read(path, &m))
        return 0;
    predict(&m.m, 1);
    predict(&m.m, 10);
    model_free(&m);
    return 1;
}

/* A number of a model: of a layer, of the last head, of the context, of the fourth field */
enum number {
    LAYER_SHIFT,
    HIDDEN_SHIFT,
    EMBEDDING_SHIFT,
    LOGIT_SHIFT,
    LOGIT_BIAS,
    CONTEXT_BIAS,
    ENCODER_BIAS,
    TRAINED_MIN,
    TRAINED_MAX
};

static void set(struct model *m, enum number what, int32_t x)
{
    kpred_head *h = m->heads + m->m.n_params - 1;
    switch (what) {
    case LAYER_SHIFT: m->net.layer[1].shift = (uint8_t)x; break;
    case HIDDEN_SHIFT: h->hidden_shift = (uint8_t)x; break;
    case EMBEDDING_SHIFT: h->embedding_shift = (uint8_t)x; break;
    case LOGIT_SHIFT: h->logit_shift = (uint8_t)x; break;
    case LOGIT_BIAS: ((int32_t *)(uintptr_t)h->bias)[0] = x; break;
    case CONTEXT_BIAS:
        ((int32_t *)(uintptr_t)m->net.layer[2].bias)[m->net.layer[2].rows - 1] = x;
        break;
    case ENCODER_BIAS: ((int32_t *)(uintptr_t)m->net.layer[0].bias)[3] = x; break;
    case TRAINED_MIN: m->fields[3].trained_min = x; break;
    case TRAINED_MAX: m->fields[3].trained_max = x; break;
    }
}

/* The shipped header with two numbers changed: is it taken? Then a model
   with these weights could have been sealed, and no other. */
static int with_two(enum number what, int32_t x, enum number other, int32_t y)
{
    struct model m;
    if (header_read(shipped, &m))
        return -1;
    set(&m, what, x);
    set(&m, other, y);
    write_model(opening_of(shipped), &m);
    const int taken = is_taken();
    CHECK(what >= TRAINED_MIN || (model_seal(&m) == 0) == (taken == 1));
    model_free(&m);
    return taken;
}

static int with(enum number what, int32_t x)
{
    return with_two(what, x, what, x);
}

static void each_number(void)
{
    static const int32_t room = INT32_MAX - (1 << 21);
    const struct {
        enum number what;
        int32_t refused[2], taken[2];
    } rows[] = {
        {LAYER_SHIFT, {0, 25}, {1, 24}},
        {HIDDEN_SHIFT, {0, 25}, {1, 1}},
        {EMBEDDING_SHIFT, {30, 16}, {0, 0}},
        {LOGIT_SHIFT, {11, 11}, {0, 0}},
        {LOGIT_BIAS, {INT32_MIN, INT32_MAX}, {1, 1}},
        {LOGIT_BIAS, {1 << 29, -(1 << 29)}, {1, 1}},
        {CONTEXT_BIAS, {INT32_MIN, INT32_MAX}, {-1, -1}},
        {ENCODER_BIAS, {INT32_MAX - 100, INT32_MAX}, {1, 1}},
        {TRAINED_MIN, {-1, KPRED_MAX_SIZE}, {1, 1}}, /* the latter is above the most */
        {TRAINED_MAX, {INT32_MAX, INT32_MAX}, {KPRED_MAX_SIZE, KPRED_MAX_SIZE}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int j = 0; j < 2; j++) {
            CHECK_EQ(with(rows[i].what, rows[i].refused[j]), 0);
            CHECK_EQ(with(rows[i].what, rows[i].taken[j]), 1);
        }
    /* Room for the context alone, and for what the prefix adds only if it is shifted little */
    CHECK_EQ(with_two(CONTEXT_BIAS, room, EMBEDDING_SHIFT, 0), 1);
    CHECK_EQ(with_two(CONTEXT_BIAS, room, EMBEDDING_SHIFT, 15), 0);
}

/* ---- the same numbers ---- */

static void as_an_editor_leaves_it(void)
{
    struct model was, is;
    REQUIRE(!header_read(shipped, &was));
    test_put_edited(path, text_of(shipped));
    CHECK(!header_read(path, &is) && is.m.id == was.m.id);
    model_free(&was);
    model_free(&is);
}

int main(void)
{
    const int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0 || !freopen("/dev/null", "w", stderr)) /* the refusals */
        return 1;
    RUN(each_number);
    RUN(as_an_editor_leaves_it);
    unlink(path);
    return test_end();
}
