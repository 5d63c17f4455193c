/* bz2.h - bzip2 data in memory
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

/* Adds what `packed` holds, one stream or several in a row, to `out`: 1..most bytes. `path` is for
   the message. */
int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out);
