/* hf_config.c - see hf_config.h
   SPDX-License-Identifier: MIT */
#include "hf_config.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

void hf_config_free(struct hf_config *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->v[i].name);
        free(c->v[i].text);
    }
    free(c->v);
}

/* ---- what is in it ---- */

static const struct hf_value *find_any(const struct hf_config *c, const char *name)
{
    const size_t n = strlen(c->inner);
    for (size_t i = 0; i < c->n; i++)
        if (strncmp(c->v[i].name, c->inner, n) == 0 && strcmp(c->v[i].name + n, name) == 0)
            return &c->v[i];
    return NULL;
}

const struct hf_value *hf_find(const struct hf_config *c, const char *name)
{
    const struct hf_value *v = find_any(c, name);
    return v != NULL && v->kind != HF_NULL ? v : NULL;
}

int hf_refuse(const struct hf_config *c, const char *name, const char *what)
{
    const struct hf_value *v = find_any(c, name);
    if (v == NULL)
        return fail("%s: the config has no \"%s%s\": it %s", c->path, c->inner, name, what);
    return fail("%s:%ld:%ld: %s: value \"%.60s%s\": it %s", c->path, v->line, v->column, v->name,
                v->text, strlen(v->text) > 60 ? "..." : "", what);
}

int hf_number(const struct hf_config *c, const char *name, int64_t least, int64_t *out)
{
    const struct hf_value *v = hf_find(c, name);
    if (v == NULL || v->kind != HF_INTEGER || v->number < least || v->number > HF_MOST) {
        struct buf b = {0};
        buf_printf(&b, "should be an integer from %d to %d", (int)least, HF_MOST);
        (void)hf_refuse(c, name, b.s);
        buf_free(&b);
        return -1;
    }
    *out = v->number;
    return 0;
}

int hf_number_or(const struct hf_config *c, const char *name, int64_t least, int64_t fallback,
                 int64_t *out)
{
    *out = fallback;
    return hf_find(c, name) != NULL ? hf_number(c, name, least, out) : 0;
}

const char *hf_string(const struct hf_config *c, const char *name)
{
    const struct hf_value *v = hf_find(c, name);
    if (v != NULL && v->kind == HF_STRING)
        return v->text;
    (void)hf_refuse(c, name, "should be a string");
    return NULL;
}

#ifdef HAVE_JANSSON

#include "base/json.h"

/* ---- reading ---- */

enum { MOST_BYTES = 16 << 20 }; /* one that lists unquantised layers has hundreds of kilobytes */

static enum hf_kind kind_of(const json_t *v)
{
    if (json_is_integer(v))
        return HF_INTEGER;
    if (json_is_string(v))
        return HF_STRING;
    if (json_is_array(v))
        return HF_LIST;
    return json_is_null(v) ? HF_NULL : HF_OTHER;
}

/* Takes over the name. */
static void add(struct hf_config *c, char *name, const json_t *v, const struct json_text *at)
{
    c->v = xrealloc(c->v, c->n + 1, sizeof *c->v);
    char *json = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    c->v[c->n++] = (struct hf_value){
        .name = name,
        .text = xstrdup(json_is_string(v) ? json_string_value(v)
                        : json != NULL    ? json
                                          : ""),
        .kind = kind_of(v),
        .number = json_is_integer(v) ? json_integer_value(v) : 0,
        .line = at->line,
        .column = at->column,
    };
    free(json);
}

static int read_value(struct hf_config *c, struct json_text *at, const char *name)
{
    (void)json_text_peek(at);
    const struct json_text start = *at;
    json_t *v = json_text_value(at, NULL);
    if (v == NULL)
        return -1;
    add(c, xstrdup(name), v, &start);
    json_decref(v);
    return 0;
}

static int read_object(struct hf_config *c, struct json_text *at, const char *outer);

/* NAME: VALUE; an inner object of the config is an object of its own. */
static int read_member(struct hf_config *c, struct json_text *at, const char *outer)
{
    const struct json_text start = *at;
    json_t *name = json_text_name(at, NULL);
    struct buf full = {0};
    int rc = -1;
    if (name == NULL)
        return -1;
    buf_printf(&full, "%s%s%s", outer, *outer ? "." : "", json_string_value(name));
    if (find_any(c, full.s) != NULL)
        (void)json_text_fail(&start, "%s: it stands there twice", full.s);
    else if (*outer == '\0' && json_text_peek(at) == '{')
        rc = read_object(c, at, full.s);
    else
        rc = read_value(c, at, full.s);
    buf_free(&full);
    json_decref(name);
    return rc;
}

static int read_object(struct hf_config *c, struct json_text *at, const char *outer)
{
    if (!json_text_take(at, '{'))
        return json_text_fail(at, "here should be an object, as config.json of a model has it");
    if (json_text_take(at, '}'))
        return 0;
    do {
        (void)json_text_peek(at);
        if (read_member(c, at, outer) != 0)
            return -1;
    } while (json_text_take(at, ','));
    return json_text_take(at, '}') ? 0 : json_text_fail(at, "here should be a comma or a brace");
}

int hf_config_read(const char *path, struct hf_config *c)
{
    struct buf bytes = {0};
    *c = (struct hf_config){.path = path, .inner = ""};
    int rc = read_text(path, MOST_BYTES, &bytes);
    if (rc == 0) {
        struct json_text at = json_text_open(path, &bytes);
        rc = read_object(c, &at, "");
        if (rc == 0 && json_text_peek(&at) != EOF)
            rc = json_text_fail(&at, "something follows the object");
    }
    buf_free(&bytes);
    return rc;
}

#else

int hf_config_read(const char *path, struct hf_config *c)
{
    *c = (struct hf_config){.path = path, .inner = ""};
    return fail_without(path, "jansson", "libjansson-dev");
}

#endif
