/* fuzz_init.c - files of tuners without a spec: kpred-train init
   SPDX-License-Identifier: MIT

   The first byte says how the file's name ends. What init writes is a spec that loads. */
#include "fuzz.h"

#include "data/init.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct init in = {.asked = {.output = "own.spec", .gpu = NULL}};
    struct init_spec made;
    struct spec spec;
    if (size == 0)
        return 0;
    const char *path = fuzz_file(*data % 2 ? "own.csv" : "own.json", data + 1, size - 1);
    const struct opt_texts files = {1, &path};
    in.asked.files = &files;
    if (init_make(&in, &made) == 0) {
        FUZZ_CHECK(spec_parse(&spec, made.text.s, "own.spec") == 0);
        spec_free(&spec);
    }
    init_free(&made);
    return 0;
}
