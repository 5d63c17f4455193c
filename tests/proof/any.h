/* any.h - inputs of which Eva knows an interval alone
   SPDX-License-Identifier: MIT

   Eva knows of each variable an interval, and nothing of how two of them hang together. So domains
   are split where a bound needs that. Without Frama-C the inputs are drawn at random. */
#pragma once

#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"

#ifdef __FRAMAC__
#include "__fc_builtin.h"

static inline int64_t any(int64_t least, int64_t most)
{
    return Frama_C_long_long_interval(least, most);
}

/*@ requires holds: condition != 0;
    assigns \nothing; */
static void holds(int condition);

#undef RUN
#define RUN(test)  test()
#define test_end() 0
#else
static uint64_t seed = 1;

/* One of the ends, or anything between them */
static inline int64_t any(int64_t least, int64_t most)
{
    const uint64_t x = test_random64(&seed), n = (uint64_t)most - (uint64_t)least + 1;
    if (x % 8 < 2)
        return x % 8 ? most : least;
    return (int64_t)((uint64_t)least + (n ? x / 8 % n : x));
}

#define holds(condition) CHECK(condition)
#endif

static inline int32_t any32(int64_t least, int64_t most)
{
    return (int32_t)any(least, most);
}

static inline void fill(int32_t *x, size_t n, int64_t least, int64_t most)
{
    /*@ loop unroll 300; */
    for (size_t i = 0; i < n; i++)
        x[i] = any32(least, most);
}

static inline void fill8(int8_t *x, size_t n)
{
    /*@ loop unroll 4000; */
    for (size_t i = 0; i < n; i++)
        x[i] = (int8_t)any(-127, 127);
}

static inline void fill16(int16_t *x, size_t n)
{
    /*@ loop unroll 300; */
    for (size_t i = 0; i < n; i++)
        x[i] = (int16_t)any(0, 127);
}
