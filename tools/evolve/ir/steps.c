/* steps.c - what the edits of a list did, for readers
   SPDX-License-Identifier: MIT

   ir.h declares it. */
#include "base/util.h"
#include "module.h"
#include "operators.h"

#include <stdlib.h>
#include <string.h>

/* The instructions that one edit touches, in the order in which it does */
struct record {
    const struct body *b;
    size_t n_before; /* items that were there before the edit */
    LLVMValueRef *touched;
    size_t n, cap;
    struct buf before;
};

/* An instruction, without what hangs on it for the optimiser */
static void print(LLVMValueRef v, struct buf *out)
{
    char *text = LLVMPrintValueToString(v);
    const char *from = text + strspn(text, " "), *end = strstr(from, ", !");
    buf_add(out, from, end == NULL ? strlen(from) : (size_t)(end - from));
    LLVMDisposeMessage(text);
}

static void touch(void *user, LLVMValueRef v)
{
    struct record *r = user;
    for (size_t i = 0; i < r->n; i++)
        if (r->touched[i] == v)
            return;
    r->touched = xgrow(r->touched, r->n, &r->cap, sizeof(LLVMValueRef));
    r->touched[r->n++] = v;
    if (body_item_of(r->b, v) < r->n_before) {
        print(v, &r->before);
        buf_puts(&r->before, "\n");
    }
}

/* What is left of them, and what is new */
static void print_after(const struct record *r, struct buf *out)
{
    for (size_t i = 0; i < r->n; i++)
        if (body_item_of(r->b, r->touched[i]) != BODY_NONE) {
            print(r->touched[i], out);
            buf_puts(out, "\n");
        }
}

static void print_id(const struct body *b, uint32_t id, struct buf *out)
{
    const uint32_t item = body_find(b, id);
    if (item != BODY_NONE && b->item[item].value != NULL)
        print(b->item[item].value, out);
    else
        buf_puts(out, "a place that is empty now");
}

/* "move %x = load float, ptr %p before br label %b" */
static void describe(const struct body *b, const struct edit *e, struct buf *out)
{
    static const char *const joins[N_OPERATORS] = {NULL,   " before ", " before ",
                                                   " by ", " and ",    NULL};
    buf_printf(out, "%s ", edit_operators.v[e->op]);
    if (e->op == OP_OPERAND)
        buf_printf(out, "%d of ", e->index);
    print_id(b, e->what, out);
    if (joins[e->op] != NULL) {
        buf_puts(out, joins[e->op]);
        print_id(b, e->where, out);
    }
}

static char *text_of(struct buf *b)
{
    return b->s != NULL ? b->s : xstrdup("");
}

static void take_step(const struct ir *ir, struct body *b, const struct edit *e,
                      struct ir_step *step)
{
    struct record record = {b, b->n_items, NULL, 0, 0, {0}};
    struct buf what = {0}, after = {0};
    const uint32_t origin = b->item[body_find(b, e->what)].origin;
    describe(b, e, &what);
    b->touch = touch;
    b->user = &record;
    operators_do(b, e);
    print_after(&record, &after);
    *step = (struct ir_step){text_of(&what), text_of(&record.before), text_of(&after),
                             ir->line[origin - 1]};
    free(record.touched);
}

int ir_steps(struct ir *ir, const struct edits *list, struct ir_step *steps)
{
    size_t n = 0;
    struct body body;
    LLVMModuleRef module = LLVMCloneModule(ir->module);
    body_make(&body, LLVMGetNamedFunction(module, ir->function), &ir->flow);
    for (; n < list->n && operators_fit(&body, &list->v[n], ir->edit_barriers); n++)
        take_step(ir, &body, &list->v[n], &steps[n]);
    body_free(&body);
    LLVMDisposeModule(module);
    if (n == list->n)
        return 0;
    ir_steps_free(steps, n);
    return -1;
}

void ir_steps_free(struct ir_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(steps[i].what);
        free(steps[i].before);
        free(steps[i].after);
    }
}
