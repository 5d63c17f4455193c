/* float_file.h - where the networks are kept that a header was rounded from
   SPDX-License-Identifier: MIT */
#pragma once

#include "recipe.h"

/* Writes them into `path`, or if that is NULL build/float/ID.f32, whose folders it makes. 0, or -1
   with a message. */
int float_file_write(const struct model *model, const struct recipe_nets *nets, const char *path);

/* Reads those of a model from build/float/ID.f32. 0, or -1 with a message, which says what makes
   the file where it is not there. */
int float_file_read(const struct model *model, struct recipe_nets *nets);
