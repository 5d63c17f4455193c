/* fuzz_hf_config.c - the config.json of a language model: its layers
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "aiter/hf_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_config c;
    struct hf_layers layers;
    if (hf_config_read(fuzz_file("config.json", data, size), &c) == 0)
        for (int64_t tp = 1; tp <= 8; tp *= 8)
            if (hf_layers(&c, tp, &layers) == 0) {
                FUZZ_REACHED("layers");
                long m[] = {16, 1, 1 << 24};
                hf_list_write(stdout, &layers, m, 3);
            }
    hf_config_free(&c);
    return 0;
}
