/* hf_config.c - what is in the config.json of a language model
   SPDX-License-Identifier: MIT */
#include "hf_model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- config.json ---- */

enum { MOST_BYTES = 16 << 20 }; /* one that lists unquantised layers has hundreds of kilobytes */

int hf_config_read(const char *path, struct hf_config *c)
{
    c->inner = "";
    c->is_bad = 0;
    return flat_json_read(&c->json, path, MOST_BYTES, "config.json of a model");
}

static const struct flat_value *find_any(const struct hf_config *c, const char *name)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", c->inner, name);
    return flat_json_find(&c->json, full);
}

const struct flat_value *hf_find(const struct hf_config *c, const char *name)
{
    const struct flat_value *v = find_any(c, name);
    return v != NULL && v->kind != FLAT_NULL ? v : NULL;
}

int hf_refuse(struct hf_config *c, const char *name, const char *fmt, ...)
{
    const struct flat_value *v = find_any(c, name);
    char what[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (!c->is_bad && v == NULL)
        fail("%s: the config has no \"%s%s\": it %s", c->json.path, c->inner, name, what);
    else if (!c->is_bad)
        fail("%s:%ld:%ld: %s: value \"%.60s%s\": it %s", c->json.path, v->line, v->column, v->name,
             v->text, strlen(v->text) > 60 ? "..." : "", what);
    c->is_bad = 1;
    return -1;
}

int64_t hf_number(struct hf_config *c, const char *name, int64_t least)
{
    const struct flat_value *v = hf_find(c, name);
    if (v != NULL && v->kind == FLAT_INTEGER && v->number >= least && v->number <= HF_MOST)
        return v->number;
    hf_refuse(c, name, "should be an integer from %d to %d", (int)least, HF_MOST);
    return least;
}

int64_t hf_number_of_layers(struct hf_config *c, const char *name, int64_t least)
{
    const struct flat_value *v = hf_find(c, name);
    int64_t n = 0, first = 0, x = 0;
    if (v == NULL || v->kind != FLAT_LIST)
        return least == 0 ? hf_number_or(c, name, 0, 0) : hf_number(c, name, least);
    const int64_t layers = hf_number(c, "num_hidden_layers", 1);
    for (char *s = v->text, *end; *s != ']' && x == first; s = end, n++) {
        x = strtoll(s + 1, &end, 10);
        first = n == 0 ? x : first;
        if (end == s + 1 || (*end != ',' && *end != ']') || x < least || x > HF_MOST)
            hf_refuse(c, name, "should have integers from %d to %d", (int)least, HF_MOST);
        if (c->is_bad)
            return least;
    }
    if (x != first)
        hf_refuse(c, name, "should have the same number for each layer");
    else if (n != layers)
        hf_refuse(c, name, "should have %d numbers, one for each layer", (int)layers);
    return first;
}

int hf_has_begin(const struct hf_config *c, const char *begin)
{
    char full[256];
    const int n = snprintf(full, sizeof full, "%s%s", c->inner, begin);
    for (size_t i = 0; i < c->json.n; i++)
        if (strncmp(c->json.v[i].name, full, (size_t)n) == 0)
            return 1;
    return 0;
}

int hf_list_next(const char **at, struct buf *name)
{
    const char *s = *at;
    buf_free(name);
    if (s == NULL || *s != '"')
        return 0;
    buf_puts(name, "");
    for (s++; *s != '"'; s++) {
        s += *s == '\\';
        buf_add(name, s, 1);
    }
    *at = s + 1 + (s[1] == ',');
    return 1;
}

/* An object has members of longer names, and none of its own. */
const char *hf_list(struct hf_config *c, const char *name, int of_names)
{
    const struct flat_value *v = hf_find(c, name);
    const char *what = of_names ? "names" : "numbers";
    const char *s = v != NULL && v->kind == FLAT_LIST ? v->text + 1 : NULL;
    struct buf b = {NULL, 0, 0};
    buf_printf(&b, "%s.", name);
    const int is_object = v == NULL && hf_has_begin(c, b.s);
    if (is_object && !c->is_bad)
        c->is_bad = fail("%s: %s%s: is an object: it should be a list of %s", c->json.path,
                         c->inner, name, what);
    while (of_names && hf_list_next(&s, &b))
        ;
    buf_free(&b);
    if (v != NULL && (s == NULL || (of_names && strcmp(s, "]") != 0)))
        hf_refuse(c, name, "should be a list of %s", what);
    return v != NULL && !c->is_bad ? v->text + 1 : NULL;
}

int64_t hf_number_or(struct hf_config *c, const char *name, int64_t least, int64_t fallback)
{
    return hf_find(c, name) != NULL ? hf_number(c, name, least) : fallback;
}

const char *hf_string(struct hf_config *c, const char *name)
{
    const struct flat_value *v = hf_find(c, name);
    if (v != NULL && v->kind == FLAT_STRING)
        return v->text;
    hf_refuse(c, name, "should be a string");
    return NULL;
}

const char *hf_first_key(const struct hf_config *c, const char *const *names)
{
    while (hf_find(c, names[0]) == NULL && names[1] != NULL)
        names++;
    return names[0];
}

int64_t hf_number_any(struct hf_config *c, const char *const *names)
{
    return hf_number_or(c, hf_first_key(c, names), 1, 0);
}

int hf_is_true(const struct hf_config *c, const char *name)
{
    const struct flat_value *v = hf_find(c, name);
    return v != NULL && strcmp(v->text, "true") == 0;
}
