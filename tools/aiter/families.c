/* families.c - AITER's families of tuned kernels, the GPU that rows are for, and their models
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/names.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* ---- families ---- */

#define NAMED(text, brief) .name = text, .short_name = brief, .merge_name = text "_tuned_gemm"
/* What the columns are called but of fused MoE */
#define USUAL .sizes = {"M", "N", "K"}, .kernel_column = "kernelName", .split_column = "splitK"
/* Those of most GEMMs, behind the key */
#define TABLE(key)                                                             \
    USUAL, .columns = key " kernelId splitK us kernelName tflops bw errRatio", \
           .id_column = "kernelId"
/* Of these it is not known for which M AITER looks, nor what is compiled in. */
#define BATCHED                                                                                 \
    TABLE("B M N K"), .has_nearest = 1, .details = {"B"}, .n_sizes = 1, .ladder = LADDER_ASKED, \
                      .remark = "AITER may read this table only after a rebuild (AITER_REBUILD=1)"
/* Their lines and lists are counted. */
#define NO_TABLE USUAL, .merge_name = "", .variable = "", .columns = "", .id_column = ""

const struct family families[N_FAMILIES] = {
    [FAMILY_BS] = {NAMED("a8w8_blockscale", "bs"), .variable = "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE",
                   .model = "gemm_a8w8_blockscale",
                   .kernel =
                       "a8w8_blockscale_1x128x128_256x16x128x256_16x16_16x16_1x2_16x16x1_16x16x1_"
                       "1x16x1x16_8_1x2_intrawave_v1",
                   TABLE("M N K libtype")},
    [FAMILY_BSP] = {NAMED("a8w8_blockscale_bpreshuffle", "bsp"),
                    .variable = "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE_BPRESHUFFLE",
                    .model = "gemm_a8w8_blockscale_bpreshuffle",
                    .kernel =
                        "a8w8_blockscale_bpreshuffle_1x128x128_256x64x64x128_16x16_16x16_8x32x1_"
                        "8x32x1_1x32x1x8_8_2x1_intrawave_v1",
                    TABLE("M N K libtype")},
    [FAMILY_A4W4] = {NAMED("a4w4_blockscale", "a4w4"), .variable = "AITER_CONFIG_GEMM_A4W4",
                     .model = "gemm_a4w4_blockscale", TABLE("M N K")},
    [FAMILY_BP] = {NAMED("a8w8_bpreshuffle", "bp"),
                   .variable = "AITER_CONFIG_GEMM_A8W8_BPRESHUFFLE",
                   .model = "gemm_a8w8_bpreshuffle", .has_nearest = 1, .details = {"q_dtype_w"},
                   .modelled = {"torch.float8_e4m3fnuz torch.float8_e4m3fn"},
                   TABLE("M N K q_dtype_w libtype"), .built_in = "ck cktile"},
    [FAMILY_A8W8] = {NAMED("a8w8", "a8w8"), .variable = "AITER_CONFIG_GEMM_A8W8",
                     .model = "gemm_a8w8", .has_nearest = 1, .details = {"q_dtype_w"},
                     TABLE("M N K q_dtype_w"), .built_in = "ck"},
    [FAMILY_BF16] = {NAMED("bf16", "bf16"), .variable = "AITER_CONFIG_GEMM_BF16",
                     .model = "gemm_bf16", .has_nearest = 1,
                     .details = {"bias", "dtype", "outdtype", "scaleAB", "bpreshuffle"},
                     .modelled = {NULL, "torch.bfloat16", NULL, "False", "False"},
                     .columns =
                         "M N K bias dtype outdtype scaleAB bpreshuffle libtype solidx splitK us "
                         "kernelName err_ratio tflops bw",
                     USUAL, .id_column = "solidx", .never = "hipblaslt"},
    [FAMILY_BATCHED] = {.name = "batched", .short_name = "batched", NO_TABLE},
    [FAMILY_FMOE] = {.name = "fmoe",
                     .short_name = "fused_moe",
                     .merge_name = "tuned_fmoe",
                     .variable = "AITER_CONFIG_FMOE",
                     .has_nearest = 1,
                     .sizes = {"token", "inter_dim", "model_dim"},
                     .details = {"expert", "topk", "act_type", "dtype", "q_dtype_a", "q_dtype_w",
                                 "q_type", "use_g1u1", "doweight_stage1"},
                     .n_sizes = 2,
                     .columns = "token model_dim inter_dim expert topk act_type dtype q_dtype_a "
                                "q_dtype_w q_type use_g1u1 doweight_stage1 block_m ksplit us1 "
                                "kernelName1 err1 us2 kernelName2 err2 us run_1stage xbf16 flat "
                                "tflops bw _tag",
                     .kernel_column = "kernelName1",
                     .split_column = "ksplit",
                     .copied = {"block_m", "kernelName2", "run_1stage", "xbf16", "flat"},
                     .ladder = LADDER_TOKENS},
    [FAMILY_A8W8_BATCHED] = {.name = "a8w8_batched",
                             .short_name = "a8w8b",
                             .merge_name = "a8w8_tuned_batched_gemm",
                             .variable = "AITER_CONFIG_A8W8_BATCHED_GEMM",
                             BATCHED},
    [FAMILY_BF16_BATCHED] = {.name = "bf16_batched",
                             .short_name = "bf16b",
                             .merge_name = "bf16_tuned_batched_gemm",
                             .variable = "AITER_CONFIG_BF16_BATCHED_GEMM",
                             BATCHED},
    [FAMILY_MXSCALE] = {.name = "batched_mxscale", .short_name = "mxscale", NO_TABLE},
    [FAMILY_GROUPED] = {.name = "grouped_fmoe", .short_name = "grouped", NO_TABLE},
    [FAMILY_FHMOE] = {.name = "fhmoe", .short_name = "fhmoe", NO_TABLE},
};

/* Parts of file names. A batched table's name may hold that of another family as well, and so may
   one of fused MoE: these come first. */
static const struct {
    const char *part;
    enum family_id family;
    int is_first;
} parts[] = {
    {"mxscale", FAMILY_MXSCALE, 1},
    {"a8w8_tuned_batched", FAMILY_A8W8_BATCHED, 1},
    {"a8w8_untuned_batched", FAMILY_A8W8_BATCHED, 1},
    {"bf16_tuned_batched", FAMILY_BF16_BATCHED, 1},
    {"bf16_untuned_batched", FAMILY_BF16_BATCHED, 1},
    {"batched", FAMILY_BATCHED, 1},
    {"CKGEMM", FAMILY_BATCHED, 1},
    {"grouped_fmoe", FAMILY_GROUPED, 1},
    {"fhmoe", FAMILY_FHMOE, 1},
    {"fmoe", FAMILY_FMOE, 1},
    {"a8w8_blockscale_bpreshuffle", FAMILY_BSP, 0},
    {"a8w8_blockscale", FAMILY_BS, 0},
    {"a8w8_bpreshuffle", FAMILY_BP, 0},
    {"a8w8_tuned", FAMILY_A8W8, 0},
    {"a8w8_untuned", FAMILY_A8W8, 0},
    {"asm_a8w8", FAMILY_A8W8, 0},
    {"a4w4_blockscale", FAMILY_A4W4, 0},
    {"bf16_tuned", FAMILY_BF16, 0},
    {"bf16_untuned", FAMILY_BF16, 0},
    {"gemm_bf16", FAMILY_BF16, 0},
};

enum family_id family_of_file(const char *path)
{
    const char *name = base_name(path);
    enum family_id family = FAMILY_NONE;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t n = strlen(parts[i].part);
        if (strstr(name, parts[i].part) == NULL || n <= longest)
            continue;
        family = parts[i].family;
        if (parts[i].is_first)
            break;
        longest = n;
    }
    return family;
}

int family_is_answered(enum family_id family)
{
    return families[family].model != NULL || families[family].has_nearest;
}

int family_place_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

enum family_id family_of_batched(enum family_id only)
{
    return only == FAMILY_A8W8_BATCHED || only == FAMILY_BF16_BATCHED ? only : FAMILY_BATCHED;
}

int family_is_modelled(enum family_id family, const kpred_model *m, const char *detail,
                       int32_t problem[KPRED_MAX_FIELDS])
{
    const struct family *f = &families[family];
    int is_all = m != NULL;
    for (int i = 0; is_all && f->details[i] != NULL; i++) {
        char *value = family_part(detail, ',', i);
        const int32_t at = kpred_field_index(m, f->details[i]);
        if (at < 0)
            is_all = f->modelled[i] == NULL || names_has_word(f->modelled[i], value);
        else
            is_all = (problem[at] = kpred_token(m, (size_t)at, value)) >= 0;
        free(value);
    }
    return is_all;
}

enum family_id family_asked(const char *option, const char *text)
{
    struct buf list = {NULL, 0, 0}, question = {NULL, 0, 0};
    struct names_near near = {.text = text};
    for (int i = 0; i < N_FAMILIES; i++) {
        const struct family *f = &families[i];
        if (names_same(text, f->name) || names_same(text, f->short_name)
            || (*f->merge_name != '\0' && names_same(text, f->merge_name))
            || (f->model != NULL && names_same(text, f->model)))
            return (enum family_id)i;
    }
    for (int i = 0; i < N_FAMILIES; i++) {
        names_offer(&near, families[i].name, families[i].short_name);
        buf_printf(&list, "%s%s", i != 0 ? " " : "", families[i].name);
    }
    fail("%s: value \"%s\": is not a family of AITER's (known: %s)%s", option, text, list.s,
         names_question(&near, &question));
    buf_free(&list);
    buf_free(&question);
    return FAMILY_NONE;
}

/* ---- details: the values of a key besides M, N and K ---- */

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

static int is_plain(const char *text, size_t n)
{
    return n != 0 && strspn(text, plain) >= n;
}

/* Python writes a member of an enumeration as ActivationType.Silu or <ActivationType.Silu: 0>. */
static int add_member(struct buf *b, const char *text)
{
    const int is_long = *text == '<';
    const size_t n = strspn(text + is_long, plain);
    const char *rest = text + is_long + n, *number = rest + strspn(rest, ": ");
    if (!is_plain(text + is_long, n)
        || (is_long ? *rest != ':' || strcmp(number + strspn(number, "-0123456789"), ">") != 0
                    : *rest != '\0'))
        return -1;
    buf_add(b, text + is_long, n);
    return 0;
}

/* A table that was merged may have 1.0 for 1. */
static int add_truth(struct buf *b, const char *text)
{
    const int is_true = names_has_word("1 1.0 True", text);
    if (!is_true && !names_has_word("0 0.0 False", text))
        return -1;
    buf_puts(b, is_true ? "1" : "0");
    return 0;
}

int family_add_detail(struct buf *b, enum family_id family, size_t i, const char *text)
{
    const struct family *f = &families[family];
    int64_t size;
    if (i < (size_t)f->n_sizes) {
        if (parse_int(text, 1, KPRED_MAX_SIZE, &size) != 0)
            return -1;
        buf_printf(b, "%d", (int)size);
        return 0;
    }
    if (names_has_word("act_type q_type", f->details[i]))
        return add_member(b, text);
    if (names_has_word("use_g1u1 doweight_stage1", f->details[i]))
        return add_truth(b, text);
    if (!is_plain(text, strlen(text)))
        return -1;
    buf_puts(b, text);
    return 0;
}

/* quant_remap of aiter/fused_moe.py */
void family_look_up(struct buf *detail)
{
    static const char given[] = "QuantType.per_128x128", wanted[] = "QuantType.per_1x128";
    char *at = strstr(detail->s, given);
    if (at == NULL)
        return;
    char *rest = xstrdup(at + strlen(given));
    detail->n = (size_t)(at - detail->s);
    buf_puts(detail, wanted);
    buf_puts(detail, rest);
    free(rest);
}

const char *family_split_detail(enum family_id family, const char *detail, int32_t size[MOST_SIZES])
{
    for (int i = 0; i < MOST_SIZES; i++)
        size[i] = 1;
    for (int i = 0; i < families[family].n_sizes; i++) {
        char *end;
        size[i] = (int32_t)strtol(detail, &end, 10);
        detail = end + (*end == ',');
    }
    return detail;
}

char *family_part(const char *text, char end, int i)
{
    struct buf part = {NULL, 0, 0};
    for (; i > 0; i--)
        text = strchr(text, end) + 1;
    const char *stop = strchr(text, end);
    buf_add(&part, text, stop != NULL ? (size_t)(stop - text) : strlen(text));
    return part.s;
}

/* ---- the M at which AITER looks for a row ---- */

/* At M itself, then at M rounded up to a multiple of 16 (up to 256), 32 (up to 1024), 64 (up to
   4096) or 128, then at the next power of two; beyond 8192, if N > 4096, at 8192
   (aiter/ops/gemm_op_a8w8.py). N and K are those asked for. */

int32_t serving_fine(int32_t m)
{
    const int32_t step = m <= 256 ? 16 : m <= 1024 ? 32 : m <= SERVING_LAST_FINE ? 64 : 128;
    return (m + step - 1) / step * step;
}

int32_t serving_coarse(int32_t m, int32_t n)
{
    enum { COARSE_FROM = 8192, WIDE_N = 4096 };
    int32_t power = 1;
    if (m > COARSE_FROM && n > WIDE_N)
        return COARSE_FROM;
    while (power < m)
        power *= 2;
    return power;
}

/* The next power of two below 32768; above, the largest tier that is not above (aiter/fused_moe.py)
 */
int32_t serving_tier(int32_t tokens)
{
    return tokens >= SERVING_LAST_TIER ? SERVING_LAST_TIER
           : tokens >= SERVING_LAST    ? SERVING_LAST
                                       : serving_coarse(tokens, 0);
}

/* ---- the GPU ---- */

static const kpred_model *model_of(enum family_id family)
{
    for (const struct builtin *b = builtins; b->model != NULL; b++)
        if (families[family].model != NULL && strcmp(b->model->name, families[family].model) == 0)
            return b->model;
    return NULL;
}

const char *target_known(enum family_id family, struct buf *b)
{
    const kpred_model *m = model_of(family);
    const int32_t f = m != NULL ? kpred_field_index(m, "gpu") : -1;
    buf_puts(b, "");
    for (int32_t i = 0; f >= 0 && i < m->fields[f].n_tokens; i++)
        buf_printf(b, "%s%s", b->n != 0 ? " " : "", m->fields[f].tokens[i]);
    return b->s;
}

int target_check(const struct target *t, const char *gpu)
{
    struct buf list = {NULL, 0, 0}, value = {NULL, 0, 0};
    for (int i = 0; i < N_FAMILIES; i++)
        if (t->model[i] != NULL)
            return 0;
    for (int i = 0; i < N_FAMILIES; i++) {
        struct buf known = {NULL, 0, 0};
        if (*target_known((enum family_id)i, &known) != '\0')
            buf_printf(&list, "%s%s: %s", list.n != 0 ? "; " : "", families[i].name, known.s);
        buf_free(&known);
    }
    buf_printf(&value, "\"%s\"", gpu);
    if (strcmp(t->token, gpu) != 0)
        buf_printf(&value, ", which is %s", t->token);
    fail("--gpu: value %s: no model of AITER's kernels knows it (%s)", value.s,
         list.n != 0 ? list.s : "none is built in");
    buf_free(&value);
    buf_free(&list);
    return -1;
}

int target_find(struct target *t, const char *text)
{
    struct buf b = {NULL, 0, 0};
    memset(t, 0, sizeof *t);
    const char *name = gpu_name(text, &b);
    if (!gpu_is_gfx(name))
        name = gpu_asked("--gpu", text, &b);
    const struct gpu gpu = gpu_parse(name != NULL ? name : "");
    buf_free(&b);
    if (name == NULL)
        return -1;
    snprintf(t->gfx, sizeof t->gfx, "%s", gpu.arch);
    /* AITER's builds are for so many unless CU_NUM says otherwise. There are tables of gfx1250,
       which no product of a name has yet. */
    const struct product *usual = product_of_arch(gpu.arch);
    t->cu_num = gpu.units;
    if (gpu.units == 0 && names_has_word("gfx942 gfx950 gfx1250", gpu.arch))
        t->cu_num = usual != NULL ? usual->compute_units : 256;
    snprintf(t->token, sizeof t->token, t->cu_num != 0 ? "%s_%d" : "%s", gpu.arch, t->cu_num);
    if (gpu.units == 0 && t->cu_num != 0)
        note("%s: taken as %s, which AITER builds for unless CU_NUM is set", text, t->token);
    else if (strcmp(text, t->token) != 0)
        note("%s is %s", text, t->token);
    for (int i = 0; i < N_FAMILIES; i++) {
        const kpred_model *m = model_of((enum family_id)i);
        const int32_t field = m != NULL ? kpred_field_index(m, "gpu") : -1;
        if (field >= 0 && m->names != NULL && kpred_token(m, (size_t)field, t->token) >= 0)
            t->model[i] = m;
    }
    return 0;
}
