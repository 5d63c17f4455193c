/* test_serve.c - kpred serve: look-ups, what is there already, files, what it refuses
   SPDX-License-Identifier: MIT

   test_serve_zoo.py states the look-ups of whole models a second time. */
#include "harness/cases.h"

#include <fcntl.h>
#include <sys/file.h>

#define DEVICE "device_name=AMD_Instinct_MI300X"
#define MOE    "E=8,N=1792," DEVICE ".json"
#define OTHER  "E=8,N=3584," DEVICE ".json"
#define ROW(bm)                                                               \
    "{\"BLOCK_SIZE_M\": " bm ", \"BLOCK_SIZE_N\": 64, \"BLOCK_SIZE_K\": 64, " \
    "\"GROUP_SIZE_M\": 1, \"num_warps\": 4, \"num_stages\": 2, \"USE_TMA\": false}"

/* The config of tests/serve/configs.txt, changed by sed, as config.json */
static int put_config(const char *model, const char *script)
{
    const char *text = text_of(in_root("tests/serve/configs.txt"));
    const char *at = strstr(text, say("\n== %s\n", model));
    if (at == NULL)
        program_stop(model);
    at = strchr(at + 1, '\n') + 1;
    const char *end = strstr(at, "\n== ");
    put_text("whole.json", "%.*s", (int)(end != NULL ? end - at + 1 : (long)strlen(at)), at);
    if (*script == '\0') {
        put_text("config.json", "%s", text_of("whole.json"));
        return 1;
    }
    return edited("whole.json", "config.json", script);
}

static int serve(const char *options)
{
    return RAN("kpred serve %s --config config.json %s",
               has(options, "--gpu") ? "" : "--gpu MI300X", options);
}

/* Each, not the first alone */
static const char *all_replaced(const char *text, const char *from, const char *to)
{
    while (has(text, from))
        text = replaced(text, from, to);
    return text;
}

/* The column of keys, without the heading */
static const char *keys(void)
{
    struct buf *b = new_text();
    char *text = new_copy(program.out.s), *line;
    (void)next_line(&text);
    while ((line = next_line(&text)) != NULL) {
        const char *from = strstr(line, "E="), *key = from != NULL ? from : strstr(line, "N=");
        const char *end = key != NULL ? strstr(key, ".json") : NULL;
        buf_printf(b, "%s%.*s", b->n != 0 ? "\n" : "", end != NULL ? (int)(end - key) + 5 : 0,
                   end != NULL ? key : "");
    }
    return b->s;
}

static void asks(char *const *c)
{
    const char *wanted = all_replaced(with_newlines(c[3]), ",D", "," DEVICE);
    const int is_made = put_config(c[0], c[1]);
    const int status = serve(say("--csv --dry-run --triton 3.5.1 %s", c[2]));
    RAN_CASE(is_made && status == 0 && strcmp(keys(), wanted) == 0,
             say("%s %s %s: %s", c[0], c[1], c[2], wanted));
}

/* The keys of AITER's look-ups, and those of models that are always there with their answers */
static const char *aiter_keys(void)
{
    struct buf *b = new_text();
    char *text = new_copy(program.out.s), *line;
    while ((line = next_line(&text)) != NULL) {
        const char *at = strstr(line, ",aiter,"), *key = at != NULL ? at + 7 : NULL;
        const int is_quoted = key != NULL && *key == '"';
        const char *end = key != NULL ? strchr(key + is_quoted, is_quoted ? '"' : ',') : NULL;
        if (end == NULL)
            continue;
        buf_printf(b, "%s%.*s", b->n != 0 ? "\n" : "", (int)(end - key) - is_quoted,
                   key + is_quoted);
        end += is_quoted + 1;
        if (key[is_quoted] == 'a')
            buf_printf(b, " %.*s", (int)strcspn(end, ","), end);
    }
    return b->s;
}

static void aiter(char *const *c)
{
    static const char *const words[][2] = {{"NO", "False,BF16,BF16,False,False"},
                                           {"SILU", "ActivationType.Silu,BF16"},
                                           {"BF16", "torch.bfloat16"},
                                           {"FNUZ", "torch.float8_e4m3fnuz"},
                                           {"FN", "torch.float8_e4m3fn"},
                                           {"FP4", "torch.float4_e2m1fn_x2"}};
    const char *wanted = with_newlines(c[3]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wanted = all_replaced(wanted, words[i][0], words[i][1]);
    const int is_made = put_config(c[0], c[1]);
    const int status = serve(say("--csv --dry-run --server vllm --aiter %s", c[2]));
    RAN_CASE(is_made && status == 0 && strcmp(aiter_keys(), wanted) == 0,
             say("%s %s %s: %s", c[0], c[1], c[2], wanted));
}

static void says(char *const *c, int is_refused)
{
    const int is_made = put_config(c[0], c[1]);
    remove_tree("dir");
    const int status = serve(say("%s %s", is_refused ? "-o dir" : "--dry-run", c[2]));
    const char *all = say("%s%s", program.out.s, program.err.s);
    RAN_CASE(is_made && status == is_refused && !is_there("dir")
                 && (!is_refused || program.out.n == 0)
                 && is_like(all, say("(.|\n)*%s(.|\n)*", with_newlines(c[3]))),
             say("%s %s %s: %s", c[0], c[1], c[2], c[3]));
}

/* ---- files ---- */

static const char *files_of(const char *folder)
{
    RAN("/usr/bin/env find %s -type f -printf '%%P\n'", folder);
    return sorted(program.out.s);
}

static void writes(char *const *c)
{
    remove_tree("dir");
    put_text("log", "%s\n", all_replaced(with_newlines(c[0]), "ESC", "\033"));
    const int status = RAN("kpred serve -o dir %s log", c[1]);
    RAN_CASE(status == 0 && strcmp(files_of("dir"), say("%s\n", with_newlines(c[2]))) == 0,
             say("%s: %s", c[1], c[2]));
}

/* Nothing is written, unless --force goes on. */
static void is_of_other(char *const *c)
{
    remove_tree("dir");
    put_text("log", "%s\n", with_newlines(c[0]));
    RAN_CASE(RAN("kpred serve -o dir %s log", c[1]) == 1 && !is_there("dir")
                 && has(program.err.s, c[2]) && RAN("kpred serve -o dir --force %s log", c[1]) == 0
                 && is_there("dir/kpred.json"),
             c[2]);
}

static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "asks") == 0)
        asks(c);
    else if (strcmp(kind, "other") == 0)
        is_of_other(c);
    else if (strcmp(kind, "aiter") == 0)
        aiter(c);
    else if (strcmp(kind, "says") == 0 || strcmp(kind, "refuses") == 0)
        says(c, kind[0] == 'r');
    else
        writes(c);
}

static void options(void)
{
    put_config("mixtral", "");
    REFUSES("a config and a log", 2, "not both",
            "kpred serve --gpu H100 --config config.json --dry-run log");
    REFUSES("a config without a server", 2, "--server",
            "kpred serve --gpu H100 --config config.json --dry-run");
    REFUSES("no folder", 2, "-o DIR", "kpred serve --gpu H100 --server vllm --config config.json");
    REFUSES("--compiled alone", 2, "--compiled: it names AITER's kernels",
            "kpred serve --gpu MI300X --compiled config.json --dry-run");
    REFUSES("an unknown quantisation", 2, "--quant",
            "kpred serve --gpu H100 --server vllm --config config.json --quant fp9 --dry-run");
}

/* Files with measured rows stay, and nothing else is written. */
static void kept(void)
{
    static const char other[] = "dir/kpred.json: is there already and is of another GPU or ";
    static const char *const notes[][2] = {
        {"s/MI300X\",/H100\",/", other},
        {"s/\"triton\": \"/&3/", other},
        {"6s/...$//;7,$d", "dir/kpred.json:6: cannot be read: the line is not as kpred writes it"},
        {"1s/$/\"a\": 1}/;2,$d", "dir/kpred.json:1: cannot be read"},
        {"$d", "dir/kpred.json:8: cannot be read"}};
    put_config("mixtral", "");
    remove_tree("dir");
    RAN_CASE(serve("--server vllm --tp 8 -o dir") == 0 && is_there("dir/" MOE)
                 && is_like(program.err.s, "(.|\n)*export VLLM_TUNED_CONFIG_FOLDER=/[^\n]*/dir\n"),
             "a file, and an absolute path");
    RAN_CASE(serve("--server vllm --tp 8 -o dir") == 0, "the same again");
    RAN_CASE(serve("--server vllm --tp 4 -o dir") == 0 && is_there("dir/" OTHER)
                 && lines_like(text_of("dir/kpred.json"), "    .\"file\": .*\\}\\},?") == 2
                 && has(text_of("dir/kpred.json"), "}},\n    {\"file\": \"" MOE "\""),
             "kpred.json keeps what it says of the files of another run");
    put_text("notes", "%s", text_of("dir/kpred.json"));
    for (size_t i = 0; i < COUNT(notes); i++) {
        CASE(edited("notes", "dir/kpred.json", notes[i][0]), "%s", notes[i][0]);
        const char *text = text_of("dir/kpred.json");
        RAN_CASE(serve("--server vllm --tp 4 -o dir") == 1 && has(program.err.s, notes[i][1])
                     && strcmp(text_of("dir/kpred.json"), text) == 0,
                 notes[i][0]);
    }
    put_text("dir/kpred.json", "%s", text_of("notes"));
    put_text("dir/" MOE, "mine");
    RAN_CASE(serve("--server vllm --tp 8 -o dir") == 1 && has(program.err.s, "--force replaces it")
                 && strcmp(text_of("dir/" MOE), "mine") == 0,
             "what is there stays");
    RAN_CASE(serve("--server vllm --tp 8 -o dir --force") == 0
                 && strcmp(text_of("dir/" MOE), "mine") != 0,
             "--force");
    remove_tree("dir");
    RAN_CASE(serve("--server vllm --tp 8 --dry-run -o dir") == 0 && !is_there("dir"), "--dry-run");
    RUNS("kpred serve --gpu MI300X --server vllm --config config.json --tp 8 -o dir");
    remove("dir/" MOE);
    RUNS("/usr/bin/env mkdir dir/" MOE);
    RAN_CASE(serve("--server vllm --tp 8 -o dir") == 1
                 && has_line(program.err.s, "kpred: 1 of 2 files is written; left out: " MOE),
             "what an earlier run wrote counts as written");
    remove_tree("dir");
    RUNS("/usr/bin/env mkdir -p dir/kpred.json");
    RAN_CASE(serve("--server vllm --tp 8 -o dir") == 1 && is_there("dir/" MOE)
                 && has_line(program.err.s, "kpred: 1 of 2 files is written; left out: kpred.json"),
             "what is left out after a failure is told");
    remove_tree("dir");
    put_text("file", "x");
    RAN_CASE(serve("--server vllm --tp 8 -o file") == 1 && has(program.err.s, "cannot make"),
             "a file in place of the folder");
    RUNS("/usr/bin/env ln -s nowhere link");
    RAN_CASE(serve("--server vllm --tp 8 -o link") == 1
                 && has(program.err.s, "cannot make the folder: File exists"),
             "why a folder cannot be made");
}

/* The text without these characters */
static const char *without(const char *text, const char *characters)
{
    struct buf *b = new_text();
    for (; *text != '\0'; text++)
        if (strchr(characters, *text) == NULL)
            buf_add(b, text, 1);
    return b->s;
}

/* Measured rows stay as they are, and predicted ones stand outside of them. */
static void known(void)
{
    static const char members[] = "\"note\": \"a\\\"b\\\\c\\nd\", \"we\\\"ird\\\\\": 5, \"big\": "
                                  "123456789012345678901234567890, "
                                  "\"f\": 1e-3, \"t\": true, \"n\": null, \"a\": {\"b\": [1, {}]}, "
                                  "\"a.b\": -0.0, \"u\": \"\\u00e9\"";
    remove_tree("known");
    mkdir("known", 0777);
    put_text("known/" MOE, "{\"16\": " ROW("48") ", \"256\": " ROW("16") "}");
    remove_tree("dir");
    RAN_CASE(serve("--server vllm --tp 8 --known known -o dir") == 0
                 && has(program.out.s, " measured "),
             "--known is measured");
    const char *text = text_of("dir/" MOE), *notes = text_of("dir/kpred.json");
    CASE(has(text, "\"16\": {\n        \"BLOCK_SIZE_M\": 48,") && has(text, "\"8\": {")
             && has(text, "\"512\": {") && !has(text, "\"64\": {")
             && has(text, "\"USE_TMA\": false"),
         "rows outside of the measured ones alone");
    CASE(has(notes, "\"measured\": [16, 256]") && has(notes, MOE)
             && has(notes, "\"model\": \"fused_moe_amd\""),
         "kpred.json tells which is which");
    put_text("known/" MOE,
             "{\"triton_version\": \"3\\\"x\", \"16\": {%s}, \"32\": 1, \"1.5\": {\"a\": 1}}",
             members);
    RAN_CASE(
        serve("--server vllm --tp 8 --known known -o dir --force") == 0
            && has(program.err.s, "2 rows are left out, the first: known/" MOE)
            && has(without(text_of("dir/" MOE), " \n"), say("\"16\":{%s}", without(members, " "))),
        "members as the file has them, and rows that are none are left out");
}

/* What cannot be read is told once, and what remains is used. */
static void broken_files(void)
{
    static const char *const broken[][2] = {{"", "is empty"},
                                            {"[]", ":1:1: expected an object"},
                                            {"{\"16\": {\"BLOCK", ":1:15: the text ends"},
                                            {"{\"16\": {}}", ":1:8: 16: has no tuple"},
                                            {"{\"16\": 1}", ":1:8: 16: expected an object"}};
    for (size_t i = 0; i < COUNT(broken); i++) {
        put_text("known/" MOE, "%s", broken[i][0]);
        RAN_CASE(serve("--server vllm --tp 8 --known known -o dir --force") == 0
                     && lines_like(program.err.s, "a file is left out: known/E=8") == 1
                     && has(program.err.s, broken[i][1]) && is_there("dir/" MOE),
                 broken[i][1]);
    }
    RUNS("/usr/bin/env mkdir -p known/deep");
    RUNS("/usr/bin/env ln -s .. known/deep/loop");
    put_text("known/deep/" MOE, "{\"16\": " ROW("48") "}");
    remove("known/" MOE);
    RUNS("/usr/bin/env mkfifo known/" MOE);
    RAN_CASE(serve("--server vllm --tp 8 --known known -o dir --force") == 0
                 && has(program.err.s, MOE ": is no regular file")
                 && has(program.err.s, "1 look-up: 1 measured"),
             "a pipe, a link that leads back, and another file of the name");
    remove_tree("known");
}

#define RUN_INTO "kpred serve --gpu MI300X --server vllm --config config.json --tp %d --top 2 -o "
#define TRITON   "E=8,N=4096,device_name=NVIDIA_H200.json"

/* Each run into a folder waits for the one before: no row and no file of kpred.json is lost. */
static void several_runs(void)
{
    pid_t child[4];
    int status = 0;
    remove_tree("dir");
    for (int i = 0; i < 4; i++)
        RUNS(RUN_INTO "one", 1 << i);
    for (int i = 0; i < 4; i++)
        child[i] = START(RUN_INTO "dir", 1 << i);
    for (int i = 0; i < 4; i++)
        status |= FINISH(child[i]);
    CASE(status == 0
             && strcmp(sorted(text_of("one/candidates_triton.csv")),
                       sorted(text_of("dir/candidates_triton.csv")))
                    == 0
             && count_lines(text_of("one/kpred.json")) == count_lines(text_of("dir/kpred.json")),
         "four runs at a time lose nothing");
    const int fd = open("dir", O_RDONLY | O_CLOEXEC), is_locked = flock(fd, LOCK_EX) == 0;
    child[0] = START(RUN_INTO "dir --force", 8);
    child[1] = START("kpred triton -o dir " TRITON);
    sleep(1);
    const int waits = is_locked && !is_there("dir/" TRITON);
    close(fd);
    status = FINISH(child[0]) | FINISH(child[1]);
    RAN_CASE(waits && status == 0 && is_there("dir/" TRITON)
                 && has(program.err.s, "dir: another program writes there: this one waits for it"),
             "a lock is waited for");
    remove_tree("one");
    remove_tree("dir");
}

/* SGLang's own files are hidden by the variable: those of the GPU go along. */
static void installed(void)
{
    remove_tree("own");
    remove_tree("dir");
    RAN("/usr/bin/env mkdir -p own/configs/triton_3_4_0 own/configs/triton_3_5_1");
    put_text("own/configs/triton_3_4_0/" MOE, "{\"1\": " ROW("16") "}");
    put_text("own/configs/triton_3_5_1/E=9,N=64," DEVICE ".json", "{\"1\": " ROW("16") "}");
    put_text("own/configs/triton_3_5_1/E=9,N=64,device_name=NVIDIA_H200.json", "{}");
    RAN_CASE(serve("--server sglang --tp 8 --installed own -o dir") == 0
                 && has(program.err.s, "2 look-ups: 2 measured")
                 && has(program.err.s, "the folder is triton_3_5_1"),
             "--installed answers both products");
    CASE(strcmp(files_of("dir"),
                "configs/triton_3_4_0/" MOE "\nconfigs/triton_3_5_1/E=8,N=1792," DEVICE
                ".json\nconfigs/triton_3_5_1/E=8,N=1792," DEVICE
                "_down.json\nconfigs/triton_3_5_1/E=9,N=64," DEVICE ".json\nkpred.json\n")
             == 0,
         "files of the GPU, and of the newest version");
    CASE(!has(text_of("dir/configs/triton_3_5_1/E=8,N=1792," DEVICE "_down.json"), "TMA"),
         "the second product has no TMA");
    remove_tree("dir");
    RAN_CASE(serve("--server vllm --tp 8 --installed own -o dir") == 0 && is_there("dir/" MOE),
             "they are not vLLM's");
    put_text("own/" MOE, "{\"1\": " ROW("16") "}");
    remove_tree("dir");
    RAN_CASE(serve("--server vllm --tp 8 --installed own -o dir") == 0
                 && has(program.err.s, "nothing to write") && !is_there("dir"),
             "vLLM has it");
}

/* ---- --top ---- */

static size_t rows_of(const char *size)
{
    return (size_t)lines_like(text_of("dir/candidates_triton.csv"),
                              say("vllm,.E=8,N=%s,device_name=.*", size));
}

/* The table of tuples to measure */
static void top(void)
{
    put_config("mixtral", "");
    remove_tree("dir");
    RAN_CASE(serve("--server vllm --tp 8 --top 3 -o dir") == 0 && rows_of("1792") == 18 * 3
                 && has(program.err.s, "dir/candidates_triton.csv alone"),
             "three tuples of each M");
    RAN_CASE(serve("--server vllm --tp 8 --top 3 -o dir") == 0 && rows_of("1792") == 18 * 3,
             "the same again");
    RAN_CASE(serve("--server vllm --tp 4 --top 2 -o dir") == 0 && rows_of("1792") == 18 * 3
                 && rows_of("3584") == 18 * 2,
             "the rows of an earlier run stay");
    RAN_CASE(serve("--server vllm --tp 8 --top 2 -o dir") == 1
                 && has(program.err.s, "candidates_triton.csv: is there already")
                 && rows_of("1792") == 18 * 3,
             "fewer tuples do not replace more");
    RAN_CASE(serve("--server vllm --tp 8 --top 2 -o dir --force") == 0 && rows_of("1792") == 18 * 2
                 && rows_of("3584") == 18 * 2,
             "--force, with the others");
    RAN_CASE(serve("--server vllm --tp 8 --top 4 -o dir") == 0 && rows_of("1792") == 18 * 4,
             "more tuples, with those that are there");
    put_text("log", "Config file not found at %s",
             "/a/N=2048,K=4096,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json");
    RAN_CASE(RAN("kpred serve --gpu H200 --server vllm --top 32 -o blocks log") == 0
                 && count_lines(text_of("blocks/candidates_triton.csv")) > 18 * 30
                 && lines_like(text_of("blocks/candidates_triton.csv"),
                               ".*,(256|512|1024),[0-9]+,[48],[2-5],,,")
                        == 0,
             "no tuple that loads one scale for two blocks");
    RUNS("/usr/bin/env sed -i 1s/file/name/ dir/candidates_triton.csv");
    RAN_CASE(serve("--server vllm --tp 8 --top 4 -o dir") == 1
                 && has(text_of("dir/candidates_triton.csv"), "server,name,"),
             "a table with another heading stays");
    put_text("dir/candidates_triton.csv", "mine\n");
    RAN_CASE(serve("--server vllm --tp 8 --top 4 -o dir") == 1
                 && strcmp(text_of("dir/candidates_triton.csv"), "mine\n") == 0,
             "another table stays");
    remove_tree("dir");
    RAN_CASE(serve("--server vllm --quant int8_w8a8 --top 4 -o dir") == 0
                 && has(program.err.s, ".json: no candidates: the model fused_moe_amd does ")
                 && !has(program.err.s, "kpred_tune") && !is_there("dir/candidates_triton.csv"),
             "no model");
    remove_tree("dir");
    RAN_CASE(serve("--server sglang --top 4 -o dir") == 0 && !has(program.err.s, "no candidates")
                 && !has(text_of("dir/candidates_triton.csv"), "_down"),
             "the second product is tuned with the first one");
    RUNS("/usr/bin/env mkdir -p own");
    put_text("own/" MOE, "{\"1\": " ROW("16") "}");
    RAN_CASE(serve("--server vllm --tp 8 --installed own --top 4 -o dir --force") == 0
                 && has(program.err.s, "nothing to write but the candidates")
                 && rows_of("1792") == 18 * 4,
             "a measured file is to be measured again");
    REFUSES("no tuple", 2, "--top",
            "kpred serve --gpu H100 --server vllm --config config.json --dry-run --top 0");
    REFUSES("too many", 2, "--top",
            "kpred serve --gpu H100 --server vllm --config config.json --dry-run --top 33");
}

/* ---- AITER's tables ---- */

#define TABLE  "a8w8_blockscale_tuned_gemm.csv"
#define OTHERS TABLE ":[^\n]*/dir/" TABLE "\n"
#define MISS                                                               \
    "shape is M:16, N:1536, K:7168, not found tuned config in /tmp/" TABLE \
    ", will use default config!"
#define KERNEL                                                                                 \
    "a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_" \
    "intrawave_v1"
#define NO_TRITON "Using default MoE config. Config file not found at /a/" MOE

/* Those of kpred aiter, byte by byte, beside the files of Triton's kernels */
static void tables(void)
{
    remove_tree("dir");
    put_text("log", "%s\n[TP1] %s[TP1] %s\nshape is M:16, N:1\n", NO_TRITON, MISS, MISS);
    RUNS("kpred aiter --gpu MI300X -o alone.csv log");
    RUNS("/usr/bin/env mkdir dir");
    put_text("dir/" TABLE, "%s", "");
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter -o dir < log") == 0
                 && has(program.err.s, "1 line: begins like one of AITER's and is cut off")
                 && has(program.err.s, "2 look-ups: 2 predicted"),
             "a log with lines of both");
    RAN_CASE(RAN("kpred serve --gpu MI300X --dry-run log") == 0
                 && has_line(program.err.s,
                             "kpred: 1 line of AITER's tables is left out: --aiter answers them"),
             "what is left out without --aiter is told");
    put_text("aiter.log", "%s\n", MISS);
    RAN_CASE(RAN("kpred serve --gpu MI300X --dry-run aiter.log") == 1
                 && has(program.err.s, "and 1 of AITER's tables: `kpred serve --aiter`"),
             "a log of AITER's lines alone names --aiter");
    CASE(strcmp(files_of("dir"), MOE "\n" TABLE "\nkpred.json\n") == 0
             && strcmp(text_of("dir/" TABLE), text_of("alone.csv")) == 0,
         "the table of kpred aiter");
    const char *notes = text_of("dir/kpred.json");
    CASE(has(notes, "{\"file\": \"" TABLE "\", \"server\": \"aiter\", "
                    "\"key\": \"a8w8_blockscale N=1536,K=7168\", \"layer\": \"log\", ")
             && has(notes, "\"rows\": {\"predicted\": [1, 2, 4, 8, 16, 32, "),
         "kpred.json tells of its rows");
    put_text("log", "%s\n", replaced(MISS, "1536", "512"));
    RUNS("kpred aiter --gpu MI300X -o other.csv log");
    struct buf *both = new_text();
    buf_puts(both, text_of("other.csv"));
    buf_puts(both, strchr(text_of("alone.csv"), '\n') + 1);
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter -o dir log") == 0
                 && strcmp(text_of("dir/" TABLE), both->s) == 0
                 && has(text_of("dir/kpred.json"), "N=1536,K=7168\"")
                 && has(text_of("dir/kpred.json"), "N=512,K=7168\"")
                 && has(text_of("dir/kpred.json"), MOE),
             "a later run keeps the rows of other layers");
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter -o dir log") == 0
                 && count_lines(text_of("dir/" TABLE)) == 2 * 95 + 1
                 && count_lines(text_of("dir/kpred.json")) == 5 + 3 + 2,
             "and has no row twice");
    put_text("dir/" TABLE, "%s", replaced(text_of("alone.csv"), ",999999.0,", ",5.0,"));
    put_text("log", "%s\n%s\n", NO_TRITON, MISS);
    remove("dir/" MOE);
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter -o dir log") == 1
                 && has(program.err.s, TABLE ":2: us: value \"5.0\"") && !is_there("dir/" MOE),
             "measured rows stay, and nothing is written");
    put_text("names", "%s\n", KERNEL);
    put_text("log", "%s\n", replaced(MISS, "1536", "768"));
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter --compiled names -o named log") == 0
                 && lines_like(text_of("named/" TABLE), ".*,768,7168,ck,.*," KERNEL ",.*") == 95,
             "kernels that are compiled in alone");
    put_text("log", "nothing\n");
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter -o dir log") == 1
                 && has(program.err.s, "no line tells of a missing file or of a missing row"),
             "a log without a line");
}

/* Candidates for AITER's tuner, beside the same tables */
static void top_tables(void)
{
    put_text("log", "%s\n%s\n", MISS, replaced(MISS, "1536", "512"));
    remove_tree("dir");
    RUNS("kpred serve --gpu MI300X --aiter -o dir log");
    const char *table = text_of("dir/" TABLE), *notes = text_of("dir/kpred.json");
    RUNS("kpred aiter --gpu MI300X --top 3 -o other log");
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter --top 3 -o dir log") == 0
                 && has(program.err.s, "dir/candidates_a8w8_blockscale.csv alone"),
             "candidates of AITER");
    CASE(strcmp(text_of("dir/" TABLE), table) == 0 && strcmp(text_of("dir/kpred.json"), notes) == 0,
         "the same table");
    CASE(strcmp(text_of("dir/candidates_a8w8_blockscale.csv"),
                text_of("other/candidates_a8w8_blockscale.csv"))
             == 0,
         "as kpred aiter has them");
}

/* From there to the end of the line */
static const char *line_at(const char *text, const char *from)
{
    const char *line = strstr(text, from);
    return say("%.*s\n", (int)strcspn(line, "\n"), line);
}

/* Rows of both folders are left out, and the variable has their tables before the new one. */
static void measured_tables(void)
{
    remove_tree("dir");
    remove_tree("own");
    remove_tree("known");
    RUNS("/usr/bin/env mkdir -p own/aiter/configs/model_configs known");
    const char *text = text_of("alone.csv");
    put_text("own/aiter/configs/" TABLE, "%s%s", line_at(text, "gfx,"),
             replaced(line_at(text, "gfx942,304,32,"), ",999999.0,", ",5.0,"));
    put_text("own/aiter/configs/model_configs/untuned_" TABLE, "M,N,K\n");
    put_text("own/aiter/configs/chunk_gdn_h_opt_tuned.csv", "gfx,us\n");
    put_text("known/my_" TABLE, "%s%s", line_at(text, "gfx,"), line_at(text, "gfx942,304,48,"));
    put_text("log", "%s\n", MISS);
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter --known known --installed own -o dir log") == 0
                 && has(program.out.s, " 2 M are measured")
                 && has(program.err.s, "left out: --installed: own/aiter/configs/chunk_gdn_h_opt"),
             "measured rows, and a table of another family");
    CASE(is_like(program.err.s,
                 "(.|\n)*export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=/[^\n:]*/own/aiter/"
                 "configs/" TABLE ":/[^\n:]*/known/my_" OTHERS "(.|\n)*"),
         "the variable");
    text = text_of("dir/" TABLE);
    CASE(has(text, ",16,1536,") && !has(text, ",32,1536,") && !has(text, ",48,1536,"),
         "rows of no table alone");
    put_text("dir/" TABLE, "%s", text_of("alone.csv"));
    put_text("log", "%s\n", replaced(MISS, "1536", "512"));
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter --known known -o dir log") == 0
                 && has(text_of("dir/" TABLE), ",32,1536,")
                 && !has(text_of("dir/" TABLE), ",48,1536,") && !has(program.err.s, "export AITER"),
             "no row of an earlier run that a table has, and no line that hides AITER's tables");
    put_text("log", "%s\n", replaced(MISS, "1536", "768"));
    RAN_CASE(RAN("kpred serve --gpu MI300X --aiter --installed known:dir -o dir log") == 1
                 && has(program.err.s, TABLE),
             "a table to write among the inputs");
    put_config("qwen3_30b", "");
    remove_tree("dir");
    RAN_CASE(serve("--gpu MI355X --server vllm --aiter --quant fp8_channel -o dir") == 0
                 && lines_like(program.err.s, "  export AITER_REBUILD=1") == 1,
             "a rebuild is said once");
}

int main(void)
{
    program_begin();
    each_row("tests/serve/serve.cases", see_case);
    options();
    kept();
    known();
    broken_files();
    several_runs();
    installed();
    top();
    tables();
    measured_tables();
    top_tables();
    return program_end();
}
