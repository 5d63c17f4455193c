/* default_features.h - features for a spec that has no section [features]
   SPDX-License-Identifier: MIT

   Each field of tokens gets a one-hot, or the digits of the token's number where tokens are too
   many. Each size gets hats over its logarithm, and so does each register of the spec's own
   [derived]. A size that is only a step to registers, of which no logarithm is taken, has a ramp
   alone if it is a field, and nothing else. Without [derived] hats go over products, too. Then,
   as far as there is room: divisibility by powers of two, and what is left of a size behind
   whole tiles, which are the values of integer parameters. A size that a parameter's name
   contains (m in tile_m, k_per_block's k) takes the values of such parameters; other sizes take
   those of the parameters that name no size. */
#pragma once

#include "spec.h"

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
