/* rare.h - what the rules answer where random problems hardly ever come
   SPDX-License-Identifier: MIT

   Include it after test_rules.c. */
#pragma once

/* 64 x 64 pixels, 16 channels in and out, 3x3 filters without pads, of FP32, forwards */
static void ordinary(int32_t *p)
{
    for (int f = 0; f < KPRED_CONV2D_FIELD_COUNT; f++)
        p[f] = f < KPRED_CONV2D_N || f == KPRED_CONV2D_PAD_H || f == KPRED_CONV2D_PAD_W ? 0 : 1;
    p[KPRED_CONV2D_C] = p[KPRED_CONV2D_K] = 16;
    p[KPRED_CONV2D_H] = p[KPRED_CONV2D_W] = 64;
    p[KPRED_CONV2D_Y] = p[KPRED_CONV2D_X] = 3;
}

static int direct_takes(int32_t y, int32_t x, int32_t stride, int32_t pad, int32_t groups)
{
    int32_t p[KPRED_CONV2D_FIELD_COUNT];
    ordinary(p);
    p[KPRED_CONV2D_Y] = y, p[KPRED_CONV2D_X] = x;
    p[KPRED_CONV2D_STRIDE_H] = p[KPRED_CONV2D_STRIDE_W] = stride;
    p[KPRED_CONV2D_PAD_H] = p[KPRED_CONV2D_PAD_W] = pad;
    p[KPRED_CONV2D_GROUPS] = groups;
    return kpred_rule_conv_ocl_direct_fwd(p, NULL, 0);
}

/* Filters, a stride and LDS of ConvOclDirectFwd */
static void rare_direct(void)
{
    int32_t p[KPRED_CONV2D_FIELD_COUNT], v[KPRED_OCL_DIRECT_FWD_COUNT] = {7};
    for (int32_t x = 10; x <= 20; x += 10) {
        CASE(direct_takes(5, x, 2, 0, 1), "direct 5x%d of stride 2", (int)x);
        CASE(!direct_takes(5, x, 1, 0, 1), "direct 5x%d of stride 1", (int)x);
        CASE(!direct_takes(5, x, 2, 1, 1), "direct 5x%d with pads", (int)x);
    }
    CASE(!direct_takes(5, 12, 2, 0, 1), "direct 5x12");
    CASE(direct_takes(5, 12, 2, 0, 2), "direct 5x12 in groups");
    CASE(!direct_takes(200, 200, 1, 100, 2), "direct 200x200 in groups");
    ordinary(p);
    p[KPRED_CONV2D_STRIDE_H] = p[KPRED_CONV2D_STRIDE_W] = 3;
    CASE(!kpred_rule_conv_ocl_direct_fwd(p, v, 1), "direct of stride 3");
}

static int gtc_takes(int field, int32_t x, const int32_t *v, size_t n)
{
    /* of any filter in FP32, with 2^3 channels in and 2^2 out */
    static const uint16_t words[] = {0x232};
    static const kpred_gtc_kernels known = {KPRED_DIR_F,
                                            1,
                                            words,
                                            {{8, 8, 3, 3, 3, 3, 3, 3},
                                             {8, 8, 8, 8, 8, 8, 8, 8},
                                             {8, 8, 3, 3, 3, 3, 3, 3},
                                             {8, 8, 8, 8, 8, 8, 8, 8}}};
    int32_t p[KPRED_CONV2D_FIELD_COUNT];
    ordinary(p);
    p[KPRED_CONV2D_Y] = p[KPRED_CONV2D_X] = 1;
    p[field] = x;
    return kpred_rule_of_gtc_kernels(&known, p, v, n);
}

/* Types, channels and one stride of a kernel by name; more values than a tuple has */
static void rare_named(void)
{
    static const uint64_t words[] = {0};
    int32_t p[KPRED_CONV3D_FIELD_COUNT] = {0}, v[KPRED_IGEMM_GTC_COUNT + 1] = {0};
    CASE(gtc_takes(KPRED_CONV2D_N, 2, v, 0) && gtc_takes(KPRED_CONV2D_N, 2, v, 1), "gtc");
    CASE(gtc_takes(KPRED_CONV2D_STRIDE_W, 2, v, 0), "gtc with a stride of w");
    CASE(!gtc_takes(KPRED_CONV2D_DTYPE, KPRED_DTYPE_FP16, v, 0), "gtc of FP16");
    CASE(!gtc_takes(KPRED_CONV2D_DTYPE, KPRED_DTYPE_FP16 + 1, v, 0), "gtc of another type");
    CASE(!gtc_takes(KPRED_CONV2D_DIR, KPRED_DIR_B, v, 0), "gtc backwards");
    CASE(!gtc_takes(KPRED_CONV2D_C, 12, v, 0), "gtc with 12 channels in");
    CASE(!gtc_takes(KPRED_CONV2D_K, 18, v, 0), "gtc with 18 channels out");
    CASE(!gtc_takes(KPRED_CONV2D_N, 2, v, KPRED_IGEMM_GTC_COUNT + 1), "gtc of a value too many");
    CASE(!kpred_rule_of_solvers(words, 1, p, v, 2), "solver of a value too many");
}
