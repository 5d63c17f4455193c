/* needleman_wunsch_harness.c - the cases of needleman_wunsch.c
   SPDX-License-Identifier: MIT */
#include <kpred_evolve.h>

enum { LETTERS = 24 };

typedef void needleman_wunsch(int rows, int cols, const signed char *first,
                              const signed char *second, const int *worth, int letters, int gap,
                              int *table);

static void set_up(struct ev_case *c)
{
    const size_t rows = (size_t)c->size[0], cols = (size_t)c->size[1];
    ev_fill_between(c, ev_buffer(c, "first", EV_IN, EV_I8, rows), 0, LETTERS);
    if (c->alias) /* with a part of itself */
        ev_within(c, "second", 0, rows - cols, cols);
    else
        ev_fill_between(c, ev_buffer(c, "second", EV_IN, EV_I8, cols), 0, LETTERS);
    ev_fill_between(c, ev_buffer(c, "worth", EV_IN, EV_I32, LETTERS * LETTERS), -4, 12);
    ev_buffer(c, "table", EV_OUT, EV_I32, (rows + 1) * (cols + 1));
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((needleman_wunsch *)kernel)((int)c->size[0], (int)c->size[1], c->at[0], c->at[1], c->at[2],
                                 LETTERS, (int)c->size[2], c->at[3]);
}

static const struct ev_shape shapes[] = {
    {.size = {96, 96, 10}, .seed = 1},
    {.size = {71, 150, 3}, .seed = 2},
    {.size = {1, 1, 4}, .seed = 3, .untimed = 1},
    {.size = {2, 5, 1}, .seed = 4, .untimed = 1},
    {.size = {23, 1, 0}, .seed = 5, .untimed = 1},
    {.size = {13, 31, -3}, .seed = 6, .untimed = 1},
    {.size = {29, 17, 2}, .seed = 7, .untimed = 1, .alias = 1},
    {.size = {1, 2, -1}, .seed = 8, .held_out = 1, .untimed = 1},
    {.size = {83, 59, 0}, .seed = 9, .held_out = 1},
    {.size = {37, 127, -2}, .seed = 10, .held_out = 1},
    {.size = {101, 79, 5}, .seed = 11, .held_out = 1, .alias = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "rows cols gap", EV_SHAPES(shapes));
