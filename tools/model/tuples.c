/* tuples.c - the legal tuples of a problem: all, a sample of them, and whether there is any
   SPDX-License-Identifier: MIT */
#include "model.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 1 << 23, /* questions to the rule while tuples are listed */
    MOST_DRAWS = 1 << 22,
    FEW = 1 << 12, /* fewer than these by so many draws, and tuples are drawn value by value */
    MOST_WALKS = 1 << 17
};

/* ---- the table of tuples ---- */

size_t tuples_add(struct tuples *l, const uint16_t *value)
{
    const size_t n = l->n_params, at = intern(&l->seen, value, n * sizeof *value);
    if (at < l->n)
        return at;
    while (l->cap < (l->n + 1) * n)
        l->value = xgrow(l->value, l->cap, &l->cap, sizeof *l->value);
    memcpy(l->value + l->n * n, value, n * sizeof *value);
    return l->n++;
}

size_t tuples_find(const struct tuples *l, const uint16_t *value)
{
    return intern_find(&l->seen, value, l->n_params * sizeof *value);
}

/* ---- all of them ---- */

struct walk {
    const kpred_model *m;
    const int32_t *problem;
    struct tuples *to; /* NULL: one is enough */
    size_t steps, found, most, drawn;
    int32_t values[KPRED_MAX_TUPLE];
    uint16_t index[KPRED_MAX_TUPLE];
};

/* Sets a value, and asks whether the tuple may go on so. */
static int allows(struct walk *w, size_t t, uint16_t v)
{
    w->steps++;
    w->index[t] = v;
    w->values[t] = w->m->params[t].values[v];
    return w->m->rule == NULL || w->m->rule(w->problem, w->values, t + 1);
}

static int applies(const struct walk *w)
{
    return w->m->rule == NULL || w->m->rule(w->problem, w->values, 0);
}

static int is_over(const struct walk *w)
{
    return w->found > w->most || w->steps > MOST_STEPS;
}

static void list_from(struct walk *w, size_t t)
{
    if (t == w->m->n_params) {
        if (++w->found <= w->most && w->to != NULL)
            tuples_add(w->to, w->index);
        return;
    }
    for (uint16_t v = 0; v < w->m->params[t].n_values && !is_over(w); v++)
        if (allows(w, t, v))
            list_from(w, t + 1);
}

/* ---- a sample of them ---- */

static uint16_t draw_below(uint64_t *state, int32_t n)
{
    return (uint16_t)((num_draw(state) >> 32) * (uint64_t)n >> 32);
}

/* Every combination is as likely as any other, and the illegal ones are thrown away. */
static void tuples_draw(struct walk *w, uint64_t *state)
{
    for (long i = 0; i < MOST_DRAWS && w->to->n < w->drawn; i++) {
        size_t t = 0;
        while (t < w->m->n_params && allows(w, t, draw_below(state, w->m->params[t].n_values)))
            t++;
        if (t == w->m->n_params)
            tuples_add(w->to, w->index);
    }
}

/* One of the values that may follow; 0: none may */
static int step(struct walk *w, uint64_t *state, size_t t)
{
    uint16_t good[KPRED_MAX_VALUES];
    int32_t n = 0;
    for (uint16_t v = 0; v < w->m->params[t].n_values; v++)
        if (allows(w, t, v))
            good[n++] = v;
    return n > 0 && allows(w, t, good[draw_below(state, n)]);
}

static void stroll(struct walk *w, uint64_t *state)
{
    w->to->kind = TUPLES_WALKED;
    for (long i = 0; i < MOST_WALKS && w->to->n < w->drawn; i++) {
        size_t t = 0;
        while (t < w->m->n_params && step(w, state, t))
            t++;
        if (t == w->m->n_params)
            tuples_add(w->to, w->index);
    }
}

static void sample(struct walk *w)
{
    uint64_t state = UINT64_C(0x6b70726564);
    for (size_t f = 0; f < w->m->n_fields; f++)
        state = num_mix(state, f, (uint64_t)w->problem[f]);
    intern_free(&w->to->seen);
    w->to->n = 0;
    w->to->kind = TUPLES_DRAWN;
    tuples_draw(w, &state);
    if (w->to->n < FEW)
        stroll(w, &state);
}

/* ---- both ---- */

void tuples_open(struct tuples *l, const kpred_model *m, const int32_t *problem,
                 const struct tuples_most *most)
{
    struct walk w = {
        .m = m, .problem = problem, .to = l, .most = most->listed, .drawn = most->drawn};
    *l = (struct tuples){.n_params = m->n_params};
    if (applies(&w))
        list_from(&w, 0);
    if (is_over(&w))
        sample(&w);
}

void tuples_close(struct tuples *l)
{
    free(l->value);
    intern_free(&l->seen);
    memset(l, 0, sizeof *l);
}

unsigned char *tuples_targets(const struct tuples *l)
{
    unsigned char *target = xcalloc(l->n + 1, l->n_params);
    for (size_t i = 0; i < l->n * l->n_params; i++)
        target[i] = (unsigned char)l->value[i];
    return target;
}

int tuples_any(const kpred_model *m, const int32_t *problem)
{
    struct walk w = {.m = m, .problem = problem, .most = 0};
    if (applies(&w))
        list_from(&w, 0);
    return w.found > 0 ? 1 : is_over(&w) ? -1 : 0;
}

/* ---- does [restrict] leave any? ---- */

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
