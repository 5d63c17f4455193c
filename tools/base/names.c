/* names.c - see names.h
   SPDX-License-Identifier: MIT */
#include "names.h"

#include <string.h>

void names_fold(const char *name, char out[NAMES_FOLDED])
{
    size_t n = 0;
    for (; *name && n + 1 < NAMES_FOLDED; name++) {
        const char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[n++] = c;
    }
    out[n] = '\0';
}

int names_same(const char *a, const char *b)
{
    char x[NAMES_FOLDED], y[NAMES_FOLDED];
    names_fold(a, x);
    names_fold(b, y);
    return *x && !strcmp(x, y);
}

int names_has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = words; p != NULL && n != 0 && (p = strstr(p, word)) != NULL; p += n)
        if ((p == words || strchr(" \t", p[-1]) != NULL) && strchr(" \t", p[n]) != NULL)
            return 1;
    return 0;
}

/* Row i holds the distances of the first i characters of a from each beginning of b. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAMES_FOLDED][NAMES_FOLDED];
    const size_t n = strlen(a), m = strlen(b);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            size_t d = i + j; /* at the table's edges */
            if (i && j)
                d = lesser(row[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                           1 + lesser(row[i - 1][j], row[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = lesser(d, row[i - 2][j - 2] + 1);
            row[i][j] = d;
        }
    return row[n][m];
}

size_t names_distance(const char *a, const char *b)
{
    char x[NAMES_FOLDED], y[NAMES_FOLDED];
    names_fold(a, x);
    names_fold(b, y);
    return distance(x, y);
}

/* The distance of a name that is near, else -1. Longer texts may have more mistakes. */
static int near_distance(const char *text, const char *name)
{
    char x[NAMES_FOLDED], y[NAMES_FOLDED];
    names_fold(text, x);
    names_fold(name, y);
    const size_t n = strlen(x), most = 1 + n / 7, d = distance(x, y);
    if ((n < 2 && (n == 0 || d > 0)) || (d > most && (n < 3 || !strstr(y, x))))
        return -1;
    return (int)lesser(d, most + 1);
}

/* Takes the name out again if it is there; its distance, or a larger one than any. */
static size_t take_out(struct names_near *near, const char *name)
{
    size_t at = 0;
    while (at < near->n && strcmp(near->best[at].name, name))
        at++;
    if (at == near->n)
        return NAMES_FOLDED;
    const size_t d = near->best[at].distance;
    for (near->n--; at < near->n; at++)
        near->best[at] = near->best[at + 1];
    return d;
}

static void put_in(struct names_near *near, const char *name, size_t d)
{
    size_t at = near->n;
    while (at > 0 && near->best[at - 1].distance > d)
        at--;
    if (at == NAMES_MOST_NEAR)
        return;
    near->n += near->n < NAMES_MOST_NEAR;
    for (size_t i = near->n - 1; i > at; i--)
        near->best[i] = near->best[i - 1];
    near->best[at].name = name;
    near->best[at].distance = d;
}

void names_offer(struct names_near *near, const char *name, const char *other)
{
    const int d = near_distance(near->text, other);
    if (d >= 0)
        put_in(near, name, lesser((size_t)d, take_out(near, name)));
}

const char *names_question(const struct names_near *near, struct buf *b)
{
    for (size_t i = 0; i < near->n; i++)
        buf_printf(b, "%s%s",
                   i == 0            ? "; did you mean "
                   : i + 1 < near->n ? ", "
                                     : " or ",
                   near->best[i].name);
    buf_puts(b, near->n ? "?" : "");
    return b->s;
}
