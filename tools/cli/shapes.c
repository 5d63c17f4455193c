/* shapes.c - `kpred-train shapes`: a language model's config to AITER's list of shapes
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "aiter/hf_model.h"
#include "base/util.h"

#include <stdlib.h>

enum { POWERS = 16 }; /* of 2, which AITER's lists have: 1 .. 32768 */

struct options {
    const char *config, *output;
    long tp;
    struct opt_counts m;
    int force;
};

struct list {
    struct hf_layers layers;
    int says_blocks; /* the config says that weights are FP8 in blocks of 128 x 128 */
};

static void shapes_tell(const struct options *o, const struct list *list, size_t rows)
{
    const struct hf_layers *layers = &list->layers;
    for (size_t i = 0; i < layers->n; i++)
        note("N = %lld, K = %lld: %s", (long long)layers->v[i].n, (long long)layers->v[i].k,
             layers->v[i].name);
    if (layers->has_routed_experts)
        note("routed experts are left out: AITER has fused MoE kernels for them");
    if (!list->says_blocks)
        note("%s has no quantization_config: the list is of use if the server makes FP8 of it in "
             "blocks of 128 x 128",
             o->config);
    note("%zu %s", rows, as_counted(rows, "row", "rows"));
}

static int write(struct options *o, const struct list *list)
{
    struct outfile out;
    if (out_open_kept(&out, o->output, o->force) != 0)
        return -1;
    const size_t rows = hf_list_write(out.f, &list->layers, o->m.v, o->m.n);
    if (out_commit(&out) != 0)
        return -1;
    shapes_tell(o, list, rows);
    return 0;
}

static int shapes_run(struct options *o)
{
    const struct output to = {"-o", o->output};
    struct hf_config config;
    struct list list;
    if (outputs_check_input(&to, 1, "--config", o->config) != 0)
        return -1;
    if (o->m.n == 0)
        for (int i = 0; i < POWERS; i++)
            o->m.v[o->m.n++] = 1L << i;
    const int bad = hf_config_read(o->config, &config) != 0
                    || quantization_check_blocks(&config, &list.says_blocks) != 0
                    || hf_layers(&config, o->tp, &list.layers) != 0 || write(o, &list) != 0;
    flat_json_free(&config.json);
    return bad ? -1 : 0;
}

int cmd_shapes(int argc, char **argv)
{
    struct options o = {0};
    const struct opt table[] = {
        OPT_SAYS("Writes AITER's untuned list, M,N,K, of a language model's matrix products in FP8 "
                 "with a scale for each block of 128 x 128 weights. `kpred aiter` makes a tuned "
                 "table of it."),
        OPT(TEXT, "--config CONFIG.json", &o.config,
            "the config of the model on Hugging Face; its model_type is one of bailing_moe, "
            "bailing_moe_v2, deepseek_v2, deepseek_v3, deepseek_v32, ernie4_5_moe, glm4_moe, "
            "glm4_moe_lite, glm_moe_dsa, gpt_oss, hunyuan_v1_moe, kimi_k2, kimi_k25, llama, "
            "llama4, minimax_m2, mistral, mixtral, qwen2, qwen3, qwen3_5, qwen3_5_moe, "
            "qwen3_moe, qwen3_next, qwen3_vl, qwen3_vl_moe, step3_text, step3_vl. Another one, or "
            "a layer that is not known, is an error"),
        OPT_RANGE(COUNT, "--tp N", &o.tp, 1, 4096,
                  "on how many GPUs a server splits each layer (tensor parallelism)"),
        OPT_RANGE(COUNTS, "[--m M,...]", &o.m, 1, HF_MOST,
                  "numbers of tokens; default: 1, 2, 4 and so on to 32768"),
        OUTPUT_OPTIONS("FILE.csv", &o.output, &o.force),
        OPT_SAYS("Standard error tells which layer has which N and K. Routed experts are left out, "
                 "for which AITER has fused MoE kernels, and so are routers, embeddings and the "
                 "output layer, which are not in FP8."),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0 && outputs_check_force(o.force, o.output) != 0)
        status = 2;
    return status < 0 ? shapes_run(&o) != 0 : status;
}
