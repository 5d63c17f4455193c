/* test_specs.c - the specs of weights/ and its recipes that have the fields of a 2-D convolution
   SPDX-License-Identifier: MIT

   Each parses, its rule is one for its fields and parameters, its features and numbers are so that
   a network can be trained, its split keys tell what they should; and the rule leaves a way to a
   tuple that the spec can name. */
#include "kpred.h"

#include "kpred_constraints.h"

#include "data/split.h"
#include "harness/cases.h"
#include "harness/specs.h"
#include "miopen/tuple_text.h"
#include "model/model.h"
#include "train/recipe.h"

/* A problem of the kernel, in the order of KPRED_CONV2D_FIELD_LIST but for the GPU. */
static const struct {
    const char *prefix;
    int32_t fields[KPRED_CONV2D_FIELD_COUNT];
} samples[] = {
    {"conv_asm_3x3u", {0, 0, 0, 0, 16, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1}},
    {"conv_ocl_direct_fwd", {0, 1, 1, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_hip_igemm_bwd", {0, 1, 1, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_mlir_igemm_bwd", {0, 1, 1, 1, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_mlir_igemm_wrw", {0, 2, 1, 1, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_igemm_gtc_bwd", {0, 1, 1, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_igemm_gtc_wrw", {0, 2, 1, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_ocl_bwd_wrw2", {0, 2, 1, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_hip_igemm_v4r1_wrw", {0, 2, 1, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_hip_igemm_v4r4_wrw", {0, 2, 0, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_bin_winograd_rxs", {1, 0, 0, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
    {"conv_", {0, 0, 0, 0, 16, 64, 55, 56, 64, 3, 3, 1, 1, 2, 2, 1, 1, 1}},
};

static const int32_t *sample_of(const struct spec *s)
{
    size_t i = 0;
    while (strncmp(s->name, samples[i].prefix, strlen(samples[i].prefix)) != 0)
        i++;
    return samples[i].fields;
}

/* The path of a spec by its name without "conv_", wherever it lies. */
static void find_spec(const char *name, char *path, size_t size)
{
    snprintf(path, size, "weights/conv_%s.spec", name);
    if (access(path, R_OK) != 0)
        snprintf(path, size, "weights/recipes/conv_%s.spec", name);
}

/* Depth first over the spec's values, like the search; counts no more than it needs. */
static int has_tuple(const struct spec *s, kpred_rule rule, int32_t *v, size_t depth)
{
    if (rule != KPRED_UNCONSTRAINED && !rule(sample_of(s), v, depth))
        return 0;
    if (depth == s->n_params)
        return 1;
    for (size_t i = 0; i < s->params[depth].n_values; i++) {
        v[depth] = s->params[depth].values[i];
        if (has_tuple(s, rule, v, depth + 1))
            return 1;
    }
    return 0;
}

/* Of which directions, by their tokens, the rule takes the sample */
static int directions(const struct spec *s, kpred_rule rule)
{
    int32_t p[KPRED_CONV2D_FIELD_COUNT];
    int taken = 0;
    memcpy(p, sample_of(s), sizeof p);
    for (int32_t dir = 0; dir < (int32_t)s->fields[KPRED_CONV2D_DIR].n_tokens; dir++) {
        p[KPRED_CONV2D_DIR] = dir;
        if (rule == KPRED_UNCONSTRAINED || rule(p, p, 0))
            taken |= 1 << dir;
    }
    return taken;
}

static int is_one_way(const struct spec *s)
{
    return strstr(s->name, "igemm") != NULL || strstr(s->name, "_wrw") != NULL;
}

/* Sizes that strides leave open are one: a side of 55 and one of 56 make the same 28 pixels, and
   with a filter of 1 and dilation as well. */
static int keys_are_canonical(const struct spec *s)
{
    struct buf *a = new_text(), *b = new_text();
    int32_t p[KPRED_CONV2D_FIELD_COUNT];
    memcpy(p, samples[COUNT(samples) - 1].fields, sizeof p);
    split_key_text(s, &s->config, p, a);
    p[KPRED_CONV2D_H] = 56;
    split_key_text(s, &s->config, p, b);
    int is_good = s->config.n == 17 && s->shape.n == 6 && strcmp(a->s, b->s) == 0
                  && strstr(a->s, ",16,64,56,56,64,3,3,1,1,2,2,1,1,1") != NULL;
    p[KPRED_CONV2D_DIL_H] = 2;
    split_key_text(s, &s->shape, p, a);
    p[KPRED_CONV2D_H] = 57;
    split_key_text(s, &s->shape, p, b);
    is_good &= strcmp(a->s, "64,64,56,56,3,3") == 0 && strcmp(b->s, "64,64,58,56,3,3") == 0;
    return is_good;
}

static int n_checked;

static void check_spec(const char *path)
{
    const char *file = base_name(path);
    struct spec s;
    struct model model;
    struct recipe recipe;
    int32_t v[KPRED_MAX_TUPLE];
    if (!CASE(spec_load(&s, path) == 0, "%s", file))
        return;
    if (s.n_fields != KPRED_CONV2D_FIELD_COUNT) {
        spec_free(&s);
        return;
    }
    n_checked++;
    CASE(strncmp(file, s.name, strlen(s.name)) == 0, "%s: named like its file", s.name);
    if (CASE(model_from_spec(&model, &s, "config") == 0, "%s: rule %s", s.name, s.rule)) {
        CASE(has_tuple(&s, model.m.rule, v, 0), "%s: has a tuple for a problem", s.name);
        const int taken = directions(&s, model.m.rule);
        CASE(taken != 0 && (!is_one_way(&s) || (taken & (taken - 1)) == 0), "%s: its directions",
             s.name);
    }
    CASE(model.program.n_features <= KPRED_MAX_WIDTH, "%s: features", s.name);
    model_free(&model);
    CASE(recipe_from_spec(&s, &recipe) == 0 && recipe.teachers >= 1, "%s: numbers of its network",
         s.name);
    CASE(keys_are_canonical(&s), "%s: split keys", s.name);
    spec_free(&s);
}

/* What is refused, and what a rule that does not ask for the GPU lets pass. */
static void check_changes(void)
{
    static const struct {
        const char *file, *was, *is;
        int is_fine;
    } changes[] = {
        {"bin_winograd_rxs_f2x3", "gfx1030_36 gfx942130", "gfx1030_36", 1},
        {"bin_winograd_rxs_f2x3", " gfx1030_36 gfx942130", "", 1},
        {"bin_winograd_rxs_f2x3", "gfx900_56 gfx906_60", "gfx906_60 gfx900_56", 0},
        {"bin_winograd_rxs_f2x3", "gfx900_56 gfx906_60", "gfx906_60", 0},
        {"bin_winograd_rxs_f2x3", "n_groups_plus", "n_groups_more", 0},
        {"hip_igemm_v4r1_fwd", "gfx900_56 gfx906_60 gfx1030_36", "gfx1030_36", 1},
        {"hip_igemm_v4r1_fwd", "FP32 FP16 BF16", "FP32 FP16 BF16 INT8", 1},
        {"hip_igemm_v4r1_fwd", "FP32 FP16 BF16", "FP32 BF16", 0},
        {"hip_igemm_v4r1_fwd", "layout   = NCHW", "layout   = NHWC", 0},
        {"hip_igemm_v4r1_fwd", "layout   = NCHW", "layout   = size", 0},
        {"hip_igemm_v4r1_fwd", "stride_h = size", "stride_h = one two", 0},
        {"hip_igemm_v4r1_fwd", "dil_h    = size\ndil_w    = size", "dil_w = size\ndil_h = size", 0},
        {"hip_igemm_v4r1_fwd", "in_copy_b ", "in_copy_z ", 0},
        {"igemm_gtc_fwd_nhwc", "fwd,nhwc,fp32,0,1,256,64,16", "fwd,nhwc,fp32,0,1,256,64,8", 1},
        {"igemm_gtc_fwd_nhwc", "fwd,nhwc,fp32,0,1,256,64,16", "fwd,nhwc,bf16,0,1,256,64,16", 0},
        {"igemm_gtc_fwd_nhwc", "fwd,nhwc,fp32,0,1,256,64,16", "bwd,nhwc,fp32,0,1,256,64,16", 0},
        {"igemm_gtc_fwd_nhwc", "fwd,nhwc,fp32,0,1,256,64,16", "fwd,nhwc,fp32,256,64,16", 0},
        {"igemm_gtc_fwd_nhwc", ",*,0,0,1,4,4,1,", ",*,0,0,1,128,4,1,", 1},
        {"igemm_gtc_fwd_nhwc", ",*,0,0,1,4,4,1,", ",*,0,0,1,256,4,1,", 0},
        {"igemm_gtc_bwd_nhwc", "dir      = F B", "dir      = B", 0},
        {"ck_igemm_fwd_v6r1", "dil_h    = size\n", "", 0}, /* canonical(h) needs it */
        {"ck_igemm_fwd_v6r1", "pad_w    = size 0 16777216\n", "", 0},
    };
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct spec s;
        struct model model;
        char path[128];
        int rc = -1;
        find_spec(changes[i].file, path, sizeof path);
        if (spec_parse(&s, replaced(text_of(path), changes[i].was, changes[i].is), path) == 0) {
            rc = model_from_spec(&model, &s, "config");
            model_free(&model);
            spec_free(&s);
        }
        CASE((rc == 0) == changes[i].is_fine, "%s: change %zu is %s", changes[i].file, i + 1,
             changes[i].is_fine ? "fine" : "refused");
    }
}

/* A list of MIOpen's, cut for a spec and put together again. */
static void check_list(const char *file, const char *list, const char *cut, const char *error)
{
    struct spec s;
    struct buf *b = new_text(), *again = new_text(), *texts = new_text();
    char path[128], why[96] = "";
    const char *params[KPRED_MAX_TUPLE];
    int32_t value[KPRED_MAX_TUPLE];
    find_spec(file, path, sizeof path);
    if (!CASE(spec_load(&s, path) == 0, "%s", path))
        return;
    kpred_param of_model[KPRED_MAX_TUPLE] = {{0}};
    kpred_model m = {.params = of_model, .n_params = (uint32_t)s.n_params};
    int is_good = tuple_text_cut(&s, list, b, params, why) == (error[0] != '\0' ? -1 : 0)
                  && strcmp(why, error) == 0;
    for (size_t i = 0; i < s.n_params && is_good && error[0] == '\0'; i++) {
        const int index = spec_value_index(&s.params[i], params[i]);
        of_model[i].name = s.params[i].name;
        of_model[i].names = s.params[i].names[0] != NULL ? s.params[i].names : NULL;
        value[i] = index >= 0 ? s.params[i].values[index] : -1;
        buf_printf(texts, "%s%s", i != 0 ? " " : "", params[i]);
        is_good &= index >= 0;
    }
    if (is_good && error[0] == '\0') {
        tuple_text_add(&m, value, again);
        is_good = strcmp(texts->s, cut) == 0 && strcmp(again->s, list) == 0;
    }
    if (!CASE(is_good, "%s: list \"%s\"", file, list))
        printf("  %s: %s; %s\n", why, texts->s, again->s);
    spec_free(&s);
}

static void check_lists(void)
{
#define WRW       "wrw,nhwc,fp16,0,0,128,64,32,32,32,8,1,1,1,2,0,0,"
#define SUM(text) "has \"" text "\", which is not n_groups + n_groups_plus"
#define REST      ",0,0,1,4,1,4,1,8,1,32,1,4,1,2,1,8,1,32,118"
    check_list("igemm_gtc_wrw_nhwc", WRW "2" REST "[2]", WRW "*" REST " 2", "");
    check_list("igemm_gtc_wrw_nhwc", WRW "10" REST "[10]", WRW "*" REST " 10", "");
    check_list("igemm_gtc_wrw_nhwc", WRW "0" REST, WRW "*" REST " 0", "");
    check_list("igemm_gtc_wrw_nhwc", WRW "2" REST "[3]", "",
               "ends with [3], and its piece 18 is 2");
    check_list("igemm_gtc_wrw_nhwc", WRW "2" REST "[2]x", "",
               "ends with [2]x, and its piece 18 is 2");
    check_list("igemm_gtc_wrw_nhwc", WRW, "", "is a list without a piece 18");
    check_list("igemm_gtc_wrw_nhwc", "wrw,nhwc", "", "is a list without a piece 18");
    check_list("asm_3x3u", "2,3,1", "2 3 1", "");
    check_list("asm_3x3u", "2,3", "", "is a list of 2, not 3");
    check_list("bin_winograd_rxs_f2x3", "1", "0 1", "");
    check_list("bin_winograd_rxs_f2x3", "16", "0 16", "");
    check_list("bin_winograd_rxs_f2x3", "17", "16 1", "");
    check_list("bin_winograd_rxs_f3x2", "56", "48 8", "");
    check_list("bin_winograd_rxs_f3x2", "304", "288 16", "");
    check_list("bin_winograd_rxs_f3x2", "305", "", SUM("305"));
    check_list("bin_winograd_rxs_f3x2", "0", "", SUM("0"));
    check_list("bin_winograd_rxs_f3x2", "-8", "", SUM("-8"));
    check_list("bin_winograd_rxs_f3x2", "", "", SUM(""));
    check_list("bin_winograd_rxs_f3x2", "8,8", "", SUM("8,8"));
    check_list("bin_winograd_rxs_f3x2", "2147483648", "", SUM("2147483648"));
    check_list("bin_winograd_rxs_f3x2", "-2147483648", "", SUM("-2147483648"));
}

/* A spec whose field has so many names */
static int takes_tokens(int n)
{
    struct buf *text = new_text();
    struct spec s;
    buf_puts(text,
             "[kernel]\nname = toy\nrule = unconstrained\n[data]\nformat = csv\n[fields]\nkind =");
    for (int i = 0; i < n; i++)
        buf_printf(text, " k%d", i);
    buf_puts(text, "\n[params]\nt = 1 2\n[split]\nconfig = kind\n[features]\nonehot kind\n");
    const int takes = spec_parse(&s, text->s, "toy.spec") == 0;
    if (takes)
        spec_free(&s);
    return takes;
}

int main(void)
{
    each_spec(check_spec);
    CASE(n_checked == 21, "21 specs");
    CASE(takes_tokens(SPEC_MAX_TOKENS), "a field of %d names", SPEC_MAX_TOKENS);
    CASE(!takes_tokens(SPEC_MAX_TOKENS + 1), "no field of %d names", SPEC_MAX_TOKENS + 1);
    check_changes();
    check_lists();
    return test_end();
}
