/* bz2.c - bzip2 data in memory
   SPDX-License-Identifier: MIT */
#include "bz2.h"

#ifdef HAVE_BZIP2

#include <bzlib.h>
#include <limits.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

static int step_failed(const char *path, int rc)
{
    if (rc == BZ_DATA_ERROR_MAGIC)
        return fail("%s: is no bzip2 data, or has something else behind it", path);
    return fail("%s: corrupt bzip2 data (libbz2 says %d)", path, rc);
}

/* One stream; z->next_in is behind it afterwards. */
static int one_stream(const char *path, bz_stream *z, size_t most, struct buf *out)
{
    char chunk[CHUNK];
    int rc = BZ_OK;
    while (rc != BZ_STREAM_END) {
        z->next_out = chunk;
        z->avail_out = CHUNK;
        rc = BZ2_bzDecompress(z);
        buf_add(out, chunk, CHUNK - z->avail_out);
        if (rc != BZ_OK && rc != BZ_STREAM_END)
            return step_failed(path, rc);
        if (rc == BZ_OK && z->avail_in == 0 && z->avail_out != 0)
            return fail("%s: truncated bzip2 data", path);
        if (out->n > most)
            return fail("%s: unpacks to more than %zu bytes", path, most);
    }
    return 0;
}

int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    bz_stream z;
    int rc = 0;
    memset(&z, 0, sizeof z);
    if (packed->n > UINT_MAX)
        return fail("%s: is larger than %u bytes", path, UINT_MAX);
    z.next_in = packed->s;
    z.avail_in = (unsigned)packed->n;
    do {
        if (BZ2_bzDecompressInit(&z, 0, 0) != BZ_OK)
            return fail("%s: libbz2 is out of memory", path);
        rc = one_stream(path, &z, most, out);
        BZ2_bzDecompressEnd(&z);
    } while (rc == 0 && z.avail_in != 0);
    if (rc == 0 && out->n == 0)
        rc = fail("%s: is empty once unpacked", path);
    return rc;
}

#else

int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    (void)packed;
    (void)most;
    (void)out;
    return fail_without(path, "bzip2", "libbz2-dev");
}

#endif
