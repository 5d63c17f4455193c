/* answers.c - hashes of what the rules of kpred_constraints.h answer, beside those that are stored
   SPDX-License-Identifier: MIT

   usage: answers FILE      compares with FILE, which has a line `NAME HASH` for each
          answers           prints such a file; `make renew` writes it again

   The other tests say that the answers are right; this one is fast, and says that they are as they
   were. It includes generated headers whose networks are zeros (tools/release/analyze.sh). Each
   problem and value comes from the random numbers of test_rules.c. */
#undef MODELS_APART /* the definitions are what is tested */
int test_rules_main(int, char **);
#define main test_rules_main
#include "rules/test_rules.c"
#undef main
#include "model/shipped.h"

#include <inttypes.h>

enum { PROBLEMS = 60000, PREFIXES = 24, PAIRS = 60000 };

static uint64_t sum; /* FNV-1a */

static void add(uint64_t x)
{
    sum = (sum ^ (x & UINT32_MAX)) * UINT64_C(0x100000001b3);
    sum = (sum ^ x >> 32) * UINT64_C(0x100000001b3);
}

/* ---- the rules of MIOpen's kernels ---- */

static void add_prefixes(const kernel *k, const int32_t *p)
{
    int32_t v[MOST_PARAMS] = {0};
    for (int i = 0; i < PREFIXES; i++)
        for (int n = 0; n < k->n_params; n++) {
            const domain *d = &k->all[n];
            int tries = 0;
            do {
                v[n] = d->v[random_below((uint32_t)d->n)];
                add((uint64_t)k->rule(p, v, (size_t)n + 1) + 2);
            } while (!k->rule(p, v, (size_t)n + 1) && ++tries < 4);
        }
}

static void add_kernel(const kernel *k)
{
    for (int i = 0; i < PROBLEMS; i++) {
        int32_t p[MOST_FIELDS] = {0};
        random_problem(k, p);
        if (k->n_fields != KPRED_CONV2D_FIELD_COUNT && random_below(2))
            set_to_limit(p);
        add((uint64_t)k->rule(p, NULL, 0));
        if (i % 16 == 0 && k->rule(p, NULL, 0))
            add_prefixes(k, p);
    }
}

/* The sizes that rules ask about, in place of some of a problem's */
static int32_t marked_size(void)
{
    static const int32_t sizes[] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 7, 10, 11, 20};
    return sizes[random_below(N_OF(sizes))];
}

/* A filter that a rule may ask about: whole, and with other pads or strides */
static void set_filter(int32_t *p)
{
    for (int i = 0; i < 2; i++) {
        p[KPRED_CONV2D_Y + i] = marked_size() + (i == 0);
        p[KPRED_CONV2D_PAD_H + i] = random_below(2) ? 0 : marked_size();
        p[KPRED_CONV2D_STRIDE_H + i] = 1 + (int32_t)random_below(2);
    }
    p[KPRED_CONV2D_X] += p[KPRED_CONV2D_X] == 0;
}

/* Values that no tuple has, behind prefixes that are accepted, and one value too many */
static void add_outside(const kernel *k)
{
    for (int i = 0; i < PROBLEMS / 4; i++) {
        int32_t p[MOST_FIELDS] = {0}, v[MOST_PARAMS + 1] = {0};
        int n = 0;
        random_problem(k, p);
        if (k->n_fields == KPRED_CONV2D_FIELD_COUNT && random_below(2))
            set_filter(p);
        for (int tries = 0; k->rule(p, NULL, 0) && n < k->n_params && tries < 60; tries++) {
            const domain *d = &k->all[n];
            v[n] = random_below(2) ? extreme_value() : 1 << random_below(12);
            add((uint64_t)k->rule(p, v, (size_t)n + 1));
            v[n] = d->v[random_below((uint32_t)d->n)];
            n += k->rule(p, v, (size_t)n + 1);
        }
        add((uint64_t)k->rule(p, v, (size_t)k->n_params + 1));
        extreme_problem(k->n_fields == KPRED_CONV2D_FIELD_COUNT, p);
        add((uint64_t)k->rule(p, NULL, 0));
    }
}

/* The rules that are others in a single direction */
static void add_one_way(void)
{
    for (int i = 0; i < PROBLEMS / 4; i++) {
        int32_t p[MOST_FIELDS] = {0};
        random_problem(&kernels[i % 2 ? OF_V4R4 : OF_MLIR], p);
        add((uint64_t)kpred_rule_conv_hip_igemm_v4r4_wrw(p, NULL, 0));
        add((uint64_t)kpred_rule_conv_mlir_igemm_bwd(p, NULL, 0));
        add((uint64_t)kpred_rule_conv_mlir_igemm_wrw(p, NULL, 0));
    }
}

/* ---- the rules of shipped models ---- */

static void add_model(const kpred_model *m)
{
    for (int i = 0; i < PROBLEMS / 5; i++) {
        int32_t p[KPRED_MAX_FIELDS], v[KPRED_MAX_TUPLE];
        for (uint32_t f = 0; f < m->n_fields; f++) {
            const kpred_field *field = m->fields + f;
            const int32_t most = field->most < 2048 ? field->most : 2048;
            p[f] = field->tokens     ? (int32_t)random_below((uint32_t)field->n_tokens)
                   : random_below(2) ? marked_size()
                                     : random_size(random_below(3) ? 3 : 9);
            p[f] = p[f] < field->least ? field->least : p[f];
            p[f] = !field->tokens && p[f] > most ? most : p[f];
        }
        if (!m->rule)
            continue;
        add((uint64_t)m->rule(p, p, 0));
        for (int far = -1; far <= 1; far++) {
            v[0] = far < 0 ? -1 : m->params[0].values[m->params[0].n_values - 1] + far;
            add((uint64_t)m->rule(p, v, 1));
        }
        for (uint32_t t = 0; t < m->n_params && m->rule(p, p, 0); t++)
            for (int tries = 0; tries < 8; tries++) {
                v[t] = m->params[t].values[random_below((uint32_t)m->params[t].n_values)];
                add((uint64_t)m->rule(p, v, t + 1));
                if (m->rule(p, v, t + 1))
                    break;
            }
    }
}

/* The names of its kernels, and the names of GPUs */
static void add_names(const kpred_model *m)
{
    static const char *const gpus[] = {"gfx942_304", "gfx90878", "gfx90a", "gfx1030_36", "gfx9",
                                       "gfx906:x",   "gfx950",   "gpu",    "gfx8034",    ""};
    const int32_t n = m->names ? (int32_t)m->names->n : 0;
    for (int32_t i = -1; i <= n; i++) {
        int32_t p[KPRED_MAX_FIELDS] = {0}, v[KPRED_MAX_TUPLE] = {0};
        const char *name = kpred_kernel_name(m, i);
        add((uint64_t)kpred_kernel_values(m, i, v));
        for (uint32_t t = 0; t < m->n_params; t++)
            add((uint32_t)v[t]);
        add((uint32_t)kpred_kernel_of(m, v));
        add((uint32_t)kpred_kernel_id(m, i, p));
        add((uint32_t)kpred_kernel_named(m, name ? name : "no kernel"));
        v[0]++;
        add((uint32_t)kpred_kernel_of(m, v));
        if (m->names)
            add((uint64_t)kpri_named(m->names, m->params, NULL, p, v, (size_t)(i & 1)));
        for (uint32_t t = 0; t < m->n_params; t++)
            v[t] = INT32_MAX;
        add((uint32_t)kpred_kernel_of(m, v));
    }
    for (int i = 0; i < N_OF(gpus) * 3; i++) {
        int exact = 0;
        add((uint32_t)kpred_gpu_token(m, gpus[i % N_OF(gpus)], i / N_OF(gpus) * 31, &exact));
        add((uint64_t)exact + 2 * (uint64_t)kpred_runs_on(m, gpus[i % N_OF(gpus)]));
    }
}

/* ---- the expressions of generated rules ---- */

/* Small, of 32 bits, or at an end of 64 bits */
static int64_t number(void)
{
    if (random_below(3))
        return (int64_t)random_below(25) - 12;
    const int64_t x = extreme_value(); /* first, by any compiler */
    return x * (INT64_C(1) << random_below(3) * 16);
}

static void add_signed(int64_t x)
{
    add((uint64_t)x);
}

static void add_numbers(int64_t a, int64_t b)
{
    int bad = 0;
    add_signed(kpri_x_add(a, b)), add_signed(kpri_x_sub(a, b)), add_signed(kpri_x_mul(a, b));
    add_signed(kpri_x_abs(a)), add_signed(kpri_x_min(a, b)), add_signed(kpri_x_max(a, b));
    add_signed(kpri_x_floor_div(a, b, &bad)), add_signed(kpri_x_ceil_div(a, b, &bad));
    add_signed(kpri_x_mod(a, b, &bad)), add((uint64_t)bad);
}

static void add_quotient(kpri_quotient x)
{
    add_signed(x.n), add_signed(x.d);
}

static void add_quotients(int64_t a, int64_t b, int64_t c, int64_t d)
{
    int bad = 0;
    const kpri_quotient x = kpri_q(a, b, &bad), y = kpri_q(c, d, &bad);
    add((uint64_t)bad), add_quotient(x), add_quotient(y), add_quotient(kpri_q_term(a, &bad));
    if (bad)
        return;
    add_quotient(kpri_q_add(x, y, &bad)), add_quotient(kpri_q_sub(x, y, &bad));
    add_quotient(kpri_q_mul(x, y, &bad)), add_quotient(kpri_q_abs(x, &bad));
    add_quotient(kpri_q_min(x, y)), add_quotient(kpri_q_max(x, y));
    add((uint64_t)kpri_q_less(x, y)), add((uint64_t)kpri_q_equal(x, y)), add((uint64_t)bad);
    add_quotient(kpri_q_div(x, y, &bad)), add((uint64_t)bad);
    bad = 0;
    add_signed(kpri_q_floor_div(x, y, &bad)), add_quotient(kpri_q_mod(x, y, &bad));
    add((uint64_t)bad);
}

static void add_span(kpri_span s)
{
    add_signed(s.least), add_signed(s.most);
}

static void add_spans(kpri_span s, kpri_span t)
{
    add_span(kpri_s_hull(s, t)), add_span(kpri_s_add(s, t)), add_span(kpri_s_sub(s, t));
    add_span(kpri_s_mul(s, t)), add_span(kpri_s_abs(s)), add_span(kpri_s_min(s, t));
    add_span(kpri_s_max(s, t)), add_span(kpri_s_floor_div(s, t)), add_span(kpri_s_ceil_div(s, t));
    add_span(kpri_s_mod(s, t)), add_span(kpri_s_meet(s, -3, 5));
    add((uint64_t)kpri_t_less(s, t)), add((uint64_t)kpri_t_equal(s, t)),
        add((uint64_t)kpri_t_of(s));
}

static void add_truths(int s, int t)
{
    add((uint64_t)kpri_t_not(s)), add((uint64_t)kpri_t_and(s, t)), add((uint64_t)kpri_t_or(s, t));
    add((uint64_t)kpri_t_any(s, t)), add_span(kpri_s_of_truth(s));
}

static void add_expressions(void)
{
    for (int i = 0; i < PAIRS; i++) {
        const int64_t a = number(), b = number(), c = number(), d = number();
        const int32_t v[2] = {(int32_t)(a % 1000), (int32_t)(b % 1000)};
        add_numbers(a, b);
        add_quotients(a, b, c, d);
        add_spans(kpri_s_from(a, b), kpri_s_from(c, d));
        add_truths(i & 3, i >> 2 & 3);
        add_span(kpri_s_param(v, (size_t)(i % 3), (size_t)(i & 1), -7, 9));
    }
}

/* ---- what generated rules and callers of their own use of kpred.h ---- */

static void add_listed(void)
{
    static const int32_t digits[] = {3, 5, 8, 9};
    static const kpred_param params[] = {{"a", digits, NULL, 3}, {"b", digits, NULL, 4}};
    static const uint8_t bits[] = {0x6b, 0xa5, 0x3c};
    for (int32_t a = 2; a < 11; a++)
        for (int32_t b = 2; b < 11; b++) {
            const int32_t v[2] = {a, b};
            for (size_t n = 0; n <= (size_t)(a == 3 || a == 5 || a == 8) + 1; n++)
                add((uint64_t)kpri_listed(params, bits, v, n));
        }
}

/* The built-in scorer, called as another scorer would be */
static void add_scorer(void)
{
    static int32_t work[KPRED_CONV_ASM_1X1U_ARENA(1)];
    const kpred_model *m = &kpred_model_conv_asm_1x1u;
    const int32_t p[] = {1, 0, 0, 16, 64, 56, 56, 256, 1};
    const unsigned char prefix[] = {1, 2};
    int32_t logits[KPRED_MAX_VALUES] = {0};
    m->scorer->start(m, p, work, NULL);
    m->scorer->logits(m, work, NULL, prefix, 2, logits);
    for (int v = 0; v < m->params[2].n_values; v++)
        add((uint32_t)logits[v]);
    for (int body = 0; body < 12; body++)
        add((uint64_t)kpred_body_name((kpred_body)body)[0]);
}

/* ---- what the rules answer where random problems hardly ever come ---- */

/* 64 x 64 pixels, 16 channels in and out, filters without pads, of FP32, forwards */
static void ordinary(int32_t *p, int32_t filter)
{
    for (int f = 0; f < KPRED_CONV2D_FIELD_COUNT; f++)
        p[f] = f < KPRED_CONV2D_N || f == KPRED_CONV2D_PAD_H || f == KPRED_CONV2D_PAD_W ? 0 : 1;
    p[KPRED_CONV2D_C] = p[KPRED_CONV2D_K] = 16;
    p[KPRED_CONV2D_H] = p[KPRED_CONV2D_W] = 64;
    p[KPRED_CONV2D_Y] = p[KPRED_CONV2D_X] = filter;
}

/* Sets a field, unless its value would be none of the rule's domain: a size of 0. */
static void set_field(int32_t *p, int f, int32_t x)
{
    if (f < KPRED_CONV2D_N)
        p[f] = x % 3;
    else if (x > 0 || p[f] == 0)
        p[f] = x;
}

/* Filters, strides and LDS of ConvOclDirectFwd, and the default of ConvOclDirectFwd1x1 */
static void add_rare_direct(void)
{
    static const int32_t sizes[] = {3, 5, 10, 12, 20, 200}, pads[] = {0, 1, 100};
    const int32_t point[] = {0, KPRED_DIR_F, KPRED_DTYPE_FP32, 1, 16, 64, 64, 16, 3};
    const int32_t seven[] = {7};
    int32_t p[KPRED_CONV2D_FIELD_COUNT];
    ordinary(p, 3);
    for (int i = 0; i < 6 * 6 * 3 * 3 * 2; i++) {
        p[KPRED_CONV2D_Y] = sizes[i % 6], p[KPRED_CONV2D_X] = sizes[i / 6 % 6];
        p[KPRED_CONV2D_PAD_H] = p[KPRED_CONV2D_PAD_W] = pads[i / 36 % 3];
        p[KPRED_CONV2D_STRIDE_H] = p[KPRED_CONV2D_STRIDE_W] = 1 + i / 108 % 3;
        p[KPRED_CONV2D_GROUPS] = 1 + i / 324;
        add((uint64_t)kpred_rule_conv_ocl_direct_fwd(p, NULL, 0));
        add((uint64_t)kpred_rule_conv_ocl_direct_fwd(p, seven, 1));
    }
    for (int32_t v = 1; v < 17; v++)
        add((uint64_t)kpred_rule_conv_ocl_direct_fwd_1x1(point, &v, 1));
}

/* Kernels by name, of any filter in FP32 with 2^3 channels in and 2^2 out, or of 1x1 filters alone:
   each field of a problem of 1x1 with other sizes */
static void add_rare_named(void)
{
    static const uint16_t words[] = {0x232, 0};
    static const kpred_gtc_kernels known[] = {
        {KPRED_DIR_F,
         1,
         words,
         {{8, 8, 3, 3, 3, 3, 3, 3},
          {8, 8, 8, 8, 8, 8, 8, 8},
          {8, 8, 3, 3, 3, 3, 3, 3},
          {8, 8, 8, 8, 8, 8, 8, 8}}},
        {KPRED_DIR_F,
         1,
         words + 1,
         {{8, 8, 8, 8, 8, 8, 8, 8}, {8, 8, 8, 8, 8, 8, 8, 8}, {0}, {8, 8, 8, 8, 8, 8, 8, 8}}}};
    const int32_t v[KPRED_IGEMM_GTC_COUNT + 1] = {0};
    for (int i = 0; i < 2 * 20 * KPRED_CONV2D_FIELD_COUNT; i++) {
        int32_t p[KPRED_CONV2D_FIELD_COUNT];
        ordinary(p, 1);
        set_field(p, i / 40, i / 2 % 20);
        for (size_t n = 0; n <= KPRED_IGEMM_GTC_COUNT + 1; n += n < 1 ? 1 : KPRED_IGEMM_GTC_COUNT)
            add((uint64_t)kpred_rule_of_gtc_kernels(&known[i % 2], p, v, n));
    }
}

/* The choice among solvers: of a word that has this bit of the filters alone or all but it, for
   filters up to 13x13; of those that need 2, 4, 8 or 16 images; of each bit of pads, of
   strides */
static void add_rare_solvers(void)
{
    int32_t p[KPRED_CONV3D_FIELD_COUNT], v[2] = {0};
    for (int f = 0; f < KPRED_CONV3D_FIELD_COUNT; f++)
        p[f] = f < KPRED_CONV3D_N ? 0 : 16;
    for (uint32_t i = 0; i < 10 * 2 * 2 * 13 * 13; i++) {
        const uint32_t bit = 1u << i % 10, bits = i / 10 % 2 ? bit : 0x3ff & ~bit;
        const uint64_t word = KPRED_SOLVER_WORD(0, 0, 0, bits, 0, 0, 0, 0, 0, 0, 0);
        p[KPRED_CONV3D_Z] = 1 + 2 * (int32_t)(i / 20 % 2);
        p[KPRED_CONV3D_Y] = 1 + (int32_t)(i / 40 % 13), p[KPRED_CONV3D_X] = 1 + (int32_t)(i / 520);
        add((uint64_t)kpred_rule_of_solvers(&word, 1, p, v, 1));
    }
    for (int f = KPRED_CONV3D_N; f < KPRED_CONV3D_FIELD_COUNT; f++)
        p[f] = 1;
    for (uint32_t i = 0; i < 4 * 17; i++) {
        const uint64_t word = KPRED_SOLVER_WORD(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1u << i % 4);
        p[KPRED_CONV3D_N] = 1 + (int32_t)(i / 4);
        add((uint64_t)kpred_rule_of_solvers(&word, 1, p, v, 1));
        add((uint64_t)kpred_rule_of_solvers(&word, 1, p, v, 2)); /* of a value too many */
    }
    p[KPRED_CONV3D_N] = 1;
    for (uint32_t i = 0; i < 8 * 5; i++) {
        const uint32_t pads = 1u << i % 8 & 15, strides = 1u << i % 8 >> 4;
        const uint64_t word = KPRED_SOLVER_WORD(0, 0, 0, 0, pads, strides, 0, 0, 0, 0, 0);
        p[KPRED_CONV3D_PAD_D] = 0;
        p[KPRED_CONV3D_PAD_H] = p[KPRED_CONV3D_PAD_W] = (int32_t)(i / 8);
        p[KPRED_CONV3D_STRIDE_H] = p[KPRED_CONV3D_STRIDE_W] = 1 + (int32_t)(i / 8);
        add((uint64_t)kpred_rule_of_solvers(&word, 1, p, v, 1));
    }
}

/* Solvers of F(2,3) and F(3,2) for 1x1 problems of 2048 x 2048 pixels with one other field */
static void add_rare_winograd(void)
{
    static const int32_t sizes[] = {0, 1, 2, 3, 64, 65, 65535, 65536};
    static const uint64_t words[] = {KPRED_SOLVER_F2X3, KPRED_SOLVER_F3X2};
    int32_t p[KPRED_CONV3D_FIELD_COUNT];
    for (int i = 0; i < 32 * KPRED_CONV3D_GPU_COUNT * KPRED_CONV3D_FIELD_COUNT; i++) {
        const int32_t v[1] = {i % 2};
        for (int f = 0; f < KPRED_CONV3D_FIELD_COUNT; f++)
            p[f] =
                f < KPRED_CONV3D_N || (f >= KPRED_CONV3D_PAD_D && f <= KPRED_CONV3D_PAD_W) ? 0 : 1;
        p[KPRED_CONV3D_H] = p[KPRED_CONV3D_W] = 2048;
        p[KPRED_CONV3D_STRIDE_H] = p[KPRED_CONV3D_STRIDE_W] = 1 + i / 2 % 2;
        p[KPRED_CONV3D_GPU] = i / 32 % KPRED_CONV3D_GPU_COUNT;
        set_field(p, i / 32 / KPRED_CONV3D_GPU_COUNT, sizes[i / 4 % 8]);
        add((uint64_t)kpred_rule_of_solvers(words, 2, p, v, 1));
    }
    add((uint64_t)check_borders(&kernels[OF_RXS], 10000));
    add((uint64_t)check_borders(&kernels[OF_RXS_F3X2], 10000));
}

/* A tuple behind the last one of the table is none of its kernels, though memory goes on there. */
static void add_rare_names(void)
{
    static const char *const names[] = {"one", "two", "three"};
    static const int32_t values[] = {3, 1, 3, 2, 3, 4};
    const kpred_names table = {names, values, NULL, 2, 1, 2, 0, 0};
    kpred_model m = {0};
    m.names = &table;
    for (int i = 0; i < 3; i++)
        add((uint32_t)kpred_kernel_of(&m, (int32_t[]){9, values[2 * i], values[2 * i + 1]}));
}

/* ---- what is stored ---- */

static FILE *stored;

static const char head[] =
    "# answers - hashes of what the rules and models answer, which answers.c compares\n"
    "# SPDX-License-Identifier: MIT\n"
    "#\n"
    "# A rule or a model that changes on purpose changes them: `make renew` writes this file "
    "again.\n"
    "# Lines that change besides are of rules that changed without a purpose.\n";

/* The next line but for comments */
static int next_line(char *line, int size)
{
    while (fgets(line, size, stored))
        if (*line != '#')
            return 1;
    return 0;
}

static void tell(const char *name)
{
    char line[200], wanted[200] = "";
    snprintf(line, sizeof line, "%s %016" PRIx64 "\n", name, sum);
    sum = 0;
    random_seed = 1; /* no line depends on those before it */
    if (!stored)
        fputs(line, stdout);
    else
        CASE(next_line(wanted, sizeof wanted) && strcmp(line, wanted) == 0, "%s", name);
}

int main(int argc, char **argv)
{
    stored = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (argc > 1 && !stored)
        return 2;
    if (!stored)
        fputs(head, stdout);
    complete_kernels();
    for (int i = 0; i < N_OF(kernels); i++) {
        add_kernel(&kernels[i]);
        add_outside(&kernels[i]);
        tell(kernels[i].name);
    }
#define TELL(name, NAME)            \
    add_model(&kpred_model_##name); \
    add_names(&kpred_model_##name); \
    tell(#name);
    SHIPPED(TELL)
#undef TELL
    add_one_way();
    tell("one_way");
    add_listed();
    tell("listed");
    add_scorer();
    tell("scorer");
    add_expressions();
    tell("expressions");
    add((uint64_t)check_helpers());
    tell("helpers");
    add_rare_direct(), tell("rare_direct");
    add_rare_named(), tell("rare_named");
    add_rare_solvers(), tell("rare_solvers");
    add_rare_winograd(), tell("rare_winograd");
    add_rare_names(), tell("rare_names");
    if (!stored)
        return 0;
    return test_end();
}
