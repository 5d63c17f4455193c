/* kernel_list.h - the kernels that AITER has, for a spec's section [kernels]
   SPDX-License-Identifier: MIT

   Two kinds of files name them. A list (columns family, libtype, gfx, kernelId, kernelName, tile_m,
   tile_n, tile_k, fields) has all kernels of a library. A table of tuned kernels has those that won
   somewhere. With a list, the kernels are those of lists and tables; with tables alone, those that
   the spec has already stay as well, since a table does not have them all. */
#pragma once

#include "base/csv_records.h"
#include "model/spec.h"

enum { KERNEL_TILES = 3, KERNEL_VARIANT = KERNEL_TILES, KERNEL_NUMBERS, KERNEL_PLACES = 8 };

struct kernel {
    char *name, *library;
    /* The tile's m, n and k, 0: the kernel has none; and the variant, 0: not numbered yet */
    int32_t number[KERNEL_NUMBERS];
    size_t n_places;
    struct kernel_place {
        char arch[16];
        int32_t id; /* of the kernel in that architecture's list */
    } place[KERNEL_PLACES];
    int is_old;  /* named by nothing but the spec */
    size_t rank; /* in the list of the library, from 1; 0: it is not there */
};

struct kernel_list {
    const struct spec *spec;
    size_t n, cap;
    struct kernel *v;
    int has_list; /* was there a file of that kind? */
};

/* A list with the kernels of the spec. 0, or -1 with a message; to be freed in any case. */
int kernel_list_open(struct kernel_list *list, const struct spec *spec);
/* Adds those that the files name, lists first: 0, or -1 with a message. */
int kernel_list_read(struct kernel_list *list, const char *const *paths, size_t n);
/* Drops what is gone, gives numbers to new variants, and sorts. 0, or -1 with a message. */
int kernel_list_finish(struct kernel_list *list);
void kernel_list_free(struct kernel_list *list);

/* The spec's text with this section and these values of its parameters. */
void kernel_list_write(const struct kernel_list *list, FILE *f);
