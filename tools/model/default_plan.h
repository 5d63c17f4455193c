/* default_plan.h - the features of default_features.h while they are made
   SPDX-License-Identifier: MIT */
#pragma once

#include "default_features.h"
#include "program.h"

enum { DEFAULT_NAME = 64 }; /* of a register, with its NUL */

enum kind { TOKENS, SIZE, LOGARITHM, CONSTANT };

struct reg {
    char name[DEFAULT_NAME];
    enum kind kind;
};

/* What hats go over */
struct source {
    int size, log;       /* registers; -1: there is none, as yet */
    int32_t least, most; /* of the size */
    int is_step;         /* to registers of the spec's own: it has a ramp alone */
};

struct plan {
    const struct spec *spec;
    struct buf *derived, *features;
    size_t registers, instr, width; /* what there is left of each */
    size_t spare;                   /* of the width: promised to nothing */
    size_t most_tokens;             /* of a field with a one-hot */
    size_t n_regs, n_sources, n_steps;
    struct reg reg[2 * KPRED_MAX_REGISTERS];
    struct source source[KPRED_MAX_REGISTERS];
};

/* A register by its name; -1: there is none. */
int default_find(const struct plan *p, const char *name);
/* The number of a register that the spec has, or a line of it. */
int default_name(struct plan *p, const char *name, enum kind kind);
/* Adds a line NAME = OP A [B], with the name or, if that is taken, a number behind it: its
   register; -1: no room. */
int default_register(struct plan *p, const char *name, const char *op, int a, int b);

/* Takes room for a line of so many features; 0: there is none. */
int default_take_room(struct plan *p, size_t width);

/* Adds lines for divisibility by powers of two, and for what is left of sizes behind whole
   tiles. */
void default_tiles(struct plan *p);
