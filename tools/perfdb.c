/* perfdb.c - reads MIOpen's SQLite perf-dbs
   SPDX-License-Identifier: MIT

   A row of table config is the key of a convolution, swapped for the backward directions: there
   in_channels is K, in_h and in_w are the size of the image that the forward convolution writes,
   and out_channels is C. Here it is turned back into the user's view. */
#include "load.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#if SQLITE_VERSION_NUMBER < 3036000
#error "SQLite 3.36 or newer is needed (sqlite3_deserialize)"
#endif

/* ---- columns ---- */

#define CONFIG_COLUMNS(X)                                                                      \
    X(layout) X(data_type) X(direction) X(spatial_dim) X(in_channels) X(in_h) X(in_w) X(fil_h) \
    X(fil_w) X(out_channels) X(batchsize) X(pad_h) X(pad_w) X(conv_stride_h) X(conv_stride_w)  \
    X(dilation_h) X(dilation_w) X(bias) X(group_count)

#define COLUMN_INDEX(name) C_##name,
enum { P_id, P_params, C_id, CONFIG_COLUMNS(COLUMN_INDEX) N_COLUMNS, FIRST_INT = C_spatial_dim };

#define COLUMN_NAME(name) #name,
static const char *const column_names[N_COLUMNS] = {"id", "params", "config",
                                                    CONFIG_COLUMNS(COLUMN_NAME)};

/* The fields that a file's name and a key give. */
enum { F_gpu, F_dir, F_dtype, F_n, F_c, F_h, F_w, F_k, F_stride, F_groups, N_SOURCES };

static const struct {
    const char *name;
    int is_token, is_optional;
} sources[N_SOURCES] = {
    {"gpu", 1, 1}, {"dir", 1, 0}, {"dtype", 1, 0}, {"n", 0, 0},      {"c", 0, 0},
    {"h", 0, 0},   {"w", 0, 0},   {"k", 0, 0},     {"stride", 0, 1}, {"groups", 0, 1},
};

struct pin {
    int column;
    int64_t value;
};

struct perfdb {
    struct loader *l;
    sqlite3 *db;
    sqlite3_stmt *rows;
    int field[N_SOURCES]; /* the spec's field with that meaning, or -1 */
    int64_t gpu;
    struct pin pins[12];
    size_t n_pins;
    struct buf params; /* the list of one row, cut into pieces */
};

/* ---- what the spec's fields mean ---- */

static int map_fields(struct perfdb *p)
{
    const struct spec *s = p->l->spec;
    for (size_t i = 0; i < s->n_fields; i++) {
        size_t k = 0;
        while (k < N_SOURCES && strcmp(s->fields[i].name, sources[k].name) != 0)
            k++;
        if (k == N_SOURCES)
            return fail("%s: field \"%s\" of %s: is not in a perf-db", p->l->path,
                        s->fields[i].name, s->path);
        if (sources[k].is_token != (s->fields[i].n_tokens != 0))
            return fail("%s: field \"%s\" of %s: has to be a %s to be read from a perf-db",
                        p->l->path, sources[k].name, s->path,
                        sources[k].is_token ? "list of names" : "size");
    }
    for (size_t k = 0; k < N_SOURCES; k++) {
        p->field[k] = spec_field_index(s, sources[k].name);
        if (p->field[k] < 0 && !sources[k].is_optional)
            return fail("%s: %s lacks a field \"%s\", without which perf-dbs cannot be read",
                        p->l->path, s->path, sources[k].name);
    }
    return p->field[F_gpu] < 0 ? 0 : load_file_gpu(p->l, (size_t)p->field[F_gpu], &p->gpu);
}

static void add_pin(struct perfdb *p, int column, int64_t value)
{
    p->pins[p->n_pins].column = column;
    p->pins[p->n_pins++].value = value;
}

/* All that a key says and the fields do not. */
static void set_pins(struct perfdb *p)
{
    const struct spec *s = p->l->spec;
    add_pin(p, C_spatial_dim, 2);
    add_pin(p, C_fil_h, s->filter_h);
    add_pin(p, C_fil_w, s->filter_w);
    add_pin(p, C_pad_h, s->pad);
    add_pin(p, C_pad_w, s->pad);
    add_pin(p, C_dilation_h, 1);
    add_pin(p, C_dilation_w, 1);
    add_pin(p, C_bias, 0);
    if (p->field[F_stride] < 0)
        add_pin(p, C_conv_stride_h, 1);
    if (p->field[F_groups] < 0)
        add_pin(p, C_group_count, 1);
}

/* ---- the database ---- */

static int db_failed(const struct perfdb *p)
{
    return fail("%s: SQLite: %s", p->l->path, sqlite3_errmsg(p->db));
}

/* Opens the bytes in place. A database in WAL mode says so in bytes 18 and 19 and would not open
   from memory; it is complete without its log, or would not be a file to hand on. */
static int open_bytes(struct perfdb *p, struct buf *bytes)
{
    static const char magic[16] = "SQLite format 3";
    if (bytes->n < 100 || memcmp(bytes->s, magic, sizeof magic) != 0)
        return fail("%s: is no SQLite database", p->l->path);
    if (bytes->s[18] == 2 && bytes->s[19] == 2)
        bytes->s[18] = bytes->s[19] = 1;
    if (sqlite3_open_v2(":memory:", &p->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL)
        != SQLITE_OK)
        return db_failed(p);
    if (sqlite3_deserialize(p->db, "main", (unsigned char *)bytes->s, (sqlite3_int64)bytes->n,
                            (sqlite3_int64)bytes->n, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
        return db_failed(p);
    return 0;
}

/* 1 if the table has the column (NULL: if there is such a table), 0, or -1 with a message. */
static int has_column(struct perfdb *p, const char *table, const char *column)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(p->db,
                           "SELECT 1 FROM pragma_table_info(?1) WHERE ?2 IS NULL OR name = ?2", -1,
                           &st, NULL) != SQLITE_OK)
        return db_failed(p);
    sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, column, -1, SQLITE_STATIC);
    int rc = sqlite3_step(st);
    int has = rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : db_failed(p);
    sqlite3_finalize(st);
    return has;
}

static int need_column(struct perfdb *p, const char *table, const char *column)
{
    int has = has_column(p, table, column);
    if (has == 0)
        return fail("%s: table %s has no column %s: is no perf-db", p->l->path, table, column);
    return has > 0 ? 0 : -1;
}

static int need_table(struct perfdb *p, const char *table)
{
    int has = has_column(p, table, NULL);
    if (has == 0)
        return fail("%s: has no table %s: is no perf-db", p->l->path, table);
    return has > 0 ? 0 : -1;
}

static int check_schema(struct perfdb *p)
{
    static const char *const of_perf_db[] = {"id", "solver", "config", "params"};
    if (need_table(p, "perf_db") != 0 || need_table(p, "config") != 0)
        return -1;
    for (size_t i = 0; i < sizeof of_perf_db / sizeof *of_perf_db; i++)
        if (need_column(p, "perf_db", of_perf_db[i]) != 0)
            return -1;
    if (need_column(p, "config", "id") != 0)
        return -1;
    for (size_t i = C_layout; i < N_COLUMNS; i++)
        if (need_column(p, "config", column_names[i]) != 0)
            return -1;
    return 0;
}

static int prepare_rows(struct perfdb *p)
{
    struct buf sql = {0};
    buf_puts(&sql, "SELECT p.id, p.params, c.id");
    for (size_t i = C_layout; i < N_COLUMNS; i++)
        buf_printf(&sql, ", c.%s", column_names[i]);
    buf_puts(&sql, " FROM perf_db p LEFT JOIN config c ON c.id = p.config WHERE p.solver = ?1");
    int rc = sqlite3_prepare_v2(p->db, sql.s, -1, &p->rows, NULL);
    buf_free(&sql);
    if (rc != SQLITE_OK)
        return db_failed(p);
    sqlite3_bind_text(p->rows, 1, p->l->spec->solver, -1, SQLITE_STATIC);
    return 0;
}

/* ---- one row ---- */

/* Text of a column, "" for NULL. */
static const char *text_of(const struct perfdb *p, int column)
{
    const unsigned char *text = sqlite3_column_text(p->rows, column);
    return text != NULL ? (const char *)text : "";
}

static int64_t int_of(const struct perfdb *p, int column)
{
    return sqlite3_column_int64(p->rows, column);
}

/* Verdict on the kinds of the cells and on all that is pinned. */
static int check_key(struct perfdb *p, int64_t row)
{
    if (sqlite3_column_type(p->rows, C_id) == SQLITE_NULL)
        return load_bad(p->l, row, DROP_BROKEN, "config", "", "there is no such row in config");
    for (int i = FIRST_INT; i < N_COLUMNS; i++)
        if (sqlite3_column_type(p->rows, i) != SQLITE_INTEGER)
            return load_bad(p->l, row, DROP_BROKEN, column_names[i], text_of(p, i),
                            "is no integer");
    if (strcmp(text_of(p, C_layout), "NCHW") != 0)
        return load_bad(p->l, row, DROP_OUTSIDE, "layout", text_of(p, C_layout),
                        "the spec covers NCHW only");
    for (size_t i = 0; i < p->n_pins; i++)
        if (int_of(p, p->pins[i].column) != p->pins[i].value)
            return load_bad(p->l, row, DROP_OUTSIDE, column_names[p->pins[i].column],
                            text_of(p, p->pins[i].column), "the spec covers %lld only",
                            (long long)p->pins[i].value);
    if (int_of(p, C_conv_stride_w) != int_of(p, C_conv_stride_h))
        return load_bad(p->l, row, DROP_OUTSIDE, "conv_stride_w", text_of(p, C_conv_stride_w),
                        "the spec covers the same stride in h and w only");
    return 0;
}

/* The image that a forward convolution turns into one of size y. With a stride s several sizes do;
   this is the largest. Sizes far beyond any field's are kept from overflowing, nothing more. */
static int64_t input_size(int64_t y, int64_t filter, int64_t pad, int64_t stride)
{
    if (y < 1 || y > KPRED_MAX_SIZE || stride < 1 || stride > KPRED_MAX_SIZE)
        return 0;
    return stride * (y - 1) + filter - 2 * pad + stride - 1;
}

static void put(const struct perfdb *p, int64_t *problem, int source, int64_t value)
{
    if (p->field[source] >= 0)
        problem[p->field[source]] = value;
}

/* Verdict: the problem in the user's view. */
static int read_problem(struct perfdb *p, int64_t row, int64_t *problem)
{
    const struct spec *s = p->l->spec;
    int is_forward = strcmp(text_of(p, C_direction), "F") == 0;
    int64_t ih = int_of(p, C_in_h), iw = int_of(p, C_in_w), stride = int_of(p, C_conv_stride_h);
    int64_t ic = int_of(p, C_in_channels), oc = int_of(p, C_out_channels), dir, dtype;
    int rc = load_token(p->l, row, (size_t)p->field[F_dir], text_of(p, C_direction), &dir);
    if (rc == 0)
        rc = load_token(p->l, row, (size_t)p->field[F_dtype], text_of(p, C_data_type), &dtype);
    if (rc != 0)
        return rc;
    put(p, problem, F_gpu, p->gpu);
    put(p, problem, F_dir, dir);
    put(p, problem, F_dtype, dtype);
    put(p, problem, F_n, int_of(p, C_batchsize));
    put(p, problem, F_c, is_forward ? ic : oc);
    put(p, problem, F_k, is_forward ? oc : ic);
    put(p, problem, F_h, is_forward ? ih : input_size(ih, s->filter_h, s->pad, stride));
    put(p, problem, F_w, is_forward ? iw : input_size(iw, s->filter_w, s->pad, stride));
    put(p, problem, F_stride, stride);
    put(p, problem, F_groups, int_of(p, C_group_count));
    return 0;
}

/* Verdict: the list cut into as many texts as the spec has parameters. */
static int cut_params(struct perfdb *p, int64_t row, const char **params)
{
    const char *list = text_of(p, P_params);
    size_t n = 1, want = p->l->spec->n_params;
    for (const char *c = list; *c != '\0'; c++)
        n += *c == ',';
    if (n != want)
        return load_bad(p->l, row, DROP_PARAMS, "params", list, "is a list of %zu, not %zu", n,
                        want);
    p->params.n = 0;
    buf_puts(&p->params, list);
    char *piece = p->params.s;
    for (size_t i = 0; i < want; i++) {
        size_t length = strcspn(piece, ",");
        params[i] = piece;
        piece[length] = '\0';
        piece += length + 1;
    }
    return 0;
}

static int read_row(struct perfdb *p)
{
    int64_t row = int_of(p, P_id), problem[KPRED_MAX_FIELDS] = {0};
    const char *params[KPRED_MAX_PARAMS];
    int rc = check_key(p, row);
    if (rc == 0)
        rc = read_problem(p, row, problem);
    if (rc == 0)
        rc = cut_params(p, row, params);
    return rc == 0 ? load_add(p->l, row, problem, params) : rc;
}

static int read_rows(struct perfdb *p)
{
    int rc;
    while ((rc = sqlite3_step(p->rows)) == SQLITE_ROW)
        if (read_row(p) < 0)
            return -1;
    return rc == SQLITE_DONE ? 0 : db_failed(p);
}

int perfdb_read(struct loader *l, struct buf *bytes)
{
    struct perfdb p = {.l = l};
    int rc = -1;
    l->row_prefix = ": perf_db row ";
    if (map_fields(&p) == 0 && open_bytes(&p, bytes) == 0 && check_schema(&p) == 0
        && prepare_rows(&p) == 0) {
        set_pins(&p);
        rc = read_rows(&p);
    }
    sqlite3_finalize(p.rows);
    sqlite3_close(p.db);
    buf_free(&p.params);
    return rc;
}
