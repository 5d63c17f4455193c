/* table_forms.h - tables as people make them, handed out in one form: a tuple a row, and its time
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/csv_records.h"
#include "base/intern.h"
#include "model/spec.h"

#include <stddef.h>

/* ---- times and speeds ---- */

enum metric_kind { METRIC_NONE, METRIC_TIME, METRIC_RATE };

/* What a name or a unit says of figures: of times whether the unit is said, and as the power of ten
   how many microseconds it has; of rates, where more is better, likewise how many billions. */
struct metric {
    enum metric_kind kind;
    int has_unit, power;
};

#define FAILED_TIME \
    1e19 /* so long or longer is a failure: old versions of Kernel Tuner write 1e20 */

/* Of a unit: "ms", "µs", "[ns]", "GFLOPS", "GB/s"; of other texts METRIC_NONE */
struct metric metric_of_unit(const char *text);
/* Of a column's name: "latency (ms)", "t_ms", "Kernel time, µs", "throughput". Of "total flops" it
   is not known, that may be work; "time_std" and "compile_time" are no times of a kernel. */
struct metric metric_of_name(const char *name);

/* Microseconds of a figure; of a rate the time of as much work as makes a billion of its units in a
   millisecond, so that within one problem the ratios are those of times. More than 0. */
double metric_us(struct metric m, double figure);

/* ---- figures ---- */

/* A number at the beginning of a cell, with nothing or a unit behind it */
struct figure {
    size_t n;        /* how long it is, the unit excluded */
    int is_plain;    /* as C writes it, without a unit */
    int is_fraction; /* it has a decimal mark, or may have */
    char proves;     /* the decimal mark of its column, . or , */
    char either;     /* a mark that may be that or stand between thousands; 0: there is none */
    const char *unit;
};

/* 1: the cell is such a number. */
int figure_see(const char *cell, struct figure *f);
/* The number as C writes it, where `mark` is the decimal mark; `out` has room for f->n + 1, and may
   be the cell. */
void figure_write(const char *cell, const struct figure *f, char mark, char *out);

/* Might a table without quotes of this kind have figures that C does not write so, outside of the
   column of times? It is a quick look at the text: a digit, a mark of thousands, and a digit, or a
   comma between digits within quotes. */
int figure_may_be_odd(const char *text, const char *end);

/* ---- what the names of a table's columns tell ---- */

enum { TABLE_WORD = 24 };

/* The next word of a name, in small letters, with u for micro, and *name behind it; a capital
   behind a small letter begins another one, but in "GiB/s". 0: none is left. */
size_t column_word(const char **name, char word[TABLE_WORD]);

/* Does the name say that the column holds times or speeds, or what is told beside these? Of "total
   flops" it is not known: that may be work. */
int column_is_measurement(const char *name);

/* Is the name one that people give to the number of a row: id, index, row, run? */
int column_is_counter(const char *name);

/* Has the name a number, and is it that of a repeat, such as "time_2" or "run1 (ms)"? Then
   `pattern` is the name with * in the place of the number, "run* (ms)". */
int column_is_repeat(const char *name, char pattern[128], long *number);
/* The pattern of any name with a number: 1, or 0 if there is none. */
int column_pattern(const char *name, char pattern[128], long *number);

/* A tuple as a column's name says it: "BM=64 BN=128", "bm64_bn128", or "64x128" without names. */
enum tuple_form { TUPLE_PAIRS, TUPLE_LETTERS, TUPLE_NUMBERS, TUPLE_NONE };
struct column_tuple {
    enum tuple_form form;
    size_t n;
    char *name[KPRED_MAX_TUPLE], *value[KPRED_MAX_TUPLE]; /* in `text`; of numbers no names */
    char text[512];
};
/* Whether it says one; t->form is TUPLE_NONE if not. */
int column_tuple(const char *name, struct column_tuple *t);

/* Does the name say a tuple of the spec's parameters, or its only parameter's value? */
int column_is_tuple_of(const struct spec *spec, const char *name);
/* A text that a spec takes as a value, like the name; to be freed */
char *column_fit_value(const char *name);

/* Does the name look like that of a tuning parameter? It is a guess, for an advice. */
int column_is_tuning(const char *name);

#define COLUMN_CHOICE \
    "name it with `init --metric NAME`, or with `metric = NAME` in [data] of the spec"

/* Is the column called time_us or time_ms? */
int column_is_time(const char *name);

/* Which column of the header, the record at hand, is that of the times; -1: none. *us is the
   microseconds of one there. -2 with a message: there are two. */
int column_find_time(const struct csv_records *header, double *us);

/* There is none, in a table for the spec: -1, with a message which of its columns may be the times,
   or what else the table may be. */
int column_no_time(const struct csv_records *header, const struct spec *spec);

/* ---- columns that tell which rows failed ---- */

/* What a cell would say there: STATUS_OTHER are words that are not known. */
enum status_word {
    STATUS_GOOD,
    STATUS_BAD,
    STATUS_YES,
    STATUS_NO,
    STATUS_NOTHING,
    STATUS_ZERO,
    STATUS_ONE,
    STATUS_NUMBER,
    STATUS_FRACTION,
    STATUS_OTHER,
    STATUS_N_WORDS
};
enum status_word status_word(const char *cell);

/* What a column's name says: that yes and 1 are a success (passed), or a failure (exit_code); that
   it tells either (status); or how wrong a result is (max_error). Weak are names that may well be
   those of parameters (rc, check). */
enum status_kind {
    STATUS_NAME_NONE,
    STATUS_NAME_GOOD,
    STATUS_NAME_BAD,
    STATUS_NAME_EITHER,
    STATUS_NAME_AMOUNT
};
enum status_kind status_name(const char *name, int *is_weak);

/* Words of `success` in [data] of a spec, and of `init --success`, say which rows worked: those
   with COLUMN=VALUE of one of the values, whatever their case, or COLUMN<=NUMBER or COLUMN>=NUMBER,
   for each of the columns. COLUMN=* says that it does not tell. Of columns without such words
   names, values, times and how often a value comes decide, or the user is asked (table_status.c).
   The test in such a word, "=ok"; NULL: it is of another column. */
const char *table_success_test(const char *word, const char *name);

struct table_status {
    size_t n; /* columns of the header; 0: none may tell */
    struct status_column *v;
    struct interned success, failures; /* such words of what was found, and of its failures */
    char failure[128]; /* what the row at hand has: "failed: status=segfault"; "": nothing */
};

/* ---- tables ---- */

/* Between the records of a CSV file and who reads a table of times. Decimal commas, marks between
   thousands, units, rates, a column for each repeat and a column for each tuple end here; what was
   guessed is told. A plain table is handed out as it is, at no cost. */

/* What is known of a table beforehand */
struct table_asked {
    const struct spec *spec;        /* NULL: there is none yet, but */
    const struct interned *fields;  /* what the user says of columns; */
    const struct interned *ignored; /* these two may be NULL */
    int has_fields;                 /* the user says all fields, here or beside the table */
    const char *const *success;     /* words, see above; of a spec, if there is one, its own */
    size_t n_success;
    int is_only;        /* there is no other table, and no spec */
    int is_lenient;     /* readers drop rows that are wrong */
    const char *metric; /* the column of times or rates, * in it stands for the number of a repeat;
                           NULL: it is to be found. With a spec time_us or time_ms stands for it,
                           as in what `ingest` and `tune` write. */
    void (*tell)(void *to, const char *text); /* takes each note; NULL: standard error does */
    void *to;
};

struct table_column {
    size_t at; /* in the raw record */
    char mark; /* the decimal mark of its figures; 0: cells stay as they are */
};

struct table_slot { /* a column of times */
    size_t at;
    char *value[KPRED_MAX_TUPLE]; /* of a wide table's tuple */
};

struct table_forms {
    const struct csv_records *r; /* the record at hand; at first the header */
    int time;                    /* its column of times; -1: it has none */
    double us;                   /* of one in that column */
    int is_rate;                 /* it was one of rates */
    struct table_status status;
    const char *metric; /* what a spec has to say of that column, so that it is found again; NULL:
                           nothing */

    /* the rest is table_forms.c's */
    struct csv_records *raw, view;
    const struct table_asked *asked;
    const char *wanted; /* the metric; NULL: it is to be found */
    struct metric kind;
    char mark, pattern[128], number[32];
    int is_trimmed, is_wide, told_unit, has_found;
    size_t n_columns, n_slots, slot, n_params;
    struct table_column *column;
    struct table_slot *slots;
    unsigned char *is_in;  /* of the raw record, the slots that count */
    struct interned names; /* of parameters that a wide table has in its header */
    struct table_seen *seen;
};

/* The header is the record at hand of `raw`, which stays open. Both, and `asked`, outlive `t`. 0,
   or -1 with a message; then table_forms_close in any case. */
int table_forms_open(struct table_forms *t, struct csv_records *raw,
                     const struct table_asked *asked);
/* Its two halves: the names of the columns, and then what the times are */
int table_forms_header(struct table_forms *t, struct csv_records *raw,
                       const struct table_asked *asked);
int table_forms_times(struct table_forms *t);
/* The next row, as csv_records_next has it. One with more or fewer cells than the header comes as
   it is. */
int table_forms_next(struct table_forms *t);
/* The same of a table without times, whose header was checked: what its rows fail by is in
   t->status.failure alone. */
int table_forms_open_best(struct table_forms *t, struct csv_records *raw,
                          const struct table_asked *asked);
void table_forms_close(struct table_forms *t);

/* ---- tables: what table_cells.c, _status.c, _columns.c and _forms.c share ---- */

enum { TABLE_MOST_DISTINCT = 256, TABLE_CELL_SHOWN = 40 };

/* A cell for a message; line 0: there is none */
struct table_cell {
    long line;
    char cell[TABLE_CELL_SHOWN];
};

/* What the cells of a column are */
struct table_seen {
    size_t n, n_empty, n_figures, n_plain, n_fractions, n_failures, n_odd;
    struct table_cell point, comma;               /* the first that proves its decimal mark, */
    struct table_cell either_point, either_comma; /* or might mean thousands */
    struct table_cell odd;                        /* the first with digits that is not a figure */
    struct table_cell unit, bare;                 /* the first figure with a unit, and without */
    struct interned distinct;                     /* some of them */
};

enum table_role { TABLE_OTHER, TABLE_FIELD, TABLE_PARAM, TABLE_IGNORED };

/* What is said of a column of that name beforehand */
enum table_role table_role(const struct table_forms *t, const char *name);
const char *table_name(const struct table_forms *t, size_t at);
/* A message on the line at hand: -1 */
int table_fail(const struct table_forms *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void table_tell(const struct table_forms *t, long line, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Sets the slots; none, if the table has no times. `plain` is the column time_us or time_ms, or -1.
   0, or -1 with a message. */
int table_choose(struct table_forms *t, int plain);
/* Keeps a cell, if it is the first. */
void table_show(struct table_cell *s, long line, const char *cell);
/* The decimal mark of a column: 0, or -1 if its cells contradict each other. `is_integer`: no
   fraction makes sense there. */
int table_mark(const struct table_forms *t, const struct table_seen *s, const char *name,
               int is_integer, char *mark);
/* What the slots' figures are: 0, or -1 with a message. */
int table_read_times(struct table_forms *t);
/* Without the blanks around the cells */
void table_trim(struct csv_records *r);
/* A cell of times that is a figure of its kind: 1, with its unit; else 0 */
int table_figure(const struct table_forms *t, const char *cell, struct metric *unit, double *x);
/* The next row of a copy of the records that has all cells: as csv_records_next */
int table_next_copy(const struct table_forms *t, struct csv_records *r);
/* The microseconds of a row, of the least of its slots; 0: it has no time */
double table_row_us(const struct table_forms *t, char *const *cell);

/* Looks at the rows for columns that may tell which of them failed. With the slots, decides: 0, or
   -1 with a message that asks. */
int table_status_see(struct table_forms *t);
int table_status_decide(struct table_forms *t);
/* May the column tell it, as far as its name and cells go? After the decision, does it? */
int table_status_may(const struct table_status *s, size_t at);
int table_status_tells(const struct table_forms *t, const char *name);
/* Sets `failure` of the row at hand. */
void table_status_read(struct table_forms *t);
void table_status_close(struct table_status *s);
/* What the times are called in messages, and in the spec */
const char *table_metric_name(const struct table_forms *t);
