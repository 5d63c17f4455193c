/* test_ir_sources.c - where kernels come from, messages about bad ones, and other targets
   SPDX-License-Identifier: MIT */
#include "evolve/ir/module.h"
#include "evolve/ir/operators.h"
#include "kernels.h"

#include <fcntl.h>
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

static int old_stderr;

static FILE *listen(void)
{
    FILE *messages = tmpfile();
    fflush(stderr);
    old_stderr = dup(2);
    dup2(fileno(messages), 2);
    return messages;
}

static void take(FILE *messages)
{
    fflush(stderr);
    dup2(old_stderr, 2);
    close(old_stderr);
    rewind(messages);
    said[fread(said, 1, sizeof said - 1, messages)] = '\0';
    fclose(messages);
}

static int opens(const struct ir_source *source, const struct ir_passes *passes)
{
    struct ir *ir = NULL;
    FILE *messages = listen();
    const int status = ir_open(&ir, source, passes);
    take(messages);
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

/* The head of a bitcode of another version: an identification block that names it */
static void other_versions(void)
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

/* What a kernel calls has to be there; its author is told. */
static void missing_symbols(void)
{
    const struct edits none = {NULL, 0, 0};
    enum outcome why = OUTCOME_VALID;
    struct ir *ir = kernel_of(written("i.c", "void nowhere(void); void f(void) { nowhere(); }\n"),
                              "f", &ir_baselines[0]);
    REQUIRE(ir != NULL);
    FILE *messages = listen();
    ev_kernel *kernel = ir_compile(ir, &none, &why);
    take(messages);
    CHECK(kernel == NULL && why == OUTCOME_UNCOMPILED);
    CHECK(strstr(said, "i.c") != NULL && strstr(said, "nowhere") != NULL);
    ir_close(ir);
}

/* ---- what is made of them ---- */

static char *emitted(struct ir *ir, const struct edits *list, enum ir_form form, const char *name)
{
    struct buf out = {0};
    const int status = ir_emit(ir, list, form, name, &out);
    return status == 0 && out.s != NULL ? out.s : xstrdup("");
}

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

/* ---- GPUs ---- */

static const struct gpu {
    struct ir_source source;
    const char *barrier; /* in its assembly */
    enum ir_form object;
    const char *begins; /* what that form begins with */
} gpus[] = {
    {{FIXTURE("reverse_amdgcn.c"), "reverse", "amdgcn-amd-amdhsa", "gfx90a", NULL, 1},
     "\ts_barrier",
     IR_CODE_OBJECT,
     "\177ELF"},
    {{FIXTURE("reverse_nvptx.ll"), "reverse", "nvptx64-nvidia-cuda", "sm_70", NULL, 1},
     "\tbar.sync",
     IR_ASSEMBLY,
     "//"},
};

/* The id of the first barrier, 0 if there is none */
static uint32_t barrier_of(struct ir *ir)
{
    for (uint32_t id = 1; id <= ir_size(ir); id++) {
        struct edits list = LIST({OP_DELETE, 0, id, 0, 0});
        struct ir_step step;
        const int fits = ir_steps(ir, &list, &step) == 0;
        const int is_barrier = fits && strstr(step.what, "barrier") != NULL;
        list_free(&list);
        if (fits)
            ir_steps_free(&step, 1);
        if (is_barrier)
            return id;
    }
    return 0;
}

/* Without one barrier the assembly has one less, and all forms can be made. */
static void drop_barrier(struct ir *ir, const struct gpu *gpu)
{
    const struct edits none = {NULL, 0, 0};
    struct edits list = LIST({OP_DELETE, 0, barrier_of(ir), 0, 0});
    char *before = emitted(ir, &none, IR_ASSEMBLY, NULL);
    char *after = emitted(ir, &list, IR_ASSEMBLY, NULL);
    CHECK_EQ(count_of(before, gpu->barrier), 2);
    CHECK_EQ(count_of(after, gpu->barrier), 1);
    free(before);
    free(after);
    before = emitted(ir, &list, gpu->object, "renamed");
    CHECK(strncmp(before, gpu->begins, strlen(gpu->begins)) == 0);
    free(before);
    list_free(&list);
}

/* Barriers move, are copied and swapped, and replaced by barriers only. */
static void edit_barrier(struct ir *ir)
{
    const uint32_t id = barrier_of(ir);
    for (uint32_t op = 0; op < N_OPERATORS; op++) {
        int n = 0;
        for (uint32_t where = 1; where <= ir_size(ir); where++) {
            struct edits list = LIST({(uint16_t)op, 0, id, where, 0});
            n += ir_applies(ir, &list);
            list_free(&list);
        }
        CHECK(op == OP_OPERAND ? n == 0 : op == OP_REPLACE ? n == 1 : n > 2);
    }
}

static void try_gpu(const struct gpu *gpu)
{
    struct ir *ir;
    enum outcome why;
    struct ir_source source = gpu->source;
    const struct edits none = {NULL, 0, 0};
    REQUIRE(ir_open(&ir, &source, &ir_baselines[2]) == 0);
    CHECK(barrier_of(ir) != 0);
    drop_barrier(ir, gpu);
    edit_barrier(ir);
    CHECK(ir_compile(ir, &none, &why) == NULL && why == OUTCOME_UNCOMPILED);
    ir_close(ir);
    source.edit_barriers = 0;
    REQUIRE(ir_open(&ir, &source, &ir_baselines[2]) == 0);
    CHECK_EQ(barrier_of(ir), 0);
    ir_close(ir);
}

static void amdgcn(void)
{
    try_gpu(&gpus[0]);
}

static void nvptx(void)
{
    try_gpu(&gpus[1]);
}

/* Without a linker there is no code object, and a message that says what is missing. */
static void without_linker(void)
{
    struct ir *ir;
    const struct edits none = {NULL, 0, 0};
    char *search = xstrdup(getenv("PATH"));
    REQUIRE(ir_open(&ir, &gpus[0].source, &ir_baselines[2]) == 0);
    setenv("PATH", folder, 1);
    FILE *messages = listen();
    const int status = ir_emit(ir, &none, IR_CODE_OBJECT, NULL, &(struct buf){0});
    take(messages);
    setenv("PATH", search, 1);
    CHECK(status == -1 && strstr(said, "lld-16") != NULL && strstr(said, "apt-get") != NULL);
    free(search);
    ir_close(ir);
}

/* Random lists for GPUs: the verifier takes them, and code is made of most. */
static void gpu_lists(void)
{
    for (size_t k = 0; k < 2; k++) {
        struct ir *ir;
        uint64_t random = 1;
        REQUIRE(ir_open(&ir, &gpus[k].source, &ir_baselines[2]) == 0);
        for (int i = 0; i < 200; i++) {
            struct edits list = {NULL, 0, 0};
            struct edit e;
            enum outcome why;
            while (list.n < 4 && ir_propose(ir, &list, &random, &e) == 0)
                edits_add(&list, &e);
            LLVMModuleRef module = build_module(ir, &list, &why);
            CHECK_EQ(why, OUTCOME_VALID);
            if (module != NULL)
                LLVMDisposeModule(module);
            list_free(&list);
        }
        ir_close(ir);
    }
}

int main(void)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    RUN(functions);
    RUN(bad_files);
    RUN(bad_c);
    RUN(other_versions);
    RUN(missing_symbols);
    RUN(flags);
    RUN(natives);
    RUN(untouched);
    RUN(hashes);
    RUN(names);
    RUN(amdgcn);
    RUN(nvptx);
    RUN(without_linker);
    RUN(gpu_lists);
    static const char *const made[] = {"a.ll", "b.bc", "c.ll", "d.ll",     "e.c",   "g.c",
                                       "h.c",  "i.c",  "j.ll", "whole.bc", "cut.bc"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        unlink(file(made[i]));
    return test_end() || rmdir(folder) != 0;
}
