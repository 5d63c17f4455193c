/* blas_product.h - the product of device.h by the vendor's library, where the machine has it
   SPDX-License-Identifier: MIT

   Behind device.h. cuBLAS or hipBLAS is found when the program runs, by its file. Their matrices
   lie by columns, so that they compute the product of the turned ones, in the other order. */
#pragma once

#include <dlfcn.h>

typedef int blas_product(void *, int, int, int, int, int, const float *, const void *, int,
                         const void *, int, const float *, void *, int);

static struct {
    void *handle;
    int as_is; /* the number that says: not turned */
    blas_product *product;
} blas;

/* A function of a library, by one of the two names */
static inline void blas_find(void *library, const char *name, const char *other, void *function)
{
    void *found = dlsym(library, name);
    if (found == NULL)
        found = dlsym(library, other);
    memcpy(function, &found, sizeof found);
}

static inline void *blas_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        "libcublas.so",    "libhipblas.so.3", "libhipblas.so.2",
                                        "libhipblas.so.1", "libhipblas.so.0", "libhipblas.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++) {
        library = dlopen(names[i], RTLD_NOW);
        blas.as_is = strstr(names[i], "hip") != NULL ? 111 : 0;
    }
    return library;
}

static inline hipError_t launch_blas(struct device *d, const kpred_tuple *tuple, hipStream_t stream)
{
    const struct problem *p = &d->product.of;
    const float one = 1, zero = 0;
    (void)tuple;
    (void)stream; /* the null stream is the library's own */
    return blas.product(blas.handle, blas.as_is, blas.as_is, p->n, p->m, p->k, &one, d->b, p->n,
                        d->a, p->k, &zero, d->c, p->n)
                   == 0
               ? hipSuccess
               : hipErrorInvalidValue;
}

/* 0, or -1 where there is none */
static inline int open_blas(void)
{
    int (*create)(void **) = NULL;
    void *library = blas_library();
    if (library == NULL)
        return -1;
    blas_find(library, "cublasCreate_v2", "hipblasCreate", &create);
    blas_find(library, "cublasSgemm_v2", "hipblasSgemm", &blas.product);
    return create != NULL && blas.product != NULL && create(&blas.handle) == 0 ? 0 : -1;
}
