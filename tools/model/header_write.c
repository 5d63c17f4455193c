/* header_write.c - a model as a generated C header
   SPDX-License-Identifier: MIT */
#include "header.h"
#include "model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *f;
    const struct model *model;
    const kpred_model *m;
    const kpred_additive *net;
    char upper[NAMES_MOST_MODEL + 1]; /* the model's name in capitals, for macros */
};

static const char *const op_names[] = {
    "LOG2", "ADD",   "SUB",    "MUL",  "CEIL_DIV", "MOD",     "MIN",
    "MAX",  "CONST", "EQUALS", "RAMP", "HATS",     "DIVIDES", "FRACTION",
};

/* printf, where `@` in the format is the model's name, and `^` the same in capitals */
PRINTF_LIKE(2, 3) static void put(const struct writer *w, const char *fmt, ...)
{
    struct buf named = {NULL, 0, 0};
    va_list args;
    for (const char *p = fmt; *p; p++)
        if (*p == '@' || *p == '^')
            buf_puts(&named, *p == '@' ? w->m->name : w->upper);
        else
            buf_add(&named, p, 1);
    va_start(args, fmt);
    vfprintf(w->f, named.s, args);
    va_end(args);
    buf_free(&named);
}

/* ---- arrays ---- */

enum number_type { INT8, UINT8, UINT16, INT32 };

static int32_t number_at(const void *p, enum number_type type, size_t i)
{
    return type == INT8     ? ((const int8_t *)p)[i]
           : type == UINT8  ? ((const uint8_t *)p)[i]
           : type == UINT16 ? ((const uint16_t *)p)[i]
                            : ((const int32_t *)p)[i];
}

/* The array kpri_NAME_WHAT, on lines of at most 100 columns; of int8_t, from the start of a line of
   the cache on. In `what` a %zu may stand, for the number of that to which it belongs. */
PRINTF_LIKE(5, 6)
static void write_array(const struct writer *w, enum number_type type, const void *p, size_t n,
                        const char *what, ...)
{
    static const char *const types[] = {"int8_t", "uint8_t", "uint16_t", "int32_t"};
    int column = 0;
    va_list args;
    put(w, "static const %s kpri_@_", types[type]);
    va_start(args, what);
    vfprintf(w->f, what, args);
    va_end(args);
    put(w, type == INT8 ? "[%zu] KPRI_ALIGNED = {\n" : "[%zu] = {\n", n);
    for (size_t i = 0; i < n; i++) {
        char text[16];
        const int width = snprintf(text, sizeof text, "%" PRId32 ",", number_at(p, type, i));
        if (column + width > 100) {
            fputc('\n', w->f);
            column = 0;
        }
        column += width;
        fputs(text, w->f);
    }
    fputs("\n};\n", w->f);
}

static void write_names(const struct writer *w, const char *what, size_t i,
                        const char *const *names, int32_t n)
{
    put(w, "static const char *const kpri_@_%s%zu[] = { ", what, i);
    for (int32_t j = 0; j < n; j++)
        put(w, "%s\"%s\"", j ? ", " : "", names[j]);
    put(w, " };\n");
}

/* The array kpri_NAME_WHATi, or NULL where it is not there; and a comma */
static void write_reference(const struct writer *w, const void *array, const char *what, size_t i)
{
    if (array)
        put(w, "kpri_@_%s%zu, ", what, i);
    else
        put(w, "NULL, ");
}

/* ---- the arrays of the network ---- */

void net_places(const kpred_model *m, struct net_places *out)
{
    const kpred_additive *net = m->net;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < 3; i++) {
        out->layer[i] = out->n_weights;
        out->n_weights += (size_t)net->layer[i].rows * net->layer[i].cols;
        out->layer_bias[i] = out->n_biases;
        out->n_biases += net->layer[i].rows;
    }
    for (size_t t = 0; t < m->n_params; t++) {
        const size_t rows = m->params[t].n_values > 1 ? model_head_rows(m, t) : 0;
        out->head[t] = out->n_weights;
        out->n_weights += rows * net->hidden;
        out->head_bias[t] = out->n_biases;
        out->n_biases += rows;
    }
    for (size_t t = 0; t < m->n_params; t++) {
        out->embedding[t] = out->n_weights;
        if (m->params[t].n_values > 1)
            out->n_weights += model_embedding_rows(m, t) * net->hidden;
    }
}

/* ---- fields, parameters, and the network ---- */

static void write_fields(const struct writer *w)
{
    for (uint32_t i = 0; i < w->m->n_fields; i++)
        if (w->m->fields[i].tokens)
            write_names(w, "tokens", i, w->m->fields[i].tokens, w->m->fields[i].n_tokens);
    put(w, "static const kpred_field kpri_@_fields[] = {\n");
    for (uint32_t i = 0; i < w->m->n_fields; i++) {
        const kpred_field *f = w->m->fields + i;
        put(w, "    { \"%s\", ", f->name);
        write_reference(w, f->tokens, "tokens", i);
        put(w, "%" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 " },\n", f->n_tokens,
            f->least, f->most, f->trained_min, f->trained_max);
    }
    put(w, "};\n");
}

static void write_params(const struct writer *w)
{
    for (uint32_t i = 0; i < w->m->n_params; i++) {
        const kpred_param *p = w->m->params + i;
        write_array(w, INT32, p->values, (size_t)p->n_values, "values%" PRIu32, i);
        if (p->names)
            write_names(w, "names", i, p->names, p->n_values);
    }
    put(w, "static const kpred_param kpri_@_params[] = {\n");
    for (uint32_t i = 0; i < w->m->n_params; i++) {
        const kpred_param *p = w->m->params + i;
        put(w, "    { \"%s\", kpri_@_values%" PRIu32 ", ", p->name, i);
        write_reference(w, p->names, "names", i);
        put(w, "%" PRId32 " },\n", p->n_values);
    }
    put(w, "};\n");
}

static void write_program(const struct writer *w)
{
    put(w, "static const kpred_instr kpri_@_program[] = {\n");
    for (size_t i = 0; i < w->net->n_instr; i++) {
        const kpred_instr *in = w->net->program + i;
        put(w, "    { KPRED_OP_%s, %d, %d, %d, %" PRId32 " },\n", op_names[in->op], in->a, in->b,
            in->n, in->k);
    }
    put(w, "};\n");
}

/* All weights and all biases, each in its place */
static void write_arrays(const struct writer *w, const struct net_places *at)
{
    int8_t *weight = xcalloc(at->n_weights, 1);
    int32_t *bias = xcalloc(at->n_biases, sizeof *bias);
    const size_t hidden = w->net->hidden;
    for (size_t i = 0; i < 3; i++) {
        const kpred_layer *l = w->net->layer + i;
        memcpy(weight + at->layer[i], l->weight, (size_t)l->rows * l->cols);
        memcpy(bias + at->layer_bias[i], l->bias, l->rows * sizeof *bias);
    }
    for (size_t t = 0; t < w->m->n_params; t++) {
        const kpred_head *h = w->net->heads + t;
        const size_t rows = model_head_rows(w->m, t), above = model_embedding_rows(w->m, t);
        if (!h->weight)
            continue;
        memcpy(weight + at->head[t], h->weight, rows * hidden);
        memcpy(bias + at->head_bias[t], h->bias, rows * sizeof *bias);
        if (above)
            memcpy(weight + at->embedding[t], h->embedding, above * hidden);
    }
    write_array(w, INT8, weight, at->n_weights, "weights");
    write_array(w, INT32, bias, at->n_biases, "biases");
    free(weight);
    free(bias);
}

static void write_head(const struct writer *w, const struct net_places *at, size_t t)
{
    const kpred_head *h = w->net->heads + t;
    if (!h->weight) {
        put(w, "    { NULL, NULL, NULL, 0, 0, 0 },\n");
        return;
    }
    if (h->embedding)
        put(w, "    { kpri_@_weights + %zu", at->embedding[t]);
    else
        put(w, "    { NULL");
    put(w, ", kpri_@_weights + %zu, kpri_@_biases + %zu, %d, %d, %d },\n", at->head[t],
        at->head_bias[t], h->embedding_shift, h->hidden_shift, h->logit_shift);
}

static void write_net(const struct writer *w)
{
    struct net_places at;
    net_places(w->m, &at);
    write_program(w);
    write_arrays(w, &at);
    put(w, "static const kpred_head kpri_@_heads[] = {\n");
    for (size_t t = 0; t < w->m->n_params; t++)
        write_head(w, &at, t);
    put(w,
        "};\nstatic const kpred_additive kpri_@_net = {\n    kpri_@_program, %d, %d, %d,\n    {\n",
        w->net->n_instr, w->net->n_features, w->net->hidden);
    for (size_t i = 0; i < 3; i++)
        put(w, "        { kpri_@_weights + %zu, kpri_@_biases + %zu, %d, %d, %d },\n", at.layer[i],
            at.layer_bias[i], w->net->layer[i].rows, w->net->layer[i].cols, w->net->layer[i].shift);
    put(w, "    },\n    kpri_@_heads\n};\n");
}

/* ---- rules with a table: the table, and a function that asks it ---- */

static void write_rule(const struct writer *w)
{
    put(w, "static int kpri_@_rule(const int32_t *problem, const int32_t *values, size_t n)\n{\n");
}

/* For each combination of tokens the number of its set, from 1; and that of a problem's */
static void write_combination(const struct writer *w)
{
    const struct listed_by *by = &w->model->lists;
    put(w, "    int32_t at = problem[%" PRIu32 "];\n    unsigned list;\n", by->field[0]);
    for (size_t i = 1; i < by->n_fields; i++)
        put(w, "    at = at * %" PRId32 " + problem[%" PRIu32 "];\n", by->n_tokens[i],
            by->field[i]);
    put(w, "    list = kpri_@_lists[at];\n");
}

/* Where each set begins among the values of all, and its size */
static void write_tuples(const struct writer *w)
{
    const struct model *m = w->model;
    const uint32_t n_params = w->m->n_params;
    size_t n = 0;
    for (size_t i = 0; i < m->n_sets; i++)
        n += m->sets[i].n;
    write_array(w, INT32, m->sets->values, n * n_params, "tuples");
    put(w, "static const int32_t kpri_@_there[1] = { 0 };\n");
    put(w, "static const kpred_names kpri_@_sets[%zu] = {\n", m->n_sets);
    for (size_t i = 0; i < m->n_sets; i++)
        put(w,
            "    { NULL, kpri_@_tuples + %td, kpri_@_there, %" PRIu32 ", 0, %" PRIu32 ", 0, 0 },\n",
            m->sets[i].values - m->sets->values, m->sets[i].n, n_params);
    put(w, "};\n");
}

/* The sets, as bits, eight a byte, or as tuples; and a rule that asks that of the problem's
   combination */
static void write_listed(const struct writer *w)
{
    const int by = w->model->lists.n_fields > 0, is_bits = w->model->listed != NULL;
    if (is_bits)
        write_array(w, UINT8, w->model->listed, w->model->n_listed, "listed");
    else
        write_tuples(w);
    if (by)
        write_array(w, UINT16, w->model->lists.set, w->model->lists.n, "lists");
    write_rule(w);
    if (by)
        write_combination(w);
    else if (is_bits)
        put(w, "    (void)problem;\n");
    put(w, by ? "    return list && " : "    return ");
    if (is_bits && by)
        put(w, "kpri_listed(kpri_@_params, kpri_@_listed + (list - 1) * %zu, values, n);\n}\n",
            listed_bytes(w->m->params, w->m->n_params));
    else if (is_bits)
        put(w, "kpri_listed(kpri_@_params, kpri_@_listed, values, n);\n}\n");
    else
        put(w, "kpri_named(kpri_@_sets%s, kpri_@_params, NULL, problem, values, n);\n}\n",
            by ? " + (list - 1)" : "");
}

static void write_kernels(const struct writer *w)
{
    const kpred_gtc_kernels *kernels = &w->model->kernels;
    write_array(w, UINT16, kernels->words, (size_t)kernels->n, "words");
    put(w,
        "static const kpred_gtc_kernels kpri_@_kernels = {\n"
        "    KPRED_DIR_%c, %" PRId32 ", kpri_@_words,\n    {\n",
        "FBW"[kernels->dir], kernels -> n);
    for (size_t i = 0; i < 4; i++) {
        put(w, "        {");
        for (size_t k = 0; k < 8; k++)
            put(w, " %d%s", kernels->least[i][k], k < 7 ? "," : " },\n");
    }
    put(w, "    }\n};\n");
    write_rule(w);
    put(w, "    return kpred_rule_of_gtc_kernels(&kpri_@_kernels, problem, values, n);\n}\n");
}

static void write_solvers(const struct writer *w)
{
    const int32_t n = w->m->params->n_values;
    put(w, "static const uint64_t kpri_@_words[%" PRId32 "] = {\n", n);
    for (int32_t i = 0; i < n; i++)
        put(w, "UINT64_C(0x%016" PRIx64 "),%s", w->model->solvers[i],
            i % 3 == 2 || i == n - 1 ? "\n" : "");
    put(w, "};\n");
    write_rule(w);
    put(w, "    return kpred_rule_of_solvers(kpri_@_words, %" PRId32 ", problem, values, n);\n}\n",
        n);
}

/* Names with their values and numbers, which the rule asks as well */
static void write_named(const struct writer *w)
{
    const kpred_names *k = w->m->names;
    put(w, "static const char *const kpri_@_kernel_names[%" PRIu32 "] = {\n", k->n);
    for (uint32_t i = 0; i < k->n; i++)
        put(w, "    \"%s\",\n", k->names[i]);
    put(w, "};\n");
    write_array(w, INT32, k->values, (size_t)k->n * k->n_params, "kernel_values");
    write_array(w, INT32, k->ids, (size_t)k->n * k->n_ids, "kernel_ids");
    put(w,
        "static const kpred_names kpri_@_kernels = {\n"
        "    kpri_@_kernel_names, kpri_@_kernel_values, kpri_@_kernel_ids,\n"
        "    %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n};\n",
        k->n, k->first, k->n_params, k->id_field, k->n_ids);
}

static void write_table(const struct writer *w)
{
    if (w->m->names)
        write_named(w);
    if (w->model->clauses.n || w->model->clauses.kernels)
        clauses_write(&w->model->clauses, w->model->spec, w->f);
    else if (w->model->n_sets > 0)
        write_listed(w);
    else if (w->model->kernels.words)
        write_kernels(w);
    else if (w->model->solvers)
        write_solvers(w);
}

/* ---- the model ---- */

static void write_runs_on(const struct writer *w)
{
    if (!w->m->runs_on)
        return;
    put(w, "static const char *const kpri_@_runs_on[] = { ");
    for (const char *const *arch = w->m->runs_on; *arch; arch++)
        put(w, "\"%s\", ", *arch);
    put(w, "NULL };\n");
}

static void write_model(const struct writer *w)
{
    const kpred_model *m = w->m;
    put(w,
        "KPRED_DATA const kpred_model kpred_model_@ = {\n"
        "    %d, UINT64_C(0x%016" PRIx64 "),\n"
        "    \"@\", \"%s\", \"%s\",\n"
        "    kpri_@_fields, kpri_@_params, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32
        ", %" PRIu32 ",\n",
        KPRED_FORMAT, m->id, m->kernel, m->split, m->n_fields, m->n_params, m->work_words,
        m->state_words, m->scale);
    put(w, m->runs_on ? "    kpri_@_runs_on, " : "    NULL, ");
    put(w, m->names ? "&kpri_@_kernels,\n" : "NULL,\n");
    if (model_has_table(w->model))
        put(w, "    kpri_@_rule, ");
    else
        put(w, "    %s, ", *m->rule_name ? m->rule_name : "KPRED_UNCONSTRAINED");
    put(w, "\"%s\",\n    &kpred_additive_scorer, &kpri_@_net, NULL\n};\n", m->rule_name);
}

/* ---- macros ---- */

/* Slots that a parameter needs: those of n prefixes with a lane each */
struct slots {
    size_t prefixes, lane;
};

/* What no other parameter's slots contain, by falling lanes; how many. */
static size_t find_slots(const kpred_model *m, struct slots *out)
{
    size_t n = 0, prefixes = 1;
    for (uint32_t t = 0; t < m->n_params; t++) {
        const struct slots s = {prefixes, model_lane(m->params + t)};
        while (n && out[n - 1].lane <= s.lane)
            n--;
        if (!n || out[n - 1].prefixes < prefixes)
            out[n++] = s;
        prefixes *= (size_t)m->params[t].n_values;
        prefixes = prefixes < KPRED_MAX_BEAM ? prefixes : KPRED_MAX_BEAM;
    }
    return n;
}

static void write_arena(const struct writer *w)
{
    const kpred_model *m = w->m;
    struct slots slots[KPRED_MAX_TUPLE];
    const size_t n = find_slots(m, slots);
    size_t lanes = 0;
    for (uint32_t t = 0; t < m->n_params; t++)
        lanes += model_lane(m->params + t);
    put(w,
        "#define KPRED_^_ARENA(beam) /* int32_t words */ \\\n"
        "    KPRED_ARENA_WORDS(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", \\\n        ",
        m->work_words, m->state_words, m->n_params);
    for (size_t i = 0; i < n; i++)
        put(w, "KPRED_LARGER(KPRED_SLOTS(%zu, %zu, beam), \\\n        ", slots[i].prefixes,
            slots[i].lane);
    put(w, "%zu", (lanes + 1) / 2);
    for (size_t i = 0; i < n; i++)
        fputc(')', w->f);
    put(w, ", beam)\n");
}

static void write_macros(const struct writer *w)
{
    const struct model_cost cost = model_cost(w->m);
    put(w,
        "#define KPRED_^_FIELDS %" PRIu32 "\n"
        "#define KPRED_^_PARAMS %" PRIu32 "\n",
        w->m->n_fields, w->m->n_params);
    write_arena(w);
    put(w,
        "#define KPRED_^_RULE_CALLS(beam) KPRED_RULE_CALLS(%zu, beam)\n"
        "#define KPRED_^_MULTIPLY_ADDS(beam) KPRED_MULTIPLY_ADDS(%zu, %zu, beam)\n\n",
        cost.values, cost.start, cost.step);
}

static void write_opening(const struct writer *w, const char *story)
{
    const struct model_cost cost = model_cost(w->m);
    const struct spec *spec = w->model->spec;
    put(w, "/* @.h - %s\n   GENERATED by kpred-train - DO NOT EDIT\n",
        *spec->title ? spec->title : w->m->kernel);
    if (spec->licence)
        put(w, "   SPDX-License-Identifier: %s\n", spec->licence);
    put(w,
        "\n%s   id %016" PRIx64 ", %zu bytes; a prediction costs %zu multiply-adds and at most\n"
        "   %zu more a unit of beam; largest accumulator %" PRId64 " of 2147483647\n\n"
        "spec:\n%send of spec */\n",
        story, w->m->id, cost.bytes, cost.start, cost.step, cost.largest_accumulator, spec->text);
}

/* Outside the guard: what is included comes again, with its definitions, where they are asked for
   after the first time. */
static void write_includes(const struct writer *w)
{
    put(w, "#include \"%skpred.h\"\n", w->model->include_dir);
    if (w->model->clauses.n || w->model->clauses.kernels)
        put(w, "#define KPRED_RULES_NO_FAMILY\n#include \"%skpred_constraints.h\"\n",
            w->model->include_dir);
    if (w->model->spec->header && w->model->family)
        put(w, "#define KPRED_RULES_%s\n", w->model->family);
    if (w->model->spec->header)
        put(w, "#include \"%s%s\"\n", w->model->include_dir, w->model->spec->header);
    fputc('\n', w->f);
}

static void write_declaration(const struct writer *w)
{
    struct buf enums = {NULL, 0, 0};
    put(w,
        "#ifndef KPRED_MODEL_^_H\n#define KPRED_MODEL_^_H\n\n"
        "#if KPRED_FORMAT != %d\n"
        "#error \"@.h and kpred.h are of different formats: see kpred-train relayout\"\n"
        "#endif\n\n",
        KPRED_FORMAT);
    names_add_enums(w->m, &enums);
    fputs(enums.s, w->f);
    buf_free(&enums);
    write_macros(w);
    put(w, "#ifndef KPRED_STATIC\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
           "extern const kpred_model kpred_model_@;\n"
           "#ifdef __cplusplus\n}\n#endif\n#endif\n\n#endif\n\n");
}

static struct writer make_writer(FILE *f, const struct model *model)
{
    struct writer w = {f, model, &model->m, (const kpred_additive *)model->m.net, ""};
    names_upper(model->m.name, w.upper);
    return w;
}

int header_set_include_dir(struct model *model, const char *dir)
{
    const size_t n = strlen(dir);
    if (n >= sizeof model->include_dir || strpbrk(dir, "\"\\<>*?\n") || (n && dir[n - 1] != '/'))
        return fail(
            "--include-dir \"%s\": is not a path of at most %zu characters that ends with /", dir,
            sizeof model->include_dir - 1);
    snprintf(model->include_dir, sizeof model->include_dir, "%s", strcmp(dir, "./") ? dir : "");
    return 0;
}

/* Within the first lines, behind a title. A pipe is not read. */
static int is_generated(const char *path)
{
    struct stat st;
    char top[4096] = "";
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (f == NULL)
        return 0;
    top[fread(top, 1, sizeof top - 1, f)] = '\0';
    fclose(f);
    return strstr(top, "GENERATED by kpred-train") != NULL;
}

int header_check_kept(const char *path, int force)
{
    return is_generated(path) ? 0 : out_check_kept(path, force);
}

void header_write(FILE *f, const struct model *model, const char *story)
{
    struct writer w = make_writer(f, model);
    write_opening(&w, story);
    header_write_code(f, model);
}

void header_write_code(FILE *f, const struct model *model)
{
    struct writer w = make_writer(f, model);
    write_includes(&w);
    write_declaration(&w);
    put(&w, "#if defined(KPRED_IMPLEMENTATION) && !defined(KPRI_MODEL_^)\n"
            "#define KPRI_MODEL_^\n\n"
            "#if defined(__cplusplus) && defined(__GNUC__)\n"
            "#pragma GCC diagnostic push\n"
            "#pragma GCC diagnostic ignored \"-Wzero-as-null-pointer-constant\"\n"
            "#endif\n\n");
    write_fields(&w);
    write_params(&w);
    write_net(&w);
    write_table(&w);
    write_runs_on(&w);
    write_model(&w);
    put(&w, "\n#if defined(__cplusplus) && defined(__GNUC__)\n"
            "#pragma GCC diagnostic pop\n"
            "#endif\n"
            "#endif\n");
}
