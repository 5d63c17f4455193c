/* any_tuple.c - see any_tuple.h
   SPDX-License-Identifier: MIT */
#include "any_tuple.h"

struct search {
    const struct clauses *c;
    const struct spec *spec;
    const int32_t *problem;
    size_t *steps;
    uint32_t params; /* bit t: parameter t occurs in a clause */
    int32_t values[KPRED_MAX_TUPLE];
};

/* Does a legal tuple begin with the first n values? As any_tuple. Of a parameter that no clause
   asks for, one value is as good as another. */
static int complete(struct search *s, size_t n)
{
    if (*s->steps == 0)
        return -1;
    --*s->steps;
    if (!clauses_allow(s->c, s->spec, s->problem, s->values, n))
        return 0;
    if (n == s->spec->n_params)
        return 1;
    const struct spec_param *p = s->spec->params + n;
    const size_t n_values = (s->params >> n & 1) != 0 ? p->n_values : 1;
    int found = 0;
    for (size_t i = 0; i < n_values && found == 0; i++) {
        s->values[n] = p->values[i];
        found = complete(s, n + 1);
    }
    return found;
}

int any_tuple(const struct clauses *c, const struct spec *spec, const int32_t *problem,
              size_t *steps)
{
    struct search s = {c, spec, problem, steps, 0, {0}};
    for (size_t i = 0; i < c->n; i++)
        s.params |= c->v[i].params;
    for (uint32_t p = 0; c->kernels && p < c->kernels->names.n_params; p++)
        s.params |= UINT32_C(1) << (c->kernels->names.first + p);
    return complete(&s, 0);
}

const struct clause *any_tuple_culprit(const struct clauses *c, const struct spec *spec,
                                       const int32_t *problem, size_t *steps)
{
    struct clauses alone;
    alone.n = 1;
    alone.kernels = NULL;
    for (size_t i = 0; i < c->n; i++) {
        alone.v[0] = c->v[i];
        if (any_tuple(&alone, spec, problem, steps) == 0)
            return c->v + i;
    }
    return NULL;
}
