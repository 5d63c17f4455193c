/* test_names.c - names as people type them: which are near, which GPU and which token they mean
   SPDX-License-Identifier: MIT

   The distance is counted a second time, by trying all ways; the names of GPUs are those of the
   files that MIOpen installs. */
#include "harness/cases.h"
#include "harness/specs.h"
#include "model/gpus.h"
#include "model/runtime.h"

/* ---- names ---- */

static void same_names(void)
{
    CHECK(names_same("conv_asm_1x1u", "ConvAsm1x1U"));
    CHECK(names_same("RX 7900 XTX", "rx7900-xtx"));
    CHECK(!names_same("conv_asm_1x1u", "conv_asm_1x1"));
    CHECK(!names_same("", ""));
    CHECK(!names_same("_", "-"));
}

/* A name, the start of one, and the start that a macro pastes names to */
static void names_of_headers(void)
{
    CHECK_TEXT(runtime_header_name("KPRED_VERSION", 0), "KPRED_VERSION");
    CHECK(runtime_header_name("KPRED_VERSIO", 0) == NULL);
    CHECK(runtime_header_name("KPRED_VERSIONS", 0) == NULL);
    CHECK_TEXT(runtime_header_name("KPRED_VERSIO", 1), "KPRED_VERSION");
    CHECK_TEXT(runtime_header_name("KPRED_ASM_1X1U_NAME", 0), "KPRED_ASM_1X1U_");
    CHECK(runtime_header_name("KPRED_ASM_1X1U", 0) == NULL);
}

/* All forms have the one text, and each text is found among all by each of its forms. */
static void numbers(void)
{
    struct buf file = {0};
    const char *texts[64], *form[64][16];
    char room[NUMBER_TEXT];
    size_t n = 0, n_forms[64] = {0};
    CHECK(read_text("tests/fixtures/numbers.txt", 1 << 16, &file) == 0);
    for (char *at = file.s, *line, *word; n < 64 && (line = next_line(&at)) != NULL;)
        if (*line != '#') {
            for (word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
                form[n][n_forms[n]++] = word;
            texts[n] = form[n][0];
            n++;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_forms[i]; k++)
            CASE(!strcmp(form[i][k], "=")
                     || (!strcmp(number_text(form[i][k], room), texts[i])
                         && number_find(texts, n, form[i][k]) == (int)i),
                 "%s is %s, not %s", form[i][k], number_text(form[i][k], room), texts[i]);
    CHECK(n > 30);
    buf_free(&file);
}

/* Tries every way to go on. */
static size_t tried(const char *a, const char *b)
{
    size_t best, d;
    if (!*a || !*b)
        return strlen(a) + strlen(b);
    best = tried(a + 1, b + 1) + (*a != *b);
    d = tried(a + 1, b) + 1;
    best = d < best ? d : best;
    d = tried(a, b + 1) + 1;
    best = d < best ? d : best;
    if (a[0] == b[1] && a[1] == b[0]) {
        d = tried(a + 2, b + 2) + 1;
        best = d < best ? d : best;
    }
    return best;
}

static void draw_text(char *text)
{
    const int n = rand() % 7;
    for (int i = 0; i < n; i++)
        text[i] = "ab7"[rand() % 3];
    text[n] = '\0';
}

static void distances(void)
{
    char a[8], b[8], name[200] = "";
    for (int i = 0; i < 2000; i++) {
        draw_text(a);
        draw_text(b);
        CHECK_EQ(names_distance(a, b), tried(a, b));
    }
    CHECK_EQ(names_distance("predict", "predcit"), 1);
    CHECK_EQ(names_distance("A-B", "ab"), 0);
    memset(name, 'x', sizeof name - 1);
    CHECK_EQ(names_distance(name, ""), NAMES_FOLDED - 1);
}

/* The question about a text, where these may be meant */
static const char *question(const char *text, const char *const *names)
{
    struct names_near near = {.text = text};
    for (; *names; names++)
        names_offer(&near, *names, *names);
    return names_question(&near, new_text());
}

static void questions(void)
{
    static const char *const names[] = {"models", "predict", "miopen", "bench", NULL};
    static const char *const many[] = {"a1xx", "a2xx", "a1x", "a2x", "a1", "xa1x", NULL};
    CHECK_TEXT(question("modles", names), "; did you mean models?");
    CHECK_TEXT(question("BENCHES", names), "; did you mean bench?");
    CHECK_TEXT(question("open", names), "; did you mean miopen?");
    CHECK_TEXT(question("m", names), "");
    CHECK_TEXT(question("train", names), "");
    CHECK_TEXT(question("a1x", many), "; did you mean a1x, a1xx, a2x or a1?");
}

/* ---- products ---- */

/* It is found under this name, and it has this GPU. */
static void has_gpu(const char *name, const char *gpu)
{
    CHECK_TEXT(gpu_name(name, new_text()), gpu);
}

static const char *const gpu_names[][2] = {
    /* in files of MIOpen; of the last one the compute units are 72 */
    {"RX Vega 56", "gfx900_56"},
    {"MI25", "gfx900_64"},
    {"MI50", "gfx906_60"},
    {"MI60", "gfx906_64"},
    {"MI100", "gfx90878"},
    {"MI210", "gfx90a68"},
    {"MI250X", "gfx90a6e"},
    {"MI300X", "gfx942130"},
    {"MI300A", "gfx942e4"},
    {"MI8", "gfx803_64"},
    {"MI6", "gfx803_36"},
    {"RX 6800 XT", "gfx1030_36"},
    /* of no product */
    {"GFX90A", "gfx90a"},
    {"gfx906:SRAMECC+", "gfx906"},
    {"", ""},
    {"AMD", "AMD"},
    {"Radeon", "Radeon"},
    {"RX", "RX"},
    {"MI300", "MI300"},
    /* as drivers call devices */
    {"NVIDIA A100-PCIE-40GB", "A100-PCIE-40GB"},
    {"NVIDIA RTX A4000", "RTX_A4000"},
    {"NVIDIA GeForce RTX 3090", "RTX_3090"},
    {"GeForce GTX 1080 Ti", "GTX_1080_Ti"},
    {"Tesla V100-SXM2-16GB", "V100-SXM2-16GB"},
    {"Quadro RTX 6000", "RTX_6000"},
    {"NVIDIA", "NVIDIA"},
    {"AMD Radeon PRO W6600", "gfx1032_14"},
    {"AMD Instinct MI250X/MI250", "gfx90a6e"},
    {"AMD Instinct MI300X VF", "gfx942130"},
    {"AMD_Instinct_MI300X_OAM", "gfx942130"},
    {"AMD Instinct MI308X OAM", "gfx94250"},
    {"NVIDIA_A100-PCIE-40GB", "A100-PCIE-40GB"},
    {" nvidia-a100-pcie-40gb ", "a100-pcie-40gb"},
    {"MI325_OAM", "gfx942130"},
    {"AMD_Instinct_MI355_OAM", "gfx950100"},
    {"AMD_Instinct_MI350X_VF", "gfx950100"},
    {"MI250_OAM", "gfx90a68"},
    {"MI325", "MI325"},
    {"MI999_OAM", "MI999_OAM"},
    {"AMD_Radeon_R9700", "gfx1201_32"},
    {"Radeon_8060S_Graphics", "gfx1151_20"},
    {"AMD Radeon 8060S Graphics", "gfx1151_20"},
    {"AMD Radeon Graphics", "Graphics"},
    {"AMD Instinct MI999", "MI999"},
    {"AMD Radeon RX 6600 LE", "RX_6600_LE"},
    {"gfx90a:sramecc+:xnack-", "gfx90a"},
    {"Intel(R) UHD Graphics 770", "UHD_Graphics_770"},
    {"Intel(R)_Arc(TM)_Pro_B60_Graphics", "Arc_Pro_B60_Graphics"},
    {"Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "Core_i7-8700_CPU_3.20GHz"},
    {"Intel\xc2\xae Arc\xe2\x84\xa2 A770", "Arc_A770"},
    {"2080_Ti", "_2080_Ti"},
    {"a \"b\", c", "a_b_c"},
    {"?!", ""},
};

static void names_of_gpus(void)
{
    for (size_t i = 0; i < COUNT(gpu_names); i++)
        has_gpu(gpu_names[i][0], gpu_names[i][1]);
    CHECK(!product_find("Instinct RX 6800"));
    CHECK(!product_find("Radeon MI300X"));
}

/* As people and drivers write it */
static void ways_to_write(void)
{
    for (const struct product *p = products; p->name; p++) {
        char gpu[GPU_NAME], folded[NAMES_FOLDED];
        product_gpu(p, gpu);
        has_gpu(p->name, gpu);
        names_fold(p->name, folded);
        has_gpu(folded, gpu);
        has_gpu(say("%s %s", p->brand, p->name), gpu);
        has_gpu(say("AMD %s", p->name), gpu);
        has_gpu(say("AMD %s (TM) %s", p->brand, p->name), gpu);
        if (!strncmp(p->name, "RX ", 3))
            has_gpu(p->name + 3, gpu);
    }
}

/* None is there twice, and its GPU's name is read back by the library as the very same. */
static void each_product(void)
{
    for (const struct product *p = products; p->name; p++) {
        char gpu[GPU_NAME];
        const char *tokens[] = {gpu};
        const kpred_field field = {"gpu", tokens, 1, 0, 0, 0, 0};
        kpred_model model = {.fields = &field, .n_fields = 1};
        int exact = 0;
        for (const struct product *q = products; q < p; q++)
            CHECK(strcmp(p->brand, q->brand) || strcmp(p->name, q->name));
        CHECK_TEXT(p->family, product_of_arch(p->arch)->family);
        product_gpu(p, gpu);
        CHECK_EQ(kpred_gpu_token(&model, p->arch, product_units(p), &exact), 0);
        CHECK(exact);
        const struct gpu parsed = gpu_parse(gpu);
        CHECK_TEXT(parsed.arch, p->arch);
        CHECK_EQ(parsed.units, product_units(p));
        CHECK_EQ(parsed.compute_units, p->compute_units);
        CHECK_EQ(product_units(p) * (strlen(p->arch) == 7 ? 2 : 1), p->compute_units);
    }
}

static void products_of_gpus(void)
{
    CHECK_TEXT(gpu_products("gfx90878", new_text()), "Instinct MI100\n");
    CHECK_TEXT(gpu_products("gfx90a", new_text()),
               "Instinct MI250X\nInstinct MI250\nInstinct MI210\n");
    CHECK_TEXT(gpu_products("gfx90a1", new_text()), "");
    CHECK_TEXT(gpu_called("gfx942130", new_text()), "MI300X (gfx942, 304 units)");
    CHECK_TEXT(gpu_called("MI325X", new_text()), "MI325X (gfx942, 304 units)");
    CHECK_TEXT(gpu_called("gfx1151_20", new_text()), "Radeon 8060S (gfx1151, 20 units)");
    CHECK_TEXT(gpu_called("gfx908", new_text()), "gfx908");
    CHECK_TEXT(gpu_called("A100_SXM4_80GB", new_text()), "A100_SXM4_80GB");
    CHECK_TEXT(gpu_parse("gfx906").arch, "gfx906");
    CHECK_EQ(gpu_parse("gfx906").units, 0);
    for (size_t i = 0; i < 3; i++) { /* digits are units behind an architecture alone */
        const char *name = ((const char *[]){"AMD_Radeon_R9700", "A100-PCIE-40GB", "_3090"})[i];
        CHECK_TEXT(gpu_parse(name).arch, "");
        CHECK_EQ(gpu_parse(name).compute_units, 0);
    }
}

/* ---- spellings ---- */

/* A line has the spellings of one GPU; those of two lines are two. */
static const char *const spellings[][9] = {
    {"AMD_Instinct_MI300X_OAM", "AMD_Instinct_MI300X_VF", "AMD_Instinct_MI300X_HF", "mi300x",
     "AMD Instinct MI300X VF", "gfx942_304", " gfx942130 ", "GFX942130", "AMD-Instinct-MI300X"},
    {"AMD Instinct MI308X OAM", "AMD_Instinct_MI308X", "MI308X", "gfx942_80"},
    {"gfx942:sramecc+:xnack-", "gfx942", " GFX942", "gfx942 "},
    {"NVIDIA A100-PCIE-40GB", "NVIDIA_A100-PCIE-40GB", "nvidia a100-pcie-40gb", "A100_PCIE_40GB",
     "NVIDIA-A100-PCIE-40GB", "  A100-PCIE-40GB", "nvidia_A100-PCIe-40GB"},
    {"NVIDIA A100-PCIE-80GB", "a100_pcie_80gb"},
    {"NVIDIA A100-SXM4-40GB", "NVIDIA-A100-SXM4-40GB"},
    {"A100", "NVIDIA A100", "Tesla_a100"},
    {"AMD_Radeon_R9700", "AMD Radeon AI PRO R9700", "gfx1201_32"},
    {"RTX_A4000", "NVIDIA RTX A4000", "NVIDIA_RTX_A4000", "rtx a4000"},
    {"2080_Ti", "_2080_Ti", "GeForce 2080 Ti"},
    {"GeForce 6800", "_6800"},
    {"RX 6800", "AMD Radeon RX 6800"},
    {"foo"},
};
enum { N_SPELLINGS = COUNT(spellings) };

static void same_gpus(void)
{
    for (size_t i = 0; i < N_SPELLINGS; i++)
        for (size_t j = 0; j < N_SPELLINGS; j++)
            for (size_t a = 0; a < 9 && spellings[i][a]; a++)
                for (size_t b = 0; b < 9 && spellings[j][b]; b++)
                    CHECK_OF(gpu_same(spellings[i][a], spellings[j][b]) == (i == j),
                             spellings[i][a]);
}

/* What it says once stays so. */
static void names_of_names(void)
{
    for (size_t i = 0; i < N_SPELLINGS; i++)
        for (size_t a = 0; a < 9 && spellings[i][a]; a++) {
            const char *name = gpu_name(spellings[i][a], new_text());
            has_gpu(name, name);
            CHECK_OF(gpu_same(name, spellings[i][a]), spellings[i][a]);
        }
}

static void one_chip(void)
{
    static const char *const gpus[] = {
        "A100-SXM4-80GB", "gfx942_304",     "H100_NVL",       "A100",     "gfx942_80",  "A40",
        "gfx942",         "h100_80GB_HBM3", "a100_pcie_40GB", "RTX_3090", "RTX_3090_Ti"};
    static const char *const others[] = {"gfx906_60",  "gfx906_64", "MI300X",
                                         "gfx942_304", "MI325X",    "A100"};
    CHECK_TEXT(gpu_chips(gpus, COUNT(gpus), new_text()),
               "A100-SXM4-80GB and A100 and a100_pcie_40GB; gfx942_304 and gfx942; "
               "H100_NVL and h100_80GB_HBM3; gfx942_80 and gfx942");
    CHECK_TEXT(gpu_chips(others, COUNT(others), new_text()), "");
}

/* ---- NVIDIA's chips ---- */

/* Each is found by its own name, whatever stands between its words, and none is there twice. */
static void each_chip(void)
{
    for (const struct chip *c = chips; c->name; c++) {
        char text[128];
        snprintf(text, sizeof text, "NVIDIA %s", c->name);
        CHECK_OF(chip_of_device(text) == c, text);
        for (char *at = text; *at; at++)
            *at = (char)(*at == ' ' ? '_' : *at);
        CHECK_OF(chip_of_device(text) == c, text);
        CHECK_OF(chip_of_device(gpu_name(text, new_text())) == c, text);
        CHECK_TEXT(gpu_vendor(c->name), "nvidia");
        CHECK_OF(c->arch >= 60 && c->arch <= 121, c->name);
        CHECK_OF(c->units >= 0 && c->units <= 188, c->name);
    }
}

static void names_of_chips(void)
{
    static const char *const names[][3] = {
        /* as the driver calls it, the chip, and what it is whatever the card */
        {"NVIDIA H100 80GB HBM3", "H100", "H100"},
        {"NVIDIA_H100_PCIe", "H100 PCIe", "H100 PCIe"},
        {"H100-NVL", "H100 NVL", "H100 NVL"},
        {"NVIDIA_H200_NVL", "H200", "H200"},
        {"NVIDIA H20-3e", "H20 3e", "H20 3e"},
        {"NVIDIA B300 SXM6 AC", "B300", "B300"},
        {"NVIDIA GH200 480GB", "GH200", "GH200"},
        {"A100-PCIE-40GB", "A100", ""},
        {"Tesla V100-SXM2-16GB", "V100", ""},
        {"NVIDIA_L20", "L20", "L20"},
        {"L20Y", "", ""},
        {"L40S", "L40S", "L40S"},
        {"H100x", "", ""},
        {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", ""},
        {"Quadro RTX 6000", "RTX 6000", ""},
        {"A6000", "RTX A6000", ""},
        {"4090", "", ""},
        {"NVIDIA GeForce RTX 4090 D", "RTX 4090 D", ""},
        {"NVIDIA GeForce RTX 4070 Laptop GPU", "RTX 4070", ""},
        {"NVIDIA_RTX_PRO_6000_Blackwell_Max-Q_Workstation_Edition",
         "RTX PRO 6000 Blackwell Max Q Workstation Edition", ""},
        {"AMD_Instinct_MI300X", "", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct chip *c = chip_of_device(names[i][0]);
        const struct chip *any = chip_of_any_form(names[i][0]);
        CHECK_TEXT(c ? c->name : "", names[i][1]);
        CHECK_TEXT(any ? any->name : "", names[i][2]);
    }
}

/* What of a file's name may be a GPU */
static void pieces_of_files(void)
{
    static const char *const files[][2] = {
        {"gfx906_60.HIP.3_2_0.txt", "gfx906_60"},
        {"gfx900_56-2019-12-06.cd.pdb.txt", "gfx900_56"},
        {"NVIDIA_A100-PCIE-40GB.csv", "NVIDIA_A100-PCIE-40GB"},
        {"A100-SXM4-80GB_T4.json", "A100-SXM4-80GB"},
        {"a100-pcie-tuned.json", "a100-pcie"},
        {"MI250X", "MI250X"},
        {"-PCIE", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        CHECK_TEXT(say("%.*s", (int)gpu_piece(files[i][0]), files[i][0]), files[i][1]);
    }
}

static void vendors(void)
{
    static const char *const names[][8] = {
        {"amd", "MI250X", "AMD Radeon PRO W6600", "W6600", "gfx90a6e", "RX_580", "MI999", "VII"},
        {"nvidia", "A100", "h100", "RTX 4090", "RTX_A6000", "A100-PCIE-40GB", "2080_Ti", "L40S"},
        {"nvidia", "Tesla T4", "GTX1080", "1660", "TITAN_V", "K40m", "GeForce", "3090"},
        {"intel", "Intel(R) UHD Graphics 770", "UHD_Graphics_770", "Arc_A770"},
    };
    static const char *const nobody[] = {"",      "convolution", "1080p",   "1080_images", "4096",
                                         "m4096", "gemm_milo",   "format1", "A101",        "gfx"};
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t j = 1; j < 8 && names[i][j]; j++)
            CHECK_TEXT(gpu_vendor(names[i][j]), names[i][0]);
    for (size_t i = 0; i < COUNT(nobody); i++)
        CHECK_OF(gpu_vendor(nobody[i]) == NULL, nobody[i]);
}

/* ---- tokens, of a model that was made for this; the messages are not looked at ---- */

static const char spec_text[] =
    "[kernel]\nname = own\nrule = unconstrained\n[data]\nformat = csv\n[fields]\n"
    "gpu = gfx906_60 gfx906_64 gfx90878\nkind = one-two one_two three\ndtype = half single\n"
    "dir = forwards W\n[params]\np = 1 2\n"
    "[split]\nconfig = kind,dtype\nshape = kind\n[features]\nonehot gpu\n";

static void tokens(void)
{
    static const struct {
        size_t field;
        const char *text;
        int nearest;
        int32_t token;
    } rows[] = {
        {1, "one_two", 0, 1}, /* written just so */
        {1, "one-two", 0, 0},
        {1, "OneTwo", 0, -1}, /* one of two */
        {1, "THREE", 0, 2},
        {1, "", 0, -1},
        {2, "FP32", 0, 1}, /* the spec has another word for it */
        {2, "float16", 0, 0},
        {2, "BF16", 0, -1},
        {3, "wrw", 0, 1},
        {3, "forward", 0, -1}, /* "forwards" is not a word for it */
        {0, "gfx906", 0, -1},  /* one of two */
        {0, "gfx906:xnack-", 0, -1},
        {0, "gfx906", 1, 1},
        {0, "gfx906_60", 0, 0},
        {0, "MI60", 0, 1},
        {0, "GFX908", 0, 2},
        {0, "AMD_Instinct_MI60_OAM", 0, 1},
        {0, " gfx9063c", 0, 0},
        {0, "gfx908_120", 0, 2},
        {0, "gfx908:sramecc+:xnack-", 0, 2},
        {0, "MI25", 0, -1},
        {0, "MI25", 1, 1},
    };
    const struct model *model = model_of(spec_text, "config");
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_OF(model_token(model, rows[i].field, rows[i].text, rows[i].nearest) == rows[i].token,
                 rows[i].text);
}

/* Each GPU that a shipped model knows is sold under some name; of gfx1250 none is known yet. */
static void shipped_gpus(void)
{
    for (const struct builtin *m = builtins; m->model; m++) {
        const int32_t f = kpred_field_index(m->model, "gpu");
        for (int32_t i = 0; f >= 0 && i < m->model->fields[f].n_tokens; i++) {
            const char *gpu = m->model->fields[f].tokens[i];
            CHECK_OF(*gpu_products(gpu, new_text()) || strstr(gpu, "gfx1250")
                         || (!gpu_is_gfx(gpu) && gpu_vendor(gpu) != NULL),
                     gpu);
        }
    }
}

/* Every model is found by its name and by that of its kernel. */
static void shipped_models(void)
{
    for (const struct builtin *m = builtins; m->model; m++) {
        CHECK(builtin_find(m->model->name) == m);
        CHECK(builtin_find(m->model->kernel) == m);
    }
    CHECK(!builtin_find("conv"));
}

int main(void)
{
    program_name = "test_names";
    RUN_ALL(same_names, names_of_headers, numbers, distances, questions, names_of_gpus,
            ways_to_write, each_product, products_of_gpus, same_gpus, names_of_names, one_chip,
            each_chip, names_of_chips, pieces_of_files, vendors, tokens, shipped_gpus,
            shipped_models);
    return test_end();
}
