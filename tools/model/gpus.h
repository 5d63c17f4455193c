/* gpus.h - GPUs by the names that people, drivers and files have for them, and as tokens of specs
   SPDX-License-Identifier: MIT

   Facts from AMD's ROCm documentation ("GPU hardware specifications": architecture and compute
   units of each product) and LLVM's "User Guide for AMDGPU Backend" (section "Processors": products
   of each architecture). Older products that the former no longer lists have the units of their
   data sheets.

   A GPU's name in MIOpen's files has the architecture and the units that HIP counts: on gfx10 and
   later these are work-group processors, each of two compute units. Other vendors' GPUs have
   the names of their drivers. */
#pragma once

#include "spec.h"

#include "base/intern.h"
#include "base/names.h"

struct product {
    const char *brand, *name; /* "Radeon", "RX 6800 XT" */
    const char *arch;         /* "gfx1030" */
    const char *family;       /* "gcn", "cdna" or "rdna", by LLVM's names of processors */
    int compute_units;        /* of one GPU: a card of MI250 or MI250X is two for HIP */
};

/* All that is known of AMD's GPUs; it ends with a name NULL. What is said of an architecture, or of
   a number of compute units, is that of the first product that has it. */
extern const struct product products[];
const struct product *product_of_arch(const char *arch);       /* NULL: none */
const struct product *product_of_units(int64_t compute_units); /* of the family cdna */

/* Compute units in one of the units that HIP counts, by the name of the architecture */
int gpu_units_of_one(const char *gfx);

/* Units as HIP counts them. */
int product_units(const struct product *p);

enum { GPU_NAME = 24 };

/* What words of names are made of, and what stands between two of them */
#define GPU_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define GPU_BETWEEN " \t_-"

/* "gfx906_60", "gfx942130": units behind `_` up to 64, above that in hexadecimal. */
void product_gpu(const struct product *p, char out[GPU_NAME]);

/* The product that people call `text`, whatever the case, blanks and the words of the brand that
   are left out ("AMD Radeon RX 7900 XTX", "7900xtx"); NULL: none. */
const struct product *product_find(const char *text);

/* The product that a driver's name of a GPU is, with the words that stand behind some products
   ("AMD_Instinct_MI300X_VF", "MI325_OAM", "Radeon_8060S_Graphics"); NULL: none, as of gfx942. */
const struct product *product_of_device(const char *device);

/* "MI300X" for "AMD_Radeon_Graphics", its name in containers; any other text is itself.
   Only this spelling, that of the names of servers' files, means it: a table of another tool may
   have "AMD Radeon Graphics" for any GPU that a driver has no name for. */
const char *gpu_server_name(const char *text);

/* The one name of a GPU, however people, drivers, tools and files spell it; it is a token. For a
   product of AMD's it is the name in MIOpen's files, for an architecture (GFX90A:xnack-) that alone
   in small letters, for all others the words without those of the seller in front (NVIDIA GeForce
   Tesla Quadro, AMD Radeon Instinct, Intel), without (R) and (TM), and with one `_` for each run of
   characters that a token cannot hold. Between words there may be blanks, `_` or `-`:
       AMD Radeon PRO W6600      gfx1032_14       NVIDIA A100-PCIE-40GB  A100-PCIE-40GB
       AMD Instinct MI250X/MI250 gfx90a6e         NVIDIA-A100-PCIE-40GB  A100-PCIE-40GB
       AMD_Instinct_MI300X_OAM   gfx942130        NVIDIA RTX A4000       RTX_A4000
   A token begins with a letter; before a digit comes `_`. "": nothing is left. In `b`. Whether two
   names are one GPU says gpu_same: they may differ in case and in what is between words. */
const char *gpu_name(const char *text, struct buf *b);

/* The name by which kpred_gpu_token finds a GPU of AMD's that has a product's name, or one of HIP's
   ("MI300X": gfx942_304, "gfx942:sramecc+:xnack-": gfx942); any other text is itself. It may be in
   `b`. */
const char *gpu_program_name(const char *text, struct buf *b);

/* The same of an option's value, which has to name a GPU of AMD's: NULL with a message if it does
   not. What GPU a product has is told on standard error. */
const char *gpu_asked(const char *option, const char *text, struct buf *b);

/* Who makes a GPU: "amd", "nvidia" or "intel" by the first word of what a driver calls it, of a
   token or of a product's name; NULL: nobody who is known here. The word is one of the seller's
   (NVIDIA, RTX, Radeon, gfx90a), a product of AMD's, or a chip of NVIDIA's
   (A100, L40S); a GeForce by its number (2080 Ti) has nothing else in its name. */
const char *gpu_vendor(const char *name);

/* Is a piece of a file's name a GPU? It has letters and digits then, and somebody makes it. */
int gpu_is_in_name(const char *piece);

/* The length of the piece of a file's name that may be a GPU: up to the first `.` or `-`, and the
   words of a card and its memory behind a `-` (A100-SXM4-80GB.csv) */
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

/* The product of a token such as gfx942_304; of two that have it, MI300X, which is more usual */
const struct product *product_of_token(const char *gpu);

/* Adds what people call it, "MI300X (gfx942, 304 units)"; any other text is itself. */
const char *gpu_called(const char *gpu, struct buf *b);

/* Offers the names of all products. */
void products_offer(struct names_near *near);

/* ---- NVIDIA's chips ---- */

enum { CHIP_SERVER = 1, CHIP_FORMS = 2 };

/* Facts from NVIDIA's list of compute capabilities, and from its data sheets and white papers, or,
   for the servers' GPUs of Blackwell, from what its driver reports. */
struct chip {
    const char *name;   /* "RTX PRO 6000 Blackwell Server Edition"; " " is any separator there */
    int arch;           /* 90 of sm_90 */
    int units;          /* streaming multiprocessors of one GPU; 0: not known for sure */
    unsigned char kind; /* CHIP_SERVER: made for data centres. CHIP_FORMS: with other memory or on
                           another card it is another GPU that people keep apart */
};

/* It ends with a name NULL. */
extern const struct chip chips[];

/* The chip with the longest name that a text without the seller's words begins with, and what is
   behind; NULL: none. "RTX_4070_Laptop_GPU" begins with RTX 4070. */
const struct chip *chip_find(const char *text, const char **rest);

/* The same of a driver's name ("NVIDIA A100-PCIE-40GB") or a token */
const struct chip *chip_of_device(const char *device);

/* The chip of a data centre that the name is whatever it says of the card and the memory, as
   "NVIDIA_H100_80GB_HBM3" is H100 and "NVIDIA B300 SXM6 AC" is B300; NULL: it is none, or a chip of
   which there are several (A100-PCIE-40GB) */
const struct chip *chip_of_any_form(const char *device);

/* ---- which names are of one GPU ---- */

/* What is the same for all spellings of one GPU, in `b`. Case and what stands between words make no
   difference; the memory, the form of the card and the units do: A100-PCIE-40GB is none of
   A100-PCIE-80GB, A100-SXM4-40GB and A100. "": it is not a name. */
const char *gpu_key(const char *text, struct buf *b);
/* Are these two spellings of one GPU? */
int gpu_same(const char *a, const char *b);

/* Is the one the other, or has it all words of the other, as A100-PCIE-40GB has those of A100? */
int gpu_may_be(const char *a, const char *b);

/* The same chip by its name, whatever the card and the memory (A100-PCIE-40GB, A100_SXM4_80GB), or
   may one be the other, as gfx942 and gfx942_304? */
int gpu_share_chip(const char *a, const char *b);

/* Those of the names that are GPUs of one chip, or may be, in groups, "A100 and A100-PCIE-40GB;
   gfx942 and gfx942_304"; "": there are none. In `b`. */
const char *gpu_chips(const char *const *names, size_t n, struct buf *b);
/* What is said of them */
#define GPU_CHIPS_TOLD \
    "GPUs of one chip, which count as different ones: spell them alike if they are one"

/* ---- the GPU that a log names ---- */

/* Is a driver's name of a GPU, or a token, that of the GPU, by whatever name? AMD_Radeon_Graphics
   is what gpu_server_name says. */
int gpu_is_device(const char *device, const char *gpu);

struct gpu_told { /* all zero: a log names none */
    int has_ours; /* it names the GPU of the option --gpu */
    int is_certain;
    struct place at;
    char other[80]; /* another one that it names; "": none */
};

/* A line names a GPU, ours or another one: for certain, if it is that of the server, and else maybe
   one of a list. */
void gpu_told(struct gpu_told *t, int is_ours, int is_certain, const char *name, struct place at);
/* What any line names: gfx90a, device_name=AMD_Instinct_MI250X, Instinct MI250X, NVIDIA A40 */
void gpu_told_line(struct gpu_told *t, const char *gpu, const char *line, struct place at);
/* Is the log of another GPU than the option's? 0, or -1 with a message; force: it is told. */
int gpu_told_check(const struct gpu_told *t, const char *gpu, int force);

/* ---- tokens ---- */

/* The token of a text: the one that is written just so. Else, of a field gpu, the first that is
   spelled as the same product of AMD's; else the same GPU (gpu_same), if it is not spelled as
   another product: with the tokens gfx942_304 and MI325X, MI300X is the former, although all three
   have one architecture and as many units; a name is first read by gpu_server_name. Else the only
   one that is the same chip of a data centre (chip_of_any_form). -1: none */
int field_token(const struct spec_field *f, const char *text);

/* The same of a field gpu, or the only token that may be the GPU, since one name says more than the
   other; -1: none */
int gpu_token(const struct spec_field *f, const char *text);

/* ---- tokens that stand for GPUs on which nothing was measured ---- */

/* The section [unseen] of a spec gives names to GPUs that a model has not seen:

       [fields]
       gpu = gfx90a6e gfx1032_14 RTX_A4000 amd rdna
       [unseen]
       amd = gfx90a6e gfx1032_14
       rdna = gfx1032_14

   `amd` is a token like the others, but no file has rows of it: it learns from those of the GPUs
   behind the `=`, and a little from all others (data/data.h). A GPU that the model lacks is
   looked up by its family (gcn, cdna, rdna), then by its vendor (amd, nvidia, intel), then as
   `other`. */

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

/* ---- what comes closest to a GPU ---- */

/* Is a name the family or the vendor of a GPU, or `other` for one of an unknown vendor? */
int unseen_is_for(const char *name, const char *gpu);

/* Is the token of the field gpu one of the names? */
int unseen_is_name(const struct spec *spec, int32_t token);

/* The token of what comes closest to a GPU that the spec lacks, by its name as people or files
   write it; -1: none. The nearest GPU is one of the same maker where the kernel runs: of the same
   chip; else of the same architecture; else one for data centres, which for AMD's rdna is one of
   rdna; else any. Among these the architecture with the nearest number decides, then the nearest
   number of units, then the most units, then the order of the tokens, as in kpred_gpu_token. For a
   GPU of an unknown architecture it is the newest one. Names of [unseen] come before the nearest
   GPU unless that has the same chip or, of AMD's, the same architecture. */
int32_t gpu_nearest(const struct spec *spec, const char *gpu);

/* What two GPUs have in common: "the same chip", "the same architecture", "only the same maker" */
const char *gpu_kinship(const char *a, const char *b);

/* Has the field a GPU of the same maker? */
int gpu_maker_is_known(const struct spec_field *f, const char *gpu);
