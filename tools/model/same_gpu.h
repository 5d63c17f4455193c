/* same_gpu.h - names of one GPU, of which one says more than the other
   SPDX-License-Identifier: MIT */
#pragma once

#include "spec.h"

/* The token that is the same GPU by the words of its name, as A100-PCIE-40GB is for A100, if there
   is one such; else the name. */
const char *same_gpu(const struct spec_field *f, const char *name);
