/* gz.c - gzip data in memory
   SPDX-License-Identifier: MIT */
#include "gz.h"

#ifdef HAVE_ZLIB

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, GZIP_ONLY = 15 + 16 }; /* the largest window, and gzip's header */

static int step_failed(const char *path, const z_stream *z, int rc)
{
    if (rc == Z_DATA_ERROR && z->total_out == 0)
        return fail("%s: is no gzip data, or has something else behind it", path);
    return fail("%s: corrupt gzip data (zlib says %d)", path, rc);
}

/* One member; z->next_in is behind it afterwards. */
static int one_member(const char *path, z_stream *z, size_t most, struct buf *out)
{
    unsigned char chunk[CHUNK];
    int rc = Z_OK;
    while (rc != Z_STREAM_END) {
        z->next_out = chunk;
        z->avail_out = CHUNK;
        rc = inflate(z, Z_NO_FLUSH);
        buf_add(out, (const char *)chunk, CHUNK - z->avail_out);
        if (rc == Z_BUF_ERROR || (rc == Z_OK && z->avail_in == 0 && z->avail_out != 0))
            return fail("%s: truncated gzip data", path);
        if (rc != Z_OK && rc != Z_STREAM_END)
            return step_failed(path, z, rc);
        if (out->n > most)
            return fail("%s: unpacks to more than %zu bytes", path, most);
    }
    return 0;
}

int gunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    z_stream z;
    int rc = 0;
    memset(&z, 0, sizeof z);
    if (packed->n > UINT_MAX)
        return fail("%s: is larger than %u bytes", path, UINT_MAX);
    z.next_in = (unsigned char *)packed->s;
    z.avail_in = (unsigned)packed->n;
    do {
        if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
            return fail("%s: zlib is out of memory", path);
        rc = one_member(path, &z, most, out);
        inflateEnd(&z);
    } while (rc == 0 && z.avail_in != 0);
    if (rc == 0 && out->n == 0)
        rc = fail("%s: is empty once unpacked", path);
    return rc;
}

#else

int gunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    (void)packed;
    (void)most;
    (void)out;
    return fail_without(path, "zlib", "zlib1g-dev");
}

#endif
