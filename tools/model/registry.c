/* registry.c - models by name, and the tokens of their fields as people write them; see model.h
   SPDX-License-Identifier: MIT */
#include "gpus.h"
#include "header.h"
#include "model.h"
#define BUILTIN_SPECS
#include "models.h" /* generated: every weights/NAME.h, the spec of each, BUILTIN_MODELS(X) */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUILTIN(name) {&kpred_model_##name, kpred_spec_##name, kpred_story_##name},
const struct builtin builtins[] = {BUILTIN_MODELS(BUILTIN){NULL, NULL, NULL}};

static int builtin_open(const struct builtin *b, struct model *out)
{
    struct buf text = {NULL, 0, 0};
    struct spec *spec = xcalloc(1, sizeof *spec);
    const char *const *line;
    for (line = b->spec; *line; line++)
        buf_puts(&text, *line);
    const int bad = spec_parse(spec, text.s, b->model->name) != 0
                    || model_from_builtin(out, spec, b->model) != 0;
    buf_free(&text);
    out->own_spec = spec;
    if (bad)
        model_free(out);
    return bad ? -1 : 0;
}

/* A built-in model by its own name, as it is written */
static const struct builtin *exact_builtin(const char *name)
{
    const struct builtin *b = builtins;
    while (b->model && strcmp(b->model->name, name))
        b++;
    return b->model ? b : NULL;
}

/* How many have the name or a kernel of that name, whatever the case; *found is the last. */
static size_t find_same_model(const char *name, const struct builtin **found, struct buf *list)
{
    size_t n = 0;
    for (const struct builtin *b = builtins; b->model; b++)
        if (names_same(b->model->name, name) || names_same(b->model->kernel, name)) {
            *found = b;
            buf_printf(list, " %s", b->model->name);
            n++;
        }
    return n;
}

/* What a file or folder is that is no header; NULL: there is none of this path. */
static const char *other_file(const char *path)
{
    static const char *const data[] = {".csv", ".json", ".db", ".txt", ".bz2", ".gz"};
    if (access(path, F_OK) != 0)
        return NULL;
    if (is_folder(path))
        return "is a folder, and not the header of a model (FILE.h)";
    if (ends_with(path, ".spec"))
        return "is a spec: train it first, `kpred-train train` writes the header (FILE.h)";
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        if (ends_with(path, data[i]))
            return "is data: `kpred-train init` makes a spec of it, and `kpred-train train` the "
                   "header "
                   "(FILE.h)";
    return "is not the header of a model: its name does not end with .h";
}

static void unknown_model(const char *name)
{
    struct buf question = {NULL, 0, 0}, stem = {NULL, 0, 0}, header = {NULL, 0, 0};
    const char *is = other_file(name), *why = is ? is : strerror(errno);
    buf_add(&stem, name, strlen(name) - (ends_with(name, ".spec") ? strlen(".spec") : 0));
    struct names_near near = {.text = stem.s};
    for (const struct builtin *b = builtins; b->model; b++) {
        names_offer(&near, b->model->name, b->model->name);
        names_offer(&near, b->model->name, b->model->kernel);
    }
    buf_printf(&header, "%s.h", stem.s);
    if (other_file(header.s))
        names_offer(&near, header.s, stem.s);
    names_question(&near, &question);
    if (is || strchr(name, '/'))
        fail("%s: %s%s", name, why, question.s);
    else
        fail("\"%s\" is neither a built-in model (`kpred models` lists them) nor the path of a "
             "header "
             "(FILE.h)%s",
             name, question.s);
    buf_free(&question);
    buf_free(&stem);
    buf_free(&header);
}

const struct builtin *builtin_find(const char *name)
{
    const struct builtin *b = exact_builtin(name);
    struct buf list = {NULL, 0, 0};
    if (b)
        return b;
    const size_t n = find_same_model(name, &b, &list);
    if (n == 0)
        unknown_model(name);
    if (n > 1)
        fail("\"%s\" may be any of%s", name, list.s);
    buf_free(&list);
    return n == 1 ? b : NULL;
}

int model_open(const char *name, struct model *out)
{
    memset(out, 0, sizeof *out);
    if (ends_with(name, ".h"))
        return header_read(name, out);
    const struct builtin *b = builtin_find(name);
    return b ? builtin_open(b, out) : -1;
}

/* The same lines of a file: from the first blank one to that of the id */
static int read_story(const char *path, struct buf *out)
{
    struct buf file = {NULL, 0, 0};
    if (read_text(path, HEADER_MAX_BYTES, &file))
        return -1;
    char *story = header_between(file.s, "\n\n", "\n   id ");
    buf_puts(out, story ? story : "");
    free(story);
    buf_free(&file);
    return 0;
}

int model_story(const char *name, struct buf *out)
{
    if (ends_with(name, ".h"))
        return read_story(name, out);
    const struct builtin *b = builtin_find(name);
    for (const char *const *line = b ? b->story : NULL; line && *line; line++)
        buf_puts(out, *line);
    return b ? 0 : -1;
}

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

/* The token with the same letters and digits; -1.5 is not 15. */
static int32_t find_same_token(const kpred_field *f, const char *text)
{
    const int is_number =
        text[strcspn(text, "0123456789")] && !text[strspn(text, "+-.0123456789eE")];
    int32_t found = NONE;
    for (int32_t i = 0; i < f->n_tokens && !is_number; i++)
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

/* The architectures that the kernel runs on, separated by blanks; `b` takes them. */
static const char *model_archs(const struct model *model, struct buf *b)
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
        gpu = model_learned_of(&model->m, f->tokens[gpu]) ? gpu : NONE;
    else {
        gpu = kpred_gpu_token(&model->m, name, 0, exact);
        *exact &= !is_several(f, name);
        gpu = *exact ? gpu : gpu_nearest(model->spec, text);
        gpu = *exact || nearest ? gpu : NONE;
    }
    buf_free(&b);
    return gpu;
}

/* ---- GPUs that it learned of ---- */

int model_learned_of(const kpred_model *model, const char *gpu)
{
    struct buf name = {NULL, 0, 0};
    const int runs = kpred_runs_on(model, gpu_name(gpu, &name));
    buf_free(&name);
    return runs;
}

const char *model_gpus(const struct model *model, size_t field, struct buf *b)
{
    const struct spec_field *f = model->spec->fields + field;
    buf_puts(b, "");
    for (size_t i = 0; i < f->n_tokens; i++)
        if (model_learned_of(&model->m, f->tokens[i]))
            buf_printf(b, "%s%s", b->n ? " " : "", f->tokens[i]);
    return b->s;
}

/* ---- messages ---- */

/* The value that was given, and the GPU that it names */
static const char *quoted(const char *text, const char *name, struct buf *b)
{
    buf_printf(b, strcmp(text, name) ? "\"%s\", which is %s" : "\"%s\"", text, name);
    return b->s;
}

static void not_there(const struct model *model, size_t field, const char *value)
{
    struct buf archs = {NULL, 0, 0}, known = {NULL, 0, 0};
    fail("%s: field gpu: value %s: %s runs only on %s; the model knows %s", model->m.name, value,
         model->m.kernel, model_archs(model, &archs), model_gpus(model, field, &known));
    buf_free(&archs);
    buf_free(&known);
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

/* Says what is wrong with a field's value, and which tokens there are. */
static void no_token(const struct model *model, size_t field, const char *wrong, const char *advice)
{
    struct buf list = {NULL, 0, 0};
    const struct spec_field *f = model->spec->fields + field;
    fail("%s: field %s: %s (known: %s)%s", model->m.name, f->name, wrong,
         spec_tokens_text(f, &list), advice);
    buf_free(&list);
}

#define SEVERAL_OF "value %s may be any of several"
#define NONE_OF    "unknown token %s"

/* How the maker of a GPU writes its name, if the model has no GPU of its; else NULL */
static const char *lacking_maker(const struct spec_field *f, const char *text)
{
    static const char *const makers[] = {"AMD", "NVIDIA", "Intel"};
    const char *maker = gpu_vendor(text);
    for (size_t i = 0; maker != NULL && i < sizeof makers / sizeof *makers; i++)
        if (names_same(makers[i], maker) && !gpu_maker_is_known(f, text))
            return makers[i];
    return NULL;
}

/* Why there is no token of the GPU: the kernel does not run there, or the model lacks it. */
static void no_gpu(const struct model *model, size_t field, const char *text, const char *name)
{
    const struct spec_field *f = model->spec->fields + field;
    struct buf value = {NULL, 0, 0}, wrong = {NULL, 0, 0}, advice = {NULL, 0, 0};
    const char *maker = lacking_maker(f, text);
    int exact;
    const int32_t nearest = model_gpu(model, field, text, 1, &exact);
    const int is_several_of = nearest >= 0 && is_several(model->m.fields + field, name);
    quoted(text, gpu_is_gfx(name) ? name : text, &value);
    if (nearest < 0 && maker != NULL)
        buf_printf(&wrong, "%s: the model knows no GPU of %s", value.s, maker);
    else
        buf_printf(&wrong, is_several_of ? SEVERAL_OF : NONE_OF, value.s);
    if (nearest >= 0)
        buf_printf(&advice, "; --nearest would take %s", f->tokens[nearest]);
    else if (maker == NULL)
        question(f, text, &advice);
    if (gpu_is_gfx(name) && !kpred_runs_on(&model->m, name))
        not_there(model, field, value.s);
    else
        no_token(model, field, wrong.s, advice.s != NULL ? advice.s : "");
    buf_free(&value);
    buf_free(&wrong);
    buf_free(&advice);
}

/* ---- the token of a field ---- */

/* What is taken for a GPU that the model lacks; of a table, not in each line */
static void note_nearest(const struct model *model, const char *text, int32_t gpu)
{
    static char last[64];
    if (!strcmp(last, text))
        return;
    snprintf(last, sizeof last, "%s", text);
    const char *token = model->m.fields[kpred_field_index(&model->m, "gpu")].tokens[gpu];
    if (unseen_is_name(model->spec, gpu))
        note("no model for %s, taking what it learned for GPUs like it, %s", text, token);
    else
        note("no model for %s, taking the nearest trained GPU, %s (%s)", text, token,
             gpu_kinship(text, token));
}

static int32_t read_gpu(const struct model *model, size_t field, const char *text, int nearest)
{
    int exact = 0;
    struct buf b = {NULL, 0, 0};
    const char *name = gpu_name(text, &b);
    const int32_t gpu = model_gpu(model, field, text, nearest, &exact);
    if (gpu < 0)
        no_gpu(model, field, text, name);
    else if (!exact)
        note_nearest(model, text, gpu);
    else if (gpu_server_name(text) != text)
        note("%s is taken as %s, which has that name in containers", text, gpu_server_name(text));
    buf_free(&b);
    return gpu < 0 ? NONE : gpu;
}

int32_t model_token(const struct model *model, size_t field, const char *text, int nearest)
{
    const kpred_field *f = model->m.fields + field;
    struct buf value = {NULL, 0, 0}, wrong = {NULL, 0, 0}, advice = {NULL, 0, 0};
    if (!strcmp(f->name, "gpu"))
        return read_gpu(model, field, text, nearest);
    int32_t token = number_find(f->tokens, (size_t)f->n_tokens, text);
    token = token == NONE ? find_same_token(f, text) : token;
    token = token == NONE ? find_synonym(f, text) : token;
    if (token >= 0)
        return token;
    buf_printf(&wrong, token == SEVERAL ? SEVERAL_OF : NONE_OF, quoted(text, text, &value));
    no_token(model, field, wrong.s, question(model->spec->fields + field, text, &advice));
    buf_free(&value);
    buf_free(&wrong);
    buf_free(&advice);
    return NONE;
}
