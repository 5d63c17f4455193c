/* survey_table.h - plain tables, of all that was timed or of the best tuples, for a survey
   SPDX-License-Identifier: MIT

   Fields are the columns that --fields names, and `gpu`. table_forms.h says which is the time.
   Columns of numbers whose names say that they are measurements are passed over, and what counts
   the rows or is a product of fields. The others are parameters. */
#pragma once

#include "survey.h"

/* Adds a table, unpacked, to the survey. 0, or -1 with a message. */
int survey_table(struct survey *s, const struct survey_asked *asked, const char *path,
                 struct buf *text);

/* ---- what survey_table.c and survey_columns.c share ---- */

enum survey_role { SURVEY_FIELD, SURVEY_PARAM, SURVEY_TIME, SURVEY_PASSED_OVER };

struct survey_cells {
    char *name;
    enum survey_role role;
    struct interned values;
    int has_text, has_failure, has_fraction, has_empty; /* failures: words in a time's place */
    char *first;                                        /* cell, and */
    int changes;                                        /* whether the second row has another one */
    int at;                                             /* number in the survey */
    int is_field;                                       /* by --fields, or as the GPU */
    int varies;                                         /* within a problem */
    int counts;                                         /* the rows, from 0 or 1 */
};

struct survey_plain {
    struct survey *s;
    const struct survey_asked *asked;
    const char *path;
    long header; /* its line */
    size_t n, n_rows;
    struct survey_cells *v;
    int time, has_time;                /* the column; it is there */
    const struct survey_cells *status; /* the column that tells which rows failed, or NULL */
    struct interned problems;
    uint32_t *first_cells; /* of each problem, for each column the number of its first cell */
    size_t cells_cap;
    struct survey_said said; /* by --gpu, --set and the file's name */
    struct buf gpu;
};

/* Takes a cell of the row of that number, from 0: the number of its text. */
uint32_t survey_see_cell(struct survey_cells *c, const char *cell, size_t row);
/* Takes a row, by the numbers of its cells. */
void survey_see_problem(struct survey_plain *t, const uint32_t *number);
/* Then, of a column that would be a parameter by its name: 1: it may be one; 0: it is passed over;
   -1 with a message. */
int survey_check_rows(const struct survey_plain *t, struct survey_cells *c);
int survey_pass_over(const struct survey_plain *t, struct survey_cells *c, const char *what);
int survey_wrong(const struct survey_plain *t, const struct survey_cells *c, const char *what);
/* Tells of fields that the other fields give. */
void survey_note_given(const struct survey_plain *t);
