/* textdb.c - reads MIOpen's text perf-dbs: KEY=SOLVER:PARAMETERS;SOLVER:PARAMETERS
   SPDX-License-Identifier: MIT

   Only lines with an entry of the spec's solver count; the others may hold keys that are no
   convolution's. A line ends with LF or CRLF, the last one with nothing if it likes. */
#include "channels.h"
#include "miopen_rows.h"

#include <string.h>

/* A find-db looks the same, but names an algorithm: in older ones before the solver, in newer ones
   behind its time and workspace. */
static int is_of_find_db(const char *entry)
{
    const char *values = strchr(entry, ':'), *p = values;
    for (int i = 0; i < 2 && p != NULL; i++)
        p = strchr(p + 1, ',');
    return strncmp(entry, "miopenConvolution", 17) == 0
           || (p != NULL && strncmp(p + 1, "miopenConvolution", 17) == 0);
}

/* Verdict on one line, without its end: the text of the solver's parameters, NULL if it has none */
static int find_entry(struct loader *l, int64_t row, char *line, const char **params)
{
    char *equals = strchr(line, '=');
    *params = NULL;
    if (equals == NULL || equals == line)
        return load_bad(l, row, DROP_BROKEN, "line", line, "is not of the form key=solver:values");
    for (char *entry = equals + 1, *next; entry != NULL; entry = next) {
        next = strchr(entry, ';');
        if (next != NULL)
            *next++ = '\0';
        char *colon = strchr(entry, ':');
        if (*entry == '\0' && (next == NULL || *next == '\0'))
            break; /* some lines close with a semicolon */
        if (is_of_find_db(entry))
            return fail("%s: is a find-db, which holds times of solvers and no parameters",
                        l->path);
        if (colon == NULL || colon == entry)
            return load_bad(l, row, DROP_BROKEN, "entry", entry,
                            "is not of the form solver:values");
        *colon = '\0';
        if (strcmp(entry, l->spec->solver) != 0)
            continue;
        if (*params != NULL)
            return load_bad(l, row, DROP_BROKEN, "solver", entry, "stands in the line twice");
        *params = colon + 1;
    }
    return 0;
}

static void exchange_channels(struct conv *conv)
{
    const int64_t c = conv->c;
    conv->c = conv->k;
    conv->k = c;
}

static int read_line(struct loader *l, struct miopen_rows *c, int64_t row, char *line)
{
    const char *params;
    struct conv conv;
    int rc = find_entry(l, row, line, &params);
    if (rc != 0 || params == NULL)
        return rc;
    line[strcspn(line, "=")] = '\0';
    rc = miopen_rows_key(l, c, row, line, &conv);
    if (rc != 0)
        return rc;
    if (c->are_channels_exchanged && conv.dir != 'F')
        exchange_channels(&conv);
    return miopen_rows_add(l, c, row, &conv, params);
}

static int read_lines(struct loader *l, struct miopen_rows *c, char *text)
{
    int64_t row = 1;
    for (char *line; (line = next_line(&text)) != NULL; row++)
        if (*line != '\0' && read_line(l, c, row, line) < 0)
            return -1;
    return 0;
}

int textdb_read(struct loader *l, struct buf *bytes)
{
    struct miopen_rows c;
    l->row_prefix = ":";
    if (strlen(bytes->s) != bytes->n)
        return fail("%s: is no text: it holds a NUL byte", l->path);
    int rc = miopen_rows_open(l, &c);
    if (rc == 0) {
        c.are_channels_exchanged = channels_are_exchanged(l->path, bytes->s);
        rc = c.are_channels_exchanged < 0 ? -1 : read_lines(l, &c, bytes->s);
    }
    buf_free(&c.params);
    return rc;
}
