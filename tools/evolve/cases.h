/* cases.h - a harness's cases: their buffers, and what is in these before and after a call
   SPDX-License-Identifier: MIT

   Inputs are there once for all children, sealed. What a kernel writes has a room for each child.
   Both are there twice: one ends where its pages end, one begins where they begin, so that a kernel
   cannot leave a buffer on either side unseen. On the side BEFORE, what is written lies below the
   inputs, on the side BEHIND above them: so a kernel cannot make anything of the order. */
#pragma once

#include "oracle.h"
#include "sandbox.h"

enum { SIDES = 2, POISONS = 2 };

struct case_buffer {
    size_t root, offset; /* the buffer it lies in, by bytes; its own index if it lies in none */
    size_t area;         /* of a root: its index among all inputs, or among all that is written */
};

struct one_case {
    struct ev_case c;
    const struct ev_shape *shape;
    char *label; /* "n=4096", with more behind it where several would be the same */
    struct case_buffer place[EV_MAX_BUFFERS];
};

struct written {       /* a buffer that is an output or scratch */
    size_t of, buffer; /* case, and its index there */
    size_t bytes;
    size_t at; /* within the areas of `image` and `want` */
};

struct cases {
    const struct ev_harness *harness;
    const char *path; /* of the harness, for messages */
    size_t n, n_written;
    struct one_case *v;
    struct written *written;
    struct guarded inputs[SIDES];
    struct guarded image[POISONS]; /* all written buffers before a call */
    struct guarded want[POISONS];  /* and after it; the caller fills it and seals it */
};

/* Calls the harness's set_up for each case; -1 after a message that names the case. */
int cases_open(struct cases **cases, const struct ev_harness *harness, const char *path,
               uint64_t seed);
void cases_close(struct cases *c);
/* Calls set_up for case i alone and forgets it again: in a child, to see whether it comes to its
   end. */
void cases_try(const struct ev_harness *harness, size_t i);

struct case_room { /* for the written buffers of all cases, in one child */
    struct guarded sides[SIDES];
};

int case_room_make(struct case_room *room, const struct cases *c);
/* Without guards between its buffers, and the side BEFORE alone */
int case_room_pack(struct case_room *room, const struct cases *c);
void case_room_free(struct case_room *room);

/* Lets the buffers of case i point into the room. */
void cases_point(const struct cases *c, size_t i, const struct case_room *room,
                 enum guarded_side side, void *at[EV_MAX_BUFFERS]);
/* Writes into the room what is in the written buffers of case i before a call. */
void cases_fill(const struct cases *c, size_t i, const struct case_room *room,
                enum guarded_side side, int poison);
/* Written buffer w as the oracle wants it */
struct oracle_region cases_region(const struct cases *c, size_t w, const struct case_room *room,
                                  enum guarded_side side, int poison);
