/* tokens.c - finds the token of a field as people write it; declared in registry.h
   SPDX-License-Identifier: MIT */
#include "registry.h"

#include "products.h"
#include "same_gpu.h"
#include "unseen.h"

#include <string.h>

/* ---- tokens by other names ---- */

/* What else people write for the tokens of conv.h, by field; a line has words for one thing. */
static const struct synonyms {
    const char *field;
    const char *words[8];
} synonyms[] = {
    {"dtype", {"FP32", "float", "float32", "f32", "single"}},
    {"dtype", {"FP16", "half", "float16", "f16"}},
    {"dtype", {"BF16", "bfloat16", "bfp16"}},
    {"dir", {"F", "forward", "fwd"}},
    {"dir", {"B", "backward", "bwd", "backward data", "bwd data"}},
    {"dir", {"W", "wrw", "backward weights", "bwd weights", "weights"}},
};

enum { NONE = -1, SEVERAL = -2 };

/* The token with the same letters and digits */
static int32_t find_same(const kpred_field *f, const char *text)
{
    int32_t found = NONE;
    for (int32_t i = 0; i < f->n_tokens; i++)
        if (names_same(f->tokens[i], text))
            found = found == NONE ? i : SEVERAL;
    return found;
}

static int has_word(const struct synonyms *s, const char *text)
{
    for (size_t i = 0; i < sizeof s->words / sizeof *s->words && s->words[i]; i++)
        if (names_same(s->words[i], text))
            return 1;
    return 0;
}

static int32_t find_synonym(const kpred_field *f, const char *text)
{
    for (size_t s = 0; s < sizeof synonyms / sizeof *synonyms; s++)
        if (!strcmp(synonyms[s].field, f->name) && has_word(&synonyms[s], text))
            for (int32_t i = 0; i < f->n_tokens; i++)
                if (has_word(&synonyms[s], f->tokens[i]))
                    return i;
    return NONE;
}

/* ---- GPUs ---- */

const char *model_archs(const struct model *model, struct buf *b)
{
    const char *const *arch = model->m.runs_on;
    for (size_t i = 0; arch && arch[i]; i++)
        buf_printf(b, "%s%s", i ? " " : "", arch[i]);
    return b->s ? b->s : "";
}

/* Is it an architecture alone of which the model knows several GPUs? */
static int is_several(const kpred_field *f, const char *name)
{
    const size_t digits = strncmp(name, "gfx1", 4) ? 3 : 4, n = strcspn(name, ":");
    int found = 0;
    for (int32_t i = 0; i < f->n_tokens; i++)
        found += n == 3 + digits && !strncmp(f->tokens[i], name, n);
    return found > 1;
}

int32_t model_gpu(const struct model *model, size_t field, const char *text, int nearest,
                  int *exact)
{
    const kpred_field *f = model->m.fields + field;
    struct buf b = {NULL, 0, 0};
    const char *name = gpu_name(text, &b);
    int32_t gpu = gpu_token(&model->spec->fields[field], text);
    *exact = 1;
    if (gpu >= 0)
        gpu = kpred_runs_on(&model->m, f->tokens[gpu]) ? gpu : NONE;
    else {
        gpu = kpred_gpu_token(&model->m, name, 0, exact);
        *exact &= !is_several(f, name);
        gpu = *exact ? gpu : unseen_or_nearest(model->spec, text, gpu);
        gpu = *exact || nearest ? gpu : NONE;
    }
    buf_free(&b);
    return gpu;
}

/* ---- messages ---- */

/* The value that was given, and the GPU that it names */
static const char *quoted(const char *text, const char *name, struct buf *b)
{
    buf_printf(b, strcmp(text, name) ? "\"%s\", which is %s" : "\"%s\"", text, name);
    return b->s;
}

static int not_there(const struct model *model, size_t field, const char *value)
{
    struct buf archs = {NULL, 0, 0}, known = {NULL, 0, 0};
    const int bad = fail("%s: field gpu: value %s: %s runs on %s alone; the model knows %s",
                         model->m.name, value, model->m.kernel, model_archs(model, &archs),
                         spec_tokens_text(model->spec->fields + field, &known));
    buf_free(&archs);
    buf_free(&known);
    return bad;
}

/* The question after a text that is near a token, or, of a GPU, near a product */
static const char *question(const struct spec_field *f, const char *text, struct buf *b)
{
    struct names_near near = {.text = text};
    for (size_t i = 0; i < f->n_tokens; i++)
        names_offer(&near, f->tokens[i], f->tokens[i]);
    if (!strcmp(f->name, "gpu"))
        products_offer(&near);
    return names_question(&near, b);
}

static int unknown_token(const struct model *model, size_t field, const char *value,
                         const char *advice)
{
    struct buf list = {NULL, 0, 0};
    const struct spec_field *f = model->spec->fields + field;
    const int bad = fail("%s: field %s: unknown token %s (known: %s)%s", model->m.name, f->name,
                         value, spec_tokens_text(f, &list), advice);
    buf_free(&list);
    return bad;
}

static int ambiguous(const struct model *model, size_t field, const char *value, const char *advice)
{
    struct buf list = {NULL, 0, 0};
    const struct spec_field *f = model->spec->fields + field;
    const int bad = fail("%s: field %s: value %s may be any of several (known: %s)%s",
                         model->m.name, f->name, value, spec_tokens_text(f, &list), advice);
    buf_free(&list);
    return bad;
}

/* Why there is no token of the GPU: the kernel does not run there, or the model lacks it. */
static int no_gpu(const struct model *model, size_t field, const char *text, const char *name)
{
    const struct spec_field *f = model->spec->fields + field;
    struct buf value = {NULL, 0, 0}, advice = {NULL, 0, 0};
    int bad, exact;
    const int32_t nearest = model_gpu(model, field, text, 1, &exact);
    quoted(text, gpu_is_gfx(name) ? name : text, &value);
    if (nearest >= 0)
        buf_printf(&advice, "; --nearest would take %s", f->tokens[nearest]);
    else
        question(f, text, &advice);
    if (gpu_is_gfx(name) && !kpred_runs_on(&model->m, name))
        bad = not_there(model, field, value.s);
    else if (nearest >= 0 && is_several(model->m.fields + field, name))
        bad = ambiguous(model, field, value.s, advice.s);
    else
        bad = unknown_token(model, field, value.s, advice.s);
    buf_free(&value);
    buf_free(&advice);
    return bad;
}

/* ---- the token of a field ---- */

static int32_t read_gpu(const struct model *model, size_t field, const char *text, int nearest)
{
    int exact = 0;
    struct buf b = {NULL, 0, 0};
    const char *name = gpu_name(text, &b);
    const int32_t gpu = model_gpu(model, field, text, nearest, &exact);
    if (gpu < 0)
        no_gpu(model, field, text, name);
    else if (!exact)
        note("no model for %s, taking %s, %s", text,
             unseen_is_name(model->spec, gpu) ? "what it learned for GPUs like it"
                                              : "the nearest trained GPU",
             model->m.fields[field].tokens[gpu]);
    buf_free(&b);
    return gpu < 0 ? NONE : gpu;
}

int32_t model_token(const struct model *model, size_t field, const char *text, int nearest)
{
    const kpred_field *f = model->m.fields + field;
    struct buf value = {NULL, 0, 0}, advice = {NULL, 0, 0};
    if (!strcmp(f->name, "gpu"))
        return read_gpu(model, field, text, nearest);
    int32_t token = kpred_token(&model->m, field, text);
    token = token == NONE ? find_same(f, text) : token;
    token = token == NONE ? find_synonym(f, text) : token;
    if (token >= 0)
        return token;
    quoted(text, text, &value);
    question(model->spec->fields + field, text, &advice);
    (token == SEVERAL ? ambiguous : unknown_token)(model, field, value.s, advice.s);
    buf_free(&value);
    buf_free(&advice);
    return NONE;
}
