/* archive.h - every list that was evaluated, with its result: the cache of a search, and its log
   SPDX-License-Identifier: MIT

   The log is text. Its first lines say what was searched and how (`# key value`), then there is a
   line for each evaluation, appended by one write, with a checksum at its end. A search that goes
   on from a log starts anew with the same seed and finds in the archive what it would evaluate: so
   it comes to the same point, and a kill loses no more than what was being evaluated. */
#pragma once

#include "task.h"

struct archive;

/* What a log begins with: "key value" lines that have to be the same for a search that goes on. */
struct archive_story {
    const char *key;
    const char *value;
};

/* Opens the log at `path`, NULL for none. A log that is there is read if `resume` is set, and
   refused otherwise; one of another story, or damaged before its last line, is refused with
   FILE:LINE. A last line without an end, as a kill leaves it, is cut off, which is told. The story
   ends with a key NULL. */
int archive_open(struct archive **a, const char *path, int resume,
                 const struct archive_story *story, struct edit_names names);
/* Reads a log that stays as it is, for reports: the value of a key of its story, or NULL */
int archive_read(struct archive **a, const char *path, struct edit_names names);
const char *archive_value(const struct archive *a, const char *key);
void archive_close(struct archive *a);

struct entry {
    struct edits list;
    enum effort effort; /* of the latest evaluation */
    struct result result;
};

/* The result of that list with at least that effort, or NULL */
const struct entry *archive_find(const struct archive *a, const struct edits *list,
                                 enum effort effort);
/* The result of exactly that effort, or NULL: a search that goes on has to see what it saw then,
   though the list was evaluated with more effort later. */
const struct result *archive_exact(const struct archive *a, const struct edits *list,
                                   enum effort effort);
/* A result; one of greater effort replaces the one before. -1 with a message if the log takes no
   more. */
int archive_add(struct archive *a, const struct edits *list, enum effort effort,
                const struct result *result);
size_t archive_size(const struct archive *a);                         /* lists in it */
const struct entry *archive_entry(const struct archive *a, size_t i); /* in the order they came */
/* Evaluations so far, those of a log that was read included, by outcome */
void archive_counts(const struct archive *a, size_t counts[N_OUTCOMES]);
/* The valid lists that none is better than in time and error, fastest first; the caller frees. Of
   those that were confirmed, if any was: of many brief timings the least is a lucky one. Of lists
   that are as good as each other, the one with the fewest edits. */
size_t archive_front(const struct archive *a, const struct entry ***front);

/* ---- the file behind it ---- */

/* `# key value` lines, the first of which says what the file is and the last of which, `# end`,
   has a checksum; then lines of text with ` #checksum` behind. A checksum is over all that stands
   before it in the file, checksums of lines aside: so a line that was changed, taken out, doubled
   or put elsewhere is found. Ends of lines do not count: an editor may make them CRLF. */

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
