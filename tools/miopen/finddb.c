/* finddb.c - reads MIOpen's find-dbs: how long each solver took for a convolution
   SPDX-License-Identifier: MIT

   A line is KEY=ENTRY;ENTRY, with the keys of text perf-dbs (conv.h). An entry is, of newer files,

       SOLVER:MILLISECONDS,WORKSPACE,ALGORITHM

   and of older ones ALGORITHM:SOLVER,MILLISECONDS,WORKSPACE,ALGORITHM,UNUSED. Some releases write
   `rocBlas` in place of the second ALGORITHM where the first is that of GEMM. Newer files list the
   fastest few solvers of a problem, older ones the fastest of each algorithm. A time of 0 is that
   of a measurement that failed. A few keys have sizes that contradict each other, such as a 3x3
   filter that makes an image of 1x1 out of one of 2x2: they are left out. A line ends with LF or
   CRLF, the last one with nothing if it likes. */
#include "miopen_rows.h"

#include <string.h>

enum { MAX_FIGURES = 6 };

struct entry {
    size_t n; /* pieces that commas part, MAX_FIGURES: too many */
    char *piece[MAX_FIGURES];
};

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

static void cut(struct entry *e, char *text)
{
    e->n = 0;
    while (text != NULL && e->n < MAX_FIGURES) {
        e->piece[e->n++] = text;
        text = strchr(text, ',');
        if (text != NULL)
            *text++ = '\0';
    }
}

/* Does the last but one piece of an older entry agree with the algorithm before its colon? */
static int is_same_algorithm(const char *algorithm, const char *text)
{
    return strcmp(algorithm, text) == 0
           || (strcmp(text, "rocBlas") == 0 && ends_with(algorithm, "AlgoGEMM"));
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
        return load_bad(l, row, DROP_BROKEN, "solver", solver, "is no name");
    if (parse_int(figure[1], 0, INT64_MAX, &workspace) != 0)
        return load_bad(l, row, DROP_BROKEN, "workspace", figure[1], "is no size in bytes");
    if (!is_algorithm(conv->dir, algorithm))
        return load_bad(l, row, DROP_BROKEN, "algorithm", algorithm,
                        "is no algorithm of direction %c", conv->dir);
    const int rc = load_figure(l, row, "time", figure[0], &ms);
    return rc == 0 ? load_add_timed(l, row, problem, params, 1000 * ms) : rc;
}

static int read_entry(struct loader *l, int64_t row, const struct conv *conv,
                      const int64_t *problem, char *entry)
{
    struct entry e;
    char *colon = strchr(entry, ':');
    const int is_old = strncmp(entry, "miopenConvolution", 17) == 0;
    const size_t want = is_old ? 5 : 3;
    if (colon == NULL)
        return load_bad(l, row, DROP_BROKEN, "entry", entry,
                        "is not of the form solver:time,workspace,algorithm");
    *colon = '\0';
    cut(&e, colon + 1);
    if (e.n != want)
        return load_bad(l, row, DROP_BROKEN, "entry", entry, "has %s%zu figures, not %zu",
                        e.n == MAX_FIGURES ? "at least " : "", e.n, want);
    if (!is_old)
        return add_solver(l, row, conv, problem, entry, e.piece, e.piece[2]);
    if (!is_same_algorithm(entry, e.piece[3]))
        return load_bad(l, row, DROP_BROKEN, "algorithm", e.piece[3], "is not %s", entry);
    return add_solver(l, row, conv, problem, e.piece[0], e.piece + 1, entry);
}

/* The line's entry at *at, which moves on; NULL: there is none left. */
static char *next_entry(char **at)
{
    char *entry = *at;
    if (*entry == '\0')
        return NULL;
    *at += strcspn(entry, ";");
    if (**at != '\0')
        *(*at)++ = '\0';
    return entry;
}

static size_t count_entries(const char *p)
{
    size_t n = 0;
    for (; *p != '\0'; n++) {
        p += strcspn(p, ";");
        p += *p != '\0';
    }
    return n;
}

static int read_line(struct loader *l, const struct miopen_rows *c, int64_t row, char *line)
{
    int64_t problem[KPRED_MAX_FIELDS] = {0};
    struct conv conv;
    char *at = strchr(line, '=');
    if (at == NULL || at == line || at[1] == '\0')
        return load_bad(l, row, DROP_BROKEN, "line", line, "is not of the form key=entry;entry");
    *at++ = '\0';
    l->at_once = count_entries(at);
    int rc = miopen_rows_key(l, c, row, line, &conv);
    if (rc == 0)
        rc = miopen_rows_problem(l, c, row, &conv, problem);
    l->at_once = 1;
    if (rc != 0)
        return rc;
    for (char *entry; (entry = next_entry(&at)) != NULL;)
        if (read_entry(l, row, &conv, problem, entry) < 0)
            return -1;
    return 0;
}

int finddb_read(struct loader *l, struct buf *bytes)
{
    struct miopen_rows c;
    char *at = bytes->s, *line;
    l->row_prefix = ":";
    if (strlen(bytes->s) != bytes->n)
        return fail("%s: is no text: it holds a NUL byte", l->path);
    if (miopen_rows_open(l, &c) != 0)
        return -1;
    for (int64_t row = 1; (line = next_line(&at)) != NULL; row++)
        if (*line != '\0' && read_line(l, &c, row, line) < 0)
            return -1;
    return 0;
}
