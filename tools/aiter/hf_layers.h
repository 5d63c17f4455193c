/* hf_layers.h - the matrix products of a model's layers in FP8, as one GPU of several has them
   SPDX-License-Identifier: MIT

   A layer multiplies the M tokens by a weight of N output and K input features. Under tensor
   parallelism each GPU has a part of N, or of K where the layer puts the parts together again.
   Routed experts (AITER has fused MoE kernels for them), routers, embeddings and the output layer
   (which are not in FP8) are no layers here. */
#pragma once

#include "hf_config.h"

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
