/* t1.c - reads T1 inputs
   SPDX-License-Identifier: MIT */
#include "tuner.h"

#include <stdlib.h>
#include <string.h>

void t1_free(struct t1 *t)
{
    for (size_t i = 0; i < t->params.n; i++)
        intern_free(&t->values[i]);
    for (size_t i = 0; i < t->n_conditions; i++)
        free(t->conditions[i].text);
    intern_free(&t->params);
    free(t->values);
    free(t->conditions);
    free(t->path);
    free(t->kernel);
}

#ifdef HAVE_JANSSON

#include "base/json.h"

/* ---- objects and lists, whose members and elements have functions of their own ---- */

typedef int element_reader(struct t1 *t, struct json_text *at);
typedef int member_reader(struct t1 *t, struct json_text *at, const char *name, void *to);

static int read_object(struct t1 *t, struct json_text *at, member_reader *read, void *to)
{
    if (!json_text_take(at, '{'))
        return json_text_fail(at, "expected an object");
    if (json_text_take(at, '}'))
        return 0;
    do {
        json_t *name = json_text_name(at, NULL);
        const int rc = name != NULL ? read(t, at, json_string_value(name), to) : -1;
        json_decref(name);
        if (rc != 0)
            return -1;
    } while (json_text_take(at, ','));
    return json_text_take(at, '}') ? 0 : json_text_fail(at, "expected a comma or a brace");
}

static int read_list(struct t1 *t, struct json_text *at, element_reader *read)
{
    if (!json_text_take(at, '['))
        return json_text_fail(at, "expected a list");
    if (json_text_take(at, ']'))
        return 0;
    do {
        if (read(t, at) != 0)
            return -1;
    } while (json_text_take(at, ','));
    return json_text_take(at, ']') ? 0 : json_text_fail(at, "expected a comma or a bracket");
}

static int pass_over(struct json_text *at)
{
    json_t *v = json_text_value(at, NULL);
    json_decref(v);
    return v != NULL ? 0 : -1;
}

/* A string and where it stands; the place is that of its first character. */
struct string {
    char *s;
    long line, column;
};

static int read_string(struct json_text *at, const char *name, struct string *out)
{
    (void)json_text_peek(at);
    const struct json_text start = *at;
    json_t *v = json_text_value(at, NULL);
    if (v == NULL)
        return -1;
    int rc = 0;
    if (!json_is_string(v))
        rc = json_text_fail(&start, "%s should be a string", name);
    else if (out->s != NULL)
        rc = json_text_fail(&start, "%s is given twice", name);
    else
        *out = (struct string){xstrdup(json_string_value(v)), start.line, start.column + 1};
    json_decref(v);
    return rc;
}

/* ---- ConfigurationSpace ---- */

struct param {
    struct string name, values;
};

static int param_member(struct t1 *t, struct json_text *at, const char *name, void *to)
{
    struct param *p = to;
    (void)t;
    if (strcmp(name, "Name") == 0)
        return read_string(at, name, &p->name);
    return strcmp(name, "Values") == 0 ? read_string(at, name, &p->values) : pass_over(at);
}

static int add_param(struct t1 *t, const struct json_text *at, const struct param *p)
{
    if (p->name.s == NULL || p->values.s == NULL)
        return json_text_fail(at, "the parameter has no \"%s\"",
                              p->name.s == NULL ? "Name" : "Values");
    const struct t1_place place = {t->path, p->name.s, p->values.line, p->values.column};
    const size_t n = t->params.n;
    if (intern_text(&t->params, p->name.s) < n)
        return json_text_fail(at, "there is already a parameter \"%s\"", p->name.s);
    t->values = xrealloc(t->values, n + 1, sizeof *t->values);
    memset(&t->values[n], 0, sizeof *t->values);
    return t1_values(p->values.s, &place, &t->values[n]);
}

static int read_param(struct t1 *t, struct json_text *at)
{
    struct param p = {{NULL, 0, 0}, {NULL, 0, 0}};
    (void)json_text_peek(at);
    const struct json_text start = *at;
    int rc = read_object(t, at, param_member, &p);
    if (rc == 0)
        rc = add_param(t, &start, &p);
    free(p.name.s);
    free(p.values.s);
    return rc;
}

static int condition_member(struct t1 *t, struct json_text *at, const char *name, void *to)
{
    (void)t;
    return strcmp(name, "Expression") == 0 ? read_string(at, name, to) : pass_over(at);
}

static int read_condition(struct t1 *t, struct json_text *at)
{
    struct string s = {NULL, 0, 0};
    (void)json_text_peek(at);
    const struct json_text start = *at;
    if (read_object(t, at, condition_member, &s) != 0) {
        free(s.s);
        return -1;
    }
    if (s.s == NULL)
        return json_text_fail(&start, "the condition has no \"Expression\"");
    t->conditions = xrealloc(t->conditions, t->n_conditions + 1, sizeof *t->conditions);
    t->conditions[t->n_conditions++] = (struct t1_condition){s.s, s.line, s.column};
    return 0;
}

static int space_member(struct t1 *t, struct json_text *at, const char *name, void *to)
{
    (void)to;
    if (strcmp(name, "TuningParameters") == 0)
        return read_list(t, at, read_param);
    return strcmp(name, "Conditions") == 0 ? read_list(t, at, read_condition) : pass_over(at);
}

/* ---- KernelSpecification ---- */

static int read_size(struct t1 *t, struct json_text *at)
{
    (void)json_text_peek(at);
    const struct json_text start = *at;
    json_t *v = json_text_value(at, NULL);
    if (v == NULL)
        return -1;
    const int is_size = t->n_sizes < TUNER_MAX_SIZES && json_whole(v, &t->size[t->n_sizes]);
    t->n_sizes += (size_t)is_size;
    json_decref(v);
    return is_size
               ? 0
               : json_text_fail(&start, "ProblemSize should be up to %d integers", TUNER_MAX_SIZES);
}

static int kernel_member(struct t1 *t, struct json_text *at, const char *name, void *to)
{
    if (strcmp(name, "KernelName") == 0)
        return read_string(at, name, to);
    if (strcmp(name, "ProblemSize") != 0)
        return pass_over(at);
    return json_text_peek(at) == '[' ? read_list(t, at, read_size) : read_size(t, at);
}

static int top_member(struct t1 *t, struct json_text *at, const char *name, void *to)
{
    if (strcmp(name, "ConfigurationSpace") == 0)
        return read_object(t, at, space_member, NULL);
    return strcmp(name, "KernelSpecification") == 0 ? read_object(t, at, kernel_member, to)
                                                    : pass_over(at);
}

/* ---- the whole ---- */

int t1_is(struct buf *text)
{
    static const char member[] = "ConfigurationSpace";
    struct json_text at = json_text_open("", text);
    int found = 0;
    at.is_quiet = 1;
    if (strstr(text->s, member) == NULL || !json_text_take(&at, '{'))
        return 0;
    do {
        json_t *name = json_text_name(&at, NULL);
        found = name != NULL && strcmp(json_string_value(name), member) == 0;
        const int is_end = name == NULL || !json_text_skip(&at);
        json_decref(name);
        if (is_end)
            break;
    } while (!found && json_text_take(&at, ','));
    return found;
}

int t1_read(struct t1 *t, const char *path, struct buf *text)
{
    struct string kernel = {NULL, 0, 0};
    struct json_text at = json_text_open(path, text);
    t->path = xstrdup(path);
    int rc = read_object(t, &at, top_member, &kernel);
    t->kernel = kernel.s != NULL ? kernel.s : xstrdup("");
    if (rc == 0 && json_text_peek(&at) != EOF)
        rc = json_text_fail(&at, "unexpected text after the end");
    return rc != 0 || t->params.n > 0 ? rc : fail("%s: has no TuningParameters", path);
}

#else

int t1_is(struct buf *text)
{
    return strstr(text->s, "\"ConfigurationSpace\"") != NULL;
}

int t1_read(struct t1 *t, const char *path, struct buf *text)
{
    (void)text;
    t->path = xstrdup(path);
    t->kernel = xstrdup("");
    return fail_without(path, "jansson", "libjansson-dev");
}

#endif
