/* test_ir_lists.c - what random lists of edits have to keep, and their machine code
   SPDX-License-Identifier: MIT */
#include "ir_kernels.h"

#include <math.h>

enum { LISTS = 230, MOST_EDITS = 8 };

static struct ir *planted_kernel(const struct ir_passes *passes)
{
    return kernel_of(FIXTURE("planted.c"), "planted", passes);
}

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
    struct ir *kernels[] = {planted_kernel(&ir_baselines[2]), branchy_kernel(&ir_baselines[2]),
                            kernel_of(FIXTURE("mix.c"), "mix", &ir_baselines[2])};
    for (size_t k = 0; k < 3; k++) {
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

/* The texts of some random lists as one number: the same twice, and in another process. */
static uint64_t hash_of_lists(void)
{
    uint64_t hash = 0, random = 5;
    struct ir *ir = branchy_kernel(&ir_baselines[2]);
    for (int i = 0; i < 40; i++) {
        struct edits list = random_list(ir, &random);
        const char *text = emitted_list(ir, &list, IR_TEXT, NULL);
        const int same = strcmp(text, emitted_list(ir, &list, IR_TEXT, NULL)) == 0;
        for (const char *s = text; *s != '\0'; s++)
            hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
        hash = same && *text != '\0' ? hash : 0;
        edits_free(&list);
    }
    ir_close(ir);
    return hash;
}

static char self[2048];

static void same_text(void)
{
    const uint64_t hash = hash_of_lists();
    CHECK(hash != 0);
    CHECK(program_prints(say("%llx\n", (unsigned long long)hash), "%s %s", self, program.root));
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
        CHECK(e.what == 3 ? e.op == OP_DELETE : e.what == 2 || e.what == 14 || e.what == 15);
        CHECK(e.op != OP_OPERAND || e.index != (e.what == 15 ? 2 : 1));
    }
    CHECK(seen[2] > 0 && seen[3] > 0 && seen[14] > 0 && seen[15] > 0);
    ir_close(ir);
}

typedef void planted(int n, float one, const float *a, float *out, const float *scale);

/* Compiles the list and calls it, in this process: are the outputs right? */
static int is_right(struct ir *ir, const char *edits)
{
    const float a[5] = {1, -2, 3, 0.5f, INFINITY}, scale = 2;
    float out[5] = {9, 9, 9, 9, 9};
    enum outcome why;
    struct edits list = list_of(edits);
    ev_kernel *kernel = ir_compile(ir, &list, &why);
    edits_free(&list);
    if (kernel == NULL)
        return 0;
    ((planted *)kernel)(5, 1, a, out, &scale);
    for (int i = 0; i < 5; i++)
        if (out[i] != a[i] * 2)
            return 0;
    return 1;
}

static void compiling(void)
{
    for (int i = 0; i <= IR_BASELINES; i++) {
        struct ir *ir = planted_kernel(i == IR_BASELINES ? &ir_unoptimised : &ir_baselines[i]);
        CHECK(is_right(ir, "-"));
        ir_close(ir);
    }
}

/* Does a deletion of an instruction with that word, of one of four seeds, keep the outputs? */
static int can_be_deleted(struct ir *ir, const char *word, int *line)
{
    for (uint32_t id = 1; id <= ir_size(ir); id++)
        for (int seed = 0; has(instruction(ir, id, line), word) && seed < 4; seed++)
            if (is_right(ir, say("delete %u 0 0 %d", (unsigned)id, seed)))
                return 1;
    return 0;
}

/* Does a move of the load of *scale to the end of a block keep the outputs? */
static int can_be_moved(struct ir *ir)
{
    int line;
    for (uint32_t id = 1; id <= ir_size(ir); id++)
        for (uint32_t where = 1;
             has(instruction(ir, id, &line), "load float, ptr %scale") && where <= ir_size(ir);
             where++) {
            const char *text = say("move %u %u 0 1", (unsigned)id, (unsigned)where);
            struct edits list = list_of(text);
            struct ir_step step;
            int keeps = 0;
            if (ir_steps(ir, &list, &step) == 0) {
                keeps = has(step.what, " before br") && is_right(ir, text);
                ir_steps_free(&step, 1);
            }
            edits_free(&list);
            if (keeps)
                return 1;
        }
    return 0;
}

/* The wastes of planted.c: one edit is enough to be rid of each, and the outputs stay. */
static void wastes(void)
{
    int line = 0;
    const struct ir_passes passes = {"-O2", 2, 0, 0};
    struct ir *ir = planted_kernel(&passes);
    CHECK(can_be_deleted(ir, "fdiv", &line) && line == 6);
    CHECK(can_be_deleted(ir, "store float 0.0", &line) && line == 7);
    CHECK(can_be_moved(ir));
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

int main(int argc, char **argv)
{
    if (argc > 1) { /* the other process: argv[1] is the root */
        snprintf(program.root, sizeof program.root, "%s", argv[1]);
        printf("%llx\n", (unsigned long long)hash_of_lists());
        return 0;
    }
    told_begin();
    snprintf(self, sizeof self, "%s%s%s", *argv[0] == '/' ? "" : program.root,
             *argv[0] == '/' ? "" : "/", argv[0]);
    RUN(random_lists);
    RUN(same_text);
    RUN(never);
    RUN(compiling);
    RUN(wastes);
    RUN(symbols);
    RUN(children);
    return program_end();
}
