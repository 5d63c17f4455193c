/* table.c - see table.h
   SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char columns[] = "m,n,k,mr,nr,unroll,pack_a,pack_b,order,kc,mc,nc,time_us";

enum { FIELDS = 3, COLUMNS = FIELDS + GEMM_PARAMS + 1 };

/* How many columns the header names: 0 for another header */
static int count_columns(const char *header)
{
    if (strcmp(header, columns) == 0)
        return COLUMNS;
    return strcmp(header, "m,n,k") == 0 ? FIELDS : 0;
}

/* The numbers of a line: 1, or 0 if there are not so many above 0, or in parameters from 0. */
static int take_numbers(const char *at, int n, double v[COLUMNS])
{
    for (int i = 0; i < n; i++) {
        char *end;
        v[i] = strtod(at, &end);
        if (end == at || *end != (i < n - 1 ? ',' : '\0') || !(v[i] >= 0 && v[i] < 1e9))
            return 0;
        at = end + 1;
    }
    return v[0] >= 1 && v[1] >= 1 && v[2] >= 1;
}

static struct row row_of(const double v[COLUMNS])
{
    return (struct row){
        {(size_t)v[0], (size_t)v[1], (size_t)v[2]},
        {(int)v[3], (int)v[4], (int)v[5], (int)v[6], (int)v[7], (int)v[8], (int)v[9], (int)v[10],
         (int)v[11]},
        v[12],
    };
}

static int add(struct table *table, struct row row)
{
    if ((table->n & (table->n + 1)) == 0) { /* 0, 1, 3, 7, ... */
        struct row *more = realloc(table->row, (2 * table->n + 1) * sizeof row);
        if (more == NULL)
            return -1;
        table->row = more;
    }
    table->row[table->n++] = row;
    return 0;
}

static int is_failure(const char *line)
{
    const char *last = strrchr(line, ',');
    return last != NULL && last[1] >= 'a' && last[1] <= 'z';
}

/* The number of the first line that is wrong; 0: there is none. */
static long read_lines(struct table *out, FILE *from)
{
    char line[500];
    double v[COLUMNS] = {0};
    int n = 0;
    for (long number = 1; fgets(line, sizeof line, from) != NULL; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (n == 0) {
            n = count_columns(line);
            if (n == 0)
                return number;
        } else if (!is_failure(line) && (!take_numbers(line, n, v) || add(out, row_of(v)) != 0)) {
            return number;
        }
    }
    return n > 0 ? 0 : 1;
}

int table_read(struct table *out, const char *path)
{
    FILE *from = fopen(path, "r");
    long wrong = 0;
    *out = (struct table){NULL, 0};
    if (from == NULL) {
        perror(path);
        return -1;
    }
    wrong = read_lines(out, from);
    fclose(from);
    if (wrong > 0)
        fprintf(stderr, "%s:%ld: this is not a table of gemm_cpu\n", path, wrong);
    return wrong > 0 ? -1 : 0;
}

void table_free(struct table *table)
{
    free(table->row);
}

int same_problem(struct problem p, struct problem q)
{
    return p.m == q.m && p.n == q.n && p.k == q.k;
}

int same_tuple(const struct tuple *t, const struct tuple *u)
{
    return memcmp(t, u, sizeof *t) == 0; /* all members are int */
}
