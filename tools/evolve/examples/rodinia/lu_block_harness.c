/* lu_block_harness.c - the cases of lu_block.c
   SPDX-License-Identifier: MIT

   What is above the diagonal is small beside it, so that no pivot is needed. */
#include <kpred_evolve.h>

typedef void lu_block(int n, int width, float *a);

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)c->size[0], width = (size_t)c->size[1];
    const size_t a = ev_buffer(c, "a", EV_INOUT, EV_F32, n * width);
    ev_fill(c, a);
    for (size_t i = 0; i < n && c->at[a] != NULL && !c->special; i++)
        ((float *)c->at[a])[i * width + i] += (float)n;
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((lu_block *)kernel)((int)c->size[0], (int)c->size[1], c->at[0]);
}

static const struct ev_shape shapes[] = {
    {.size = {40, 48}, .seed = 1},
    {.size = {53, 53}, .seed = 2},
    {.size = {2, 2}, .seed = 3, .untimed = 1},
    {.size = {3, 4}, .seed = 4, .untimed = 1},
    {.size = {11, 40}, .seed = 5, .untimed = 1},
    {.size = {17, 17}, .seed = 6, .untimed = 1, .special = 1},
    {.size = {2, 3}, .seed = 7, .held_out = 1, .untimed = 1},
    {.size = {5, 5}, .seed = 8, .held_out = 1, .untimed = 1},
    {.size = {47, 61}, .seed = 9, .held_out = 1},
    {.size = {31, 32}, .seed = 10, .held_out = 1, .special = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "n width", EV_SHAPES(shapes));
