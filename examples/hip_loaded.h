/* hip_loaded.h - the calls of HIP from the library that the machine has, of whichever version
   SPDX-License-Identifier: MIT

   cc -std=c99 -I. -Iexamples -D__HIP_PLATFORM_AMD__ \
       -DKPRED_HIP_API_HEADER='"hip_loaded.h"' ... -ldl

   A program that is linked with -lamdhip64 wants one version of it. This one is compiled where no
   GPU is, and finds the library's calls when it runs. Without the library there is no device. The
   calls are defined in the file that defines KPRED_HIP_IMPLEMENTATION. */
#ifndef KPRED_HIP_LOADED_H
#define KPRED_HIP_LOADED_H

#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>

#ifdef KPRED_HIP_IMPLEMENTATION

/* The address of a call; NULL: there is no such library, or it has no such call. */
static inline void *hip_loaded_find(const char *name)
{
    static void *library;
    static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW);
    return library != NULL ? dlsym(library, name) : NULL;
}

const char *hipGetErrorName(hipError_t error)
{
    const char *(*call)(hipError_t) = NULL;
    void *found = hip_loaded_find("hipGetErrorName");
    memcpy(&call, &found, sizeof found);
    return call != NULL ? call(error) : "hipErrorNoDevice: there is no libamdhip64.so";
}

#define HIP_LOADED(name, types, values)                             \
    hipError_t name types                                           \
    {                                                               \
        static hipError_t(*call) types;                             \
        void *found = call == NULL ? hip_loaded_find(#name) : NULL; \
        if (found != NULL)                                          \
            memcpy(&call, &found, sizeof found);                    \
        return call != NULL ? call values : hipErrorNoDevice;       \
    }
HIP_LOADED(hipGetLastError, (void), ())
HIP_LOADED(hipGetDeviceCount, (int *n), (n))
HIP_LOADED(hipStreamIsCapturing, (hipStream_t s, hipStreamCaptureStatus *to), (s, to))
HIP_LOADED(hipStreamSynchronize, (hipStream_t s), (s))
HIP_LOADED(hipEventCreate, (hipEvent_t * e), (e))
HIP_LOADED(hipEventDestroy, (hipEvent_t e), (e))
HIP_LOADED(hipEventRecord, (hipEvent_t e, hipStream_t s), (e, s))
HIP_LOADED(hipEventSynchronize, (hipEvent_t e), (e))
HIP_LOADED(hipEventElapsedTime, (float *ms, hipEvent_t from, hipEvent_t to), (ms, from, to))
HIP_LOADED(hipMalloc, (void **to, size_t n), (to, n))
HIP_LOADED(hipFree, (void *at), (at))
HIP_LOADED(hipMemsetAsync, (void *at, int c, size_t n, hipStream_t s), (at, c, n, s))
HIP_LOADED(hipMemcpy, (void *to, const void *from, size_t n, hipMemcpyKind k), (to, from, n, k))
HIP_LOADED(hipGetDeviceProperties, (hipDeviceProp_t * p, int i), (p, i))
HIP_LOADED(hipDeviceGetAttribute, (int *to, hipDeviceAttribute_t a, int i), (to, a, i))
HIP_LOADED(hipDriverGetVersion, (int *v), (v))
HIP_LOADED(hipRuntimeGetVersion, (int *v), (v))
HIP_LOADED(hipModuleLoad, (hipModule_t * m, const char *path), (m, path))
HIP_LOADED(hipModuleUnload, (hipModule_t m), (m))
HIP_LOADED(hipModuleGetFunction, (hipFunction_t * f, hipModule_t m, const char *s), (f, m, s))
HIP_LOADED(hipModuleLaunchKernel,
           (hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y,
            unsigned z, unsigned bytes, hipStream_t s, void **arguments, void **extra),
           (f, gx, gy, gz, x, y, z, bytes, s, arguments, extra))

#endif
#endif
