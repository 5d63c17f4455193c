/* program.h - the feature program: from the spec's [derived] and [features] to instructions
   SPDX-License-Identifier: MIT

       [derived]                         a register a line: NAME = OP A [B], or NAME = NUMBER
       oh = ceil_div h stride            ops: log2 A; add sub mul ceil_div mod min max A B
       l_c = log2 c                      A, B: a field, a formula, a register above, or a number
       [features]                        activations, 0..127 each
       onehot gpu                        one a token
       equals stride 1 2                 R FIRST COUNT: is R == FIRST, FIRST + 1, ...?
       hats l_c 2 1 10                   R FIRST STEP COUNT: triangles over a logarithm, in octaves;
                                         STEP is 4, 2, 1, 0.5, 0.25, ...
       ramp l_c 0 16                     R FROM WIDTH: rises from FROM to FROM + WIDTH octaves
       divides c 2 6                     R FIRST COUNT: divisible by FIRST, 2 FIRST, 4 FIRST, ...?
       fraction hw 64                    R K: (R mod K) / K

   A formula (clause.h) that a line names becomes registers. It has fields alone (in [judge]
   parameters as well), no quotient, and divides nothing that may be negative. Its numbers are exact
   up to 2^31, where they stop; a division by 0 gives 0. */
#pragma once

#include "spec.h"

#define PROGRAM_MAX_INSTR 192 /* default_features() stays within it */

struct program {
    kpred_instr instr[PROGRAM_MAX_INSTR];
    size_t n_instr, n_registers, n_features;
};

/* 0, or -1 with a message that names file, line and culprit. */
int program_compile(const struct spec *spec, struct program *out);

/* Compiles the section [judge], which has both kinds of lines. Its registers hold a problem, the
   values of its parameters under their names, and `table`: see train/timed.h. The same result. */
int program_compile_judge(const struct spec *spec, struct program *out);

/* The program of a network, as it was compiled */
void program_of_net(struct program *out, const kpred_additive *net, size_t n_fields);

/* The activations of one problem, as the runtime computes them. */
void program_run(const struct program *program, const int32_t *problem, size_t n_fields,
                 uint8_t *features);

/* The same, and all registers: n_registers numbers, with room for KPRED_MAX_REGISTERS. */
void program_run_whole(const struct program *program, const int32_t *problem, size_t n_fields,
                       uint8_t *features, int32_t *registers);

/* ---- features for a spec that has no section [features] ---- */

/* Each field of tokens gets a one-hot, or the digits of the token's number where tokens are too
   many. Each size gets hats over its logarithm, and so does each register of the spec's own
   [derived], and each formula that may be one; of few values each has a feature. A size that is
   only a step to registers, of which no logarithm is taken, has a ramp alone if it is a field, and
   nothing else. Without [derived] hats go over products, too. Then,
   as far as there is room: divisibility by powers of two, and what is left of a size behind
   whole tiles, which are the values of integer parameters. A size that a parameter's name
   contains (m in tile_m, k_per_block's k) takes the values of such parameters; other sizes take
   those of the parameters that name no size. */

/* Adds lines as [derived] and [features] have them, each with an end of line: what a network should
   see of the spec's fields, given its parameters. They fit the limits of kpred.h. */
void default_features(const struct spec *spec, struct buf *derived, struct buf *features);

/* Gives a spec without [features] these lines: its text has them at its end, behind a comment that
   tells what they are. Where `like`, which may be NULL, has such a comment, it takes the lines
   behind that: another kpred-train may have made them otherwise. Other specs stay as they are. 0,
   or -1 with a message: then nothing is left of the spec. */
int default_features_give(struct spec *spec, const struct spec *like);

/* The line of that comment, from 1: lines of [derived] and [features] behind it were given so. 0:
   there is none. */
long default_features_line(const struct spec *spec);
