/* test_aiter_model.c - kpred-train aiter: AITER's list of shapes from a language model's config
   SPDX-License-Identifier: MIT

   The configs are hf_*.json; they have the sizes of the models that they are named for. */
#include "harness/cases.h"

#define DS       "deepseek_v3"
#define DS32     "deepseek_v32"
#define QWEN     "qwen3_235b"
#define VL       "qwen3_vl_32b"
#define RANGE    "it should be an integer from "
#define COUNT(a) (sizeof(a) / sizeof *(a))

static int list(const char *model, int tp, const char *options)
{
    return RAN("kpred-train aiter --model hf_%s.json --tp %d %s", model, tp, options);
}

/* These pairs of N and K, and no others */
static void gives(const char *model, int tp, const char *pairs)
{
    struct buf b = {0};
    buf_puts(&b, "M,N,K\n1,");
    for (const char *p = pairs; *p != '\0'; p++)
        if (*p == ' ')
            buf_puts(&b, "\n1,");
        else
            buf_add(&b, p, 1);
    buf_puts(&b, "\n");
    RAN_CASE(list(model, tp, "--m 1") == 0 && strcmp(program.out.s, b.s) == 0,
             say("%s on %d: %s", model, tp, pairs));
    buf_free(&b);
}

/* A config made of another one by sed */
static const char *made(const char *model, const char *name, const char *script)
{
    CASE(edited(say("hf_%s.json", model), say("hf_%s.json", name), script), "%s of %s", name,
         model);
    return name;
}

static void layers(void)
{
    gives(DS, 8,
          "256,7168 512,7168 576,7168 1536,7168 2112,7168 3072,1536 4096,512 4608,7168 "
          "7168,256 7168,2048 7168,2304");
    gives(DS, 1,
          "576,7168 1536,7168 2048,7168 2112,7168 4096,7168 7168,2048 7168,16384 7168,18432 "
          "24576,1536 32768,512 36864,7168");
    gives(QWEN, 4, "2304,4096 4096,2048"); /* no dense layer */
    gives(QWEN, 8, "1280,4096 4096,1024"); /* as many heads of keys as there are */
    gives("llama", 8, "1280,8192 7168,8192 8192,1024 8192,3584");
    gives(made(QWEN, "some", "s/\"mlp_only_layers\": \\[\\]/\"mlp_only_layers\": [0]/"), 4,
          "2304,4096 4096,2048 4096,3072 6144,4096");
    gives(made(QWEN, "step", "s/\"decoder_sparse_step\": 1/\"decoder_sparse_step\": 2/"), 4,
          "2304,4096 4096,2048 4096,3072 6144,4096");
    /* neither dense layers nor shared experts */
    gives(made(DS, "bare",
               "s/\"first_k_dense_replace\": 3/\"first_k_dense_replace\": 0/;"
               "s/\"n_shared_experts\": 1/\"n_shared_experts\": null/"),
          8, "576,7168 1536,7168 2112,7168 3072,1536 4096,512 7168,2048");
    made(DS, "rank", "s/\"q_lora_rank\": 1536/\"q_lora_rank\": null/");
    RAN_CASE(list("rank", 8, "--m 1") == 0 && lines_like(program.out.s, "^1,(.*,1536|2112,.*)") == 0
                 && has_line(program.out.s, "1,3072,7168"),
             "queries of the hidden state");
    gives(VL, 8, "1280,5120 5120,1024 5120,3200 6400,5120"); /* sizes in an inner object */
    gives(made(VL, "vl_moe", "s/qwen3_vl/qwen3_vl_moe/"), 8, "1280,5120 5120,1024");
    gives("minimax_m2", 4, "2048,3072 3072,1536"); /* routed experts alone */
    /* o_proj and down_proj have one size there. */
    gives(made("llama", "same", "s/28672/8192/; 1s/{/{\"time_step_limit\": [0.0, Infinity],/"), 8,
          "1280,8192 2048,8192 8192,1024");
    made("llama", "known",
         "s/\"vocab_size\": 128256/\"layer_types\": [\"full_attention\", "
         "\"sliding_attention\"]/");
    gives("known", 8, "1280,8192 7168,8192 8192,1024 8192,3584");
}

/* Each pair of AITER's own list or table comes out on 1, 2, 4 or 8 GPUs. */
static void covers(const char *model, const char *table)
{
    char path[2048];
    int made_all = 1;
    snprintf(path, sizeof path, "%s/%s.csv.bz2", folder_of("AITER_CSV", "../shared/aiter"), table);
    if (!has_command("python3") || !is_there(path)) {
        skip_case(say("AITER's %s", table), "there is no python3, or no such file in AITER_CSV");
        return;
    }
    for (int tp = 1; tp <= 8; tp *= 2)
        made_all = made_all && list(model, tp, say("-o %d.csv --force", tp)) == 0;
    RAN_CASE(made_all
                 && WORKS("/usr/bin/env python3 %s %s 1.csv 2.csv 4.csv 8.csv",
                          in_root("tests/aiter/hf_pairs.py"), path),
             say("AITER's %s", table));
}

static void own_lists(void)
{
    covers(DS, "model_configs.a8w8_blockscale_untuned_gemm_ds_v3");
    covers(QWEN, "model_configs.a8w8_blockscale_untuned_gemm_qwen3_235b");
    covers(DS32, "model_configs.a8w8_blockscale_bpreshuffle_untuned_gemm_dsv3");
    covers("glm5", "model_configs.a8w8_blockscale_tuned_gemm_glm5_1");
    covers(VL, "model_configs.a8w8_blockscale_tuned_gemm_qwen3_vl_32b");
    covers("minimax_m2", "a8w8_blockscale_tuned_gemm");
}

static void rows_and_files(void)
{
    RAN_CASE(list(QWEN, 4, "") == 0 && strncmp(program.out.s, "M,N,K\n", 6) == 0
                 && count_lines(program.out.s) == 33
                 && has_lines(program.out.s, "1,2304,4096|32768,4096,2048")
                 && has_line(program.err.s, "kpred-train: 32 rows")
                 && lines_like(program.err.s, "N = 2304, K = 4096: qkv_proj$") == 1
                 && has(program.err.s, "routed experts are left out")
                 && !has(program.err.s, "no quantization_config"),
             "a row for each M, and what is said of it");
    list(QWEN, 4, "> list");
    RUNS("/usr/bin/env sort -u list -o list");
    CASE(count_lines(text_of("list")) == 33, "no row twice");
    RAN_CASE(list("llama", 8, "--m 16,1,16") == 0
                 && has(program.err.s, "hf_llama.json has no quantization_config")
                 && !has(program.err.s, "routed experts") && count_lines(program.out.s) == 9
                 && lines_like(program.out.s, "^1,") == 4 && lines_like(program.out.s, "^16,") == 4
                 && has(program.out.s, "M,N,K\n1,1280,8192\n16,1280,8192\n1,7168,8192\n16,"),
             "--m, sorted and none twice");
    list("llama", 4, "> four");
    RAN_CASE(list("llama", 8, "-o a.csv") == 0 && list("llama", 4, "-o a.csv --force") == 0
                 && strcmp(text_of("a.csv"), text_of("four")) == 0,
             "--force replaces a list");
    REFUSES("-o alone replaces nothing", 1, "a.csv: is there already; --force replaces it",
            "kpred-train aiter --model hf_llama.json --tp 8 -o a.csv");
    CASE(strcmp(text_of("a.csv"), text_of("four")) == 0, "the file stays");
    REFUSES("the output is the config", 1, "hf_llama.json",
            "kpred-train aiter --model hf_llama.json --tp 8 -o hf_llama.json --force");
}

/* ---- what it refuses ---- */

/* The config changed so is refused with that message, and nothing is written. */
static void bad(const char *model, int tp, const char *script, const char *text)
{
    const char *config = say("hf_%s.json", model);
    const int is_made = *script == '\0' || edited(config, "hf_bad.json", script);
    remove("out.csv");
    if (*script == '\0')
        put_text("hf_bad.json", "%s", text_of(config));
    RAN_CASE(is_made
                 && program_refuses(1, text,
                                    "kpred-train aiter --model hf_bad.json --tp %d -o out.csv", tp)
                 && !is_there("out.csv"),
             say("%s: %s", script, text));
}

/* So is another value of a key. */
static void bad_value(const char *model, int tp, const char *key, const char *value,
                      const char *why)
{
    const size_t quote = *value == '"';
    const char *name = strrchr(key, '.') != NULL ? strrchr(key, '.') + 1 : key;
    bad(model, tp,
        say("s/\"%s\": *\\(\"[^\"]*\"\\|[0-9.]*[0-9]\\|{.*}\\|\\[[^]]*]\\)/\"%s\": %s/", name, name,
            value),
        say(": %s: value \"%.*s\": %s", key, (int)(strlen(value) - 2 * quote), value + quote, why));
}

static void bad_sizes(void)
{
    static const char *const keys[] = {
        "hidden_size",  "intermediate_size", "moe_intermediate_size", "num_attention_heads",
        "kv_lora_rank", "qk_rope_head_dim",  "qk_nope_head_dim",      "v_head_dim"};
    static const char *const values[] = {"0",     "-1",   "1.5", "16777217",
                                         "\"8\"", "null", "[8]", "true"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        bad(DS, 8, say("/\"%s\"/d", keys[i]),
            say("hf_bad.json: the config has no \"%s\": " RANGE "1 to 16777216", keys[i]));
        for (size_t j = 0; j < COUNT(values); j++)
            bad_value(DS, 8, keys[i], values[j], RANGE "1 to 16777216");
    }
}

static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "value") == 0)
        bad_value(c[0], atoi(c[1]), c[2], c[3], c[4]);
    else
        bad(c[0], atoi(c[1]), c[2], c[3]);
}

static void bad_lines(void)
{
    static const struct refusal rows[] = {
        {"no such file", 1, "nowhere.json", "kpred-train aiter --model nowhere.json --tp 8"},
        {"no --tp", 2, "--tp", "kpred-train aiter --model hf_llama.json"},
        {"--tp 0", 2, "--tp", "kpred-train aiter --model hf_llama.json --tp 0"},
        {"--m 0", 2, "--m", "kpred-train aiter --model hf_llama.json --tp 8 --m 0"},
        {"--m beyond", 2, "--m", "kpred-train aiter --model hf_llama.json --tp 8 --m 16777217"},
        {"no --model", 2, "--model", "kpred-train aiter --tp 8"}};
    refuse_each(rows, COUNT(rows));
}

int main(void)
{
    static const char *const configs[] = {DS, DS32, "glm5", "llama", "minimax_m2", QWEN, VL};
    program_begin();
    if (has_library("JANSSON")) {
        for (size_t i = 0; i < COUNT(configs); i++)
            put_text(say("hf_%s.json", configs[i]), "%s",
                     text_of(in_root(say("tests/aiter/hf_%s.json", configs[i]))));
        layers();
        own_lists();
        rows_and_files();
        bad_sizes();
        each_row("tests/aiter/aiter_model.cases", see_case);
        bad_lines();
    } else
        skip_case("lists of a model's shapes", "there is no jansson");
    return program_end();
}
