/* hf_model.c - from the config.json of a language model to AITER's untuned list
   SPDX-License-Identifier: MIT */
#include "hf_model.h"

#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- config.json ---- */

enum { MOST_BYTES = 16 << 20 }; /* one that lists unquantised layers has hundreds of kilobytes */

int hf_config_read(const char *path, struct hf_config *c)
{
    c->inner = "";
    return flat_json_read(&c->json, path, MOST_BYTES, "config.json of a model");
}

void hf_config_free(struct hf_config *c)
{
    flat_json_free(&c->json);
}

/* ---- config.json: what is in it ---- */

static const struct flat_value *find_any(const struct hf_config *c, const char *name)
{
    struct buf full = {0};
    buf_printf(&full, "%s%s", c->inner, name);
    const struct flat_value *v = flat_json_find(&c->json, full.s);
    buf_free(&full);
    return v;
}

const struct flat_value *hf_find(const struct hf_config *c, const char *name)
{
    const struct flat_value *v = find_any(c, name);
    return v != NULL && v->kind != FLAT_NULL ? v : NULL;
}

int hf_refuse(const struct hf_config *c, const char *name, const char *what)
{
    const struct flat_value *v = find_any(c, name);
    if (v == NULL)
        return fail("%s: the config has no \"%s%s\": it %s", c->json.path, c->inner, name, what);
    return fail("%s:%ld:%ld: %s: value \"%.60s%s\": it %s", c->json.path, v->line, v->column,
                v->name, v->text, strlen(v->text) > 60 ? "..." : "", what);
}

int hf_number(const struct hf_config *c, const char *name, int64_t least, int64_t *out)
{
    const struct flat_value *v = hf_find(c, name);
    if (v == NULL || v->kind != FLAT_INTEGER || v->number < least || v->number > HF_MOST) {
        struct buf b = {0};
        buf_printf(&b, "should be an integer from %d to %d", (int)least, HF_MOST);
        (void)hf_refuse(c, name, b.s);
        buf_free(&b);
        return -1;
    }
    *out = v->number;
    return 0;
}

int hf_number_or(const struct hf_config *c, const char *name, int64_t least, int64_t fallback,
                 int64_t *out)
{
    *out = fallback;
    return hf_find(c, name) != NULL ? hf_number(c, name, least, out) : 0;
}

const char *hf_string(const struct hf_config *c, const char *name)
{
    const struct flat_value *v = hf_find(c, name);
    if (v != NULL && v->kind == FLAT_STRING)
        return v->text;
    (void)hf_refuse(c, name, "should be a string");
    return NULL;
}

/* ---- layers ---- */

struct build {
    const struct hf_config *c;
    int64_t tp;
    struct hf_layers *out;
    int biases; /* of the type */
};

static int add_part(struct build *b, const char *name, int64_t n, int64_t k, int64_t of)
{
    if (n > HF_MOST || k > HF_MOST)
        return fail("%s: layer %s: N = %lld, K = %lld: a size goes to %d", b->c->json.path, name,
                    (long long)n, (long long)k, HF_MOST);
    assert(b->out->n < HF_MAX_LAYERS);
    b->out->v[b->out->n++] = (struct hf_layer){name, n, k, of, HF_NO_BIAS, 0};
    return 0;
}

static int hf_model_add(struct build *b, const char *name, int64_t n, int64_t k)
{
    return add_part(b, name, n, k, 0);
}

/* `number` as each GPU has it; `key` is what to complain about. */
static int hf_model_part(const struct build *b, const char *key, int64_t number, int64_t *out)
{
    struct buf what = {0};
    *out = number / b->tp;
    if (number % b->tp == 0)
        return 0;
    buf_printf(&what, "should be a multiple of --tp, which is %d", (int)b->tp);
    (void)hf_refuse(b->c, key, what.s);
    buf_free(&what);
    return -1;
}

/* ---- layers: attention with heads of queries, keys and values ---- */

static int head_size(const struct build *b, int64_t hidden, int64_t heads, int64_t *out)
{
    if (hf_find(b->c, "head_dim") == NULL && hidden % heads != 0)
        return hf_refuse(b->c, "num_attention_heads", "should divide hidden_size");
    return hf_number_or(b->c, "head_dim", 1, hidden / heads, out);
}

/* Where there are more GPUs than heads of keys, several GPUs have the same head. */
static int kv_part(const struct build *b, int64_t heads, int64_t *out)
{
    int64_t kv;
    if (hf_number_or(b->c, "num_key_value_heads", 1, heads, &kv) != 0)
        return -1;
    if (heads % kv != 0)
        return hf_refuse(b->c, "num_key_value_heads", "should divide num_attention_heads");
    if (kv < b->tp && b->tp % kv == 0) {
        *out = 1;
        return 0;
    }
    return hf_model_part(b, "num_key_value_heads", kv, out);
}

/* Is that of qkv_proj there whatever the config says? Has o_proj one where qkv_proj has? */
enum { QKV_BIASED = 1, BOTH_ALIKE = 2 };

/* Of qkv_proj and o_proj, which are the last two. The GPUs' parts of o_proj are added up. */
static void set_biases(struct build *b)
{
    const struct flat_value *v = hf_find(b->c, "attention_bias");
    struct hf_layer *qkv = &b->out->v[b->out->n - 2];
    if (!(b->biases & QKV_BIASED) && (v == NULL || strcmp(v->text, "true") != 0))
        return;
    qkv[0].bias = HF_BIAS;
    if (b->biases & BOTH_ALIKE)
        qkv[1].bias = b->tp == 1 ? HF_BIAS : HF_BIAS_ON_ONE;
}

/* of_queries: so many matrices make of the hidden state what queries need */
static int add_heads(struct build *b, int64_t hidden, int64_t of_queries)
{
    int64_t heads, size, q = 0, kv = 0;
    if (hf_number(b->c, "num_attention_heads", 1, &heads) != 0
        || head_size(b, hidden, heads, &size) != 0
        || hf_model_part(b, "num_attention_heads", heads, &q) != 0 || kv_part(b, heads, &kv) != 0)
        return -1;
    if (add_part(b, "qkv_proj", (of_queries * q + 2 * kv) * size, hidden, kv * size) != 0
        || add_part(b, "o_proj", hidden, q * size, q * size) != 0)
        return -1;
    set_biases(b);
    return 0;
}

static int heads_attention(struct build *b, int64_t hidden)
{
    return add_heads(b, hidden, 1);
}

/* ---- layers: attention of two kinds, of Qwen3-Next ---- */

static int linear_attention(struct build *b, int64_t hidden)
{
    int64_t keys, values, key_size, value_size;
    if (hf_number(b->c, "linear_num_key_heads", 1, &keys) != 0
        || hf_number(b->c, "linear_num_value_heads", 1, &values) != 0
        || hf_number(b->c, "linear_key_head_dim", 1, &key_size) != 0
        || hf_number(b->c, "linear_value_head_dim", 1, &value_size) != 0
        || hf_model_part(b, "linear_num_key_heads", keys, &keys) != 0
        || hf_model_part(b, "linear_num_value_heads", values, &values) != 0)
        return -1;
    b->out->plain = (struct hf_layer){"in_proj_ba", 2 * values, hidden, values, HF_NO_BIAS, 0};
    return add_part(b, "in_proj_qkvz", 2 * (keys * key_size + values * value_size), hidden,
                    keys * key_size)
               != 0
           || add_part(b, "out_proj", hidden, values * value_size, values * value_size) != 0;
}

/* Queries have a gate. */
static int mixed_attention(struct build *b, int64_t hidden)
{
    return add_heads(b, hidden, 2) != 0 || linear_attention(b, hidden) != 0;
}

/* ---- layers: latent attention, of DeepSeek ---- */

struct latent {
    int64_t q, kv; /* ranks; q 0: queries are made of the hidden state */
    int64_t rope, nope, v, heads;
};

static int latent_sizes(const struct build *b, struct latent *l)
{
    int64_t heads;
    if (hf_number_or(b->c, "q_lora_rank", 1, 0, &l->q) != 0
        || hf_number(b->c, "kv_lora_rank", 1, &l->kv) != 0
        || hf_number(b->c, "qk_rope_head_dim", 1, &l->rope) != 0
        || hf_number(b->c, "qk_nope_head_dim", 1, &l->nope) != 0
        || hf_number(b->c, "v_head_dim", 1, &l->v) != 0
        || hf_number(b->c, "num_attention_heads", 1, &heads) != 0)
        return -1;
    return hf_model_part(b, "num_attention_heads", heads, &l->heads);
}

/* The first projections are whole on each GPU, and servers fuse them or do not. */
static int latent_queries(struct build *b, int64_t hidden, const struct latent *l)
{
    const int64_t n = l->heads * (l->nope + l->rope);
    if (hf_model_add(b, "kv_a_proj_with_mqa", l->kv + l->rope, hidden) != 0)
        return -1;
    if (l->q == 0)
        return add_part(b, "q_proj", n, hidden, n);
    return hf_model_add(b, "q_a_proj", l->q, hidden) != 0
           || hf_model_add(b, "q_a_proj and kv_a_proj_with_mqa, fused", l->q + l->kv + l->rope,
                           hidden)
                  != 0
           || add_part(b, "q_b_proj", n, l->q, n) != 0;
}

static int add_latent(struct build *b, int64_t hidden, const struct latent *l)
{
    return latent_queries(b, hidden, l) != 0
           || add_part(b, "kv_b_proj", l->heads * (l->nope + l->v), l->kv,
                       l->heads * (l->nope + l->v))
                  != 0
           || add_part(b, "o_proj", hidden, l->heads * l->v, l->heads * l->v) != 0;
}

static int latent_attention(struct build *b, int64_t hidden)
{
    struct latent l;
    return latent_sizes(b, &l) != 0 || add_latent(b, hidden, &l) != 0;
}

/* That of DeepSeek-V3.2 has an indexer besides, which is whole on each GPU. */
static int indexed_attention(struct build *b, int64_t hidden)
{
    struct latent l;
    int64_t heads, size;
    if (latent_sizes(b, &l) != 0)
        return -1;
    if (l.q == 0)
        return hf_refuse(b->c, "q_lora_rank", "should be a number: the indexer needs it");
    if (hf_number(b->c, "index_n_heads", 1, &heads) != 0
        || hf_number(b->c, "index_head_dim", 1, &size) != 0 || add_latent(b, hidden, &l) != 0)
        return -1;
    return hf_model_add(b, "indexer.wk", size, hidden) != 0
           || hf_model_add(b, "indexer.wq_b", heads * size, l.q) != 0
           || hf_model_add(b, "q_a_proj, kv_a_proj_with_mqa and indexer.wk, fused",
                           l.q + l.kv + l.rope + size, hidden)
                  != 0
           || hf_model_add(b, "q_b_proj and indexer.wq_b, fused",
                           l.heads * (l.nope + l.rope) + heads * size, l.q)
                  != 0;
}

/* ---- layers: feed-forward ---- */

/* A layer of two products, with the names of them; key: its inner size in the config */
static int add_dense(struct build *b, int64_t hidden, const char *key, const char *const names[2])
{
    int64_t size;
    if (hf_number(b->c, key, 1, &size) != 0 || hf_model_part(b, key, size, &size) != 0)
        return -1;
    return add_part(b, names[0], 2 * size, hidden, size) != 0
           || add_part(b, names[1], hidden, size, size) != 0;
}

static const char *const dense_names[] = {"gate_up_proj", "down_proj"};
static const char *const shared_names[] = {"shared_expert.gate_up_proj", "shared_expert.down_proj"};

static int dense(struct build *b, int64_t hidden)
{
    return add_dense(b, hidden, "intermediate_size", dense_names);
}

/* Experts in each layer, but in those that the config names */
static int qwen_experts(struct build *b, int64_t hidden)
{
    const struct flat_value *list = hf_find(b->c, "mlp_only_layers");
    int64_t step;
    b->out->has_routed_experts = 1;
    if (hf_number_or(b->c, "decoder_sparse_step", 1, 1, &step) != 0)
        return -1;
    if (list != NULL && list->kind != FLAT_LIST)
        return hf_refuse(b->c, "mlp_only_layers", "should be a list");
    return step > 1 || (list != NULL && strcmp(list->text, "[]") != 0) ? dense(b, hidden) : 0;
}

static int routed_experts(struct build *b, int64_t hidden)
{
    (void)hidden;
    b->out->has_routed_experts = 1;
    return 0;
}

static int qwen_next_experts(struct build *b, int64_t hidden)
{
    return qwen_experts(b, hidden) != 0
           || add_dense(b, hidden, "shared_expert_intermediate_size", shared_names) != 0;
}

/* Each layer that is not a multiple of the step is dense; step 0: all are. */
static int llama4_experts(struct build *b, int64_t hidden)
{
    int64_t step;
    b->out->has_routed_experts = 1;
    if (hf_number_or(b->c, "interleave_moe_layer_step", 0, 1, &step) != 0)
        return -1;
    if (step != 1 && add_dense(b, hidden, "intermediate_size_mlp", dense_names) != 0)
        return -1;
    return add_dense(b, hidden, "intermediate_size", shared_names);
}

/* AITER's tables have gate and up of the shared experts fused, and each alone. */
static int shared_experts(struct build *b, int64_t hidden, int64_t experts)
{
    int64_t size;
    if (hf_number(b->c, "moe_intermediate_size", 1, &size) != 0
        || hf_model_part(b, "moe_intermediate_size", size * experts, &size) != 0)
        return -1;
    if (add_part(b, "shared_experts.gate_up_proj", 2 * size, hidden, size) != 0
        || add_part(b, "shared_experts.gate_proj and up_proj, each", size, hidden, size) != 0)
        return -1;
    b->out->v[b->out->n - 1].is_half = 1;
    return add_part(b, "shared_experts.down_proj", hidden, size, size);
}

static int deepseek_experts(struct build *b, int64_t hidden)
{
    int64_t first, step, shared;
    b->out->has_routed_experts = 1;
    if (hf_number_or(b->c, "first_k_dense_replace", 0, 0, &first) != 0
        || hf_number_or(b->c, "moe_layer_freq", 1, 1, &step) != 0
        || hf_number_or(b->c, "n_shared_experts", 0, 0, &shared) != 0)
        return -1;
    if ((first > 0 || step > 1) && dense(b, hidden) != 0)
        return -1;
    return shared > 0 ? shared_experts(b, hidden, shared) : 0;
}

/* ---- layers: the model ---- */

#define HEADS "num_attention_heads"
enum { MOST_NEEDS = 4 };

static const struct model_type {
    const char *name;
    int (*attention)(struct build *b, int64_t hidden);
    int (*feed_forward)(struct build *b, int64_t hidden);
    const char *inner; /* the object that has the sizes */
    int biases;
    const char *needs[MOST_NEEDS]; /* keys without which nothing tells the layers */
} types[] = {
    {"deepseek_v2", latent_attention, deepseek_experts, "", 0, {NULL}},
    {"deepseek_v3", latent_attention, deepseek_experts, "", 0, {NULL}},
    {"deepseek_v32", indexed_attention, deepseek_experts, "", 0, {NULL}},
    {"glm4_moe", heads_attention, deepseek_experts, "", 0, {HEADS}},
    {"glm_moe_dsa", indexed_attention, deepseek_experts, "", 0, {NULL}},
    {"gpt_oss", heads_attention, routed_experts, "", QKV_BIASED | BOTH_ALIKE, {HEADS}},
    {"kimi_k2", latent_attention, deepseek_experts, "", 0, {NULL}},
    {"llama", heads_attention, dense, "", BOTH_ALIKE, {NULL}},
    {"llama4", heads_attention, llama4_experts, "text_config.", BOTH_ALIKE, {HEADS}},
    {"minimax_m2", heads_attention, routed_experts, "", 0, {NULL}},
    {"mistral", heads_attention, dense, "", 0, {NULL}},
    {"mixtral", heads_attention, routed_experts, "", 0, {HEADS}},
    {"qwen2", heads_attention, dense, "", QKV_BIASED, {NULL}},
    {"qwen3", heads_attention, dense, "", 0, {NULL}},
    {"qwen3_moe", heads_attention, qwen_experts, "", 0, {NULL}},
    {"qwen3_next",
     mixed_attention,
     qwen_next_experts,
     "",
     0,
     {HEADS, "linear_num_key_heads", "linear_num_value_heads", "shared_expert_intermediate_size"}},
    {"qwen3_vl", heads_attention, dense, "text_config.", 0, {NULL}},
    {"qwen3_vl_moe", heads_attention, qwen_experts, "text_config.", 0, {NULL}},
};
enum { TYPES = sizeof types / sizeof *types };

static const struct model_type *type_called(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(name, types[i].name) == 0)
            return &types[i];
    return NULL;
}

static const struct model_type *find_type(const struct hf_config *c)
{
    struct buf what = {0};
    const char *name = hf_string(c, "model_type");
    const struct model_type *type = name != NULL ? type_called(name) : NULL;
    if (name == NULL || type != NULL)
        return type;
    buf_puts(&what, "is not a type whose layers kpred knows, which are");
    for (size_t i = 0; i < TYPES; i++)
        buf_printf(&what, "%s %s", i > 0 ? "," : "", types[i].name);
    (void)hf_refuse(c, "model_type", what.s);
    buf_free(&what);
    return NULL;
}

const char *hf_layers_unknown(const struct hf_config *c)
{
    const struct flat_value *name = hf_find(c, "model_type");
    const struct model_type *type = name != NULL ? type_called(name->text) : NULL;
    const struct hf_config sizes = {type != NULL ? type->inner : "", c->json};
    if (type == NULL)
        return "kpred does not know those of this type";
    for (int i = 0; i < MOST_NEEDS && type->needs[i] != NULL; i++)
        if (hf_find(&sizes, type->needs[i]) == NULL)
            return "the config does not tell their sizes";
    return NULL;
}

/* The kinds of attention, layer by layer, where a config has such a list */
static int check_attention(const struct hf_config *c)
{
    static const char *const known[] = {"full_attention", "sliding_attention", "chunked_attention",
                                        "linear_attention"};
    const size_t n_known = hf_find(c, "linear_num_key_heads") != NULL ? 4 : 3;
    const struct flat_value *list = hf_find(c, "layer_types");
    struct buf what = {0};
    if (list == NULL)
        return 0;
    if (list->kind != FLAT_LIST)
        return hf_refuse(c, "layer_types", "should be a list");
    for (const char *s = list->text; (s = strchr(s, '"')) != NULL;) {
        const int n = (int)strcspn(s + 1, "\"");
        size_t i = 0;
        while (i < n_known
               && ((size_t)n != strlen(known[i]) || strncmp(s + 1, known[i], (size_t)n)))
            i++;
        if (i == n_known) {
            buf_printf(&what, "has %.*s, a layer that kpred does not know", n, s + 1);
            (void)hf_refuse(c, "layer_types", what.s);
            buf_free(&what);
            return -1;
        }
        s += n + 2;
    }
    return 0;
}

int hf_layers(const struct hf_config *c, int64_t tp, struct hf_layers *out)
{
    struct hf_config sizes = *c;
    struct build b = {&sizes, tp, out, 0};
    int64_t hidden;
    *out = (struct hf_layers){.n = 0};
    const struct model_type *type = find_type(c);
    if (type == NULL)
        return -1;
    sizes.inner = type->inner;
    b.biases = type->biases;
    if (check_attention(&sizes) != 0 || hf_number(&sizes, "hidden_size", 1, &hidden) != 0)
        return -1;
    return type->attention(&b, hidden) != 0 || type->feed_forward(&b, hidden) != 0 ? -1 : 0;
}

/* ---- routed experts ---- */

/* Of the names, up to NULL, the first that is there; else the last */
static const char *first_key(const struct hf_config *c, const char *const *names)
{
    while (hf_find(c, names[0]) == NULL && names[1] != NULL)
        names++;
    return names[0];
}

static int read_shared(const struct hf_config *c, struct hf_experts *e)
{
    const int64_t one =
        hf_find(c, "shared_expert_intermediate_size") != NULL || strcmp(e->type, "llama4") == 0;
    return hf_number_or(c, "n_shared_experts", 0, one, &e->shared);
}

int hf_experts_read(struct hf_config *c, struct hf_experts *e)
{
    static const char *const routed[] = {"n_routed_experts", "num_local_experts", "num_experts",
                                         NULL};
    static const char *const size[] = {"moe_intermediate_size", "intermediate_size", NULL};
    static const char known[] = "deepseek_v2 deepseek_v3 deepseek_v32 glm4_moe glm_moe_dsa gpt_oss "
                                "kimi_k2 llama4 minimax_m2 mixtral qwen3_moe qwen3_next "
                                "qwen3_vl_moe";
    c->inner = "";
    *e = (struct hf_experts){.type = hf_string(c, "model_type")};
    if (e->type == NULL)
        return -1;
    e->is_known = names_has_word(known, e->type);
    if (hf_find(c, "hidden_size") == NULL && hf_find(c, "text_config.hidden_size") != NULL)
        c->inner = "text_config.";
    e->routed_key = first_key(c, routed);
    e->size_key = first_key(c, size);
    if (hf_find(c, e->routed_key) == NULL)
        return 1;
    return hf_number(c, e->routed_key, 1, &e->routed) != 0
                   || hf_number(c, "hidden_size", 1, &e->hidden) != 0
                   || hf_number(c, e->size_key, 1, &e->size) != 0
                   || hf_number_or(c, "num_experts_per_tok", 1, 0, &e->top_k) != 0
                   || read_shared(c, e) != 0
               ? -1
               : 0;
}

/* ---- the list ---- */

static int by_size(const void *a, const void *b)
{
    const struct hf_layer *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

static int by_number(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static size_t write_pair(FILE *f, const struct hf_layer *layer, const long *m, size_t n_m)
{
    size_t rows = 0;
    for (size_t i = 0; i < n_m; i++)
        if (i == 0 || m[i] != m[i - 1]) {
            fprintf(f, "%ld,%lld,%lld\n", m[i], (long long)layer->n, (long long)layer->k);
            rows++;
        }
    return rows;
}

size_t hf_list_write(FILE *f, const struct hf_layers *layers, long *m, size_t n_m)
{
    struct hf_layers sorted = *layers;
    size_t rows = 0;
    qsort(sorted.v, sorted.n, sizeof *sorted.v, by_size);
    qsort(m, n_m, sizeof *m, by_number);
    fputs("M,N,K\n", f);
    for (size_t i = 0; i < sorted.n; i++)
        if (i == 0 || by_size(&sorted.v[i], &sorted.v[i - 1]) != 0)
            rows += write_pair(f, &sorted.v[i], m, n_m);
    return rows;
}
