/* dominance.c - dominators of blocks, by sets of bits
   SPDX-License-Identifier: MIT

   dominance.h declares it. The sets begin full and shrink until they stay the same: the quick way
   for some hundred blocks at most. */
#include "dominance.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

struct graph {
    LLVMBasicBlockRef *block;
    size_t n;
};

static size_t number_of(const struct graph *g, LLVMBasicBlockRef block)
{
    size_t i = 0;
    while (g->block[i] != block)
        i++;
    return i;
}

static void mark_reachable(const struct graph *g, unsigned char *reachable, size_t from)
{
    size_t *left = xmalloc(g->n * sizeof *left), n = 0;
    reachable[from] = 1;
    left[n++] = from;
    while (n > 0) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[left[--n]]);
        for (unsigned k = 0; end != NULL && k < LLVMGetNumSuccessors(end); k++) {
            const size_t to = number_of(g, LLVMGetSuccessor(end, k));
            if (!reachable[to])
                reachable[to] = 1, left[n++] = to;
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

static int narrow_all(struct flow *f, const struct graph *g)
{
    int changed = 0;
    for (size_t i = 0; i < g->n; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[i]);
        for (unsigned k = 0; f->reachable[i] && end != NULL && k < LLVMGetNumSuccessors(end); k++)
            changed |= narrow(f, i, number_of(g, LLVMGetSuccessor(end, k)));
    }
    return changed;
}

void flow_make(struct flow *f, LLVMValueRef function)
{
    struct graph g = {NULL, LLVMCountBasicBlocks(function)};
    g.block = xmalloc(g.n * sizeof(LLVMBasicBlockRef));
    LLVMGetBasicBlocks(function, g.block);
    f->n_blocks = g.n;
    f->words = (g.n + 63) / 64;
    f->dominators = xmalloc(g.n * f->words * sizeof *f->dominators);
    f->reachable = xcalloc(g.n, 1);
    memset(f->dominators, 0xff, g.n * f->words * sizeof *f->dominators);
    memset(f->dominators, 0, f->words * sizeof *f->dominators);
    f->dominators[0] = 1; /* the entry has no other */
    mark_reachable(&g, f->reachable, 0);
    while (narrow_all(f, &g))
        ;
    free(g.block);
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
