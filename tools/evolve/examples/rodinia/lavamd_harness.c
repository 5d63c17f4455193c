/* lavamd_harness.c - the cases of lavamd.c
   SPDX-License-Identifier: MIT */
#include <kpred_evolve.h>

typedef void lavamd(int side, int each, float alpha, const float *particles, float *acts);

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)(c->size[0] * c->size[0] * c->size[0] * c->size[1]);
    ev_fill_between(c, ev_buffer(c, "particles", EV_IN, EV_F32, 4 * n), 0.1, 1);
    ev_buffer(c, "acts", EV_OUT, EV_F32, 4 * n);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((lavamd *)kernel)((int)c->size[0], (int)c->size[1], 0.5f, c->at[0], c->at[1]);
}

static const struct ev_shape shapes[] = {
    {.size = {2, 14}, .seed = 1},
    {.size = {3, 5}, .seed = 2},
    {.size = {1, 1}, .seed = 3, .untimed = 1},
    {.size = {1, 3}, .seed = 4, .untimed = 1},
    {.size = {1, 23}, .seed = 5, .untimed = 1},
    {.size = {2, 4}, .seed = 6, .untimed = 1, .special = 1},
    {.size = {1, 2}, .seed = 7, .held_out = 1, .untimed = 1},
    {.size = {1, 61}, .seed = 8, .held_out = 1},
    {.size = {2, 11}, .seed = 9, .held_out = 1},
    {.size = {2, 7}, .seed = 10, .held_out = 1, .special = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "side each", EV_SHAPES(shapes));
