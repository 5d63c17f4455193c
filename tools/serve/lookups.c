/* lookups.c - from the config of a language model to the files that its server will look for
   SPDX-License-Identifier: MIT

   Facts of vLLM 0.33.0 and SGLang 0.5.23. Both servers look for E=..,N=.. of the routed experts, as
   each GPU has them, and for N=..,K=.. of each other layer in FP8 blocks, but not where another
   kernel than Triton's runs. */
#include "serve.h"

#include "base/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

/* A new look-up, whose name stands in the key behind so many bytes; NULL: one with this key is
   there, and the layer is added to its layers. */
static struct lookup *new_lookup(struct lookups *l, enum lookup_of of, struct buf *key, size_t skip,
                                 const char *layer)
{
    const size_t before = l->seen.n, at = intern_text(&l->seen, key->s);
    const char *called = l->seen.v[at].s + skip;
    struct buf layers = {NULL, 0, 0};
    buf_free(key);
    if (at == before) {
        l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
        l->v[l->n++] = (struct lookup){.of = of, .called = called, .layer = xstrdup(layer)};
        return &l->v[at];
    }
    if (strstr(l->v[at].layer, layer) != NULL)
        return NULL;
    buf_printf(&layers, "%s, %s", l->v[at].layer, layer);
    free(l->v[at].layer);
    l->v[at].layer = layers.s;
    return NULL;
}

void lookups_add(struct lookups *l, const struct triton_name *name, const char *version,
                 const char *layer)
{
    struct buf key = {NULL, 0, 0};
    const char *folder = triton_has_folder(name) ? version : "";
    buf_printf(&key, "%d|%s|", name->server, folder);
    const size_t skip = key.n;
    triton_name_write(name, &key);
    struct lookup *added = new_lookup(l, LOOKUP_TRITON, &key, skip, layer);
    if (added == NULL)
        return;
    added->name = *name;
    snprintf(added->version, sizeof added->version, "%s", folder);
}

static void add_json_name(struct buf *b, const struct reading *r, const struct asked_shape *s)
{
    buf_printf(b, "GEMM-%s-N=%" PRId32 "-K=%" PRId32, r->json, s->n, s->k);
}

void lookups_add_shape(struct lookups *l, const struct asked_shape *s,
                       const struct reading *reading, const char *layer)
{
    struct buf key = {NULL, 0, 0};
    if (s->family == FAMILY_NONE)
        add_json_name(&key, reading, s);
    else
        buf_printf(&key, "%s %s=%" PRId32 ",%s=%" PRId32 "%s%s", families[s->family].name,
                   families[s->family].sizes[1], s->n, families[s->family].sizes[2], s->k,
                   *s->detail != '\0' ? "," : "", s->detail);
    struct lookup *added = new_lookup(l, LOOKUP_AITER, &key, 0, layer);
    if (added == NULL)
        return;
    added->shape = *s;
    added->reading = reading;
    added->is_json = s->family == FAMILY_NONE;
}

void lookups_add_state(struct lookups *l, struct buf *name, const char *layer)
{
    (void)new_lookup(l, LOOKUP_STATE, name, 0, layer);
}

void lookup_write(const struct lookup *l, struct buf *b)
{
    if (l->is_json)
        add_json_name(b, l->reading, &l->shape);
    else
        buf_puts(b, l->called);
}

void lookups_add_none(struct lookups *l, const char *layer, const char *why, enum answer_kind none)
{
    struct buf key = {NULL, 0, 0};
    buf_printf(&key, "|%s|%s", none == ANSWER_REFUSED ? layer : "", why);
    struct lookup *added = new_lookup(l, LOOKUP_NONE, &key, key.n, layer);
    if (added == NULL)
        return;
    added->why = xstrdup(why);
    added->none = none;
}

void lookups_free(struct lookups *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].layer);
        free(l->v[i].why);
    }
    free(l->v);
    intern_free(&l->seen);
    memset(l, 0, sizeof *l);
}

/* The device is one: device_find found it. */
static struct triton_name name_of(const struct lookups_how *how, enum triton_kernel kernel,
                                  const struct quantization *q)
{
    static const char *const types[] = {"",          "fp8_w8a8",   "fp8_w8a8",  "fp8_w8a8",
                                        "int8_w8a8", "int8_w8a16", "int4_w4a16"};
    const enum quantization_kind kind = q->kind;
    struct triton_name name = {.server = how->server, .kernel = kernel};
    strcpy(name.dtype, types[kind]);
    name.has_block = kind == QUANTIZED_FP8_BLOCK;
    memcpy(name.block, q->block, sizeof name.block);
    name.per_channel = name.server == TRITON_SGLANG && kernel != TRITON_BLOCK_GEMM
                       && (kind == QUANTIZED_FP8_CHANNEL || kind == QUANTIZED_INT8);
    (void)triton_device_set(&name, how->device);
    return name;
}

/* ---- routed experts ---- */

/* Expert parallelism divides E. Tensor parallelism divides N; in vLLM it does not where there is
   expert parallelism. SGLang's names have the packed N of 4 bits, which is a half, and it looks for
   `_down`, of the second product, too. */

/* Of the reasons to refuse a layer the first is told. */

/* A GPU's part of a size */
static int64_t lookups_part(struct buf *why, const char *what, int64_t size, long gpus)
{
    if (size % gpus != 0 && why->n == 0)
        buf_printf(why, "%s, %" PRId64 ", is not a multiple of %ld, the GPUs that share it", what,
                   size, gpus);
    return size / gpus;
}

/* The server refuses blocks of scales that lie on two GPUs. */
static void check_block(struct buf *why, enum quantization_kind kind, const int32_t block[2],
                        const char *what, int64_t size)
{
    for (int i = 0; i < 2 && kind == QUANTIZED_FP8_BLOCK; i++)
        if (size % block[i] != 0 && why->n == 0)
            buf_printf(why, "%s, %" PRId64 " on each GPU, is not a multiple of the block's %d",
                       what, size, (int)block[i]);
}

/* It is if there is a reason, which is freed. */
static int add_refused(const struct lookups_how *how, const char *layer, struct buf *why)
{
    const int is_refused = why->n != 0;
    if (is_refused && layer != NULL)
        lookups_add_none(how->to, layer, why->s, ANSWER_REFUSED);
    buf_free(why);
    return is_refused;
}

int layer_refused(const struct lookups_how *how, const struct hf_layer *l,
                  const struct quantization *q)
{
    struct buf why = {NULL, 0, 0};
    check_block(&why, q->kind, q->block, "its size", l->part);
    return add_refused(how, l->is_half ? NULL : l->name, &why);
}

static int64_t divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

/* refine_fp8_moe_block_shape of vLLM: the scales are copied to blocks of at least 32. */
static void refine_block(int32_t block[2], int64_t size, int64_t hidden, long gpus)
{
    enum { LEAST = 32 };
    if (block[0] == 0 || (size % block[0] == 0 && (gpus == 1 || size % block[1] == 0)))
        return;
    const int64_t refined = divisor(divisor(divisor(block[0], block[1]), size), hidden);
    if (refined >= LEAST)
        block[0] = block[1] = (int32_t)refined;
}

int experts_split(struct experts_part *out, const struct lookups_how *how,
                  const struct quantization *q)
{
    struct buf why = {NULL, 0, 0};
    const struct hf_experts *e = &how->experts;
    const int is_sglang = how->server == TRITON_SGLANG;
    const long split = how->ep == 1 ? how->tp : is_sglang ? how->tp / how->ep : 1;
    out->experts = lookups_part(&why, e->routed_key, e->routed, how->ep);
    out->size = lookups_part(&why, e->size_key, e->size, split);
    memcpy(out->block, q->block, sizeof out->block);
    if (!is_sglang && why.n == 0)
        refine_block(out->block, out->size, e->hidden, split);
    check_block(&why, q->kind, out->block, e->size_key, out->size);
    if (why.n == 0 && out->size == 0)
        buf_puts(&why, "an expert has fewer features than there are GPUs");
    return add_refused(how, "experts", &why) ? -1 : 0;
}

int weights_of(struct quantization out[2], const struct lookups_how *how, const char *layer)
{
    const unsigned stays = ignored_of(&how->ignored, how->config, layer);
    int n = 0;
    if (stays & STAYS_MIXED)
        lookups_add_none(how->to, layer, "a part of it stays in 16 bits, and another one does not",
                         ANSWER_REFUSED);
    if (stays & STAYS_QUANTIZED)
        out[n++] = how->q;
    if (stays & STAYS_PLAIN)
        out[n++] = (struct quantization){.kind = QUANTIZED_NOT};
    return n;
}

static void add_experts_of(const struct lookups_how *how, const struct experts_part *here,
                           int64_t e, const struct quantization *q, const char *layer)
{
    for (int is_down = 0; is_down <= (how->server == TRITON_SGLANG); is_down++) {
        struct triton_name name = name_of(how, is_down ? TRITON_MOE_DOWN : TRITON_MOE, q);
        struct buf full = {NULL, 0, 0};
        name.e = (int32_t)e;
        name.n = (int32_t)here->size;
        memcpy(name.block, here->block, sizeof name.block);
        buf_printf(&full, "%s%s", layer, is_down ? ", second product" : "");
        lookups_add(how->to, &name, how->version, full.s);
        buf_free(&full);
    }
}

int experts_may_fuse(const struct lookups_how *how)
{
    static const char fusing[] = "deepseek_v3 deepseek_v32 glm4_moe glm_moe_dsa kimi_k2 kimi_k25 "
                                 "qwen3_5_moe qwen3_5_moe_text qwen3_next";
    const struct hf_experts *e = &how->experts;
    return e->shared == 1
           && ignored_of(&how->ignored, how->config, "experts")
                  == ignored_of(&how->ignored, how->config, "shared_experts.gate_up_proj")
           && (names_has_word(fusing, e->type)
               || (strncmp(how->device, "NVIDIA", 6) == 0
                   && strcmp(e->type, "glm4_moe_lite") == 0));
}

/* The shared expert is one of the routed ones where there is one, no GPU has other experts, and the
   option of the server that switches this off is not given: both names are asked for. */
static void add_experts(const struct lookups_how *how, const struct quantization *q)
{
    const int is_sglang = how->server == TRITON_SGLANG;
    struct experts_part here;
    if (experts_split(&here, how, q) != 0 || (how->has_aiter && aiter_runs(q->kind, here.block)))
        return;
    if (q->kind == QUANTIZED_INT4_WEIGHTS && is_sglang)
        here.size /= 2;
    if (experts_may_fuse(how) && is_sglang && how->ep == 1)
        add_experts_of(how, &here, here.experts + 1, q, "experts, the shared one among them");
    add_experts_of(how, &here, here.experts, q, "experts");
}

/* ---- the other layers ---- */

int lookups_layers(struct hf_layers *out, const struct lookups_how *how)
{
    const struct hf_config top = {.inner = "", .json = how->config->json};
    const char *unknown = hf_layers_unknown(&top);
    *out = (struct hf_layers){.n = 0};
    if (unknown != NULL)
        lookups_add_none(how->to, "other layers", unknown, ANSWER_LEFT);
    else if (hf_layers(&top, how->tp, out) != 0)
        return fail("%s: so the server refuses the model, or kpred does not know its layers",
                    top.json.path);
    return 0;
}

static void add_product(const struct lookups_how *how, const struct hf_layer *layer)
{
    struct quantization ways[2];
    struct triton_name name = name_of(how, TRITON_BLOCK_GEMM, &how->q);
    if (weights_of(ways, how, layer->name) == 0 || ways[0].kind != QUANTIZED_FP8_BLOCK)
        return;
    name.n = (int32_t)layer->n;
    name.k = (int32_t)layer->k;
    if (!layer_refused(how, layer, &how->q))
        lookups_add(how->to, &name, "", layer->name);
}

static int add_products(const struct lookups_how *how)
{
    struct hf_layers layers;
    const int rc = lookups_layers(&layers, how);
    for (size_t i = 0; i < layers.n && rc == 0; i++)
        if (!layers.v[i].is_half)
            add_product(how, &layers.v[i]);
    return rc;
}

/* ---- the model ---- */

/* _PREVIOUSLY_SUPPORTED_MODELS of vLLM's registry tells them by their architectures. SGLang has no
   class of these names, and may run them by the code of another package. */
static int check_is_run(const struct lookups_how *how)
{
    static const char gone[] = "minimax minimax_text_01 minimax_m1 minimax_vl_01";
    static const char *const classes[] = {"\"MiniMaxFor", "\"MiniMaxText01", "\"MiniMaxM1",
                                          "\"MiniMaxVL01"};
    struct hf_config top = {.inner = "", .json = how->config->json};
    const char *list = hf_list(&top, "architectures", 1);
    int is_gone = names_has_word(gone, how->experts.type);
    for (int i = 0; i < 4 && list != NULL; i++)
        is_gone |= strstr(list, classes[i]) != NULL;
    return !is_gone ? -top.is_bad
                    : hf_refuse(&top, "model_type", "is of a model that %s",
                                how->server == TRITON_VLLM
                                    ? "vLLM has refused since 0.23.0, the last version that ran it"
                                    : "SGLang has no code for: its look-ups are not known");
}

int lookups_of_config(const struct lookups_how *how)
{
    const struct quantization *q = &how->q;
    const char *path = how->config->json.path;
    const int has_experts = how->experts.routed != 0;
    struct quantization ways[2];
    if (check_is_run(how) != 0)
        return -1;
    if (how->server == TRITON_SGLANG && how->tp % how->ep != 0)
        return fail("--ep-size: value \"%ld\": should divide --tp, which is %ld", how->ep, how->tp);
    const int n = has_experts ? weights_of(ways, how, "experts") : 0;
    if (q->kind == QUANTIZED_MXFP4) {
        if (!how->has_aiter)
            lookups_add_none(how->to, "experts", "the kernels of MXFP4 read no file", ANSWER_NONE);
        return 0;
    }
    if (!has_experts && !how->is_trial)
        note("%s: the model has no routed experts", path);
    else if (!how->experts.is_known && !how->is_trial)
        note("%s: kpred does not know the type %.60s: its experts are taken by the usual names",
             path, how->experts.type);
    for (int i = 0; i < n; i++)
        add_experts(how, &ways[i]);
    if (q->kind == QUANTIZED_FP8_BLOCK && !(how->has_aiter && aiter_runs(q->kind, q->block)))
        return add_products(how);
    return has_experts || how->has_aiter || how->to->n != 0
               ? 0
               : fail("%s: the server looks for no file: the model has no routed experts, "
                      "and its weights are not FP8 in blocks",
                      path);
}
