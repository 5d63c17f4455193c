/* untuned.c - see untuned.h
   SPDX-License-Identifier: MIT */
#include "untuned.h"

#include "base/util.h"

#include <string.h>

static const char blanks[] = " \t\r\n";

/* ---- lines ---- */

static char *trim(char *s)
{
    s += strspn(s, blanks);
    size_t n = strlen(s);
    while (n > 0 && strchr(blanks, s[n - 1]) != NULL)
        n--;
    s[n] = '\0';
    return s;
}

/* The cells of a line: their number, also of those that have no place in the row */
static int cut(char *line, struct untuned_row *row)
{
    int n = 0;
    for (char *cell = line, *next; cell != NULL; cell = next) {
        next = strchr(cell, ',');
        if (next != NULL)
            *next++ = '\0';
        if (n < UNTUNED_COLUMNS)
            row->cell[n] = trim(cell);
        n++;
    }
    row->n = n < UNTUNED_COLUMNS ? n : UNTUNED_COLUMNS;
    return n;
}

/* ---- headers ---- */

static const char *const gemm[] = {
    "M", "N", "K", "B", "q_dtype_w", "bias", "dtype", "outdtype", "scaleAB", "bpreshuffle", NULL};
static const char *const fused[] = {"token",     "model_dim", "inter_dim", "expert",
                                    "topk",      "act_type",  "dtype",     "q_dtype_a",
                                    "q_dtype_w", "q_type",    "use_g1u1",  "doweight_stage1",
                                    NULL};

static int is_one_of(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static int find(const struct untuned_row *row, const char *name)
{
    for (int i = 0; i < row->n; i++)
        if (strcmp(row->cell[i], name) == 0)
            return i;
    return -1;
}

/* A log's first line may have commas, too, but not with single words between them, one of these. */
static int is_header(const struct untuned_row *row, const char *path)
{
    static const char *const words[] = {"M", "N", "K", "m", "n", "k", "token", NULL};
    int n_words = 0, found = 0;
    if (ends_with(path, ".csv"))
        return 1;
    for (int i = 0; i < row->n; i++) {
        n_words += is_identifier(row->cell[i]);
        found |= is_one_of(words, row->cell[i]);
    }
    return row->n > 1 && n_words == row->n && found;
}

static int check_columns(const struct untuned *u, const struct untuned_row *row, size_t number)
{
    const char *const *known = u->is_fused ? fused : gemm;
    if (find(row, "kernelName") >= 0 || find(row, "us") >= 0)
        return fail("%s:%zu: column \"%s\": the table is tuned already: it is one for --installed",
                    u->path, number, find(row, "us") >= 0 ? "us" : "kernelName");
    for (int i = 0; i < row->n; i++) {
        if (!is_one_of(known, row->cell[i]))
            return fail("%s:%zu: column \"%.60s\": is none of an untuned list", u->path, number,
                        row->cell[i]);
        if (find(row, row->cell[i]) != i)
            return fail("%s:%zu: column \"%s\" stands there twice", u->path, number, row->cell[i]);
    }
    for (int i = 0; i < 3 && !u->is_fused; i++)
        if (find(row, gemm[i]) < 0)
            return fail("%s:%zu: there is no column %s; an untuned list has M,N,K", u->path, number,
                        gemm[i]);
    return 0;
}

static enum family_id family_of_columns(const struct untuned *u, const struct untuned_row *row)
{
    if (u->is_fused)
        return FAMILY_FMOE;
    if (u->b >= 0)
        return FAMILY_BATCHED;
    if (find(row, "bias") >= 0 || find(row, "outdtype") >= 0)
        return FAMILY_BF16;
    if (find(row, "q_dtype_w") >= 0)
        return family_of_file(u->path) == FAMILY_A8W8 ? FAMILY_A8W8 : FAMILY_BP;
    return FAMILY_NONE;
}

int untuned_header(struct untuned *u, const char *path, size_t number, char *line)
{
    struct untuned_row row;
    struct buf copy = {NULL, 0, 0};
    int rc = 0;
    memset(u, 0, sizeof *u);
    u->path = path;
    buf_puts(&copy, line);
    const int n = cut(copy.s, &row);
    if (is_header(&row, path)) {
        u->is_fused = find(&row, "token") >= 0;
        rc = n > UNTUNED_COLUMNS ? fail("%s:%zu: has %d columns", path, number, n)
                                 : check_columns(u, &row, number);
        rc = rc == 0 ? 1 : rc;
        u->n = n;
        u->m = find(&row, "M");
        u->n_at = find(&row, "N");
        u->k = find(&row, "K");
        u->b = find(&row, "B");
        u->family = family_of_columns(u, &row);
    }
    buf_free(&copy);
    return rc;
}

int untuned_row(const struct untuned *u, size_t number, char *line, struct untuned_row *row)
{
    if (line[strspn(line, blanks)] == '\0')
        return 0;
    const int n = cut(line, row);
    if (n != u->n)
        return fail("%s:%zu: has %d cell%s, the header has %d", u->path, number, n,
                    n == 1 ? "" : "s", u->n);
    return 1;
}
