/* body.c - a function that is being edited
   SPDX-License-Identifier: MIT

   body.h declares it. */
#include "body.h"

#include "base/util.h"

#include <stdlib.h>

/* ---- from a function ---- */

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

/* ---- asking ---- */

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

struct body_point body_use_point(const struct body *b, uint32_t item, unsigned i)
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

static int holds_phi(const struct body *b, uint32_t place)
{
    const uint32_t item = b->place[place].item;
    return item != BODY_NONE && LLVMGetInstructionOpcode(b->item[item].value) == LLVMPHI;
}

uint32_t body_place_for(const struct body *b, uint32_t id)
{
    const uint32_t item = body_find(b, id);
    if (item == BODY_NONE || !b->flow->reachable[b->place[b->item[item].home].block])
        return BODY_NONE;
    uint32_t place = b->item[item].home;
    while (holds_phi(b, place))
        place = b->place[place].next;
    return place;
}

uint32_t body_next_live(const struct body *b, uint32_t place)
{
    while (b->place[place].item == BODY_NONE)
        place = b->place[place].next;
    return place;
}

/* ---- changing ---- */

static void tell(const struct body *b, LLVMValueRef instruction)
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
    tell(b, value);
    return item;
}

void body_take_out(struct body *b, uint32_t item)
{
    tell(b, b->item[item].value);
    LLVMInstructionRemoveFromParent(b->item[item].value);
    b->place[b->item[item].at].item = BODY_NONE;
}

void body_erase(struct body *b, uint32_t item)
{
    tell(b, b->item[item].value);
    LLVMInstructionEraseFromParent(b->item[item].value);
    b->place[b->item[item].at].item = BODY_NONE;
    b->item[item].value = NULL;
}

void body_set_operand(struct body *b, uint32_t item, unsigned i, LLVMValueRef value)
{
    tell(b, b->item[item].value);
    LLVMSetOperand(b->item[item].value, i, value);
}

void body_replace_uses(struct body *b, uint32_t item, LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(b->item[item].value);
    for (; use != NULL; use = LLVMGetNextUse(use))
        tell(b, LLVMGetUser(use));
    LLVMReplaceAllUsesWith(b->item[item].value, value);
}
