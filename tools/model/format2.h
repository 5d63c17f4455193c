/* format2.h - the id that a model had in format 2
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

/* pre: its network is a kpred_additive */
uint64_t format2_id(const kpred_model *m);
