/* fitting.h - which value an operand takes that needs another one, and how it gets its shape
   SPDX-License-Identifier: MIT

   Every choice follows from the edit's seed. What has the type that is asked for comes first, three
   times of four; else any tensor takes its shape by the operations of shape.h, which stand in front
   of the user and have ids as copies have. */
#pragma once

#include "graph.h"

struct fitting_wish {
    MlirType type;
    MlirOperation before;       /* an operation of the block, or in one: the value is seen there */
    MlirOperation own;          /* every other time what it reads is asked first; may be null */
    MlirValue except;           /* this one is not chosen */
    uint32_t seed, user, index; /* the edit's seed, the id of who asks, and which operand */
};

/* A null value if there is none: of types that are no tensors of f32 */
MlirValue fitting_choose(struct graph *g, const struct fitting_wish *wish);
/* The value, or what is made of it in front of an operation, with that type; null if there is no
   way. */
MlirValue fitting_shape(struct graph *g, MlirValue value, MlirType type, MlirOperation before,
                        uint32_t seed);
/* Gives a node that was moved or copied operands that it sees where it is, and those who use it
   other ones where they do not see it: 0, or -1 if there are none. */
int fitting_operands(struct graph *g, uint32_t node, uint32_t seed);
int fitting_uses(struct graph *g, uint32_t node, uint32_t seed);
