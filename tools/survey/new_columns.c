/* new_columns.c - fields and parameters of a new spec
   SPDX-License-Identifier: MIT */
#include "init.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- names for GPUs that no file has ---- */

/* AMD's families first, then vendors */
static const char *const makers[] = {"gcn", "cdna", "rdna", "amd", "nvidia", "intel", "other"};
enum { AMD = 3, N_MAKERS = sizeof makers / sizeof *makers };

/* Adds the GPUs of a maker; their number. */
static size_t add_gpus(const char *const *gpus, size_t n, size_t maker, struct buf *b)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (unseen_is_for(makers[maker], gpus[i])) {
            buf_printf(b, " %s", gpus[i]);
            found++;
        }
    return found;
}

/* Is there something to learn for such names, and room for them among these GPUs' tokens? Of one
   GPU they would learn what it says itself. */
static int new_names_fit(const char *const *gpus, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text_find(makers, N_MAKERS, gpus[i]) >= 0)
            return 0;
    return n >= 2 && n + N_MAKERS <= KPRED_MAX_VALUES;
}

/* Adds the names, with a blank before each; or the lines of [unseen]. A family that has all of
   AMD's would be the same as AMD. */
static void new_names_add(const char *const *gpus, size_t n, int is_section, struct buf *out)
{
    struct buf all = {0};
    const size_t n_amd = add_gpus(gpus, n, AMD, &all);
    for (size_t i = 0; i < N_MAKERS; i++) {
        struct buf own = {0};
        const size_t found = add_gpus(gpus, n, i, &own);
        if (found > 0 && (i >= AMD || found < n_amd))
            buf_printf(out, is_section ? "%s =%s\n" : " %s", makers[i], own.s);
        buf_free(&own);
    }
    buf_free(&all);
}

/* ---- values ---- */

static int by_number(const void *pa, const void *pb)
{
    int64_t a = 0, b = 0;
    (void)parse_int(*(const char *const *)pa, INT64_MIN, INT64_MAX, &a);
    (void)parse_int(*(const char *const *)pb, INT64_MIN, INT64_MAX, &b);
    return ORDER(a, b);
}

/* The texts, in order if `compare` is not NULL; to be freed */
static const char **listed(const struct interned *t, int (*compare)(const void *, const void *))
{
    const char **v = xcalloc(t->n + 1, sizeof *v);
    for (size_t i = 0; i < t->n; i++)
        v[i] = t->v[i].s;
    if (compare != NULL)
        qsort(v, t->n, sizeof *v, compare);
    return v;
}

static int is_integer(const char *text, int64_t least, int64_t most)
{
    int64_t v;
    return parse_int(text, least, most, &v) == 0;
}

int values_are_integers(const struct interned *t, int64_t least, int64_t most)
{
    size_t i = 0;
    while (i < t->n && is_integer(t->v[i].s, least, most))
        i++;
    return i == t->n;
}

int has_comment_mark(const char *text)
{
    return strstr(text, "/*") != NULL || strstr(text, "*/") != NULL;
}

/* A name that a spec takes in quotes */
static int is_quotable(const char *s)
{
    return spec_is_quotable(s) && strchr(s, '"') == NULL && !has_comment_mark(s);
}

/* "FILE:LINE: NAME", or what is known of that */
static void add_place(const struct survey_column *c, const char *value, struct buf *b)
{
    const size_t i = intern_find_text(&c->values, value);
    if (i != INTERN_NONE) {
        buf_puts(b, c->at[i].path);
        if (c->at[i].line > 0)
            buf_printf(b, ":%zu", c->at[i].line);
        buf_puts(b, ": ");
    }
    buf_puts(b, c->name);
}

static int wrong_value(const struct survey_column *c, const char *value, const char *what)
{
    struct buf place = {0};
    add_place(c, value, &place);
    fail("%s: value \"%s\": %s", place.s, value, what);
    buf_free(&place);
    return -1;
}

/* ---- [fields] ---- */

int field_is_gpu(const struct survey_column *c)
{
    return strcmp(c->name, "gpu") == 0;
}

static int is_size(const struct survey_column *c)
{
    return values_are_integers(&c->values, 0, KPRED_MAX_SIZE) && !field_is_gpu(c);
}

int field_is_beyond(const struct survey_column *c)
{
    return c->values.n == 1 && is_integer(c->values.v[0].s, KPRED_MAX_SIZE + 1, INT64_MAX);
}

static int wrong_token(const struct survey_column *c, const char *value)
{
    struct buf what = {0}, gpu = {0};
    buf_puts(&what, "a field's values are integers from 0 to 2^24, or names of letters, digits and "
                    "_.:+- that begin with a letter");
    if (field_is_gpu(c) && *gpu_name(value, &gpu) != '\0')
        buf_printf(&what, ", such as %s", gpu.s);
    (void)wrong_value(c, value, what.s);
    buf_free(&what);
    buf_free(&gpu);
    return -1;
}

/* The value that keeps a field from having names; NULL: there is none. Where it has integers as
   well, what is not an integer is the odd one, unless it is a name as the first is. */
static const char *odd_value(const struct survey_column *c)
{
    const struct interned *v = &c->values;
    const int is_named = spec_is_name(v->v[0].s);
    for (size_t i = 0; i < v->n; i++)
        if (!spec_is_name(v->v[i].s) && !is_integer(v->v[i].s, 0, KPRED_MAX_SIZE))
            return v->v[i].s;
    for (size_t i = 0; i < v->n; i++)
        if (spec_is_name(v->v[i].s) != is_named)
            return v->v[i].s;
    return is_named ? NULL : v->v[0].s;
}

static int check_tokens(const struct survey_column *c)
{
    const char *wrong = odd_value(c);
    if (wrong != NULL)
        return wrong_token(c, wrong);
    if (c->values.n <= KPRED_MAX_VALUES)
        return 0;
    return wrong_value(c, c->values.v[KPRED_MAX_VALUES].s,
                       "is one name too many, a field has at most 128");
}

static void add_words(struct buf *out, const struct interned *words)
{
    const char **v = listed(words, compare_texts);
    for (size_t i = 0; i < words->n; i++)
        buf_printf(out, " %s", v[i]);
    free(v);
}

/* ---- names for GPUs that no file has: see model/gpus.h ---- */

/* Adds them, if the column is of GPUs, or with a heading the section. Such names learn from times,
   which tables of the best alone do not have. */
static void add_makers(const struct survey *s, const struct survey_column *c, const char *heading,
                       struct buf *out)
{
    const char **gpus = listed(&c->values, compare_texts);
    if (field_is_gpu(c) && s->timed != NULL && new_names_fit(gpus, c->values.n)) {
        buf_puts(out, heading);
        new_names_add(gpus, c->values.n, *heading != '\0', out);
    }
    free(gpus);
}

void draft_unseen(const struct draft *d)
{
    const struct survey *s = d->survey;
    const int gpu = survey_find(&s->fields, "gpu");
    if (gpu >= 0)
        add_makers(s, &s->fields.v[gpu],
                   "\n[unseen]\n# GPUs that no file has are predicted by these names, which learn "
                   "from the GPUs of the\n# same maker or family, and a little from all others.\n",
                   d->out);
}

/* ---- the lines of [fields] ---- */

enum { MOST_OF_CATEGORY = 3, LARGEST_OF_CATEGORY = 8, TIMES_OF_SIZES = 4 };

/* Is a field of integers a flag or another category rather than a size? Then its values are two or
   three, small and near each other: 0 and 1, or 1, 2 and 3, but not 1 and 4, as sizes are, whose
   values go on in such steps, nor 64 and 128. *least and *most are its ends. */
static int is_category(const struct survey *s, const struct survey_column *c, int64_t *least,
                       int64_t *most)
{
    if (!survey_has_data(s) || c->values.n < 2 || c->values.n > MOST_OF_CATEGORY)
        return 0;
    *least = KPRED_MAX_SIZE;
    *most = 0;
    for (size_t i = 0; i < c->values.n; i++) {
        int64_t v = 0;
        (void)parse_int(c->values.v[i].s, 0, KPRED_MAX_SIZE, &v);
        *least = v < *least ? v : *least;
        *most = v > *most ? v : *most;
    }
    return *most <= LARGEST_OF_CATEGORY && *most < TIMES_OF_SIZES * (*least > 0 ? *least : 1);
}

static void draft_size(struct buf *out, const struct survey *s, const struct survey_column *c)
{
    int64_t least, most;
    buf_printf(out, "%s = size", c->name);
    if (is_category(s, c, &least, &most))
        buf_printf(out, " %d %d", (int)least, (int)most);
    else if (intern_find_text(&c->values, "0") != INTERN_NONE)
        buf_puts(out, " 0");
    buf_puts(out, "\n");
}

int draft_field(struct buf *out, const struct survey *s, const struct survey_column *c)
{
    if (is_size(c)) {
        draft_size(out, s, c);
        return 0;
    }
    if (check_tokens(c) != 0)
        return -1;
    buf_printf(out, "%s =", c->name);
    add_words(out, &c->values);
    add_makers(s, c, "", out);
    buf_puts(out, "\n");
    return 0;
}

/* Has it one value in all data? T1 alone does not say what the data will have. */
static int is_constant(const struct survey *s, const struct survey_column *c)
{
    return survey_has_data(s) && c->values.n == 1;
}

int field_is_seen(const struct survey *s, const struct survey_column *c)
{
    size_t n = 0;
    for (size_t i = 0; i < s->fields.n; i++)
        n += !is_constant(s, &s->fields.v[i]) || field_is_gpu(&s->fields.v[i]);
    return !field_is_beyond(c) && (n == 0 || !is_constant(s, c) || field_is_gpu(c));
}

static void add_constants(const struct draft *d)
{
    const struct survey *s = d->survey;
    size_t n = 0;
    for (size_t i = 0; i < s->fields.n; i++)
        n += (size_t)is_constant(s, &s->fields.v[i]);
    if (n == 0)
        return;
    buf_puts(d->out, "# The same in all files, so that a model cannot learn what another value "
                     "would change:\n");
    for (size_t i = 0; i < s->fields.n; i++)
        if (is_constant(s, &s->fields.v[i]))
            buf_printf(d->out, "#     %s = %s\n", s->fields.v[i].name,
                       s->fields.v[i].values.v[0].s);
}

/* The GPU is the first. */
static const struct survey_column *field_in_order(const struct survey_columns *fields, size_t i)
{
    const int gpu = survey_find(fields, "gpu");
    if (gpu < 0 || i > (size_t)gpu)
        return &fields->v[i];
    return &fields->v[i == 0 ? (size_t)gpu : i - 1];
}

int draft_fields(struct draft *d)
{
    const struct survey_columns *fields = &d->survey->fields;
    size_t n = 0;
    buf_puts(d->out,
             "\n[fields]\n"
             "# The problem, which is known before a tuple is chosen: `size` is an integer "
             "from 1 to\n# 2^24, or of the range behind it, other fields have one of the names.\n");
    add_constants(d);
    for (size_t i = 0; i < fields->n; i++) {
        const struct survey_column *c = field_in_order(fields, i);
        if (field_is_beyond(c))
            buf_printf(d->out, "# %s is not a field: a size is at most 2^24.\n", c->name);
        else if (draft_field(d->out, d->survey, c) != 0)
            return -1;
        n += !field_is_beyond(c);
    }
    return n > 0 ? 0
                 : fail("%s: says neither a GPU nor a problem's size that a spec could have: --gpu "
                        "GPU or --set NAME=VALUE gives it a field",
                        d->survey->first);
}

/* ---- [params] ---- */

int draft_list_params(struct draft *d)
{
    const struct survey_columns *params = &d->survey->params;
    const struct t1 *t1 = d->survey->t1.path != NULL ? &d->survey->t1 : NULL;
    const size_t n = t1 != NULL ? t1->params.n : params->n;
    for (size_t i = 0; i < n; i++) {
        const int at = t1 != NULL ? survey_find(params, t1->params.v[i].s) : (int)i;
        if (at < 0)
            continue;
        if (d->n_params == KPRED_MAX_TUPLE)
            return fail("%s: parameter \"%s\": is one too many, a spec has at most %d",
                        d->survey->first, params->v[at].name, KPRED_MAX_TUPLE);
        d->param[d->n_params].column = &params->v[at];
        d->param[d->n_params++].values = t1 != NULL ? &t1->values[i] : &params->v[at].values;
    }
    return 0;
}

static int add_value(struct buf *out, const struct survey_column *c, const char *value, int is_name)
{
    if (!is_name) {
        buf_printf(out, " %s", value);
        return 0;
    }
    if (!is_quotable(value))
        return wrong_value(c, value,
                           "cannot be a value in a spec: it is empty, long, or has a quote, a "
                           "backslash, \"??\" or another character than those of ASCII");
    buf_printf(out, spec_is_name(value) ? " %s" : " \"%s\"", value);
    return 0;
}

static int add_param(struct buf *out, const struct survey_column *c, const struct interned *values)
{
    const int is_name = !values_are_integers(values, INT32_MIN, INT32_MAX);
    if (values->n > KPRED_MAX_VALUES)
        return fail("%s: parameter \"%s\": has %zu values, a spec has at most %d", c->has, c->name,
                    values->n, KPRED_MAX_VALUES);
    for (size_t i = 0; i < values->n && !is_name; i++)
        if (!is_integer(values->v[i].s, -KPRED_MAX_SIZE, KPRED_MAX_SIZE))
            return wrong_value(c, values->v[i].s, "an integer of a spec is at most 2^24");
    const char **v = listed(values, is_name ? NULL : by_number);
    int rc = 0;
    buf_printf(out, "%s =", c->name);
    for (size_t i = 0; i < values->n && rc == 0; i++)
        rc = add_value(out, c, v[i], is_name);
    buf_puts(out, "\n");
    free(v);
    return rc;
}

int draft_params(const struct draft *d, struct buf *out)
{
    size_t n_free = 0;
    buf_puts(out, "[params]\n");
    for (size_t i = 0; i < d->n_params; i++) {
        if (add_param(out, d->param[i].column, d->param[i].values) != 0)
            return -1;
        n_free += d->param[i].values->n > 1;
    }
    return n_free <= KPRED_MAX_PARAMS
               ? 0
               : fail("%s: has %zu parameters of several values, a model has at most %d",
                      d->survey->first, n_free, KPRED_MAX_PARAMS);
}
