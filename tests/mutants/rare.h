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

/* The default of ConvOclDirectFwd1x1 for a stride of three: 32 pixels in items of three */
static void rare_default(void)
{
    const int32_t p[] = {0, KPRED_DIR_F, KPRED_DTYPE_FP32, 1, 16, 64, 64, 16, 3};
    const int32_t ten[] = {10}, eleven[] = {11};
    CASE(kpred_rule_conv_ocl_direct_fwd_1x1(p, ten, 1), "default of stride 3");
    CASE(!kpred_rule_conv_ocl_direct_fwd_1x1(p, eleven, 1), "no other one of stride 3");
}

/* Does the rule take a 1x1 convolution with this field changed? */
static int known_take(const kpred_gtc_kernels *known, int field, int32_t x, const int32_t *v,
                      size_t n)
{
    int32_t p[KPRED_CONV2D_FIELD_COUNT];
    ordinary(p);
    p[KPRED_CONV2D_Y] = p[KPRED_CONV2D_X] = 1;
    p[field] = x;
    return kpred_rule_of_gtc_kernels(known, p, v, n);
}

/* A kernel of any filter in FP32, with 2^3 channels in and 2^2 out */
static int gtc_takes(int field, int32_t x, const int32_t *v, size_t n)
{
    static const uint16_t words[] = {0x232};
    static const kpred_gtc_kernels known = {KPRED_DIR_F,
                                            1,
                                            words,
                                            {{8, 8, 3, 3, 3, 3, 3, 3},
                                             {8, 8, 8, 8, 8, 8, 8, 8},
                                             {8, 8, 3, 3, 3, 3, 3, 3},
                                             {8, 8, 8, 8, 8, 8, 8, 8}}};
    return known_take(&known, field, x, v, n);
}

/* A kernel of 1x1 filters alone in FP32, with any channels */
static int point_takes(int field, int32_t x, const int32_t *v, size_t n)
{
    static const uint16_t words[] = {0};
    static const kpred_gtc_kernels known = {
        KPRED_DIR_F,
        1,
        words,
        {{8, 8, 8, 8, 8, 8, 8, 8}, {8, 8, 8, 8, 8, 8, 8, 8}, {0}, {8, 8, 8, 8, 8, 8, 8, 8}}};
    return known_take(&known, field, x, v, n);
}

static void rare_points(void)
{
    static const int fields[] = {KPRED_CONV2D_Y,     KPRED_CONV2D_X,        KPRED_CONV2D_PAD_H,
                                 KPRED_CONV2D_PAD_W, KPRED_CONV2D_STRIDE_H, KPRED_CONV2D_STRIDE_W,
                                 KPRED_CONV2D_DIL_H, KPRED_CONV2D_DIL_W};
    const int32_t v[1] = {0};
    CASE(point_takes(KPRED_CONV2D_N, 2, v, 0) && point_takes(KPRED_CONV2D_N, 2, v, 1), "gtc 1x1");
    for (int i = 0; i < COUNT(fields); i++)
        CASE(!point_takes(fields[i], 3, v, 0) && !point_takes(fields[i], 3, v, 1),
             "gtc 1x1 is not for field %d", fields[i]);
}

/* Is a solver that takes none with this property of the filters ruled out, and no other one? */
static int has_filter(int bit, int32_t z, int32_t y, int32_t x)
{
    const uint64_t words[] = {
        KPRED_SOLVER_WORD(0, 0, 0, 1u << bit, 0, 0, 0, 0, 0, 0, 0),
        KPRED_SOLVER_WORD(0, 0, 0, 0x3ff & ~(1u << bit), 0, 0, 0, 0, 0, 0, 0)};
    const int32_t first[1] = {0}, second[1] = {1};
    int32_t p[KPRED_CONV3D_FIELD_COUNT];
    for (int f = 0; f < KPRED_CONV3D_FIELD_COUNT; f++)
        p[f] = f < KPRED_CONV3D_N ? 0 : 16;
    p[KPRED_CONV3D_Z] = z, p[KPRED_CONV3D_Y] = y, p[KPRED_CONV3D_X] = x;
    return !kpred_rule_of_solvers(words, 2, p, first, 1)
           && kpred_rule_of_solvers(words, 2, p, second, 1);
}

/* As KPRED_SOLVER_WORD says it */
static void rare_filters(void)
{
    static const struct {
        int32_t bit, z, y, x;
    } filters[] = {{0, 1, 1, 1},   {1, 1, 3, 3},  {2, 1, 5, 5},   {3, 1, 7, 7}, {4, 1, 1, 7},
                   {5, 1, 7, 1},   {6, 1, 5, 10}, {7, 1, 11, 11}, {8, 1, 2, 2}, {8, 1, 9, 9},
                   {8, 1, 12, 12}, {8, 3, 3, 3},  {9, 3, 3, 1},   {9, 3, 1, 1}, {9, 1, 1, 6},
                   {9, 1, 2, 7},   {9, 1, 7, 2},  {9, 1, 8, 1},   {9, 1, 5, 9}, {9, 1, 4, 10}};
    for (int i = 0; i < COUNT(filters); i++)
        CASE(has_filter(filters[i].bit, filters[i].z, filters[i].y, filters[i].x),
             "solver of a filter %dx%dx%d", (int)filters[i].z, (int)filters[i].y,
             (int)filters[i].x);
}

/* How many images a solver must have: 2, 4, 8, 16 */
static void rare_images(void)
{
    int32_t p[KPRED_CONV3D_FIELD_COUNT];
    for (int f = 0; f < KPRED_CONV3D_FIELD_COUNT; f++)
        p[f] = f < KPRED_CONV3D_N ? 0 : 1;
    for (int bit = 0; bit < 4; bit++)
        for (int32_t n = 1; n <= 17; n++) {
            const uint64_t words[] = {KPRED_SOLVER_WORD(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1u << bit)};
            const int32_t v[1] = {0};
            p[KPRED_CONV3D_N] = n;
            CASE(kpred_rule_of_solvers(words, 1, p, v, 1) == (n >= 2 << bit),
                 "solver of %d images for %d", 2 << bit, (int)n);
        }
}

/* Does a solver of F(2,3), or for f3x2 of F(3,2), take 1x1 problems with this value? */
static int winograd_takes(int f3x2, int gpu, int field, int32_t x, int32_t strides)
{
    static const uint64_t words[] = {KPRED_SOLVER_F2X3, KPRED_SOLVER_F3X2};
    const int32_t v[1] = {f3x2};
    int32_t p[KPRED_CONV3D_FIELD_COUNT];
    for (int f = 0; f < KPRED_CONV3D_FIELD_COUNT; f++)
        p[f] = f < KPRED_CONV3D_N || (f >= KPRED_CONV3D_PAD_D && f <= KPRED_CONV3D_PAD_W) ? 0 : 1;
    p[KPRED_CONV3D_GPU] = gpu;
    p[KPRED_CONV3D_H] = p[KPRED_CONV3D_W] = 2048;
    p[KPRED_CONV3D_STRIDE_H] = p[KPRED_CONV3D_STRIDE_W] = strides;
    p[field] = x;
    return kpred_rule_of_solvers(words, 2, p, v, 1);
}

static void rare_winograd(void)
{
    static const int others[] = {KPRED_CONV3D_DTYPE,    KPRED_CONV3D_LAYOUT, KPRED_CONV3D_STRIDE_H,
                                 KPRED_CONV3D_STRIDE_W, KPRED_CONV3D_DIL_H,  KPRED_CONV3D_DIL_W,
                                 KPRED_CONV3D_GROUPS};
    for (int gpu = 0; gpu < KPRED_CONV3D_GPU_COUNT; gpu++)
        for (int f3x2 = 0; f3x2 < 2; f3x2++) {
            const int any = gpu == KPRED_CONV3D_GPU_GFX90878 || gpu == KPRED_CONV3D_GPU_GFX90A6E;
            const int one = f3x2 && gpu == KPRED_CONV3D_GPU_GFX1030_36;
            CASE(winograd_takes(f3x2, gpu, KPRED_CONV3D_N, 65535, 2) == !one, "stride, %d", gpu);
            CASE(!winograd_takes(f3x2, gpu, KPRED_CONV3D_DIR, KPRED_DIR_W, 2), "W, %d", gpu);
            CASE(winograd_takes(f3x2, gpu, KPRED_CONV3D_C, 64, 1), "products, %d", gpu);
            CASE(winograd_takes(f3x2, gpu, KPRED_CONV3D_C, 65, 1) == any, "beyond, %d", gpu);
            for (int f = KPRED_CONV3D_N; f <= KPRED_CONV3D_X; f++)
                CASE(winograd_takes(f3x2, gpu, f, 65536, 2 - one)
                         == (f == KPRED_CONV3D_D || f == KPRED_CONV3D_Z),
                     "field %d, %d", f, gpu);
            for (int i = 0; i < COUNT(others); i++)
                CASE(!winograd_takes(f3x2, gpu, others[i], 3 - (i < 2), 2 - one), "field %d, %d",
                     others[i], gpu);
        }
    CASE(check_limits(&kernels[OF_RXS]) == 0, "limits");
    CASE(check_limits(&kernels[OF_RXS_F3X2]) == 0, "limits of F(3,2)");
}

/* A tuple behind the last one of the table is none of its kernels, though memory goes on there. */
static void rare_names(void)
{
    static const char *const names[] = {"one", "two", "three"};
    static const int32_t values[] = {3, 1, 3, 2, 3, 4};
    const kpred_names table = {names, values, NULL, 2, 1, 2, 0, 0};
    kpred_model m = {0};
    m.names = &table;
    for (int i = 0; i < 3; i++) {
        const int32_t v[] = {9, values[2 * i], values[2 * i + 1]};
        CASE(kpred_kernel_of(&m, v) == (i < 2 ? i : -1), "kernel %s of two", names[i]);
    }
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
