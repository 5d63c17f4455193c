/* crew.h - processes that stay, and answer one request after another
   SPDX-License-Identifier: MIT

   What LLVM needs for a candidate is quickest in a process that has compiled others; but LLVM may
   end its process, or never come back. So each member of a crew is a process of its own, which is
   replaced when it dies, takes too long, or has answered often. It knows what its parent knew when
   it was forked. */
#pragma once

#include <stddef.h>

struct crew_work {
    void *user;
    /* Both are called in a member, which has no files open. begin: 0, else it ends */
    int (*begin)(void *user);
    void (*answer)(void *user, const void *request, size_t bytes, void *reply);
    size_t reply_bytes;
    double seconds;      /* most for an answer, of real time */
    size_t memory_bytes; /* beyond what the parent has */
    int turns;           /* answers of a member */
};

enum crew_end { CREW_IDLE, CREW_ANSWERED, CREW_DIED, CREW_LATE };

struct crew;

int crew_open(struct crew **c, int jobs, const struct crew_work *work);
int crew_room(const struct crew *c); /* how many more requests may be made now */
/* `tag` comes back with the answer. -1 after a message if there can be no process. */
int crew_ask(struct crew *c, const void *request, size_t bytes, size_t tag);
/* Waits for the next end: CREW_ANSWERED with a reply, or CREW_IDLE if nothing was asked. */
enum crew_end crew_wait(struct crew *c, size_t *tag, void *reply);
void crew_close(struct crew *c); /* ends all of them, whatever they do */
