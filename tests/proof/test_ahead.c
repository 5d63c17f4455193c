/* test_ahead.c - the shipped rules' look-ahead against enumeration, for real problems
   SPDX-License-Identifier: MIT

   The problems are those of golden.csv. A rule of kpred_constraints.h judges only the newest
   value, so what it accepts is walked to the end: each prefix has to lead to a tuple. (What it
   rejects is held to a second statement by tests/rules/test_rules.c.) Rules by lists and names
   judge all values together, so there every prefix of every tuple is asked, accepted or not. */
#define KPRED_IMPLEMENTATION
#include "model/shipped.h"
#include "runtime/golden.h"

#include "harness/test.h"

#include <stdio.h>

static struct {
    const kpred_model *model;
    int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
    long problems, prefixes, tuples, dead, missed;
} at;

static int accepts(size_t n)
{
    return at.model->rule(at.problem, at.values, n);
}

/* How many legal tuples begin with the first n values, which are accepted */
static long walk(size_t n)
{
    const kpred_param *p = &at.model->params[n];
    long found = n == at.model->n_params;
    for (int32_t v = 0; n < at.model->n_params && v < p->n_values; v++) {
        at.values[n] = p->values[v];
        if (accepts(n + 1))
            found += walk(n + 1);
    }
    at.prefixes++;
    at.dead += found == 0;
    return found;
}

/* How many tuples that begin with the first n values are legal, as the rule says of whole tuples;
   what it says of the n values has to agree. */
static long enumerate(size_t n)
{
    const kpred_param *p = &at.model->params[n];
    const int accepted = accepts(n);
    long found = n == at.model->n_params && accepted;
    for (int32_t v = 0; n < at.model->n_params && v < p->n_values; v++) {
        at.values[n] = p->values[v];
        found += enumerate(n + 1);
    }
    at.prefixes++;
    at.dead += accepted && found == 0;
    at.missed += !accepted && found > 0;
    return found;
}

static int judges_all_together(const kpred_model *m)
{
    return m->names || !strncmp(m->rule_name, "listed", 6);
}

static void look_at(const char *line)
{
    at.problems++;
    CHECK(golden_problem(at.model, strchr(line, ',') + 1, at.problem));
    CHECK(accepts(0));
    at.tuples += judges_all_together(at.model) ? enumerate(0) : walk(0);
}

static void check_model(const kpred_model *m)
{
    char line[GOLDEN_LINE];
    FILE *f = fopen(GOLDEN, "r");
    REQUIRE(f && m->rule);
    memset(&at, 0, sizeof at);
    at.model = m;
    while (fgets(line, sizeof line, f))
        if (golden_model(line) == m)
            look_at(line);
    fclose(f);
    printf("%s: %ld problems, %ld tuples, %ld prefixes, %ld dead ends, %ld missed\n", m->name,
           at.problems, at.tuples, at.prefixes, at.dead, at.missed);
    CHECK(at.problems >= 24 && at.tuples >= at.problems);
    CHECK_EQ(at.dead, 0);
    CHECK_EQ(at.missed, 0);
}

SHIPPED(GOLDEN_TEST)

int main(void)
{
    SHIPPED(GOLDEN_RUN)
    return test_end();
}
