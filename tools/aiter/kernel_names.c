/* kernel_names.c - the numbers in the names of AITER's kernels
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include <stdlib.h>
#include <string.h>

/* Reads numbers with x between them, as 256x64x128, at most 16; their number. */
static size_t read_group(const char **at, int32_t v[16])
{
    size_t n = 0;
    for (const char *p = *at; n < 16 && *p >= '0' && *p <= '9'; p = *at + 1) {
        char *end;
        const long x = strtol(p, &end, 10);
        v[n++] = x >= 1 && x <= KPRED_MAX_SIZE ? (int32_t)x : 0;
        *at = end;
        if (*end != 'x')
            break;
    }
    return n;
}

int kernel_group(const char *name, size_t wanted, int is_last, int32_t out[16])
{
    int found = 0;
    int32_t v[16];
    while (*(name += strcspn(name, "0123456789")) != '\0') {
        if (read_group(&name, v) != wanted || (found && !is_last))
            continue;
        memcpy(out, v, wanted * sizeof *v);
        found = 1;
    }
    return found;
}

int32_t kernel_number(const char *name, const char *part)
{
    const char *p = strstr(name, part);
    const long x = p != NULL ? strtol(p + strlen(part), NULL, 10) : 1;
    return x >= 1 && x <= KPRED_MAX_SIZE ? (int32_t)x : 1;
}

int32_t power_of_two_of(int32_t v)
{
    const int32_t power = v & -v;
    return power < 256 ? power : 256;
}
