/* Tests of kpred_constraints.h.

   test_rules          checks that need nothing else: a second, naive statement of each kernel's
                       checks (`legal`, written from MIOpen's and not from the rules) is compared
                       with the rule on every tuple and every prefix of whole parameter spaces
   test_rules serve    answers queries on standard input, a line each, for rules_oracle.py:
                         P rule field...   sets the problem; answer: 1 if the rule applies, else 0
                         T value...        answer: how many leading values are accepted (-1: does
                                           not apply), then 1 or 0, what `legal` says of them all
                         F                 answer: the first tuple of the vocabulary that the rule
                                           accepts, or an empty line
                         E                 walks the vocabulary; answer: numbers of legal tuples,
                                           accepted prefixes, dead ends, missed prefixes */
#define KPRED_IMPLEMENTATION
#include "kpred.h"
#include "kpred_constraints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define MOST_PARAMS 10
#define MOST_FIELDS 10

/* >>view: a problem as MIOpen sees it, input and output exchanged for B and W. */

typedef struct {
    int64_t n, ic, ih, iw, oc, oh, ow, stride, groups, e; /* e: elements in 32 bits */
    int gfx900, dir, dtype;
} view;

static int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

static view view_of(const int32_t *p, int n_fields)
{
    int filter = n_fields == 10 ? 3 : 1, pad = filter / 2;
    int64_t c = p[KPRED_CONV_C], h = p[KPRED_CONV_H], w = p[KPRED_CONV_W], k = p[KPRED_CONV_K];
    int64_t s = p[KPRED_CONV_STRIDE];
    int64_t y = (h + 2 * pad - filter) / s + 1, x = (w + 2 * pad - filter) / s + 1;
    int forward = p[KPRED_CONV_DIR] == KPRED_DIR_F;
    view z = {0};

    z.n = p[KPRED_CONV_N], z.stride = s;
    z.ic = forward ? c : k, z.ih = forward ? h : y, z.iw = forward ? w : x;
    z.oc = forward ? k : c, z.oh = forward ? y : h, z.ow = forward ? x : w;
    z.groups = n_fields == 10 ? p[KPRED_CONV_GROUPS] : 1;
    z.dir = p[KPRED_CONV_DIR], z.dtype = p[KPRED_CONV_DTYPE];
    z.gfx900 = p[KPRED_CONV_GPU] == KPRED_GPU_GFX900_56;
    z.e = z.dtype == KPRED_DTYPE_FP32 ? 1 : 2;
    return z;
}

/* a * b * c < limit, of positive factors of which the first two have a product below 2^63 (as for
   all three where the first comparison passes). */
static int less(int64_t a, int64_t b, int64_t c, int64_t limit)
{
    return a * b < limit && a * b * c < limit;
}

static int common_limits(const view *z, int64_t h, int64_t w)
{
    return z->n < 65536 && z->ic < 65536 && z->oc < 65536
        && less(h, w, z->ic, 1 << 24) && less(h, w, z->oc, 1 << 24)
        && less(h * w, z->ic, z->n, 1 << 29) && less(h * w, z->oc, z->n, 1 << 29)
        && less(z->ic, z->oc, 1, 1 << 29);
}

/* >>legal: naive statements, in the order and with the numbers of MIOpen's checks. */

static int applies_1x1u(const view *z)
{
    int small_is_out = z->dir == KPRED_DIR_F && z->stride > 1;

    return z->dir != KPRED_DIR_W && z->dtype != KPRED_DTYPE_BF16 && z->stride <= 2
        && z->ic % z->e == 0 && z->oc % z->e == 0 && z->oh * z->ow >= z->e
        && (z->e == 1 || z->oc >= 4) && (z->dir == KPRED_DIR_F || z->e == 1 || z->oc % 4 == 0)
        && less(z->iw, z->ih, 4 * z->ic, 1 << 24) && less(z->ow, z->oh, 4 * z->oc, 1 << 24)
        && common_limits(z, small_is_out ? z->oh : z->ih, small_is_out ? z->ow : z->iw);
}

static int legal_1x1u(const view *z, const int32_t *v)
{
    int64_t rs = v[0], km = v[1], cpw = v[2], cs = v[3], nm = v[4], cm = v[5], wc = v[6], wk = v[7];
    int64_t e = z->e, hw = z->oh * z->ow;
    int64_t vgprs = 5 + 2 * ceil_of(cpw * nm * cm, e) + cpw * nm * km + (hw % e != 0);
    int64_t share = ceil_of(z->ic, wc), last = z->ic - share * (wc - 1);

    return km % e == 0 && (z->dir != KPRED_DIR_B || z->oc % km == 0)    /* R1 R2 */
        && rs * e <= cpw && cpw % e == 0 && cpw <= ceil_of(hw, cs)      /* R3 R4 R5 */
        && nm <= ceil_of(z->n, 64 / cs) && cm % e == 0                  /* R6 R7 */
        && vgprs < 256 && 25 + 2 * km * cm < 102                        /* R8 R9 */
        && wc <= z->ic && share % cm == 0 && last % cm == 0             /* R10 R11 */
        && km * wk <= z->oc && wc * wk <= 16                            /* R12 R13 */
        && 256 / vgprs * 4 >= wc * wk;                                  /* R14 */
}

static int applies_ocl(const view *z) { return z->dir != KPRED_DIR_W; }

static int version_of(const view *z)
{
    return z->dtype == KPRED_DTYPE_FP32 && z->dir == KPRED_DIR_F
        && z->ic % 16 == 0 && z->oc % 16 == 0;
}

/* How many of 1, 2, 4 the search tries for out_pix_tile0. */
static int pixel_choices(const view *z)
{
    if (z->stride == 1)
        return z->ih * z->iw % 2 ? 1 : z->ih * z->iw % 4 ? 2 : 3;
    return z->ow % 2 || (z->dir == KPRED_DIR_B && z->iw % 2) ? 1 : 2;
}

static void default_ocl(const view *z, int64_t *d)
{
    int64_t t[2], op[2], g[2];
    int version = version_of(z), i;

    for (i = 0; i < 2; i++) {
        int64_t side = i ? z->ih : z->iw;
        t[i] = side <= 8 ? 8 : side <= 16 ? 16 : 32;
        op[i] = t[i] == 8 ? 1 : 2;
        op[i] = op[i] < z->stride ? z->stride : op[i];
        g[i] = t[i] / op[i] < 8 ? 8 : t[i] / op[i];
        t[i] = g[i] * op[i];
    }
    d[0] = g[1], d[1] = version ? g[0] : 64, d[2] = t[1], d[3] = t[0];
    d[4] = version, d[5] = version ? 0 : pixel_choices(z) == 1 ? 1 : 2;
    d[6] = version ? 32 : 16, d[7] = version ? 128 : 4, d[8] = 1;
}

static int is_default(const view *z, const int32_t *v)
{
    int64_t d[9];
    int i;

    default_ocl(z, d);
    for (i = 0; i < 9 && d[i] == v[i]; i++)
        ;
    return i == 9;
}

static int legal_ocl(const view *z, const int32_t *v)
{
    int64_t g0 = v[1], op0 = v[5], no = v[6], ni = v[7];

    if (is_default(z, v))
        return 1;
    if (v[0] != 1 || v[2] != 1 || v[3] != 1 || v[4] != version_of(z) || v[8] != 0)
        return 0;
    if (version_of(z))
        return g0 == 64 && (op0 == 0 || op0 == 1 || op0 == 4) && (no == 16 || no == 32 || no == 64)
            && (ni == 64 || ni == 128 || ni == 256 || ni == 2048);
    return (g0 == 64 || g0 == 128 || g0 == 256)
        && (op0 == 1 || (op0 == 2 && pixel_choices(z) > 1) || (op0 == 4 && pixel_choices(z) > 2))
        && (no == 4 || no == 8 || no == 16 || (no == 32 && z->oc % 32 == 0)
            || (no == 64 && z->oc % 64 == 0))
        && !(no == 32 && op0 >= 4) && !(no == 64 && op0 >= 2)
        && (ni == 4 || (ni == 8 && z->ic % 8 == 0));
}

static int applies_wrw1(const view *z)
{
    return z->dir == KPRED_DIR_W && z->stride <= 2
        && (z->stride > 1 ? common_limits(z, z->ih, z->iw) : common_limits(z, z->oh, z->ow));
}

static int legal_wrw1(const view *z, const int32_t *v)
{
    int cs = v[0], cg = v[1], cm = v[2], kg = v[3], km = v[4], ng = v[5], np = v[6], rs = v[7];
    int ss = v[8], dp = v[9], rest = 64 / (cg * ng * cs), sums = cm * km * kg, half = z->e == 2;
    int bf16 = z->dtype == KPRED_DTYPE_BF16 ? (cm + km) * rs : 0;

    return cs * cg >= 16 && (cs == 1 || cs * cg <= 16) && kg <= cg              /* R1 R2 R3 */
        && (rest == 1 || rest == 2 || rest == 4) && cs * cg * ng * rest == 64   /* V11 R4 */
        && (half || ss == 0)                                                    /* R5a */
        && !(half && ss == 0 && (cm % 2 || z->oc % 2))                          /* R5b R5c */
        && sums + 12 + (cm + km) * rs * (dp + 1) + bf16 <= (np > 4 ? 128 : 256) /* R6 */
        && (np <= 1 || (np - 1) * 64 * 4 * sums <= 65536);                      /* R7 */
}

static int applies_wrw3(const view *z)
{
    return z->dir == KPRED_DIR_W && z->stride == 1 && z->ow <= 512 && z->oh < 65536
        && (z->dtype == KPRED_DTYPE_FP32 || (z->dtype == KPRED_DTYPE_FP16 && z->n % 2 == 0))
        && (z->oc % (4 * z->groups) == 0 || z->ic % (4 * z->groups) == 0)
        && z->n < 65536 && z->ic < 65536 && z->oc < 65536
        && less(z->oh, z->ow, z->oc, 1 << 22) && less(z->oh, z->ow, z->ic, 1 << 22)
        && less(z->oc, 9, 1, 1 << 22) && less(z->ic, 9, 1, 1 << 22)
        && less(z->oh * z->ow, z->oc, z->n, 1 << 29) && less(z->oh * z->ow, z->ic, z->n, 1 << 29)
        && less(z->oc, z->ic, 9, 1 << 29);
}

static int64_t code_wrw3(const view *z, int64_t kpw, int64_t pld, int64_t line)
{
    int64_t unroll = pld * (pld + 2), steps = z->oh - 1 - pld < 0 ? 0 : z->oh - 1 - pld;
    int64_t loops = pld + unroll + steps % unroll + 1, memory = 3 + (line + 3) / 4;
    int64_t vector = kpw * 3 * line * 3 * 4 * (z->e == 2 && z->gfx900 ? 2 : 1) / 3 * z->e;

    return loops * (memory + vector + (z->e == 2 ? 3 * memory : 0)) * z->e;
}

static int64_t vgprs_wrw3(const view *z, int64_t sums, int64_t pld, int64_t line, int64_t filters)
{
    int64_t in = (pld + 2) * z->e * line, out = pld * z->e * line;
    int64_t division = (in >= 4 ? 0 : 4) + (out >= 3 ? 0 : 3);

    return sums + in + out + (filters & (filters - 1) ? division : 0) + 6 + z->e - 1;
}

static int legal_wrw3(const view *z, const int32_t *v)
{
    int64_t lwc = v[0], rio = v[1], cs = v[2], kpw = v[3], pld = v[4], npg = v[5];
    int64_t c = z->oc, k = z->ic, a = rio ? k : c, b = rio ? c : k, cpw = 64 / cs, g = z->groups;
    int64_t sums = 9 * cpw * kpw * cs / 64, words = ceil_of(z->ow, z->e);
    int64_t line = cs == 16 ? ceil_of(words, 16) : ceil_of(words, 7);
    int64_t vgprs = vgprs_wrw3(z, sums, pld, line, k / (rio ? cpw : kpw) / g);

    return a % (cpw * g) == 0 && b % (kpw * g) == 0                       /* R2 R3 */
        && (c % cpw == 0 || k % cpw == 0) && cs * kpw <= 64               /* R4 R5 */
        && pld <= z->oh && pld <= 16 && npg <= z->n                       /* R6 R7 */
        && vgprs <= 256 && (npg <= 4 || vgprs <= 128)                     /* R8 R9 */
        && (lwc == 0 || lwc * 4 >= npg)                                   /* R10 */
        && (npg - 1) * 64 * 4 * sums <= 65536                             /* R11 */
        && code_wrw3(z, kpw, pld, line) < 32000;                          /* R12 */
}

/* >>kernels */

typedef struct {
    int n;
    int32_t v[16];
} domain; /* of a parameter */

/* What the models' vocabularies hold, and all that MIOpen takes. */
static const domain words_1x1u[] = {
    {4, {1, 2, 3, 4}}, {5, {1, 4, 8, 16, 32}}, {8, {1, 2, 3, 4, 5, 6, 7, 8}},
    {5, {1, 4, 16, 32, 64}}, {4, {1, 2, 3, 4}}, {3, {1, 2, 4}}, {3, {1, 2, 4}}, {4, {1, 2, 4, 8}}};
static const domain all_1x1u[] = {
    {4, {1, 2, 3, 4}}, {9, {1, 4, 8, 12, 16, 20, 24, 28, 32}},
    {16, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, {7, {1, 2, 4, 8, 16, 32, 64}},
    {8, {1, 2, 3, 4, 5, 6, 7, 8}}, {6, {1, 2, 4, 8, 16, 32}}, {8, {1, 2, 3, 4, 5, 6, 7, 8}},
    {4, {1, 2, 4, 8}}};
static const domain words_ocl[] = {
    {3, {1, 8, 16}}, {5, {8, 16, 64, 128, 256}}, {4, {1, 8, 16, 32}}, {4, {1, 8, 16, 32}},
    {2, {0, 1}}, {4, {0, 1, 2, 4}}, {5, {4, 8, 16, 32, 64}}, {6, {4, 8, 64, 128, 256, 2048}},
    {2, {0, 1}}};
static const domain words_wrw1[] = {
    {5, {1, 2, 4, 8, 16}}, {5, {1, 2, 4, 8, 16}}, {5, {1, 2, 4, 8, 16}}, {5, {1, 2, 4, 8, 16}},
    {5, {1, 2, 4, 8, 16}}, {3, {1, 2, 4}}, {8, {1, 2, 3, 4, 5, 6, 7, 8}}, {4, {1, 2, 3, 4}},
    {2, {0, 1}}, {5, {0, 1, 2, 3, 4}}};
static const domain words_wrw3[] = {
    {1, {0}}, {2, {0, 1}}, {2, {8, 16}}, {4, {1, 2, 4, 8}},
    {16, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, {8, {1, 2, 3, 4, 5, 6, 7, 8}}};
static const domain all_wrw3[] = {
    {10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {2, {0, 1}}, {2, {8, 16}}, {4, {1, 2, 4, 8}},
    {16, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, {8, {1, 2, 3, 4, 5, 6, 7, 8}}};

typedef struct {
    const char *name;
    kpred_rule rule;
    int n_fields, n_params;
    const domain *words, *all;
    int (*applies)(const view *);
    int (*legal)(const view *, const int32_t *);
} kernel;

#define PLUS_ONE(enumerator, spelling) +1
#define RULE_OF(function, fields, list) {#function, function, fields, 0 list(PLUS_ONE), 0, 0, 0, 0},
static kernel kernels[] = {KPRED_RULE_LIST(RULE_OF)};

static void complete(kernel *k, const domain *words, const domain *all,
                     int (*applies)(const view *), int (*legal)(const view *, const int32_t *))
{
    k->words = words, k->all = all, k->applies = applies, k->legal = legal;
}

static void complete_kernels(void)
{
    complete(&kernels[0], words_1x1u, all_1x1u, applies_1x1u, legal_1x1u);
    complete(&kernels[1], words_ocl, words_ocl, applies_ocl, legal_ocl);
    complete(&kernels[2], words_wrw1, words_wrw1, applies_wrw1, legal_wrw1);
    complete(&kernels[3], words_wrw3, all_wrw3, applies_wrw3, legal_wrw3);
}

/* >>walk: every tuple of a parameter space, and every prefix of one. */

typedef struct {
    const kernel *k;
    const domain *domains;
    const int32_t *p;
    view see;
    int32_t v[MOST_PARAMS];
    long legal, accepted, dead, missed; /* dead: accepted, without a legal completion */
} walk;

/* How many legal tuples begin with the first `depth` values; `hope`: are these accepted? */
static long walk_from(walk *w, int depth, int hope)
{
    const domain *d = &w->domains[depth];
    long legal = 0;
    int i;

    if (depth == w->k->n_params)
        legal = w->k->legal(&w->see, w->v);
    else
        for (i = 0; i < d->n; i++) {
            w->v[depth] = d->v[i];
            legal += walk_from(w, depth + 1, hope && w->k->rule(w->p, w->v, (size_t)depth + 1));
        }
    w->accepted += hope;
    w->dead += hope && !legal;
    w->missed += !hope && legal;
    return legal;
}

/* Walks if there is any hope; a problem without is a walk of its empty prefix only. */
static walk walk_all(const kernel *k, const domain *domains, const int32_t *p)
{
    walk w = {0};
    int hope = k->rule(p, NULL, 0);

    w.k = k, w.domains = domains, w.p = p, w.see = view_of(p, k->n_fields);
    if (k->applies(&w.see))
        w.legal = walk_from(&w, 0, hope);
    else
        w.accepted = w.dead = hope;
    return w;
}

/* >>random: xorshift64*, and problems of which a good part is within a kernel's reach. */

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 2685821657736338717u) >> 33) % n;
}

/* 1..2^bits, small numbers as likely as large ones, multiples of powers of two favoured. */
static int32_t random_size(int bits)
{
    uint32_t most = 1u << (1 + random_below((uint32_t)bits));
    uint32_t x = 1 + random_below(most), step = 1u << random_below(7);

    if (random_below(4) == 0)
        return (int32_t)most;
    return (int32_t)(random_below(2) && x >= step ? x / step * step : x);
}

/* Sets a size so that its product with some others is close to a limit of the kernels; other sizes
   become larger than problems have them. */
static void set_to_limit(int32_t *p)
{
    static const int32_t limits[] = {512, 1 << 16, 1 << 22, 1 << 24, 1 << 29, (1 << 29) / 9};
    int field = KPRED_CONV_N + (int)random_below(5), i;
    int64_t x = limits[random_below(COUNT(limits))];

    for (i = KPRED_CONV_N; i <= KPRED_CONV_K; i++)
        if (random_below(4) == 0)
            p[i] = random_size(i == KPRED_CONV_H || i == KPRED_CONV_W ? 2 : 16);
    for (i = KPRED_CONV_N; i <= KPRED_CONV_K; i++)
        x = i != field && random_below(2) ? x / p[i] : x;
    x += (int64_t)random_below(3) - 1;
    p[field] = x < 1 ? 1 : x > KPRED_MAX_SIZE ? KPRED_MAX_SIZE : (int32_t)x;
    if (random_below(20) == 0)
        p[KPRED_CONV_STRIDE] = random_size(5);
}

static void random_problem(const kernel *k, int32_t *p)
{
    int rule = (int)(k - kernels), backward_weights = rule >= 2;

    p[KPRED_CONV_GPU] = (int32_t)random_below(KPRED_GPU_COUNT);
    p[KPRED_CONV_DIR] = backward_weights ? KPRED_DIR_W : (int32_t)random_below(2);
    p[KPRED_CONV_DTYPE] = (int32_t)random_below(rule == 0 || rule == 3 ? 2 : 3);
    p[KPRED_CONV_N] = random_size(9);
    p[KPRED_CONV_C] = random_size(10);
    p[KPRED_CONV_K] = random_size(10);
    p[KPRED_CONV_H] = random_below(4) ? random_size(4) : random_size(8);
    p[KPRED_CONV_W] = random_below(4) ? random_size(4) : random_size(10);
    p[KPRED_CONV_STRIDE] = random_below(4) || rule == 3 ? 1 : 2;
    p[KPRED_CONV_GROUPS] = random_below(3) ? 1 : 1 << random_below(6);
    if (random_below(50) == 0)
        p[KPRED_CONV_DIR] = (int32_t)random_below(KPRED_DIR_COUNT);
}

/* Sizes and values chosen to overflow what is computed carelessly. */
static int32_t extreme_size(void)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 7, 8, 255, 512, 513, 65535, 65536, 1 << 22,
                                    (1 << 23) + 1, (1 << 24) - 1, 1 << 24};
    return random_below(3) ? sizes[random_below(COUNT(sizes))] : random_size(23);
}

static int32_t extreme_value(void)
{
    static const int32_t values[] = {
        0, 1, 2, 3, 4, 8, 16, 32, 64, 65, 127, 128, 2048, -1, -2, -64, 1 << 16, 1 << 30,
        (1 << 30) + 1, INT32_MAX, INT32_MAX - 1, INT32_MIN, INT32_MIN + 1};
    int32_t small = (int32_t)random_below(80) - 5;

    switch (random_below(4)) {
    case 0: return small;
    case 1: return small * (int32_t)random_below(1 << 24);
    default: return values[random_below(COUNT(values))];
    }
}

/* >>checks: each returns how often it failed, and leaves in `note` what it counted. */

static char note[200];

static int check_helpers(void)
{
    int32_t a, b;
    int bad = 0;

    for (a = 0; a < 600; a++)
        for (b = 1; b < 100; b++) {
            bad += kpred_divides(b, a) != (a / b * b == a);
            bad += kpred_ceil_div(a, b) != (a + b - 1) / b;
            bad += kpred_mul_sat(a, b) != a * b;
            bad += a > 0 && kpred_fits_vgprs(a, b) != (256 / a * 4 >= b);
            bad += kpred_between(a, b, 2 * b) != (a / b == 1 || a == 2 * b);
        }
    for (a = 0; a <= 30; a++) {
        b = (int32_t)1 << a;
        bad += !kpred_is_pow2(b) || (a > 1 && (kpred_is_pow2(b + 1) || kpred_is_pow2(b - 1)));
        bad += kpred_mul_sat(b, 1 << 16) != (a < 15 ? b << 16 : INT32_MAX);
    }
    bad += kpred_is_pow2(0) || kpred_is_pow2(-4) || kpred_is_pow2(INT32_MIN);
    bad += kpred_divides(0, 4) || kpred_divides(-1, INT32_MIN) || !kpred_divides(2, -4);
    bad += kpred_ceil_div(INT32_MAX, 1) != INT32_MAX || kpred_ceil_div(INT32_MAX, 2) != 1 << 30;
    bad += kpred_mul_sat(INT32_MAX, INT32_MAX) != INT32_MAX || kpred_mul_sat(0, INT32_MAX) != 0;
    bad += kpred_mul_sat(INT32_MAX, 1) != INT32_MAX || kpred_mul_sat(46341, 46341) != INT32_MAX;
    bad += !kpred_fits_lds(65536) || kpred_fits_lds(65537) || kpred_fits_vgprs(257, 1);
    sprintf(note, "%d pairs", 600 * 99);
    return bad;
}

/* The lists' order is the enumerators', and their names are spelt like them. */
static int same_name(const char *enumerator, const char *spelling)
{
    size_t a = strlen(enumerator), b = strlen(spelling), i;

    for (i = 0; i < b && i < a; i++) {
        char e = enumerator[a - 1 - i], s = spelling[b - 1 - i];
        if (e != s && !(s >= 'a' && s <= 'z' && e - 'A' == s - 'a'))
            return 0;
    }
    return i == b;
}

static int check_lists(void)
{
    static const struct {
        const char *enumerator, *spelling;
        int value, first;
    } all[] = {
#define ENTRY(enumerator, spelling) {#enumerator, spelling, enumerator, 0},
#define END {"", "", 0, 1},
        KPRED_GPU_LIST(ENTRY) END KPRED_DIR_LIST(ENTRY) END KPRED_DTYPE_LIST(ENTRY) END
        KPRED_CONV_FIELD_LIST(ENTRY) END KPRED_ASM_1X1U_LIST(ENTRY) END
        KPRED_OCL_DIRECT_FWD_1X1_LIST(ENTRY) END KPRED_ASM_BWD_WRW_1X1_LIST(ENTRY) END
        KPRED_ASM_BWD_WRW_3X3_LIST(ENTRY) END
    };
    int i, next = 0, bad = 0;

    for (i = 0; i < COUNT(all); i++) {
        next = all[i].first ? -1 : next;
        bad += !all[i].first && all[i].value != next;
        bad += !same_name(all[i].enumerator, all[i].spelling);
        next++;
    }
    bad += kernels[0].n_params != 8 || kernels[1].n_params != 9 || kernels[2].n_params != 10
        || kernels[3].n_params != 6 || kernels[3].n_fields != KPRED_CONV_FIELD_COUNT;
    sprintf(note, "%d entries", COUNT(all) - 8);
    return bad;
}

/* The kernel applies or not, as its naive statement has it; c and k are multiples of groups. */
static int check_problems(const kernel *k, int problems)
{
    int32_t p[MOST_FIELDS];
    int i, bad = 0, applicable = 0;

    for (i = 0; i < problems; i++) {
        view see;
        int applies;

        random_problem(k, p);
        if (random_below(2))
            set_to_limit(p);
        see = view_of(p, k->n_fields);
        applies = k->applies(&see) && see.ic % see.groups == 0 && see.oc % see.groups == 0;
        bad += k->rule(p, NULL, 0) != applies;
        applicable += applies;
    }
    sprintf(note, "%d problems, %d applicable", problems, applicable);
    return bad;
}

/* On random problems a prefix is accepted exactly if a legal tuple begins with it; the empty prefix
   exactly if there is a legal tuple at all. */
static int check_walks(const kernel *k, const domain *domains, int problems)
{
    int32_t p[MOST_FIELDS];
    long legal = 0, accepted = 0, dead = 0, missed = 0;
    int i, applicable = 0;

    for (i = 0; i < problems;) {
        walk w;

        random_problem(k, p);
        w = walk_all(k, domains, p);
        legal += w.legal, accepted += w.accepted, dead += w.dead, missed += w.missed;
        applicable += w.legal > 0;
        i += w.legal > 0 || random_below(50) == 0;
    }
    sprintf(note, "%d problems, %ld legal tuples, %ld accepted prefixes, %ld dead ends, %ld missed",
            applicable, legal, accepted, dead, missed);
    return dead || missed || applicable < problems / 2;
}

static int in_domain(const domain *d, int32_t x)
{
    int i;

    for (i = 0; i < d->n && d->v[i] != x; i++)
        ;
    return i < d->n;
}

/* After an accepted prefix, a value that no tuple may have is rejected. */
static int check_outside(const kernel *k, int tuples)
{
    int32_t p[MOST_FIELDS], v[MOST_PARAMS];
    int i, bad = 0, asked = 0;
    size_t n;

    for (i = 0; i < tuples; i++) {
        random_problem(k, p);
        if (!k->rule(p, NULL, 0))
            continue;
        for (n = 0; n < (size_t)k->n_params;) {
            const domain *d = &k->all[n];

            v[n] = extreme_value();
            bad += !in_domain(d, v[n]) && k->rule(p, v, n + 1);
            v[n] = d->v[random_below((uint32_t)d->n)];
            n += (size_t)k->rule(p, v, n + 1);
            asked++;
        }
    }
    sprintf(note, "%d values", asked);
    return bad;
}

/* The answer is 0 or 1 whatever is asked (and a sanitizer finds nothing on the way). */
static int check_extremes(const kernel *k, int tuples)
{
    int32_t p[MOST_FIELDS], v[MOST_PARAMS + 1];
    int i, bad = 0, f;
    size_t n;

    for (i = 0; i < tuples; i++) {
        p[KPRED_CONV_GPU] = (int32_t)random_below(KPRED_GPU_COUNT);
        p[KPRED_CONV_DIR] = (int32_t)random_below(KPRED_DIR_COUNT);
        p[KPRED_CONV_DTYPE] = (int32_t)random_below(KPRED_DTYPE_COUNT);
        for (f = KPRED_CONV_N; f < MOST_FIELDS; f++)
            p[f] = extreme_size();
        for (n = 0; n < (size_t)k->n_params; n++) {
            const domain *d = &k->all[n];
            v[n] = random_below(2) ? extreme_value() : d->v[random_below((uint32_t)d->n)];
        }
        for (n = 0; n <= (size_t)k->n_params; n++) {
            int answer = k->rule(p, v, n);
            bad += answer != 0 && answer != 1;
        }
        v[n - 1] = extreme_value();
        bad += k->rule(p, v, n) != 0; /* there is no such parameter */
    }
    sprintf(note, "%d tuples", tuples);
    return bad;
}

/* >>main */

static int passed, failed;

static void report(const char *what, const char *name, int bad)
{
    printf("%s %s%s (%s)\n", bad ? "FAIL" : "ok", what, name, note);
    fflush(stdout);
    *(bad ? &failed : &passed) += 1;
}

static int run_checks(void)
{
    /* whole spaces of 115200, 115200, 3000000, 2048 tuples, and 6193152, 20480 */
    static const int words[] = {300, 300, 12, 3000}, all[] = {8, 0, 0, 300};
    int i;

    report("helpers", "", check_helpers());
    report("lists", "", check_lists());
    for (i = 0; i < COUNT(kernels); i++) {
        const kernel *k = &kernels[i];
        const char *name = k->name + strlen("kpred_rule");

        report("problems", name, check_problems(k, 300000));
        report("exact", name, check_walks(k, k->words, words[i]));
        if (all[i])
            report("exact_beyond_vocabulary", name, check_walks(k, k->all, all[i]));
        report("outside", name, check_outside(k, 20000));
        report("extremes", name, check_extremes(k, 200000));
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}

static int accepted_values(const kernel *k, const int32_t *p, const int32_t *v)
{
    size_t n = 0;

    while (n <= (size_t)k->n_params && k->rule(p, v, n))
        n++;
    return (int)n - 1;
}

/* Depth first, like a search; finds the first tuple that the rule accepts. */
static int find_tuple(const kernel *k, const int32_t *p, int32_t *v, int depth)
{
    int i;

    if (!k->rule(p, v, (size_t)depth))
        return 0;
    if (depth == k->n_params)
        return 1;
    for (i = 0; i < k->words[depth].n; i++) {
        v[depth] = k->words[depth].v[i];
        if (find_tuple(k, p, v, depth + 1))
            return 1;
    }
    return 0;
}

static void print_tuple(const kernel *k, const int32_t *p)
{
    int32_t v[MOST_PARAMS];
    int i, n = find_tuple(k, p, v, 0) ? k->n_params : 0;

    for (i = 0; i < n; i++)
        printf(i ? " %d" : "%d", (int)v[i]);
    printf("\n");
}

static int read_numbers(const char *s, int32_t *to, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        char *end;
        to[i] = (int32_t)strtol(s, &end, 10);
        if (end == s)
            return 0;
        s = end;
    }
    return 1;
}

static int serve(void)
{
    char line[400];
    int32_t p[MOST_FIELDS + 1] = {0}, v[MOST_PARAMS];
    const kernel *k = kernels;
    view see = {0};
    walk w;

    while (fgets(line, sizeof line, stdin))
        if (line[0] == 'P' && read_numbers(line + 1, p, 1) && p[0] >= 0 && p[0] < COUNT(kernels)
            && read_numbers(line + 1, p, 1 + kernels[p[0]].n_fields)) {
            k = &kernels[p[0]];
            see = view_of(p + 1, k->n_fields);
            printf("%d\n", k->rule(p + 1, NULL, 0));
        } else if (line[0] == 'T' && read_numbers(line + 1, v, k->n_params)) {
            printf("%d %d\n", accepted_values(k, p + 1, v), k->applies(&see) && k->legal(&see, v));
        } else if (line[0] == 'F') {
            print_tuple(k, p + 1);
        } else if (line[0] == 'E') {
            w = walk_all(k, k->words, p + 1);
            printf("%ld %ld %ld %ld\n", w.legal, w.accepted, w.dead, w.missed);
        } else {
            fprintf(stderr, "test_rules: not a query: %s", line);
            return 1;
        }
    return 0;
}

int main(int argc, char **argv)
{
    complete_kernels();
    if (argc == 2 && strcmp(argv[1], "serve") == 0)
        return serve();
    return run_checks();
}
