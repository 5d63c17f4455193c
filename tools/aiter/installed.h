/* installed.h - the tuned tables that AITER has: their keys, and the kernels that they name
   SPDX-License-Identifier: MIT

   AITER refuses tables of which two rows have one key, so these are refused here, too. */
#pragma once

#include "base/intern.h"
#include "target.h"

struct installed { /* all zero: nothing is installed; to be freed */
    struct installed_family {
        struct interned keys; /* of all GPUs */
        size_t cap;
        struct installed_key {
            const char *path;
            long line;
        } * at;                  /* by the numbers of keys */
        struct interned kernels; /* of the target's rows */
        struct interned paths;
    } of[N_FAMILIES];
};

/* Reads tables: of families without a model, and untuned lists, only that they are there. `only` is
   the family of tables whose name tells none. 0, or -1 with a message. */
int installed_read(struct installed *in, const struct target *t, enum family_id only,
                   const char *const *paths, size_t n);

/* Has the target's table of a family a row with this key? */
int installed_has(const struct installed *in, const struct target *t, enum family_id family,
                  int32_t m, int32_t n, int32_t k);
void installed_free(struct installed *in);
