/* names.c - the names of Triton configuration files, read and written
   SPDX-License-Identifier: MIT */
#include "names.h"

#include "kpred.h"

#include <stdlib.h>
#include <string.h>

const char *const triton_servers[TRITON_N_SERVERS] = {"vllm", "sglang"};

static const char down[] = "_down";
static const char channelwise[] = "channelwise"; /* a GEMM that SGLang alone has */

/* ---- pieces ---- */

/* Cuts KEY=VALUE off if it stands there: its value, without the comma behind it. NULL: it is not
   there. In a value brackets may hold commas. */
static char *cut_piece(char **at, const char *key)
{
    const size_t n = strlen(key);
    int depth = 0;
    if (strncmp(*at, key, n) != 0 || (*at)[n] != '=')
        return NULL;
    char *value = *at + n + 1, *end = value;
    for (; *end != '\0' && (*end != ',' || depth > 0); end++)
        depth += (*end == '[') - (*end == ']');
    *at = end + (*end == ',');
    *end = '\0';
    return value;
}

/* What is wrong with a value; the first such thing counts. */
static void bad(struct buf *why, const char *key, const char *value, const char *what)
{
    if (why->n == 0)
        buf_printf(why, "%s: value \"%s\": %s", key, value, what);
}

static void lacks(struct buf *why, const char *key)
{
    if (why->n == 0)
        buf_printf(why, "its name has no %s= where one belongs", key);
}

static int32_t cut_size(char **at, const char *key, struct buf *why)
{
    int64_t v = 0;
    const char *value = cut_piece(at, key);
    if (value == NULL)
        lacks(why, key);
    else if (parse_int(value, 1, KPRED_MAX_SIZE, &v) != 0)
        bad(why, key, value, "is not an integer from 1 to 2^24");
    return (int32_t)v;
}

static void cut_text(char **at, const char *key, char *out, size_t size, struct buf *why)
{
    const char *value = cut_piece(at, key);
    if (value != NULL && (*value == '\0' || strlen(value) >= size))
        bad(why, key, value, *value == '\0' ? "is empty" : "is too long");
    else if (value != NULL)
        strcpy(out, value);
}

/* [128,128] of vLLM, [128, 128] of SGLang */
static void cut_block(char **at, struct triton_name *name, struct buf *why)
{
    const char *value = cut_piece(at, "block_shape");
    if (value == NULL)
        return;
    const char *comma = strchr(value, ',');
    name->server = strchr(value, ' ') != NULL ? TRITON_SGLANG : TRITON_VLLM;
    name->has_block = 1;
    for (int i = 0; i < 2 && comma != NULL; i++) {
        const long v = strtol(i == 0 ? value + 1 : comma + 1, NULL, 10);
        name->block[i] = v > 0 && v <= KPRED_MAX_SIZE ? (int32_t)v : 0;
    }
    if (name->block[0] == 0 || name->block[1] == 0)
        bad(why, "block_shape", value, "is not a pair of sizes");
}

static void cut_channel(char **at, struct triton_name *name, struct buf *why)
{
    const char *value = cut_piece(at, "per_channel_quant");
    name->per_channel = value != NULL;
    if (value != NULL && strcmp(value, "True") != 0)
        bad(why, "per_channel_quant", value, "is not True");
}

/* ---- the server ---- */

static enum triton_server server_of_folder(const char *folder, size_t n)
{
    static const struct {
        const char *name;
        enum triton_server server;
    } folders[] = {{"vllm", TRITON_VLLM},
                   {"sglang", TRITON_SGLANG},
                   {"sgl_kernel", TRITON_SGLANG},
                   {"sgl-kernel", TRITON_SGLANG}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strlen(folders[i].name) == n && strncmp(folder, folders[i].name, n) == 0)
            return folders[i].server;
    return n > 7 && strncmp(folder, "triton_", 7) == 0 && folder[7] >= '0' && folder[7] <= '9'
               ? TRITON_SGLANG
               : TRITON_N_SERVERS;
}

/* By the folder nearest to the file that tells */
static enum triton_server server_of_path(const char *path)
{
    enum triton_server server = TRITON_N_SERVERS;
    for (const char *p = path, *end; (end = strchr(p, '/')) != NULL; p = end + 1) {
        const enum triton_server is = server_of_folder(p, (size_t)(end - p));
        server = is != TRITON_N_SERVERS ? is : server;
    }
    return server;
}

/* ---- the whole ---- */

/* The length of the name without its endings; 0: it has them not. */
static size_t stem_of(const char *base)
{
    static const char *const endings[] = {".json", ".json.bz2", ".json.gz"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(base, endings[i]))
            return strlen(base) - strlen(endings[i]);
    return 0;
}

static void read_pieces(struct triton_name *name, char *at, struct buf *why)
{
    const int is_moe = strncmp(at, "E=", 2) == 0, is_down = is_moe && ends_with(at, down);
    name->kernel = is_down ? TRITON_MOE_DOWN : is_moe ? TRITON_MOE : TRITON_BLOCK_GEMM;
    if (is_down)
        at[strlen(at) - strlen(down)] = '\0';
    name->e = is_moe ? cut_size(&at, "E", why) : 0;
    name->n = cut_size(&at, "N", why);
    name->k = is_moe ? 0 : cut_size(&at, "K", why);
    cut_text(&at, "device_name", name->device, sizeof name->device, why);
    if (*name->device == '\0')
        lacks(why, "device_name");
    cut_text(&at, "dtype", name->dtype, sizeof name->dtype, why);
    cut_block(&at, name, why);
    if (is_moe)
        cut_channel(&at, name, why);
    if (*at != '\0' && why->n == 0)
        buf_printf(why, "\"%s\": is not a part of such a name", at);
}

/* What is read is what is written, or the server would not find it: no 016, no comma too many. */
static void check_written(const struct triton_name *name, const char *base, size_t n,
                          struct buf *why)
{
    struct buf text = {0};
    triton_name_write(name, &text);
    if (why->n == 0 && (text.n != n + strlen(".json") || strncmp(text.s, base, text.n) != 0))
        buf_printf(why, "its name is not written as the server writes it, %s", text.s);
    buf_free(&text);
}

int triton_name_parse(struct triton_name *out, const char *path, struct buf *why)
{
    struct buf text = {0};
    const char *base = base_name(path);
    const size_t n = stem_of(base);
    *out = (struct triton_name){.server = TRITON_N_SERVERS};
    if (n == 0) {
        buf_puts(why, "its name does not end in .json");
        return -1;
    }
    buf_add(&text, base, n);
    read_pieces(out, text.s, why);
    check_written(out, base, n, why);
    if (out->server == TRITON_N_SERVERS
        && (out->kernel == TRITON_MOE_DOWN || out->per_channel
            || ends_with(out->dtype, channelwise)))
        out->server = TRITON_SGLANG;
    if (out->server == TRITON_N_SERVERS)
        out->server = server_of_path(path);
    buf_free(&text);
    return why->n == 0 ? 0 : -1;
}

int triton_name_read(struct triton_name *out, const char *path)
{
    struct buf why = {0};
    const int rc = triton_name_parse(out, path, &why);
    if (rc != 0)
        fail("%s: %s", path, why.s);
    buf_free(&why);
    return rc;
}

void triton_name_write(const struct triton_name *name, struct buf *b)
{
    if (name->kernel == TRITON_BLOCK_GEMM)
        buf_printf(b, "N=%ld,K=%ld", (long)name->n, (long)name->k);
    else
        buf_printf(b, "E=%ld,N=%ld", (long)name->e, (long)name->n);
    buf_printf(b, ",device_name=%s", name->device);
    if (*name->dtype != '\0')
        buf_printf(b, ",dtype=%s", name->dtype);
    if (name->has_block)
        buf_printf(b, ",block_shape=[%ld,%s%ld]", (long)name->block[0],
                   name->server == TRITON_SGLANG ? " " : "", (long)name->block[1]);
    if (name->per_channel)
        buf_puts(b, ",per_channel_quant=True");
    buf_printf(b, "%s.json", name->kernel == TRITON_MOE_DOWN ? down : "");
}
