/* judge_list.h - a list tried on all cases, those that are held out too
   SPDX-License-Identifier: MIT */
#pragma once

#include "session.h"

/* 1 if it is valid on all, 0 if not, -1 after a message; the result goes into the archive. */
int judge_list(struct session *s, struct archive *a, const struct edits *list, struct result *out);
