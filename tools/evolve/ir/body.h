/* body.h - a function that is being edited: its instructions by their ids, and their places
   SPDX-License-Identifier: MIT

   The instructions of the function that a search starts from have the ids 1, 2, ... in their order.
   Each also names a place, the one where it stood at first: a place stays when its instruction is
   deleted or moved away. What is copied or moved somewhere gets a place of its own in front of the
   place that the edit names, and behind what earlier edits put there. */
#pragma once

#include "dominance.h"

#define BODY_NONE UINT32_MAX

struct body_place {
    uint32_t block, order; /* the number of its block, and its rank there */
    uint32_t next;         /* the place behind it in the block, or BODY_NONE */
    uint32_t item;         /* what stands there, or BODY_NONE */
};

struct body_item {
    uint32_t id, origin; /* origin: the id of the instruction that it was copied from, or its own */
    LLVMValueRef value;  /* NULL when it has been deleted */
    uint32_t home, at;   /* the place that its id names, and the one where it stands */
};

struct body {
    LLVMValueRef function;
    const struct flow *flow;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef *block;
    uint32_t *first; /* of each block's places */
    struct body_place *place;
    size_t n_places, cap_places;
    struct body_item *item; /* the instruction with id i is the item i - 1 */
    size_t n_items, cap_items;
    /* Told of each instruction before it changes, and of each new one; NULL: nobody is */
    void (*touch)(void *user, LLVMValueRef instruction);
    void *user;
};

/* Where a value is used: what stands before this point can be used there. */
struct body_point {
    uint32_t block, order;
};

void body_make(struct body *b, LLVMValueRef function, const struct flow *flow);
void body_free(struct body *b); /* the function stays */

/* ---- asking ---- */

uint32_t body_find(const struct body *b, uint32_t id);       /* an item, or BODY_NONE */
uint32_t body_item_of(const struct body *b, LLVMValueRef v); /* the same of an instruction */
struct body_point body_point(const struct body *b, uint32_t place);
/* Where operand i of an item is used: a phi's at the end of the block that it comes from */
struct body_point body_use_point(const struct body *b, uint32_t item, unsigned i);
/* Can the instruction at that place be used there? */
int body_sees(const struct body *b, struct body_point at, uint32_t place);
/* The same of any value */
int body_sees_value(const struct body *b, struct body_point at, LLVMValueRef value);
/* The place in front of which an instruction can be put for that id: behind the phis of its block;
   or BODY_NONE. */
uint32_t body_place_for(const struct body *b, uint32_t id);
/* The first place from there on where something stands; a block ends with a terminator */
uint32_t body_next_live(const struct body *b, uint32_t place);

/* ---- changing ---- */

/* A new place in front of another one, with nothing there */
uint32_t body_new_place(struct body *b, uint32_t before);
/* An instruction that is in no block gets an id and that place. */
uint32_t body_add(struct body *b, LLVMValueRef value, uint32_t id, uint32_t origin, uint32_t place);
void body_take_out(struct body *b, uint32_t item); /* of the function, to be put elsewhere */
void body_put(struct body *b, uint32_t item, uint32_t place);
void body_erase(struct body *b, uint32_t item); /* nothing may use it any more */
void body_set_operand(struct body *b, uint32_t item, unsigned i, LLVMValueRef value);
void body_replace_uses(struct body *b, uint32_t item, LLVMValueRef value);
