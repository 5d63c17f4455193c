/* hf_model.c - from the config.json of a language model to AITER's untuned list
   SPDX-License-Identifier: MIT */
#include "hf_model.h"

#include "base/util.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- config.json ---- */

void hf_config_free(struct hf_config *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->v[i].name);
        free(c->v[i].text);
    }
    free(c->v);
}

/* ---- config.json: what is in it ---- */

static const struct hf_value *find_any(const struct hf_config *c, const char *name)
{
    const size_t n = strlen(c->inner);
    for (size_t i = 0; i < c->n; i++)
        if (strncmp(c->v[i].name, c->inner, n) == 0 && strcmp(c->v[i].name + n, name) == 0)
            return &c->v[i];
    return NULL;
}

/* NULL: it is not there, or null. */
static const struct hf_value *hf_find(const struct hf_config *c, const char *name)
{
    const struct hf_value *v = find_any(c, name);
    return v != NULL && v->kind != HF_NULL ? v : NULL;
}

/* "PATH:LINE:COLUMN: NAME: value "TEXT": WHAT"; -1 */
static int hf_refuse(const struct hf_config *c, const char *name, const char *what)
{
    const struct hf_value *v = find_any(c, name);
    if (v == NULL)
        return fail("%s: the config has no \"%s%s\": it %s", c->path, c->inner, name, what);
    return fail("%s:%ld:%ld: %s: value \"%.60s%s\": it %s", c->path, v->line, v->column, v->name,
                v->text, strlen(v->text) > 60 ? "..." : "", what);
}

/* An integer from `least` to HF_MOST; -1 with a message that names the key. */
static int hf_number(const struct hf_config *c, const char *name, int64_t least, int64_t *out)
{
    const struct hf_value *v = hf_find(c, name);
    if (v == NULL || v->kind != HF_INTEGER || v->number < least || v->number > HF_MOST) {
        struct buf b = {0};
        buf_printf(&b, "should be an integer from %d to %d", (int)least, HF_MOST);
        (void)hf_refuse(c, name, b.s);
        buf_free(&b);
        return -1;
    }
    *out = v->number;
    return 0;
}

/* The same, and `fallback` if it is not there. */
static int hf_number_or(const struct hf_config *c, const char *name, int64_t least,
                        int64_t fallback, int64_t *out)
{
    *out = fallback;
    return hf_find(c, name) != NULL ? hf_number(c, name, least, out) : 0;
}

/* A string; NULL with a message. */
static const char *hf_string(const struct hf_config *c, const char *name)
{
    const struct hf_value *v = hf_find(c, name);
    if (v != NULL && v->kind == HF_STRING)
        return v->text;
    (void)hf_refuse(c, name, "should be a string");
    return NULL;
}

#ifdef HAVE_JANSSON

#include "base/json.h"

/* ---- config.json: reading ---- */

enum { MOST_BYTES = 16 << 20 }; /* one that lists unquantised layers has hundreds of kilobytes */

static enum hf_kind kind_of(const json_t *v)
{
    if (json_is_integer(v))
        return HF_INTEGER;
    if (json_is_string(v))
        return HF_STRING;
    if (json_is_array(v))
        return HF_LIST;
    return json_is_null(v) ? HF_NULL : HF_OTHER;
}

/* Takes over the name. */
static void add_value(struct hf_config *c, char *name, const json_t *v, const struct json_text *at)
{
    c->v = xrealloc(c->v, c->n + 1, sizeof *c->v);
    char *json = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    c->v[c->n++] = (struct hf_value){
        .name = name,
        .text = xstrdup(json_is_string(v) ? json_string_value(v)
                        : json != NULL    ? json
                                          : ""),
        .kind = kind_of(v),
        .number = json_is_integer(v) ? json_integer_value(v) : 0,
        .line = at->line,
        .column = at->column,
    };
    free(json);
}

static int read_value(struct hf_config *c, struct json_text *at, const char *name)
{
    (void)json_text_peek(at);
    const struct json_text start = *at;
    json_t *v = json_text_value(at, NULL);
    if (v == NULL)
        return -1;
    add_value(c, xstrdup(name), v, &start);
    json_decref(v);
    return 0;
}

static int read_object(struct hf_config *c, struct json_text *at, const char *outer);

/* NAME: VALUE; an inner object of the config is an object of its own. */
static int read_member(struct hf_config *c, struct json_text *at, const char *outer)
{
    const struct json_text start = *at;
    json_t *name = json_text_name(at, NULL);
    struct buf full = {0};
    int rc = -1;
    if (name == NULL)
        return -1;
    buf_printf(&full, "%s%s%s", outer, *outer ? "." : "", json_string_value(name));
    if (find_any(c, full.s) != NULL)
        (void)json_text_fail(&start, "%s: it stands there twice", full.s);
    else if (*outer == '\0' && json_text_peek(at) == '{')
        rc = read_object(c, at, full.s);
    else
        rc = read_value(c, at, full.s);
    buf_free(&full);
    json_decref(name);
    return rc;
}

static int read_object(struct hf_config *c, struct json_text *at, const char *outer)
{
    if (!json_text_take(at, '{'))
        return json_text_fail(at, "here should be an object, as config.json of a model has it");
    if (json_text_take(at, '}'))
        return 0;
    do {
        (void)json_text_peek(at);
        if (read_member(c, at, outer) != 0)
            return -1;
    } while (json_text_take(at, ','));
    return json_text_take(at, '}') ? 0 : json_text_fail(at, "here should be a comma or a brace");
}

int hf_config_read(const char *path, struct hf_config *c)
{
    struct buf bytes = {0};
    *c = (struct hf_config){.path = path, .inner = ""};
    int rc = read_text(path, MOST_BYTES, &bytes);
    if (rc == 0) {
        struct json_text at = json_text_open(path, &bytes);
        rc = read_object(c, &at, "");
        if (rc == 0 && json_text_peek(&at) != EOF)
            rc = json_text_fail(&at, "something follows the object");
    }
    buf_free(&bytes);
    return rc;
}

#else

int hf_config_read(const char *path, struct hf_config *c)
{
    *c = (struct hf_config){.path = path, .inner = ""};
    return fail_without(path, "jansson", "libjansson-dev");
}

#endif

/* ---- layers ---- */

struct build {
    const struct hf_config *c;
    int64_t tp;
    struct hf_layers *out;
};

static int add(struct build *b, const char *name, int64_t n, int64_t k)
{
    if (n > HF_MOST || k > HF_MOST)
        return fail("%s: layer %s: N = %lld, K = %lld: a size goes to %d", b->c->path, name,
                    (long long)n, (long long)k, HF_MOST);
    assert(b->out->n < HF_MAX_LAYERS);
    b->out->v[b->out->n++] = (struct hf_layer){name, n, k};
    return 0;
}

/* `number` as each GPU has it; `key` is what to complain about. */
static int part(const struct build *b, const char *key, int64_t number, int64_t *out)
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
    return part(b, "num_key_value_heads", kv, out);
}

static int heads_attention(struct build *b, int64_t hidden)
{
    int64_t heads, size, q = 0, kv = 0;
    if (hf_number(b->c, "num_attention_heads", 1, &heads) != 0
        || head_size(b, hidden, heads, &size) != 0 || part(b, "num_attention_heads", heads, &q) != 0
        || kv_part(b, heads, &kv) != 0)
        return -1;
    return add(b, "qkv_proj", (q + 2 * kv) * size, hidden) != 0
           || add(b, "o_proj", hidden, q * size) != 0;
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
    return part(b, "num_attention_heads", heads, &l->heads);
}

/* The first projections are whole on each GPU, and servers fuse them or do not. */
static int latent_queries(struct build *b, int64_t hidden, const struct latent *l)
{
    const int64_t n = l->heads * (l->nope + l->rope);
    if (add(b, "kv_a_proj_with_mqa", l->kv + l->rope, hidden) != 0)
        return -1;
    if (l->q == 0)
        return add(b, "q_proj", n, hidden);
    return add(b, "q_a_proj", l->q, hidden) != 0
           || add(b, "q_a_proj and kv_a_proj_with_mqa, fused", l->q + l->kv + l->rope, hidden) != 0
           || add(b, "q_b_proj", n, l->q) != 0;
}

static int add_latent(struct build *b, int64_t hidden, const struct latent *l)
{
    return latent_queries(b, hidden, l) != 0
           || add(b, "kv_b_proj", l->heads * (l->nope + l->v), l->kv) != 0
           || add(b, "o_proj", hidden, l->heads * l->v) != 0;
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
    return add(b, "indexer.wk", size, hidden) != 0 || add(b, "indexer.wq_b", heads * size, l.q) != 0
           || add(b, "q_a_proj, kv_a_proj_with_mqa and indexer.wk, fused",
                  l.q + l.kv + l.rope + size, hidden)
                  != 0
           || add(b, "q_b_proj and indexer.wq_b, fused", l.heads * (l.nope + l.rope) + heads * size,
                  l.q)
                  != 0;
}

/* ---- layers: feed-forward ---- */

static int dense(struct build *b, int64_t hidden)
{
    int64_t size;
    if (hf_number(b->c, "intermediate_size", 1, &size) != 0
        || part(b, "intermediate_size", size, &size) != 0)
        return -1;
    return add(b, "gate_up_proj", 2 * size, hidden) != 0 || add(b, "down_proj", hidden, size) != 0;
}

/* Experts in each layer, but in those that the config names */
static int qwen_experts(struct build *b, int64_t hidden)
{
    const struct hf_value *list = hf_find(b->c, "mlp_only_layers");
    int64_t step;
    b->out->has_routed_experts = 1;
    if (hf_number_or(b->c, "decoder_sparse_step", 1, 1, &step) != 0)
        return -1;
    if (list != NULL && list->kind != HF_LIST)
        return hf_refuse(b->c, "mlp_only_layers", "should be a list");
    return step > 1 || (list != NULL && strcmp(list->text, "[]") != 0) ? dense(b, hidden) : 0;
}

static int routed_experts(struct build *b, int64_t hidden)
{
    (void)hidden;
    b->out->has_routed_experts = 1;
    return 0;
}

/* AITER's tables have gate and up of the shared experts fused, and each alone. */
static int shared_experts(struct build *b, int64_t hidden, int64_t experts)
{
    int64_t size;
    if (hf_number(b->c, "moe_intermediate_size", 1, &size) != 0
        || part(b, "moe_intermediate_size", size * experts, &size) != 0)
        return -1;
    return add(b, "shared_experts.gate_up_proj", 2 * size, hidden) != 0
           || add(b, "shared_experts.gate_proj and up_proj, each", size, hidden) != 0
           || add(b, "shared_experts.down_proj", hidden, size) != 0;
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

static const struct model_type {
    const char *name;
    int (*attention)(struct build *b, int64_t hidden);
    int (*feed_forward)(struct build *b, int64_t hidden);
    const char *inner; /* the object that has the sizes */
} types[] = {
    {"deepseek_v3", latent_attention, deepseek_experts, ""},
    {"deepseek_v32", indexed_attention, deepseek_experts, ""},
    {"glm_moe_dsa", indexed_attention, deepseek_experts, ""},
    {"kimi_k2", latent_attention, deepseek_experts, ""},
    {"llama", heads_attention, dense, ""},
    {"minimax_m2", heads_attention, routed_experts, ""},
    {"mistral", heads_attention, dense, ""},
    {"qwen2", heads_attention, dense, ""},
    {"qwen3", heads_attention, dense, ""},
    {"qwen3_moe", heads_attention, qwen_experts, ""},
    {"qwen3_vl", heads_attention, dense, "text_config."},
    {"qwen3_vl_moe", heads_attention, qwen_experts, "text_config."},
};
enum { TYPES = sizeof types / sizeof *types };

static const struct model_type *find_type(const struct hf_config *c)
{
    struct buf what = {0};
    const char *name = hf_string(c, "model_type");
    if (name == NULL)
        return NULL;
    buf_puts(&what, "is no type whose layers kpred knows, which are");
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(name, types[i].name) == 0) {
            buf_free(&what);
            return &types[i];
        }
        buf_printf(&what, "%s %s", i > 0 ? "," : "", types[i].name);
    }
    (void)hf_refuse(c, "model_type", what.s);
    buf_free(&what);
    return NULL;
}

/* The kinds of attention, layer by layer, where a config has such a list */
static int check_attention(const struct hf_config *c)
{
    static const char *const known[] = {"full_attention", "sliding_attention"};
    const struct hf_value *list = hf_find(c, "layer_types");
    struct buf what = {0};
    if (list == NULL)
        return 0;
    if (list->kind != HF_LIST)
        return hf_refuse(c, "layer_types", "should be a list");
    for (const char *s = list->text; (s = strchr(s, '"')) != NULL;) {
        const int n = (int)strcspn(s + 1, "\"");
        size_t i = 0;
        while (i < 2 && ((size_t)n != strlen(known[i]) || strncmp(s + 1, known[i], (size_t)n)))
            i++;
        if (i == 2) {
            buf_printf(&what, "has %.*s, a layer that kpred does not know", n, s + 1);
            (void)hf_refuse(c, "layer_types", what.s);
            buf_free(&what);
            return -1;
        }
        s += n + 2;
    }
    return 0;
}

/* FP8 with a scale for each 128 x 128 weights, or nothing said */
static int check_quantization(const struct hf_config *c, int *is_said)
{
    static const char method[] = "quantization_config.quant_method",
                      block[] = "quantization_config.weight_block_size";
    const struct hf_value *m = hf_find(c, method), *v = hf_find(c, block);
    if (hf_find(c, "quantization_config") != NULL)
        return hf_refuse(c, "quantization_config", "should be an object");
    *is_said = m != NULL || v != NULL;
    if (!*is_said)
        return 0;
    if (m == NULL || strcmp(m->text, "fp8") != 0)
        return hf_refuse(c, method, "should be fp8");
    if (v == NULL || strcmp(v->text, "[128,128]") != 0)
        return hf_refuse(c, block, "should be [128,128], the blocks of AITER's kernels");
    return 0;
}

int hf_layers(const struct hf_config *c, int64_t tp, struct hf_layers *out)
{
    struct hf_config sizes = *c;
    struct build b = {&sizes, tp, out};
    int64_t hidden;
    *out = (struct hf_layers){.n = 0};
    const struct model_type *type = find_type(c);
    if (type == NULL || check_quantization(c, &out->says_blocks) != 0)
        return -1;
    sizes.inner = type->inner;
    if (check_attention(&sizes) != 0 || hf_number(&sizes, "hidden_size", 1, &hidden) != 0)
        return -1;
    return type->attention(&b, hidden) != 0 || type->feed_forward(&b, hidden) != 0 ? -1 : 0;
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
