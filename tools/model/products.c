/* products.c - see products.h
   SPDX-License-Identifier: MIT */
#include "products.h"

#include <stdlib.h>
#include <string.h>

const struct product products[] = {
    {"Instinct", "MI355X", "gfx950", 256},
    {"Instinct", "MI350X", "gfx950", 256},
    {"Instinct", "MI325X", "gfx942", 304},
    {"Instinct", "MI308X", "gfx942", 80},
    {"Instinct", "MI300X", "gfx942", 304},
    {"Instinct", "MI300A", "gfx942", 228},
    {"Instinct", "MI250X", "gfx90a", 110},
    {"Instinct", "MI250", "gfx90a", 104},
    {"Instinct", "MI210", "gfx90a", 104},
    {"Instinct", "MI100", "gfx908", 120},
    {"Radeon Instinct", "MI60", "gfx906", 64},
    {"Radeon Instinct", "MI50", "gfx906", 60},
    {"Radeon Instinct", "MI25", "gfx900", 64},
    {"Radeon Instinct", "MI8", "gfx803", 64},
    {"Radeon Instinct", "MI6", "gfx803", 36},
    {"Radeon AI PRO", "R9700", "gfx1201", 64},
    {"Radeon PRO", "V710", "gfx1101", 54},
    {"Radeon PRO", "W7900", "gfx1100", 96},
    {"Radeon PRO", "W7900 Dual Slot", "gfx1100", 96},
    {"Radeon PRO", "W7800", "gfx1100", 70},
    {"Radeon PRO", "W7700", "gfx1101", 48},
    {"Radeon PRO", "W7600", "gfx1102", 32},
    {"Radeon PRO", "W7500", "gfx1102", 28},
    {"Radeon PRO", "W6800", "gfx1030", 60},
    {"Radeon PRO", "W6600", "gfx1032", 28},
    {"Radeon PRO", "V620", "gfx1030", 72},
    {"Radeon PRO", "W5700", "gfx1010", 36},
    {"Radeon PRO", "W5500", "gfx1012", 22},
    {"Radeon PRO", "VII", "gfx906", 60},
    {"Radeon PRO", "WX 9100", "gfx900", 64},
    {"Radeon PRO", "WX 8200", "gfx900", 56},
    {"Radeon", "RX 9070 XT", "gfx1201", 64},
    {"Radeon", "RX 9070", "gfx1201", 56},
    {"Radeon", "RX 9070 GRE", "gfx1201", 48},
    {"Radeon", "RX 9060 XT", "gfx1200", 32},
    {"Radeon", "RX 9060", "gfx1200", 28},
    {"Radeon", "RX 7900 XTX", "gfx1100", 96},
    {"Radeon", "RX 7900 XT", "gfx1100", 84},
    {"Radeon", "RX 7900 GRE", "gfx1100", 80},
    {"Radeon", "RX 7800 XT", "gfx1101", 60},
    {"Radeon", "RX 7700 XT", "gfx1101", 54},
    {"Radeon", "RX 7700", "gfx1101", 40},
    {"Radeon", "RX 7600 XT", "gfx1102", 32},
    {"Radeon", "RX 7600", "gfx1102", 32},
    {"Radeon", "RX 6950 XT", "gfx1030", 80},
    {"Radeon", "RX 6900 XT", "gfx1030", 80},
    {"Radeon", "RX 6800 XT", "gfx1030", 72},
    {"Radeon", "RX 6800", "gfx1030", 60},
    {"Radeon", "RX 6750 XT", "gfx1031", 40},
    {"Radeon", "RX 6700 XT", "gfx1031", 40},
    {"Radeon", "RX 6700", "gfx1031", 36},
    {"Radeon", "RX 6650 XT", "gfx1032", 32},
    {"Radeon", "RX 6600 XT", "gfx1032", 32},
    {"Radeon", "RX 6600", "gfx1032", 28},
    {"Radeon", "RX 6500 XT", "gfx1034", 16},
    {"Radeon", "RX 6400", "gfx1034", 12},
    {"Radeon", "RX 5700 XT", "gfx1010", 40},
    {"Radeon", "RX 5700", "gfx1010", 36},
    {"Radeon", "RX 5600 XT", "gfx1010", 36},
    {"Radeon", "RX 5500 XT", "gfx1012", 22},
    {"Radeon", "VII", "gfx906", 60},
    {"Radeon", "RX Vega 64", "gfx900", 64},
    {"Radeon", "RX Vega 56", "gfx900", 56},
    {"Radeon", "Vega Frontier Edition", "gfx900", 64},
    {NULL, NULL, NULL, 0},
};

/* Compute units in one of the units that HIP counts */
static int units_of_one(const char *gpu)
{
    return strncmp(gpu, "gfx1", 4) ? 1 : 2;
}

int product_units(const struct product *p)
{
    return p->compute_units / units_of_one(p->arch);
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
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char folded[NAMES_FOLDED];
        names_fold(word, folded);
        text = behind(behind(text, folded), "tm");
    }
    return text;
}

static int is_called(const struct product *p, const char *folded)
{
    char name[NAMES_FOLDED];
    names_fold(p->name, name);
    const char *rest = behind_brand(behind_brand(folded, "AMD"), p->brand);
    return !strcmp(rest, name) || !strcmp(rest, behind(name, "rx"));
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

const char *gpu_name(const char *text, struct buf *b)
{
    const struct product *p = product_find(text);
    char name[GPU_NAME];
    b->n = 0;
    if (p) {
        product_gpu(p, name);
        buf_puts(b, name);
        return b->s;
    }
    buf_puts(b, text);
    for (size_t i = 0; i < b->n; i++)
        if (b->s[i] >= 'A' && b->s[i] <= 'Z')
            b->s[i] = (char)(b->s[i] - 'A' + 'a');
    return strncmp(b->s, "gfx", 3) ? text : b->s;
}

const char *gpu_asked(const char *option, const char *text, struct buf *b)
{
    const char *name = gpu_name(text, b);
    struct names_near near = {.text = text};
    struct buf question = {NULL, 0, 0};
    if (product_find(text))
        note("%s is %s", text, name);
    if (!strncmp(name, "gfx", 3))
        return name;
    products_offer(&near);
    fail("%s \"%s\": is no name of a GPU, as gfx90a, gfx906_60 and MI300X are%s", option, text,
         names_question(&near, &question));
    buf_free(&question);
    return NULL;
}

/* gfx10 and later have four digits, earlier ones three. */
struct gpu gpu_parse(const char *name)
{
    const int n = strncmp(name, "gfx1", 4) ? 6 : 7;
    struct gpu gpu = {"", 0, 0};
    snprintf(gpu.arch, sizeof gpu.arch, "%.*s", n, name);
    const char *units = name + strlen(gpu.arch);
    gpu.units = (int)strtol(units + (*units == '_'), NULL, *units == '_' ? 10 : 16);
    gpu.compute_units = gpu.units * units_of_one(name);
    return gpu;
}

const char *gpu_products(const char *gpu, struct buf *b)
{
    char name[GPU_NAME];
    buf_puts(b, "");
    for (const struct product *p = products; p->name; p++) {
        product_gpu(p, name);
        if (!strcmp(gpu, name) || !strcmp(gpu, p->arch))
            buf_printf(b, "%s %s\n", p->brand, p->name);
    }
    return b->s;
}

void products_offer(struct names_near *near)
{
    for (const struct product *p = products; p->name; p++) {
        names_offer(near, p->name, p->name);
        names_offer(near, p->name, behind(p->name, "RX "));
    }
}
