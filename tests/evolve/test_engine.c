/* test_engine.c - MLIR modules become code that computes what they say, or a message
   SPDX-License-Identifier: MIT */
#include "told.h"

#ifdef HAVE_MLIR
#include "evolve/tensor/engine.h"
#include "evolve/tensor/loops.h"
#include "evolve/tensor/ref.h"

static struct engine *engine;

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

static int call(const struct engine_code *code, const struct engine_tensor *from,
                const struct engine_tensor *to)
{
    return engine_run(engine_entry(code), from, 1, to);
}

/* max(x, 1) of 2 x 3 numbers, then both rows added, then 0.5 subtracted */
static const char folded[] =
    "func.func @folded(%x: tensor<2x3xf32>) -> tensor<3xf32> attributes {llvm.emit_c_interface} {\n"
    "  %one = arith.constant dense<1.0> : tensor<2x3xf32>\n"
    "  %half = arith.constant dense<-0.5> : tensor<3xf32>\n"
    "  %e = tensor.empty() : tensor<2x3xf32>\n"
    "  %f = tensor.empty() : tensor<3xf32>\n"
    "  %zero = arith.constant dense<0.0> : tensor<3xf32>\n"
    "  %m = linalg.elemwise_binary {fun = #linalg.binary_fn<max_signed>} "
    "ins(%x, %one : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) "
    "-> tensor<2x3xf32>\n"
    "  %s = linalg.reduce {arith.addf} ins(%m : tensor<2x3xf32>) outs(%zero : tensor<3xf32>) "
    "dimensions = [0]\n"
    "  %r = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} "
    "ins(%s, %half : tensor<3xf32>, tensor<3xf32>) outs(%f : tensor<3xf32>) -> tensor<3xf32>\n"
    "  return %r : tensor<3xf32>\n"
    "}\n";

static void computes(void)
{
    struct engine_code *code = compile(folded, "folded");
    float in[6] = {0, 2, 3, 4, 0, 6}, out[3];
    const struct engine_tensor from = {in, 2, {2, 3}}, to = {out, 1, {3}};
    REQUIRE(code != NULL);
    for (int turn = 0; turn < 3; turn++) {
        in[0] = (float)turn;
        CHECK_EQ(call(code, &from, &to), 0);
        CHECK(out[0] == (turn > 1 ? 2.0f : 1.0f) + 4 - 0.5f && out[1] == 2.5f && out[2] == 8.5f);
    }
    engine_free(code);
}

/* A slice whose rows lie apart is copied. */
static void copies(void)
{
    static const char text[] = "func.func @padded(%x: tensor<2x2xf32>) -> tensor<3x4xf32> "
                               "attributes {llvm.emit_c_interface} {\n"
                               "  %zero = arith.constant 0.0 : f32\n"
                               "  %p = tensor.pad %x low[1, 1] high[0, 1] {\n"
                               "  ^bb0(%r: index, %c: index):\n"
                               "    tensor.yield %zero : f32\n"
                               "  } : tensor<2x2xf32> to tensor<3x4xf32>\n"
                               "  return %p : tensor<3x4xf32>\n"
                               "}\n";
    static const float want[12] = {0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0};
    struct engine_code *code = compile(text, "padded");
    float in[4] = {1, 2, 3, 4}, out[12];
    const struct engine_tensor from = {in, 2, {2, 2}}, to = {out, 2, {3, 4}};
    REQUIRE(code != NULL);
    call(code, &from, &to);
    CHECK(memcmp(out, want, sizeof out) == 0);
    engine_free(code);
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
    CHECK_EQ(call(large, &from, &to), -1);
    CHECK_EQ(engine_tell_full("m.mlir"), -1);
    CHECK(was_told("m.mlir: needs more than 64 MB"));
    for (int turn = 0; turn < 6; turn++)
        CHECK_EQ(call(fits, &from, &to), 0);
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
    CHECK_EQ(engine_run(engine_entry(code), in, 2, &to), 0);
    CHECK(out[0] == 8 && out[1] == 17);
    engine_free(code);
}

/* A function of an operation that sums over its last loop, with those maps and that body */
static void orders(const char *maps, const char *b_type, const char *body, const char *want)
{
    struct buf text = {0}, got = {0};
    buf_printf(&text,
               "func.func @f(%%a: tensor<4x5xf32>, %%b: %s, %%c: tensor<4x6xf32>) -> "
               "tensor<4x6xf32> {\n"
               "  %%r = linalg.generic {indexing_maps = [%s, affine_map<(m, n, k) -> (m, n)>], "
               "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
               "ins(%%a, %%b : tensor<4x5xf32>, %s) outs(%%c : tensor<4x6xf32>) {\n"
               "  ^bb0(%%x: f32, %%y: f32, %%z: f32):\n    %s\n    linalg.yield %%s : f32\n"
               "  } -> tensor<4x6xf32>\n  return %%r : tensor<4x6xf32>\n}\n",
               b_type, maps, b_type, body);
    MlirModule module = engine_parse(engine, "m.mlir", text.s, text.n);
    REQUIRE(!mlirModuleIsNull(module));
    loops_order(module);
    CHECK(mlirOperationVerify(mlirModuleGetOperation(module)));
    mlirOperationPrint(mlirModuleGetOperation(module), ref_add, &got);
    EXPECT(strstr(got.s, want) != NULL, "%s: no %s", got.s, want);
    mlirModuleDestroy(module);
    buf_free(&text);
    buf_free(&got);
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

static void messages(void)
{
    static const struct {
        const char *text, *function, *message;
    } all[] = {
        {"func.func @f() {\n  return 1\n}\n", "f", "m.mlir:2:9: expected"},
        {"func.func @f(%x: f32) -> f32 {\n  %y = arith.addf %x, %z : f32\n  return %y : f32\n}\n",
         "f", "m.mlir:2:23: use of undeclared SSA value name"},
        {"func.func @f(%x: f32) -> f32 {\n\n  return\n}\n", "f", "m.mlir:3:3: 'func.return' op"},
        {"func.func @f(%x: f32) {\n  \"no.such\"(%x) : (f32) -> ()\n  return\n}\n", "f",
         "m.mlir:2:12: operation being parsed with an unregistered dialect"},
        {folded, "other", "m.mlir: there is no such function with llvm.emit_c_interface"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct engine_code *code = compile(all[i].text, all[i].function);
        EXPECT(code == NULL && was_told(all[i].message), "not said: %.100s", all[i].message);
        engine_free(code);
    }
}

/* Nothing is told where candidates are compiled. */
static void hushes(void)
{
    engine_hush(engine, 1);
    CHECK(compile("func.func @f() {\n  return 1\n}\n", "f") == NULL);
    CHECK(compile(folded, "other") == NULL);
    engine_hush(engine, 0);
    CHECK_TEXT(told(), "");
}

/* MLIR's engine would write what it compiles into a folder of the user's, for perf. */
static void leaves_no_files(void)
{
    CHECK_EQ(rmdir("home"), 0);
    CHECK(getenv("JITDUMPDIR") == NULL);
}

int main(void)
{
    told_begin();
    if (mkdir("home", 0700) != 0 || setenv("HOME", "home", 1) != 0 || engine_open(&engine) != 0)
        program_stop("an engine");
    RUN(computes);
    RUN(copies);
    RUN(arena);
    RUN(two);
    RUN(order);
    RUN(messages);
    RUN(hushes);
    RUN(leaves_no_files);
    engine_close(engine);
    return program_end();
}

#else

int main(void)
{
    return without_mlir();
}
#endif
