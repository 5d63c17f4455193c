/* noise.c - what can be said of times that are measured
   SPDX-License-Identifier: MIT

   noise.h declares it. */
#include "noise.h"

#include <math.h>

static const double between = 0.001; /* what children differ by, by the layout of their memory */

double noise_of(const struct result *a, const struct result *b)
{
    return sqrt(a->spread * a->spread + b->spread * b->spread + 2 * between * between);
}

int noise_is_faster(const struct result *a, const struct result *b, double z)
{
    if (a->outcome != OUTCOME_VALID)
        return 0;
    return b->outcome != OUTCOME_VALID || a->time + z * noise_of(a, b) < b->time;
}

void level_begin(struct level *l, const struct result *result)
{
    l->sum = l->weights = 0;
    level_add(l, result);
}

void level_add(struct level *l, const struct result *result)
{
    const double weight = 1 / (result->spread * result->spread + between * between);
    l->sum += weight * result->time;
    l->weights += weight;
    l->error = result->error;
}

struct result level_result(const struct level *l)
{
    const struct result mean = {.outcome = OUTCOME_VALID,
                                .time = l->sum / l->weights,
                                .spread = sqrt(1 / l->weights),
                                .error = l->error};
    return mean;
}
