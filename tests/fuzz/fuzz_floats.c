/* fuzz_floats.c - headers of the paper's networks, and files of float networks
   SPDX-License-Identifier: MIT

   The first byte says which. */
#include "fuzz.h"

#include "eval/predictor.h"
#include "train/additive_net.h"

static void networks(const char *path)
{
    struct net nets[4];
    size_t n;
    uint64_t id;
    if (net_load(nets, 4, path, &n, &id) != 0)
        return;
    FUZZ_REACHED("networks");
    for (size_t i = 0; i < n && i < 4; i++)
        net_free(&nets[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct predictor p;
    if (size == 0)
        return 0;
    if (*data == 'n')
        networks(fuzz_file("model.f32", data + 1, size - 1));
    else if (predictor_open(fuzz_file("model.h", data + 1, size - 1), &p) == 0) {
        FUZZ_REACHED("a predictor");
        predictor_close(&p);
    }
    return 0;
}
