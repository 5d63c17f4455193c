/* network.h - what a search may take for granted of the network: contracts for Frama-C's Eva
   SPDX-License-Identifier: MIT

   network.c proves them. The first word of work stands for all that the first function leaves in
   it: the search may neither read nor write it. Logits are any numbers. */
#pragma once

#include "whole.h"

#define STARTED 1

/* The words of work that Eva sees: in an array of its own one, so that no other is used. */
#ifdef APART
#define SEEN 1
#else
#define SEEN WORK
#endif

#define EIGHT(is, i) \
    is(i) && is(i + 1) && is(i + 2) && is(i + 3) && is(i + 4) && is(i + 5) && is(i + 6) && is(i + 7)

/* Field f lies in its range. */
#define FIELD(f)          \
    (f >= model->n_fields \
     || (problem[f] >= model->fields[f].least && problem[f] <= model->fields[f].most))

/* The prefix of each lane has an index of parameter t, if that one is decided. */
#define INDEX(t)                                                                                 \
    (t >= n_decided                                                                              \
     || (\forall integer i; 0 <= i<l->n ==> l->prefix[i * l->record_words * sizeof(int32_t) + t] \
                            < model->params[t].n_values))
#define INDEXES(t) (n_decided <= t || EIGHT(INDEX, t))

/* The rows of the i-th head that comes before n_decided are where kpri_find_rows has put them. */
static kpri_rows found;
#define ROWS(i)                   \
    (i >= found.before[n_decided] \
     || (rows->first[i] == found.first[i] && rows->param[i] == found.param[i]))

/*@ requires fields: EIGHT(FIELD, 0) && EIGHT(FIELD, 8) && EIGHT(FIELD, 16);
    requires room: \valid(work + (0 .. SEEN - 1));
    assigns *work \from \nothing;
    ensures *work == STARTED; */
static void kpri_start_by(const kpri_arith *by, const kpred_model *model, const int32_t *problem,
                          int32_t *work);

/*@ requires started: *work == STARTED;
    requires lanes: 1 <= l->n <= 4 && n_decided < model->n_params;
    requires room: \valid(l->x + (0 .. (l->n - 1) * l->lane
                                       + (model->params[n_decided].n_values + 3) / 4 * 4 - 1));
    requires indexes: INDEXES(0) && INDEXES(8) && INDEXES(16) && INDEXES(24);
    requires heads: rows->before[n_decided] == found.before[n_decided];
    requires rows: EIGHT(ROWS, 0) && EIGHT(ROWS, 8);
    assigns l->x[0 .. (l->n - 1) * l->lane + (model->params[n_decided].n_values + 3) / 4 * 4 - 1]
            \from \nothing; */
static void kpri_logits_by(const kpri_arith *by, const kpred_model *model, const kpri_rows *rows,
                           const int32_t *work, size_t n_decided, const kpri_lanes *l);
