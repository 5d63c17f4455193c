/* full_rows.h - reads full tables
   SPDX-License-Identifier: MIT */
#pragma once

#include "full_table.h"

struct spec;

/* Reads a file of Kernel Tuner or KTT (.json), or CSV (.csv) by the parameters and fields of a
   spec, packed or not; the spec may be NULL for the others. `gpu` chooses rows of CSV; of other
   files it is what theirs has to be, if they say it; NULL: any. 0, or -1 with a message if the file
   has more than one problem or no tuple that ran. To be freed in any case. */
int full_table_read(struct full_table *t, const char *path, const struct spec *spec,
                    const char *gpu);
