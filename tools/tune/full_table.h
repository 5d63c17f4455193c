/* full_table.h - a table of all tuples of one problem, with the time of each, to replay a tuner on
   SPDX-License-Identifier: MIT */
#pragma once

#include "space.h"

#include "base/intern.h"

struct full_table { /* to be freed */
    const char *path;
    struct interned params;  /* their names */
    struct interned *values; /* of each parameter, as texts */
    size_t n;                /* tuples */
    uint16_t *value;         /* n x params.n: numbers of values */
    double *time;            /* microseconds; HUGE_VAL: it failed */
    double best;
};

/* The space of its tuples; it lives as long as the table, full_table_end_space frees its
   own arrays. */
void full_table_space(const struct full_table *t, struct space *space);
void full_table_end_space(struct space *space);
/* The times that another table gives to the tuples of this one, by the parameters that both have;
   NAN: none. 0, or -1 with a message if they have no parameter in common. */
int full_table_match(const struct full_table *t, const struct full_table *other, double *times);
void full_table_free(struct full_table *t);
