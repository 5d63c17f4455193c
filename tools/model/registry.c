/* registry.c - see registry.h
   SPDX-License-Identifier: MIT */
#include "registry.h"

#include "header.h"
#include "rule_slots.h"
#define BUILTIN_SPECS
#include "models.h" /* generated: every weights/NAME.h, the spec of each, BUILTIN_MODELS(X) */

#include <stdlib.h>
#include <string.h>

#define BUILTIN(name) {&kpred_model_##name, kpred_spec_##name},
const struct builtin builtins[] = {BUILTIN_MODELS(BUILTIN){NULL, NULL}};

static int builtin_open(const struct builtin *b, struct model *out)
{
    struct buf text = {NULL, 0, 0};
    struct spec *spec = xcalloc(1, sizeof *spec);
    const char *const *line;
    for (line = b->spec; *line; line++)
        buf_puts(&text, *line);
    int bad =
        spec_parse(spec, text.s, b->model->name) || model_from_spec(out, spec, b->model->split);
    buf_free(&text);
    out->own_spec = spec;
    if (bad)
        model_free(out);
    else {
        rule_slots_release(out); /* its rule is compiled in: what is read may have the slot */
        out->m = *b->model;
    }
    return bad;
}

int model_open(const char *name, struct model *out)
{
    struct buf known = {NULL, 0, 0};
    memset(out, 0, sizeof *out);
    if (ends_with(name, ".h"))
        return header_read(name, out);
    for (const struct builtin *b = builtins; b->model; b++) {
        if (!strcmp(b->model->name, name)) {
            buf_free(&known);
            return builtin_open(b, out);
        }
        buf_printf(&known, " %s", b->model->name);
    }
    int bad = fail("\"%s\" is neither a built-in model (%s ) nor the path of a header (FILE.h)",
                   name, known.s ? known.s : " none");
    buf_free(&known);
    return bad;
}

const char *model_archs(const struct model *model, struct buf *b)
{
    const char *const *arch = model->m.runs_on;
    for (size_t i = 0; arch && arch[i]; i++)
        buf_printf(b, "%s%s", i ? " " : "", arch[i]);
    return b->s ? b->s : "";
}

static int not_there(const struct model *model, const char *gpu)
{
    struct buf archs = {NULL, 0, 0};
    const int bad = fail("%s: field gpu: value \"%s\": %s runs on %s alone", model->m.name, gpu,
                         model->m.kernel, model_archs(model, &archs));
    buf_free(&archs);
    return bad;
}

static int unknown_token(const struct model *model, size_t field, const char *text, int32_t nearest)
{
    const struct spec_field *f = model->spec->fields + field;
    struct buf list = {NULL, 0, 0};
    const char *tokens = spec_tokens_text(f, &list);
    int bad;
    if (nearest < 0)
        bad = fail("%s: field %s: unknown token \"%s\" (known: %s)", model->m.name, f->name, text,
                   tokens);
    else
        bad = fail("%s: field %s: unknown token \"%s\" (known: %s); --nearest would take %s",
                   model->m.name, f->name, text, tokens, f->tokens[nearest]);
    buf_free(&list);
    return bad;
}

int32_t model_gpu(const struct model *model, size_t field, const char *text, int nearest,
                  int *exact)
{
    const int32_t token = kpred_token(&model->m, field, text);
    *exact = 1;
    if (token >= 0)
        return kpred_runs_on(&model->m, text) ? token : -1;
    const int32_t gpu = kpred_gpu_token(&model->m, text, 0, exact);
    return gpu >= 0 && (*exact || nearest) ? gpu : -1;
}

int32_t model_token(const struct model *model, size_t field, const char *text, int nearest)
{
    const char *const *tokens = model->m.fields[field].tokens;
    int exact = 0;
    if (strcmp(model->m.fields[field].name, "gpu")) {
        const int32_t token = kpred_token(&model->m, field, text);
        return token >= 0 ? token : unknown_token(model, field, text, -1);
    }
    const int32_t gpu = model_gpu(model, field, text, nearest, &exact);
    if (gpu < 0 && !strncmp(text, "gfx", 3) && !kpred_runs_on(&model->m, text))
        return not_there(model, text);
    if (gpu < 0)
        return unknown_token(model, field, text, model_gpu(model, field, text, 1, &exact));
    if (!exact)
        note("no model for %s, taking the nearest trained GPU, %s", text, tokens[gpu]);
    return gpu;
}
