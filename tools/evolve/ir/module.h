/* module.h - what the files of ir/ share: a kernel, and its function while it is edited
   SPDX-License-Identifier: MIT

   Edits leave terminators alone: what is found of a function's blocks is true of each of its
   variants, whose blocks have the same numbers. */
#pragma once

#include "evolve/ir/ir.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stddef.h>
#include <stdint.h>

/* ---- which blocks of a function are passed through before which others ---- */

struct flow {
    size_t n_blocks, words;
    uint64_t *dominators;     /* of each block, as a set of bits: `words` for each */
    unsigned char *reachable; /* from the entry */
};

void flow_make(struct flow *f, LLVMValueRef function);
void flow_free(struct flow *f);
/* Marks the blocks that are reached from one of n by a step or more, and by none behind `without`
   (n: there is no such block). */
void flow_reach(const LLVMBasicBlockRef *block, size_t n, size_t from, size_t without,
                unsigned char *reached);
int flow_dominates(const struct flow *f, uint32_t block, uint32_t of);

/* ---- a kernel ---- */

#define OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

struct ir {
    char *path, *function;
    struct ir_passes passes;
    int edit_barriers, is_host, has_no_cpu;
    LLVMContextRef context;
    LLVMModuleRef module; /* behind the passes, without debug information; it is only cloned */
    LLVMModuleRef sketch; /* the same without metadata: to see what applies */
    LLVMTargetMachineRef machine, quick; /* quick: its code is made soon, and slow */
    struct flow flow;
    size_t n;     /* instructions */
    int *line;    /* of each instruction, in the source; 0 */
    int n_errors; /* that LLVM has told so far */
    char *error;  /* the last of them, LLVM's, or NULL */
};

/* The target machines of a triple; -1 with a message */
int target_make(struct ir *ir, const struct ir_source *source);
/* Sets processor and features of this machine for those functions that have none. */
void target_mark_native(LLVMModuleRef module);
const char *target_host(void); /* its triple */

/* Runs LLVM's passes; -1 with a message */
int passes_run(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct ir_passes *passes);
/* A clone of the module with a list of edits, verified and behind passes; NULL with why not */
LLVMModuleRef build_module(struct ir *ir, const struct edits *list, const struct ir_passes *passes,
                           enum outcome *why);

/* ---- a function that is being edited: its instructions by their ids, and their places ---- */

/* The instructions of the function that a search starts from have the ids 1, 2, ... in their
   order. Each also names a place, the one where it stood at first: a place stays when its
   instruction is deleted or moved away. What is copied or moved somewhere gets a place of its
   own in front of the place that the edit names, and behind what earlier edits put there. */

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

/* ---- body: asking ---- */

uint32_t body_find(const struct body *b, uint32_t id);       /* an item, or BODY_NONE */
uint32_t body_item_of(const struct body *b, LLVMValueRef v); /* the same of an instruction */
struct body_point body_point(const struct body *b, uint32_t place);
/* Can the instruction at that place be used there? */
int body_sees(const struct body *b, struct body_point at, uint32_t place);
/* The same of any value */
int body_sees_value(const struct body *b, struct body_point at, LLVMValueRef value);
/* The place in front of which an instruction can be put for that id: behind the phis of its block;
   or BODY_NONE. */
uint32_t body_place_for(const struct body *b, uint32_t id);
/* The first place from there on where something stands; a block ends with a terminator */
uint32_t body_next_live(const struct body *b, uint32_t place);

/* ---- body: changing ---- */

/* A new place in front of another one, with nothing there */
uint32_t body_new_place(struct body *b, uint32_t before);
/* An instruction that is in no block gets an id and that place. */
uint32_t body_add(struct body *b, LLVMValueRef value, uint32_t id, uint32_t origin, uint32_t place);
void body_take_out(struct body *b, uint32_t item); /* of the function, to be put elsewhere */
void body_put(struct body *b, uint32_t item, uint32_t place);
void body_erase(struct body *b, uint32_t item); /* nothing may use it any more */
void body_set_operand(struct body *b, uint32_t item, unsigned i, LLVMValueRef value);
void body_replace_uses(struct body *b, uint32_t item, LLVMValueRef value);

/* ---- what edits may touch ---- */

enum rules_class {
    RULES_NEVER, /* terminators, phis, calls through a pointer, what is volatile or atomic, ... */
    RULES_PLAIN,
    RULES_BUFFER, /* an alloca whose address stays in the function: may be deleted, no more */
    RULES_BARRIER /* of a GPU, and fences */
};

enum rules_class rules_of(LLVMValueRef instruction);
int rules_is_lifetime(LLVMValueRef instruction); /* llvm.lifetime.start and its like */
int rules_is_called(LLVMValueRef value);         /* does a call go through it? */
/* May the instruction's operand i be another value of the same type? */
int rules_operand(LLVMValueRef instruction, unsigned i);

/* May the item's instruction stand at that place, too? An access to memory passes no barrier. */
int barriers_allow(const struct body *b, uint32_t item, uint32_t place);

/* ---- which value an operand takes that needs another one ---- */

/* Tells each value of the type that can be used at that point, with an id: instructions in their
   order, arguments, and a number's 0, 1 and -1. */
typedef void value_taker(void *user, LLVMValueRef value, uint32_t id);
void body_values_at(const struct body *b, struct body_point at, LLVMTypeRef type, value_taker *take,
                    void *user);

/* Every choice is by the least hash of the edit's seed, of the operand and of the value: the
   edit makes the same choice whatever the other edits do, as long as that value is there. */

struct repair_wish {
    uint32_t seed;
    uint32_t id;          /* of the value that it has to be; 0: any */
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

/* ---- what each edit does to a function ---- */

enum { N_OPERATORS = OP_CONSTANT }; /* those before it */

/* Does the edit apply to the function as it is? Barriers are touched only if `barriers` is set. */
int operators_fit(const struct body *b, const struct edit *e, int barriers);
/* Why it does not, in words */
const char *operators_refusal(const struct body *b, const struct edit *e, int barriers);
/* Applies one that fits. */
void operators_do(struct body *b, const struct edit *e);
/* Applies a list up to the first edit that does not fit: is there none? */
int operators_do_all(struct body *b, const struct edits *list, int barriers);
