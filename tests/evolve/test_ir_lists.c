/* test_ir_lists.c - what random lists of edits have to keep, and their machine code
   SPDX-License-Identifier: MIT */
#include "evolve/ir/module.h"
#include "evolve/ir/operators.h"
#include "ir_kernels.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *path, *function;
} kernels[] = {{FIXTURE("planted.c"), "planted"},
               {FIXTURE("branchy.c"), "branchy"},
               {FIXTURE("mix.c"), "mix"}};
enum { N_KERNELS = 3, LISTS = 670, MOST_EDITS = 8 };

static struct edits random_list(struct ir *ir, uint64_t *random)
{
    struct edits list = {NULL, 0, 0};
    struct edit e;
    const size_t n = 1 + test_random64(random) % MOST_EDITS;
    while (list.n < n && ir_propose(ir, &list, random, &e) == 0)
        edits_add(&list, &e);
    return list;
}

struct counts {
    int lists, full, inapplicable, rejected;
};

static void try_lists(struct ir *ir, struct counts *c)
{
    uint64_t random = 1;
    for (int i = 0; i < LISTS; i++) {
        enum outcome why;
        struct edits list = random_list(ir, &random);
        LLVMModuleRef module = build_module(ir, &list, &ir->passes, &why);
        c->lists++;
        c->full += list.n > 0;
        c->inapplicable += !ir_applies(ir, &list) || why == OUTCOME_INAPPLICABLE;
        c->rejected += why == OUTCOME_REJECTED;
        if (module != NULL)
            LLVMDisposeModule(module);
        list_free(&list);
    }
}

static void random_lists(void)
{
    struct counts c = {0, 0, 0, 0};
    for (size_t k = 0; k < N_KERNELS; k++) {
        struct ir *ir = kernel_of(kernels[k].path, kernels[k].function, &ir_baselines[2]);
        REQUIRE(ir != NULL);
        ir->passes.level = 0; /* the verifier judges what the edits made */
        try_lists(ir, &c);
        ir_close(ir);
    }
    CHECK_EQ(c.lists, c.full);
    CHECK_EQ(c.inapplicable, 0);
    CHECK_EQ(c.rejected, 0);
}

/* The texts of some random lists as one number: the same twice, and in another process. */
static uint64_t hash_of_lists(void)
{
    uint64_t hash = 0, random = 5;
    struct ir *ir = kernel_of(kernels[1].path, kernels[1].function, &ir_baselines[2]);
    for (int i = 0; ir != NULL && i < 40; i++) {
        struct edits list = random_list(ir, &random);
        char *text = text_with(ir, &list), *again = text_with(ir, &list);
        for (const char *s = text; *s != '\0'; s++)
            hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
        hash = strcmp(text, again) == 0 && *text != '\0' ? hash : 0;
        free(text);
        free(again);
        list_free(&list);
    }
    ir_close(ir);
    return hash;
}

static const char *program;

static void same_text(void)
{
    char command[512], text[64] = "", want[64];
    snprintf(command, sizeof command, "'%s' --hash", program);
    snprintf(want, sizeof want, "%llx\n", (unsigned long long)hash_of_lists());
    FILE *f = popen(command, "r");
    REQUIRE(f != NULL);
    CHECK(fgets(text, sizeof text, f) != NULL);
    CHECK_EQ(pclose(f), 0);
    CHECK_TEXT(text, want);
    CHECK(strcmp(want, "0\n") != 0);
}

/* All that propose gives on never.ll are the instructions that may be touched, and the buffer,
   which may only be deleted. */
static void never(void)
{
    uint64_t random = 3;
    struct ir *ir = kernel_of(FIXTURE("never.ll"), "f", &ir_unoptimised);
    int seen[32] = {0};
    REQUIRE(ir != NULL);
    for (int i = 0; i < 500; i++) {
        struct edit e;
        const struct edits none = {NULL, 0, 0};
        REQUIRE(ir_propose(ir, &none, &random, &e) == 0 && e.what < 32);
        seen[e.what]++;
        CHECK(e.what == 3 ? e.op == OP_DELETE : e.what == 2 || e.what == 14 || e.what == 15);
        CHECK(e.op != OP_OPERAND || e.index != (e.what == 15 ? 2 : 1));
    }
    CHECK(seen[2] > 0 && seen[3] > 0 && seen[14] > 0 && seen[15] > 0);
    ir_close(ir);
}

/* ---- code ---- */

typedef void planted(int n, float one, const float *a, float *out, const float *scale);

static int is_right(ev_kernel *kernel)
{
    const float a[5] = {1, -2, 3, 0.5f, INFINITY}, scale = 2;
    float out[5] = {9, 9, 9, 9, 9};
    ((planted *)kernel)(5, 1, a, out, &scale);
    for (int i = 0; i < 5; i++)
        if (out[i] != a[i] * 2)
            return 0;
    return 1;
}

/* Compiles the list and calls it, in this process: right, wrong (0), or no code (-1) */
static int outcome_of(struct ir *ir, const struct edits *list)
{
    enum outcome why;
    ev_kernel *kernel = ir_compile(ir, list, &why);
    return kernel == NULL ? -1 : is_right(kernel);
}

static void compiling(void)
{
    const struct edits none = {NULL, 0, 0};
    for (int i = 0; i <= IR_BASELINES; i++) {
        const struct ir_passes *passes = i == IR_BASELINES ? &ir_unoptimised : &ir_baselines[i];
        struct ir *ir = kernel_of(kernels[0].path, kernels[0].function, passes);
        REQUIRE(ir != NULL);
        CHECK_EQ(outcome_of(ir, &none), 1);
        ir_close(ir);
    }
}

/* Has the text of an instruction that word? Its line is kept if so. */
static int has_word(struct ir *ir, uint32_t id, const char *word, int *line)
{
    struct edits list = LIST({OP_DELETE, 0, id, 0, 0});
    struct ir_step step;
    int has = 0;
    if (ir_steps(ir, &list, &step) == 0) {
        has = strstr(step.what, word) != NULL;
        *line = has ? step.line : *line;
        ir_steps_free(&step, 1);
    }
    list_free(&list);
    return has;
}

/* How many deletions of instructions with that word, of four seeds each, keep the outputs */
static int deletions(struct ir *ir, const char *word, int *line)
{
    int n = 0;
    for (uint32_t id = 1; id <= ir_size(ir); id++)
        for (uint32_t seed = 0; has_word(ir, id, word, line) && seed < 4; seed++) {
            struct edits list = LIST({OP_DELETE, 0, id, 0, seed});
            n += outcome_of(ir, &list) == 1;
            list_free(&list);
        }
    return n;
}

/* How many moves of the load of *scale to the end of a block keep the outputs */
static int moves(struct ir *ir)
{
    int n = 0, line;
    for (uint32_t id = 1; id <= ir_size(ir); id++)
        for (uint32_t where = 1;
             has_word(ir, id, "load float, ptr %scale", &line) && where <= ir_size(ir); where++) {
            struct edits list = LIST({OP_MOVE, 0, id, where, 1});
            struct ir_step step;
            if (ir_steps(ir, &list, &step) == 0) {
                n += strstr(step.what, " before br") != NULL && outcome_of(ir, &list) == 1;
                ir_steps_free(&step, 1);
            }
            list_free(&list);
        }
    return n;
}

/* The wastes of planted.c: one edit is enough to be rid of each, and the outputs stay. */
static void wastes(void)
{
    int line = 0;
    const struct ir_passes passes = {"-O2", 2, 0, 0};
    struct ir *ir = kernel_of(kernels[0].path, kernels[0].function, &passes);
    REQUIRE(ir != NULL);
    CHECK(deletions(ir, "fdiv", &line) > 0);
    CHECK_EQ(line, 6);
    CHECK(deletions(ir, "store float 0.0", &line) > 0);
    CHECK_EQ(line, 7);
    CHECK(moves(ir) > 0);
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
    const struct edits none = {NULL, 0, 0};
    for (int i = 0; i < IR_BASELINES; i++) {
        enum outcome why;
        float out[16];
        struct ir *ir = kernel_of(kernels[1].path, kernels[1].function, &ir_baselines[i]);
        REQUIRE(ir != NULL);
        ev_kernel *kernel = ir_compile(ir, &none, &why);
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
    struct ir *ir = kernel_of(kernels[1].path, kernels[1].function, &ir_baselines[2]);
    REQUIRE(ir != NULL);
    for (int i = 0; i < 25; i++) {
        int status = 1;
        enum outcome why;
        struct edits list = random_list(ir, &random);
        const pid_t pid = fork();
        if (pid == 0)
            _exit(ir_compile(ir, &list, &why) != NULL ? 0 : 10 + (int)why);
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        n_code += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        list_free(&list);
    }
    CHECK(n_code >= 22);
    ir_close(ir);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1) {
        printf("%llx\n", (unsigned long long)hash_of_lists());
        return 0;
    }
    RUN(random_lists);
    RUN(same_text);
    RUN(never);
    RUN(compiling);
    RUN(wastes);
    RUN(symbols);
    RUN(children);
    return test_end();
}
