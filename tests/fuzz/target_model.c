/* target_model.c - fuzz targets of specs, their conditions, headers, float networks and names
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "base/names.h"
#include "eval/predictor.h"
#include "harness/test.h"
#include "model/gpus.h"
#include "model/model.h"
#include "model/program.h"
#include "train/additive_net.h"

/* ---- specs: what is read as one becomes a model, which a header brings back ---- */

static uint64_t random;

static const int8_t *random_weights(struct model *m, size_t n)
{
    int8_t *w = model_array(m, n, 1);
    for (size_t i = 0; i < n; i++)
        w[i] = (int8_t)test_between(&random, -20, 20);
    return w;
}

static const int32_t *random_biases(struct model *m, size_t n)
{
    int32_t *bias = model_array(m, n, sizeof *bias);
    for (size_t i = 0; i < n; i++)
        bias[i] = test_between(&random, -9999, 9999);
    return bias;
}

/* Any tuples for the least problem */
static void list_tuples(struct model *m)
{
    enum { MANY = 8 };
    unsigned char target[MANY * KPRED_MAX_TUPLE];
    int32_t problem[MANY * KPRED_MAX_FIELDS];
    for (size_t i = 0; i < MANY; i++) {
        for (uint32_t f = 0; f < m->m.n_fields; f++)
            problem[i * m->m.n_fields + f] = m->fields[f].least;
        for (uint32_t t = 0; t < m->m.n_params; t++)
            target[i * m->m.n_params + t] =
                (unsigned char)test_between(&random, 0, m->params[t].n_values - 1);
    }
    (void)model_list(m, problem, target, MANY);
}

/* An untrained network, and any list of tuples; returns whether a parameter has a choice */
static int make_network(struct model *m)
{
    int n = 0;
    random = 1;
    model_set_widths(m, 16, 16, 16);
    for (size_t i = 0; i < 3; i++) {
        kpred_layer *l = &m->net.layer[i];
        l->weight = random_weights(m, (size_t)l->rows * l->cols);
        l->bias = random_biases(m, l->rows);
        l->shift = 7;
    }
    if (m->lists.set != NULL)
        list_tuples(m);
    for (size_t t = 0; t < m->m.n_params; t++)
        if (m->params[t].n_values > 1) {
            const size_t rows = model_head_rows(&m->m, t), above = model_embedding_rows(&m->m, t);
            m->heads[t].weight = random_weights(m, rows * 16);
            m->heads[t].bias = random_biases(m, rows);
            m->heads[t].embedding = above != 0 ? random_weights(m, above * 16) : NULL;
            m->heads[t].hidden_shift = 7;
            n++;
        }
    return n > 0;
}

/* The least of every field */
static void least_problem(const struct model *m, int32_t *problem)
{
    for (uint32_t f = 0; f < m->m.n_fields; f++)
        problem[f] = m->fields[f].least;
}

/* Written as a header and read back, it is the same model. */
static void through_header(struct model *m, const uint8_t *data, size_t size)
{
    struct fuzz_bytes in = {data, size};
    struct model back;
    int32_t problem[KPRED_MAX_FIELDS];
    least_problem(m, problem);
    model_train_ranges(m, problem, 1); /* so that the ranges are some */
    if (!make_network(m))
        return;
    FUZZ_CHECK(model_seal(m) == 0);
    FILE *f = fuzz_open();
    header_write(f, m, "made by a fuzz target\n");
    struct buf text = fuzz_close(f);
    FUZZ_CHECK(header_read(fuzz_file("model.h", text.s, text.n), &back) == 0);
    FUZZ_CHECK(back.m.id == m->m.id);
    FUZZ_REACHED(spec, "a header that is read back");
    if (fuzz_predict(&back.m, &in, 0))
        FUZZ_REACHED(spec, "a prediction by its header");
    model_free(&back);
    buf_free(&text);
}

/* The search for any tuple and the rule agree about problems in which all sizes are the same. */
static void any_tuples(const struct model *m)
{
    int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
    size_t steps = 1000;
    least_problem(m, problem);
    for (uint32_t t = 0; t < m->m.n_params; t++)
        values[t] = m->params[t].values[0];
    const int any = any_tuple(&m->clauses, m->spec, problem, &steps);
    FUZZ_CHECK(any != 0 || !kpred_legal(&m->m, problem, values));
    if (any == 0)
        FUZZ_REACHED(spec, "conditions that leave no tuple");
    else
        FUZZ_REACHED(spec, "conditions that leave a tuple");
    any_tuple_culprit(&m->clauses, m->spec, problem, &steps);
}

static void use_spec(struct spec *spec, const uint8_t *data, size_t size)
{
    struct model m;
    if (model_from_spec(&m, spec, "config") == 0) {
        if (spec->restricts.line != 0)
            any_tuples(&m);
        through_header(&m, data, size);
    }
    model_free(&m);
}

FUZZ_TARGET(spec)
{
    struct buf text = fuzz_text(data, size);
    struct spec spec;
    if (spec_parse(&spec, text.s, "fuzz.spec") == 0) {
        if (default_features_give(&spec, NULL) == 0)
            use_spec(&spec, data, size);
        spec_free(&spec);
    }
    buf_free(&text);
}

/* ---- conditions: the rule says of each tuple what they say ---- */

static const char head[] = "[kernel]\nname = small\n[data]\nformat = csv\n"
                           "[fields]\ngpu = gfx900_56 gfx906_60\nm = size 0\nn = size\n"
                           "[params]\nx = -3 0 1 2 64\ny = 1 16 16777216\nz = on off \"a b\"\n"
                           "[features]\nonehot gpu\n[restrict]\n";

/* By the conditions alone: the rule asks them early, and bounds what is open. */
static int is_legal(const struct model *m, const int32_t *problem, const int32_t *values)
{
    for (size_t i = 0; i < m->clauses.n; i++)
        if (!clause_is_true(&m->clauses.v[i], problem, values, NULL))
            return 0;
    return 1;
}

/* What the rule says of each tuple; returns whether there are legal ones, and illegal ones, too. */
static int all_tuples(const struct model *m, const int32_t *problem)
{
    const kpred_param *p = m->params;
    int some = 0, others = 0;
    size_t steps = 1000;
    for (int32_t x = 0; x < p[0].n_values; x++)
        for (int32_t y = 0; y < p[1].n_values; y++)
            for (int32_t z = 0; z < p[2].n_values; z++) {
                const int32_t values[] = {p[0].values[x], p[1].values[y], p[2].values[z]};
                const int legal = is_legal(m, problem, values);
                FUZZ_CHECK(kpred_legal(&m->m, problem, values) == legal);
                some |= legal;
                others |= !legal;
            }
    FUZZ_CHECK(any_tuple(&m->clauses, m->spec, problem, &steps) == some);
    return some && others;
}

static void use_clauses(const struct model *m)
{
    static const int32_t problems[][3] = {{0, 0, 1}, {1, 1, 3}, {0, 4096, 1 << 24}, {1, 7, 64}};
    clauses_write(&m->clauses, m->spec, stdout);
    for (size_t i = 0; i < COUNT(problems); i++)
        if (all_tuples(m, problems[i]))
            FUZZ_REACHED(clause, "legal and illegal tuples");
}

FUZZ_TARGET(clause)
{
    struct buf text = fuzz_text(head, strlen(head));
    struct spec spec;
    struct model m;
    buf_add(&text, (const char *)data, size);
    if (spec_parse(&spec, text.s, "fuzz.spec") == 0) {
        if (model_from_spec(&m, &spec, "none") == 0 && m.m.n_params == 3 && m.m.n_fields == 3)
            use_clauses(&m);
        model_free(&m);
        spec_free(&spec);
    }
    buf_free(&text);
}

/* ---- headers ---- */

/* Reads one of this format, then one of this format or an older one; which of them predict. While
   it is read, its code is that text. */
static void use_header(const uint8_t *data, size_t size, const char *code, int predicts[2])
{
    const char *path = fuzz_file("model.h", data, size);
    for (int older = 0; older < 2; older++) {
        struct fuzz_bytes in = {data, size};
        struct model m;
        char *story = NULL;
        cut_code = code;
        const int bad = older ? header_read_older(path, NULL, &m, &story) : header_read(path, &m);
        cut_code = NULL;
        if (bad)
            continue;
        if (code != NULL)
            m.m.id = kpred_model_id(&m.m);
        predicts[older] = fuzz_predict(&m.m, &in, 0);
        model_free(&m);
        free(story);
    }
}

FUZZ_TARGET(header)
{
    int predicts[2] = {0, 0};
    use_header(data, size, NULL, predicts);
    if (predicts[0])
        FUZZ_REACHED(header, "a prediction");
    if (predicts[1])
        FUZZ_REACHED(header, "a prediction by an older header");
}

/* Without the checks of its id and code */
FUZZ_TARGET(header_cut)
{
    static const char end[] = "end of spec */\n";
    struct buf text = fuzz_text(data, size);
    const char *code = strstr(text.s, end);
    int predicts[2] = {0, 0};
    use_header(data, size, code != NULL ? code + strlen(end) : text.s, predicts);
    if (predicts[0])
        FUZZ_REACHED(header_cut, "a prediction");
    if (predicts[1])
        FUZZ_REACHED(header_cut, "a prediction by an older header");
    buf_free(&text);
}

/* ---- names of GPUs, products, models and tokens as people write them ---- */

static void in_model(const kpred_model *m, const char *text)
{
    int exact;
    const int32_t gpu = kpred_gpu_token(m, text, (int32_t)text[0], &exact);
    FUZZ_CHECK(gpu >= -1 && kpred_runs_on(m, text) + 1 > 0);
    FUZZ_CHECK(kpred_gpu_token(m, text, 0, NULL) >= -1);
    if (gpu >= 0)
        FUZZ_REACHED(names, "a GPU");
    for (size_t f = 0; f < m->n_fields + 1; f++) {
        const int32_t token = kpred_token(m, f, text);
        FUZZ_CHECK(token >= -1);
        if (token >= 0)
            FUZZ_REACHED(names, "a token");
    }
    const int32_t kernel = kpred_kernel_named(m, text);
    FUZZ_CHECK((kernel >= 0) == (kpred_kernel_name(m, kernel) != NULL));
    if (kernel >= 0)
        FUZZ_REACHED(names, "a kernel");
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
FUZZ_TARGET(names)
{
    static struct model models[2];
    if (models[0].spec == NULL)
        FUZZ_CHECK(model_open("conv_asm_1x1u", &models[0]) == 0
                   && model_open("gemm_a8w8_blockscale", &models[1]) == 0);
    const int kind = fuzz_kind(&data, &size);
    struct buf text = fuzz_text(data, size), all = {0};
    struct model *m = &models[kind % 2];
    in_model(&m->m, text.s);
    as_token(m, text.s, kind / 2 % 2);
    if (kind / 4 % 4 == 0 && builtin_find(text.s) == NULL && product_find(text.s) != NULL)
        FUZZ_REACHED(names, "a product");
    FUZZ_CHECK(gpu_parse(text.s).compute_units >= 0 && gpu_products(text.s, &all) != NULL);
    buf_free(&text);
    buf_free(&all);
}

/* ---- floats ---- */

/* Headers of the paper's networks and files of float networks: the first byte says which. */
FUZZ_TARGET(floats)
{
    static struct predictor p;
    struct net nets[4];
    size_t n = 0;
    uint64_t id;
    if (fuzz_kind(&data, &size) != 'n') {
        if (predictor_open(fuzz_file("model.h", data, size), &p) == 0) {
            FUZZ_REACHED(floats, "a predictor");
            predictor_close(&p);
        }
    } else if (net_load(nets, 4, fuzz_file("model.f32", data, size), &n, &id) == 0) {
        FUZZ_REACHED(floats, "networks");
        while (n > 0)
            net_free(&nets[--n]);
    }
}
