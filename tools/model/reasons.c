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
};

#define MOST (INT64_C(1) << 62) /* where products end */

static int64_t product(int64_t a, int64_t b)
{
    return a != 0 && b > MOST / a ? MOST : a * b;
}

/* Of a kernel for one filter, which lacks the field: 1x1, or with groups 3x3. */
static int64_t missing_field(const struct view *z, const char *name)
{
    const int is_3x3 = z->model->m.n_fields > KPRED_CONV_GROUPS;
    if (!strncmp(name, "stride", 6))
        return z->problem[KPRED_CONV_STRIDE];
    return !strncmp(name, "pad", 3) ? is_3x3 : is_3x3 && (*name == 'y' || *name == 'x') ? 3 : 1;
}

static int64_t field_value(const struct view *z, const char *name, size_t n)
{
    const kpred_model *m = &z->model->m;
    for (uint32_t f = 0; f < m->n_fields; f++)
        if (!strncmp(m->fields[f].name, name, n) && !m->fields[f].name[n])
            return z->problem[f];
    return missing_field(z, name);
}

/* A side of the image that the forward convolution writes. A filter that does not fit: forward,
   MIOpen goes on as if there were a pixel. */
static int64_t out_side(const struct view *z, int is_w)
{
    const int64_t side = field_value(z, is_w ? "w" : "h", 1);
    const int64_t filter = field_value(z, is_w ? "x" : "y", 1);
    const int64_t pad = field_value(z, is_w ? "pad_w" : "pad_h", 5);
    const int64_t stride = field_value(z, is_w ? "stride_w" : "stride_h", 8);
    const int64_t dilation = field_value(z, is_w ? "dil_w" : "dil_h", 5);
    const int64_t room = side + 2 * pad - 1 - dilation * (filter - 1);
    return room < 0 ? z->is_forward : room / stride + 1;
}

/* What the words are for the problem: "h", "9 * c * k", "c / groups * out_h * out_w". They divide
   before they multiply. *rest is what a division by `by` leaves, also where the product ends. */
static int64_t value_rest(const struct view *z, const char *what, int64_t by, int64_t *rest)
{
    int64_t all = 1;
    *rest = 1;
    for (char op = '*'; op != '\0';) {
        const size_t n = strcspn(what, " ");
        const int64_t x = *what >= '0' && *what <= '9' ? *what - '0'
                          : !strncmp(what, "out_h", n) ? out_side(z, 0)
                          : !strncmp(what, "out_w", n) ? out_side(z, 1)
                                                       : field_value(z, what, n);
        all = op == '/' ? all / x : product(all, x);
        *rest = op == '/' ? all % by : *rest * (x % by) % by;
        op = what[n] ? what[n + 1] : '\0';
        what += n + (op ? 3 : 0);
    }
    return all;
}

static int64_t value(const struct view *z, const char *what)
{
    int64_t rest;
    return value_rest(z, what, 1, &rest);
}

/* ---- kinds of conditions: 1, or 0 with the reason told ---- */

PRINTF_LIKE(5, 6)
static int must(const struct view *z, int is_met, const char *what, int64_t x, const char *fmt, ...)
{
    char need[64], number[32];
    va_list args;
    if (is_met)
        return 1;
    va_start(args, fmt);
    vsnprintf(need, sizeof need, fmt, args);
    va_end(args);
    snprintf(number, sizeof number, x == MOST ? "2^62 or more" : "%" PRId64, x);
    reason_set(z->why, reason_kind_of(what), what, number, need);
    return 0;
}

enum demand { IS, AT_LEAST, AT_MOST, BELOW, MULTIPLE };

static int must_be(const struct view *z, const char *what, enum demand demand, int64_t k)
{
    static const char *const words[] = {"", "at least ", "at most ", "less than ",
                                        "a multiple of "};
    int64_t rest;
    const int64_t x = value_rest(z, what, demand == MULTIPLE ? k : 1, &rest);
    const int is_met[] = {x == k, x >= k, x <= k, x < k, rest == 0};
    return must(z, is_met[demand], what, x, "%s%" PRId64, words[demand], k);
}

#define is(z, what, wanted)      must_be(z, what, IS, wanted)
#define at_least(z, what, least) must_be(z, what, AT_LEAST, least)
#define at_most(z, what, most)   must_be(z, what, AT_MOST, most)
#define below(z, what, limit)    must_be(z, what, BELOW, limit)
#define multiple(z, what, of)    must_be(z, what, MULTIPLE, of)

/* `tokens` has a bit for each that is fine. */
static int token(const struct view *z, int f, uint32_t tokens)
{
    const kpred_field *field = &z->model->m.fields[f];
    if (tokens >> z->problem[f] & 1)
        return 1;
    wrong_token(z->why, field, tokens, field->tokens[z->problem[f]]);
    return 0;
}

static int dtype(const struct view *z, uint32_t tokens)
{
    return token(z, KPRED_CONV_DTYPE, tokens);
}

#define FP32_OR_FP16 (1u << KPRED_DTYPE_FP32 | 1u << KPRED_DTYPE_FP16)
#define ANY_FLOAT    (FP32_OR_FP16 | 1u << KPRED_DTYPE_BF16)

/* ---- what several kernels ask ---- */

static int fits(const struct view *z, const char *what, int64_t dilation, int64_t filter,
                int64_t padded)
{
    const int64_t x = dilation * (filter - 1) + 1;
    return must(z, x <= padded, what, x, "at most %" PRId64, padded);
}

static int in_groups(const struct view *z, const char *what)
{
    const int64_t x = value(z, what), groups = value(z, "groups");
    return must(z, x % groups == 0, what, x, "a multiple of groups = %" PRId64, groups);
}

/* The filter fits, and groups divide the channels. */
static int exists(const struct view *z)
{
    return (z->is_forward
            || (fits(z, "dil_h * (y - 1) + 1", value(z, "dil_h"), value(z, "y"),
                     value(z, "h") + 2 * value(z, "pad_h"))
                && fits(z, "dil_w * (x - 1) + 1", value(z, "dil_w"), value(z, "x"),
                        value(z, "w") + 2 * value(z, "pad_w"))))
           && in_groups(z, "c") && in_groups(z, "k");
}

static int filter(const struct view *z, int is_met, const char *need)
{
    char text[48];
    if (is_met)
        return 1;
    snprintf(text, sizeof text, "%" PRId64 "x%" PRId64, value(z, "y"), value(z, "x"));
    reason_set(z->why, REASON_FILTER, "filter", text, need);
    return 0;
}

static int undilated(const struct view *z)
{
    return is(z, "dil_h", 1) && is(z, "dil_w", 1);
}

static int nchw(const struct view *z)
{
    return token(z, KPRED_CONV2D_LAYOUT, 1u << KPRED_LAYOUT_NCHW);
}

/* The field for w is that for h. */
static int same_sides(const struct view *z, const char *w, const char *h)
{
    return must(z, value(z, w) == value(z, h), w, value(z, w), "%s = %" PRId64, h, value(z, h));
}

static int same_strides(const struct view *z)
{
    return same_sides(z, "stride_w", "stride_h");
}

/* Backward, a kernel may have no negative pad. */
static int pads_below_filter(const struct view *z)
{
    return below(z, "pad_h", value(z, "y")) && below(z, "pad_w", value(z, "x"));
}

/* So many images of the size read or written */
static int below_image(const struct view *z, const char *factor, int is_small, int64_t limit)
{
    char what[48];
    snprintf(what, sizeof what, "%s * %s", factor, is_small ? "out_h * out_w" : "h * w");
    return below(z, what, limit);
}

static int sizes(const struct view *z, int is_small)
{
    return below(z, "n", 1 << 16) && below(z, "c", 1 << 16) && below(z, "k", 1 << 16)
           && below_image(z, "c", is_small, 1 << 24) && below_image(z, "k", is_small, 1 << 24)
           && below_image(z, "n * c", is_small, 1 << 29)
           && below_image(z, "n * k", is_small, 1 << 29) && below(z, "c * k", 1 << 29);
}

/* ---- the kernels, in the order of kpred_constraints.h ---- */

/* Two values of 16 bits lie in a register. */
static int asm_1x1u_half(const struct view *z)
{
    const char *written = z->is_forward ? "k" : "c";
    return multiple(z, "c", 2) && multiple(z, "k", 2) && at_least(z, written, 4)
           && at_least(z, z->is_forward ? "out_h * out_w" : "h * w", 2)
           && (z->is_forward || multiple(z, written, 4));
}

static int asm_1x1u(const struct view *z)
{
    return dtype(z, FP32_OR_FP16) && at_most(z, "stride", 2) && (!z->is_half || asm_1x1u_half(z))
           && below_image(z, "c", 0, 1 << 22) && below_image(z, "k", 1, 1 << 22) && sizes(z, 1);
}

static int asm_bwd_wrw_1x1(const struct view *z)
{
    return at_most(z, "stride", 2) && sizes(z, 1);
}

static int asm_bwd_wrw_3x3(const struct view *z)
{
    const int64_t c = value(z, "c / groups"), k = value(z, "k / groups");
    return dtype(z, FP32_OR_FP16) && is(z, "stride", 1) && (!z->is_half || multiple(z, "n", 2))
           && at_most(z, "w", 512) && below(z, "h", 1 << 16) && sizes(z, 0)
           && below_image(z, "c", 0, 1 << 22) && below_image(z, "k", 0, 1 << 22)
           && below(z, "9 * c * k", 1 << 29) && exists(z)
           && must(z, c % 4 == 0 || k % 4 == 0, "c / groups", c,
                   "a multiple of 4, or k / groups = %" PRId64 " must", k);
}

static int asm_3x3u(const struct view *z)
{
    return is(z, "y", 3) && is(z, "x", 3) && is(z, "pad_h", 1) && is(z, "pad_w", 1) && undilated(z)
           && nchw(z) && dtype(z, 1u << KPRED_DTYPE_FP32) && is(z, "stride_h", 1)
           && is(z, "stride_w", 1) && exists(z)
           && multiple(z, z->is_forward ? "c / groups" : "k / groups", 4) && at_least(z, "w", 4)
           && at_most(z, "w", 1000);
}

/* MIOpen has kernels for these filters; with groups, for any. */
static int ocl_direct_fwd_filter(const struct view *z)
{
    const int64_t y = value(z, "y"), x = value(z, "x");
    const int is_fp16 = z->problem[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP16;
    const int is_bare = value(z, "pad_h") == 0;
    return filter(z,
                  value(z, "groups") > 1 || (y == x && y >= 3 && y <= 11 && y % 2 == 1)
                      || (y == 5 && (x == 10 || x == 20) && value(z, "stride_h") == 2 && is_bare)
                      || (y == 4 && x == 4 && is_fp16 && is_bare),
                  "3x3, 5x5, 7x7, 9x9 or 11x11 without groups");
}

/* Bytes of local memory that a tile of the image takes, and the weights of so many channels */
static int64_t ocl_direct_fwd_bytes(const struct view *z, const int64_t tile[2], int64_t n_written,
                                    int64_t n_read)
{
    const int64_t stride = value(z, "stride_h"), yx[] = {value(z, "y"), value(z, "x")};
    const int64_t ic = value(z, z->is_forward ? "c / groups" : "k / groups");
    const int64_t oc = value(z, z->is_forward ? "k / groups" : "c / groups");
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
    const int64_t stride = value(z, "stride_h");
    int64_t smallest[2], usual[2];
    for (int i = 0; i < 2; i++) {
        const int64_t side = value(z, i ? "w" : "h"), out = out_side(z, i);
        smallest[i] = (z->is_forward ? out : side) >= 16 ? 16 : 8;
        usual[i] = ocl_direct_fwd_tile(stride, z->is_forward ? side : out);
    }
    const int64_t a = ocl_direct_fwd_bytes(z, smallest, 1, 1);
    const int64_t b = ocl_direct_fwd_bytes(z, usual, 8, 2), least = a < b ? a : b;
    return must(z, least <= KPRED_GCN_LDS_BYTES, "LDS bytes of a tile and weights", least,
                "at most %d", KPRED_GCN_LDS_BYTES);
}

/* Backward, pads are smaller than the filter. Forward, FP16 has no stride. */
static int ocl_direct_fwd_limits(const struct view *z)
{
    const int64_t stride = value(z, "stride_h");
    if (!z->is_forward)
        return pads_below_filter(z);
    return z->problem[KPRED_CONV_DTYPE] != KPRED_DTYPE_FP16
           || must(z, stride == 1, "stride_h", stride, "1 forward in FP16");
}

static int ocl_direct_fwd(const struct view *z)
{
    return same_sides(z, "pad_w", "pad_h") && undilated(z) && nchw(z) && dtype(z, ANY_FLOAT)
           && at_most(z, "stride_h", 2) && same_strides(z) && exists(z) && ocl_direct_fwd_limits(z)
           && ocl_direct_fwd_filter(z) && ocl_direct_fwd_fits(z);
}

static int winograd_sizes(const struct view *z)
{
    static const char *const of[] = {"n", "c / groups", "h",     "w",     "k / groups", "y",
                                     "x", "pad_h",      "pad_w", "out_h", "out_w"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!below(z, of[i], 1 << 16))
            return 0;
    return 1;
}

/* Of what is written, and of all with channels; backward weights, these are images. */
static int winograd_products(const struct view *z)
{
    const int wrw = z->is_weights, most = 1 << 28;
    return at_most(z,
                   z->is_forward ? "out_h * out_w"
                   : wrw         ? "y * x"
                                 : "h * w",
                   1 << 23)
           && at_most(z, wrw ? "n * h * w" : "c / groups * h * w", most)
           && at_most(z, wrw ? "n * out_h * out_w" : "c / groups * y * x", most)
           && at_most(z, "k / groups * out_h * out_w", most)
           && at_most(z, "k / groups * y * x", most);
}

static int winograd(const struct view *z, int64_t most_stride)
{
    const int is_gfx900 = z->problem[KPRED_CONV_GPU] == KPRED_GPU_GFX900_56;
    const int is_backward = !z->is_forward && !z->is_weights;
    return undilated(z) && nchw(z) && dtype(z, is_gfx900 ? 1u << KPRED_DTYPE_FP32 : FP32_OR_FP16)
           && at_most(z, "stride_h", z->is_weights ? 1 : most_stride) && same_strides(z)
           && exists(z) && (!is_backward || pads_below_filter(z)) && winograd_sizes(z)
           && winograd_products(z);
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
static int hip_igemm_v4r1(const struct view *z)
{
    const int wrw = z->is_weights;
    const char *pixels = wrw ? "c / groups / 4 * y * x" : "n / 4 * out_h * out_w";
    const char *terms = wrw          ? z->is_half ? "n / 2 * out_h * out_w" : "n * out_h * out_w"
                        : z->is_half ? "c / groups / 2 * y * x"
                                     : "c / groups * y * x";
    return nchw(z) && dtype(z, ANY_FLOAT) && exists(z) && multiple(z, wrw ? "c / groups" : "n", 4)
           && multiple(z, "k / groups", 16) && multiple(z, pixels, 8) && multiple(z, terms, 4)
           && (value(z, "k / groups") % 32 == 0 || multiple(z, pixels, 16));
}

/* A matrix product of blocks of at least 32 x 32, and four terms of its sums at a time */
static int igemm_blocks(const struct view *z)
{
    const int is_backward = !z->is_forward && !z->is_weights;
    return is(z, "groups", 1) && exists(z)
           && multiple(z, is_backward && z->is_half ? "k / 2" : "k", is_backward ? 4 : 32)
           && multiple(z, "c * y * x", z->is_forward ? 4 : 32)
           && multiple(z, "n * out_h * out_w", z->is_weights ? 4 : 32);
}

static int hip_igemm_bwd_v1r1(const struct view *z)
{
    return nchw(z) && dtype(z, ANY_FLOAT) && igemm_blocks(z);
}

static int hip_igemm_v4r4(const struct view *z)
{
    return nchw(z) && dtype(z, 1u << KPRED_DTYPE_FP32) && igemm_blocks(z);
}

static int ocl_bwd_wrw2(const struct view *z)
{
    return at_least(z, "y", 2) && at_most(z, "y", 11) && undilated(z) && nchw(z)
           && dtype(z, ANY_FLOAT) && same_strides(z) && exists(z);
}

/* ---- kernels in a table: what the least demanding of them asks ---- */

static int is_point(const struct view *z)
{
    static const char *const ones[] = {"y", "x", "stride_h", "stride_w", "dil_h", "dil_w"};
    int all = value(z, "pad_h") == 0 && value(z, "pad_w") == 0;
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        all &= value(z, ones[i]) == 1;
    return all;
}

static int igemm_gtc_vectors(const struct view *z)
{
    const kpred_gtc_kernels *kernels = &z->model->kernels;
    const int64_t k = value(z, "k / groups");
    const int point = is_point(z);
    int least_k = 16, least_c = 16; /* powers of two */
    for (int32_t i = 0; i < kernels->n; i++) {
        const int word = kernels->words[i], of_c = word >> 4 & 15, of_k = word >> 8 & 15;
        if ((word & 1) != z->is_half || !(word & 2 || point))
            continue;
        if (of_k < least_k)
            least_k = of_k;
        if (k % (1 << of_k) == 0 && of_c < least_c)
            least_c = of_c;
    }
    return filter(z, least_k < 16, "1x1, with pads 0, strides 1 and dilations 1")
           && multiple(z, "k / groups", 1 << least_k) && multiple(z, "c / groups", 1 << least_c);
}

static int igemm_gtc(const struct view *z)
{
    return dtype(z, FP32_OR_FP16) && exists(z) && igemm_gtc_vectors(z);
}

/* ---- by the rule's name ---- */

#define RULE_NAME "kpred_rule_conv_"

enum { F = 1 << KPRED_DIR_F, B = 1 << KPRED_DIR_B, W = 1 << KPRED_DIR_W };

static const struct conditions {
    const char *rule; /* behind RULE_NAME */
    uint32_t dirs;
    int (*is_met)(const struct view *z); /* all else; NULL: nothing */
} conditions[] = {
    {"asm_1x1u", F | B, asm_1x1u},
    {"ocl_direct_fwd_1x1", F | B, NULL},
    {"asm_bwd_wrw_1x1", W, asm_bwd_wrw_1x1},
    {"asm_bwd_wrw_3x3", W, asm_bwd_wrw_3x3},
    {"asm_3x3u", F | B, asm_3x3u},
    {"ocl_direct_fwd", F | B, ocl_direct_fwd},
    {"bin_winograd_rxs", F | B | W, bin_winograd_rxs},
    {"bin_winograd_rxs_f3x2", F | B | W, bin_winograd_rxs_f3x2},
    {"hip_igemm_v4r1", F | W, hip_igemm_v4r1},
    {"hip_igemm_v4r1_wrw", W, hip_igemm_v4r1},
    {"hip_igemm_bwd_v1r1", B, hip_igemm_bwd_v1r1},
    {"hip_igemm_v4r4", F | W, hip_igemm_v4r4},
    {"hip_igemm_v4r4_wrw", W, hip_igemm_v4r4},
    {"mlir_igemm", F | B | W, exists},
    {"mlir_igemm_bwd", B, exists},
    {"mlir_igemm_wrw", W, exists},
    {"ocl_bwd_wrw2", W, ocl_bwd_wrw2},
    {"igemm_gtc_fwd", F, igemm_gtc},
    {"igemm_gtc_bwd", B, igemm_gtc},
    {"igemm_gtc_wrw", W, igemm_gtc},
};

/* All vocabularies begin with gpu, dir and dtype. */
static enum reason_kind find_condition(const struct model *model, const int32_t *problem,
                                       struct reason *why, const struct conditions *c)
{
    struct view z = {.model = model, .problem = problem, .why = why};
    z.is_forward = problem[KPRED_CONV_DIR] == KPRED_DIR_F;
    z.is_weights = problem[KPRED_CONV_DIR] == KPRED_DIR_W;
    z.is_half = problem[KPRED_CONV_DTYPE] != KPRED_DTYPE_FP32;
    if (token(&z, KPRED_CONV_DIR, c->dirs) && c->is_met)
        c->is_met(&z);
    return why->kind;
}

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
    memset(why, 0, sizeof *why);
    if (model->clauses.n || model->clauses.kernels)
        return find_clause(model, problem, why);
    if (model->lists.set)
        return find_list(model, problem, why);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (!strncmp(name, RULE_NAME, sizeof RULE_NAME - 1)
            && !strcmp(name + sizeof RULE_NAME - 1, conditions[i].rule))
            return find_condition(model, problem, why, conditions + i);
    return REASON_NONE; /* one for all problems */
}
