/* fuzz_header.c - generated headers: what is read predicts without harm
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "model/header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes in = {data, size};
    struct model m;
    char *story;
    const char *path = fuzz_file("model.h", data, size);
    if (header_read(path, &m) == 0) {
        if (fuzz_predict(&m.m, &in, 0))
            FUZZ_REACHED("a prediction");
        model_free(&m);
    }
    if (header_read_older(path, NULL, &m, &story) == 0) {
        if (fuzz_predict(&m.m, &in, 0))
            FUZZ_REACHED("a prediction by an older header");
        model_free(&m);
        free(story);
    }
    return 0;
}
