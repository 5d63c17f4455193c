/* lookups.c - from the config of a language model to the files that its server will look for
   SPDX-License-Identifier: MIT */
#include "lookups.h"

#include "base/names.h"
#include "triton/triton.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

/* A new look-up; NULL: one with this key is there, and the layer is added to its layers. */
static struct lookup *new_lookup(struct lookups *l, struct buf *key, const char *layer)
{
    const size_t before = l->seen.n, at = intern_text(&l->seen, key->s);
    struct buf layers = {NULL, 0, 0};
    buf_free(key);
    if (at == before) {
        l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
        l->v[l->n++] = (struct lookup){.layer = xstrdup(layer)};
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
                 const char *layer, struct place at)
{
    struct buf key = {NULL, 0, 0};
    const char *folder = triton_has_folder(name) ? version : "";
    buf_printf(&key, "%d|%s|", name->server, folder);
    triton_name_write(name, &key);
    struct lookup *added = new_lookup(l, &key, layer);
    if (added == NULL)
        return;
    added->name = *name;
    added->has_name = 1;
    added->at = at;
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
    struct lookup *added = new_lookup(l, &key, layer);
    if (added == NULL)
        return;
    added->key = l->seen.v[l->n - 1].s;
    added->shape = *s;
    added->reading = reading;
    added->is_json = s->family == FAMILY_NONE;
    added->at = s->at;
}

void lookups_add_file(struct lookups *l, const char *name, const char *layer)
{
    struct buf key = {NULL, 0, 0};
    buf_puts(&key, name);
    struct lookup *added = new_lookup(l, &key, layer);
    if (added != NULL)
        added->file = l->seen.v[l->n - 1].s;
}

void lookup_write(const struct lookup *l, struct buf *b)
{
    buf_puts(b, l->file != NULL ? l->file : "");
    buf_puts(b, l->key != NULL && !l->is_json ? l->key : "");
    if (l->is_json)
        add_json_name(b, l->reading, &l->shape);
    if (l->has_name)
        triton_name_write(&l->name, b);
}

void lookups_add_none(struct lookups *l, const char *layer, const char *why, enum lookup_none none)
{
    struct buf key = {NULL, 0, 0};
    buf_printf(&key, "|%s|%s", none == LOOKUP_REFUSED ? layer : "", why);
    struct lookup *added = new_lookup(l, &key, layer);
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

/* ---- names ---- */

static const struct place nowhere = {NULL, 0};

struct maker {
    struct lookups *l;
    struct hf_config *c;
    const struct lookups_how *how;
};

/* The device is one: device_find found it. */
static struct triton_name name_of(const struct maker *m, enum triton_kernel kernel,
                                  const struct quantization *q)
{
    static const char *const types[] = {"",          "fp8_w8a8",   "fp8_w8a8",  "fp8_w8a8",
                                        "int8_w8a8", "int8_w8a16", "int4_w4a16"};
    const enum quantization_kind kind = q->kind;
    struct triton_name name = {.server = m->how->server, .kernel = kernel};
    strcpy(name.dtype, types[kind]);
    name.has_block = kind == QUANTIZED_FP8_BLOCK;
    memcpy(name.block, q->block, sizeof name.block);
    name.per_channel = name.server == TRITON_SGLANG && kernel != TRITON_BLOCK_GEMM
                       && (kind == QUANTIZED_FP8_CHANNEL || kind == QUANTIZED_INT8);
    (void)triton_device_set(&name, m->how->device);
    return name;
}

/* ---- routed experts ---- */

/* The first reason stays. */
static void refuse_part(char **why, const char *what, int64_t size, const char *rest)
{
    struct buf b = {NULL, 0, 0};
    buf_printf(&b, "%s, %lld%s", what, (long long)size, rest);
    if (*why == NULL)
        *why = b.s;
    else
        buf_free(&b);
}

/* A GPU's part of a size */
static int64_t lookups_part(char **why, const char *what, int64_t size, long gpus)
{
    char rest[96];
    snprintf(rest, sizeof rest, ", is not a multiple of %ld, the GPUs that share it", gpus);
    if (size % gpus != 0)
        refuse_part(why, what, size, rest);
    return size / gpus;
}

/* The server refuses blocks of scales that lie on two GPUs. */
static void check_block(char **why, enum quantization_kind kind, const int32_t block[2],
                        const char *what, int64_t size)
{
    for (int i = 0; i < 2; i++) {
        char rest[96];
        snprintf(rest, sizeof rest, " on each GPU, is not a multiple of the block's %d",
                 (int)block[i]);
        if (kind == QUANTIZED_FP8_BLOCK && size % block[i] != 0)
            refuse_part(why, what, size, rest);
    }
}

char *lookups_refused(const struct hf_layer *l, const struct quantization *q)
{
    char *why = NULL;
    check_block(&why, q->kind, q->block, "its size", l->part);
    return why;
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
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

void experts_split(struct experts_part *out, const struct hf_experts *e,
                   const struct lookups_how *how, const struct quantization *q)
{
    const int is_sglang = how->server == TRITON_SGLANG;
    const long split = how->ep == 1 ? how->tp : is_sglang ? how->tp / how->ep : 1;
    out->refused = NULL;
    out->experts = lookups_part(&out->refused, e->routed_key, e->routed, how->ep);
    out->size = lookups_part(&out->refused, e->size_key, e->size, split);
    memcpy(out->block, q->block, sizeof out->block);
    if (!is_sglang && out->refused == NULL)
        refine_block(out->block, out->size, e->hidden, split);
    check_block(&out->refused, q->kind, out->block, e->size_key, out->size);
    if (out->refused == NULL && out->size == 0)
        out->refused = xstrdup("an expert has fewer features than there are GPUs");
}

int weights_of(struct quantization out[2], struct lookups *l, struct hf_config *c,
               const struct lookups_how *how, const char *layer)
{
    const unsigned stays = ignored_of(how->ignored, c, layer);
    int n = 0;
    if (stays & STAYS_MIXED)
        lookups_add_none(l, layer, "a part of it stays in 16 bits, and another one does not",
                         LOOKUP_REFUSED);
    if (stays & STAYS_QUANTIZED)
        out[n++] = how->q;
    if (stays & STAYS_PLAIN)
        out[n++] = (struct quantization){.kind = QUANTIZED_NOT};
    return n;
}

static void add_experts_of(struct maker *m, const struct experts_part *here, int64_t e,
                           const struct quantization *q, const char *layer)
{
    static const enum triton_kernel kernels[] = {TRITON_MOE, TRITON_MOE_DOWN};
    for (int i = 0; i < 1 + (m->how->server == TRITON_SGLANG); i++) {
        struct triton_name name = name_of(m, kernels[i], q);
        struct buf full = {NULL, 0, 0};
        name.e = (int32_t)e;
        name.n = (int32_t)here->size;
        memcpy(name.block, here->block, sizeof name.block);
        buf_printf(&full, "%s%s", layer, i != 0 ? ", second product" : "");
        lookups_add(m->l, &name, m->how->version, full.s, nowhere);
        buf_free(&full);
    }
}

int experts_may_fuse(const struct hf_experts *e, struct hf_config *c, const struct lookups_how *how)
{
    static const char fusing[] = "deepseek_v3 deepseek_v32 glm4_moe glm_moe_dsa kimi_k2 kimi_k25 "
                                 "qwen3_5_moe qwen3_5_moe_text qwen3_next";
    const int is_nvidia = strncmp(how->device, "NVIDIA", 6) == 0;
    return e->shared == 1
           && ignored_of(how->ignored, c, "experts")
                  == ignored_of(how->ignored, c, "shared_experts.gate_up_proj")
           && (names_has_word(fusing, e->type)
               || (is_nvidia && strcmp(e->type, "glm4_moe_lite") == 0));
}

/* The shared expert is one of the routed ones where there is one, no GPU has other experts, and the
   option of the server that switches this off is not given: both names are asked for. */
static void add_experts(struct maker *m, const struct hf_experts *e, const struct quantization *q)
{
    const int is_sglang = m->how->server == TRITON_SGLANG;
    struct experts_part here;
    experts_split(&here, e, m->how, q);
    if (here.refused != NULL) {
        lookups_add_none(m->l, "experts", here.refused, LOOKUP_REFUSED);
        free(here.refused);
        return;
    }
    if (m->how->has_aiter && aiter_runs(q->kind, here.block))
        return;
    if (q->kind == QUANTIZED_INT4_WEIGHTS && is_sglang)
        here.size /= 2;
    if (experts_may_fuse(e, m->c, m->how) && is_sglang && m->how->ep == 1)
        add_experts_of(m, &here, here.experts + 1, q, "experts, the shared one among them");
    add_experts_of(m, &here, here.experts, q, "experts");
}

/* ---- the other layers ---- */

static void add_product(struct maker *m, const struct hf_layer *layer)
{
    struct quantization ways[2];
    const int n = weights_of(ways, m->l, m->c, m->how, layer->name);
    struct triton_name name = name_of(m, TRITON_BLOCK_GEMM, &m->how->q);
    char *refused = lookups_refused(layer, &m->how->q);
    name.n = (int32_t)layer->n;
    name.k = (int32_t)layer->k;
    if (n != 0 && ways[0].kind == QUANTIZED_FP8_BLOCK && refused != NULL)
        lookups_add_none(m->l, layer->name, refused, LOOKUP_REFUSED);
    else if (n != 0 && ways[0].kind == QUANTIZED_FP8_BLOCK)
        lookups_add(m->l, &name, "", layer->name, nowhere);
    free(refused);
}

static int add_products(struct maker *m)
{
    struct hf_config top = {.inner = "", .json = m->c->json};
    struct hf_layers layers;
    if (hf_layers_unknown(&top) != NULL) {
        lookups_add_none(m->l, "other layers", hf_layers_unknown(&top), LOOKUP_UNKNOWN);
        return 0;
    }
    if (hf_layers(&top, m->how->tp, &layers) != 0)
        return fail("%s: so the server refuses the model, or kpred does not know its layers",
                    m->c->json.path);
    for (size_t i = 0; i < layers.n; i++)
        if (!layers.v[i].is_half)
            add_product(m, &layers.v[i]);
    return 0;
}

/* ---- the model ---- */

static int add_all(struct maker *m, const struct hf_experts *e, int has_experts)
{
    const struct quantization *q = &m->how->q;
    struct quantization ways[2];
    const int n = has_experts ? weights_of(ways, m->l, m->c, m->how, "experts") : 0;
    if (q->kind == QUANTIZED_MXFP4 && m->how->has_aiter)
        return 0;
    if (q->kind == QUANTIZED_MXFP4) {
        lookups_add_none(m->l, "experts", "the kernels of MXFP4 read no file", LOOKUP_NONE);
        return 0;
    }
    if (has_experts && !e->is_known)
        note("%s: kpred does not know the type %s: its experts are taken by the usual names",
             m->c->json.path, e->type);
    if (!has_experts)
        note("%s: the model has no routed experts", m->c->json.path);
    for (int i = 0; i < n; i++)
        add_experts(m, e, &ways[i]);
    if (q->kind == QUANTIZED_FP8_BLOCK && !(m->how->has_aiter && aiter_runs(q->kind, q->block)))
        return add_products(m);
    return has_experts || m->how->has_aiter || m->l->n != 0
               ? 0
               : fail("%s: the server looks for no file: the model has no routed experts, "
                      "and its weights are not FP8 in blocks",
                      m->c->json.path);
}

int lookups_of_config(struct lookups *l, struct hf_config *c, const struct lookups_how *how)
{
    struct maker m = {.l = l, .c = c, .how = how};
    struct hf_experts e;
    const int rc = hf_experts_read(c, &e);
    if (rc < 0)
        return -1;
    if (how->server == TRITON_SGLANG && how->tp % how->ep != 0)
        return fail("--ep-size: value \"%ld\": should divide --tp, which is %ld", how->ep, how->tp);
    return add_all(&m, &e, rc == 0);
}
