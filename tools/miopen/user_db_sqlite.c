/* user_db_sqlite.c - new lines into a SQLite perf-db
   SPDX-License-Identifier: MIT

   The tables are those of MIOpen's own databases. A row of config lacks the size of the second
   image, so two problems of the backward directions may share one; the first in the order of keys
   counts. */
#include "user_db.h"

#ifdef HAVE_SQLITE

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the tables ---- */

#define COLUMNS                                                                            \
    "layout,data_type,direction,spatial_dim,in_channels,in_h,in_w,in_d,fil_h,fil_w,fil_d," \
    "out_channels,batchsize,pad_h,pad_w,pad_d,conv_stride_h,conv_stride_w,conv_stride_d,"  \
    "dilation_h,dilation_w,dilation_d,bias,group_count"

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS config (id INTEGER PRIMARY KEY ASC, layout TEXT NOT NULL,"
    " data_type TEXT NOT NULL, direction TEXT NOT NULL, spatial_dim INT NOT NULL,"
    " in_channels INT NOT NULL, in_h INT NOT NULL, in_w INT NOT NULL, in_d INT NOT NULL,"
    " fil_h INT NOT NULL, fil_w INT NOT NULL, fil_d INT NOT NULL, out_channels INT NOT NULL,"
    " batchsize INT NOT NULL, pad_h INT NOT NULL, pad_w INT NOT NULL, pad_d INT NOT NULL,"
    " conv_stride_h INT NOT NULL, conv_stride_w INT NOT NULL, conv_stride_d INT NOT NULL,"
    " dilation_h INT NOT NULL, dilation_w INT NOT NULL, dilation_d INT NOT NULL,"
    " bias INT NOT NULL, group_count INT NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_config ON config(" COLUMNS ");"
    "CREATE TABLE IF NOT EXISTS perf_db (id INTEGER PRIMARY KEY ASC, solver TEXT NOT NULL,"
    " config INTEGER NOT NULL, params TEXT NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_perf_db ON perf_db(solver, config);";

/* The size of the other image; of a backward direction it is the largest that it can have. */
#define FAR(x)                                                                           \
    "CASE direction WHEN 'F' THEN (in_" x " + 2 * pad_" x " - dilation_" x " * (fil_" x  \
    " - 1) - 1) / conv_stride_" x " + 1 ELSE conv_stride_" x " * in_" x " + dilation_" x \
    " * (fil_" x " - 1) - 2 * pad_" x " END"

/* An entry and its problem, as a line of text has them */
static const char all_entries[] =
    "SELECT p.id, p.solver || ':' || p.params, in_channels || '-' || in_h || '-' || in_w || '-' ||"
    " fil_h || 'x' || fil_w || '-' || out_channels || '-' || " FAR("h") " || '-' || " FAR(
        "w") " ||"
             " '-' || batchsize || '-' || pad_h || 'x' || pad_w || '-' || conv_stride_h || 'x' ||"
             " conv_stride_w || '-' || dilation_h || 'x' || dilation_w || '-' || bias || '-' ||"
             " CASE layout WHEN 'NCHW' THEN '' ELSE layout || '-' || layout || '-' END || layout ||"
             " '-' || data_type || '-' || direction ||"
             " CASE group_count WHEN 1 THEN '' ELSE '_g' || group_count END"
             " FROM perf_db p JOIN config c ON c.id = p.config WHERE spatial_dim = 2 ORDER BY p.id";

enum statement { ADD_CONFIG, FIND_CONFIG, FIND_ENTRY, ADD_ENTRY, SET_ENTRY, N_STATEMENTS };

static const char *const statements[N_STATEMENTS] = {
    [ADD_CONFIG] = "INSERT OR IGNORE INTO config(" COLUMNS
                   ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [FIND_CONFIG] = "SELECT id FROM config WHERE (" COLUMNS
                    ") = (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [FIND_ENTRY] = "SELECT id FROM perf_db WHERE solver = ?1 AND config = ?2",
    [ADD_ENTRY] = "INSERT INTO perf_db(solver, config, params) VALUES (?1, ?2, ?3)",
    [SET_ENTRY] = "UPDATE perf_db SET params = ?2 WHERE id = ?1",
};

struct writer {
    const char *path; /* for messages */
    sqlite3 *db;
    sqlite3_stmt *st[N_STATEMENTS];
    sqlite3_int64 first; /* rows of perf_db above it were added just now */
    int force, is_held;  /* is_held: signals wait */
    int no_memory;       /* for a text that was to be bound */
    struct user_db_counts *counts;
};

static int db_failed(const struct writer *w)
{
    return fail("%s: SQLite: %s", w->path, sqlite3_errmsg(w->db));
}

static int run_sql(const struct writer *w, const char *sql)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_failed(w);
}

/* Runs a bound statement: the id that its row begins with, 0 for no row, -1 with a message. */
static sqlite3_int64 step(const struct writer *w, enum statement which)
{
    sqlite3_stmt *st = w->st[which];
    if (w->no_memory)
        return fail("%s: SQLite: out of memory", w->path);
    const int rc = sqlite3_step(st);
    sqlite3_int64 id = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        id = db_failed(w);
    sqlite3_reset(st);
    return id;
}

/* ---- lines ---- */

static void bind_text(struct writer *w, enum statement which, int at, const char *text, int n)
{
    if (sqlite3_bind_text(w->st[which], at, text, n, SQLITE_TRANSIENT) != SQLITE_OK)
        w->no_memory = 1;
}

/* Binds the next places, from *at on, to the sizes of height, width and depth. */
static void bind_sides(sqlite3_stmt *st, int *at, const int64_t *side, int64_t depth)
{
    sqlite3_bind_int64(st, (*at)++, side[1]);
    sqlite3_bind_int64(st, (*at)++, side[2]);
    sqlite3_bind_int64(st, (*at)++, depth);
}

static void bind_config(struct writer *w, enum statement which, const struct conv *c)
{
    sqlite3_stmt *st = w->st[which];
    const int back = c->dir != 'F', depth = c->dims == 3; /* as MIOpen fills the depths of 2-D */
    const int64_t *in = back ? c->out : c->in;
    const char dir[] = {c->dir, '\0'};
    const char *const texts[] = {c->layout[0], c->dtype, dir};
    int at = 1;
    for (; at <= 3; at++)
        bind_text(w, which, at, texts[at - 1], -1);
    sqlite3_bind_int64(st, at++, c->dims);
    sqlite3_bind_int64(st, at++, back ? c->k : c->c);
    bind_sides(st, &at, in, in[0]);
    bind_sides(st, &at, c->filter, c->filter[0]);
    sqlite3_bind_int64(st, at++, back ? c->c : c->k);
    sqlite3_bind_int64(st, at++, c->n);
    bind_sides(st, &at, c->pad, c->pad[0]);
    bind_sides(st, &at, c->stride, depth ? c->stride[0] : 0);
    bind_sides(st, &at, c->dilation, depth ? c->dilation[0] : 0);
    sqlite3_bind_int64(st, at++, c->bias);
    sqlite3_bind_int64(st, at, c->groups);
}

static int write_entry(struct writer *w, sqlite3_int64 config, const char *solver, int n_solver,
                       const char *params, int n_params)
{
    bind_text(w, FIND_ENTRY, 1, solver, n_solver);
    sqlite3_bind_int64(w->st[FIND_ENTRY], 2, config);
    const sqlite3_int64 id = step(w, FIND_ENTRY);
    if (id < 0)
        return -1;
    if (id != 0 && (!w->force || id > w->first)) {
        w->counts->kept += id <= w->first;
        return 0;
    }
    const enum statement which = id != 0 ? SET_ENTRY : ADD_ENTRY;
    sqlite3_stmt *st = w->st[which];
    if (id != 0) {
        sqlite3_bind_int64(st, 1, id);
        bind_text(w, which, 2, params, n_params);
        w->counts->replaced++;
    } else {
        bind_text(w, which, 1, solver, n_solver);
        sqlite3_bind_int64(st, 2, config);
        bind_text(w, which, 3, params, n_params);
        w->counts->added++;
    }
    return step(w, which) < 0 ? -1 : 0;
}

static int write_line(struct writer *w, const struct user_db_line *line)
{
    struct conv c;
    char why[96];
    const char *at = line->entries, *solver = at, *params;
    size_t n_solver, n_params;
    if (conv_parse_key(line->key, strlen(line->key), &c, why) != 0)
        return fail("%s: key \"%s\": %s", w->path, line->key, why);
    bind_config(w, ADD_CONFIG, &c);
    bind_config(w, FIND_CONFIG, &c);
    /* The row of config that holds the convolution, made if there is none */
    const sqlite3_int64 config = step(w, ADD_CONFIG) < 0 ? -1 : step(w, FIND_CONFIG);
    if (config < 0)
        return -1;
    for (; (params = user_db_next_entry(&at, &n_solver, &n_params)) != NULL; solver = at)
        if (write_entry(w, config, solver, (int)n_solver, params, (int)n_params) != 0)
            return -1;
    return 0;
}

static int by_key(const void *pa, const void *pb)
{
    const struct user_db_line *const *a = pa, *const *b = pb;
    return strcmp((*a)->key, (*b)->key);
}

static int write_lines(struct writer *w, const struct user_db *u)
{
    const struct user_db_line **order = xcalloc(u->n, sizeof(struct user_db_line *));
    int rc = 0;
    for (size_t i = 0; i < u->n; i++)
        order[i] = &u->lines[i];
    qsort(order, u->n, sizeof(struct user_db_line *), by_key);
    for (size_t i = 0; i < u->n && rc == 0; i++)
        rc = write_line(w, order[i]);
    free(order);
    return rc;
}

/* ---- what the database holds ---- */

/* A row that the text of a user perf-db could not hold is left out. */
static int read_all(const struct writer *w, struct user_db *all)
{
    sqlite3_stmt *st;
    int rc;
    if (sqlite3_prepare_v2(w->db, all_entries, -1, &st, NULL) != SQLITE_OK)
        return db_failed(w);
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *entry = (const char *)sqlite3_column_text(st, 1);
        const char *key = (const char *)sqlite3_column_text(st, 2);
        if (entry == NULL || key == NULL || strchr(entry, ';') != NULL
            || strchr(entry, ':') == NULL)
            continue;
        user_db_add(all, key, entry);
        all->lines[all->n - 1].number = (size_t)sqlite3_column_int64(st, 0);
    }
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? 0 : db_failed(w);
}

/* ---- the database ---- */

/* An existing database has to be a perf-db already; a new or an empty file becomes one. */
static int check_tables(const struct writer *w)
{
    sqlite3_stmt *st;
    int tables = 0, ours = 0;
    if (sqlite3_prepare_v2(w->db,
                           "SELECT name IN ('config', 'perf_db') FROM sqlite_master "
                           "WHERE type = 'table'",
                           -1, &st, NULL)
        != SQLITE_OK)
        return db_failed(w);
    int rc;
    for (; (rc = sqlite3_step(st)) == SQLITE_ROW; tables++)
        ours += sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    if (rc != SQLITE_DONE)
        return db_failed(w);
    return tables == 0 || ours == 2 ? 0
                                    : fail("%s: is not a perf-db: it lacks the table config or "
                                           "perf_db",
                                           w->path);
}

static int user_db_sqlite_prepare(struct writer *w)
{
    for (size_t i = 0; i < N_STATEMENTS; i++)
        if (sqlite3_prepare_v2(w->db, statements[i], -1, &w->st[i], NULL) != SQLITE_OK)
            return db_failed(w);
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(w->db, "SELECT ifnull(max(id), 0) FROM perf_db", -1, &st, NULL)
        != SQLITE_OK)
        return db_failed(w);
    const int rc = sqlite3_step(st);
    w->first = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return rc == SQLITE_ROW ? 0 : db_failed(w);
}

static sqlite3 *in_use;

/* What was not committed is rolled back. */
static void close_db(void)
{
    for (sqlite3_stmt *st; in_use != NULL && (st = sqlite3_next_stmt(in_use, NULL)) != NULL;)
        sqlite3_finalize(st);
    sqlite3_close(in_use);
    in_use = NULL;
}

/* MIOpen may have the file open: it is waited for. What fails before the end is rolled back when
   the database is closed. */
static int write_all(struct writer *w, const struct user_db *u, const char *file,
                     struct user_db *all)
{
    static int is_asked;
    if (!is_asked) /* out of memory ends the program, and would leave the journal behind */
        is_asked = atexit(close_db) == 0;
    const int rc = sqlite3_open_v2(file, &w->db, SQLITE_OPEN_READWRITE, NULL);
    in_use = w->db;
    if (rc != SQLITE_OK)
        return db_failed(w);
    sqlite3_busy_timeout(w->db, 10000);
    if (file != w->path && run_sql(w, "PRAGMA journal_mode = MEMORY") != 0)
        return -1; /* a signal would leave the journal of a temporary file behind */
    if (check_tables(w) != 0 || run_sql(w, "BEGIN IMMEDIATE") != 0)
        return -1;
    signals_hold(); /* one that ends the program would leave the journal behind */
    w->is_held = 1;
    if (run_sql(w, schema) != 0 || user_db_sqlite_prepare(w) != 0 || write_lines(w, u) != 0
        || read_all(w, all) != 0)
        return -1;
    return run_sql(w, "COMMIT");
}

/* Into the file, which is there and empty or a database; `path` is what messages call it. */
static int write_file(const struct user_db *u, const char *path, const char *file, int force,
                      struct user_db_counts *counts, struct user_db *all)
{
    struct writer w = {.path = path, .force = force, .counts = counts};
    memset(counts, 0, sizeof *counts);
    user_db_free(all);
    all->path = path;
    all->is_sqlite = 1;
    const int rc = write_all(&w, u, file, all);
    close_db();
    if (w.is_held)
        signals_release();
    return rc;
}

/* A new database gets its name when it is whole: so a run that fails has nothing to remove at
   `path`, where another run may have made one by then. 1 if one has. */
static int write_new(const struct user_db *u, const char *path, int force,
                     struct user_db_counts *counts, struct user_db *all)
{
    struct outfile out;
    if (out_open_new(&out, path) != 0)
        return -1;
    return out_end(&out, write_file(u, path, out.temporary, force, counts, all) != 0);
}

int user_db_write_sqlite(const struct user_db *u, const char *path, int force,
                         struct user_db_counts *counts, struct user_db *all)
{
    struct stat st;
    int rc = 1;
    if (stat(path, &st) != 0)
        rc = write_new(u, path, force, counts, all);
    else if (S_ISDIR(st.st_mode))
        return fail("%s: is a directory", path);
    return rc > 0 ? write_file(u, path, path, force, counts, all) : rc;
}

#else

int user_db_write_sqlite(const struct user_db *u, const char *path, int force,
                         struct user_db_counts *counts, struct user_db *all)
{
    (void)u;
    (void)all;
    (void)force;
    (void)counts;
    return fail_without(path, "SQLite", "libsqlite3-dev");
}

#endif
