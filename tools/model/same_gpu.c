/* same_gpu.c - see same_gpu.h
   SPDX-License-Identifier: MIT */
#include "same_gpu.h"

#include <string.h>
#include <strings.h>

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

const char *same_gpu(const struct spec_field *f, const char *name)
{
    const char *found = NULL;
    if (spec_token(f, name) >= 0 || strncmp(name, "gfx", 3) == 0)
        return name;
    for (size_t i = 0; i < f->n_tokens; i++) {
        if (!has_words(f->tokens[i], name) && !has_words(name, f->tokens[i]))
            continue;
        if (found != NULL)
            return name;
        found = f->tokens[i];
    }
    return found != NULL ? found : name;
}
