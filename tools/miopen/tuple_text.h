/* tuple_text.h - turns a tuple into the text of MIOpen's databases and back
   SPDX-License-Identifier: MIT

   The text has the values of the spec's parameters, joined by commas. A spec with one parameter
   takes the whole text as its value, which may have commas in it: the names of composable kernels
   do.

   Some solvers choose a kernel and the number of parts into which the work is split, and write all
   properties of the kernel. Their specs have two parameters. The names of the first are such lists,
   with `*` for the piece that is the second's value:

       kernel = "fwd,fp32,64,*,7" "fwd,fp32,128,*,9"
       split  = 0 1 2

   The tuple (fwd,fp32,128,*,9  2) is the text fwd,fp32,128,2,9[2]; with 0 in place of 2 it has no
   [0]. A text that lacks [2] is read, too: older versions of MIOpen wrote it so.

   A number may have more values than a parameter can have. Then it is two parameters; the second
   has the name of the first with `_plus` behind. Both have integers as values, and the text has
   their sum:

       n_groups      = 0 16 32 48
       n_groups_plus = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16

   The tuple (48 8) is the text 56. If several pairs have the sum, the reader takes the one with the
   largest first value. */
#pragma once

#include "model/spec.h"

/* Cuts a list into the texts of the spec's parameters, which lie in `b` in place of what it held.
   0, or -1 with what is wrong with it; that a text is not a value of its parameter is looked at in
   sums only. */
int tuple_text_cut(const struct spec *s, const char *list, struct buf *b, const char **params,
                   char why[96]);

/* Adds the list for a tuple of the model. */
void tuple_text_add(const kpred_model *m, const int32_t *value, struct buf *b);
