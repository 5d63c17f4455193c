/* told.h - what is told on standard error, and checks that say what they saw
   SPDX-License-Identifier: MIT */
#pragma once

#include "harness/test.h"

#include <stdio.h>
#include <unistd.h>

/* A CHECK with a text made as by printf */
static char expected[256];
#define EXPECT(condition, ...) \
    (snprintf(expected, sizeof expected, __VA_ARGS__), CHECK_OF(condition, expected))

/* ---- what is told on standard error ---- */

static char told[4096];
static int real_stderr;

static inline void listen(void)
{
    fflush(stderr);
    real_stderr = dup(2);
    FILE *f = tmpfile();
    dup2(fileno(f), 2);
    fclose(f);
}

static inline const char *heard(void)
{
    fflush(stderr);
    const off_t end = lseek(2, 0, SEEK_END);
    const ssize_t n = pread(2, told, sizeof told - 1, end > 4000 ? end - 4000 : 0);
    told[n < 0 ? 0 : n] = '\0';
    dup2(real_stderr, 2);
    close(real_stderr);
    return told;
}
