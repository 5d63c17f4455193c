/* test_tensor.c - MLIR modules as programs: what is read and what is refused, what each edit does,
   that random lists of edits verify, the engine that compiles them, and how a tensor takes another
   shape
   SPDX-License-Identifier: MIT */
#include "told.h"

#ifdef HAVE_MLIR
#include "evolve/tensor/parts.h"
#include "evolve/tensor/tensor.h"

#include "base/numbers.h"
#include "base/util.h"

static struct engine *engine;
static struct tensor_program *p; /* the usual one */

static struct tensor_program *open_text(const char *text, const char *function)
{
    struct tensor_program *opened = NULL;
    put_text("f.mlir", "%s", text);
    tensor_open(&opened, engine, "f.mlir", function);
    return opened;
}

#define TENSOR "tensor<4x2xf32>"
#define BINARY(fun, operands)                                                              \
    "linalg.elemwise_binary {fun = #linalg.binary_fn<" fun ">} ins(" operands " : " TENSOR \
    ", " TENSOR ") outs(%e : " TENSOR ") -> " TENSOR "\n"

/* 1, 2, 3: constants, 4: an empty tensor, 5: matmul, 6: max, 7: add */
static const char usual[] =
    "func.func @f(%x: tensor<4x3xf32>) -> " TENSOR " {\n"
    "  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>\n"
    "  %half = arith.constant dense<0.5> : " TENSOR "\n"
    "  %z = arith.constant dense<0.0> : " TENSOR "\n"
    "  %e = tensor.empty() : " TENSOR "\n"
    "  %m = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%z : " TENSOR
    ") -> " TENSOR "\n"
    "  %r = " BINARY("max_signed",
                     "%m, %half") "  %s = " BINARY("add", "%r, %r") "  return %s : " TENSOR "\n}\n";

/* ---- reading ---- */

static void reads(void)
{
    const struct tensor_type type = p->type;
    CHECK_TEXT(tensor_function(p), "f");
    CHECK_EQ(p->n, 7);
    CHECK_EQ(type.n_in, 1);
    CHECK(type.in[0].rank == 2 && type.in[0].size[0] == 4 && type.in[0].size[1] == 3);
    CHECK(type.out.rank == 2 && type.out.size[0] == 4 && type.out.size[1] == 2);
}

static void reads_tosa(void)
{
    struct buf *text = new_text();
    struct tensor_program *tosa = open_text(
        "func.func @g(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {\n"
        "  %y = \"tosa.clamp\"(%x) {min_fp = 0.0 : f32, max_fp = 6.0 : f32, min_int = 0 : i64, "
        "max_int = 6 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>\n"
        "  return %y : tensor<4x3xf32>\n}\n",
        "g");
    REQUIRE(tosa != NULL);
    mlirOperationPrint(mlirModuleGetOperation(tosa->module), ref_add, text);
    CHECK(strstr(text->s, "tosa") == NULL && strstr(text->s, "arith.maxf") != NULL);
    tensor_close(tosa);
}

#define F(type)   "func.func @f(%x: " type ") -> " type " {\n"
#define END(type) "  return %x : " type "\n}\n"
#define FOUR      "tensor<4xf32>"

static void messages(void)
{
    static const struct {
        const char *text, *function, *message;
    } all[] = {
        {"func.func @f(\n", NULL, "f.mlir:1:"},
        {F(FOUR) "  return\n}\n", NULL, ":2:3: 'func.return' op has 0 operands"},
        {F("f32") "  %y = arith.addf %x, %z : f32\n  return %y : f32\n}\n", NULL,
         "f.mlir:2:23: use of undeclared SSA value name"},
        {F(FOUR) "  \"no.such\"(%x) : (" FOUR ") -> ()\n" END(FOUR), NULL,
         "f.mlir:2:12: operation being parsed with an unregistered dialect"},
        {"module {}\n", NULL, ": has no function"},
        {usual, "g", ": has no function \"g\""},
        {F(FOUR) END(FOUR) "func.func @g(%x: " FOUR ") -> " FOUR " {\n" END(FOUR), NULL,
         ": has 2 functions: --function names one"},
        {"func.func private @f(" FOUR ") -> " FOUR "\n", NULL, ":1: \"func.func\" has no body"},
        {F(FOUR) "  cf.br ^a\n^a:\n" END(FOUR), NULL, ":1: \"func.func\" has more than one block"},
        {F("f32") END("f32"), NULL, ":1: \"func.func\" is not of one to three tensors"},
        {F("tensor<?xf32>") END("tensor<?xf32>"), NULL, "whose sizes are known"},
        {F("tensor<4xf64>") END("tensor<4xf64>"), NULL, "tensors of f32"},
        {"func.func @f(%x: " FOUR ") {\n  return\n}\n", NULL, "is not of one to three"},
        {F(FOUR) "\n  %m = memref.alloc() : memref<4xf32>\n" END(FOUR), NULL,
         ":3: \"memref.alloc\" is not one of arith, linalg, math, tensor and tosa"},
        {F(FOUR) "  %y = call @f(%x) : (" FOUR ") -> " FOUR "\n" END(FOUR), NULL,
         ":2: \"func.call\" is not one of arith"},
        {F(FOUR) END(FOUR), NULL, ": f has no operation to be edited"}};
    struct tensor_program *no = NULL;
    CHECK_EQ(tensor_open(&no, engine, "/no/such/file.mlir", NULL), -1);
    CHECK(was_told("/no/such/file.mlir"));
    for (size_t i = 0; i < COUNT(all); i++) {
        no = open_text(all[i].text, all[i].function);
        EXPECT(no == NULL && was_told(all[i].message), "not said: %.100s", all[i].message);
        tensor_close(no);
    }
}

/* ---- what edits do ---- */

/* What the edited program makes of -4, -3, ..., 7: eight numbers; 0, or -1 if it does not apply */
static int run(const struct edits *list, float out[8])
{
    float in[12];
    enum outcome why;
    struct engine_tensor from = p->type.in[0], to = p->type.out;
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

/* The edit with a seed with which it is told by these words */
static const struct edits *told_by(const char *edit, const char *words)
{
    struct edits *list = list_of(edit);
    for (; list->v[0].seed < 1000; list->v[0].seed++) {
        struct edit_step step = {0};
        const int found = tensor_steps(p, list, &step) == 0 && has(step.what, words);
        edit_steps_free(&step, 1);
        if (found)
            return list;
    }
    EXPECT(0, "no seed for: %s", words);
    return list;
}

/* x * w is (-23, -32), (4, 4), (31, 40), (58, 76), row by row. */
static void each_edit(void)
{
    static const struct {
        const char *edit, *words;
        float want[8];
    } all[] = {
        {"delete 6 0 0 0", "; instead 5: linalg.matmul, 4 x 2", {-46, -64, 8, 8, 62, 80, 116, 152}},
        {"delete 7 0 0 0",
         "; instead 6: linalg.elemwise_binary, 4 x 2",
         {.5f, .5f, 4, 4, 31, 40, 58, 76}},
        {"copy 5 7 0 0",
         ", as operand 0 of 7: linalg.elem",
         {-22.5f, -31.5f, 8, 8, 62, 80, 116, 152}},
        {"copy 5 7 0 0", ", as operand 0 of the result", {-23, -32, 4, 4, 31, 40, 58, 76}},
        {"move 6 5 0 0", "; instead 2: arith.constant", {1, 1, 1, 1, 1, 1, 1, 1}},
        {"swap 5 6 0 0", "; instead 3: arith.constant", {1, 1, 1, 1, 1, 1, 1, 1}},
        {"replace 7 2 0 0", "by a copy of (2: arith", {.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f}},
        {"operand 6 0 1 0", "; instead 3: arith.constant", {0, 0, 8, 8, 62, 80, 116, 152}},
        {"constant 2 0 0 0", ", 0.5 becomes 5", {10, 10, 10, 10, 62, 80, 116, 152}},
        {"delete 5 0 0 0",
         "; instead input 1, 4 x 3, sliced to 4 x 2",
         {1, 1, 1, 1, 4, 6, 10, 12}}};
    static const float as_it_is[8] = {1, 1, 8, 8, 62, 80, 116, 152};
    float out[8];
    REQUIRE(run(&edits_none, out) == 0);
    CHECK(memcmp(out, as_it_is, sizeof out) == 0);
    for (size_t i = 0; i < COUNT(all); i++) {
        const struct edits *list = told_by(all[i].edit, all[i].words);
        EXPECT(tensor_applies(p, list) && run(list, out) == 0, "%s applies", all[i].edit);
        for (int k = 0; k < 8; k++)
            EXPECT(out[k] >= all[i].want[k] && out[k] <= all[i].want[k], "%s: %d: %g", all[i].words,
                   k, (double)out[k]);
    }
}

static void what_does_not_apply(void)
{
    static const char *const wrong[] = {"delete 0 0 0 1",   "delete 8 0 0 1",   "copy 1 9 0 1",
                                        "move 5 5 0 1",     "move 5 6 0 1",     "move 5 0 0 1",
                                        "replace 5 5 0 1",  "swap 5 5 0 1",     "operand 6 0 3 1",
                                        "constant 1 0 0 1", "constant 5 0 0 1", "delete 5 0 0 1"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        enum outcome why = OUTCOME_VALID;
        struct edit_step step = {0};
        struct edits *list = list_of(wrong[i]);
        if (i + 1 == COUNT(wrong))
            list->v[0].op = OP_ALL; /* which is no operator */
        EXPECT(!tensor_applies(p, list), "%s", wrong[i]);
        EXPECT(tensor_compile(p, list, &why) == NULL && why == OUTCOME_INAPPLICABLE, "%s",
               wrong[i]);
        EXPECT(tensor_steps(p, list, &step) == -1, "steps of %s", wrong[i]);
    }
}

/* ---- many edits ---- */

static struct edits random_list(uint64_t *random, size_t n)
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
static void check_list(const struct edits *list, uint64_t *random)
{
    struct buf *once = new_text(), *again = new_text(), *less = new_text();
    struct edits shorter = {0};
    CHECK_EQ(tensor_emit(p, list, once), 0);
    CHECK_EQ(tensor_emit(p, list, again), 0);
    CHECK(once->s != NULL && again->s != NULL && strcmp(once->s, again->s) == 0);
    edits_copy(&shorter, list);
    edits_drop(&shorter, (size_t)(num_draw(random) % list->n));
    CHECK_EQ(tensor_emit(p, &shorter, less) == 0, tensor_applies(p, &shorter));
    edits_free(&shorter);
}

static void random_lists(void)
{
    uint64_t random = 7;
    size_t of_op[OP_ALL] = {0};
    for (size_t turn = 0; turn < 200; turn++) {
        struct edits list = random_list(&random, 1 + turn % 8);
        for (size_t i = 0; i < list.n; i++)
            of_op[list.v[i].op]++;
        check_list(&list, &random);
        edits_free(&list);
    }
    for (int op = 0; op < OP_ALL; op++)
        EXPECT(of_op[op] > 25, "%s: %zu", edit_operators.v[op], of_op[op]);
}

/* What is asked for again is there again, and what was changed meanwhile is not taken for it. */
static void again(void)
{
    const struct edits *half = list_of("replace 7 2 0 0"), *zero = list_of("replace 7 3 0 0");
    float out[8];
    for (int turn = 0; turn < 3; turn++) {
        CHECK(run(half, out) == 0 && out[0] == 0.5f && run(half, out) == 0 && out[7] == 0.5f);
        CHECK(run(zero, out) == 0 && out[0] == 0 && out[7] == 0);
    }
}

/* Code that stays, as the baseline's, is not disturbed by code that comes and goes. */
static void code_stays(void)
{
    uint64_t random = 3;
    float in[12] = {1}, out[8];
    enum outcome why;
    struct engine_tensor from = p->type.in[0], to = p->type.out;
    from.at = in;
    to.at = out;
    ev_kernel *base = tensor_compile(p, &edits_none, &why);
    REQUIRE(base != NULL);
    for (int turn = 0; turn < 5; turn++) {
        struct edits list = random_list(&random, 3);
        CHECK(tensor_compile(p, &list, &why) != NULL);
        tensor_forget(p);
        CHECK(engine_run(base, &from, 1, &to) == 0 && out[0] == 2 && out[1] == 4 && out[2] == 1);
        edits_free(&list);
    }
}

/* ---- the engine that compiles them ---- */

static struct engine_code *compile(const char *text, const char *function)
{
    struct engine_code *code = NULL;
    MlirModule module = engine_parse(engine, "m.mlir", text, strlen(text));
    if (mlirModuleIsNull(module))
        return NULL;
    const int rc = engine_build(engine, "m.mlir", module, function, &code);
    CHECK_EQ(rc, code != NULL ? 0 : -1);
    mlirModuleDestroy(module);
    return code;
}

/* The largest of n equal numbers, by way of a tensor that has them */
static struct engine_code *compile_large(long n)
{
    char text[1000];
    snprintf(text, sizeof text,
             "func.func @large(%%x: tensor<1xf32>) -> tensor<1xf32> "
             "attributes {llvm.emit_c_interface} {\n"
             "  %%e = tensor.empty() : tensor<1x%ldxf32>\n"
             "  %%l = linalg.broadcast ins(%%x : tensor<1xf32>) outs(%%e : tensor<1x%ldxf32>) "
             "dimensions = [1]\n"
             "  %%s = linalg.reduce {arith.maxf} ins(%%l : tensor<1x%ldxf32>) "
             "outs(%%x : tensor<1xf32>) dimensions = [1]\n"
             "  return %%s : tensor<1xf32>\n"
             "}\n",
             n, n, n);
    return compile(text, "large");
}

/* Tensors that the arena does not hold are a message; it holds others as often as they come. */
static void arena(void)
{
    struct engine_code *large = compile_large(20000000), *fits = compile_large(4000000);
    float in = 3, out = 0;
    const struct engine_tensor from = {&in, 1, {1}}, to = {&out, 1, {1}};
    REQUIRE(large != NULL && fits != NULL);
    CHECK_EQ(engine_run(large->entry, &from, 1, &to), -1);
    CHECK_EQ(engine_tell_full("m.mlir"), -1);
    CHECK(was_told("m.mlir: needs more than 64 MB"));
    for (int turn = 0; turn < 6; turn++)
        CHECK_EQ(engine_run(fits->entry, &from, 1, &to), 0);
    CHECK(out == 3);
    engine_free(large);
    engine_free(fits);
}

/* Functions have up to three tensors, in their order. */
static void two(void)
{
    static const char text[] =
        "func.func @two(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> "
        "attributes {llvm.emit_c_interface} {\n"
        "  %s = tensor.extract_slice %y[1][2][1] : tensor<3xf32> to tensor<2xf32>\n"
        "  %e = tensor.empty() : tensor<2xf32>\n"
        "  %d = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} "
        "ins(%x, %s : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>\n"
        "  return %d : tensor<2xf32>\n"
        "}\n";
    struct engine_code *code = compile(text, "two");
    float x[2] = {10, 20}, y[3] = {1, 2, 3}, out[2] = {0};
    const struct engine_tensor in[2] = {{x, 1, {2}}, {y, 1, {3}}}, to = {out, 1, {2}};
    REQUIRE(code != NULL);
    CHECK_EQ(engine_run(code->entry, in, 2, &to), 0);
    CHECK(out[0] == 8 && out[1] == 17);
    engine_free(code);
}

/* A function of an operation that sums over its last loop, with those maps and that body */
static void orders(const char *maps, const char *b_type, const char *body, const char *want)
{
    struct buf *text = new_text(), *got = new_text();
    buf_printf(text,
               "func.func @f(%%a: tensor<4x5xf32>, %%b: %s, %%c: tensor<4x6xf32>) -> "
               "tensor<4x6xf32> {\n"
               "  %%r = linalg.generic {indexing_maps = [%s, affine_map<(m, n, k) -> (m, n)>], "
               "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
               "ins(%%a, %%b : tensor<4x5xf32>, %s) outs(%%c : tensor<4x6xf32>) {\n"
               "  ^bb0(%%x: f32, %%y: f32, %%z: f32):\n    %s\n    linalg.yield %%s : f32\n"
               "  } -> tensor<4x6xf32>\n  return %%r : tensor<4x6xf32>\n}\n",
               b_type, maps, b_type, body);
    MlirModule module = engine_parse(engine, "m.mlir", text->s, text->n);
    REQUIRE(!mlirModuleIsNull(module));
    loops_order(module);
    CHECK(mlirOperationVerify(mlirModuleGetOperation(module)));
    mlirOperationPrint(mlirModuleGetOperation(module), ref_add, got);
    EXPECT(strstr(got->s, want) != NULL, "%s: no %s", got->s, want);
    mlirModuleDestroy(module);
}

static void order(void)
{
    static const char product[] =
        "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>";
    static const char sum[] = "%s = arith.addf %x, %y : f32";
    static const char as_it_was[] = "[\"parallel\", \"parallel\", \"reduction\"]";
    orders(product, "tensor<5x6xf32>", sum, "[\"parallel\", \"reduction\", \"parallel\"]");
    orders(product, "tensor<5x6xf32>", sum, "#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>");
    orders("affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>", "tensor<6x5xf32>",
           sum, as_it_was);
    orders(product, "tensor<5x6xf32>",
           "%i = linalg.index 1 : index\n    %s = arith.addf %x, %y : f32", as_it_was);
}

/* Nothing is told where candidates are compiled. */
static void hushes(void)
{
    static const char good[] = "func.func @f(%x: f32) -> f32 {\n  return %x : f32\n}\n";
    CHECK(compile(good, "other") == NULL
          && was_told("m.mlir: there is no such function with llvm.emit_c_interface"));
    engine->is_quiet = 1;
    CHECK(compile("func.func @f() {\n  return 1\n}\n", "f") == NULL);
    CHECK(compile(good, "other") == NULL);
    engine->is_quiet = 0;
    CHECK_TEXT(told(), "");
}

/* MLIR's engine would write what it compiles into a folder of the user's, for perf. */
static void leaves_no_files(void)
{
    CHECK_EQ(rmdir("home"), 0);
    CHECK(getenv("JITDUMPDIR") == NULL);
}

/* ---- a tensor of each shape becomes one of each other shape ---- */

static const struct shape shapes[] = {
    {0, {0}},       {1, {1}},       {1, {3}},          {1, {6}},          {1, {12}},
    {1, {20}},      {2, {2, 3}},    {2, {3, 2}},       {2, {3, 4}},       {2, {4, 3}},
    {2, {2, 6}},    {2, {1, 3}},    {2, {5, 1}},       {3, {2, 3, 4}},    {3, {4, 2, 3}},
    {3, {1, 1, 3}}, {3, {5, 1, 2}}, {4, {2, 3, 4, 1}}, {4, {3, 2, 2, 2}}, {4, {1, 1, 1, 1}}};
enum { N_SHAPES = COUNT(shapes), MOST = 32 };

/* The index of each dimension of the element number `at` */
static void unfold(const struct shape *s, int64_t at, int64_t index[SHAPE_RANK])
{
    for (int i = s->rank - 1; i >= 0; i--) {
        index[i] = at % s->size[i];
        at /= s->size[i];
    }
}

/* -1 outside */
static int64_t fold(const struct shape *s, const int64_t index[SHAPE_RANK])
{
    int64_t at = 0;
    for (int i = 0; i < s->rank; i++) {
        if (index[i] >= s->size[i])
            return -1;
        at = at * s->size[i] + index[i];
    }
    return at;
}

enum rule { EQUAL, BROADCAST, TRANSPOSE, RESHAPE, FIT, ROW };

/* The dimension of `from` that each one of `to` is, or -1 for a new one */
static int is_broadcast(const struct shape *from, const struct shape *to, int of[SHAPE_RANK])
{
    int i = from->rank - 1;
    for (int j = to->rank - 1; j >= 0; j--) {
        of[j] = i >= 0 && from->size[i] == to->size[j] ? i : -1;
        i -= of[j] >= 0;
    }
    return i < 0 && to->rank > from->rank;
}

static int is_transposed(const struct shape *from, const struct shape *to, int of[SHAPE_RANK])
{
    unsigned taken = 0;
    for (int j = 0; j < to->rank; j++) {
        of[j] = -1;
        for (int i = 0; i < from->rank && of[j] < 0; i++)
            if (!(taken >> i & 1) && from->size[i] == to->size[j])
                of[j] = i;
        if (of[j] < 0)
            return 0;
        taken |= 1u << of[j];
    }
    return from->rank == to->rank;
}

static enum rule rule_of(const struct shape *from, const struct shape *to, int of[SHAPE_RANK])
{
    if (shape_equal(from, to))
        return EQUAL;
    if (is_broadcast(from, to, of))
        return BROADCAST;
    if (is_transposed(from, to, of))
        return TRANSPOSE;
    if (shape_count(from) == shape_count(to))
        return RESHAPE;
    return from->rank == to->rank ? FIT : ROW;
}

/* The element of `from` that is element `at` of `to`, or -1: 0 */
static int64_t source_of(const struct shape *from, const struct shape *to, int64_t at)
{
    int of[SHAPE_RANK];
    int64_t index[SHAPE_RANK], source[SHAPE_RANK] = {0};
    const enum rule rule = rule_of(from, to, of);
    unfold(to, at, index);
    switch (rule) {
    case EQUAL:
    case RESHAPE: return at;
    case ROW: return at < shape_count(from) ? at : -1;
    case FIT: return fold(from, index);
    default: break;
    }
    for (int j = 0; j < to->rank; j++)
        if (of[j] >= 0)
            source[of[j]] = index[j];
    return fold(from, source);
}

static void says(const struct shape *from, const struct shape *to, const char *want)
{
    struct buf *text = new_text(), *words = new_text();
    shape_change(from, to, text, words);
    CHECK_TEXT(words->s == NULL ? "" : words->s, want);
}

static void words(void)
{
    says(&shapes[6], &shapes[6], "");
    says(&shapes[2], &shapes[6], ", broadcast to 2 x 3");
    says(&shapes[6], &shapes[7], ", transposed to 3 x 2");
    says(&shapes[6], &shapes[3], ", flattened to 6");
    says(&shapes[8], &shapes[10], ", flattened to 12, reshaped to 2 x 6");
    says(&shapes[10], &shapes[8], ", flattened to 12, reshaped to 3 x 4");
    says(&shapes[8], &shapes[6], ", sliced to 2 x 3");
    says(&shapes[10], &shapes[9], ", flattened to 12, reshaped to 4 x 3");
    says(&shapes[12], &shapes[6], ", sliced to 2 x 1, padded to 2 x 3");
    says(&shapes[6], &shapes[5], ", flattened to 6, padded to 20");
    says(&shapes[6], &shapes[0], ", flattened to 6, sliced to 1, reshaped to a number");
}

static struct engine_tensor tensor(const struct shape *s, float *at)
{
    struct engine_tensor t = {at, s->rank, {0}};
    for (int i = 0; i < s->rank; i++)
        t.size[i] = (long)s->size[i];
    return t;
}

static int compute(const struct shape *from, const struct shape *to, float *in, float *out)
{
    struct buf *text = new_text();
    const struct engine_tensor a = tensor(from, in), b = tensor(to, out);
    shape_change(from, to, text, NULL);
    struct engine_code *code = compile(text->s, "change");
    const int rc = code == NULL ? -1 : engine_run(code->entry, &a, 1, &b);
    engine_free(code);
    return rc;
}

static void change(const struct shape *from, const struct shape *to)
{
    float in[MOST], out[MOST];
    struct buf *name = new_text();
    shape_words(from, name);
    buf_puts(name, " to ");
    shape_words(to, name);
    for (int i = 0; i < MOST; i++)
        in[i] = (float)(i + 1);
    EXPECT(compute(from, to, in, out) == 0, "%s", name->s);
    for (int64_t i = 0; i < shape_count(to); i++) {
        const int64_t source = source_of(from, to, i);
        EXPECT(out[i] == (source < 0 ? 0 : in[source]), "%s, element %d", name->s, (int)i);
    }
}

/* Of each rule, pair of ranks, and change of size, two are enough. */
static void pairs(void)
{
    static int seen[SHAPE_RANK + 1][SHAPE_RANK + 1][ROW + 1][3];
    for (int i = 0; i < N_SHAPES; i++)
        for (int k = 0; k < N_SHAPES; k++) {
            const struct shape *from = &shapes[i], *to = &shapes[k];
            const int64_t more = shape_count(to) - shape_count(from);
            int of[SHAPE_RANK];
            if (seen[from->rank][to->rank][rule_of(from, to, of)][(more > 0) + 2 * (more < 0)]++
                < 2)
                change(from, to);
        }
}

int main(void)
{
    told_begin();
    if (mkdir("home", 0700) != 0 || setenv("HOME", "home", 1) != 0 || engine_open(&engine) != 0)
        program_stop("an engine");
    if ((p = open_text(usual, NULL)) == NULL)
        program_stop("the usual program");
    RUN_ALL(reads, reads_tosa, messages, each_edit, what_does_not_apply, random_lists, again,
            code_stays, arena, two, order, hushes, leaves_no_files, words, pairs);
    tensor_close(p);
    engine_close(engine);
    return program_end();
}

#else

int main(void)
{
    return without_mlir();
}
#endif
