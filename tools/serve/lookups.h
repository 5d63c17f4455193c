/* lookups.h - the files of Triton configurations that a server will look for, by a model's config
   SPDX-License-Identifier: MIT

   Facts of vLLM 0.33.0 and SGLang 0.5.23. Both servers look for

       E=..,N=..,..    of the routed experts: E on this GPU, and N features within an expert on this
                       GPU, behind the activation. Expert parallelism divides E. Tensor parallelism
                       divides N; in vLLM it does not where there is expert parallelism.
                       SGLang runs a shared expert as one of them in some models, as its own files
                       show: E=129, 161, 257, 385 and 513. Its names have the packed N of 4 bits,
                       which is a half, and it looks for `_down`, of the second product, too.
       N=..,K=..,..    of each other layer whose weights are FP8 with a scale for each block

   A server that runs another kernel than Triton's (AITER, DeepGEMM, CUTLASS, Marlin) for a layer
   reads no file for it. Kernels of MXFP4 read none. */
#pragma once

#include "aiter/hf_model.h"
#include "data/triton.h"

/* ---- look-ups ---- */

struct lookup {
    struct triton_name name;
    int has_name;   /* 0: no file is looked for; `why` says why */
    int is_refused; /* by the server, since it cannot run the layer so */
    char *layer;    /* several: with ", " between them */
    char *why;      /* or NULL */
    struct place at;
    char version[32]; /* of Triton, with `_` for points */
};

struct lookups { /* all zero: there are none; to be freed */
    struct interned seen;
    size_t n, cap;
    struct lookup *v;
};

struct lookups_how {
    const char *device; /* as torch has it */
    enum triton_server server;
    long tp, ep; /* GPUs that share a layer; those that share the experts, 1: no */
    enum quantization_kind quantization;
    const char *version;
};

/* A look-up, once for each name; another layer of it is added to its layers. */
void lookups_add(struct lookups *l, const struct triton_name *name, const char *version,
                 const char *layer, struct place at);
/* 0, or -1 with a message. What is left out is told on standard error. */
int lookups_of_config(struct lookups *l, struct hf_config *c, const struct lookups_how *how);
void lookups_free(struct lookups *l);
