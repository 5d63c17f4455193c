/* fuzz_header_cut.c - generated headers, read without the checks of their id and code
   SPDX-License-Identifier: MIT */
#include "cut.h"
#include "fuzz.h"

#include <string.h>

/* 1: there was a tuple */
static int use(struct model *m, const uint8_t *data, size_t size)
{
    struct fuzz_bytes in = {data, size};
    cut_code = NULL;
    m->m.id = __real_kpred_model_id(&m->m);
    const int answered = fuzz_predict(&m->m, &in, 0);
    model_free(m);
    return answered;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char end[] = "end of spec */\n";
    struct buf text = fuzz_text(data, size);
    char *code = strstr(text.s, end), *story;
    const char *path = fuzz_file("model.h", data, size);
    struct model m;
    code = code != NULL ? code + strlen(end) : text.s;
    cut_code = code;
    if (header_read(path, &m) == 0 && use(&m, data, size))
        FUZZ_REACHED("a prediction");
    cut_code = code;
    if (header_read_older(path, NULL, &m, &story) == 0) {
        if (use(&m, data, size))
            FUZZ_REACHED("a prediction by an older header");
        free(story);
    }
    cut_code = NULL;
    buf_free(&text);
    return 0;
}
