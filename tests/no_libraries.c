/* no_libraries.c - stands in for tools/perfdb.c and tools/bz2.c in builds without SQLite and bzip2 */
#include "bz2.h"
#include "load.h"

int perfdb_read(struct loader *l, struct buf *bytes)
{
    (void)bytes;
    return fail("%s: this build reads CSV only", l->path);
}

int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    (void)packed;
    (void)most;
    (void)out;
    return fail("%s: this build reads CSV only", path);
}
