/* histogram_harness.c - the cases of histogram.c */
#include <kpred_evolve.h>

typedef void histogram(int n, const unsigned char *value, int *counts, int *done);

static void set_up(struct ev_case *c)
{
    ev_fill(c, ev_buffer(c, "value", EV_IN, EV_I8, (size_t)c->size[0]));
    ev_fill(c, ev_buffer(c, "counts", EV_INOUT, EV_I32, 256));
    ev_buffer(c, "done", EV_OUT, EV_I32, 1);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((histogram *)kernel)((int)c->size[0], c->at[0], c->at[1], c->at[2]);
}

static const struct ev_shape shapes[] = {
    {.size = {4000}, .seed = 1},
    {.size = {10007}, .seed = 2},
    {.size = {997}, .seed = 3, .held_out = 1},
    {.size = {1}, .seed = 4, .held_out = 1, .untimed = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "n", EV_SHAPES(shapes));
