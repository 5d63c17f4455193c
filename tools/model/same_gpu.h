/* same_gpu.h - tells which names are of one GPU
   SPDX-License-Identifier: MIT */
#pragma once

#include "spec.h"

/* What is the same for all spellings of one GPU, in `b`. Case and what stands between words make no
   difference; the memory, the form of the card and the units do: A100-PCIE-40GB is none of
   A100-PCIE-80GB, A100-SXM4-40GB and A100. "": it is no name. */
const char *gpu_key(const char *text, struct buf *b);
/* Are these two spellings of one GPU? */
int gpu_same(const char *a, const char *b);

/* Is the one the other, or has it all words of the other, as A100-PCIE-40GB has those of A100? */
int gpu_may_be(const char *a, const char *b);

/* Are these two GPUs of one chip, or may be: A100-PCIE-40GB and A100, gfx942_304 and gfx942? GPUs
   of other units are two. */
int gpu_same_chip(const char *a, const char *b);

/* Those of the names that are GPUs of one chip, in groups, "A100 and A100-PCIE-40GB; gfx942 and
   gfx942_304"; "": there are none. In `b`. */
const char *gpu_chips(const char *const *names, size_t n, struct buf *b);
/* What is said of them */
#define GPU_CHIPS_TOLD \
    "GPUs of one chip, which count as different ones: spell them alike if they are one"

/* The token of a text: the one that is written just so, or of a field gpu the same GPU; -1: none */
int field_token(const struct spec_field *f, const char *text);

/* The same of a field gpu, or the only token that may be the GPU, since one name says more than the
   other; -1: none */
int gpu_token(const struct spec_field *f, const char *text);
