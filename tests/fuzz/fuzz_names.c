/* fuzz_names.c - names of GPUs, products, models and tokens as people write them
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "base/names.h"
#include "model/products.h"
#include "model/registry.h"

static void in_model(const kpred_model *m, const char *text)
{
    int exact;
    const int32_t gpu = kpred_gpu_token(m, text, (int32_t)text[0], &exact);
    FUZZ_CHECK(gpu >= -1 && kpred_runs_on(m, text) + 1 > 0);
    FUZZ_CHECK(kpred_gpu_token(m, text, 0, NULL) >= -1);
    if (gpu >= 0)
        FUZZ_REACHED("a GPU");
    for (size_t f = 0; f < m->n_fields + 1; f++) {
        const int32_t token = kpred_token(m, f, text);
        FUZZ_CHECK(token >= -1);
        if (token >= 0)
            FUZZ_REACHED("a token");
    }
    const int32_t kernel = kpred_kernel_named(m, text);
    FUZZ_CHECK((kernel >= 0) == (kpred_kernel_name(m, kernel) != NULL));
    if (kernel >= 0)
        FUZZ_REACHED("a kernel");
    FUZZ_CHECK(kpred_field_index(m, text) < (int32_t)m->n_fields);
}

static void as_token(struct model *m, const char *text, int nearest)
{
    int exact;
    for (size_t f = 0; f < m->m.n_fields; f++)
        if (m->m.fields[f].tokens != NULL)
            FUZZ_CHECK(model_token(m, f, text, nearest) < m->m.fields[f].n_tokens);
    FUZZ_CHECK(model_gpu(m, 0, text, nearest, &exact) < m->m.fields[0].n_tokens);
}

/* The first byte says which model is asked, and whether the nearest token will do. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct model models[2];
    if (models[0].spec == NULL)
        FUZZ_CHECK(model_open("conv_asm_1x1u", &models[0]) == 0
                   && model_open("gemm_a8w8_blockscale", &models[1]) == 0);
    if (size == 0)
        return 0;
    struct buf text = fuzz_text(data + 1, size - 1), all = {0};
    struct model *m = &models[*data % 2];
    in_model(&m->m, text.s);
    as_token(m, text.s, *data / 2 % 2);
    if (*data / 4 % 4 == 0 && builtin_find(text.s) == NULL)
        if (product_find(text.s) != NULL)
            FUZZ_REACHED("a product");
    FUZZ_CHECK(gpu_parse(text.s).compute_units >= 0 && gpu_products(text.s, &all) != NULL);
    buf_free(&text);
    buf_free(&all);
    return 0;
}
