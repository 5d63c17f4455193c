/* rules.c - what edits may touch, and where an instruction may stand, as far as barriers go
   SPDX-License-Identifier: MIT

   What is not known to be safe to move is left alone. */
#include "module.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- calls ---- */

/* The name of the function that is called, "" through a pointer */
static const char *callee(LLVMValueRef call)
{
    size_t n;
    LLVMValueRef f = LLVMGetCalledValue(call);
    return LLVMIsAFunction(f) ? LLVMGetValueName2(f, &n) : "";
}

/* With one of these words, or more? */
static int begins_with_any(const char *s, const char *words)
{
    for (size_t n; *words != '\0'; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (strncmp(s, words, n) == 0)
            return 1;
    }
    return 0;
}

static const char barriers[] =
    "llvm.amdgcn.s.barrier llvm.amdgcn.wave.barrier llvm.nvvm.barrier llvm.nvvm.bar. "
    "llvm.nvvm.membar. _Z7barrierj _Z18work_group_barrier _Z9mem_fencej _Z14read_mem_fencej "
    "_Z15write_mem_fencej";

/* What stands where it has to, or makes no code; whole families by how their names begin */
static const char fixed[] =
    "llvm.assume llvm.annotation llvm.coro. llvm.dbg. llvm.eh. llvm.experimental. "
    "llvm.frameaddress llvm.gc llvm.invariant. llvm.instrprof. llvm.launder. llvm.lifetime. "
    "llvm.localaddress llvm.localescape llvm.localrecover llvm.preserve. llvm.pseudoprobe "
    "llvm.ptr.annotation llvm.returnaddress llvm.sideeffect llvm.stack llvm.strip. llvm.swift. "
    "llvm.va_ llvm.var.annotation";

/* Of the call, else of the function that it calls; NULL if neither has it */
static LLVMAttributeRef attribute(LLVMValueRef call, LLVMAttributeIndex at, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMValueRef f = LLVMGetCalledValue(call);
    LLVMAttributeRef its = kind == 0 ? NULL : LLVMGetCallSiteEnumAttribute(call, at, kind);
    return its != NULL || kind == 0 || !LLVMIsAFunction(f)
               ? its
               : LLVMGetEnumAttributeAtIndex(f, at, kind);
}

static int has_attribute(LLVMValueRef call, LLVMAttributeIndex at, const char *name)
{
    return attribute(call, at, name) != NULL;
}

/* memory(none) of LLVM 16, readnone of those before */
static int rules_is_free_of_memory(LLVMValueRef call)
{
    LLVMAttributeRef memory = attribute(call, OF_FUNCTION, "memory");
    if (memory == NULL)
        memory = attribute(call, OF_FUNCTION, "readnone");
    return memory != NULL && LLVMGetEnumAttributeValue(memory) == 0;
}

/* Memory that is passed in a way of its own, or an argument that is no value */
static int has_special_argument(LLVMValueRef call)
{
    static const char *const names[] = {"byval", "sret", "inalloca", "preallocated", "swifterror"};
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMMetadataTypeKind)
            return 1;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (has_attribute(call, i + 1, names[k]))
                return 1;
    }
    return 0;
}

/* memcpy and its like: the last argument */
static int is_volatile_copy(LLVMValueRef call)
{
    LLVMValueRef last;
    if (strncmp(callee(call), "llvm.mem", 8) != 0 || LLVMGetNumArgOperands(call) == 0)
        return 0;
    last = LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1);
    return LLVMIsAConstantInt(last) && LLVMConstIntGetZExtValue(last) != 0;
}

/* The C API does not tell musttail, but the text does. */
static int is_bound_to_return(LLVMValueRef call)
{
    if (!LLVMIsTailCall(call))
        return 0;
    char *text = LLVMPrintValueToString(call);
    const int is_bound = strstr(text, "musttail call") != NULL;
    LLVMDisposeMessage(text);
    return is_bound;
}

/* Clang takes each function that OpenCL only declares for one that lanes come to together. Not so
   its functions of numbers, which touch no memory: those of groups do, as far as clang tells. */
static int meets_lanes(LLVMValueRef call)
{
    const char *name = callee(call);
    return has_attribute(call, OF_FUNCTION, "convergent")
           && (strncmp(name, "_Z", 2) != 0 || strstr(name, "_group_") != NULL
               || !rules_is_free_of_memory(call));
}

static enum rules_class class_of_call(LLVMValueRef call)
{
    const char *name = callee(call);
    const int n_others = LLVMGetNumOperands(call) - 1 - (int)LLVMGetNumArgOperands(call);
    if (begins_with_any(name, barriers))
        return RULES_BARRIER;
    if (*name == '\0' || begins_with_any(name, fixed) || n_others > 0 || is_volatile_copy(call)
        || is_bound_to_return(call) || has_special_argument(call) || meets_lanes(call)
        || has_attribute(call, OF_FUNCTION, "returns_twice"))
        return RULES_NEVER;
    return RULES_PLAIN;
}

int rules_is_lifetime(LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) && strncmp(callee(instruction), "llvm.lifetime.", 14) == 0;
}

int rules_is_called(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if ((LLVMIsACallInst(user) || LLVMIsAInvokeInst(user) || LLVMIsACallBrInst(user))
            && LLVMGetCalledValue(user) == value)
            return 1;
    }
    return 0;
}

/* ---- buffers ---- */

static int address_leaves(LLVMValueRef address, int depth);

static int leaves_through(LLVMValueRef user, LLVMValueRef address, int depth)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad: return 0;
    case LLVMStore: return LLVMGetOperand(user, 0) == address;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast: return address_leaves(user, depth + 1);
    case LLVMCall: return strncmp(callee(user), "llvm.mem", 8) != 0 && !rules_is_lifetime(user);
    default: return 1;
    }
}

static int address_leaves(LLVMValueRef address, int depth)
{
    if (depth > 8)
        return 1;
    for (LLVMUseRef use = LLVMGetFirstUse(address); use != NULL; use = LLVMGetNextUse(use))
        if (leaves_through(LLVMGetUser(use), address, depth))
            return 1;
    return 0;
}

/* ---- all ---- */

enum rules_class rules_of(LLVMValueRef v)
{
    if (LLVMIsATerminatorInst(v) || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMTokenTypeKind)
        return RULES_NEVER;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
    case LLVMLandingPad:
    case LLVMCleanupPad:
    case LLVMCatchPad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg: return RULES_NEVER;
    case LLVMFence: return RULES_BARRIER;
    case LLVMAlloca: return address_leaves(v, 0) ? RULES_NEVER : RULES_BUFFER;
    case LLVMCall: return class_of_call(v);
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic
                   ? RULES_NEVER
                   : RULES_PLAIN;
    default: return RULES_PLAIN;
    }
}

/* The fields of a structure are chosen by constants. */
static int is_field(LLVMValueRef gep, unsigned operand)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 2; i < operand; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind && !LLVMIsAConstantInt(index))
            return 1;
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
        else
            type = LLVMGetElementType(type);
    }
    return operand > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind;
}

int rules_operand(LLVMValueRef v, unsigned i)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i)));
    if (rules_of(v) != RULES_PLAIN || kind == LLVMMetadataTypeKind || kind == LLVMLabelTypeKind
        || kind == LLVMTokenTypeKind)
        return 0;
    if (LLVMGetInstructionOpcode(v) == LLVMCall)
        return i < LLVMGetNumArgOperands(v) && !has_attribute(v, i + 1, "immarg");
    return LLVMGetInstructionOpcode(v) != LLVMGetElementPtr || !is_field(v, i);
}

/* ---- barriers ---- */

/* What one lane writes before a barrier, others read behind it. A test sees a race rarely, so that
   edits move no access to memory over a barrier. */

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
    return rules_of(v) == RULES_BARRIER
           || (LLVMIsACallInst(v) && has_attribute(v, OF_FUNCTION, "convergent")
               && touches_memory(v));
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
