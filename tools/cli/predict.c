/* predict.c - `kpred predict`
   SPDX-License-Identifier: MIT */
#include "base/csv_records.h"
#include "base/table.h"
#include "commands.h"
#include "miopen/conv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *model, *problems;
    struct given given;
    long k, beam;
    int is_lenient;
    struct table_form form;
};

/* A model at work, and its answer */
struct asking {
    const struct options *o;
    const struct model *model;
    kpred_ctx ctx;
    int32_t *arena;
    kpred_tuple *tuples;
    size_t n;
};

/* ---- answers ---- */

/* The parameter `split`, AITER's splitK; -1: there is none. */
static int split_of(const kpred_model *m)
{
    uint32_t p = 0;
    while (p < m->n_params && strcmp(m->params[p].name, "split") != 0)
        p++;
    return p < m->n_params ? (int)p : -1;
}

/* For people: percent */
static int is_aligned(const struct options *o)
{
    return !o->form.csv && !o->form.json;
}

/* Of many problems, the line and the fields come first. */
static void add_heading(const struct asking *a, struct table *t)
{
    const kpred_model *m = &a->model->m;
    struct buf heading = {NULL, 0, 0};
    if (a->o->problems) {
        buf_puts(&heading, "line,");
        for (uint32_t f = 0; f < m->n_fields; f++)
            buf_printf(&heading, "%s,", m->fields[f].name);
    }
    buf_puts(&heading, is_aligned(a->o) ? "rank,percent" : "rank,probability");
    for (uint32_t p = 0; p < m->n_params; p++)
        buf_printf(&heading, ",%s", m->params[p].name);
    if (m->names)
        buf_puts(&heading, split_of(m) >= 0 ? ",splitK,kernel" : ",kernel");
    table_heading(t, heading.s);
    buf_free(&heading);
}

static void add_tuple(const struct asking *a, struct table *t, size_t i)
{
    const kpred_model *m = &a->model->m;
    const int32_t *value = a->tuples[i].value;
    const int split = split_of(m), aligned = is_aligned(a->o);
    table_number(t, "%zu", i + 1);
    table_number(t, aligned ? "%.2f" : "%.6f",
                 kpred_probability(a->tuples[i].score) / 16777216.0 * (aligned ? 100 : 1));
    for (uint32_t p = 0; p < m->n_params; p++)
        model_value_cell(m->params[p].names, value[p], t);
    if (m->names && split >= 0)
        model_value_cell(m->params[split].names, value[split], t);
    if (m->names)
        table_text(t, kpred_kernel_name(m, kpred_kernel_of(m, value)));
}

static void note_extrapolation(const kpred_ctx *ctx, const int32_t *problem)
{
    for (uint32_t f = 0; f < ctx->model->n_fields; f++)
        if (ctx->extrapolated >> f & 1)
            note("%s=%" PRId32 " lies outside the range trained on, %" PRId32 "..%" PRId32,
                 ctx->model->fields[f].name, problem[f], ctx->model->fields[f].trained_min,
                 ctx->model->fields[f].trained_max);
}

static int fail_reason(const struct asking *a, const struct reason *why)
{
    struct buf text = {NULL, 0, 0};
    fail("%s does not apply: %s", a->model->m.name, reason_text(why, &text));
    buf_free(&text);
    return -1;
}

/* The kernel does not apply: JSON says so, too. */
static int predict_refuse(const struct asking *a, const struct reason *why)
{
    struct table t = {0};
    int64_t number;
    fail_reason(a, why);
    if (!a->o->form.json)
        return -1;
    table_heading(&t, "error,field,value,must_be");
    table_text(&t, "the kernel does not apply to this problem");
    table_text(&t, why->what);
    if (parse_int(why->value, INT64_MIN, INT64_MAX, &number) == 0)
        table_number(&t, "%" PRId64, number);
    else
        table_text(&t, why->value);
    table_text(&t, why->need);
    table_print(&t, stdout, a->o->form);
    table_free(&t);
    flush_stdout();
    return -1;
}

/* ---- a problem ---- */

/* To be closed in any case. */
static int ask_open(struct asking *a)
{
    const size_t k = (size_t)a->o->k, beam = a->o->beam ? (size_t)a->o->beam : k;
    const kpred_model *m = &a->model->m;
    const size_t words = kpred_arena_words(m, beam);
    a->arena = xcalloc(words, sizeof *a->arena);
    a->tuples = xcalloc(k, sizeof *a->tuples);
    const kpred_status status = kpred_init(&a->ctx, KPRED_VERSION, m, beam, a->arena, words);
    return status == KPRED_OK ? 0 : fail("%s: %s", m->name, kpred_status_string(status));
}

static void ask_close(struct asking *a)
{
    free(a->arena);
    free(a->tuples);
}

/* What is given, as a problem, and its tuples: 0, -1 with a message, or 1 with *why. */
static int predict_ask(struct asking *a, const struct given *given, int32_t *problem,
                       struct reason *why)
{
    const kpred_model *m = &a->model->m;
    const int bad = given_problem(given, a->model, problem, why);
    if (bad != 0)
        return bad;
    const kpred_status status =
        kpred_predict(&a->ctx, problem, m->n_fields, a->tuples, (size_t)a->o->k, &a->n);
    if (status == KPRED_OK)
        return 0;
    if ((status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE)
        && reason_find(a->model, problem, why) != REASON_NONE)
        return 1;
    return fail("%s: %s", m->name, kpred_status_string(status));
}

static int ask_one(struct asking *a)
{
    int32_t problem[KPRED_MAX_FIELDS];
    struct table t = {0};
    struct reason why;
    const int bad = predict_ask(a, &a->o->given, problem, &why);
    if (bad != 0)
        return bad > 0 ? predict_refuse(a, &why) : -1;
    note_extrapolation(&a->ctx, problem);
    add_heading(a, &t);
    for (size_t i = 0; i < a->n; i++)
        add_tuple(a, &t, i);
    table_print(&t, stdout, a->o->form);
    table_free(&t);
    return flush_stdout();
}

/* ---- many problems ---- */

enum { PROBLEMS_MOST = 1 << 28 }; /* bytes */

struct lines {
    struct asking *a;
    struct csv_records r;
    struct table t;
    int column[KPRED_MAX_FIELDS];      /* of each field; -1: there is none */
    struct buf pair[KPRED_MAX_FIELDS]; /* FIELD=VALUE, of the line at hand */
    struct given given;                /* these, and what is given for all lines */
    size_t n_bad, n_outside;
    uint32_t outside_of; /* fields */
};

static int read_bytes(const char *path, struct buf *text)
{
    if (strcmp(path, "-") != 0)
        return data_read(path, text);
    if (read_stream(stdin, "standard input", PROBLEMS_MOST, text))
        return -1;
    buf_puts(text, "");
    plain_text(text);
    return 0;
}

static int read_header(struct lines *l)
{
    const kpred_model *m = &l->a->model->m;
    const int rc = csv_records_next(&l->r);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", l->r.path);
    if (csv_records_check_header(&l->r))
        return -1;
    for (uint32_t f = 0; f < m->n_fields; f++)
        l->column[f] = csv_records_find(&l->r, m->fields[f].name);
    for (size_t i = 0; i < l->r.n; i++)
        if (kpred_field_index(m, l->r.cell[i]) < 0)
            note("%s:%ld: column \"%s\" is not a field of %s: ignored", l->r.path, l->r.at,
                 l->r.cell[i], m->name);
    return 0;
}

/* What the line gives; an empty cell gives nothing. */
static void take_cells(struct lines *l)
{
    const kpred_model *m = &l->a->model->m;
    l->given.fields.n = l->a->o->given.fields.n;
    for (uint32_t f = 0; f < m->n_fields; f++) {
        struct buf *pair = &l->pair[f];
        if (l->column[f] < 0 || !*l->r.cell[l->column[f]])
            continue;
        pair->n = 0;
        buf_printf(pair, "%s=%s", m->fields[f].name, l->r.cell[l->column[f]]);
        l->given.fields.v[l->given.fields.n++] = pair->s;
    }
}

static int take_line(struct lines *l)
{
    int32_t problem[KPRED_MAX_FIELDS];
    struct reason why;
    if (csv_records_check_row(&l->r))
        return -1;
    take_cells(l);
    const int bad = predict_ask(l->a, &l->given, problem, &why);
    if (bad != 0)
        return bad > 0 ? fail_reason(l->a, &why) : -1;
    l->n_outside += l->a->ctx.extrapolated != 0;
    l->outside_of |= l->a->ctx.extrapolated;
    for (size_t i = 0; i < l->a->n; i++) {
        table_number(&l->t, "%ld", l->r.at);
        model_problem_cells(&l->a->model->m, problem, &l->t);
        add_tuple(l->a, &l->t, i);
    }
    l->given.is_quiet = 1; /* what holds for all lines is told once */
    return 0;
}

/* What is said of a line begins with its number. */
static int take_lines(struct lines *l)
{
    const char *const name = program_name;
    struct buf place = {NULL, 0, 0};
    int rc;
    while ((rc = csv_records_next(&l->r)) > 0) {
        place.n = 0;
        buf_printf(&place, "%s: %.200s:%ld", name, l->r.path, l->r.at);
        program_name = place.s;
        const int bad = take_line(l);
        program_name = name;
        l->n_bad += bad != 0;
        if (bad && !l->a->o->is_lenient)
            break;
    }
    buf_free(&place);
    return rc == 0 ? 0 : -1;
}

static int print_lines(const struct lines *l)
{
    struct buf outside = {NULL, 0, 0};
    if (l->n_bad)
        note("%s: %zu line%s left out", l->r.path, l->n_bad, as_counted(l->n_bad, " is", "s are"));
    if (l->n_outside)
        note("%s: %s", l->r.path,
             model_outside(&l->a->model->m, l->outside_of, l->n_outside,
                           as_counted(l->n_outside, "line lies", "lines lie"), &outside));
    buf_free(&outside);
    table_print(&l->t, stdout, l->a->o->form);
    return flush_stdout();
}

static int ask_many(struct asking *a)
{
    const struct opt_texts *all = &a->o->given.fields;
    struct lines l = {.a = a, .given = a->o->given};
    struct buf text = {NULL, 0, 0};
    int bad = read_bytes(a->o->problems, &text);
    l.given.fields.v = xcalloc(all->n + KPRED_MAX_FIELDS, sizeof *all->v);
    for (size_t i = 0; i < all->n; i++)
        l.given.fields.v[i] = all->v[i];
    if (!bad) {
        add_heading(a, &l.t);
        bad = csv_records_open(
                  &l.r, strcmp(a->o->problems, "-") ? a->o->problems : "standard input", &text)
              || read_header(&l) || take_lines(&l) || print_lines(&l);
        csv_records_close(&l.r);
    }
    for (size_t f = 0; f < KPRED_MAX_FIELDS; f++)
        buf_free(&l.pair[f]);
    table_free(&l.t);
    free(l.given.fields.v);
    buf_free(&text);
    return bad;
}

/* ---- the command ---- */

static int predict_check(const struct options *o)
{
    if (o->problems && o->given.driver)
        return fail("--problems and --driver cannot be used together");
    if (o->is_lenient && !o->problems)
        return fail("--lenient: is only for --problems");
    return o->beam && o->k > o->beam ? fail("-k %ld is more than --beam %ld", o->k, o->beam) : 0;
}

static int predict_run(const struct options *o)
{
    struct model model;
    struct asking a = {.o = o, .model = &model};
    if (predict_check(o))
        return 2;
    if (model_open(o->model, &model))
        return 1;
    const int bad = ask_open(&a) || (o->problems ? ask_many(&a) : ask_one(&a));
    ask_close(&a);
    model_free(&model);
    return bad ? 1 : 0;
}

int cmd_predict(int argc, char **argv)
{
    struct options o = {.k = 1};
    const struct opt table[] = {
        OPT_SAYS("Prints the most promising legal tuples for a problem, or for each of many, best "
                 "first, each with its probability."),
        OPT(TEXT, "MODEL|FILE.h", &o.model, MODEL_OPERAND "; what ends in .h is taken for a file"),
        OPT(TEXTS, "[FIELD=VALUE...]", &o.given.fields,
            "the fields of the model, each once, in any order: a size, from 1 to 2^24, or a token. "
            "Of a convolution those that are left out are as MIOpenDriver has them, which is then "
            "noted: layout NCHW, y and x 3, pads 0, strides, dilations and groups 1, in 2-D d and "
            "z 1, in 3-D (a field of depth or the layout says so) layout NCDHW and z 3. The others "
            "have to be given"),
        OPT(TEXT, "[--driver LINE", &o.given.driver,
            "a line of MIOpenDriver, with what stands before its options or without, in place of "
            "the fields but gpu and, if its -F asks for several directions, dir: \"conv -n 32 -c "
            "64 -H 56 -W 56 -k 64 -F 1\""),
        OPT(TEXT, "|--problems FILE.csv", &o.problems,
            "many problems, a line each: columns that are called as the fields, in any order; an "
            "empty cell gives nothing; FIELD=VALUE and --gpu stand for all lines; - reads standard "
            "input. Line and fields come before rank. A bad line ends it, and nothing is printed"),
        OPT(FLAG, "[--lenient]]", &o.is_lenient, "leave bad lines out, each with a message"),
        OPT(TEXT, "[--gpu GPU]", &o.given.gpu, "the same as gpu=GPU"),
        NEAREST_OPTION(&o.given.nearest),
        OPT_RANGE(
            COUNT, "[-k N]", &o.k, 1, KPRED_MAX_BEAM,
            "how many tuples; fewer are printed if no more are legal or the search found no more"),
        OPT_RANGE(COUNT, "[--beam B]", &o.beam, 1, KPRED_MAX_BEAM,
                  "beam width, N at least, which is the default"),
        FORM_OPTIONS(o.form,
                     ", columns rank,probability and one per parameter (the table has percent)"),
        OPT_SAYS(
            "Where the kernel does not apply, a message says which condition fails, and JSON is of "
            "one object with error, field, value and must_be.\nWhere the library names its "
            "kernels, `kernel` stands behind the parameters; of AITER's, splitK before "
            "it.\nExamples:\n  kpred predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=16 "
            "c=64 h=56 \\\n      w=56 k=256 stride=1 -k 8\n  kpred predict conv_solver --gpu "
            "gfx90a --driver \"conv -n 32 -c 64 -H 56 \\\n      -W 56 -k 64 -p 1 -q 1 -F 1\""),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? predict_run(&o) : status);
}
