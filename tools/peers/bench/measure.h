/* measure.h - what opening a peer costs, and what predictions cost
   SPDX-License-Identifier: MIT */
#pragma once

#include "peer.h"

struct line {                  /* of the table: a peer, maybe one of its variants, and a k */
    const char *name, *object; /* "kpred-avx2", of kpred.so */
    const char *package;       /* what the object needs to be built; NULL: nothing */
    struct peer_task task;
};

struct loaded { /* what it costs to open a peer, first prediction included */
    int is_there;
    char why[PEER_WHY]; /* if it is not */
    double ms;
    long resident; /* bytes */
    size_t model, code;
};

struct open_peer {
    void *object, *state;
    const struct peer *peer;
};

/* Opens the peer of a line; -1 with the reason in `why` */
int peer_open(const struct line *line, struct open_peer *p, char why[PEER_WHY]);
void peer_close(struct open_peer *p);

/* The same in a process of its own, which nothing else has made larger. */
void measure_load(const struct line *line, const int32_t *problem, struct loaded *out);

/* Nanoseconds of the processor that this process has had */
double measure_now(void);

/* Predictions for n problems, one after the other. Tools count this function's instructions. */
void measured_predictions(const struct open_peer *p, const int32_t *problems, size_t n_fields,
                          size_t n, kpred_tuple *tuples);

/* Blocks of memory that this process has asked for (allocations.c) */
size_t allocations(void);
