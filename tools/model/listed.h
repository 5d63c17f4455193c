/* listed.h - the bits of the rule `listed`
   SPDX-License-Identifier: MIT

   It is for kernels that a library has compiled one by one. All of them have been measured, so the
   data name all legal tuples. The model has a bit for each prefix of them: see kpri_listed in
   kpred.h, which both the generated header and the tools ask.

   A library may have other kernels for another GPU or type. Then the spec names fields of tokens
   (listed_by), and each combination of their tokens has a list of its own: such a set of bits.
   Equal sets are kept once, in the order in which combinations first have them. For a combination
   without a row nothing is legal: the kernel does not apply. */
#pragma once

#include "spec.h"

#define LISTED_PREFIX "listed_" /* of the rule's name; behind it a hash of the bits */

enum {
    LISTED_MAX_BITS =
        1 << 21, /* prefixes of values for which there is room, of all sets together */
    LISTED_MAX_COMBINATIONS = 4096
};

/* By which fields the lists differ; of none there is one combination, the empty one. */
struct listed_by {
    size_t n_fields;
    uint32_t field[KPRED_MAX_FIELDS];
    int32_t n_tokens[KPRED_MAX_FIELDS]; /* of these fields */
    size_t n;                           /* combinations */
    uint16_t *set;                      /* of each, counted from 1; 0: it has no tuple */
};

/* All of it but `set`, from the spec. 0, or -1 with a message. */
int listed_by_read(const struct spec *spec, struct listed_by *by);
/* The number of a problem's combination. pre: its tokens are tokens of their fields */
size_t listed_combination(const struct listed_by *by, const int32_t *problem);

/* Bytes of a bit for each prefix, of any length; 0: there are too many. */
size_t listed_bytes(const kpred_param *params, size_t n_params);
/* The same of all sets of a model whose rule has this name, and of what tells them apart; 0: it is
   another rule. */
size_t listed_bytes_of(const kpred_model *m);

/* Sets the bits of every prefix of a tuple, given by the indexes of its values. */
void listed_add(const kpred_param *params, size_t n_params, unsigned char *bits,
                const unsigned char *target);

/* Collects the sets of n rows, with the interface of the model; sets by->set. A tuple with an index
   beyond a parameter's values is passed over. 0, or -1 without a message: they have more bits than
   there is room for. */
int listed_collect(const kpred_model *m, struct listed_by *by, const int32_t *problems,
                   const unsigned char *targets, size_t n, struct buf *sets);

/* The rule's name, after its sets and what tells them apart, however they came. */
void listed_name(const struct listed_by *by, const unsigned char *sets, size_t bytes, size_t n_sets,
                 char name[48]);
