/* cuda_as_hip.h - names of HIP for the CUDA runtime, so that kpred_hip.h works on NVIDIA GPUs
   SPDX-License-Identifier: MIT

   cc -std=c99 -I. -Iexamples -isystem /usr/local/cuda/include \
       -DKPRED_HIP_API_HEADER='"cuda_as_hip.h"' ... -L/usr/local/cuda/lib64 -lcudart

   C99, C++ and `nvcc -x cu`; the static library, -lcudart_static -ldl -lrt -lpthread, does as well.
   The calls that kpred_hip.h makes have the same arguments, the same order of them and the same
   error numbers in both runtimes, so their names are all it takes; the rest is for the examples.
   HIP's own headers for NVIDIA do the same for the whole of HIP, and so break with each CUDA that
   removes anything: those of HIP 5.2 and 6.3 do not compile with CUDA 13. This needs no HIP. */
#ifndef KPRED_CUDA_AS_HIP_H
#define KPRED_CUDA_AS_HIP_H

#include <cuda_runtime_api.h>

/* ---- what kpred_hip.h needs: CUDA 10 or later ---- */

#define hipError_t                 cudaError_t
#define hipSuccess                 cudaSuccess
#define hipErrorNoDevice           cudaErrorNoDevice
#define hipEvent_t                 cudaEvent_t
#define hipStream_t                cudaStream_t
#define hipStreamCaptureStatus     enum cudaStreamCaptureStatus
#define hipStreamCaptureStatusNone cudaStreamCaptureStatusNone

#define hipGetLastError      cudaGetLastError
#define hipGetDeviceCount    cudaGetDeviceCount
#define hipStreamIsCapturing cudaStreamIsCapturing
#define hipStreamSynchronize cudaStreamSynchronize
#define hipEventCreate       cudaEventCreate
#define hipEventDestroy      cudaEventDestroy
#define hipEventRecord       cudaEventRecord
#define hipEventSynchronize  cudaEventSynchronize
#define hipEventElapsedTime  cudaEventElapsedTime
#define hipMalloc            cudaMalloc
#define hipFree              cudaFree
#define hipMemsetAsync       cudaMemsetAsync

/* ---- what hip_select.c needs besides ---- */

#define hipGetErrorName       cudaGetErrorName
#define hipGetErrorString     cudaGetErrorString
#define hipMemcpy             cudaMemcpy
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost

/* ---- what gemm_gpu/ needs besides ---- */

#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorOutOfMemory  cudaErrorMemoryAllocation
#define hipDeviceProp_t      struct cudaDeviceProp
#define hipDeviceAttribute_t enum cudaDeviceAttr

#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipDeviceGetAttribute  cudaDeviceGetAttribute
#define hipDriverGetVersion    cudaDriverGetVersion
#define hipRuntimeGetVersion   cudaRuntimeGetVersion

#define hipDeviceAttributeClockRate               cudaDevAttrClockRate
#define hipDeviceAttributeMemoryClockRate         cudaDevAttrMemoryClockRate
#define hipDeviceAttributeMultiprocessorCount     cudaDevAttrMultiProcessorCount
#define hipDeviceAttributeMaxThreadsPerBlock      cudaDevAttrMaxThreadsPerBlock
#define hipDeviceAttributeMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlock

/* ---- modules ---- */

/* A code object loaded from a file is a library here. Checked with CUDA 13; earlier ones have the
   driver's cuModuleLoad and its like. */
#if CUDART_VERSION >= 13000

#define hipModule_t          cudaLibrary_t
#define hipFunction_t        cudaKernel_t
#define hipModuleUnload      cudaLibraryUnload
#define hipModuleGetFunction cudaLibraryGetKernel

#if defined(__cplusplus) && defined(__GNUC__) /* C as well, which casts as C does */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

static inline cudaError_t hipModuleLoad(cudaLibrary_t *module, const char *name)
{
    return cudaLibraryLoadFromFile(module, name, 0, 0, 0, 0, 0, 0);
}

/* A kernel's handle may stand where CUDA wants the address of a __global__ function. `extra`, HIP's
   other way to pass arguments, is not there. */
static inline cudaError_t hipModuleLaunchKernel(cudaKernel_t kernel, unsigned grid_x,
                                                unsigned grid_y, unsigned grid_z, unsigned group_x,
                                                unsigned group_y, unsigned group_z,
                                                unsigned shared_bytes, cudaStream_t stream,
                                                void **arguments, void **extra)
{
    dim3 grid, group;
    grid.x = grid_x, grid.y = grid_y, grid.z = grid_z;
    group.x = group_x, group.y = group_y, group.z = group_z;
    return extra ? cudaErrorNotSupported
                 : cudaLaunchKernel((const void *)kernel, grid, group, arguments, shared_bytes,
                                    stream);
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
#endif
