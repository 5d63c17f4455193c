/* graph.c - the entry function of a module while it is edited, and the shapes of its tensors
   SPDX-License-Identifier: MIT

   parts.h declares it. */
#include "parts.h"

#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- how a tensor of one shape becomes one of another ---- */

/* The value at hand is %vN, the next one %v(N + 1). */

int shape_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->size, b->size, (size_t)a->rank * sizeof *a->size) == 0;
}

int64_t shape_count(const struct shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        n *= s->size[i];
    return n;
}

/* "tensor<2x3xf32>" */
static void shape_type(const struct shape *s, struct buf *out)
{
    buf_puts(out, "tensor<");
    for (int i = 0; i < s->rank; i++)
        buf_printf(out, "%lldx", (long long)s->size[i]);
    buf_puts(out, "f32>");
}

void shape_words(const struct shape *s, struct buf *out)
{
    if (s->rank == 0)
        buf_puts(out, "a number");
    for (int i = 0; i < s->rank; i++)
        buf_printf(out, "%s%lld", i > 0 ? " x " : "", (long long)s->size[i]);
}

/* ---- another shape: one operation ---- */

struct change {
    struct buf *text, *words;
    struct shape at; /* what %vN has */
    int n;
};

static void put_list(struct buf *out, const int64_t *v, int n)
{
    buf_puts(out, "[");
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s%lld", i > 0 ? ", " : "", (long long)v[i]);
    buf_puts(out, "]");
}

/* All dimensions are one, or one is all. */
static void put_group(struct buf *out, int rank)
{
    const int64_t all[SHAPE_RANK] = {0, 1, 2, 3, 4, 5};
    buf_puts(out, "[");
    if (rank > 0)
        put_list(out, all, rank);
    buf_puts(out, "]");
}

static void graph_begin(const struct change *c, const char *operation)
{
    buf_printf(c->text, "  %%v%d = %s ", c->n + 1, operation);
}

/* The result is at hand now. */
static void end_line(struct change *c, const struct shape *result, const char *what)
{
    buf_puts(c->text, "\n");
    c->at = *result;
    c->n++;
    if (c->words != NULL) {
        buf_printf(c->words, ", %s to ", what);
        shape_words(result, c->words);
    }
}

/* " : TYPE to TYPE" */
static void end(struct change *c, const char *to, const struct shape *result, const char *what)
{
    buf_puts(c->text, " : ");
    shape_type(&c->at, c->text);
    buf_puts(c->text, to);
    shape_type(result, c->text);
    end_line(c, result, what);
}

static void slice(struct change *c, const struct shape *to)
{
    const int64_t zeros[SHAPE_RANK] = {0}, ones[SHAPE_RANK] = {1, 1, 1, 1, 1, 1};
    graph_begin(c, "tensor.extract_slice");
    buf_printf(c->text, "%%v%d", c->n);
    put_list(c->text, zeros, to->rank);
    put_list(c->text, to->size, to->rank);
    put_list(c->text, ones, to->rank);
    end(c, " to ", to, "sliced");
}

static void pad(struct change *c, const struct shape *to)
{
    int64_t zeros[SHAPE_RANK] = {0}, more[SHAPE_RANK] = {0};
    for (int i = 0; i < to->rank; i++)
        more[i] = to->size[i] - c->at.size[i];
    buf_printf(c->text, "  %%z%d = arith.constant 0.0 : f32\n", c->n);
    graph_begin(c, "tensor.pad");
    buf_printf(c->text, "%%v%d low", c->n);
    put_list(c->text, zeros, to->rank);
    buf_puts(c->text, " high");
    put_list(c->text, more, to->rank);
    buf_puts(c->text, " {\n  ^bb0(");
    for (int i = 0; i < to->rank; i++)
        buf_printf(c->text, "%s%%i%d: index", i > 0 ? ", " : "", i);
    buf_printf(c->text, "):\n    tensor.yield %%z%d : f32\n  }", c->n);
    end(c, " to ", to, "padded");
}

/* To or from one dimension, or to and from none */
static void regroup(struct change *c, const struct shape *to, const char *what)
{
    const int collapses = c->at.rank > to->rank;
    graph_begin(c, collapses ? "tensor.collapse_shape" : "tensor.expand_shape");
    buf_printf(c->text, "%%v%d ", c->n);
    put_group(c->text, c->at.rank == 0 || to->rank == 0 ? 0 : collapses ? c->at.rank : to->rank);
    end(c, " into ", to, what);
}

/* An operation of linalg into an empty tensor */
static void into_empty(struct change *c, const char *operation, const struct shape *to,
                       const char *list, const int64_t *v, int n, const char *what)
{
    buf_printf(c->text, "  %%e%d = tensor.empty() : ", c->n);
    shape_type(to, c->text);
    buf_puts(c->text, "\n");
    graph_begin(c, operation);
    buf_printf(c->text, "ins(%%v%d : ", c->n);
    shape_type(&c->at, c->text);
    buf_printf(c->text, ") outs(%%e%d : ", c->n);
    shape_type(to, c->text);
    buf_printf(c->text, ") %s = ", list);
    put_list(c->text, v, n);
    end_line(c, to, what);
}

/* ---- another shape: which operations ---- */

/* The dimensions of `to` that are new, if the others are those of `from` in their order, the last
   ones first; else -1 */
static int new_dimensions(const struct shape *from, const struct shape *to, int64_t *added)
{
    int n = 0, i = from->rank - 1;
    int64_t backwards[SHAPE_RANK];
    for (int j = to->rank - 1; j >= 0; j--)
        if (i >= 0 && to->size[j] == from->size[i])
            i--;
        else
            backwards[n++] = j;
    for (int k = 0; k < n; k++)
        added[k] = backwards[n - 1 - k];
    return i < 0 && n > 0 ? n : -1;
}

/* to->size[i] is from->size[order[i]]. Is there such an order? */
static int find_order(const struct shape *from, const struct shape *to, int64_t *order)
{
    unsigned taken = 0;
    for (int i = 0; i < to->rank; i++) {
        int j = 0;
        while (j < from->rank && (from->size[j] != to->size[i] || (taken >> j & 1)))
            j++;
        if (j == from->rank)
            return 0;
        taken |= 1u << j;
        order[i] = j;
    }
    return from->rank == to->rank;
}

static void row_of(int64_t n, struct shape *row)
{
    row->rank = 1;
    row->size[0] = n;
}

static void reshape(struct change *c, const struct shape *to)
{
    struct shape row;
    row_of(shape_count(to), &row);
    if (c->at.rank != 1)
        regroup(c, &row, "flattened");
    if (to->rank != 1)
        regroup(c, to, "reshaped");
}

/* From the beginning of each dimension, as far as both reach */
static void fit(struct change *c, const struct shape *to)
{
    struct shape both = *to;
    for (int i = 0; i < to->rank; i++)
        both.size[i] = c->at.size[i] < to->size[i] ? c->at.size[i] : to->size[i];
    if (!shape_equal(&both, &c->at))
        slice(c, &both);
    if (!shape_equal(&both, to))
        pad(c, to);
}

static void change(struct change *c, const struct shape *to)
{
    int64_t list[SHAPE_RANK];
    const int n_new = to->rank > c->at.rank ? new_dimensions(&c->at, to, list) : -1;
    struct shape row;
    if (n_new > 0) {
        into_empty(c, "linalg.broadcast", to, "dimensions", list, n_new, "broadcast");
    } else if (find_order(&c->at, to, list)) {
        into_empty(c, "linalg.transpose", to, "permutation", list, to->rank, "transposed");
    } else if (shape_count(&c->at) == shape_count(to)) {
        reshape(c, to);
    } else if (c->at.rank == to->rank) {
        fit(c, to);
    } else {
        row_of(shape_count(&c->at), &row);
        reshape(c, &row);
        row_of(shape_count(to), &row);
        fit(c, &row);
        reshape(c, to);
    }
}

void shape_change(const struct shape *from, const struct shape *to, struct buf *text,
                  struct buf *words)
{
    struct change c = {text, words, *from, 0};
    buf_puts(text, "func.func @change(%v0: ");
    shape_type(from, text);
    buf_puts(text, ") -> ");
    shape_type(to, text);
    buf_puts(text, " attributes {llvm.emit_c_interface} {\n");
    if (!shape_equal(from, to))
        change(&c, to);
    buf_printf(text, "  return %%v%d : ", c.n);
    shape_type(to, text);
    buf_puts(text, "\n}\n");
}

/* ---- graph: from a block ---- */

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
    *g = (struct graph){.block = block};
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

/* ---- graph: asking ---- */

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

/* The node that makes a value; GRAPH_NONE for an argument */
static uint32_t graph_maker(const struct graph *g, MlirValue value)
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

/* ---- graph: changing ---- */

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
