/* models.c - what an image holds of kpred: the runtime and two models, nothing else
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "models.h"
