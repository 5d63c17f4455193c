/* aiter_rows.h - the reader of AITER's tables of tuned kernels
   SPDX-License-Identifier: MIT */
#pragma once

#include "load.h"

/* Is the record the header of such a table, and such tables what the spec is about? */
int aiter_is_header(const struct loader *l, const struct csv_records *r);
/* The rest of a table whose header was read: 0 or -1 with a message. */
int aiter_read(struct loader *l, struct csv_records *r);
