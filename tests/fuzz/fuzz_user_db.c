/* fuzz_user_db.c - user perf-dbs: merged into, they lose nothing, and a second time changes nothing
   SPDX-License-Identifier: MIT

   The first byte says whether SQLite's is meant. */
#include "fuzz.h"

#include "miopen/user_db.h"

#include <string.h>

static const char key[] = "64-28-28-1x1-128-28-28-16-0x0-1x1-1x1-0-NCHW-FP32-F";

static void add_lines(struct user_db *u)
{
    memset(u, 0, sizeof *u);
    user_db_add(u, key, "ConvAsm1x1U:1,16,1,64,1,1,1,1;Other:2");
}

static struct buf merged(const char *path, int force, int *rc)
{
    struct user_db u;
    struct user_db_counts counts;
    struct buf out = {0};
    add_lines(&u);
    *rc = user_db_merge(&u, path, force, &counts);
    user_db_free(&u);
    if (*rc == 0)
        FUZZ_CHECK(read_file(path, 1 << 26, &out) == 0);
    return out;
}

static void text(const uint8_t *data, size_t size, int force)
{
    const char *path = fuzz_file("gfx906_60.udb.txt", data, size);
    int rc;
    struct buf once = merged(path, force, &rc), twice = {0};
    if (rc == 0) {
        FUZZ_REACHED("a merged text");
        twice = merged(path, force, &rc);
        FUZZ_CHECK(rc == 0 && once.n == twice.n && memcmp(once.s, twice.s, once.n) == 0);
    }
    buf_free(&once);
    buf_free(&twice);
}

static void sqlite(const uint8_t *data, size_t size, int force)
{
    const char *path = fuzz_file("gfx906_60.udb", data, size);
    struct user_db u, all = {0};
    struct user_db_counts counts;
    add_lines(&u);
    if (user_db_write_sqlite(&u, path, force, &counts, &all) == 0)
        FUZZ_REACHED("a merged database");
    for (size_t i = 0; i < all.n; i++) { /* each row is one entry, as in a text */
        const char *at = all.lines[i].entries;
        size_t n_solver, n_params;
        FUZZ_CHECK(user_db_next_entry(&at, &n_solver, &n_params) != NULL && *at == '\0');
    }
    user_db_free(&u);
    user_db_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (*data == 's')
        sqlite(data + 1, size - 1, 1);
    else
        text(data + 1, size - 1, *data % 2);
    return 0;
}
