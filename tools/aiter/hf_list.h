/* hf_list.h - AITER's untuned list, `M,N,K`, of a model's layers
   SPDX-License-Identifier: MIT */
#pragma once

#include "hf_layers.h"

#include <stdio.h>

/* For each pair of N and K, which may be that of several layers, a row for each M; the list of M is
   sorted here. Returns the number of rows. */
size_t hf_list_write(FILE *f, const struct hf_layers *layers, long *m, size_t n_m);
