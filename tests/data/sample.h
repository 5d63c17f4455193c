/* sample.h - makes the binary files that tests of the data layer read: databases and packed files
   SPDX-License-Identifier: MIT

   A test that includes it is linked with the libraries that make found; without one of them the
   function fails. */
#pragma once

#include "harness/test.h"

#include "base/util.h"

#ifdef HAVE_BZIP2
#include <bzlib.h>
#endif
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif
#include <stdlib.h>

/* A SQLite database of the file's statements and n others */
static inline int make_db(const char *out, const char *file, const char *const *sql, size_t n)
{
#ifdef HAVE_SQLITE
    struct buf all = {0};
    sqlite3 *db = NULL;
    char *message = NULL;
    buf_puts(&all, "PRAGMA synchronous = OFF; BEGIN;");
    int rc = read_file(file, 1 << 24, &all);
    for (size_t i = 0; i < n; i++)
        buf_printf(&all, ";%s", sql[i]);
    buf_puts(&all, ";COMMIT");
    remove(out);
    if (rc == 0 && sqlite3_open(out, &db) != SQLITE_OK)
        rc = fail("%s: %s", out, sqlite3_errmsg(db));
    if (rc == 0 && sqlite3_exec(db, all.s, NULL, NULL, &message) != SQLITE_OK)
        rc = fail("SQLite: %s", message);
    sqlite3_free(message);
    sqlite3_close(db);
    buf_free(&all);
    return rc;
#else
    (void)file, (void)sql, (void)n;
    return fail_without(out, "SQLite", "libsqlite3-dev");
#endif
}

/* One bzip2 stream for each of the n files, one behind the other */
static inline int make_bz2(const char *out, const char *const *files, size_t n)
{
#ifdef HAVE_BZIP2
    struct buf all = {0};
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct buf in = {0};
        rc = read_file(files[i], 1 << 24, &in);
        unsigned room = (unsigned)(in.n + in.n / 50 + 1000);
        char *packed = xmalloc(room);
        if (rc == 0
            && BZ2_bzBuffToBuffCompress(packed, &room, in.s, (unsigned)in.n, 9, 0, 0) != BZ_OK)
            rc = fail("%s: cannot compress", files[i]);
        buf_add(&all, packed, rc == 0 ? room : 0);
        free(packed);
        buf_free(&in);
    }
    rc = rc == 0 ? out_whole(out, &all) : rc;
    buf_free(&all);
    return rc;
#else
    (void)files, (void)n;
    return fail_without(out, "bzip2", "libbz2-dev");
#endif
}

/* Five made keys of known meaning in the place of the real ones: id 1 forward; 2, 3 backward data,
   stride 2 and 1; 4, 5 backward weights, 3x3, stride 1 and 2 */
static const char *const swap_keys[] = {
    "DELETE FROM config", "DELETE FROM perf_db",
    ("INSERT INTO config VALUES "
     "(1,'NCHW','FP32','F',2,64,27,28,1,1,1,1,256,8,0,0,0,2,2,0,1,1,0,0,1),"
     "(2,'NCHW','FP32','B',2,64,14,15,1,1,1,1,256,8,0,0,0,2,2,0,1,1,0,0,1),"
     "(3,'NCHW','FP16','B',2,64,14,15,1,1,1,1,256,8,0,0,0,1,1,0,1,1,0,0,1),"
     "(4,'NCHW','FP32','W',2,64,14,15,1,3,3,1,256,8,1,1,0,1,1,0,1,1,0,0,32),"
     "(5,'NCHW','FP32','W',2,64,14,15,1,3,3,1,256,8,1,1,0,2,2,0,1,1,0,0,1)"),
    ("INSERT INTO perf_db VALUES (1,'ConvAsm1x1U',1,'1,16,1,64,1,1,1,1'),"
     "(2,'ConvAsm1x1U',2,'1,16,1,64,1,1,1,1'),(3,'ConvAsm1x1U',3,'1,16,2,64,1,2,1,1'),"
     "(4,'ConvAsmBwdWrW3x3',4,'0,0,8,1,1,1'),(5,'ConvAsmBwdWrW3x3',5,'0,0,8,1,1,1')")};
