/* parts.h - what the files of tensor/ share of a program
   SPDX-License-Identifier: MIT */
#pragma once

#include "graph.h"
#include "tensor.h"

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

/* The function of that name, null if there is none; NULL: the first one. *n: how many there are */
MlirOperation parts_function(MlirModule module, const char *name, int *n);
/* The block of a function that is there */
MlirBlock parts_block(MlirModule module, const char *function);
/* MLIR's own simplifications; -1 if they fail */
int parts_simplify(const struct tensor_program *p, MlirModule module);

void parts_free_code(struct parts_code *c);

/* A clone of the module that is edited */
struct draft {
    MlirModule module;
    struct graph graph;
};

void draft_begin(struct draft *t, const struct tensor_program *p);
void draft_end(struct draft *t);
