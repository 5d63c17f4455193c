/* hotspot_harness.c - the cases of hotspot.c
   SPDX-License-Identifier: MIT */
#include <kpred_evolve.h>

typedef void hotspot(int rows, int cols, const float *power, const float *in, float *out,
                     float per_cap, float per_rx, float per_ry, float per_rz, float ambient);

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)(c->size[0] * c->size[1]);
    ev_fill_between(c, ev_buffer(c, "power", EV_IN, EV_F32, n), 0, 0.01);
    ev_fill_between(c, ev_buffer(c, "in", EV_IN, EV_F32, n), 320, 345);
    ev_buffer(c, "out", EV_OUT, EV_F32, n);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((hotspot *)kernel)((int)c->size[0], (int)c->size[1], c->at[0], c->at[1], c->at[2], 0.34f, 0.1f,
                        0.11f, 0.0125f, 80);
}

static const struct ev_shape shapes[] = {
    {.size = {96, 96}, .seed = 1},
    {.size = {61, 130}, .seed = 2},
    {.size = {1, 1}, .seed = 3, .untimed = 1},
    {.size = {2, 3}, .seed = 4, .untimed = 1},
    {.size = {1, 40}, .seed = 5, .untimed = 1},
    {.size = {37, 1}, .seed = 6, .untimed = 1},
    {.size = {19, 23}, .seed = 7, .untimed = 1, .special = 1},
    {.size = {1, 2}, .seed = 8, .held_out = 1, .untimed = 1},
    {.size = {3, 17}, .seed = 9, .held_out = 1, .untimed = 1},
    {.size = {53, 101}, .seed = 10, .held_out = 1},
    {.size = {47, 47}, .seed = 11, .held_out = 1, .special = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "rows cols", EV_SHAPES(shapes));
