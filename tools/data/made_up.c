/* made_up.c - problems between those of a table, see data.h
   SPDX-License-Identifier: MIT */
#include "data.h"

#include "base/numbers.h"

/* The greatest power of two up to 64 that divides it */
static int32_t made_up_power(int32_t size)
{
    int32_t by = 1;
    while (by < 64 && size % (2 * by) == 0)
        by *= 2;
    return by;
}

static int32_t made_up_size(int32_t size, enum made_up how, uint64_t *seed)
{
    enum { FAR_IN = 8, POWERS = 7 };
    const uint64_t draw = how == MADE_UP_ANY ? num_draw(seed) >> 32 : 0;
    const float most = how == MADE_UP_NEAR ? 0.5f : draw % FAR_IN ? 1.0f : 2.0f;
    const double to = (double)size * (double)num_exp2(most * num_signed(seed));
    const int is_kept = how == MADE_UP_NEAR || draw / FAR_IN % 2;
    const int32_t by = is_kept ? made_up_power(size) : 1 << draw / FAR_IN / 2 % POWERS;
    const int32_t n = (int32_t)(to / by + 0.5);
    return n < 1 ? by : n > KPRED_MAX_SIZE / by ? KPRED_MAX_SIZE / by * by : n * by;
}

enum { FEW = 8 }; /* values of a field that is not a size but a flag or the like */

int made_up_is_size(const struct spec *s, size_t field)
{
    const struct spec_field *f = &s->fields[field];
    return f->n_tokens == 0 && f->most - f->least >= FEW;
}

static int made_up_may_be(const struct spec *s, size_t field, int32_t value)
{
    const struct spec_field *f = &s->fields[field];
    return made_up_is_size(s, field) && value >= f->least && value <= f->most;
}

void make_up_problem(const struct spec *s, enum made_up how, const int32_t *known, size_t n_known,
                     uint64_t *seed, int32_t *out)
{
    const size_t n_fields = s->n_fields;
    for (size_t f = 0; f < n_fields; f++) {
        const int32_t size = known[num_draw(seed) % n_known * n_fields + f];
        const int is_changed = (int)(num_draw(seed) >> 63);
        const int32_t changed = made_up_size(size, how, seed);
        out[f] = !is_changed || size <= 1 || !made_up_may_be(s, f, changed) ? size : changed;
    }
}
