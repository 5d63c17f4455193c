/* test_calls.c - what tools/aiter/calls.c finds in lines: all forms, cut and run into each other
   SPDX-License-Identifier: MIT */
#include "aiter/calls.h"
#include "aiter/families.h"
#include "harness/test.h"

#define FILE_BS "/tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv"
#define MISS(m, n, k, file)                                                  \
    "shape is M:" #m ", N:" #n ", K:" #k ", not found tuned config in " file \
    ", will use default config!"
#define HIT                                                                                       \
    "shape is M:17, N:1536, K:7168, found padded_M: 32, N:1536, K:7168 is tuned on cu_num = 304 " \
    "in " FILE_BS " , kernel name is a8w8_blockscale_x!"
#define FUSED                                                                      \
    "[fused_moe] using 2stage default for ('gfx950', 256, 16, 7168, 256, 257, 9, " \
    "<ActivationType.Silu: 0>, 'torch.bfloat16', 'torch.float8_e4m3fn', True, False) "

static const struct form {
    const char *text;
    enum call_kind kind;
    int64_t m, n, k;
    const char *file;
} forms[] = {
    {MISS(16, 1536, 7168, FILE_BS), CALL_MISS, 16, 1536, 7168, FILE_BS},
    {MISS(1, 2, 3, "my own.dir/table.csv"), CALL_MISS, 1, 2, 3, "my own.dir/table.csv"},
    {MISS(0, 2, -3, "a.csv"), CALL_MISS, 0, 2, -3, "a.csv"},
    {"shape is M:5, N:6, K:7, q_dtype_w:torch.float8_e4m3fnuz, not found tuned config in b.csv, "
     "will use default config!",
     CALL_MISS, 5, 6, 7, "b.csv"},
    {"shape is M:5, N:6, K:7 dtype='torch.bfloat16' otype='torch.bfloat16' bias=False, "
     "scaleAB=False, bpreshuffle=False, not found tuned config in bf16_tuned_gemm.csv, will use "
     "default config! using torch solution:0",
     CALL_MISS, 5, 6, 7, "bf16_tuned_gemm.csv"},
    {"shape is B:4, M:5, N:6, K:7, not found tuned config in CKGEMM, will", CALL_MISS, 5, 6, 7,
     "CKGEMM"},
    {HIT, CALL_HIT, 17, 1536, 7168, FILE_BS},
    {"shape M:5, N:6, K:7 found padded_M: 16, N:6, K:7 is tuned on cu_num = 80 in c.csv , kernel "
     "name is x!",
     CALL_HIT, 5, 6, 7, "c.csv"},
    {FUSED, CALL_FMOE, 0, 0, 0,
     "'gfx950', 256, 16, 7168, 256, 257, 9, <ActivationType.Silu: 0>, 'torch.bfloat16', "
     "'torch.float8_e4m3fn', True, False"},
    {"shape is M:16, N:1536, K:7168, found padded_M: 32, N:1536, K:716 is tuned on cu_num = 304 in "
     "a.csv , kernel name is x!",
     CALL_CUT, 0, 0, 0, NULL},
    {"shape is M:16, N:1536, K:7168", CALL_CUT, 0, 0, 0, NULL},
    {"shape is M:x", CALL_CUT, 0, 0, 0, NULL},
    {"shape is M:1, N:2, K:3, not found tuned config in , will use default config!", CALL_CUT, 0, 0,
     0, NULL},
    {"shape is torch.Size([16, 7168]) and the shape of M is not found tuned config in", CALL_NONE,
     0, 0, 0, NULL},
    {"[fused_moe] using 2stage tuned for (1, 2)", CALL_NONE, 0, 0, 0, NULL},
    {"reshape is M:1, N:2, K:3, not found tuned config in d.csv, will use default config",
     CALL_MISS, 1, 2, 3, "d.csv"},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

static int is_form(const struct form *f, enum call_kind kind, const struct call *c)
{
    if (kind != f->kind)
        return 0;
    if (kind == CALL_NONE || kind == CALL_CUT)
        return 1;
    if (kind != CALL_FMOE && (c->m.value != f->m || c->n.value != f->n || c->k.value != f->k))
        return 0;
    return c->n_text == strlen(f->file) && memcmp(c->text, f->file, c->n_text) == 0;
}

/* Behind other text, and before it */
static void all_forms(void)
{
    static const char *const before[] = {"", "[aiter] ", "(Worker_TP4 pid=8) [aiter] ",
                                         "[2026-11-22 10:00:00 TP4] "};
    char line[2048];
    for (size_t i = 0; i < N_FORMS; i++)
        for (size_t j = 0; j < 4; j++) {
            struct call c;
            const char *at = line;
            snprintf(line, sizeof line, "%s%s (more)", before[j], forms[i].text);
            CHECK_OF(is_form(&forms[i], call_next(&at, &c), &c), forms[i].text);
            CHECK_OF(call_next(&at, &c) == CALL_NONE, forms[i].text);
        }
}

/* A line that ends anywhere tells what the whole one does, or nothing. */
static void cut_anywhere(void)
{
    char line[2048];
    for (size_t i = 0; i < N_FORMS; i++)
        for (size_t n = 0; n < strlen(forms[i].text); n++) {
            struct call c;
            const char *at = line;
            snprintf(line, sizeof line, "%.*s", (int)n, forms[i].text);
            const enum call_kind kind = call_next(&at, &c);
            CHECK_OF(kind == CALL_NONE || kind == CALL_CUT || is_form(&forms[i], kind, &c), line);
        }
}

/* Two workers: the whole message of one comes in the middle of the other's. */
static void run_into_each_other(void)
{
    const struct form *inner = &forms[0];
    char line[4096];
    for (size_t i = 1; i < N_FORMS; i++)
        for (size_t n = 0; n <= strlen(forms[i].text); n++) {
            struct call c;
            const char *at = line;
            enum call_kind kind;
            int found = 0;
            snprintf(line, sizeof line, "%.*s%s%s", (int)n, forms[i].text, inner->text,
                     forms[i].text + n);
            while ((kind = call_next(&at, &c)) != CALL_NONE) {
                found += is_form(inner, kind, &c);
                CHECK_OF(kind == CALL_CUT || is_form(inner, kind, &c)
                             || is_form(&forms[i], kind, &c),
                         line);
            }
            CHECK_OF(found == 1, line);
        }
}

static void numbers(void)
{
    struct call c;
    const char *at =
        "shape is M:99999999999999999999999, N:16777217, K:007, not found tuned config "
        "in e.csv, will use default config!";
    CHECK_EQ(call_next(&at, &c), CALL_MISS);
    CHECK(c.m.value > 1 << 24);
    CHECK_EQ(c.m.n, 23);
    CHECK_EQ(c.n.value, 16777217);
    CHECK_EQ(c.k.value, 7);
}

static void hits(void)
{
    struct call c;
    const char *at = HIT;
    CHECK_EQ(call_next(&at, &c), CALL_HIT);
    CHECK_EQ(c.padded.value, 32);
    CHECK_EQ(c.cu.value, 304);
}

/* Many in one line, and all of them read once */
static void many_in_a_line(void)
{
    static char line[1 << 20];
    size_t n = 0, wanted = 0, found = 0;
    struct call c;
    const char *at = line;
    for (; n + 200 < sizeof line; wanted++)
        n += (size_t)sprintf(line + n, "%s ", forms[wanted % 2].text);
    while (call_next(&at, &c) == CALL_MISS)
        found++;
    CHECK_EQ(found, wanted);
}

static void family_names(void)
{
    static const struct {
        const char *path;
        enum family_id family;
    } files[] = {
        {FILE_BS, FAMILY_BS},
        {"a8w8_blockscale_bpreshuffle_tuned_gemm.csv", FAMILY_BSP},
        {"dsv4_a8w8_blockscale_bpreshuffle_tuned_gemm.csv", FAMILY_BSP},
        {"a8w8_blockscale_untuned_gemm_ds_v3.csv", FAMILY_BS},
        {"a8w8_bpreshuffle_tuned_gemm.csv", FAMILY_BP},
        {"a8w8_tuned_gemm.csv", FAMILY_A8W8},
        {"kimik3_a4w4_blockscale_tuned_gemm.csv", FAMILY_A4W4},
        {"bf16_tuned_gemm.csv", FAMILY_BF16},
        {"glm5_untuned_gemm_bf16.csv", FAMILY_BF16},
        {"a8w8_tuned_batched_gemm.csv", FAMILY_BATCHED},
        {"dsv4_batched_gemm_a8w8_blockscale_mxscale_tuned.csv", FAMILY_BATCHED},
        {"a8w8_blockscale_tuned_fmoe_ds_v3.csv", FAMILY_FMOE},
        {"asm_a8w8_gemm.csv", FAMILY_A8W8},
        {"CKGEMM", FAMILY_BATCHED},
        {"/a8w8_blockscale/mine.csv", FAMILY_NONE},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        CHECK_OF(family_of_file(files[i].path) == files[i].family, files[i].path);
    CHECK_EQ(family_asked("--family", "bs"), FAMILY_BS);
    CHECK_EQ(family_asked("--family", "gemm_a4w4_blockscale"), FAMILY_A4W4);
    CHECK_EQ(family_asked("--family", "a8w8_blockscale_bpreshuffle_tuned_gemm"), FAMILY_BSP);
}

int main(void)
{
    RUN(all_forms);
    RUN(cut_anywhere);
    RUN(run_into_each_other);
    RUN(numbers);
    RUN(hits);
    RUN(many_in_a_line);
    RUN(family_names);
    return test_end();
}
