/* harness.c - the cases of kernel.c: a grid of widths, and of how much of a row is filled
   SPDX-License-Identifier: MIT */
#include <kpred_evolve.h>

typedef void product(int rows, int cols, const int *filled, const int *x, int *sums);

/* Each row is filled to twice the percentage at most, and to this on average. */
static size_t length(struct ev_case *c, size_t cols)
{
    const double share = (double)c->size[2] / 100, spread = share < 0.5 ? share : 1 - share;
    return (size_t)(ev_uniform(c, share - spread, share + spread) * (double)cols + 0.5);
}

static void fill_rows(struct ev_case *c, int32_t *filled, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) {
        const size_t n = length(c, cols);
        for (size_t i = 0; i < cols; i++)
            filled[r * cols + i] = i < n ? 1 + (int32_t)(ev_random(c) % 99) : 0;
    }
}

static void set_up(struct ev_case *c)
{
    const size_t rows = (size_t)c->size[0], cols = (size_t)c->size[1];
    const size_t filled = ev_buffer(c, "filled", EV_IN, EV_I32, rows * cols);
    if (c->at[filled] != NULL)
        fill_rows(c, c->at[filled], rows, cols);
    ev_fill(c, ev_buffer(c, "x", EV_IN, EV_I32, cols));
    ev_buffer(c, "sums", EV_OUT, EV_I32, rows);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((product *)kernel)((int)c->size[0], (int)c->size[1], c->at[0], c->at[1], c->at[2]);
}

static const struct ev_shape shapes[] = {
    {.size = {2000, 16, 3}, .seed = 1},
    {.size = {2000, 16, 20}, .seed = 2},
    {.size = {2000, 16, 50}, .seed = 3},
    {.size = {2000, 16, 90}, .seed = 4},
    {.size = {1000, 48, 3}, .seed = 5},
    {.size = {1000, 48, 20}, .seed = 6},
    {.size = {1000, 48, 50}, .seed = 7},
    {.size = {1000, 48, 90}, .seed = 8},
    {.size = {400, 160, 3}, .seed = 9},
    {.size = {400, 160, 20}, .seed = 10},
    {.size = {400, 160, 50}, .seed = 11},
    {.size = {400, 160, 90}, .seed = 12},
    {.size = {7, 0, 60}, .seed = 13, .untimed = 1},
    {.size = {97, 13, 33}, .seed = 14, .untimed = 1},
    {.size = {201, 1, 100}, .seed = 15, .held_out = 1},
    {.size = {41, 47, 0}, .seed = 16, .held_out = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "rows cols filled", EV_SHAPES(shapes));
