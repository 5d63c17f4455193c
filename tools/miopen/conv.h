/* conv.h - a convolution: its key in MIOpen's databases, as a problem, and as users write it
   SPDX-License-Identifier: MIT

   A key is  ic-ih-iw-FHxFW-oc-oh-ow-n-PHxPW-SHxSW-DHxDW-bias-layout-dtype-direction  and, if the
   groups are not 1 or tensors are cast, a suffix such as _g32 or _ciFP8. 3-D keys have a depth
   before each height; a layout other than NCHW (NCDHW) stands there three times, for both images
   and the weights. For the backward directions the key is swapped: ic, ih and iw are those of the
   image that the forward convolution writes, oc, oh and ow of the one that it reads. */
#pragma once

#include "base/opts.h"
#include "model/reasons.h"

enum { CONV_TEXT = 24, CONV_CASTS = 64 };

/* A convolution in the user's view: sizes belong to the forward convolution, whatever the
   direction. Arrays of three are depth, height, width; in a 2-D convolution the depth is 1 and its
   pad 0. */
struct conv {
    int dims; /* 2 or 3 */
    char dir; /* F, B (data) or W (weights) */
    char dtype[CONV_TEXT];
    char layout[3][CONV_TEXT]; /* of input, weights, output */
    int64_t n, c, k, groups, bias;
    int64_t in[3], out[3];
    int64_t filter[3], pad[3], stride[3], dilation[3];
    char casts[CONV_CASTS]; /* suffixes for cast tensors, "_ciFP8"; "" for none */
};

/* The 2-D 1x1 FP32 forward convolution of one pixel, to be filled in. */
void conv_init(struct conv *c);

/* The size of the image that a forward convolution writes; 0 if the filter does not fit. */
int64_t conv_out_size(int64_t in, int64_t filter, int64_t pad, int64_t stride, int64_t dilation);
/* The largest size of an image from which it makes one of size `out`. */
int64_t conv_in_size(int64_t out, int64_t filter, int64_t pad, int64_t stride, int64_t dilation);

/* Reads a key of n characters; 0, or with `why` it is none -1, or 1 if all that is wrong is that no
   convolution with the filter makes the one image's size out of the other's. */
int conv_parse_key(const char *key, size_t n, struct conv *c, char why[96]);
/* Adds the key to `b`. */
void conv_add_key(const struct conv *c, struct buf *b);

/* ---- as a problem of a spec ---- */

/* Which of a spec's fields mean what; see conv_sources. What a spec has no field for, it covers at
   one value only: y and x at [data]'s filter, pad_h and pad_w at its pad, strides, dilations and
   groups at 1, layout at the usual one (NCHW, of 3-D NCDHW); without d and z it covers 2-D
   convolutions only. `stride` is the stride of both h and w; stride_h and stride_w may stand in
   its place. A 2-D convolution has 1 for d, z, stride_d and dil_d, and 0 for pad_d. MIOpen measures
   a 3-D one of these sizes apart, and only the layout tells the two from each other. So its tokens
   are the names in the keys (NCHW and NCDHW, NHWC and NDHWC). */
/* EACH(which, name, is it a token? may a spec lack it? where a size is in struct conv) */
#define CONV_SOURCES(EACH)                      \
    EACH(GPU, "gpu", 1, 1, dir)                 \
    EACH(DIR, "dir", 1, 0, dir)                 \
    EACH(DTYPE, "dtype", 1, 0, dtype)           \
    EACH(N, "n", 0, 0, n)                       \
    EACH(C, "c", 0, 0, c)                       \
    EACH(H, "h", 0, 0, in[1])                   \
    EACH(W, "w", 0, 0, in[2])                   \
    EACH(K, "k", 0, 0, k)                       \
    EACH(STRIDE, "stride", 0, 1, stride[1])     \
    EACH(GROUPS, "groups", 0, 1, groups)        \
    EACH(LAYOUT, "layout", 1, 1, layout)        \
    EACH(D, "d", 0, 1, in[0])                   \
    EACH(Z, "z", 0, 1, filter[0])               \
    EACH(Y, "y", 0, 1, filter[1])               \
    EACH(X, "x", 0, 1, filter[2])               \
    EACH(PAD_D, "pad_d", 0, 1, pad[0])          \
    EACH(PAD_H, "pad_h", 0, 1, pad[1])          \
    EACH(PAD_W, "pad_w", 0, 1, pad[2])          \
    EACH(STRIDE_D, "stride_d", 0, 1, stride[0]) \
    EACH(STRIDE_H, "stride_h", 0, 1, stride[1]) \
    EACH(STRIDE_W, "stride_w", 0, 1, stride[2]) \
    EACH(DIL_D, "dil_d", 0, 1, dilation[0])     \
    EACH(DIL_H, "dil_h", 0, 1, dilation[1])     \
    EACH(DIL_W, "dil_w", 0, 1, dilation[2])

#define CONV_SOURCE(which, name, is_token, is_optional, member) CONV_##which,
enum conv_source { CONV_SOURCES(CONV_SOURCE) CONV_N_SOURCES };
#undef CONV_SOURCE

extern const struct conv_source_info {
    const char *name;
    int is_token, is_optional;
    size_t at; /* of a size */
} conv_sources[CONV_N_SOURCES];

/* For each source the spec's field, or -1. 0, or -1 with a message that begins with `path`. */
int conv_map_fields(const struct spec *s, const char *path, int field[CONV_N_SOURCES]);

/* REASON_NONE, or the first gap between the spec, with its fields as mapped, and the convolution:
   its `what` is a column of MIOpen's databases. */
enum reason_kind conv_find_gap(const struct spec *s, const int field[CONV_N_SOURCES],
                               const struct conv *c, struct reason *gap);

/* The layout of all three tensors; NULL if they differ. */
const char *conv_layout(const struct conv *c);

/* The size fields of the problem; its tokens are left alone. */
void conv_put_sizes(const int field[CONV_N_SOURCES], const struct conv *c, int64_t *problem);

/* ---- as a problem of a model ---- */

/* The convolution in the model's fields, which conv_map_fields has mapped; gpu is left at 0.
   REASON_NONE, or in *why the first thing that the model or, of directions, its kernel does not
   cover; the problem is then to be left alone. */
enum reason_kind problem_of_conv(const struct model *model, const int field[CONV_N_SOURCES],
                                 const struct conv *conv, int32_t *problem, struct reason *why);

/* ---- calls of MIOpenDriver ---- */

/* MIOPEN_ENABLE_LOGGING_CMD=1 makes MIOpen print one for each convolution, after a prefix:
       MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 32 -c 64 -H 56 ... -F 1
   Scripts hold the same calls. The grammar is MIOpenDriver's: after the operation come options,
   short or long, each with a value; what is left out has a default. Quotes around a word are taken
   off; a call ends with its line or at what ends a command in a shell. */

enum driver_kind {
    DRIVER_NONE,  /* no call is left in the line */
    DRIVER_OTHER, /* one of another operation: pool, bnorm, ... */
    DRIVER_CONV,
    DRIVER_BROKEN /* a convolution that cannot be read; see why */
};

struct driver_call {
    struct conv conv;  /* its direction is not set */
    int directions;    /* a sum of the above */
    int is_transposed; /* the sizes of the output are not set then */
    /* of a broken call: "-n: value "0": is no integer from 1 to 16777216", the option in it ("":
       none), and the form of its words, which is the same for all calls that are broken so */
    char why[192], option[32];
    const char *form;
};

/* The next call at or after *at, which moves behind it; the text is cut to pieces. */
enum driver_kind driver_next(char **at, struct driver_call *call);

/* Makes it the broken call of a line that has more bytes than `most`. */
void driver_cut(struct driver_call *call, int most);

/* The convolution of a line without any option, in 2 or 3 dimensions. */
void driver_defaults(struct conv *c, int dims);
/* The one convolution that a text calls for; MIOpenDriver may be left out of it. 0, or -1 with a
   message that begins with `what`. */
int driver_parse(const char *text, const char *what, struct driver_call *call);

/* ---- FIELD=VALUE ---- */

struct given {
    struct opt_texts fields; /* FIELD=VALUE */
    const char *gpu;         /* in place of gpu=GPU; or NULL */
    const char *driver;      /* all but gpu and, if it names several, dir; or NULL */
    int nearest;             /* for the GPU */
    int is_quiet;            /* no note on what is not given */
};

/* The problem in the model's order. What is not given of a convolution is as MIOpenDriver has it,
   with a note on standard error, but for its direction, type and sizes. 0, or -1 with a message, or
   1 if the model has no field or value for the line, with *why. */
int given_problem(const struct given *g, const struct model *model, int32_t *problem,
                  struct reason *why);
