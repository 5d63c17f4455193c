/* rewrites.c - what each edit does to a function of tensors
   SPDX-License-Identifier: MIT

   rewrites.h declares it. */
#include "rewrites.h"

#include "base/numbers.h"
#include "fitting.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

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

static uint32_t id_of_copy(const struct edit *e)
{
    const uint64_t first = num_mix(e->seed, e->what, e->where);
    return (uint32_t)num_mix(first, e->op, e->index) | UINT32_C(0x80000000);
}

static MlirAttribute value_of(const struct graph *g, uint32_t node)
{
    return mlirOperationGetAttributeByName(g->node[node].op,
                                           mlirStringRefCreateFromCString("value"));
}

static int is_splat(MlirAttribute a)
{
    return mlirAttributeIsADenseElements(a) && mlirDenseElementsAttrIsSplat(a)
           && mlirTypeIsAF32(mlirShapedTypeGetElementType(mlirAttributeGetType(a)));
}

static int is_scalar(MlirAttribute a)
{
    return mlirAttributeIsAFloat(a) && mlirTypeIsAF32(mlirAttributeGetType(a));
}

int rewrites_is_number(const struct graph *g, uint32_t node)
{
    const MlirAttribute a = value_of(g, node);
    return !mlirAttributeIsNull(a) && (is_splat(a) || is_scalar(a));
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
    case OP_COPY: return has_place(g, e->where) && graph_find(g, id_of_copy(e)) == GRAPH_NONE;
    case OP_MOVE: return has_place(g, e->where) && !stands_at(g, x, graph_home(g, e->where));
    case OP_REPLACE:
        return x != y && rewrites_may_touch(g, y) && graph_find(g, id_of_copy(e)) == GRAPH_NONE;
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
    *clone = graph_add(g, op, id_of_copy(e), g->node[source].origin, before);
    return fitting_operands(g, *clone, e->seed);
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
    return fitting_operands(g, node, e->seed) != 0 ? -1 : fitting_uses(g, node, e->seed);
}

static int do_swap(struct graph *g, const struct edit *e)
{
    const uint32_t pair[2] = {graph_find(g, e->what), graph_find(g, e->where)};
    graph_swap(g, pair[0], pair[1]);
    for (int i = 0; i < 2; i++)
        if (fitting_operands(g, pair[i], e->seed) != 0)
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
    mlirOperationSetAttributeByName(g->node[node].op, mlirStringRefCreateFromCString("value"),
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
