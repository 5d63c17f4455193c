/* no_libraries.c - stands in for what needs SQLite and bzip2 in builds without them: tools/miopen/perfdb.c,
   tools/miopen/user_db_sqlite.c, tools/base/bz2.c */
#include "base/bz2.h"
#include "cli/commands.h"
#include "data/load.h"

int perfdb_read(struct loader *l, struct buf *bytes)
{
    (void)bytes;
    return fail("%s: this build reads CSV and text only", l->path);
}

int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    (void)packed;
    (void)most;
    (void)out;
    return fail("%s: this build reads CSV and text only", path);
}

int cmd_miopen_sqlite(int argc, char **argv)
{
    return cmd_miopen(argc, argv);
}
