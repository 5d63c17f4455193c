/* race_rows.h - a table of what races have timed, from which `kpred-train` learns
   SPDX-License-Identifier: MIT

   Behind kpred_hip.h. A table begins with what times depend on: device, driver, library. Each row
   is one write, so that processes may share a table and a kill cuts the last row at most. */
#pragma once

#include <stdio.h>
#include <string.h>

enum { RACE_HEAD = 4096 };

/* The device, the driver and this library, as comments; -1 with a message if HIP does not say. */
static inline int race_environment(char *text, size_t size)
{
    hipDeviceProp_t properties;
    int driver = 0, runtime = 0, units = 0;
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess
        || hipDriverGetVersion(&driver) != hipSuccess
        || hipRuntimeGetVersion(&runtime) != hipSuccess
        || hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0) != hipSuccess) {
        fprintf(stderr, "race_rows: the device does not say what it is\n");
        return -1;
    }
    snprintf(text, size,
             "# device: %s, %d multiprocessors\n# driver: API %d, runtime %d\n"
             "# library: kpred %d.%d.%d\n",
             properties.name, units, driver, runtime, KPRED_VERSION / 10000,
             KPRED_VERSION / 100 % 100, KPRED_VERSION % 100);
    return 0;
}

/* Opens the table to add rows to, or begins it with the head: title, environment, columns. NULL
   with a message: it cannot be written, or begins with another head: times of two do not mix. */
static inline FILE *race_rows_open(const char *path, const char *kernel, const char *columns)
{
    char head[RACE_HEAD], there[RACE_HEAD];
    FILE *file;
    size_t n = (size_t)snprintf(head, sizeof head, "# kpred-train tune: %s\n", kernel), n_there;
    if (race_environment(head + n, sizeof head - n) != 0)
        return NULL;
    n = strlen(head);
    n += (size_t)snprintf(head + n, sizeof head - n, "%s,time_us\n", columns);
    file = n < sizeof head ? fopen(path, "a+") : NULL;
    if (file == NULL) {
        fprintf(stderr, "race_rows: %s: cannot be written\n", path);
        return NULL;
    }
    rewind(file);
    n_there = fread(there, 1, n, file);
    fseek(file, 0, SEEK_END); /* between reading and writing */
    if (n_there == 0) {
        fputs(head, file);
        fflush(file);
    } else if (n_there != n || memcmp(head, there, n) != 0) {
        fprintf(stderr, "race_rows: %s: begins with another kernel, device, driver or library\n",
                path);
        fclose(file);
        return NULL;
    }
    return file;
}

/* Adds a candidate that ran: the problem's and the tuple's values as text. What failed or is wrong
   is a failure. What was not timed, or only in a warm-up, which may load code, has no row. */
static inline void race_rows_add(FILE *file, const char *values, const kpred_hip_timing *t)
{
    char row[RACE_HEAD];
    const int is_failed = t->outcome == KPRED_HIP_FAILED || t->outcome == KPRED_HIP_WRONG;
    int n = -1;
    if (is_failed)
        n = snprintf(row, sizeof row, "%s,failed\n", values);
    else if (t->samples > 0 && t->launches > 1)
        n = snprintf(row, sizeof row, "%s,%.3f\n", values, t->median_us);
    if (n > 0 && n < RACE_HEAD) {
        fwrite(row, 1, (size_t)n, file);
        fflush(file);
    }
}

/* 0, or -1 with a message: not all that was added is there */
static inline int race_rows_close(FILE *file, const char *path)
{
    const int is_cut = ferror(file);
    if (fclose(file) == 0 && !is_cut)
        return 0;
    fprintf(stderr, "race_rows: %s: not all rows could be written\n", path);
    return -1;
}
