/* unpack.c - bzip2 and gzip data in memory
   SPDX-License-Identifier: MIT

   libbz2 and zlib are used in the same way: a stream at a time, a chunk at a time. What differs is
   a few functions of each. */
#include "unpack.h"

#if defined(HAVE_BZIP2) || defined(HAVE_ZLIB)

#include <limits.h>
#include <string.h>

enum { CHUNK = 1 << 16 };
enum step { MORE, ENDED, FOREIGN, CORRUPT };

struct unpacker {
    const char *format, *library; /* for messages */
    void *z;                      /* what the library works on, and what is left of it: */
    unsigned *in, *room;          /* packed bytes, and room in the chunk */
    int (*begin)(void *z);        /* of a stream; 0, or there is no memory */
    enum step (*step)(void *z, char *chunk, int *rc); /* rc: what the library says */
    int (*end)(void *z);
};

static int one_stream(const struct unpacker *u, const char *path, size_t most, struct buf *out)
{
    char chunk[CHUNK];
    enum step step = MORE;
    while (step != ENDED) {
        int rc;
        step = u->step(u->z, chunk, &rc);
        buf_add(out, chunk, CHUNK - *u->room);
        if (step == FOREIGN)
            return fail("%s: is not %s data, or has something else behind it", path, u->format);
        if (step == CORRUPT)
            return fail("%s: corrupt %s data (%s says %d)", path, u->format, u->library, rc);
        if (step == MORE && *u->in == 0 && *u->room != 0)
            return fail("%s: truncated %s data", path, u->format);
        if (out->n > most)
            return fail("%s: unpacks to more than %zu bytes", path, most);
    }
    return 0;
}

static int unpack(const struct unpacker *u, const char *path, const struct buf *packed, size_t most,
                  struct buf *out)
{
    int rc;
    if (packed->n > UINT_MAX)
        return fail("%s: is larger than %u bytes", path, UINT_MAX);
    *u->in = (unsigned)packed->n;
    do {
        if (u->begin(u->z) != 0)
            return fail("%s: %s is out of memory", path, u->library);
        rc = one_stream(u, path, most, out);
        u->end(u->z);
    } while (rc == 0 && *u->in != 0);
    if (rc == 0 && out->n == 0)
        rc = fail("%s: is empty once unpacked", path);
    return rc;
}

#endif

/* ---- bzip2 ---- */

#ifdef HAVE_BZIP2

#include <bzlib.h>

static int begin_bz(void *z)
{
    return BZ2_bzDecompressInit(z, 0, 0);
}

static enum step step_bz(void *z, char *chunk, int *rc)
{
    ((bz_stream *)z)->next_out = chunk;
    ((bz_stream *)z)->avail_out = CHUNK;
    *rc = BZ2_bzDecompress(z);
    return *rc == BZ_OK                 ? MORE
           : *rc == BZ_STREAM_END       ? ENDED
           : *rc == BZ_DATA_ERROR_MAGIC ? FOREIGN
                                        : CORRUPT;
}

static int end_bz(void *z)
{
    return BZ2_bzDecompressEnd(z);
}

int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    bz_stream z = {.next_in = packed->s};
    const struct unpacker u = {"bzip2",      "libbz2", &z,      &z.avail_in,
                               &z.avail_out, begin_bz, step_bz, end_bz};
    return unpack(&u, path, packed, most, out);
}

#else

int bunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    (void)packed, (void)most, (void)out;
    return fail_without(path, "bzip2", "libbz2-dev");
}

#endif

/* ---- gzip ---- */

#ifdef HAVE_ZLIB

#include <zlib.h>

enum { GZIP_ONLY = 15 + 16 }; /* the largest window, and gzip's header */

static int begin_gz(void *z)
{
    return inflateInit2((z_stream *)z, GZIP_ONLY);
}

/* Z_BUF_ERROR: there were no more bytes. */
static enum step step_gz(void *z, char *chunk, int *rc)
{
    z_stream *s = z;
    s->next_out = (unsigned char *)chunk;
    s->avail_out = CHUNK;
    *rc = inflate(s, Z_NO_FLUSH);
    return *rc == Z_OK || *rc == Z_BUF_ERROR          ? MORE
           : *rc == Z_STREAM_END                      ? ENDED
           : *rc == Z_DATA_ERROR && s->total_out == 0 ? FOREIGN
                                                      : CORRUPT;
}

static int end_gz(void *z)
{
    return inflateEnd(z);
}

int gunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    z_stream z = {.next_in = (unsigned char *)packed->s};
    const struct unpacker u = {"gzip",       "zlib",   &z,      &z.avail_in,
                               &z.avail_out, begin_gz, step_gz, end_gz};
    return unpack(&u, path, packed, most, out);
}

#else

int gunzip(const char *path, const struct buf *packed, size_t most, struct buf *out)
{
    (void)packed, (void)most, (void)out;
    return fail_without(path, "zlib", "zlib1g-dev");
}

#endif

/* ---- files ---- */

const struct packing *packing_find(const char *path, const char *ending)
{
    static const struct packing packings[] = {{"", NULL}, {".bz2", bunzip}, {".gz", gunzip}};
    const struct packing *found = NULL;
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        struct buf whole = {0};
        buf_printf(&whole, "%s%s", ending, packings[i].ending);
        if (ends_with(path, whole.s))
            found = &packings[i];
        buf_free(&whole);
    }
    return found;
}

int read_unpacked(const char *path, size_t most, struct buf *out)
{
    const struct packing *packing = packing_find(path, "");
    struct buf raw = {0};
    int rc = read_file(path, most, packing->unpack != NULL ? &raw : out);
    if (rc == 0 && packing->unpack != NULL)
        rc = packing->unpack(path, &raw, most, out);
    if (rc == 0)
        plain_text(out);
    buf_free(&raw);
    return rc;
}
