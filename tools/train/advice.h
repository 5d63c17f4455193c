/* advice.h - what training tells on standard error: rows, losses, and what is wrong with them
   SPDX-License-Identifier: MIT */
#pragma once

#include "training_rows.h"

/* How many rows, problems and groups the split gives, and a warning where they are few. */
void advice_rows(const struct model *model, const char *split, const struct training_rows *rows);

/* Warnings of lines of [features] whose inputs cannot vary: one of all that are the same for all of
   the rows, and one for each with steps of octaves over a number that is no logarithm. */
void advice_features(const struct model *model, const struct recipe_rows *rows);

void advice_losses(const struct model *model, const struct recipe_losses *losses);
/* Of [restrict]: for each clause that some tuple of the data breaks, how many do, and for how many
   it is false because of a division or a quotient. Rows made for [unseen] do not count. */
void advice_clauses(const struct model *model, const struct dataset *d);
