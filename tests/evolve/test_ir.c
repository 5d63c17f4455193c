/* test_ir.c - operators by hand, and what random lists of edits have to keep
   SPDX-License-Identifier: MIT */
#include "evolve/ir/module.h"
#include "evolve/ir/operators.h"
#include "kernels.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- operators, on ops.ll ---- */

static struct ir *ops;

/* Has the text with these edits that part? */
static int gives(const struct edits *list, const char *part)
{
    char *text = text_with(ops, list);
    const int has = strstr(text, part) != NULL;
    free(text);
    return has;
}

/* The same of one edit, that is freed */
static int edit_gives(struct edit e, const char *part)
{
    struct edits list = LIST(e);
    const int has = gives(&list, part);
    list_free(&list);
    return has;
}

static int applies(struct edit e)
{
    struct edits list = LIST(e);
    const int is_fine = ir_applies(ops, &list);
    list_free(&list);
    return is_fine;
}

static void deletion(void)
{
    CHECK_EQ(ir_size(ops), 15);
    CHECK(
        edit_gives((struct edit){OP_DELETE, 0, 3, 0, 1}, "fdiv float %a, %one\n  br label %loop"));
    CHECK(!edit_gives((struct edit){OP_DELETE, 0, 2, 0, 1}, "fdiv"));
    /* What takes the place of a quotient is one of its operands every other time. */
    int n_dividend = 0, n_divisor = 0, n_other = 0;
    for (uint32_t seed = 0; seed < 64; seed++) {
        const struct edit e = {OP_DELETE, 0, 2, 0, seed};
        n_dividend += edit_gives(e, "%m = fmul float %l, %a\n");
        n_divisor += edit_gives(e, "%m = fmul float %l, %one\n");
        n_other +=
            edit_gives(e, "%m = fmul float %l, %x\n") + edit_gives(e, "%m = fmul float %l, 0.0")
            + edit_gives(e, "%m = fmul float %l, 1.0") + edit_gives(e, "%m = fmul float %l, -1.0");
    }
    CHECK_EQ(n_dividend + n_divisor + n_other, 64);
    CHECK(n_dividend > 16 && n_divisor > 8 && n_other > 8);
}

/* A load takes what was stored there before it in its block, or what anything takes; not what comes
   later. */
static void deletion_of_a_load(void)
{
    int n_stored = 0;
    struct edits list = LIST({OP_COPY, 0, 9, 13, 0}, {OP_DELETE, 0, 13, 0, 0});
    for (list.v[1].seed = 0; list.v[1].seed < 64; list.v[1].seed++)
        n_stored += gives(&list, "store float %m, ptr %p, align 4\n  ret void");
    CHECK(n_stored < 32); /* %g and %q are not the same */
    list.v[0] = (struct edit){OP_MOVE, 0, 3, 13, 0};
    n_stored = 0;
    for (list.v[1].seed = 0; list.v[1].seed < 64; list.v[1].seed++)
        n_stored += gives(&list, "store float 0.000000e+00, ptr %p, align 4\n  ret void");
    CHECK(n_stored > 24);
    list_free(&list);
}

static void copying(void)
{
    /* A copy of a store stands by itself, what it stores can be used there. */
    CHECK(
        edit_gives((struct edit){OP_COPY, 0, 3, 15, 7},
                   "store float %s, ptr %p, align 4\n  store float 0.000000e+00, ptr %q, align 4\n"
                   "  ret void"));
    /* The copy's result goes into a later operand: of the only instruction that follows. */
    CHECK(edit_gives((struct edit){OP_COPY, 0, 13, 14, 7}, "store float %s2, ptr %p"));
    CHECK(!applies((struct edit){OP_COPY, 0, 11, 14, 7})); /* a bit, that nothing later takes */
    CHECK(!applies((struct edit){OP_COPY, 0, 99, 14, 7}));
    CHECK(!applies((struct edit){OP_COPY, 0, 13, 99, 7}));
}

static void moving(void)
{
    /* A load to the block before the loop: all stays as it was otherwise. */
    CHECK(edit_gives((struct edit){OP_MOVE, 0, 6, 4, 7},
                     "%l = load float, ptr %p, align 4\n  br label %loop"));
    CHECK(edit_gives((struct edit){OP_MOVE, 0, 6, 4, 7}, "%m = fmul float %l, %d\n"));
    /* Behind its uses: these take something else. */
    CHECK(edit_gives((struct edit){OP_MOVE, 0, 2, 13, 7}, "end:"));
    CHECK(!edit_gives((struct edit){OP_MOVE, 0, 2, 13, 7}, "%m = fmul float %l, %d\n"));
    /* In front of its operands: it takes something else. */
    CHECK(!edit_gives((struct edit){OP_MOVE, 0, 2, 1, 7}, "%d = fdiv float %a, %one\n"));
    /* In front of a phi is behind all phis. */
    CHECK(edit_gives((struct edit){OP_MOVE, 0, 3, 5, 7}, "]\n  store float 0.0"));
    CHECK(!applies((struct edit){OP_MOVE, 0, 2, 3, 7})); /* there it stands */
    CHECK(!applies((struct edit){OP_MOVE, 0, 2, 2, 7}));
}

/* Of the last instruction that the list made */
static uint32_t last_id(const struct edits *list)
{
    struct body b;
    LLVMModuleRef module = LLVMCloneModule(ops->module);
    body_make(&b, LLVMGetNamedFunction(module, "f"), &ops->flow);
    const int is_done = operators_do_all(&b, list, 0);
    const uint32_t id = is_done ? b.item[b.n_items - 1].id : 0;
    body_free(&b);
    LLVMDisposeModule(module);
    return id;
}

static void places(void)
{
    /* A place stays when its instruction is gone: both go to where the quotient was. */
    struct edits list = LIST({OP_DELETE, 0, 2, 0, 1}, {OP_MOVE, 0, 8, 2, 1}, {OP_MOVE, 0, 7, 2, 1});
    CHECK(gives(&list, "%a = load float, ptr %p, align 4\n  %g = getelementptr"));
    CHECK(gives(&list, "%m = fmul float"));
    CHECK(gives(&list, "\n  store float 0.000000e+00, ptr %q, align 4\n  br label %loop"));
    edits_add(&list, &(struct edit){OP_MOVE, 0, 3, 2, 1});
    CHECK(!gives(&list, "ptr %q")); /* it stands behind them already */
    /* A copy has an id, and a place: other edits can name it. */
    const struct edit copy = {OP_COPY, 0, 3, 13, 9};
    uint32_t id = 0;
    list.n = 0;
    edits_add(&list, &copy);
    REQUIRE((id = last_id(&list)) > UINT32_MAX / 2);
    edits_add(&list, &(struct edit){OP_MOVE, 0, 2, id, 9});
    CHECK(gives(&list, "%d = fdiv float %a, %one\n  store float 0.000000e+00"));
    list.v[1] = (struct edit){OP_DELETE, 0, id, 0, 9};
    CHECK(gives(&list, "end:") && !gives(&list, "store float 0.000000e+00, ptr %q, align 4\n  %s"));
    list.v[1] = copy; /* the same twice is no second copy */
    CHECK(!gives(&list, "end:"));
    list_free(&list);
}

static void replacement(void)
{
    CHECK(edit_gives((struct edit){OP_REPLACE, 0, 2, 1, 7},
                     "%a2 = load float, ptr %p, align 4\n  store float 0.0"));
    CHECK(edit_gives((struct edit){OP_REPLACE, 0, 2, 1, 7}, "%m = fmul float %l, %a2\n"));
    CHECK(edit_gives((struct edit){OP_REPLACE, 0, 3, 14, 7}, "store float"));
    CHECK(!applies((struct edit){OP_REPLACE, 0, 2, 8, 7})); /* a pointer is no number */
    CHECK(!applies((struct edit){OP_REPLACE, 0, 2, 2, 7}));
}

static void swapping(void)
{
    CHECK(edit_gives((struct edit){OP_SWAP, 0, 3, 14, 7},
                     "store float %a, ptr %p, align 4\n  br label %loop")
          || edit_gives((struct edit){OP_SWAP, 0, 3, 14, 7}, "ptr %p, align 4\n  br label %loop"));
    CHECK(edit_gives((struct edit){OP_SWAP, 0, 3, 14, 7},
                     "store float 0.000000e+00, ptr %q, align 4\n  ret void"));
    CHECK(edit_gives((struct edit){OP_SWAP, 0, 6, 7, 7}, "%m = fmul float"));
    CHECK(!edit_gives((struct edit){OP_SWAP, 0, 6, 7, 7}, "%m = fmul float %l, %d"));
}

static void operands(void)
{
    for (uint32_t seed = 0; seed < 20; seed++)
        CHECK(!edit_gives((struct edit){OP_OPERAND, 1, 7, 0, seed}, "%m = fmul float %l, %d\n"));
    CHECK(edit_gives((struct edit){OP_OPERAND, 1, 7, 0, 3}, "%m = fmul float %l, "));
    CHECK(!applies((struct edit){OP_OPERAND, 2, 7, 0, 3}));
    CHECK(!applies((struct edit){OP_OPERAND, 0, 5, 0, 3}));  /* a phi's */
    CHECK(!applies((struct edit){OP_OPERAND, 0, 12, 0, 3})); /* a branch's */
    CHECK(!applies((struct edit){N_OPERATORS, 0, 7, 0, 3}));
}

/* An edit makes the same choice whatever other edits do, while what it chose is there. */
static void choices(void)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        struct edits alone = LIST({OP_OPERAND, 0, 14, 0, seed});
        struct edits second =
            LIST({OP_COPY, 0, 3, 4, 5}, {OP_DELETE, 0, 9, 0, 1}, {OP_OPERAND, 0, 14, 0, seed});
        char *text = text_with(ops, &alone), *line = strstr(text, "end:");
        CHECK(line != NULL && gives(&second, strstr(line, "store")));
        free(text);
        list_free(&alone);
        list_free(&second);
    }
}

static void steps(void)
{
    struct edits list = LIST({OP_DELETE, 0, 2, 0, 0}, {OP_MOVE, 0, 6, 4, 7});
    struct ir_step step[2];
    REQUIRE(ir_steps(ops, &list, step) == 0);
    CHECK_TEXT(step[0].what, "delete %d = fdiv float %a, %one");
    CHECK(strstr(step[0].before, "%d = fdiv float %a, %one\n") != NULL);
    CHECK(strstr(step[0].before, "%m = fmul float %l, %d\n") != NULL);
    CHECK(strstr(step[0].after, "%d") == NULL && strstr(step[0].after, "%m = fmul float %l, "));
    CHECK_TEXT(step[1].what, "move %l = load float, ptr %p, align 4 before br label %loop");
    CHECK_EQ(step[1].line, 0);
    ir_steps_free(step, 2);
    list.v[1].what = 99;
    CHECK_EQ(ir_steps(ops, &list, step), -1);
    list_free(&list);
}

/* ---- random lists ---- */

static const struct {
    const char *path, *function;
} kernels[] = {{FIXTURE("planted.c"), "planted"},
               {FIXTURE("branchy.c"), "branchy"},
               {FIXTURE("mix.c"), "mix"}};
enum { N_KERNELS = 3, LISTS = 700, MOST_EDITS = 8 };

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
        LLVMModuleRef module = build_module(ir, &list, &why);
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
        CHECK(e.op != OP_OPERAND || e.index == 0 || (e.what == 15 && e.index == 1));
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

/* The wastes: the edit that removes each is among all deletions and moves, and the outputs stay. */
static void wastes(void)
{
    int n_divisions = 0, n_stores = 0, n_loads = 0;
    struct ir *ir = kernel_of(kernels[0].path, kernels[0].function, &ir_baselines[2]);
    REQUIRE(ir != NULL);
    for (uint32_t id = 1; id <= ir_size(ir); id++)
        for (uint32_t seed = 0; seed < 4; seed++) {
            struct edits list = LIST({OP_DELETE, 0, id, 0, seed});
            struct ir_step step;
            if (ir_steps(ir, &list, &step) == 0) {
                const int is_division = strstr(step.what, "fdiv") != NULL;
                const int is_store = strstr(step.what, "store float 0.0") != NULL;
                const int counts = (is_division || is_store) && outcome_of(ir, &list) == 1;
                n_divisions += is_division && counts;
                n_stores += is_store && counts;
                n_loads += is_division && step.line == 6;
                ir_steps_free(&step, 1);
            }
            list_free(&list);
        }
    CHECK(n_divisions > 0 && n_stores > 0 && n_loads > 0);
    ir_close(ir);
}

/* Code of random lists is made in children: LLVM may end these. */
static void children(void)
{
    uint64_t random = 9;
    int n_code = 0;
    struct ir *ir = kernel_of(kernels[1].path, kernels[1].function, &ir_baselines[2]);
    REQUIRE(ir != NULL);
    for (int i = 0; i < 40; i++) {
        int status;
        enum outcome why;
        struct edits list = random_list(ir, &random);
        const pid_t pid = fork();
        if (pid == 0)
            _exit(ir_compile(ir, &list, &why) != NULL ? 0 : 10 + (int)why);
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        n_code += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        list_free(&list);
    }
    CHECK(n_code >= 36);
    ir_close(ir);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1) {
        printf("%llx\n", (unsigned long long)hash_of_lists());
        return 0;
    }
    ops = kernel_of(FIXTURE("ops.ll"), "f", &ir_unoptimised);
    if (ops == NULL)
        return 1;
    RUN(deletion);
    RUN(deletion_of_a_load);
    RUN(copying);
    RUN(moving);
    RUN(places);
    RUN(replacement);
    RUN(swapping);
    RUN(operands);
    RUN(choices);
    RUN(steps);
    ir_close(ops);
    RUN(random_lists);
    RUN(same_text);
    RUN(never);
    RUN(compiling);
    RUN(wastes);
    RUN(children);
    return test_end();
}
