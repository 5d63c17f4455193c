/* hf_model.h - the matrix products of a language model's layers, as AITER's untuned list
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/flat_json.h"

#include <regex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- config.json ---- */

enum { HF_MOST = 1 << 24 }; /* the largest size that a model takes */

struct hf_config {
    const char *inner; /* before each name that is asked for, "text_config.", or "" */
    struct flat_json json;
    int is_bad; /* something in it is wrong, which was told: nothing more is */
};

/* c->json is to be freed, on failure too. */
int hf_config_read(const char *path, struct hf_config *c);

/* NULL: it is not there, or null. */
const struct flat_value *hf_find(const struct hf_config *c, const char *name);
/* "PATH:LINE:COLUMN: NAME: value "TEXT": it WHAT", and c->is_bad; -1 */
int hf_refuse(struct hf_config *c, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* An integer from `least` to HF_MOST; `fallback` if it is not there; `least` with a message that
   names the key, and c->is_bad. */
int64_t hf_number_or(struct hf_config *c, const char *name, int64_t least, int64_t fallback);
/* Likewise of one that has to be there */
int64_t hf_number(struct hf_config *c, const char *name, int64_t least);
/* It may be a list with an entry for each layer, which all are the same. */
int64_t hf_number_of_layers(struct hf_config *c, const char *name, int64_t least);
/* NULL with a message: it is not there */
const char *hf_string(struct hf_config *c, const char *name);
/* The text behind the bracket of a list of names, or of numbers; NULL: it is not there, or with a
   message: it is no such list */
const char *hf_list(struct hf_config *c, const char *name, int of_names);
/* Moves behind the name, without its quotes, that the text begins with: 1; 0: none is left, and
   the name is freed */
int hf_list_next(const char **at, struct buf *name);
/* Is there a member whose name begins so? */
int hf_has_begin(const struct hf_config *c, const char *begin);
int hf_is_true(const struct hf_config *c, const char *name);
/* Of the names, up to NULL, the first that is there; else the last */
const char *hf_first_key(const struct hf_config *c, const char *const *names);
/* That of the first of the names, up to NULL, that is there; 0: none is */
int64_t hf_number_any(struct hf_config *c, const char *const *names);

/* ---- quantisation of weights ---- */

enum quantization_kind {
    QUANTIZED_NOT,         /* 16 bits */
    QUANTIZED_FP8,         /* a scale for each tensor */
    QUANTIZED_FP8_BLOCK,   /* one for each block */
    QUANTIZED_FP8_CHANNEL, /* one for each channel */
    QUANTIZED_INT8,        /* weights and inputs */
    QUANTIZED_INT8_WEIGHTS,
    QUANTIZED_INT4_WEIGHTS,
    QUANTIZED_MXFP4,
    QUANTIZATIONS /* what the config says */
};
#define QUANTIZATION_NAMES "none|fp8|fp8_block|fp8_channel|int8_w8a8|int8_w8a16|int4_w4a16|mxfp4"

struct quantization {
    enum quantization_kind kind;
    int32_t block[2];  /* of a block; else 0 */
    int is_of_experts; /* it is that of the routed experts alone */
};

/* asked: what an option says, which is taken in place of what the config says, but that FP8 in the
   blocks of the config stays so. 0, or -1 with a message: kpred does not know what it says. */
int quantization_read(struct hf_config *c, enum quantization_kind asked, struct quantization *out);

/* The same for AITER's products, which take FP8 with a scale for each 128 x 128 weights: -1 with a
   message, the config says something else. *is_said: does it say anything? */
int quantization_check_blocks(struct hf_config *c, int *is_said);

/* The modules that stay in 16 bits: names, and patterns */
struct ignored { /* to be freed */
    struct interned names;
    enum { MATCHES_WHOLE, MATCHES_PART, MATCHES_END } by;
    size_t n;
    regex_t *pattern;
};
/* 0, or -1 with a message; to be freed in both cases */
int ignored_read(struct ignored *g, struct hf_config *c, int is_sglang);
void ignored_free(struct ignored *g);

/* Of a layer, by its name, or of "experts", in the layers of the model that have it: bits */
enum { STAYS_QUANTIZED = 1, STAYS_PLAIN = 2, STAYS_MIXED = 4 /* no server runs it so */ };
unsigned ignored_of(const struct ignored *g, struct hf_config *c, const char *name);

/* ---- layers ---- */

/* So many at the beginning of a model have no experts */
int64_t hf_dense_layers(struct hf_config *c);

/* A layer multiplies the M tokens by a weight of N output and K input features. Under tensor
   parallelism each GPU has a part of N, or of K where the layer puts the parts together again.
   Routed experts (AITER has fused MoE kernels for them), routers, embeddings and the output layer
   (which are not in FP8) are no layers here. */

enum { HF_MAX_LAYERS = 16 };

struct hf_layer {
    const char *name;
    int64_t n, k;
    int64_t part; /* what each GPU has of the size that is split; 0: the layer is whole on each */
    enum hf_bias { HF_NO_BIAS, HF_BIAS, HF_BIAS_ON_ONE } bias; /* on the first GPU alone */
    int is_half; /* of a layer that servers run fused, and that AITER's tables have as well */
};

struct hf_layers {
    struct hf_layer v[HF_MAX_LAYERS];
    size_t n;
    int has_routed_experts;
    struct hf_layer plain; /* one more, of 16 bits whatever the others are; n 0: there is none */
};

/* Of a model on `tp` GPUs, whatever its quantisation; -1 with a message. */
int hf_layers(const struct hf_config *c, int64_t tp, struct hf_layers *out);

/* Why kpred cannot tell the layers besides the experts of such a config; NULL: it can */
const char *hf_layers_unknown(const struct hf_config *c);

/* ---- routed experts ---- */

struct hf_experts {
    const char *type; /* the model's */
    int is_known;     /* has the type experts of which kpred knows that the names mean this? */
    const char *routed_key, *size_key;
    int64_t routed, top_k, shared;
    int64_t hidden, size; /* features of a token, and those within an expert */
};

/* 0; 1: there are none; or -1 with a message. Of a config with an inner object text_config, the
   sizes are there: c->inner is set so. */
int hf_experts_read(struct hf_config *c, struct hf_experts *out);

/* ---- the list ---- */

/* For each pair of N and K, which may be that of several layers, a row for each M; the list of M is
   sorted here. Returns the number of rows. */
size_t hf_list_write(FILE *f, const struct hf_layers *layers, long *m, size_t n_m);
