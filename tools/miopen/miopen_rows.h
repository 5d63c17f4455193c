/* miopen_rows.h - rows of MIOpen's databases
   SPDX-License-Identifier: MIT */
#pragma once

#include "conv.h"

#include "data/formats.h"

/* What the readers of MIOpen's databases have in common. */
struct miopen_rows {
    int field[CONV_N_SOURCES]; /* the spec's field with that meaning, or -1 */
    int is_selective; /* a row that is not what the spec is about is not a mistake; see data.h */
    int64_t gpu;
    int are_channels_exchanged; /* those of backward rows */
    struct buf params;          /* the list of one row, cut into pieces; to be freed */
};

/* 0 or -1 with a message. */
int miopen_rows_open(struct loader *l, struct miopen_rows *c);
/* Verdict on a row: its key and the list of its parameters. */
int miopen_rows_add(struct loader *l, struct miopen_rows *c, int64_t row, const struct conv *conv,
                    const char *params);

/* legality.c: do the backward keys of a text perf-db have c and k the other way round than conv.h
   says? If they do, says so. 1 or 0, or -1 with a message. It is not in the file that calls it, as
   the fuzz targets put another function in its place. */
int channels_are_exchanged(const char *path, const char *text);
