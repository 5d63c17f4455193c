/* full_table.h - a table of all tuples of one problem, with the time of each, to replay a tuner on
   SPDX-License-Identifier: MIT */
#pragma once

#include "space.h"

#include "base/intern.h"
#include "model/model.h"

enum { FULL_FACTS = 32 };

struct full_fact {
    char *name, *text;
};

struct full_table { /* to be freed */
    const char *path;
    struct interned params;  /* their names */
    struct interned *values; /* of each parameter, as texts */
    size_t n;                /* tuples */
    uint16_t *value;         /* n x params.n: numbers of values */
    double *time;            /* microseconds; HUGE_VAL: it failed */
    double best;
    size_t n_facts; /* about the problem */
    struct full_fact fact[FULL_FACTS];
};

/* What it says about the problem: a fact is added if there is room. NULL: nothing of that name,
   which may be that of a parameter with one value, too. */
void full_table_add_fact(struct full_table *t, const char *name, const char *text);
const char *full_table_fact(const struct full_table *t, const char *name);
/* Finds the best time: 0, or -1 with a message if there is none. */
int full_table_check(struct full_table *t);

/* The space of its tuples, which has the table's values; to be freed */
struct space full_table_space(const struct full_table *t);
/* The times that another table gives to the tuples of this one, by the parameters that both have;
   NAN: none. 0, or -1 with a message if they have no parameter in common. */
int full_table_match(const struct full_table *t, const struct full_table *other, double *times);
void full_table_free(struct full_table *t);

/* full_rows.c: reads a file of another tuner (.json), or CSV (.csv) by the parameters and
   fields of a spec, packed or not; the spec may be NULL for the others. `gpu` chooses rows of CSV;
   of other files it is what theirs has to be, if they say it; NULL: any. 0, or -1 with a message if
   the file has more than one problem or no tuple that ran. To be freed in any case. */
int full_table_read(struct full_table *t, const char *path, const struct spec *spec,
                    const char *gpu);

/* Leaves the tuples that [restrict] allows and whose values the spec has. A GPU that the spec lacks
   is fine; conditions on fields that the table does not tell are passed over. -1 with a message if
   none is left. */
int full_table_keep_legal(struct full_table *t, const struct spec *spec);

/* The log2-probability of each tuple, by a model of that file. -1 with a message that names the
   field or the parameter of which the model does not know the table's value. */
int full_table_scores(const struct full_table *t, const char *path, const struct model *model,
                      double *score);
