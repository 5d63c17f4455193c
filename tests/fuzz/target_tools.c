/* target_tools.c - fuzz targets of logs, user perf-dbs, language models and command lines
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "aiter/hf_model.h"
#include "cli/commands.h"
#include "miopen/conv.h"
#include "miopen/user_db.h"
#include "model/model.h"

/* ---- the calls of MIOpenDriver in a log ---- */

/* A key that can be read is written as it was. */
static void through_key(const struct conv *conv)
{
    struct buf key = {0}, again = {0};
    struct conv back;
    char why[96];
    conv_add_key(conv, &key);
    if (conv_parse_key(key.s, key.n, &back, why) == 0) {
        FUZZ_REACHED(driver, "a key");
        conv_add_key(&back, &again);
        FUZZ_CHECK(strcmp(key.s, again.s) == 0);
    }
    buf_free(&key);
    buf_free(&again);
}

static void all_calls(struct buf *text)
{
    static const char directions[] = "FBW";
    struct driver_call call;
    enum driver_kind kind;
    char *at = text->s;
    while ((kind = driver_next(&at, &call)) != DRIVER_NONE)
        for (int i = 0; i < 3 && kind == DRIVER_CONV && !call.is_transposed; i++) {
            call.conv.dir = directions[i];
            through_key(&call.conv);
        }
}

/* As kpred predict --driver */
static void one_problem(const char *line)
{
    static struct model m;
    const struct given g = {.gpu = "gfx906", .driver = line, .nearest = 1};
    int32_t problem[KPRED_MAX_FIELDS];
    struct reason why;
    if (m.spec == NULL)
        FUZZ_CHECK(model_open("conv_solver", &m) == 0);
    if (given_problem(&g, &m, problem, &why) != 0)
        return;
    FUZZ_REACHED(driver, "a problem");
    for (uint32_t f = 0; f < m.m.n_fields; f++)
        FUZZ_CHECK(problem[f] >= m.fields[f].least && problem[f] <= m.fields[f].most);
}

FUZZ_TARGET(driver)
{
    struct buf text = fuzz_text(data, size);
    one_problem(text.s);
    all_calls(&text);
    buf_free(&text);
}

/* A whole log to a user perf-db */
FUZZ_TARGET(miopen)
{
    char *args[] = {"miopen", "--gpu", "gfx906_60", "--", fuzz_file("log.txt", data, size), NULL};
    if (cmd_miopen(5, args) == 0)
        FUZZ_REACHED(miopen, "lines for a log");
}

/* ---- user perf-dbs: merged into, they lose nothing, and a second time changes nothing ---- */

static void add_lines(struct user_db *u)
{
    memset(u, 0, sizeof *u);
    user_db_add(u, "64-28-28-1x1-128-28-28-16-0x0-1x1-1x1-0-NCHW-FP32-F",
                "ConvAsm1x1U:1,16,1,64,1,1,1,1;Other:2");
}

static struct buf merged(const char *path, int force, int *rc)
{
    struct user_db u;
    struct user_db_counts counts;
    struct buf out = {0};
    add_lines(&u);
    *rc = user_db_merge(&u, path, force, &counts);
    user_db_free(&u);
    if (*rc == 0)
        FUZZ_CHECK(read_file(path, 1 << 26, &out) == 0);
    return out;
}

static void merge_text(const uint8_t *data, size_t size, int force)
{
    const char *path = fuzz_file("gfx906_60.udb.txt", data, size);
    int rc;
    struct buf once = merged(path, force, &rc), twice = {0};
    if (rc == 0) {
        FUZZ_REACHED(user_db, "a merged text");
        twice = merged(path, force, &rc);
        FUZZ_CHECK(rc == 0 && once.n == twice.n && memcmp(once.s, twice.s, once.n) == 0);
    }
    buf_free(&once);
    buf_free(&twice);
}

static void merge_sqlite(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("gfx906_60.udb", data, size);
    struct user_db u, all = {0};
    struct user_db_counts counts;
    add_lines(&u);
    if (user_db_write_sqlite(&u, path, 1, &counts, &all) == 0)
        FUZZ_REACHED(user_db, "a merged database");
    for (size_t i = 0; i < all.n; i++) { /* each row is one entry, as in a text */
        const char *at = all.lines[i].entries;
        size_t n_solver, n_params;
        FUZZ_CHECK(user_db_next_entry(&at, &n_solver, &n_params) != NULL && *at == '\0');
    }
    user_db_free(&u);
    user_db_free(&all);
}

/* The first byte says whether SQLite's is meant. */
FUZZ_TARGET(user_db)
{
    const int kind = fuzz_kind(&data, &size);
    if (kind == 's')
        merge_sqlite(data, size);
    else
        merge_text(data, size, kind % 2);
}

/* ---- AITER's logs, untuned lists and tuned tables ---- */

/* The text up to a line --- is what --installed names, and what follows is a log. */
FUZZ_TARGET(aiter)
{
    struct buf text = fuzz_text(data, size);
    char *line = strstr(text.s, "\n---\n"), *log = line != NULL ? line + 5 : text.s + text.n;
    const size_t n = line != NULL ? (size_t)(line + 1 - text.s) : text.n;
    char *table = fuzz_file("a8w8_blockscale_tuned_gemm.csv", text.s, n);
    char *asked = fuzz_file("server.log", log, strlen(log));
    char *args[] = {"aiter",       "--gpu", "MI300X", "--exact", "--family", "a8w8_blockscale",
                    "--installed", table,   "--",     asked,     NULL};
    char *lists[] = {"aiter",           "--gpu", "MI300X", "--exact", "--family",
                     "a8w8_blockscale", "--",    table,    NULL};
    if (cmd_aiter(10, args) == 0)
        FUZZ_REACHED(aiter, "lines for a log");
    if (cmd_aiter(8, lists) == 0)
        FUZZ_REACHED(aiter, "lines for a list");
    buf_free(&text);
}

/* The config.json of a language model: its layers */

FUZZ_TARGET(hf_config)
{
    struct hf_config c;
    struct hf_layers layers;
    if (hf_config_read(fuzz_file("config.json", data, size), &c) == 0)
        for (int64_t tp = 1; tp <= 8; tp *= 8)
            if (hf_layers(&c, tp, &layers) == 0) {
                FUZZ_REACHED(hf_config, "layers");
                long m[] = {16, 1, 1 << 24};
                hf_list_write(stdout, &layers, m, 3);
            }
    flat_json_free(&c.json);
}

/* ---- command lines of kpred and kpred-train, an argument a line ---- */

enum { MOST_ARGS = 40 };

static const struct command table[] = {
    {"models", "", cmd_models},   {"predict", "", cmd_predict}, {"miopen", "", cmd_miopen},
    {"aiter", "", cmd_aiter},     {"bench", "", cmd_bench},     {"init", "", cmd_init},
    {"ingest", "", cmd_ingest},   {"train", "", cmd_train},     {"eval", "", cmd_eval},
    {"tune", "", cmd_tune},       {"merge", "", cmd_merge},     {"relayout", "", cmd_relayout},
    {"kernels", "", cmd_kernels}, {"shapes", "", cmd_shapes},   {NULL, NULL, NULL},
};

/* @NAME stands for a file that `seeds` has. */
static char *argument(char *word)
{
    struct buf bytes = {0};
    if (word[0] == '@' && fuzz_seed("file", word + 1, &bytes) == 0)
        word = fuzz_file(word + 1, bytes.s, bytes.n);
    buf_free(&bytes);
    return word;
}

/* They are kept from writing files, beginning processes and training. */
FUZZ_TARGET(commands)
{
    static char program[] = "kpred";
    struct buf text = fuzz_text(data, size), copy[MOST_ARGS];
    char *args[MOST_ARGS + 1] = {program}, *at = text.s, *line;
    int n = 1;
    for (; n < MOST_ARGS && (line = next_line(&at)) != NULL; n++) {
        line = argument(line);
        copy[n] = fuzz_text(line, strlen(line));
        args[n] = copy[n].s;
    }
    args[n] = NULL;
    jail_is_shut = 1;
    jail_refused = 0;
    const int status = commands_run("kpred", table, n, args);
    jail_is_shut = 0;
    FUZZ_CHECK(status >= 0 && status <= 2);
    if (status == 0)
        FUZZ_REACHED(commands, "the end of a command");
    if (jail_refused)
        FUZZ_REACHED(commands, "what the jail refuses");
    while (--n > 0)
        buf_free(&copy[n]);
    buf_free(&text);
}
