/* quantization.c - how a model's weights are quantised, and which stay in 16 bits, by its config
   SPDX-License-Identifier: MIT */
#include "hf_model.h"

#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#define CONFIG  "quantization_config."
#define WEIGHTS CONFIG "config_groups.group_0.weights."

static const char method[] = CONFIG "quant_method", strategy[] = WEIGHTS "strategy",
                  fp8_block[] = CONFIG "weight_block_size",
                  compressed_block[] = WEIGHTS "block_structure";

static int is_text(const struct hf_config *c, const char *key, const char *text)
{
    const struct flat_value *v = hf_find(c, key);
    return v != NULL && strcmp(v->text, text) == 0;
}

/* "[128,128]" */
static int read_block(struct hf_config *c, const char *key, struct quantization *q)
{
    const struct flat_value *v = hf_find(c, key);
    char *end;
    q->kind = QUANTIZED_FP8_BLOCK;
    for (int i = 0; i < 2; i++) {
        const char *at = v->kind != FLAT_LIST ? "" : i == 0 ? v->text : strchr(v->text, ',');
        const long size = at != NULL && *at != '\0' ? strtol(at + 1, &end, 10) : 0;
        if (size < 1 || size > HF_MOST || *end != (i == 0 ? ',' : ']'))
            return hf_refuse(c, key, "should be a list of two sizes");
        q->block[i] = (int32_t)size;
    }
    return 0;
}

/* Weights alone, of so many bits */
static int read_bits(struct hf_config *c, const char *key, struct quantization *q)
{
    const struct flat_value *v = hf_find(c, key);
    const int64_t bits = v != NULL && v->kind == FLAT_INTEGER ? v->number : 0;
    q->kind = bits == 8 ? QUANTIZED_INT8_WEIGHTS : QUANTIZED_INT4_WEIGHTS;
    return bits == 4 || bits == 8 ? 0 : hf_refuse(c, key, "should be 4 or 8");
}

/* Of AMD's quantiser: a type for all layers alone */
static int read_quark(struct hf_config *c, struct quantization *q)
{
    static const char type[] = CONFIG "global_quant_config.weight.dtype",
                      scheme[] = CONFIG "global_quant_config.weight.qscheme";
    if (hf_has_begin(c, CONFIG "layer_quant_config."))
        return hf_refuse(c, method, "is quark with types by layer: --quant says what they are");
    const int is_fp8 = is_text(c, type, "fp8_e4m3");
    q->kind = is_text(c, type, "fp4")                       ? QUANTIZED_MXFP4
              : is_fp8 && is_text(c, scheme, "per_tensor")  ? QUANTIZED_FP8
              : is_fp8 && is_text(c, scheme, "per_channel") ? QUANTIZED_FP8_CHANNEL
                                                            : QUANTIZED_NOT;
    return q->kind != QUANTIZED_NOT
               ? 0
               : hf_refuse(c, type,
                           "is not one that kpred knows: --quant says what the weights are");
}

static int read_compressed(struct hf_config *c, struct quantization *q)
{
    static const char of_inputs[] = CONFIG "config_groups.group_0.input_activations.num_bits";
    if (hf_has_begin(c, CONFIG "config_groups.group_1."))
        return hf_refuse(c, method, "has several groups: --quant says what the weights are");
    if (is_text(c, WEIGHTS "type", "float")) {
        q->kind = is_text(c, strategy, "tensor") ? QUANTIZED_FP8 : QUANTIZED_FP8_CHANNEL;
        if (!is_text(c, WEIGHTS "num_bits", "8"))
            return hf_refuse(c, WEIGHTS "num_bits", "should be 8 where the type is float");
        if (!is_text(c, strategy, "block"))
            return 0;
        return hf_find(c, compressed_block) != NULL
                   ? read_block(c, compressed_block, q)
                   : hf_refuse(c, compressed_block, "should be there");
    }
    q->kind = QUANTIZED_INT8;
    return hf_find(c, of_inputs) != NULL && is_text(c, WEIGHTS "num_bits", "8")
               ? 0
               : read_bits(c, WEIGHTS "num_bits", q);
}

static int read_method(struct hf_config *c, struct quantization *q)
{
    if (hf_find(c, "quantization_config") != NULL)
        return hf_refuse(c, "quantization_config", "should be an object");
    if (hf_find(c, method) == NULL && hf_find(c, fp8_block) == NULL)
        return 0;
    q->is_of_experts = is_text(c, method, "mxfp4");
    q->kind = q->is_of_experts ? QUANTIZED_MXFP4 : QUANTIZED_FP8;
    if (q->is_of_experts)
        return 0;
    if (is_text(c, method, "fp8"))
        return hf_find(c, fp8_block) != NULL ? read_block(c, fp8_block, q) : 0;
    if (is_text(c, method, "compressed-tensors"))
        return read_compressed(c, q);
    if (is_text(c, method, "quark"))
        return read_quark(c, q);
    if (is_text(c, method, "gptq") || is_text(c, method, "awq"))
        return read_bits(c, CONFIG "bits", q);
    return hf_refuse(c, method,
                     "is not one that kpred knows (fp8, compressed-tensors, gptq, awq, mxfp4, "
                     "quark): "
                     "--quant says what the weights are");
}

static int says_any(const struct hf_config *c)
{
    return hf_find(c, method) != NULL || hf_find(c, fp8_block) != NULL
           || hf_find(c, "quantization_config") != NULL;
}

int quantization_read(struct hf_config *c, enum quantization_kind asked, struct quantization *out)
{
    /* Some models with images have it within text_config, where vLLM looks if there is none at the
       top. */
    struct hf_config top = {.inner = "", .json = c->json};
    const struct hf_config text = {.inner = "text_config.", .json = c->json};
    if (!says_any(&top) && says_any(&text))
        top = text;
    *out = (struct quantization){.kind = asked};
    if (asked == QUANTIZATIONS) {
        out->kind = QUANTIZED_NOT;
        return read_method(&top, out);
    }
    if ((asked == QUANTIZED_FP8 || asked == QUANTIZED_FP8_BLOCK)
        && hf_find(&top, fp8_block) != NULL)
        return read_block(&top, fp8_block, out);
    if (asked == QUANTIZED_FP8_BLOCK)
        out->block[0] = out->block[1] = 128;
    return 0;
}

/* ---- FP8 in blocks of 128 x 128 ---- */

int quantization_check_blocks(struct hf_config *c, int *is_said)
{
    const int is_compressed = is_text(c, method, "compressed-tensors");
    const char *block = is_compressed ? compressed_block : fp8_block;
    struct quantization q;
    *is_said = hf_find(c, method) != NULL || hf_find(c, fp8_block) != NULL;
    if (*is_said && !is_compressed && !is_text(c, method, "fp8"))
        return hf_refuse(c, method, "should be fp8 or compressed-tensors");
    if (quantization_read(c, QUANTIZATIONS, &q) != 0)
        return -1;
    if (is_compressed && q.kind != QUANTIZED_FP8_BLOCK)
        return hf_refuse(c, is_text(c, WEIGHTS "type", "float") ? strategy : WEIGHTS "type",
                         "should be that of FP8 in blocks");
    if (*is_said && (q.block[0] != 128 || q.block[1] != 128))
        return hf_refuse(c, block, "should be [128,128], the blocks of AITER's kernels");
    return 0;
}

/* ---- what stays in 16 bits ---- */

/* Facts of vLLM 0.33.0 (is_layer_skipped, find_matching_patterns) and SGLang 0.5.23
   (is_layer_skipped, check_equal_or_regex_match): a name is that of a module, such as
   model.layers.0.mlp.gate, for SGLang a part of it, or behind `re:` a pattern of Python's. */

enum { MOST_PATTERNS = 64, MOST_LAYERS = 512 };

/* One that takes long, that Python refuses, or that means something else to the C library, is
   refused. */
static int is_plain_pattern(const char *p)
{
    enum { MOST = 512, MOST_REPEATS = 64, MOST_STARS = 24, MOST_GROUPS = 4 };
    int repeats = 0, stars = 0, groups = 0, is_set = 0;
    for (const char *s = p; *s != '\0'; s++) {
        is_set = *s == '[' || (is_set && *s != ']');
        if (*s == '{'
            && (++repeats > 2 || strtol(s + 1, NULL, 10) > MOST_REPEATS
                || strtol(s + strcspn(s, ",}") + 1, NULL, 10) > MOST_REPEATS))
            return 0;
        if (*s == '(' && s[1] == '?' && s[2] != ':')
            return 0;
        stars += !is_set && strchr("*+?", *s) != NULL;
        groups += !is_set && *s == ')' && s[1] != '\0' && strchr("*+{", s[1]) != NULL;
        if (stars > MOST_STARS || groups > MOST_GROUPS
            || (!is_set && strchr("*+?}", *s) != NULL && s[1] != '\0'
                && strchr("*+{", s[1]) != NULL))
            return 0;
        if (*s == '\\'
            && (*++s == '\0' || strchr(is_set ? ".-\\" : "dws.()[]{}*+?|^$\\-", *s) == NULL))
            return 0;
    }
    return strlen(p) <= MOST;
}

/* From the beginning of the text on; whether a part is lazy does not matter. */
static void add_posix(struct buf *b, const char *p)
{
    static const char *const other[][2] = {{"\\d", "[0-9]"}, {"\\w", "[0-9A-Za-z_]"},
                                           {"\\s", "[ \t]"}, {"\\-", "-"},
                                           {"(?:", "("},     {"*?", "*"},
                                           {"+?", "+"}};
    enum { OTHER = sizeof other / sizeof *other };
    buf_puts(b, "^(");
    for (size_t n; *p != '\0'; p += n) {
        int i = 0;
        while (i < OTHER && strncmp(p, other[i][0], strlen(other[i][0])) != 0)
            i++;
        n = i < OTHER ? strlen(other[i][0]) : 1 + (*p == '\\');
        buf_add(b, i < OTHER ? other[i][1] : p, i < OTHER ? strlen(other[i][1]) : n);
    }
    buf_puts(b, ")");
}

static int add_pattern(struct ignored *g, struct hf_config *c, const char *key, const char *pattern)
{
    struct buf b = {NULL, 0, 0};
    add_posix(&b, pattern);
    g->pattern = xrealloc(g->pattern, g->n + 1, sizeof *g->pattern);
    const int is_good = g->n < MOST_PATTERNS && is_plain_pattern(pattern)
                        && regcomp(&g->pattern[g->n], b.s, REG_EXTENDED | REG_NOSUB) == 0;
    buf_free(&b);
    g->n += (size_t)is_good;
    return is_good
               ? 0
               : hf_refuse(c, key, "has \"re:%.60s\", a pattern that kpred cannot read", pattern);
}

/* One expert stands for all. */
static int add_name(struct ignored *g, struct hf_config *c, const char *key, char *name)
{
    char *expert = strstr(name, ".experts.");
    if (strncmp(name, "re:", 3) == 0)
        return add_pattern(g, c, key, name + 3);
    if (expert != NULL)
        expert[strlen(".experts")] = '\0';
    intern_text(&g->names, name);
    return 0;
}

/* Of strings' escapes a list has those of patterns and paths alone. */
static int add_list(struct ignored *g, struct hf_config *c, const char *key)
{
    struct buf name = {NULL, 0, 0};
    const char *s = hf_list(c, key, 1);
    int rc = c->is_bad ? -1 : 0;
    while (rc == 0 && hf_list_next(&s, &name))
        rc = add_name(g, c, key, name.s);
    buf_free(&name);
    return rc;
}

int ignored_read(struct ignored *g, struct hf_config *c, int is_sglang)
{
    static const char *const keys[] = {"ignored_layers", "modules_to_not_convert", "ignore",
                                       "exclude"};
    struct hf_config at = {.inner = "quantization_config.", .json = c->json};
    int rc = 0;
    memset(g, 0, sizeof *g);
    if (hf_find(&at, "quant_method") == NULL)
        at.inner = "text_config.quantization_config.";
    for (int i = 0; i < 4 && rc == 0; i++) {
        rc = add_list(g, &at, keys[i]);
        if (is_sglang && g->by == MATCHES_WHOLE && g->names.n != 0)
            g->by = i < 2 ? MATCHES_PART : MATCHES_END;
    }
    return rc;
}

void ignored_free(struct ignored *g)
{
    for (size_t i = 0; i < g->n; i++)
        regfree(&g->pattern[i]);
    free(g->pattern);
    intern_free(&g->names);
}

/* ---- what stays in 16 bits: a module ---- */

/* Parts are the names between points. */
static int has_path(const struct ignored *g, const char *path)
{
    const size_t all = strlen(path);
    size_t from = 0;
    do {
        size_t to = g->by == MATCHES_PART ? from : all;
        do {
            to = to == all ? all : to + 1 + strcspn(path + to + 1, ".");
            if (intern_find(&g->names, path + from, to - from) != INTERN_NONE)
                return 1;
        } while (to < all);
        from += strcspn(path + from, ".") + 1;
    } while (g->by != MATCHES_WHOLE && from < all);
    for (size_t i = 0; i < g->n; i++)
        if (regexec(&g->pattern[i], path, 0, NULL, 0) == 0)
            return 1;
    return 0;
}

/* Where modules of a kind lie, blanks between; `-`: in the layer itself */
static const char *folders_of(const char *module)
{
    static const char *const kinds[][2] = {{"in_proj", "linear_attn"},
                                           {"out_proj", "linear_attn"},
                                           {"experts", "mlp feed_forward block_sparse_moe moe"},
                                           {"share", "mlp feed_forward -"},
                                           {"gate_", "mlp feed_forward"},
                                           {"up_proj", "mlp feed_forward"},
                                           {"down_proj", "mlp feed_forward"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(module, kinds[i][0], strlen(kinds[i][0])) == 0)
            return kinds[i][1];
    return "self_attn attention";
}

static int is_ignored(const struct ignored *g, int layer, const char *module)
{
    static const char *const heads[] = {"model", "model.language_model", "language_model.model"};
    int is = 0;
    for (int i = 0; i < 3 && !is; i++)
        for (const char *f = folders_of(module); *f != '\0' && !is; f += strspn(f, " ")) {
            struct buf path = {NULL, 0, 0};
            const size_t n = strcspn(f, " ");
            buf_printf(&path, "%s.layers.%d.", heads[i], layer);
            if (*f != '-')
                buf_printf(&path, "%.*s.", (int)n, f);
            buf_puts(&path, module);
            is = has_path(g, path.s);
            buf_free(&path);
            f += n;
        }
    return is;
}

/* Of a fused one the list has the parts. */
static unsigned module_stays(const struct ignored *g, int layer, const char *module)
{
    static const char *const fused[][4] = {{"qkv_proj", "q_proj", "k_proj", "v_proj"},
                                           {"gate_up_proj", "gate_proj", "up_proj", NULL},
                                           {"in_proj_qkvz", "in_proj_qkv", "in_proj_z", NULL}};
    unsigned stays = 0;
    if (is_ignored(g, layer, module))
        return STAYS_PLAIN;
    for (int i = 0; i < 3; i++)
        for (int j = 1; ends_with(module, fused[i][0]) && j < 4 && fused[i][j] != NULL; j++) {
            struct buf part = {NULL, 0, 0};
            buf_printf(&part, "%.*s%s", (int)(strlen(module) - strlen(fused[i][0])), module,
                       fused[i][j]);
            stays |= is_ignored(g, layer, part.s) ? STAYS_PLAIN : STAYS_QUANTIZED;
            buf_free(&part);
        }
    return stays != 0 ? stays : STAYS_QUANTIZED;
}

/* Is the module in that one of the layers? */
static int is_there(struct hf_config *c, int layer, const char *module)
{
    const struct flat_value *types = hf_find(c, "layer_types");
    const char *at = types != NULL ? types->text : NULL, *folder = folders_of(module);
    const int is_sparse = strncmp(module, "share", 5) == 0 || strcmp(module, "experts") == 0;
    if (*folder == 'm')
        return is_sparse == (layer >= hf_dense_layers(c)) || hf_dense_layers(c) == 0;
    for (int i = 0; i < layer && at != NULL; i++)
        at = strchr(at + 1, ',');
    return at == NULL || (strncmp(at + 1, "\"linear", 7) == 0) == (*folder == 'l');
}

unsigned ignored_of(const struct ignored *g, struct hf_config *c, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_.";
    const int64_t layers = hf_number_or(c, "num_hidden_layers", 1, 1);
    unsigned found = 0;
    for (int i = 0; i < layers && i < MOST_LAYERS && (g->n != 0 || g->names.n != 0); i++) {
        unsigned stays = 0;
        for (const char *at = name; *(at += strcspn(at, letters)) != '\0';) {
            struct buf module = {NULL, 0, 0};
            buf_add(&module, at, strspn(at, letters));
            at += module.n;
            if (!names_has_word("and each fused up_proj", module.s) && is_there(c, i, module.s))
                stays |= module_stays(g, i, module.s);
            buf_free(&module);
        }
        found |= stays == (STAYS_PLAIN | STAYS_QUANTIZED) ? STAYS_MIXED : stays;
    }
    return found != 0 ? found : STAYS_QUANTIZED;
}
