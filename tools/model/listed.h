/* listed.h - the bits of the rule `listed`, and a rule for each model that has it
   SPDX-License-Identifier: MIT

   For kernels that a library has compiled one by one: whatever it holds has been measured, so the
   data name all legal tuples. They stand in the model as a bit for each prefix, see kpri_listed in
   kpred.h, which both the generated header and the tools ask. */
#pragma once

#include "kpred.h"

#define LISTED_PREFIX "listed_" /* of the rule's name; behind it a hash of the bits */

/* Prefixes of values for which there is room, and models with such a rule at a time. */
enum { LISTED_MAX_BITS = 1 << 21, LISTED_MAX_MODELS = 8 };

/* Bytes of a bit for each prefix, of any length; 0: there are too many. */
size_t listed_bytes(const kpred_param *params, size_t n_params);

/* A rule that asks these bits. The runtime calls a rule with no word of the model, so only a few
   can be there at a time: NULL if that many are. listed_release ends it, and does nothing where
   there is none. */
kpred_rule listed_rule(const kpred_param *params, const unsigned char *bits);
void listed_release(const unsigned char *bits);

/* Sets the bits of every prefix of a tuple, given by the indexes of its values. */
void listed_add(const kpred_param *params, size_t n_params, unsigned char *bits,
                const unsigned char *target);
