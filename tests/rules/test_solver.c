/* test_solver.c - tests of kpred_rule_of_solvers, the choice among MIOpen's solvers
   SPDX-License-Identifier: MIT

   test_solver          what solvers' names say about them, and naive statements of what the rule
                        looks at: each thing alone decides, multiples, least sizes; extremes;
                        every bit of a problem's word; the rules of Winograd kernels
   test_solver rows     reads ingest's CSV of a find-db on standard input: no solver that a row
                        names is rejected; tells how many solvers a problem has left on average */
#include "kpred_constraints.h"

#include "harness/test.h"
#include "model/solver_words.h"

#include <ctype.h>
#include <stdlib.h>

enum { FIELDS = KPRED_CONV3D_FIELD_COUNT, SOLVERS = 81 };

static const char *solvers[SOLVERS];
static uint64_t words[SOLVERS];

#define SPELLING(enumerator, spelling) spelling,
static const char *const gpus[] = {KPRED_CONV3D_GPU_LIST(SPELLING)};
static const char *const dirs[] = {KPRED_DIR_LIST(SPELLING)};
static const char *const dtypes[] = {KPRED_DTYPE_LIST(SPELLING)};
static const char *const layouts[] = {KPRED_CONV2D_LAYOUT_LIST(SPELLING)
                                          KPRED_CONV3D_MORE_LAYOUTS(SPELLING)};
static const char *const fields[] = {KPRED_CONV3D_FIELD_LIST(SPELLING)};

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static int32_t random_below(int32_t n)
{
    static uint64_t seed = 1;
    return test_between(&seed, 0, n - 1);
}

static int accepts(const int32_t *p, int32_t solver)
{
    return kpred_rule_of_solvers(words, SOLVERS, p, &solver, 1);
}

static int read_solvers(void)
{
    int bad = solver_name(SOLVERS) != NULL;
    for (size_t i = 0; i < SOLVERS && !bad; i++) {
        solvers[i] = solver_name(i);
        bad = !solvers[i] || !solver_word(solvers[i], &words[i]);
    }
    return !bad;
}

/* ---- problems ---- */

/* Things that can be exchanged without a look at the others, from the field on. */
static const struct {
    int first, n;
} axes[] = {{KPRED_CONV3D_GPU, 1},   {KPRED_CONV3D_DIR, 1},   {KPRED_CONV3D_LAYOUT, 1},
            {KPRED_CONV3D_Z, 3},     {KPRED_CONV3D_PAD_D, 3}, {KPRED_CONV3D_STRIDE_D, 3},
            {KPRED_CONV3D_DIL_D, 3}, {KPRED_CONV3D_GROUPS, 1}};

static void random_filter(int32_t *p)
{
    static const int32_t filters[][2] = {{1, 1}, {1, 1},  {3, 3},   {5, 5}, {7, 7}, {1, 7},
                                         {7, 1}, {5, 10}, {11, 11}, {2, 2}, {3, 1}};
    static const int32_t strides[] = {1, 1, 2, 4, 3};
    const int32_t *filter = filters[random_below(COUNT(filters))];
    int i, same = random_below(8);
    p[KPRED_CONV3D_Z] = random_below(9) ? 1 : 3;
    p[KPRED_CONV3D_Y] = filter[0], p[KPRED_CONV3D_X] = filter[1];
    p[KPRED_CONV3D_PAD_D] = 0, p[KPRED_CONV3D_STRIDE_D] = 1, p[KPRED_CONV3D_DIL_D] = 1;
    for (i = 0; i < 2; i++) {
        p[KPRED_CONV3D_PAD_H + i] = random_below(4);
        p[KPRED_CONV3D_STRIDE_H + i] = strides[random_below(COUNT(strides))];
        p[KPRED_CONV3D_DIL_H + i] = 1 + !random_below(9);
    }
    if (same) {
        p[KPRED_CONV3D_PAD_W] = p[KPRED_CONV3D_PAD_H];
        p[KPRED_CONV3D_STRIDE_W] = p[KPRED_CONV3D_STRIDE_H];
    }
}

/* Sizes that are multiples of all that a solver asks for. */
static void random_problem(int32_t *p)
{
    p[KPRED_CONV3D_GPU] = random_below(KPRED_CONV3D_GPU_COUNT);
    p[KPRED_CONV3D_DIR] = random_below(KPRED_DIR_COUNT);
    p[KPRED_CONV3D_DTYPE] = random_below(KPRED_DTYPE_COUNT);
    p[KPRED_CONV3D_LAYOUT] = random_below(3) ? 0 : random_below(KPRED_CONV3D_LAYOUT_COUNT);
    p[KPRED_CONV3D_GROUPS] = random_below(3) ? 1 : 2;
    p[KPRED_CONV3D_N] = 64 * (1 + random_below(4));
    p[KPRED_CONV3D_C] = 128 * (1 + random_below(8)), p[KPRED_CONV3D_K] = 128;
    p[KPRED_CONV3D_D] = 1 + 4 * random_below(2);
    p[KPRED_CONV3D_H] = 20 + random_below(40), p[KPRED_CONV3D_W] = 20 + random_below(40);
    random_filter(p);
}

static int find_accepted(int32_t *p, int solver)
{
    for (int i = 0; i < 2000000; i++) {
        random_problem(p);
        if (accepts(p, solver))
            return 1;
    }
    return 0;
}

/* ---- what names say ---- */

static int has(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

static int direction_fits(const char *s, int dir)
{
    if (has(s, "WrW") || has(s, "Wrw"))
        return dir == KPRED_DIR_W;
    if (has(s, "Bwd") || has(s, "b1"))
        return dir == KPRED_DIR_B;
    if ((has(s, "Fwd") && !has(s, "OclDirectFwd")) || has(s, "Forward") || has(s, "f1")
        || has(s, "FwdGen") || has(s, "Fwd11x11"))
        return dir == KPRED_DIR_F || has(s, "3x2") || has(s, "2x3");
    return has(s, "BinWinogradRxS") || dir != KPRED_DIR_W;
}

static int filter_fits(const char *s, const int32_t *p)
{
    int32_t y = p[KPRED_CONV3D_Y], x = p[KPRED_CONV3D_X];
    if (has(s, "Multipass")) {
        const char *text = strchr(s, '<') + 1;
        int h = text[0] - '0', w = text[3] == '-' ? text[4] - '0' : h;
        return p[KPRED_CONV3D_Z] == 1 && y == h && x == w && p[KPRED_CONV3D_GROUPS] == 1;
    }
    if (has(s, "Mlir"))
        return y == x && p[KPRED_CONV3D_LAYOUT] != KPRED_LAYOUT_NCDHW;
    if (has(s, "11x11"))
        return y == 11 && x == 11;
    if (has(s, "1x1"))
        return y == 1 && x == 1 && p[KPRED_CONV3D_Z] == 1;
    if (has(s, "5x10"))
        return y == 5 && x == 10 && p[KPRED_CONV3D_STRIDE_H] == 2;
    if (has(s, "3x3U") || has(s, "WrW3x3"))
        return y == 3 && x == 3 && p[KPRED_CONV3D_STRIDE_H] == 1;
    return !has(s, "7x7") || (y == 7 && x == 7);
}

static int images_fit(const char *s, int32_t n)
{
    return !has(s, "WrW2<") || n >= atoi(strchr(s, '<') + 1);
}

static int strides_fit(const char *s, const int32_t *p)
{
    int32_t stride = p[KPRED_CONV3D_STRIDE_H];
    int one = p[KPRED_CONV3D_DIR] == KPRED_DIR_W
              || (has(s, "f3x2") && p[KPRED_CONV3D_GPU] == KPRED_CONV3D_GPU_GFX1030_36);
    return !has(s, "WinogradRxS")
           || (stride == p[KPRED_CONV3D_STRIDE_W] && stride <= (one ? 1 : 2));
}

static int fits(const char *s, const int32_t *p)
{
    int flat = has(s, "Ocl") || has(s, "Winograd") || has(s, "fft") || has(s, "ConvAsm");
    int nhwc = p[KPRED_CONV3D_LAYOUT] == KPRED_LAYOUT_NHWC;
    int gpu = p[KPRED_CONV3D_GPU];
    return direction_fits(s, p[KPRED_CONV3D_DIR]) && filter_fits(s, p)
           && images_fit(s, p[KPRED_CONV3D_N]) && strides_fit(s, p)
           && !(flat && p[KPRED_CONV3D_LAYOUT] == KPRED_LAYOUT_NCDHW)
           && !(flat && nhwc && !has(s, "NHWC"))
           && !(has(s, "Xdlops")
                && (gpu == KPRED_CONV3D_GPU_GFX906_60 || gpu == KPRED_CONV3D_GPU_GFX1030_36));
}

/* ---- checks: how often each failed ---- */

static char note[100];

static int check_list(void)
{
    uint64_t word;
    int bad = solver_word("cudnn", &word) || solver_word("", &word);
    for (int s = 0; s < SOLVERS; s++)
        for (int t = 0; t < s; t++)
            bad += !strcmp(solvers[s], solvers[t]);
    return bad;
}

static int check_names(void)
{
    int32_t p[FIELDS];
    int accepted = 0, bad = 0;
    for (int i = 0; i < 100000; i++) {
        random_problem(p);
        p[KPRED_CONV3D_N] = 1 + random_below(40);
        for (int s = 0; s < SOLVERS; s++)
            if (accepts(p, s)) {
                accepted++;
                bad += !fits(solvers[s], p);
            }
    }
    sprintf(note, "%d acceptances", accepted);
    return bad || accepted < 100000;
}

/* Of two accepted problems, any mixture is accepted as well (type and GPU go together), but for the
   solvers of check_winograd; and each solver has an accepted problem at all. */
static int check_axes(void)
{
    int32_t p[FIELDS], q[FIELDS];
    int bad = 0, mixed = 0;
    for (int s = 0; s < SOLVERS; s++)
        for (int i = 0; i < 30; i++) {
            int a = random_below(COUNT(axes));
            if (!find_accepted(p, s) || !find_accepted(q, s))
                return ++bad;
            if (axes[a].first == KPRED_CONV3D_GPU)
                p[KPRED_CONV3D_DTYPE] = q[KPRED_CONV3D_DTYPE];
            memcpy(p + axes[a].first, q + axes[a].first, sizeof *p * (size_t)axes[a].n);
            bad += !accepts(p, s) && words[s] < KPRED_SOLVER_F2X3;
            mixed++;
        }
    sprintf(note, "%d mixtures", mixed);
    return bad;
}

static int64_t side_of(const int32_t *p, int i)
{
    int64_t room = (int64_t)p[KPRED_CONV3D_D + i] + 2 * (int64_t)p[KPRED_CONV3D_PAD_D + i] - 1
                   - (int64_t)p[KPRED_CONV3D_DIL_D + i] * (p[KPRED_CONV3D_Z + i] - 1);
    return room < 0 ? 0 : room / p[KPRED_CONV3D_STRIDE_D + i] + 1;
}

/* What must be multiples: filters, terms, pixels; and images. */
static void sizes_of(const int32_t *p, int64_t size[3])
{
    int32_t groups = p[KPRED_CONV3D_GROUPS];
    size[0] = p[KPRED_CONV3D_K] / groups;
    size[1] = (int64_t)(p[KPRED_CONV3D_C] / groups) * p[KPRED_CONV3D_Z] * p[KPRED_CONV3D_Y]
              * p[KPRED_CONV3D_X];
    size[2] = p[KPRED_CONV3D_N] * side_of(p, 0) * side_of(p, 1) * side_of(p, 2);
}

static void vary(const int32_t *base, int i, int32_t *p)
{
    int32_t groups = base[KPRED_CONV3D_GROUPS];
    memcpy(p, base, FIELDS * sizeof *p);
    p[KPRED_CONV3D_N] = i % 3 ? 1 + random_below(64) : 8 * (1 + random_below(8));
    p[KPRED_CONV3D_C] = i % 2 ? 128 : groups * (1 + i % 200);
    p[KPRED_CONV3D_K] = i % 5 ? 128 : groups * (1 + i % 99);
}

typedef struct {
    int64_t bits[3]; /* set in some accepted size */
    int32_t least, images;
} demands;

/* What all accepted ones of the problems have in common. */
static demands demands_of(int32_t (*problems)[FIELDS], int n, int solver)
{
    demands d = {{0, 0, 0}, INT32_MAX, 0};
    int64_t size[3];
    for (int i = 0; i < n; i++) {
        int32_t images = problems[i][KPRED_CONV3D_N];
        if (!accepts(problems[i], solver))
            continue;
        sizes_of(problems[i], size);
        for (int j = 0; j < 3; j++)
            d.bits[j] |= size[j];
        d.images |= images;
        d.least = images < d.least ? images : d.least;
    }
    return d;
}

static int meets(const demands *d, const int32_t *p)
{
    int64_t size[3], power;
    int j, all = p[KPRED_CONV3D_N] >= d->least && (d->images & 7 || p[KPRED_CONV3D_N] % 8 == 0);
    sizes_of(p, size);
    for (j = 0; j < 3; j++) {
        power = d->bits[j] & -d->bits[j]; /* 0: there are no pixels, as the filter does not fit */
        all = all && (!power || size[j] % power == 0);
    }
    return all;
}

/* What is rejected is so for its sizes: they are no multiples of the powers of two of which all
   accepted ones are multiples, its images fewer than any's, or not in eights as all others' are. */
static int check_multiples(void)
{
    static int32_t problems[3000][FIELDS];
    int32_t base[FIELDS];
    int bad = 0, rejected = 0;
    for (int s = 0; s < SOLVERS; s++) {
        demands d;
        if (!find_accepted(base, s))
            return 1;
        for (int i = 0; i < COUNT(problems); i++)
            vary(base, i, problems[i]);
        d = demands_of(problems, COUNT(problems), s);
        for (int i = 0; i < COUNT(problems); i++) {
            bad += meets(&d, problems[i]) != accepts(problems[i], s);
            rejected += !accepts(problems[i], s);
        }
    }
    sprintf(note, "%d rejected", rejected);
    return bad || rejected < 1000;
}

static int32_t extreme_size(void)
{
    static const int32_t sizes[] = {1, 2, 7, 8, 65535, 65536, 1 << 22, (1 << 24) - 1, 1 << 24};
    return sizes[random_below(COUNT(sizes))];
}

/* Any problem has a solver; values that are none, and second ones, are rejected. */
static int check_extremes(void)
{
    const int32_t v[2] = {0, 0};
    int32_t p[FIELDS];
    int i, bad = 0;
    for (i = 0; i < 100000; i++) {
        int some = 0;
        random_problem(p);
        for (int f = KPRED_CONV3D_N; f < FIELDS; f++)
            p[f] = extreme_size();
        for (int f = KPRED_CONV3D_PAD_D; f <= KPRED_CONV3D_PAD_W; f++)
            p[f] -= random_below(2) ? p[f] : 0;
        for (int s = 0; s < SOLVERS; s++)
            some |= accepts(p, s);
        bad += !some || kpred_rule_of_solvers(words, SOLVERS, p, NULL, 0) != 1
               || kpred_rule_of_solvers(words, SOLVERS, p, v, 2);
        bad +=
            accepts(p, -1) || accepts(p, SOLVERS) || accepts(p, INT32_MAX) || accepts(p, INT32_MIN);
    }
    sprintf(note, "%d problems", i);
    return bad;
}

/* ---- the problem's word, stated a second time ---- */

/* Any of the fields from the number of images on, often as in two dimensions or the same in all */
static void any_problem(int32_t *p)
{
    static const int triples[] = {KPRED_CONV3D_Z, KPRED_CONV3D_PAD_D, KPRED_CONV3D_STRIDE_D,
                                  KPRED_CONV3D_DIL_D};
    random_problem(p);
    for (int f = KPRED_CONV3D_N; f < FIELDS; f++)
        if (random_below(3))
            p[f] = random_below(4) ? 1 + random_below(20) : extreme_size();
    for (int i = 0; i < COUNT(triples); i++) {
        int32_t *t = p + triples[i];
        const int how = random_below(4), pad = triples[i] == KPRED_CONV3D_PAD_D;
        for (int j = 0; pad && j < 3; j++)
            t[j] = t[j] > 12 ? t[j] : random_below(5);
        if (how < 3)
            t[1] = t[2];
        if (how < 2)
            t[0] = how ? t[2] : !pad;
    }
}

static int is_filter(const int32_t *p, int i)
{
    static const int32_t filters[][3] = {{1, 1, 1}, {1, 3, 3}, {1, 5, 5},  {1, 7, 7},
                                         {1, 1, 7}, {1, 7, 1}, {1, 5, 10}, {1, 11, 11}};
    const int32_t *filter = p + KPRED_CONV3D_Z;
    if (i < COUNT(filters))
        return !memcmp(filter, filters[i], sizeof filters[i]);
    for (int j = 0; j < COUNT(filters); j++)
        if (!memcmp(filter, filters[j], sizeof filters[j]))
            return 0;
    return (i == 8) == (filter[1] == filter[2] && (filter[0] == 1 || filter[0] == filter[1]));
}

/* Of the image's two directions; that of the depth is `depth` or the same */
static int is_in_both(const int32_t *triple, int32_t value, int32_t depth)
{
    return triple[1] == value && triple[2] == value && triple[0] == depth;
}

static int is_pad(const int32_t *p, int i)
{
    const int32_t *pad = p + KPRED_CONV3D_PAD_D;
    return i < 3 ? is_in_both(pad, i, 0) : !is_pad(p, 0) && !is_pad(p, 1) && !is_pad(p, 2);
}

static int is_stride(const int32_t *p, int i)
{
    const int32_t *stride = p + KPRED_CONV3D_STRIDE_D;
    return i < 3 ? is_in_both(stride, 1 << i, 1) || is_in_both(stride, 1 << i, 1 << i)
                 : !is_stride(p, 0) && !is_stride(p, 1) && !is_stride(p, 2);
}

static int is_more(const int32_t *p, int i)
{
    const int32_t *dilation = p + KPRED_CONV3D_DIL_D;
    return i == 0   ? dilation[0] != 1 || dilation[1] != 1 || dilation[2] != 1
           : i == 1 ? p[KPRED_CONV3D_GROUPS] != 1
                    : p[KPRED_CONV3D_N] % 8 != 0;
}

/* By division, factor by factor: of no size is anything lost. */
static int is_uneven(const int64_t *factors, int n, int i)
{
    const int64_t power = (int64_t)2 << i;
    int64_t left = 1;
    for (int j = 0; j < n; j++)
        left = left * (factors[j] % power) % power;
    return left != 0;
}

static int is_uneven_size(const int32_t *p, int which, int i)
{
    const int32_t groups = p[KPRED_CONV3D_GROUPS];
    const int64_t k = p[KPRED_CONV3D_K] / groups;
    const int64_t terms[] = {p[KPRED_CONV3D_C] / groups, p[KPRED_CONV3D_Z], p[KPRED_CONV3D_Y],
                             p[KPRED_CONV3D_X]};
    const int64_t pixels[] = {p[KPRED_CONV3D_N], side_of(p, 0), side_of(p, 1), side_of(p, 2)};
    return which == 0 ? is_uneven(&k, 1, i) : is_uneven(which == 1 ? terms : pixels, 4, i);
}

/* As the comment of KPRED_SOLVER_WORD has it, but for the last two bits (check_winograd) */
static int has_bit(const int32_t *p, int bit)
{
    return bit < 15   ? p[KPRED_CONV3D_GPU] == bit / 3 && p[KPRED_CONV3D_DTYPE] == bit % 3
           : bit < 18 ? p[KPRED_CONV3D_DIR] == bit - 15
           : bit < 21 ? p[KPRED_CONV3D_LAYOUT] == bit - 18
           : bit < 31 ? is_filter(p, bit - 21)
           : bit < 35 ? is_pad(p, bit - 31)
           : bit < 39 ? is_stride(p, bit - 35)
           : bit < 42 ? is_more(p, bit - 39)
           : bit < 48 ? is_uneven_size(p, 0, bit - 42)
           : bit < 53 ? is_uneven_size(p, 1, bit - 48)
           : bit < 58 ? is_uneven_size(p, 2, bit - 53)
           : bit < 62 ? p[KPRED_CONV3D_N] < 2 << (bit - 58)
                      : 0;
}

/* Words of one bit each show the problem's. Each bit was seen both ways. */
static int check_bits(void)
{
    uint64_t bits[62];
    int32_t p[FIELDS];
    int seen[62][2] = {{0}}, bad = 0;
    for (int b = 0; b < 62; b++)
        bits[b] = (uint64_t)1 << b;
    for (int i = 0; i < 20000; i++) {
        any_problem(p);
        for (int32_t b = 0; b < 62; b++) {
            const int is_out = !kpred_rule_of_solvers(bits, 62, p, &b, 1);
            seen[b][is_out]++;
            bad += is_out != has_bit(p, b);
        }
    }
    for (int b = 0; b < 62; b++)
        bad += seen[b][0] < 20 || seen[b][1] < 20;
    sprintf(note, "%d wrong", bad);
    return bad;
}

static int index_of(const char *text, const char *const *names, int n)
{
    int i;
    for (i = 0; i < n && strcmp(text, names[i]); i++)
        ;
    return i < n ? i : -1;
}

#define INDEX_OF(text, names) index_of(text, names, COUNT(names))

/* ---- the kernels with a rule of their own ---- */

/* The same problem for a rule in two dimensions, field by field of that name. Is its GPU known
   there? If not, it is one that takes as much as any. */
static int flatten(const int32_t *p, int32_t *flat)
{
    static const char *const names[] = {KPRED_CONV2D_FIELD_LIST(SPELLING)};
    static const char *const known[] = {KPRED_GPU_LIST(SPELLING) KPRED_CONV2D_MORE_GPUS(SPELLING)};
    const int gpu = INDEX_OF(gpus[p[KPRED_CONV3D_GPU]], known);
    for (int f = 0; f < COUNT(names); f++)
        flat[f] = p[INDEX_OF(names[f], fields)];
    flat[KPRED_CONV2D_GPU] = gpu < 0 ? KPRED_GPU_GFX942130 : gpu;
    return gpu >= 0;
}

/* The largest of the sizes and pads */
static int32_t largest(const int32_t *flat)
{
    int32_t most = 0;
    for (int f = KPRED_CONV2D_N; f <= KPRED_CONV2D_PAD_W; f++)
        most = flat[f] > most ? flat[f] : most;
    return most;
}

/* A solver is listed where the rule of its kernel applies. On GPUs that the rule does not know,
   products may be larger. */
static int check_winograd(void)
{
    static const uint64_t bits[] = {KPRED_SOLVER_F2X3, KPRED_SOLVER_F3X2};
    static const kpred_rule rules[] = {kpred_rule_conv_bin_winograd_rxs,
                                       kpred_rule_conv_bin_winograd_rxs_f3x2};
    int32_t p[FIELDS], flat[KPRED_CONV2D_FIELD_COUNT];
    int bad = 0, taken = 0, larger = 0;
    for (int i = 0; i < 300000; i++)
        for (int32_t b = 0; b < 2; b++) {
            any_problem(p);
            const int known = flatten(p, flat), applies = rules[b](flat, NULL, 0);
            const int is_listed = kpred_rule_of_solvers(bits, 2, p, &b, 1);
            const int is_large = largest(flat) >= 1 << 16 && flat[KPRED_CONV2D_GROUPS] == 1;
            bad += is_listed != applies && (known || applies || is_large || largest(flat) < 128);
            taken += is_listed && applies;
            larger += is_listed && !applies;
        }
    sprintf(note, "%d listed, %d with larger products", taken + larger, larger);
    return bad || taken < 1000 || larger < 10;
}

/* ---- rows ---- */

static int32_t field_of(int f, const char *text)
{
    switch (f) {
    case KPRED_CONV3D_GPU: return INDEX_OF(text, gpus);
    case KPRED_CONV3D_DIR: return INDEX_OF(text, dirs);
    case KPRED_CONV3D_DTYPE: return INDEX_OF(text, dtypes);
    case KPRED_CONV3D_LAYOUT: return INDEX_OF(text, layouts);
    default: return atoi(text);
    }
}

/* The solver of the row, its problem in p; -1: not such a row. */
static int read_row(char *line, int32_t *p)
{
    char *text = strtok(line, ",\"\n");
    for (int f = 0; f < FIELDS && text; f++, text = strtok(NULL, ",\"\n")) {
        p[f] = field_of(f, text);
        if (p[f] < 0)
            return -1;
    }
    return text ? index_of(text, solvers, SOLVERS) : -1;
}

static int heading_fits(char *line)
{
    char *text = line ? strtok(line, ",\n") : NULL;
    int f;
    for (f = 0; f < FIELDS && text && !strcmp(text, fields[f]); f++)
        text = strtok(NULL, ",\n");
    return f == FIELDS && text && !strcmp(text, "solver");
}

/* Rows of one problem follow each other. */
static int check_rows(void)
{
    char line[1000];
    int32_t p[FIELDS], last[FIELDS] = {-1};
    long rows = 0, problems = 0, rejected = 0, left = 0;
    int solver;
    if (!heading_fits(fgets(line, sizeof line, stdin)))
        return fprintf(stderr, "test_solver: not the heading of a find-db's rows\n"), 1;
    while (fgets(line, sizeof line, stdin)) {
        solver = read_row(line, p);
        if (solver < 0)
            return fprintf(stderr, "test_solver: row %ld has an unknown value\n", rows + 1), 1;
        rows++;
        if (!accepts(p, solver) && rejected++ < 5)
            fprintf(stderr, "test_solver: row %ld: %s is rejected\n", rows, solvers[solver]);
        if (!memcmp(p, last, sizeof p))
            continue;
        memcpy(last, p, sizeof p);
        problems++;
        for (int s = 0; s < SOLVERS; s++)
            left += accepts(p, s);
    }
    printf("%ld rows, %ld rejected; %ld problems with %.1f of %d solvers left\n", rows, rejected,
           problems, problems ? (double)left / (double)problems : 0.0, (int)SOLVERS);
    return rejected > 0 || rows == 0;
}

int main(int argc, char **argv)
{
    if (!read_solvers())
        return fprintf(stderr, "test_solver: there are not %d solvers\n", (int)SOLVERS), 1;
    if (argc == 2 && !strcmp(argv[1], "rows"))
        return check_rows();
    CASE(check_list() == 0, "list");
    CASE(check_names() == 0, "names (%s)", note);
    CASE(check_axes() == 0, "axes (%s)", note);
    CASE(check_multiples() == 0, "multiples (%s)", note);
    CASE(check_extremes() == 0, "extremes (%s)", note);
    CASE(check_bits() == 0, "bits of the problem's word (%s)", note);
    CASE(check_winograd() == 0, "winograd (%s)", note);
    return test_end();
}
