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

/* Of a search: what has to be the same when it goes on */
void story_of(struct story *story, const struct session *s, const struct search_plan *plan);
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
