/* gz.h - gzip data in memory
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

/* Adds what `packed` holds, one member or several in a row, to `out`: 1..most bytes. `path` is for
   the message. */
int gunzip(const char *path, const struct buf *packed, size_t most, struct buf *out);
