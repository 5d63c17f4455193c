/* aiter.c - what a model asks AITER for
   SPDX-License-Identifier: MIT

   AITER's tables of its commit e4048607 show which family a server asks for on which GPU, with
   which experts and types. */
#include "serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- look-ups ---- */

/* What a config is asked for */
struct asking {
    const struct lookups_how *how;
    struct answering *to;
    struct quantization q; /* of the experts at hand */
    int is_bad;            /* something was refused with a message: nothing more is asked */
};

/* AITER's row serves each M, so one is asked for. */
static void aiter_ask(struct asking *a, enum family_id family, const struct reading *reading,
                      int64_t n, int64_t k, const char *const *details, const char *layer)
{
    struct asked *to = &a->to->asked;
    char size[2][24];
    snprintf(size[0], sizeof size[0], "%" PRId64, n);
    snprintf(size[1], sizeof size[1], "%" PRId64, k);
    struct asked_text row = {.mnk = {"1", size[0], size[1]}, .whole = layer};
    for (int i = 0; families[family].details[i] != NULL; i++)
        row.detail[i] = details[i];
    a->is_bad = a->is_bad || asked_row(to, family, &row) != 0;
    if (a->is_bad)
        return;
    const struct asked_shape s = {.family = family,
                                  .n = (int32_t)n,
                                  .k = (int32_t)k,
                                  .detail =
                                      to->details.v[intern_text(&to->details, to->detail.s)].s};
    lookups_add_shape(a->how->to, &s, reading, layer);
}

static const char *fp8_of(const struct asking *a)
{
    return strcmp(a->to->target.gfx, "gfx942") == 0 ? "torch.float8_e4m3fnuz"
                                                    : "torch.float8_e4m3fn";
}

/* ---- look-ups: products ---- */

static const char bf16[] = "torch.bfloat16";

/* Weights of that kind; without a table the Triton file, or no look-up at all */
static void ask_reading(struct asking *a, const struct reading *r, const struct hf_layer *l,
                        int has_bias)
{
    const char *const of_bf16[] = {has_bias ? "True" : "False", bf16, bf16, "False", "False"};
    const char *const type[] = {r->kind == QUANTIZED_INT8 ? "torch.int8" : fp8_of(a)};
    const struct asked_shape file = {.family = FAMILY_NONE, .n = (int32_t)l->n, .k = (int32_t)l->k};
    if (r->family != FAMILY_NONE)
        aiter_ask(a, r->family, r, l->n, l->k, r->kind == QUANTIZED_NOT ? of_bf16 : type, l->name);
    else if (r->json != NULL)
        lookups_add_shape(a->how->to, &file, r, l->name);
    else
        lookups_add_none(a->how->to, l->name, r->about, ANSWER_NONE);
}

static void ask_kind(struct asking *a, enum quantization_kind kind, const struct hf_layer *l,
                     int has_bias)
{
    const enum triton_server server = a->how->server;
    const char *gfx = a->to->target.gfx;
    char why[96];
    const struct reading *r = reading_next(NULL, server, gfx, kind);
    snprintf(why, sizeof why, "kpred does not know which tables %s reads on %s",
             triton_servers[server], gfx);
    if (r == NULL)
        lookups_add_none(a->how->to, l->name, why, ANSWER_LEFT);
    for (; r != NULL; r = reading_next(r, server, gfx, kind))
        ask_reading(a, r, l, has_bias);
}

static void ask_layer(struct asking *a, enum quantization_kind kind, const struct hf_layer *l)
{
    if (kind != QUANTIZED_NOT || l->bias != HF_BIAS)
        ask_kind(a, kind, l, 0);
    if (kind == QUANTIZED_NOT && l->bias != HF_NO_BIAS)
        ask_kind(a, kind, l, 1);
}

/* Why AITER has no table for such products; NULL: it has */
static const char *no_table(const struct quantization *q)
{
    if (q->kind == QUANTIZED_FP8)
        return "AITER has no table of FP8 with a scale for each tensor";
    if (q->kind == QUANTIZED_INT8_WEIGHTS || q->kind == QUANTIZED_INT4_WEIGHTS)
        return "AITER has no table of products with weights alone in INT";
    return q->kind == QUANTIZED_FP8_BLOCK && !aiter_runs(q->kind, q->block)
               ? "AITER's tables are of FP8 in blocks of 128 x 128"
               : NULL;
}

static int is_gpt_oss(const struct asking *a)
{
    return strcmp(a->how->experts.type, "gpt_oss") == 0;
}

static void ask_product(struct asking *a, const struct hf_layer *l)
{
    struct quantization ways[2];
    const int n = weights_of(ways, a->how, l->name);
    for (const struct quantization *q = ways; q < ways + n; q++) {
        const char *none = no_table(q);
        const int is_plain =
            q->is_of_experts || (is_gpt_oss(a) && q->kind == QUANTIZED_MXFP4); /* --quant said so */
        if (layer_refused(a->how, l, q))
            continue;
        if (none != NULL)
            lookups_add_none(a->how->to, l->name, none, ANSWER_NONE);
        else
            ask_layer(a, is_plain ? QUANTIZED_NOT : q->kind, l);
    }
}

static void ask_layers(struct asking *a)
{
    struct hf_layers layers;
    a->is_bad = lookups_layers(&layers, a->how);
    for (size_t i = 0; i < layers.n && !a->is_bad; i++)
        ask_product(a, &layers.v[i]);
    if (layers.plain.n != 0 && !a->is_bad)
        ask_layer(a, QUANTIZED_NOT, &layers.plain);
}

/* ---- look-ups: routed experts ---- */

/* The types of inputs and weights that AITER runs, and how these are quantised */
struct expert_types {
    const char *inputs, *weights, *how;
};

static struct expert_types types_of(const struct asking *a)
{
    static const char *const how[] = {"QuantType.No", "QuantType.per_Tensor", "QuantType.per_1x128",
                                      "QuantType.per_Token"};
    const int is_fp4 = a->q.kind > QUANTIZED_FP8_CHANNEL;
    const char *type = is_fp4                       ? "torch.float4_e2m1fn_x2"
                       : a->q.kind == QUANTIZED_NOT ? bf16
                                                    : fp8_of(a);
    return (struct expert_types){type, type, is_fp4 ? "QuantType.per_1x32" : how[a->q.kind]};
}

static void ask_fused(struct asking *a, const struct expert_types *t, int64_t experts,
                      int64_t top_k, int64_t size, int64_t hidden, const char *layer)
{
    char count[2][24];
    const char *const details[] = {
        count[0], count[1],  is_gpt_oss(a) ? "ActivationType.Swiglu" : "ActivationType.Silu",
        bf16,     t->inputs, t->weights,
        t->how,   "1",       strcmp(a->how->experts.type, "llama4") == 0 ? "1" : "0"};
    snprintf(count[0], sizeof count[0], "%" PRId64, experts);
    snprintf(count[1], sizeof count[1], "%" PRId64, top_k);
    aiter_ask(a, FAMILY_FMOE, NULL, size, hidden, details, layer);
}

static int64_t padded(int64_t size, int64_t to)
{
    return (size + to - 1) / to * to;
}

/* A kernel of MXFP4 that takes inputs of more bits has padded sizes, and the number of tokens tells
   which inputs. */
static void ask_gpt_oss(struct asking *a, const struct experts_part *p)
{
    const struct hf_experts *e = &a->how->experts;
    const char *const inputs[] = {bf16, fp8_of(a)};
    struct expert_types t = types_of(a);
    for (int i = 0; i < 2; i++) {
        t.inputs = inputs[i];
        ask_fused(a, &t, p->experts, e->top_k, padded(p->size, 256), padded(e->hidden, 256),
                  "experts");
    }
}

/* With a shared expert among them, too, where the server can do so: vLLM with expert parallelism
   then has one more for the tokens of other GPUs, and SGLang does not do it. */
static void ask_split(struct asking *a, const struct experts_part *p)
{
    const struct hf_experts *e = &a->how->experts;
    const struct expert_types t = types_of(a);
    const int has_ep = a->how->ep != 1, is_vllm = a->how->server == TRITON_VLLM;
    if (e->top_k == 0)
        lookups_add_none(a->how->to, "experts",
                         "the config does not say how many experts a token has", ANSWER_LEFT);
    else if (is_gpt_oss(a) && a->q.kind == QUANTIZED_MXFP4)
        ask_gpt_oss(a, p);
    else {
        ask_fused(a, &t, p->experts, e->top_k, p->size, e->hidden, "experts");
        if (experts_may_fuse(a->how) && (!has_ep || is_vllm))
            ask_fused(a, &t, p->experts + 1, e->top_k + 1 + has_ep, p->size, e->hidden,
                      "experts, the shared one among them");
    }
}

/* Types whose router is in FP32, or is no product of AITER's */
static const char *const other_routers[TRITON_N_SERVERS] = {
    "ernie4_5_moe glm4_moe glm4_moe_lite minimax_m2",
    "bailing_moe bailing_moe_v2 ernie4_5_moe glm4_moe glm4_moe_lite minimax_m2"};

static void ask_router(struct asking *a)
{
    const struct hf_experts *e = &a->how->experts;
    const struct hf_layer router = {.name = "router",
                                    .n = e->routed,
                                    .k = e->hidden,
                                    .bias = is_gpt_oss(a) ? HF_BIAS : HF_NO_BIAS};
    if (!names_has_word(other_routers[a->how->server], e->type))
        ask_layer(a, QUANTIZED_NOT, &router);
}

static void ask_experts(struct asking *a)
{
    struct quantization ways[2];
    const int n = weights_of(ways, a->how, "experts");
    for (int i = 0; i < n; i++) {
        struct experts_part p;
        a->q = ways[i];
        if (experts_split(&p, a->how, &a->q) == 0 && aiter_runs(a->q.kind, p.block))
            ask_split(a, &p);
    }
    ask_router(a);
}

/* Servers fill the words of the output layer up to a multiple of 64. SGLang runs it by torch. */
static void ask_output(struct asking *a)
{
    struct hf_config *c = a->how->config;
    const int64_t words = padded(hf_number_or(c, "vocab_size", 1, 0), 64);
    const struct hf_layer layer = {
        .name = "output layer", .n = words / a->how->tp, .k = hf_number_or(c, "hidden_size", 1, 0)};
    if (!c->is_bad && words != 0 && layer.k != 0 && words % a->how->tp == 0
        && a->how->server == TRITON_VLLM)
        ask_layer(a, QUANTIZED_NOT, &layer);
}

int aiter_of_config(const struct lookups_how *how, struct answering *to)
{
    struct asking a = {.how = how, .to = to};
    to->asked.from = (struct asked_from){.only = FAMILY_NONE};
    to->asked.at = (struct place){how->config->json.path, 0};
    ask_layers(&a);
    if (how->experts.routed != 0)
        ask_experts(&a);
    if (!a.is_bad)
        ask_output(&a);
    asked_sort(&to->asked);
    return a.is_bad || how->config->is_bad ? -1 : 0;
}
