/* tensile.h - the reader of the tables of Tensile's benchmarks
   SPDX-License-Identifier: MIT */
#pragma once

#include "load.h"

/* Is the record the header of a Tensile table, and such tables what the spec is about? */
int tensile_is_header(const struct loader *l, const struct csv_records *r);
/* The rest of a table whose header was read: 0 or -1 with a message. */
int tensile_read(struct loader *l, struct csv_records *r);
