/* number_text.c - the one text of a number, and back: see util.h
   SPDX-License-Identifier: MIT

   tools/python/kpred/__init__.py has the same for Python. tests/fixtures/numbers.txt holds for
   both. */
#include "util.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int parse_int(const char *s, int64_t least, int64_t most, int64_t *out)
{
    const int negative = *s == '-';
    const char *p = s + negative;
    int64_t v = 0;
    if (*p == '\0')
        return -1;
    for (; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || v < (INT64_MIN + (*p - '0')) / 10)
            return -1;
        v = 10 * v - (*p - '0');
    }
    if (!negative && v == INT64_MIN)
        return -1;
    v = negative ? v : -v;
    if (v < least || v > most)
        return -1;
    *out = v;
    return 0;
}

int parse_whole(const char *s, int64_t least, int64_t most, int64_t *out)
{
    char text[NUMBER_TEXT];
    return parse_int(s, least, most, out) == 0 ? 0
                                               : parse_int(number_text(s, text), least, most, out);
}

const char *double_text(double x, char text[NUMBER_TEXT])
{
    const int is_whole = x >= -0x1p63 && x < 0x1p63 && !(x < floor(x) || x > floor(x));
    int n = fabs(x) < DBL_MIN ? 1 : 15; /* all digits below are needed, but of the smallest */
    double back = x;
    if (is_whole)
        snprintf(text, NUMBER_TEXT, "%" PRId64, (int64_t)x);
    else
        do {
            snprintf(text, NUMBER_TEXT, "%.*g", n, x);
            back = strtod(text, NULL);
        } while (n++ < 17 && (back < x || back > x));
    return text;
}

/* Is it an integer without a sign + and without zeros in front? */
static int is_plain_int(const char *text)
{
    const char *digits = text + (*text == '-');
    return (*digits >= '1' && *digits <= '9') || strcmp(text, "0") == 0;
}

const char *number_text(const char *text, char out[NUMBER_TEXT])
{
    int64_t whole;
    char *end;
    const int is_true = !strcmp(text, "True") || !strcmp(text, "true");
    if (is_true || !strcmp(text, "False") || !strcmp(text, "false"))
        return is_true ? "1" : "0";
    if (parse_int(text + (*text == '+' && text[1] != '-'), INT64_MIN, INT64_MAX, &whole) == 0) {
        if (is_plain_int(text))
            return text;
        snprintf(out, NUMBER_TEXT, "%" PRId64, whole);
        return out;
    }
    const double x = strtod(text, &end);
    const int is_number =
        end > text && *end == '\0' && isfinite(x) && text[strspn(text, "+-.0123456789eE")] == '\0';
    return is_number && strpbrk(text, ".eE") != NULL ? double_text(x, out) : text;
}

int text_find(const char *const *texts, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(texts[i], text) == 0)
            return (int)i;
    return -1;
}

int number_find(const char *const *texts, size_t n, const char *text)
{
    char one[NUMBER_TEXT], other[NUMBER_TEXT];
    const char *number = number_text(text, one);
    const int same = text_find(texts, n, text);
    for (size_t i = 0; same < 0 && i < n; i++)
        if (strcmp(number_text(texts[i], other), number) == 0)
            return (int)i;
    return same;
}
