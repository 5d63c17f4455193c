/* mkdb.c - makes the binary files that the tests of the data layer read, from text
   SPDX-License-Identifier: MIT

   mkdb db OUT.db FILE.sql [SQL...]   a SQLite database: the file's statements, then the others;
                                      `swap` in the place of `db`: then swap_keys
   mkdb sql DB FILE                   prints the rows of a file's statements, with bars between the
                                      cells; what they lock stays locked to the end of the input
   mkdb bz2 OUT.bz2 FILE...           one bzip2 stream per file, one behind the other */
#include "data/sample.h"

static int print_row(void *unused, int n, char **cells, char **names)
{
    (void)unused, (void)names;
    for (int i = 0; i < n; i++)
        printf("%s%c", cells[i] != NULL ? cells[i] : "NULL", i + 1 < n ? '|' : '\n');
    return fflush(stdout);
}

static int run_sql(const char *path, const char *file)
{
    struct buf statements = {0};
    int rc = read_file(file, 1 << 24, &statements);
#ifdef HAVE_SQLITE
    sqlite3 *db = NULL;
    if (rc == 0
        && (sqlite3_open(path, &db) != SQLITE_OK
            || sqlite3_exec(db, statements.s, print_row, NULL, NULL) != SQLITE_OK))
        rc = fail("%s: %s", path, sqlite3_errmsg(db));
    while (rc == 0 && getchar() != EOF)
        ;
    sqlite3_close(db);
#else
    (void)print_row;
    rc = fail_without(path, "SQLite", "libsqlite3-dev");
#endif
    buf_free(&statements);
    return rc;
}

int main(int argc, char **argv)
{
    const char *const *rest = (const char *const *)argv + 3;
    program_name = "mkdb";
    if (argc >= 4 && strcmp(argv[1], "db") == 0)
        return make_db(argv[2], argv[3], rest + 1, (size_t)argc - 4) != 0;
    if (argc == 4 && strcmp(argv[1], "swap") == 0)
        return make_db(argv[2], argv[3], swap_keys, 4) != 0;
    if (argc >= 4 && strcmp(argv[1], "bz2") == 0)
        return make_bz2(argv[2], rest, (size_t)argc - 3) != 0;
    if (argc == 4 && strcmp(argv[1], "sql") == 0)
        return run_sql(argv[2], argv[3]) != 0;
    fail("usage: mkdb db|swap OUT.db FILE.sql [SQL...] | mkdb bz2 OUT.bz2 FILE... | mkdb sql DB "
         "FILE");
    return 2;
}
