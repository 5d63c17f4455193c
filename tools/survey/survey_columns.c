/* survey_columns.c - what the columns of a plain table hold, and which tell nothing of a tuple
   SPDX-License-Identifier: MIT */
#include "survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- cells ---- */

static int is_fraction(const char *cell)
{
    char *end;
    const double x = strtod(cell, &end);
    return *cell != '\0' && *end == '\0' && isfinite(x) && strpbrk(cell, "xX") == NULL;
}

static void see_count(struct survey_cells *c, const char *cell, size_t row)
{
    int64_t v, first = 0;
    if (c->counts && row > 0)
        (void)parse_int(c->values.v[0].s, INT64_MIN, INT64_MAX, &first);
    c->counts = c->counts && parse_int(cell, INT64_MIN, INT64_MAX, &v) == 0
                && (row == 0 ? v == 0 || v == 1 : v == first + (int64_t)row);
}

/* The number of its text */
uint32_t survey_see_cell(struct survey_cells *c, const char *cell, size_t row)
{
    int64_t v;
    const uint32_t number = (uint32_t)intern_text(&c->values, cell);
    see_count(c, cell, row);
    if (*cell == '\0')
        c->has_empty = 1;
    else if (parse_whole(cell, INT64_MIN, INT64_MAX, &v) != 0)
        *(is_fraction(cell) ? &c->has_fraction : &c->has_word) = 1;
    if (row == 1)
        c->changes = number != 0;
    return number;
}

/* Which columns change within a problem, by the numbers of a row's cells */
void survey_see_problem(struct survey_plain *t, const uint32_t *number)
{
    uint32_t fields[KPRED_MAX_TUPLE];
    size_t n = 0;
    const size_t n_problems = t->problems.n;
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].is_field && n < KPRED_MAX_TUPLE)
            fields[n++] = number[i];
    const size_t at = intern(&t->problems, fields, n * sizeof *fields);
    if (at == n_problems) {
        if (at * t->n >= t->cells_cap) {
            t->cells_cap = 2 * t->cells_cap + 64 * t->n;
            t->first_cells = xrealloc(t->first_cells, t->cells_cap, sizeof *t->first_cells);
        }
        memcpy(t->first_cells + at * t->n, number, t->n * sizeof *number);
    }
    for (size_t i = 0; i < t->n; i++)
        t->v[i].varies |= t->first_cells[at * t->n + i] != number[i];
}

int survey_wrong(const struct survey_plain *t, const struct survey_cells *c, const char *what)
{
    return fail("%s:%ld: column \"%s\": %s%s", t->path, t->header, c->name, what,
                t->has_time ? "" : "; there is no column of times or speeds yet");
}

static int survey_columns_pass_over(const struct survey_plain *t, struct survey_cells *c,
                                    const char *what)
{
    survey_note(t->s, "%s:%ld: column \"%s\": %s: passed over", t->path, t->header, c->name, what);
    c->role = SURVEY_PASSED_OVER;
    return 0;
}

/* ---- columns that tell nothing of a tuple ---- */

/* Is the name one that people give to the number of a row? */
static int is_counter(const char *name)
{
    static const char *const names[] = {"id",     "index", "idx",    "row",        "run",
                                        "run_id", "rowid", "row_id", "Unnamed: 0", "#"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* Is there another column that is tuned, as far as these rows tell? */
static int has_other_param(const struct survey_plain *t, const struct survey_cells *c)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct survey_cells *o = &t->v[i];
        if (o != c && !o->is_out && !o->is_field && (int)i != t->time && *o->name != '\0'
            && o->varies && o->values.n < t->n_rows
            && intern_find_text(&t->ignored, o->name) == INTERN_NONE)
            return 1;
    }
    return 0;
}

/* ---- products of fields ---- */

enum { MOST_DEGREE = 4, MOST_FACTORS = 8 };

struct factors { /* fields of which each has several values */
    size_t n;
    const char *name[MOST_FACTORS];
    const double *value[MOST_FACTORS]; /* for each problem */
};

static double product_at(const struct factors *f, const int *power, size_t problem)
{
    double x = 1;
    for (size_t i = 0; i < f->n; i++)
        for (int k = 0; k < power[i]; k++)
            x *= f->value[i][problem];
    return x;
}

static int fits(const struct factors *f, const int *power, const double *column, size_t n)
{
    const double constant = column[0] / product_at(f, power, 0);
    for (size_t p = 0; p < n; p++)
        if (!(fabs(product_at(f, power, p) * constant - column[p]) <= 1e-9 * fabs(column[p])))
            return 0;
    return 1;
}

/* Tries all powers of fields i and on that have this degree together. */
static int find_powers(const struct factors *f, int *power, size_t i, int degree,
                       const double *column, size_t n)
{
    if (i + 1 >= f->n) {
        power[f->n - 1] = degree;
        return fits(f, power, column, n);
    }
    for (power[i] = degree; power[i] >= 0; power[i]--)
        if (find_powers(f, power, i + 1, degree - power[i], column, n))
            return 1;
    return 0;
}

/* Is a column, in all n problems, a constant times a product of at most four fields? *degree is how
   many; "2 * m * n * k" is added to `b`. 0: it is not. */
static int find_product(const struct factors *fields, const double *column, size_t n, int *degree,
                        struct buf *b)
{
    int power[MOST_FACTORS] = {0};
    if (fields->n == 0)
        return 0;
    for (*degree = 1; *degree <= MOST_DEGREE; ++*degree) {
        if (!find_powers(fields, power, 0, *degree, column, n))
            continue;
        const double constant = column[0] / product_at(fields, power, 0);
        int is_first = fabs(constant - 1) < 1e-9;
        if (!is_first)
            buf_printf(b, "%.6g", constant);
        for (size_t i = 0; i < fields->n; i++)
            for (int k = 0; k < power[i]; k++, is_first = 0)
                buf_printf(b, "%s%s", is_first ? "" : " * ", fields->name[i]);
        return 1;
    }
    return 0;
}

/* A column's numbers, for each problem; NULL: it has others, or one alone. To be freed. */
static double *numbers_of(const struct survey_plain *t, const struct survey_cells *c)
{
    const size_t n = t->problems.n;
    double *v = xcalloc(n + 1, sizeof *v);
    int is_good = !c->varies && c->values.n > 1;
    for (size_t p = 0; p < n && is_good; p++) {
        const char *text = c->values.v[t->first_cells[p * t->n + (size_t)(c - t->v)]].s;
        is_good = is_fraction(text);
        v[p] = strtod(text, NULL);
        is_good = is_good && v[p] > 0;
    }
    if (is_good)
        return v;
    free(v);
    return NULL;
}

/* Is it a constant times a product of other fields? "2 * m * n" is added to `b`. */
static int is_product(const struct survey_plain *t, const struct survey_cells *c, int *degree,
                      struct buf *b)
{
    struct factors f = {0};
    double *column = numbers_of(t, c), *owned[MOST_FACTORS];
    for (size_t i = 0; column != NULL && i < t->n && f.n < MOST_FACTORS; i++) {
        if (&t->v[i] == c || !t->v[i].is_field || (owned[f.n] = numbers_of(t, &t->v[i])) == NULL)
            continue;
        f.name[f.n] = t->v[i].name;
        f.value[f.n] = owned[f.n];
        f.n++;
    }
    const int is = column != NULL && find_product(&f, column, t->problems.n, degree, b);
    for (size_t i = 0; i < f.n; i++)
        free(owned[i]);
    free(column);
    return is;
}

/* What the fields give is not a parameter: work, or the name of a layer. */
static int check_given(const struct survey_plain *t, struct survey_cells *c)
{
    struct buf what = {0}, product = {0};
    int degree, rc;
    if (is_product(t, c, &degree, &product)) {
        buf_printf(&what, "is %s, so the fields give it", product.s);
        rc = survey_columns_pass_over(t, c, what.s);
    } else {
        rc = survey_wrong(t, c,
                          "is the same in all rows of each problem, so it is not a parameter: "
                          "--fields takes it if it describes the problem, --ignore leaves it out");
    }
    buf_free(&what);
    buf_free(&product);
    return rc;
}

enum { FEW_ROWS = 8 };

/* Verdict on what would be a parameter by its name: 1: it may be one; 0: it is passed over; -1 with
   a message. */
int survey_check_rows(const struct survey_plain *t, struct survey_cells *c)
{
    const size_t n_problems = t->problems.n;
    const int has_other = t->has_time && has_other_param(t, c);
    if (!has_other)
        return 1;
    const int is_each = c->values.n == t->n_rows && t->n_rows > 1;
    if ((is_each && c->counts)
        || (is_counter(c->name) && (is_each || (!c->varies && n_problems > 1))))
        return survey_columns_pass_over(t, c, "counts the rows");
    if (is_each && t->n_rows >= FEW_ROWS && n_problems > 1)
        return survey_wrong(
            t, c,
            "has another value in each row, so nothing can be learned from it: --fields takes it "
            "if it describes the problem, --ignore leaves it out");
    if (!c->varies && c->values.n > 1 && n_problems > 1 && t->n_rows >= 2 * n_problems)
        return check_given(t, c);
    return 1;
}

/* A field that the others give does no harm, and no good. */
void survey_note_given(const struct survey_plain *t)
{
    for (size_t i = 0; i < t->n && t->has_time && t->problems.n > 2; i++) {
        struct buf product = {0};
        int degree = 0;
        if (t->v[i].is_field && is_product(t, &t->v[i], &degree, &product) && degree > 1)
            survey_note(t->s,
                        "%s:%ld: column \"%s\": is %s, so the other fields give it: it can be "
                        "left out",
                        t->path, t->header, t->v[i].name, product.s);
        buf_free(&product);
    }
}
