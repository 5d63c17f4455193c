/* triton_rows.c - makes rows of the tuples of Triton configuration files; tables of many such files
   SPDX-License-Identifier: MIT

   A table in CSV has a row for each M of each file. Its column `file` says what the file's name
   says, with 0 for what it lacks and `none` for the type; the other columns are the GPU (device), M
   and the tuple. The column is

       SERVER|KERNEL|TRITON|DEVICE|E|N|K|DTYPE|BLOCK|BLOCK|PER_CHANNEL#CONTENT */
#include "readers.h"
#include "triton.h"

#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the spec has ---- */

void triton_rows_open(struct triton_rows *t, struct loader *l)
{
    memset(t, 0, sizeof *t);
    t->l = l;
    l->row_prefix = ":";
    for (int i = 0; i < TRITON_N_FIELDS; i++)
        t->field[i] = spec_field_index(l->spec, triton_fields[i]);
    for (int i = 0; i < TRITON_N_MEMBERS; i++)
        t->param[i] = spec_param_index(l->spec, triton_members[i]);
}

/* Of the spec's field `server`; -1: it lacks this one. */
static int server_token(const struct triton_rows *t)
{
    return field_token(&t->l->spec->fields[t->field[TRITON_SERVER]],
                       triton_servers[t->name.server]);
}

int triton_rows_check(const struct triton_rows *t)
{
    const int has_server = t->field[TRITON_SERVER] < 0 || server_token(t) >= 0;
    return strcmp(triton_families[t->name.kernel], t->l->spec->family) == 0 && has_server
               ? 0
               : load_drop(t->l, DROP_OTHER);
}

/* ---- the problem ---- */

/* A type that says the same has one token. float8 is what vLLM called fp8_w8a8 at first. */
static const char *type_token(const char *dtype)
{
    return *dtype == '\0' ? "bf16" : strcmp(dtype, "float8") == 0 ? "fp8_w8a8" : dtype;
}

/* Verdict on the size of a block, of which a spec has one. */
static int block_size(const struct triton_rows *t, int64_t row, int64_t *out)
{
    char text[32];
    *out = t->name.block[1];
    if (t->name.block[0] == t->name.block[1])
        return 0;
    snprintf(text, sizeof text, "%ld,%ld", (long)t->name.block[0], (long)t->name.block[1]);
    return load_bad(t->l, row, DROP_OUTSIDE, "block", text, "is not a square");
}

/* Verdict on a field that the spec has. */
static int read_field(const struct triton_rows *t, int64_t row, int64_t m, enum triton_field field,
                      int64_t *out)
{
    const struct triton_name *name = &t->name;
    const int64_t sizes[] = {[TRITON_PER_CHANNEL] = name->per_channel,
                             [TRITON_E] = name->e,
                             [TRITON_N] = name->n,
                             [TRITON_K] = name->k,
                             [TRITON_M] = m};
    const size_t at = (size_t)t->field[field];
    switch (field) {
    case TRITON_SERVER: *out = server_token(t); return 0;
    case TRITON_GPU: return load_token(t->l, row, at, t->gpu, out);
    case TRITON_DTYPE: return load_token(t->l, row, at, type_token(name->dtype), out);
    case TRITON_BLOCK: return block_size(t, row, out);
    default: *out = sizes[field]; return 0;
    }
}

/* ---- the tuple ---- */

static int has_vendor(const struct triton_rows *t, const char *vendor)
{
    const char *is = gpu_vendor(t->name.device);
    return is != NULL && strcmp(is, vendor) == 0;
}

/* What a member is that a tuple lacks; TRITON_ABSENT: it may not lack it. */
static int64_t usual(const struct triton_rows *t, enum triton_member member)
{
    switch (member) {
    case TRITON_GROUP_SIZE_M:
    case TRITON_KPACK: return 1;
    case TRITON_NUM_WARPS: return 4;
    case TRITON_NUM_STAGES: return has_vendor(t, "amd") ? 2 : 3;
    case TRITON_WAVES_PER_EU:
    case TRITON_NONKDIM: return 0;
    default: return TRITON_ABSENT;
    }
}

/* BLOCK_SIZE_K of the code that runs */
static int64_t block_k(const struct triton_rows *t, int64_t k)
{
    const int64_t n_block = t->name.block[0], k_block = t->name.block[1];
    if (!t->name.has_block || k < 1)
        return k;
    if (t->name.server == TRITON_VLLM && t->name.kernel == TRITON_MOE) {
        k = k < n_block ? k : n_block;
        return k < k_block ? k : k_block;
    }
    if (t->name.server == TRITON_SGLANG && t->name.kernel == TRITON_BLOCK_GEMM
        && (k_block % k != 0 || (k < k_block && !has_vendor(t, "nvidia"))))
        return k_block;
    return k;
}

static int64_t normal(const struct triton_rows *t, enum triton_member member, int64_t v)
{
    if (v == TRITON_ABSENT)
        return usual(t, member);
    if (member == TRITON_NUM_STAGES && v == 0 && has_vendor(t, "amd"))
        return usual(t, member);
    return member == TRITON_BLOCK_SIZE_K ? block_k(t, v) : v;
}

/* Verdict on a member: its text as a parameter of the spec. */
static int read_member(const struct triton_rows *t, int64_t row, enum triton_member member,
                       int64_t value, char text[24])
{
    const int64_t v = normal(t, member, value);
    snprintf(text, 24, "%lld", (long long)v);
    if (v == TRITON_ABSENT)
        return load_bad(t->l, row, DROP_BROKEN, triton_members[member], "", "is missing");
    return t->param[member] >= 0 || v == usual(t, member)
               ? 0
               : load_bad(t->l, row, DROP_PARAMS, triton_members[member], text,
                          "the spec has no such parameter, without which it would be %lld",
                          (long long)usual(t, member));
}

int triton_rows_add(const struct triton_rows *t, int64_t row, int64_t m,
                    const int64_t member[TRITON_N_MEMBERS])
{
    int64_t problem[KPRED_MAX_FIELDS] = {0};
    const char *params[KPRED_MAX_TUPLE] = {0};
    char text[TRITON_N_MEMBERS][24];
    int rc = 0;
    for (int i = 0; i < TRITON_N_FIELDS && rc == 0; i++)
        if (t->field[i] >= 0)
            rc = read_field(t, row, m, (enum triton_field)i, &problem[t->field[i]]);
    for (int i = 0; i < TRITON_N_MEMBERS && rc == 0; i++) {
        rc = read_member(t, row, (enum triton_member)i, member[i], text[i]);
        if (t->param[i] >= 0)
            params[t->param[i]] = text[i];
    }
    return rc == 0 ? load_add(t->l, row, problem, params) : rc;
}

/* ---- tables: the column `file` ---- */

enum piece { SERVER, KERNEL, VERSION, DEVICE, E, N, K, TYPE, BLOCK_N, BLOCK_K, CHANNEL, N_PIECES };

/* Cuts the text at its bars, in place: 0, or -1 if there are not as many pieces. */
static int cut_pieces(char *text, char *piece[N_PIECES])
{
    size_t n = 0;
    text[strcspn(text, "#")] = '\0';
    for (char *at = text; at != NULL && n < N_PIECES;) {
        char *bar = strchr(at, '|');
        piece[n++] = at;
        if (bar != NULL)
            *bar = '\0';
        at = bar != NULL ? bar + 1 : NULL;
    }
    return n == N_PIECES ? 0 : -1;
}

static int copy_text(const char *text, char *out, size_t size)
{
    return snprintf(out, size, "%s", text) < (int)size ? 0 : -1;
}

/* 0, or -1 without a message. */
static int read_pieces(char *const piece[N_PIECES], struct triton_name *name)
{
    static const char *const kernels[TRITON_N_KERNELS] = {"moe", "moe_down", "bfp8"};
    const size_t server = triton_index(piece[SERVER], triton_servers, TRITON_N_SERVERS);
    const size_t kernel = triton_index(piece[KERNEL], kernels, TRITON_N_KERNELS);
    int64_t v[N_PIECES] = {0};
    for (int i = E; i < N_PIECES; i++)
        if (i != TYPE && parse_int(piece[i], 0, KPRED_MAX_SIZE, &v[i]) != 0)
            return -1;
    if (server == TRITON_N_SERVERS || kernel == TRITON_N_KERNELS
        || copy_text(piece[DEVICE], name->device, sizeof name->device) != 0
        || copy_text(strcmp(piece[TYPE], "none") == 0 ? "" : piece[TYPE], name->dtype,
                     sizeof name->dtype)
               != 0)
        return -1;
    name->server = (enum triton_server)server;
    name->kernel = (enum triton_kernel)kernel;
    name->e = (int32_t)v[E];
    name->n = (int32_t)v[N];
    name->k = (int32_t)v[K];
    name->block[0] = (int32_t)v[BLOCK_N];
    name->block[1] = (int32_t)v[BLOCK_K];
    name->has_block = v[BLOCK_K] != 0;
    name->per_channel = v[CHANNEL] != 0;
    return 0;
}

/* ---- tables: rows ---- */

#define TABLE_COLUMNS(X) X(FILE_AT, "file") X(DEVICE_AT, "device") X(M_AT, "M")
#define MEMBER(at, name) at,
enum column { TABLE_COLUMNS(MEMBER) TUPLE_AT, N_COLUMNS = TUPLE_AT + TRITON_N_MEMBERS };
#undef MEMBER
#define NAME(at, name) name,
static const char *const columns[N_COLUMNS] = {TABLE_COLUMNS(NAME) "block_m",
                                               "block_n_tile",
                                               "block_k_tile",
                                               "group_m",
                                               "warps",
                                               "stages",
                                               "waves_per_eu",
                                               "nonkdim",
                                               "kpack"};
#undef NAME

struct triton_table {
    struct triton_rows rows;
    struct csv_records *r;
    int at[N_COLUMNS];
};

int triton_is_header(const struct loader *l, const struct csv_records *r)
{
    return l->spec->format == SPEC_TRITON && csv_records_find(r, columns[FILE_AT]) >= 0
           && csv_records_find(r, columns[TUPLE_AT]) >= 0;
}

static int map_columns(struct triton_table *t)
{
    if (csv_records_check_header(t->r) != 0)
        return -1;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        t->at[i] = csv_records_find(t->r, columns[i]);
        if (t->at[i] < 0)
            return fail("%s:%ld: there is no column \"%s\"", t->r->path, t->r->at, columns[i]);
    }
    return 0;
}

/* Verdict on a cell that has a number of at least that. */
static int read_number(const struct triton_table *t, size_t column, int64_t least, int64_t *out)
{
    const char *cell = t->r->cell[t->at[column]];
    return parse_whole(cell, least, KPRED_MAX_SIZE, out) == 0
               ? 0
               : load_bad(t->rows.l, t->r->at, DROP_BROKEN, columns[column], cell,
                          "is not an integer from %d to 2^24", (int)least);
}

/* Verdict on the cell that says what the file's name says. */
static int read_name(struct triton_table *t)
{
    const char *cell = t->r->cell[t->at[FILE_AT]];
    char *text = xstrdup(cell), *piece[N_PIECES];
    memset(&t->rows.name, 0, sizeof t->rows.name);
    const int bad = cut_pieces(text, piece) != 0 || read_pieces(piece, &t->rows.name) != 0;
    free(text);
    return bad ? load_bad(t->rows.l, t->r->at, DROP_BROKEN, "file", cell,
                          "is not of the form SERVER|KERNEL|TRITON|DEVICE|E|N|K|DTYPE|BLOCK|BLOCK|"
                          "PER_CHANNEL#CONTENT")
               : 0;
}

/* Verdict on a record */
static int read_row(struct triton_table *t)
{
    int64_t m, member[TRITON_N_MEMBERS];
    if (t->r->n != t->r->n_header)
        return load_ragged(t->rows.l, t->r);
    int rc = read_name(t);
    if (rc == 0)
        rc = triton_rows_check(&t->rows);
    if (rc == 0)
        rc = read_number(t, M_AT, 1, &m);
    for (size_t i = 0; i < TRITON_N_MEMBERS && rc == 0; i++)
        rc = read_number(t, TUPLE_AT + i, 0, &member[i]);
    t->rows.gpu = t->r->cell[t->at[DEVICE_AT]];
    return rc == 0 ? triton_rows_add(&t->rows, t->r->at, m, member) : rc;
}

int triton_read(struct loader *l, struct csv_records *r)
{
    struct triton_table t = {.r = r};
    int rc;
    triton_rows_open(&t.rows, l);
    if (map_columns(&t) != 0)
        return -1;
    while ((rc = csv_records_next(r)) > 0)
        if (read_row(&t) < 0)
            return -1;
    return rc;
}
