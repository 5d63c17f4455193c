/* hf_model.h - the matrix products of a language model's layers, as AITER's untuned list
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- config.json ---- */

/* The members of an inner object have names such as "quantization_config.quant_method"; deeper ones
   are left out. */

enum { HF_MOST = 1 << 24 }; /* the largest size that a model takes */

enum hf_kind { HF_NULL, HF_INTEGER, HF_STRING, HF_LIST, HF_OTHER };

struct hf_value {
    char *name, *text; /* the value as JSON; a string without its quotes */
    enum hf_kind kind;
    int64_t number; /* of an integer */
    long line, column;
};

struct hf_config {
    const char *path;
    const char *inner; /* before each name that is asked for, "text_config.", or "" */
    struct hf_value *v;
    size_t n;
};

/* To be freed, on failure too. */
int hf_config_read(const char *path, struct hf_config *c);
void hf_config_free(struct hf_config *c);

/* ---- layers ---- */

/* A layer multiplies the M tokens by a weight of N output and K input features. Under tensor
   parallelism each GPU has a part of N, or of K where the layer puts the parts together again.
   Routed experts (AITER has fused MoE kernels for them), routers, embeddings and the output layer
   (which are not in FP8) are no layers here. */

enum { HF_MAX_LAYERS = 16 };

struct hf_layer {
    const char *name;
    int64_t n, k;
};

struct hf_layers {
    struct hf_layer v[HF_MAX_LAYERS];
    size_t n;
    int has_routed_experts;
    int says_blocks; /* the config says that weights are FP8 in blocks of 128 x 128 */
};

/* Of a model on `tp` GPUs; -1 with a message. */
int hf_layers(const struct hf_config *c, int64_t tp, struct hf_layers *out);

/* ---- the list ---- */

/* For each pair of N and K, which may be that of several layers, a row for each M; the list of M is
   sorted here. Returns the number of rows. */
size_t hf_list_write(FILE *f, const struct hf_layers *layers, long *m, size_t n_m);
