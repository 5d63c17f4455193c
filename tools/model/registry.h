/* registry.h - models by name: those built in, and headers that kpred-train wrote; tokens by name
   SPDX-License-Identifier: MIT */
#pragma once

#include "model.h"

struct builtin {
    const kpred_model *model;
    const char *const *spec;  /* its spec, a line each, NULL at the end */
    const char *const *story; /* likewise; see model_story */
};

extern const struct builtin builtins[]; /* ends with a model NULL */

/* The built-in model that people call `name`: by its name or that of its kernel, whatever the case,
   underlines and blanks; one whose name is written just so comes first. NULL with a message, which
   lists the readings, or names that are near. */
const struct builtin *builtin_find(const char *name);

/* Such a model, or a generated header by path (which ends in .h). 0, or -1 with a message; *out is
   then empty. model_free afterwards. */
int model_open(const char *name, struct model *out);

/* How the weights of such a model came to be, as its header says in the opening comment; see
   header_write. 0, or -1 with a message. */
int model_story(const char *name, struct buf *out);

/* ---- tokens.c ---- */

/* The token of a GPU: by its name, whatever the case, by a product with it (products.h), by a bare
   arch of which the model knows one GPU, or with `nearest` what comes closest, which is then not
   exact; -1 without a message, also where the kernel does not run on the GPU. */
int32_t model_gpu(const struct model *model, size_t field, const char *text, int nearest,
                  int *exact);

/* The token of a field as people write it: a token that is written just so, else the only one with
   the same letters and digits, whatever their case, else one by another word for it ("half",
   "fwd"). A GPU as above; if the nearest is taken, that is told on standard error. -1 with a
   message. */
int32_t model_token(const struct model *model, size_t field, const char *text, int nearest);

/* The architectures that the kernel runs on, separated by blanks; `b` takes them. */
const char *model_archs(const struct model *model, struct buf *b);
