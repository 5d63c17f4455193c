/* gpu_products.c - AMD's products and NVIDIA's chips: one row for each; see gpus.h
   SPDX-License-Identifier: MIT */
#include "gpus.h"

#include <string.h>
#include <strings.h>

/* ---- AMD's ---- */

const struct product products[] = {
    {"Instinct", "MI355X", "gfx950", "cdna", 256},
    {"Instinct", "MI350X", "gfx950", "cdna", 256},
    {"Instinct", "MI325X", "gfx942", "cdna", 304},
    {"Instinct", "MI308X", "gfx942", "cdna", 80},
    {"Instinct", "MI300X", "gfx942", "cdna", 304},
    {"Instinct", "MI300A", "gfx942", "cdna", 228},
    {"Instinct", "MI250X", "gfx90a", "cdna", 110},
    {"Instinct", "MI250", "gfx90a", "cdna", 104},
    {"Instinct", "MI210", "gfx90a", "cdna", 104},
    {"Instinct", "MI100", "gfx908", "cdna", 120},
    {"Radeon Instinct", "MI60", "gfx906", "gcn", 64},
    {"Radeon Instinct", "MI50", "gfx906", "gcn", 60},
    {"Radeon Instinct", "MI25", "gfx900", "gcn", 64},
    {"Radeon Instinct", "MI8", "gfx803", "gcn", 64},
    {"Radeon Instinct", "MI6", "gfx803", "gcn", 36},
    {"Radeon AI PRO", "R9700", "gfx1201", "rdna", 64},
    {"Radeon PRO", "V710", "gfx1101", "rdna", 54},
    {"Radeon PRO", "W7900", "gfx1100", "rdna", 96},
    {"Radeon PRO", "W7900 Dual Slot", "gfx1100", "rdna", 96},
    {"Radeon PRO", "W7800", "gfx1100", "rdna", 70},
    {"Radeon PRO", "W7700", "gfx1101", "rdna", 48},
    {"Radeon PRO", "W7600", "gfx1102", "rdna", 32},
    {"Radeon PRO", "W7500", "gfx1102", "rdna", 28},
    {"Radeon PRO", "W6800", "gfx1030", "rdna", 60},
    {"Radeon PRO", "W6600", "gfx1032", "rdna", 28},
    {"Radeon PRO", "V620", "gfx1030", "rdna", 72},
    {"Radeon PRO", "W5700", "gfx1010", "rdna", 36},
    {"Radeon PRO", "W5500", "gfx1012", "rdna", 22},
    {"Radeon PRO", "VII", "gfx906", "gcn", 60},
    {"Radeon PRO", "WX 9100", "gfx900", "gcn", 64},
    {"Radeon PRO", "WX 8200", "gfx900", "gcn", 56},
    {"Radeon", "RX 9070 XT", "gfx1201", "rdna", 64},
    {"Radeon", "RX 9070", "gfx1201", "rdna", 56},
    {"Radeon", "RX 9070 GRE", "gfx1201", "rdna", 48},
    {"Radeon", "RX 9060 XT", "gfx1200", "rdna", 32},
    {"Radeon", "RX 9060", "gfx1200", "rdna", 28},
    {"Radeon", "RX 7900 XTX", "gfx1100", "rdna", 96},
    {"Radeon", "RX 7900 XT", "gfx1100", "rdna", 84},
    {"Radeon", "RX 7900 GRE", "gfx1100", "rdna", 80},
    {"Radeon", "RX 7800 XT", "gfx1101", "rdna", 60},
    {"Radeon", "RX 7700 XT", "gfx1101", "rdna", 54},
    {"Radeon", "RX 7700", "gfx1101", "rdna", 40},
    {"Radeon", "RX 7600 XT", "gfx1102", "rdna", 32},
    {"Radeon", "RX 7600", "gfx1102", "rdna", 32},
    {"Radeon", "RX 6950 XT", "gfx1030", "rdna", 80},
    {"Radeon", "RX 6900 XT", "gfx1030", "rdna", 80},
    {"Radeon", "RX 6800 XT", "gfx1030", "rdna", 72},
    {"Radeon", "RX 6800", "gfx1030", "rdna", 60},
    {"Radeon", "RX 6750 XT", "gfx1031", "rdna", 40},
    {"Radeon", "RX 6700 XT", "gfx1031", "rdna", 40},
    {"Radeon", "RX 6700", "gfx1031", "rdna", 36},
    {"Radeon", "RX 6650 XT", "gfx1032", "rdna", 32},
    {"Radeon", "RX 6600 XT", "gfx1032", "rdna", 32},
    {"Radeon", "RX 6600", "gfx1032", "rdna", 28},
    {"Radeon", "RX 6500 XT", "gfx1034", "rdna", 16},
    {"Radeon", "RX 6400", "gfx1034", "rdna", 12},
    {"Radeon", "RX 5700 XT", "gfx1010", "rdna", 40},
    {"Radeon", "RX 5700", "gfx1010", "rdna", 36},
    {"Radeon", "RX 5600 XT", "gfx1010", "rdna", 36},
    {"Radeon", "RX 5500 XT", "gfx1012", "rdna", 22},
    {"Radeon", "8060S", "gfx1151", "rdna", 40},
    {"Radeon", "8050S", "gfx1151", "rdna", 32},
    {"Radeon", "VII", "gfx906", "gcn", 60},
    {"Radeon", "RX Vega 64", "gfx900", "gcn", 64},
    {"Radeon", "RX Vega 56", "gfx900", "gcn", 56},
    {"Radeon", "Vega Frontier Edition", "gfx900", "gcn", 64},
    {NULL, NULL, NULL, NULL, 0},
};

int gpu_units_of_one(const char *gfx)
{
    return strncmp(gfx, "gfx1", 4) ? 1 : 2;
}

int product_units(const struct product *p)
{
    return p->compute_units / gpu_units_of_one(p->arch);
}

void product_gpu(const struct product *p, char out[GPU_NAME])
{
    const int units = product_units(p);
    snprintf(out, GPU_NAME, units <= 64 ? "%s_%d" : "%s%x", p->arch, units);
}

/* What stands behind a word that may be left out. */
static const char *behind(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(text, word, n) ? text : text + n;
}

/* Behind the words of a brand, as far as they are there; "(TM)" may follow each. */
static const char *behind_brand(const char *text, const char *brand)
{
    char words[NAMES_FOLDED];
    snprintf(words, sizeof words, "%s", brand);
    for (char *rest, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char folded[NAMES_FOLDED];
        names_fold(word, folded);
        text = behind(behind(text, folded), "tm");
    }
    return text;
}

/* Most products are another one by the last letter, and nearly all by their names. */
static int is_called(const struct product *p, const char *folded)
{
    char name[NAMES_FOLDED];
    const size_t n = strlen(folded);
    if (n == 0 || (p->name[strlen(p->name) - 1] | ' ') != folded[n - 1])
        return 0;
    names_fold(p->name, name);
    if (!ends_with(folded, behind(name, "rx")))
        return 0;
    const char *rest = behind_brand(behind_brand(folded, "AMD"), p->brand);
    return !strcmp(rest, name) || !strcmp(rest, behind(name, "rx"));
}

const struct product *product_of_arch(const char *arch)
{
    for (const struct product *p = products; p->name != NULL; p++)
        if (strcmp(p->arch, arch) == 0)
            return p;
    return NULL;
}

const struct product *product_of_units(int64_t compute_units)
{
    for (const struct product *p = products; p->name != NULL; p++)
        if (p->compute_units == compute_units && strcmp(p->family, "cdna") == 0)
            return p;
    return NULL;
}

const struct product *product_find(const char *text)
{
    char folded[NAMES_FOLDED];
    names_fold(text, folded);
    for (const struct product *p = products; p->name; p++)
        if (is_called(p, folded))
            return p;
    return NULL;
}

void products_offer(struct names_near *near)
{
    for (const struct product *p = products; p->name; p++) {
        names_offer(near, p->name, p->name);
        names_offer(near, p->name, behind(p->name, "RX "));
    }
}

/* ---- NVIDIA's ---- */

const struct chip chips[] = {
    {"P4", 61, 20, CHIP_SERVER},
    {"P40", 61, 30, CHIP_SERVER},
    {"P100", 60, 56, CHIP_SERVER | CHIP_FORMS},
    {"V100", 70, 80, CHIP_SERVER | CHIP_FORMS},
    {"V100S", 70, 80, CHIP_SERVER},
    {"T4", 75, 40, CHIP_SERVER},
    {"A2", 86, 10, CHIP_SERVER},
    {"A10", 86, 72, CHIP_SERVER},
    {"A10G", 86, 80, CHIP_SERVER},
    {"A16", 86, 10, CHIP_SERVER},
    {"A30", 80, 56, CHIP_SERVER},
    {"A40", 86, 84, CHIP_SERVER},
    {"A100", 80, 108, CHIP_SERVER | CHIP_FORMS},
    {"A800", 80, 108, CHIP_SERVER | CHIP_FORMS},
    {"L2", 89, 0, CHIP_SERVER},
    {"L4", 89, 58, CHIP_SERVER},
    {"L20", 89, 92, CHIP_SERVER},
    {"L40", 89, 142, CHIP_SERVER},
    {"L40S", 89, 142, CHIP_SERVER},
    {"H20", 90, 78, CHIP_SERVER},
    {"H20 3e", 90, 78, CHIP_SERVER},
    {"H100", 90, 132, CHIP_SERVER},
    {"H100 PCIe", 90, 114, CHIP_SERVER},
    {"H100 NVL", 90, 132, CHIP_SERVER},
    {"H200", 90, 132, CHIP_SERVER},
    {"H800", 90, 132, CHIP_SERVER},
    {"H800 PCIe", 90, 114, CHIP_SERVER},
    {"GH200", 90, 132, CHIP_SERVER},
    {"B100", 100, 0, CHIP_SERVER},
    {"B200", 100, 148, CHIP_SERVER},
    {"GB200", 100, 152, CHIP_SERVER},
    {"B300", 103, 148, CHIP_SERVER},
    {"GB300", 103, 152, CHIP_SERVER},
    {"GB10", 121, 48, 0},
    {"RTX PRO 6000 Blackwell Server Edition", 120, 188, CHIP_SERVER},
    {"RTX PRO 6000 Blackwell Workstation Edition", 120, 188, 0},
    {"RTX PRO 6000 Blackwell Max Q Workstation Edition", 120, 188, 0},
    {"RTX PRO 5000 Blackwell", 120, 110, 0},
    {"RTX PRO 4500 Blackwell", 120, 82, 0},
    {"RTX PRO 4000 Blackwell", 120, 70, 0},
    {"RTX 6000 Ada", 89, 142, 0},
    {"RTX 5880 Ada", 89, 110, 0},
    {"RTX 5000 Ada", 89, 100, 0},
    {"RTX 4500 Ada", 89, 60, 0},
    {"RTX 4000 Ada", 89, 48, 0},
    {"RTX 4000 SFF Ada", 89, 48, 0},
    {"RTX 2000 Ada", 89, 22, 0},
    {"RTX A6000", 86, 84, 0},
    {"RTX A5500", 86, 80, 0},
    {"RTX A5000", 86, 64, 0},
    {"RTX A4500", 86, 56, 0},
    {"RTX A4000", 86, 48, 0},
    {"RTX A2000", 86, 26, 0},
    {"RTX 8000", 75, 72, 0},
    {"RTX 6000", 75, 72, 0},
    {"RTX 5000", 75, 48, 0},
    {"RTX 4000", 75, 36, 0},
    {"RTX 5090", 120, 170, 0},
    {"RTX 5080", 120, 84, 0},
    {"RTX 5070 Ti", 120, 70, 0},
    {"RTX 5070", 120, 48, 0},
    {"RTX 5060 Ti", 120, 36, 0},
    {"RTX 5060", 120, 30, 0},
    {"RTX 4090", 89, 128, 0},
    {"RTX 4090 D", 89, 114, 0},
    {"RTX 4080", 89, 76, 0},
    {"RTX 4070 Ti", 89, 60, 0},
    {"RTX 4070", 89, 46, 0},
    {"RTX 4060 Ti", 89, 34, 0},
    {"RTX 4060", 89, 24, 0},
    {"RTX 3090 Ti", 86, 84, 0},
    {"RTX 3090", 86, 82, 0},
    {"RTX 3080 Ti", 86, 80, 0},
    {"RTX 3080", 86, 68, 0},
    {"RTX 3070 Ti", 86, 48, 0},
    {"RTX 3070", 86, 46, 0},
    {"RTX 3060 Ti", 86, 38, 0},
    {"RTX 3060", 86, 28, 0},
    {"TITAN RTX", 75, 72, 0},
    {"RTX 2080 Ti", 75, 68, 0},
    {"RTX 2080", 75, 46, 0},
    {"RTX 2070", 75, 36, 0},
    {"RTX 2060", 75, 30, 0},
    {"TITAN V", 70, 80, 0},
    {"GTX 1080 Ti", 61, 28, 0},
    {"GTX 1080", 61, 20, 0},
    {NULL, 0, 0, 0},
};

/* The length of a text's beginning that has the words of a name; 0: it begins otherwise. */
static size_t leads(const char *text, const char *name)
{
    const char *at = text;
    for (; *name != '\0'; name++)
        if (*name == ' ')
            at += strspn(at, GPU_BETWEEN);
        else if (strncasecmp(at++, name, 1) != 0)
            return 0;
    return strspn(at, GPU_LETTERS) == 0 ? (size_t)(at - text) : 0;
}

/* The word RTX is left out in A4000 and in PRO 6000, but a number alone is a GeForce. */
static size_t leads_chip(const char *text, const struct chip *c)
{
    const char *rest = behind(c->name, "RTX ");
    const size_t n = leads(text, c->name);
    return n == 0 && strspn(rest, "0123456789") == 0 ? leads(text, rest) : n;
}

const struct chip *chip_find(const char *text, const char **rest)
{
    const struct chip *found = NULL;
    size_t longest = 0;
    for (const struct chip *c = chips; c->name != NULL; c++) {
        const size_t n = leads_chip(text, c);
        found = n > longest ? c : found;
        longest = n > longest ? n : longest;
    }
    *rest = text + longest;
    return found;
}
