/* gpu_names.c - GPUs by the names that people, drivers and files have for them; see gpus.h
   SPDX-License-Identifier: MIT */
#include "gpus.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- GPUs as drivers call them ---- */

static const char token_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.:+-";

enum { TOKEN_LENGTH = 63 };

/* The length of a word of letters and digits */
static size_t word_length(const char *text)
{
    return strspn(text, GPU_LETTERS);
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
        if (strncmp(text, marks[i], strlen(marks[i])) == 0)
            return behind_marks(text + strlen(marks[i]));
    return text;
}

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
    const size_t n = strspn(rest, GPU_BETWEEN);
    return n != 0 && rest[n] ? behind_seller(rest + n) : text;
}

/* Of MI325_OAM, the name of a card, the product is MI325X. */
static const struct product *product_of_card(const char *word, const char *rest)
{
    char name[NAMES_FOLDED + 1], card[NAMES_FOLDED];
    const struct product *p = product_find(word);
    first_word(rest + strspn(rest, GPU_BETWEEN), card);
    snprintf(name, sizeof name, "%sx", word);
    return p == NULL && strcmp(card, "oam") == 0 ? product_find(name) : p;
}

/* An Instinct may have words behind its name: MI250X/MI250, MI300X VF, MI300X_OAM; and a Radeon of
   a processor the word Graphics. A Radeon with another word is another GPU, and so is a number
   alone that became a token: _6800 of GeForce. */
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

/* Other GPUs that a driver has no name for are called so too, but nobody tunes servers on them. */
const char *gpu_server_name(const char *text)
{
    return strcmp(text, "AMD_Radeon_Graphics") == 0 ? "MI300X" : text;
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

const char *gpu_program_name(const char *text, struct buf *b)
{
    const struct gpu gpu = gpu_parse(gpu_name(text, b));
    if (gpu.units > 0) {
        b->n = 0;
        buf_printf(b, "%s_%d", gpu.arch, gpu.units);
    }
    return gpu_is_gfx(b->s) && (!gpu_is_gfx(text) || strchr(text, ':') != NULL) ? b->s : text;
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
    fail("%s \"%s\": is not a name of a GPU, as gfx90a, gfx906_60 and MI300X are%s", option, text,
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
        " k10 k20 k20m k20x k40 k40c k40m k80 m4 m10 m40 m60 p6 t4g a100x l20y pg503"
        " p400 p600 p620 p1000 p2000 p2200 p4000 p5000 p6000 gp100 gv100 t400 t600 t1000"
        " a400 a1000 a3000 ";
    const char *rest;
    char word[NAMES_FOLDED];
    first_word(name, word);
    if (is_listed(word, amd) || product_find(name) || product_find(word))
        return "amd";
    if (is_listed(word, nvidia) || is_geforce(name) || chip_find(name, &rest) != NULL)
        return "nvidia";
    return is_listed(word, intel) ? "intel" : NULL;
}

int gpu_is_in_name(const char *piece)
{
    return strpbrk(piece, "0123456789") != NULL && strspn(piece, "0123456789_") != strlen(piece)
           && gpu_vendor(piece) != NULL;
}

/* The length of the first word, if it is of a form of a card or of its memory; else 0 */
static size_t form_length(const char *text)
{
    static const char forms[] = " pcie pci# sxm sxm# nvl nvl# hbm# oam ac ";
    char word[NAMES_FOLDED];
    first_word(text, word);
    const size_t digits = strspn(word, "0123456789");
    const int is_memory = digits != 0 && strcmp(word + digits, "gb") == 0;
    return is_memory || is_listed(word, forms) ? strlen(word) : 0;
}

/* The length of what names the chip alone, before the form of a card and its memory, which are
   words such as PCIE, SXM4 and 80GB: 4 of A100-SXM4-80GB */
static size_t gpu_form(const char *name)
{
    size_t n = strcspn(name, GPU_BETWEEN);
    while (name[n] != '\0' && form_length(name + n + 1) == 0)
        n += 1 + strcspn(name + n + 1, GPU_BETWEEN);
    return n;
}

const struct chip *chip_of_device(const char *device)
{
    const char *rest;
    return chip_find(behind_seller(device), &rest);
}

const struct chip *chip_of_any_form(const char *device)
{
    const char *rest;
    const struct chip *c = chip_find(behind_seller(device), &rest);
    if (c == NULL || c->kind != CHIP_SERVER)
        return NULL;
    while (*(rest += strspn(rest, GPU_BETWEEN)) != '\0') {
        const size_t n = form_length(rest);
        if (n == 0)
            return NULL;
        rest += n;
    }
    return c;
}

size_t gpu_piece(const char *name)
{
    size_t n = strcspn(name, ".-"), more = n;
    while (more != 0 && name[n] == '-') {
        more = form_length(name + n + 1);
        n += more != 0 ? 1 + more : 0;
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
    gpu.compute_units = gpu.units * gpu_units_of_one(name);
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

const struct product *product_of_token(const char *gpu)
{
    const struct gpu g = gpu_parse(gpu);
    const struct product *found = NULL;
    for (const struct product *p = products; p->name != NULL && *g.arch != '\0'; p++)
        if (strcmp(p->arch, g.arch) == 0 && (g.units == 0 || p->compute_units == g.compute_units)
            && (found == NULL || strcmp(p->name, "MI300X") == 0))
            found = p;
    return found;
}

const char *gpu_called(const char *gpu, struct buf *b)
{
    const struct product *p = product_find(gpu);
    if (p == NULL && gpu_parse(gpu).units != 0)
        p = product_of_token(gpu);
    if (p != NULL && !ends_with(p->brand, "Instinct"))
        buf_printf(b, "%s ", p->brand);
    buf_puts(b, p != NULL ? p->name : gpu);
    if (p != NULL)
        buf_printf(b, " (%s, %d units)", p->arch, product_units(p));
    return b->s;
}

/* ---- words that two names have ---- */

/* Does the next word make another product of a name that stands before it? */
static int is_other_product(const char *behind)
{
    static const char words[] = " ti super d laptop mobile max xt xtx gre ada ";
    char word[NAMES_FOLDED];
    first_word(behind + strcspn(behind, GPU_LETTERS), word);
    return is_listed(word, words);
}

/* Are these whole words of the text, which end where letters and digits do? */
static int has_words(const char *text, const char *words)
{
    const size_t n = strlen(words);
    for (const char *at = text; *at != '\0'; at++) {
        const int is_begin = at == text || strchr(GPU_LETTERS, at[-1]) == NULL;
        if (is_begin && strncasecmp(at, words, n) == 0 && strspn(at + n, GPU_LETTERS) == 0)
            return !is_other_product(at + n);
    }
    return 0;
}

/* ---- spellings of one GPU ---- */

static int gpu_names_ask(const char *a, const char *b, int (*question)(const char *, const char *))
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
    return gpu_same(a, b) || gpu_names_ask(a, b, share_words);
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

int gpu_share_chip(const char *a, const char *b)
{
    return gpu_names_ask(a, b, share_chip);
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
    return !is_product_apart(a, b) && !is_product_apart(b, a) && gpu_share_chip(a, b);
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
