/* oracle.c - how far outputs are from what they have to be
   SPDX-License-Identifier: MIT

   oracle.h declares it. */
#include "oracle.h"

#include <float.h>

static double element(enum ev_type type, const unsigned char *at, size_t i)
{
    union {
        float f32;
        double f64;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
    } x;
    const size_t size = ev_size_of(type);
    memcpy(&x, at + i * size, size);
    switch (type) {
    case EV_F32: return (double)x.f32;
    case EV_F64: return x.f64;
    case EV_I8: return x.i8;
    case EV_I16: return x.i16;
    case EV_I32: return x.i32;
    default: return (double)x.i64;
    }
}

static int same_bits(enum ev_type type, const unsigned char *a, const unsigned char *b, size_t i)
{
    const size_t size = ev_size_of(type);
    return memcmp(a + i * size, b + i * size, size) == 0;
}

/* As bits, or both NaN */
static int same(enum ev_type type, const unsigned char *a, const unsigned char *b, size_t i)
{
    return same_bits(type, a, b, i)
           || (type <= EV_F64 && isnan(element(type, a, i)) && isnan(element(type, b, i)));
}

static int is_untouched(const struct oracle_region *r, size_t i)
{
    return r->role == EV_OUT && same_bits(r->type, r->want[0], r->before[0], i)
           && same_bits(r->type, r->want[1], r->before[1], i);
}

/* Of two numbers whose bits differ, at most one of them NaN */
static double relative(double want, double got, double floor)
{
    if (!isfinite(want) || !isfinite(got))
        return HUGE_VAL;
    const double difference = fabs(got - want);
    const double scale = fmax(fabs(want), floor);
    return difference <= 0 ? DBL_MIN : fmax(difference / scale, DBL_MIN);
}

static double error_at(const struct oracle *o, const struct oracle_region *r, size_t i)
{
    const unsigned char *want = r->want[r->poison];
    if (is_untouched(r, i))
        return same_bits(r->type, want, r->got, i) ? 0 : HUGE_VAL;
    if (o->kind == ORACLE_HARNESS || same(r->type, want, r->got, i))
        return 0;
    if (o->kind == ORACLE_EXACT)
        return HUGE_VAL;
    return relative(element(r->type, want, i), element(r->type, r->got, i), o->floor);
}

double oracle_error(const struct oracle *o, const struct oracle_region *r)
{
    double most = 0;
    if (r->role == EV_IN || r->role == EV_SCRATCH
        || memcmp(r->got, r->want[r->poison], r->n * ev_size_of(r->type)) == 0)
        return 0;
    for (size_t i = 0; i < r->n && most < HUGE_VAL; i++)
        most = fmax(most, error_at(o, r, i));
    return most;
}

int oracle_accepts(const struct oracle *o, double error)
{
    return error <= (o->kind == ORACLE_EXACT ? 0 : o->most) && error < HUGE_VAL;
}

size_t oracle_differs(enum ev_type type, size_t n, const void *a, const void *b)
{
    if (memcmp(a, b, n * ev_size_of(type)) != 0)
        for (size_t i = 0; i < n; i++)
            if (!same(type, a, b, i))
                return i;
    return SIZE_MAX;
}

size_t oracle_depends(const struct oracle_region *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!is_untouched(r, i) && !same(r->type, r->want[0], r->want[1], i))
            return i;
    return SIZE_MAX;
}
