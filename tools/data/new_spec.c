/* new_spec.c - see new_spec.h
   SPDX-License-Identifier: MIT */
#include "new_spec.h"

#include "new_names.h"
#include "tile_features.h"

#include "model/default_features.h"
#include "model/header_names.h"
#include "model/products.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_PROBLEMS = 20 }; /* of which a tenth tells nothing */

/* What is written */
struct draft {
    const struct new_spec *n;
    struct buf *out;
    char name[NAMES_MOST_MODEL + 1];
    size_t n_params;
    struct {
        const struct survey_column *column;
        const struct interned *values;
    } param[KPRED_MAX_TUPLE];
};

/* ---- text ---- */

/* Plain text for a comment or a title: without what a comment of C begins or ends with */
static void add_plain(struct buf *b, const char *text)
{
    for (; *text != '\0'; text++) {
        const int is_mark =
            (text[0] == '/' && text[1] == '*') || (text[0] == '*' && text[1] == '/');
        const char c = *text >= ' ' && *text <= '~' && !is_mark ? *text : '_';
        buf_add(b, &c, 1);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_number(const void *pa, const void *pb)
{
    int64_t a = 0, b = 0;
    (void)parse_int(*(const char *const *)pa, INT64_MIN, INT64_MAX, &a);
    (void)parse_int(*(const char *const *)pb, INT64_MIN, INT64_MAX, &b);
    return (a > b) - (a < b);
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

static int are_integers(const struct interned *t, int64_t least, int64_t most)
{
    size_t i = 0;
    while (i < t->n && is_integer(t->v[i].s, least, most))
        i++;
    return i == t->n;
}

/* A name that a spec takes without quotes */
static int is_word(const char *s)
{
    const size_t n = strlen(s);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && strchr("_.:+-", s[i]) == NULL)
            return 0;
    return n >= 1 && n <= 63 && (isalpha((unsigned char)*s) || *s == '_');
}

/* A name that it takes in quotes */
static int is_quotable(const char *s)
{
    const char *p = s;
    while (*p >= ' ' && *p <= '~' && *p != '\\' && *p != '"')
        p++;
    return p > s && p - s <= 255 && *p == '\0' && strstr(s, "??") == NULL && strstr(s, "/*") == NULL
           && strstr(s, "*/") == NULL;
}

/* "FILE:LINE: NAME", or what is known of that */
static void add_place(const struct survey_column *c, const char *value, struct buf *b)
{
    const size_t i = intern_find_text(&c->values, value);
    if (i != INTERN_NONE) {
        buf_puts(b, c->at[i].path);
        if (c->at[i].line > 0)
            buf_printf(b, ":%ld", c->at[i].line);
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

/* ---- [kernel] ---- */

static int is_taken(const char *name)
{
    const kpred_model m = {.name = name};
    char clash[NAMES_MOST + 1];
    names_find_clash(&m, clash);
    return *clash != '\0';
}

/* An identifier that is like the text, up to `end` */
static void make_name(const char *text, size_t end, char out[NAMES_MOST_MODEL + 1])
{
    struct buf b = {0};
    if (end == 0 || isdigit((unsigned char)*text))
        buf_puts(&b, "kernel_");
    buf_add(&b, text, end);
    for (size_t i = 0; i < b.n; i++)
        b.s[i] = isalnum((unsigned char)b.s[i]) ? b.s[i] : '_';
    snprintf(out, NAMES_MOST_MODEL + 1, "%s", b.s);
    if (is_taken(out))
        snprintf(out, NAMES_MOST_MODEL + 1, "my_%.40s", b.s);
    buf_free(&b);
}

static int choose_name(struct draft *d)
{
    const struct survey *s = d->n->survey;
    const char *asked = d->n->name, *file = base_name(s->first);
    if (asked != NULL && (!is_identifier(asked) || strlen(asked) > NAMES_MOST_MODEL))
        return fail("--name: value \"%s\": is no identifier of at most %d characters", asked,
                    NAMES_MOST_MODEL);
    if (asked != NULL && is_taken(asked))
        return fail("--name: value \"%s\": the headers of kpred use such a name", asked);
    if (asked != NULL)
        snprintf(d->name, sizeof d->name, "%s", asked);
    else if (s->kernel != NULL)
        make_name(s->kernel, strlen(s->kernel), d->name);
    else
        make_name(file, strcspn(file, "."), d->name);
    return 0;
}

const char *new_spec_split(const struct survey *s)
{
    return survey_n_problems(s) < FEW_PROBLEMS ? "none" : "config";
}

static void add_kernel(const struct draft *d)
{
    const struct survey *s = d->n->survey;
    struct buf *out = d->out;
    buf_puts(out, "# ");
    add_plain(out, base_name(d->n->path));
    buf_printf(
        out,
        " - what kpred-train has to know of %s to learn from its measurements\n"
        "#\n"
        "# Lines that begin with # are comments. `man kpred-train`, section SPEC FILES, says\n"
        "# all that a spec can have. With the files that this one was made of, train by\n"
        "#     kpred-train train ",
        d->name);
    add_plain(out, base_name(d->n->path));
    buf_printf(out, " --data FILE... --split %s -o %s.h\n\n[kernel]\n", new_spec_split(s), d->name);
    buf_printf(out, "# The header defines kpred_model_%s.\nname = %s\ntitle = ", d->name, d->name);
    add_plain(out, s->kernel != NULL && *s->kernel != '\0' ? s->kernel : d->name);
    buf_puts(out, "\n\n[data]\n");
    buf_puts(out, s->best != NULL ? "# Each row of the data is the best tuple of its problem.\n"
                                    "format = csv\n"
                                  : "# The data have all that was timed, not the best alone.\n"
                                    "format = timed\n");
}

/* ---- [fields] ---- */

static int is_gpu(const struct survey_column *c)
{
    return strcmp(c->name, "gpu") == 0;
}

static int is_size(const struct survey_column *c)
{
    return are_integers(&c->values, 0, KPRED_MAX_SIZE) && !is_gpu(c);
}

/* A size that is larger than a field's may be, in all files */
static int is_beyond(const struct survey_column *c)
{
    return c->values.n == 1 && is_integer(c->values.v[0].s, KPRED_MAX_SIZE + 1, INT64_MAX);
}

static int wrong_token(const struct survey_column *c, const char *value)
{
    struct buf what = {0}, gpu = {0};
    buf_puts(&what, "a field's values are integers from 0 to 2^24, or names of letters, digits and "
                    "_.:+- that begin with a letter");
    if (is_gpu(c) && *gpu_of_device(value, &gpu) != '\0')
        buf_printf(&what, ", such as %s", gpu.s);
    (void)wrong_value(c, value, what.s);
    buf_free(&what);
    buf_free(&gpu);
    return -1;
}

/* The value that keeps a field from having names; NULL: there is none. Where it has integers as
   well, what is no integer is the odd one, unless it is a name as the first is. */
static const char *odd_value(const struct survey_column *c)
{
    const struct interned *v = &c->values;
    const int is_named = is_word(v->v[0].s);
    for (size_t i = 0; i < v->n; i++)
        if (!is_word(v->v[i].s) && !is_integer(v->v[i].s, 0, KPRED_MAX_SIZE))
            return v->v[i].s;
    for (size_t i = 0; i < v->n; i++)
        if (is_word(v->v[i].s) != is_named)
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
    const char **v = listed(words, by_text);
    for (size_t i = 0; i < words->n; i++)
        buf_printf(out, " %s", v[i]);
    free(v);
}

/* ---- names for GPUs that no file has: see model/unseen.h ---- */

/* Such names learn from times, which tables of the best alone do not have. */
static int has_makers(const struct survey *s, const struct survey_column *c)
{
    const char **v = listed(&c->values, by_text);
    const int fits = is_gpu(c) && s->timed != NULL && new_names_fit(v, c->values.n);
    free(v);
    return fits;
}

static void add_makers(const struct survey_column *c, int is_section, struct buf *out)
{
    const char **v = listed(&c->values, by_text);
    new_names_add(v, c->values.n, is_section, out);
    free(v);
}

static void add_unseen(const struct draft *d)
{
    const struct survey *s = d->n->survey;
    const int gpu = survey_find(&s->fields, "gpu");
    if (gpu < 0 || !has_makers(s, &s->fields.v[gpu]))
        return;
    buf_puts(d->out,
             "\n[unseen]\n# GPUs that no file has are predicted by these names, which learn "
             "from the GPUs of the\n# same maker or family, and a little from all others.\n");
    add_makers(&s->fields.v[gpu], 1, d->out);
}

/* ---- the lines of [fields] ---- */

/* A line of [fields], as it stands in the spec */
static int add_field(struct buf *out, const struct survey *s, const struct survey_column *c)
{
    if (is_size(c)) {
        buf_printf(out, "%s = size%s\n", c->name,
                   intern_find_text(&c->values, "0") != INTERN_NONE ? " 0" : "");
        return 0;
    }
    if (check_tokens(c) != 0)
        return -1;
    buf_printf(out, "%s =", c->name);
    add_words(out, &c->values);
    if (has_makers(s, c))
        add_makers(c, 0, out);
    buf_puts(out, "\n");
    return 0;
}

/* Has it one value in all data? T1 alone does not say what the data will have. */
static int is_constant(const struct survey *s, const struct survey_column *c)
{
    return survey_has_data(s) && c->values.n == 1;
}

/* Shall the network see it? Fields that tell the problems of the data from each other, and the GPU;
   if there are none, all. */
static int is_seen(const struct survey *s, const struct survey_column *c)
{
    size_t n = 0;
    for (size_t i = 0; i < s->fields.n; i++)
        n += !is_constant(s, &s->fields.v[i]) || is_gpu(&s->fields.v[i]);
    return !is_beyond(c) && (n == 0 || !is_constant(s, c) || is_gpu(c));
}

static void add_constants(const struct draft *d)
{
    const struct survey *s = d->n->survey;
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

static int add_fields(struct draft *d)
{
    const struct survey_columns *fields = &d->n->survey->fields;
    size_t n = 0;
    buf_puts(d->out, "\n[fields]\n"
                     "# The problem, which is known before a tuple is chosen: `size` is an integer "
                     "from 1 to\n# 2^24, other fields have one of the names.\n");
    add_constants(d);
    for (size_t i = 0; i < fields->n; i++) {
        const struct survey_column *c = field_in_order(fields, i);
        if (is_beyond(c))
            buf_printf(d->out, "# %s is no field: a size is at most 2^24.\n", c->name);
        else if (add_field(d->out, d->n->survey, c) != 0)
            return -1;
        n += !is_beyond(c);
    }
    return n > 0 ? 0
                 : fail("%s: says neither a GPU nor a problem's size that a spec could have: --gpu "
                        "GPU or --set NAME=VALUE gives it a field",
                        d->n->survey->first);
}

/* ---- [params] ---- */

static int list_param(struct draft *d, const struct survey_column *c, const struct interned *values)
{
    if (d->n_params == KPRED_MAX_TUPLE)
        return fail("%s: parameter \"%s\": is one too many, a spec has at most %d",
                    d->n->survey->first, c->name, KPRED_MAX_TUPLE);
    d->param[d->n_params].column = c;
    d->param[d->n_params++].values = values;
    return 0;
}

/* In the order of T1, if there is one, with its values. What it does not have has one value. */
static int list_params(struct draft *d)
{
    const struct survey_columns *params = &d->n->survey->params;
    const struct t1 *t1 = d->n->t1;
    const size_t n = t1 != NULL ? t1->params.n : params->n;
    for (size_t i = 0; i < n; i++) {
        const int at = t1 != NULL ? survey_find(params, t1->params.v[i].s) : (int)i;
        if (at >= 0
            && list_param(d, &params->v[at], t1 != NULL ? &t1->values[i] : &params->v[at].values)
                   != 0)
            return -1;
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
    buf_printf(out, is_word(value) ? " %s" : " \"%s\"", value);
    return 0;
}

static int add_param(struct buf *out, const struct survey_column *c, const struct interned *values)
{
    const int is_name = !are_integers(values, INT32_MIN, INT32_MAX);
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

static int add_params(const struct draft *d, struct buf *out)
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
                      d->n->survey->first, n_free, KPRED_MAX_PARAMS);
}

/* ---- [restrict] ---- */

/* The names of two parameters of integers, for an example */
static size_t two_numbers(const struct draft *d, const char *names[2])
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_params && n < 2; i++)
        if (d->param[i].values->n > 1
            && are_integers(d->param[i].values, -KPRED_MAX_SIZE, KPRED_MAX_SIZE))
            names[n++] = d->param[i].column->name;
    return n;
}

static void add_no_conditions(const struct draft *d)
{
    const char *names[2] = {"x", "y"};
    const size_t n = two_numbers(d, names);
    buf_printf(d->out,
               "\n# Every combination of these values is legal. If the kernel cannot run some of "
               "them,\n# write the conditions at the end of this file, as Python would have them:\n"
               "#     [restrict]\n#     %s%s%s <= 1024\n",
               names[0], n == 1 ? "" : " * ", n == 1 ? "" : names[1]);
}

/* A condition is one line of the spec. */
static void add_condition(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++)
        buf_printf(out, "%c", strchr("\t\r\n", *text) != NULL ? ' ' : *text);
    buf_puts(out, "\n");
}

static void add_restrict(const struct draft *d)
{
    const struct t1 *t1 = d->n->t1;
    if (t1 == NULL || t1->n_conditions == 0) {
        add_no_conditions(d);
        return;
    }
    buf_puts(d->out, "\n[restrict]\n# A combination is legal if all of these hold. They are the "
                     "conditions of ");
    add_plain(d->out, base_name(t1->path));
    buf_puts(d->out, ".\n");
    for (size_t i = 0; i < t1->n_conditions; i++)
        add_condition(d->out, t1->conditions[i].text);
}

/* ---- [split] ---- */

static void add_split(const struct draft *d)
{
    const struct survey *s = d->n->survey;
    const size_t n = survey_n_problems(s);
    struct buf key = {0};
    for (size_t i = 0; i < s->fields.n; i++)
        if (!is_gpu(&s->fields.v[i]) && !is_beyond(&s->fields.v[i]))
            buf_printf(&key, "%s%s", key.n > 0 ? "," : "", s->fields.v[i].name);
    buf_puts(d->out, "\n[split]\n");
    if (key.n > 0)
        buf_printf(d->out,
                   "# What makes a problem, whatever the GPU: --split config keeps a tenth of the "
                   "problems\n# from training, to judge the model by.\nconfig = %s\n",
                   key.s);
    if (!survey_has_data(s))
        buf_printf(
            d->out,
            "# There are no data as yet. With %d problems or more, write `shipped = config`.\n",
            FEW_PROBLEMS);
    else if (n < FEW_PROBLEMS)
        buf_printf(d->out,
                   "# There %s %zu problem%s: a tenth of so few tells nothing, so train with "
                   "--split none.\n",
                   n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
    buf_printf(d->out, "shipped = %s\n", new_spec_split(s));
    buf_free(&key);
}

/* ---- [derived] and [features] ---- */

/* The text of a spec of those fields that tell problems apart, of all parameters and conditions */
static int small_text(const struct draft *d, struct buf *text)
{
    const struct survey *s = d->n->survey;
    buf_printf(text, "[kernel]\nname = %s\n[data]\nformat = timed\n[fields]\n", d->name);
    for (size_t i = 0; i < s->fields.n; i++)
        if (is_seen(s, &s->fields.v[i]) && add_field(text, s, &s->fields.v[i]) != 0)
            return -1;
    return add_params(d, text);
}

static int leaves_out(const struct survey *s)
{
    size_t i = 0;
    while (i < s->fields.n && is_seen(s, &s->fields.v[i]))
        i++;
    return i < s->fields.n;
}

static int make_default(const struct draft *d, const struct buf *text, struct buf *derived,
                        struct buf *features)
{
    struct spec spec;
    if (spec_parse(&spec, text->s, d->n->path) != 0)
        return -1;
    default_features(&spec, derived, features);
    spec_free(&spec);
    return 0;
}

/* More features, behind those that are there */
static int make_tiles(const struct draft *d, const struct buf *text, const struct buf *derived,
                      struct buf *features)
{
    struct spec spec;
    struct buf all = {0};
    buf_printf(&all, "%s[derived]\n%s[features]\n%s", text->s, derived->s != NULL ? derived->s : "",
               features->s);
    int rc = spec_parse(&spec, all.s, d->n->path);
    if (rc == 0) {
        rc = tile_features(&spec, features);
        spec_free(&spec);
    }
    buf_free(&all);
    return rc;
}

static int add_features(const struct draft *d)
{
    struct buf text = {0}, derived = {0}, features = {0};
    int rc = small_text(d, &text);
    if (rc == 0)
        rc = make_default(d, &text, &derived, &features);
    if (rc == 0)
        rc = make_tiles(d, &text, &derived, &features);
    if (rc == 0 && derived.n > 0)
        buf_printf(d->out, "\n[derived]\n# Numbers made of the fields, for the section below\n%s",
                   derived.s);
    if (rc == 0) {
        buf_puts(d->out, "\n[features]\n# What the network sees of a problem\n");
        if (leaves_out(d->n->survey))
            buf_puts(d->out, "# Fields that are the same in all files are left out: nothing can be "
                             "learnt of them.\n");
        buf_puts(d->out, features.s != NULL ? features.s : "");
    }
    buf_free(&text);
    buf_free(&derived);
    buf_free(&features);
    return rc;
}

/* ---- the whole ---- */

int new_spec_text(const struct new_spec *n, struct buf *out)
{
    struct draft d = {.n = n, .out = out};
    if (choose_name(&d) != 0 || list_params(&d) != 0)
        return -1;
    add_kernel(&d);
    if (add_fields(&d) != 0)
        return -1;
    add_unseen(&d);
    buf_puts(out, "\n# What is tuned, with all values that may be chosen\n");
    if (add_params(&d, out) != 0)
        return -1;
    add_restrict(&d);
    add_split(&d);
    return add_features(&d);
}
