/* hotspot3d_harness.c - the cases of hotspot3d.c
   SPDX-License-Identifier: MIT */
#include <kpred_evolve.h>

typedef void hotspot3d(int nx, int ny, int nz, const float *weights, float step, const float *power,
                       const float *in, float *out);

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)(c->size[0] * c->size[1] * c->size[2]);
    ev_fill_between(c, ev_buffer(c, "weights", EV_IN, EV_F32, 5), 0.05, 0.3);
    ev_fill_between(c, ev_buffer(c, "power", EV_IN, EV_F32, n), 0, 0.01);
    ev_fill_between(c, ev_buffer(c, "in", EV_IN, EV_F32, n), 320, 345);
    ev_buffer(c, "out", EV_OUT, EV_F32, n);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((hotspot3d *)kernel)((int)c->size[0], (int)c->size[1], (int)c->size[2], c->at[0], 0.5f,
                          c->at[1], c->at[2], c->at[3]);
}

static const struct ev_shape shapes[] = {
    {.size = {32, 24, 8}, .seed = 1},
    {.size = {21, 37, 11}, .seed = 2},
    {.size = {1, 1, 1}, .seed = 3, .untimed = 1},
    {.size = {2, 3, 2}, .seed = 4, .untimed = 1},
    {.size = {35, 1, 1}, .seed = 5, .untimed = 1},
    {.size = {1, 13, 3}, .seed = 6, .untimed = 1},
    {.size = {11, 7, 5}, .seed = 7, .untimed = 1, .special = 1},
    {.size = {1, 1, 2}, .seed = 8, .held_out = 1, .untimed = 1},
    {.size = {3, 2, 1}, .seed = 9, .held_out = 1, .untimed = 1},
    {.size = {17, 29, 13}, .seed = 10, .held_out = 1},
    {.size = {40, 9, 5}, .seed = 11, .held_out = 1, .special = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "nx ny nz", EV_SHAPES(shapes));
