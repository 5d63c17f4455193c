/* column_names.h - what the names of a table's columns tell
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/csv_records.h"
#include "model/spec.h"

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

#define COLUMN_CHOICE "`init --metric NAME`, or `metric = NAME` in [data] of the spec, says it"

/* Is the column called time_us or time_ms? */
int column_is_time(const char *name);

/* Which column of the header, the record at hand, is that of the times; -1: none. *us is the
   microseconds of one there. -2 with a message: there are two. */
int column_find_time(const struct csv_records *header, double *us);

/* There is none, in a table for the spec: -1, with a message which of its columns may be the times,
   or what else the table may be. */
int column_no_time(const struct csv_records *header, const struct spec *spec);
