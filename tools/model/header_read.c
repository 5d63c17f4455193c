/* header_read.c - a generated C header back into a model
   SPDX-License-Identifier: MIT

   The spec in the opening comment says what arrays there must be; each is looked up by its name and
   its numbers are read in order. The model's id and the same code written again show that the whole
   is what was written. */
#include "header.h"

#include "header_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static const int32_t *read_ints(const struct reader *r, const char *what, size_t n)
{
    int32_t *out = model_array(r->model, n, sizeof *out);
    return read_numbers(r, what, INT32_MIN, INT32_MAX, out, n) ? NULL : out;
}

static const int8_t *read_bytes(const struct reader *r, const char *what, size_t n)
{
    int32_t *wide = xcalloc(n ? n : 1, sizeof *wide);
    int8_t *out = model_array(r->model, n, 1);
    const int bad = read_numbers(r, what, -127, 127, wide, n);
    for (size_t i = 0; i < n && !bad; i++)
        out[i] = (int8_t)wide[i];
    free(wide);
    return bad ? NULL : out;
}

/* name, tokens, n_tokens, least, most, trained_min, trained_max of each field */
static int read_ranges(struct reader *r)
{
    int32_t x[5 * KPRED_MAX_FIELDS];
    if (read_numbers(r, "fields", INT32_MIN, INT32_MAX, x, 5 * (size_t)r->model->m.n_fields))
        return -1;
    for (uint32_t f = 0; f < r->model->m.n_fields; f++) {
        r->model->fields[f].trained_min = x[5 * f + 3];
        r->model->fields[f].trained_max = x[5 * f + 4];
    }
    return 0;
}

/* n_instr, n_features, hidden, then rows, cols, shift of three layers */
static int read_shape(struct reader *r, int32_t x[12])
{
    struct buf name = {NULL, 0, 0};
    buf_printf(&name, " kpri_%s_net = {", r->model->m.name);
    const char *p = strstr(r->h.text, name.s);
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
        if (x[i] < 16 || x[i] > 65535 || x[i] % 16 || x[i + 1] < 16 || x[i + 1] > KPRED_MAX_WIDTH)
            return foreign(r, "the network's dimensions are impossible");
    if (x[2] < 16 || x[2] > KPRED_MAX_HIDDEN || x[2] % 16 || x[6] > KPRED_MAX_WIDTH)
        return foreign(r, "the network's dimensions are impossible");
    model_set_widths(r->model, (size_t)x[3], (size_t)x[6], (size_t)x[2]);
    return 0;
}

static int read_layers(struct reader *r)
{
    int32_t x[12];
    if (read_shape(r, x))
        return -1;
    for (size_t i = 0; i < 3; i++) {
        kpred_layer *l = r->model->net.layer + i;
        char what[32];
        if (l->rows != x[3 + 3 * i] || l->cols != x[4 + 3 * i])
            return foreign(r, "the network's dimensions contradict the spec");
        l->shift = (uint8_t)x[5 + 3 * i];
        snprintf(what, sizeof what, "weight%zu", i);
        l->weight = read_bytes(r, what, (size_t)l->rows * l->cols);
        snprintf(what, sizeof what, "bias%zu", i);
        l->bias = read_ints(r, what, l->rows);
        if (!l->weight || !l->bias)
            return -1;
    }
    return 0;
}

static int read_head(struct reader *r, size_t t)
{
    kpred_head *h = r->model->heads + t;
    const size_t hidden = r->model->net.hidden, rows = model_head_rows(&r->model->m, t);
    const size_t above = model_embedding_rows(&r->model->m, t);
    char what[32];
    snprintf(what, sizeof what, "out%zu_", t);
    h->weight = read_bytes(r, what, rows * hidden);
    snprintf(what, sizeof what, "offset%zu_", t);
    h->bias = read_ints(r, what, rows);
    snprintf(what, sizeof what, "embedding%zu_", t);
    h->embedding = above ? read_bytes(r, what, above * hidden) : NULL;
    return h->weight && h->bias && (h->embedding || !above) ? 0 : -1;
}

static int read_heads(struct reader *r)
{
    const size_t n_params = r->model->m.n_params;
    int32_t x[6 * KPRED_MAX_PARAMS];
    size_t n = 0;
    if (read_numbers(r, "heads", 0, 31, x, 3 * n_params))
        return -1;
    for (size_t t = 0; t < n_params; t++, n += 3) {
        kpred_head *h = r->model->heads + t;
        h->embedding_shift = (uint8_t)x[n];
        h->hidden_shift = (uint8_t)x[n + 1];
        h->logit_shift = (uint8_t)x[n + 2];
        if (r->model->params[t].n_values > 1 && read_head(r, t))
            return -1;
    }
    return 0;
}

/* The bits of the rule `listed`, as they were; they name the rule. */
static int read_listed(struct reader *r)
{
    struct model *m = r->model;
    int32_t *wide = xcalloc(m->n_listed + 1, sizeof *wide);
    const int bad = m->listed && read_numbers(r, "listed", 0, 255, wide, m->n_listed);
    for (size_t i = 0; i < m->n_listed && !bad; i++)
        m->listed[i] = (unsigned char)wide[i];
    if (m->listed)
        model_name_list(m);
    free(wide);
    return bad ? -1 : 0;
}

static int read_id(struct reader *r)
{
    const char *p = strstr(r->h.text, "KPRED_FORMAT, UINT64_C(0x");
    if (!p)
        return foreign(r, "no id");
    r->model->m.id = strtoull(p + strlen("KPRED_FORMAT, UINT64_C("), NULL, 16);
    if (r->model->m.id != kpred_model_id(&r->model->m))
        return fail("%s: the content does not match the id %016" PRIx64, r->h.path, r->model->m.id);
    return 0;
}

/* The split is the third of the model's three names. */
static int read_split(const struct reader *r, const struct spec *spec, char split[16])
{
    struct buf mark = {NULL, 0, 0};
    size_t n;
    buf_printf(&mark, "\"%s\", \"%s\", \"", spec->name, spec->solver ? spec->solver : spec->name);
    const char *p = strstr(r->h.text, mark.s);
    n = p ? strcspn(p += mark.n, "\"") : 16;
    buf_free(&mark);
    if (n >= 16)
        return foreign(r, "no model");
    memcpy(split, p, n);
    split[n] = 0;
    return 0;
}

/* Writes the code again and compares: what was not read above must be as it was, too. */
static int check_code(const struct reader *r)
{
    const char *code = strstr(r->h.text, "end of spec */\n");
    char *again = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&again, &n);
    if (!f)
        return fail("%s: out of memory", r->h.path);
    header_write_code(f, r->model);
    int same = fclose(f) == 0 && code && !strcmp(code + strlen("end of spec */\n"), again);
    free(again);
    return same ? 0 : foreign(r, "its code is not what its spec and weights give");
}

static int read_spec(struct reader *r, struct spec *spec)
{
    char *text = header_between(r->h.text, "\nspec:\n", "end of spec */");
    const int bad =
        text ? spec_parse(spec, text, r->h.path) : foreign(r, "no spec in its opening comment");
    free(text);
    return bad;
}

static int read_model(struct reader *r)
{
    struct spec *spec = xcalloc(1, sizeof *spec);
    char split[16];
    if (read_spec(r, spec)) {
        free(spec);
        return -1;
    }
    int bad = read_split(r, spec, split) || model_from_spec(r->model, spec, split);
    r->model->own_spec = spec;
    r->h.name = spec->name;
    return bad || read_ranges(r) || read_layers(r) || read_heads(r) || read_listed(r) || read_id(r)
                   || check_code(r)
               ? -1
               : 0;
}

int header_read(const char *path, struct model *out)
{
    struct buf file = {NULL, 0, 0};
    struct reader r = {{path, NULL, NULL}, out};
    memset(out, 0, sizeof *out);
    int bad = read_file(path, HEADER_MAX_BYTES, &file);
    r.h.text = file.s;
    if (!bad && header_is_float(file.s))
        bad = fail("%s: a network of the paper, in floats: only `kpred-train` runs it", path);
    else if (!bad)
        bad = read_model(&r);
    buf_free(&file);
    if (bad)
        model_free(out);
    return bad;
}
