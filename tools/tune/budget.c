/* budget.c - see budget.h
   SPDX-License-Identifier: MIT */
#include "budget.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

static const double most_seconds = 1e8; /* three years */

/* What a unit is in seconds; 0: it is none. */
static double unit_seconds(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].seconds;
    return 0;
}

int duration_read(const char *option, const char *text, double *seconds)
{
    char *end;
    const size_t digits = strspn(text, "0123456789.");
    const double number = strtod(text, &end), unit = unit_seconds(text + digits);
    *seconds = number * unit;
    if (digits == 0 || end != text + digits || !(*seconds > 0) || *seconds > most_seconds)
        return fail("%s: value \"%s\": is no duration such as 1.5, 90s, 500ms, 30m, 2h or 1d",
                    option, text);
    return 0;
}

int budget_read(const char *text, struct budget *out)
{
    int64_t n = 0;
    *out = (struct budget){0, 0};
    if (text == NULL)
        return 0;
    if (text[strspn(text, "0123456789")] != '\0')
        return duration_read("--budget", text, &out->seconds);
    if (parse_int(text, 1, 1000000000, &n) != 0)
        return fail("--budget: value \"%s\": is no number of launches, 1..1000000000, and no "
                    "duration such as 90s, 30m or 2h",
                    text);
    out->launches = (long)n;
    return 0;
}

int stop_at_read(const char *text, double *share)
{
    char *end;
    *share = 0;
    if (text == NULL)
        return 0;
    const double percent = strtod(text, &end);
    const size_t digits = strspn(text, "0123456789.");
    if (digits == 0 || end != text + digits || strcmp(end, "%") != 0 || !(percent >= 0.1)
        || percent > 50)
        return fail("--stop-at: value \"%s\": is no percentage from 0.1%% to 50%%, such as 2%%",
                    text);
    *share = percent / 100;
    return 0;
}

const char *duration_text(double seconds, char text[32])
{
    const long s = seconds < most_seconds ? (long)(seconds + 0.5) : (long)most_seconds;
    if (s < 3600)
        snprintf(text, 32, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}
