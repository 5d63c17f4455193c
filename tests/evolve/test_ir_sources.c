/* test_ir_sources.c - where kernels come from, and messages about bad ones
   SPDX-License-Identifier: MIT */
#include "evolve/ir/module.h"
#include "evolve/ir/operators.h"
#include "ir_kernels.h"

#include <llvm-c/BitWriter.h>
#include <unistd.h>

static char folder[] = "/tmp/kpred-ir-XXXXXX"; /* main makes it */
static char path[64];                          /* of a file in it */

/* ---- messages ---- */

static char said[4096]; /* on standard error, by what was done last */

static const char *file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *written(const char *name, const char *text)
{
    FILE *f = fopen(file(name), "w");
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
    }
    return path;
}

/* ir_open, with what it says in `said` */
static int opens(const struct ir_source *source, const struct ir_passes *passes)
{
    struct ir *ir = NULL;
    FILE *messages = listen_to_stderr();
    const int status = ir_open(&ir, source, passes);
    take(messages, said, sizeof said);
    ir_close(ir);
    return status == 0;
}

/* Is it refused with one message, that has both words? */
static int refused(const char *name, const char *function, const char *word, const char *other)
{
    const struct ir_source source = {name, function, NULL, NULL, NULL, 0};
    const int is_open = opens(&source, &ir_baselines[0]);
    return !is_open && count_of(said, "\n") == 1 && strstr(said, word) && strstr(said, other);
}

static void functions(void)
{
    CHECK(refused(FIXTURE("branchy.c"), "nothing", "branchy.c", "no function nothing"));
    CHECK(strstr(said, "defined are: branchy") != NULL);
    CHECK(refused(FIXTURE("ops.ll"), "elsewhere", "ops.ll", "elsewhere is only declared"));
    CHECK(strstr(said, "defined are: f") != NULL);
}

static void bad_files(void)
{
    CHECK(refused("no/such.ll", "f", "no/such.ll", "No such file"));
    CHECK(refused("no/such.txt", "f", "no/such.txt", ".ll"));
    CHECK(refused(written("a.ll", "define void @f() {\n  %x = add i32 1\n}\n"), "f",
                  "a.ll:3:", "expected"));
    CHECK(refused(written("b.bc", "nothing of bitcode"), "f", "b.bc", "error"));
    CHECK(refused(written("c.ll", "define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n"
                                  "  %x = add i32 1, 2\n  ret i32 0\nb:\n  ret i32 %x\n}\n"),
                  "f", "c.ll", "verifier"));
    CHECK(refused(written("d.ll", "target triple = \"riscv64-unknown-linux\"\n"
                                  "define void @f() {\n  ret void\n}\n"),
                  "f", "d.ll", "riscv64"));
}

/* clang says what it has to say, and then there is one line. */
static void bad_c(void)
{
    const struct ir_source source = {
        written("e.c", "void f(void) { g }\n"), "f", NULL, NULL, NULL, 0};
    CHECK(!opens(&source, &ir_baselines[0]));
    CHECK(strstr(said, "undeclared identifier") != NULL);
    CHECK(strstr(said, "refused it, with status 1\n") != NULL);
}

/* A bitcode is read, and one that is cut is refused. */
static void bitcode(void)
{
    struct ir *ir = kernel_of(FIXTURE("ops.ll"), "f", &ir_unoptimised);
    REQUIRE(ir != NULL);
    LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(ir->module);
    const size_t n = LLVMGetBufferSize(bits);
    char *copy = xmalloc(n);
    memcpy(copy, LLVMGetBufferStart(bits), n);
    FILE *f = fopen(file("whole.bc"), "w");
    CHECK(f != NULL && fwrite(copy, 1, n, f) == n && fclose(f) == 0);
    const struct ir_source source = {path, "f", NULL, NULL, NULL, 0};
    CHECK(opens(&source, &ir_baselines[0]));
    f = fopen(file("cut.bc"), "w");
    CHECK(f != NULL && fwrite(copy, 1, n / 2, f) == n / 2 && fclose(f) == 0);
    CHECK(refused(path, "f", "cut.bc", "error"));
    free(copy);
    LLVMDisposeMemoryBuffer(bits);
    ir_close(ir);
}

/* ---- bitcode of another version ---- */

static unsigned bits_at(const unsigned char *bytes, size_t at)
{
    unsigned value = 0;
    for (unsigned i = 0; i < 6; i++)
        value |= (unsigned)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}

static void flip(unsigned char *bytes, size_t at, unsigned from, unsigned to)
{
    for (unsigned i = 0; i < 6; i++)
        if ((from ^ to) >> i & 1)
            bytes[(at + i) / 8] ^= (unsigned char)(1 << (at + i) % 8);
}

/* The producer's name is written in six bits for each letter: a-z, A-Z, 0-9. LLVM1x becomes LLVM1y.
   0 if it is not found. */
static int change_version(unsigned char *bytes, size_t n)
{
    enum { L = 37, V = 47, M = 38, ONE = 53, SIX = 58, NINE = 61 };
    static const unsigned name[] = {L, L, V, M, ONE, SIX};
    for (size_t at = 0; at + 36 <= n * 8; at++) {
        size_t k = 0;
        while (k < 6 && bits_at(bytes, at + 6 * k) == name[k])
            k++;
        if (k == 6) {
            flip(bytes, at + 30, SIX, NINE);
            return 1;
        }
    }
    return 0;
}

/* Of the damages of such a bitcode some are told as what LLVM 19 wrote, and all by one message: a
   newer version writes what looks like them. */
static void other_versions(void)
{
    int n_told = 0;
    struct ir *ir = kernel_of(FIXTURE("mix.c"), "mix", &ir_baselines[0]);
    REQUIRE(ir != NULL);
    LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(ir->module);
    const size_t n = LLVMGetBufferSize(bits);
    unsigned char *copy = xmalloc(n);
    memcpy(copy, LLVMGetBufferStart(bits), n);
    CHECK(change_version(copy, n));
    for (size_t i = 100; i < n; i += n / 60) {
        copy[i] ^= 0x15;
        FILE *f = fopen(file("other.bc"), "w");
        CHECK(f != NULL && fwrite(copy, 1, n, f) == n && fclose(f) == 0);
        const struct ir_source source = {path, "mix", NULL, NULL, NULL, 0};
        CHECK(opens(&source, &ir_unoptimised) || count_of(said, program_name) == 1);
        n_told += strstr(said, "other.bc: it is of LLVM 19, and this is LLVM 16") != NULL;
        copy[i] ^= 0x15;
    }
    CHECK(n_told > 5);
    free(copy);
    LLVMDisposeMemoryBuffer(bits);
    ir_close(ir);
}

/* What a kernel calls has to be there; its author is told. */
static void missing_symbols(void)
{
    const struct edits none = {NULL, 0, 0};
    enum outcome why = OUTCOME_VALID;
    struct ir *ir = kernel_of(written("i.c", "void nowhere(void); void f(void) { nowhere(); }\n"),
                              "f", &ir_baselines[0]);
    REQUIRE(ir != NULL);
    CHECK(ir_compile(ir, &none, &why) == NULL && why == OUTCOME_UNCOMPILED);
    CHECK(strstr(ir_why(ir), "nowhere") != NULL);
    ir_close(ir);
}

/* What is forgotten is what the last list became, and nothing if it became nothing. */
static void forgetting(void)
{
    struct edit absent = {0, 0, 999, 0, 0};
    const struct edits none = {NULL, 0, 0}, bad = {&absent, 1, 1};
    enum outcome why = OUTCOME_VALID;
    struct ir *ir =
        kernel_of(written("i.c", "int f(int x) { return 3 * x; }\n"), "f", &ir_baselines[0]);
    REQUIRE(ir != NULL);
    int (*first)(int) = (int (*)(int))ir_compile(ir, &none, &why);
    REQUIRE(first != NULL);
    CHECK(ir_compile(ir, &bad, &why) == NULL && why == OUTCOME_INAPPLICABLE);
    ir_forget(ir);
    CHECK_EQ(first(5), 15);
    int (*second)(int) = (int (*)(int))ir_compile(ir, &none, &why);
    REQUIRE(second != NULL);
    CHECK(second != first && second(2) == 6);
    ir_forget(ir);
    CHECK_EQ(first(7), 21);
    int (*soon)(int) = (int (*)(int))ir_compile_soon(ir, &none, &why);
    REQUIRE(soon != NULL);
    CHECK(soon != first && soon(8) == 24);
    CHECK(ir_compile_soon(ir, &bad, &why) == NULL && why == OUTCOME_INAPPLICABLE);
    ir_close(ir);
}

/* libgcc, which takes memory without a look, is not told of the frames of a kernel. */
struct bases {
    void *text, *data, *function;
};
const void *_Unwind_Find_FDE(void *at, struct bases *bases);

static void no_frames(void)
{
    const struct edits none = {NULL, 0, 0};
    enum outcome why = OUTCOME_VALID;
    struct bases bases;
    char *code = NULL;
    struct ir *ir =
        kernel_of(written("i.c", "int f(int x) { return 3 * x; }\n"), "f", &ir_baselines[0]);
    REQUIRE(ir != NULL);
    ev_kernel *kernel = ir_compile(ir, &none, &why);
    REQUIRE(kernel != NULL);
    memcpy(&code, &kernel, sizeof code);
    CHECK(_Unwind_Find_FDE(code + 1, &bases) == NULL);
    ir_close(ir);
}

/* ---- what is made of them ---- */

static void flags(void)
{
    static const char *const defines[] = {"-DNAME=twice", NULL};
    const char *code = written("g.c", "float NAME(float x) { return x + x * x; }\n");
    const struct ir_source source = {code, "twice", NULL, NULL, defines, 0};
    const struct ir_source without = {code, "twice", NULL, NULL, NULL, 0};
    CHECK(opens(&source, &ir_baselines[4]));
    CHECK(!opens(&without, &ir_baselines[4]));
}

static void natives(void)
{
    const struct edits none = {NULL, 0, 0};
    struct ir *native = kernel_of(FIXTURE("ops.ll"), "f", &ir_baselines[4]);
    struct ir *plain = kernel_of(FIXTURE("ops.ll"), "f", &ir_baselines[2]);
    REQUIRE(native != NULL && plain != NULL);
    char *text = emitted(native, &none, IR_TEXT, NULL),
         *other = emitted(plain, &none, IR_TEXT, NULL);
    CHECK(strstr(text, "\"target-cpu\"=") && strstr(text, "\"target-features\"="));
    CHECK(strstr(other, "\"target-cpu\"=") == NULL);
    free(text);
    free(other);
    ir_close(native);
    ir_close(plain);
}

/* A loop and a chain of a kind that vectorisers take: the scalar baselines have no vector, and the
   attribute that keeps these out is gone. One that the source has stays. */
static void scalars(void)
{
    static const char code[] =
        "void f(float *restrict x, const float *restrict y, int n)\n"
        "{\n    for (int i = 0; i < n; i++)\n        x[i] += y[i];\n"
        "    x[0] = y[0] * 2; x[1] = y[1] * 2; x[2] = y[2] * 2; x[3] = y[3] * 2;\n}\n";
    const struct edits none = {NULL, 0, 0};
    for (size_t i = 0; i < IR_BASELINES; i++) {
        struct ir *ir = kernel_of(written("i.c", code), "f", &ir_baselines[i]);
        REQUIRE(ir != NULL);
        char *text = emitted(ir, &none, IR_TEXT, NULL);
        CHECK_OF((strstr(text, " x float>") != NULL) == ir_baselines[i].vectorises,
                 ir_baselines[i].name);
        CHECK(strstr(text, "noimplicitfloat") == NULL && strstr(text, "kpred-scalar") == NULL);
        free(text);
        ir_close(ir);
    }
    struct ir *ir = kernel_of(
        written("j.ll", "define float @f(float %x) noimplicitfloat {\n  ret float %x\n}\n"), "f",
        &ir_baselines[3]);
    REQUIRE(ir != NULL);
    char *text = emitted(ir, &none, IR_TEXT, NULL);
    CHECK(strstr(text, "noimplicitfloat") != NULL);
    free(text);
    ir_close(ir);
}

/* IR of clang -O0 asks for no passes; the baselines run them. */
static void untouched(void)
{
    const struct edits none = {NULL, 0, 0};
    struct ir *ir = kernel_of(written("j.ll", "define i32 @f(i32 %x) noinline optnone {\n"
                                              "  %a = alloca i32\n  store i32 %x, ptr %a\n"
                                              "  %b = load i32, ptr %a\n  ret i32 %b\n}\n"),
                              "f", &ir_baselines[2]);
    REQUIRE(ir != NULL);
    char *text = emitted(ir, &none, IR_TEXT, NULL);
    CHECK(strstr(text, "ret i32 %x") != NULL && strstr(text, "optnone") == NULL);
    free(text);
    ir_close(ir);
}

static void hashes(void)
{
    char hash[3][65];
    for (int i = 0; i < 3; i++) {
        struct ir *ir = kernel_of(FIXTURE("mix.c"), "mix", &ir_baselines[i == 2 ? 0 : 2]);
        REQUIRE(ir != NULL);
        ir_hash(ir, hash[i]);
        ir_close(ir);
    }
    CHECK_TEXT(hash[0], hash[1]);
    CHECK(strlen(hash[0]) == 64);
}

/* A variant for a library has its own name, and shows nothing else. */
static void names(void)
{
    const struct edits none = {NULL, 0, 0};
    const char *code = written("h.c", "int state; void other(void) { state++; }\n"
                                      "int f(int x) { state += x; return state; }\n");
    struct ir *ir = kernel_of(code, "f", &ir_baselines[2]);
    REQUIRE(ir != NULL);
    char *text = emitted(ir, &none, IR_ASSEMBLY, "f_variant_3");
    CHECK(strstr(text, ".globl\tf_variant_3") != NULL);
    CHECK_EQ(count_of(text, ".globl"), 1);
    free(text);
    text = emitted(ir, &none, IR_OBJECT, NULL);
    CHECK(strncmp(text, "\177ELF", 4) == 0);
    free(text);
    CHECK_EQ(ir_emit(ir, &none, IR_OBJECT, "other", &(struct buf){0}), -1);
    CHECK_EQ(ir_emit(ir, &none, IR_CODE_OBJECT, NULL, &(struct buf){0}), -1);
    ir_close(ir);
}

int main(void)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    RUN(functions);
    RUN(bad_files);
    RUN(bad_c);
    RUN(bitcode);
    RUN(other_versions);
    RUN(missing_symbols);
    RUN(forgetting);
    RUN(no_frames);
    RUN(flags);
    RUN(natives);
    RUN(scalars);
    RUN(untouched);
    RUN(hashes);
    RUN(names);
    static const char *const made[] = {"a.ll", "b.bc", "c.ll", "d.ll",     "e.c",    "g.c",
                                       "h.c",  "i.c",  "j.ll", "whole.bc", "cut.bc", "other.bc"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        unlink(file(made[i]));
    return test_end() || rmdir(folder) != 0;
}
