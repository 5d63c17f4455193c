/* story.h - what a log says of its search, and a session made again from it
   SPDX-License-Identifier: MIT */
#pragma once

#include "session.h"

#include "evolve/search.h"

enum { STORY_LINES = 24 };

struct story { /* to be freed */
    struct archive_story line[STORY_LINES + 1];
    size_t n;
};

void story_put(struct story *story, const char *key, const char *value);
void story_put_number(struct story *story, const char *key, double value);
/* The SHA-256 of a file, "" if it cannot be read */
void story_put_hash_of_file(struct story *story, const char *key, const char *path);
/* The method and its settings */
void story_put_plan(struct story *story, const struct search_plan *plan);

/* Numbers and texts that a log has; -1 after a message if one is not there */
struct story_text { /* the last one has no key */
    const char *key, **to;
};
int story_texts(const struct archive *log, const char *path, const struct story_text *texts);
int story_number(const struct archive *log, const char *path, const char *key, long *out);

/* Of a search: what has to be the same when it goes on */
void story_of(struct story *story, const struct session *s, const struct search_plan *plan);
/* The log's values in place of those of a command line; what is read from files stays. -1 after a
   message */
int story_retell(struct story *story, const struct archive *log, const char *path);
void story_free(struct story *story);

extern const char *const method_names[3];

/* A log that is added to, with the session that it is of: kernel and harness are as they were */
struct logged {
    struct session session;
    struct archive *archive;
    struct archive *log; /* as it was found: the session's options are texts of it */
};

int logged_open(struct logged *run, const char *path, long jobs); /* jobs: see session.h */
void logged_close(struct logged *run);
