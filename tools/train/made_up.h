/* made_up.h - problems between those that were measured
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/model.h"

/* Each field comes from some of the n_known problems. A size is changed half of the time, by up to
   half an octave, and stays divisible by the same power of two up to 64. */
void make_up_problem(const struct model *m, const int32_t *known, size_t n_known, uint64_t *seed,
                     int32_t *out);
