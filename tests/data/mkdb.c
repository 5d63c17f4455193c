/* mkdb.c - makes the binary files that the tests of the data layer read, from text
   SPDX-License-Identifier: MIT

   mkdb db OUT.db FILE.sql [SQL...]   a SQLite database: the file's statements, then the others
   mkdb bz2 OUT.bz2 FILE...           one bzip2 stream per file, one behind the other */
#include "base/util.h"

#include <bzlib.h>
#include <sqlite3.h>
#include <string.h>

static int run_sql(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK)
        return 0;
    fail("SQLite: %s", message);
    sqlite3_free(message);
    return -1;
}

static int make_db(const char *out, int n, char **args)
{
    struct buf sql = {0};
    sqlite3 *db = NULL;
    int rc = read_file(args[0], 1 << 24, &sql);
    remove(out);
    if (rc == 0 && sqlite3_open(out, &db) != SQLITE_OK)
        rc = fail("%s: %s", out, sqlite3_errmsg(db));
    if (rc == 0)
        rc = run_sql(db, sql.s);
    for (int i = 1; i < n && rc == 0; i++)
        rc = run_sql(db, args[i]);
    sqlite3_close(db);
    buf_free(&sql);
    return rc;
}

static int add_stream(FILE *f, const char *path)
{
    struct buf in = {0}, out = {0};
    int rc = read_file(path, 1 << 24, &in);
    if (rc == 0) {
        unsigned room = (unsigned)(in.n + in.n / 50 + 1000);
        out.s = xmalloc(room);
        rc = BZ2_bzBuffToBuffCompress(out.s, &room, in.s, (unsigned)in.n, 9, 0, 0) == BZ_OK
                     && fwrite(out.s, 1, room, f) == room
                 ? 0
                 : fail("%s: cannot compress", path);
    }
    buf_free(&in);
    buf_free(&out);
    return rc;
}

static int make_bz2(const char *out, int n, char **args)
{
    struct outfile o;
    int rc = out_open(&o, out);
    if (rc != 0)
        return rc;
    for (int i = 0; i < n && rc == 0; i++)
        rc = add_stream(o.f, args[i]);
    if (rc == 0)
        return out_commit(&o);
    out_abandon(&o);
    return rc;
}

int main(int argc, char **argv)
{
    program_name = "mkdb";
    if (argc >= 4 && strcmp(argv[1], "db") == 0)
        return make_db(argv[2], argc - 3, argv + 3) != 0;
    if (argc >= 4 && strcmp(argv[1], "bz2") == 0)
        return make_bz2(argv[2], argc - 3, argv + 3) != 0;
    fail("usage: mkdb db OUT.db FILE.sql [SQL...] | mkdb bz2 OUT.bz2 FILE...");
    return 2;
}
