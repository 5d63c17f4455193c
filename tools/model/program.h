/* program.h - the feature program: from the spec's [derived] and [features] to instructions
   SPDX-License-Identifier: MIT

       [derived]                         a register a line: NAME = OP A [B], or NAME = NUMBER
       oh = ceil_div h stride            ops: log2 A; add sub mul ceil_div mod min max A B
       l_c = log2 c                      A, B: a field, a register above, or a number
       [features]                        activations, 0..127 each
       onehot gpu                        one a token
       equals stride 1 2                 R FIRST COUNT: is R == FIRST, FIRST + 1, ...?
       hats l_c 2 1 10                   R FIRST STEP COUNT: triangles over a logarithm, in octaves;
                                         STEP is 4, 2, 1, 0.5, 0.25, ...
       ramp l_c 0 16                     R FROM WIDTH: rises from FROM to FROM + WIDTH octaves
       divides c 2 6                     R FIRST COUNT: divisible by FIRST, 2 FIRST, 4 FIRST, ...?
       fraction hw 64                    R K: (R mod K) / K
*/
#pragma once

#include "spec.h"

#define PROGRAM_MAX_INSTR 192 /* default_features.h stays within it */

struct program {
    kpred_instr instr[PROGRAM_MAX_INSTR];
    size_t n_instr, n_registers, n_features;
};

/* 0, or -1 with a message that names file, line and culprit. */
int program_compile(const struct spec *spec, struct program *out);

/* Compiles the section [judge], which has both kinds of lines. Its registers hold a problem, the
   values of its parameters under their names, and `table`: see train/timed.h. The same result. */
int program_compile_judge(const struct spec *spec, struct program *out);

/* The activations of one problem, as the runtime computes them. */
void program_run(const struct program *program, const int32_t *problem, size_t n_fields,
                 uint8_t *features);
