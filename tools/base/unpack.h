/* unpack.h - bzip2 and gzip data in memory
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

/* Add what `packed` holds, one stream or several in a row, to `out`: 1..most bytes. `path` is for
   the message. */
int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out);
int gunzip(const char *path, const struct buf *packed, size_t most, struct buf *out);
