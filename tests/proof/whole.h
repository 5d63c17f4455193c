/* whole.h - a model and its inputs, for Frama-C's Eva
   SPDX-License-Identifier: MIT

       -DHEADER='"weights/NAME.h"' -DMODEL=kpred_model_NAME -DARENA=KPRED_NAME_ARENA -DBEAM=10 */
#pragma once

#define KPRED_STATIC
#include HEADER

#include "__fc_builtin.h"

/* The words of each part of the arena */
#undef KPRED_ARENA_WORDS
#define KPRED_ARENA_WORDS(work, state, params, slots, beam) \
    WORK = (work), SLOTS = (slots),                         \
    RECORDS = KPRI_RECORDS(params, beam) * KPRI_RECORD_WORDS(params, state)
enum { ARENA(BEAM), WORDS = WORK + RECORDS + 2 * SLOTS + KPRI_BUCKET_WORDS };

/*@ requires holds: condition != 0;
    assigns \nothing; */
static void holds(int condition);

/* A problem ends where its array does. */
static int32_t fields[KPRED_MAX_FIELDS], *problem;

static inline void any_fields(void)
{
    uint32_t f;
    problem = fields + KPRED_MAX_FIELDS - MODEL.n_fields;
    /*@ loop unroll 24; */
    for (f = 0; f < MODEL.n_fields; f++)
        problem[f] = Frama_C_interval(INT32_MIN, INT32_MAX);
}

static inline void fields_in_range(void)
{
    uint32_t f;
    problem = fields + KPRED_MAX_FIELDS - MODEL.n_fields;
    /*@ loop unroll 24; */
    for (f = 0; f < MODEL.n_fields; f++)
        problem[f] = Frama_C_interval(MODEL.fields[f].least, MODEL.fields[f].most);
}

static inline void holds_of_fields(void)
{
    uint32_t f;
    /*@ loop unroll 24; */
    for (f = 0; f < MODEL.n_fields; f++)
        holds(problem[f] >= MODEL.fields[f].least && problem[f] <= MODEL.fields[f].most);
}
