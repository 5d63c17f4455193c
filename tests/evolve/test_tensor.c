/* test_tensor.c - MLIR modules as programs: what is read and what is refused, what each edit does,
   and that random lists of edits verify
   SPDX-License-Identifier: MIT */
#include "scratch.h"
#include "told.h"

#ifdef HAVE_MLIR
#include "evolve/tensor/tensor.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>

static struct engine *engine;

static struct tensor_program *open_text(const char *text, const char *function)
{
    struct tensor_program *p = NULL;
    scratch_put(text, strlen(text));
    tensor_open(&p, engine, scratch_path, function);
    return p;
}

/* 1, 2, 3: constants, 4: an empty tensor, 5: matmul, 6: max, 7: add */
static const char usual[] =
    "func.func @f(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {\n"
    "  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>\n"
    "  %half = arith.constant dense<0.5> : tensor<4x2xf32>\n"
    "  %z = arith.constant dense<0.0> : tensor<4x2xf32>\n"
    "  %e = tensor.empty() : tensor<4x2xf32>\n"
    "  %m = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) "
    "outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>\n"
    "  %r = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} "
    "ins(%m, %half : tensor<4x2xf32>, tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) "
    "-> tensor<4x2xf32>\n"
    "  %s = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} "
    "ins(%r, %r : tensor<4x2xf32>, tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) "
    "-> tensor<4x2xf32>\n"
    "  return %s : tensor<4x2xf32>\n"
    "}\n";

/* ---- reading ---- */

static void reads(void)
{
    struct tensor_program *p = open_text(usual, NULL);
    REQUIRE(p != NULL);
    const struct tensor_type type = tensor_type(p);
    CHECK_TEXT(tensor_function(p), "f");
    CHECK_EQ(tensor_size(p), 7);
    CHECK_EQ(type.n_in, 1);
    CHECK(type.in[0].rank == 2 && type.in[0].size[0] == 4 && type.in[0].size[1] == 3);
    CHECK(type.out.rank == 2 && type.out.size[0] == 4 && type.out.size[1] == 2);
    tensor_close(p);
}

static void reads_tosa(void)
{
    struct buf text = {0};
    struct tensor_program *p = open_text(
        "func.func @g(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {\n"
        "  %y = \"tosa.clamp\"(%x) {min_fp = 0.0 : f32, max_fp = 6.0 : f32, min_int = 0 : i64, "
        "max_int = 6 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>\n"
        "  return %y : tensor<4x3xf32>\n}\n",
        "g");
    REQUIRE(p != NULL);
    tensor_text(p, &text);
    CHECK(strstr(text.s, "tosa") == NULL && strstr(text.s, "arith.maxf") != NULL);
    buf_free(&text);
    tensor_close(p);
}

static void refuses(const char *text, const char *function, const char *message)
{
    struct tensor_program *p = open_text(text, function);
    EXPECT(p == NULL && scratch_said(message), "not said: %.100s", message);
    tensor_close(p);
}

#define HEAD "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
#define END  "  return %x : tensor<4xf32>\n}\n"

static void messages(void)
{
    struct tensor_program *none = NULL;
    CHECK_EQ(tensor_open(&none, engine, "/no/such/file.mlir", NULL), -1);
    CHECK(scratch_said("/no/such/file.mlir"));
    refuses("func.func @f(\n", NULL, "/log:1:");
    refuses(HEAD "  return\n}\n", NULL, ":2:3: 'func.return' op has 0 operands");
    refuses("module {}\n", NULL, ": has no function");
    refuses(usual, "g", ": has no function \"g\"");
    refuses(HEAD END "func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {\n" END, NULL,
            ": has 2 functions: --function names one");
    refuses("func.func private @f(tensor<4xf32>) -> tensor<4xf32>\n", NULL,
            ":1: \"func.func\" has no body");
    refuses(HEAD "  cf.br ^a\n^a:\n" END, NULL, ":1: \"func.func\" has more than one block");
    refuses("func.func @f(%x: f32) -> f32 {\n  return %x : f32\n}\n", NULL,
            ":1: \"func.func\" is not of one to three tensors");
    refuses("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}\n",
            NULL, "whose sizes are known");
    refuses("func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {\n  return %x : tensor<4xf64>\n}\n",
            NULL, "tensors of f32");
    refuses("func.func @f(%x: tensor<4xf32>) {\n  return\n}\n", NULL, "is not of one to three");
    refuses(HEAD "\n  %m = memref.alloc() : memref<4xf32>\n" END, NULL,
            ":3: \"memref.alloc\" is none of arith, linalg, math, tensor and tosa");
    refuses(HEAD "  %y = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n" END, NULL,
            ":2: \"func.call\" is none of arith");
    refuses(HEAD END, NULL, ": f has no operation to be edited");
}

/* ---- what edits do ---- */

static struct edits of(const struct edit *e, size_t n)
{
    struct edits list = {0};
    for (size_t i = 0; i < n; i++)
        edits_add(&list, &e[i]);
    return list;
}

/* What the edited program makes of 1, 2, ..., 12: eight numbers; 0, or -1 if it does not apply */
static int run(struct tensor_program *p, const struct edits *list, float out[8])
{
    float in[12];
    enum outcome why;
    struct engine_tensor from = tensor_type(p).in[0], to = tensor_type(p).out;
    for (int i = 0; i < 12; i++)
        in[i] = (float)(i - 4);
    from.at = in;
    to.at = out;
    memset(out, 0, 8 * sizeof *out);
    ev_kernel *code = tensor_compile(p, list, &why);
    if (code == NULL)
        return -1;
    const int rc = engine_run(code, &from, 1, &to);
    tensor_forget(p);
    return rc;
}

/* Does the program with one edit compute these numbers? */
static void gives(struct tensor_program *p, struct edit e, const float want[8], const char *what)
{
    float out[8];
    struct edits list = of(&e, 1);
    EXPECT(tensor_applies(p, &list) && run(p, &list, out) == 0, "%s: applies", what);
    for (int i = 0; i < 8; i++)
        EXPECT(out[i] >= want[i] && out[i] <= want[i], "%s: %d: %g", what, i, (double)out[i]);
    edits_free(&list);
}

/* A seed with which the edit is told by these words */
static uint32_t seed_for(struct tensor_program *p, struct edit e, const char *words)
{
    for (e.seed = 0; e.seed < 1000; e.seed++) {
        char *step = NULL;
        struct edits list = of(&e, 1);
        const int found = tensor_steps(p, &list, &step) == 0 && strstr(step, words) != NULL;
        free(step);
        edits_free(&list);
        if (found)
            return e.seed;
    }
    EXPECT(0, "no seed for: %s", words);
    return 0;
}

/* An edit that is told by these words gives these numbers. */
static void tells_and_gives(struct tensor_program *p, struct edit e, const char *words,
                            const float want[8])
{
    e.seed = seed_for(p, e, words);
    gives(p, e, want, words);
}

/* x * w is (-23, -32), (4, 4), (31, 40), (58, 76), row by row. */
static void each_edit(void)
{
    static const struct edits none;
    static const float as_it_is[8] = {1, 1, 8, 8, 62, 80, 116, 152};
    static const float without_max[8] = {-46, -64, 8, 8, 62, 80, 116, 152};
    static const float max_alone[8] = {0.5f, 0.5f, 4, 4, 31, 40, 58, 76};
    static const float from_5[8] = {10, 10, 10, 10, 62, 80, 116, 152};
    static const float from_0[8] = {0, 0, 8, 8, 62, 80, 116, 152};
    static const float half[8] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    static const float one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const float both[8] = {-22.5f, -31.5f, 8, 8, 62, 80, 116, 152};
    struct tensor_program *p = open_text(usual, NULL);
    float out[8];
    REQUIRE(p != NULL && run(p, &none, out) == 0);
    CHECK(memcmp(out, as_it_is, sizeof out) == 0);
    tells_and_gives(p, (struct edit){OP_DELETE, 0, 6, 0, 0}, "; instead 5: linalg.matmul, 4 x 2",
                    without_max);
    tells_and_gives(p, (struct edit){OP_DELETE, 0, 7, 0, 0},
                    "; instead 6: linalg.elemwise_binary, 4 x 2", max_alone);
    tells_and_gives(p, (struct edit){OP_COPY, 0, 5, 7, 0}, ", as operand 0 of 7: linalg.elem",
                    both);
    tells_and_gives(p, (struct edit){OP_COPY, 0, 5, 7, 0}, ", as operand 0 of the result",
                    (const float[8]){-23, -32, 4, 4, 31, 40, 58, 76});
    tells_and_gives(p, (struct edit){OP_MOVE, 0, 6, 5, 0}, "; instead 2: arith.constant", one);
    tells_and_gives(p, (struct edit){OP_SWAP, 0, 5, 6, 0}, "; instead 3: arith.constant", one);
    tells_and_gives(p, (struct edit){OP_REPLACE, 0, 7, 2, 0}, "by a copy of (2: arith", half);
    tells_and_gives(p, (struct edit){OP_OPERAND, 1, 6, 0, 0}, "; instead 3: arith.constant",
                    from_0);
    tells_and_gives(p, (struct edit){OP_CONSTANT, 0, 2, 0, 0}, ", 0.5 becomes 5", from_5);
    tells_and_gives(p, (struct edit){OP_DELETE, 0, 5, 0, 0},
                    "; instead input 1, 4 x 3, sliced to 4 x 2",
                    (const float[8]){1, 1, 1, 1, 4, 6, 10, 12});
    tensor_close(p);
}

static void what_does_not_apply(void)
{
    static const struct edit wrong[] = {
        {OP_DELETE, 0, 0, 0, 1},   {OP_DELETE, 0, 8, 0, 1},   {OP_COPY, 0, 1, 9, 1},
        {OP_MOVE, 0, 5, 5, 1},     {OP_MOVE, 0, 5, 6, 1},     {OP_MOVE, 0, 5, 0, 1},
        {OP_REPLACE, 0, 5, 5, 1},  {OP_SWAP, 0, 5, 5, 1},     {OP_OPERAND, 3, 6, 0, 1},
        {OP_CONSTANT, 0, 1, 0, 1}, {OP_CONSTANT, 0, 5, 0, 1}, {OP_ALL, 0, 5, 0, 1}};
    struct tensor_program *p = open_text(usual, NULL);
    REQUIRE(p != NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        enum outcome why = OUTCOME_VALID;
        char *step = NULL;
        struct edits list = of(&wrong[i], 1);
        EXPECT(!tensor_applies(p, &list), "edit %zu", i);
        EXPECT(tensor_compile(p, &list, &why) == NULL && why == OUTCOME_INAPPLICABLE, "%zu", i);
        EXPECT(tensor_steps(p, &list, &step) == -1, "steps of %zu", i);
        edits_free(&list);
    }
    tensor_close(p);
}

/* ---- many edits ---- */

static struct edits random_list(struct tensor_program *p, uint64_t *random, size_t n)
{
    struct edits list = {0};
    struct edit e;
    while (list.n < n) {
        CHECK_EQ(tensor_propose(p, &list, random, &e), 0);
        edits_add(&list, &e);
    }
    return list;
}

/* A list means one program; without some of its edits it may not apply, but what applies
   verifies. */
static void check_list(struct tensor_program *p, const struct edits *list, uint64_t *random)
{
    struct buf once = {0}, again = {0}, less = {0};
    struct edits shorter = {0};
    CHECK_EQ(tensor_emit(p, list, &once), 0);
    CHECK_EQ(tensor_emit(p, list, &again), 0);
    CHECK(once.s != NULL && again.s != NULL && strcmp(once.s, again.s) == 0);
    edits_copy(&shorter, list);
    edits_drop(&shorter, (size_t)(num_draw(random) % list->n));
    CHECK_EQ(tensor_emit(p, &shorter, &less) == 0, tensor_applies(p, &shorter));
    edits_free(&shorter);
    buf_free(&once);
    buf_free(&again);
    buf_free(&less);
}

static void random_lists(void)
{
    struct tensor_program *p = open_text(usual, NULL);
    uint64_t random = 7;
    size_t of_op[OP_ALL] = {0};
    REQUIRE(p != NULL);
    for (size_t turn = 0; turn < 300; turn++) {
        struct edits list = random_list(p, &random, 1 + turn % 8);
        for (size_t i = 0; i < list.n; i++)
            of_op[list.v[i].op]++;
        check_list(p, &list, &random);
        edits_free(&list);
    }
    for (int op = 0; op < OP_ALL; op++)
        EXPECT(of_op[op] > 40, "%s: %zu", edit_operators.v[op], of_op[op]);
    tensor_close(p);
}

/* What is asked for again is there again, and what was changed meanwhile is not taken for it. */
static void again(void)
{
    struct tensor_program *p = open_text(usual, NULL);
    const struct edit e[2] = {{OP_REPLACE, 0, 7, 2, 0}, {OP_REPLACE, 0, 7, 3, 0}};
    struct edits half = of(&e[0], 1), zero = of(&e[1], 1);
    float out[8];
    REQUIRE(p != NULL);
    for (int turn = 0; turn < 3; turn++) {
        CHECK(run(p, &half, out) == 0 && out[0] == 0.5f && run(p, &half, out) == 0
              && out[7] == 0.5f);
        CHECK(run(p, &zero, out) == 0 && out[0] == 0 && out[7] == 0);
    }
    edits_free(&half);
    edits_free(&zero);
    tensor_close(p);
}

/* Code that stays, as the baseline's, is not disturbed by code that comes and goes. */
static void code_stays(void)
{
    static const struct edits none;
    struct tensor_program *p = open_text(usual, NULL);
    uint64_t random = 3;
    float in[12] = {1}, out[8];
    enum outcome why;
    REQUIRE(p != NULL);
    struct engine_tensor from = tensor_type(p).in[0], to = tensor_type(p).out;
    from.at = in;
    to.at = out;
    ev_kernel *base = tensor_compile(p, &none, &why);
    REQUIRE(base != NULL);
    for (int turn = 0; turn < 5; turn++) {
        struct edits list = random_list(p, &random, 3);
        CHECK(tensor_compile(p, &list, &why) != NULL);
        tensor_forget(p);
        CHECK(engine_run(base, &from, 1, &to) == 0 && out[0] == 2 && out[1] == 4 && out[2] == 1);
        edits_free(&list);
    }
    tensor_close(p);
}

int main(void)
{
    scratch_open();
    if (engine_open(&engine) != 0)
        return 1;
    RUN(reads);
    RUN(reads_tosa);
    RUN(messages);
    RUN(each_edit);
    RUN(what_does_not_apply);
    RUN(random_lists);
    RUN(again);
    RUN(code_stays);
    engine_close(engine);
    scratch_close();
    return test_end();
}

#else

static void program(void)
{
    test_skip("there is no MLIR");
}

int main(void)
{
    RUN(program);
    return test_end();
}
#endif
