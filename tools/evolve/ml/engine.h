/* engine.h - machine code of an MLIR module
   SPDX-License-Identifier: MIT

   Modules have linalg on tensors. MLIR's own passes make loops of it, then LLVM's IR; its engine
   compiles that. What the code needs for its tensors comes from an arena that is empty again before
   each call. Without MLIR in the build everything here fails with a message. */
#pragma once

#include <stddef.h>

enum { ENGINE_MOST_RANK = 4, ENGINE_ARENA = 64 << 20 };

struct engine_tensor { /* dense, of floats, the last index the fastest */
    float *at;
    int rank;
    long size[ENGINE_MOST_RANK];
};

struct engine; /* what all modules share */
struct engine_code;

int engine_open(struct engine **e); /* -1 after a message */
void engine_close(struct engine *e);

/* Compiles a function of a tensor to a tensor; `path` is for messages, which have the line. -1
   after one. */
int engine_compile(struct engine *e, const char *path, const char *text, size_t n,
                   const char *function, struct engine_code **code);
/* -1 after a message if the arena is too small for it */
int engine_call(const struct engine_code *code, const struct engine_tensor *in,
                const struct engine_tensor *out);
void engine_free(struct engine_code *code);
