/* lookups.h - the files of Triton configurations and the rows of AITER's tables that a server will
   look for, by a model's config
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
   reads no file for it. Kernels of MXFP4 read none. What it asks AITER for is in aiter.c.
   Where the GPUs' part of an expert is no multiple of a block, vLLM makes the blocks smaller. */
#pragma once

#include "reads.h"

/* ---- look-ups ---- */

struct lookup {
    struct triton_name name;
    int has_name; /* 0: it is AITER's, or `why` says why there is none: */
    enum lookup_none {
        LOOKUP_NONE,    /* the server looks for nothing */
        LOOKUP_REFUSED, /* it does not run the layer so */
        LOOKUP_SWITCH,  /* an answer would make it run another kernel */
        LOOKUP_UNKNOWN  /* kpred does not know for what it looks, or has no answer */
    } none;
    char *layer; /* several: with ", " between them */
    char *why;   /* or NULL */
    struct place at;
    char version[32]; /* of Triton, with `_` for points */
    const char *key;  /* NULL: it is none of AITER's; else the shape is set, and has_name is not */
    struct asked_shape shape;      /* of a Triton file of AITER's N and K alone */
    const struct reading *reading; /* NULL: a log tells it */
    int is_json;                   /* is it a Triton file, in place of the table or besides? */
    const char *file;              /* another one of vLLM's, by its name; NULL: it is none */
};

struct lookups {          /* all zero: there are none; to be freed */
    struct interned seen; /* their keys, in their order */
    size_t n, cap;
    struct lookup *v;
};

struct lookups_how {
    const char *device; /* as torch has it */
    enum triton_server server;
    long tp, ep; /* GPUs that share a layer; those that share the experts, 1: no */
    struct quantization q;
    const struct ignored *ignored; /* what stays in 16 bits */
    const char *version;
    int has_aiter; /* AITER runs what it can, which reads no file of Triton's by these names */
};

/* A look-up, once for each name; another layer of it is added to its layers. */
void lookups_add(struct lookups *l, const struct triton_name *name, const char *version,
                 const char *layer, struct place at);
/* The same of AITER; of the shape M does not matter; FAMILY_NONE: of the reading's Triton files */
void lookups_add_shape(struct lookups *l, const struct asked_shape *s,
                       const struct reading *reading, const char *layer);
void lookups_add_file(struct lookups *l, const char *name, const char *layer);
/* One that is none, once: for all layers but where it is refused */
void lookups_add_none(struct lookups *l, const char *layer, const char *why, enum lookup_none none);
/* Its file or key, as people see it */
void lookup_write(const struct lookup *l, struct buf *b);
/* 0, or -1 with a message. What is left out is told on standard error. */
int lookups_of_config(struct lookups *l, struct hf_config *c, const struct lookups_how *how);

/* What each GPU has of the routed experts */
struct experts_part {
    int64_t experts, size;
    int32_t block[2];
    char *refused; /* why the server refuses them, to be freed; NULL: it does not */
};
void experts_split(struct experts_part *out, const struct hf_experts *e,
                   const struct lookups_how *how, const struct quantization *q);
/* How the weights of a layer, or of "experts", are in the layers of the model: the number of ways,
   0 where the server refuses it, which is added to the look-ups */
int weights_of(struct quantization out[2], struct lookups *l, struct hf_config *c,
               const struct lookups_how *how, const char *layer);
/* Why the server refuses the layer, to be freed; NULL: it does not */
char *lookups_refused(const struct hf_layer *l, const struct quantization *q);
/* Does a server that can run the shared expert as one of the others do so for the model? */
int experts_may_fuse(const struct hf_experts *e, struct hf_config *c,
                     const struct lookups_how *how);

/* ---- AITER ---- */

/* Adds what the model asks AITER for, to both. 0, or -1 with a message. */
int aiter_of_config(struct lookups *l, struct answering *to, struct hf_config *c,
                    const struct lookups_how *how);
/* Those that `from` already asks for, of the layer */
void aiter_of_asked(struct lookups *l, struct answering *from, const char *layer);
/* Where the installed tables are read: what the server does not read is asked for no more, nor,
   unless it may switch, what would make it run another kernel. */
void aiter_decide(struct lookups *l, struct answering *to, const struct gemm_jsons *jsons,
                  int may_switch);
void lookups_free(struct lookups *l);
