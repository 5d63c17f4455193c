/* clock.h - the time now
   SPDX-License-Identifier: MIT

   Before it _POSIX_C_SOURCE is to be defined, for clock_gettime. */
#pragma once

#include <time.h>

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}
