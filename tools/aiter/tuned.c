/* tuned.c - reads AITER's tuned tables of every family, row by row
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/csv_records.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

static const size_t most_bytes = (size_t)1 << 30;

/* What the columns are called; the first N_NEEDED have to be there, and of a family with nearest
   shapes, whose rows are copied, the split, the kernel's number and the details. */
enum { M, N, K, KERNEL, US, N_NEEDED, SPLIT = N_NEEDED, GFX, CU_NUM, LIBTYPE, N_USED };
static const char *const used[N_USED] = {"M",      "N",   "K",      "kernelName", "us",
                                         "splitK", "gfx", "cu_num", "libtype"};
static const char *const unused[] = {"kernelId",  "tflops",      "bw",  "errRatio",
                                     "err_ratio", "preshuffleB", "_tag"};

struct table {
    struct csv_records c;
    enum family_id family;
    int at[N_USED], id, detail_at[MOST_DETAILS]; /* columns; -1: there is none */
    struct buf detail;                           /* of the row at hand */
};

static int is_detail(const struct family *f, const char *name)
{
    for (size_t i = 0; f->details[i] != NULL; i++)
        if (strcmp(f->details[i], name) == 0)
            return 1;
    return strcmp(f->id_column, name) == 0;
}

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

/* Where a column is; -1 with a message if it has to be there and is not. */
static int find(const struct table *t, const char *name, int is_needed, int *at)
{
    *at = csv_records_find(&t->c, name);
    if (*at < 0 && is_needed)
        return fail("%s:%ld: there is no column %s: this is no tuned table of %s", t->c.path,
                    t->c.at, name, families[t->family].name);
    return 0;
}

static int read_header(struct table *t)
{
    const struct csv_records *c = &t->c;
    const struct family *f = &families[t->family];
    if (csv_records_check_header(c) != 0)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        if (!is_known(c->cell[i]) && !is_detail(f, c->cell[i]))
            return fail("%s:%ld: column \"%.60s\": is none of a tuned table of %s", c->path, c->at,
                        c->cell[i], f->name);
    for (int i = 0; i < N_USED; i++)
        if (find(t, used[i], i < N_NEEDED || (i == SPLIT && f->has_nearest), &t->at[i]) != 0)
            return -1;
    for (size_t i = 0; f->details[i] != NULL; i++)
        if (find(t, f->details[i], 1, &t->detail_at[i]) != 0)
            return -1;
    return find(t, f->id_column, f->has_nearest, &t->id);
}

/* ---- rows ---- */

static const char *cell(const struct table *t, int column)
{
    return column >= 0 ? t->c.cell[column] : "";
}

static int read_size(const struct table *t, int column, int32_t *out)
{
    int64_t v;
    const char *text = cell(t, t->at[column]);
    if (parse_int(text, 1, KPRED_MAX_SIZE, &v) != 0)
        return fail("%s:%ld: %s: value \"%.60s\": is no integer from 1 to %d", t->c.path, t->c.at,
                    used[column], text, KPRED_MAX_SIZE);
    *out = (int32_t)v;
    return 0;
}

static void set_gfx(struct tuned_row *row, const char *text)
{
    struct buf b = {NULL, 0, 0};
    if (*text == '\0' || strcmp(text, "0") == 0)
        text = target_gfx_of_units(row->cu_num);
    snprintf(row->gfx, sizeof row->gfx, "%s", gpu_name(text, &b));
    buf_free(&b);
}

static int set_detail(struct table *t, struct tuned_row *row)
{
    const struct family *f = &families[t->family];
    t->detail.n = 0;
    buf_puts(&t->detail, "");
    for (size_t i = 0; f->details[i] != NULL; i++) {
        const char *text = trim_blanks(t->c.cell[t->detail_at[i]]);
        if (!family_is_detail(text))
            return fail("%s:%ld: %s: value \"%.60s\": is none of AITER's", t->c.path, t->c.at,
                        f->details[i], text);
        buf_printf(&t->detail, "%s%s", i != 0 ? "," : "", text);
    }
    row->detail = t->detail.s;
    return 0;
}

static int read_row(struct table *t, struct tuned_row *row)
{
    char *end;
    const char *units = cell(t, t->at[CU_NUM]);
    if (csv_records_check_row(&t->c) != 0)
        return -1;
    *row = (struct tuned_row){.path = t->c.path,
                              .line = t->c.at,
                              .kernel = cell(t, t->at[KERNEL]),
                              .us = cell(t, t->at[US]),
                              .libtype = t->at[LIBTYPE] >= 0 ? cell(t, t->at[LIBTYPE]) : "ck",
                              .split = cell(t, t->at[SPLIT]),
                              .id = cell(t, t->id)};
    if (t->at[CU_NUM] >= 0 && parse_int(units, 0, KPRED_MAX_SIZE, &row->cu_num) != 0)
        return fail("%s:%ld: cu_num: value \"%.60s\": is no number of compute units", t->c.path,
                    t->c.at, units);
    strtod(row->us, &end);
    if (end == row->us || *end != '\0')
        return fail("%s:%ld: us: value \"%.60s\": is no time", t->c.path, t->c.at, row->us);
    set_gfx(row, cell(t, t->at[GFX]));
    const int32_t bad = read_size(t, M, &row->m) != 0 || read_size(t, N, &row->n) != 0
                        || read_size(t, K, &row->k) != 0;
    return bad ? -1 : set_detail(t, row);
}

static int read_rows(struct table *t, int (*row)(void *, const struct tuned_row *), void *to)
{
    struct tuned_row r;
    int rc = csv_records_next(&t->c);
    if (rc <= 0)
        return rc < 0 ? rc : fail("%s: is empty", t->c.path);
    rc = read_header(t);
    while (rc == 0) {
        const int more = csv_records_next(&t->c);
        if (more <= 0)
            return more;
        rc = read_row(t, &r);
        if (rc == 0)
            rc = row(to, &r);
    }
    return rc;
}

int tuned_read(const char *path, enum family_id family,
               int (*row)(void *to, const struct tuned_row *row), void *to)
{
    struct buf text = {NULL, 0, 0};
    struct table t = {.family = family};
    int rc = read_text(path, most_bytes, &text);
    if (rc == 0) {
        rc = csv_records_open(&t.c, path, &text);
        if (rc == 0)
            rc = read_rows(&t, row, to);
        csv_records_close(&t.c);
        buf_free(&t.detail);
    }
    buf_free(&text);
    return rc;
}

int tuned_is_predicted(const char *us)
{
    const double t = strtod(us, NULL);
    return !(t < 999999.0) && !(t > 999999.0);
}
