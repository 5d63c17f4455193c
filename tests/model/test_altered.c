/* test_altered.c - headers with other numbers in them: refused, or they predict without harm
   SPDX-License-Identifier: MIT

   usage: test_altered [RUNS [SEED]]

   Each altered header is consistent: its id is that of what it holds, and its code is what
   kpred-train writes for these numbers. The sanitizers look on in the suite `sanitized`. */
#include "kpred.h"

#include "harness/test.h"
#include "model/header.h"
#include "model/header_text.h"
#include "model/registry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const headers[] = {"weights/conv_asm_bwd_wrw_3x3.h", "weights/conv_solver.h",
                                      "weights/gemm_mi100_tn.h"};
enum { N_HEADERS = sizeof headers / sizeof *headers };
static long n_runs = 60;
static uint64_t seed = 1;
static char path[] = "/tmp/kpred-altered-XXXXXX"; /* main makes it */

/* The opening comment of a header, to the end of the spec; to be freed */
static char *opening_of(const char *header)
{
    static const char end[] = "end of spec */\n";
    struct buf text = {NULL, 0, 0};
    char *p = read_file(header, 1 << 27, &text) ? NULL : strstr(text.s, end);
    if (p)
        p[strlen(end)] = '\0';
    return text.s;
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

/* ---- one number ---- */

static int32_t any_number(void)
{
    static const int32_t edges[] = {INT32_MIN, INT32_MAX, -(1 << 30), 1 << 30, 1 << 29, -127, 127};
    const int32_t i = test_between(&seed, 0, 9);
    return i < 7   ? edges[i]
           : i < 9 ? test_between(&seed, -1000, 1000)
                   : (int32_t)test_random64(&seed);
}

/* A number of a model, or an array of them */
struct place {
    enum kind { BIAS, WEIGHTS, SHIFT, RANGE } kind;
    const void *at;
    size_t n;
};

/* Where the numbers of a layer, a head and a field lie, one of these at random */
static struct place any_place(struct model *m)
{
    const int32_t what = test_between(&seed, 0, 9);
    const size_t t = test_random64(&seed) % m->m.n_params, hidden = m->net.hidden;
    const size_t rows = model_head_rows(&m->m, t), above = model_embedding_rows(&m->m, t);
    const kpred_layer *l = m->net.layer + test_between(&seed, 0, 2);
    const kpred_head *h = m->heads + t;
    const kpred_field *f = m->fields + test_random64(&seed) % m->m.n_fields;
    const struct place of_layer[] = {{BIAS, l->bias, l->rows},
                                     {WEIGHTS, l->weight, (size_t)l->rows * l->cols},
                                     {SHIFT, &l->shift, 1}},
                       of_head[] = {{BIAS, h->bias, rows},
                                    {WEIGHTS, h->weight, rows * hidden},
                                    {WEIGHTS, h->embedding, above * hidden},
                                    {SHIFT, &h->embedding_shift, 1},
                                    {SHIFT, &h->hidden_shift, 1},
                                    {SHIFT, &h->logit_shift, 1}},
                       of_field[] = {{RANGE, &f->trained_min, 1}, {RANGE, &f->trained_max, 1}};
    return what < 4                ? of_layer[test_between(&seed, 0, 2)]
           : what < 9 && h->weight ? of_head[test_between(&seed, 0, 5)]
                                   : of_field[test_between(&seed, 0, 1)];
}

/* Many weights, since one alone hardly matters; one of the biases */
static void alter(struct model *m)
{
    const struct place p = any_place(m);
    const int8_t weight = test_between(&seed, 0, 1) ? 127 : -127;
    if (p.n == 0)
        return;
    if (p.kind == SHIFT)
        *(uint8_t *)(uintptr_t)p.at = (uint8_t)test_between(&seed, 0, 30);
    else if (p.kind != WEIGHTS)
        ((int32_t *)(uintptr_t)p.at)[test_random64(&seed) % p.n] = any_number();
    for (size_t i = test_random64(&seed) % p.n; p.kind == WEIGHTS && i < p.n; i++)
        ((int8_t *)(uintptr_t)p.at)[i] = weight;
}

static void any_number_anywhere(void)
{
    size_t taken = 0, refused = 0;
    for (long i = 0; i < n_runs; i++) {
        const char *header = headers[i % N_HEADERS];
        char *opening = opening_of(header);
        struct model m;
        REQUIRE(opening && !header_read(header, &m));
        for (int32_t n = test_between(&seed, 1, 3); n > 0; n--)
            alter(&m);
        write_model(opening, &m);
        is_taken() ? taken++ : refused++;
        model_free(&m);
        free(opening);
    }
    printf("    %zu taken, %zu refused\n", taken, refused);
    CHECK(taken && refused);
}

/* ---- each kind by itself ---- */

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
    char *opening = opening_of(headers[0]);
    struct model m;
    if (!opening || header_read(headers[0], &m))
        return -1;
    set(&m, what, x);
    set(&m, other, y);
    write_model(opening, &m);
    const int taken = is_taken();
    CHECK(what >= TRAINED_MIN || (model_seal(&m) == 0) == (taken == 1));
    model_free(&m);
    free(opening);
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int j = 0; j < 2; j++) {
            CHECK_EQ(with(rows[i].what, rows[i].refused[j]), 0);
            CHECK_EQ(with(rows[i].what, rows[i].taken[j]), 1);
        }
    /* Room for the context alone, and for what the prefix adds only if it is shifted little */
    CHECK_EQ(with_two(CONTEXT_BIAS, room, EMBEDDING_SHIFT, 0), 1);
    CHECK_EQ(with_two(CONTEXT_BIAS, room, EMBEDDING_SHIFT, 15), 0);
}

/* ---- the spec in the opening comment ---- */

/* The opening with another number in the place of one in its spec; to be freed */
static char *alter_spec(const char *opening)
{
    static const char *const numbers[] = {"0",     "1",        "2",        "3",   "7",
                                          "16",    "64",       "99",       "127", "128",
                                          "65536", "16777215", "16777216", "-1"};
    static const char digits[] = "0123456789";
    const char *spec = strstr(opening, "\nspec:\n"), *p;
    struct buf b = {NULL, 0, 0};
    do { /* a number that is no part of a name */
        p = spec + test_random64(&seed) % strlen(spec);
        p += strcspn(p, digits);
    } while (!*p || !strchr(" ,=x", p[-1]));
    buf_add(&b, opening, (size_t)(p - opening));
    buf_puts(&b, numbers[test_random64(&seed) % (sizeof numbers / sizeof *numbers)]);
    buf_puts(&b, p + strspn(p, digits));
    return b.s;
}

static const int8_t *random_weights(struct model *m, size_t n)
{
    int8_t *w = model_array(m, n, 1);
    for (size_t i = 0; i < n; i++)
        w[i] = (int8_t)test_between(&seed, -20, 20);
    return w;
}

static const int32_t *random_biases(struct model *m, size_t n)
{
    int32_t *bias = model_array(m, n, sizeof *bias);
    for (size_t i = 0; i < n; i++)
        bias[i] = test_between(&seed, -9999, 9999);
    return bias;
}

/* A network of the least size, not trained */
static void fill(struct model *m)
{
    model_set_widths(m, 16, 16, 16);
    for (size_t i = 0; i < 3; i++) {
        kpred_layer *l = m->net.layer + i;
        l->weight = random_weights(m, (size_t)l->rows * l->cols);
        l->bias = random_biases(m, l->rows);
        l->shift = 7;
    }
    for (size_t t = 0; t < m->m.n_params; t++) {
        kpred_head *h = m->heads + t;
        if (m->params[t].n_values < 2)
            continue;
        const size_t above = model_embedding_rows(&m->m, t), rows = model_head_rows(&m->m, t);
        h->embedding = above ? random_weights(m, above * 16) : NULL;
        h->weight = random_weights(m, rows * 16);
        h->bias = random_biases(m, rows);
        h->hidden_shift = 7;
    }
    for (size_t i = 0; i < m->n_listed; i++)
        m->listed[i] = (unsigned char)test_random64(&seed);
    if (m->listed)
        model_name_list(m);
}

/* Is a model of the spec in the opening made? Then it is written, read and run. */
static int try_spec(const char *opening)
{
    char *text = header_between(opening, "\nspec:\n", "end of spec */");
    struct spec *spec = xcalloc(1, sizeof *spec);
    struct model m;
    const int bad = spec_parse(spec, text, "altered");
    free(text);
    if (bad) {
        free(spec);
        return 0;
    }
    int made = !model_from_spec(&m, spec, "config");
    m.own_spec = spec;
    if (made) {
        fill(&m);
        made = !model_seal(&m);
    }
    if (made) {
        write_model(opening, &m);
        CHECK(is_taken());
    }
    model_free(&m);
    return made;
}

static void other_specs(void)
{
    size_t made = 0, refused = 0;
    for (long i = 0; i < n_runs; i++) {
        char *opening = opening_of(headers[i % N_HEADERS]);
        REQUIRE(opening);
        for (int32_t n = test_between(&seed, 1, 3); n > 0; n--) {
            char *next = alter_spec(opening);
            free(opening);
            opening = next;
        }
        try_spec(opening) ? made++ : refused++;
        free(opening);
    }
    printf("    %zu made, %zu refused\n", made, refused);
    CHECK(made && refused);
}

/* ---- the same numbers ---- */

static void as_an_editor_leaves_it(void)
{
    struct buf text = {NULL, 0, 0};
    struct model was, is;
    REQUIRE(!read_file(headers[0], 1 << 27, &text) && !header_read(headers[0], &was));
    test_put_edited(path, text.s);
    CHECK(!header_read(path, &is) && is.m.id == was.m.id);
    model_free(&was);
    model_free(&is);
    buf_free(&text);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        n_runs = strtol(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    const int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0 || !freopen("/dev/null", "w", stderr)) /* the refusals */
        return 1;
    RUN(each_number);
    RUN(any_number_anywhere);
    RUN(other_specs);
    RUN(as_an_editor_leaves_it);
    unlink(path);
    return test_end();
}
