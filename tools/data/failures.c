/* failures.c - what counts as a failure in the place of a time
   SPDX-License-Identifier: MIT */
#include "formats.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- in the place of a time ---- */

static int is_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcasecmp(text, *words) != 0)
        words++;
    return *words != NULL;
}

/* What stands where nothing is to be said */
static int is_nothing(const char *text)
{
    static const char *const words[] = {"",     "-",   "none", "null", "nan",
                                        "-nan", "n/a", "na",   "nil",  NULL};
    return is_one_of(text, words);
}

/* Tensile's and AITER's word for a wrong result */
static int is_minus_one(const char *text)
{
    char *end;
    return strtod(text, &end) + 1 == 0 && *end == '\0';
}

/* What tuners write in the place of a time: of a failure, or of a tuple that was never run */
static int is_failure(const char *text)
{
    static const char *const words[] = {"failed",
                                        "error",
                                        "invalid",
                                        "timeout",
                                        "inf",
                                        "-inf",
                                        "infinity",
                                        "-infinity",
                                        "CompilationFailedConfig",
                                        "RuntimeFailedConfig",
                                        "InvalidConfig",
                                        NULL};
    return is_nothing(text) || is_one_of(text, words) || is_minus_one(text);
}

/* A finite number of at least 0 */
static int is_figure(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return strspn(text, "0123456789.eE+-") == strlen(text) && end != text && *end == '\0'
           && *out >= 0 && isfinite(*out);
}

int load_time_text(const char *text, double *out)
{
    if (is_failure(text))
        return 0;
    return is_figure(text, out) ? *out > 0 && *out < FAILED_TIME : -1;
}

int load_figure_text(const char *text, int is_speed, double *out)
{
    return is_figure(text, out) ? *out > 0 : is_speed && is_minus_one(text) ? 0 : -1;
}

/* What a failure left in the place of its time: it begins with a letter, of any language, or has no
   digit. A number with something behind it or before it, such as 1,5 or 12us, is a mistake. */
static int is_message(const char *text)
{
    const unsigned char first = (unsigned char)*text;
    return isalpha(first) || first > '~' || strpbrk(text, "0123456789") == NULL;
}

int load_table_time(const char *text, double *out)
{
    const int is_time = load_time_text(text, out);
    return is_time < 0 && is_message(text) ? 0 : is_time;
}
