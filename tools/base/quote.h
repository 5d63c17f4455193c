/* quote.h - text as a shell reads it in one word
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

/* Adds it, in quotes if need be. `star` stands for `*`, which might end a comment of C; '*' leaves
   it. */
void quote(struct buf *to, const char *text, char star);
