/* reads.c - which of AITER's tables and files a server reads on a GPU, and which rows of them
   SPDX-License-Identifier: MIT

   Facts of vLLM 0.33.0 (_aiter_ops.py, kernels/linear, layers/utils.py), SGLang 0.5.23
   (fp8_utils.py, unquant.py, quark_w4a4_mxfp4.py) and AITER at commit e4048607, of the servers as
   they start without variables but the one that switches AITER on. */
#include "serve.h"

#include <string.h>

/* ---- the table ---- */

static const struct reading readings[] = {
    {TRITON_VLLM, "gfx942", QUANTIZED_FP8_BLOCK, FAMILY_BS, READS_ALL, NULL, NULL},
    {TRITON_VLLM, "gfx950", QUANTIZED_FP8_BLOCK, FAMILY_BS, READS_WITHOUT_JSON, "A8W8_BLOCKSCALE",
     "from CK to Triton"},
    {TRITON_SGLANG, "gfx942", QUANTIZED_FP8_BLOCK, FAMILY_NONE, READS_NONE, "A8W8_BLOCKSCALE",
     "the table alone with SGLANG_AITER_GFX942_BLOCKSCALE_USE_CK=1"},
    {TRITON_SGLANG, "gfx950", QUANTIZED_FP8_BLOCK, FAMILY_BSP, READS_UNLISTED, "A8W8_BLOCKSCALE",
     "on ROCm 7.2 and newer"},
    {TRITON_VLLM, NULL, QUANTIZED_FP8_CHANNEL, FAMILY_BP, READS_TUNED, NULL, "from torch to AITER"},
    {TRITON_VLLM, NULL, QUANTIZED_FP8_CHANNEL, FAMILY_A8W8, READS_SECOND, NULL, NULL},
    {TRITON_SGLANG, NULL, QUANTIZED_FP8_CHANNEL, FAMILY_BP, READS_MULTIPLE, NULL,
     "torch runs an N that 64 does not divide"},
    {TRITON_VLLM, NULL, QUANTIZED_INT8, FAMILY_A8W8, READS_ALL, NULL, NULL},
    {TRITON_SGLANG, NULL, QUANTIZED_INT8, FAMILY_NONE, READS_NONE, NULL,
     "SGLang runs INT8 without AITER"},
    {TRITON_VLLM, "gfx950", QUANTIZED_MXFP4, FAMILY_A4W4, READS_ASM, "AFP4WFP4",
     "from Triton to asm"},
    {TRITON_SGLANG, "gfx950", QUANTIZED_MXFP4, FAMILY_NONE, READS_NONE, "AFP4WFP4",
     "the table alone with SGLANG_ROCM_USE_AITER_FP4_ASM_GEMM=1"},
    {TRITON_VLLM, "gfx942", QUANTIZED_NOT, FAMILY_NONE, READS_NONE, NULL,
     "vLLM reads the table of BF16 on gfx950 alone"},
    {TRITON_VLLM, "gfx950", QUANTIZED_NOT, FAMILY_BF16, READS_NOT_SKINNY, "A16W16", NULL},
    {TRITON_SGLANG, "gfx942", QUANTIZED_NOT, FAMILY_BF16, READS_ALL, NULL, NULL},
    {TRITON_SGLANG, "gfx950", QUANTIZED_NOT, FAMILY_BF16, READS_MANY, NULL, NULL},
};
enum { READINGS = sizeof readings / sizeof *readings };

struct product_size {
    int32_t n, k;
};

/* use_aiter_triton_gemm_w8a8_tuned_gfx950 of SGLang: AITER has a Triton file of each. */
static const struct product_size listed[] = {
    {1024, 8192}, {16384, 1536}, {2112, 7168},  {3072, 1536}, {32768, 8192},
    {4096, 7168}, {4608, 7168},  {512, 7168},   {7168, 2048}, {7168, 2304},
    {7168, 256},  {8192, 1024},  {8192, 32768}, {0, 0}};
/* Those of gpt-oss */
static const struct product_size gpt_oss[] = {{5120, 2880}, {2880, 4096}, {128, 2880},
                                              {640, 2880},  {2880, 512},  {0, 0}};

/* ---- versions ---- */

const char *const reads_versions[TRITON_N_SERVERS] = {"0.33.0", "0.5.23"};

static const char *const called[TRITON_N_SERVERS] = {"vLLM", "SGLang"};

int reads_server(const char *text)
{
    const size_t n = strcspn(text, "=");
    for (int i = 0; i < TRITON_N_SERVERS; i++) {
        if (strncmp(text, triton_servers[i], n) != 0 || triton_servers[i][n] != '\0')
            continue;
        if (text[n] == '\0' || strcmp(text + n + 1, reads_versions[i]) == 0)
            return i;
        return fail("--server: value \"%.60s\": what %s %.40s looks for is not known, but that of "
                    "%s is",
                    text, called[i], text + n + 1, reads_versions[i]);
    }
    return fail("--server: value \"%.60s\": is not vllm or sglang, nor one with =VERSION", text);
}

int aiter_runs(enum quantization_kind kind, const int32_t block[2])
{
    const int is_weights = kind == QUANTIZED_INT8_WEIGHTS || kind == QUANTIZED_INT4_WEIGHTS;
    return kind == QUANTIZED_FP8_BLOCK ? block[0] == 128 && block[1] == 128
                                       : !is_weights && kind != QUANTIZED_INT8;
}

/* ---- a layer ---- */

const struct reading *reading_next(const struct reading *after, enum triton_server server,
                                   const char *gfx, enum quantization_kind kind)
{
    const int is_known = strcmp(gfx, "gfx942") == 0 || strcmp(gfx, "gfx950") == 0;
    for (const struct reading *r = after != NULL ? after + 1 : readings; r < readings + READINGS;
         r++)
        if (r->server == server && r->kind == kind
            && (r->gfx == NULL ? is_known : strcmp(r->gfx, gfx) == 0))
            return r;
    return NULL;
}

void reading_tell(const struct reading *r, struct buf *b)
{
    const int is_where = r->rule == READS_UNLISTED;
    buf_printf(b, "%sread by %s%s%s", b->n != 0 ? "; " : "", called[r->server], is_where ? " " : "",
               is_where ? r->about : "");
    if (r->rule == READS_ASM)
        buf_puts(b, " for M above 64");
}

static int is_among(const struct product_size *v, const struct asked_shape *s)
{
    while (v->n != 0 && (v->n != s->n || v->k != s->k))
        v++;
    return v->n != 0;
}

/* use_aiter_triton_gemm of vLLM: up to so many tokens, and of an N up to the other number any */
enum { GPT_OSS_M = 2048, GPT_OSS_N = 512 };

static int is_even(const struct asked_shape *s)
{
    return s->n % 16 == 0 && s->k % 16 == 0;
}

/* Without AITER's package nothing but SGLang's list tells. */
static int has_json(const struct reading *r, const struct answering *by,
                    const struct asked_shape *s)
{
    return by->jsons->n != 0
               ? gemm_json_near(by->jsons, by->target.gfx, r->json, s->n, s->k, GEMM_JSON_SAME)
                     != NULL
               : is_among(listed, s);
}

static int has_row(const struct answering *by, struct asked_shape s, int32_t m)
{
    const int32_t at[] = {m, serving_fine(m), serving_coarse(m, s.n)};
    int has = 0;
    for (int i = 0; i < 3 && !has; i++) {
        s.m = at[i];
        has = installed_has(by, &s);
    }
    return has;
}

/* _ck_gemm_shape_is_tuned of vLLM */
static int is_tuned(const struct answering *by, enum family_id family, const struct asked_shape *of)
{
    struct asked_shape s = *of;
    s.family = family;
    int has = has_row(by, s, 1) || has_row(by, s, 2) || has_row(by, s, 4) || has_row(by, s, 1536);
    for (int32_t m = 8; m <= 512 && !has; m += 8)
        has = has_row(by, s, m);
    for (int32_t m = 1024; m <= 1 << 18 && !has; m *= 2)
        has = has_row(by, s, m);
    return has;
}

/* Scales that the kernels of asm take, and what vLLM's AiterMxfp4LinearKernel asks for */
static enum reading_verdict asm_verdict(const struct answering *by, const struct asked_shape *s)
{
    if (s->n % 32 != 0 || s->k % 256 != 0
        || gemm_json_near(by->jsons, by->target.gfx, "AFP4WFP4_PRESHUFFLED", s->n, s->k,
                          GEMM_JSON_SAME)
               == NULL)
        return VERDICT_JSON;
    return has_row(by, *s, 1024) && has_row(by, *s, 8192) ? VERDICT_READ : VERDICT_SWITCH;
}

enum reading_verdict reading_of(const struct reading *r, const struct answering *by,
                                const struct asked_shape *s)
{
    switch (r->rule) {
    case READS_NONE: return r->json != NULL ? VERDICT_JSON : VERDICT_NOTHING;
    case READS_WITHOUT_JSON:
        return has_json(r, by, s) ? VERDICT_JSON
               : gemm_json_near(by->jsons, by->target.gfx, r->json, s->n, s->k, GEMM_JSON_NEAR)
                       != NULL
                   ? VERDICT_NEAR
                   : VERDICT_READ;
    case READS_UNLISTED: return is_among(listed, s) ? VERDICT_JSON : VERDICT_READ;
    case READS_TUNED:
        return !is_even(s)                    ? VERDICT_NOTHING
               : is_tuned(by, s->family, s)   ? VERDICT_READ
               : is_tuned(by, FAMILY_A8W8, s) ? VERDICT_NOTHING
                                              : VERDICT_SWITCH;
    case READS_SECOND:
        return is_tuned(by, s->family, s) && (!is_even(s) || !is_tuned(by, FAMILY_BP, s))
                   ? VERDICT_READ
                   : VERDICT_NOTHING;
    case READS_NOT_SKINNY:
        return is_among(gpt_oss, s) && s->n <= GPT_OSS_N ? VERDICT_JSON : VERDICT_READ;
    case READS_MULTIPLE: return s->n % 64 == 0 ? VERDICT_READ : VERDICT_NOTHING;
    case READS_ASM: return asm_verdict(by, s);
    default: return VERDICT_READ;
    }
}

/* ---- a layer: which rows? ---- */

/* wvsplitkrc_dispatch of vLLM for a power of two from 16 to 128, on 256 compute units: n of them
   are tokens, and m features */
static int fits_counting(int32_t n, int64_t m, int64_t k)
{
    enum { UNITS = 256, MOST_SHARDS = 11, WORKSPACE = 128 * 1024 * 12 };
    const int64_t shared = n / 16 < 4 ? n / 16 : 4;
    const int64_t units = (m + 63) / 64 * ((k + 511) / 512) * shared;
    const int is_halved = n != 16 && units * 2 <= UNITS && (k + 255) / 256 <= MOST_SHARDS;
    const int64_t shards = is_halved ? (k + 255) / 256 : (k + 511) / 512;
    return k % 8 == 0 && k > 512 && m % 16 == 0 && units <= UNITS && n * m * shards <= WORKSPACE;
}

/* rocm_unquantized_gemm_impl of vLLM: up to 5 tokens go to one kernel, or a single one to another,
   and 10 to 128 to a third one where they fit. The row for 16 serves 6 to 9. */
static int skinny_leaves(const struct asked_shape *s)
{
    const int32_t m = s->m;
    const int is_narrow = s->n > 1 && s->n <= 8, is_alone = s->n % 4 == 0 && s->k <= 8192;
    const int32_t first = s->k % 8 != 0                   ? 1
                          : !is_narrow                    ? 6
                          : is_alone && *s->detail == 'F' ? 2
                                                          : 1;
    if (is_among(gpt_oss, s))
        return m > GPT_OSS_M && s->n > GPT_OSS_N;
    return m >= first && (m <= 16 || m > 128 || !fits_counting(serving_coarse(m, 0), s->n, s->k));
}

int reading_has_m(const struct reading *r, const struct asked_shape *s)
{
    switch (r->rule) {
    case READS_ASM: return s->m > 64;
    case READS_NOT_SKINNY: return skinny_leaves(s);
    case READS_MANY: return s->m > (s->k <= 512 ? 512 : s->k <= 2048 ? 64 : 0);
    default: return 1;
    }
}
