/* device.h - launches a tuple's variant of gemm.hip through HIP, and checks what it computes
   SPDX-License-Identifier: MIT

   Behind kpred_hip.h. A tuple's values are in the order of enum param, as gemm.spec has them. The
   variants are files of a folder, see variant_path. A lost context (errors 700 to 719) stays lost
   for the process: the caller asks is_lost. */
#pragma once

#include "product.h"

#include <stdio.h>
#include <string.h>

enum param {
    TILE_M,
    TILE_N,
    TILE_K,
    THREAD_M,
    THREAD_N,
    VEC,
    BUFFERS,
    SPREAD,
    SPLIT,
    GROUP,
    PARAMS
};
enum { COMPILED = SPLIT, MOST_VARIANTS = 4096, ADD_THREADS = 256, EXIT_NO_DEVICE = 77 };

static const char *const param_names[PARAMS] = {"tile_m",   "tile_n", "tile_k",  "thread_m",
                                                "thread_n", "vec",    "buffers", "spread",
                                                "split",    "group"};

struct variant {
    int32_t value[COMPILED];
    hipModule_t module;
    hipFunction_t gemm, add_slices;
};

struct device {
    const char *folder;
    struct product product;
    void *a, *b, *c, *parts; /* parts: the slices' sums, as many as a tuple has asked for */
    int n_parts;
    float *got;    /* a row of C */
    size_t n, now; /* variants; the one that was launched last */
    struct variant variants[MOST_VARIANTS];
    /* Launches what is no tuple of the kernel and has tile_m 0, as a library's product; or NULL */
    hipError_t (*other)(struct device *d, const kpred_tuple *tuple, hipStream_t stream);
};

/* ---- errors ---- */

static inline int is_lost(hipError_t error)
{
    const int code = (int)error;
    return code >= 700 && code <= 719 && code != 701;
}

static inline hipError_t told(const char *what, hipError_t error)
{
    if (error != hipSuccess)
        fprintf(stderr, "gemm_gpu: %s: %s\n", what, hipGetErrorName(error));
    return error;
}

/* 1 if there is none: says so. */
static inline int no_device(void)
{
    int devices = 0;
    const hipError_t error = hipGetDeviceCount(&devices);
    if (error == hipSuccess && devices > 0)
        return 0;
    fprintf(stderr, "gemm_gpu: there is no device here: %s\n",
            hipGetErrorName(error == hipSuccess ? hipErrorNoDevice : error));
    return 1;
}

/* ---- variants ---- */

static inline void variant_path(char *path, size_t size, const char *folder, const int32_t *value)
{
    size_t n = (size_t)snprintf(path, size, "%s/gemm", folder);
    for (int i = 0; i < COMPILED && n < size; i++)
        n += (size_t)snprintf(path + n, size - n, "_%d", (int)value[i]);
    if (n < size)
        snprintf(path + n, size - n, ".code");
}

static inline hipError_t load_variant(struct variant *v, const char *folder, const int32_t *value)
{
    char path[4096];
    hipError_t error;
    variant_path(path, sizeof path, folder, value);
    if ((error = told(path, hipModuleLoad(&v->module, path))) != hipSuccess)
        return error;
    error = told("kernel \"gemm\"", hipModuleGetFunction(&v->gemm, v->module, "gemm"));
    if (error == hipSuccess)
        error = told("kernel \"add_slices\"",
                     hipModuleGetFunction(&v->add_slices, v->module, "add_slices"));
    memcpy(v->value, value, sizeof v->value);
    if (error != hipSuccess)
        (void)hipModuleUnload(v->module);
    return error;
}

static inline int is_variant(const struct device *d, size_t i, const int32_t *value)
{
    return i < d->n && memcmp(d->variants[i].value, value, sizeof d->variants[i].value) == 0;
}

/* Makes d->now that of the tuple; it is loaded at the first call. */
static inline hipError_t find_variant(struct device *d, const int32_t *value)
{
    hipError_t error = hipSuccess;
    size_t i = 0;
    if (is_variant(d, d->now, value))
        return hipSuccess;
    while (i < d->n && !is_variant(d, i, value))
        i++;
    if (i == MOST_VARIANTS)
        return hipErrorOutOfMemory;
    if (i == d->n && (error = load_variant(&d->variants[i], d->folder, value)) == hipSuccess)
        d->n++;
    d->now = i;
    return error;
}

/* ---- memory ---- */

static inline size_t bytes_of(int rows, int columns)
{
    return (size_t)rows * (size_t)columns * sizeof(float);
}

static inline void release(void **memory)
{
    if (*memory != NULL)
        (void)hipFree(*memory);
    *memory = NULL;
}

static inline void close_problem(struct device *d)
{
    release(&d->a);
    release(&d->b);
    release(&d->c);
    release(&d->parts);
    d->n_parts = 0;
    free(d->got);
    d->got = NULL;
    close_product(&d->product);
}

static inline hipError_t allocate(void **memory, size_t bytes)
{
    const hipError_t error = hipMalloc(memory, bytes);
    if (error != hipSuccess)
        *memory = NULL; /* what a failed call leaves there is nothing */
    return error;
}

static inline hipError_t upload(void **memory, const float *from, size_t bytes)
{
    const hipError_t error = allocate(memory, bytes);
    return error == hipSuccess ? hipMemcpy(*memory, from, bytes, hipMemcpyHostToDevice) : error;
}

/* What stays between the tuples of a problem */
static inline hipError_t open_problem(struct device *d, struct problem p)
{
    const struct problem *now = &d->product.of;
    hipError_t error;
    if (now->m == p.m && now->n == p.n && now->k == p.k)
        return hipSuccess;
    close_problem(d);
    d->got = (float *)malloc(bytes_of(1, p.n));
    error = d->got != NULL && open_product(&d->product, p) == 0 ? hipSuccess : hipErrorOutOfMemory;
    if (error == hipSuccess)
        error = upload(&d->a, d->product.a, bytes_of(p.m, p.k));
    if (error == hipSuccess)
        error = upload(&d->b, d->product.b, bytes_of(p.k, p.n));
    if (error == hipSuccess)
        error = allocate(&d->c, bytes_of(p.m, p.n));
    if (told("memory", error) != hipSuccess)
        close_problem(d);
    return error;
}

/* Memory for the sums of so many slices */
static inline hipError_t need_parts(struct device *d, int slices)
{
    const struct problem *p = &d->product.of;
    hipError_t error;
    if (slices == 1 || slices <= d->n_parts)
        return hipSuccess;
    release(&d->parts);
    error =
        told("memory of the slices", allocate(&d->parts, (size_t)slices * bytes_of(p->m, p->n)));
    d->n_parts = error == hipSuccess ? slices : 0;
    return error;
}

static inline void close_device(struct device *d)
{
    close_problem(d);
    while (d->n > 0)
        (void)hipModuleUnload(d->variants[--d->n].module);
}

/* ---- launches: the callbacks of a plan ---- */

static inline unsigned blocks_of(int size, int tile)
{
    return (unsigned)((size + tile - 1) / tile);
}

static inline hipError_t add_up(struct device *d, const struct variant *v, int slices,
                                hipStream_t stream)
{
    int size = d->product.of.m * d->product.of.n;
    void *arguments[] = {&d->parts, &d->c, &size, &slices};
    return hipModuleLaunchKernel(v->add_slices, blocks_of(size, ADD_THREADS), 1, 1, ADD_THREADS, 1,
                                 1, 0, stream, arguments, NULL);
}

static inline hipError_t launch_tuple(struct device *d, const kpred_tuple *tuple,
                                      hipStream_t stream)
{
    struct problem p = d->product.of;
    const int32_t *v = tuple->value;
    int slices = (int)v[SPLIT], group = (int)v[GROUP];
    void *arguments[] = {&d->a,   &d->b, slices > 1 ? &d->parts : &d->c, &p.m, &p.n, &p.k,
                         &slices, &group};
    const unsigned blocks = blocks_of(p.m, v[TILE_M]) * blocks_of(p.n, v[TILE_N]);
    const unsigned threads = (unsigned)(v[TILE_M] / v[THREAD_M] * (v[TILE_N] / v[THREAD_N]));
    const struct variant *variant;
    hipError_t error = find_variant(d, v);
    if (error == hipSuccess)
        error = need_parts(d, slices);
    variant = &d->variants[d->now];
    if (error == hipSuccess)
        error = hipModuleLaunchKernel(variant->gemm, blocks, (unsigned)slices, 1, threads, 1, 1, 0,
                                      stream, arguments, NULL);
    return error == hipSuccess && slices > 1 ? add_up(d, variant, slices, stream) : error;
}

static inline hipError_t launch(void *user, const kpred_tuple *tuple, hipStream_t stream)
{
    struct device *d = (struct device *)user;
    return tuple->value[TILE_M] == 0 && d->other != NULL ? d->other(d, tuple, stream)
                                                         : launch_tuple(d, tuple, stream);
}

/* A driver may load or even compile a kernel at its first launch only, which is nobody's time. */
static inline hipError_t launch_once(struct device *d, const kpred_tuple *tuple, hipStream_t stream)
{
    hipError_t error = launch(d, tuple, stream);
    if (error == hipSuccess)
        error = hipStreamSynchronize(stream);
    (void)hipGetLastError();
    return error;
}

/* All bits set is not a number: an element that is not written is seen. */
static inline hipError_t launch_afresh(struct device *d, const kpred_tuple *tuple,
                                       hipStream_t stream)
{
    const size_t bytes = bytes_of(d->product.of.m, d->product.of.n);
    hipError_t error = hipMemsetAsync(d->c, 0xff, bytes, stream);
    if (error == hipSuccess && d->parts != NULL)
        error = hipMemsetAsync(d->parts, 0xff, (size_t)d->n_parts * bytes, stream);
    if (error == hipSuccess)
        error = launch(d, tuple, stream);
    return error == hipSuccess ? hipStreamSynchronize(stream) : error;
}

/* Launches once more and compares the rows that are known. */
static inline int verify(void *user, const kpred_tuple *tuple, hipStream_t stream)
{
    struct device *d = (struct device *)user;
    const struct product *p = &d->product;
    const size_t n = (size_t)p->of.n;
    if (told("check", launch_afresh(d, tuple, stream)) != hipSuccess)
        return 0;
    for (int r = 0; r < p->n; r++) {
        const char *row = (const char *)d->c + (size_t)p->row[r] * n * sizeof(float);
        if (hipMemcpy(d->got, row, n * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess)
            return 0;
        for (size_t j = 0; j < n; j++)
            if (!(d->got[j] == p->right[(size_t)r * n + j]))
                return 0;
    }
    return 1;
}
