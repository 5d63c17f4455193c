/* inputs.h - reads logs and untuned lists, which their content tells apart
   SPDX-License-Identifier: MIT */
#pragma once

#include "asked.h"

/* Each path, "-" being standard input, which is read too if there is none. 0, or -1 with a message:
   also if nothing there says a word of AITER's tables. */
int inputs_read(struct asked *a, const struct asked_from *from, const char *const *paths, size_t n);
