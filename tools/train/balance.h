/* balance.h - how many rows each problem of timed data gets
   SPDX-License-Identifier: MIT

   A table may name hundreds of large problems for each small one, though the small ones matter as
   much. So the spec may put problems into groups, by a key (`balance` in [split]), and the recipe's
   `balance` is how much the size of a group counts: a problem gets rows in proportion to
   1 / (problems of its group)^balance, rounded by chance, and `thinned` keeps a part of them. Then
   some problems of large groups have none. With a balance of 0, all problems get as many. */
#pragma once

#include "data/data.h"
#include "recipe.h"

/* Of each problem, at its first row: the number of rows that it is to have, on average
   recipe->draws times recipe->thinned. A problem that does not train (part: split.h) has
   recipe->draws. The caller frees the n numbers. */
size_t *balance_rows(const struct recipe *recipe, const struct spec *spec, const struct dataset *d,
                     const unsigned char *part);
