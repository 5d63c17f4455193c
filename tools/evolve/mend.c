/* mend.c - the edits of a list that all cases accept together
   SPDX-License-Identifier: MIT

   search.h declares it. A list that is fast on the cases of the search may be wrong on held-out
   ones by a few of its edits; the others may still gain. */
#include "run.h"

#include <string.h>

struct mend {
    struct run run;
    const struct edits *list;
    struct edits *right; /* so far */
};

/* Adds a part, or what all cases accept of it. */
static int add_part(struct mend *m, size_t from, size_t n)
{
    struct edits longer = {0};
    struct result result;
    edits_copy(&longer, m->right);
    for (size_t i = 0; i < n; i++)
        edits_add(&longer, &m->list->v[from + i]);
    m->run.idle = 0;
    int rc = run_evaluate(&m->run, &longer, 1, EFFORT_JUDGE, &result);
    if (rc == 0 && result.outcome == OUTCOME_VALID)
        edits_copy(m->right, &longer);
    else if (rc == 0 && n > 1)
        rc = add_part(m, from, n / 2) != 0 ? -1 : add_part(m, from + n / 2, n - n / 2);
    edits_free(&longer);
    return rc;
}

int search_mend(const struct task *task, struct archive *archive, const struct edits *list,
                struct edits *right)
{
    struct mend m;
    memset(&m, 0, sizeof m);
    memset(right, 0, sizeof *right);
    run_open(&m.run, NULL, task, archive);
    m.list = list;
    m.right = right;
    const int rc = add_part(&m, 0, list->n);
    if (rc != 0)
        edits_free(right);
    run_close(&m.run);
    return rc;
}
