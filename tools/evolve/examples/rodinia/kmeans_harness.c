/* kmeans_harness.c - the cases of kmeans.c
   SPDX-License-Identifier: MIT */
#include <kpred_evolve.h>

typedef int kmeans(int points, int features, int centroids, const float *point,
                   const float *centroid, int *nearest, float *distance);

static void set_up(struct ev_case *c)
{
    const size_t points = (size_t)c->size[0], features = (size_t)c->size[1];
    const size_t centroids = (size_t)c->size[2];
    ev_fill(c, ev_buffer(c, "point", EV_IN, EV_F32, points * features));
    if (c->alias) /* the first points are the centroids */
        ev_within(c, "centroid", 0, 0, centroids * features);
    else
        ev_fill(c, ev_buffer(c, "centroid", EV_IN, EV_F32, centroids * features));
    ev_fill_between(c, ev_buffer(c, "nearest", EV_INOUT, EV_I32, points), 0, (double)centroids);
    ev_buffer(c, "distance", EV_OUT, EV_F32, points);
    ev_buffer(c, "changed", EV_OUT, EV_I32, 1);
}

static void call(const struct ev_case *c, ev_kernel *kernel)
{
    *(int *)c->at[4] = ((kmeans *)kernel)((int)c->size[0], (int)c->size[1], (int)c->size[2],
                                          c->at[0], c->at[1], c->at[2], c->at[3]);
}

static const struct ev_shape shapes[] = {
    {.size = {200, 8, 10}, .seed = 1},
    {.size = {90, 34, 5}, .seed = 2},
    {.size = {1, 1, 1}, .seed = 3, .untimed = 1},
    {.size = {3, 2, 1}, .seed = 4, .untimed = 1},
    {.size = {31, 1, 4}, .seed = 5, .untimed = 1},
    {.size = {23, 7, 3}, .seed = 6, .untimed = 1, .special = 1},
    {.size = {29, 19, 4}, .seed = 7, .untimed = 1, .alias = 1},
    {.size = {2, 1, 1}, .seed = 8, .held_out = 1, .untimed = 1},
    {.size = {127, 13, 7}, .seed = 9, .held_out = 1},
    {.size = {101, 16, 6}, .seed = 10, .held_out = 1, .special = 1},
    {.size = {150, 11, 9}, .seed = 11, .held_out = 1, .alias = 1},
};

EV_HARNESS(.set_up = set_up, .call = call, .sizes = "points features centroids", EV_SHAPES(shapes));
