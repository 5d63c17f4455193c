/* triton_default.c - the tuple that a server takes without a file, for triton.py
   SPDX-License-Identifier: MIT

   A line of input is SERVER DEVICE DTYPE BLOCK PER_CHANNEL E N K M, with E or K 0; a line of output
   has BLOCK_SIZE_M, _N, _K, GROUP_SIZE_M, num_warps and num_stages, or nothing where the name does
   not tell. */
#include "triton/triton.h"

#include <stdlib.h>
#include <string.h>

int main(void)
{
    struct triton_name name = {.server = TRITON_VLLM};
    char server[8];
    long size[6];
    while (scanf("%7s %127s %63s %ld %ld %ld %ld %ld %ld", server, name.device, name.dtype, size,
                 size + 1, size + 2, size + 3, size + 4, size + 5)
           == 9) {
        struct triton_gpu gpu;
        struct triton_config config;
        name.server = strcmp(server, "sglang") == 0 ? TRITON_SGLANG : TRITON_VLLM;
        name.kernel = size[2] ? TRITON_MOE : TRITON_BLOCK_GEMM;
        name.has_block = size[0] != 0;
        name.block[0] = name.block[1] = (int32_t)size[0];
        name.per_channel = (int)size[1];
        name.e = (int32_t)size[2];
        name.n = (int32_t)size[3];
        name.k = (int32_t)size[4];
        (void)triton_gpu_find(&gpu, name.device);
        const int is_known = default_config(&config, &name, &gpu, (int32_t)size[5]);
        for (int i = 0; is_known && i <= TRITON_NUM_STAGES; i++)
            printf("%ld ", (long)config.v[i]);
        puts("");
    }
    return EXIT_SUCCESS;
}
