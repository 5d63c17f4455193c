/* graph.c - the entry function of a module while it is edited
   SPDX-License-Identifier: MIT

   graph.h declares it. */
#include "graph.h"

#include "ref.h"

#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- from a block ---- */

static uint32_t append_node(struct graph *g, uint32_t id, uint32_t origin, MlirOperation op)
{
    g->node = xgrow(g->node, g->n_nodes, &g->cap_nodes, sizeof *g->node);
    g->node[g->n_nodes] = (struct graph_node){id, origin, op};
    return (uint32_t)g->n_nodes++;
}

/* Those from there on are one further. */
static void insert_place(struct graph *g, size_t at, uint32_t id, uint32_t node)
{
    g->place = xgrow(g->place, g->n_places, &g->cap_places, sizeof *g->place);
    memmove(g->place + at + 1, g->place + at, (g->n_places - at) * sizeof *g->place);
    g->place[at] = (struct graph_place){id, node};
    g->n_places++;
}

void graph_make(struct graph *g, MlirBlock block)
{
    memset(g, 0, sizeof *g);
    g->block = block;
    MlirOperation end = mlirBlockGetTerminator(block), op = mlirBlockGetFirstOperation(block);
    g->context = mlirOperationGetContext(end);
    for (; !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
        const uint32_t id = (uint32_t)g->n_nodes + 1;
        insert_place(g, g->n_places, id, append_node(g, id, id, op));
    }
}

void graph_free(struct graph *g)
{
    free(g->node);
    free(g->place);
}

/* ---- asking ---- */

/* Copies are behind the operations that were there at first. */
uint32_t graph_find(const struct graph *g, uint32_t id)
{
    if (id > 0 && id <= g->n_nodes && g->node[id - 1].id == id)
        return id - 1;
    for (size_t i = g->n_nodes; i > 0 && g->node[i - 1].id > UINT32_MAX / 2; i--)
        if (g->node[i - 1].id == id)
            return (uint32_t)(i - 1);
    return GRAPH_NONE;
}

size_t graph_at(const struct graph *g, uint32_t node)
{
    size_t i = 0;
    while (i < g->n_places && g->place[i].node != node)
        i++;
    return i;
}

size_t graph_home(const struct graph *g, uint32_t id)
{
    size_t i = 0;
    while (i < g->n_places && g->place[i].id != id)
        i++;
    return i;
}

static uint32_t node_of(const struct graph *g, MlirOperation op)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (mlirOperationEqual(g->node[i].op, op))
            return i;
    return GRAPH_NONE;
}

size_t graph_at_op(const struct graph *g, MlirOperation op)
{
    while (!mlirBlockEqual(mlirOperationGetBlock(op), g->block))
        op = mlirOperationGetParentOperation(op);
    const uint32_t node = node_of(g, op);
    return node == GRAPH_NONE ? g->n_places : graph_at(g, node);
}

uint32_t graph_maker(const struct graph *g, MlirValue value)
{
    return mlirValueIsAOpResult(value) ? node_of(g, mlirOpResultGetOwner(value)) : GRAPH_NONE;
}

/* What an operation has inside is seen where it is used, which is inside too. */
int graph_sees(const struct graph *g, size_t at, MlirValue value)
{
    const uint32_t node = graph_maker(g, value);
    return node == GRAPH_NONE || graph_at(g, node) < at;
}

int graph_shape(MlirType type, struct shape *s)
{
    if (!mlirTypeIsARankedTensor(type) || !mlirTypeIsAF32(mlirShapedTypeGetElementType(type))
        || !mlirShapedTypeHasStaticShape(type) || mlirShapedTypeGetRank(type) > SHAPE_RANK)
        return -1;
    s->rank = (int)mlirShapedTypeGetRank(type);
    for (int i = 0; i < s->rank; i++)
        s->size[i] = mlirShapedTypeGetDimSize(type, i);
    return 0;
}

void graph_words(const struct graph *g, MlirValue value, struct buf *out)
{
    struct shape s;
    const uint32_t node = graph_maker(g, value);
    if (node == GRAPH_NONE) {
        buf_printf(out, "input %d", (int)mlirBlockArgumentGetArgNumber(value) + 1);
    } else {
        const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(g->node[node].op));
        buf_printf(out, "%u: %.*s", g->node[node].id, (int)name.length, name.data);
    }
    buf_puts(out, ", ");
    if (graph_shape(mlirValueGetType(value), &s) == 0)
        shape_words(&s, out);
    else
        mlirTypePrint(mlirValueGetType(value), ref_add, out);
}

void graph_op_words(const struct graph *g, MlirOperation op, struct buf *out)
{
    if (node_of(g, op) == GRAPH_NONE)
        buf_puts(out, "the result");
    else
        graph_words(g, mlirOperationGetResult(op, 0), out);
}

/* ---- changing ---- */

/* What stands at that place or behind it, or what ends the block */
static MlirOperation next_op(const struct graph *g, size_t at)
{
    for (; at < g->n_places; at++)
        if (g->place[at].node != GRAPH_NONE)
            return g->node[g->place[at].node].op;
    return mlirBlockGetTerminator(g->block);
}

uint32_t graph_add(struct graph *g, MlirOperation op, uint32_t id, uint32_t origin, size_t before)
{
    const uint32_t node = append_node(g, id, origin, op);
    mlirBlockInsertOwnedOperationBefore(g->block, next_op(g, before), op);
    insert_place(g, before, id, node);
    return node;
}

/* The place that it gets has no name. */
void graph_move(struct graph *g, uint32_t node, size_t before)
{
    g->place[graph_at(g, node)].node = GRAPH_NONE;
    mlirOperationMoveBefore(g->node[node].op, next_op(g, before));
    insert_place(g, before, 0, node);
}

void graph_swap(struct graph *g, uint32_t a, uint32_t b)
{
    const size_t at_a = graph_at(g, a), at_b = graph_at(g, b);
    g->place[at_a].node = g->place[at_b].node = GRAPH_NONE;
    mlirOperationMoveBefore(g->node[a].op, next_op(g, at_b));
    g->place[at_b].node = a;
    mlirOperationMoveBefore(g->node[b].op, next_op(g, at_a + 1));
    g->place[at_a].node = b;
}

void graph_erase(struct graph *g, uint32_t node)
{
    g->place[graph_at(g, node)].node = GRAPH_NONE;
    mlirOperationDestroy(g->node[node].op);
    g->node[node].op = (MlirOperation){NULL};
}

void graph_replace_uses(MlirValue old, MlirValue with)
{
    MlirOpOperand use = mlirValueGetFirstUse(old);
    for (; !mlirOpOperandIsNull(use); use = mlirValueGetFirstUse(old))
        mlirOperationSetOperand(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use),
                                with);
}
