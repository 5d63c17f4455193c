/* plain_table.c - is a table plain? Anything that might be odd is left to an importer
   SPDX-License-Identifier: MIT

   A column that tells which rows failed must not become a parameter: whatever looks like one, by a
   word of its name, a word in a cell, or by times that go with one of its values, makes a table
   odd. That this is often a false alarm costs a start of Python. */
#include "tables.h"

#include "formats.h"

#include "base/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Words of columns that tell which rows failed, and of their cells */
static const char status_words[] =
    " ok okay isok pass passed success successful succeeded correct correctness valid validated"
    " verified verify verification validation validity works worked compiled compiles completed"
    " finished done accepted feasible legal runnable matches matched match allclose error"
    " errors err errs fail failed fails failure failures crash crashed crashes invalid"
    " incorrect wrong mismatch mismatches mismatched timeout timeouts timedout out exitcode"
    " returncode retcode exit return rc ret retval signal sig exception exceptions oom segfault"
    " segfaults segmentation sigsegv sigabrt sigkill sigfpe sigbus abort aborted killed hang"
    " hung nan nans bad illegal denied cannot unable not overflow unsupported errno fault"
    " faults broken violation violations rejected status state result results outcome verdict"
    " code check checked checks zustand ergebnis statut estado stato diff difference deviation"
    " rms rmse mse mae fehler fehlgeschlagen falsch abgebrochen echec erreur fallo fallido"
    " errore erro falha ";
/* Words of columns of times, speeds, or what is measured beside these; and units */
static const char measured_words[] =
    " time times timing timings duration latency elapsed runtime cycles walltime zeit laufzeit"
    " temps bandwidth throughput speed speedup perf performance energy joules power watts"
    " temperature occupancy kflops mflops gflops tflops kops mops gops tops kbps mbps gbps tbps"
    " fps" TABLE_UNITS;

enum { MOST_VALUES = 64, ENOUGH_ROWS = 20, ENOUGH_OTHERS = 3 };

struct column {
    enum { TIME, FIELD, PARAM, IGNORED, OTHER } role;
    struct interned values; /* of one that might tell, up to MOST_VALUES */
    size_t count[MOST_VALUES + 1];
    int is_out; /* it does not tell */
};

struct look {
    const struct csv_records *header;
    const struct table_asked *asked;
    struct plain_table *out;
    struct column *column;
    size_t n, n_rows, cap;
    struct interned problems;
    struct buf problem;   /* the fields of the row at hand */
    unsigned char *value; /* of each row and column that might tell */
    struct {
        uint32_t problem;
        float us;
    } * row;
    size_t n_comma, n_point;
    int is_comma_sure;
};

static void odd(struct look *l, long line, size_t at, const char *what)
{
    if (l->out->line > 0)
        return;
    l->out->line = line;
    snprintf(l->out->odd, sizeof l->out->odd, "column \"%.100s\" %s", l->header->header[at], what);
}

/* ---- names ---- */

/* Has the text one of the words? A capital behind a small letter begins another one. */
static int has_one_of(const char *text, const char *words)
{
    char word[NAMES_FOLDED];
    names_fold(text, word);
    if (names_has_word(words, word))
        return 1;
    for (const char *p = text; *p != '\0';) {
        size_t n = 0;
        for (; isalpha((unsigned char)*p) && n < sizeof word - 1
               && !(n > 0 && isupper((unsigned char)*p) && islower((unsigned char)p[-1]));
             p++)
            word[n++] = (char)tolower((unsigned char)*p);
        word[n] = '\0';
        if (n > 0 && names_has_word(words, word))
            return 1;
        p += n == 0;
    }
    return 0;
}

static int has_other_letters(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text != '\0';
}

const char *table_success_test(const char *word, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(word, name, n) != 0)
        return NULL;
    return word[n] == '='
                   || (word[n] != '\0' && strchr("<>", word[n]) != NULL && word[n + 1] == '=')
               ? word + n
               : NULL;
}

static int is_told(const struct table_asked *a, const char *name)
{
    const char *const *words = a->spec != NULL ? a->spec->success : a->success;
    const size_t n = a->spec != NULL ? a->spec->n_success : a->n_success;
    for (size_t i = 0; i < n; i++)
        if (table_success_test(words[i], name) != NULL)
            return 1;
    return 0;
}

static int is_in(const struct interned *names, const char *name)
{
    return names != NULL && intern_find_text(names, name) != INTERN_NONE;
}

static void see_name(struct look *l, size_t at)
{
    const struct table_asked *a = l->asked;
    const char *name = l->header->cell[at];
    struct column *c = &l->column[at];
    c->role = (int)at == l->out->time                    ? TIME
              : *name == '\0' || is_in(a->ignored, name) ? IGNORED
              : is_in(a->fields, name) || strcmp(name, "gpu") == 0
                      || (a->spec != NULL && spec_field_index(a->spec, name) >= 0)
                  ? FIELD
              : a->spec != NULL && spec_param_index(a->spec, name) >= 0 ? PARAM
                                                                        : OTHER;
    c->is_out = c->role < IGNORED || *name == '\0' || (c->role == IGNORED && a->spec != NULL);
    if (is_told(a, name))
        odd(l, l->header->at, at, "tells which rows worked");
    if (c->is_out)
        return;
    if (has_one_of(name, status_words))
        odd(l, l->header->at, at, "may tell which rows failed");
    if (has_one_of(name, measured_words) || strchr(name, '/') != NULL || has_other_letters(name))
        odd(l, l->header->at, at, "may be a measurement");
    if (l->out->time < 0 && !a->is_best && strpbrk(name, "0123456789=:") != NULL)
        odd(l, l->header->at, at, "may be of the times of a tuple");
}

/* The column of times. A metric that another program's table lacks stands for time_us. */
static int find_time(struct look *l)
{
    const char *metric = l->asked->metric;
    const int us = csv_records_find(l->header, "time_us");
    const int ms = csv_records_find(l->header, "time_ms");
    const int at = metric != NULL ? csv_records_find(l->header, metric) : -1;
    if (at >= 0 && at != us && at != ms)
        odd(l, l->header->at, (size_t)at, "is not called time_us or time_ms");
    else if (at < 0
             && ((us >= 0 && ms >= 0) || (metric != NULL && l->asked->spec == NULL)
                 || (metric != NULL && strchr(metric, '*') != NULL)))
        odd(l, l->header->at, us > 0 ? (size_t)us : 0, "may be one of several columns of times");
    else if (at < 0 && us < 0 && ms < 0 && (l->asked->spec != NULL || metric != NULL))
        odd(l, l->header->at, 0, "stands in a table without a column time_us or time_ms");
    return at >= 0 ? at : us >= 0 ? us : ms;
}

/* ---- cells ---- */

static int is_group(const char *from, const char *mark)
{
    return mark - from >= 1 && mark - from <= 3 && *from != '0'
           && strspn(mark + 1, "0123456789") == 3;
}

static void see_time(struct look *l, const struct csv_records *r, size_t at)
{
    char *cell = r->cell[at], *digits = cell + (*cell == '-' || *cell == '+');
    const size_t n = strspn(cell, "0123456789.eE+-");
    char *mark = strpbrk(digits, ".,");
    if (cell[n] == '\0') {
        l->n_point += mark != NULL;
    } else if (cell[n] == ',' && l->header->separator != ',' && mark == cell + n
               && cell[n + 1 + strspn(cell + n + 1, "0123456789eE+-")] == '\0'
               && strspn(digits, "0123456789") == (size_t)(mark - digits)) {
        l->n_comma++;
        l->is_comma_sure |= !is_group(digits, mark) || mark[4] != '\0';
        *mark = '.';
    } else if (strchr("0123456789.+-~", *cell) != NULL || has_other_letters(cell)
               || has_one_of(cell, measured_words) || cell[1] == '\0') {
        odd(l, r->at, at, "has a cell that is neither a number nor a word");
    }
}

/* A number that is not written as C has it, or may not be */
static void see_figure(struct look *l, const struct csv_records *r, size_t at)
{
    const char *cell = r->cell[at];
    const char *mark = cell + strspn(cell, "+-0123456789");
    if (*mark == '\0' || isalpha((unsigned char)*mark) || l->column[at].role == IGNORED
        || !isdigit((unsigned char)cell[strspn(cell, "+-.,")]))
        return;
    if (*mark == '.' && (l->header->separator == ',' || !is_group(cell, mark)))
        mark += 1 + strspn(mark + 1, "0123456789");
    if ((strchr(".,'_ ", *mark) != NULL && *mark != '\0') || (unsigned char)*mark >= 0x80)
        odd(l, r->at, at, "has numbers with marks between their digits");
}

static void see_value(struct look *l, const struct csv_records *r, size_t at, unsigned char *number)
{
    struct column *c = &l->column[at];
    const char *cell = r->cell[at];
    const size_t n = c->values.n, value = intern_text(&c->values, cell);
    const int is_figure = cell[strspn(cell, "0123456789.eE+-")] == '\0';
    if (is_figure && l->out->time < 0 && !l->asked->is_best && strpbrk(cell, ".eE") != NULL)
        odd(l, r->at, at, "has fractions, and there is no column time_us or time_ms");
    c->is_out = value == MOST_VALUES;
    if (c->is_out)
        return;
    if (c->values.n > n && !is_figure
        && (has_one_of(cell, status_words) || has_other_letters(cell)))
        odd(l, r->at, at, "has a word that may tell which rows failed");
    c->count[value]++;
    *number = (unsigned char)value;
}

/* ---- rows ---- */

void table_trim(struct csv_records *r)
{
    for (size_t i = 0; i < r->n; i++) {
        char **cell = &r->cell[i];
        *cell += strspn(*cell, " ");
        for (size_t n = strlen(*cell); n > 0 && (*cell)[n - 1] == ' ';)
            (*cell)[--n] = '\0';
    }
}

static void keep_row(struct look *l, const struct csv_records *r)
{
    const size_t cap = l->cap;
    l->row = xgrow(l->row, l->n_rows, &l->cap, sizeof *l->row);
    if (l->cap > cap)
        l->value = xrealloc(l->value, l->cap, l->n);
    l->problem.n = 0;
    buf_puts(&l->problem, "");
    for (size_t i = 0; i < l->n; i++)
        if (l->column[i].role == FIELD)
            buf_add(&l->problem, r->cell[i], strlen(r->cell[i]) + 1);
    l->row[l->n_rows].problem = (uint32_t)intern(&l->problems, l->problem.s, l->problem.n);
}

static void see_row(struct look *l, const struct csv_records *r)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        n += !l->column[i].is_out;
    if (n > 0)
        keep_row(l, r);
    for (size_t i = 0; i < l->n; i++) {
        struct column *c = &l->column[i];
        if (c->role == TIME)
            see_time(l, r, i);
        else if (!l->asked->is_best)
            see_figure(l, r, i);
        if (!c->is_out)
            see_value(l, r, i, &l->value[l->n_rows * l->n + i]);
    }
    if (n == 0)
        return;
    const float us = l->out->time >= 0 ? strtof(r->cell[l->out->time], NULL) : 0;
    l->row[l->n_rows++].us = us > 0 && us < (float)FAILED_TIME ? us : 0;
}

struct range {
    size_t n;
    float least;
};

/* The rows with the column's most frequent value, or those with another one, are faster than all
   others of their problem. */
static int goes_with_times(const struct look *l, size_t at)
{
    const struct column *c = &l->column[at];
    struct range *ranges = xcalloc(2 * l->problems.n + 2, sizeof *ranges);
    size_t most = 0, n[2] = {0}, fast[2] = {0};
    for (size_t i = 1; i < c->values.n; i++)
        most = c->count[i] > c->count[most] ? i : most;
    for (size_t i = 0; i < 2 * l->n_rows; i++) {
        const size_t row = i % l->n_rows, is_most = l->value[row * l->n + at] == most;
        const float us = l->row[row].us;
        struct range *own = &ranges[2 * l->row[row].problem + is_most];
        const struct range *other = &ranges[2 * l->row[row].problem + !is_most];
        if (us > 0 && i < l->n_rows) {
            own->least = own->n++ > 0 && own->least < us ? own->least : us;
        } else if (us > 0 && other->n >= ENOUGH_OTHERS) {
            n[is_most]++;
            fast[is_most] += us < 0.76F * other->least;
        }
    }
    free(ranges);
    return (n[0] >= 3 && 10 * fast[0] >= 9 * n[0]) || (n[1] >= 3 && 10 * fast[1] >= 9 * n[1]);
}

/* ---- the whole ---- */

static int see_rows(struct look *l)
{
    struct csv_records r;
    struct buf copy = {0};
    int rc = 0;
    csv_records_again(l->header, &copy, &r);
    while (l->out->line == 0 && (rc = csv_records_next(&r)) > 0) {
        if (!l->asked->is_best)
            table_trim(&r);
        if (r.n == r.n_header)
            see_row(l, &r);
    }
    csv_records_close(&r);
    buf_free(&copy);
    for (size_t i = 0; i < l->n && l->out->time >= 0 && l->n_rows >= ENOUGH_ROWS; i++)
        if (!l->column[i].is_out && l->column[i].values.n > 1 && goes_with_times(l, i))
            odd(l, l->header->at, i, "has a value that goes with the shortest times alone");
    l->out->mark = l->n_comma > 0 ? ',' : '.';
    if (l->n_comma > 0 && (l->n_point > 0 || !l->is_comma_sure))
        odd(l, l->header->at, (size_t)l->out->time, "has commas that may mean thousands");
    return rc < 0 ? -1 : 0;
}

int plain_table_see(const struct csv_records *header, const struct table_asked *asked,
                    struct plain_table *out)
{
    struct look l = {.header = header, .asked = asked, .out = out, .n = header->n};
    *out = (struct plain_table){.time = -1, .mark = '.'};
    l.column = xcalloc(l.n + 1, sizeof *l.column);
    out->time = asked->is_best ? -1 : find_time(&l);
    for (size_t i = 0; i < l.n; i++)
        see_name(&l, i);
    const int rc = out->line == 0 ? see_rows(&l) : 0;
    for (size_t i = 0; i < l.n; i++)
        intern_free(&l.column[i].values);
    intern_free(&l.problems);
    buf_free(&l.problem);
    free(l.column);
    free(l.value);
    free(l.row);
    return rc;
}
