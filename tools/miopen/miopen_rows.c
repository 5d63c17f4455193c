/* miopen_rows.c - rows of MIOpen's databases, and the readers of those of text
   SPDX-License-Identifier: MIT */
#include "miopen_rows.h"

#include "data/readers.h"
#include "tuple_text.h"

#include <string.h>

/* ---- rows ---- */

int miopen_rows_open(struct loader *l, struct miopen_rows *c)
{
    memset(c, 0, sizeof *c);
    if (conv_map_fields(l->spec, l->path, c->field) != 0)
        return -1;
    c->is_selective = l->spec->format == SPEC_FIND_DB || c->field[CONV_Y] >= 0;
    return c->field[CONV_GPU] < 0 ? 0 : load_file_gpu(l, (size_t)c->field[CONV_GPU], &c->gpu);
}

/* Verdict on the key of a text database: reads it. */
static int miopen_rows_key(struct loader *l, const struct miopen_rows *c, int64_t row,
                           const char *key, struct conv *conv)
{
    char why[96];
    const int rc = conv_parse_key(key, strlen(key), conv, why);
    if (rc > 0 && c->is_selective)
        return load_drop(l, DROP_SIZES);
    return rc == 0 ? 0
                   : load_bad(l, row, DROP_BROKEN, "key", key, "is not a key of a convolution: %s",
                              why);
}

/* Is it of a kind that a selective spec is not about? */
static int is_left_out(const struct loader *l, const struct miopen_rows *c, const struct conv *conv,
                       enum reason_kind gap, enum data_drop *why)
{
    const struct spec_field *f = l->spec->fields;
    const int layout = c->field[CONV_LAYOUT];
    if (!c->is_selective)
        return 0;
    *why = conv->casts[0] != '\0' ? DROP_CASTS : DROP_UNNAMED;
    return conv->casts[0] != '\0' || gap == REASON_LAYOUT || gap == REASON_DIMS
           || spec_token(&f[c->field[CONV_DTYPE]], conv->dtype) < 0
           || (layout >= 0 && spec_token(&f[layout], conv_layout(conv)) < 0);
}

/* Verdict on a convolution, and its problem in the spec's order. */
static int miopen_rows_problem(struct loader *l, const struct miopen_rows *c, int64_t row,
                               const struct conv *conv, int64_t *problem)
{
    struct reason gap;
    enum data_drop why;
    const char dir[] = {conv->dir, '\0'};
    const size_t dir_field = (size_t)c->field[CONV_DIR], dtype_field = (size_t)c->field[CONV_DTYPE];
    const int layout = c->field[CONV_LAYOUT];
    const enum reason_kind kind = conv_find_gap(l->spec, c->field, conv, &gap);
    if (is_left_out(l, c, conv, kind, &why))
        return load_drop(l, why);
    if (kind != REASON_NONE)
        return load_bad(l, row, DROP_OUTSIDE, gap.what, gap.value, "the spec covers %s only",
                        gap.need);
    int rc = load_token(l, row, dir_field, dir, &problem[dir_field]);
    if (rc == 0)
        rc = load_token(l, row, dtype_field, conv->dtype, &problem[dtype_field]);
    if (rc == 0 && layout >= 0)
        rc = load_token(l, row, (size_t)layout, conv_layout(conv), &problem[layout]);
    if (c->field[CONV_GPU] >= 0)
        problem[c->field[CONV_GPU]] = c->gpu;
    conv_put_sizes(c->field, conv, problem);
    return rc;
}

int miopen_rows_add(struct loader *l, struct miopen_rows *c, int64_t row, const struct conv *conv,
                    const char *list)
{
    int64_t problem[KPRED_MAX_FIELDS] = {0};
    const char *params[KPRED_MAX_TUPLE];
    char why[96];
    int rc = miopen_rows_problem(l, c, row, conv, problem);
    if (rc == 0 && tuple_text_cut(l->spec, list, &c->params, params, why) != 0)
        rc = load_bad(l, row, DROP_PARAMS, "params", list, "%s", why);
    return rc == 0 ? load_add(l, row, problem, params) : rc;
}

/* ---- perf-dbs of text ---- */

/* Only lines with an entry of the spec's solver count; the others may hold keys that are no
   convolution's. A line ends with LF or CRLF, the last one with nothing if it likes. */

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
            return load_bad(l, row, DROP_BROKEN, "solver", entry, "is given twice in the line");
        *params = colon + 1;
    }
    return 0;
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
    if (c->are_channels_exchanged && conv.dir != 'F') {
        const int64_t channels = conv.c;
        conv.c = conv.k;
        conv.k = channels;
    }
    return miopen_rows_add(l, c, row, &conv, params);
}

int textdb_read(struct loader *l, struct buf *bytes)
{
    struct miopen_rows c;
    char *at = bytes->s, *line;
    l->row_prefix = ":";
    if (strlen(bytes->s) != bytes->n)
        return fail("%s: is not a text file: it holds a NUL byte", l->path);
    int rc = miopen_rows_open(l, &c);
    if (rc == 0)
        rc = c.are_channels_exchanged = channels_are_exchanged(l->path, bytes->s);
    for (int64_t row = 1; rc >= 0 && (line = next_line(&at)) != NULL; row++)
        if (*line != '\0' && read_line(l, &c, row, line) < 0)
            rc = -1;
    buf_free(&c.params);
    return rc < 0 ? -1 : 0;
}

/* ---- find-dbs ---- */

/* A line is KEY=ENTRY;ENTRY, with the keys of text perf-dbs (conv.h). An entry is, of newer files,

       SOLVER:MILLISECONDS,WORKSPACE,ALGORITHM

   and of older ones ALGORITHM:SOLVER,MILLISECONDS,WORKSPACE,ALGORITHM,UNUSED. Some releases write
   `rocBlas` in place of the second ALGORITHM where the first is that of GEMM. Newer files list the
   fastest few solvers of a problem, older ones the fastest of each algorithm. A time of 0 is that
   of a measurement that failed. A few keys have sizes that contradict each other, such as a 3x3
   filter that makes an image of 1x1 out of one of 2x2: they are left out. A line ends with LF or
   CRLF, the last one with nothing if it likes. */

enum { MAX_FIGURES = 6 };

/* One of the names that MIOpen gives to the algorithms of a direction? */
static int is_algorithm(char dir, const char *text)
{
    static const char *const names[] = {"GEMM", "Direct", "FFT", "Winograd", "ImplicitGEMM"};
    char full[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(full, sizeof full, "miopenConvolution%sAlgo%s",
                 dir == 'F'   ? "Fwd"
                 : dir == 'B' ? "BwdData"
                              : "BwdWeights",
                 names[i]);
        if (strcmp(text, full) == 0)
            return 1;
    }
    return 0;
}

/* Verdict on the figures of one solver: its time and its workspace. */
static int add_solver(struct loader *l, int64_t row, const struct conv *conv,
                      const int64_t *problem, const char *solver, char *const *figure,
                      const char *algorithm)
{
    int64_t workspace;
    double ms = 0;
    const char *params[1] = {solver};
    if (*solver == '\0')
        return load_bad(l, row, DROP_BROKEN, "solver", solver, "is not a name");
    if (parse_int(figure[1], 0, INT64_MAX, &workspace) != 0)
        return load_bad(l, row, DROP_BROKEN, "workspace", figure[1], "is not a size in bytes");
    if (!is_algorithm(conv->dir, algorithm))
        return load_bad(l, row, DROP_BROKEN, "algorithm", algorithm,
                        "is not an algorithm of direction %c", conv->dir);
    const int rc = load_figure(l, row, "time", figure[0], &ms);
    return rc == 0 ? load_add_timed(l, row, problem, params, 1000 * ms) : rc;
}

static int read_entry(struct loader *l, int64_t row, const struct conv *conv,
                      const int64_t *problem, char *entry)
{
    char *colon = strchr(entry, ':'), *piece[MAX_FIGURES]; /* which commas part */
    const int is_old = strncmp(entry, "miopenConvolution", 17) == 0;
    const size_t want = is_old ? 5 : 3;
    size_t n = 0;
    if (colon == NULL)
        return load_bad(l, row, DROP_BROKEN, "entry", entry,
                        "is not of the form solver:time,workspace,algorithm");
    *colon = '\0';
    for (char *p = colon + 1; p != NULL && n < MAX_FIGURES; n++) {
        piece[n] = p;
        p = strchr(p, ',');
        if (p != NULL)
            *p++ = '\0';
    }
    if (n != want)
        return load_bad(l, row, DROP_BROKEN, "entry", entry, "has %s%zu figures, not %zu",
                        n == MAX_FIGURES ? "at least " : "", n, want);
    if (!is_old)
        return add_solver(l, row, conv, problem, entry, piece, piece[2]);
    if (strcmp(entry, piece[3]) != 0
        && (strcmp(piece[3], "rocBlas") != 0 || !ends_with(entry, "AlgoGEMM")))
        return load_bad(l, row, DROP_BROKEN, "algorithm", piece[3], "is not %s", entry);
    return add_solver(l, row, conv, problem, piece[0], piece + 1, entry);
}

static int read_find_line(struct loader *l, const struct miopen_rows *c, int64_t row, char *line)
{
    int64_t problem[KPRED_MAX_FIELDS] = {0};
    struct conv conv;
    char *at = strchr(line, '=');
    if (at == NULL || at == line || at[1] == '\0')
        return load_bad(l, row, DROP_BROKEN, "line", line, "is not of the form key=entry;entry");
    *at++ = '\0';
    l->at_once = !ends_with(at, ";");
    for (const char *p = at; (p = strchr(p, ';')) != NULL; p++)
        l->at_once++;
    int rc = miopen_rows_key(l, c, row, line, &conv);
    if (rc == 0)
        rc = miopen_rows_problem(l, c, row, &conv, problem);
    l->at_once = 1;
    if (rc != 0)
        return rc;
    while (*at != '\0') {
        char *entry = at;
        at += strcspn(at, ";");
        if (*at != '\0')
            *at++ = '\0';
        if (read_entry(l, row, &conv, problem, entry) < 0)
            return -1;
    }
    return 0;
}

int finddb_read(struct loader *l, struct buf *bytes)
{
    struct miopen_rows c;
    char *at = bytes->s, *line;
    l->row_prefix = ":";
    if (strlen(bytes->s) != bytes->n)
        return fail("%s: is not a text file: it holds a NUL byte", l->path);
    if (miopen_rows_open(l, &c) != 0)
        return -1;
    for (int64_t row = 1; (line = next_line(&at)) != NULL; row++)
        if (*line != '\0' && read_find_line(l, &c, row, line) < 0)
            return -1;
    return 0;
}
