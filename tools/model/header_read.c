/* header_read.c - a generated C header back into a model
   SPDX-License-Identifier: MIT

   The spec in the opening comment says what arrays there must be; each is looked up by its name and
   its numbers are read in order. The model's id and the same code written again show that the whole
   is what was written. But whoever wrote it may have written anything: so the bounds are proved
   again, and nothing in the file can make the runtime leave its arrays. */
#include "header.h"
#include "model.h"
#include "runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_BEFORE = 2 }; /* the oldest that relayout reads */

struct reader {
    struct header_text h;
    struct model *model;
};

static int foreign(const struct reader *r, const char *what)
{
    return header_foreign(&r->h, what);
}

static int read_numbers(const struct reader *r, const char *what, int32_t least, int32_t most,
                        int32_t *out, size_t n)
{
    return header_numbers(&r->h, what, least, most, out, n);
}

/* The same into elements of one byte or two */
static int read_narrow(const struct reader *r, const char *what, int32_t least, int32_t most,
                       void *out, size_t size, size_t n)
{
    int32_t *wide = xcalloc(n + 1, sizeof *wide);
    const int bad = read_numbers(r, what, least, most, wide, n);
    for (size_t i = 0; i < n && !bad; i++)
        if (size == 1)
            ((uint8_t *)out)[i] = (uint8_t)wide[i];
        else
            ((uint16_t *)out)[i] = (uint16_t)wide[i];
    free(wide);
    return bad;
}

/* name, tokens, n_tokens, least, most, trained_min, trained_max of each field */
static int read_ranges(struct reader *r)
{
    int32_t x[5 * KPRED_MAX_FIELDS];
    if (read_numbers(r, "fields", INT32_MIN, INT32_MAX, x, 5 * (size_t)r->model->m.n_fields))
        return -1;
    for (uint32_t f = 0; f < r->model->m.n_fields; f++) {
        kpred_field *field = r->model->fields + f;
        field->trained_min = x[5 * f + 3];
        field->trained_max = x[5 * f + 4];
        if (field->trained_min < field->least || field->trained_max > field->most
            || field->trained_min > field->trained_max)
            return fail("%s: field %s: trained on %" PRId32 " to %" PRId32
                        ", of which it takes %" PRId32 " to %" PRId32,
                        r->h.path, field->name, field->trained_min, field->trained_max,
                        field->least, field->most);
    }
    return 0;
}

/* n_instr, n_features, hidden, then rows, cols, shift of three layers */
static int read_shape(struct reader *r, int32_t x[12])
{
    struct buf name = {NULL, 0, 0};
    buf_printf(&name, " kpri_%s_net = {", r->model->m.name);
    const char *p = strstr(header_code(r->h.text), name.s);
    p = p ? p + name.n : NULL;
    buf_free(&name);
    for (int i = 0; i < 12 && p; i++) {
        char *end;
        p = header_number(p);
        x[i] = p ? (int32_t)strtol(p, &end, 10) : 0;
        p = p ? end : NULL;
    }
    if (!p)
        return foreign(r, "the network's dimensions are missing");
    for (int i = 3; i < 12; i += 3)
        if (x[i] < 16 || x[i] > 65535 || x[i] % 16 || x[i + 1] < 16 || x[i + 1] > KPRED_MAX_WIDTH
            || x[i + 2] < 0 || x[i + 2] > UINT8_MAX)
            return foreign(r, "the network's dimensions are impossible");
    if (x[2] < 16 || x[2] > KPRED_MAX_HIDDEN || x[2] % 16 || x[6] > KPRED_MAX_WIDTH)
        return foreign(r, "the network's dimensions are impossible");
    model_set_widths(r->model, (size_t)x[3], (size_t)x[6], (size_t)x[2]);
    return 0;
}

/* Has each layer and head its own arrays, as kpred 0.3.0 wrote them? */
static int is_apart(const struct reader *r)
{
    struct buf name = {NULL, 0, 0};
    buf_printf(&name, " kpri_%s_weight0[", r->h.name);
    const int is = strstr(header_code(r->h.text), name.s) != NULL;
    buf_free(&name);
    return is;
}

/* Two such arrays: of the item i, as "weight%zu" names it */
struct part {
    const char *weight, *bias, *behind;
    size_t i, at, bias_at;
    size_t n, rows;
};

static int read_part(const struct reader *r, const struct part *p, int8_t *weight, int32_t *bias)
{
    char name[32];
    snprintf(name, sizeof name, "%s%zu%s", p->weight, p->i, p->behind);
    if (p->n && read_narrow(r, name, -127, 127, weight + p->at, 1, p->n))
        return -1;
    snprintf(name, sizeof name, "%s%zu%s", p->bias, p->i, p->behind);
    return p->rows ? read_numbers(r, name, INT32_MIN, INT32_MAX, bias + p->bias_at, p->rows) : 0;
}

static int read_parts(struct reader *r, const struct net_places *at, int8_t *weight, int32_t *bias)
{
    const kpred_additive *net = &r->model->net;
    const kpred_model *m = &r->model->m;
    int bad = 0;
    for (size_t i = 0; i < 3 && !bad; i++) {
        const kpred_layer *l = net->layer + i;
        const struct part p = {
            "weight", "bias", "", i, at->layer[i], at->layer_bias[i], (size_t)l->rows * l->cols,
            l->rows};
        bad = read_part(r, &p, weight, bias);
    }
    for (size_t t = 0; t < m->n_params && !bad; t++) {
        const size_t rows = model_head_rows(m, t), above_rows = model_embedding_rows(m, t);
        if (m->params[t].n_values < 2)
            continue;
        const struct part out = {
            "out", "offset", "_", t, at->head[t], at->head_bias[t], rows * net->hidden, rows};
        const struct part above = {
            "embedding", "", "_", t, at->embedding[t], 0, above_rows * net->hidden, 0};
        bad = read_part(r, &out, weight, bias) || read_part(r, &above, weight, bias);
    }
    return bad;
}

/* Points the layers and heads at their places in the two arrays. */
static void take_arrays(struct model *m, const struct net_places *at, const int8_t *weight,
                        const int32_t *bias)
{
    for (size_t i = 0; i < 3; i++) {
        m->net.layer[i].weight = weight + at->layer[i];
        m->net.layer[i].bias = bias + at->layer_bias[i];
    }
    for (size_t t = 0; t < m->m.n_params; t++) {
        kpred_head *h = m->heads + t;
        if (m->params[t].n_values < 2)
            continue;
        h->weight = weight + at->head[t];
        h->bias = bias + at->head_bias[t];
        h->embedding = model_embedding_rows(&m->m, t) ? weight + at->embedding[t] : NULL;
    }
}

/* All weights and biases, or those of each layer and head as kpred 0.3.0 wrote them */
static int read_arrays(struct reader *r)
{
    struct net_places at;
    net_places(&r->model->m, &at);
    int8_t *weight = model_array(r->model, at.n_weights, 1);
    int32_t *bias = model_array(r->model, at.n_biases, sizeof *bias);
    const int bad = is_apart(r)
                        ? read_parts(r, &at, weight, bias)
                        : read_narrow(r, "weights", -127, 127, weight, 1, at.n_weights)
                              || read_numbers(r, "biases", INT32_MIN, INT32_MAX, bias, at.n_biases);
    if (!bad)
        take_arrays(r->model, &at, weight, bias);
    return bad;
}

static int read_layers(struct reader *r)
{
    int32_t x[12];
    if (read_shape(r, x))
        return -1;
    for (size_t i = 0; i < 3; i++) {
        kpred_layer *l = r->model->net.layer + i;
        if (l->rows != x[3 + 3 * i] || l->cols != x[4 + 3 * i])
            return foreign(r, "the network's dimensions contradict the spec");
        l->shift = (uint8_t)x[5 + 3 * i];
    }
    return 0;
}

static int read_heads(struct reader *r)
{
    const size_t n_params = r->model->m.n_params;
    int32_t x[6 * KPRED_MAX_TUPLE];
    if (read_numbers(r, "heads", 0, 31, x, 3 * n_params))
        return -1;
    for (size_t t = 0; t < n_params; t++) {
        kpred_head *h = r->model->heads + t;
        h->embedding_shift = (uint8_t)x[3 * t];
        h->hidden_shift = (uint8_t)x[3 * t + 1];
        h->logit_shift = (uint8_t)x[3 * t + 2];
    }
    return 0;
}

/* Which set each combination of tokens has, and how many sets there are */
static int read_lists(struct reader *r, size_t *n_sets)
{
    struct listed_by *by = &r->model->lists;
    const int bad = read_narrow(r, "lists", 0, (int32_t)by->n, by->set, sizeof *by->set, by->n);
    *n_sets = 0;
    for (size_t i = 0; i < by->n && !bad; i++)
        *n_sets = by->set[i] > *n_sets ? by->set[i] : *n_sets;
    return bad;
}

static int read_bits(struct reader *r, size_t n_sets)
{
    struct model *m = r->model;
    const size_t bytes = listed_bytes(m->params, m->m.n_params);
    if (n_sets == 0 || bytes == 0 || n_sets * bytes > LISTED_MAX_BITS / 8 + n_sets)
        return foreign(r, "so many bits of tuples are impossible");
    model_take_sets(m, n_sets);
    return read_narrow(r, "listed", 0, 255, m->listed, 1, m->n_listed);
}

enum { SET_NUMBERS = 5 }; /* of a set: its size, and what follows from the spec */

static int read_tuples(struct reader *r, size_t n_sets)
{
    struct model *m = r->model;
    int32_t *x = xcalloc(SET_NUMBERS * n_sets + 1, sizeof *x);
    size_t *n = xcalloc(n_sets + 1, sizeof *n), all = 0;
    int bad = read_numbers(r, "sets", 0, LISTED_MAX_VALUES, x, SET_NUMBERS * n_sets);
    int impossible = n_sets == 0;
    for (size_t i = 0; i < n_sets && !bad; i++) {
        n[i] = (size_t)x[SET_NUMBERS * i];
        all += n[i] * m->m.n_params;
        impossible |= n[i] == 0 || all > LISTED_MAX_VALUES;
    }
    if (!bad && impossible)
        bad = foreign(r, "the sets of tuples are impossible");
    if (!bad)
        bad = read_numbers(r, "tuples", INT32_MIN, INT32_MAX, model_take_tuples(m, n_sets, n), all);
    free(n);
    free(x);
    return bad;
}

/* The sets of the rule `listed`, as they were; they name the rule. */
static int read_listed(struct reader *r)
{
    struct model *m = r->model;
    struct buf tuples = {NULL, 0, 0};
    size_t n_sets = 1;
    if (!m->lists.set)
        return 0;
    m->lists.set[0] = 1;
    if (m->lists.n_fields && read_lists(r, &n_sets))
        return -1;
    buf_printf(&tuples, " kpri_%s_tuples[", m->m.name);
    const int bad =
        strstr(header_code(r->h.text), tuples.s) ? read_tuples(r, n_sets) : read_bits(r, n_sets);
    buf_free(&tuples);
    if (!bad)
        model_name_list(m);
    return bad;
}

/* The format, and with it where the id is; 0 if there is none */
static int find_format(const struct reader *r, const char **id)
{
    int format = 0, n = 0;
    for (const char *p = header_code(r->h.text); (p = strstr(p, " = {\n    ")) != NULL && n == 0;
         p++)
        if (sscanf(p, " = { %3d, UINT64_C(%n", &format, &n) == 1 && n > 0)
            *id = p + n;
    return n > 0 ? format : 0;
}

static int read_id(struct reader *r)
{
    const char *at;
    const int format = find_format(r, &at);
    if (!format)
        return foreign(r, "no id");
    r->model->m.id = strtoull(at, NULL, 16);
    if (r->model->m.id
        != (format == FORMAT_BEFORE ? format2_id(&r->model->m) : kpred_model_id(&r->model->m)))
        return fail("%s: the content does not match the id %016" PRIx64, r->h.path, r->model->m.id);
    return 0;
}

/* What stands before kpred.h in its first #include, which is behind the opening comment */
static void read_include_dir(const struct reader *r)
{
    const char *p = strstr(header_code(r->h.text), "\n#include \"");
    size_t n = 0;
    if (p) {
        p += strlen("\n#include \"");
        n = strcspn(p, "\"\n");
    }
    if (n >= 7 && n - 7 < sizeof r->model->include_dir && !strncmp(p + n - 7, "kpred.h", 7)) {
        memcpy(r->model->include_dir, p, n - 7);
        r->model->include_dir[n - 7] = 0;
    }
}

/* The split is the third of the model's three names. */
static int read_split(const struct reader *r, const struct spec *spec, char split[SPEC_SPLIT_NAME])
{
    struct buf mark = {NULL, 0, 0};
    size_t n;
    buf_printf(&mark, "\"%s\", \"%s\", \"", spec->name, spec->solver ? spec->solver : spec->name);
    const char *p = strstr(header_code(r->h.text), mark.s);
    n = p ? strcspn(p += mark.n, "\"") : SPEC_SPLIT_NAME;
    buf_free(&mark);
    if (n >= SPEC_SPLIT_NAME)
        return foreign(r, "no model");
    memcpy(split, p, n);
    split[n] = 0;
    return 0;
}

/* Writes the code again and compares: what was not read above must be as it was, too. There is room
   for as much text as there is, and no need to grow, as a stream that lacks memory for that forgets
   that it lost something. 1, 0, or -1 after a message */
static int is_code(const struct reader *r, const char *code)
{
    const size_t n = strlen(code);
    char *again = xcalloc(n + 2, 1);
    FILE *f = memory_open(again, n + 2);
    const int is_open = f != NULL;
    if (is_open)
        header_write_code(f, r->model);
    const int same = is_open && memory_close(f, again, n + 2) == 0 && !strcmp(code, again);
    free(again);
    return is_open ? same : fail("%s: out of memory", r->h.path);
}

/* The rule may be as kpred 0.2.0 wrote it. */
static int check_code(const struct reader *r)
{
    struct clauses *c = &r->model->clauses;
    const char *code = header_code(r->h.text);
    if (*code != '\n')
        return foreign(r, "no code behind its spec");
    if (is_apart(r))
        return fail(
            "%s: has the layout of kpred 0.3.0: `kpred-train relayout` brings it to that of "
            "today",
            r->h.path);
    int same = is_code(r, ++code);
    if (same == 0 && c->n > 0) {
        c->plain = strlen(code);
        same = is_code(r, code);
        c->plain = 0;
    }
    return same > 0   ? 0
           : same < 0 ? -1
                      : foreign(r, "its code is not what its spec and weights give");
}

/* The spec in the file or, without a path, in the header's comment. A spec without [features] takes
   those that `like`, the header's, was given, if it had none either. The model has it; NULL after a
   message. */
static struct spec *take_spec(struct reader *r, const char *path, const struct spec *like)
{
    struct spec *spec = xcalloc(1, sizeof *spec);
    char *text = path ? NULL : header_between(r->h.text, "\nspec:\n", "end of spec */");
    const int bad = path   ? spec_load(spec, path) || default_features_give(spec, like)
                    : text ? spec_parse(spec, text, r->h.path)
                           : foreign(r, "no spec in its opening comment");
    free(text);
    if (bad) {
        free(spec);
        spec = NULL;
    }
    return r->model->own_spec = spec;
}

/* A model of the spec, with the header's numbers */
static int read_model_of(struct reader *r, struct spec *spec, const char *split)
{
    const int bad = model_from_spec(r->model, spec, split);
    r->model->own_spec = spec;
    r->h.name = spec->name;
    read_include_dir(r);
    return bad || read_ranges(r) || read_layers(r) || read_heads(r) || read_arrays(r)
                   || read_listed(r)
               ? -1
               : 0;
}

/* The same of the spec in the header's comment */
static int read_model(struct reader *r)
{
    struct spec *spec = take_spec(r, NULL, NULL);
    char split[SPEC_SPLIT_NAME];
    return !spec || read_split(r, spec, split) || read_model_of(r, spec, split) || read_id(r)
                   || model_prove(r->model)
               ? -1
               : 0;
}

/* Is it of a format from `least` to that of today? A header without one is not refused here. */
static int check_format(const struct reader *r, int least)
{
    const char *id;
    const int format = find_format(r, &id);
    if (format > KPRED_FORMAT)
        return fail("%s: of format %d, which a later kpred-train wrote: this one is for %d",
                    r->h.path, format, KPRED_FORMAT);
    return !format || format >= least
               ? 0
               : fail("%s: of format %d, this is for %d: `kpred-train relayout` brings it from one "
                      "format to the next",
                      r->h.path, format, KPRED_FORMAT);
}

static int open_text(struct reader *r, struct buf *file)
{
    if (read_text(r->h.path, HEADER_MAX_BYTES, file))
        return -1;
    r->h.text = file->s;
    if (header_is_float(file->s))
        return fail(
            "%s: is a network of the paper, which only `kpred bench` and `kpred-train eval` run",
            r->h.path);
    return 0;
}

int header_read(const char *path, struct model *out)
{
    struct buf file = {NULL, 0, 0};
    struct reader r = {{path, NULL, NULL}, out};
    memset(out, 0, sizeof *out);
    const int bad =
        open_text(&r, &file) || check_format(&r, KPRED_FORMAT) || read_model(&r) || check_code(&r);
    buf_free(&file);
    if (bad)
        model_free(out);
    return bad ? -1 : 0;
}

/* ---- older headers, other specs ---- */

/* Where the weights come from */
static char *read_story(const struct reader *r)
{
    const char *p = strstr(r->h.text, "\n\n"), *end = strstr(r->h.text, "\n   id ");
    struct buf story = {NULL, 0, 0};
    if (p && end && p < end)
        buf_add(&story, p + 2, (size_t)(end + 1 - p - 2));
    buf_puts(&story, "");
    return story.s;
}

static int same_names(const char *const *a, const char *const *b, int32_t n)
{
    if (!a || !b)
        return a == b;
    while (n > 0 && !strcmp(a[n - 1], b[n - 1]))
        n--;
    return n == 0;
}

static int same_field(const kpred_field *a, const kpred_field *b)
{
    return !strcmp(a->name, b->name) && a->n_tokens == b->n_tokens && a->least == b->least
           && a->most == b->most && same_names(a->tokens, b->tokens, a->n_tokens);
}

static int same_param(const kpred_param *a, const kpred_param *b)
{
    return !strcmp(a->name, b->name) && a->n_values == b->n_values
           && !memcmp(a->values, b->values, (size_t)a->n_values * sizeof *a->values)
           && same_names(a->names, b->names, a->n_values);
}

/* What the weights were trained for: fields, parameters, and the program that makes the features */
static int same_task(const struct model *a, const struct model *b)
{
    const struct program *p = &a->program, *q = &b->program;
    int same = a->m.n_fields == b->m.n_fields && a->m.n_params == b->m.n_params
               && p->n_instr == q->n_instr && p->n_features == q->n_features
               && !memcmp(p->instr, q->instr, p->n_instr * sizeof *p->instr);
    for (uint32_t f = 0; same && f < a->m.n_fields; f++)
        same = same_field(a->fields + f, b->fields + f);
    for (uint32_t t = 0; same && t < a->m.n_params; t++)
        same = same_param(a->params + t, b->params + t);
    return same;
}

/* A spec in the place of a header's own: of the same model, which it was trained for */
static int check_spec(const struct model *old, const struct spec *spec)
{
    struct model model;
    if (strcmp(old->m.name, spec->name))
        return fail("%s: name \"%s\": the header's model is %s", spec->path, spec->name,
                    old->m.name);
    const int bad = model_from_spec(&model, spec, old->m.split);
    const int same = !bad && same_task(old, &model);
    model_free(&model);
    return bad || same ? bad
                       : fail("%s: its fields, parameters or features are not those that %s was "
                              "trained with",
                              spec->path, old->m.name);
}

/* Into a model that is sealed anew, with the spec in the file or its own. The id says that all
   numbers are as they were; the code between them, which an earlier kpred-train may have written
   otherwise, is not looked at. */
static int read_older(struct reader *r, const char *spec_path, struct model *old, char **story)
{
    struct model *out = r->model;
    r->model = old;
    if (read_model(r))
        return -1;
    *story = read_story(r);
    r->model = out;
    struct spec *spec = take_spec(r, spec_path, old->spec);
    return !spec || check_spec(old, spec) || read_model_of(r, spec, old->split) || model_seal(out)
               ? -1
               : 0;
}

int header_read_older(const char *path, const char *spec_path, struct model *out, char **story)
{
    struct buf file = {NULL, 0, 0};
    struct model *old = xcalloc(1, sizeof *old);
    struct reader r = {{path, NULL, NULL}, out};
    memset(out, 0, sizeof *out);
    *story = NULL;
    const int bad = open_text(&r, &file) || check_format(&r, FORMAT_BEFORE)
                    || read_older(&r, spec_path, old, story);
    buf_free(&file);
    model_free(old);
    free(old);
    if (bad) {
        model_free(out);
        free(*story);
        *story = NULL;
    }
    return bad ? -1 : 0;
}
