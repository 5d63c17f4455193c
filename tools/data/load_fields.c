/* load_fields.c - fields that rows do not say: of GPUs' names, and of the command line
   SPDX-License-Identifier: MIT */
#include "formats.h"

#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

/* ---- --set ---- */

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
        return parse_whole(text, f->least, f->most, out);
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
    fail("--set \"%s\": its value is not one of %s: %s", text, f->name, b.s);
    buf_free(&b);
    return -1;
}

static int check_one(const struct spec *s, const char *text, unsigned char *is_given)
{
    const char *value;
    int64_t v;
    const int field = field_of(s, text, &value);
    if (field < 0)
        return fail("--set \"%s\": is not a FIELD=VALUE of a field of the spec", text);
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

/* ---- a file's fields: GPU names ---- */

/* Of a GPU without a token: of a bare arch the one with most units, or if asked for the nearest;
   -1: none, and *nearest (-1: no GPU's name) is what comes closest. */
static int other_gpu(const struct loader *l, const struct spec_field *f, const char *text,
                     int *nearest)
{
    struct buf b = {0};
    const char *name = gpu_name(text, &b);
    kpred_field field = {.name = "gpu", .tokens = f->tokens, .n_tokens = (int32_t)f->n_tokens};
    kpred_model model = {
        .fields = &field,
        .n_fields = 1,
        .runs_on = l->spec->runs_on[0] != NULL ? l->spec->runs_on : NULL,
    };
    size_t digits = strncmp(name, "gfx1", 4) == 0 ? 4 : 3;
    int exact = 0;
    const int32_t closest = kpred_gpu_token(&model, name, 0, &exact);
    *nearest = (int)(exact ? closest : gpu_nearest(l->spec, text));
    int is_bare = strlen(name) == 3 + digits && strspn(name + 3, "0123456789abcdef") == digits;
    buf_free(&b);
    return l->options->nearest || (is_bare && exact) ? *nearest : -1;
}

static const char *gpu_trouble(const struct spec_field *f, int nearest, struct buf *b)
{
    buf_puts(b, "is not a GPU of the spec, which has ");
    spec_tokens_text(f, b);
    if (nearest >= 0)
        buf_printf(b, "; the nearest is %s", f->tokens[nearest]);
    return b->s;
}

int load_token(struct loader *l, int64_t row, size_t field, const char *text, int64_t *out)
{
    const struct spec_field *f = &l->spec->fields[field];
    int is_gpu = strcmp(f->name, "gpu") == 0, nearest = -1, rc = 0;
    int token = field_token(f, text);
    if (token < 0 && is_gpu)
        token = other_gpu(l, f, text, &nearest);
    *out = token;
    if (token < 0) {
        struct buf b = {0};
        if (!is_gpu)
            buf_puts(&b, "is not one of ");
        rc = load_bad(l, row, DROP_OUTSIDE, f->name, text, "%s",
                      is_gpu ? gpu_trouble(f, nearest, &b) : spec_tokens_text(f, &b));
        buf_free(&b);
    }
    return rc;
}

int load_named_gpu(const struct loader *l, size_t field, const char *name, const char *from,
                   int64_t *out)
{
    const struct spec_field *f = &l->spec->fields[field];
    struct buf b = {0};
    int nearest = -1, rc = 0;
    int token = gpu_token(f, name);
    if (token < 0)
        token = other_gpu(l, f, name, &nearest);
    *out = token;
    if (token < 0)
        rc = fail("%s: gpu: value \"%s\" (%s): %s", l->path, name, from,
                  gpu_trouble(f, nearest, &b));
    buf_free(&b);
    return rc;
}

int load_file_gpu(struct loader *l, size_t field, int64_t *out)
{
    const char *name = base_name(l->path), *asked = l->options->gpu;
    struct buf gpu = {0};
    if (asked != NULL)
        buf_puts(&gpu, asked);
    else
        buf_add(&gpu, name, gpu_piece(name));
    l->gpu_is_used = 1;
    const int rc = load_named_gpu(
        l, field, gpu.s, asked != NULL ? "from --gpu" : "from the file's name, --gpu overrides it",
        out);
    buf_free(&gpu);
    return rc;
}

/* ---- a file's fields: what the command line says ---- */

int load_given(struct loader *l, size_t field, int64_t *out)
{
    const int is_given = set_fields_value(l->spec, &l->options->set, field, out);
    if (is_given)
        l->is_used[field] = 1;
    return is_given;
}

void load_note_unused(const struct loader *l)
{
    int64_t v;
    for (size_t i = 0; i < l->spec->n_fields; i++)
        if (!l->is_used[i] && set_fields_value(l->spec, &l->options->set, i, &v))
            note("--set %s=... is not used: all files have it", l->spec->fields[i].name);
    if (l->options->gpu != NULL && l->gpu_is_named && !l->gpu_is_used)
        note("--gpu %s is not used: all files name their GPU", l->options->gpu);
    if (l->options->unit != NULL && !l->unit_is_used)
        note(TUNER_UNIT_UNUSED, l->options->unit);
}

void load_note_chips(const struct loader *l)
{
    const int f = spec_field_index(l->spec, "gpu");
    const char *names[KPRED_MAX_VALUES];
    unsigned char is_there[KPRED_MAX_VALUES] = {0};
    struct buf b = {0};
    size_t n = 0;
    if (f < 0 || l->spec->fields[f].n_tokens == 0)
        return;
    for (size_t i = 0; i < l->n; i++)
        is_there[l->rows[i].problem[f]] = 1;
    for (size_t i = 0; i < l->spec->fields[f].n_tokens; i++)
        if (is_there[i])
            names[n++] = l->spec->fields[f].tokens[i];
    if (*gpu_chips(names, n, &b) != '\0')
        note("gpu: %s: " GPU_CHIPS_TOLD, b.s);
    buf_free(&b);
}
