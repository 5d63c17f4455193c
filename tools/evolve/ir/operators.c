/* operators.c - what each edit does to a function
   SPDX-License-Identifier: MIT */
#include "module.h"

#include "base/numbers.h"

#include <string.h>

/* Each operator first says whether an edit fits; what it then does cannot fail and leaves a
   function that LLVM's verifier accepts. */

/* ---- what fits ---- */

/* The item that an edit is about, if there is one that may be touched */
static uint32_t subject(const struct body *b, uint32_t id, int barriers)
{
    const uint32_t item = body_find(b, id);
    if (item == BODY_NONE || b->item[item].value == NULL
        || !b->flow->reachable[b->place[b->item[item].at].block])
        return BODY_NONE;
    const enum rules_class class = rules_of(b->item[item].value);
    const int is_allowed = class == RULES_BARRIER ? barriers : class != RULES_NEVER;
    return is_allowed && !rules_is_called(b->item[item].value) ? item : BODY_NONE;
}

static enum rules_class class_of(const struct body *b, uint32_t item)
{
    return item == BODY_NONE ? RULES_NEVER : rules_of(b->item[item].value);
}

static int may_stand_elsewhere(enum rules_class class)
{
    return class == RULES_PLAIN || class == RULES_BARRIER;
}

static int fits_delete(const struct body *b, const struct edit *e, int barriers)
{
    return subject(b, e->what, barriers) != BODY_NONE;
}

/* Where a copy's result goes: an operand of its type that sees the copy */
struct target {
    uint32_t item;
    unsigned operand;
};

/* A random one, by the least hash; item BODY_NONE if there is none. */
static struct target target_of(const struct body *b, const struct edit *e, LLVMValueRef source,
                               uint32_t place)
{
    struct target best = {BODY_NONE, 0};
    uint64_t least = UINT64_MAX;
    for (uint32_t user = 0; user < b->n_items; user++) {
        LLVMValueRef u = b->item[user].value;
        /* A new place would be in front of this one: what stands at this one would see it. */
        const int sees =
            u != NULL
            && (b->item[user].at == place || body_sees(b, body_point(b, b->item[user].at), place));
        for (unsigned i = 0; sees && i < (unsigned)LLVMGetNumOperands(u); i++) {
            const uint64_t hash = num_mix(e->seed, b->item[user].id, i);
            if (LLVMTypeOf(LLVMGetOperand(u, i)) == LLVMTypeOf(source) && hash < least
                && rules_operand(u, i))
                best = (struct target){user, i}, least = hash;
        }
    }
    return best;
}

static int fits_copy(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = subject(b, e->what, barriers);
    const uint32_t place = body_place_for(b, e->where);
    if (!may_stand_elsewhere(class_of(b, item)) || place == BODY_NONE
        || body_find(b, edit_copy_id(e)) != BODY_NONE || !barriers_allow(b, item, place))
        return 0;
    LLVMValueRef v = b->item[item].value;
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind
           || target_of(b, e, v, place).item != BODY_NONE;
}

/* To where it stands already, is no move. */
static int fits_move(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = subject(b, e->what, barriers);
    const uint32_t place = body_place_for(b, e->where);
    if (!may_stand_elsewhere(class_of(b, item)) || place == BODY_NONE
        || !barriers_allow(b, item, place))
        return 0;
    const uint32_t before = body_next_live(b, place);
    return before != b->item[item].at
           && before != body_next_live(b, b->place[b->item[item].at].next);
}

/* Barriers are replaced by barriers only. */
static int fits_replace(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t x = subject(b, e->what, barriers), y = subject(b, e->where, barriers);
    return x != y && may_stand_elsewhere(class_of(b, x)) && class_of(b, x) == class_of(b, y)
           && LLVMTypeOf(b->item[x].value) == LLVMTypeOf(b->item[y].value)
           && body_find(b, edit_copy_id(e)) == BODY_NONE && barriers_allow(b, y, b->item[x].at);
}

static int fits_swap(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t x = subject(b, e->what, barriers), y = subject(b, e->where, barriers);
    return x != y && may_stand_elsewhere(class_of(b, x)) && may_stand_elsewhere(class_of(b, y))
           && barriers_allow(b, x, b->item[y].at) && barriers_allow(b, y, b->item[x].at);
}

static LLVMValueRef other_operand(const struct body *b, uint32_t item, const struct edit *e)
{
    LLVMValueRef old = LLVMGetOperand(b->item[item].value, e->index);
    const struct repair_wish wish = {e->seed,  e->where,        e->what,
                                     e->index, LLVMTypeOf(old), body_point(b, b->item[item].at),
                                     old};
    return repair_choose(b, &wish);
}

static int fits_operand(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = subject(b, e->what, barriers);
    return class_of(b, item) == RULES_PLAIN
           && e->index < (unsigned)LLVMGetNumOperands(b->item[item].value)
           && rules_operand(b->item[item].value, e->index) && other_operand(b, item, e) != NULL;
}

/* ---- what is done ---- */

/* The compiler is told when a buffer is in use: of one that is gone this must not be said of what
   takes its place. */
static void erase_lifetimes(struct body *b, LLVMValueRef buffer)
{
    for (uint32_t i = 0; i < b->n_items; i++) {
        LLVMValueRef v = b->item[i].value;
        if (v != NULL && rules_is_lifetime(v) && LLVMGetOperand(v, 1) == buffer)
            body_erase(b, i);
    }
}

static void do_delete(struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what);
    LLVMValueRef v = b->item[item].value;
    if (rules_of(v) == RULES_BUFFER)
        erase_lifetimes(b, v);
    if (LLVMGetFirstUse(v) != NULL)
        body_replace_uses(b, item, repair_substitute(b, item, e->seed));
    body_erase(b, item);
}

/* A clone at a place, with operands that can be used there */
static uint32_t add_clone(struct body *b, const struct edit *e, uint32_t source, uint32_t place)
{
    size_t n;
    LLVMValueRef v = b->item[source].value, clone = LLVMInstructionClone(v);
    const char *name = LLVMGetValueName2(v, &n);
    LLVMSetValueName2(clone, name, n);
    const uint32_t item = body_add(b, clone, edit_copy_id(e), b->item[source].origin, place);
    repair_operands(b, item, e->seed);
    return item;
}

static void do_copy(struct body *b, const struct edit *e)
{
    const uint32_t source = body_find(b, e->what), place = body_place_for(b, e->where);
    LLVMValueRef v = b->item[source].value;
    const struct target to = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind
                                 ? (struct target){BODY_NONE, 0}
                                 : target_of(b, e, v, place);
    const uint32_t clone = add_clone(b, e, source, body_new_place(b, place));
    if (to.item != BODY_NONE)
        body_set_operand(b, to.item, to.operand, b->item[clone].value);
}

static void do_move(struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what);
    const uint32_t place = body_new_place(b, body_place_for(b, e->where));
    body_take_out(b, item);
    body_put(b, item, place);
    repair_operands(b, item, e->seed);
    repair_uses(b, item, e->seed);
}

static void do_replace(struct body *b, const struct edit *e)
{
    const uint32_t old = body_find(b, e->what);
    const uint32_t place = b->item[old].at;
    const uint32_t clone = add_clone(b, e, body_find(b, e->where), place);
    if (LLVMGetFirstUse(b->item[old].value) != NULL)
        body_replace_uses(b, old, b->item[clone].value);
    body_erase(b, old);
    b->place[place].item = clone;
}

static void do_swap(struct body *b, const struct edit *e)
{
    const uint32_t x = body_find(b, e->what), y = body_find(b, e->where);
    const uint32_t x_at = b->item[x].at, y_at = b->item[y].at;
    body_take_out(b, x);
    body_take_out(b, y);
    body_put(b, y, x_at);
    body_put(b, x, y_at);
    repair_operands(b, x, e->seed);
    repair_operands(b, y, e->seed);
    repair_uses(b, x, e->seed);
    repair_uses(b, y, e->seed);
}

static void do_operand(struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what);
    body_set_operand(b, item, e->index, other_operand(b, item, e));
}

/* ---- all ---- */

static const struct {
    int (*fits)(const struct body *b, const struct edit *e, int barriers);
    void (*act)(struct body *b, const struct edit *e);
} operators[N_OPERATORS] = {
    {fits_delete, do_delete},   {fits_copy, do_copy}, {fits_move, do_move},
    {fits_replace, do_replace}, {fits_swap, do_swap}, {fits_operand, do_operand},
};

int operators_fit(const struct body *b, const struct edit *e, int barriers)
{
    return e->op < N_OPERATORS && operators[e->op].fits(b, e, barriers);
}

/* Does what it moves pass a barrier? */
static int passes_barrier(const struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what), other = body_find(b, e->where);
    const int trades = e->op == OP_REPLACE || e->op == OP_SWAP;
    if (trades)
        return other != BODY_NONE && b->item[other].value != NULL
               && (!barriers_allow(b, other, b->item[item].at)
                   || (e->op == OP_SWAP && !barriers_allow(b, item, b->item[other].at)));
    const uint32_t place = body_place_for(b, e->where);
    return (e->op == OP_COPY || e->op == OP_MOVE) && place != BODY_NONE
           && !barriers_allow(b, item, place);
}

const char *operators_refusal(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = body_find(b, e->what);
    if (item == BODY_NONE || b->item[item].value == NULL)
        return "there is no instruction of that number";
    if (rules_of(b->item[item].value) == RULES_BARRIER && !barriers)
        return "it is about a barrier, which --barriers permits";
    if (subject(b, e->what, barriers) == BODY_NONE)
        return "it is about an instruction that is never edited";
    return passes_barrier(b, e) ? "an access to memory would pass a barrier"
                                : "its place, operand or type does not fit";
}

void operators_do(struct body *b, const struct edit *e)
{
    operators[e->op].act(b, e);
}

int operators_do_all(struct body *b, const struct edits *list, int barriers)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!operators_fit(b, &list->v[i], barriers))
            return 0;
        operators_do(b, &list->v[i]);
    }
    return 1;
}
