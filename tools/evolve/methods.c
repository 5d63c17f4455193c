/* methods.c - a search by one of the methods
   SPDX-License-Identifier: MIT

   search.h declares what is here. */
#include "methods.h"

const struct search_plan search_defaults = {
    .method = METHOD_NSGA2,
    .population = 256,
    .elite = 4,
    .first_edits = 3,
    .crossover = 0.8,
    .mutation = 0.3,
    .evaluations = 20000,
    .seed = 1,
};

static int run_method(struct run *r)
{
    static int (*const methods[])(struct run *) = {nsga2_run, climb_run, random_run};
    static const struct edits none;
    struct result start;
    const int rc = run_evaluate(r, &none, 1, EFFORT_CONFIRM, &start);
    if (rc != 0)
        return rc;
    if (start.outcome != OUTCOME_VALID)
        return fail("the program as it is, without any edit, is not valid: it is %s",
                    outcome_names[start.outcome]);
    return methods[r->plan->method](r);
}

int search_run(const struct search_plan *plan, const struct task *task, struct archive *archive,
               const volatile int *stop, const struct search_news *news)
{
    struct run r;
    run_open(&r, plan, task, archive);
    r.stop = stop;
    r.news = news;
    int rc = run_method(&r);
    if (rc == RUN_OVER)
        rc = run_end(&r);
    run_close(&r);
    return rc == RUN_OVER ? 0 : rc;
}
