/* predict.c - `kpred predict`
   SPDX-License-Identifier: MIT */
#include "base/table.h"
#include "commands.h"
#include "miopen/conv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred predict MODEL|FILE.h [FIELD=VALUE...] [--driver LINE] [--gpu GPU] [--nearest]\n"
    "                     [-k N] [--beam B] [--csv|--json]\n"
    "\n"
    "Prints the most promising legal tuples for a problem, best first.\n"
    "\n"
    "  MODEL|FILE.h   a built-in model (`kpred models`), or a header that kpred-train wrote\n"
    "  FIELD=VALUE    the fields of the model, each once, in any order. Of a convolution those\n"
    "                 that are left out are as MIOpenDriver has them, which is then noted:\n"
    "                 layout NCHW, y and x 3, pads 0, strides, dilations and groups 1, in 2-D\n"
    "                 d and z 1, in 3-D layout NCDHW and z 3. The others have to be given\n"
    "  --driver LINE  a line of MIOpenDriver in place of the fields but gpu and, if it asks for\n"
    "                 several directions, dir: \"conv -n 32 -c 64 -H 56 -W 56 -k 64 -F 1\"\n"
    "  --gpu GPU      the same as gpu=GPU\n"
    "  --nearest      for a GPU that was not trained, take the nearest that was\n"
    "  -k N           how many tuples (default 1)\n"
    "  --beam B       beam width (default: N)\n"
    "  --csv          as CSV, columns rank,probability and one per parameter (the table\n"
    "                 has percent)\n"
    "  --json         as JSON, an array of objects with the same names; where the kernel does\n"
    "                 not apply, of one with error, field, value and must_be\n"
    "\n"
    "Where the library names its kernels, `kernel` stands behind the parameters; of AITER's,\n"
    "splitK before it.\n"
    "\n"
    "Examples: kpred predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 \\\n"
    "              k=256 stride=1 -k 8\n"
    "          kpred predict conv_solver --gpu gfx90a --driver \"conv -n 32 -c 64 -H 56 -W 56 \\\n"
    "              -k 64 -p 1 -q 1 -F 1\"\n";

struct options {
    const char *model;
    struct given given;
    long k, beam;
    struct table_form form;
};

static void add_value(struct table *t, const kpred_param *p, int32_t value)
{
    if (p->names)
        table_text(t, p->names[value]);
    else
        table_number(t, "%" PRId32, value);
}

/* The parameter `split`, AITER's splitK; -1: there is none. */
static int split_of(const kpred_model *m)
{
    uint32_t p = 0;
    while (p < m->n_params && strcmp(m->params[p].name, "split") != 0)
        p++;
    return p < m->n_params ? (int)p : -1;
}

static int print(const struct options *o, const kpred_model *m, const kpred_tuple *tuples, size_t n)
{
    struct table t = {0, {NULL, 0, 0}};
    struct buf heading = {NULL, 0, 0};
    const int aligned = !o->form.csv && !o->form.json; /* for people: percent */
    const int split = split_of(m);
    buf_puts(&heading, aligned ? "rank,percent" : "rank,probability");
    for (uint32_t p = 0; p < m->n_params; p++)
        buf_printf(&heading, ",%s", m->params[p].name);
    if (m->names)
        buf_puts(&heading, split >= 0 ? ",splitK,kernel" : ",kernel");
    table_heading(&t, heading.s);
    buf_free(&heading);
    for (size_t i = 0; i < n; i++) {
        table_number(&t, "%zu", i + 1);
        table_number(&t, aligned ? "%.2f" : "%.6f",
                     kpred_probability(tuples[i].score) / 16777216.0 * (aligned ? 100 : 1));
        for (uint32_t p = 0; p < m->n_params; p++)
            add_value(&t, m->params + p, tuples[i].value[p]);
        if (m->names && split >= 0)
            add_value(&t, m->params + split, tuples[i].value[split]);
        if (m->names)
            table_text(&t, kpred_kernel_name(m, kpred_kernel_of(m, tuples[i].value)));
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

/* The kernel does not apply: JSON says so, too. */
static int refuse(const struct options *o, const kpred_model *m, const struct reason *why)
{
    struct buf text = {NULL, 0, 0};
    struct table t = {0, {NULL, 0, 0}};
    int64_t number;
    fail("%s does not apply: %s", m->name, reason_text(why, &text));
    buf_free(&text);
    if (!o->form.json)
        return -1;
    table_heading(&t, "error,field,value,must_be");
    table_text(&t, "the kernel does not apply to this problem");
    table_text(&t, why->what);
    if (parse_int(why->value, INT64_MIN, INT64_MAX, &number) == 0)
        table_number(&t, "%" PRId64, number);
    else
        table_text(&t, why->value);
    table_text(&t, why->need);
    table_print(&t, stdout, o->form);
    table_free(&t);
    flush_stdout();
    return -1;
}

static int predict(const struct options *o, const struct model *model, const int32_t *problem)
{
    const size_t k = (size_t)o->k, beam = o->beam ? (size_t)o->beam : k;
    const size_t words = kpred_arena_words(&model->m, beam);
    int32_t *arena = xcalloc(words, sizeof *arena);
    kpred_tuple *tuples = xcalloc(k, sizeof *tuples);
    struct reason why;
    size_t n = 0;
    int bad;
    kpred_ctx ctx;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, &model->m, beam, arena, words);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, model->m.n_fields, tuples, k, &n);
    if (status == KPRED_OK)
        note_extrapolation(&ctx, problem);
    if (status == KPRED_OK)
        bad = print(o, &model->m, tuples, n);
    else if ((status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE)
             && reason_find(model, problem, &why) != REASON_NONE)
        bad = refuse(o, &model->m, &why);
    else
        bad = fail("%s: %s", model->m.name, kpred_status_string(status));
    free(arena);
    free(tuples);
    return bad;
}

static int run(const struct options *o)
{
    int32_t problem[KPRED_MAX_FIELDS];
    struct model model;
    struct reason why;
    if (table_form_check(&o->form))
        return 2;
    if (o->beam && o->k > o->beam) {
        fail("-k %ld is more than --beam %ld", o->k, o->beam);
        return 2;
    }
    if (model_open(o->model, &model))
        return 1;
    int bad = given_problem(&o->given, &model, problem, &why);
    if (bad == 0)
        bad = predict(o, &model, problem);
    else if (bad > 0)
        bad = refuse(o, &model.m, &why);
    model_free(&model);
    return bad ? 1 : 0;
}

int cmd_predict(int argc, char **argv)
{
    struct options o = {.k = 1};
    const struct opt table[] = {
        {.name = "MODEL|FILE.h", .kind = OPT_TEXT, .to = &o.model, .is_required = 1},
        {.name = "FIELD=VALUE", .kind = OPT_TEXTS, .to = &o.given.fields},
        {.name = "--driver", .kind = OPT_TEXT, .to = &o.given.driver},
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.given.gpu},
        {.name = "-k", .kind = OPT_COUNT, .to = &o.k, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--beam", .kind = OPT_COUNT, .to = &o.beam, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--nearest", .kind = OPT_FLAG, .to = &o.given.nearest},
        FORM_OPTIONS(o.form),
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = run(&o);
    free(o.given.fields.v);
    return status;
}
