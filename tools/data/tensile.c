/* tensile.c - reads the tables of Tensile's benchmarks: the speed of every GEMM kernel
   SPDX-License-Identifier: MIT

   A row is a shape: SizeI (m), SizeJ (n), SizeK (batch), SizeL (k), TotalFlops and others, and
   behind TotalFlops the GFLOP/s of each kernel; 0 means that the measurement failed. A column has
   its kernel's name:

       Cijk_Ailk_Bljk_SB_MT64x128x8_MI32x32x2x1_SE_EPS1_GRVW1_..._TT1_64_WG64_4_1_WGM1

   From MT on it is pieces, letters with no number (which counts as 1), one or several. They have
   the names of parameters: GRVW, of several numbers MT0, MT1, MT2. A spec needs to list no more of
   them than tell the kernels of a table apart. */
#include "readers.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PIECES = 64, PIECE_NAME = 16, PIECE_VALUE = 12 };

struct pieces {
    size_t n;
    struct piece {
        char name[PIECE_NAME], value[PIECE_VALUE];
    } v[MAX_PIECES];
};

struct kernel {
    char value[KPRED_MAX_TUPLE][PIECE_VALUE]; /* of the spec's parameters; unused: all 0 */
    const char *name;                         /* the column's; NULL: it cannot be read */
};

struct tensile {
    struct loader *l;
    struct csv_records *r;
    size_t flops;               /* the column TotalFlops */
    int size[KPRED_MAX_FIELDS]; /* the column of each field; -1: the file gives the GPU */
    int64_t gpu;
    size_t n_kernels;
    struct kernel *kernels;
};

static const char digits[] = "0123456789";
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* ---- kernels' names ---- */

/* The pieces of a name, or NULL. */
static const char *find_pieces(const char *name)
{
    const char *p = strstr(name, "_MT");
    return p != NULL && p[3] != '\0' && strchr(digits, p[3]) != NULL ? p + 1 : NULL;
}

static int add_piece(struct pieces *p, const char *value, size_t n)
{
    if (p->n == MAX_PIECES || n >= PIECE_VALUE - 2)
        return -1;
    memcpy(p->v[p->n].value, value, n);
    p->v[p->n++].value[n] = '\0';
    return 0;
}

/* Gives those from `first` on their names: 0, or -1 if one of that name is already there. */
static int name_pieces(struct pieces *p, size_t first, const char *key, size_t n)
{
    for (size_t i = first; i < p->n; i++) {
        if (p->n - first == 1)
            snprintf(p->v[i].name, PIECE_NAME, "%.*s", (int)n, key);
        else
            snprintf(p->v[i].name, PIECE_NAME, "%.*s%zu", (int)n, key, i - first);
        for (size_t k = 0; k < first; k++)
            if (strcmp(p->v[i].name, p->v[k].name) == 0)
                return -1;
    }
    return 0;
}

/* 0, or -1: this is not a list of pieces. */
static int parse_pieces(const char *at, struct pieces *p)
{
    for (p->n = 0; at != NULL && *at != '\0';) {
        const char *key = at;
        const size_t n = strspn(key, letters), first = p->n;
        int more = 1;
        for (at += n; more && *at != '\0' && strchr(digits, *at) != NULL; at += more) {
            const size_t length = strspn(at, digits);
            if (add_piece(p, at, length) != 0)
                return -1;
            at += length;
            more = (*at == 'x' || *at == '_') && at[1] != '\0' && strchr(digits, at[1]) != NULL;
        }
        if (n == 0 || n > PIECE_NAME - 4 || (p->n == first && add_piece(p, "1", 1) != 0)
            || name_pieces(p, first, key, n) != 0)
            return -1;
        if (*at != '\0' && (*at != '_' || *++at == '\0'))
            return -1;
    }
    return p->n != 0 ? 0 : -1;
}

static const char *find_value(const struct pieces *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->v[i].name, name) == 0)
            return p->v[i].value;
    return NULL;
}

/* Verdict on a column's name, and the kernel's parameters. */
static int read_kernel(const struct tensile *t, const char *name, struct kernel *k)
{
    struct pieces p;
    const struct spec *s = t->l->spec;
    if (parse_pieces(find_pieces(name), &p) != 0)
        return load_bad(t->l, t->r->at, DROP_BROKEN, "column", name, "is not a kernel's name");
    for (size_t i = 0; i < s->n_params; i++) {
        const char *value = find_value(&p, s->params[i].name);
        if (value == NULL)
            return load_bad(t->l, t->r->at, DROP_BROKEN, "column", name, "has no %s",
                            s->params[i].name);
        memcpy(k->value[i], value, strlen(value) + 1);
    }
    k->name = name;
    return 0;
}

/* ---- the header ---- */

static char *trim(char *s)
{
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n > 0 && strchr(" \t", s[n - 1]) != NULL)
        s[--n] = '\0';
    return s;
}

static void trim_cells(struct csv_records *r)
{
    for (size_t i = 0; i < r->n; i++)
        r->cell[i] = trim(r->cell[i]);
}

static int is_flops(const char *cell)
{
    const char *name = cell + strspn(cell, " \t");
    return strncmp(name, "TotalFlops", 10) == 0 && name[10 + strspn(name + 10, " \t")] == '\0';
}

int tensile_is_header(const struct loader *l, const struct csv_records *r)
{
    for (size_t i = 0; i < r->n && l->spec->format == SPEC_TENSILE; i++)
        if (is_flops(r->cell[i]))
            return 1;
    return 0;
}

static const struct {
    const char *field, *column;
} sizes[] = {{"m", "SizeI"}, {"n", "SizeJ"}, {"batch", "SizeK"}, {"k", "SizeL"}};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static int map_field(struct tensile *t, size_t field)
{
    const struct spec_field *f = &t->l->spec->fields[field];
    size_t i = 0;
    t->size[field] = -1;
    if (strcmp(f->name, "gpu") == 0 && f->n_tokens != 0)
        return load_file_gpu(t->l, field, &t->gpu);
    while (i < N_SIZES && strcmp(sizes[i].field, f->name) != 0)
        i++;
    if (i == N_SIZES || f->n_tokens != 0)
        return fail("%s: field \"%s\" of %s: is not in a Tensile table", t->l->path, f->name,
                    t->l->spec->path);
    t->size[field] = csv_records_find(t->r, sizes[i].column);
    return t->size[field] >= 0 && (size_t)t->size[field] < t->flops
               ? 0
               : fail("%s:%ld: there is no column \"%s\" before \"TotalFlops\"", t->l->path,
                      t->r->at, sizes[i].column);
}

static int map_fields(struct tensile *t)
{
    const struct spec *s = t->l->spec;
    for (size_t i = 0; i < N_SIZES; i++)
        if (spec_field_index(s, sizes[i].field) < 0)
            return fail("%s: %s lacks a field \"%s\", without which Tensile tables cannot be read",
                        t->l->path, s->path, sizes[i].field);
    for (size_t i = 0; i < s->n_params; i++)
        if (s->params[i].names[0] != NULL)
            return fail("%s: parameter \"%s\" of %s: has to be integers to be read from a Tensile "
                        "table",
                        t->l->path, s->params[i].name, s->path);
    for (size_t i = 0; i < s->n_fields; i++)
        if (map_field(t, i) != 0)
            return -1;
    return 0;
}

static int by_values(const void *pa, const void *pb)
{
    const struct kernel *a = pa, *b = pb;
    const int c = memcmp(a->value, b->value, sizeof a->value);
    return c != 0 ? c : (a->name > b->name) - (a->name < b->name);
}

/* Are there two kernels that the spec's parameters do not tell apart? */
static int check_apart(const struct tensile *t)
{
    struct kernel *k = xcalloc(t->n_kernels, sizeof *k);
    int rc = 0;
    memcpy(k, t->kernels, t->n_kernels * sizeof *k);
    qsort(k, t->n_kernels, sizeof *k, by_values);
    for (size_t i = 1; i < t->n_kernels && rc == 0; i++)
        if (k[i].name != NULL && k[i - 1].name != NULL
            && memcmp(k[i].value, k[i - 1].value, sizeof k->value) == 0)
            rc = fail("%s:%ld: columns \"%s\" and \"%s\": the parameters of %s do not tell them "
                      "apart",
                      t->l->path, t->r->at, k[i - 1].name, k[i].name, t->l->spec->path);
    free(k);
    return rc;
}

static int read_header(struct tensile *t)
{
    int rc = 0;
    trim_cells(t->r);
    t->flops = (size_t)csv_records_find(t->r, "TotalFlops");
    t->n_kernels = t->r->n_header - t->flops - 1;
    if (map_fields(t) != 0)
        return -1;
    if (t->n_kernels == 0)
        return fail("%s:%ld: no kernel follows the column TotalFlops", t->l->path, t->r->at);
    t->kernels = xcalloc(t->n_kernels, sizeof *t->kernels);
    t->l->at_once = 0; /* each of its cells will count */
    for (size_t i = 0; i < t->n_kernels && rc >= 0; i++)
        rc = read_kernel(t, t->r->cell[t->flops + 1 + i], &t->kernels[i]);
    t->l->at_once = 1;
    return rc < 0 ? -1 : check_apart(t);
}

/* ---- rows ---- */

/* Verdict on the shape. */
static int read_shape(struct tensile *t, int64_t *problem, double *flops)
{
    int64_t operations;
    if (t->r->n != t->r->n_header)
        return load_ragged(t->l, t->r);
    trim_cells(t->r);
    for (size_t i = 0; i < t->l->spec->n_fields; i++) {
        const int column = t->size[i];
        problem[i] = t->gpu;
        if (column >= 0 && parse_int(t->r->cell[column], INT64_MIN, INT64_MAX, &problem[i]) != 0)
            return load_bad(t->l, t->r->at, DROP_BROKEN, t->l->spec->fields[i].name,
                            t->r->cell[column], "is not an integer");
    }
    const char *text = t->r->cell[t->flops];
    if (parse_int(text, 1, INT64_MAX, &operations) != 0)
        return load_bad(t->l, t->r->at, DROP_BROKEN, "TotalFlops", text,
                        "is not a number of operations");
    *flops = (double)operations;
    return 0;
}

/* Verdict on a kernel's cell. */
static int read_cell(struct tensile *t, const struct kernel *k, const int64_t *problem,
                     double flops, const char *text)
{
    const char *params[KPRED_MAX_TUPLE];
    double gflops = 0;
    if (k->name == NULL)
        return load_drop(t->l, DROP_BROKEN);
    for (size_t i = 0; i < t->l->spec->n_params; i++)
        params[i] = k->value[i];
    const int rc = load_figure(t->l, t->r->at, k->name, text, &gflops);
    return rc == 0 ? load_add_timed(t->l, t->r->at, problem, params,
                                    gflops > 0 ? flops / gflops / 1000 : 0)
                   : rc;
}

static int read_row(struct tensile *t)
{
    int64_t problem[KPRED_MAX_FIELDS];
    double flops = 0;
    t->l->at_once = t->n_kernels;
    int rc = read_shape(t, problem, &flops);
    t->l->at_once = 1;
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < t->n_kernels && rc >= 0; i++)
        rc = read_cell(t, &t->kernels[i], problem, flops, t->r->cell[t->flops + 1 + i]);
    return rc;
}

int tensile_read(struct loader *l, struct csv_records *r)
{
    struct tensile t = {.l = l, .r = r};
    int rc = read_header(&t);
    while (rc >= 0 && (rc = csv_records_next(r)) > 0)
        rc = read_row(&t) < 0 ? -1 : 0;
    free(t.kernels);
    return rc < 0 ? -1 : 0;
}
