/* test_triton_files.c - kpred triton: the servers' own choices, names, logs, bytes and folders
   SPDX-License-Identifier: MIT */
#include "harness/cases.h"

#include "triton/triton.h"

#define CASES "tests/triton/triton_files.cases"
#define H200  "E=8,N=4096,device_name=NVIDIA_H200.json"
#define WARNING \
    "Using default MoE config. Performance might be sub-optimal! Config file not found at /my/"

/* ---- what needs no model ---- */

static struct triton_name read_name(const char *path)
{
    struct triton_name name;
    if (triton_name_read(&name, path) != 0)
        program_stop(path);
    if (name.server == TRITON_N_SERVERS)
        name.server = TRITON_VLLM;
    return name;
}

static void see_name(const char *path, const char *want)
{
    struct triton_name n;
    char text[512];
    if (triton_name_read(&n, path) != 0) {
        CASE(0, "%s: is read", path);
        return;
    }
    snprintf(text, sizeof text, "%s %s %d %d %d %d %d %d %s %s",
             n.server == TRITON_N_SERVERS ? "?" : triton_servers[n.server],
             triton_families[n.kernel], (int)n.e, (int)n.n, (int)n.k, (int)n.block[0],
             (int)n.block[1], n.per_channel, n.device, n.dtype);
    CASE(strcmp(text, want) == 0, "%s: %s", path, text);
}

static void see_no_name(const char *path, const char *want)
{
    struct triton_name n;
    struct buf *why = new_text();
    CASE(triton_name_parse(&n, path, why) == -1 && begins(why->s, want), "%s: %s", path, why->s);
}

/* The first six members */
static void has_default(const char *path, const char *m, const char *expected)
{
    const struct triton_name name = read_name(path);
    struct triton_gpu gpu;
    struct triton_config c;
    const char *got = "none";
    if (triton_gpu_find(&gpu, name.device) == 0 && default_config(&c, &name, &gpu, atoi(m)))
        got = say("%d %d %d %d %d %d", c.v[0], c.v[1], c.v[2], c.v[3], c.v[4], c.v[5]);
    CASE(strcmp(got, expected) == 0, "%s, M %s: %s, not %s", path, m, expected, got);
}

/* As the original: {"M": {members}} with four blanks for each depth, and an end of line */
static void has_bytes(const char *path, char *values, const char *members)
{
    const struct triton_name name = read_name(path);
    struct choices c = {.n = 2};
    struct buf got = {0}, rows = {0}, wanted = {0};
    size_t n = 0;
    for (char *at = values, *end; *at != '\0' && n < TRITON_N_MEMBERS; at = end)
        c.v[0].config.v[n++] = (int32_t)strtol(at, &end, 10);
    c.v[1] = c.v[0];
    c.v[0].m = 1;
    c.v[1].m = 4096;
    for (size_t i = 0, k = 0; i < n; i++) {
        const size_t length = strlen(triton_members[i]);
        if (strncmp(members + k, triton_members[i], length) != 0)
            continue;
        buf_printf(&rows, "%s        \"%s\": %d", k != 0 ? ",\n" : "", triton_members[i],
                   c.v[0].config.v[i]);
        k += length + (members[k + length] == ' ');
    }
    buf_printf(&wanted, "{\n    \"1\": {\n%s\n    },\n    \"4096\": {\n%s\n    }\n}\n", rows.s,
               rows.s);
    triton_text(&got, &name, &c, NULL);
    CASE(strcmp(got.s, wanted.s) == 0, "%s: the bytes of its tuner", path);
    buf_free(&got);
    buf_free(&rows);
    buf_free(&wanted);
}

/* Far from the share that the rule asks for, which may change */
static void rule(void)
{
    static const struct {
        struct weighed w;
        enum choice_kind kind;
    } rows[] = {
        {{0, 0, 0, 1000, 1000}, CHOICE_MODEL},      {{0, 0, 0, 1000, 400}, CHOICE_CAUTIOUS},
        {{1, 1, 1000, 1000, 1000}, CHOICE_MODEL},   {{1, 1, 1000, 1000, 400}, CHOICE_CAUTIOUS},
        {{1, 0, 0, 1000, 1000}, CHOICE_MODEL},      {{1, 0, 10, 1000, 400}, CHOICE_CAUTIOUS},
        {{1, 0, 1000, 1000, 1000}, CHOICE_DEFAULT}, {{1, 0, 1 << 23, 1 << 23, 400}, CHOICE_DEFAULT},
        {{0, 0, 0, 1000, 990}, CHOICE_MODEL},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CASE(choices_rule(&rows[i].w) == rows[i].kind, "the rule, row %zu", i);
}

/* ---- the command ---- */

static int triton(const char *options, const char *arguments)
{
    return RAN("kpred triton -M 1,64 --always-predict %s %s", options, arguments);
}

/* The files below the folder, sorted */
static const char *files_of(const char *folder)
{
    RAN("/usr/bin/env find %s -type f -printf '%%P\n'", folder);
    return sorted(program.out.s);
}

/* Arguments without a name of a file take the log as a file, others from standard input. */
static void writes(const char *arguments, const char *log, const char *files)
{
    remove_tree("dir");
    put_text("log", "%s\n", with_newlines(log));
    const int status =
        triton("-o dir", say("%s%s log", arguments, has(arguments, ".json") ? " <" : ""));
    RAN_CASE(status == 0 && strcmp(files_of("dir"), say("%s\n", with_newlines(files))) == 0,
             say("%s: %s", arguments, log));
}

static void refuses(const char *arguments, const char *pattern)
{
    remove_tree("dir");
    RAN_CASE(triton("-o dir", arguments) == 1 && program.out.n == 0 && !is_there("dir")
                 && is_like(program.err.s,
                            say("(.*\n)?kpred: [^\n]*%s[^\n]*\n", with_newlines(pattern))),
             say("%s: %s", arguments, pattern));
}

/* Alone it is an error; beside a good line it is counted. */
static void leaves_out(const char *line, const char *why)
{
    put_text("log", "\n%s\n", line);
    refuses("log", say("%s \\(first: log:2\\)", why));
    put_text("log", "\n%s\nConfig file not found at " H200 "\n%s\n", line, line);
    const int is_done =
        triton("-o dir", "log") == 0
        && lines_like(program.err.s, say("[12] .*: %s \\(first: log:2\\)$", why)) == 1;
    RAN_CASE(is_done && is_there("dir/" H200), say("left out: %s", why));
}

static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "default") == 0)
        has_default(c[0], c[1], c[2]);
    else if (strcmp(kind, "tuner") == 0)
        has_bytes(c[0], c[1], c[2]);
    else if (strcmp(kind, "writes") == 0)
        writes(c[0], c[1], c[2]);
    else if (strcmp(kind, "refuses") == 0)
        refuses(c[0], c[1]);
    else if (strcmp(kind, "name") == 0)
        see_name(c[0], c[1]);
    else if (strcmp(kind, "noname") == 0)
        see_no_name(c[0], c[1]);
    else
        leaves_out(c[0], c[1]);
}

/* ---- the command: what is written ---- */

static void outputs(void)
{
    remove_tree("dir");
    RAN_CASE(triton("", H200) == 0 && has(program.out.s, "{\n    \"1\": {\n        \"BLOCK"),
             "standard output takes one file");
    put_bytes("wanted", program.out.s, program.out.n);
    RAN_CASE(triton("-o dir", H200) == 0 && same_files("dir/" H200, "wanted")
                 && has(program.err.s, "  export VLLM_TUNED_CONFIG_FOLDER=/")
                 && has(program.err.s, "/dir\n"),
             "a folder, and its variable");
    RAN_CASE(triton("-o dir", H200) == 0 && same_files("dir/" H200, "wanted"), "the same again");
    put_text("dir/" H200, "mine");
    RAN_CASE(triton("-o dir", H200) == 1 && has(program.err.s, "--force replaces it")
                 && strcmp(text_of("dir/" H200), "mine") == 0,
             "other tuples stay");
    RAN_CASE(triton("-o dir --force", H200) == 0 && same_files("dir/" H200, "wanted"), "--force");
    put_text("log", WARNING "%s\n", H200);
    REFUSES("another GPU", 1, "log:1: the log names NVIDIA_H200, and --gpu says NVIDIA_L40S",
            "kpred triton --gpu NVIDIA_L40S log");
    REFUSES("two files", 1, "-o DIR takes all", "kpred triton --server vllm " H200 " %s",
            replaced(H200, "8", "16"));
    put_text("log", WARNING "%s, \n" WARNING "%s\nother\n", H200, H200);
    RAN_CASE(triton("", "log") == 0 && strcmp(program.out.s, text_of("wanted")) == 0
                 && has_line(program.err.s, "kpred: 3 lines, 2 names of a missing file: 1 distinct")
                 && !has(program.err.s, "not say"),
             "a name is one, and the words around it tell the server");
    RAN_CASE(triton("", "E=16777216,N=16777216,device_name=AMD_Instinct_MI300X.json") == 0
                 && has(program.err.s, "; 2 M lie outside the range trained on (E 8..256, N "
                                       "128..16384)\n"),
             "sizes that no row has, without a promise");
    RAN_CASE(RAN("kpred triton -M 1,58369 " H200) == 0
                 && has(program.err.s, "; 1 M lies outside the range trained on (M 1..58368); for "
                                       "the others a tuning should agree in "),
             "an M that is larger than all");
    RAN_CASE(triton("--triton 3.5.1", H200) == 0
                 && begins(program.out.s, "{\n    \"triton_version\": \"3.5.1\",\n    \"1\": {"),
             "vLLM's MoE says the version of Triton");
    RAN_CASE(triton("--triton 3.5.1 --server sglang", H200) == 0
                 && !has(program.out.s, "triton_version"),
             "no reader of SGLang takes it");
}

/* The pieces of a file, each of an M, that another one has otherwise */
static size_t differences(const char *a, const char *b)
{
    size_t n = 0;
    char *one = new_copy(a), *other = new_copy(b);
    for (char *p = strtok(one, "}"), *next; p != NULL; p = next) {
        const char *key = strstr(p, "\"");
        next = p + strlen(p) + 1;
        n += key != NULL && strstr(other, key) == NULL;
        next = strtok(NULL, "}");
    }
    return n;
}

/* --always-predict changes just what is told as the server's own. */
static void defaults(void)
{
    static const char *const names[] = {
        H200, "E=128,N=768,device_name=AMD_Instinct_MI300X.json",
        "N=4096,K=7168,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[128,128].json"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const int status = RAN("kpred triton %s", names[i]);
        const char *at = strstr(program.err.s, " default"), *written = new_copy(program.out.s);
        while (at != NULL && at[-1] >= '0' && at[-1] <= '9')
            at--;
        const size_t told = at != NULL ? (size_t)atoi(at) : 0;
        CHECK(at == NULL || strstr(program.err.s, "nearly as probable") != NULL);
        RAN_CASE(status == 0 && WORKS("kpred triton --always-predict %s", names[i])
                     && count_of(program.out.s, "BLOCK_SIZE_M") == 18
                     && differences(written, program.out.s) == told,
                 names[i]);
    }
}

enum { CELLS = 16 };

static size_t cut(char *line, char *cell[CELLS])
{
    size_t n = 0;
    for (char *p = strtok(line, ","); p != NULL && n < CELLS; p = strtok(NULL, ","))
        cell[n++] = p;
    return n;
}

/* The beginning of a file with that tuple, of which the heading names the cells */
static void add_file(struct buf *b, char *const heading[CELLS], char *const cell[CELLS], size_t n)
{
    buf_puts(b, "{\n    \"1\": {");
    for (int i = 0; i <= TRITON_NUM_STAGES; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(heading[k], triton_members[i]) == 0)
                buf_printf(b, "%s\n        \"%s\": %s", i != 0 ? "," : "", heading[k], cell[k]);
}

/* A tuple of the model, each member by its name */
static void is_predicted(void)
{
    char *heading[CELLS], *cell[CELLS];
    const char *written = triton("", H200) == 0 ? new_copy(program.out.s) : "";
    RAN("kpred predict fused_moe_nvidia server=vllm gpu=H200 dtype=bf16 block=0 per_channel=0 E=8 "
        "N=4096 M=1 -k 32 --csv");
    char *next = new_copy(program.out.s), *line = next_line(&next);
    const size_t n = line != NULL ? cut(line, heading) : 0;
    int found = 0;
    while ((line = next_line(&next)) != NULL && cut(line, cell) == n) {
        struct buf *b = new_text();
        add_file(b, heading, cell, n);
        found |= begins(written, b->s);
    }
    RAN_CASE(found, "a tuple of the model");
}

/* What is written is what kpred-train reads: the numbers of each piece, in their order. */
static void round_trip(void)
{
    struct buf *wanted = new_text();
    put_text("moe.spec",
             "[kernel]\nname = moe\n[data]\nformat = triton\nfamily = moe\n[fields]\nM = size\n"
             "[params]\nBLOCK_SIZE_M = 16 32 64 128 256\nBLOCK_SIZE_N = 16 32 64 128 256\n"
             "BLOCK_SIZE_K = 16 32 64 128 256\nGROUP_SIZE_M = 1 2 4 8 16 32 64\n"
             "num_warps = 1 2 4 8\nnum_stages = 1 2 3 4 5\n[split]\nconfig = M\nshape = M\n");
    remove_tree("dir");
    const int status = triton("-o dir --triton 3.5.1", H200);
    const char *p = strstr(text_of("dir/" H200), "\"1\"");
    for (size_t n = 0; p != NULL && *p != '\0'; p++) {
        if (*p < '0' || *p > '9')
            continue;
        char *end;
        buf_printf(wanted, "%s%ld", n % 7 == 0 ? "\n" : ",", strtol(p, &end, 10));
        n++;
        p = end - 1;
    }
    buf_puts(wanted, "\n");
    NEEDS("python3");
    RAN_CHECK(status == 0 && WORKS("kpred-train ingest moe.spec --data dir/%s -o rows.csv", H200)
              && has(text_of("rows.csv"), wanted->s));
}

int main(void)
{
    static const char *const models[] = {"fused_moe_amd", "fused_moe_nvidia", "block_gemm_amd",
                                         "block_gemm_nvidia"};
    int has_all = 1;
    program_begin();
    each_row_of(CASES, "name", see_case);
    each_row_of(CASES, "noname", see_case);
    each_row_of(CASES, "default", see_case);
    each_row_of(CASES, "tuner", see_case);
    rule();
    for (size_t i = 0; i < COUNT(models); i++)
        has_all = has_all && is_there(in_root(say("weights/%s.h", models[i])));
    if (has_all) {
        each_row_of(CASES, "writes", see_case);
        each_row_of(CASES, "refuses", see_case);
        each_row_of(CASES, "log", see_case);
        outputs();
        defaults();
        is_predicted();
        test_run("format = triton reads what is written", round_trip);
    } else
        skip_case("kpred triton", "a model of weights/ is not there");
    return program_end();
}
