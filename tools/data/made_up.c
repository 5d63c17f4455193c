/* made_up.c - problems between those of a table, see data.h
   SPDX-License-Identifier: MIT */
#include "data.h"

#include "base/numbers.h"

#include <math.h>

enum { POWERS = 7 }; /* of two, from 1 on, of which a size may be a multiple */

/* The greatest of them that divides it */
static int32_t made_up_power(int32_t size)
{
    int32_t by = 1;
    while (by < 1 << (POWERS - 1) && size % (2 * by) == 0)
        by *= 2;
    return by;
}

/* The multiple that is nearest, of sizes that there are */
static int32_t made_up_multiple(double to, int32_t by)
{
    const double n = floor(to / by + 0.5);
    return n < 1 ? by : n > KPRED_MAX_SIZE / by ? KPRED_MAX_SIZE / by * by : (int32_t)n * by;
}

static int32_t made_up_size(int32_t size, enum made_up how, uint64_t *seed)
{
    enum { FAR_IN = 8 };
    const uint64_t draw = how == MADE_UP_ANY ? num_draw(seed) >> 32 : 0;
    const float most = how == MADE_UP_NEAR ? 0.5f : draw % FAR_IN ? 1.0f : 2.0f;
    const double to = (double)size * (double)num_exp2(most * num_signed(seed));
    const int is_kept = how == MADE_UP_NEAR || draw / FAR_IN % 2;
    const int32_t by = is_kept ? made_up_power(size) : 1 << draw / FAR_IN / 2 % POWERS;
    return made_up_multiple(to, by);
}

/* Up to four times the greatest of a field that is known: what fails there is best known before. */
static int32_t made_up_beyond(const int32_t *known, size_t n_known, size_t n_fields, uint64_t *seed)
{
    int32_t most = 0;
    for (size_t i = 0; i < n_known * n_fields; i += n_fields)
        most = known[i] > most ? known[i] : most;
    const double to = most * (double)num_exp2(2 * num_unit(seed));
    return made_up_multiple(to, 1 << num_draw(seed) % POWERS);
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
    enum { BEYOND_IN = 8 };
    const size_t n_fields = s->n_fields;
    const int is_beyond = how == MADE_UP_ANY && (num_draw(seed) >> 32) % BEYOND_IN == 0;
    for (size_t f = 0; f < n_fields; f++) {
        const int32_t size = known[num_draw(seed) % n_known * n_fields + f];
        const int is_changed = (int)(num_draw(seed) >> 63);
        const int32_t changed = is_beyond ? made_up_beyond(known + f, n_known, n_fields, seed)
                                          : made_up_size(size, how, seed);
        out[f] = !is_changed || size <= 1 || !made_up_may_be(s, f, changed) ? size : changed;
    }
}
