/* gemm_json.c - AITER's files of tuned Triton kernels for matrix products
   SPDX-License-Identifier: MIT */
#include "gemm_json.h"

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

const struct gemm_json *gemm_json_find(const struct gemm_jsons *j, const char *gfx,
                                       const char *name, int32_t n, int32_t k)
{
    for (size_t i = 0; i < j->n; i++) {
        const struct gemm_json *f = &j->v[i];
        if (f->n == n && f->k == k && strcmp(f->name, name) == 0 && strcmp(f->gfx, gfx) == 0)
            return f;
    }
    return NULL;
}

void gemm_jsons_free(struct gemm_jsons *j)
{
    for (size_t i = 0; i < j->n; i++)
        free(j->v[i].path);
    free(j->v);
}
