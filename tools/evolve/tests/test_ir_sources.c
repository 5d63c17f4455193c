/* test_ir_sources.c - where kernels come from, and messages about bad ones
   SPDX-License-Identifier: MIT */
#include "ir_kernels.h"

#include <llvm-c/BitWriter.h>

static const char *written(const char *name, const char *text)
{
    put_text(name, "%s", text);
    return name;
}

/* The kernel `f` of a text of C */
static struct ir *f_of(const char *text, const struct ir_passes *passes)
{
    return kernel_of(written("f.c", text), "f", passes);
}

static int opens(const char *file, const char *function, const char *const *flags,
                 const struct ir_passes *passes)
{
    struct ir *ir = NULL;
    const struct ir_source source = {.path = file, .function = function, .flags = flags};
    const int status = ir_open(&ir, &source, passes);
    ir_close(ir);
    return status == 0;
}

/* Is it refused with one message, that has these words? */
static int refused(const char *file, const char *function, const char *word, const char *other,
                   const char *more)
{
    told();
    const int is_open = opens(file, function, NULL, &ir_baselines[0]);
    const char *said = told();
    return !is_open && count_lines(said) == 1 && has(said, word) && has(said, other)
           && has(said, more);
}

static void bad_files(void)
{
    CHECK(refused("no/such.txt", "f", "no/such.txt", ".ll", ": its name ends with none of"));
    CHECK(refused(written("a.ll", "define void @f() {\n  %x = add i32 1\n}\n"), "f",
                  "a.ll:3:", "expected", ""));
    CHECK(refused(written("b.bc", "nothing of bitcode"), "f", "b.bc", "error", ""));
    CHECK(refused(written("d.ll", "target triple = \"riscv64-unknown-linux\"\n"
                                  "define void @f() {\n  ret void\n}\n"),
                  "f", "d.ll", "riscv64", ""));
    /* clang says what it has to say, and then there is one line. */
    CHECK(!opens(written("e.c", "void f(void) { g }\n"), "f", NULL, &ir_baselines[0]));
    const char *said = told();
    CHECK(has(said, "undeclared identifier") && has(said, "refused it, with status 1\n"));
}

static unsigned bits_at(const char *bytes, size_t at)
{
    unsigned value = 0;
    for (unsigned i = 0; i < 6; i++)
        value |= ((unsigned char)bytes[(at + i) / 8] >> (at + i) % 8 & 1u) << i;
    return value;
}

/* The producer's name is written in six bits for each letter: a-z, A-Z, 0-9. LLVM1x becomes LLVM19.
   0 if it is not found. */
static int change_version(struct buf *b)
{
    enum { L = 37, V = 47, M = 38, ONE = 53, SIX = 58, NINE = 61 };
    static const unsigned name[] = {L, L, V, M, ONE, SIX};
    for (size_t at = 0; at + 36 <= b->n * 8; at++) {
        size_t k = 0;
        while (k < 6 && bits_at(b->s, at + 6 * k) == name[k])
            k++;
        for (unsigned i = 0; k == 6 && i < 6; i++)
            if ((SIX ^ NINE) >> i & 1)
                b->s[(at + 30 + i) / 8] ^= (char)(1 << (at + 30 + i) % 8);
        if (k == 6)
            return 1;
    }
    return 0;
}

/* A bitcode is read, and one that is cut is refused. Of the damages of one by another version some
   are told as what LLVM 19 wrote, and all by one message: a newer version writes what looks like
   them. */
static void bitcode(void)
{
    int n_told = 0;
    struct buf *copy = new_text();
    struct ir *ir = kernel_of(FIXTURE("mix.c"), "mix", &ir_baselines[0]);
    LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(ir->module);
    buf_add(copy, LLVMGetBufferStart(bits), LLVMGetBufferSize(bits));
    LLVMDisposeMemoryBuffer(bits);
    ir_close(ir);
    put_bytes("whole.bc", copy->s, copy->n);
    CHECK(opens("whole.bc", "mix", NULL, &ir_baselines[0]));
    put_bytes("cut.bc", copy->s, copy->n / 2);
    CHECK(refused("cut.bc", "mix", "cut.bc", "error", ""));
    CHECK(change_version(copy));
    for (size_t i = 100; i < copy->n; i += copy->n / 60) {
        copy->s[i] ^= 0x15;
        put_bytes("other.bc", copy->s, copy->n);
        const int is_open = opens("other.bc", "mix", NULL, &ir_unoptimised);
        const char *said = told();
        CHECK(is_open || count_of(said, program_name) == 1);
        n_told += has(said, "other.bc: it is of LLVM 19, and this is LLVM 16");
        copy->s[i] ^= 0x15;
    }
    CHECK(n_told > 5);
}

/* What is forgotten is what the last list became, and nothing if it became nothing. */
static void forgetting(void)
{
    struct edit absent = {0, 0, 999, 0, 0};
    const struct edits bad = {&absent, 1, 1};
    enum outcome why = OUTCOME_VALID;
    struct ir *ir = f_of("int f(int x) { return 3 * x; }\n", &ir_baselines[0]);
    int (*first)(int) = (int (*)(int))ir_compile(ir, &edits_none, &why);
    REQUIRE(first != NULL);
    CHECK(ir_compile(ir, &bad, &why) == NULL && why == OUTCOME_INAPPLICABLE);
    ir_forget(ir);
    CHECK_EQ(first(5), 15);
    int (*second)(int) = (int (*)(int))ir_compile(ir, &edits_none, &why);
    REQUIRE(second != NULL);
    CHECK(second != first && second(2) == 6);
    ir_forget(ir);
    CHECK_EQ(first(7), 21);
    int (*soon)(int) = (int (*)(int))ir_compile_soon(ir, &edits_none, &why);
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
    enum outcome why = OUTCOME_VALID;
    struct bases bases;
    char *code = NULL;
    struct ir *ir = f_of("int f(int x) { return 3 * x; }\n", &ir_baselines[0]);
    ev_kernel *kernel = ir_compile(ir, &edits_none, &why);
    REQUIRE(kernel != NULL);
    memcpy(&code, &kernel, sizeof code);
    CHECK(_Unwind_Find_FDE(code + 1, &bases) == NULL);
    ir_close(ir);
}

/* The text of a kernel with such passes */
static const char *text_of_kernel(const char *file, const struct ir_passes *passes)
{
    struct ir *ir = kernel_of(file, "f", passes);
    const char *text = text_with(ir, "-");
    ir_close(ir);
    return text;
}

static void natives(void)
{
    const char *text = text_of_kernel(FIXTURE("ops.ll"), &ir_baselines[4]);
    CHECK(has(text, "\"target-cpu\"=") && has(text, "\"target-features\"="));
    text = text_of_kernel(FIXTURE("ops.ll"), &ir_baselines[2]);
    CHECK(has(text, "define ") && !has(text, "\"target-cpu\"="));
}

/* A loop and a chain of a kind that vectorisers take: the scalar baselines have no vector, and the
   attribute that keeps these out is gone. One that the source has stays. IR of clang -O0 asks for
   no passes; the baselines run them. */
static void attributes(void)
{
    written("v.c", "void f(float *restrict x, const float *restrict y, int n)\n"
                   "{\n    for (int i = 0; i < n; i++)\n        x[i] += y[i];\n"
                   "    x[0] = y[0] * 2; x[1] = y[1] * 2; x[2] = y[2] * 2; x[3] = y[3] * 2;\n}\n");
    for (size_t i = 0; i < IR_BASELINES; i++) {
        const char *text = text_of_kernel("v.c", &ir_baselines[i]);
        CHECK_OF(has(text, " x float>") == ir_baselines[i].vectorises, ir_baselines[i].name);
        CHECK(!has(text, "noimplicitfloat") && !has(text, "kpred-scalar"));
    }
    written("j.ll", "define float @f(float %x) noimplicitfloat {\n  ret float %x\n}\n");
    CHECK(has(text_of_kernel("j.ll", &ir_baselines[3]), "noimplicitfloat"));
    written("o.ll", "define i32 @f(i32 %x) noinline optnone {\n  %a = alloca i32\n"
                    "  store i32 %x, ptr %a\n  %b = load i32, ptr %a\n  ret i32 %b\n}\n");
    const char *text = text_of_kernel("o.ll", &ir_baselines[2]);
    CHECK(has(text, "ret i32 %x") && !has(text, "optnone"));
}

/* A variant for a library has its own name, and shows nothing else. */
static void names(void)
{
    struct ir *ir = f_of("int state; void other(void) { state++; }\n"
                         "int f(int x) { state += x; return state; }\n",
                         &ir_baselines[2]);
    const char *text = emitted(ir, "-", IR_ASSEMBLY, "f_variant_3");
    CHECK(has(text, ".globl\tf_variant_3") && count_of(text, ".globl") == 1);
    CHECK(begins(emitted(ir, "-", IR_OBJECT, NULL), "\177ELF"));
    CHECK_EQ(ir_emit(ir, &edits_none, IR_OBJECT, "other", &(struct buf){0}), -1);
    CHECK_EQ(ir_emit(ir, &edits_none, IR_CODE_OBJECT, NULL, &(struct buf){0}), -1);
    ir_close(ir);
}

int main(void)
{
    told_begin();
    RUN_ALL(bad_files, bitcode, forgetting, no_frames, natives, attributes, names);
    return program_end();
}
