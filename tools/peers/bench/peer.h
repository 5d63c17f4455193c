/* peer.h - what a way to predict tuples offers, so that it can be timed beside kpred
   SPDX-License-Identifier: MIT

   Each peer is a shared object with a `struct peer` of the name `the_peer`: so what it brings
   along, its libraries too, can be weighed, and one that cannot be built is just not there. */
#pragma once

#include "kpred.h"

enum { PEER_WHY = 160 };

struct peer_task {
    const kpred_model *model; /* fields, parameters and rule; its network is kpred's own */
    size_t model_bytes;       /* of that network */
    const char *folder;       /* of the models that bench_models.py made */
    const char *variant;      /* of the peer, such as a body of kpred's */
    size_t k;                 /* tuples a prediction, and the width of a beam */
};

struct peer {
    /* Ready to predict, or NULL with the reason in `why`. The task outlives it. */
    void *(*open)(const struct peer_task *task, char why[PEER_WHY]);
    /* At most k legal tuples, best first, and how many there are. Scores need not be set. */
    size_t (*predict)(void *state, const int32_t *problem, kpred_tuple *out);
    void (*close)(void *state);
    size_t (*model_bytes)(const void *state);
    int holds_model; /* the model is part of the shared object */
    /* Its training was cut short, so how often it is right means nothing. NULL: never */
    int (*is_brief)(const void *state);
};

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const struct peer the_peer;
