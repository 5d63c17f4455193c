/* sqlite_peer.c - the tuples of the nearest known problems, from a perf-db of SQLite with an index
   SPDX-License-Identifier: MIT

   The distance is that of nearest_peer.c. The index has the sizes in octaves, in the order of the
   tokens, so the query reads none but it, and of it only the problems with the same tokens. */
#include "bench.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERY = 2048, ALL = -1 };

struct state {
    struct peer_state head;
    sqlite3 *db;
    sqlite3_stmt *same, *any; /* of the same tokens; of all */
};

static void sqlite_peer_add(char *text, const char *format, const char *name, size_t number)
{
    const size_t n = strlen(text);
    snprintf(text + n, QUERY - n, format, name, number);
}

/* Parameter f + 1 of the query is field f, and the last one how many are asked for. */
static void write_query(const kpred_model *model, int is_same, char *text)
{
    const char *join = " WHERE ";
    snprintf(text, QUERY, "SELECT params FROM (SELECT id FROM config INDEXED BY near");
    for (size_t f = 0; f < model->n_fields && is_same; f++)
        if (model->fields[f].tokens) {
            sqlite_peer_add(text, join, "", 0);
            sqlite_peer_add(text, "%s = ?%zu", model->fields[f].name, f + 1);
            join = " AND ";
        }
    sqlite_peer_add(text, " ORDER BY 0", "", 0);
    for (size_t f = 0; f < model->n_fields; f++) {
        const char *name = model->fields[f].name;
        if (!model->fields[f].tokens) {
            sqlite_peer_add(text, " + (log_%s - ?%zu)", name, f + 1);
            sqlite_peer_add(text, " * (log_%s - ?%zu)", name, f + 1);
        } else if (!is_same) {
            sqlite_peer_add(text, " + 1e6 * (%s != ?%zu)", name, f + 1);
        }
    }
    sqlite_peer_add(text, ", id LIMIT ?%2$zu) JOIN perf_db ON config = id", "",
                    model->n_fields + 1);
}

static int sqlite_peer_prepare(struct state *s, int is_same, sqlite3_stmt **out)
{
    char text[QUERY];
    write_query(s->head.task.model, is_same, text);
    return sqlite3_prepare_v2(s->db, text, -1, out, NULL);
}

static int sqlite_peer_open(void *state, char why[PEER_WHY])
{
    char path[PEER_PATH];
    struct state *s = state;
    const long bytes = peer_file(&s->head.task, "perf.db", path, why);
    if (bytes < 0)
        return -1;
    s->head.model_bytes = (size_t)bytes;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
        && sqlite_peer_prepare(s, 1, &s->same) == SQLITE_OK
        && sqlite_peer_prepare(s, 0, &s->any) == SQLITE_OK)
        return 0;
    snprintf(why, PEER_WHY, "%.60s: %.80s", path, sqlite3_errmsg(s->db));
    return -1;
}

static void sqlite_peer_close(void *state)
{
    struct state *s = state;
    sqlite3_finalize(s->same);
    sqlite3_finalize(s->any);
    sqlite3_close(s->db);
}

/* The indexes of the values of a text like 1,16,1,64 */
static void sqlite_peer_parse(const kpred_model *model, const char *text, unsigned char *index)
{
    for (size_t t = 0; t < model->n_params; t++) {
        char *end;
        const long value = strtol(text, &end, 10);
        index[t] = 0;
        while (model->params[t].values[index[t]] != value
               && index[t] + 1 < model->params[t].n_values)
            index[t]++;
        text = end + (*end == ',');
    }
}

/* Of at most `most` rows, or all, the first k new and legal tuples; whether there were k */
static int sqlite_peer_take(sqlite3_stmt *query, struct distinct *d, int64_t most)
{
    const kpred_model *model = d->model;
    unsigned char index[KPRED_MAX_TUPLE];
    int found = 0;
    d->n = 0;
    sqlite3_bind_int64(query, (int)model->n_fields + 1, most);
    for (size_t f = 0; f < model->n_fields; f++) {
        const kpred_field *field = &model->fields[f];
        const int32_t x = d->problem[f];
        if (field->tokens)
            sqlite3_bind_int(query, (int)f + 1, x);
        else
            sqlite3_bind_double(query, (int)f + 1, log2((double)x + (field->least == 0)));
    }
    while (!found && sqlite3_step(query) == SQLITE_ROW) {
        sqlite_peer_parse(model, (const char *)sqlite3_column_text(query, 0), index);
        found = distinct_add(d, index);
    }
    sqlite3_reset(query);
    return found;
}

static size_t sqlite_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    const struct state *s = state;
    struct distinct d = {s->head.task.model, problem, out, 0, s->head.task.k};
    if (!sqlite_peer_take(s->same, &d, (int64_t)(8 * d.k)) && !sqlite_peer_take(s->same, &d, ALL))
        sqlite_peer_take(s->any, &d, ALL);
    return d.n;
}

const struct peer the_peer = {sizeof(struct state), sqlite_peer_open, sqlite_peer_predict,
                              sqlite_peer_close, 0};
