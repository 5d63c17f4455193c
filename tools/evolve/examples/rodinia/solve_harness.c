/* solve_harness.c - the cases of solve.c
   SPDX-License-Identifier: MIT

   The diagonals are large, so that no pivot is needed. */
#include <kpred_evolve.h>

enum { UNKNOWNS = 6 };

typedef void solve(int systems, const float *a, const float *b, float *x, float *det, float *rest);

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)c->size[0];
    const size_t a = ev_buffer(c, "a", EV_IN, EV_F32, n * UNKNOWNS * UNKNOWNS);
    ev_fill(c, a);
    for (size_t i = 0; i < n * UNKNOWNS && c->at[a] != NULL && !c->special; i++)
        ((float *)c->at[a])[i * UNKNOWNS + i % UNKNOWNS] += UNKNOWNS;
    ev_fill(c, ev_buffer(c, "b", EV_IN, EV_F32, n * UNKNOWNS));
    ev_buffer(c, "x", EV_OUT, EV_F32, n * UNKNOWNS);
    ev_buffer(c, "det", EV_OUT, EV_F32, n);
    ev_buffer(c, "rest", EV_OUT, EV_F32, n);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((solve *)kernel)((int)c->size[0], c->at[0], c->at[1], c->at[2], c->at[3], c->at[4]);
}

static const struct ev_shape shapes[] = {
    {.size = {256}, .seed = 1},
    {.size = {401}, .seed = 2},
    {.size = {3}, .seed = 3, .untimed = 1},
    {.size = {1}, .seed = 4, .held_out = 1, .untimed = 1},
    {.size = {307}, .seed = 5, .held_out = 1},
    {.size = {120}, .seed = 6, .held_out = 1, .special = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "systems", EV_SHAPES(shapes));
