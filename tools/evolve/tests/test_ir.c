/* test_ir.c - each operator of edits by hand, kernels of GPUs without a GPU, what random lists of
   edits have to keep, their machine code, and bitcode of other versions
   SPDX-License-Identifier: MIT */
#include "evolve/ir/module.h"
#include "told.h"

#include <llvm-c/BitWriter.h>
#include <math.h>

#define FIXTURE(name) in_root("tools/evolve/tests/fixtures/" name)

/* The program ends where a kernel cannot be had. */
static struct ir *kernel_of(const char *path, const char *function, const struct ir_passes *passes)
{
    struct ir *ir = NULL;
    const struct ir_source source = {.path = path, .function = function};
    if (ir_open(&ir, &source, passes) != 0)
        program_stop(path);
    return ir;
}

/* What ir_emit gives, or "" if it fails; it stays until the program ends. */
static const char *emitted_list(struct ir *ir, const struct edits *list, enum ir_form form,
                                const char *name)
{
    struct buf *b = new_text();
    return ir_applies(ir, list) && ir_emit(ir, list, form, name, b) == 0 ? b->s : "";
}

static const char *emitted(struct ir *ir, const char *edits, enum ir_form form, const char *name)
{
    return emitted_list(ir, list_of(edits), form, name);
}

/* The module with these edits, or "" if they do not apply */
static const char *text_with(struct ir *ir, const char *edits)
{
    return emitted(ir, edits, IR_TEXT, NULL);
}

/* What deleting that instruction would be said to be, or "" */
static const char *instruction(struct ir *ir, uint32_t id, int *line)
{
    struct edit_step step;
    const char *what = "";
    if (ir_steps(ir, list_of(say("delete %u 0 0 0", (unsigned)id)), &step) == 0) {
        what = say("%s", step.what);
        *line = step.line;
        edit_steps_free(&step, 1);
    }
    return what;
}

static struct ir *ops; /* of ops.ll, as it is: an id is a line's place */

/* Has the text with these edits that part? */
static int gives(const char *edits, const char *part)
{
    return has(text_with(ops, edits), part);
}

static int applies(const char *edits)
{
    return ir_applies(ops, list_of(edits));
}

/* Of the edits with each of so many seeds, how many give that part? */
static int seeds_give(const char *edits, unsigned seeds, const char *part)
{
    int n = 0;
    char text[100];
    for (unsigned seed = 0; seed < seeds; seed++) {
        snprintf(text, sizeof text, "%s %x", edits, seed);
        n += gives(text, part);
    }
    return n;
}

static void deletion(void)
{
    CHECK_EQ(ir_size(ops), 15);
    CHECK(gives("delete 3 0 0 1", "fdiv float %a, %one\n  br label %loop"));
    CHECK(!gives("delete 2 0 0 1", "fdiv"));
    /* What takes the place of a quotient is one of its operands every other time. */
    static const char *const others[] = {"%x", "0.0", "1.0", "-1.0"};
    const int n_dividend = seeds_give("delete 2 0 0", 64, "%m = fmul float %l, %a\n");
    const int n_divisor = seeds_give("delete 2 0 0", 64, "%m = fmul float %l, %one\n");
    int n_other = 0;
    for (int i = 0; i < 4; i++)
        n_other += seeds_give("delete 2 0 0", 64, say("%%m = fmul float %%l, %s", others[i]));
    CHECK_EQ(n_dividend + n_divisor + n_other, 64);
    CHECK(n_dividend > 16 && n_divisor > 8 && n_other > 8);
}

/* A load takes what was stored there before it in its block, or what anything takes; not what comes
   later. */
static void deletion_of_a_load(void)
{
    CHECK(seeds_give("copy 9 13 0 0; delete 13 0 0", 64, "store float %m, ptr %p, align 4\n  ret")
          < 32); /* %g and %q are not the same */
    CHECK(seeds_give("move 3 13 0 0; delete 13 0 0", 64,
                     "store float 0.000000e+00, ptr %p, align 4\n  ret void")
          > 24);
}

static void copying(void)
{
    /* A copy of a store stands by itself, what it stores can be used there. */
    CHECK(gives("copy 3 15 0 7",
                "store float %s, ptr %p, align 4\n  store float 0.000000e+00, ptr %q, align 4\n"
                "  ret void"));
    /* The copy's result goes into a later operand: of the only instruction that follows. */
    CHECK(gives("copy 13 14 0 7", "store float %s2, ptr %p"));
    CHECK(!applies("copy 11 14 0 7")); /* a bit, that nothing later takes */
    CHECK(!applies("copy 99 14 0 7") && !applies("copy 13 99 0 7"));
}

static void moving(void)
{
    /* A load to the block before the loop: all stays as it was otherwise. */
    CHECK(gives("move 6 4 0 7", "%l = load float, ptr %p, align 4\n  br label %loop"));
    CHECK(gives("move 6 4 0 7", "%m = fmul float %l, %d\n"));
    /* Behind its uses: these take something else. */
    CHECK(gives("move 2 13 0 7", "end:"));
    CHECK(!gives("move 2 13 0 7", "%m = fmul float %l, %d\n"));
    /* In front of its operands: it takes something else. */
    CHECK(!gives("move 2 1 0 7", "%d = fdiv float %a, %one\n"));
    /* In front of a phi is behind all phis. */
    CHECK(gives("move 3 5 0 7", "]\n  store float 0.0"));
    CHECK(!applies("move 2 3 0 7") && !applies("move 2 2 0 7")); /* there it stands */
}

/* The id of the last instruction that the list made */
static unsigned last_id(const char *edits)
{
    struct body b;
    LLVMModuleRef module = LLVMCloneModule(ops->module);
    body_make(&b, LLVMGetNamedFunction(module, "f"), &ops->flow);
    const uint32_t id = operators_do_all(&b, list_of(edits), 0) ? b.item[b.n_items - 1].id : 0;
    body_free(&b);
    LLVMDisposeModule(module);
    return id;
}

static void places(void)
{
    /* A place stays when its instruction is gone: both go to where the quotient was. */
    const char *both = "delete 2 0 0 1; move 8 2 0 1; move 7 2 0 1";
    CHECK(gives(both, "%a = load float, ptr %p, align 4\n  %g = getelementptr"));
    CHECK(gives(both, "%m = fmul float"));
    CHECK(gives(both, "\n  store float 0.000000e+00, ptr %q, align 4\n  br label %loop"));
    CHECK(!gives(say("%s; move 3 2 0 1", both), "ptr %q")); /* it stands behind them already */
    /* A copy has an id, and a place: other edits can name it. */
    const char *copy = "copy 3 13 0 9";
    const unsigned id = last_id(copy);
    REQUIRE(id > UINT32_MAX / 2);
    CHECK(gives(say("%s; move 2 %u 0 9", copy, id),
                "%d = fdiv float %a, %one\n  store float 0.000000e+00"));
    const char *gone = text_with(ops, say("%s; delete %u 0 0 9", copy, id));
    CHECK(has(gone, "end:") && !has(gone, "store float 0.000000e+00, ptr %q, align 4\n  %s"));
    CHECK(!gives(say("%s; %s", copy, copy), "end:")); /* the same twice is no second copy */
}

static void replacing_and_swapping(void)
{
    CHECK(gives("replace 2 1 0 7", "%a2 = load float, ptr %p, align 4\n  store float 0.0"));
    CHECK(gives("replace 2 1 0 7", "%m = fmul float %l, %a2\n"));
    CHECK(gives("replace 3 14 0 7", "store float"));
    CHECK(!applies("replace 2 8 0 7")); /* a pointer is no number */
    CHECK(!applies("replace 2 2 0 7"));
    CHECK(gives("swap 3 14 0 7", "ptr %p, align 4\n  br label %loop"));
    CHECK(gives("swap 3 14 0 7", "store float 0.000000e+00, ptr %q, align 4\n  ret void"));
    CHECK(gives("swap 6 7 0 7", "%m = fmul float"));
    CHECK(!gives("swap 6 7 0 7", "%m = fmul float %l, %d"));
}

static void operands(void)
{
    CHECK_EQ(seeds_give("operand 7 0 1", 20, "%m = fmul float %l, %d\n"), 0);
    CHECK(gives("operand 7 0 1 3", "%m = fmul float %l, "));
    CHECK(!applies("operand 7 0 2 3"));
    CHECK(!applies("operand 5 0 0 3"));  /* a phi's */
    CHECK(!applies("operand 12 0 0 3")); /* a branch's */
    CHECK(!applies("constant 7 0 0 3")); /* which is for tensors */
}

/* The edits of an operand that name its value, what is worth most in front */
static void operands_in_order(void)
{
    struct edit *v;
    const size_t n = ir_ordered(ops, &v);
    CHECK(gives("operand 7 1 1 0", "%m = fmul float %l, %a\n"));
    CHECK(gives("operand 7 1879048195 1 0", "%m = fmul float %l, %one\n"));
    CHECK(!applies("operand 7 2 1 0"));  /* it is that already */
    CHECK(!applies("operand 2 6 0 0"));  /* which is not seen */
    CHECK(!applies("operand 7 99 1 0")); /* nor is there any */
    REQUIRE(n > 2);
    CHECK(v[0].what == 9 && v[0].index == 0 && v[0].where == 2);
    for (size_t i = 0; i < n; i++)
        CHECK(ir_applies(ops, &(struct edits){&v[i], 1, 1}) && v[i].where != 0);
    free(v);
}

/* An edit makes the same choice whatever other edits do, while what it chose is there. */
static void choices(void)
{
    for (unsigned seed = 0; seed < 40; seed++) {
        const char *line = strstr(text_with(ops, say("operand 14 0 0 %x", seed)), "end:");
        CHECK(line != NULL
              && gives(say("copy 3 4 0 5; delete 9 0 0 1; operand 14 0 0 %x", seed),
                       strstr(line, "store")));
    }
}

static void steps(void)
{
    struct edits *list = list_of("delete 2 0 0 0; move 6 4 0 7");
    struct edit_step step[2];
    REQUIRE(ir_steps(ops, list, step) == 0);
    CHECK_TEXT(step[0].what, "delete %d = fdiv float %a, %one");
    CHECK(has(step[0].before, "%d = fdiv float %a, %one\n"));
    CHECK(has(step[0].before, "%m = fmul float %l, %d\n"));
    CHECK(!has(step[0].after, "%d") && has(step[0].after, "%m = fmul float %l, "));
    CHECK_TEXT(step[1].what, "move %l = load float, ptr %p, align 4 before br label %loop");
    CHECK_EQ(step[1].line, 0);
    edit_steps_free(step, 2);
    list->v[1].what = 99;
    CHECK_EQ(ir_steps(ops, list, step), -1);
}

/* ---- kernels of GPUs ---- */

static const struct gpu {
    const char *kernel, *target, *cpu;
    const char *barrier; /* in its assembly */
    enum ir_form object;
    const char *begins; /* what that form begins with */
} gpus[] = {
    {"reverse_amdgcn.c", "amdgcn-amd-amdhsa", "gfx90a", "\ts_barrier", IR_CODE_OBJECT, "\177ELF"},
    {"reverse_nvptx.ll", "nvptx64-nvidia-cuda", "sm_70", "\tbar.sync", IR_ASSEMBLY, "//"}};

static struct ir *gpu_kernel(const struct gpu *gpu, int edit_barriers)
{
    struct ir *ir = NULL;
    const struct ir_source source = {
        .path = in_root(say("tools/evolve/tests/fixtures/%s", gpu->kernel)),
        .function = "reverse",
        .target = gpu->target,
        .cpu = gpu->cpu,
        .edit_barriers = edit_barriers};
    if (ir_open(&ir, &source, &ir_baselines[2]) != 0)
        program_stop(gpu->kernel);
    return ir;
}

/* The id of the first barrier, 0 if there is none */
static uint32_t barrier_of(struct ir *ir)
{
    int line;
    for (uint32_t id = 1; id <= ir_size(ir); id++)
        if (has(instruction(ir, id, &line), "barrier"))
            return id;
    return 0;
}

/* Without one barrier the assembly has one less, and all forms can be made. Barriers move, are
   copied and swapped, and replaced by barriers only. */
static void barriers(void)
{
    for (size_t k = 0; k < 2; k++) {
        const struct gpu *gpu = &gpus[k];
        struct ir *ir = gpu_kernel(gpu, 1);
        const unsigned id = barrier_of(ir);
        const char *less = say("delete %u 0 0 0", id);
        enum outcome why;
        CHECK(id != 0);
        CHECK_EQ(count_of(emitted(ir, "-", IR_ASSEMBLY, NULL), gpu->barrier), 2);
        CHECK_EQ(count_of(emitted(ir, less, IR_ASSEMBLY, NULL), gpu->barrier), 1);
        const int next = dup(0);
        close(next);
        CHECK(begins(emitted(ir, less, gpu->object, "renamed"), gpu->begins));
        CHECK_EQ(dup(0), next); /* no file is left open */
        close(next);
        for (uint16_t op = 0; op < N_OPERATORS; op++) {
            int n = 0;
            for (uint32_t where = 1; where <= ir_size(ir); where++) {
                struct edit e = {op, 0, id, where, 0};
                n += ir_applies(ir, &(struct edits){&e, 1, 1});
            }
            CHECK(op == OP_OPERAND ? n == 0 : op == OP_REPLACE ? n == 1 : n > 2);
        }
        CHECK(ir_compile(ir, &(struct edits){NULL, 0, 0}, &why) == NULL
              && why == OUTCOME_UNCOMPILED);
        ir_close(ir);
        ir = gpu_kernel(gpu, 0);
        CHECK_EQ(barrier_of(ir), 0);
        ir_close(ir);
    }
}

/* An access to memory passes no barrier, on no turn of a loop; what only computes may, and so may
   an access that stays on its side. An address stays in its space. A function of numbers is no
   function of lanes, whatever clang calls it. */
static void accesses(void)
{
    static const struct {
        const char *edit;
        int fits;
    } rows[] = {{"move 4 1 0 0", 0},    {"copy 1 6 0 0", 0},  {"move 6 4 0 0", 0},
                {"swap 4 6 0 0", 0},    {"move 12 4 0 0", 0}, {"replace 4 12 0 0", 0},
                {"move 8 4 0 0", 0},    {"move 6 9 0 0", 1},  {"move 12 9 0 0", 1},
                {"move 7 4 0 0", 1},    {"copy 12 8 0 0", 1}, {"replace 12 6 0 0", 1},
                {"delete 5 0 0 0", 1},  {"copy 14 9 0 0", 1}, {"delete 14 0 0 0", 1},
                {"delete 15 0 0 0", 0}, {"move 15 13 0 0", 0}};
    const struct ir_source source = {.path = in_root("tools/evolve/tests/fixtures/turns.ll"),
                                     .function = "turns",
                                     .target = "spir64",
                                     .edit_barriers = 1};
    const char *why;
    struct ir *ir = NULL;
    if (ir_open(&ir, &source, &ir_unoptimised) != 0)
        program_stop(source.path);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text = text_with(ir, rows[i].edit);
        CHECK_EQ(*text != '\0', rows[i].fits);
        CHECK(*text == '\0' || count_of(text, "addrspacecast") == 0);
    }
    CHECK_EQ(ir_refusal(ir, list_of("delete 5 0 0 0; move 12 9 0 0; move 8 99 0 0"), &why), 3);
    CHECK_EQ(ir_refusal(ir, list_of("move 12 9 0 0"), &why), 0);
    CHECK_EQ(ir_refusal(ir, list_of("move 8 4 0 0"), &why), 1);
    CHECK_TEXT(why, "an access to memory would pass a barrier");
    CHECK(begins(emitted(ir, "-", IR_BITCODE, NULL), "BC"));
    CHECK_TEXT(emitted(ir, "-", IR_ASSEMBLY, NULL), "");
    ir_close(ir);
}

/* Without a linker there is no code object, and a message that says what is missing. */
static void without_linker(void)
{
    char *search = new_copy(getenv("PATH"));
    struct ir *ir = gpu_kernel(&gpus[0], 1);
    setenv("PATH", "/nowhere", 1);
    CHECK_TEXT(emitted(ir, "-", IR_CODE_OBJECT, NULL), "");
    setenv("PATH", search, 1);
    const char *said = told();
    CHECK(has(said, "lld-16") && has(said, "apt-get"));
    ir_close(ir);
}

/* ---- random lists ---- */

enum { LISTS = 230, MOST_EDITS = 8 };

static struct ir *branchy_kernel(const struct ir_passes *passes)
{
    return kernel_of(FIXTURE("branchy.c"), "branchy", passes);
}

static struct edits random_list(struct ir *ir, uint64_t *random)
{
    struct edits list = {NULL, 0, 0};
    struct edit e;
    const size_t n = 1 + test_random64(random) % MOST_EDITS;
    while (list.n < n && ir_propose(ir, &list, random, &e) == 0)
        edits_add(&list, &e);
    return list;
}

/* They have edits, they apply, and LLVM's verifier takes what comes of them. */
static void random_lists(void)
{
    struct ir *kernels[] = {kernel_of(FIXTURE("planted.c"), "planted", &ir_baselines[2]),
                            branchy_kernel(&ir_baselines[2]),
                            kernel_of(FIXTURE("mix.c"), "mix", &ir_baselines[2]),
                            gpu_kernel(&gpus[0], 1), gpu_kernel(&gpus[1], 1)};
    for (size_t k = 0; k < 5; k++) {
        struct ir *ir = kernels[k];
        uint64_t random = 1;
        ir->passes.level = 0; /* the verifier judges what the edits made */
        for (int i = 0; i < LISTS; i++) {
            enum outcome why;
            struct edits list = random_list(ir, &random);
            LLVMModuleRef module = build_module(ir, &list, &ir->passes, &why);
            EXPECT(list.n > 0 && ir_applies(ir, &list) && why == OUTCOME_VALID, "list %d", i);
            if (module != NULL)
                LLVMDisposeModule(module);
            edits_free(&list);
        }
        ir_close(ir);
    }
}

/* All that propose gives on never.ll are the instructions that may be touched, and the buffer,
   which may only be deleted. */
static void never(void)
{
    uint64_t random = 3;
    struct ir *ir = kernel_of(FIXTURE("never.ll"), "f", &ir_unoptimised);
    int seen[32] = {0};
    for (int i = 0; i < 500; i++) {
        struct edit e;
        REQUIRE(ir_propose(ir, &(struct edits){NULL, 0, 0}, &random, &e) == 0 && e.what < 32);
        seen[e.what]++;
        CHECK(e.what == 3 ? e.op == OP_DELETE : e.what == 2 || (e.what >= 14 && e.what <= 16));
        CHECK(e.op != OP_OPERAND || e.index != (e.what >= 15 ? 2 : 1));
        CHECK(e.op != OP_OPERAND || e.what != 16 || e.index < 2);
    }
    CHECK(seen[2] > 0 && seen[3] > 0 && seen[14] > 0 && seen[15] > 0 && seen[16] > 0);
    ir_close(ir);
}

/* What the code calls is found in this process, and its data are there. */
typedef float branchy(int n, const void *in, float *out, int (*hook)(int));

static int ten_times(int x)
{
    return x * 10;
}

static void symbols(void)
{
    const struct {
        int kind;
        float value[3];
    } in[4] = {{0, {3, 0, 0}}, {1, {0, 1, 0}}, {2, {0, 0, -1}}, {2, {0, 0, 16}}};
    for (int i = 0; i < IR_BASELINES; i++) {
        enum outcome why;
        float out[16];
        struct ir *ir = branchy_kernel(&ir_baselines[i]);
        ev_kernel *kernel = ir_compile(ir, &(struct edits){NULL, 0, 0}, &why);
        REQUIRE(kernel != NULL);
        CHECK(((branchy *)kernel)(4, in, out, ten_times) == 24);
        CHECK(out[0] == 3 && out[1] == 0 && out[2] == -expf(1));
        ir_close(ir);
    }
}

/* Code of random lists is made in children: LLVM may end these. */
static void children(void)
{
    uint64_t random = 9;
    int n_code = 0;
    struct ir *ir = branchy_kernel(&ir_baselines[2]);
    for (int i = 0; i < 25; i++) {
        int status = 1;
        enum outcome why;
        struct edits list = random_list(ir, &random);
        const pid_t pid = fork();
        if (pid == 0)
            _exit(ir_compile(ir, &list, &why) != NULL ? 0 : 10 + (int)why);
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        n_code += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        edits_free(&list);
    }
    CHECK(n_code >= 22);
    ir_close(ir);
}

/* ---- bitcode, and code that comes and goes ---- */

static int opens(const char *file)
{
    struct ir *ir = NULL;
    const struct ir_source source = {.path = file, .function = "mix"};
    const int status = ir_open(&ir, &source, &ir_unoptimised);
    ir_close(ir);
    return status == 0;
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
    CHECK(opens("whole.bc"));
    put_bytes("cut.bc", copy->s, copy->n / 2);
    CHECK(!opens("cut.bc") && has(told(), "cut.bc"));
    CHECK(change_version(copy));
    for (size_t i = 100; i < copy->n; i += copy->n / 60) {
        copy->s[i] ^= 0x15;
        put_bytes("other.bc", copy->s, copy->n);
        const int is_open = opens("other.bc");
        const char *said = told();
        CHECK(is_open || count_of(said, program_name) == 1);
        n_told += has(said, "other.bc: it is of LLVM 19, and this is LLVM 16");
        copy->s[i] ^= 0x15;
    }
    CHECK(n_told > 5);
}

/* The kernel `f` of a text of C */
static struct ir *f_of(const char *text, const struct ir_passes *passes)
{
    put_text("f.c", "%s", text);
    return kernel_of("f.c", "f", passes);
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
    ops = kernel_of(FIXTURE("ops.ll"), "f", &ir_unoptimised);
    RUN_ALL(deletion, deletion_of_a_load, copying, moving, places, replacing_and_swapping, operands,
            operands_in_order, choices, steps, barriers, accesses, without_linker, random_lists,
            never, symbols, children, bitcode, forgetting, no_frames, names);
    ir_close(ops);
    return program_end();
}
