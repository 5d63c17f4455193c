/* one_waste_harness.c - the cases of all kernels here that have one waste each
   SPDX-License-Identifier: MIT

   dead_store.c, scratch_array.c, division.c, invariant_load.c, buffer.c: they have one type. */
#include <kpred_evolve.h>

typedef void waste(int n, const float *x, const float *width, float unit, float *y, float *spare,
                   float *last);

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)c->size[0];
    ev_fill(c, ev_buffer(c, "x", EV_IN, EV_F32, n));
    ev_fill_between(c, ev_buffer(c, "width", EV_IN, EV_F32, 1), 0.5, 2);
    ev_buffer(c, "y", EV_OUT, EV_F32, n);
    ev_buffer(c, "spare", EV_SCRATCH, EV_F32, n);
    ev_buffer(c, "last", EV_OUT, EV_F32, 1);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((waste *)kernel)((int)c->size[0], c->at[0], c->at[1], 1, c->at[2], c->at[3], c->at[4]);
}

static const struct ev_shape shapes[] = {
    {.size = {8192}, .seed = 1},
    {.size = {12007}, .seed = 2},
    {.size = {3}, .seed = 3, .untimed = 1},
    {.size = {1}, .seed = 4, .held_out = 1, .untimed = 1},
    {.size = {3089}, .seed = 5, .held_out = 1, .special = 1},
    {.size = {2050}, .seed = 6, .held_out = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "n", EV_SHAPES(shapes));
