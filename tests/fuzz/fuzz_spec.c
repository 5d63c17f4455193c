/* fuzz_spec.c - specs: what is read as one becomes a model, which a header brings back
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "model/any_tuple.h"
#include "model/default_features.h"
#include "model/header.h"

#include <string.h>

static void *zeros(struct model *m, size_t n, size_t size)
{
    return model_array(m, n, size);
}

/* A network whose weights are all 0 */
static void make_network(struct model *m)
{
    model_set_widths(m, 16, 16, 16);
    for (size_t i = 0; i < 3; i++) {
        kpred_layer *l = &m->net.layer[i];
        l->weight = zeros(m, (size_t)l->rows * l->cols, 1);
        l->bias = zeros(m, l->rows, sizeof *l->bias);
        l->shift = 7;
    }
    for (size_t t = 0; t < m->m.n_params; t++)
        if (m->params[t].n_values > 1) {
            const size_t rows = model_head_rows(&m->m, t), above = model_embedding_rows(&m->m, t);
            m->heads[t].weight = zeros(m, rows * 16, 1);
            m->heads[t].bias = zeros(m, rows, sizeof(int32_t));
            m->heads[t].embedding = above != 0 ? zeros(m, above * 16, 1) : NULL;
            m->heads[t].hidden_shift = 7;
        }
}

static int has_choice(const struct model *m)
{
    for (size_t t = 0; t < m->m.n_params; t++)
        if (m->params[t].n_values > 1)
            return 1;
    return 0;
}

/* The least of every field, so that the ranges are some */
static void set_ranges(struct model *m)
{
    int32_t problem[KPRED_MAX_FIELDS];
    for (uint32_t f = 0; f < m->m.n_fields; f++)
        problem[f] = m->fields[f].least;
    model_train_ranges(m, problem, 1);
}

/* Written as a header and read back, it is the same model. */
static void through_header(struct model *m, const uint8_t *data, size_t size)
{
    struct fuzz_bytes in = {data, size};
    struct model back;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    FUZZ_CHECK(f != NULL);
    set_ranges(m);
    make_network(m);
    FUZZ_CHECK(model_seal(m) == 0);
    header_write(f, m, "made by a fuzz target\n");
    FUZZ_CHECK(fclose(f) == 0);
    FUZZ_CHECK(header_read(fuzz_file("model.h", text, n), &back) == 0);
    FUZZ_CHECK(back.m.id == m->m.id);
    FUZZ_REACHED("a header that is read back");
    if (fuzz_predict(&back.m, &in, 0))
        FUZZ_REACHED("a prediction by its header");
    model_free(&back);
    free(text);
}

/* The search for any tuple and the rule agree about problems in which all sizes are the same. */
static void any_tuples(const struct model *m)
{
    int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
    size_t steps = 1000;
    for (uint32_t f = 0; f < m->m.n_fields; f++)
        problem[f] = m->fields[f].least;
    for (uint32_t t = 0; t < m->m.n_params; t++)
        values[t] = m->params[t].values[0];
    const int any = any_tuple(&m->clauses, m->spec, problem, &steps);
    FUZZ_CHECK(any != 0 || !kpred_legal(&m->m, problem, values));
    if (any == 0)
        FUZZ_REACHED("conditions that leave no tuple");
    else
        FUZZ_REACHED("conditions that leave a tuple");
    any_tuple_culprit(&m->clauses, m->spec, problem, &steps);
}

static void use(struct spec *spec, const uint8_t *data, size_t size)
{
    struct model m;
    if (model_from_spec(&m, spec, "config") == 0) {
        if (spec->restricts.line != 0)
            any_tuples(&m);
        if (has_choice(&m))
            through_header(&m, data, size);
    }
    model_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = fuzz_text(data, size);
    struct spec spec;
    if (spec_parse(&spec, text.s, "fuzz.spec") == 0) {
        if (default_features_give(&spec, NULL) == 0)
            use(&spec, data, size);
        spec_free(&spec);
    }
    buf_free(&text);
    return 0;
}
