/* unpack.h - bzip2 and gzip data in memory
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

/* Add what `packed` holds, one stream or several in a row, to `out`: 1..most bytes. `path` is for
   the message. */
int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out);
int gunzip(const char *path, const struct buf *packed, size_t most, struct buf *out);

/* What may stand behind the ending of a file's name, and what undoes it; unpack: NULL if nothing
   is packed */
struct packing {
    const char *ending;
    int (*unpack)(const char *path, const struct buf *packed, size_t most, struct buf *out);
};

/* The packing of a file with this ending, such as ".csv"; NULL: it has another one. Each file has
   the ending "". */
const struct packing *packing_find(const char *path, const char *ending);

/* read_text of a file, unpacked if its name says so */
int read_unpacked(const char *path, size_t most, struct buf *out);
