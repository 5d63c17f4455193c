/* operators.c - what edits may touch, and what each does to a function
   SPDX-License-Identifier: MIT

   What is not known to be safe to move is left alone. */
#include "module.h"

#include "base/numbers.h"

#include <string.h>

/* ---- rules: calls ---- */

/* The name of the function that is called, "" through a pointer */
static const char *callee(LLVMValueRef call)
{
    size_t n;
    LLVMValueRef f = LLVMGetCalledValue(call);
    return LLVMIsAFunction(f) ? LLVMGetValueName2(f, &n) : "";
}

static int begins_with_any(const char *s, const char *const *starts)
{
    for (; *starts != NULL; starts++)
        if (strncmp(s, *starts, strlen(*starts)) == 0)
            return 1;
    return 0;
}

static int is_barrier(const char *name)
{
    static const char *const names[] = {"llvm.amdgcn.s.barrier",
                                        "llvm.amdgcn.wave.barrier",
                                        "llvm.nvvm.barrier",
                                        "llvm.nvvm.bar.",
                                        "llvm.nvvm.membar.",
                                        "_Z7barrierj",
                                        "_Z18work_group_barrier",
                                        "_Z9mem_fencej",
                                        "_Z14read_mem_fencej",
                                        "_Z15write_mem_fencej",
                                        NULL};
    return begins_with_any(name, names);
}

/* What stands where it has to, or makes no code; whole families by how their names begin */
static int is_fixed(const char *name)
{
    static const char *const names[] = {"llvm.assume",
                                        "llvm.annotation",
                                        "llvm.coro.",
                                        "llvm.dbg.",
                                        "llvm.eh.",
                                        "llvm.experimental.",
                                        "llvm.frameaddress",
                                        "llvm.gc",
                                        "llvm.invariant.",
                                        "llvm.instrprof.",
                                        "llvm.launder.",
                                        "llvm.lifetime.",
                                        "llvm.localaddress",
                                        "llvm.localescape",
                                        "llvm.localrecover",
                                        "llvm.preserve.",
                                        "llvm.pseudoprobe",
                                        "llvm.ptr.annotation",
                                        "llvm.returnaddress",
                                        "llvm.sideeffect",
                                        "llvm.stack",
                                        "llvm.strip.",
                                        "llvm.swift.",
                                        "llvm.va_",
                                        "llvm.var.annotation",
                                        NULL};
    return begins_with_any(name, names);
}

static int has_attribute(LLVMValueRef call, LLVMAttributeIndex at, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMValueRef f = LLVMGetCalledValue(call);
    return LLVMGetCallSiteEnumAttribute(call, at, kind) != NULL
           || (LLVMIsAFunction(f) && LLVMGetEnumAttributeAtIndex(f, at, kind) != NULL);
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

static enum rules_class class_of_call(LLVMValueRef call)
{
    const char *name = callee(call);
    const int n_others = LLVMGetNumOperands(call) - 1 - (int)LLVMGetNumArgOperands(call);
    if (is_barrier(name))
        return RULES_BARRIER;
    if (*name == '\0' || is_fixed(name) || n_others > 0 || is_volatile_copy(call)
        || is_bound_to_return(call) || has_special_argument(call)
        || has_attribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "convergent")
        || has_attribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "returns_twice"))
        return RULES_NEVER;
    return RULES_PLAIN;
}

/* llvm.lifetime.start and its like */
static int rules_is_lifetime(LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) && strncmp(callee(instruction), "llvm.lifetime.", 14) == 0;
}

/* Does a call go through this value? */
static int rules_is_called(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if ((LLVMIsACallInst(user) || LLVMIsAInvokeInst(user) || LLVMIsACallBrInst(user))
            && LLVMGetCalledValue(user) == value)
            return 1;
    }
    return 0;
}

int rules_is_convergent(LLVMValueRef v)
{
    return LLVMIsACallInst(v)
           && has_attribute(v, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "convergent");
}

/* ---- rules: buffers ---- */

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

/* ---- rules: all ---- */

static int is_ordinary_access(LLVMValueRef v)
{
    return !LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic;
}

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
    case LLVMStore: return is_ordinary_access(v) ? RULES_PLAIN : RULES_NEVER;
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

/* May its operand i be another value of the same type? */
static int rules_operand(LLVMValueRef v, unsigned i)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, i)));
    if (rules_of(v) != RULES_PLAIN || kind == LLVMMetadataTypeKind || kind == LLVMLabelTypeKind
        || kind == LLVMTokenTypeKind)
        return 0;
    if (LLVMGetInstructionOpcode(v) == LLVMCall)
        return i < LLVMGetNumArgOperands(v) && !has_attribute(v, i + 1, "immarg");
    return LLVMGetInstructionOpcode(v) != LLVMGetElementPtr || !is_field(v, i);
}

/* Each operator first says whether an edit fits; what it then does cannot fail and leaves a
   function that LLVM's verifier accepts. */

/* ---- what fits ---- */

/* The item that an edit is about, if there is one that may be touched */
static uint32_t subject(const struct body *b, uint32_t id, int barriers)
{
    const uint32_t item = body_find(b, id);
    if (item == BODY_NONE || b->item[item].value == NULL
        || !b->flow->reachable[b->place[b->item[item].at].block])
        return BODY_NONE;
    const enum rules_class class = rules_of(b->item[item].value);
    const int is_allowed = class == RULES_BARRIER ? barriers : class != RULES_NEVER;
    return is_allowed && !rules_is_called(b->item[item].value) ? item : BODY_NONE;
}

static enum rules_class class_of(const struct body *b, uint32_t item)
{
    return item == BODY_NONE ? RULES_NEVER : rules_of(b->item[item].value);
}

static int may_stand_elsewhere(enum rules_class class)
{
    return class == RULES_PLAIN || class == RULES_BARRIER;
}

static uint32_t id_of_copy(const struct edit *e)
{
    const uint64_t first = num_mix(e->seed, e->what, e->where);
    return (uint32_t)num_mix(first, e->op, e->index) | UINT32_C(0x80000000);
}

static int fits_delete(const struct body *b, const struct edit *e, int barriers)
{
    return subject(b, e->what, barriers) != BODY_NONE;
}

/* Where a copy's result goes: an operand of its type that sees the copy */
struct target {
    uint32_t item;
    unsigned operand;
};

/* A random one, by the least hash; item BODY_NONE if there is none. */
static struct target target_of(const struct body *b, const struct edit *e, LLVMValueRef source,
                               uint32_t place)
{
    struct target best = {BODY_NONE, 0};
    uint64_t least = UINT64_MAX;
    for (uint32_t user = 0; user < b->n_items; user++) {
        LLVMValueRef u = b->item[user].value;
        /* A new place would be in front of this one: what stands at this one would see it. */
        const int sees =
            u != NULL
            && (b->item[user].at == place || body_sees(b, body_point(b, b->item[user].at), place));
        for (unsigned i = 0; sees && i < (unsigned)LLVMGetNumOperands(u); i++) {
            const uint64_t hash = num_mix(e->seed, b->item[user].id, i);
            if (LLVMTypeOf(LLVMGetOperand(u, i)) == LLVMTypeOf(source) && hash < least
                && rules_operand(u, i))
                best = (struct target){user, i}, least = hash;
        }
    }
    return best;
}

static int fits_copy(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = subject(b, e->what, barriers);
    const uint32_t place = body_place_for(b, e->where);
    if (!may_stand_elsewhere(class_of(b, item)) || place == BODY_NONE
        || body_find(b, id_of_copy(e)) != BODY_NONE || !barriers_allow(b, item, place))
        return 0;
    LLVMValueRef v = b->item[item].value;
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind
           || target_of(b, e, v, place).item != BODY_NONE;
}

/* To where it stands already, is no move. */
static int fits_move(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = subject(b, e->what, barriers);
    const uint32_t place = body_place_for(b, e->where);
    if (!may_stand_elsewhere(class_of(b, item)) || place == BODY_NONE
        || !barriers_allow(b, item, place))
        return 0;
    const uint32_t before = body_next_live(b, place);
    return before != b->item[item].at
           && before != body_next_live(b, b->place[b->item[item].at].next);
}

/* Barriers are replaced by barriers only. */
static int fits_replace(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t x = subject(b, e->what, barriers), y = subject(b, e->where, barriers);
    return x != y && may_stand_elsewhere(class_of(b, x)) && class_of(b, x) == class_of(b, y)
           && LLVMTypeOf(b->item[x].value) == LLVMTypeOf(b->item[y].value)
           && body_find(b, id_of_copy(e)) == BODY_NONE && barriers_allow(b, y, b->item[x].at);
}

static int fits_swap(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t x = subject(b, e->what, barriers), y = subject(b, e->where, barriers);
    return x != y && may_stand_elsewhere(class_of(b, x)) && may_stand_elsewhere(class_of(b, y))
           && barriers_allow(b, x, b->item[y].at) && barriers_allow(b, y, b->item[x].at);
}

static LLVMValueRef other_operand(const struct body *b, uint32_t item, const struct edit *e)
{
    LLVMValueRef old = LLVMGetOperand(b->item[item].value, e->index);
    const struct repair_wish wish = {
        e->seed, e->what, e->index, LLVMTypeOf(old), body_point(b, b->item[item].at), old};
    return repair_choose(b, &wish);
}

static int fits_operand(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = subject(b, e->what, barriers);
    return class_of(b, item) == RULES_PLAIN
           && e->index < (unsigned)LLVMGetNumOperands(b->item[item].value)
           && rules_operand(b->item[item].value, e->index) && other_operand(b, item, e) != NULL;
}

/* ---- what is done ---- */

/* The compiler is told when a buffer is in use: of one that is gone this must not be said of what
   takes its place. */
static void erase_lifetimes(struct body *b, LLVMValueRef buffer)
{
    for (uint32_t i = 0; i < b->n_items; i++) {
        LLVMValueRef v = b->item[i].value;
        if (v != NULL && rules_is_lifetime(v) && LLVMGetOperand(v, 1) == buffer)
            body_erase(b, i);
    }
}

static void do_delete(struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what);
    LLVMValueRef v = b->item[item].value;
    if (rules_of(v) == RULES_BUFFER)
        erase_lifetimes(b, v);
    if (LLVMGetFirstUse(v) != NULL)
        body_replace_uses(b, item, repair_substitute(b, item, e->seed));
    body_erase(b, item);
}

/* A clone at a place, with operands that can be used there */
static uint32_t add_clone(struct body *b, const struct edit *e, uint32_t source, uint32_t place)
{
    size_t n;
    LLVMValueRef v = b->item[source].value, clone = LLVMInstructionClone(v);
    const char *name = LLVMGetValueName2(v, &n);
    LLVMSetValueName2(clone, name, n);
    const uint32_t item = body_add(b, clone, id_of_copy(e), b->item[source].origin, place);
    repair_operands(b, item, e->seed);
    return item;
}

static void do_copy(struct body *b, const struct edit *e)
{
    const uint32_t source = body_find(b, e->what), place = body_place_for(b, e->where);
    LLVMValueRef v = b->item[source].value;
    const struct target to = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind
                                 ? (struct target){BODY_NONE, 0}
                                 : target_of(b, e, v, place);
    const uint32_t clone = add_clone(b, e, source, body_new_place(b, place));
    if (to.item != BODY_NONE)
        body_set_operand(b, to.item, to.operand, b->item[clone].value);
}

static void do_move(struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what);
    const uint32_t place = body_new_place(b, body_place_for(b, e->where));
    body_take_out(b, item);
    body_put(b, item, place);
    repair_operands(b, item, e->seed);
    repair_uses(b, item, e->seed);
}

static void do_replace(struct body *b, const struct edit *e)
{
    const uint32_t old = body_find(b, e->what);
    const uint32_t place = b->item[old].at;
    const uint32_t clone = add_clone(b, e, body_find(b, e->where), place);
    if (LLVMGetFirstUse(b->item[old].value) != NULL)
        body_replace_uses(b, old, b->item[clone].value);
    body_erase(b, old);
    b->place[place].item = clone;
}

static void do_swap(struct body *b, const struct edit *e)
{
    const uint32_t x = body_find(b, e->what), y = body_find(b, e->where);
    const uint32_t x_at = b->item[x].at, y_at = b->item[y].at;
    body_take_out(b, x);
    body_take_out(b, y);
    body_put(b, y, x_at);
    body_put(b, x, y_at);
    repair_operands(b, x, e->seed);
    repair_operands(b, y, e->seed);
    repair_uses(b, x, e->seed);
    repair_uses(b, y, e->seed);
}

static void do_operand(struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what);
    body_set_operand(b, item, e->index, other_operand(b, item, e));
}

/* ---- all ---- */

static const struct {
    int (*fits)(const struct body *b, const struct edit *e, int barriers);
    void (*act)(struct body *b, const struct edit *e);
} operators[N_OPERATORS] = {
    {fits_delete, do_delete},   {fits_copy, do_copy}, {fits_move, do_move},
    {fits_replace, do_replace}, {fits_swap, do_swap}, {fits_operand, do_operand},
};

int operators_fit(const struct body *b, const struct edit *e, int barriers)
{
    return e->op < N_OPERATORS && operators[e->op].fits(b, e, barriers);
}

/* Does what it moves pass a barrier? */
static int passes_barrier(const struct body *b, const struct edit *e)
{
    const uint32_t item = body_find(b, e->what), other = body_find(b, e->where);
    const int trades = e->op == OP_REPLACE || e->op == OP_SWAP;
    if (trades)
        return other != BODY_NONE && b->item[other].value != NULL
               && (!barriers_allow(b, other, b->item[item].at)
                   || (e->op == OP_SWAP && !barriers_allow(b, item, b->item[other].at)));
    const uint32_t place = body_place_for(b, e->where);
    return (e->op == OP_COPY || e->op == OP_MOVE) && place != BODY_NONE
           && !barriers_allow(b, item, place);
}

const char *operators_refusal(const struct body *b, const struct edit *e, int barriers)
{
    const uint32_t item = body_find(b, e->what);
    if (item == BODY_NONE || b->item[item].value == NULL)
        return "there is no instruction of that number";
    if (rules_of(b->item[item].value) == RULES_BARRIER && !barriers)
        return "it is about a barrier, which --barriers permits";
    if (subject(b, e->what, barriers) == BODY_NONE)
        return "it is about an instruction that is never edited";
    return passes_barrier(b, e) ? "an access to memory would pass a barrier"
                                : "its place, operand or type does not fit";
}

void operators_do(struct body *b, const struct edit *e)
{
    operators[e->op].act(b, e);
}

int operators_do_all(struct body *b, const struct edits *list, int barriers)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!operators_fit(b, &list->v[i], barriers))
            return 0;
        operators_do(b, &list->v[i]);
    }
    return 1;
}
