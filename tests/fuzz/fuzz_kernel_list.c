/* fuzz_kernel_list.c - lists and tables of AITER's kernels: kpred-train kernels
   SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "specs.h"

#include "data/kernel_list.h"

static void write_and_parse(const struct kernel_list *list)
{
    struct spec spec;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    FUZZ_CHECK(f != NULL);
    kernel_list_write(list, f);
    FUZZ_CHECK(fclose(f) == 0);
    if (spec_parse(&spec, text, "new.spec") == 0) {
        FUZZ_REACHED("a spec");
        spec_free(&spec);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("a8w8_blockscale_tuned_gemm.csv", data, size);
    struct kernel_list list;
    struct spec spec;
    FUZZ_CHECK(spec_parse(&spec, SPEC_AITER, "fuzz.spec") == 0);
    if (kernel_list_open(&list, &spec) == 0 && kernel_list_read(&list, &path, 1) == 0
        && kernel_list_finish(&list) == 0)
        write_and_parse(&list);
    kernel_list_free(&list);
    spec_free(&spec);
    return 0;
}
