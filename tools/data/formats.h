/* formats.h - data files of any format into one sorted dataset, and the readers of this room
   SPDX-License-Identifier: MIT */
#pragma once

#include "load.h"

/* ---- files of any format ---- */

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

/* ---- the reader of CSV, which hands Tensile's tables on ---- */

int csv_read(struct loader *l, struct buf *bytes); /* see struct data_format */

/* ---- the reader of other tuners' files ---- */

/* Parameters are those of the file by name. A field is, of these, the first that there is: of names
   and called gpu, the file's GPU (tuner_gpu); one of the file's parameters; problem_size_x, _y, _z,
   problem_size_3 and so on, a size of the file's problem; what --set gives. A parameter of the file
   that the spec does not name has one value throughout. */

int tuner_rows_read(struct loader *l, struct buf *bytes);

/* ---- the reader of the tables of Tensile's benchmarks ---- */

/* Is the record the header of a Tensile table, and such tables what the spec is about? */
int tensile_is_header(const struct loader *l, const struct csv_records *r);
/* The rest of a table whose header was read: 0 or -1 with a message. */
int tensile_read(struct loader *l, struct csv_records *r);

/* ---- the reader of AITER's tables of tuned kernels ---- */

/* Is the record the header of such a table, and such tables what the spec is about? */
int aiter_is_header(const struct loader *l, const struct csv_records *r);
/* The rest of a table whose header was read: 0 or -1 with a message. */
int aiter_read(struct loader *l, struct csv_records *r);
