/* judge_list.c - a list tried on all cases, those that are held out too
   SPDX-License-Identifier: MIT

   judge_list.h declares it. */
#include "judge_list.h"

int judge_list(struct session *s, struct archive *a, const struct edits *list, struct result *out)
{
    const struct entry *known = archive_find(a, list, EFFORT_JUDGE);
    if (known != NULL) {
        *out = known->result;
        return out->outcome == OUTCOME_VALID;
    }
    s->task.evaluate(s->task.trial, list, 1, EFFORT_JUDGE, result_keep, out);
    if (archive_add(a, list, EFFORT_JUDGE, out) != 0)
        return -1;
    return out->outcome == OUTCOME_VALID;
}
