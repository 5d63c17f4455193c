/* test_shapes.c - kpred-train shapes: AITER's list of shapes from a language model's config
   SPDX-License-Identifier: MIT

   The configs are those of hf_configs.txt, and hf_deepseek_v3.json. shapes.cases has what is
   made of them, and what is refused; test_aiter.py compares them with AITER's own lists. */
#include "harness/cases.h"

#define DS    "deepseek_v3"
#define QWEN  "qwen3_235b"
#define RANGE "it should be an integer from "

static int list(const char *model, int tp, const char *options)
{
    return RAN("kpred-train shapes --config hf_%s.json --tp %d %s", model, tp, options);
}

/* A list for a config that sed has changed: these pairs of N and K, and no others */
static void gives(const char *model, int tp, const char *script, const char *pairs)
{
    struct buf *b = new_text();
    buf_puts(b, "M,N,K\n1,");
    for (const char *p = pairs; *p != '\0'; p++)
        if (*p == ' ')
            buf_puts(b, "\n1,");
        else
            buf_add(b, p, 1);
    buf_puts(b, "\n");
    if (*script != '\0'
        && CASE(edited(say("hf_%s.json", model), "hf_made.json", script), "sed %s of %s", script,
                model))
        model = "made";
    RAN_CASE(list(model, tp, "--m 1") == 0 && strcmp(program.out.s, b->s) == 0,
             say("%s on %d: %s", model, tp, pairs));
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
            "kpred-train shapes --config hf_llama.json --tp 8 -o a.csv");
    CASE(strcmp(text_of("a.csv"), text_of("four")) == 0, "the file stays");
    REFUSES("the output is the config", 1, "hf_llama.json",
            "kpred-train shapes --config hf_llama.json --tp 8 -o hf_llama.json --force");
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
                 && program_refuses(
                     1, text, "kpred-train shapes --config hf_bad.json --tp %d -o out.csv", tp)
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
    if (strcmp(kind, "list") == 0)
        gives(c[0], atoi(c[1]), c[2], c[3]);
    else if (strcmp(kind, "value") == 0)
        bad_value(c[0], atoi(c[1]), c[2], c[3], c[4]);
    else if (strcmp(kind, "line") == 0)
        REFUSES(c[2], atoi(c[0]), c[1], "kpred-train shapes %s", c[2]);
    else
        bad(c[0], atoi(c[1]), c[2], c[3]);
}

/* Each text below a line `== NAME` as hf_NAME.json */
static void put_configs(void)
{
    char *text = new_copy(text_of(in_root("tests/aiter/hf_configs.txt")));
    for (char *at = strstr(text, "\n== "), *next; at != NULL; at = next) {
        char *line = strchr(at + 1, '\n');
        next = strstr(line, "\n== ");
        put_text(say("hf_%.*s.json", (int)(line - at) - 4, at + 4), "%.*s",
                 (int)((next != NULL ? (size_t)(next - line) : strlen(line)) - (next == NULL)),
                 line + 1);
    }
    put_copy("hf_" DS ".json", in_root("tests/aiter/hf_" DS ".json"));
}

int main(void)
{
    program_begin();
    put_configs();
    rows_and_files();
    bad_sizes();
    each_row("tests/aiter/shapes.cases", see_case);
    return program_end();
}
