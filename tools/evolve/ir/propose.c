/* propose.c - edits that apply, random and in order, and what edits did, for readers
   SPDX-License-Identifier: MIT

   ir.h declares it. */
#include "evolve/run.h"
#include "module.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

struct chooser {
    const struct body *b;
    int barriers;
    uint64_t *random;
    uint32_t *subject; /* the items that may be touched */
    size_t n_subjects;
};

static void find_subjects(struct chooser *c)
{
    const struct body *b = c->b;
    c->subject = xmalloc((b->n_items + 1) * sizeof *c->subject);
    c->n_subjects = 0;
    for (uint32_t i = 0; i < b->n_items; i++) {
        const enum rules_class class =
            b->item[i].value == NULL ? RULES_NEVER : rules_of(b->item[i].value);
        if (class == RULES_BARRIER ? c->barriers : class != RULES_NEVER)
            c->subject[c->n_subjects++] = i;
    }
}

static uint32_t any_subject(struct chooser *c)
{
    return c->subject[run_below(c->random, c->n_subjects)];
}

/* Does the item stay as it is at that place? */
static int sees_operands(const struct body *b, uint32_t item, uint32_t place)
{
    LLVMValueRef v = b->item[item].value;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
        if (!body_sees_value(b, body_point(b, place), LLVMGetOperand(v, i)))
            return 0;
    return 1;
}

enum wish { ANYWHERE, SEES_OPERANDS, AHEAD };

static int is_wished(const struct body *b, uint32_t item, uint32_t place, enum wish wish)
{
    if (place == BODY_NONE || (wish >= SEES_OPERANDS && !sees_operands(b, item, place)))
        return 0;
    const uint32_t there = b->place[place].block, here = b->place[b->item[item].at].block;
    return wish < AHEAD || (there != here && flow_dominates(b->flow, there, here));
}

/* Any place; every fourth time one that sees all operands, and every fourth time one that is ahead
   of the item's block as well, such as in front of its loop: if some draws find one. */
static uint32_t place_for(struct chooser *c, uint32_t item)
{
    static const struct {
        enum wish wish;
        int draws;
    } ways[4] = {{ANYWHERE, 1}, {ANYWHERE, 1}, {SEES_OPERANDS, 16}, {AHEAD, 64}};
    const size_t way = run_below(c->random, 4);
    uint32_t id = 0;
    for (int draws = ways[way].draws; draws > 0; draws--) {
        id = c->b->item[run_below(c->random, c->b->n_items)].id;
        if (is_wished(c->b, item, body_place_for(c->b, id), ways[way].wish))
            break;
    }
    return id;
}

/* Another instruction with a result of the same type, if a few draws find one */
static uint32_t equal_of(struct chooser *c, uint32_t item)
{
    const struct body *b = c->b;
    uint32_t other = item;
    for (int draws = 32; draws > 0; draws--) {
        other = any_subject(c);
        if (other != item && LLVMTypeOf(b->item[other].value) == LLVMTypeOf(b->item[item].value))
            break;
    }
    return b->item[other].id;
}

static void propose_fill(struct chooser *c, struct edit *e)
{
    static const unsigned char odds[16] = {
        OP_DELETE, OP_DELETE,  OP_DELETE,  OP_DELETE, OP_COPY, OP_COPY,    OP_MOVE,    OP_MOVE,
        OP_MOVE,   OP_REPLACE, OP_REPLACE, OP_SWAP,   OP_SWAP, OP_OPERAND, OP_OPERAND, OP_OPERAND};
    const uint32_t item = any_subject(c);
    const size_t n_operands = (size_t)LLVMGetNumOperands(c->b->item[item].value);
    *e = (struct edit){odds[run_below(c->random, 16)], 0, c->b->item[item].id, 0, 0};
    switch (e->op) {
    case OP_COPY:
    case OP_MOVE: e->where = place_for(c, item); break;
    case OP_REPLACE:
    case OP_SWAP:
        e->where = e->op == OP_REPLACE || run_below(c->random, 2) ? equal_of(c, item)
                                                                  : c->b->item[any_subject(c)].id;
        break;
    case OP_OPERAND:
        e->index = (uint16_t)(n_operands == 0 ? 0 : run_below(c->random, n_operands));
        break;
    default: break;
    }
    e->seed = (uint32_t)(num_draw(c->random) >> 32);
}

static int propose_choose(struct chooser *c, struct edit *out)
{
    find_subjects(c);
    int is_found = 0;
    for (int draws = c->n_subjects == 0 ? 0 : 200; draws > 0 && !is_found; draws--) {
        propose_fill(c, out);
        is_found = operators_fit(c->b, out, c->barriers);
    }
    free(c->subject);
    return is_found ? 0 : -1;
}

/* ---- on a clone, that is thrown away ---- */

struct attempt {
    LLVMModuleRef module;
    struct body body;
};

static int propose_begin(struct attempt *t, struct ir *ir, LLVMModuleRef module,
                         const struct edits *list)
{
    t->module = LLVMCloneModule(module);
    body_make(&t->body, LLVMGetNamedFunction(t->module, ir->function), &ir->flow);
    return operators_do_all(&t->body, list, ir->edit_barriers);
}

static void end(struct attempt *t)
{
    body_free(&t->body);
    LLVMDisposeModule(t->module);
}

int ir_propose(void *self, const struct edits *list, uint64_t *random, struct edit *out)
{
    struct ir *ir = self;
    struct attempt t;
    struct chooser c = {&t.body, ir->edit_barriers, random, NULL, 0};
    const int status = propose_begin(&t, ir, ir->sketch, list) ? propose_choose(&c, out) : -1;
    end(&t);
    return status;
}

int ir_applies(void *self, const struct edits *list)
{
    struct ir *ir = self;
    struct attempt t;
    const int applies = propose_begin(&t, ir, ir->sketch, list);
    end(&t);
    return applies;
}

/* ---- in order: each operand by each value that it may be in its place ---- */

enum { SMALL = 128 }; /* instructions; of a kernel with more there are too many such edits */

struct ranked {
    struct edit edit;
    unsigned worth;
    size_t far; /* 0: the value goes into what it takes the place of; else the farther, the less */
};

struct ranking {
    const struct body *b;
    struct ranked *v;
    size_t n, cap;
    LLVMValueRef old; /* the operand at hand */
    struct ranked its;
};

static unsigned n_uses(LLVMValueRef v)
{
    unsigned n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use != NULL; use = LLVMGetNextUse(use))
        n++;
    return n;
}

static unsigned cycles_of(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMCall: return 20;
    case LLVMLoad:
    case LLVMMul:
    case LLVMFMul: return 4;
    default: return 1;
    }
}

/* About what goes when nothing uses the value any more, and half of what its operands are worth, if
   nothing else uses them: what may take the place of a quotient is there more often than what may
   take the place of all that follows from it. In a loop it counts more. */
static unsigned worth_of(const struct body *b, LLVMValueRef v)
{
    const uint32_t item = body_item_of(b, v);
    if (item == BODY_NONE)
        return 0;
    const uint32_t block = b->place[b->item[item].at].block;
    unsigned char *reached = xcalloc(b->flow->n_blocks, 1);
    flow_reach(b->block, b->flow->n_blocks, block, b->flow->n_blocks, reached);
    unsigned worth = cycles_of(LLVMGetInstructionOpcode(v)) * (reached[block] ? 128 : 8);
    free(reached);
    for (unsigned i = 0; !LLVMIsAPHINode(v) && i < (unsigned)LLVMGetNumOperands(v); i++)
        if (n_uses(LLVMGetOperand(v, i)) == 1)
            worth += worth_of(b, LLVMGetOperand(v, i)) / 2;
    return worth;
}

static int goes_into(LLVMValueRef value, LLVMValueRef user)
{
    for (unsigned i = 0; LLVMIsAInstruction(user) && i < (unsigned)LLVMGetNumOperands(user); i++)
        if (LLVMGetOperand(user, i) == value)
            return 1;
    return 0;
}

static void rank(void *user, LLVMValueRef value, uint32_t id)
{
    struct ranking *r = user;
    if (value == r->old)
        return;
    r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
    r->v[r->n] = r->its;
    r->v[r->n].far = goes_into(value, r->old) ? 0 : id < r->b->n_items ? r->b->n_items - id : id;
    r->v[r->n++].edit.where = id;
}

/* What is worth more comes first; of what is worth as much, the nearest values. */
static int by_worth(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    int order = ORDER(b->worth, a->worth);
    order = order != 0 ? order : ORDER(a->far, b->far);
    order = order != 0 ? order : ORDER(a->edit.what, b->edit.what);
    order = order != 0 ? order : ORDER(a->edit.index, b->edit.index);
    return order != 0 ? order : ORDER(a->edit.where, b->edit.where);
}

static void rank_operands(struct ranking *r, uint32_t item)
{
    LLVMValueRef v = r->b->item[item].value;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++) {
        r->old = LLVMGetOperand(v, i);
        r->its.edit = (struct edit){OP_OPERAND, (uint16_t)i, r->b->item[item].id, 0, 0};
        if (!rules_operand(v, i))
            continue;
        r->its.worth = worth_of(r->b, r->old) / n_uses(r->old);
        body_values_at(r->b, body_point(r->b, r->b->item[item].at), LLVMTypeOf(r->old), rank, r);
    }
}

size_t ir_ordered(void *self, struct edit **out)
{
    struct ir *ir = self;
    struct attempt t;
    struct ranking r = {.b = &t.body};
    propose_begin(&t, ir, ir->sketch, &edits_none);
    for (uint32_t i = 0; ir->n <= SMALL && i < t.body.n_items; i++)
        rank_operands(&r, i);
    qsort(r.v, r.n, sizeof *r.v, by_worth);
    *out = xmalloc((r.n + 1) * sizeof **out);
    size_t n = 0;
    for (size_t i = 0; i < r.n; i++) {
        (*out)[n] = r.v[i].edit;
        n += operators_fit(&t.body, &r.v[i].edit, ir->edit_barriers) != 0;
    }
    free(r.v);
    end(&t);
    return n;
}

size_t ir_refusal(struct ir *ir, const struct edits *list, const char **why)
{
    struct attempt t;
    size_t i = 0;
    propose_begin(&t, ir, ir->sketch, &edits_none);
    for (; i < list->n && operators_fit(&t.body, &list->v[i], ir->edit_barriers); i++)
        operators_do(&t.body, &list->v[i]);
    if (i < list->n)
        *why = operators_refusal(&t.body, &list->v[i], ir->edit_barriers);
    end(&t);
    return i < list->n ? i + 1 : 0;
}

/* ---- what the edits of a list did ---- */

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

static void tell_id(const void *of, uint32_t id, struct buf *out)
{
    const struct body *b = of;
    const uint32_t item = body_find(b, id);
    if (item != BODY_NONE && b->item[item].value != NULL)
        print(b->item[item].value, out);
    else
        buf_puts(out, "a place that is empty now");
}

static char *text_of(struct buf *b)
{
    return b->s != NULL ? b->s : xstrdup("");
}

static void take_step(const struct ir *ir, struct body *b, const struct edit *e,
                      struct edit_step *step)
{
    struct record record = {b, b->n_items, NULL, 0, 0, {0}};
    struct buf what = {0}, after = {0};
    const uint32_t origin = b->item[body_find(b, e->what)].origin;
    edit_describe(e, " by ", tell_id, b, &what);
    b->touch = touch;
    b->user = &record;
    operators_do(b, e);
    print_after(&record, &after);
    *step = (struct edit_step){text_of(&what), text_of(&record.before), text_of(&after),
                               ir->line[origin - 1]};
    free(record.touched);
}

int ir_steps(void *self, const struct edits *list, struct edit_step *steps)
{
    struct ir *ir = self;
    struct attempt t;
    size_t n = 0;
    propose_begin(&t, ir, ir->module, &edits_none);
    for (; n < list->n && operators_fit(&t.body, &list->v[n], ir->edit_barriers); n++)
        take_step(ir, &t.body, &list->v[n], &steps[n]);
    end(&t);
    if (n == list->n)
        return 0;
    edit_steps_free(steps, n);
    return -1;
}
