/* tuned.c - reads AITER's tuned tables of every family, row by row
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/csv_records.h"
#include "base/names.h"
#include "base/unpack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

static const size_t most_bytes = (size_t)1 << 30;

/* The columns that are read: the first N_NEEDED have to be there, and of a family with nearest
   shapes, whose rows are copied, the split, the kernel's number and what is copied. */
enum { M, N, K, KERNEL, US, N_NEEDED, SPLIT = N_NEEDED, GFX, CU_NUM, LIBTYPE, TAG, DETAIL };
enum { ID = DETAIL + MOST_DETAILS, COPIED, N_READ = COPIED + MOST_COPIED };
static const char unused[] = "kernelId tflops bw errRatio err_ratio preshuffleB gfx cu_num libtype "
                             "_tag";

/* Columns that older tables of fused MoE lack; then they are 0. */
static const char newer[] = "xbf16 flat";

/* What it is called; NULL: the family has none */
static const char *column(enum family_id family, int i)
{
    static const char *const usual[] = {
        [US] = "us", [GFX] = "gfx", [CU_NUM] = "cu_num", [LIBTYPE] = "libtype", [TAG] = "_tag"};
    const struct family *f = &families[family];
    return i <= K        ? families[family].sizes[i]
           : i == KERNEL ? families[family].kernel_column
           : i == SPLIT  ? families[family].split_column
           : i < DETAIL  ? usual[i]
           : i < ID      ? f->details[i - DETAIL]
           : i == ID     ? f->id_column
                         : f->copied[i - COPIED];
}

struct table {
    struct csv_records c;
    enum family_id family;
    struct spared *spared;   /* NULL: no row is */
    int is_strange;          /* it has a column that nobody knows here */
    int at[N_READ];          /* -1: there is none */
    struct buf detail, more; /* of the row at hand */
};

static int read_header(struct table *t)
{
    const struct csv_records *c = &t->c;
    if (csv_records_check_header(c) != 0)
        return -1;
    /* A newer AITER may have more columns, which nobody knows here. */
    for (size_t i = 0; i < c->n && !t->is_strange; i++)
        if (!names_has_word(families[t->family].columns, c->cell[i])
            && !names_has_word(unused, c->cell[i]))
            t->is_strange = fail("%s:%ld: column \"%.60s\": is not a column of a tuned table of %s",
                                 c->path, c->at, c->cell[i], families[t->family].name);
    if (t->is_strange && t->spared == NULL)
        return -1;
    for (int i = 0; i < N_READ; i++) {
        const char *name = column(t->family, i);
        t->at[i] = name != NULL ? csv_records_find(c, name) : -1;
        const int is_needed = i < N_NEEDED || (i >= DETAIL && i < ID)
                              || (i >= COPIED && name != NULL && !names_has_word(newer, name))
                              || ((i == SPLIT || i == ID) && families[t->family].has_nearest);
        if (name != NULL && t->at[i] < 0 && is_needed)
            return fail("%s:%ld: there is no column %s: this is not a tuned table of %s", c->path,
                        c->at, name, families[t->family].name);
    }
    return 0;
}

/* ---- rows ---- */

/* A table that was merged may have 0.0 for 0. */
int tuned_number(const struct tuned_row *row, const char *name, const char *text, int32_t *out)
{
    int64_t v;
    if (parse_whole(text, 0, INT32_MAX, &v) != 0)
        return fail("%s:%zu: %s: value \"%.60s\": is not an integer from 0 to %" PRId32,
                    row->shape.at.path, row->shape.at.line, name, text, INT32_MAX);
    *out = (int32_t)v;
    return 0;
}

static const char *cell(const struct table *t, int i)
{
    return t->at[i] >= 0 && (size_t)t->at[i] < t->c.n ? t->c.cell[t->at[i]] : "";
}

static int set_detail(struct table *t, struct tuned_row *row)
{
    const struct family *f = &families[t->family];
    t->detail.n = 0;
    buf_puts(&t->detail, "");
    for (size_t i = 0; f->details[i] != NULL; i++) {
        const size_t at = (size_t)t->at[DETAIL + i];
        const char *text = at < t->c.n ? trim_blanks(t->c.cell[at]) : "";
        buf_puts(&t->detail, i != 0 ? "," : "");
        if (family_add_detail(&t->detail, t->family, i, text) != 0)
            return fail("%s:%ld: %s: value \"%.60s\": is not one of AITER's", t->c.path, t->c.at,
                        f->details[i], text);
    }
    row->shape.detail = t->detail.s;
    return 0;
}

/* Names of kernels are taken as they are; of what else is copied, all are numbers. */
static int set_copied(struct table *t, struct tuned_row *row)
{
    const char *const *names = families[t->family].copied;
    t->more.n = 0;
    buf_puts(&t->more, "");
    for (size_t i = 0; names[i] != NULL; i++) {
        int32_t v = 0;
        const char *text = t->at[COPIED + (int)i] >= 0 ? cell(t, COPIED + (int)i) : "0";
        if (strncmp(names[i], "kernel", strlen("kernel")) == 0)
            buf_puts(&t->more, text);
        else if (tuned_number(row, names[i],
                              strcmp(text, "True") == 0    ? "1" /* pandas writes truths so */
                              : strcmp(text, "False") == 0 ? "0"
                                                           : text,
                              &v)
                 == 0)
            buf_printf(&t->more, "%d", (int)v);
        else
            return -1;
        buf_printf(&t->more, "%c", COPIED_END);
    }
    row->more = t->more.s;
    return 0;
}

static int is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0';
}

/* AITER has tables in which some rows end before the last column, that of the tag, and others in
   which a cell is missing elsewhere: then what stands before the tag is no number. */
static int check_row(const struct table *t)
{
    if (t->at[TAG] >= 0 && (size_t)t->at[TAG] == t->c.n && t->c.n + 1 == t->c.n_header
        && is_number(t->c.cell[t->c.n - 1]))
        return 0;
    return csv_records_check_row(&t->c);
}

/* Where the row has too few cells or too many, too: AITER counts them from the left. */
static int read_key(struct table *t, struct tuned_row *row)
{
    const char *units = cell(t, CU_NUM), *gfx = cell(t, GFX);
    const struct product *p;
    struct buf b = {NULL, 0, 0};
    if (t->at[CU_NUM] >= 0 && parse_int(units, 0, KPRED_MAX_SIZE, &row->cu_num) != 0)
        return fail("%s:%ld: cu_num: value \"%.60s\": is not a number of compute units", t->c.path,
                    t->c.at, units);
    if (*gfx == '\0' || strcmp(gfx, "0") == 0) /* it follows from their number */
        gfx = (p = product_of_units(row->cu_num)) != NULL ? p->arch : "";
    snprintf(row->gfx, sizeof row->gfx, "%s", gpu_name(gfx, &b));
    buf_free(&b);
    int32_t *const size[] = {&row->shape.m, &row->shape.n, &row->shape.k};
    for (int i = M; i <= K; i++)
        if (asked_size(&row->shape.at, column(t->family, i), cell(t, i), size[i]) != 0)
            return -1;
    return set_detail(t, row);
}

/* 0; 1: the key alone can be used, or -1: nothing can, both with a message */
static int read_row(struct table *t, struct tuned_row *row)
{
    const int is_ragged = check_row(t) != 0;
    *row = (struct tuned_row){.shape = {.family = t->family, .at = {t->c.path, (size_t)t->c.at}},
                              .kernel = is_ragged ? "" : cell(t, KERNEL),
                              .us = cell(t, US),
                              .libtype = t->at[LIBTYPE] >= 0 ? cell(t, LIBTYPE) : "ck",
                              .split = cell(t, SPLIT),
                              .id = cell(t, ID),
                              .tag = is_ragged ? "" : cell(t, TAG)};
    if ((is_ragged && t->spared == NULL) || read_key(t, row) != 0)
        return -1;
    row->is_broken = is_ragged || t->is_strange;
    if (!row->is_broken && !is_number(row->us))
        row->is_broken =
            fail("%s:%ld: us: value \"%.60s\": is not a time", t->c.path, t->c.at, row->us);
    row->is_broken = row->is_broken || set_copied(t, row) != 0;
    return row->is_broken;
}

static int read_rows(struct table *t, int (*row)(void *, const struct tuned_row *), void *to)
{
    int rc = csv_records_next(&t->c), more = 1;
    if (rc <= 0)
        return rc < 0 ? rc : fail("%s: is empty", t->c.path);
    rc = read_header(t);
    while (rc == 0 && (more = csv_records_next(&t->c)) > 0) {
        struct tuned_row r;
        const int bad = read_row(t, &r);
        if (bad != 0 && t->spared == NULL)
            return -1;
        if (bad != 0)
            t->spared->n++;
        rc = bad >= 0 ? row(to, &r) : 0;
    }
    if (rc != 0 || more == 0 || t->spared == NULL)
        return rc != 0 ? rc : more;
    t->spared->n++; /* no row is told from the next one there */
    return 0;
}

int tuned_read(const char *path, enum family_id family, struct spared *spared,
               int (*row)(void *to, const struct tuned_row *row), void *to)
{
    struct buf text = {NULL, 0, 0};
    struct table t = {.family = family, .spared = spared};
    int rc = read_unpacked(path, most_bytes, &text);
    if (rc == 0) {
        rc = csv_records_open(&t.c, path, &text);
        if (rc == 0)
            rc = read_rows(&t, row, to);
        csv_records_close(&t.c);
        buf_free(&t.detail);
        buf_free(&t.more);
    }
    buf_free(&text);
    return rc;
}

int tuned_is_predicted(const char *us)
{
    const double t = strtod(us, NULL);
    return !(t < 999999.0) && !(t > 999999.0);
}
