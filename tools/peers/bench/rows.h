/* rows.h - the problems and tuples that bench_models.py wrote
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

struct rows {
    size_t n, n_fields, n_params;
    int32_t *problem;     /* [n][n_fields] */
    unsigned char *index; /* [n][n_params]: of the values of the optimum */
};

/* Reads FOLDER/NAME, CSV of a model's fields and of indexes of its parameters' values. 0, or -1
   with the file and the line in `why`; rows_free afterwards. */
int rows_read(const kpred_model *model, const char *folder, const char *name, struct rows *rows,
              char *why, size_t size);
void rows_free(struct rows *rows);

/* Room for one more than n elements, of which there is room for *cap; NULL: no memory */
void *rows_grow(void *p, size_t n, size_t *cap, size_t size);
