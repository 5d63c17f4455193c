/* quantization.c - how a model's weights are quantised, by its config
   SPDX-License-Identifier: MIT */
#include "hf_model.h"

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
    if (v != NULL && v->kind == FLAT_INTEGER && v->number == 8)
        q->kind = QUANTIZED_INT8_WEIGHTS;
    else if (v != NULL && v->kind == FLAT_INTEGER && v->number == 4)
        q->kind = QUANTIZED_INT4_WEIGHTS;
    else
        return hf_refuse(c, key, "should be 4 or 8");
    return 0;
}

/* Is there a member whose name begins so? */
static const struct flat_value *find_begin(const struct hf_config *c, const char *begin)
{
    struct buf full = {NULL, 0, 0};
    const struct flat_value *found = NULL;
    buf_printf(&full, "%s%s", c->inner, begin);
    for (size_t i = 0; i < c->json.n && found == NULL; i++)
        if (strncmp(c->json.v[i].name, full.s, full.n) == 0)
            found = &c->json.v[i];
    buf_free(&full);
    return found;
}

/* Of AMD's quantiser: a type for all layers alone */
static int read_quark(struct hf_config *c, struct quantization *q)
{
    static const char type[] = CONFIG "global_quant_config.weight.dtype",
                      scheme[] = CONFIG "global_quant_config.weight.qscheme";
    if (find_begin(c, CONFIG "layer_quant_config.") != NULL)
        return hf_refuse(c, method, "is quark with types by layer: --quant says what they are");
    if (is_text(c, type, "fp4"))
        q->kind = QUANTIZED_MXFP4;
    else if (is_text(c, type, "fp8_e4m3") && is_text(c, scheme, "per_tensor"))
        q->kind = QUANTIZED_FP8;
    else if (is_text(c, type, "fp8_e4m3") && is_text(c, scheme, "per_channel"))
        q->kind = QUANTIZED_FP8_CHANNEL;
    else
        return hf_refuse(c, type, "is not one that kpred knows: --quant says what the weights are");
    return 0;
}

static int read_compressed(struct hf_config *c, struct quantization *q)
{
    static const char of_inputs[] = CONFIG "config_groups.group_0.input_activations.num_bits";
    if (find_begin(c, CONFIG "config_groups.group_1.") != NULL)
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
    if (is_text(c, method, "fp8")) {
        q->kind = QUANTIZED_FP8;
        return hf_find(c, fp8_block) != NULL ? read_block(c, fp8_block, q) : 0;
    }
    if (is_text(c, method, "mxfp4")) {
        q->kind = QUANTIZED_MXFP4;
        q->is_of_experts = 1;
        return 0;
    }
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
