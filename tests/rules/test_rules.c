/* test_rules.c - tests of kpred_constraints.h
   SPDX-License-Identifier: MIT

   test_rules          checks that need nothing else: a second, naive statement of each kernel's
                       checks (`legal`, written from MIOpen's and not from the rules) is compared
                       with the rule on every tuple and every prefix of whole parameter spaces
   test_rules serve [SEED]    answers queries on standard input, a line each, for rules_oracle.py:
                         P rule field...   sets the problem; answer: 1 if the rule applies, else 0
                         T value...        answer: how many leading values are accepted (-1: does
                                           not apply), then 1 or 0, what `legal` says of them all
                         R rule            answer: the fields of a random problem
                         V rule            answer: the vocabulary, with commas between parameters
                         E                 walks the vocabulary; answer: numbers of legal tuples,
                                           accepted prefixes, dead ends, missed prefixes */
#ifndef MODELS_APART /* else the tools have the definitions */
#define KPRED_IMPLEMENTATION
#endif
#include "kpred.h"
#include "kpred_constraints.h"

#include "harness/test.h"

#include <stdlib.h>

#define N_OF(a)     ((int)(sizeof(a) / sizeof((a)[0])))
#define MOST_PARAMS 16
#define MOST_FIELDS 18

/* >>view: a problem as MIOpen sees it, input and output exchanged for B and W. */

typedef struct {
    int64_t n, ic, ih, iw, oc, oh, ow, stride, groups, e; /* e: elements in 32 bits */
    int dir, dtype, gpu;
    /* of those with fields for all of it: stride is that of w, and h may have another */
    int64_t fh, fw, ph, pw, sh, dh, dw, units;
    int nchw;
} view;

static int64_t ceil_of(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t out_of(int64_t in, int64_t filter, int64_t pad, int64_t stride, int64_t dilation)
{
    int64_t room = in + 2 * pad - dilation * (filter - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

static view view_of_conv2d(const int32_t *p)
{
    static const int units[] = {56, 60, 72, 304};
    int forward = p[KPRED_CONV2D_DIR] == KPRED_DIR_F;
    int64_t c = p[KPRED_CONV2D_C], h = p[KPRED_CONV2D_H], w = p[KPRED_CONV2D_W];
    int64_t k = p[KPRED_CONV2D_K];
    view z = {0};
    z.n = p[KPRED_CONV2D_N], z.groups = p[KPRED_CONV2D_GROUPS];
    z.fh = p[KPRED_CONV2D_Y], z.fw = p[KPRED_CONV2D_X];
    z.ph = p[KPRED_CONV2D_PAD_H], z.pw = p[KPRED_CONV2D_PAD_W];
    z.sh = p[KPRED_CONV2D_STRIDE_H], z.stride = p[KPRED_CONV2D_STRIDE_W];
    z.dh = p[KPRED_CONV2D_DIL_H], z.dw = p[KPRED_CONV2D_DIL_W];
    int64_t y = out_of(h, z.fh, z.ph, z.sh, z.dh), x = out_of(w, z.fw, z.pw, z.stride, z.dw);
    y += forward && y == 0, x += forward && x == 0;
    z.ic = forward ? c : k, z.ih = forward ? h : y, z.iw = forward ? w : x;
    z.oc = forward ? k : c, z.oh = forward ? y : h, z.ow = forward ? x : w;
    z.dir = p[KPRED_CONV2D_DIR], z.dtype = p[KPRED_CONV2D_DTYPE];
    z.e = z.dtype == KPRED_DTYPE_FP32 ? 1 : 2;
    z.gpu = p[KPRED_CONV2D_GPU], z.units = units[z.gpu];
    z.nchw = p[KPRED_CONV2D_LAYOUT] == KPRED_LAYOUT_NCHW;
    return z;
}

/* With a square filter of 1x1 or, with groups, 3x3, padded to keep the sides */
static view view_of_conv(const int32_t *p, int n_fields)
{
    int32_t filter = n_fields == KPRED_CONV_FIELD_COUNT ? 3 : 1, q[KPRED_CONV2D_FIELD_COUNT];
    memcpy(q, p, 3 * sizeof *q); /* gpu, dir, dtype */
    q[KPRED_CONV2D_LAYOUT] = KPRED_LAYOUT_NCHW;
    memcpy(q + KPRED_CONV2D_N, p + KPRED_CONV_N, 5 * sizeof *q); /* n, c, h, w, k */
    for (int i = 0; i < 2; i++) {
        q[KPRED_CONV2D_Y + i] = filter, q[KPRED_CONV2D_PAD_H + i] = filter / 2;
        q[KPRED_CONV2D_STRIDE_H + i] = p[KPRED_CONV_STRIDE], q[KPRED_CONV2D_DIL_H + i] = 1;
    }
    q[KPRED_CONV2D_GROUPS] = filter == 3 ? p[KPRED_CONV_GROUPS] : 1;
    return view_of_conv2d(q);
}

static view view_of(const int32_t *p, int n_fields)
{
    return n_fields == KPRED_CONV2D_FIELD_COUNT ? view_of_conv2d(p) : view_of_conv(p, n_fields);
}

/* a * b * c < limit, of positive factors of which the first two have a product below 2^63 (as for
   all three where the first comparison passes). */
static int less(int64_t a, int64_t b, int64_t c, int64_t limit)
{
    return a * b < limit && a * b * c < limit;
}

static int common_limits(const view *z, int64_t h, int64_t w)
{
    return z->n < 65536 && z->ic < 65536 && z->oc < 65536 && less(h, w, z->ic, 1 << 24)
           && less(h, w, z->oc, 1 << 24) && less(h * w, z->ic, z->n, 1 << 29)
           && less(h * w, z->oc, z->n, 1 << 29) && less(z->ic, z->oc, 1, 1 << 29);
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
    return km % e == 0 && (z->dir != KPRED_DIR_B || z->oc % km == 0)  /* R1 R2 */
           && rs * e <= cpw && cpw % e == 0 && cpw <= ceil_of(hw, cs) /* R3 R4 R5 */
           && nm <= ceil_of(z->n, 64 / cs) && cm % e == 0             /* R6 R7 */
           && vgprs < 256 && 25 + 2 * km * cm < 102                   /* R8 R9 */
           && wc <= z->ic && share % cm == 0 && last % cm == 0        /* R10 R11 */
           && km * wk <= z->oc && wc * wk <= 16                       /* R12 R13 */
           && 256 / vgprs * 4 >= wc * wk;                             /* R14 */
}

static int applies_ocl(const view *z)
{
    return z->dir != KPRED_DIR_W;
}

static int version_of(const view *z)
{
    return z->dtype == KPRED_DTYPE_FP32 && z->dir == KPRED_DIR_F && z->ic % 16 == 0
           && z->oc % 16 == 0;
}

/* How many of 1, 2, 4 the search tries for out_pix_tile0. */
static int pixel_choices(const view *z)
{
    if (z->stride == 1)
        return z->ih * z->iw % 2 ? 1 : z->ih * z->iw % 4 ? 2 : 3;
    return z->ow % 2 || (z->dir == KPRED_DIR_B && z->iw % 2) ? 1 : 2;
}

/* A side of the tile that both direct kernels have as a default, with 1, 2 or as many pixels of it
   as the stride is to a work-item */
typedef struct {
    int32_t group, tile, pixels;
} tile_side;

static tile_side default_side(int64_t length, int64_t stride)
{
    int32_t tile = length <= 8 ? 8 : length <= 16 ? 16 : 32, pixels = tile == 8 ? 1 : 2, group;
    pixels = pixels < stride ? (int32_t)stride : pixels;
    group = tile / pixels < 8 ? 8 : tile / pixels;
    return (tile_side){group, group * pixels, pixels};
}

static void default_ocl(const view *z, int32_t *d)
{
    const tile_side high = default_side(z->ih, z->stride), wide = default_side(z->iw, z->stride);
    int version = version_of(z);
    d[0] = high.group, d[1] = version ? wide.group : 64, d[2] = high.tile, d[3] = wide.tile;
    d[4] = version, d[5] = version ? 0 : pixel_choices(z) == 1 ? 1 : 2;
    d[6] = version ? 32 : 16, d[7] = version ? 128 : 4, d[8] = 1;
}

static int legal_ocl(const view *z, const int32_t *v)
{
    int64_t g0 = v[1], op0 = v[5], no = v[6], ni = v[7];
    int32_t d[9];
    default_ocl(z, d);
    if (!memcmp(v, d, sizeof d))
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
    return cs * cg >= 16 && (cs == 1 || cs * cg <= 16) && kg <= cg                 /* R1 R2 R3 */
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
           && (z->oc % (4 * z->groups) == 0 || z->ic % (4 * z->groups) == 0) && z->n < 65536
           && z->ic < 65536 && z->oc < 65536 && less(z->oh, z->ow, z->oc, 1 << 22)
           && less(z->oh, z->ow, z->ic, 1 << 22) && less(z->oc, 9, 1, 1 << 22)
           && less(z->ic, 9, 1, 1 << 22) && less(z->oh * z->ow, z->oc, z->n, 1 << 29)
           && less(z->oh * z->ow, z->ic, z->n, 1 << 29) && less(z->oc, z->ic, 9, 1 << 29);
}

static int64_t code_wrw3(const view *z, int64_t kpw, int64_t pld, int64_t line)
{
    int64_t unroll = pld * (pld + 2), steps = z->oh - 1 - pld < 0 ? 0 : z->oh - 1 - pld;
    int64_t loops = pld + unroll + steps % unroll + 1, memory = 3 + (line + 3) / 4;
    int64_t vector =
        kpw * 3 * line * 3 * 4 * (z->e == 2 && z->gpu == KPRED_GPU_GFX900_56 ? 2 : 1) / 3 * z->e;
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
    return a % (cpw * g) == 0 && b % (kpw * g) == 0            /* R2 R3 */
           && (c % cpw == 0 || k % cpw == 0) && cs * kpw <= 64 /* R4 R5 */
           && pld <= z->oh && pld <= 16 && npg <= z->n         /* R6 R7 */
           && vgprs <= 256 && (npg <= 4 || vgprs <= 128)       /* R8 R9 */
           && (lwc == 0 || lwc * 4 >= npg)                     /* R10 */
           && (npg - 1) * 64 * 4 * sums <= 65536               /* R11 */
           && code_wrw3(z, kpw, pld, line) < 32000;            /* R12 */
}

/* The kernels with fields for everything. Groups divide c and k, and the filter fits, where one of
   them applies. */

static int exists(const view *z)
{
    return z->ic % z->groups == 0 && z->oc % z->groups == 0 && z->ih > 0 && z->iw > 0 && z->oh > 0
           && z->ow > 0;
}

static int square(const view *z, int64_t filter, int64_t pad, int64_t stride)
{
    return z->fh == filter && z->fw == filter && z->ph == pad && z->pw == pad && z->sh == stride
           && z->stride == stride;
}

static int applies_3x3u(const view *z)
{
    return exists(z) && z->nchw && z->dir != KPRED_DIR_W && square(z, 3, 1, 1) && z->dh == 1
           && z->dw == 1 && z->ic / z->groups % 4 == 0 && 3 < z->iw && z->iw <= 1000
           && z->dtype == KPRED_DTYPE_FP32;
}

static int64_t division_3x3u(int64_t share, int64_t in, int64_t registers)
{
    return (share & (share - 1)) == 0 || in >= registers ? in : registers;
}

static int legal_3x3u(const view *z, const int32_t *v)
{
    int64_t fpw = v[1], olp = v[2], share = z->oc / z->groups;
    int64_t lanes = ceil_of(z->iw, ceil_of(z->iw, 64)), groups = ceil_of(z->iw, lanes);
    int64_t in = groups * (z->ih == olp ? olp : olp + 2);
    int64_t vgprs = (z->ih != olp) + (z->iw % lanes != 0) + division_3x3u(share, in, 4)
                    + division_3x3u(share, in, 3) + 2 + groups * fpw * olp;
    return (z->groups == 1 || (z->oc % fpw == 0 && z->oc / fpw % z->groups == 0)) /* R1 */
           && vgprs < 256;                                                        /* R2 */
}

static int applies_ocld(const view *z)
{
    int odd = z->fh == z->fw && z->fh % 2 && z->fh >= 3 && z->fh <= 11;
    int wide = z->fh == 5 && (z->fw == 10 || z->fw == 20) && z->sh == 2 && z->ph == 0;
    int four = square(z, 4, 0, z->sh) && z->dtype == KPRED_DTYPE_FP16;
    return exists(z) && z->nchw && z->dir != KPRED_DIR_W && z->dtype != KPRED_DTYPE_INT8
           && z->sh == z->stride && z->ph == z->pw && z->dh == 1 && z->dw == 1 && z->sh <= 2
           && (z->groups > 1 || odd || wide || four)
           && !(z->dir == KPRED_DIR_B && (z->fw - z->pw - 1 < 0 || z->fh - z->ph - 1 < 0))
           && !(z->dir == KPRED_DIR_F && z->dtype == KPRED_DTYPE_FP16 && z->sh == 2);
}

static void default_ocld(const view *z, int32_t *d)
{
    const tile_side high = default_side(z->ih, z->sh), wide = default_side(z->iw, z->sh);
    const int32_t all[] = {high.group,  wide.group, high.tile, wide.tile, high.pixels,
                           wide.pixels, 8,          2,         1};
    memcpy(d, all, sizeof all);
}

static int tile_is_searched(int64_t side, int64_t tile)
{
    int wide = side >= 16;
    return (tile == 16 || tile == 32 || (!wide && (tile == 8 || tile == 64)))
           && !(side * 2 <= tile && tile > 8);
}

static int searched_ocld(const view *z, const int32_t *v)
{
    int g1 = v[0], g0 = v[1], it1 = v[2], it0 = v[3], op1 = v[4], op0 = v[5], no = v[6], ni = v[7];
    int ns = v[8];
    return g1 == it1 / op1 && g1 >= 8 && g0 == it0 / op0 && g0 >= 8                  /* S1 S2 */
           && tile_is_searched(z->oh, it1) && tile_is_searched(z->ow, it0)           /* S3 S4 */
           && !(z->ow > 32 && it1 > it0) && no <= z->oc && ni <= z->ic && ns <= z->n /* S4b S6-S8 */
           && op1 * op0 * no * ns < 128;                                             /* S9 */
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A side of what a work-group reads, at 4 bytes or 2 too much for any int64_t. */
static int64_t read_ocld(const view *z, int64_t tile, int64_t filter)
{
    return z->dir == KPRED_DIR_F ? (tile - 1) * z->sh + filter
                                 : (tile + filter - 1 + z->sh - 1) / z->sh;
}

static int legal_ocld(const view *z, const int32_t *v)
{
    int strided = z->dir != KPRED_DIR_F && z->sh > 1;
    int64_t p1 = strided ? z->sh : v[4], p0 = strided ? z->sh : v[5];
    int64_t g1 = v[2] / p1 > 8 ? v[2] / p1 : 8, g0 = v[3] / p0 > 8 ? v[3] / p0 : 8;
    int64_t alu = ceil_of(g0 * p0, p0) * ceil_of(g1 * p1, p1);
    int32_t d[9];
    default_ocld(z, d);
    int64_t stacks = least_of(z->n, least_of(v[8], ceil_of(g0 * g1, alu)));
    if ((memcmp(v, d, sizeof d) && !searched_ocld(z, v)) || alu > 256 || stacks < 1) /* R2 R3 */
        return 0;
    int64_t n_in = least_of(z->ic / z->groups, v[7]);
    int64_t n_out = least_of(z->oc / z->groups, v[6]);
    n_out = least_of(ceil_of(ceil_of(g0 * g1, stacks), alu) * n_out, z->oc / z->groups);
    int64_t image = read_ocld(z, g0 * p0, z->fw) * read_ocld(z, g1 * p1, z->fh);
    return n_out > 0 && image <= 65536 && z->fh * z->fw <= 65536 /* R4 R5 */
           && (image * n_in * stacks + n_out * n_in * z->fh * z->fw) * (4 / z->e) <= 65536;
}

/* Some search value with all that is open at its least, or the default. */
static int any_ocld(const view *z)
{
    int32_t v[9];
    default_ocld(z, v);
    if (legal_ocld(z, v))
        return 1;
    for (int i = 0; i < 81; i++) {
        v[2] = 8 << i % 3, v[3] = 8 << i / 3 % 3, v[4] = 1 << i / 9 % 3, v[5] = 1 << i / 27;
        v[0] = v[2] / v[4], v[1] = v[3] / v[5], v[6] = v[7] = v[8] = 1;
        if (legal_ocld(z, v))
            return 1;
    }
    return 0;
}

/* MIOpen's names: the shader reads N images of C channels, H x W pixels, with filters of R x S, and
   writes K channels of OH x OW pixels. */
static int shader_takes(const view *z, int64_t r, int64_t s, int64_t c, int64_t k, int64_t h,
                        int64_t w, int64_t oh, int64_t ow, int64_t n)
{
    const int64_t sizes[] = {n, c, k, h, w, oh, ow, r, s, z->ph, z->pw}, most = (1 << 28) + 1;
    for (int i = 0; i < N_OF(sizes); i++)
        if (sizes[i] >= 65536)
            return 0;
    return less(h, w, c, most) && less(oh, ow, 1, (1 << 23) + 1) && less(oh, ow, k, most)
           && less(r, s, k, most) && less(r, s, c, most);
}

static int shader_applies(const view *z)
{
    int64_t g = z->groups;
    return z->dir == KPRED_DIR_W ? z->stride == 1
                                       && shader_takes(z, z->ih, z->iw, z->n, z->ic / g, z->oh,
                                                       z->ow, z->fh, z->fw, z->oc / g)
                                 : shader_takes(z, z->fh, z->fw, z->ic / g, z->oc / g, z->ih, z->iw,
                                                z->oh, z->ow, z->n);
}

static int applies_rxs(const view *z)
{
    int fp16 = z->dtype == KPRED_DTYPE_FP16 && z->gpu != KPRED_GPU_GFX900_56;
    return exists(z) && z->nchw && z->dh == 1 && z->dw == 1 && (z->stride == 1 || z->stride == 2)
           && z->sh == z->stride && (z->dtype == KPRED_DTYPE_FP32 || fp16)
           && !(z->dir == KPRED_DIR_B && (z->fh - z->ph - 1 < 0 || z->fw - z->pw - 1 < 0))
           && shader_applies(z);
}

static int applies_rxs_f3x2(const view *z)
{
    int gfx9 = z->gpu == KPRED_GPU_GFX906_60 || z->gpu == KPRED_GPU_GFX942130;
    return applies_rxs(z) && (z->stride == 1 || gfx9);
}

static int legal_rxs(const view *z, const int32_t *v)
{
    return v[0] + v[1] <= z->units;
} /* R1 */

static int applies_v4r1(const view *z)
{
    return exists(z) && z->nchw && z->dir != KPRED_DIR_B && z->dtype != KPRED_DTYPE_INT8;
}

static int divides_v4r1(const view *z, const int32_t *v)
{
    int wrw = z->dir == KPRED_DIR_W;
    int64_t b = v[0], k = v[1], e = v[2], at_once = (int64_t)v[3] * v[5];
    int64_t images = wrw ? z->oc / z->groups : z->n, filters = wrw ? z->ic : z->oc;
    int64_t channels = wrw ? z->n : z->ic / z->groups;
    int64_t pixels = wrw ? z->fh * z->fw : z->oh * z->ow;
    int64_t taps = wrw ? z->ih * z->iw : z->fh * z->fw;
    return images % at_once == 0 && filters % k == 0       /* R1 R2 */
           && images / at_once % b * (pixels % b) % b == 0 /* R3 */
           && channels / z->e % e * (taps % e) % e == 0    /* R4 */
           && filters / k % z->groups == 0;                /* R5 */
}

static int legal_v4r1(const view *z, const int32_t *v)
{
    int b = v[0], k = v[1], e = v[2], nr = v[3], mt = v[4], nt = v[5], m0 = v[6], n0 = v[7];
    int m1 = v[8], n1 = v[9], ce = v[10], cn1 = v[11], cb = v[12], cn2 = v[13], we = v[14];
    int wk = v[15], threads = m0 * n0 * m1 * n1;
    return (z->e == 1 || mt == nt)                                                /* R6 */
           && k % (mt * m0 * m1) == 0 && k / (mt * m0 * m1) == 2                  /* R7 */
           && nr * nt * b == nr * nt * n0 * n1 && threads >= 64 && threads <= 512 /* R8 R9 */
           && ce == e && nr % cn1 == 0 && cb == b && nt % cn2 == 0                /* R10-R13 */
           && ce * cn1 * cb * cn2 == threads && e % we == 0 && k % wk == 0        /* R14-R16 */
           && we * wk == threads && divides_v4r1(z, v);                           /* R17 */
}

/* Some tuple with the least e_per_block; other values follow from what is tried. */
static int any_v4r1(const view *z)
{
    for (int i = 0; i < 2 * 4 * 2 * 2 * 9; i++) {
        int b = 8 << i % 2, k = 16 << i / 2 % 4, mt = 2 << i / 8 % 2, nt = 2 << i / 16 % 2;
        int m0 = 1 << i / 32 % 3, m1 = 1 << i / 96, rest = m0 * m1 / 4, cn1 = rest > 1 ? 2 : 1;
        int32_t v[16] = {b,  k,     4, 2,   mt, nt,         m0, 4,
                         m1, b / 4, 4, cn1, b,  rest / cn1, 4,  m0 * m1 * b / 4};

        if (rest > 0 && legal_v4r1(z, v))
            return 1;
    }
    return 0;
}

/* Of the three sides of the product, which the second and third kernels have from the first. */
static void sides_igemm(const view *z, int64_t side[3])
{
    int forward = z->dir == KPRED_DIR_F;
    int64_t out_h = forward ? z->oh : z->ih, out_w = forward ? z->ow : z->iw;
    int64_t c = forward ? z->ic : z->oc, k = forward ? z->oc : z->ic;
    int64_t taps = z->fh % 128 * (z->fw % 128) * (c % 128);
    int64_t pixels = z->n % 128 * (out_h % 128) * (out_w % 128);
    side[0] = z->dir == KPRED_DIR_B ? taps : k;
    side[1] = z->dir == KPRED_DIR_W ? taps : pixels;
    side[2] = z->dir == KPRED_DIR_W ? pixels : z->dir == KPRED_DIR_B ? k / z->e : taps;
}

static int applies_v1r1(const view *z)
{
    return exists(z) && z->nchw && z->groups == 1 && z->dir == KPRED_DIR_B
           && z->dtype != KPRED_DTYPE_INT8;
}

static int applies_v4r4(const view *z)
{
    return exists(z) && z->nchw && z->groups == 1 && z->dir != KPRED_DIR_B
           && z->dtype == KPRED_DTYPE_FP32;
}

static int64_t common_power(int64_t a, int64_t b, int64_t most)
{
    while (a % most || b % most)
        most /= 2;
    return most;
}

/* R8, R9: can the block's threads copy a tile's side? */
static int copies_igemm(int64_t block, int64_t k, int64_t tile, int64_t extent)
{
    int64_t each = k * tile / block, source = common_power(tile, extent, 4);
    source = common_power(each, source, source);
    return k / (each / source) > 0 && tile / source > 0;
}

static int legal_igemm(const view *z, const int32_t *v)
{
    int64_t block = v[0], m = v[1], n = v[2], k = v[3], mt = v[4], nt = v[5], side[3];
    int64_t cm = block == 64 ? 8 : 16, cn = block == 256 ? 16 : 8, lds = 2 * (k * m + k * n) * 4;
    sides_igemm(z, side);
    return side[0] % m == 0 && side[1] % n == 0 && side[2] % k == 0            /* R1-R3 */
           && m / mt / cm == 2 && n / nt / cn == 2                             /* R4 R5 */
           && k * m >= block && k * n >= block && copies_igemm(block, k, m, 0) /* R6-R8 */
           && copies_igemm(block, k, n, side[1]) && lds <= 65536;              /* R9 R10 */
}

static int any_igemm(const view *z)
{
    static const int32_t least[] = {64, 32, 32, 4, 2, 2};
    return legal_igemm(z, least);
}

static int applies_wrw2(const view *z)
{
    return exists(z) && z->nchw && z->dir == KPRED_DIR_W && z->dtype != KPRED_DTYPE_INT8
           && z->fh >= 2 && z->fh <= 11 && z->sh == z->stride && z->dh == 1 && z->dw == 1;
}

static int legal_wrw2(const view *z, const int32_t *v)
{
    return v[2] * v[3] <= z->ic / z->groups && (z->groups == 1 || v[3] == 1) && v[4] >= z->fh;
}

static int legal_mlir(const view *z, const int32_t *v)
{
    int cm = v[0] == 64 ? 8 : 16, cn = v[0] == 256 ? 16 : 8;
    return v[1] / v[4] / cm >= 1 && v[2] / v[5] / cn >= 1 && z->n > 0;
}

/* >>kernels */

typedef struct {
    int n;
    int32_t v[20];
} domain; /* of a parameter */

typedef struct {
    const char *name;
    kpred_rule rule;
    int n_fields, n_params;
    const domain *words, *all;
    int (*applies)(const view *);
    int (*legal)(const view *, const int32_t *);
    int (*any)(const view *); /* is one legal, where it applies? NULL: always */
} kernel;

#define PLUS_ONE(enumerator, spelling) +1
#define RULE_OF(function, fields, list, family) \
    {#function, function, fields, 0 list(PLUS_ONE), 0, 0, 0, 0, 0},
static kernel kernels[] = {KPRED_RULE_LIST(RULE_OF)};

/* The numbers of kernels that the tests ask for. */
enum {
    OF_1X1U,
    OF_OCL,
    OF_WRW1,
    OF_WRW3,
    OF_3X3U,
    OF_OCLD,
    OF_RXS,
    OF_RXS_F3X2,
    OF_V4R1,
    OF_V1R1,
    OF_V4R4,
    OF_MLIR,
    OF_WRW2
};

#define IGEMM "64 128 256, 32 64 128, 32 64 128, 4 8 16, 2 4, 2 4"

/* In their order. What the models' vocabularies hold, and all that MIOpen takes, where that is
   more: the values of each parameter, or from-to, maybe with a step */
static const struct {
    const char *words, *all;
    int (*applies)(const view *);
    int (*legal)(const view *, const int32_t *);
    int (*any)(const view *);
} naive[] = {
    {"1-4, 1 4 8 16 32, 1-8, 1 4 16 32 64, 1-4, 1 2 4, 1 2 4, 1 2 4 8",
     "1-4, 1 4-32/4, 1-16, 1 2 4 8 16 32 64, 1-8, 1 2 4 8 16 32, 1-8, 1 2 4 8", applies_1x1u,
     legal_1x1u, 0},
    {"1 8 16, 8 16 64 128 256, 1 8 16 32, 1 8 16 32, 0 1, 0 1 2 4, 4 8 16 32 64,"
     "4 8 64 128 256 2048, 0 1",
     0, applies_ocl, legal_ocl, 0},
    {"1 2 4 8 16, 1 2 4 8 16, 1 2 4 8 16, 1 2 4 8 16, 1 2 4 8 16, 1 2 4, 1-8, 1-4, 0 1, 0-4", 0,
     applies_wrw1, legal_wrw1, 0},
    {"0, 0 1, 8 16, 1 2 4 8, 1-16, 1-8", "0-9, 0 1, 8 16, 1 2 4 8, 1-16, 1-8", applies_wrw3,
     legal_wrw3, 0},
    {"0-9, 1-8, 1-8", 0, applies_3x3u, legal_3x3u, 0},
    {"8 16 32, 8 16 32, 8 16 32, 8 16 32, 1 2 4, 1 2 4, 1 2 4 8, 1 2 4, 1 2",
     "8 16 32 64, 8 16 32 64, 8 16 32 64, 8 16 32 64, 1 2 4, 1 2 4, 1 2 4 8, 1 2 4, 1 2",
     applies_ocld, legal_ocld, any_ocld},
    {"0-288/16, 1-16", 0, applies_rxs, legal_rxs, 0},
    {"0-288/16, 1-16", 0, applies_rxs_f3x2, legal_rxs, 0},
    {"8 16, 16 32 64 128, 4 8 16, 2, 2 4, 2 4, 1 2 4, 2 4, 1 2 4, 2 4, 4 8 16, 1 2, 8 16, 1 2 4,"
     "1 2 4, 16 32 64 128",
     "8 16, 16 32 64 128, 4 8 16, 2, 2 4, 2 4, 1 2 4, 1 2 4, 1 2 4, 1 2 4, 4 8 16, 1 2, 8 16,"
     "1 2 4, 1 2 4, 16 32 64 128",
     applies_v4r1, legal_v4r1, any_v4r1},
    {IGEMM, 0, applies_v1r1, legal_igemm, any_igemm},
    {IGEMM, 0, applies_v4r4, legal_igemm, any_igemm},
    {IGEMM, 0, exists, legal_mlir, 0},
    {"1 3 8, 6-12, 1 3 8, 1 3 8, 2 3 5 7 9 11", 0, applies_wrw2, legal_wrw2, 0}};

static const domain *read_domains(const char *text)
{
    static domain domains[400], *next = domains;
    const domain *first = next;
    for (int from, to, step, n; sscanf(text, "%d%n", &from, &n) == 1; text += strspn(text, ", ")) {
        text += n, to = from, step = 1;
        if (sscanf(text, "-%d%n", &to, &n) == 1)
            text += n;
        if (sscanf(text, "/%d%n", &step, &n) == 1)
            text += n;
        for (; from <= to; from += step)
            next->v[next->n++] = from;
        next += *text != ' ';
    }
    return first;
}

static void complete_kernels(void)
{
    for (int i = 0; i < N_OF(kernels); i++) {
        kernel *k = &kernels[i];
        k->words = read_domains(naive[i].words);
        k->all = naive[i].all ? read_domains(naive[i].all) : k->words;
        k->applies = naive[i].applies, k->legal = naive[i].legal, k->any = naive[i].any;
    }
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
    if (depth == w->k->n_params)
        legal = w->k->legal(&w->see, w->v);
    else
        for (int i = 0; i < d->n; i++) {
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

/* >>random: problems of which a good part is within a kernel's reach. */

static uint64_t random_seed = 1;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random64(&random_seed) % n);
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
    int64_t x = limits[random_below(N_OF(limits))];
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

/* Filters, pads, strides, dilations; mostly those that the kernel is for. */
static void random_filter(int rule, int32_t *p)
{
    static const int32_t filters[] = {1, 1, 3, 3, 5, 7, 11, 4};
    int odd = random_below(12) == 0, i;
    for (i = 0; i < 2; i++) {
        int32_t usual = rule == OF_3X3U ? 3 : filters[random_below(N_OF(filters))];
        int32_t y = odd && random_below(2) ? random_size(8) : usual;
        int32_t stride = rule == OF_3X3U || random_below(3) ? 1 : 2;

        p[KPRED_CONV2D_Y + i] = y;
        p[KPRED_CONV2D_PAD_H + i] = random_below(3) || rule == OF_3X3U ? y / 2 : 0;
        p[KPRED_CONV2D_STRIDE_H + i] = odd && random_below(4) == 0 ? random_size(3) : stride;
        p[KPRED_CONV2D_DIL_H + i] = odd && random_below(4) == 0 ? random_size(3) : 1;
    }
    for (i = KPRED_CONV2D_Y; i < KPRED_CONV2D_DIL_W && random_below(20); i += 2)
        p[i + 1] = p[i];
}

/* Tiles and filters that take about all of LDS; a grouped kernel takes filters of any size. */
static void fill_lds(int32_t *p)
{
    for (int i = 0; i < 2; i++) {
        p[KPRED_CONV2D_H + i] = 1 + (int32_t)random_below(40);
        p[KPRED_CONV2D_Y + i] = 90 + (int32_t)random_below(90);
        p[KPRED_CONV2D_PAD_H + i] = 60;
        p[KPRED_CONV2D_STRIDE_H + i] = 1 + (int32_t)random_below(2);
        p[KPRED_CONV2D_DIL_H + i] = 1;
    }
    p[KPRED_CONV2D_X] = random_below(2) ? p[KPRED_CONV2D_Y] : p[KPRED_CONV2D_X];
    p[KPRED_CONV2D_STRIDE_W] = p[KPRED_CONV2D_STRIDE_H];
}

static void random_conv2d(int rule, int32_t *p)
{
    static const int dirs[] = {2, 2, 3, 3, 2, 1, 2, 3, 3};
    int to_w = rule == OF_V4R1 || rule == OF_V4R4;
    p[KPRED_CONV2D_GPU] = (int32_t)random_below(KPRED_CONV2D_GPU_COUNT);
    p[KPRED_CONV2D_DIR] =
        rule == OF_V1R1 ? KPRED_DIR_B : (int32_t)random_below((uint32_t)dirs[rule - OF_3X3U]);
    if (rule == OF_WRW2 || (to_w && p[KPRED_CONV2D_DIR] == KPRED_DIR_B))
        p[KPRED_CONV2D_DIR] = KPRED_DIR_W;
    p[KPRED_CONV2D_DTYPE] = (int32_t)random_below(rule == OF_3X3U || rule == OF_V4R4 ? 1 : 3);
    p[KPRED_CONV2D_LAYOUT] = random_below(40) == 0;
    p[KPRED_CONV2D_N] = random_size(9);
    p[KPRED_CONV2D_H] = random_below(4) ? random_size(4) : random_size(8);
    p[KPRED_CONV2D_W] = random_below(4) ? random_size(5) : random_size(10);
    p[KPRED_CONV2D_C] = random_size(10);
    p[KPRED_CONV2D_K] = random_size(10);
    if (rule >= OF_V4R1 && random_below(3))
        p[KPRED_CONV2D_N] *= 8, p[KPRED_CONV2D_C] *= 4, p[KPRED_CONV2D_K] *= 16;
    random_filter(rule, p);
    if (rule == OF_OCLD && random_below(10) == 0)
        fill_lds(p);
    p[KPRED_CONV2D_GROUPS] = random_below(3) || rule == OF_V1R1 ? 1 : 1 << random_below(6);
    for (int i = KPRED_CONV2D_C; i <= KPRED_CONV2D_K; i += KPRED_CONV2D_K - KPRED_CONV2D_C)
        p[i] *= random_below(10) ? p[KPRED_CONV2D_GROUPS] : 1;
    if (random_below(50) == 0) {
        p[KPRED_CONV2D_DIR] = (int32_t)random_below(KPRED_DIR_COUNT);
        p[KPRED_CONV2D_DTYPE] = (int32_t)random_below(KPRED_CONV2D_DTYPE_COUNT);
        p[KPRED_CONV2D_GROUPS] = random_size(6);
    }
}

static void random_conv(const kernel *k, int32_t *p)
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

/* One to three sizes at random, up to the largest. */
static void enlarge(int32_t *p)
{
    static const int fields[] = {KPRED_CONV2D_N, KPRED_CONV2D_C,     KPRED_CONV2D_H,
                                 KPRED_CONV2D_W, KPRED_CONV2D_K,     KPRED_CONV2D_Y,
                                 KPRED_CONV2D_X, KPRED_CONV2D_PAD_H, KPRED_CONV2D_PAD_W};
    for (int i = 1 + (int)random_below(3); i > 0; i--) {
        int32_t power = 1 << random_below(24), x = power + (int32_t)random_below(3) - 1;
        p[fields[random_below(N_OF(fields))]] = x < 1 ? 1 : x;
    }
}

static void random_problem(const kernel *k, int32_t *p)
{
    if (k->n_fields == KPRED_CONV2D_FIELD_COUNT)
        random_conv2d((int)(k - kernels), p);
    else
        random_conv(k, p);
    if (k->legal == legal_rxs && random_below(2))
        enlarge(p);
}

/* The same, of which some are at a limit */
static void problem_at_limits(const kernel *k, int32_t *p)
{
    random_problem(k, p);
    if (k->n_fields != KPRED_CONV2D_FIELD_COUNT && random_below(2))
        set_to_limit(p);
}

/* Sizes and values chosen to overflow what is computed carelessly. */
static int32_t extreme_size(void)
{
    static const int32_t sizes[] = {
        1,      2, 3, 4, 7, 8, 255, 512, 513, 65535, 65536, 1 << 22, (1 << 23) + 1, (1 << 24) - 1,
        1 << 24};
    return random_below(3) ? sizes[random_below(N_OF(sizes))] : random_size(23);
}

static int32_t extreme_value(void)
{
    static const int32_t values[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 65, 127, 128, 2048, -1, -2, -64};
    static const int32_t large[] = {1 << 16,       1 << 30,   (1 << 30) + 1, INT32_MAX,
                                    INT32_MAX - 1, INT32_MIN, INT32_MIN + 1};
    int32_t small = (int32_t)random_below(80) - 5;
    switch (random_below(4)) {
    case 0: return small;
    case 1: return small * (int32_t)random_below(1 << 24);
    case 2: return large[random_below(N_OF(large))];
    default: return values[random_below(N_OF(values))];
    }
}

/* >>checks: each returns how often it failed. */

static int check_helpers(void)
{
    int32_t b;
    int bad = 0;
    for (int32_t a = 0; a < 600; a++)
        for (b = 1; b < 100; b++) {
            bad += kpred_divides(b, a) != (a / b * b == a);
            bad += kpred_ceil_div(a, b) != (a + b - 1) / b;
            bad += kpred_mul_sat(a, b) != a * b;
            bad += a > 0 && kpred_fits_vgprs(a, b) != (256 / a * 4 >= b);
            bad += kpred_between(a, b, 2 * b) != (a / b == 1 || a == 2 * b);
        }
    for (int32_t a = 0; a <= 30; a++) {
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
    return bad;
}

/* The arithmetic of conditions is that of the integers, and saturates. */
static int64_t product_of(int64_t a, int64_t b)
{
    const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a,
                   y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (y != 0 && x > INT64_MAX / y)
        return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    return a * b;
}

static int check_wide(void)
{
    int bad = 0, none = 0;
    for (int i = 0; i < 126 * 126; i++) {
        const int64_t a = (INT64_C(1) << i % 63) - i % 2,
                      b = (INT64_C(1) << i / 126 % 63) - i / 126 % 2;
        const int64_t sign = i / 126 < 63 ? 1 : -1, c = b * sign;
        bad += kpri_x_mul(a, c) != product_of(a, c) || kpri_x_mul(-a, c) != product_of(-a, c);
        if (c != 0) {
            bad += kpri_x_floor_div(a, c, &none) != a / c - (a % c != 0 && c < 0);
            bad += kpri_x_ceil_div(a, c, &none) != a / c + (a % c != 0 && c > 0);
            bad += kpri_x_mod(a, c, &none) != a % c + (a % c != 0 && c < 0 ? c : 0);
        }
    }
    return bad + none;
}

typedef int64_t of_numbers(int64_t a, int64_t b, int *bad);
typedef kpri_span of_spans(kpri_span s, kpri_span t);

static int64_t times(int64_t a, int64_t b, int *bad)
{
    (void)bad;
    return kpri_x_mul(a, b);
}

/* From the least to the largest result that is defined */
static kpri_span all_results(of_numbers *f, kpri_span s, kpri_span t)
{
    kpri_span all = KPRI_S_EMPTY;
    for (int64_t a = s.least; a <= s.most; a++)
        for (int64_t b = t.least; b <= t.most; b++) {
            int bad = 0;
            const int64_t x = f(a, b, &bad);
            all = bad ? all : kpri_s_hull(all, kpri_s_of(x));
        }
    return all;
}

static int is_same(kpri_span s, kpri_span t)
{
    return kpri_s_is_empty(s) ? kpri_s_is_empty(t) : s.least == t.least && s.most == t.most;
}

/* Spans have all results, and no more; rests may be more than those of a few dividends, none of
   which is 0. */
static int check_spans(void)
{
    static of_numbers *const number[] = {times, kpri_x_floor_div, kpri_x_ceil_div, kpri_x_mod};
    static of_spans *const span[] = {kpri_s_mul, kpri_s_floor_div, kpri_s_ceil_div, kpri_s_mod};
    int bad = 0;
    for (int i = 0; i < 14641; i++) {
        const kpri_span s = kpri_s_from(i % 11 - 5, i / 11 % 11 - 5),
                        t = kpri_s_from(i / 121 % 11 - 5, i / 1331 - 5);
        for (int f = 0; f < 4; f++) {
            const kpri_span got = span[f](s, t), all = all_results(number[f], s, t);
            const int is_few =
                f == 3 && s.least != 0 && s.most != 0 && s.most - s.least < 5 && !is_same(s, all);
            bad += is_few ? !is_same(kpri_s_hull(got, all), got) : !is_same(got, all);
        }
    }
    return bad;
}

/* Names are spelt like the enumerators, which the lists number. */
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
#define ENTRY(enumerator, spelling) {#enumerator, spelling},
    static const struct {
        const char *enumerator, *spelling;
    } all[] = {
        KPRED_DIR_LIST(ENTRY) KPRED_GPU_LIST(ENTRY) KPRED_CONV2D_MORE_GPUS(ENTRY)
            KPRED_DTYPE_LIST(ENTRY) KPRED_CONV2D_MORE_DTYPES(ENTRY) KPRED_CONV2D_LAYOUT_LIST(ENTRY)
                KPRED_CONV_FIELD_LIST(ENTRY) KPRED_CONV2D_FIELD_LIST(ENTRY)
                    KPRED_ASM_1X1U_LIST(ENTRY) KPRED_OCL_DIRECT_FWD_1X1_LIST(ENTRY)
                        KPRED_ASM_BWD_WRW_1X1_LIST(ENTRY) KPRED_ASM_BWD_WRW_3X3_LIST(ENTRY)
                            KPRED_ASM_3X3U_LIST(ENTRY) KPRED_OCL_DIRECT_FWD_LIST(ENTRY)
                                KPRED_BIN_WINOGRAD_RXS_LIST(ENTRY) KPRED_HIP_IGEMM_V4R1_LIST(ENTRY)
                                    KPRED_IGEMM_LIST(ENTRY) KPRED_OCL_BWD_WRW2_LIST(ENTRY)};
    int bad = 0;
    for (int i = 0; i < N_OF(all); i++)
        bad += !same_name(all[i].enumerator, all[i].spelling);
    for (int i = 0; i < N_OF(kernels); i++)
        bad +=
            kernels[i].n_fields
            != (i >= OF_3X3U ? KPRED_CONV2D_FIELD_COUNT : KPRED_CONV_FIELD_COUNT - (i < OF_WRW3));
    return bad;
}

/* Does the kernel apply, as its naive statement has it? c and k are multiples of groups. */
static int is_for(const kernel *k, const int32_t *p)
{
    const view see = view_of(p, k->n_fields);
    return k->applies(&see) && see.ic % see.groups == 0 && see.oc % see.groups == 0
           && (!k->any || k->any(&see));
}

static int check_problems(const kernel *k, int problems)
{
    int32_t p[MOST_FIELDS];
    int bad = 0;
    for (int i = 0; i < problems; i++) {
        problem_at_limits(k, p);
        bad += k->rule(p, NULL, 0) != is_for(k, p);
    }
    return bad;
}

/* Between a size that the kernel takes and the largest one of all, in steps: what is on either side
   where it takes no more? The size becomes the last one that it takes. */
static int differs_at_border(const kernel *k, int32_t *p, int field, int32_t step)
{
    int32_t least = p[field] / step, beyond = KPRED_MAX_SIZE / step;
    while (beyond - least > 1) {
        const int32_t middle = least + (beyond - least) / 2;
        p[field] = middle * step;
        *(k->rule(p, NULL, 0) ? &least : &beyond) = middle;
    }
    p[field] = beyond * step;
    int bad = k->rule(p, NULL, 0) != is_for(k, p);
    p[field] = least * step;
    return bad + (k->rule(p, NULL, 0) != is_for(k, p));
}

/* From one border to the next, in one size or pad after the other, some of which begin anew */
static int check_borders(const kernel *k, int problems)
{
    int32_t p[MOST_FIELDS];
    int bad = 0;
    for (int i = 0; i < problems; i++) {
        random_problem(k, p);
        for (int j = 0; j < 4 && k->rule(p, NULL, 0); j++) {
            const int field = KPRED_CONV2D_N + (int)random_below(9);
            const int is_channels = field == KPRED_CONV2D_C || field == KPRED_CONV2D_K;
            const int32_t step = is_channels ? p[KPRED_CONV2D_GROUPS] : 1;
            if (j > 0 && random_below(2))
                p[field] = field < KPRED_CONV2D_PAD_H ? step : 0;
            if (k->rule(p, NULL, 0))
                bad += differs_at_border(k, p, field, step);
        }
    }
    return bad;
}

/* On random problems a prefix is accepted exactly if a legal tuple begins with it; the empty prefix
   exactly if there is a legal tuple at all. */
static int check_walks(const kernel *k, const domain *domains, int problems)
{
    int32_t p[MOST_FIELDS];
    int applicable = 0, bad = 0;
    for (int i = 0; i < problems;) {
        random_problem(k, p);
        const walk w = walk_all(k, domains, p);
        bad |= w.dead || w.missed;
        applicable += w.legal > 0;
        i += w.legal > 0 || random_below(50) == 0;
    }
    return bad || applicable < problems / 2;
}

/* After an accepted prefix, a value that no tuple may have is rejected. */
static int check_outside(const kernel *k, int tuples)
{
    int32_t p[MOST_FIELDS], v[MOST_PARAMS];
    int bad = 0, asked = 0, limit;
    size_t n;
    for (int tuple = 0; tuple < tuples; tuple++) {
        random_problem(k, p);
        if (!k->rule(p, NULL, 0))
            continue;
        limit = asked + 100000; /* but for dead ends, a few are enough */
        for (n = 0; n < (size_t)k->n_params && asked < limit;) {
            const domain *d = &k->all[n];
            int i = 0;
            v[n] = extreme_value();
            while (i < d->n && d->v[i] != v[n])
                i++;
            bad += i == d->n && k->rule(p, v, n + 1);
            v[n] = d->v[random_below((uint32_t)d->n)];
            n += (size_t)k->rule(p, v, n + 1);
            asked++;
        }
        if (n < (size_t)k->n_params)
            return bad + 1;
    }
    return bad;
}

static void extreme_problem(int conv2d, int32_t *p)
{
    p[KPRED_CONV_GPU] = (int32_t)random_below(conv2d ? KPRED_CONV2D_GPU_COUNT : KPRED_GPU_COUNT);
    p[KPRED_CONV_DIR] = (int32_t)random_below(KPRED_DIR_COUNT);
    p[KPRED_CONV_DTYPE] =
        (int32_t)random_below(conv2d ? KPRED_CONV2D_DTYPE_COUNT : KPRED_DTYPE_COUNT);
    for (int f = KPRED_CONV_N; f < MOST_FIELDS; f++)
        p[f] = extreme_size();
    if (conv2d) {
        p[KPRED_CONV2D_LAYOUT] = (int32_t)random_below(KPRED_CONV2D_LAYOUT_COUNT);
        p[KPRED_CONV2D_PAD_H] -= random_below(2) ? p[KPRED_CONV2D_PAD_H] : 0;
        p[KPRED_CONV2D_PAD_W] -= random_below(2) ? p[KPRED_CONV2D_PAD_W] : 0;
    }
}

/* The answer is 0 or 1 whatever is asked (and a sanitizer finds nothing on the way). */
static int check_extremes(const kernel *k, int tuples)
{
    int32_t p[MOST_FIELDS], v[MOST_PARAMS + 1];
    int bad = 0;
    size_t n;
    for (int i = 0; i < tuples; i++) {
        extreme_problem(k->n_fields == KPRED_CONV2D_FIELD_COUNT, p);
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
    return bad;
}

/* >>main */

static int run_checks(void)
{
    /* whole spaces of 115200, 115200, 3000000, 2048, 640, 17496, 304, 304, 1492992, 324, 1134
       tuples, and 6193152, 20480, 31104, 3359232 */
    static const int words[] = {300, 300, 12,   3000, 3000, 600, 600,
                                600, 24,  3000, 3000, 3000, 3000};
    static const int all[] = {8, 0, 0, 300, 0, 100, 0, 0, 6, 0, 0, 0, 0};
    CASE(check_helpers() == 0, "helpers");
    CASE(check_wide() == 0, "numbers of conditions");
    CASE(check_spans() == 0, "spans of conditions");
    CASE(check_lists() == 0, "lists");
    for (int i = 0; i < N_OF(kernels); i++) {
        const kernel *k = &kernels[i];
        const char *name = k->name + strlen("kpred_rule");

        CASE(check_problems(k, k->any ? 100000 : 300000) == 0, "problems%s", name);
        CASE(check_walks(k, k->words, words[i]) == 0, "exact%s", name);
        if (all[i])
            CASE(check_walks(k, k->all, all[i]) == 0, "exact_beyond_vocabulary%s", name);
        CASE(check_outside(k, 20000) == 0, "outside%s", name);
        CASE(check_extremes(k, 200000) == 0, "extremes%s", name);
        if (k->n_fields == KPRED_CONV2D_FIELD_COUNT)
            CASE(check_borders(k, 10000) == 0, "borders%s", name);
    }
    return test_end();
}

static void print_vocabulary(const kernel *k)
{
    for (int t = 0; t < k->n_params; t++)
        for (int i = 0; i < k->words[t].n; i++)
            printf("%s%d", i ? " " : t ? "," : "", (int)k->words[t].v[i]);
    printf("\n");
}

static int read_numbers(const char *s, int32_t *to, int n)
{
    for (int i = 0; i < n; i++) {
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
    char line[600];
    int32_t p[MOST_FIELDS + 1] = {0}, v[MOST_PARAMS];
    const kernel *k = kernels;
    view see = {0};
    while (fgets(line, sizeof line, stdin))
        if (line[0] == 'P' && read_numbers(line + 1, p, 1) && p[0] >= 0 && p[0] < N_OF(kernels)
            && read_numbers(line + 1, p, 1 + kernels[p[0]].n_fields)) {
            k = &kernels[p[0]];
            see = view_of(p + 1, k->n_fields);
            printf("%d\n", k->rule(p + 1, NULL, 0));
        } else if (line[0] == 'T' && read_numbers(line + 1, v, k->n_params)) {
            size_t n = 0;
            while (n <= (size_t)k->n_params && k->rule(p + 1, v, n))
                n++;
            printf("%d %d\n", (int)n - 1, k->applies(&see) && k->legal(&see, v));
        } else if (line[0] == 'R' && read_numbers(line + 1, v, 1)) {
            problem_at_limits(&kernels[v[0]], p + 1);
            for (int f = 1; f <= kernels[v[0]].n_fields; f++)
                printf("%d%c", (int)p[f], f < kernels[v[0]].n_fields ? ' ' : '\n');
        } else if (line[0] == 'V' && read_numbers(line + 1, v, 1)) {
            print_vocabulary(&kernels[v[0]]);
        } else if (line[0] == 'E') {
            const walk w = walk_all(k, k->words, p + 1);
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
    if (argc > 2)
        random_seed = strtoull(argv[2], NULL, 10);
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return serve();
    return run_checks();
}
