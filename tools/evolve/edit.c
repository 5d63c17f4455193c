/* edit.c - lists of edits
   SPDX-License-Identifier: MIT

   edit.h declares it. */
#include "edit.h"

#include <string.h>

void edits_add(struct edits *list, const struct edit *e)
{
    list->v = xgrow(list->v, list->n, &list->cap, sizeof *list->v);
    list->v[list->n++] = *e;
}
