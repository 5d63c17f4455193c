/* same_gpu.c - see same_gpu.h
   SPDX-License-Identifier: MIT */
#include "same_gpu.h"

#include "products.h"

#include <string.h>
#include <strings.h>

/* ---- words ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* Does the next word make another product of a name that stands before it? */
static int is_other_product(const char *behind)
{
    static const char *const words[] = {"ti",  "super", "d",   "laptop", "mobile",
                                        "max", "xt",    "xtx", "gre",    "ada"};
    const char *word = behind + strcspn(behind, letters);
    const size_t n = strspn(word, letters);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncasecmp(word, words[i], n) == 0)
            return 1;
    return 0;
}

/* Are these whole words of the text, which end where letters and digits do? */
static int has_words(const char *text, const char *words)
{
    const size_t n = strlen(words);
    for (const char *at = text; *at != '\0'; at++) {
        const int is_begin = at == text || strchr(letters, at[-1]) == NULL;
        if (is_begin && strncasecmp(at, words, n) == 0 && strspn(at + n, letters) == 0)
            return !is_other_product(at + n);
    }
    return 0;
}

/* ---- spellings ---- */

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

int gpu_same_chip(const char *a, const char *b)
{
    return ask(a, b, share_chip);
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

/* ---- tokens ---- */

int field_token(const struct spec_field *f, const char *text)
{
    const int token = spec_token(f, text);
    for (size_t i = 0; token < 0 && strcmp(f->name, "gpu") == 0 && i < f->n_tokens; i++)
        if (gpu_same(f->tokens[i], text))
            return (int)i;
    return token;
}

int gpu_token(const struct spec_field *f, const char *text)
{
    int token = field_token(f, text);
    for (size_t i = 0, n = 0; (token < 0 || n > 0) && i < f->n_tokens; i++)
        if (gpu_may_be(f->tokens[i], text))
            token = n++ == 0 ? (int)i : -1;
    return token;
}
