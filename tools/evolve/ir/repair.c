/* repair.c - which value an operand takes that needs another one
   SPDX-License-Identifier: MIT

   repair.h declares it. */
#include "repair.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>

/* What stands in a hash for values that have no id: arguments, constants, own operands */
enum { OF_ARGUMENT = 0x70000000, OF_CONSTANT = 0x78000000, OF_OPERAND = 0x7c000000 };

struct choice {
    const struct repair_wish *wish;
    LLVMValueRef best;
    uint64_t least;
};

static void offer(struct choice *c, LLVMValueRef value, uint32_t id)
{
    const struct repair_wish *w = c->wish;
    const uint64_t hash = num_mix(w->seed, (uint64_t)w->user << 32 | w->index, id);
    if (value == w->except || (c->best != NULL && hash >= c->least))
        return;
    c->best = value;
    c->least = hash;
}

/* ---- any value ---- */

static LLVMValueRef splat(LLVMTypeRef vector, LLVMValueRef value)
{
    const unsigned n = LLVMGetVectorSize(vector);
    LLVMValueRef *all = xmalloc(n * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < n; i++)
        all[i] = value;
    value = LLVMConstVector(all, n);
    free(all);
    return value;
}

/* 1 and -1 of a number's type, NULL of others */
static LLVMValueRef constant(LLVMTypeRef type, int value)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMConstInt(type, (unsigned long long)(long long)value, 1);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: return LLVMConstReal(type, value);
    case LLVMVectorTypeKind: {
        LLVMValueRef one = constant(LLVMGetElementType(type), value);
        return one == NULL ? NULL : splat(type, one);
    }
    default: return NULL;
    }
}

static void offer_constants(struct choice *c)
{
    LLVMTypeRef type = c->wish->type;
    LLVMValueRef one = constant(type, 1), minus_one = constant(type, -1);
    if (one == NULL)
        return;
    offer(c, LLVMConstNull(type), OF_CONSTANT);
    offer(c, one, OF_CONSTANT + 1);
    if (minus_one != one)
        offer(c, minus_one, OF_CONSTANT + 2);
}

LLVMValueRef repair_choose(const struct body *b, const struct repair_wish *wish)
{
    struct choice c = {wish, NULL, 0};
    for (uint32_t i = 0; i < b->n_items; i++) {
        const struct body_item *item = &b->item[i];
        if (item->value != NULL && LLVMTypeOf(item->value) == wish->type
            && b->place[item->at].item == i && body_sees(b, wish->at, item->at))
            offer(&c, item->value, item->id);
    }
    for (unsigned i = 0; i < LLVMCountParams(b->function); i++)
        if (LLVMTypeOf(LLVMGetParam(b->function, i)) == wish->type)
            offer(&c, LLVMGetParam(b->function, i), OF_ARGUMENT + i);
    offer_constants(&c);
    if (c.best == NULL)
        offer(&c, LLVMConstNull(wish->type), OF_CONSTANT);
    return c.best;
}

/* ---- operands ---- */

/* A phi can have several operands of one block, which then have to be the same. */
static uint32_t key_of(const struct body *b, uint32_t user, unsigned i)
{
    const int is_phi = LLVMGetInstructionOpcode(b->item[user].value) == LLVMPHI;
    return is_phi ? body_use_point(b, user, i).block : i;
}

static void repair(struct body *b, uint32_t user, unsigned i, uint32_t seed)
{
    LLVMValueRef old = LLVMGetOperand(b->item[user].value, i);
    const struct repair_wish wish = {
        seed, b->item[user].id, key_of(b, user, i), LLVMTypeOf(old), body_use_point(b, user, i),
        old};
    body_set_operand(b, user, i, repair_choose(b, &wish));
}

void repair_operands(struct body *b, uint32_t item, uint32_t seed)
{
    LLVMValueRef v = b->item[item].value;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
        if (!body_sees_value(b, body_use_point(b, item, i), LLVMGetOperand(v, i)))
            repair(b, item, i, seed);
}

void repair_uses(struct body *b, uint32_t item, uint32_t seed)
{
    LLVMValueRef v = b->item[item].value;
    for (uint32_t user = 0; user < b->n_items; user++) {
        LLVMValueRef u = b->item[user].value;
        for (unsigned i = 0; u != NULL && i < (unsigned)LLVMGetNumOperands(u); i++)
            if (LLVMGetOperand(u, i) == v
                && !body_sees(b, body_use_point(b, user, i), b->item[item].at))
                repair(b, user, i, seed);
    }
}

/* ---- what takes the place of something ---- */

/* What the last store before a load in its block put there, or NULL */
static LLVMValueRef stored_before(const struct body *b, uint32_t load)
{
    LLVMValueRef v = b->item[load].value, found = NULL;
    const uint32_t at = b->item[load].at;
    for (uint32_t p = b->first[b->place[at].block]; p != at; p = b->place[p].next) {
        const uint32_t item = b->place[p].item;
        LLVMValueRef store = item == BODY_NONE ? NULL : b->item[item].value;
        if (store != NULL && LLVMGetInstructionOpcode(store) == LLVMStore
            && LLVMGetOperand(store, 1) == LLVMGetOperand(v, 0)
            && LLVMTypeOf(LLVMGetOperand(store, 0)) == LLVMTypeOf(v))
            found = LLVMGetOperand(store, 0);
    }
    return found;
}

LLVMValueRef repair_substitute(const struct body *b, uint32_t item, uint32_t seed)
{
    LLVMValueRef v = b->item[item].value;
    const struct repair_wish wish = {
        seed, b->item[item].id, UINT32_MAX, LLVMTypeOf(v), body_point(b, b->item[item].at), v};
    struct choice own = {&wish, NULL, 0};
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
        if (LLVMTypeOf(LLVMGetOperand(v, i)) == wish.type)
            offer(&own, LLVMGetOperand(v, i), OF_OPERAND + i);
    if (LLVMGetInstructionOpcode(v) == LLVMLoad && stored_before(b, item) != NULL)
        offer(&own, stored_before(b, item), OF_OPERAND + 1000);
    if (own.best != NULL && num_mix(seed, b->item[item].id, OF_OPERAND) % 2 == 0)
        return own.best;
    return repair_choose(b, &wish);
}
