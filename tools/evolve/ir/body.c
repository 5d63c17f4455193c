/* body.c - a function that is being edited: its instructions by their ids, their places, and the
   values that they see
   SPDX-License-Identifier: MIT

   module.h declares it. */
#include "module.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- which blocks are passed through before which others ---- */

/* The sets begin full and shrink until they stay the same: the quick way for some hundred blocks
   at most. */

static size_t number_of(const LLVMBasicBlockRef *block, LLVMBasicBlockRef of)
{
    size_t i = 0;
    while (block[i] != of)
        i++;
    return i;
}

void flow_reach(const LLVMBasicBlockRef *block, size_t n, size_t from, size_t without,
                unsigned char *reached)
{
    size_t *left = xmalloc((n + 1) * sizeof *left), n_left = 0;
    left[n_left++] = from;
    while (n_left > 0) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block[left[--n_left]]);
        for (unsigned k = 0; end != NULL && k < LLVMGetNumSuccessors(end); k++) {
            const size_t to = number_of(block, LLVMGetSuccessor(end, k));
            if (!reached[to] && to != without)
                left[n_left++] = to;
            reached[to] = 1;
        }
    }
    free(left);
}

/* A block's successor is dominated by itself and by nothing else that does not dominate the block.
   Did that change what was thought of the successor? */
static int narrow(struct flow *f, size_t block, size_t to)
{
    const uint64_t *from = f->dominators + block * f->words;
    uint64_t *set = f->dominators + to * f->words;
    int changed = 0;
    for (size_t w = 0; w < f->words; w++) {
        const uint64_t own = to / 64 == w ? UINT64_C(1) << to % 64 : 0;
        const uint64_t now = set[w] & (from[w] | own);
        changed |= now != set[w];
        set[w] = now;
    }
    return changed;
}

static int narrow_all(struct flow *f, const LLVMBasicBlockRef *block)
{
    int changed = 0;
    for (size_t i = 0; i < f->n_blocks; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block[i]);
        for (unsigned k = 0; f->reachable[i] && end != NULL && k < LLVMGetNumSuccessors(end); k++)
            changed |= narrow(f, i, number_of(block, LLVMGetSuccessor(end, k)));
    }
    return changed;
}

void flow_make(struct flow *f, LLVMValueRef function)
{
    const size_t n = LLVMCountBasicBlocks(function);
    LLVMBasicBlockRef *block = xmalloc(n * sizeof *block);
    LLVMGetBasicBlocks(function, block);
    f->n_blocks = n;
    f->words = (n + 63) / 64;
    f->dominators = xmalloc(n * f->words * sizeof *f->dominators);
    f->reachable = xcalloc(n, 1);
    memset(f->dominators, 0xff, n * f->words * sizeof *f->dominators);
    memset(f->dominators, 0, f->words * sizeof *f->dominators);
    f->dominators[0] = 1; /* the entry has no other */
    f->reachable[0] = 1;
    flow_reach(block, n, 0, n, f->reachable);
    while (narrow_all(f, block))
        ;
    free(block);
}

void flow_free(struct flow *f)
{
    free(f->dominators);
    free(f->reachable);
}

int flow_dominates(const struct flow *f, uint32_t block, uint32_t of)
{
    return (f->dominators[of * f->words + block / 64] >> block % 64 & 1) != 0;
}

/* ---- instructions and places: from a function ---- */

static uint32_t append_place(struct body *b, uint32_t block, uint32_t order)
{
    b->place = xgrow(b->place, b->n_places, &b->cap_places, sizeof *b->place);
    b->place[b->n_places] = (struct body_place){block, order, BODY_NONE, BODY_NONE};
    return (uint32_t)b->n_places++;
}

static uint32_t append_item(struct body *b, const struct body_item *item)
{
    b->item = xgrow(b->item, b->n_items, &b->cap_items, sizeof *b->item);
    b->item[b->n_items] = *item;
    return (uint32_t)b->n_items++;
}

static void number_block(struct body *b, uint32_t block)
{
    uint32_t last = BODY_NONE, order = 0;
    LLVMValueRef v = LLVMGetFirstInstruction(b->block[block]);
    for (; v != NULL; v = LLVMGetNextInstruction(v)) {
        const uint32_t place = append_place(b, block, order++);
        const uint32_t id = (uint32_t)b->n_items + 1;
        b->place[place].item = append_item(b, &(struct body_item){id, id, v, place, place});
        *(last == BODY_NONE ? &b->first[block] : &b->place[last].next) = place;
        last = place;
    }
}

void body_make(struct body *b, LLVMValueRef function, const struct flow *flow)
{
    const struct body empty = {0};
    *b = empty;
    b->function = function;
    b->flow = flow;
    b->builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    b->block = xmalloc(flow->n_blocks * sizeof(LLVMBasicBlockRef));
    b->first = xmalloc(flow->n_blocks * sizeof *b->first);
    LLVMGetBasicBlocks(function, b->block);
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        number_block(b, i);
}

void body_free(struct body *b)
{
    LLVMDisposeBuilder(b->builder);
    free(b->block);
    free(b->first);
    free(b->place);
    free(b->item);
}

/* ---- instructions and places: asking ---- */

/* Copies are behind the instructions that were there at first, and few. */
uint32_t body_find(const struct body *b, uint32_t id)
{
    if (id > 0 && id <= b->n_items && b->item[id - 1].id == id)
        return id - 1;
    for (size_t i = b->n_items; i > 0 && b->item[i - 1].id > UINT32_MAX / 2; i--)
        if (b->item[i - 1].id == id)
            return (uint32_t)(i - 1);
    return BODY_NONE;
}

uint32_t body_item_of(const struct body *b, LLVMValueRef v)
{
    for (uint32_t i = 0; i < b->n_items; i++)
        if (b->item[i].value == v)
            return i;
    return BODY_NONE;
}

struct body_point body_point(const struct body *b, uint32_t place)
{
    return (struct body_point){b->place[place].block, b->place[place].order};
}

/* Where operand i of an item is used: a phi's at the end of the block that it comes from */
static struct body_point body_use_point(const struct body *b, uint32_t item, unsigned i)
{
    LLVMValueRef user = b->item[item].value;
    uint32_t block = 0;
    if (LLVMGetInstructionOpcode(user) != LLVMPHI)
        return body_point(b, b->item[item].at);
    while (b->block[block] != LLVMGetIncomingBlock(user, i))
        block++;
    return (struct body_point){block, UINT32_MAX};
}

/* In blocks that cannot be reached everything can be used. */
int body_sees(const struct body *b, struct body_point at, uint32_t place)
{
    const struct body_place *p = &b->place[place];
    if (!b->flow->reachable[at.block])
        return 1;
    if (p->block == at.block)
        return p->order < at.order;
    return flow_dominates(b->flow, p->block, at.block);
}

int body_sees_value(const struct body *b, struct body_point at, LLVMValueRef value)
{
    const uint32_t item = LLVMIsAInstruction(value) ? body_item_of(b, value) : BODY_NONE;
    return item == BODY_NONE || body_sees(b, at, b->item[item].at);
}

uint32_t body_place_for(const struct body *b, uint32_t id)
{
    const uint32_t item = body_find(b, id);
    if (item == BODY_NONE || !b->flow->reachable[b->place[b->item[item].home].block])
        return BODY_NONE;
    const struct body_place *p = &b->place[b->item[item].home];
    while (p->item != BODY_NONE && LLVMGetInstructionOpcode(b->item[p->item].value) == LLVMPHI)
        p = &b->place[p->next];
    return (uint32_t)(p - b->place);
}

uint32_t body_next_live(const struct body *b, uint32_t place)
{
    while (b->place[place].item == BODY_NONE)
        place = b->place[place].next;
    return place;
}

/* ---- instructions and places: changing ---- */

static void body_tell(const struct body *b, LLVMValueRef instruction)
{
    if (b->touch != NULL)
        b->touch(b->user, instruction);
}

uint32_t body_new_place(struct body *b, uint32_t before)
{
    const uint32_t block = b->place[before].block, made = append_place(b, block, 0);
    uint32_t *link = &b->first[block], order = 0;
    for (; *link != before; link = &b->place[*link].next)
        order++;
    *link = made;
    b->place[made].next = before;
    for (uint32_t p = made; p != BODY_NONE; p = b->place[p].next)
        b->place[p].order = order++;
    return made;
}

void body_put(struct body *b, uint32_t item, uint32_t place)
{
    LLVMValueRef v = b->item[item].value;
    const uint32_t next = body_next_live(b, b->place[place].next);
    size_t n = 0;
    char *name = xstrdup(LLVMGetValueName2(v, &n));
    LLVMPositionBuilderBefore(b->builder, b->item[b->place[next].item].value);
    LLVMInsertIntoBuilderWithName(b->builder, v, name); /* which forgets the name it had */
    b->place[place].item = item;
    b->item[item].at = place;
    free(name);
}

uint32_t body_add(struct body *b, LLVMValueRef value, uint32_t id, uint32_t origin, uint32_t place)
{
    const uint32_t item = append_item(b, &(struct body_item){id, origin, value, place, place});
    body_put(b, item, place);
    body_tell(b, value);
    return item;
}

void body_take_out(struct body *b, uint32_t item)
{
    body_tell(b, b->item[item].value);
    LLVMInstructionRemoveFromParent(b->item[item].value);
    b->place[b->item[item].at].item = BODY_NONE;
}

void body_erase(struct body *b, uint32_t item)
{
    body_tell(b, b->item[item].value);
    LLVMInstructionEraseFromParent(b->item[item].value);
    b->place[b->item[item].at].item = BODY_NONE;
    b->item[item].value = NULL;
}

void body_set_operand(struct body *b, uint32_t item, unsigned i, LLVMValueRef value)
{
    body_tell(b, b->item[item].value);
    LLVMSetOperand(b->item[item].value, i, value);
}

void body_replace_uses(struct body *b, uint32_t item, LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(b->item[item].value);
    for (; use != NULL; use = LLVMGetNextUse(use))
        body_tell(b, LLVMGetUser(use));
    LLVMReplaceAllUsesWith(b->item[item].value, value);
}

/* ---- which value an operand takes that needs another one ---- */

/* What stands in a hash for values that have no id: arguments, constants, own operands */
enum { OF_ARGUMENT = 0x70000000, OF_CONSTANT = 0x78000000, OF_OPERAND = 0x7c000000 };

struct choice {
    const struct repair_wish *wish;
    LLVMValueRef best;
    uint64_t least;
};

static void offer(void *user, LLVMValueRef value, uint32_t id)
{
    struct choice *c = user;
    const struct repair_wish *w = c->wish;
    const uint64_t hash = num_mix(w->seed, (uint64_t)w->user << 32 | w->index, id);
    if (value == w->except || (w->id != 0 && id != w->id) || (c->best != NULL && hash >= c->least))
        return;
    c->best = value;
    c->least = hash;
}

/* ---- another value: any ---- */

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

static void tell_constants(LLVMTypeRef type, value_taker *take, void *user)
{
    LLVMValueRef one = constant(type, 1), minus_one = constant(type, -1);
    if (one == NULL)
        return;
    take(user, LLVMConstNull(type), OF_CONSTANT);
    take(user, one, OF_CONSTANT + 1);
    if (minus_one != one)
        take(user, minus_one, OF_CONSTANT + 2);
}

void body_values_at(const struct body *b, struct body_point at, LLVMTypeRef type, value_taker *take,
                    void *user)
{
    for (uint32_t i = 0; i < b->n_items; i++) {
        const struct body_item *item = &b->item[i];
        if (item->value != NULL && LLVMTypeOf(item->value) == type && b->place[item->at].item == i
            && body_sees(b, at, item->at))
            take(user, item->value, item->id);
    }
    for (unsigned i = 0; i < LLVMCountParams(b->function); i++)
        if (LLVMTypeOf(LLVMGetParam(b->function, i)) == type)
            take(user, LLVMGetParam(b->function, i), OF_ARGUMENT + i);
    tell_constants(type, take, user);
}

LLVMValueRef repair_choose(const struct body *b, const struct repair_wish *wish)
{
    struct choice c = {wish, NULL, 0};
    body_values_at(b, wish->at, wish->type, offer, &c);
    if (c.best == NULL)
        offer(&c, LLVMConstNull(wish->type), OF_CONSTANT);
    return c.best;
}

/* ---- another value: of operands ---- */

/* A phi can have several operands of one block, which then have to be the same. */
static void repair(struct body *b, uint32_t user, unsigned i, uint32_t seed)
{
    LLVMValueRef old = LLVMGetOperand(b->item[user].value, i);
    const struct body_point at = body_use_point(b, user, i);
    const int is_phi = LLVMGetInstructionOpcode(b->item[user].value) == LLVMPHI;
    const struct repair_wish wish = {
        seed, 0, b->item[user].id, is_phi ? at.block : i, LLVMTypeOf(old), at, old};
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
        seed, 0, b->item[item].id, UINT32_MAX, LLVMTypeOf(v), body_point(b, b->item[item].at), v};
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
