/* test_ir.c - each operator of edits by hand
   SPDX-License-Identifier: MIT */
#include "evolve/ir/module.h"
#include "evolve/ir/operators.h"
#include "ir_kernels.h"

static struct ir *ops; /* of ops.ll, as it is */

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

int main(void)
{
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
    return test_end();
}
