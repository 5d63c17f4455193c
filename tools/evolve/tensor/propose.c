/* propose.c - random edits of a program of tensors, and what edits did
   SPDX-License-Identifier: MIT

   tensor.h declares it. */
#include "parts.h"

#include "base/numbers.h"

#include <stdlib.h>

/* ---- random edits ---- */

enum { DRAWS = 200, TRIES = 20 }; /* a try is a clone with the list */

struct chooser {
    const struct graph *g;
    uint64_t *random;
};

static size_t below(struct chooser *c, size_t n)
{
    return (size_t)(num_draw(c->random) % n);
}

static uint32_t any_node(struct chooser *c)
{
    return (uint32_t)below(c, c->g->n_nodes);
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

static void fill(struct chooser *c, struct edit *e)
{
    static const unsigned char odds[16] = {OP_DELETE,  OP_DELETE,  OP_DELETE,   OP_DELETE,
                                           OP_COPY,    OP_COPY,    OP_MOVE,     OP_REPLACE,
                                           OP_REPLACE, OP_SWAP,    OP_OPERAND,  OP_OPERAND,
                                           OP_OPERAND, OP_OPERAND, OP_CONSTANT, OP_CONSTANT};
    const struct graph *g = c->g;
    const uint16_t op = odds[below(c, 16)];
    const uint32_t node = op == OP_CONSTANT ? any_number(c) : any_worker(c);
    const uint32_t other = below(c, 2) == 0 ? any_node(c) : equal_of(c, node);
    *e = (struct edit){op, 0, g->node[node].id, 0, (uint32_t)(num_draw(c->random) >> 32)};
    if (op == OP_COPY || op == OP_MOVE || op == OP_REPLACE || op == OP_SWAP)
        e->where = g->node[other].id;
    if (op == OP_OPERAND && !mlirOperationIsNull(g->node[node].op)
        && mlirOperationGetNumOperands(g->node[node].op) > 0)
        e->index = (uint16_t)below(c, (size_t)mlirOperationGetNumOperands(g->node[node].op));
}

static int draw(struct chooser *c, struct edit *out)
{
    for (int draws = 0; draws < DRAWS; draws++) {
        fill(c, out);
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
        is_found = rewrites_do_all(&t.graph, list) == 0 && draw(&c, out) == 0
                   && rewrites_do(&t.graph, out) == 0;
        draft_end(&t);
    }
    return is_found ? 0 : -1;
}

/* Something that moves away, or becomes another thing, may as well go. */
int tensor_simpler(void *self, const struct edit *e, struct edit *out)
{
    (void)self;
    if (e->op != OP_MOVE && e->op != OP_REPLACE && e->op != OP_SWAP && e->op != OP_OPERAND)
        return -1;
    *out = (struct edit){OP_DELETE, 0, e->what, 0, e->seed};
    return 0;
}

/* ---- in words ---- */

static void add_node(const struct graph *g, uint32_t id, struct buf *out)
{
    const uint32_t node = graph_find(g, id);
    if (rewrites_may_touch(g, node))
        graph_words(g, mlirOperationGetResult(g->node[node].op, 0), out);
    else
        buf_printf(out, "%u, which is gone", id);
}

/* "move (12: linalg.matmul, 54 x 10) before (3: ...)" */
static void describe(const struct graph *g, const struct edit *e, struct buf *out)
{
    static const char *const joins[OP_ALL] = {NULL,    " before ", " before ", " by a copy of ",
                                              " and ", NULL,       NULL};
    buf_printf(out, "%s ", edit_operators.v[e->op]);
    if (e->op == OP_OPERAND)
        buf_printf(out, "%d of ", e->index);
    buf_puts(out, "(");
    add_node(g, e->what, out);
    buf_puts(out, ")");
    if (joins[e->op] == NULL)
        return;
    buf_printf(out, "%s(", joins[e->op]);
    add_node(g, e->where, out);
    buf_puts(out, ")");
}

int tensor_steps(struct tensor_program *p, const struct edits *list, char **steps)
{
    struct draft t;
    size_t n = 0;
    draft_begin(&t, p);
    for (; n < list->n && rewrites_may_fit(&t.graph, &list->v[n]); n++) {
        struct buf text = {0};
        describe(&t.graph, &list->v[n], &text);
        t.graph.told = &text;
        const int rc = rewrites_do(&t.graph, &list->v[n]);
        steps[n] = text.s;
        if (rc != 0) {
            free(text.s);
            break;
        }
        t.graph.told = NULL;
    }
    draft_end(&t);
    for (size_t i = 0; n < list->n && i < n; i++)
        free(steps[i]);
    return n == list->n ? 0 : -1;
}
