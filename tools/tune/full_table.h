/* full_table.h - a table of all tuples of one problem, with the time of each, to replay a tuner on
   SPDX-License-Identifier: MIT */
#pragma once

#include "strategy.h"

#include "base/intern.h"

struct spec;

struct full_table {
    const char *path;
    struct interned params;  /* their names */
    struct interned *values; /* of each parameter, as texts */
    size_t n;                /* tuples */
    uint16_t *value;         /* n x params.n: numbers of values */
    double *time;            /* microseconds; HUGE_VAL: it failed */
    double best;
};

/* Reads a file of Kernel Tuner or KTT (.json), or CSV (.csv) by the parameters and fields of a spec,
   which may be NULL for the others, packed or not. `gpu` chooses rows of CSV; of other files it is
   what theirs has to be, if they say it; NULL: any. 0, or -1 with a message if the file has more
   than one problem or no tuple that ran. To be freed in any case. */
int full_table_read(struct full_table *t, const char *path, const struct spec *spec,
                    const char *gpu);
/* The space of its tuples; it lives as long as the table, its arrays are to be freed. */
void full_table_space(const struct full_table *t, struct space *space);
/* The times that another table gives to the tuples of this one, by the parameters that both have;
   NAN: none. 0, or -1 with a message if they have no parameter in common. */
int full_table_match(const struct full_table *t, const struct full_table *other, double *times);
void full_table_free(struct full_table *t);
