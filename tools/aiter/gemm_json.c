/* gemm_json.c - AITER's files of tuned Triton kernels for matrix products
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/flat_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* The architecture in front of the name, or in a folder above it; what stands behind it, or NULL */
static const char *find_gfx(const char *path, char gfx[16])
{
    static const char *const old[][2] = {{"MI300X-", "gfx942"}, {"MI350X-", "gfx950"}};
    const char *name = base_name(path), *folder = strstr(path, "/gfx");
    for (int i = 0; i < 2; i++)
        if (strncmp(name, old[i][0], strlen(old[i][0])) == 0) {
            strcpy(gfx, old[i][1]);
            return name + strlen(old[i][0]);
        }
    const char *at = strncmp(name, "gfx", 3) == 0 ? name : folder != NULL ? folder + 1 : "";
    const size_t n = strcspn(at, "-/");
    if (n == 0 || n >= 16)
        return NULL;
    snprintf(gfx, 16, "%.*s", (int)n, at);
    return at == name ? at + n + (at[n] == '-') : name;
}

int gemm_json_add(struct gemm_jsons *j, const char *path)
{
    struct gemm_json f = {.path = NULL};
    const char *name = find_gfx(path, f.gfx), *size = name != NULL ? strstr(name, "-N=") : NULL;
    int end = 0;
    if (name == NULL || strncmp(name, "GEMM-", 5) != 0 || strstr(path, "/aot/") != NULL
        || strstr(path, "/gluon/") != NULL)
        return 0;
    name += 5;
    const size_t n = size != NULL ? (size_t)(size - name) : strcspn(name, ".");
    if (n == 0 || n >= GEMM_JSON_NAME
        || (size != NULL && sscanf(size, "-N=%d-K=%d%n", &f.n, &f.k, &end) != 2)
        || strcmp(size != NULL ? size + end : name + n, ".json") != 0)
        return 0;
    memcpy(f.name, name, n);
    f.path = xstrdup(path);
    j->v = xgrow(j->v, j->n, &j->cap, sizeof *j->v);
    j->v[j->n++] = f;
    return 1;
}

static int is_of(const struct gemm_json *f, const char *gfx, const char *name)
{
    return strcmp(f->name, name) == 0 && strcmp(f->gfx, gfx) == 0;
}

const struct gemm_json *gemm_json_near(const struct gemm_jsons *j, const char *gfx,
                                       const char *name, int32_t n, int32_t k, double most)
{
    const struct gemm_json *best = NULL;
    double least = most * most + 1;
    for (size_t i = 0; i < j->n; i++) {
        const struct gemm_json *f = &j->v[i];
        const double by_n = nearest_ratio(f->n, n), by_k = nearest_ratio(f->k, k);
        if (f->n != 0 && is_of(f, gfx, name) && by_n <= most && by_k <= most
            && by_n * by_k < least) {
            least = by_n * by_k;
            best = f;
        }
    }
    return best;
}

/* ---- near rows ---- */

static const char *const members[] = {
    "BLOCK_SIZE_M",   "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M",
    "num_warps",      "num_stages",   "waves_per_eu", "matrix_instr_nonkdim",
    "cache_modifier", "NUM_KSPLIT",   "kpack"};
enum { MEMBERS = sizeof members / sizeof *members, GEMM_JSON_BYTES = 1 << 20 };

struct near_rows {
    size_t n, cap;
    struct near_row {
        double size, m; /* the factors of N and K together, and the bound of M */
        char *tuple;    /* ",16,32,..." */
    } * v;
};

/* "M_LEQ_64": up to so many tokens; older files have "medium_M64"; all others are for more. */
static double bound_of(const char *name)
{
    const char *digits = name + strcspn(name, "0123456789");
    return strcmp(name, "small") == 0 ? 16 : *digits != '\0' ? strtod(digits, NULL) : 1 << 14;
}

static int add_near(struct near_rows *to, const char *path, const struct flat_value *row,
                    double size)
{
    struct buf b = {NULL, 0, 0};
    struct flat_json tuple;
    int rc = row->kind == FLAT_OBJECT ? flat_json_inner(&tuple, path, row)
                                      : fail("%s: %s: expected a tuple", path, row->name);
    for (int i = 0; i < MEMBERS && rc == 0; i++) {
        const struct flat_value *v = flat_json_find(&tuple, members[i]);
        buf_printf(&b, ",%s", v != NULL && v->kind != FLAT_NULL ? v->text : "");
    }
    if (row->kind == FLAT_OBJECT)
        flat_json_free(&tuple);
    if (rc != 0)
        return rc;
    to->v = xgrow(to->v, to->n, &to->cap, sizeof *to->v);
    to->v[to->n++] = (struct near_row){size, bound_of(row->name), b.s};
    return 0;
}

static void read_near(struct near_rows *to, const struct gemm_json *f, double size)
{
    struct spared spared = {.n = 0};
    struct flat_json j;
    spare_begin(&spared);
    const int rc = flat_json_members(&j, f->path, GEMM_JSON_BYTES, "a file of tuples");
    for (size_t i = 0; i < j.n && rc == 0; i++)
        spared.n += add_near(to, f->path, &j.v[i], size) != 0;
    spare_note(&spared);
    flat_json_free(&j);
}

/* Each tuple once, at its nearest */
static void add_ranked(struct buf *csv, const struct near_rows *of, const char *head, double m,
                       size_t most)
{
    struct interned taken = {.n = 0};
    for (const struct near_row *best = of->v; best != NULL && taken.n < most;) {
        best = NULL;
        for (const struct near_row *x = of->v; x < of->v + of->n; x++)
            if (intern_find_text(&taken, x->tuple) == INTERN_NONE
                && (best == NULL
                    || x->size * nearest_ratio(x->m, m) < best->size * nearest_ratio(best->m, m)))
                best = x;
        if (best != NULL) {
            intern_text(&taken, best->tuple);
            buf_printf(csv, "%s,%zu%s\n", head, taken.n, best->tuple);
        }
    }
    intern_free(&taken);
}

void gemm_json_rank(const struct gemm_jsons *j, const char *gfx, const char *name, int32_t n,
                    int32_t k, size_t most, struct buf *csv)
{
    struct near_rows rows = {.n = 0};
    for (size_t i = 0; i < j->n; i++) {
        const struct gemm_json *f = &j->v[i];
        if (f->n != 0 && is_of(f, gfx, name))
            read_near(&rows, f, nearest_ratio(f->n, n) * nearest_ratio(f->k, k));
    }
    if (csv->n == 0 && rows.n != 0) {
        buf_puts(csv, "kernel,M,N,K,rank");
        for (int i = 0; i < MEMBERS; i++)
            buf_printf(csv, ",%s", members[i]);
        buf_puts(csv, "\n");
    }
    for (int m = 16; m <= 8192 && rows.n != 0; m *= 2) {
        char head[96];
        snprintf(head, sizeof head, "%s,%d,%d,%d", name, m, (int)n, (int)k);
        add_ranked(csv, &rows, head, m, most);
    }
    for (size_t i = 0; i < rows.n; i++)
        free(rows.v[i].tuple);
    free(rows.v);
}

void gemm_jsons_free(struct gemm_jsons *j)
{
    for (size_t i = 0; i < j->n; i++)
        free(j->v[i].path);
    free(j->v);
}
