/* problem.h - a convolution as a problem of a model
   SPDX-License-Identifier: MIT */
#pragma once

#include "conv.h"

/* The convolution in the model's fields, which conv_map_fields has mapped; gpu is left at 0.
   REASON_NONE, or in *why the first thing that the model or, of directions, its kernel does not
   cover; the problem is then to be left alone. */
enum reason_kind problem_of_conv(const struct model *model, const int field[CONV_N_SOURCES],
                                 const struct conv *conv, int32_t *problem, struct reason *why);
