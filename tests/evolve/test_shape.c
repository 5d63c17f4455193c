/* test_shape.c - a tensor of each shape becomes one of each other shape, with the numbers that the
   rules give
   SPDX-License-Identifier: MIT */
#include "evolve/tensor/shape.h"

#include "told.h"

#include <stdlib.h>

static const struct shape shapes[] = {
    {0, {0}},       {1, {1}},       {1, {3}},          {1, {6}},          {1, {12}},
    {1, {20}},      {2, {2, 3}},    {2, {3, 2}},       {2, {3, 4}},       {2, {4, 3}},
    {2, {2, 6}},    {2, {1, 3}},    {2, {5, 1}},       {3, {2, 3, 4}},    {3, {4, 2, 3}},
    {3, {1, 1, 3}}, {3, {5, 1, 2}}, {4, {2, 3, 4, 1}}, {4, {3, 2, 2, 2}}, {4, {1, 1, 1, 1}}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, MOST = 32 };

/* ---- what the numbers have to be ---- */

/* The index of each dimension of the element number `at` */
static void unfold(const struct shape *s, int64_t at, int64_t index[SHAPE_RANK])
{
    for (int i = s->rank - 1; i >= 0; i--) {
        index[i] = at % s->size[i];
        at /= s->size[i];
    }
}

/* -1 outside */
static int64_t fold(const struct shape *s, const int64_t index[SHAPE_RANK])
{
    int64_t at = 0;
    for (int i = 0; i < s->rank; i++) {
        if (index[i] >= s->size[i])
            return -1;
        at = at * s->size[i] + index[i];
    }
    return at;
}

enum rule { EQUAL, BROADCAST, TRANSPOSE, RESHAPE, FIT, ROW };

/* The dimension of `from` that each one of `to` is, or -1 for a new one */
static int is_broadcast(const struct shape *from, const struct shape *to, int of[SHAPE_RANK])
{
    int i = from->rank - 1;
    for (int j = to->rank - 1; j >= 0; j--) {
        of[j] = i >= 0 && from->size[i] == to->size[j] ? i : -1;
        i -= of[j] >= 0;
    }
    return i < 0 && to->rank > from->rank;
}

static int is_transposed(const struct shape *from, const struct shape *to, int of[SHAPE_RANK])
{
    unsigned taken = 0;
    for (int j = 0; j < to->rank; j++) {
        of[j] = -1;
        for (int i = 0; i < from->rank && of[j] < 0; i++)
            if (!(taken >> i & 1) && from->size[i] == to->size[j])
                of[j] = i;
        if (of[j] < 0)
            return 0;
        taken |= 1u << of[j];
    }
    return from->rank == to->rank;
}

static enum rule rule_of(const struct shape *from, const struct shape *to, int of[SHAPE_RANK])
{
    if (shape_equal(from, to))
        return EQUAL;
    if (is_broadcast(from, to, of))
        return BROADCAST;
    if (is_transposed(from, to, of))
        return TRANSPOSE;
    if (shape_count(from) == shape_count(to))
        return RESHAPE;
    return from->rank == to->rank ? FIT : ROW;
}

/* The element of `from` that is element `at` of `to`, or -1: 0 */
static int64_t source_of(const struct shape *from, const struct shape *to, int64_t at)
{
    int of[SHAPE_RANK];
    int64_t index[SHAPE_RANK], source[SHAPE_RANK] = {0};
    const enum rule rule = rule_of(from, to, of);
    unfold(to, at, index);
    switch (rule) {
    case EQUAL:
    case RESHAPE: return at;
    case ROW: return at < shape_count(from) ? at : -1;
    case FIT: return fold(from, index);
    default: break;
    }
    for (int j = 0; j < to->rank; j++)
        if (of[j] >= 0)
            source[of[j]] = index[j];
    return fold(from, source);
}

/* ---- words ---- */

static void says(const struct shape *from, const struct shape *to, const char *want)
{
    struct buf text = {0}, words = {0};
    shape_change(from, to, &text, &words);
    CHECK_TEXT(words.s == NULL ? "" : words.s, want);
    buf_free(&text);
    buf_free(&words);
}

static void words(void)
{
    says(&shapes[6], &shapes[6], "");
    says(&shapes[2], &shapes[6], ", broadcast to 2 x 3");
    says(&shapes[6], &shapes[7], ", transposed to 3 x 2");
    says(&shapes[6], &shapes[3], ", flattened to 6");
    says(&shapes[8], &shapes[10], ", flattened to 12, reshaped to 2 x 6");
    says(&shapes[10], &shapes[8], ", flattened to 12, reshaped to 3 x 4");
    says(&shapes[8], &shapes[6], ", sliced to 2 x 3");
    says(&shapes[10], &shapes[9], ", flattened to 12, reshaped to 4 x 3");
    says(&shapes[12], &shapes[6], ", sliced to 2 x 1, padded to 2 x 3");
    says(&shapes[6], &shapes[5], ", flattened to 6, padded to 20");
    says(&shapes[6], &shapes[0], ", flattened to 6, sliced to 1, reshaped to a number");
}

/* ---- numbers ---- */

#ifdef HAVE_MLIR
#include "evolve/tensor/engine.h"

static struct engine *engine;

static struct engine_tensor tensor(const struct shape *s, float *at)
{
    struct engine_tensor t = {at, s->rank, {0}};
    for (int i = 0; i < s->rank; i++)
        t.size[i] = (long)s->size[i];
    return t;
}

static int compute(const struct shape *from, const struct shape *to, float *in, float *out)
{
    struct buf text = {0};
    struct engine_code *code = NULL;
    const struct engine_tensor a = tensor(from, in), b = tensor(to, out);
    shape_change(from, to, &text, NULL);
    MlirModule module = engine_parse(engine, "change.mlir", text.s, text.n);
    int rc = mlirModuleIsNull(module)
                 ? -1
                 : engine_build(engine, "change.mlir", module, "change", &code);
    if (rc == 0)
        rc = engine_run(engine_entry(code), &a, 1, &b);
    engine_free(code);
    if (!mlirModuleIsNull(module))
        mlirModuleDestroy(module);
    buf_free(&text);
    return rc;
}

static void change(const struct shape *from, const struct shape *to)
{
    float in[MOST], out[MOST];
    struct buf name = {0};
    shape_words(from, &name);
    buf_puts(&name, " to ");
    shape_words(to, &name);
    for (int i = 0; i < MOST; i++)
        in[i] = (float)(i + 1);
    EXPECT(compute(from, to, in, out) == 0, "%s", name.s);
    for (int64_t i = 0; i < shape_count(to); i++) {
        const int64_t source = source_of(from, to, i);
        EXPECT(out[i] == (source < 0 ? 0 : in[source]), "%s, element %d", name.s, (int)i);
    }
    buf_free(&name);
}

static void every_pair(void)
{
    if (engine_open(&engine) != 0)
        return;
    for (int i = 0; i < N_SHAPES; i++)
        for (int k = 0; k < N_SHAPES; k++)
            change(&shapes[i], &shapes[k]);
    engine_close(engine);
}

#else

static void every_pair(void)
{
    test_skip("there is no MLIR");
}
#endif

int main(void)
{
    RUN(words);
    RUN(every_pair);
    return test_end();
}
