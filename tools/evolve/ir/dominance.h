/* dominance.h - which blocks of a function are passed through before which others
   SPDX-License-Identifier: MIT

   Edits leave terminators alone: what is found of a function is true of each of its variants, whose
   blocks have the same numbers. */
#pragma once

#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdint.h>

struct flow {
    size_t n_blocks, words;
    uint64_t *dominators;     /* of each block, as a set of bits: `words` for each */
    unsigned char *reachable; /* from the entry */
};

void flow_make(struct flow *f, LLVMValueRef function);
void flow_free(struct flow *f);
int flow_dominates(const struct flow *f, uint32_t block, uint32_t of);
