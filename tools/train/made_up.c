/* made_up.c - see made_up.h
   SPDX-License-Identifier: MIT */
#include "made_up.h"

#include "base/numbers.h"

/* Changed by up to half an octave, and divisible by the same power of two up to 64 */
static int32_t near_to(int32_t size, uint64_t *seed)
{
    const float octaves = 0.5f * num_signed(seed);
    const double to = (double)size * (double)num_exp2(octaves);
    int32_t by = 1;
    while (by < 64 && size % (2 * by) == 0)
        by *= 2;
    int32_t n = (int32_t)(to / by + 0.5);
    return n < 1 ? by : n > KPRED_MAX_SIZE / by ? KPRED_MAX_SIZE / by * by : n * by;
}

enum { FEW = 8 }; /* values of a field that is no size but a flag or the like */

static int may_be(const struct model *m, size_t field, int32_t value)
{
    const struct spec_field *f = &m->spec->fields[field];
    return f->n_tokens == 0 && f->most - f->least >= FEW && value >= f->least && value <= f->most;
}

void make_up_problem(const struct model *m, const int32_t *known, size_t n_known, uint64_t *seed,
                     int32_t *out)
{
    const size_t n_fields = m->m.n_fields;
    for (size_t f = 0; f < n_fields; f++) {
        const int32_t size = known[num_draw(seed) % n_known * n_fields + f];
        const int is_changed = (int)(num_draw(seed) >> 63);
        const int32_t changed = near_to(size, seed);
        out[f] = !is_changed || size <= 1 || !may_be(m, f, changed) ? size : changed;
    }
}
