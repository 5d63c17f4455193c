/* lookups.c - from the config of a language model to the files that its server will look for
   SPDX-License-Identifier: MIT */
#include "lookups.h"

#include "base/names.h"
#include "triton/triton.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

static struct lookup *new_lookup(struct lookups *l, const char *layer)
{
    l->v = xgrow(l->v, l->n, &l->cap, sizeof *l->v);
    l->v[l->n] = (struct lookup){.layer = xstrdup(layer)};
    return &l->v[l->n++];
}

static void add_layer(struct lookup *l, const char *layer)
{
    struct buf b = {NULL, 0, 0};
    if (strstr(l->layer, layer) != NULL)
        return;
    buf_printf(&b, "%s, %s", l->layer, layer);
    free(l->layer);
    l->layer = b.s;
}

void lookups_add(struct lookups *l, const struct triton_name *name, const char *version,
                 const char *layer, struct place at)
{
    struct buf key = {NULL, 0, 0};
    const int has_folder = triton_has_folder(name);
    const size_t before = l->seen.n;
    buf_printf(&key, "%d|%s|", name->server, has_folder ? version : "");
    triton_name_write(name, &key);
    const size_t at_seen = intern_text(&l->seen, key.s);
    buf_free(&key);
    if (l->seen.n == before) {
        for (size_t i = 0, n = 0; i < l->n; i++)
            if (l->v[i].has_name && n++ == at_seen)
                add_layer(&l->v[i], layer);
        return;
    }
    struct lookup *added = new_lookup(l, layer);
    added->name = *name;
    added->has_name = 1;
    added->at = at;
    if (has_folder)
        snprintf(added->version, sizeof added->version, "%s", version);
}

static void add_refused(struct lookups *l, const char *layer, const char *why, int is_refused)
{
    struct lookup *added = new_lookup(l, layer);
    added->why = xstrdup(why);
    added->is_refused = is_refused;
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

struct maker {
    struct lookups *l;
    const struct hf_config *c;
    const struct lookups_how *how;
    struct quantization q;
    char *refused; /* why the server refuses the experts; NULL: it does not */
};

static int name_of(const struct maker *m, enum triton_kernel kernel, struct triton_name *out)
{
    static const char *const types[] = {"",          "fp8_w8a8",   "fp8_w8a8",  "fp8_w8a8",
                                        "int8_w8a8", "int8_w8a16", "int4_w4a16"};
    const enum quantization_kind kind = m->q.kind;
    *out = (struct triton_name){.server = m->how->server, .kernel = kernel};
    strcpy(out->dtype, types[kind]);
    out->has_block = kind == QUANTIZED_FP8_BLOCK;
    memcpy(out->block, m->q.block, sizeof out->block);
    out->per_channel = m->how->server == TRITON_SGLANG && kernel != TRITON_BLOCK_GEMM
                       && (kind == QUANTIZED_FP8_CHANNEL || kind == QUANTIZED_INT8);
    return triton_device_set(out, m->how->device);
}

/* ---- routed experts ---- */

/* A GPU's part of a size */
static int64_t part(struct maker *m, const char *what, int64_t size, long gpus)
{
    if (size % gpus != 0 && m->refused == NULL) {
        struct buf b = {NULL, 0, 0};
        buf_printf(&b, "%s, %lld, is no multiple of %ld, the GPUs that share it", what,
                   (long long)size, gpus);
        m->refused = b.s;
    }
    return size / gpus;
}

/* The server refuses blocks of scales that lie on two GPUs. */
static void check_block(struct maker *m, const char *what, int64_t size)
{
    for (int i = 0; i < 2; i++)
        if (m->q.kind == QUANTIZED_FP8_BLOCK && size % m->q.block[i] != 0 && m->refused == NULL) {
            struct buf b = {NULL, 0, 0};
            buf_printf(&b, "%s, %lld on each GPU, is no multiple of the block's %d", what,
                       (long long)size, (int)m->q.block[i]);
            m->refused = b.s;
        }
}

static int add_experts_of(struct maker *m, int64_t e, int64_t n, const char *layer)
{
    static const enum triton_kernel kernels[] = {TRITON_MOE, TRITON_MOE_DOWN};
    const struct place nowhere = {NULL, 0};
    for (int i = 0; i < 1 + (m->how->server == TRITON_SGLANG); i++) {
        struct triton_name name;
        struct buf full = {NULL, 0, 0};
        if (name_of(m, kernels[i], &name) != 0)
            return -1;
        name.e = (int32_t)e;
        name.n = (int32_t)n;
        buf_printf(&full, "%s%s", layer, i != 0 ? ", second product" : "");
        lookups_add(m->l, &name, m->how->version, full.s, nowhere);
        buf_free(&full);
    }
    return 0;
}

/* Is the shared expert one of the routed ones? It is where there is one, no GPU has other experts,
   and the option of the server that switches this off is not given: both names are asked for. */
static int may_fuse(const struct maker *m, const struct hf_experts *e)
{
    static const char fusing[] = "deepseek_v3 deepseek_v32 glm4_moe glm_moe_dsa kimi_k2 qwen3_next";
    return names_has_word(fusing, e->type) && m->how->server == TRITON_SGLANG && m->how->ep == 1
           && e->shared == 1;
}

static int add_experts(struct maker *m, const struct hf_experts *e)
{
    const int is_sglang = m->how->server == TRITON_SGLANG;
    const long split = m->how->ep == 1 ? m->how->tp : is_sglang ? m->how->tp / m->how->ep : 1;
    const int64_t experts = part(m, e->routed_key, e->routed, m->how->ep);
    int64_t n = part(m, e->size_key, e->size, split);
    check_block(m, e->size_key, n);
    if (m->q.kind == QUANTIZED_INT4_WEIGHTS && is_sglang)
        n /= 2;
    if (m->refused == NULL && n == 0)
        m->refused = xstrdup("an expert has fewer features than there are GPUs");
    if (m->refused != NULL) {
        add_refused(m->l, "experts", m->refused, 1);
        return 0;
    }
    if (may_fuse(m, e)
        && add_experts_of(m, experts + 1, n, "experts, the shared one among them") != 0)
        return -1;
    return add_experts_of(m, experts, n, "experts");
}

/* ---- the other layers ---- */

static int add_product(struct maker *m, const struct hf_layer *layer)
{
    const struct place nowhere = {NULL, 0};
    struct triton_name name;
    m->refused = NULL;
    check_block(m, "its size", layer->part);
    if (m->refused != NULL) {
        add_refused(m->l, layer->name, m->refused, 1);
        free(m->refused);
        return 0;
    }
    if (name_of(m, TRITON_BLOCK_GEMM, &name) != 0)
        return -1;
    name.n = (int32_t)layer->n;
    name.k = (int32_t)layer->k;
    lookups_add(m->l, &name, "", layer->name, nowhere);
    return 0;
}

static int add_products(struct maker *m)
{
    struct hf_config top = {.inner = "", .json = m->c->json};
    struct hf_layers layers;
    if (!hf_layers_known(&top)) {
        note("kpred does not know the layers of this type besides the experts: their "
             "block-scaled products are left out");
        return 0;
    }
    if (hf_layers(&top, m->how->tp, &layers) != 0)
        return fail("%s: so the server refuses the model, or kpred does not know its layers",
                    m->c->json.path);
    for (size_t i = 0; i < layers.n; i++)
        if (add_product(m, &layers.v[i]) != 0)
            return -1;
    return 0;
}

/* ---- the model ---- */

static int add_all(struct maker *m, const struct hf_experts *e, int has_experts)
{
    if (m->q.kind == QUANTIZED_MXFP4) {
        add_refused(m->l, "experts", "the kernels of MXFP4 read no file", 0);
        return 0;
    }
    if (has_experts && !e->is_known)
        note("%s: kpred does not know the type %s: its experts are taken by the usual names",
             m->c->json.path, e->type);
    if (!has_experts)
        note("%s: the model has no routed experts", m->c->json.path);
    if (has_experts && add_experts(m, e) != 0)
        return -1;
    free(m->refused);
    if (m->q.kind == QUANTIZED_FP8_BLOCK)
        return add_products(m);
    return has_experts ? 0
                       : fail("%s: the server looks for no file: the model has no routed experts, "
                              "and its weights are not FP8 in blocks",
                              m->c->json.path);
}

int lookups_of_config(struct lookups *l, struct hf_config *c, const struct lookups_how *how)
{
    struct maker m = {.l = l, .c = c, .how = how};
    struct hf_experts e;
    const int rc = hf_experts_read(c, &e);
    if (rc < 0 || quantization_read(c, how->quantization, &m.q) != 0)
        return -1;
    if (how->server == TRITON_SGLANG && how->tp % how->ep != 0)
        return fail("--ep-size: value \"%ld\": should divide --tp, which is %ld", how->ep, how->tp);
    return add_all(&m, &e, rc == 0);
}
