/* files.h - the files of a run: none is written unless all are
   SPDX-License-Identifier: MIT */
#pragma once

#include "write.h"

struct files_options {
    const char *output; /* FILE.csv, a folder, or NULL: standard output */
    int force;
    enum write_schema schema;
    const char *const *inputs; /* of the command: none may be an output as well */
    size_t n_inputs;
};

/* Writes a table for each family that has rows, and makes the folder if need be. The paths are set
   in path[FAMILY], to be freed; NULL: that family has none. 0, or -1 with a message. */
int files_write(const struct rows *r, const struct target *t, const struct files_options *o,
                char *path[N_FAMILIES]);
