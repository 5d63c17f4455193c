/* row_text.h - a result as a row of CSV, and back
   SPDX-License-Identifier: MIT */
#pragma once

#include "answer.h"

#include "base/csv_records.h"
#include "model/spec.h"

/* The names of the columns, as a line: fields, parameters, time_us. */
void row_add_names(const struct spec *spec, struct buf *b);
/* A row, without the end of its line */
void row_add(const struct spec *spec, const int32_t *problem, const uint16_t *value,
             const struct answer *a, struct buf *b);

/* Reads the first record: these names in this order. 0, or -1 with a message. */
int row_check_names(const struct spec *spec, struct csv_records *c);
/* Of the record at hand. The time of a failure is HUGE_VAL. 0, or -1 with a message. */
int row_read(const struct spec *spec, const struct csv_records *c, int32_t *problem,
             uint16_t *value, double *time);
