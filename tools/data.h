/* data.h - past tuning results: problems and the parameters that were fastest on them
   SPDX-License-Identifier: MIT */
#ifndef KPRED_TOOLS_DATA_H
#define KPRED_TOOLS_DATA_H

#include "spec.h"
#include "table.h"

/* Why a row is left out. The first two are documented kinds that every command leaves out; the
   others are errors unless `lenient`. */
#define DATA_DROPS(X)                                                               \
    X(DROP_STRIDE_2, "stride 2, which MIOpen no longer runs with this kernel")      \
    X(DROP_FAILED_SEARCH, "the start value of a search that failed")                \
    X(DROP_BROKEN, "a cell that cannot be read")                                    \
    X(DROP_OUTSIDE, "a problem that the spec does not cover")                       \
    X(DROP_PARAMS, "parameters that the spec does not allow")

#define DATA_DROP_NAME(name, text) name,
enum data_drop { DATA_DROPS(DATA_DROP_NAME) DATA_N_DROPS };
#undef DATA_DROP_NAME

enum { DATA_UNKNOWN = 255 }; /* as a target: a value that the spec does not name */

struct data_file {
    char *name;      /* without directory */
    char sha256[65]; /* of the file as it is, compressed or not */
    size_t rows;     /* taken from it */
};

/* Rows are sorted by problem, then target; neither the order of the files nor that of the rows in
   them matters. Equal problems (of several GPUs' databases, or tuning runs) all stay. */
struct dataset {
    size_t n, n_fields, n_params;
    int32_t *problem;      /* n x n_fields, in the spec's order */
    unsigned char *target; /* n x n_params, index of the value in the spec's list */
    uint32_t *file;        /* n, index into files */
    int64_t *row;          /* n, perf_db id or line of the CSV file */
    double *time_us;       /* n; NULL: the data are not timed */
    size_t n_files;
    struct data_file *files; /* sorted by name */
    size_t dropped[DATA_N_DROPS];
};

/* How to take what the files hold. */
struct data_options {
    const char *gpu; /* if not NULL, stands for the GPU that a file's name gives */
    int nearest;     /* take the nearest GPU of the spec for one that it lacks */
    int lenient;     /* drop and count rows that would be an error */
};

/* Reads the files (.db, .txt, .csv, and each with .bz2). On failure nothing is kept. */
int data_load(const struct spec *spec, const char *const *paths, size_t n,
              const struct data_options *options, struct dataset *out);
void data_free(struct dataset *d);

/* One line on standard error for each reason that dropped rows. */
void data_note_drops(const struct dataset *d);

/* One column per field and parameter; write errors are left to ferror(f). */
void data_write(const struct spec *spec, const struct dataset *d, struct table_form form, FILE *f);

#endif
