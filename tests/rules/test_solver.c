/* test_solver.c - tests of kpred_rule_of_solvers, the choice among MIOpen's solvers
   SPDX-License-Identifier: MIT

   What solvers' names say about them, a second statement of every bit of a problem's word,
   extremes, the rules of Winograd kernels, the words that ship; and, where there are find-dbs in
   $MIOPEN_DB, that no solver is rejected that two of them list; EVERY=1: all five. */
#include "kpred_constraints.h"

#include "harness/cases.h"
#include "model/rules.h"

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

#define N_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

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

static void random_filter(int32_t *p)
{
    static const int32_t filters[][2] = {{1, 1}, {1, 1},  {3, 3},   {5, 5}, {7, 7}, {1, 7},
                                         {7, 1}, {5, 10}, {11, 11}, {2, 2}, {3, 1}};
    static const int32_t strides[] = {1, 1, 2, 4, 3};
    const int32_t *filter = filters[random_below(N_OF(filters))];
    int i, same = random_below(8);
    p[KPRED_CONV3D_Z] = random_below(9) ? 1 : 3;
    p[KPRED_CONV3D_Y] = filter[0], p[KPRED_CONV3D_X] = filter[1];
    p[KPRED_CONV3D_PAD_D] = 0, p[KPRED_CONV3D_STRIDE_D] = 1, p[KPRED_CONV3D_DIL_D] = 1;
    for (i = 0; i < 2; i++) {
        p[KPRED_CONV3D_PAD_H + i] = random_below(4);
        p[KPRED_CONV3D_STRIDE_H + i] = strides[random_below(N_OF(strides))];
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

/* ---- what names say ---- */

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
           && (!has(s, "WrW2<") || p[KPRED_CONV3D_N] >= atoi(strchr(s, '<') + 1))
           && strides_fit(s, p) && !(flat && p[KPRED_CONV3D_LAYOUT] == KPRED_LAYOUT_NCDHW)
           && !(flat && nhwc && !has(s, "NHWC"))
           && !(has(s, "Xdlops")
                && (gpu == KPRED_CONV3D_GPU_GFX906_60 || gpu == KPRED_CONV3D_GPU_GFX1030_36));
}

/* ---- checks: how often each failed ---- */

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
    return bad || accepted < 100000;
}

/* Each solver has a problem that it takes. */
static int check_accepted(void)
{
    int32_t p[FIELDS];
    int bad = 0;
    for (int s = 0; s < SOLVERS; s++) {
        int tries = 2000000;
        do
            random_problem(p);
        while (!accepts(p, s) && --tries > 0);
        bad += tries == 0;
    }
    return bad;
}

static int64_t side_of(const int32_t *p, int i)
{
    int64_t room = (int64_t)p[KPRED_CONV3D_D + i] + 2 * (int64_t)p[KPRED_CONV3D_PAD_D + i] - 1
                   - (int64_t)p[KPRED_CONV3D_DIL_D + i] * (p[KPRED_CONV3D_Z + i] - 1);
    return room < 0 ? 0 : room / p[KPRED_CONV3D_STRIDE_D + i] + 1;
}

static int32_t extreme_size(void)
{
    static const int32_t sizes[] = {1, 2, 7, 8, 65535, 65536, 1 << 22, (1 << 24) - 1, 1 << 24};
    return sizes[random_below(N_OF(sizes))];
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
    for (int i = 0; i < N_OF(triples); i++) {
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
    if (i < N_OF(filters))
        return !memcmp(filter, filters[i], sizeof filters[i]);
    for (int j = 0; j < N_OF(filters); j++)
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

/* Words of one bit each show the problem's, each of which was seen both ways; and a solver is taken
   whose word has none of them. */
static int check_bits(void)
{
    uint64_t bits[62];
    int32_t p[FIELDS];
    int seen[62][2] = {{0}}, bad = 0;
    for (int b = 0; b < 62; b++)
        bits[b] = (uint64_t)1 << b;
    for (int i = 0; i < 30000; i++) {
        uint64_t word = 0;
        any_problem(p);
        for (int32_t b = 0; b < 62; b++) {
            const int is_out = !kpred_rule_of_solvers(bits, 62, p, &b, 1);
            seen[b][is_out]++;
            word |= has_bit(p, b) ? bits[b] : 0;
            bad += is_out != has_bit(p, b);
        }
        for (int s = 0; s < SOLVERS; s++)
            bad += words[s] < KPRED_SOLVER_F2X3 && accepts(p, s) != !(word & words[s]);
    }
    for (int b = 0; b < 62; b++)
        bad += seen[b][0] < 20 || seen[b][1] < 20;
    return bad;
}

static int index_of(const char *text, const char *const *names, int n)
{
    int i;
    for (i = 0; i < n && strcmp(text, names[i]); i++)
        ;
    return i < n ? i : -1;
}

#define INDEX_OF(text, names) index_of(text, names, N_OF(names))

/* ---- the kernels with a rule of their own ---- */

/* The same problem for a rule in two dimensions, field by field of that name. Is its GPU known
   there? If not, it is one that takes as much as any. */
static int flatten(const int32_t *p, int32_t *flat)
{
    static const char *const names[] = {KPRED_CONV2D_FIELD_LIST(SPELLING)};
    static const char *const known[] = {KPRED_GPU_LIST(SPELLING) KPRED_CONV2D_MORE_GPUS(SPELLING)};
    const int gpu = INDEX_OF(gpus[p[KPRED_CONV3D_GPU]], known);
    for (int f = 0; f < N_OF(names); f++)
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
    return bad || taken < 1000 || larger < 10;
}

/* ---- the words that ship; what a spec may say: test_headers.steps ---- */

/* In the order of its solvers; how many */
static int read_words(uint64_t *to)
{
    const char *text = strstr(text_of(in_root("weights/conv_solver.h")), "_words[");
    const char *end = text ? strstr(text, "};") : NULL;
    int n = 0;
    while (text != NULL && (text = strstr(text, "UINT64_C(")) != NULL && text < end && n < SOLVERS)
        to[n++] = strtoull(text += 9, NULL, 16);
    return n;
}

static void check_shipped(void)
{
    uint64_t shipped[SOLVERS];
    if (is_there(in_root("weights/conv_solver.h")))
        CASE(read_words(shipped) == SOLVERS && memcmp(shipped, words, sizeof words) == 0,
             "words as shipped");
    else
        skip_case("words as shipped", "the weights are not there (make weights)");
}

/* ---- the find-dbs ---- */

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

/* How many of the solvers that it lists are rejected? -1: it cannot be read. */
static int count_rejected(const char *data)
{
#define COLUMN(enumerator, spelling) spelling ","
    char line[1000];
    int32_t p[FIELDS];
    int rows = 0, rejected = 0, solver = 0;
    RAN("kpred-train ingest %s --data %s > rows.csv", in_root("weights/conv_solver.spec"), data);
    FILE *f = fopen("rows.csv", "r");
    int bad = !f || !fgets(line, sizeof line, f)
              || !begins(line, KPRED_CONV3D_FIELD_LIST(COLUMN) "solver,");
    for (; !bad && fgets(line, sizeof line, f); rows++) {
        solver = read_row(line, p);
        bad = solver < 0;
        if (!bad && !accepts(p, solver) && rejected++ < 5)
            printf("  row %d: %s is rejected\n", rows + 1, solvers[solver]);
    }
    if (f)
        fclose(f);
    return bad || rows == 0 ? -1 : rejected;
}

static void check_listed(void)
{
    static const char *const tables[] = {"gfx906_60", "gfx942130", "gfx90878", "gfx90a6e",
                                         "gfx1030_36"};
    static const char listed[] = "64-7-8-1x1-32-7-8-4-0x0-1x1-1x1-0-NCHW-FP16-F=Gemm%sRest:4,0,"
                                 "miopenConvolutionFwdAlgoGEMM\n";
    const int n = getenv("EVERY") != NULL ? N_OF(tables) : 2;
    put_text("gfx906_60.txt", listed, "Fwd");
    put_text("gfx90878.txt", listed, "Bwd");
    CASE(count_rejected("gfx90878.txt") == 1 && count_rejected("gfx906_60.txt") == 0,
         "a solver of another direction is rejected");
    for (int i = 0; i < n; i++) {
        const char *data = say("%s/%s.HIP.fdb.txt.bz2",
                               folder_of("MIOPEN_DB", "../shared/miopen/data"), tables[i]);
        if (is_there(data))
            CASE(count_rejected(data) == 0, "no listed solver of %s is rejected", tables[i]);
        else
            skip_case(tables[i], "its find-db is not there");
    }
}

int main(void)
{
    program_begin();
    if (!read_solvers())
        program_stop("the solvers");
    CASE(check_list() == 0, "list");
    CASE(check_names() == 0, "names");
    CASE(check_accepted() == 0, "each takes some problem");
    CASE(check_extremes() == 0, "extremes");
    CASE(check_bits() == 0, "bits of the problem's word");
    CASE(check_winograd() == 0, "winograd");
    check_shipped();
    if (is_built("kpred-train"))
        check_listed();
    else
        skip_case("the find-dbs", "kpred-train is not built");
    return program_end();
}
