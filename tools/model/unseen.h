/* unseen.h - tokens that stand for GPUs on which nothing was measured
   SPDX-License-Identifier: MIT

   The section [unseen] of a spec gives names to GPUs that a model has not seen:

       [fields]
       gpu = gfx90a6e gfx1032_14 RTX_A4000 amd rdna
       [unseen]
       amd = gfx90a6e gfx1032_14
       rdna = gfx1032_14

   `amd` is a token like the others, but no file has rows of it: it learns from those of the GPUs
   behind the `=`, and a little from all others (data/data.h). A GPU that the model lacks is
   looked up by its family (gcn, cdna, rdna), then by its vendor (amd, nvidia, intel), then as
   `other`. */
#pragma once

#include "spec.h"

enum { UNSEEN_MAX = 16 };

struct unseen_name {
    int32_t token;
    unsigned char stands_for[SPEC_MAX_TOKENS]; /* token by token */
};

struct unseen {
    size_t field; /* gpu */
    size_t n;     /* 0: the spec has no such section */
    struct unseen_name v[UNSEEN_MAX];
};

/* Reads the section. 0, or -1 with a message that names file, line and column. */
int unseen_read(struct unseen *u, const struct spec *spec);

/* The index among the names of a token; -1: it is a GPU. */
int unseen_index(const struct unseen *u, int32_t token);

/* How much a GPU's times count for name `i`: 1 if it is one of its own; a half if a name that has
   all of its own has the GPU too, as `amd` has for `rdna`; a twentieth otherwise. */
double unseen_weight(const struct unseen *u, size_t i, int32_t gpu);

/* Is a name the family or the vendor of a GPU, or `other` for one of an unknown vendor? */
int unseen_is_for(const char *name, const char *gpu);

/* Is the token of the field gpu one of the names? */
int unseen_is_name(const struct spec *spec, int32_t token);

/* What comes closest to a GPU that the spec lacks, by its name as people or files write it: the
   nearest token, -1 without any, if it has the architecture of the GPU; else the name that stands
   for it; else the nearest. */
int32_t unseen_or_nearest(const struct spec *spec, const char *gpu, int32_t nearest);
