/* survey.h - what files say of a kernel for which there is no spec: problems, parameters, tuples
   SPDX-License-Identifier: MIT

   `kpred-train init` makes a spec of it. Files come one after another; values are texts, as a spec
   writes them. A column is a field or a parameter. */
#pragma once

#include "data/tuner.h"

#include "base/intern.h"
#include "base/opts.h"
#include "kpred.h"

struct survey_column {
    char *name;
    struct interned values; /* declared or seen, in the order in which they came */
    struct place *at; /* where each was first seen; line 0: it was declared, or is the user's */
    size_t at_cap;
    int is_said;             /* by the file being read */
    const char *has, *lacks; /* a file that says it, and one that does not; NULL: there is none */
};

struct survey_columns {
    const char *what; /* "field" */
    size_t n, most;
    struct survey_column v[KPRED_MAX_TUPLE];
};

/* What the user says of the files */
struct survey_asked {
    const struct opt_texts *files; /* all of them, for a command that is advised */
    struct interned fields;        /* named by --fields; n = 0: none were */
    struct interned ignored;       /* columns of tables, by --ignore */
    size_t n_set;                  /* --set NAME=VALUE */
    const char *set_name[KPRED_MAX_FIELDS], *set_value[KPRED_MAX_FIELDS];
    struct opt_texts success; /* by --success */
    const char *gpu;          /* by --gpu; NULL */
    const char *metric;       /* by --metric: as struct table_asked has it */
    const char *unit;         /* by --unit; NULL */
    const char *name;         /* of the model, by --name; NULL: the files tell */
    const char *output;
};

/* What became of a row. The first two were not measured: a check forbade what was rejected. */
enum survey_result { SURVEY_DECLARED, SURVEY_REJECTED, SURVEY_FAILED, SURVEY_WORKED };

struct survey {
    const struct survey_asked *asked;
    struct t1 t1; /* its path is NULL: there is none */
    struct survey_columns fields, params;
    struct interned problems; /* for each field 1 + the number of its value, 0: not said */
    struct interned rows;     /* distinct ones: a problem's number, then likewise the parameters */
    unsigned char *result;    /* the best of each, an enum survey_result */
    size_t result_cap;
    char *kernel;              /* as the files call it; NULL: they do not */
    const char *kernel_path;   /* the file that does */
    const char *first;         /* file that was read; NULL: there is none */
    const char *path;          /* of the file being read */
    struct interned notes;     /* for the user, if all goes well */
    struct interned spellings; /* of GPUs, and the token of each */
    char **token;
    size_t token_cap;
    struct interned success, failures; /* words of tables, see tables.h */
    struct survey_metric {             /* what a spec has to say of the column of times */
        char *name;                    /* NULL: nothing */
        const char *path;              /* of the first table with times, NULL: there is none */
        int is_rate, is_mixed;         /* tables call it otherwise: a spec says nothing */
    } metric;
    struct tuner_types types;
    int unit_is_used;
    const char *timed; /* a file with times, */
    const char *best;  /* and one whose rows are the best of their problems; NULL: there is none */
};

void survey_open(struct survey *s, const struct survey_asked *asked);
void survey_close(struct survey *s);

/* What was said since s->path was set was said by this file. */
void survey_end_file(struct survey *s);

/* The file has such a column: its number, made if need be; -1 with a message. */
int survey_column(struct survey *s, struct survey_columns *c, const char *name);
/* Its number, or -1. */
int survey_find(const struct survey_columns *c, const char *name);
/* The number, from 1, of a value that a column may have, though maybe no row has it; line 0: it is
   declared */
uint32_t survey_value(struct survey *s, struct survey_column *c, const char *value, long line);

/* A row: a value for each column, NULL where the file does not say it. The number of its problem; a
   tuple that is declared lends its values alone. */
size_t survey_row(struct survey *s, const char *const *fields, const char *const *params,
                  enum survey_result result, long line);

/* What the file calls the kernel, NULL: nothing. 0, or -1 with a message if another one calls it
   otherwise and the user gives it no name. */
int survey_kernel(struct survey *s, const char *name);

/* What a table's times are called, NULL: time_us or time_ms. 0, or -1 with a message if another
   table has times where it has rates, or other rates. */
int survey_metric(struct survey *s, const char *name, int is_rate);

/* Keeps a line that is told when the spec is written. */
void survey_note(struct survey *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* After the last file, have all of them the same columns? A parameter of one value may be missing.
   0, or -1 with a message. */
int survey_check(const struct survey *s);

/* Were there files of data, or a T1 input alone? */
int survey_has_data(const struct survey *s);
/* How many problems there are, whatever the GPU */
size_t survey_n_problems(const struct survey *s);

/* ---- other tuners' files ---- */

/* Fields are `gpu`, the sizes problem_size_x, _y, _z, _3 and so on, what --set gives to files that
   do not say it, and those of the parameters that --fields names. */

/* Adds a file of another tuner, or keeps it as s->t1: 0, or -1 with a message. */
int survey_tuner(struct survey *s, const char *path);

/* Behind all files of data: the T1 input gives what they did not say, or all if there are none.
   Both have to have the same parameters, but for those of one value; values that T1 does not have
   are told. 0, or -1 with a message. */
int survey_t1(struct survey *s);

/* ---- plain tables ---- */

/* Fields are the columns that --fields names, and `gpu`. tables.h says which is the time. What
   counts the rows or is a product of fields is passed over. The others are parameters. */

/* Adds a table, unpacked, to the survey. 0, or -1 with a message. */
int survey_table(struct survey *s, const char *path, struct buf *text);

/* ---- tables: what the files that read them share ---- */

enum survey_role { SURVEY_FIELD, SURVEY_PARAM, SURVEY_TIME, SURVEY_PASSED_OVER };

struct survey_cells {
    const char *name; /* the header's */
    enum survey_role role;
    struct interned values;
    int has_word, has_fraction, has_empty;
    int changes;  /* has the second row another one than the first? */
    int at;       /* number in the survey */
    int is_field; /* by --fields, or as the GPU */
    int varies;   /* within a problem */
    int counts;   /* the rows, from 0 or 1 */
    int is_out;   /* the importer says that it is neither a field nor a parameter */
};

struct survey_plain {
    struct survey *s;
    int is_tuner; /* all columns but the time are parameters, or fields that the user names */
    struct interned fields, ignored; /* of a table, what it says and what is asked */
    const char *path;
    long header; /* its line */
    size_t n, n_rows;
    struct survey_cells *v;
    int time, has_time; /* the column; it is there */
    struct interned problems;
    uint32_t *first_cells; /* of each problem, for each column the number of its first cell */
    size_t cells_cap;
    const char *said[KPRED_MAX_TUPLE]; /* of each field what all rows have; NULL: it is not said */
    const char *device;                /* the GPU, as an importer has it; NULL: it does not say */
    struct buf gpu;
};

/* The whole file has this value of a field, which outlives it: 0, or -1 with a message. */
int survey_say(struct survey_plain *t, const char *name, const char *value);
/* The same of --set, for the fields that the file does not say */
int survey_say_set(struct survey_plain *t);
/* NULL: there is no such column. */
struct survey_cells *survey_find_cells(const struct survey_plain *t, const char *name);
/* Every column that the user names by the option has to be there: 0, or -1 with a message. */
int survey_check_named(const struct survey_plain *t, const char *option,
                       const struct interned *names);
/* Adds all rows: 0, or -1 with a message. */
int survey_add_rows(struct survey_plain *t, struct table_rows *table);
/* Frees what it owns, at the end of its file. */
void survey_close_plain(struct survey_plain *t);

/* Takes a cell of the row of that number, from 0: the number of its text. */
uint32_t survey_see_cell(struct survey_cells *c, const char *cell, size_t row);
/* Takes a row, by the numbers of its cells. */
void survey_see_problem(struct survey_plain *t, const uint32_t *number);
/* Then, of a column that would be a parameter by its name: 1: it may be one; 0: it is passed over;
   -1 with a message. */
int survey_check_rows(const struct survey_plain *t, struct survey_cells *c);
int survey_wrong(const struct survey_plain *t, const struct survey_cells *c, const char *what);
/* Tells of fields that the other fields give. */
void survey_note_given(const struct survey_plain *t);
