/* products.h - GPUs by the names under which they are sold
   SPDX-License-Identifier: MIT

   Facts from AMD's ROCm documentation ("GPU hardware specifications": architecture and compute
   units of each product) and LLVM's "User Guide for AMDGPU Backend" (section "Processors": products
   of each architecture). Older products that the former no longer lists have the units of their
   data sheets.

   A GPU's name in MIOpen's files has the architecture and the units that HIP counts: on gfx10 and
   later these are work-group processors, each of two compute units. Other vendors' GPUs are known
   by their names alone. */
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

/* The one name of a GPU, however people, drivers, tools and files spell it; it is a token. For a
   product of AMD's it is the name in MIOpen's files, for an architecture (GFX90A:xnack-) that alone
   in small letters, for all others the words without those of the seller in front (NVIDIA GeForce
   Tesla Quadro, AMD Radeon Instinct, Intel), without (R) and (TM), and with one `_` for each run of
   characters that a token cannot hold. Between words there may be blanks, `_` or `-`:
       AMD Radeon PRO W6600      gfx1032_14       NVIDIA A100-PCIE-40GB  A100-PCIE-40GB
       AMD Instinct MI250X/MI250 gfx90a6e         NVIDIA-A100-PCIE-40GB  A100-PCIE-40GB
       AMD_Instinct_MI300X_OAM   gfx942130        NVIDIA RTX A4000       RTX_A4000
   A token begins with a letter; before a digit comes `_`. "": nothing is left. In `b`. Whether two
   names are one GPU says gpu_same (same_gpu.h): they may differ in case and in what is between
   words. */
const char *gpu_name(const char *text, struct buf *b);

/* The same of an option's value, which has to name a GPU of AMD's: NULL with a message if it does
   not. What GPU a product has is told on standard error. */
const char *gpu_asked(const char *option, const char *text, struct buf *b);

/* Who makes a GPU: "amd", "nvidia" or "intel" by the first word of what a driver calls it, of a
   token or of a product's name; NULL: nobody who is known here. The word is one of the seller's
   (NVIDIA, RTX, Radeon, gfx90a), a product of AMD's, or one of the list of NVIDIA's in products.c
   (A100, L40S); a GeForce by its number (2080 Ti) has nothing else in its name. */
const char *gpu_vendor(const char *name);

/* Is a piece of a file's name a GPU? It has letters and digits then, and somebody makes it. */
int gpu_is_in_name(const char *piece);

/* The length of what names the chip alone, before the form of a card and its memory, which are
   words such as PCIE, SXM4 and 80GB: 4 of A100-SXM4-80GB */
size_t gpu_form(const char *name);
/* The length of the piece of a file's name that may be a GPU: up to the first `.` or `-`, and such
   words behind a `-` (A100-SXM4-80GB.csv) */
size_t gpu_piece(const char *name);

/* Does it begin with the name of an architecture of AMD's? Only then can it end with units. */
int gpu_is_gfx(const char *name);

/* What such a name says; arch "": it is none, units 0: it has only the architecture. */
struct gpu {
    char arch[GPU_NAME];
    int units, compute_units; /* as HIP counts them, and as data sheets do */
};
struct gpu gpu_parse(const char *name);

/* The products with that GPU ("gfx906_60"; of "gfx906", all of the architecture), a line each. */
const char *gpu_products(const char *gpu, struct buf *b);

/* Offers the names of all products. */
void products_offer(struct names_near *near);
