/* rewrites.c - what each edit does to a function of tensors, and which values operands get
   SPDX-License-Identifier: MIT

   parts.h declares it. */
#include "parts.h"

#include "base/numbers.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* ---- another value ---- */

/* Every choice follows from the edit's seed. What has the type that is asked for comes first,
   three times of four; else any tensor takes its shape by the operations of shape_change, which
   stand in front of the user and have ids as copies have. */

struct fitting_wish {
    MlirType type;
    MlirOperation before;       /* an operation of the block, or in one: the value is seen there */
    MlirOperation own;          /* every other time what it reads is asked first; may be null */
    MlirValue except;           /* this one is not chosen */
    uint32_t seed, user, index; /* the edit's seed, the id of who asks, and which operand */
};

enum { OF_ARGUMENT = 0x70000000 }; /* in a hash for arguments, which have no id */

/* ---- another value: shapes ---- */

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
    MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(from));
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
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

/* The value, or what is made of it in front of an operation, with that type; null if there is no
   way. */
static MlirValue fitting_shape(struct graph *g, MlirValue value, MlirType type,
                               MlirOperation before, uint32_t seed)
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

/* ---- another value: choices ---- */

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

/* A null value if there is none: of types that are no tensors of f32 */
static MlirValue fitting_choose(struct graph *g, const struct fitting_wish *wish)
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

/* ---- another value: operands ---- */

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

/* Gives an operation that was moved or copied operands that it sees where it is, and those inside
   as well: 0, or -1 if there are none. */
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

/* The first use that does not see the value, and then the next one, as uses change on the way */
static MlirOpOperand unseen_use(const struct graph *g, MlirValue value)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    while (!mlirOpOperandIsNull(use)
           && graph_sees(g, graph_at_op(g, mlirOpOperandGetOwner(use)), value))
        use = mlirOpOperandGetNextUse(use);
    return use;
}

/* Those who use it get other operands where they do not see it. */
static int fitting_uses(struct graph *g, uint32_t node, uint32_t seed)
{
    MlirValue value = mlirOperationGetResult(g->node[node].op, 0);
    MlirOpOperand use = unseen_use(g, value);
    for (; !mlirOpOperandIsNull(use); use = unseen_use(g, value))
        if (repair_one(g, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), seed)
            != 0)
            return -1;
    return 0;
}

/* ---- what fits ---- */

int rewrites_may_touch(const struct graph *g, uint32_t node)
{
    return node != GRAPH_NONE && !mlirOperationIsNull(g->node[node].op)
           && mlirOperationGetNumResults(g->node[node].op) == 1;
}

static MlirValue result(const struct graph *g, uint32_t node)
{
    return mlirOperationGetResult(g->node[node].op, 0);
}

static MlirAttribute value_of(const struct graph *g, uint32_t node)
{
    return mlirOperationGetAttributeByName(g->node[node].op, ref_of("value"));
}

static int is_scalar(MlirAttribute a)
{
    return mlirAttributeIsAFloat(a) && mlirTypeIsAF32(mlirAttributeGetType(a));
}

/* Is it a constant that OP_CONSTANT changes? */
static int rewrites_is_number(const struct graph *g, uint32_t node)
{
    const MlirAttribute a = value_of(g, node);
    if (mlirAttributeIsNull(a) || is_scalar(a))
        return !mlirAttributeIsNull(a);
    return mlirAttributeIsADenseElements(a) && mlirDenseElementsAttrIsSplat(a)
           && mlirTypeIsAF32(mlirShapedTypeGetElementType(mlirAttributeGetType(a)));
}

/* Is that place at the operation, or the one behind it? Then it stands there already. */
static int stands_at(const struct graph *g, uint32_t node, size_t place)
{
    size_t at = graph_at(g, node);
    if (place <= at)
        return place == at;
    for (at++; at < place; at++)
        if (g->place[at].node != GRAPH_NONE)
            return 0;
    return 1;
}

static int has_place(const struct graph *g, uint32_t id)
{
    return id != 0 && graph_home(g, id) < g->n_places;
}

int rewrites_may_fit(const struct graph *g, const struct edit *e)
{
    const uint32_t x = graph_find(g, e->what), y = graph_find(g, e->where);
    if (e->op >= OP_ALL || !rewrites_may_touch(g, x))
        return 0;
    switch (e->op) {
    case OP_COPY: return has_place(g, e->where) && graph_find(g, edit_copy_id(e)) == GRAPH_NONE;
    case OP_MOVE: return has_place(g, e->where) && !stands_at(g, x, graph_home(g, e->where));
    case OP_REPLACE:
        return x != y && rewrites_may_touch(g, y) && graph_find(g, edit_copy_id(e)) == GRAPH_NONE;
    case OP_SWAP: return x != y && rewrites_may_touch(g, y);
    case OP_OPERAND: return e->index < mlirOperationGetNumOperands(g->node[x].op);
    case OP_CONSTANT: return rewrites_is_number(g, x);
    default: return 1;
    }
}

/* ---- what is done ---- */

static int do_delete(struct graph *g, const struct edit *e)
{
    const uint32_t node = graph_find(g, e->what);
    MlirValue old = result(g, node), value;
    MlirOperation op = g->node[node].op;
    const struct fitting_wish wish = {
        mlirValueGetType(old), op, op, old, e->seed, e->what, UINT32_MAX};
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(old))) {
        value = fitting_choose(g, &wish);
        if (mlirValueIsNull(value))
            return -1;
        graph_replace_uses(old, value);
    } else if (g->told != NULL) {
        buf_puts(g->told, ", which nothing uses");
    }
    graph_erase(g, node);
    return 0;
}

/* ---- copies ---- */

static int add_clone(struct graph *g, const struct edit *e, uint32_t source, size_t before,
                     uint32_t *clone)
{
    MlirOperation op = mlirOperationClone(g->node[source].op);
    *clone = graph_add(g, op, edit_copy_id(e), g->node[source].origin, before);
    return repair_unseen(g, op, e->seed);
}

struct target {
    MlirOperation user;
    intptr_t operand;
    int is_equal;
    uint64_t hash;
};

/* Is that a better place for a copy's result? Of operands of the same type the one with the least
   hash, else of those that its shape can be changed for */
static void consider(struct target *best, MlirOperation user, intptr_t i, MlirType type,
                     uint64_t hash)
{
    struct shape s;
    MlirType operand = mlirValueGetType(mlirOperationGetOperand(user, i));
    const int is_equal = mlirTypeEqual(operand, type);
    if (!is_equal && (graph_shape(operand, &s) != 0 || graph_shape(type, &s) != 0))
        return;
    if (mlirOperationIsNull(best->user) || is_equal > best->is_equal
        || (is_equal == best->is_equal && hash < best->hash))
        *best = (struct target){user, i, is_equal, hash};
}

/* An operand behind the copy, for what it comes to */
static struct target target_of(const struct graph *g, uint32_t clone, uint32_t seed)
{
    struct target best = {{NULL}, 0, 0, 0};
    MlirType type = mlirValueGetType(result(g, clone));
    MlirOperation op = mlirOperationGetNextInBlock(g->node[clone].op);
    for (uint32_t k = 0; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), k++)
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            consider(&best, op, i, type, num_mix(seed, k, (uint64_t)i));
    return best;
}

static int do_copy(struct graph *g, const struct edit *e)
{
    uint32_t clone;
    if (add_clone(g, e, graph_find(g, e->what), graph_home(g, e->where), &clone) != 0)
        return -1;
    const struct target to = target_of(g, clone, e->seed);
    if (mlirOperationIsNull(to.user))
        return -1;
    if (g->told != NULL) {
        buf_printf(g->told, ", as operand %d of ", (int)to.operand);
        graph_op_words(g, to.user, g->told);
    }
    MlirType type = mlirValueGetType(mlirOperationGetOperand(to.user, to.operand));
    MlirValue value = fitting_shape(g, result(g, clone), type, to.user, e->seed);
    if (mlirValueIsNull(value))
        return -1;
    mlirOperationSetOperand(to.user, to.operand, value);
    return 0;
}

static int do_replace(struct graph *g, const struct edit *e)
{
    const uint32_t old = graph_find(g, e->what);
    MlirType type = mlirValueGetType(result(g, old));
    uint32_t clone;
    if (add_clone(g, e, graph_find(g, e->where), graph_at(g, old), &clone) != 0)
        return -1;
    MlirValue value = fitting_shape(g, result(g, clone), type, g->node[old].op, e->seed);
    if (mlirValueIsNull(value))
        return -1;
    graph_replace_uses(result(g, old), value);
    graph_erase(g, old);
    return 0;
}

/* ---- places ---- */

static int do_move(struct graph *g, const struct edit *e)
{
    const uint32_t node = graph_find(g, e->what);
    graph_move(g, node, graph_home(g, e->where));
    return repair_unseen(g, g->node[node].op, e->seed) != 0 ? -1 : fitting_uses(g, node, e->seed);
}

static int do_swap(struct graph *g, const struct edit *e)
{
    const uint32_t pair[2] = {graph_find(g, e->what), graph_find(g, e->where)};
    graph_swap(g, pair[0], pair[1]);
    for (int i = 0; i < 2; i++)
        if (repair_unseen(g, g->node[pair[i]].op, e->seed) != 0)
            return -1;
    for (int i = 0; i < 2; i++)
        if (fitting_uses(g, pair[i], e->seed) != 0)
            return -1;
    return 0;
}

/* ---- values ---- */

static int do_operand(struct graph *g, const struct edit *e)
{
    const uint32_t node = graph_find(g, e->what);
    MlirOperation op = g->node[node].op;
    MlirValue old = mlirOperationGetOperand(op, e->index);
    const struct fitting_wish wish = {
        mlirValueGetType(old), op, {NULL}, old, e->seed, e->what, e->index};
    MlirValue value = fitting_choose(g, &wish);
    if (mlirValueIsNull(value))
        return -1;
    mlirOperationSetOperand(op, e->index, value);
    return 0;
}

static double number_of(MlirAttribute a)
{
    return is_scalar(a) ? mlirFloatAttrGetValueDouble(a)
                        : (double)mlirDenseElementsAttrGetFloatSplatValue(a);
}

/* Another number: the old one by a factor, or near 0 if it is 0 */
static double perturbed(double old, uint32_t seed)
{
    static const double factors[16] = {0,   0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.05,
                                       1.1, 1.5, 2,    3,   4,    8,   10,   -1};
    static const double near[16] = {1e-4,  1e-3,  1e-2,  0.1,  0.5,  1,  2,  10,
                                    -1e-4, -1e-3, -1e-2, -0.1, -0.5, -1, -2, -10};
    const size_t i = num_mix(seed, 0, 0) % 16;
    return old < 0 || old > 0 ? old * factors[i] : near[i];
}

static int do_constant(struct graph *g, const struct edit *e)
{
    const uint32_t node = graph_find(g, e->what);
    const MlirAttribute old = value_of(g, node);
    const double number = perturbed(number_of(old), e->seed);
    const MlirType type = mlirAttributeGetType(old);
    mlirOperationSetAttributeByName(g->node[node].op, ref_of("value"),
                                    is_scalar(old)
                                        ? mlirFloatAttrDoubleGet(g->context, type, number)
                                        : mlirDenseElementsAttrFloatSplatGet(type, (float)number));
    if (g->told != NULL)
        buf_printf(g->told, ", %g becomes %g", number_of(old), number);
    return 0;
}

/* ---- all ---- */

static int (*const act[OP_ALL])(struct graph *g, const struct edit *e) = {
    do_delete, do_copy, do_move, do_replace, do_swap, do_operand, do_constant};

int rewrites_do(struct graph *g, const struct edit *e)
{
    return act[e->op](g, e);
}

int rewrites_do_all(struct graph *g, const struct edits *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!rewrites_may_fit(g, &list->v[i]) || rewrites_do(g, &list->v[i]) != 0)
            return -1;
    return 0;
}
