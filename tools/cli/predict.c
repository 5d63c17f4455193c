/* predict.c - `kpred predict`
   SPDX-License-Identifier: MIT */
#include "base/opts.h"
#include "base/table.h"
#include "commands.h"
#include "model/registry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred predict MODEL|FILE.h FIELD=VALUE... [-k N] [--beam B] [--nearest]\n"
    "                     [--csv|--json]\n"
    "\n"
    "Prints the most promising legal tuples for a problem, best first.\n"
    "\n"
    "  MODEL|FILE.h   a built-in model (`kpred models`), or a header that kpred-train wrote\n"
    "  FIELD=VALUE    every field of the model once, in any order\n"
    "  -k N           how many tuples (default 1)\n"
    "  --beam B       beam width (default: N)\n"
    "  --nearest      for a GPU that was not trained, take the nearest that was\n"
    "  --csv          as CSV, columns rank,probability and one per parameter (the table\n"
    "                 has percent)\n"
    "  --json         as JSON, an array of objects with the same names\n"
    "\n"
    "Example: kpred predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 "
    "\\\n"
    "             stride=1 -k 8\n";

struct options {
    const char *model;
    struct opt_texts fields;
    long k, beam;
    int nearest;
    struct table_form form;
};

/* One FIELD=VALUE into problem; seen has a bit for each field given. */
static int take_field(const struct options *o, const struct model *model, const char *text,
                      int32_t *problem, uint32_t *seen)
{
    const char *value = strchr(text, '=');
    struct buf name = {NULL, 0, 0};
    int64_t x;
    if (!value)
        return fail("\"%s\": expected FIELD=VALUE", text);
    buf_add(&name, text, (size_t)(value++ - text));
    int32_t f = kpred_field_index(&model->m, name.s);
    buf_free(&name);
    if (f < 0)
        return fail("%s: no field \"%.*s\"", model->m.name, (int)(value - 1 - text), text);
    const kpred_field *field = model->m.fields + f;
    if (*seen >> f & 1)
        return fail("%s: field %s is given twice", model->m.name, field->name);
    *seen |= (uint32_t)1 << f;
    if (field->tokens) {
        problem[f] = model_token(model, (size_t)f, value, o->nearest);
        return problem[f] < 0 ? -1 : 0;
    }
    if (parse_int(value, field->least, field->most, &x))
        return fail("%s: field %s: value \"%s\" is no integer from %" PRId32 " to %" PRId32,
                    model->m.name, field->name, value, field->least, field->most);
    problem[f] = (int32_t)x;
    return 0;
}

static int take_problem(const struct options *o, const struct model *model, int32_t *problem)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < o->fields.n; i++)
        if (take_field(o, model, o->fields.v[i], problem, &seen))
            return -1;
    for (uint32_t f = 0; f < model->m.n_fields; f++)
        if (!(seen >> f & 1))
            return fail("%s: field %s is missing", model->m.name, model->m.fields[f].name);
    return 0;
}

static void add_value(struct table *t, const kpred_param *p, int32_t value)
{
    if (p->names)
        table_text(t, p->names[value]);
    else
        table_number(t, "%" PRId32, value);
}

static int print(const struct options *o, const kpred_model *m, const kpred_tuple *tuples, size_t n)
{
    struct table t = {0, {NULL, 0, 0}};
    struct buf heading = {NULL, 0, 0};
    const int aligned = !o->form.csv && !o->form.json; /* for people: percent */
    buf_puts(&heading, aligned ? "rank,percent" : "rank,probability");
    for (uint32_t p = 0; p < m->n_params; p++)
        buf_printf(&heading, ",%s", m->params[p].name);
    table_heading(&t, heading.s);
    buf_free(&heading);
    for (size_t i = 0; i < n; i++) {
        table_number(&t, "%zu", i + 1);
        table_number(&t, aligned ? "%.2f" : "%.6f",
                     kpred_probability(tuples[i].score) / 16777216.0 * (aligned ? 100 : 1));
        for (uint32_t p = 0; p < m->n_params; p++)
            add_value(&t, m->params + p, tuples[i].value[p]);
    }
    table_print(&t, stdout, o->form);
    table_free(&t);
    return flush_stdout();
}

static void note_extrapolation(const kpred_ctx *ctx, const int32_t *problem)
{
    for (uint32_t f = 0; f < ctx->model->n_fields; f++)
        if (ctx->extrapolated >> f & 1)
            note("%s=%" PRId32 " lies outside the range trained on, %" PRId32 "..%" PRId32,
                 ctx->model->fields[f].name, problem[f], ctx->model->fields[f].trained_min,
                 ctx->model->fields[f].trained_max);
}

static int predict(const struct options *o, const struct model *model, const int32_t *problem)
{
    const size_t k = (size_t)o->k, beam = o->beam ? (size_t)o->beam : k;
    const size_t words = kpred_arena_words(&model->m, beam);
    int32_t *arena = xcalloc(words, sizeof *arena);
    kpred_tuple *tuples = xcalloc(k, sizeof *tuples);
    size_t n = 0;
    kpred_ctx ctx;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, &model->m, beam, arena, words);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, model->m.n_fields, tuples, k, &n);
    if (status == KPRED_OK)
        note_extrapolation(&ctx, problem);
    int bad = status == KPRED_OK ? print(o, &model->m, tuples, n)
                                 : fail("%s: %s", model->m.name, kpred_status_string(status));
    free(arena);
    free(tuples);
    return bad;
}

static int run(const struct options *o)
{
    int32_t problem[KPRED_MAX_FIELDS];
    struct model model;
    if (table_form_check(&o->form))
        return 2;
    if (o->beam && o->k > o->beam) {
        fail("-k %ld is more than --beam %ld", o->k, o->beam);
        return 2;
    }
    if (model_open(o->model, &model))
        return 1;
    int bad = take_problem(o, &model, problem) || predict(o, &model, problem);
    model_free(&model);
    return bad ? 1 : 0;
}

int cmd_predict(int argc, char **argv)
{
    struct options o;
    const struct opt table[] = {
        {.name = "MODEL|FILE.h", .kind = OPT_TEXT, .to = &o.model, .is_required = 1},
        {.name = "FIELD=VALUE", .kind = OPT_TEXTS, .to = &o.fields},
        {.name = "-k", .kind = OPT_COUNT, .to = &o.k, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--beam", .kind = OPT_COUNT, .to = &o.beam, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--nearest", .kind = OPT_FLAG, .to = &o.nearest},
        {.name = "--csv", .kind = OPT_FLAG, .to = &o.form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &o.form.json},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    o.k = 1;
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = run(&o);
    free(o.fields.v);
    return status;
}
