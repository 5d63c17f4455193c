/* data.h - past tuning results: problems, and the parameters that were fastest on them or, in timed
   data, how long each option took
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/table.h"
#include "model/spec.h"

#include <string.h>

/* Why a row is left out. Every command leaves out rows of the kinds up to DROP_NULL; the spec says
   which rows are of the first two, and its `retired` begins the first text. The three kinds from
   DROP_UNNAMED to DROP_SIZES are left out, too, where a file holds more than a spec is about: in
   find-dbs, and in perf-dbs if the spec has a field `y` and so takes all filters. If the spec comes
   with `filter` in [data], they are errors. Errors are dropped and counted if `lenient`. */
#define DATA_DROPS(X)                                                            \
    X(DROP_RETIRED, ", which MIOpen no longer runs with this kernel")            \
    X(DROP_FAILED_SEARCH, "the start value of a search that failed")             \
    X(DROP_FAILED_TIME, "a failed measurement (no time or speed, or one of 0)")  \
    X(DROP_OTHER, "another family, server, GPU or kernel than the spec's")       \
    X(DROP_NULL, "null in the place of a tuple: another kernel was faster")      \
    X(DROP_UNNAMED, "a data type, layout or depth that the spec does not name")  \
    X(DROP_CASTS, "cast tensors")                                                \
    X(DROP_SIZES, "a key whose image sizes no convolution with its filter has")  \
    X(DROP_BROKEN, "a cell that cannot be read")                                 \
    X(DROP_FILE, "a name or a text that cannot be read")                         \
    X(DROP_TWICE, "a second, longer time of one problem and option")             \
    X(DROP_OTHER_TUPLE, "another tuple than an earlier row of the same problem") \
    X(DROP_OUTSIDE, "a problem that the spec does not cover")                    \
    X(DROP_PARAMS, "parameters that the spec does not allow")                    \
    X(DROP_NO_TUPLE, "a problem for which the rule leaves no tuple")

#define DATA_DROP_NAME(name, text) name,
enum data_drop { DATA_DROPS(DATA_DROP_NAME) DATA_N_DROPS };

struct data_file {
    char *name;      /* without directory */
    char sha256[65]; /* of the file as it is, compressed or not */
    size_t rows;     /* taken from it */
};

/* Options that were run and gave no time, with format = timed: sorted, each once, all of values
   that the spec names. They are dropped rows; but that they failed is known. */
struct data_failures {
    size_t n;
    int32_t *problem;
    unsigned char *target;
};

enum { DATA_UNKNOWN = 255 }; /* as a target: a value that the spec does not name */

/* Rows are sorted by problem, then target, then time; neither the order of the files nor that of
   the rows in them matters. Equal problems (of several GPUs' databases, or tuning runs) all stay;
   one file of a spec with format = csv has one tuple a problem (csv.c).

   Timed data (of specs for which spec_is_timed) have a row for each option that was measured on a
   problem: data_problem_end says how many. An option with a value that the spec does not name
   stays, since it may be the fastest; its text is kept. With format = timed it is an error. An
   option stands once a problem and file, but as often as there are files. Times are kept to 15
   decimal digits, so that printing and reading them changes nothing. */
struct dataset {
    size_t n, n_fields, n_params;
    int32_t *problem;      /* n x n_fields, in the spec's order */
    unsigned char *target; /* n x n_params, index of the value in the spec's list; of timed data
                              also DATA_UNKNOWN */
    double *time_us;       /* n, microseconds, finite and above 0; NULL: the data are not timed */
    uint32_t *unknown;     /* n: 0, or of an option that the spec does not know 1 + its index into
                              unknown_text; NULL: the data are not timed */
    size_t n_unknown;      /* such options */
    char **unknown_text;   /* n_unknown x n_params, all their values as text; sorted */
    uint32_t *file;        /* n, index into files */
    int64_t *row;          /* n, perf_db id or line of the file */
    unsigned char
        *narrow; /* n, with format = aiter: 1 where `split` is one of the `unsearched` values
                              since no others were tried. NULL: the spec does not say which */
    struct data_failures failed;
    double noise; /* of a time, its standard deviation in octaves; 0: not known */
    size_t n_files;
    struct data_file *files; /* sorted by name */
    size_t dropped[DATA_N_DROPS];
    char *failures;      /* which texts stood in the place of times; NULL: none */
    const char *retired; /* the spec's, which has to live as long */
};

void data_free(struct dataset *d);

/* Makes n rows, all zero. */
void data_open_rows(struct dataset *d, size_t n, int is_timed, int has_narrow);
/* A dataset of the same files and options with n rows of its own, all zero; it ends in
   data_take_rows, by which it replaces the rows of the first one. */
struct dataset data_new_rows(const struct dataset *d, size_t n);
void data_take_rows(struct dataset *d, const struct dataset *rows);
/* Row i becomes what that row of the other, or of the same one, is. */
void data_copy_row(struct dataset *to, size_t i, const struct dataset *from, size_t row);

/* The first row behind `row`, which is below n, that has another problem; n if there is none. */
size_t data_problem_end(const struct dataset *d, size_t row);
size_t data_count_problems(const struct dataset *d);
/* Does row a stand before row b in the files? */
int data_stands_before(const struct dataset *d, size_t a, size_t b);
/* Octaves between the sizes of two problems; another GPU counts one, another token four. */
double data_distance(const struct spec *spec, const int32_t *a, const int32_t *b);
/* The first row of a problem; n: it is not there. */
size_t data_find_problem(const struct dataset *d, const int32_t *problem);
/* The first of a problem's failures, and where they end */
size_t data_find_failures(const struct dataset *d, const int32_t *problem, size_t *end);

/* ---- problems between those of a table (made_up.c) ---- */

/* Each field comes from some of the n_known problems. A size is changed half of the time:

     near   by up to half an octave; it stays divisible by the same power of two up to 64
     any    by up to an octave, at times by two, so that lessons go beyond the table on both sides;
            half of the time it stays divisible by that power, else by one that is drawn: a table
            of round sizes is asked for odd ones. In one problem of eight it becomes a size of up to
            two octaves beyond the greatest: much of what fails does so there */
enum made_up { MADE_UP_NEAR, MADE_UP_ANY };
int made_up_is_size(const struct spec *s, size_t field);
void make_up_problem(const struct spec *s, enum made_up how, const int32_t *known, size_t n_known,
                     uint64_t *seed, int32_t *out);

/* Does the spec name every value of the row's option? */
static inline int data_is_known(const struct dataset *d, size_t row)
{
    return memchr(d->target + row * d->n_params, DATA_UNKNOWN, d->n_params) == NULL;
}

/* A time as the data keep it: to 15 decimal digits. */
double data_round_time(double us);

/* The least time of timed data among those of the n rows from `first` on whose `counts` is above 0.
   0: there is none. */
double data_best_time(const struct dataset *d, size_t first, size_t n, const double *counts);

/* One line on standard error for each reason that dropped rows, and one for rows kept although the
   spec does not know their option. */
void data_note_drops(const struct dataset *d);

/* Writes one column per field and parameter, and for timed data a column time_us. The caller finds
   write errors by ferror(f). */
void data_write(const struct spec *spec, const struct dataset *d, struct table_form form, FILE *f);

/* ---- problems for which [restrict] leaves no tuple at all ---- */

struct model;

/* A problem to which no tuple is legal was measured all the same: its fields or the conditions are
   wrong. 0, or -1 with a message that names the first such row. If `lenient`, these rows are
   dropped and counted, and it is an error if none is left. */
int no_tuple_check(const struct model *model, struct dataset *d, int lenient);

/* ---- GPUs on which nothing was measured ---- */

/* Adds rows of the names of the spec's section [unseen] (model/gpus.h) to timed data, which stay
   sorted. A problem of such a name has the options of the same problem on all GPUs. An option's
   speed is the mean of its shares of each GPU's best speed, weighed by unseen_weight; on a GPU
   where the option has no time its share is 0. A name gets no problem that none of its GPUs has.

   On a GPU that is new, options that differ in one parameter are often slow together, so the first
   few should differ in more. The best option is taken first; then, one after another, the one with
   the greatest speed, less a tenth of it for an option that differs in one parameter from one that
   was taken, 3 percent for two parameters, and so on. These speeds are what is learnt.

   0, or -1 with a message. */
int unseen_rows_add(const struct spec *spec, struct dataset *d);

/* What it does to the shares of n options, the best of which are to differ. */
void unseen_spread(const unsigned char *targets, size_t n_params, double *share, size_t n);
