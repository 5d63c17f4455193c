/* column_names.c - see column_names.h
   SPDX-License-Identifier: MIT */
#include "column_names.h"

#include <ctype.h>
#include <string.h>

/* The next word of a name in small letters: "kernelTime_ms" has three. 0: none is left. */
static size_t next_word(const char **name, char word[16])
{
    const char *p = *name;
    size_t n = 0;
    while (*p != '\0' && !isalpha((unsigned char)*p))
        p++;
    for (; isalpha((unsigned char)*p) && !(n > 0 && *p <= 'Z' && p[-1] >= 'a'); p++, n++)
        if (n < 15)
            word[n] = (char)(*p | 0x20);
    word[n < 15 ? n : 15] = '\0';
    *name = p;
    return n;
}

int column_is_measurement(const char *name)
{
    static const char *const words[] = {
        "time",    "times",        "timing",    "duration",     "latency", "elapsed",
        "runtime", "cycles",       "ns",        "nsec",         "nsecs",   "nanoseconds",
        "us",      "usec",         "usecs",     "microseconds", "ms",      "msec",
        "msecs",   "milliseconds", "sec",       "secs",         "seconds", "gflops",
        "tflops",  "gbps",         "bandwidth", "throughput",   "speed",   "speedup",
        "perf",    "performance"};
    char word[16];
    const char *p = name;
    while (next_word(&p, word) > 0)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcmp(word, words[i]) == 0)
                return 1;
    return ends_with(name, "/s");
}

int column_is_tuning(const char *name)
{
    static const char *const parts[] = {"block", "tile",  "unroll", "thread",   "vec",
                                        "warp",  "wave",  "stage",  "group",    "use_",
                                        "shmem", "split", "lds",    "prefetch", "pad"};
    static const char *const wholes[] = {"bm", "bn", "bk", "bx", "by", "bz", "tx", "ty", "tz"};
    char low[64];
    size_t n = 0;
    for (; name[n] != '\0' && n < sizeof low - 1; n++)
        low[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] | 0x20 : name[n]);
    low[n] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(low, parts[i]) != NULL)
            return 1;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (strcmp(low, wholes[i]) == 0)
            return 1;
    return 0;
}

int column_is_time(const char *name)
{
    return strcmp(name, "time_us") == 0 || strcmp(name, "time_ms") == 0;
}

int column_find_time(const struct csv_records *header, double *us)
{
    const int at = csv_records_find(header, "time_us"), ms = csv_records_find(header, "time_ms");
    *us = at < 0 && ms >= 0 ? 1000 : 1;
    if (at < 0 || ms < 0)
        return at >= 0 ? at : ms;
    fail("%s:%ld: there are columns \"time_us\" and \"time_ms\": which one counts?", header->path,
         header->at);
    return -2;
}

int column_no_time(const struct csv_records *header, const struct spec *spec)
{
    for (size_t i = 0; i < header->n; i++) {
        const char *name = header->cell[i];
        if (column_is_measurement(name) && spec_field_index(spec, name) < 0
            && spec_param_index(spec, name) < 0)
            return fail("%s:%ld: there is no column \"time_us\": call \"%s\" so if it has "
                        "microseconds, or \"time_ms\" if it has milliseconds",
                        header->path, header->at, name);
    }
    return fail("%s:%ld: there is no column \"time_us\" or \"time_ms\": for a table of the best "
                "tuple of each problem write `format = csv` into the spec",
                header->path, header->at);
}
