/* log.h - the file behind an archive: a heading, then checked lines that are only ever added
   SPDX-License-Identifier: MIT

   `# key value` lines, the first of which says what the file is and the last of which, `# end`, has
   a checksum; then lines of text with ` #checksum` behind. A checksum is over all that stands
   before it in the file, checksums of lines aside: so a line that was changed, taken out, doubled
   or put elsewhere is found. Ends of lines do not count: an editor may make them CRLF. */
#pragma once

#include "base/util.h"

struct log;

enum log_mode {
    LOG_NEW,    /* there must be no such file yet, or an empty one */
    LOG_RESUME, /* the same heading, or a new file */
    LOG_READ    /* a heading with at least that; nothing is written */
};

struct log_pair { /* of the heading; a key NULL ends several */
    const char *key, *value;
};

struct log_lines { /* what takes each line, as it is read: 0, or -1 where it is none of a log */
    int (*take)(void *user, char *text);
    void *user;
};

int log_open(struct log **l, const char *path, enum log_mode mode, const struct log_pair *heading,
             const struct log_lines *lines);
/* The value of a key of the heading, or NULL */
const char *log_value(const struct log *l, const char *key);
int log_append(struct log *l, const char *text); /* without LF; -1 after a message */
void log_close(struct log *l);
