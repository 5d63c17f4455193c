/* names.h - the names of the Triton configuration files of vLLM and SGLang
   SPDX-License-Identifier: MIT

   Both servers are under Apache-2.0. Facts from vLLM (model_executor/layers/fused_moe,
   layers/quantization/utils) and SGLang (srt/layers/moe/moe_runner/triton_utils, kernels/ops), as
   of August 2026. A file has the tuple that was the fastest for each number of tokens M,

       {"16": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 1,
               "num_warps": 4, "num_stages": 3}, "32": ...}

   and its name says all else:

       E=..,N=..,device_name=..[,dtype=..][,block_shape=[..]][,per_channel_quant=True][_down].json
       N=..,K=..,device_name=..[,dtype=..][,block_shape=[..]].json

   Of block_shape vLLM writes [128,128], SGLang [128, 128]. */
#pragma once

#include "base/util.h"
#include "model/spec.h"

enum triton_server { TRITON_VLLM, TRITON_SGLANG, TRITON_N_SERVERS };
extern const char *const triton_servers[TRITON_N_SERVERS]; /* "vllm", "sglang" */

struct triton_name {
    enum triton_server server; /* TRITON_N_SERVERS: neither the name nor its folders tell */
    enum triton_kernel kernel;
    char device[128]; /* as torch.cuda.get_device_name() has it, with _ for blanks; never "" */
    char dtype[64];   /* "": the name has none, which means bf16 or fp16 */
    int32_t e, n, k;  /* 1..KPRED_MAX_SIZE; of the GEMM e is 0, of others k */
    int has_block, per_channel;
    int32_t block[2]; /* along N and K; 0 without */
};

/* Reads the name of a file, with or without folders, maybe with .bz2 or .gz behind. What the name
   leaves open of the server, the folder nearest to it tells: vllm, sglang, sgl_kernel,
   triton_3_4_0. The file need not be there. 0, or -1 with a message that names the path and what
   is missing or wrong. */
int triton_name_read(struct triton_name *out, const char *path);
/* The same without a message: `why` takes what it would say behind the path. */
int triton_name_parse(struct triton_name *out, const char *path, struct buf *why);

/* Adds the name as the server looks for it, byte for byte, without folders; that of vLLM where the
   server is open. */
void triton_name_write(const struct triton_name *name, struct buf *b);
