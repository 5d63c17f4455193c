/* listed.h - the bits of the rule `listed`
   SPDX-License-Identifier: MIT

   It is for kernels that a library has compiled one by one. All of them have been measured, so the
   data name all legal tuples. The model has a bit for each prefix of them: see kpri_listed in
   kpred.h, which both the generated header and the tools ask. */
#pragma once

#include "kpred.h"

#define LISTED_PREFIX "listed_" /* of the rule's name; behind it a hash of the bits */

/* Prefixes of values for which there is room. */
enum { LISTED_MAX_BITS = 1 << 21 };

/* Bytes of a bit for each prefix, of any length; 0: there are too many. */
size_t listed_bytes(const kpred_param *params, size_t n_params);

/* Sets the bits of every prefix of a tuple, given by the indexes of its values. */
void listed_add(const kpred_param *params, size_t n_params, unsigned char *bits,
                const unsigned char *target);
