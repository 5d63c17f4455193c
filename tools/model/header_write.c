/* header_write.c - a model as a generated C header
   SPDX-License-Identifier: MIT */
#include "header.h"
#include "model.h"

#include <inttypes.h>
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

/* Numbers on lines of at most 100 columns, between braces. */
static void write_numbers(struct writer *w, const int8_t *bytes, const int32_t *ints, size_t n)
{
    int column = 0;
    fprintf(w->f, "{\n");
    for (size_t i = 0; i < n; i++) {
        char text[16];
        const int width = snprintf(text, sizeof text, "%" PRId32 ",", ints ? ints[i] : bytes[i]);
        if (column + width > 100) {
            fputc('\n', w->f);
            column = 0;
        }
        column += width;
        fputs(text, w->f);
    }
    fprintf(w->f, "\n};\n");
}

static void write_bytes(struct writer *w, const char *what, const int8_t *p, size_t n)
{
    fprintf(w->f, "static const int8_t kpri_%s_%s[%zu] = ", w->m->name, what, n);
    write_numbers(w, p, NULL, n);
}

static void write_ints(struct writer *w, const char *what, const int32_t *p, size_t n)
{
    fprintf(w->f, "static const int32_t kpri_%s_%s[%zu] = ", w->m->name, what, n);
    write_numbers(w, NULL, p, n);
}

/* The name of an array that belongs to item i: "kpri_NAME_tokens0". */
static void write_reference(struct writer *w, const char *what, size_t i)
{
    fprintf(w->f, "kpri_%s_%s%zu", w->m->name, what, i);
}

static void write_names(struct writer *w, const char *what, size_t i, const char *const *names,
                        int32_t n)
{
    fprintf(w->f, "static const char *const kpri_%s_%s%zu[] = { ", w->m->name, what, i);
    for (int32_t j = 0; j < n; j++)
        fprintf(w->f, "%s\"%s\"", j ? ", " : "", names[j]);
    fprintf(w->f, " };\n");
}

static void write_fields(struct writer *w)
{
    for (uint32_t i = 0; i < w->m->n_fields; i++)
        if (w->m->fields[i].tokens)
            write_names(w, "tokens", i, w->m->fields[i].tokens, w->m->fields[i].n_tokens);
    fprintf(w->f, "static const kpred_field kpri_%s_fields[] = {\n", w->m->name);
    for (uint32_t i = 0; i < w->m->n_fields; i++) {
        const kpred_field *f = w->m->fields + i;
        fprintf(w->f, "    { \"%s\", ", f->name);
        if (f->tokens)
            write_reference(w, "tokens", i);
        else
            fputs("NULL", w->f);
        fprintf(w->f, ", %" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 " },\n",
                f->n_tokens, f->least, f->most, f->trained_min, f->trained_max);
    }
    fprintf(w->f, "};\n");
}

static void write_params(struct writer *w)
{
    for (uint32_t i = 0; i < w->m->n_params; i++) {
        const kpred_param *p = w->m->params + i;
        char what[32];
        snprintf(what, sizeof what, "values%" PRIu32, i);
        write_ints(w, what, p->values, (size_t)p->n_values);
        if (p->names)
            write_names(w, "names", i, p->names, p->n_values);
    }
    fprintf(w->f, "static const kpred_param kpri_%s_params[] = {\n", w->m->name);
    for (uint32_t i = 0; i < w->m->n_params; i++) {
        const kpred_param *p = w->m->params + i;
        fprintf(w->f, "    { \"%s\", ", p->name);
        write_reference(w, "values", i);
        fputs(", ", w->f);
        if (p->names)
            write_reference(w, "names", i);
        else
            fputs("NULL", w->f);
        fprintf(w->f, ", %" PRId32 " },\n", p->n_values);
    }
    fprintf(w->f, "};\n");
}

static void write_program(struct writer *w)
{
    fprintf(w->f, "static const kpred_instr kpri_%s_program[] = {\n", w->m->name);
    for (size_t i = 0; i < w->net->n_instr; i++) {
        const kpred_instr *in = w->net->program + i;
        fprintf(w->f, "    { KPRED_OP_%s, %d, %d, %d, %" PRId32 " },\n", op_names[in->op], in->a,
                in->b, in->n, in->k);
    }
    fprintf(w->f, "};\n");
}

static void write_layers(struct writer *w)
{
    for (size_t i = 0; i < 3; i++) {
        const kpred_layer *l = w->net->layer + i;
        char what[32];
        snprintf(what, sizeof what, "weight%zu", i);
        write_bytes(w, what, l->weight, (size_t)l->rows * l->cols);
        snprintf(what, sizeof what, "bias%zu", i);
        write_ints(w, what, l->bias, l->rows);
    }
}

static void write_runs_on(struct writer *w)
{
    const char *const *arch = w->m->runs_on;
    if (!arch)
        return;
    fprintf(w->f, "static const char *const kpri_%s_runs_on[] = { ", w->m->name);
    for (; *arch; arch++)
        fprintf(w->f, "\"%s\", ", *arch);
    fprintf(w->f, "NULL };\n");
}

/* ---- rules with a table: the table, and a function that asks it ---- */

static void write_rule(struct writer *w)
{
    fprintf(w->f,
            "static int kpri_%s_rule(const int32_t *problem, const int32_t *values, size_t n)\n{\n",
            w->m->name);
}

/* The combination of a problem's tokens */
static void write_combination(struct writer *w)
{
    const struct listed_by *by = &w->model->lists;
    fprintf(w->f, "    int32_t at = problem[%" PRIu32 "];\n    unsigned list;\n", by->field[0]);
    for (size_t i = 1; i < by->n_fields; i++)
        fprintf(w->f, "    at = at * %" PRId32 " + problem[%" PRIu32 "];\n", by->n_tokens[i],
                by->field[i]);
    fprintf(w->f, "    list = kpri_%s_lists[at];\n", w->m->name);
}

/* For each combination the number of its set, from 1 */
static void write_lists(struct writer *w)
{
    const struct listed_by *by = &w->model->lists;
    int32_t *ints = xcalloc(by->n, sizeof *ints);
    for (size_t i = 0; i < by->n; i++)
        ints[i] = by->set[i];
    fprintf(w->f, "static const uint16_t kpri_%s_lists[%zu] = ", w->m->name, by->n);
    write_numbers(w, NULL, ints, by->n);
    free(ints);
}

/* Bits, eight a byte */
static void write_bits(struct writer *w)
{
    const struct model *m = w->model;
    int32_t *ints = xcalloc(m->n_listed, sizeof *ints);
    for (size_t i = 0; i < m->n_listed; i++)
        ints[i] = m->listed[i];
    fprintf(w->f, "static const uint8_t kpri_%s_listed[%zu] = ", w->m->name, m->n_listed);
    write_numbers(w, NULL, ints, m->n_listed);
    free(ints);
}

/* Where each set begins among the values of all, and its size */
static void write_tuples(struct writer *w)
{
    const struct model *m = w->model;
    const uint32_t n_params = w->m->n_params;
    size_t n = 0;
    for (size_t i = 0; i < m->n_sets; i++)
        n += m->sets[i].n;
    write_ints(w, "tuples", m->sets->values, n * n_params);
    fprintf(w->f, "static const int32_t kpri_%s_there[1] = { 0 };\n", w->m->name);
    fprintf(w->f, "static const kpred_names kpri_%s_sets[%zu] = {\n", w->m->name, m->n_sets);
    for (size_t i = 0; i < m->n_sets; i++)
        fprintf(w->f,
                "    { NULL, kpri_%s_tuples + %td, kpri_%s_there, %" PRIu32 ", 0, %" PRIu32
                ", 0, 0 },\n",
                w->m->name, m->sets[i].values - m->sets->values, w->m->name, m->sets[i].n,
                n_params);
    fputs("};\n", w->f);
}

/* The sets, and a rule that asks that of the problem's combination */
static void write_listed(struct writer *w)
{
    const char *name = w->m->name;
    const int by = w->model->lists.n_fields > 0, is_bits = w->model->listed != NULL;
    if (is_bits)
        write_bits(w);
    else
        write_tuples(w);
    if (by)
        write_lists(w);
    write_rule(w);
    if (by)
        write_combination(w);
    else if (is_bits)
        fputs("    (void)problem;\n", w->f);
    fputs(by ? "    return list && " : "    return ", w->f);
    if (is_bits && by)
        fprintf(w->f, "kpri_listed(kpri_%s_params, kpri_%s_listed + (list - 1) * %zu, values, n)",
                name, name, listed_bytes(w->m->params, w->m->n_params));
    else if (is_bits)
        fprintf(w->f, "kpri_listed(kpri_%s_params, kpri_%s_listed, values, n)", name, name);
    else
        fprintf(w->f, "kpri_named(kpri_%s_sets%s, kpri_%s_params, NULL, problem, values, n)", name,
                by ? " + (list - 1)" : "", name);
    fputs(";\n}\n", w->f);
}

static void write_words(struct writer *w, const uint16_t *words, int32_t n)
{
    int32_t *ints = xcalloc((size_t)n, sizeof *ints);
    for (int32_t i = 0; i < n; i++)
        ints[i] = words[i];
    fprintf(w->f, "static const uint16_t kpri_%s_words[%" PRId32 "] = ", w->m->name, n);
    write_numbers(w, NULL, ints, (size_t)n);
    free(ints);
}

static void write_kernels(struct writer *w)
{
    const kpred_gtc_kernels *kernels = &w->model->kernels;
    write_words(w, kernels->words, kernels->n);
    fprintf(w->f,
            "static const kpred_gtc_kernels kpri_%s_kernels = {\n"
            "    KPRED_DIR_%c, %" PRId32 ", kpri_%s_words,\n    {\n",
            w->m->name, "FBW"[kernels->dir], kernels -> n, w -> m -> name);
    for (size_t i = 0; i < 4; i++) {
        fprintf(w->f, "        {");
        for (size_t k = 0; k < 8; k++)
            fprintf(w->f, " %d%s", kernels->least[i][k], k < 7 ? "," : " },\n");
    }
    fprintf(w->f, "    }\n};\n");
    write_rule(w);
    fprintf(w->f,
            "    return kpred_rule_of_gtc_kernels(&kpri_%s_kernels, problem, values, n);\n}\n",
            w->m->name);
}

static void write_solvers(struct writer *w)
{
    const int32_t n = w->m->params->n_values;
    fprintf(w->f, "static const uint64_t kpri_%s_words[%" PRId32 "] = {\n", w->m->name, n);
    for (int32_t i = 0; i < n; i++)
        fprintf(w->f, "UINT64_C(0x%016" PRIx64 "),%s", w->model->solvers[i],
                i % 3 == 2 || i == n - 1 ? "\n" : "");
    fprintf(w->f, "};\n");
    write_rule(w);
    fprintf(w->f,
            "    return kpred_rule_of_solvers(kpri_%s_words, %" PRId32
            ", problem, values, n);\n}\n",
            w->m->name, n);
}

/* Names with their values and numbers, which the rule asks as well */
static void write_named(struct writer *w)
{
    const kpred_names *k = w->m->names;
    fprintf(w->f, "static const char *const kpri_%s_kernel_names[%" PRIu32 "] = {\n", w->m->name,
            k->n);
    for (uint32_t i = 0; i < k->n; i++)
        fprintf(w->f, "    \"%s\",\n", k->names[i]);
    fputs("};\n", w->f);
    write_ints(w, "kernel_values", k->values, (size_t)k->n * k->n_params);
    write_ints(w, "kernel_ids", k->ids, (size_t)k->n * k->n_ids);
    fprintf(w->f,
            "static const kpred_names kpri_%s_kernels = {\n"
            "    kpri_%s_kernel_names, kpri_%s_kernel_values, kpri_%s_kernel_ids,\n"
            "    %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n};\n",
            w->m->name, w->m->name, w->m->name, w->m->name, k->n, k->first, k->n_params,
            k->id_field, k->n_ids);
}

static void write_table(struct writer *w)
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

/* ---- the rest of the network, and the model ---- */

static void write_head_arrays(struct writer *w)
{
    for (size_t t = 0; t < w->m->n_params; t++) {
        const kpred_head *h = w->net->heads + t;
        const size_t rows = model_head_rows(w->m, t), above = model_embedding_rows(w->m, t);
        char what[32];
        if (!h->weight)
            continue;
        snprintf(what, sizeof what, "embedding%zu_", t);
        if (above)
            write_bytes(w, what, h->embedding, above * w->net->hidden);
        snprintf(what, sizeof what, "out%zu_", t);
        write_bytes(w, what, h->weight, rows * w->net->hidden);
        snprintf(what, sizeof what, "offset%zu_", t);
        write_ints(w, what, h->bias, rows);
    }
}

static void write_heads(struct writer *w)
{
    write_head_arrays(w);
    fprintf(w->f, "static const kpred_head kpri_%s_heads[] = {\n", w->m->name);
    for (size_t t = 0; t < w->m->n_params; t++) {
        const kpred_head *h = w->net->heads + t;
        if (!h->weight) {
            fprintf(w->f, "    { NULL, NULL, NULL, 0, 0, 0 },\n");
            continue;
        }
        fputs("    { ", w->f);
        if (h->embedding)
            fprintf(w->f, "kpri_%s_embedding%zu_", w->m->name, t);
        else
            fputs("NULL", w->f);
        fprintf(w->f, ", kpri_%s_out%zu_, kpri_%s_offset%zu_, %d, %d, %d },\n", w->m->name, t,
                w->m->name, t, h->embedding_shift, h->hidden_shift, h->logit_shift);
    }
    fprintf(w->f, "};\n");
}

static void write_net(struct writer *w)
{
    write_program(w);
    write_layers(w);
    write_heads(w);
    fprintf(w->f, "static const kpred_additive kpri_%s_net = {\n    kpri_%s_program, %d, %d, %d,\n",
            w->m->name, w->m->name, w->net->n_instr, w->net->n_features, w->net->hidden);
    fprintf(w->f, "    {\n");
    for (size_t i = 0; i < 3; i++)
        fprintf(w->f, "        { kpri_%s_weight%zu, kpri_%s_bias%zu, %d, %d, %d },\n", w->m->name,
                i, w->m->name, i, w->net->layer[i].rows, w->net->layer[i].cols,
                w->net->layer[i].shift);
    fprintf(w->f, "    },\n    kpri_%s_heads\n};\n", w->m->name);
}

static void write_model(struct writer *w)
{
    const kpred_model *m = w->m;
    fprintf(w->f,
            "KPRED_DATA const kpred_model kpred_model_%s = {\n"
            "    %d, UINT64_C(0x%016" PRIx64 "),\n"
            "    \"%s\", \"%s\", \"%s\",\n"
            "    kpri_%s_fields, kpri_%s_params, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32
            ", %" PRIu32 ",\n",
            m->name, KPRED_FORMAT, m->id, m->name, m->kernel, m->split, m->name, m->name,
            m->n_fields, m->n_params, m->work_words, m->state_words, m->scale);
    if (m->runs_on)
        fprintf(w->f, "    kpri_%s_runs_on, ", m->name);
    else
        fprintf(w->f, "    NULL, ");
    if (m->names)
        fprintf(w->f, "&kpri_%s_kernels,\n", m->name);
    else
        fprintf(w->f, "NULL,\n");
    if (model_has_table(w->model))
        fprintf(w->f, "    kpri_%s_rule, ", m->name);
    else
        fprintf(w->f, "    %s, ", *m->rule_name ? m->rule_name : "KPRED_UNCONSTRAINED");
    fprintf(w->f, "\"%s\",\n    &kpred_additive_scorer, &kpri_%s_net, NULL\n};\n", m->rule_name,
            m->name);
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

static void write_arena(struct writer *w)
{
    const kpred_model *m = w->m;
    struct slots slots[KPRED_MAX_TUPLE];
    const size_t n = find_slots(m, slots);
    size_t lanes = 0;
    for (uint32_t t = 0; t < m->n_params; t++)
        lanes += model_lane(m->params + t);
    fprintf(w->f,
            "#define KPRED_%s_ARENA(beam) /* int32_t words */ \\\n"
            "    KPRED_ARENA_WORDS(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", \\\n        ",
            w->upper, m->work_words, m->state_words, m->n_params);
    for (size_t i = 0; i < n; i++)
        fprintf(w->f, "KPRED_LARGER(KPRED_SLOTS(%zu, %zu, beam), \\\n        ", slots[i].prefixes,
                slots[i].lane);
    fprintf(w->f, "%zu", (lanes + 1) / 2);
    for (size_t i = 0; i < n; i++)
        fputc(')', w->f);
    fprintf(w->f, ", beam)\n");
}

static void write_macros(struct writer *w)
{
    const kpred_model *m = w->m;
    const struct model_cost cost = model_cost(m);
    const char *u = w->upper;
    fprintf(w->f, "#define KPRED_%s_FIELDS %" PRIu32 "\n", u, m->n_fields);
    fprintf(w->f, "#define KPRED_%s_PARAMS %" PRIu32 "\n", u, m->n_params);
    write_arena(w);
    fprintf(w->f, "#define KPRED_%s_RULE_CALLS(beam) KPRED_RULE_CALLS(%zu, beam)\n", u,
            cost.values);
    fprintf(w->f, "#define KPRED_%s_MULTIPLY_ADDS(beam) KPRED_MULTIPLY_ADDS(%zu, %zu, beam)\n\n", u,
            cost.start, cost.step);
}

static void write_opening(struct writer *w, const char *story)
{
    const struct model_cost cost = model_cost(w->m);
    fprintf(w->f, "/* %s.h - %s\n   GENERATED by kpred-train - DO NOT EDIT\n", w->m->name,
            *w->model->spec->title ? w->model->spec->title : w->m->kernel);
    if (w->model->spec->licence)
        fprintf(w->f, "   SPDX-License-Identifier: %s\n", w->model->spec->licence);
    fprintf(w->f, "\n%s", story);
    fprintf(w->f,
            "   id %016" PRIx64 ", %zu bytes; a prediction costs %zu multiply-adds and at most\n"
            "   %zu more a unit of beam; largest accumulator %" PRId64 " of 2147483647\n\n",
            w->m->id, cost.bytes, cost.start, cost.step, cost.largest_accumulator);
    fprintf(w->f, "spec:\n%send of spec */\n", w->model->spec->text);
}

/* Outside the guard: what is included comes again, with its definitions, where they are asked for
   after the first time. */
static void write_includes(struct writer *w)
{
    fprintf(w->f, "#include \"%skpred.h\"\n", w->model->include_dir);
    if (w->model->clauses.n || w->model->clauses.kernels)
        fprintf(w->f, "#define KPRED_RULES_NO_FAMILY\n#include \"%skpred_constraints.h\"\n",
                w->model->include_dir);
    if (w->model->spec->header && w->model->family)
        fprintf(w->f, "#define KPRED_RULES_%s\n", w->model->family);
    if (w->model->spec->header)
        fprintf(w->f, "#include \"%s%s\"\n", w->model->include_dir, w->model->spec->header);
    fputc('\n', w->f);
}

static void write_declaration(struct writer *w)
{
    struct buf enums = {NULL, 0, 0};
    fprintf(w->f, "#ifndef KPRED_MODEL_%s_H\n#define KPRED_MODEL_%s_H\n\n", w->upper, w->upper);
    fprintf(w->f,
            "#if KPRED_FORMAT != %d\n"
            "#error \"%s.h and kpred.h are of different formats: see kpred-train relayout\"\n"
            "#endif\n\n",
            KPRED_FORMAT, w->m->name);
    names_add_enums(w->m, &enums);
    fputs(enums.s, w->f);
    buf_free(&enums);
    write_macros(w);
    fprintf(w->f,
            "#ifndef KPRED_STATIC\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
            "extern const kpred_model kpred_model_%s;\n"
            "#ifdef __cplusplus\n}\n#endif\n#endif\n\n#endif\n\n",
            w->m->name);
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
    fprintf(f, "#if defined(KPRED_IMPLEMENTATION) && !defined(KPRI_MODEL_%s)\n", w.upper);
    fprintf(f, "#define KPRI_MODEL_%s\n\n", w.upper);
    fprintf(f, "#if defined(__cplusplus) && defined(__GNUC__)\n"
               "#pragma GCC diagnostic push\n"
               "#pragma GCC diagnostic ignored \"-Wzero-as-null-pointer-constant\"\n"
               "#endif\n\n");
    write_fields(&w);
    write_params(&w);
    write_net(&w);
    write_table(&w);
    write_runs_on(&w);
    write_model(&w);
    fprintf(f, "\n#if defined(__cplusplus) && defined(__GNUC__)\n"
               "#pragma GCC diagnostic pop\n"
               "#endif\n"
               "#endif\n");
}
