/* perfdb.c - reads MIOpen's SQLite perf-dbs
   SPDX-License-Identifier: MIT

   A row of table config is the key of a convolution (conv.h), swapped for the backward directions,
   without the size of the second image. */
#include "miopen_rows.h"

#include "data/readers.h"

#ifdef HAVE_SQLITE

#include <sqlite3.h>
#include <string.h>

#if SQLITE_VERSION_NUMBER < 3036000
#error "SQLite 3.36 or newer is needed (sqlite3_deserialize)"
#endif

/* ---- columns ---- */

/* clang-format off */
#define CONFIG_COLUMNS(X)                                                                      \
    X(layout) X(data_type) X(direction) X(spatial_dim) X(in_channels) X(in_h) X(in_w) X(fil_h) \
    X(fil_w) X(out_channels) X(batchsize) X(pad_h) X(pad_w) X(conv_stride_h) X(conv_stride_w)  \
    X(dilation_h) X(dilation_w) X(bias) X(group_count)
/* clang-format on */

#define COLUMN_INDEX(name) C_##name,
enum { P_id, P_params, C_id, CONFIG_COLUMNS(COLUMN_INDEX) N_COLUMNS, FIRST_INT = C_spatial_dim };

#define COLUMN_NAME(name) #name,
static const char *const column_names[N_COLUMNS] = {"id", "params", "config",
                                                    CONFIG_COLUMNS(COLUMN_NAME)};

struct perfdb {
    struct loader *l;
    sqlite3 *db;
    sqlite3_stmt *rows;
    struct miopen_rows conv;
};

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
        return fail("%s: is not a SQLite database", p->l->path);
    if (bytes->s[18] == 2 && bytes->s[19] == 2)
        bytes->s[18] = bytes->s[19] = 1;
    if (sqlite3_open_v2(":memory:", &p->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL)
        != SQLITE_OK)
        return db_failed(p);
    if (sqlite3_deserialize(p->db, "main", (unsigned char *)bytes->s, (sqlite3_int64)bytes->n,
                            (sqlite3_int64)bytes->n, SQLITE_DESERIALIZE_READONLY)
        != SQLITE_OK)
        return db_failed(p);
    return 0;
}

/* Has the table the column (NULL: is there such a table)? 0, or -1 with a message */
static int need_column(struct perfdb *p, const char *table, const char *column)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(p->db,
                           "SELECT 1 FROM pragma_table_info(?1) WHERE ?2 IS NULL OR name = ?2", -1,
                           &st, NULL)
        != SQLITE_OK)
        return db_failed(p);
    sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, column, -1, SQLITE_STATIC);
    const int step = sqlite3_step(st);
    int rc = step == SQLITE_ROW ? 0 : -1;
    if (step == SQLITE_DONE && column != NULL)
        fail("%s: table %s has no column %s: is not a perf-db", p->l->path, table, column);
    else if (step == SQLITE_DONE)
        fail("%s: has no table %s: is not a perf-db", p->l->path, table);
    else if (rc != 0)
        db_failed(p);
    sqlite3_finalize(st);
    return rc;
}

static int check_schema(struct perfdb *p)
{
    static const char *const needed[][2] = {
        {"perf_db", NULL},     {"config", NULL},      {"perf_db", "id"}, {"perf_db", "solver"},
        {"perf_db", "config"}, {"perf_db", "params"}, {"config", "id"}};
    int rc = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && rc == 0; i++)
        rc = need_column(p, needed[i][0], needed[i][1]);
    for (size_t i = C_layout; i < N_COLUMNS && rc == 0; i++)
        rc = need_column(p, "config", column_names[i]);
    return rc;
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

/* The sides that a row has for one dimension, 1 the height, 2 the width. The size of the image that
   a backward direction has at its far end is not in the row: with a stride s several do, and this
   is the largest. */
static void read_sides(const struct perfdb *p, struct conv *c, int i)
{
    const int64_t size = int_of(p, i == 1 ? C_in_h : C_in_w);
    c->filter[i] = int_of(p, i == 1 ? C_fil_h : C_fil_w);
    c->pad[i] = int_of(p, i == 1 ? C_pad_h : C_pad_w);
    c->stride[i] = int_of(p, i == 1 ? C_conv_stride_h : C_conv_stride_w);
    c->dilation[i] = int_of(p, i == 1 ? C_dilation_h : C_dilation_w);
    c->in[i] = size;
    if (c->dir != 'F' && size >= 1 && size <= KPRED_MAX_SIZE && c->stride[i] >= 1
        && c->stride[i] <= KPRED_MAX_SIZE)
        c->in[i] = conv_in_size(size, c->filter[i], c->pad[i], c->stride[i], c->dilation[i]);
}

static void read_key(const struct perfdb *p, struct conv *c)
{
    const int is_forward = strcmp(text_of(p, C_direction), "F") == 0;
    const int64_t ic = int_of(p, C_in_channels), oc = int_of(p, C_out_channels);
    conv_init(c);
    c->dims = (int)int_of(p, C_spatial_dim);
    c->dir = is_forward ? 'F' : text_of(p, C_direction)[0];
    snprintf(c->dtype, sizeof c->dtype, "%s", text_of(p, C_data_type));
    for (size_t i = 0; i < 3; i++)
        snprintf(c->layout[i], sizeof c->layout[i], "%s", text_of(p, C_layout));
    c->n = int_of(p, C_batchsize);
    c->c = is_forward ? ic : oc;
    c->k = is_forward ? oc : ic;
    c->groups = int_of(p, C_group_count);
    c->bias = int_of(p, C_bias);
    read_sides(p, c, 1);
    read_sides(p, c, 2);
}

/* Do the sides say that there is no such image, and are they nothing worse? The far image of a
   backward row is the largest possible, so that this is about the one in the row. */
static int is_without_image(const struct conv *c, int i)
{
    const int64_t most = KPRED_MAX_SIZE;
    if (c->filter[i] < 1 || c->filter[i] > most || c->pad[i] < 0 || c->pad[i] > most
        || c->stride[i] < 1 || c->stride[i] > most || c->dilation[i] < 1 || c->dilation[i] > most
        || c->in[i] > most)
        return 0;
    return c->in[i] < 1
           || conv_out_size(c->in[i], c->filter[i], c->pad[i], c->stride[i], c->dilation[i]) < 1;
}

static int read_row(struct perfdb *p)
{
    const int64_t row = int_of(p, P_id);
    struct conv c;
    if (sqlite3_column_type(p->rows, C_id) == SQLITE_NULL)
        return load_bad(p->l, row, DROP_BROKEN, "config", "", "there is no such row in config");
    for (int i = FIRST_INT; i < N_COLUMNS; i++)
        if (sqlite3_column_type(p->rows, i) != SQLITE_INTEGER)
            return load_bad(p->l, row, DROP_BROKEN, column_names[i], text_of(p, i),
                            "is not an integer");
    read_key(p, &c);
    if (p->conv.is_selective && (is_without_image(&c, 1) || is_without_image(&c, 2)))
        return load_drop(p->l, DROP_SIZES);
    return miopen_rows_add(p->l, &p->conv, row, &c, text_of(p, P_params));
}

int perfdb_read(struct loader *l, struct buf *bytes)
{
    struct perfdb p = {.l = l};
    int step = SQLITE_DONE, rc = miopen_rows_open(l, &p.conv);
    l->row_prefix = ": perf_db row ";
    if (rc == 0 && p.conv.field[CONV_D] >= 0)
        rc = fail("%s: field \"d\" of %s: perf-dbs of SQLite are read in 2-D only", l->path,
                  l->spec->path);
    if (rc == 0)
        rc = open_bytes(&p, bytes) != 0 || check_schema(&p) != 0 || prepare_rows(&p) != 0 ? -1 : 0;
    while (rc == 0 && (step = sqlite3_step(p.rows)) == SQLITE_ROW)
        rc = read_row(&p) < 0 ? -1 : 0;
    if (rc == 0 && step != SQLITE_DONE)
        rc = db_failed(&p);
    sqlite3_finalize(p.rows);
    sqlite3_close(p.db);
    buf_free(&p.conv.params);
    return rc;
}

#else

int perfdb_read(struct loader *l, struct buf *bytes)
{
    (void)bytes;
    return fail_without(l->path, "SQLite", "libsqlite3-dev");
}

#endif
