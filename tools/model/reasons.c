/* reasons.c - see reasons.h
   SPDX-License-Identifier: MIT */
#include "reasons.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- reasons ---- */

enum reason_kind reason_set(struct reason *why, enum reason_kind kind, const char *what,
                            const char *value, const char *need)
{
    why->kind = kind;
    snprintf(why->what, sizeof why->what, "%s", what);
    snprintf(why->value, sizeof why->value, "%s", value);
    snprintf(why->need, sizeof why->need, "%s", need);
    return kind;
}

const char *reason_text(const struct reason *why, struct buf *b)
{
    buf_printf(b, "%s = %s (it must be %s)", why->what, why->value, why->need);
    return b->s;
}

enum reason_kind reason_kind_of(const char *field)
{
    static const struct {
        const char *name;
        enum reason_kind kind;
    } kinds[] = {
        {"dir", REASON_DIR},         {"y", REASON_FILTER},      {"x", REASON_FILTER},
        {"pad_h", REASON_PAD},       {"pad_w", REASON_PAD},     {"dil_h", REASON_DILATION},
        {"dil_w", REASON_DILATION},  {"layout", REASON_LAYOUT}, {"dtype", REASON_DTYPE},
        {"groups", REASON_GROUPS},   {"stride", REASON_STRIDE}, {"stride_h", REASON_STRIDE},
        {"stride_w", REASON_STRIDE},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, field))
            return kinds[i].kind;
    return REASON_SIZE;
}

/* "F, B or W": those of the field's tokens whose bits are set */
static void add_choice(const kpred_field *field, uint32_t tokens, struct buf *need)
{
    for (int32_t t = 0; t < field->n_tokens; t++) {
        if (!(tokens >> t & 1))
            continue;
        tokens &= ~(UINT32_C(1) << t);
        const int is_last = t + 1 == field->n_tokens || tokens >> (t + 1) == 0;
        buf_printf(need, "%s%s", need->n == 0 ? "" : is_last ? " or " : ", ", field->tokens[t]);
    }
    if (need->n == 0)
        buf_puts(need, "one that the model lacks");
}

static enum reason_kind wrong_token(struct reason *why, const kpred_field *field, uint32_t tokens,
                                    const char *value)
{
    struct buf need = {NULL, 0, 0};
    add_choice(field, tokens, &need);
    reason_set(why, reason_kind_of(field->name), field->name, value, need.s);
    buf_free(&need);
    return why->kind;
}

enum reason_kind reason_no_token(struct reason *why, const kpred_field *field, const char *value)
{
    return wrong_token(why, field, UINT32_MAX, value);
}

/* ---- a problem, whichever fields it has ---- */

struct view {
    const struct model *model;
    const int32_t *problem;
    struct reason *why;
    int is_forward, is_weights, is_half; /* dir is F, W; dtype is not FP32 */
    int64_t n, c, h, w, k, y, x, pad_h, pad_w, stride_h, stride_w, dil_h, dil_w, groups;
    int64_t out_h, out_w; /* of the image that the forward convolution writes */
};

/* All vocabularies begin with gpu, dir and dtype. */
static void view_tokens(struct view *z)
{
    z->is_forward = z->problem[KPRED_CONV_DIR] == KPRED_DIR_F;
    z->is_weights = z->problem[KPRED_CONV_DIR] == KPRED_DIR_W;
    z->is_half = z->problem[KPRED_CONV_DTYPE] != KPRED_DTYPE_FP32;
}

/* A kernel for one filter: 1x1, or with groups 3x3 */
static void view_conv(struct view *z)
{
    const int32_t *p = z->problem;
    const int has_groups = z->model->m.n_fields > KPRED_CONV_GROUPS;
    z->n = p[KPRED_CONV_N];
    z->c = p[KPRED_CONV_C];
    z->h = p[KPRED_CONV_H];
    z->w = p[KPRED_CONV_W];
    z->k = p[KPRED_CONV_K];
    z->y = z->x = has_groups ? 3 : 1;
    z->pad_h = z->pad_w = has_groups;
    z->stride_h = z->stride_w = p[KPRED_CONV_STRIDE];
    z->dil_h = z->dil_w = 1;
    z->groups = has_groups ? p[KPRED_CONV_GROUPS] : 1;
}

static void view_conv2d(struct view *z)
{
    const int32_t *p = z->problem;
    z->n = p[KPRED_CONV2D_N];
    z->c = p[KPRED_CONV2D_C];
    z->h = p[KPRED_CONV2D_H];
    z->w = p[KPRED_CONV2D_W];
    z->k = p[KPRED_CONV2D_K];
    z->y = p[KPRED_CONV2D_Y];
    z->x = p[KPRED_CONV2D_X];
    z->pad_h = p[KPRED_CONV2D_PAD_H];
    z->pad_w = p[KPRED_CONV2D_PAD_W];
    z->stride_h = p[KPRED_CONV2D_STRIDE_H];
    z->stride_w = p[KPRED_CONV2D_STRIDE_W];
    z->dil_h = p[KPRED_CONV2D_DIL_H];
    z->dil_w = p[KPRED_CONV2D_DIL_W];
    z->groups = p[KPRED_CONV2D_GROUPS];
}

/* A filter that does not fit: forward, MIOpen goes on as if there were a pixel. */
static int64_t side_of(const struct view *z, int64_t side, int64_t filter, int64_t pad,
                       int64_t stride, int64_t dilation)
{
    const int64_t room = side + 2 * pad - 1 - dilation * (filter - 1);
    return room < 0 ? z->is_forward : room / stride + 1;
}

static void view_problem(struct view *z)
{
    view_tokens(z);
    if (z->model->m.n_fields == KPRED_CONV2D_FIELD_COUNT)
        view_conv2d(z);
    else
        view_conv(z);
    z->out_h = side_of(z, z->h, z->y, z->pad_h, z->stride_h, z->dil_h);
    z->out_w = side_of(z, z->w, z->x, z->pad_w, z->stride_w, z->dil_w);
}

/* ---- kinds of conditions: 1, or 0 with the reason told ---- */

#define MOST (INT64_C(1) << 62) /* where products end */

static int64_t product(int64_t a, int64_t b)
{
    return a != 0 && b > MOST / a ? MOST : a * b;
}

static int must(const struct view *z, int is_met, const char *what, int64_t value, const char *fmt,
                ...) PRINTF_LIKE(5, 6);

static int must(const struct view *z, int is_met, const char *what, int64_t value, const char *fmt,
                ...)
{
    char need[64], number[32];
    va_list args;
    if (is_met)
        return 1;
    va_start(args, fmt);
    vsnprintf(need, sizeof need, fmt, args);
    va_end(args);
    snprintf(number, sizeof number, value == MOST ? "2^62 or more" : "%" PRId64, value);
    reason_set(z->why, reason_kind_of(what), what, number, need);
    return 0;
}

static int is(const struct view *z, const char *what, int64_t value, int64_t wanted)
{
    return must(z, value == wanted, what, value, "%" PRId64, wanted);
}

static int at_least(const struct view *z, const char *what, int64_t value, int64_t least)
{
    return must(z, value >= least, what, value, "at least %" PRId64, least);
}

static int at_most(const struct view *z, const char *what, int64_t value, int64_t most)
{
    return must(z, value <= most, what, value, "at most %" PRId64, most);
}

static int below(const struct view *z, const char *what, int64_t value, int64_t limit)
{
    return must(z, value < limit, what, value, "less than %" PRId64, limit);
}

/* The product of three, which may be beyond 64 bits */
static int multiple3(const struct view *z, const char *what, int64_t a, int64_t b, int64_t c,
                     int64_t of)
{
    return must(z, a % of * (b % of) % of * (c % of) % of == 0, what, product(product(a, b), c),
                "a multiple of %" PRId64, of);
}

static int multiple(const struct view *z, const char *what, int64_t value, int64_t of)
{
    return multiple3(z, what, value, 1, 1, of);
}

/* `tokens` has a bit for each that is fine. */
static int token(const struct view *z, int f, uint32_t tokens)
{
    const kpred_field *field = &z->model->m.fields[f];
    if (tokens >> z->problem[f] & 1)
        return 1;
    wrong_token(z->why, field, tokens, field->tokens[z->problem[f]]);
    return 0;
}

static int dir(const struct view *z, uint32_t tokens)
{
    return token(z, KPRED_CONV_DIR, tokens);
}

static int dtype(const struct view *z, uint32_t tokens)
{
    return token(z, KPRED_CONV_DTYPE, tokens);
}

#define F_OR_B       (1u << KPRED_DIR_F | 1u << KPRED_DIR_B)
#define F_OR_W       (1u << KPRED_DIR_F | 1u << KPRED_DIR_W)
#define FP32_OR_FP16 (1u << KPRED_DTYPE_FP32 | 1u << KPRED_DTYPE_FP16)
#define ANY_FLOAT    (FP32_OR_FP16 | 1u << KPRED_DTYPE_BF16)

/* ---- what several kernels ask ---- */

/* The filter fits, and groups divide the channels. */
static int exists(const struct view *z)
{
    return (z->is_forward
            || (at_most(z, "dil_h * (y - 1) + 1", z->dil_h * (z->y - 1) + 1, z->h + 2 * z->pad_h)
                && at_most(z, "dil_w * (x - 1) + 1", z->dil_w * (z->x - 1) + 1,
                           z->w + 2 * z->pad_w)))
           && must(z, z->c % z->groups == 0, "c", z->c, "a multiple of groups = %" PRId64,
                   z->groups)
           && must(z, z->k % z->groups == 0, "k", z->k, "a multiple of groups = %" PRId64,
                   z->groups);
}

static int filter(const struct view *z, int is_met, const char *need)
{
    char value[48];
    if (is_met)
        return 1;
    snprintf(value, sizeof value, "%" PRId64 "x%" PRId64, z->y, z->x);
    reason_set(z->why, REASON_FILTER, "filter", value, need);
    return 0;
}

static int undilated(const struct view *z)
{
    return is(z, "dil_h", z->dil_h, 1) && is(z, "dil_w", z->dil_w, 1);
}

static int nchw(const struct view *z)
{
    return token(z, KPRED_CONV2D_LAYOUT, 1u << KPRED_LAYOUT_NCHW);
}

static int same_strides(const struct view *z)
{
    return must(z, z->stride_w == z->stride_h, "stride_w", z->stride_w, "stride_h = %" PRId64,
                z->stride_h);
}

/* Backward, a kernel may have no negative pad. */
static int pads_below_filter(const struct view *z)
{
    return below(z, "pad_h", z->pad_h, z->y) && below(z, "pad_w", z->pad_w, z->x);
}

/* So many images of the size read or written */
static int below_image(const struct view *z, const char *factor, int64_t n, int is_small,
                       int64_t limit)
{
    char what[48];
    snprintf(what, sizeof what, "%s * %s", factor, is_small ? "out_h * out_w" : "h * w");
    return below(z, what, product(n, is_small ? product(z->out_h, z->out_w) : product(z->h, z->w)),
                 limit);
}

static int sizes(const struct view *z, int is_small)
{
    return below(z, "n", z->n, 1 << 16) && below(z, "c", z->c, 1 << 16)
           && below(z, "k", z->k, 1 << 16) && below_image(z, "c", z->c, is_small, 1 << 24)
           && below_image(z, "k", z->k, is_small, 1 << 24)
           && below_image(z, "n * c", product(z->n, z->c), is_small, 1 << 29)
           && below_image(z, "n * k", product(z->n, z->k), is_small, 1 << 29)
           && below(z, "c * k", product(z->c, z->k), 1 << 29);
}

/* ---- the kernels, in the order of kpred_constraints.h ---- */

/* Two values of 16 bits lie in a register. */
static int asm_1x1u_half(const struct view *z)
{
    const char *written = z->is_forward ? "k" : "c";
    const int64_t oc = z->is_forward ? z->k : z->c;
    return multiple(z, "c", z->c, 2) && multiple(z, "k", z->k, 2) && at_least(z, written, oc, 4)
           && (z->is_forward ? at_least(z, "out_h * out_w", product(z->out_h, z->out_w), 2)
                             : at_least(z, "h * w", product(z->h, z->w), 2))
           && (z->is_forward || multiple(z, written, oc, 4));
}

static int asm_1x1u(const struct view *z)
{
    return dir(z, F_OR_B) && dtype(z, FP32_OR_FP16) && at_most(z, "stride", z->stride_h, 2)
           && (!z->is_half || asm_1x1u_half(z)) && below_image(z, "c", z->c, 0, 1 << 22)
           && below_image(z, "k", z->k, 1, 1 << 22) && sizes(z, 1);
}

static int ocl_direct_fwd_1x1(const struct view *z)
{
    return dir(z, F_OR_B);
}

static int asm_bwd_wrw_1x1(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_W) && at_most(z, "stride", z->stride_h, 2) && sizes(z, 1);
}

static int asm_bwd_wrw_3x3(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_W) && dtype(z, FP32_OR_FP16) && is(z, "stride", z->stride_h, 1)
           && (!z->is_half || multiple(z, "n", z->n, 2)) && at_most(z, "w", z->w, 512)
           && below(z, "h", z->h, 1 << 16) && sizes(z, 0) && below_image(z, "c", z->c, 0, 1 << 22)
           && below_image(z, "k", z->k, 0, 1 << 22)
           && below(z, "9 * c * k", 9 * product(z->c, z->k), 1 << 29) && exists(z)
           && must(z, z->c / z->groups % 4 == 0 || z->k / z->groups % 4 == 0, "c / groups",
                   z->c / z->groups, "a multiple of 4, or k / groups = %" PRId64 " must",
                   z->k / z->groups);
}

static int asm_3x3u(const struct view *z)
{
    const int64_t ic = z->is_forward ? z->c : z->k;
    return dir(z, F_OR_B) && is(z, "y", z->y, 3) && is(z, "x", z->x, 3)
           && is(z, "pad_h", z->pad_h, 1) && is(z, "pad_w", z->pad_w, 1) && undilated(z) && nchw(z)
           && dtype(z, 1u << KPRED_DTYPE_FP32) && is(z, "stride_h", z->stride_h, 1)
           && is(z, "stride_w", z->stride_w, 1) && exists(z)
           && multiple(z, z->is_forward ? "c / groups" : "k / groups", ic / z->groups, 4)
           && at_least(z, "w", z->w, 4) && at_most(z, "w", z->w, 1000);
}

/* MIOpen has kernels for these filters; with groups, for any. */
static int ocl_direct_fwd_filter(const struct view *z)
{
    const int64_t y = z->y, x = z->x;
    const int is_fp16 = z->problem[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP16;
    const int is_bare = z->pad_h == 0;
    return filter(z,
                  z->groups > 1 || (y == x && y >= 3 && y <= 11 && y % 2 == 1)
                      || (y == 5 && (x == 10 || x == 20) && z->stride_h == 2 && is_bare)
                      || (y == 4 && x == 4 && is_fp16 && is_bare),
                  "3x3, 5x5, 7x7, 9x9 or 11x11 without groups");
}

/* Bytes of local memory that a tile of the image takes, and the weights of so many channels */
static int64_t ocl_direct_fwd_bytes(const struct view *z, int64_t tile_h, int64_t tile_w,
                                    int64_t n_written, int64_t n_read)
{
    const int64_t stride = z->stride_h, tile[] = {tile_h, tile_w}, yx[] = {z->y, z->x};
    const int64_t c = z->c / z->groups, k = z->k / z->groups;
    const int64_t ic = z->is_forward ? c : k, oc = z->is_forward ? k : c;
    const int64_t read = n_read < ic ? n_read : ic, written = n_written < oc ? n_written : oc;
    int64_t side[2];
    for (int i = 0; i < 2; i++) {
        const int64_t pixels = !z->is_forward && stride > 1 && tile[i] < 16 ? 16 : tile[i];
        side[i] = z->is_forward ? (pixels - 1) * stride + yx[i]
                                : (pixels + yx[i] - 1 + stride - 1) / stride;
    }
    const int64_t elements =
        product(product(side[0], side[1]), read) + product(product(yx[0], yx[1]), written * read);
    return product(elements < MOST ? elements : MOST, z->is_half ? 2 : 4);
}

/* A side of the tile that MIOpen takes without tuning */
static int64_t ocl_direct_fwd_tile(int64_t stride, int64_t side)
{
    const int64_t whole = side <= 8 ? 8 : side <= 16 ? 16 : 32, least = side <= 8 ? 1 : 2;
    const int64_t item = stride > least ? stride : least;
    return (whole / item > 8 ? whole / item : 8) * item;
}

/* Does the smallest tile fit, or the one of MIOpen's default? */
static int ocl_direct_fwd_fits(const struct view *z)
{
    const int64_t read[] = {z->is_forward ? z->h : z->out_h, z->is_forward ? z->w : z->out_w};
    const int64_t written[] = {z->is_forward ? z->out_h : z->h, z->is_forward ? z->out_w : z->w};
    const int64_t least =
        ocl_direct_fwd_bytes(z, written[0] >= 16 ? 16 : 8, written[1] >= 16 ? 16 : 8, 1, 1);
    const int64_t usual = ocl_direct_fwd_bytes(z, ocl_direct_fwd_tile(z->stride_h, read[0]),
                                               ocl_direct_fwd_tile(z->stride_h, read[1]), 8, 2);
    return at_most(z, "LDS bytes of a tile and weights", least < usual ? least : usual,
                   KPRED_GCN_LDS_BYTES);
}

/* Backward, pads are smaller than the filter. Forward, FP16 has no stride. */
static int ocl_direct_fwd_limits(const struct view *z)
{
    if (!z->is_forward)
        return pads_below_filter(z);
    return z->problem[KPRED_CONV_DTYPE] != KPRED_DTYPE_FP16
           || must(z, z->stride_h == 1, "stride_h", z->stride_h, "1 forward in FP16");
}

static int ocl_direct_fwd(const struct view *z)
{
    return dir(z, F_OR_B)
           && must(z, z->pad_w == z->pad_h, "pad_w", z->pad_w, "pad_h = %" PRId64, z->pad_h)
           && undilated(z) && nchw(z) && dtype(z, ANY_FLOAT)
           && at_most(z, "stride_h", z->stride_h, 2) && same_strides(z) && exists(z)
           && ocl_direct_fwd_limits(z) && ocl_direct_fwd_filter(z) && ocl_direct_fwd_fits(z);
}

static int winograd_sizes(const struct view *z)
{
    const struct {
        const char *what;
        int64_t value;
    } sizes[] = {{"n", z->n},
                 {"c / groups", z->c / z->groups},
                 {"h", z->h},
                 {"w", z->w},
                 {"k / groups", z->k / z->groups},
                 {"y", z->y},
                 {"x", z->x},
                 {"pad_h", z->pad_h},
                 {"pad_w", z->pad_w},
                 {"out_h", z->out_h},
                 {"out_w", z->out_w}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!below(z, sizes[i].what, sizes[i].value, 1 << 16))
            return 0;
    return 1;
}

/* Of what is written, and of all with channels; backward weights, these are images. */
static int winograd_products(const struct view *z)
{
    const int wrw = z->is_weights, most = 1 << 28;
    const int64_t image = z->h * z->w, out = z->out_h * z->out_w, yx = z->y * z->x;
    const int64_t terms = wrw ? z->n : z->c / z->groups, k = z->k / z->groups;
    const char *written = z->is_forward ? "out_h * out_w" : wrw ? "y * x" : "h * w";
    return at_most(z, written,
                   z->is_forward ? out
                   : wrw         ? yx
                                 : image,
                   1 << 23)
           && at_most(z, wrw ? "n * h * w" : "c / groups * h * w", terms * image, most)
           && at_most(z, wrw ? "n * out_h * out_w" : "c / groups * y * x", terms * (wrw ? out : yx),
                      most)
           && at_most(z, "k / groups * out_h * out_w", k * out, most)
           && at_most(z, "k / groups * y * x", k * yx, most);
}

static int winograd(const struct view *z, int64_t most_stride)
{
    const int is_gfx900 = z->problem[KPRED_CONV_GPU] == KPRED_GPU_GFX900_56;
    const int is_backward = !z->is_forward && !z->is_weights;
    return undilated(z) && nchw(z) && dtype(z, is_gfx900 ? 1u << KPRED_DTYPE_FP32 : FP32_OR_FP16)
           && at_most(z, "stride_h", z->stride_h, z->is_weights ? 1 : most_stride)
           && same_strides(z) && exists(z) && (!is_backward || pads_below_filter(z))
           && winograd_sizes(z) && winograd_products(z);
}

static int bin_winograd_rxs(const struct view *z)
{
    return winograd(z, 2);
}

static int bin_winograd_rxs_f3x2(const struct view *z)
{
    const int32_t gpu = z->problem[KPRED_CONV_GPU];
    return winograd(z, gpu == KPRED_GPU_GFX906_60 || gpu == KPRED_GPU_GFX942130 ? 2 : 1);
}

/* Blocks of 8 pixels and 32 filters, or of 16 and 16. Backward weights, channels take the place of
   images, and the filter exchanges its with the small image. */
static int hip_igemm_v4r1_blocks(const struct view *z)
{
    const int wrw = z->is_weights;
    const int64_t n = wrw ? z->c / z->groups : z->n, c = wrw ? z->n : z->c / z->groups;
    const int64_t h = wrw ? z->y : z->out_h, w = wrw ? z->x : z->out_w;
    const int64_t y = wrw ? z->out_h : z->y, x = wrw ? z->out_w : z->x;
    const int64_t k = z->k / z->groups;
    const char *pixels = wrw ? "c / groups / 4 * y * x" : "n / 4 * out_h * out_w";
    const char *terms = wrw          ? z->is_half ? "n / 2 * out_h * out_w" : "n * out_h * out_w"
                        : z->is_half ? "c / groups / 2 * y * x"
                                     : "c / groups * y * x";
    return multiple(z, wrw ? "c / groups" : "n", n, 4) && multiple(z, "k / groups", k, 16)
           && multiple3(z, pixels, n / 4, h, w, 8)
           && multiple3(z, terms, z->is_half ? c / 2 : c, y, x, 4)
           && (k % 32 == 0 || multiple3(z, pixels, n / 4, h, w, 16));
}

static int hip_igemm_v4r1(const struct view *z)
{
    return dir(z, F_OR_W) && nchw(z) && dtype(z, ANY_FLOAT) && exists(z)
           && hip_igemm_v4r1_blocks(z);
}

static int hip_igemm_v4r1_wrw(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_W) && hip_igemm_v4r1(z);
}

/* A matrix product of blocks of at least 32 x 32, and four terms of its sums at a time */
static int igemm_blocks(const struct view *z)
{
    const int is_backward = !z->is_forward && !z->is_weights;
    return is(z, "groups", z->groups, 1) && exists(z)
           && multiple(z, is_backward && z->is_half ? "k / 2" : "k",
                       is_backward && z->is_half ? z->k / 2 : z->k, is_backward ? 4 : 32)
           && multiple3(z, "c * y * x", z->c, z->y, z->x, z->is_forward ? 4 : 32)
           && multiple3(z, "n * out_h * out_w", z->n, z->out_h, z->out_w, z->is_weights ? 4 : 32);
}

static int hip_igemm_bwd_v1r1(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_B) && nchw(z) && dtype(z, ANY_FLOAT) && igemm_blocks(z);
}

static int hip_igemm_v4r4(const struct view *z)
{
    return dir(z, F_OR_W) && nchw(z) && dtype(z, 1u << KPRED_DTYPE_FP32) && igemm_blocks(z);
}

static int hip_igemm_v4r4_wrw(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_W) && hip_igemm_v4r4(z);
}

static int mlir_igemm(const struct view *z)
{
    return exists(z);
}

static int mlir_igemm_bwd(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_B) && exists(z);
}

static int mlir_igemm_wrw(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_W) && exists(z);
}

static int ocl_bwd_wrw2(const struct view *z)
{
    return dir(z, 1u << KPRED_DIR_W) && at_least(z, "y", z->y, 2) && at_most(z, "y", z->y, 11)
           && undilated(z) && nchw(z) && dtype(z, ANY_FLOAT) && same_strides(z) && exists(z);
}

/* ---- kernels in a table: what the least demanding of them asks ---- */

static int is_point(const struct view *z)
{
    return z->y == 1 && z->x == 1 && z->pad_h == 0 && z->pad_w == 0 && z->stride_h == 1
           && z->stride_w == 1 && z->dil_h == 1 && z->dil_w == 1;
}

static int igemm_gtc_vectors(const struct view *z)
{
    const kpred_gtc_kernels *kernels = &z->model->kernels;
    const int64_t c = z->c / z->groups, k = z->k / z->groups;
    int least_k = 16, least_c = 16; /* powers of two */
    for (int32_t i = 0; i < kernels->n; i++) {
        const int word = kernels->words[i], of_c = word >> 4 & 15, of_k = word >> 8 & 15;
        if ((word & 1) != z->is_half || !(word & 2 || is_point(z)))
            continue;
        if (of_k < least_k)
            least_k = of_k;
        if (k % (1 << of_k) == 0 && of_c < least_c)
            least_c = of_c;
    }
    return filter(z, least_k < 16, "1x1, with pads 0, strides 1 and dilations 1")
           && multiple(z, "k / groups", k, 1 << least_k)
           && multiple(z, "c / groups", c, 1 << least_c);
}

static int igemm_gtc(const struct view *z)
{
    return dir(z, 1u << z->model->kernels.dir) && dtype(z, FP32_OR_FP16) && exists(z)
           && igemm_gtc_vectors(z);
}

/* ---- by the rule's name ---- */

#define RULE_NAME "kpred_rule_conv_"

static const struct {
    const char *rule; /* behind RULE_NAME */
    int (*is_met)(const struct view *z);
} conditions[] = {
    {"asm_1x1u", asm_1x1u},
    {"ocl_direct_fwd_1x1", ocl_direct_fwd_1x1},
    {"asm_bwd_wrw_1x1", asm_bwd_wrw_1x1},
    {"asm_bwd_wrw_3x3", asm_bwd_wrw_3x3},
    {"asm_3x3u", asm_3x3u},
    {"ocl_direct_fwd", ocl_direct_fwd},
    {"bin_winograd_rxs", bin_winograd_rxs},
    {"bin_winograd_rxs_f3x2", bin_winograd_rxs_f3x2},
    {"hip_igemm_v4r1", hip_igemm_v4r1},
    {"hip_igemm_v4r1_wrw", hip_igemm_v4r1_wrw},
    {"hip_igemm_bwd_v1r1", hip_igemm_bwd_v1r1},
    {"hip_igemm_v4r4", hip_igemm_v4r4},
    {"hip_igemm_v4r4_wrw", hip_igemm_v4r4_wrw},
    {"mlir_igemm", mlir_igemm},
    {"mlir_igemm_bwd", mlir_igemm_bwd},
    {"mlir_igemm_wrw", mlir_igemm_wrw},
    {"ocl_bwd_wrw2", ocl_bwd_wrw2},
    {"igemm_gtc_fwd", igemm_gtc},
    {"igemm_gtc_bwd", igemm_gtc},
    {"igemm_gtc_wrw", igemm_gtc},
};

enum { MAX_STEPS = 1 << 22 }; /* of the search for a tuple: about a second */

/* Of [restrict]: the first clause that no tuple makes true. */
static enum reason_kind find_clause(const struct model *model, const int32_t *problem,
                                    struct reason *why)
{
    size_t steps = MAX_STEPS;
    if (any_tuple(&model->clauses, model->spec, problem, &steps) != 0)
        return REASON_NONE;
    const struct clause *c = any_tuple_culprit(&model->clauses, model->spec, problem, &steps);
    return reason_set(why, REASON_SIZE, c != NULL ? c->text : "all conditions of the rule together",
                      c != NULL && c->params == 0 ? "False" : "False for all tuples", "True");
}

/* Of a listed rule: the data have no tuple for the problem's tokens. */
static enum reason_kind find_list(const struct model *model, const int32_t *problem,
                                  struct reason *why)
{
    const struct listed_by *by = &model->lists;
    struct buf names = {NULL, 0, 0}, tokens = {NULL, 0, 0};
    if (by->set[listed_combination(by, problem)])
        return REASON_NONE;
    for (size_t i = 0; i < by->n_fields; i++) {
        const kpred_field *f = &model->fields[by->field[i]];
        buf_printf(&names, "%s%s", i ? ", " : "", f->name);
        buf_printf(&tokens, "%s%s", i ? ", " : "", f->tokens[problem[by->field[i]]]);
    }
    reason_set(why, by->n_fields == 1 ? reason_kind_of(names.s) : REASON_SIZE, names.s, tokens.s,
               by->n_fields == 1 ? "one with listed tuples" : "a combination with listed tuples");
    buf_free(&names);
    buf_free(&tokens);
    return why->kind;
}

enum reason_kind reason_find(const struct model *model, const int32_t *problem, struct reason *why)
{
    const char *name = model->m.rule_name;
    struct view z = {.model = model, .problem = problem, .why = why};
    memset(why, 0, sizeof *why);
    if (model->clauses.n || model->clauses.kernels)
        return find_clause(model, problem, why);
    if (model->lists.set)
        return find_list(model, problem, why);
    if (strncmp(name, RULE_NAME, sizeof RULE_NAME - 1) != 0)
        return REASON_NONE; /* one for all problems */
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (!strcmp(name + sizeof RULE_NAME - 1, conditions[i].rule)) {
            view_problem(&z);
            conditions[i].is_met(&z);
        }
    return why->kind;
}
