/* formats.h - data files of any format into one sorted dataset
   SPDX-License-Identifier: MIT */
#pragma once

#include "load.h"

/* A table of them, which a format without an ending ends, says who reads which files. Those of one
   ending follow each other. */
struct data_format {
    const char *ending;      /* of a file's name, maybe with .bz2 or .gz behind it */
    enum spec_format format; /* of the specs that have such data; SPEC_N_FORMATS: any */
    const char *what;        /* all that a file of that ending may be: "perf-db" */
    int (*read)(struct loader *l,
                struct buf *bytes); /* unpacked, and its to change; 0, or -1 with a
                                                         message */
};

/* Reads the files in the spec's format, or as CSV with its columns. On failure nothing is kept. */
int data_load(const struct data_format *formats, const struct spec *spec, const char *const *paths,
              size_t n, const struct data_options *options, struct dataset *out);

/* Does a file's name end so, or so with the ending of a packed file behind? */
int data_has_ending(const char *path, const char *ending);
/* Reads a file of any format, unpacks it by its ending, and leaves it as plain_text does. 0, or -1
   with a message; to be freed in any case. */
int data_read(const char *path, struct buf *out);
