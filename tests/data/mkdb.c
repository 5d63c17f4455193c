/* mkdb.c - makes the binary files that the tests of the data layer read, from text
   SPDX-License-Identifier: MIT

   mkdb db OUT.db FILE.sql [SQL...]   a SQLite database: the file's statements, then the others;
                                      `swap` in the place of `db`: then swap_keys
   mkdb bz2 OUT.bz2 FILE...           one bzip2 stream per file, one behind the other */
#include "data/sample.h"

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
    fail("usage: mkdb db|swap OUT.db FILE.sql [SQL...] | mkdb bz2 OUT.bz2 FILE...");
    return 2;
}
