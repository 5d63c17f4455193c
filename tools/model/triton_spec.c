/* triton_spec.c - names that a spec of format = triton may have
   SPDX-License-Identifier: MIT */
#include "triton_spec.h"

#include <string.h>

const char *const triton_families[TRITON_N_KERNELS] = {"moe", "moe_down", "block_gemm"};
const char *const triton_fields[TRITON_N_FIELDS] = {
    "server", "gpu", "dtype", "block", "per_channel", "E", "N", "K", "M"};
const char *const triton_members[TRITON_N_MEMBERS] = {
    "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",         "GROUP_SIZE_M", "num_warps",
    "num_stages",   "waves_per_eu", "matrix_instr_nonkdim", "kpack"};

size_t triton_index(const char *name, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

const char *triton_field_trouble(enum triton_kernel family, const char *name, int has_tokens)
{
    const size_t i = triton_index(name, triton_fields, TRITON_N_FIELDS);
    const int is_gemm = family == TRITON_BLOCK_GEMM, has_to = i <= TRITON_DTYPE;
    if (i == TRITON_N_FIELDS || i == (is_gemm ? TRITON_E : TRITON_K))
        return is_gemm ? "is none of server, gpu, dtype, block, per_channel, N, K and M"
                       : "is none of server, gpu, dtype, block, per_channel, E, N and M";
    return has_to == has_tokens ? NULL : has_to ? "has to be tokens" : "has to be a size";
}

const char *triton_param_trouble(const char *name, int has_names)
{
    if (triton_index(name, triton_members, TRITON_N_MEMBERS) == TRITON_N_MEMBERS)
        return "is no member of a tuple in the files";
    return has_names ? "has to be integers" : NULL;
}
