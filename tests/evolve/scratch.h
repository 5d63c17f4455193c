/* scratch.h - a folder for a test's files, and what it says on standard error
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_folder[256], scratch_path[300], scratch_messages[300];

/* Standard error goes into a file from here on. */
static inline int scratch_open(void)
{
    const char *where = getenv("TMPDIR");
    snprintf(scratch_folder, sizeof scratch_folder, "%s/kpred-test-XXXXXX",
             where != NULL ? where : "/tmp");
    if (mkdtemp(scratch_folder) == NULL)
        return -1;
    snprintf(scratch_path, sizeof scratch_path, "%s/log", scratch_folder);
    snprintf(scratch_messages, sizeof scratch_messages, "%s/messages", scratch_folder);
    return freopen(scratch_messages, "w", stderr) != NULL ? 0 : -1;
}

static inline void scratch_close(void)
{
    unlink(scratch_path);
    unlink(scratch_messages);
    rmdir(scratch_folder);
}

/* Do the messages since the last call hold that text? */
static inline int scratch_said(const char *text)
{
    static char said[1 << 16];
    fflush(stderr);
    FILE *f = fopen(scratch_messages, "rb");
    if (f == NULL)
        abort();
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    fclose(f);
    if (freopen(scratch_messages, "w", stderr) == NULL)
        abort();
    return strstr(said, text) != NULL;
}

static inline void scratch_put(const char *bytes, size_t n)
{
    FILE *f = fopen(scratch_path, "wb");
    if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        abort();
}

/* What is in the file; to be freed */
static inline struct buf scratch_get(void)
{
    struct buf b = {0};
    if (access(scratch_path, F_OK) == 0)
        read_file(scratch_path, 1 << 26, &b);
    return b;
}
