/* triton_spec.c - the check of a spec of format = triton
   SPDX-License-Identifier: MIT */
#include "triton_spec.h"

#include <string.h>

const char *const triton_families[TRITON_N_KERNELS] = {"moe", "moe_down", "block_gemm"};
const char *const triton_fields[TRITON_N_FIELDS] = {
    "server", "gpu", "dtype", "block", "per_channel", "E", "N", "K", "M"};
const char *const triton_members[TRITON_N_MEMBERS] = {
    "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",         "GROUP_SIZE_M", "num_warps",
    "num_stages",   "waves_per_eu", "matrix_instr_nonkdim", "kpack"};

static size_t index_of(const char *name, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static int check_field(const struct spec *s, const struct spec_field *f)
{
    const size_t i = index_of(f->name, triton_fields, TRITON_N_FIELDS);
    const int is_gemm = triton_spec_kernel(s) == TRITON_BLOCK_GEMM;
    if (i == TRITON_N_FIELDS || i == (is_gemm ? TRITON_E : TRITON_K))
        return fail("%s: format = triton: field %s: is none of server, gpu, dtype, block, "
                    "per_channel, %s, N and M, which a family %s may have",
                    s->path, f->name, is_gemm ? "K" : "E", s->family);
    const int is_token = i <= TRITON_DTYPE;
    if (is_token != (f->n_tokens != 0))
        return fail("%s: format = triton: field %s: has to be %s", s->path, f->name,
                    is_token ? "tokens" : "a size");
    return 0;
}

static int check_param(const struct spec *s, const struct spec_param *p)
{
    if (index_of(p->name, triton_members, TRITON_N_MEMBERS) == TRITON_N_MEMBERS)
        return fail("%s: format = triton: parameter %s: is no member of a tuple", s->path, p->name);
    return p->names[0] == NULL
               ? 0
               : fail("%s: format = triton: parameter %s: has to be integers", s->path, p->name);
}

/* No value of theirs goes without saying. */
static int check_tile(const struct spec *s)
{
    for (int i = TRITON_BLOCK_SIZE_M; i <= TRITON_BLOCK_SIZE_K; i++) {
        size_t p = 0;
        while (p < s->n_params && strcmp(s->params[p].name, triton_members[i]) != 0)
            p++;
        if (p == s->n_params)
            return fail("%s: format = triton: there is no parameter %s", s->path,
                        triton_members[i]);
    }
    return 0;
}

enum triton_kernel triton_spec_kernel(const struct spec *s)
{
    return (enum triton_kernel)index_of(s->family, triton_families, TRITON_N_KERNELS);
}

int triton_spec_check(const struct spec *s)
{
    if (triton_spec_kernel(s) == TRITON_N_KERNELS)
        return fail("%s:%ld: family: value \"%s\": is none of moe, moe_down and block_gemm",
                    s->path, s->family_line, s->family);
    for (size_t i = 0; i < s->n_fields; i++)
        if (check_field(s, &s->fields[i]) != 0)
            return -1;
    for (size_t i = 0; i < s->n_params; i++)
        if (check_param(s, &s->params[i]) != 0)
            return -1;
    return check_tile(s);
}
