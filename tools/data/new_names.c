/* new_names.c - see new_names.h
   SPDX-License-Identifier: MIT */
#include "new_names.h"

#include "model/unseen.h"

#include <string.h>

/* AMD's families first, then vendors */
static const char *const makers[] = {"gcn", "cdna", "rdna", "amd", "nvidia", "intel", "other"};
enum { AMD = 3, N_MAKERS = sizeof makers / sizeof *makers };

/* Adds the GPUs of a maker; their number. */
static size_t add_gpus(const char *const *gpus, size_t n, size_t maker, struct buf *b)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (unseen_is_for(makers[maker], gpus[i])) {
            buf_printf(b, " %s", gpus[i]);
            found++;
        }
    return found;
}

int new_names_fit(const char *const *gpus, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N_MAKERS; k++)
            if (strcmp(gpus[i], makers[k]) == 0)
                return 0;
    return n >= 2 && n + N_MAKERS <= KPRED_MAX_VALUES;
}

/* A family that has all of AMD's would be the same as AMD. */
void new_names_add(const char *const *gpus, size_t n, int is_section, struct buf *out)
{
    struct buf all = {0};
    const size_t n_amd = add_gpus(gpus, n, AMD, &all);
    for (size_t i = 0; i < N_MAKERS; i++) {
        struct buf own = {0};
        const size_t found = add_gpus(gpus, n, i, &own);
        if (found > 0 && (i >= AMD || found < n_amd))
            buf_printf(out, is_section ? "%s =%s\n" : " %s", makers[i], own.s);
        buf_free(&own);
    }
    buf_free(&all);
}
