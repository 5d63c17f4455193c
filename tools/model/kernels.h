/* kernels.h - what the kernels of a library are called: a spec's section [kernels]
   SPDX-License-Identifier: MIT

   A library that has compiled its kernels one by one knows each by a name, and may have other
   kernels, or other numbers for them, on each GPU:

       library tile_m tile_n tile_k variant = kernel gpu
       ck 128 64 128 1 = a8w8_blockscale_256x128x64x128_v3 gfx942:1 gfx950:1

   The first line says which parameters a kernel decides: all, or all but the first one. Behind `=`
   stands a word for the name and, if the kernels of all GPUs are not the same, a field of tokens. A
   kernel's line has the values of these parameters, its name, and the tokens for which it exists,
   each maybe with `:` and the kernel's number there, from 0 (without: 0). A token's beginning up to
   a `_` stands for all that begin so: gfx942 for gfx942_304 and gfx942_80.

   This is a rule as well: a tuple is legal only if the problem's GPU has its kernel. The clauses of
   [restrict] may ask for more. */
#pragma once

#include "spec.h"

enum { KERNELS_MAX = 4096 };

/* Sorted by their values */
struct kernels {
    kpred_names names; /* which points into the arrays below */
    const char **name;
    int32_t *values, *ids;
    char *text; /* of the section's lines, in which the names stand */
};

/* Reads the section of a spec that has one. 0, or -1 with a message that names file and line; then
   nothing is kept. */
int kernels_read(const struct spec *spec, struct kernels *out);
void kernels_free(struct kernels *k);

/* The bytes that they add to an object. */
size_t kernels_bytes(const kpred_names *names);
