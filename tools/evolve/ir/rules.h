/* rules.h - what edits may touch
   SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

enum rules_class {
    RULES_NEVER, /* terminators, phis, calls through a pointer, what is volatile or atomic, ... */
    RULES_PLAIN,
    RULES_BUFFER, /* an alloca whose address stays in the function: may be deleted, no more */
    RULES_BARRIER /* of a GPU, and fences */
};

enum rules_class rules_of(LLVMValueRef instruction);
/* May its operand i be another value of the same type? */
int rules_operand(LLVMValueRef instruction, unsigned i);
/* Does a call go through this value? */
int rules_is_called(LLVMValueRef value);
/* llvm.lifetime.start and its like */
int rules_is_lifetime(LLVMValueRef instruction);
