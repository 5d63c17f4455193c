/* chooser.h - the best kernels for a shape among those that may run
   SPDX-License-Identifier: MIT */
#pragma once

#include "target.h"

#include <stddef.h>

enum { CHOOSER_BEAMS = 8 };

struct chooser { /* to be closed */
    const kpred_model *model;
    const unsigned char *may_run; /* a flag for each kernel */
    int32_t gpu, field[4];        /* its token; where gpu, m, n and k are */
    uint32_t library, split;      /* parameters */
    size_t n_open;                /* beams, each wider than the one before */
    struct chooser_beam {
        size_t width;
        int32_t *arena;
        kpred_ctx ctx;
    } beam[CHOOSER_BEAMS];
    kpred_tuple *tuples; /* of the widest */
};

struct prediction {
    const char *kernel, *library;
    int32_t id, split;
    int32_t score;
};

/* 0, or -1 with a message. The beam is the one to begin with. */
int chooser_open(struct chooser *p, const struct target *t, enum family_id family,
                 const unsigned char *may_run, size_t beam);

/* The best 1..`most` of a shape, best first: their number. 0: there is none, since no legal kernel
   may run; *status then says whether there is a legal one. The beam grows as far as it has to. */
size_t chooser_run(struct chooser *p, int32_t m, int32_t n, int32_t k, size_t most,
                   struct prediction *out, kpred_status *status);
void chooser_close(struct chooser *p);
