/* tuned.c - see tuned.h
   SPDX-License-Identifier: MIT */
#include "tuned.h"

#include "base/csv_records.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static const size_t most_bytes = (size_t)1 << 30;

/* What the columns are called; the first N_NEEDED have to be there. */
enum { M, N, K, KERNEL, US, N_NEEDED, GFX = N_NEEDED, CU_NUM, LIBTYPE, N_USED };
static const char *const used[N_USED] = {"M",  "N",   "K",      "kernelName",
                                         "us", "gfx", "cu_num", "libtype"};
static const char *const unused[] = {"kernelId", "splitK",      "tflops", "bw",
                                     "errRatio", "preshuffleB", "_tag"};

static int is_known(const char *name)
{
    for (size_t i = 0; i < N_USED; i++)
        if (strcmp(used[i], name) == 0)
            return 1;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (strcmp(unused[i], name) == 0)
            return 1;
    return 0;
}

static int read_header(const struct csv_records *c, enum family_id family, int at[N_USED])
{
    if (csv_records_check_header(c) != 0)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        if (!is_known(c->cell[i]))
            return fail("%s:%ld: column \"%.60s\": is none of a tuned table of %s", c->path, c->at,
                        c->cell[i], families[family].name);
    for (int i = 0; i < N_USED; i++) {
        at[i] = csv_records_find(c, used[i]);
        if (at[i] < 0 && i < N_NEEDED)
            return fail("%s:%ld: there is no column %s: this is no tuned table of %s", c->path,
                        c->at, used[i], families[family].name);
    }
    return 0;
}

static int read_size(const struct csv_records *c, const int at[N_USED], int column, int32_t *out)
{
    int64_t v;
    if (parse_int(c->cell[at[column]], 1, KPRED_MAX_SIZE, &v) != 0)
        return fail("%s:%ld: %s: value \"%.60s\": is no integer from 1 to %d", c->path, c->at,
                    used[column], c->cell[at[column]], KPRED_MAX_SIZE);
    *out = (int32_t)v;
    return 0;
}

static const char *cell(const struct csv_records *c, const int at[N_USED], int column)
{
    return at[column] >= 0 ? c->cell[at[column]] : "";
}

static void set_gfx(struct tuned_row *row, const char *text)
{
    struct buf b = {NULL, 0, 0};
    if (*text == '\0' || strcmp(text, "0") == 0)
        text = target_gfx_of_units(row->cu_num);
    snprintf(row->gfx, sizeof row->gfx, "%s", gpu_name(text, &b));
    buf_free(&b);
}

static int read_row(const struct csv_records *c, const int at[N_USED], struct tuned_row *row)
{
    char *end;
    struct buf trouble = {NULL, 0, 0};
    if (c->n != c->n_header) {
        fail("%s:%ld: %s", c->path, c->at, csv_records_ragged(c, &trouble));
        buf_free(&trouble);
        return -1;
    }
    *row = (struct tuned_row){.path = c->path,
                              .line = c->at,
                              .kernel = cell(c, at, KERNEL),
                              .us = cell(c, at, US),
                              .libtype = cell(c, at, LIBTYPE)};
    if (at[CU_NUM] >= 0 && parse_int(cell(c, at, CU_NUM), 0, KPRED_MAX_SIZE, &row->cu_num) != 0)
        return fail("%s:%ld: cu_num: value \"%.60s\": is no number of compute units", c->path,
                    c->at, cell(c, at, CU_NUM));
    strtod(row->us, &end);
    if (end == row->us || *end != '\0')
        return fail("%s:%ld: us: value \"%.60s\": is no time", c->path, c->at, row->us);
    set_gfx(row, cell(c, at, GFX));
    return read_size(c, at, M, &row->m) != 0 || read_size(c, at, N, &row->n) != 0
                   || read_size(c, at, K, &row->k) != 0
               ? -1
               : 0;
}

static int read_rows(struct csv_records *c, enum family_id family,
                     int (*row)(void *, const struct tuned_row *), void *to)
{
    int at[N_USED] = {0};
    struct tuned_row r;
    int rc = csv_records_next(c);
    if (rc <= 0)
        return rc < 0 ? rc : fail("%s: is empty", c->path);
    rc = read_header(c, family, at);
    while (rc == 0) {
        const int more = csv_records_next(c);
        if (more <= 0)
            return more;
        rc = read_row(c, at, &r);
        if (rc == 0)
            rc = row(to, &r);
    }
    return rc;
}

int tuned_read(const char *path, enum family_id family,
               int (*row)(void *to, const struct tuned_row *row), void *to)
{
    struct buf text = {NULL, 0, 0};
    struct csv_records c;
    int rc = read_text(path, most_bytes, &text);
    if (rc == 0) {
        rc = csv_records_open(&c, path, &text);
        if (rc == 0)
            rc = read_rows(&c, family, row, to);
        csv_records_close(&c);
    }
    buf_free(&text);
    return rc;
}

int tuned_is_predicted(const char *us)
{
    const double t = strtod(us, NULL);
    return !(t < 999999.0) && !(t > 999999.0);
}
