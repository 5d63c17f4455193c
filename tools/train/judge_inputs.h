/* judge_inputs.h - the numbers by which judges know a problem and a tuple together
   SPDX-License-Identifier: MIT

   Trees cut one number at a time, so what a kernel's time depends on should be a number of its own:
   how many tiles a size has, what a tile leaves over, how many waves the tiles make. Nobody has to
   list them. There are at first

     the fields and the parameters, each name of those that have names, the units of a GPU whose
     name tells them (gfx906_60), the powers of two that divide a size,
     of each size and parameter the quotient, rounded up, and the remainder,
     products and quotients of sizes and of parameters, sums of parameters,
     what the conditions of [restrict] and the lines of [judge] compute,
     where a parameter has names, what the tuple did in other problems (judge_near.h).

   Judges of a few trees then tell which of these matter; products and quotients of those join, in
   some rounds, and the ones that matter most of all stay. */
#pragma once

#include "boost.h"
#include "judge_near.h"

#include "data/data.h"
#include "model/model.h"

/* Register `at` of an operation of two registers before it */
struct judge_number {
    unsigned char op;
    uint16_t a, b;
};

struct judge_inputs {
    const struct model *model;
    struct program judge;   /* [judge] compiled; no features without it */
    struct judge_near near; /* of no rows where numbers tell all of a tuple */
    struct judge_number *number;
    size_t n, cap; /* registers: those given, then computed ones */
    size_t n_given;
    size_t n_clauses; /* conditions of [restrict] whose terms are given */
    uint16_t *asked;  /* the registers that are columns for the trees */
    size_t n_asked;
};

/* Chooses the columns. 0, or -1 with a message: [judge] is wrong. */
int judge_inputs_open(struct judge_inputs *in, const struct model *model,
                      const struct judge_rows *rows, uint64_t seed, size_t n_threads);
void judge_inputs_close(struct judge_inputs *in);

/* The columns of a problem and a tuple: n_asked numbers. `room` has room for n doubles. */
void judge_inputs_of(const struct judge_inputs *in, const struct judge_row *row, double *room,
                     float *x);
