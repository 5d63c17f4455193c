/* propose.c - random edits of a program of tensors, and what edits did
   SPDX-License-Identifier: MIT

   tensor.h declares it. */
#include "evolve/run.h"
#include "parts.h"

#include "base/numbers.h"

#include <stdlib.h>

/* ---- random edits ---- */

enum { DRAWS = 200, TRIES = 20 }; /* a try is a clone with the list */

struct chooser {
    const struct graph *g;
    uint64_t *random;
};

static uint32_t any_node(struct chooser *c)
{
    return (uint32_t)run_below(c->random, c->g->n_nodes);
}

/* Rather one that computes something than a constant or room for a result */
static uint32_t any_worker(struct chooser *c)
{
    uint32_t node = any_node(c);
    for (int draws = 3; draws > 0; draws--) {
        MlirOperation op = c->g->node[node].op;
        if (!mlirOperationIsNull(op) && mlirOperationGetNumOperands(op) > 0)
            break;
        node = any_node(c);
    }
    return node;
}

/* One with a result of the same type, if a few draws find one */
static uint32_t equal_of(struct chooser *c, uint32_t node)
{
    const struct graph *g = c->g;
    uint32_t other = node;
    if (!rewrites_may_touch(g, node))
        return other;
    MlirType type = mlirValueGetType(mlirOperationGetResult(g->node[node].op, 0));
    for (int draws = 32; draws > 0; draws--) {
        other = any_node(c);
        if (other != node && rewrites_may_touch(g, other)
            && mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(g->node[other].op, 0)), type))
            break;
    }
    return other;
}

static uint32_t any_number(struct chooser *c)
{
    uint32_t node = any_node(c);
    for (int draws = 64;
         draws > 0
         && !rewrites_may_fit(c->g, &(struct edit){OP_CONSTANT, 0, c->g->node[node].id, 0, 0});
         draws--)
        node = any_node(c);
    return node;
}

static void fill_edit(struct chooser *c, struct edit *e)
{
    static const unsigned char odds[16] = {OP_DELETE,  OP_DELETE,  OP_DELETE,   OP_DELETE,
                                           OP_COPY,    OP_COPY,    OP_MOVE,     OP_REPLACE,
                                           OP_REPLACE, OP_SWAP,    OP_OPERAND,  OP_OPERAND,
                                           OP_OPERAND, OP_OPERAND, OP_CONSTANT, OP_CONSTANT};
    const struct graph *g = c->g;
    const uint16_t op = odds[run_below(c->random, 16)];
    const uint32_t node = op == OP_CONSTANT ? any_number(c) : any_worker(c);
    const uint32_t other = run_below(c->random, 2) == 0 ? any_node(c) : equal_of(c, node);
    *e = (struct edit){op, 0, g->node[node].id, 0, (uint32_t)(num_draw(c->random) >> 32)};
    if (op == OP_COPY || op == OP_MOVE || op == OP_REPLACE || op == OP_SWAP)
        e->where = g->node[other].id;
    if (op == OP_OPERAND && !mlirOperationIsNull(g->node[node].op)
        && mlirOperationGetNumOperands(g->node[node].op) > 0)
        e->index =
            (uint16_t)run_below(c->random, (size_t)mlirOperationGetNumOperands(g->node[node].op));
}

static int propose_draw(struct chooser *c, struct edit *out)
{
    for (int draws = 0; draws < DRAWS; draws++) {
        fill_edit(c, out);
        if (rewrites_may_fit(c->g, out))
            return 0;
    }
    return -1;
}

int tensor_propose(void *self, const struct edits *list, uint64_t *random, struct edit *out)
{
    int is_found = 0;
    for (int tries = 0; tries < TRIES && !is_found; tries++) {
        struct draft t;
        draft_begin(&t, self);
        struct chooser c = {&t.graph, random};
        is_found = rewrites_do_all(&t.graph, list) == 0 && propose_draw(&c, out) == 0
                   && rewrites_do(&t.graph, out) == 0;
        draft_end(&t);
    }
    return is_found ? 0 : -1;
}

/* ---- in words ---- */

/* "(12: linalg.matmul, 54 x 10)" */
static void tell_node(const void *of, uint32_t id, struct buf *out)
{
    const struct graph *g = of;
    const uint32_t node = graph_find(g, id);
    buf_puts(out, "(");
    if (rewrites_may_touch(g, node))
        graph_words(g, mlirOperationGetResult(g->node[node].op, 0), out);
    else
        buf_printf(out, "%u, which is gone", id);
    buf_puts(out, ")");
}

int tensor_steps(void *self, const struct edits *list, struct edit_step *steps)
{
    struct draft t;
    size_t n = 0;
    int fits = 1;
    draft_begin(&t, self);
    for (; n < list->n && fits && rewrites_may_fit(&t.graph, &list->v[n]); n++) {
        struct buf text = {0};
        edit_describe(&list->v[n], " by a copy of ", tell_node, &t.graph, &text);
        t.graph.told = &text;
        fits = rewrites_do(&t.graph, &list->v[n]) == 0;
        t.graph.told = NULL;
        steps[n].what = text.s;
    }
    draft_end(&t);
    if (fits && n == list->n)
        return 0;
    edit_steps_free(steps, n);
    return -1;
}
