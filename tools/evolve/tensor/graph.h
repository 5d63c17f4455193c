/* graph.h - the entry function of a module while it is edited: its operations by their ids, in
   their order
   SPDX-License-Identifier: MIT

   The function is one block. Its operations have the ids 1, 2, ... in their order, and each id also
   names a place, the one where the operation stood at first: a place stays when its operation is
   deleted or moved away. What is put in front of a place stands behind what earlier edits put
   there. What an operation has inside, such as what a pad pads with, belongs to it. */
#pragma once

#include "base/util.h"
#include "shape.h"

#include <mlir-c/IR.h>

#define GRAPH_NONE UINT32_MAX

struct graph_node {
    uint32_t id, origin; /* origin: the id of what it was copied from, or its own */
    MlirOperation op;    /* null when it has been deleted */
};

struct graph_place {
    uint32_t id;   /* that names it */
    uint32_t node; /* what stands there, or GRAPH_NONE */
};

struct graph {
    MlirContext context;
    MlirBlock block;
    struct graph_node *node; /* the operation with id i is the node i - 1 */
    size_t n_nodes, cap_nodes;
    struct graph_place *place; /* in the order of the block; the end of the block is behind them */
    size_t n_places, cap_places;
    /* What an edit did, in words, each part with ", " in front of it; NULL: nobody asks */
    struct buf *told;
};

void graph_make(struct graph *g, MlirBlock block);
void graph_free(struct graph *g); /* the block stays */

/* ---- asking ---- */

uint32_t graph_find(const struct graph *g, uint32_t id); /* a node, or GRAPH_NONE */
size_t graph_at(const struct graph *g, uint32_t node);   /* the index of its place */
size_t graph_home(const struct graph *g, uint32_t id);   /* of the place that the id names */
/* Of the place of an operation, or of the one that it is in; n_places of what ends the block */
size_t graph_at_op(const struct graph *g, MlirOperation op);
/* Can the value be used in front of that place? */
int graph_sees(const struct graph *g, size_t at, MlirValue value);
/* The node that makes a value; GRAPH_NONE for an argument */
uint32_t graph_maker(const struct graph *g, MlirValue value);
/* The shape of a tensor of f32 whose sizes are known: 0, or -1 if the type is another one */
int graph_shape(MlirType type, struct shape *s);
/* "12: linalg.matmul, 54 x 10", "input 1, 54 x 64" */
void graph_words(const struct graph *g, MlirValue value, struct buf *out);
/* The same of an operation; what ends the block is "the result" */
void graph_op_words(const struct graph *g, MlirOperation op, struct buf *out);

/* ---- changing ---- */

/* An operation that is in no block gets an id, and a place in front of the one with that index. */
uint32_t graph_add(struct graph *g, MlirOperation op, uint32_t id, uint32_t origin, size_t before);
void graph_move(struct graph *g, uint32_t node, size_t before);
/* Each of the two goes to the place of the other. */
void graph_swap(struct graph *g, uint32_t a, uint32_t b);
void graph_erase(struct graph *g, uint32_t node); /* nothing may use it any more */
void graph_replace_uses(MlirValue old, MlirValue with);
