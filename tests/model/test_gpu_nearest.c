/* test_gpu_nearest.c - which token of a model of servers' kernels a GPU is, or which comes closest
   SPDX-License-Identifier: MIT */
#include "harness/specs.h"
#include "model/gpus.h"

/* Tokens as a model of servers' kernels has them */
static const struct spec servers = {
    .n_fields = 1,
    .fields = {
        {.name = "gpu",
         .tokens = {"gfx942_304", "gfx942_80", "MI325X", "gfx950_256", "gfx1201_32", "gfx1151_20",
                    "H100", "H100_PCIe", "H200", "H20", "H20_3e", "A100_SXM4_80GB", "L40S", "L20",
                    "RTX_4090", "B200", "B300_SXM6_AC", "RTX_PRO_6000_Blackwell_Server_Edition"},
         .n_tokens = 18}}};

static const char *server_token(int32_t token)
{
    return token < 0 ? "" : servers.fields[0].tokens[token];
}

/* A token that is spelled as a product is that product alone. */
static void tokens_of_servers(void)
{
    static const char *const rows[][2] = {
        {"AMD_Instinct_MI325X", "MI325X"},
        {"MI325X_OAM", "MI325X"},
        {"MI325_OAM", "MI325X"},
        {"MI300X", "gfx942_304"},
        {"MI300X_VF", "gfx942_304"},
        {"AMD Instinct MI300X OAM", "gfx942_304"},
        {"gfx942130", "gfx942_304"},
        {"AMD_Radeon_Graphics", "gfx942_304"},
        {"AMD Radeon Graphics", ""},
        {"MI308X", "gfx942_80"},
        {"AMD_Instinct_MI350X_VF", "gfx950_256"},
        {"MI355_OAM", "gfx950_256"},
        {"MI300A", ""},
        {"AMD_Radeon_R9700", "gfx1201_32"},
        {"Radeon_8060S_Graphics", "gfx1151_20"},
        {"NVIDIA_H100_80GB_HBM3", "H100"},
        {"NVIDIA H100 PCIe", "H100_PCIe"},
        {"NVIDIA_H200_NVL", "H200"},
        {"NVIDIA_H20-3e", "H20_3e"},
        {"NVIDIA_B300_SXM6_AC", "B300_SXM6_AC"},
        {"B300", "B300_SXM6_AC"},
        {"NVIDIA_A100-SXM4-80GB", "A100_SXM4_80GB"},
        {"NVIDIA A100-PCIE-40GB", ""},
        {"GB200", ""},
        {"Intel(R)_Arc(TM)_Pro_B60_Graphics", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_TEXT(server_token(field_token(&servers.fields[0], rows[i][0])), rows[i][1]);
        CHECK_TEXT(server_token(gpu_token(&servers.fields[0], rows[i][0])), rows[i][1]);
    }
    /* Of two that it may be, it is neither. */
    const struct spec_field two = {
        .name = "gpu", .tokens = {"H200_SXM", "H200_NVL"}, .n_tokens = 2};
    CHECK_EQ(field_token(&two, "H200_NVL"), 1);
    CHECK_EQ(field_token(&two, "H200"), -1);
}

static void nearest_of_servers(void)
{
    static const char *const rows[][3] = {
        {"NVIDIA A100-PCIE-40GB", "A100_SXM4_80GB", "the same chip"},
        {"NVIDIA H100 NVL", "H100", "the same chip"},
        {"MI300A", "gfx942_304", "the same architecture"},
        {"L4", "L20", "the same architecture"},
        {"L40", "L40S", "the same architecture"},
        {"NVIDIA RTX 6000 Ada Generation", "L40S", "the same architecture"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "RTX_4090", "the same architecture"},
        {"RTX_5090", "RTX_PRO_6000_Blackwell_Server_Edition", "the same architecture"},
        {"GB200", "B200", "the same architecture"},
        {"GB300", "B300_SXM6_AC", "the same architecture"},
        {"H800", "H100", "the same architecture"},
        {"A10", "L20", "only the same maker"},
        {"Tesla V100-SXM2-16GB", "A100_SXM4_80GB", "only the same maker"},
        {"T4", "A100_SXM4_80GB", "only the same maker"},
        {"GB10", "RTX_PRO_6000_Blackwell_Server_Edition", "only the same maker"},
        {"NVIDIA R200", "RTX_PRO_6000_Blackwell_Server_Edition", "only the same maker"},
        {"gfx90a", "gfx942_304", "only the same maker"},
        {"RX 7900 XTX", "gfx1151_20", "only the same maker"},
        {"gfx1250", "gfx950_256", "only the same maker"},
        {"AMD_Instinct_MI455X", "gfx950_256", "only the same maker"},
        {"AMD Radeon Graphics", "gfx1201_32", "only the same maker"},
        {"Intel(R)_Arc(TM)_Pro_B60_Graphics", "", ""},
        {"BW200", "", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *token = server_token(gpu_nearest(&servers, rows[i][0]));
        CHECK_TEXT(token, rows[i][1]);
        CHECK_OF(!*token || !strcmp(gpu_kinship(rows[i][0], token), rows[i][2]), rows[i][0]);
        CHECK_OF(gpu_maker_is_known(&servers.fields[0], rows[i][0]) == (*token != 0), rows[i][0]);
    }
}

/* A kernel runs on a product of an architecture that it runs on, and there alone. */
static void products_that_run(void)
{
    static const char text[] =
        "[kernel]\nname = own\nrule = unconstrained\nruns_on = gfx942\n[data]\nformat = csv\n"
        "[fields]\ngpu = gfx942_80 MI325X gfx950_256\nn = size\n[params]\np = 1 2\n[split]\nconfig "
        "= n\n"
        "[features]\nonehot gpu\n";
    const struct model *model = model_of(text, "config");
    int exact;
    CHECK_EQ(model_gpu(model, 0, "MI325X", 0, &exact), 1);
    CHECK_EQ(model_gpu(model, 0, "MI300X", 0, &exact), -1);
    CHECK_EQ(model_gpu(model, 0, "MI300X", 1, &exact), 1);
    CHECK_EQ(model_gpu(model, 0, "MI350X", 1, &exact), -1);
    CHECK_EQ(model_gpu(model, 0, "MI210", 1, &exact), -1);
}

/* Among names of AMD's it is what the library finds. */
static void nearest_of_library(void)
{
    static const char *const tokens[] = {"gfx900_56", "gfx90a6e",  "gfx942_80",
                                         "gfx942130", "gfx906_60", "gfx1030_36"};
    struct spec spec = {.n_fields = 1, .fields = {{.name = "gpu", .n_tokens = COUNT(tokens)}}};
    const kpred_field field = {"gpu", tokens, COUNT(tokens), 0, 0, 0, 0};
    const kpred_model model = {.fields = &field, .n_fields = 1};
    memcpy(spec.fields[0].tokens, tokens, sizeof tokens);
    for (const struct product *p = products; p->name; p++) {
        const int32_t found = kpred_gpu_token(&model, p->arch, product_units(p), NULL);
        CHECK_OF(gpu_nearest(&spec, p->name) == found, p->name);
        CHECK_OF(gpu_nearest(&spec, p->arch) == kpred_gpu_token(&model, p->arch, 0, NULL), p->arch);
    }
}

int main(void)
{
    program_name = "test_gpu_nearest";
    RUN_ALL(tokens_of_servers, nearest_of_servers, nearest_of_library, products_that_run);
    return test_end();
}
