/* listed.h - the rule `listed`: legal are the tuples of the data, and no others
   SPDX-License-Identifier: MIT

   For kernels that a library has compiled one by one: whatever it holds has been measured, so the
   data name them all. Rows that a split keeps from training count as well, since a library knows
   its kernels whatever the problem.

   The tuples stand in the model as a bit for each prefix, see kpri_listed in kpred.h, which both
   the generated header and the tools ask. The rule's name, and with it the model's id, has a hash
   of the bits. */
#ifndef KPRED_TOOLS_LISTED_H
#define KPRED_TOOLS_LISTED_H

#include "data/data.h"
#include "model.h"

/* Room for the bits of the model's parameters, all 0, and a rule that asks them. The runtime calls
   a rule with no word of the model, so only a few models at a time can have one: 0, or -1 with a
   message, also where the parameters have too many tuples. listed_close does nothing to others. */
int listed_open(struct model *model);
void listed_close(struct model *model);

/* Sets the bits of the tuples of all rows. 0, or -1 with a message: there are none. */
int listed_take(struct model *model, const struct dataset *d);

/* Names the rule after its bits, however they came. */
void listed_name(struct model *model);

/* What the bits take in a header; 0 for models with another rule. */
size_t listed_bytes(const kpred_model *m);

/* In runtime.c: kpri_listed */
int listed_accepts(const kpred_param *params, const uint8_t *bits, const int32_t *values, size_t n);

#endif
