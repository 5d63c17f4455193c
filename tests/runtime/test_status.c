/* test_status.c - every status, each way to it; what an error leaves alone; names and tokens
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "kpred.h"

#include "toy.h"

enum { BEAM = 6, N_FIELDS = 4 };

static const char *const gpus[] = {"gfx900_56",  "gfx900_64",        "gfx906_60",
                                   "gfx906_64",  "gfx90878",         "gfx90a:sramecc+:xnack-",
                                   "gfx1030_36", "some other device"};
static const char *const dirs[] = {"F", "B", "W"};
static const kpred_field fields[N_FIELDS] = {
    {"gpu", gpus, COUNT(gpus), 0, 0, 0, 0},
    {"dir", dirs, COUNT(dirs), 0, 0, 0, 0},
    {"n", 0, 0, 1, KPRED_MAX_SIZE, 4, 100},
    {"h", 0, 0, 3, 500, 3, 400},
};
static const int32_t n_values[] = {3, 5, 4};
static const int32_t good[N_FIELDS] = {0, 2, 50, 50};

static struct toy toy;
static kpred_field changed[N_FIELDS]; /* the toy's, which a test may change */
static kpred_ctx ctx;
static kpred_tuple out[BEAM + 1];
static size_t n_out;

/* A model of four fields and three parameters, with a context made ready. */
static void prepare_space(const int32_t *values)
{
    toy_make(&toy, 8, 3, values, 1 << 20, 1 << 18, 0);
    memcpy(changed, fields, sizeof changed);
    toy.model.fields = changed;
    toy.model.n_fields = N_FIELDS;
    toy_seal(&toy);
    CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, &toy.model, BEAM, toy_arena, COUNT(toy_arena)),
             KPRED_OK);
}

static void prepare(void)
{
    prepare_space(n_values);
}

/* ---- errors of kpred_init ---- */

static void check_detail(int32_t index, int32_t value, int32_t limit)
{
    CHECK_EQ(ctx.detail.index, index);
    CHECK_EQ(ctx.detail.value, value);
    CHECK_EQ(ctx.detail.limit, limit);
}

/* The status, its detail, and a context that is no longer one. */
static void check_refused(kpred_status got, kpred_status want, int32_t index, int32_t value,
                          int32_t limit)
{
    CHECK_EQ(got, want);
    check_detail(index, value, limit);
    CHECK_EQ(kpred_predict(&ctx, good, N_FIELDS, out, 1, &n_out), KPRED_ERR_CONTEXT);
    check_detail(-1, -1, -1);
}

static kpred_status init_model(void)
{
    return kpred_init(&ctx, KPRED_VERSION, &toy.model, BEAM, toy_arena, COUNT(toy_arena));
}

static void init_arguments(void)
{
    enum { V = KPRED_VERSION, MOST = KPRED_MAX_BEAM };
    prepare();
    const kpred_model *const m = &toy.model;
    int32_t *const a = toy_arena;
    const size_t all = COUNT(toy_arena), words = kpred_arena_words(m, BEAM);
    const struct {
        uint32_t version;
        const kpred_model *model;
        size_t beam;
        int32_t *arena;
        size_t words;
        kpred_status want;
        int32_t index, value, limit;
    } rows[] = {
        {V, 0, BEAM, a, 9, KPRED_ERR_NULL, 2, -1, -1},
        {V, m, BEAM, 0, 9, KPRED_ERR_NULL, 4, -1, -1},
        {V + 1, m, BEAM, a, 9, KPRED_ERR_VERSION, -1, V + 1, V},
        {UINT32_MAX, m, BEAM, a, 9, KPRED_ERR_VERSION, -1, INT32_MAX, V},
        {V, m, 0, a, all, KPRED_ERR_BEAM, -1, 0, MOST},
        {V, m, MOST + 1, a, all, KPRED_ERR_BEAM, -1, MOST + 1, MOST},
        {V, m, SIZE_MAX, a, all, KPRED_ERR_BEAM, -1, INT32_MAX, MOST},
        {V, m, BEAM, a, words - 1, KPRED_ERR_ARENA, -1, (int32_t)words - 1, (int32_t)words},
        {V, m, BEAM, a, 0, KPRED_ERR_ARENA, -1, 0, (int32_t)words},
        {V, m, BEAM, (int32_t *)((uintptr_t)a + 1), all - 1, KPRED_ERR_ALIGN, -1, -1, -1},
        {V, m, BEAM, (int32_t *)((uintptr_t)a + 2), all - 1, KPRED_ERR_ALIGN, -1, -1, -1},
        {V, m, BEAM, (int32_t *)((uintptr_t)a + 3), all - 1, KPRED_ERR_ALIGN, -1, -1, -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_refused(kpred_init(&ctx, rows[i].version, rows[i].model, rows[i].beam, rows[i].arena,
                                 rows[i].words),
                      rows[i].want, rows[i].index, rows[i].value, rows[i].limit);
    CHECK_EQ(kpred_init(0, V, m, BEAM, a, 9), KPRED_ERR_NULL);
    CHECK_EQ(kpred_init(&ctx, V, m, BEAM, a, words), KPRED_OK);
    CHECK_EQ(kpred_arena_words(m, 0), 0);
    CHECK_EQ(kpred_arena_words(m, MOST + 1), 0);
    CHECK_EQ(kpred_arena_words(0, 1), 0);
}

/* Each number of a model set to what it must not be; that the id is another one is not said. */
static void init_model_numbers(void)
{
    enum { WIDE = KPRED_MAX_TUPLE, MOST = KPRED_MAX_VALUES };
    uint32_t *const f = &toy.model.format, *const fields_of = &toy.model.n_fields,
                    *const n = &toy.model.n_params, *const scale = &toy.model.scale;
    uint32_t *const values = (uint32_t *)&toy.params[1].n_values;
    const struct {
        uint32_t *number;
        int64_t is;
        int32_t limit;
    } rows[] = {{f, 0, KPRED_FORMAT},
                {f, KPRED_FORMAT + 1, KPRED_FORMAT},
                {fields_of, 0, KPRED_MAX_FIELDS},
                {fields_of, KPRED_MAX_FIELDS + 1, KPRED_MAX_FIELDS},
                {fields_of, UINT32_MAX, KPRED_MAX_FIELDS},
                {n, 0, WIDE},
                {n, WIDE + 1, WIDE},
                {n, UINT32_MAX, WIDE},
                {scale, 0, KPRED_MAX_SCALE},
                {scale, KPRED_MAX_SCALE + 1, KPRED_MAX_SCALE},
                {scale, UINT32_MAX, KPRED_MAX_SCALE},
                {values, 0, MOST},
                {values, -1, MOST},
                {values, MOST + 1, MOST},
                {values, INT32_MAX, MOST},
                {values, INT32_MIN, MOST}};
    prepare();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint32_t before = *rows[i].number;
        *rows[i].number = (uint32_t)rows[i].is;
        check_refused(init_model(), rows[i].number == f ? KPRED_ERR_FORMAT : KPRED_ERR_MODEL, -1,
                      (int32_t)twin_clamp(rows[i].is, INT32_MIN, INT32_MAX), rows[i].limit);
        *rows[i].number = before;
        CHECK_EQ(init_model(), KPRED_OK);
    }
}

/* Parameters of a single value may stand beside as many as there may be of several. */
static void init_model_free_parameters(void)
{
    int32_t numbers[KPRED_MAX_TUPLE];
    for (uint32_t n = 1; n <= KPRED_MAX_TUPLE; n++)
        for (uint32_t n_free = 0; n_free <= n; n_free++) {
            for (uint32_t t = 0; t < n; t++)
                numbers[t] = t % 2 == 0 ? 1 + (t / 2 < n_free) : 1 + ((n + 1) / 2 + t / 2 < n_free);
            toy_make(&toy, 8, n, numbers, 1 << 20, 1 << 18, 0);
            if (n_free <= KPRED_MAX_PARAMS)
                CHECK_EQ(init_model(), KPRED_OK);
            else
                check_refused(init_model(), KPRED_ERR_MODEL, -1, (int32_t)n_free, KPRED_MAX_PARAMS);
        }
}

static void init_parts_and_id(void)
{
    static const uint64_t bits[] = {1, 1 | UINT64_C(1) << 63};
    prepare();
    toy.model.scorer = 0;
    check_refused(init_model(), KPRED_ERR_MODEL, -1, -1, -1);
    prepare();
    toy.model.extensions = &toy;
    check_refused(init_model(), KPRED_ERR_MODEL, -1, -1, -1);
    for (size_t i = 0; i < COUNT(bits); i++) {
        prepare();
        toy.model.id ^= bits[i];
        check_refused(init_model(), KPRED_ERR_ID, -1, -1, -1);
    }
}

/* A net of zeros with these widths, for the model of prepare() */
static void refuse_width(uint16_t cols, uint16_t first, uint16_t second, uint16_t hidden,
                         int32_t width, int32_t limit)
{
    static const int8_t weights[(KPRED_MAX_WIDTH + 16) * 16];
    static const int32_t biases[KPRED_MAX_WIDTH + 16];
    static const kpred_head heads[KPRED_MAX_TUPLE];
    const kpred_additive net = {0,
                                0,
                                0,
                                hidden,
                                {{weights, biases, first, cols, 1},
                                 {weights, biases, second, 16, 1},
                                 {weights, biases, 16, 16, 1}},
                                heads};
    prepare();
    toy.model.scorer = &kpred_additive_scorer;
    toy.model.net = &net;
    toy_seal(&toy);
    if (width > limit)
        check_refused(init_model(), KPRED_ERR_MODEL, -1, width, limit);
    else
        CHECK_EQ(init_model(), KPRED_OK);
}

static void init_model_widths(void)
{
    const uint16_t wide = KPRED_MAX_WIDTH + 16, most = KPRED_MAX_WIDTH;
    refuse_width(wide, 16, 16, 16, wide, KPRED_MAX_WIDTH);
    refuse_width(16, wide, 16, 16, wide, KPRED_MAX_WIDTH);
    refuse_width(16, 16, wide, 16, wide, KPRED_MAX_WIDTH);
    refuse_width(16, 16, 16, KPRED_MAX_HIDDEN + 1, KPRED_MAX_HIDDEN + 1, KPRED_MAX_HIDDEN);
    refuse_width(most, 16, 16, KPRED_MAX_HIDDEN, most, KPRED_MAX_WIDTH);
    refuse_width(16, most, most, 16, most, KPRED_MAX_WIDTH);
}

/* Whatever changes in a model changes its id. */
static void id_covers_all(void)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *const archs[] = {"gfx906", "gfx908", NULL};
#define CHANGED(edit)                                      \
    do {                                                   \
        prepare();                                         \
        CHECK(kpred_model_id(&toy.model) == toy.model.id); \
        edit;                                              \
        CHECK(kpred_model_id(&toy.model) != toy.model.id); \
    } while (0)
    CHANGED(toy.model.name = "toz");
    CHANGED(toy.model.kernel = "toys");
    CHANGED(toy.model.split = "nonE");
    CHANGED(toy.model.rule_name = "");
    CHANGED(toy.model.scale++);
    CHANGED(toy.model.runs_on = archs);
    CHANGED(toy.model.runs_on = archs + 1);
    CHANGED(toy.model.work_words++);
    CHANGED(toy.model.state_words++);
    CHANGED(toy.model.n_fields--);
    CHANGED(toy.model.n_params--);
    CHANGED(toy.values[2][3]++);
    CHANGED(toy.params[0].n_values--);
    CHANGED(toy.params[0].name = "q");
    CHANGED(toy.params[0].names = names);
    CHANGED(changed[0].name = "gpus");
    CHANGED(changed[0].n_tokens--);
    CHANGED(changed[1].tokens = names);
    CHANGED(changed[2].least--);
    CHANGED(changed[2].most--);
    CHANGED(changed[2].trained_min--);
    CHANGED(changed[2].trained_max--);
#undef CHANGED
}

/* ---- errors of kpred_predict ---- */

static int all_bytes_are(const void *p, size_t n, int byte)
{
    const unsigned char *bytes = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != byte)
            return 0;
    return 1;
}

/* An error with outputs that keep their bytes; what the context said of the last success stays. */
static void check_error(const int32_t *problem, size_t n_fields, size_t k, kpred_status want,
                        int32_t index, int32_t value, int32_t limit)
{
    const uint32_t extrapolated = ctx.extrapolated;
    memset(out, 0xa5, sizeof out);
    memset(&n_out, 0xa5, sizeof n_out);
    toy_begin(problem);
    CHECK_EQ(kpred_predict(&ctx, problem, n_fields, out, k, &n_out), want);
    check_detail(index, value, limit);
    CHECK(all_bytes_are(out, sizeof out, 0xa5));
    CHECK(all_bytes_are(&n_out, sizeof n_out, 0xa5));
    CHECK_EQ(ctx.extrapolated, extrapolated);
    CHECK_EQ(toy_record.starts, want == KPRED_ERR_INFEASIBLE || want == KPRED_ERR_BUDGET ? 2 : 0);
}

/* The context works on after the error. */
static void check_works(void)
{
    toy_begin(good);
    CHECK_EQ(kpred_predict(&ctx, good, N_FIELDS, out, BEAM, &n_out), KPRED_OK);
    CHECK_EQ(n_out, BEAM);
}

/* From a context that has been checked: what it had is taken, and the rest is checked. */
static void init_again(void)
{
    static int32_t other[COUNT(toy_arena)];
    kpred_ctx known;
    prepare();
    known = ctx;
    known.body = KPRED_BODY_PORTABLE;
    memset(&ctx, 0xa5, sizeof ctx);
    CHECK_EQ(kpred_init_again(&ctx, &known, BEAM, other, COUNT(other)), KPRED_OK);
    CHECK(ctx.model == &toy.model && ctx.arena == other && ctx.body == KPRED_BODY_PORTABLE);
    CHECK_EQ(ctx.extrapolated, 0);
    check_works();
    CHECK_EQ(kpred_init_again(0, &known, BEAM, other, COUNT(other)), KPRED_ERR_NULL);
    check_refused(kpred_init_again(&ctx, 0, BEAM, other, 9), KPRED_ERR_NULL, 1, -1, -1);
    check_refused(kpred_init_again(&ctx, &known, BEAM, 0, 9), KPRED_ERR_NULL, 3, -1, -1);
    check_refused(kpred_init_again(&ctx, &known, 0, other, 9), KPRED_ERR_BEAM, -1, 0,
                  KPRED_MAX_BEAM);
    check_refused(kpred_init_again(&ctx, &known, BEAM, other, 9), KPRED_ERR_ARENA, -1, 9,
                  (int32_t)kpred_arena_words(&toy.model, BEAM));
    check_refused(
        kpred_init_again(&ctx, &known, BEAM, (int32_t *)((char *)other + 1), COUNT(other)),
        KPRED_ERR_ALIGN, -1, -1, -1);
    CHECK_EQ(kpred_init_again(&known, &known, BEAM, other, COUNT(other)), KPRED_OK);
    CHECK(known.model == &toy.model && known.arena == other);
    known.model = 0;
    check_refused(kpred_init_again(&ctx, &known, BEAM, other, 9), KPRED_ERR_CONTEXT, -1, -1, -1);
}

/* It reads, and writes nothing. */
static void touch(void)
{
    kpred_ctx before;
    prepare();
    before = ctx;
    memset(toy_arena, 0xa5, sizeof toy_arena);
    kpred_touch(&ctx);
    CHECK(memcmp(&ctx, &before, sizeof ctx) == 0);
    CHECK(all_bytes_are(toy_arena, sizeof toy_arena, 0xa5));
    check_works();
    kpred_touch(0);
    memset(&ctx, 0, sizeof ctx);
    kpred_touch(&ctx);
}

static void other_bodies(void)
{
    int taken = 0;
    prepare();
    CHECK_EQ(kpred_set_body(0, KPRED_BODY_PORTABLE), KPRED_ERR_NULL);
    for (int i = 0; i < KPRED_BODIES; i++) {
        const kpred_body before = (kpred_body)ctx.body, body = (kpred_body)i;
        CHECK(strcmp(kpred_body_name(body), "unknown") != 0);
        if (kpri_bodies(1) >> i & 1) {
            CHECK_EQ(kpred_set_body(&ctx, body), KPRED_OK);
            CHECK_EQ(ctx.body, i);
            taken++;
        } else {
            CHECK_EQ(kpred_set_body(&ctx, body), KPRED_ERR_BODY);
            check_detail(-1, i, -1);
            CHECK_EQ(ctx.body, before);
        }
        check_works();
    }
    CHECK(taken > 0);
    CHECK_EQ(kpred_set_body(&ctx, KPRED_BODIES), KPRED_ERR_BODY);
    CHECK_TEXT(kpred_body_name(KPRED_BODIES), "unknown");
    memset(&ctx, 0, sizeof ctx);
    CHECK_EQ(kpred_set_body(&ctx, KPRED_BODY_PORTABLE), KPRED_ERR_CONTEXT);
    check_detail(-1, -1, -1);
}

static void predict_null(void)
{
    prepare();
    CHECK_EQ(kpred_predict(0, good, N_FIELDS, out, 1, &n_out), KPRED_ERR_NULL);
    check_error(0, N_FIELDS, 1, KPRED_ERR_NULL, 1, -1, -1);
    CHECK_EQ(kpred_predict(&ctx, good, N_FIELDS, 0, 1, &n_out), KPRED_ERR_NULL);
    check_detail(3, -1, -1);
    CHECK(all_bytes_are(&n_out, sizeof n_out, 0xa5));
    CHECK_EQ(kpred_predict(&ctx, good, N_FIELDS, out, 1, 0), KPRED_ERR_NULL);
    check_detail(5, -1, -1);
    CHECK(all_bytes_are(out, sizeof out, 0xa5));
    check_works();
}

static void predict_context(void)
{
    memset(&ctx, 0, sizeof ctx);
    check_error(good, N_FIELDS, 1, KPRED_ERR_CONTEXT, -1, -1, -1);
}

/* The good problem with one field changed. */
static const int32_t *with(size_t field, int32_t value)
{
    static int32_t problem[N_FIELDS];
    memcpy(problem, good, sizeof problem);
    problem[field] = value;
    return problem;
}

static void predict_arguments(void)
{
    enum { N = N_FIELDS, GPUS = COUNT(gpus), MOST = KPRED_MAX_SIZE };
    static const struct {
        size_t n_fields, k;
        kpred_status want;
        int32_t field, value, limit; /* a field of -1: value is what is told, not a field's */
    } rows[] = {{N, 0, KPRED_ERR_K, -1, 0, BEAM},
                {N, BEAM + 1, KPRED_ERR_K, -1, BEAM + 1, BEAM},
                {N, SIZE_MAX, KPRED_ERR_K, -1, INT32_MAX, BEAM},
                {N - 1, 1, KPRED_ERR_FIELDS, -1, N - 1, N},
                {N + 1, 1, KPRED_ERR_FIELDS, -1, N + 1, N},
                {0, 1, KPRED_ERR_FIELDS, -1, 0, N},
                {SIZE_MAX, 1, KPRED_ERR_FIELDS, -1, INT32_MAX, N},
                {N, 1, KPRED_ERR_TOKEN, 0, -1, GPUS},
                {N, 1, KPRED_ERR_TOKEN, 0, GPUS, GPUS},
                {N, 1, KPRED_ERR_TOKEN, 1, 3, 3},
                {N, 1, KPRED_ERR_TOKEN, 1, INT32_MIN, 3},
                {N, 1, KPRED_ERR_SIZE, 2, 0, 1},
                {N, 1, KPRED_ERR_SIZE, 2, -1, 1},
                {N, 1, KPRED_ERR_SIZE, 2, INT32_MIN, 1},
                {N, 1, KPRED_ERR_SIZE, 2, MOST + 1, MOST},
                {N, 1, KPRED_ERR_SIZE, 2, INT32_MAX, MOST},
                {N, 1, KPRED_ERR_SIZE, 3, 2, 3},
                {N, 1, KPRED_ERR_SIZE, 3, 501, 500}};
    prepare();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int32_t f = rows[i].field;
        check_error(f < 0 ? good : with((size_t)f, rows[i].value), rows[i].n_fields, rows[i].k,
                    rows[i].want, f, rows[i].value, rows[i].limit);
        check_works();
    }
}

/* Whatever the rule has to say comes after what the fields have. */
static void predict_not_applicable(void)
{
    prepare();
    toy_law.refuses_problem = 1;
    check_error(good, N_FIELDS, 1, KPRED_ERR_NOT_APPLICABLE, -1, -1, -1);
    CHECK_EQ(toy_record.rules, 1);
    CHECK(!kpred_legal(&toy.model, good, toy.values[0]));
    check_error(with(1, 3), N_FIELDS, 1, KPRED_ERR_TOKEN, 1, 3, 3);
    toy_law.refuses_problem = 0;
    check_works();
}

/* No tuple is legal: all are asked, or as many as the rescue may ask. */
static void predict_without_a_tuple(void)
{
    static const int32_t many[] = {64, 64, 64};
    for (int is_large = 0; is_large < 2; is_large++) {
        prepare_space(is_large ? many : n_values);
        toy_law.kind = TOY_TUPLE;
        toy_law.density = UINT64_MAX;
        check_error(with(2, 1), N_FIELDS, 1, is_large ? KPRED_ERR_BUDGET : KPRED_ERR_INFEASIBLE, -1,
                    is_large ? KPRED_RESCUE_CALLS : 3 + 3 * 5 + 3 * 5 * 4,
                    is_large ? KPRED_RESCUE_CALLS : -1);
        toy_law.kind = TOY_ANY;
        check_works();
    }
}

/* ---- what a success sets ---- */

static void check_extrapolated(const int32_t *problem, uint32_t want)
{
    toy_begin(problem);
    CHECK_EQ(kpred_predict(&ctx, problem, N_FIELDS, out, 1, &n_out), KPRED_OK);
    CHECK_EQ(ctx.extrapolated, want);
}

static void extrapolation_is_flagged(void)
{
    static const int32_t both[] = {7, 0, KPRED_MAX_SIZE, 500},
                         rows[][3] = {{2, 4, 0},      {2, 100, 0},      {2, 3, 1 << 2},
                                      {2, 1, 1 << 2}, {2, 101, 1 << 2}, {2, KPRED_MAX_SIZE, 1 << 2},
                                      {3, 3, 0},      {3, 401, 1 << 3}}; /* field, value, flag */
    prepare();
    CHECK_EQ(ctx.extrapolated, 0);
    check_extrapolated(good, 0);
    for (size_t i = 0; i < COUNT(rows); i++)
        check_extrapolated(with((size_t)rows[i][0], rows[i][1]), (uint32_t)rows[i][2]);
    check_extrapolated(both, 1 << 2 | 1 << 3);
    check_error(with(1, 3), N_FIELDS, 1, KPRED_ERR_TOKEN, 1, 3, 3);
    CHECK_EQ(ctx.extrapolated, 1 << 2 | 1 << 3);
    check_extrapolated(good, 0);
}

/* One field, and as many as fit: a flag for each. */
static void check_flags(size_t n)
{
    kpred_field sizes[KPRED_MAX_FIELDS];
    int32_t problem[KPRED_MAX_FIELDS];
    size_t f;
    prepare();
    for (f = 0; f < n; f++)
        sizes[f] = fields[2];
    toy.model.fields = sizes;
    toy.model.n_fields = (uint32_t)n;
    toy_seal(&toy);
    CHECK_EQ(init_model(), KPRED_OK);
    for (f = 0; f < n; f++) {
        for (size_t i = 0; i < n; i++)
            problem[i] = i == f ? 1 : 50;
        toy_begin(problem);
        CHECK_EQ(kpred_predict(&ctx, problem, n, out, 1, &n_out), KPRED_OK);
        CHECK_EQ(ctx.extrapolated, (uint32_t)1 << f);
    }
    problem[f - 1] = 0;
    CHECK_EQ(kpred_predict(&ctx, problem, n, out, 1, &n_out), KPRED_ERR_SIZE);
    check_detail((int)n - 1, 0, 1);
}

static void every_field_has_its_flag(void)
{
    check_flags(1);
    check_flags(KPRED_MAX_FIELDS);
}

/* Of out, n_out tuples, of each n_params values. */
static void nothing_else_is_written(void)
{
    prepare();
    for (size_t k = 1; k <= BEAM; k++) {
        memset(out, 0xa5, sizeof out);
        toy_begin(good);
        CHECK_EQ(kpred_predict(&ctx, good, N_FIELDS, out, k, &n_out), KPRED_OK);
        CHECK_EQ(n_out, k);
        for (size_t i = 0; i < k; i++)
            CHECK(all_bytes_are(out[i].value + 3, sizeof out->value - sizeof(int32_t[3]), 0xa5));
        CHECK(all_bytes_are(out + k, (BEAM + 1 - k) * sizeof *out, 0xa5));
    }
}

static void a_second_init_renews(void)
{
    prepare();
    check_extrapolated(with(2, 1), 1 << 2);
    CHECK_EQ(init_model(), KPRED_OK);
    CHECK_EQ(ctx.extrapolated, 0);
    check_detail(-1, -1, -1);
    toy.model.id ^= 1;
    CHECK_EQ(init_model(), KPRED_ERR_ID);
    toy.model.id ^= 1;
    CHECK_EQ(init_model(), KPRED_OK);
    check_works();
}

/* ---- texts, names, tokens ---- */

static void every_status_has_a_text(void)
{
#define ROW(name, code, text) {name, code, text},
    static const struct {
        kpred_status status;
        int code;
        const char *text;
    } all[] = {KPRED_STATUS_LIST(ROW)};
#undef ROW
    CHECK_EQ(KPRED_OK, 0);
    CHECK_EQ(COUNT(all), 18);
    for (size_t i = 0; i < COUNT(all); i++) {
        CHECK_EQ(all[i].status, all[i].code);
        CHECK_EQ(all[i].code, -(int)i);
        CHECK(strcmp(kpred_status_string(all[i].status), all[i].text) == 0 && *all[i].text);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(all[i].text, all[j].text) != 0);
    }
    CHECK_TEXT(kpred_status_string((kpred_status)-18), "unknown status");
    CHECK_TEXT(kpred_status_string((kpred_status)1), "unknown status");
}

static void field_and_token_names(void)
{
    static const struct {
        const char *name;
        int32_t index;
    } names[] = {{"gpu", 0}, {"h", 3}, {"", -1}, {"gp", -1}, {"gpus", -1}, {"N", -1}};
    static const struct {
        size_t field;
        const char *name;
        int32_t token;
    } tokens[] = {{1, "F", 0},         {1, "W", 2},         {1, "f", -1},      {1, "", -1},
                  {1, "FB", -1},       {0, "gfx906_60", 2}, {0, "gfx906", -1}, {2, "F", -1},
                  {N_FIELDS, "F", -1}, {SIZE_MAX, "F", -1}};
    prepare();
    for (size_t i = 0; i < COUNT(names); i++)
        CHECK_EQ(kpred_field_index(&toy.model, names[i].name), names[i].index);
    for (size_t i = 0; i < COUNT(tokens); i++)
        CHECK_EQ(kpred_token(&toy.model, tokens[i].field, tokens[i].name), tokens[i].token);
}

struct gpu {
    const char *arch;
    int32_t units, want;
    int want_exact;
};

static void check_gpu(const char *arch, int32_t units, int32_t want, int want_exact)
{
    int exact = -5;
    CHECK_EQ(kpred_gpu_token(&toy.model, arch, units, &exact), want);
    CHECK_EQ(want < 0 ? want_exact : exact, want_exact);
    CHECK_EQ(kpred_gpu_token(&toy.model, arch, units, 0), want);
}

static void check_gpus(const struct gpu *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_gpu(rows[i].arch, rows[i].units, rows[i].want, rows[i].want_exact);
}

/* Units given win over those in the name; 0: unknown, then the one with most. */
static void gpus_of_all_kinds(void)
{
    static const struct gpu rows[] = {
        {"gfx900", 56, 0, 1},    {"gfx900", 64, 1, 1},        {"gfx906", 60, 2, 1},
        {"gfx906_60", 0, 2, 1},  {"gfx90878", 0, 4, 1},       {"gfx908", 0x78, 4, 1},
        {"gfx908_120", 0, 4, 1}, {"gfx1030_36", 0, 6, 1},     {"gfx1030", 36, 6, 1},
        {"gfx103024", 0, 6, 1},  {"gfx90a:xnack+", 0, 5, 1},  {"gfx90a", 0, 5, 1},
        {"gfx900", 0, 1, 1},     {"gfx906", 0, 3, 1},         {"gfx906_60", 64, 3, 1},
        {"gfx906", 61, 2, 0},    {"gfx906", 62, 3, 0},        {"gfx906", 1000, 3, 0},
        {"gfx900", 1, 0, 0},     {"gfx900", INT32_MAX, 1, 0}, {"gfx90a", 104, 5, 0},
        {"gfx902", 56, 0, 0},    {"gfx902", 0, 1, 0},         {"gfx904", 60, 2, 0},
        {"gfx903", 58, 2, 0},    {"gfx803", 64, 1, 0},        {"gfx942", 304, 5, 0},
        {"gfx1100", 0, 6, 0},    {"gfx1031_20", 0, 6, 0}};
    prepare();
    check_gpus(rows, COUNT(rows));
    check_gpu("gfx90a:sramecc+:xnack-", 0, 5, 1);
}

/* The one with most units does not have to be the last of those that are as far. */
static void gpus_with_most_units_first(void)
{
    static const char *const falling[] = {"gfx906_64", "gfx906_60", "gfx906_64"};
    prepare();
    changed[0].tokens = falling;
    changed[0].n_tokens = COUNT(falling);
    check_gpu("gfx906", 0, 0, 1);
    check_gpu("gfx906", 62, 0, 0);
    check_gpu("gfx906", 61, 1, 0);
}

static void gpus_that_are_none(void)
{
    static const char *const nonsense[] = {
        "",       "g",     "gf",      "gfx",    "gfx9",    "gfx90",   "gfx103",           "gfx_906",
        "GFX906", "sm_80", "xgfx906", "gfxabz", "gfx9 06", "gfx-906", "some other device"};
    static const char *const odd[] = {"one", "two"};
    prepare();
    for (size_t i = 0; i < COUNT(nonsense); i++)
        check_gpu(nonsense[i], 60, -1, 0);
    changed[0].name = "device";
    check_gpu("gfx906", 60, -1, 0);
    changed[2].name = "gpu";
    check_gpu("gfx906", 60, -1, 0);
    changed[2].name = "n";
    changed[0].name = "gpu";
    changed[0].tokens = odd;
    changed[0].n_tokens = 2;
    check_gpu("gfx906", 60, -1, 0);
}

/* A model says on which architectures its kernel runs; the rest of a GPU's name does not count. */
static void where_a_kernel_runs(void)
{
    static const char *const archs[] = {"gfx906", "gfx90a", "gfx1030", NULL}, *const none[] = {
                                                                                  NULL};
    static const char *const yes[] = {"gfx906",          "gfx906_60", "gfx9063c", "gfx906:sramecc+",
                                      "gfx90a:sramecc+", "gfx90a6e",  "gfx1030",  "gfx1030_36"};
    static const char *const no[] = {"gfx900", "gfx908", "gfx90878", "gfx1031", "gfx103", "gfx90",
                                     "",       "gfx",    "906",      "sm_80",   "GFX906"};
    prepare();
    CHECK(kpred_runs_on(&toy.model, "gfx942") && kpred_runs_on(&toy.model, "gfx1200"));
    toy.model.runs_on = archs;
    for (size_t i = 0; i < COUNT(yes); i++)
        CHECK_EQ(kpred_runs_on(&toy.model, yes[i]), 1);
    for (size_t i = 0; i < COUNT(no); i++)
        CHECK_EQ(kpred_runs_on(&toy.model, no[i]), 0);
    toy.model.runs_on = none;
    CHECK(!kpred_runs_on(&toy.model, "gfx906"));
}

/* No token for a GPU that the kernel does not run on, be it one of those trained on. */
static void gpus_that_it_does_not_run_on(void)
{
    static const char *const archs[] = {"gfx906", "gfx1031", NULL};
    static const struct gpu rows[] = {{"gfx906", 60, 2, 1},     {"gfx906", 61, 2, 0},
                                      {"gfx1031_20", 0, 6, 0},  {"gfx900", 56, -1, 0},
                                      {"gfx1030_36", 0, -1, 0}, {"gfx90878", 0, -1, 0},
                                      {"gfx942", 304, -1, 0}};
    prepare();
    toy.model.runs_on = archs;
    check_gpus(rows, COUNT(rows));
}

static void probabilities(void)
{
    static const int32_t rows[][2] = {{0, 1 << 24},     {-65536, 1 << 23}, {-24 * 65536, 1},
                                      {-25 * 65536, 0}, {-(1 << 30), 0},   {-INT32_MAX, 0},
                                      {INT32_MIN, 0}};
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_EQ(kpred_probability(rows[i][0]), rows[i][1]);
    for (int32_t score = -30 * 65536; score < 0; score += 97)
        CHECK_EQ(kpred_probability(score), twin_exp2_neg(-score));
}

static void tuples_needed(void)
{
    enum { W = 1 << 24 };
    static const int32_t rows[][3] = {
        {3, 1, 1},         {3, W / 2, 1},     {3, W / 2 + 1, 2},
        {3, W / 4 * 3, 2}, {3, W / 8 * 7, 3}, {3, W / 8 * 7 + 1, 0},
        {2, W / 8 * 7, 0}, {3, W, 0},         {0, 1, 0}}; /* tuples, sum, needed */
    kpred_tuple t[3] = {{-65536, {0}}, {-2 * 65536, {0}}, {-3 * 65536, {0}}}; /* 1/2, 1/4, 1/8 */
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_EQ(kpred_tuples_needed(t, (size_t)rows[i][0], rows[i][1]), rows[i][2]);
    CHECK_EQ(kpred_tuples_needed(NULL, 0, 1), 0);
    t[0].score = 0;
    CHECK_EQ(kpred_tuples_needed(t, 3, W), 1);
    t[0].score = INT32_MIN;
    CHECK_EQ(kpred_tuples_needed(t, 3, 1), 2);
}

int main(void)
{
    twin_make_tables();
    RUN_ALL(init_arguments, init_model_numbers, init_model_free_parameters, init_parts_and_id,
            init_model_widths, id_covers_all, init_again, touch, other_bodies, predict_null,
            predict_context, predict_arguments, predict_not_applicable, predict_without_a_tuple,
            extrapolation_is_flagged, every_field_has_its_flag, nothing_else_is_written,
            a_second_init_renews, every_status_has_a_text, field_and_token_names, gpus_of_all_kinds,
            gpus_with_most_units_first, gpus_that_are_none, where_a_kernel_runs,
            gpus_that_it_does_not_run_on, probabilities, tuples_needed);
    return test_end();
}
