/* products.h - AMD's GPUs by the names under which they are sold
   SPDX-License-Identifier: MIT

   Facts from AMD's ROCm documentation ("GPU hardware specifications": architecture and compute
   units of each product) and LLVM's "User Guide for AMDGPU Backend" (section "Processors": products
   of each architecture). Older products that the former no longer lists have the units of their
   data sheets.

   A GPU's name in MIOpen's files has the architecture and the units that HIP counts: on gfx10 and
   later these are work-group processors, each of two compute units. */
#pragma once

#include "base/names.h"

struct product {
    const char *brand, *name; /* "Radeon", "RX 6800 XT" */
    const char *arch;         /* "gfx1030" */
    int compute_units;        /* of one GPU: a card of MI250 or MI250X is two for HIP */
};

extern const struct product products[]; /* ends with a name NULL */

/* Units as HIP counts them. */
int product_units(const struct product *p);

enum { GPU_NAME = 24 };

/* "gfx906_60", "gfx942130": units behind `_` up to 64, above that in hexadecimal. */
void product_gpu(const struct product *p, char out[GPU_NAME]);

/* The product that people call `text`, whatever the case, blanks and the words of the brand that
   are left out ("AMD Radeon RX 7900 XTX", "7900xtx"); NULL: none. */
const struct product *product_find(const char *text);

/* The name in MIOpen's files of a GPU as people call it: of a product, that of its GPU; of
   "GFX90A", that in small letters; else `text`. `b` may take it. */
const char *gpu_name(const char *text, struct buf *b);

/* The same of an option's value, which has to name a GPU: NULL with a message if it does not. What
   GPU a product has is told on standard error. */
const char *gpu_asked(const char *option, const char *text, struct buf *b);

/* What such a name says; units 0: it has only the architecture. */
struct gpu {
    char arch[GPU_NAME];
    int units, compute_units; /* as HIP counts them, and as data sheets do */
};
struct gpu gpu_parse(const char *name);

/* The products with that GPU ("gfx906_60"; of "gfx906", all of the architecture), a line each. */
const char *gpu_products(const char *gpu, struct buf *b);

/* Offers the names of all products. */
void products_offer(struct names_near *near);
