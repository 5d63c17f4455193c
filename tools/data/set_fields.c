/* set_fields.c - see set_fields.h
   SPDX-License-Identifier: MIT */
#include "set_fields.h"

#include <string.h>

/* The field that NAME=VALUE names, and where its value begins; -1: none */
static int field_of(const struct spec *s, const char *text, const char **value)
{
    struct buf name = {0};
    const size_t n = strcspn(text, "=");
    buf_add(&name, text, n);
    const int field = text[n] == '=' ? spec_field_index(s, name.s) : -1;
    *value = text + n + (text[n] == '=');
    buf_free(&name);
    return field;
}

static int read_value(const struct spec_field *f, const char *text, int64_t *out)
{
    if (f->n_tokens == 0)
        return parse_int(text, f->least, f->most, out);
    *out = spec_token(f, text);
    return *out >= 0 ? 0 : -1;
}

static int bad_value(const struct spec_field *f, const char *text)
{
    struct buf b = {0};
    if (f->n_tokens == 0)
        buf_printf(&b, "an integer from %ld to %ld", (long)f->least, (long)f->most);
    else
        spec_tokens_text(f, &b);
    fail("--set \"%s\": its value is none of %s: %s", text, f->name, b.s);
    buf_free(&b);
    return -1;
}

static int check_one(const struct spec *s, const char *text, unsigned char *is_given)
{
    const char *value;
    int64_t v;
    const int field = field_of(s, text, &value);
    if (field < 0)
        return fail("--set \"%s\": is no FIELD=VALUE of a field of the spec", text);
    const struct spec_field *f = &s->fields[field];
    if (f->n_tokens != 0 && strcmp(f->name, "gpu") == 0)
        return fail("--set \"%s\": --gpu says what the GPU is", text);
    if (is_given[field]++)
        return fail("--set \"%s\": %s is given twice", text, f->name);
    return read_value(f, value, &v) == 0 ? 0 : bad_value(f, text);
}

int set_fields_check(const struct spec *s, const struct opt_texts *set)
{
    unsigned char is_given[KPRED_MAX_FIELDS] = {0};
    for (size_t i = 0; i < set->n; i++)
        if (check_one(s, set->v[i], is_given) != 0)
            return -1;
    return 0;
}

int set_fields_value(const struct spec *s, const struct opt_texts *set, size_t field, int64_t *out)
{
    const char *value;
    for (size_t i = 0; i < set->n; i++)
        if (field_of(s, set->v[i], &value) == (int)field)
            return read_value(&s->fields[field], value, out) == 0;
    return 0;
}
