/* repair.h - which value an operand takes that needs another one
   SPDX-License-Identifier: MIT

   Every choice is by the least hash of the edit's seed, of the operand and of the value: the edit
   makes the same choice whatever the other edits do, as long as that value is there. */
#pragma once

#include "body.h"

struct repair_wish {
    uint32_t seed;
    uint32_t user, index; /* an id, and an operand; where it is the same, so is the choice */
    LLVMTypeRef type;
    struct body_point at;
    LLVMValueRef except; /* a value that it must not be, or NULL */
};

/* A value of the type that can be used there: an argument, an instruction, 0, 1 or -1; a null
   pointer only where there is nothing else. NULL where there is none. */
LLVMValueRef repair_choose(const struct body *b, const struct repair_wish *wish);
/* Gives another value to each operand of the item that its place does not see. */
void repair_operands(struct body *b, uint32_t item, uint32_t seed);
/* The same for the uses of the item that do not see it */
void repair_uses(struct body *b, uint32_t item, uint32_t seed);
/* What takes the place of an item that is deleted: every other time one of its own operands, if
   there is one of its type; for a load, also what was last stored there in its block. */
LLVMValueRef repair_substitute(const struct body *b, uint32_t item, uint32_t seed);
