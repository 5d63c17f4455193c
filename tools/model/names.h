/* names.h - the names that a generated header defines: its enumerators, and whether any is taken
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"
#include "kpred.h"

/* C99 promises to tell names apart by 63 characters. The longest that a header makes of the model's
   name alone is KPRED_NAME_MULTIPLY_ADDS. */
enum { NAMES_MOST = 63, NAMES_MOST_MODEL = 43 };

/* A model's name in capitals, of at most NAMES_MOST_MODEL characters */
void names_upper(const char *name, char upper[NAMES_MOST_MODEL + 1]);

/* Adds the enumerators as C: of fields, of each field's tokens, of parameters, and of the values of
   those whose values are words. */
void names_add_enums(const kpred_model *m, struct buf *out);

/* A name that the model's header would define and the headers of kpred have in their code; "" if
   there is none. Needs fields and parameters, and no network. */
void names_find_clash(const kpred_model *m, char clash[NAMES_MOST + 1]);
