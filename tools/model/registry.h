/* registry.h - models by name: those built in, and headers that kpred-train wrote
   SPDX-License-Identifier: MIT */
#pragma once

#include "model.h"

struct builtin {
    const kpred_model *model;
    const char *const *spec; /* its spec, a line each, NULL at the end */
};

extern const struct builtin builtins[]; /* ends with a model NULL */

/* A built-in model by name, or a generated header by path (which ends in .h). 0, or -1 with a
   message; *out is then empty. model_free afterwards. */
int model_open(const char *name, struct model *out);

/* The token of a GPU: by its name, by a bare arch, or with `nearest` what comes closest, which is
   then not exact; -1 without a message, also where the kernel does not run on the GPU. */
int32_t model_gpu(const struct model *model, size_t field, const char *text, int nearest,
                  int *exact);

/* The token of a field as users write it: for a GPU also a bare arch, or with `nearest` the nearest
   trained one, which is then told on standard error. -1 with a message. */
int32_t model_token(const struct model *model, size_t field, const char *text, int nearest);

/* The architectures that the kernel runs on, separated by blanks; `b` takes them. */
const char *model_archs(const struct model *model, struct buf *b);
