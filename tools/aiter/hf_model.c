/* hf_model.c - from the config.json of a language model to AITER's untuned list
   SPDX-License-Identifier: MIT */
#include "hf_model.h"

#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- layers ---- */

int64_t hf_dense_layers(struct hf_config *c)
{
    static const char *const first[] = {"first_k_dense_replace", "moe_layer_start_index", NULL};
    const struct flat_value *list = hf_find(c, "moe_layers_enum");
    if (list == NULL)
        return hf_number_or(c, hf_first_key(c, first), 0, 0);
    const char *s = list->text + (*list->text == '[');
    if (*s < '0' || *s > '9')
        hf_refuse(c, "moe_layers_enum", "should begin with the number of a layer");
    return strtol(s, NULL, 10);
}

/* What cannot be read is told once, and makes c->is_bad: the layers are of no use then. */
struct build {
    struct hf_config *c;
    int64_t tp, hidden;
    struct hf_layers *out;
    int flags; /* of the type */
};

static int64_t size_of(const struct build *b, const char *key)
{
    return hf_number(b->c, key, 1);
}

static void add_part(struct build *b, const char *name, int64_t n, int64_t k, int64_t of)
{
    if ((n > HF_MOST || k > HF_MOST) && !b->c->is_bad)
        b->c->is_bad = fail("%s: layer %s: N = %lld, K = %lld: a size goes to %d", b->c->json.path,
                            name, (long long)n, (long long)k, HF_MOST);
    assert(b->out->n < HF_MAX_LAYERS);
    b->out->v[b->out->n++] = (struct hf_layer){name, n, k, of, HF_NO_BIAS, 0};
}

static void add_whole(struct build *b, const char *name, int64_t n, int64_t k)
{
    add_part(b, name, n, k, 0);
}

/* `number` as each GPU has it; `key` is what to complain about. */
static int64_t part_of(const struct build *b, const char *key, int64_t number)
{
    if (number % b->tp != 0)
        hf_refuse(b->c, key, "should be a multiple of --tp, which is %d", (int)b->tp);
    return number / b->tp;
}

static int64_t part(const struct build *b, const char *key)
{
    return part_of(b, key, size_of(b, key));
}

/* ---- layers: attention with heads of queries, keys and values ---- */

/* Where there are more GPUs than heads of keys, several GPUs have the same head. */
static int64_t kv_part(const struct build *b, int64_t heads)
{
    const int64_t kv = hf_number_or(b->c, "num_key_value_heads", 1, heads);
    if (heads % kv != 0)
        hf_refuse(b->c, "num_key_value_heads", "should divide num_attention_heads");
    return kv < b->tp && b->tp % kv == 0 ? 1 : part_of(b, "num_key_value_heads", kv);
}

/* Is the bias of qkv_proj there whatever the config says? Has o_proj one where qkv_proj has? Have
   the two other names? */
enum { QKV_BIASED = 1, BOTH_ALIKE = 2, OTHER_NAMES = 4 };

/* of_queries: so many matrices make of the hidden state what queries need */
static void add_heads(struct build *b, int64_t of_queries)
{
    const int is_other = b->flags & OTHER_NAMES;
    const int64_t heads = size_of(b, "num_attention_heads");
    if (hf_find(b->c, "head_dim") == NULL && b->hidden % heads != 0)
        hf_refuse(b->c, "num_attention_heads", "should divide hidden_size");
    const int64_t size = hf_number_or(b->c, "head_dim", 1, b->hidden / heads);
    const int64_t q = part_of(b, "num_attention_heads", heads), kv = kv_part(b, heads);
    add_part(b, is_other ? "query_key_value" : "qkv_proj", (of_queries * q + 2 * kv) * size,
             b->hidden, kv * size);
    add_part(b, is_other ? "dense" : "o_proj", b->hidden, q * size, q * size);
    struct hf_layer *both = &b->out->v[b->out->n - 2];
    if (!(b->flags & QKV_BIASED) && !hf_is_true(b->c, "attention_bias")
        && !hf_is_true(b->c, "use_bias") && !hf_is_true(b->c, "use_qkv_bias"))
        return;
    both[0].bias = HF_BIAS;
    if (b->flags & BOTH_ALIKE) /* the GPUs' parts of o_proj are added up */
        both[1].bias = b->tp == 1 ? HF_BIAS : HF_BIAS_ON_ONE;
}

static void heads_attention(struct build *b)
{
    add_heads(b, 1);
}

/* That of Qwen3-Next, of two kinds: queries have a gate. */
static void mixed_attention(struct build *b)
{
    add_heads(b, 2);
    const int64_t all_keys = size_of(b, "linear_num_key_heads");
    const int64_t all_values = size_of(b, "linear_num_value_heads");
    const int64_t key_size = size_of(b, "linear_key_head_dim");
    const int64_t value_size = size_of(b, "linear_value_head_dim");
    const int64_t keys = part_of(b, "linear_num_key_heads", all_keys);
    const int64_t values = part_of(b, "linear_num_value_heads", all_values);
    b->out->plain = (struct hf_layer){"in_proj_ba", 2 * values, b->hidden, values, HF_NO_BIAS, 0};
    add_part(b, "in_proj_qkvz", 2 * (keys * key_size + values * value_size), b->hidden,
             keys * key_size);
    add_part(b, "out_proj", b->hidden, values * value_size, values * value_size);
}

/* ---- layers: latent attention, of DeepSeek ---- */

struct latent {
    int64_t q, kv; /* ranks; q 0: queries are made of the hidden state */
    int64_t rope, nope, v, heads;
};

/* The first projections are whole on each GPU, and servers fuse them or do not. */
static struct latent add_latent(struct build *b)
{
    struct latent l;
    l.q = hf_number_or(b->c, "q_lora_rank", 1, 0);
    l.kv = size_of(b, "kv_lora_rank");
    l.rope = size_of(b, "qk_rope_head_dim");
    l.nope = size_of(b, "qk_nope_head_dim");
    l.v = size_of(b, "v_head_dim");
    l.heads = part(b, "num_attention_heads");
    const int64_t n = l.heads * (l.nope + l.rope), kv = l.heads * (l.nope + l.v);
    add_whole(b, "kv_a_proj_with_mqa", l.kv + l.rope, b->hidden);
    if (l.q == 0)
        add_part(b, "q_proj", n, b->hidden, n);
    else {
        add_whole(b, "q_a_proj", l.q, b->hidden);
        add_whole(b, "q_a_proj and kv_a_proj_with_mqa, fused", l.q + l.kv + l.rope, b->hidden);
        add_part(b, "q_b_proj", n, l.q, n);
    }
    add_part(b, "kv_b_proj", kv, l.kv, kv);
    add_part(b, "o_proj", b->hidden, l.heads * l.v, l.heads * l.v);
    return l;
}

static void latent_attention(struct build *b)
{
    (void)add_latent(b);
}

/* That of DeepSeek-V3.2 has an indexer besides, which is whole on each GPU. */
static void indexed_attention(struct build *b)
{
    const struct latent l = add_latent(b);
    if (l.q == 0)
        hf_refuse(b->c, "q_lora_rank", "should be a number: the indexer needs it");
    const int64_t heads = size_of(b, "index_n_heads"), size = size_of(b, "index_head_dim");
    add_whole(b, "indexer.wk", size, b->hidden);
    add_whole(b, "indexer.wq_b", heads * size, l.q);
    add_whole(b, "q_a_proj, kv_a_proj_with_mqa and indexer.wk, fused", l.q + l.kv + l.rope + size,
              b->hidden);
    add_whole(b, "q_b_proj and indexer.wq_b, fused", l.heads * (l.nope + l.rope) + heads * size,
              l.q);
}

/* That of Step-3, whose queries are made of a small part */
static void step_attention(struct build *b)
{
    const int64_t size = size_of(b, "head_dim"), shared = size_of(b, "share_q_dim");
    const int64_t q = part(b, "num_attention_heads") * size;
    add_whole(b, "qkv_proj", shared + 2 * size, b->hidden);
    add_part(b, "wq", q, shared, q);
    add_part(b, "o_proj", b->hidden, q, q);
}

/* ---- layers: feed-forward ---- */

/* A layer of two products, with the names of them; key: its inner size in the config */
static void add_dense(struct build *b, const char *key, const char *const names[2])
{
    const int64_t size = part(b, key);
    add_part(b, names[0], 2 * size, b->hidden, size);
    add_part(b, names[1], b->hidden, size, size);
}

static const char *const dense_names[] = {"gate_up_proj", "down_proj"};
static const char *const shared_names[] = {"shared_expert.gate_up_proj", "shared_expert.down_proj"};

static void dense(struct build *b)
{
    add_dense(b, "intermediate_size", dense_names);
}

static void routed_experts(struct build *b)
{
    b->out->has_routed_experts = 1;
}

/* Experts in each layer, but in those that the config names */
static void qwen_experts(struct build *b)
{
    const char *list = hf_list(b->c, "mlp_only_layers", 0);
    const int64_t step = hf_number_or(b->c, "decoder_sparse_step", 1, 1);
    routed_experts(b);
    if (step > 1 || (list != NULL && strcmp(list, "]") != 0))
        dense(b);
}

static void qwen_next_experts(struct build *b)
{
    qwen_experts(b);
    add_dense(b, "shared_expert_intermediate_size", shared_names);
}

/* Each layer that is not a multiple of the step is dense; step 0: all are. */
static void llama4_experts(struct build *b)
{
    routed_experts(b);
    if (hf_number_or(b->c, "interleave_moe_layer_step", 0, 1) != 1)
        add_dense(b, "intermediate_size_mlp", dense_names);
    add_dense(b, "intermediate_size", shared_names);
}

static const char *const shared_keys[] = {"n_shared_experts", "moe_num_shared_experts",
                                          "num_shared_experts", "num_shared_expert", NULL};

/* AITER's tables have gate and up of DeepSeek's shared experts fused, and each alone. */
static void shared_experts(struct build *b, const char *key, int has_half)
{
    const int64_t experts = hf_number_of_layers(b->c, hf_first_key(b->c, shared_keys), 0);
    const int64_t size = experts > 0 ? part_of(b, key, size_of(b, key) * experts) : 0;
    if (experts <= 0)
        return;
    add_part(b, "shared_experts.gate_up_proj", 2 * size, b->hidden, size);
    if (has_half) {
        add_part(b, "shared_experts.gate_proj and up_proj, each", size, b->hidden, size);
        b->out->v[b->out->n - 1].is_half = 1;
    }
    add_part(b, "shared_experts.down_proj", b->hidden, size, size);
}

static void first_dense(struct build *b)
{
    const int64_t step = hf_number_or(b->c, "moe_layer_freq", 1, 1);
    routed_experts(b);
    if (hf_dense_layers(b->c) > 0 || step > 1)
        dense(b);
}

static void deepseek_experts(struct build *b)
{
    first_dense(b);
    shared_experts(b, "moe_intermediate_size", 1);
}

static void other_experts(struct build *b)
{
    static const char *const size[] = {"moe_shared_expert_intermediate_size",
                                       "moe_intermediate_size", NULL};
    first_dense(b);
    shared_experts(b, hf_first_key(b->c, size), 0);
}

static void hunyuan_experts(struct build *b)
{
    routed_experts(b);
    shared_experts(b, "intermediate_size", 0);
}

static void step_experts(struct build *b)
{
    static const char *const names[] = {"share_expert.gate_up_proj", "share_expert.down_proj"};
    first_dense(b);
    add_dense(b, "share_expert_dim", names);
}

/* ---- layers: the model ---- */

#define HEADS "num_attention_heads"
#define MIXED                                                   \
    {                                                           \
        HEADS, "linear_num_key_heads", "linear_num_value_heads" \
    }
enum { MOST_NEEDS = 4 };

static const struct model_type {
    const char *name;
    void (*attention)(struct build *b);
    void (*feed_forward)(struct build *b);
    const char *inner; /* the object that has the sizes */
    int flags;
    const char *needs[MOST_NEEDS]; /* keys without which nothing tells the layers */
} types[] = {
    {"bailing_moe", heads_attention, other_experts, "", OTHER_NAMES, {HEADS}},
    {"bailing_moe_v2", heads_attention, other_experts, "", OTHER_NAMES, {HEADS}},
    {"deepseek_v2", latent_attention, deepseek_experts, "", 0, {NULL}},
    {"deepseek_v3", latent_attention, deepseek_experts, "", 0, {NULL}},
    {"deepseek_v32", indexed_attention, deepseek_experts, "", 0, {NULL}},
    {"ernie4_5_moe", heads_attention, other_experts, "", 0, {HEADS}},
    {"glm4_moe", heads_attention, deepseek_experts, "", 0, {HEADS}},
    {"glm4_moe_lite", latent_attention, deepseek_experts, "", 0, {HEADS}},
    {"glm_moe_dsa", indexed_attention, deepseek_experts, "", 0, {NULL}},
    {"gpt_oss", heads_attention, routed_experts, "", QKV_BIASED | BOTH_ALIKE, {HEADS}},
    {"hunyuan_v1_moe", heads_attention, hunyuan_experts, "", 0, {HEADS}},
    {"kimi_k2", latent_attention, deepseek_experts, "", 0, {NULL}},
    {"kimi_k25", latent_attention, deepseek_experts, "text_config.", 0, {HEADS}},
    {"llama", heads_attention, dense, "", BOTH_ALIKE, {NULL}},
    {"llama4", heads_attention, llama4_experts, "text_config.", BOTH_ALIKE, {HEADS}},
    {"minimax_m2", heads_attention, routed_experts, "", 0, {NULL}},
    {"mistral", heads_attention, dense, "", 0, {NULL}},
    {"mixtral", heads_attention, routed_experts, "", 0, {HEADS}},
    {"qwen2", heads_attention, dense, "", QKV_BIASED, {NULL}},
    {"qwen3", heads_attention, dense, "", 0, {NULL}},
    {"qwen3_5", mixed_attention, dense, "text_config.", 0, MIXED},
    {"qwen3_5_moe", mixed_attention, qwen_next_experts, "text_config.", 0, MIXED},
    {"qwen3_5_moe_text", mixed_attention, qwen_next_experts, "", 0, MIXED},
    {"qwen3_5_text", mixed_attention, dense, "", 0, MIXED},
    {"qwen3_moe", heads_attention, qwen_experts, "", 0, {NULL}},
    {"qwen3_next", mixed_attention, qwen_next_experts, "", 0, MIXED},
    {"qwen3_vl", heads_attention, dense, "text_config.", 0, {NULL}},
    {"qwen3_vl_moe", heads_attention, qwen_experts, "text_config.", 0, {NULL}},
    {"step3_text", step_attention, step_experts, "", 0, {HEADS, "share_q_dim"}},
    {"step3_vl", step_attention, step_experts, "text_config.", 0, {HEADS, "share_q_dim"}},
};
enum { TYPES = sizeof types / sizeof *types };

static const struct model_type *type_called(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(name, types[i].name) == 0)
            return &types[i];
    return NULL;
}

const char *hf_layers_unknown(const struct hf_config *c)
{
    const struct flat_value *name = hf_find(c, "model_type");
    const struct model_type *type = name != NULL ? type_called(name->text) : NULL;
    const struct hf_config sizes = {.inner = type != NULL ? type->inner : "", .json = c->json};
    if (type == NULL)
        return "kpred does not know those of this type";
    for (int i = 0; i < MOST_NEEDS && type->needs[i] != NULL; i++)
        if (hf_find(&sizes, type->needs[i]) == NULL)
            return "the config does not tell their sizes";
    return NULL;
}

/* The kinds of attention, layer by layer, where a config has such a list */
static void check_attention(struct hf_config *c)
{
    static const char full[] = "full_attention sliding_attention chunked_attention";
    const int has_linear = hf_find(c, "linear_num_key_heads") != NULL;
    const char *s = hf_list(c, "layer_types", 1);
    struct buf word = {NULL, 0, 0};
    while (hf_list_next(&s, &word))
        if ((!names_has_word(full, word.s) || strchr(word.s, ' ') != NULL)
            && !(has_linear && strcmp(word.s, "linear_attention") == 0))
            hf_refuse(c, "layer_types", "has %s, a layer that kpred does not know", word.s);
}

static int refuse_type(struct hf_config *c)
{
    struct buf known = {0};
    for (size_t i = 0; i < TYPES; i++)
        buf_printf(&known, "%s %s", i > 0 ? "," : "", types[i].name);
    hf_refuse(c, "model_type", "is not a type whose layers kpred knows, which are%s", known.s);
    buf_free(&known);
    return -1;
}

int hf_layers(const struct hf_config *c, int64_t tp, struct hf_layers *out)
{
    struct hf_config sizes = *c;
    struct build b = {.c = &sizes, .tp = tp, .out = out};
    *out = (struct hf_layers){.n = 0};
    const char *name = hf_string(&sizes, "model_type");
    const struct model_type *type = name != NULL ? type_called(name) : NULL;
    if (type == NULL)
        return refuse_type(&sizes);
    sizes.inner = type->inner;
    b.flags = type->flags;
    check_attention(&sizes);
    b.hidden = size_of(&b, "hidden_size");
    type->attention(&b);
    type->feed_forward(&b);
    return sizes.is_bad ? -1 : 0;
}

/* ---- routed experts ---- */

int hf_experts_read(struct hf_config *c, struct hf_experts *e)
{
    static const char *const routed[] = {"n_routed_experts", "num_local_experts", "num_experts",
                                         "moe_num_experts", NULL};
    static const char *const size[] = {"moe_intermediate_size", "intermediate_size", NULL};
    static const char *const top_k[] = {"num_experts_per_tok", "moe_k", "moe_topk", "moe_top_k",
                                        NULL};
    c->inner = "";
    *e = (struct hf_experts){.type = hf_string(c, "model_type")};
    if (e->type == NULL)
        return -1;
    const struct model_type *type = type_called(e->type);
    e->is_known = type != NULL && type->feed_forward != dense;
    if (hf_find(c, "hidden_size") == NULL && hf_find(c, "text_config.hidden_size") != NULL)
        c->inner = "text_config.";
    e->routed_key = hf_first_key(c, routed);
    e->size_key = hf_first_key(c, size);
    if (hf_find(c, e->routed_key) == NULL)
        return 1;
    e->routed = hf_number_of_layers(c, e->routed_key, 1);
    e->hidden = hf_number(c, "hidden_size", 1);
    e->size = hf_number_of_layers(c, e->size_key, 1);
    e->top_k = hf_number_of_layers(c, hf_first_key(c, top_k), 0);
    e->shared = hf_find(c, hf_first_key(c, shared_keys)) != NULL
                    ? hf_number_of_layers(c, hf_first_key(c, shared_keys), 0)
                    : hf_find(c, "shared_expert_intermediate_size") != NULL
                          || hf_find(c, "share_expert_dim") != NULL
                          || strcmp(e->type, "llama4") == 0;
    return c->is_bad ? -1 : 0;
}

static int by_size(const void *a, const void *b)
{
    const struct hf_layer *x = a, *y = b;
    return (int)(x->n != y->n ? x->n - y->n : x->k - y->k); /* within HF_MOST */
}

size_t hf_list_write(FILE *f, const struct hf_layers *layers, long *m, size_t n_m)
{
    struct hf_layers sorted = *layers;
    size_t rows = 0;
    qsort(sorted.v, sorted.n, sizeof *sorted.v, by_size);
    qsort(m, n_m, sizeof *m, compare_longs);
    fputs("M,N,K\n", f);
    for (size_t i = 0; i < sorted.n; i++)
        for (size_t j = 0; j < n_m; j++) {
            const struct hf_layer *layer = &sorted.v[i];
            if ((i != 0 && by_size(layer, layer - 1) == 0) || (j != 0 && m[j] == m[j - 1]))
                continue;
            fprintf(f, "%ld,%lld,%lld\n", m[j], (long long)layer->n, (long long)layer->k);
            rows++;
        }
    return rows;
}
