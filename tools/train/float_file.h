/* float_file.h - where the float networks of a header are kept, for `eval --float`
   SPDX-License-Identifier: MIT */
#pragma once

#include "recipe.h"

/* The file beside a header, FILE.f32 for FILE.h. `path` is to be freed. */
void float_file_beside(const char *header, struct buf *path);

/* Writes them, with a hash of the integer network that they round to; errors are left to ferror(f).
 */
void float_file_write(const struct model *model, const struct recipe_nets *nets, FILE *f);

/* Reads those beside a header, named as in predictor_open: those of a built-in model lie in
   weights/. 0, or -1 with a message: they are not there, or are those of another network. To be
   freed. */
int float_file_read(const char *header, const struct model *model, struct recipe_nets *nets);
