/* parts.h - what the files of tensor/ share
   SPDX-License-Identifier: MIT */
#pragma once

#include "tensor.h"

#include "base/util.h"

#include <mlir-c/IR.h>

/* ---- texts as MLIR's C interface takes and gives them ---- */

MlirStringRef ref_of(const char *s);
/* For calls that give a text in parts: adds one to the struct buf that `user` is */
void ref_add(MlirStringRef text, void *user);
int ref_names(MlirOperation op, const char *name); /* is the operation such a one: "func.func"? */

/* ---- the order in which the loops of a linalg operation run ---- */

/* Where an operation sums, and its last parallel index is the fastest one of all that it reads and
   writes, that index becomes the innermost loop: LLVM makes vectors of it, which it may not make of
   a sum of floats. Each sum keeps its order, so no result changes. All linalg.generic are ordered
   so, other operations stay. */
void loops_order(MlirModule module);

/* ---- shapes of tensors, and how a tensor of one becomes one of another ---- */

enum { SHAPE_RANK = 6 };

struct shape {
    int rank;
    int64_t size[SHAPE_RANK];
};

int shape_equal(const struct shape *a, const struct shape *b);
int64_t shape_count(const struct shape *s);               /* its elements */
void shape_words(const struct shape *s, struct buf *out); /* "2 x 3", "a number" */

/* A module with a function of a tensor of the one shape to one of the other. Its operations, the
   first rule that fits: broadcast along new dimensions; transpose; reshape, if there are as many
   elements; slice and pad each dimension from its beginning; the same of all elements in a row.
   What is padded is 0. `words` (may be NULL): ", sliced to 2 x 3, padded to 4 x 3". */
void shape_change(const struct shape *from, const struct shape *to, struct buf *text,
                  struct buf *words);

/* ---- the entry function while it is edited: its operations by their ids, in their order ---- */

/* The function is one block. Its operations have the ids 1, 2, ... in their order, and each id
   also names a place, the one where the operation stood at first: a place stays when its
   operation is deleted or moved away. What is put in front of a place stands behind what earlier
   edits put there. What an operation has inside, such as what a pad pads with, belongs to it. */

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

/* ---- graph: asking ---- */

uint32_t graph_find(const struct graph *g, uint32_t id); /* a node, or GRAPH_NONE */
size_t graph_at(const struct graph *g, uint32_t node);   /* the index of its place */
size_t graph_home(const struct graph *g, uint32_t id);   /* of the place that the id names */
/* Of the place of an operation, or of the one that it is in; n_places of what ends the block */
size_t graph_at_op(const struct graph *g, MlirOperation op);
/* Can the value be used in front of that place? */
int graph_sees(const struct graph *g, size_t at, MlirValue value);
/* The shape of a tensor of f32 whose sizes are known: 0, or -1 if the type is another one */
int graph_shape(MlirType type, struct shape *s);
/* "12: linalg.matmul, 54 x 10", "input 1, 54 x 64" */
void graph_words(const struct graph *g, MlirValue value, struct buf *out);
/* The same of an operation; what ends the block is "the result" */
void graph_op_words(const struct graph *g, MlirOperation op, struct buf *out);

/* ---- graph: changing ---- */

/* An operation that is in no block gets an id, and a place in front of the one with that index. */
uint32_t graph_add(struct graph *g, MlirOperation op, uint32_t id, uint32_t origin, size_t before);
void graph_move(struct graph *g, uint32_t node, size_t before);
/* Each of the two goes to the place of the other. */
void graph_swap(struct graph *g, uint32_t a, uint32_t b);
void graph_erase(struct graph *g, uint32_t node); /* nothing may use it any more */
void graph_replace_uses(MlirValue old, MlirValue with);

/* ---- what each edit does to a function of tensors ---- */

/* May the edit fit? Where it names what is not there, it does not. */
int rewrites_may_fit(const struct graph *g, const struct edit *e);
/* Applies one that may fit: 0, or -1 if it does not, and then the function is of no more use. */
int rewrites_do(struct graph *g, const struct edit *e);
/* Applies a list; -1 with the first edit that does not fit */
int rewrites_do_all(struct graph *g, const struct edits *list);
/* May the operation of a node be edited? */
int rewrites_may_touch(const struct graph *g, uint32_t node);

/* ---- a program ---- */

struct parts_code { /* of a list */
    struct engine_code *code;
    struct edits list;
};

struct tensor_program {
    char *path, *function;
    struct engine *engine;
    MlirModule module; /* simplified; it is only cloned */
    struct tensor_type type;
    size_t n;                      /* operations */
    struct parts_code *code, idle; /* idle: it was forgotten last, and may be asked for again */
    size_t n_codes, cap_codes;
};

/* A clone of the module that is edited */
struct draft {
    MlirModule module;
    struct graph graph;
};

void draft_begin(struct draft *t, const struct tensor_program *p);
void draft_end(struct draft *t);
