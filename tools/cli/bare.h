/* bare.h - bare loops of int8 multiply-adds: what a core does at best, to measure predictions by
   SPDX-License-Identifier: MIT

   The weights are a matrix with rows of 64, in memory once. They are as many as a model has, more
   or less: more than most first caches hold. */
#pragma once

#include "kpred.h"

enum { BARE_ROWS = 1536, BARE_COLS = 64, BARE_BYTES = BARE_ROWS * BARE_COLS };

struct bare {
    int8_t *weights;         /* [BARE_ROWS][BARE_COLS] */
    int32_t *sums;           /* [BARE_ROWS], what bare_plain finds */
    int16_t wide[BARE_COLS]; /* activations of 0 and 1, so that no loop overflows */
    uint8_t narrow[BARE_COLS];
};

void bare_open(struct bare *b);
void bare_free(struct bare *b);

/* The yardstick: a dot product a row, as one writes it first with SSE2; elsewhere in C. */
void bare_plain(const struct bare *b);

/* All of the weights by the fastest instructions of a body, into one sum: its time is a limit, as
   a network does more than this loop. pre: the machine has the body */
typedef int32_t (*bare_loop)(const struct bare *b);
bare_loop bare_loop_of(kpred_body body);
