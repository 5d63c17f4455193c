/* gpu_names.c - GPUs by the names that people, drivers and files have for them; see gpus.h
   SPDX-License-Identifier: MIT */
#include "gpus.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Most products are another one by the last letter. */
static int is_called(const struct product *p, const char *folded)
{
    char name[NAMES_FOLDED];
    names_fold(p->name + strlen(p->name) - 1, name);
    if (*folded == '\0' || *name != folded[strlen(folded) - 1])
        return 0;
    names_fold(p->name, name);
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

/* ---- GPUs as drivers call them ---- */

static const char token_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.:+-";

enum { TOKEN_LENGTH = 63 };

static const char word_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* The length of a word of letters and digits */
static size_t word_length(const char *text)
{
    return strspn(text, word_letters);
}

/* The first word, in small letters */
static void first_word(const char *text, char out[NAMES_FOLDED])
{
    char word[NAMES_FOLDED];
    snprintf(word, sizeof word, "%.*s", (int)word_length(text), text);
    names_fold(word, out);
}

/* Is the word one of the list, which has a blank before and behind each? `word#` there: with
   digits behind it, and any letters behind these. */
static int is_listed(const char *word, const char *list)
{
    char wanted[NAMES_FOLDED + 3];
    const size_t letters = strcspn(word, "0123456789");
    snprintf(wanted, sizeof wanted, " %s ", word);
    if (strstr(list, wanted))
        return 1;
    snprintf(wanted, sizeof wanted, " %.*s# ", (int)letters, word);
    return letters && word[letters] && strstr(list, wanted);
}

/* Behind the marks of a trade name */
static const char *behind_marks(const char *text)
{
    static const char *const marks[] = {"(R)", "(TM)", "(r)", "(tm)", "\xc2\xae", "\xe2\x84\xa2"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (behind(text, marks[i]) != text)
            return behind_marks(behind(text, marks[i]));
    return text;
}

/* What stands between two words of a name */
static const char between[] = " \t_-";

/* Behind the seller's words, of which the last stays if there is nothing else */
static const char *behind_seller(const char *text)
{
    static const char sellers[] = " nvidia geforce tesla quadro amd ati radeon instinct intel ";
    char word[NAMES_FOLDED];
    text += strspn(text, " \t");
    first_word(text, word);
    if (!is_listed(word, sellers))
        return text;
    const char *rest = behind_marks(text + word_length(text));
    const size_t n = strspn(rest, between);
    return n != 0 && rest[n] ? behind_seller(rest + n) : text;
}

/* Of MI325_OAM, the name of a card, the product is MI325X. */
static const struct product *product_of_card(const char *word, const char *rest)
{
    char name[NAMES_FOLDED + 1], card[NAMES_FOLDED];
    const struct product *p = product_find(word);
    first_word(rest + strspn(rest, between), card);
    snprintf(name, sizeof name, "%sx", word);
    return p == NULL && strcmp(card, "oam") == 0 ? product_find(name) : p;
}

/* An Instinct may have words behind its name: MI250X/MI250, MI300X VF, MI300X_OAM; and an integrated
   Radeon the word Graphics. A Radeon with another word is another GPU, and so is a number alone that
   became a token: _6800 of GeForce. */
const struct product *product_of_device(const char *device)
{
    char word[NAMES_FOLDED];
    if (*device == '_')
        return NULL;
    const struct product *p = product_find(device);
    const char *name = behind_seller(device), *rest = name + word_length(name);
    first_word(name, word);
    if (p != NULL)
        return p;
    if (strncmp(word, "mi", 2) == 0)
        return product_of_card(word, rest);
    return names_same(rest, "Graphics") ? product_find(word) : NULL;
}

/* As far as a token can hold it */
static void add_token_text(const char *text, struct buf *b)
{
    if (strchr("0123456789.:+-", *text) && *text)
        buf_puts(b, "_");
    while (*(text = behind_marks(text)) && b->n < TOKEN_LENGTH) {
        const int fits = strchr(token_letters, *text) != NULL;
        if (fits || (b->n && b->s[b->n - 1] != '_'))
            buf_add(b, fits ? text : "_", 1);
        text++;
    }
    while (b->n && b->s[b->n - 1] == '_')
        b->s[--b->n] = '\0';
}

/* Of an architecture that alone: in small letters, and without what it was built with */
static int add_gfx(const char *text, struct buf *b)
{
    text += strspn(text, " \t");
    buf_add(b, text, strcspn(text, ": \t"));
    for (size_t i = 0; i < b->n; i++)
        if (b->s[i] >= 'A' && b->s[i] <= 'Z')
            b->s[i] = (char)(b->s[i] - 'A' + 'a');
    return gpu_is_gfx(b->s);
}

const char *gpu_name(const char *text, struct buf *b)
{
    char name[GPU_NAME];
    const struct product *p = product_of_device(text);
    b->n = 0;
    buf_puts(b, "");
    if (p) {
        product_gpu(p, name);
        buf_puts(b, name);
    } else if (!add_gfx(text, b)) {
        b->n = 0;
        buf_puts(b, "");
        add_token_text(behind_seller(text), b);
    }
    return b->s;
}

const char *gpu_asked(const char *option, const char *text, struct buf *b)
{
    const char *name = gpu_name(text, b);
    struct names_near near = {.text = text};
    struct buf question = {NULL, 0, 0};
    if (product_of_device(text))
        note("%s is %s", text, name);
    if (gpu_is_gfx(name))
        return name;
    products_offer(&near);
    fail("%s \"%s\": is no name of a GPU, as gfx90a, gfx906_60 and MI300X are%s", option, text,
         names_question(&near, &question));
    buf_free(&question);
    return NULL;
}

/* A number of NVIDIA's GeForces, from 1050 to 5090, or 1630, 1650, 1660, and what may follow it */
static int is_geforce(const char *name)
{
    char folded[NAMES_FOLDED], *end;
    names_fold(name, folded);
    const long number = strtol(folded, &end, 10), series = number / 100, grade = number % 100;
    const int is_tens = series >= 10 && series <= 50 && series % 10 == 0 && grade >= 50;
    if (number % 10 || (!is_tens && (series != 16 || grade < 30 || grade > 60)))
        return 0;
    return !strcmp(end, "") || !strcmp(end, "ti") || !strcmp(end, "super")
           || !strcmp(end, "tisuper");
}

const char *gpu_vendor(const char *name)
{
    static const char amd[] = " amd ati radeon instinct firepro vega# mi# rx rx# gfx# ";
    static const char intel[] = " intel arc iris uhd xeon ";
    static const char nvidia[] =
        " nvidia geforce tesla quadro titan jetson rtx rtx# gtx gtx# nvs"
        " k10 k20 k20m k20x k40 k40c k40m k80 m4 m10 m40 m60 p4 p6 p40 p100 v100 v100s t4 t4g"
        " a2 a10 a10g a16 a30 a40 a100 a100x a800 l2 l4 l20 l40 l40s h20 h100 h200 h800 gh200"
        " b100 b200 b300 gb200 gb300 p400 p600 p620 p1000 p2000 p2200 p4000 p5000 p6000 gp100"
        " gv100 t400 t600 t1000 a400 a1000 a2000 a3000 a4000 a4500 a5000 a5500 a6000 ";
    char word[NAMES_FOLDED];
    first_word(name, word);
    if (is_listed(word, amd) || product_find(name) || product_find(word))
        return "amd";
    if (is_listed(word, nvidia) || is_geforce(name))
        return "nvidia";
    return is_listed(word, intel) ? "intel" : NULL;
}

int gpu_is_in_name(const char *piece)
{
    return strpbrk(piece, "0123456789") != NULL && strspn(piece, "0123456789_") != strlen(piece)
           && gpu_vendor(piece) != NULL;
}

/* Is it the word of a form of a card or of its memory? */
static int is_form(const char *word)
{
    static const char forms[] = " pcie pci# sxm sxm# nvl nvl# hbm# oam ";
    const size_t digits = strspn(word, "0123456789");
    return is_listed(word, forms) || (digits && !strcmp(word + digits, "gb"));
}

/* The length of what names the chip alone, before the form of a card and its memory, which are
   words such as PCIE, SXM4 and 80GB: 4 of A100-SXM4-80GB */
static size_t gpu_form(const char *name)
{
    size_t n = strcspn(name, between);
    for (; name[n] != '\0'; n += 1 + strcspn(name + n + 1, between)) {
        char word[NAMES_FOLDED];
        first_word(name + n + 1, word);
        if (is_form(word))
            return n;
    }
    return n;
}

size_t gpu_piece(const char *name)
{
    size_t n = strcspn(name, ".-");
    while (n != 0 && name[n] == '-') {
        char word[NAMES_FOLDED];
        first_word(name + n + 1, word);
        if (!is_form(word))
            break;
        n += 1 + strlen(word);
    }
    return n;
}

int gpu_is_gfx(const char *name)
{
    return !strncmp(name, "gfx", 3);
}

/* gfx10 and later have four digits, earlier ones three. More units than any GPU has are none. */
struct gpu gpu_parse(const char *name)
{
    const int n = strncmp(name, "gfx1", 4) ? 6 : 7;
    struct gpu gpu = {"", 0, 0};
    if (!gpu_is_gfx(name))
        return gpu;
    snprintf(gpu.arch, sizeof gpu.arch, "%.*s", n, name);
    const char *units = name + strlen(gpu.arch);
    const long number = strtol(units + (*units == '_'), NULL, *units == '_' ? 10 : 16);
    gpu.units = number > 0 && number <= UINT16_MAX ? (int)number : 0;
    gpu.compute_units = gpu.units * units_of_one(name);
    return gpu;
}

const char *gpu_products(const char *gpu, struct buf *b)
{
    const struct gpu of = gpu_parse(gpu);
    char name[GPU_NAME];
    buf_puts(b, "");
    for (const struct product *p = products; p->name; p++) {
        product_gpu(p, name);
        if (!strcmp(of.arch, p->arch) && (of.units == 0 || of.units == gpu_parse(name).units))
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

/* ---- words that two names have ---- */

/* Does the next word make another product of a name that stands before it? */
static int is_other_product(const char *behind)
{
    static const char *const words[] = {"ti",  "super", "d",   "laptop", "mobile",
                                        "max", "xt",    "xtx", "gre",    "ada"};
    const char *word = behind + strcspn(behind, word_letters);
    const size_t n = strspn(word, word_letters);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncasecmp(word, words[i], n) == 0)
            return 1;
    return 0;
}

/* Are these whole words of the text, which end where word_letters and digits do? */
static int has_words(const char *text, const char *words)
{
    const size_t n = strlen(words);
    for (const char *at = text; *at != '\0'; at++) {
        const int is_begin = at == text || strchr(word_letters, at[-1]) == NULL;
        if (is_begin && strncasecmp(at, words, n) == 0 && strspn(at + n, word_letters) == 0)
            return !is_other_product(at + n);
    }
    return 0;
}

/* ---- spellings of one GPU ---- */

static int ask(const char *a, const char *b, int (*question)(const char *, const char *))
{
    struct buf x = {NULL, 0, 0}, y = {NULL, 0, 0};
    const int answer = question(gpu_name(a, &x), gpu_name(b, &y));
    buf_free(&x);
    buf_free(&y);
    return answer;
}

const char *gpu_key(const char *text, struct buf *b)
{
    const struct gpu gpu = gpu_parse(gpu_name(text, b));
    char folded[NAMES_FOLDED];
    names_fold(b->s, folded);
    b->n = 0;
    if (*gpu.arch != '\0')
        buf_printf(b, "%s %d", gpu.arch, gpu.units);
    else
        buf_puts(b, folded);
    return b->s;
}

int gpu_same(const char *a, const char *b)
{
    struct buf x = {NULL, 0, 0}, y = {NULL, 0, 0};
    const int is_same =
        strcmp(a, b) == 0 || (*gpu_key(a, &x) != '\0' && strcmp(x.s, gpu_key(b, &y)) == 0);
    buf_free(&x);
    buf_free(&y);
    return is_same;
}

static int share_words(const char *a, const char *b)
{
    return !gpu_is_gfx(a) && !gpu_is_gfx(b) && (has_words(a, b) || has_words(b, a));
}

int gpu_may_be(const char *a, const char *b)
{
    return gpu_same(a, b) || ask(a, b, share_words);
}

static int share_chip(const char *a, const char *b)
{
    const struct gpu x = gpu_parse(a), y = gpu_parse(b);
    char chip[2][NAMES_FOLDED];
    if (gpu_is_gfx(a) || gpu_is_gfx(b))
        return strcmp(x.arch, y.arch) == 0 && (x.units == y.units || x.units * y.units == 0);
    snprintf(chip[0], sizeof chip[0], "%.*s", (int)gpu_form(a), a);
    snprintf(chip[1], sizeof chip[1], "%.*s", (int)gpu_form(b), b);
    return names_same(chip[0], chip[1]);
}

/* Is one spelled as a product of AMD's, and does the other say its units? Then they are two. */
static int is_product_apart(const char *a, const char *b)
{
    struct buf name = {NULL, 0, 0};
    const int is_product = product_of_device(a) != NULL;
    const int has_units = is_product && gpu_parse(gpu_name(b, &name)).units > 0;
    buf_free(&name);
    return has_units;
}

/* Are these two GPUs of one chip, or may be: A100-PCIE-40GB and A100, gfx942_304 and gfx942? GPUs
   of other units are two, and so are two products, which somebody keeps apart. */
static int gpu_same_chip(const char *a, const char *b)
{
    return !is_product_apart(a, b) && !is_product_apart(b, a) && ask(a, b, share_chip);
}

/* Adds those behind i that are of its chip; how many there are. */
static size_t add_chip(const char *const *names, size_t n, size_t i, struct buf *b)
{
    size_t found = 0;
    for (size_t j = i + 1; j < n; j++)
        if (gpu_same_chip(names[i], names[j])) {
            if (found++ == 0)
                buf_printf(b, "%s%s", b->n != 0 ? "; " : "", names[i]);
            buf_printf(b, " and %s", names[j]);
        }
    return found;
}

const char *gpu_chips(const char *const *names, size_t n, struct buf *b)
{
    unsigned char is_told[KPRED_MAX_VALUES] = {0};
    buf_puts(b, "");
    for (size_t i = 0; i < n; i++) {
        if (is_told[i] || add_chip(names, n, i, b) == 0)
            continue;
        for (size_t j = i + 1; j < n; j++)
            is_told[j] |= (unsigned char)gpu_same_chip(names[i], names[j]);
    }
    return b->s;
}
