/* planted_harness.c - the cases of planted.c
   SPDX-License-Identifier: MIT */
#include <kpred_evolve.h>

typedef void planted(int n, const float *x, const float *width, float unit, float bias, float *y,
                     float *trace, float *last, float *squares, float *carry, float *sums);

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)c->size[0];
    ev_fill(c, ev_buffer(c, "x", EV_IN, EV_F32, n));
    ev_fill_between(c, ev_buffer(c, "width", EV_IN, EV_F32, 1), 0.5, 2);
    ev_buffer(c, "y", EV_OUT, EV_F32, n);
    ev_buffer(c, "trace", EV_SCRATCH, EV_F32, n);
    ev_buffer(c, "last", EV_OUT, EV_F32, 1);
    ev_buffer(c, "squares", EV_OUT, EV_F32, n);
    ev_buffer(c, "carry", EV_SCRATCH, EV_F32, n);
    ev_buffer(c, "sums", EV_OUT, EV_F32, n);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((planted *)kernel)((int)c->size[0], c->at[0], c->at[1], 1, 0.25f, c->at[2], c->at[3], c->at[4],
                        c->at[5], c->at[6], c->at[7]);
}

static const struct ev_shape shapes[] = {
    {.size = {1024}, .seed = 1},
    {.size = {1999}, .seed = 2},
    {.size = {3}, .seed = 3, .untimed = 1},
    {.size = {1}, .seed = 4, .held_out = 1, .untimed = 1},
    {.size = {1531}, .seed = 5, .held_out = 1, .special = 1},
    {.size = {1025}, .seed = 6, .held_out = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "n", EV_SHAPES(shapes));
