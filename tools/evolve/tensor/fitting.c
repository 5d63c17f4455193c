/* fitting.c - which value an operand takes that needs another one, and how it gets its shape
   SPDX-License-Identifier: MIT

   fitting.h declares it. */
#include "fitting.h"

#include "base/numbers.h"

enum { OF_ARGUMENT = 0x70000000 }; /* in a hash for arguments, which have no id */

/* ---- shapes ---- */

static MlirBlock block_of_function(MlirModule module)
{
    MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

/* It follows from the edit alone, and from how many it needs. */
static uint32_t new_id(const struct graph *g, uint32_t seed)
{
    uint32_t id, k = 0;
    do
        id = (uint32_t)num_mix(seed, UINT32_MAX, k++) | UINT32_C(0x80000000);
    while (graph_find(g, id) != GRAPH_NONE);
    return id;
}

/* The operations of a function of one value, in front of another operation: what they come to */
static MlirValue take_over(struct graph *g, MlirModule from, MlirValue value, MlirOperation before,
                           uint32_t seed)
{
    MlirBlock block = block_of_function(from);
    MlirOperation end = mlirBlockGetTerminator(block), op = mlirBlockGetFirstOperation(block);
    graph_replace_uses(mlirBlockGetArgument(block, 0), value);
    while (!mlirOperationEqual(op, end)) {
        MlirOperation next = mlirOperationGetNextInBlock(op);
        const uint32_t id = new_id(g, seed);
        mlirOperationRemoveFromParent(op);
        graph_add(g, op, id, id, graph_at_op(g, before));
        op = next;
    }
    return mlirOperationGetOperand(end, 0);
}

MlirValue fitting_shape(struct graph *g, MlirValue value, MlirType type, MlirOperation before,
                        uint32_t seed)
{
    struct shape from, to;
    struct buf text = {0};
    if (mlirTypeEqual(mlirValueGetType(value), type))
        return value;
    if (graph_shape(mlirValueGetType(value), &from) != 0 || graph_shape(type, &to) != 0)
        return (MlirValue){NULL};
    shape_change(&from, &to, &text, g->told);
    MlirModule module = mlirModuleCreateParse(g->context, mlirStringRefCreate(text.s, text.n));
    buf_free(&text);
    if (mlirModuleIsNull(module))
        return (MlirValue){NULL};
    value = take_over(g, module, value, before, seed);
    mlirModuleDestroy(module);
    return value;
}

/* ---- choices ---- */

enum tier { OWN_EQUAL, EQUAL, OWN_ANY, ANY };

struct choice {
    struct graph *g;
    const struct fitting_wish *wish;
    size_t at;
    enum tier tier;
    MlirValue best;
    uint64_t least;
};

/* What it reads: the last of several operands says where the result begins. */
static int is_own(const struct choice *c, MlirValue value)
{
    if (mlirOperationIsNull(c->wish->own))
        return 0;
    const intptr_t n = mlirOperationGetNumOperands(c->wish->own);
    for (intptr_t i = 0; i < (n > 1 ? n - 1 : n); i++)
        if (mlirValueEqual(mlirOperationGetOperand(c->wish->own, i), value))
            return 1;
    return 0;
}

static int is_wanted(const struct choice *c, MlirValue value)
{
    struct shape s;
    if (mlirValueEqual(value, c->wish->except)
        || ((c->tier == OWN_EQUAL || c->tier == OWN_ANY) && !is_own(c, value)))
        return 0;
    if (c->tier == OWN_EQUAL || c->tier == EQUAL)
        return mlirTypeEqual(mlirValueGetType(value), c->wish->type);
    return graph_shape(mlirValueGetType(value), &s) == 0 && graph_shape(c->wish->type, &s) == 0;
}

static void offer(struct choice *c, MlirValue value, uint32_t id)
{
    const struct fitting_wish *w = c->wish;
    const uint64_t hash = num_mix(w->seed, (uint64_t)w->user << 32 | w->index, id);
    if (!is_wanted(c, value) || (!mlirValueIsNull(c->best) && hash >= c->least))
        return;
    c->best = value;
    c->least = hash;
}

static void offer_all(struct choice *c)
{
    const struct graph *g = c->g;
    for (size_t i = 0; i < c->at; i++) {
        const uint32_t node = g->place[i].node;
        if (node != GRAPH_NONE && mlirOperationGetNumResults(g->node[node].op) == 1)
            offer(c, mlirOperationGetResult(g->node[node].op, 0), g->node[node].id);
    }
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(g->block); i++)
        offer(c, mlirBlockGetArgument(g->block, i), OF_ARGUMENT + (uint32_t)i);
}

/* The order in which tiers are asked, by a draw */
static const enum tier orders[8][4] = {
    {OWN_EQUAL, EQUAL, OWN_ANY, ANY}, {OWN_EQUAL, EQUAL, OWN_ANY, ANY},
    {OWN_EQUAL, EQUAL, OWN_ANY, ANY}, {EQUAL, OWN_EQUAL, OWN_ANY, ANY},
    {EQUAL, OWN_EQUAL, OWN_ANY, ANY}, {EQUAL, OWN_EQUAL, OWN_ANY, ANY},
    {OWN_ANY, ANY, OWN_EQUAL, EQUAL}, {ANY, OWN_ANY, EQUAL, OWN_EQUAL}};

MlirValue fitting_choose(struct graph *g, const struct fitting_wish *wish)
{
    struct choice c = {.g = g, .wish = wish, .at = graph_at_op(g, wish->before)};
    const enum tier *order = orders[num_mix(wish->seed, wish->user, wish->index) % 8];
    for (int i = 0; i < 4 && mlirValueIsNull(c.best); i++) {
        c.tier = order[i];
        offer_all(&c);
    }
    if (mlirValueIsNull(c.best))
        return c.best;
    if (g->told != NULL) {
        buf_puts(g->told, "; instead ");
        graph_words(g, c.best, g->told);
    }
    return fitting_shape(g, c.best, wish->type, wish->before, wish->seed);
}

/* ---- operands ---- */

static int repair_one(struct graph *g, MlirOperation user, intptr_t i, uint32_t seed)
{
    MlirValue old = mlirOperationGetOperand(user, i);
    const struct fitting_wish wish = {
        mlirValueGetType(old), user, {NULL}, old, seed, 0, (uint32_t)i};
    MlirValue value = fitting_choose(g, &wish);
    if (mlirValueIsNull(value))
        return -1;
    mlirOperationSetOperand(user, i, value);
    return 0;
}

/* Those of what is inside, too */
static int repair_unseen(struct graph *g, MlirOperation op, uint32_t seed)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!graph_sees(g, graph_at_op(g, op), mlirOperationGetOperand(op, i))
            && repair_one(g, op, i, seed) != 0)
            return -1;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
        MlirOperation inner =
            mlirBlockIsNull(block) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(block);
        for (; !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner))
            if (repair_unseen(g, inner, seed) != 0)
                return -1;
    }
    return 0;
}

int fitting_operands(struct graph *g, uint32_t node, uint32_t seed)
{
    return repair_unseen(g, g->node[node].op, seed);
}

/* The first use that does not see the value, and then the next one, as uses change on the way */
static MlirOpOperand unseen_use(const struct graph *g, MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    while (!mlirOpOperandIsNull(use)
           && graph_sees(g, graph_at_op(g, mlirOpOperandGetOwner(use)), value))
        use = mlirOpOperandGetNextUse(use);
    return use;
}

int fitting_uses(struct graph *g, uint32_t node, uint32_t seed)
{
    MlirValue value = mlirOperationGetResult(g->node[node].op, 0);
    MlirOpOperand use = unseen_use(g, value);
    for (; !mlirOpOperandIsNull(use); use = unseen_use(g, value))
        if (repair_one(g, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), seed)
            != 0)
            return -1;
    return 0;
}
