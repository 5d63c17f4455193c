/* barriers.c - where an instruction may stand, as far as barriers go
   SPDX-License-Identifier: MIT

   What one lane writes before a barrier, others read behind it. A test sees a race rarely, so that
   edits move no access to memory over a barrier. */
#include "module.h"

#include "base/util.h"

#include <stdlib.h>

static int touches_memory(LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return 1;
    case LLVMCall: return !rules_is_free_of_memory(v);
    default: return 0;
    }
}

/* Is there a way of one step or more from a block to another one, other than through `without`? */
static int leads(const struct body *b, uint32_t from, uint32_t to, uint32_t without)
{
    unsigned char *reached = xcalloc(b->flow->n_blocks, 1);
    flow_reach(b->block, b->flow->n_blocks, from, without, reached);
    const int found = reached[to];
    free(reached);
    return found;
}

/* Is the barrier passed on a way from the first point to the second one, that does not come to the
   first one again? The first one's block is on each way to the second one. */
static int is_between(const struct body *b, struct body_point barrier, struct body_point first,
                      struct body_point second)
{
    if (first.block == second.block)
        return barrier.block == first.block && barrier.order > first.order
               && barrier.order < second.order;
    if (barrier.block == first.block)
        return barrier.order > first.order;
    if (barrier.block == second.block && barrier.order < second.order)
        return 1;
    return leads(b, barrier.block, second.block, first.block);
}

/* Two points in their order: 0, or -1 if there is a way to each that does not pass the other */
static int put_in_order(const struct body *b, struct body_point *first, struct body_point *second)
{
    const struct body_point a = *first;
    const int is_turned = a.block == second->block
                              ? second->order < a.order
                              : flow_dominates(b->flow, second->block, a.block);
    if (a.block != second->block && !is_turned && !flow_dominates(b->flow, a.block, second->block))
        return -1;
    if (is_turned)
        *first = *second, *second = a;
    return 0;
}

/* A fence, a barrier, or another call that lanes come to together */
static int is_barrier(LLVMValueRef v)
{
    return rules_of(v) == RULES_BARRIER || (rules_is_convergent(v) && touches_memory(v));
}

int barriers_allow(const struct body *b, uint32_t item, uint32_t place)
{
    struct body_point first = body_point(b, b->item[item].at), second = body_point(b, place);
    int is_ordered = 0;
    if (!touches_memory(b->item[item].value))
        return 1;
    for (uint32_t i = 0; i < b->n_items; i++) {
        if (b->item[i].value == NULL || !is_barrier(b->item[i].value))
            continue;
        if (!is_ordered && put_in_order(b, &first, &second) != 0)
            return 0;
        is_ordered = 1;
        if (is_between(b, body_point(b, b->item[i].at), first, second))
            return 0;
    }
    return 1;
}
