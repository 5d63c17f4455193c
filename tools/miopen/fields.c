/* fields.c - a problem as users write it: FIELD=VALUE, or a line of MIOpenDriver
   SPDX-License-Identifier: MIT */
#include "base/names.h"
#include "conv.h"

#include <inttypes.h>
#include <string.h>

struct taking {
    const struct given *given;
    const struct model *model;
    int32_t *problem;
    uint32_t seen;             /* a bit for each field that is given */
    int field[CONV_N_SOURCES]; /* of a convolution; all -1: it is none */
};

static const kpred_field *field_of(const struct taking *t, int f)
{
    return &t->model->m.fields[f];
}

static int is_seen(const struct taking *t, int f)
{
    return f >= 0 && (t->seen >> f & 1);
}

/* ---- FIELD=VALUE ---- */

static int take_value(struct taking *t, int32_t f, const char *value)
{
    const kpred_field *field = field_of(t, f);
    int64_t x;
    if (is_seen(t, f))
        return fail("%s: field %s is given twice", t->model->m.name, field->name);
    t->seen |= UINT32_C(1) << f;
    if (field->tokens != NULL) {
        t->problem[f] = model_token(t->model, (size_t)f, value, t->given->nearest);
        return t->problem[f] < 0 ? -1 : 0;
    }
    if (parse_whole(value, field->least, field->most, &x) != 0)
        return fail("%s: field %s: value \"%s\" is not an integer from %" PRId32 " to %" PRId32,
                    t->model->m.name, field->name, value, field->least, field->most);
    t->problem[f] = (int32_t)x;
    return 0;
}

static int fail_field(const struct taking *t, const char *name)
{
    struct names_near near = {.text = name};
    struct buf question = {NULL, 0, 0};
    for (int f = 0; f < (int)t->model->m.n_fields; f++)
        names_offer(&near, field_of(t, f)->name, field_of(t, f)->name);
    fail("%s: no field \"%s\"%s", t->model->m.name, name, names_question(&near, &question));
    buf_free(&question);
    return -1;
}

static int take_field(struct taking *t, const char *text)
{
    const char *value = strchr(text, '=');
    struct buf name = {NULL, 0, 0};
    if (value == NULL)
        return fail("\"%s\": expected FIELD=VALUE", text);
    buf_add(&name, text, (size_t)(value++ - text));
    const int32_t f = kpred_field_index(&t->model->m, name.s);
    const int bad = f < 0 ? fail_field(t, name.s) : take_value(t, f, value);
    buf_free(&name);
    return bad;
}

/* ---- a line of MIOpenDriver ---- */

/* The one direction that the line has, or that is given beside it */
static int take_direction(const struct taking *t, const struct driver_call *call, char *dir)
{
    static const char dirs[] = "FBW"; /* in the order of DRIVER_FORWARD and so on */
    const int f = t->field[CONV_DIR];
    const char *given = is_seen(t, f) ? field_of(t, f)->tokens[t->problem[f]] : "";
    int n = 0;
    for (int i = 0; i < 3; i++)
        if ((call->directions >> i & 1) && (*given == '\0' || *given == dirs[i])) {
            *dir = dirs[i];
            n++;
        }
    if (n == 1)
        return 0;
    return n == 0 ? fail("--driver: -F %d is not dir=%s", call->directions, given)
                  : fail("--driver: -F asks for several directions (1 F, 2 B, 4 W; 0, the default, "
                         "is all): say which by dir=");
}

static int take_driver(struct taking *t, struct reason *why)
{
    int32_t problem[KPRED_MAX_FIELDS];
    struct driver_call call;
    if (t->field[CONV_DIR] < 0)
        return fail("%s: --driver: the model's fields are not those of a convolution",
                    t->model->m.name);
    if (driver_parse(t->given->driver, "--driver", &call) != 0)
        return -1;
    for (int k = 0; k < CONV_N_SOURCES; k++)
        if (k != CONV_GPU && k != CONV_DIR && is_seen(t, t->field[k]))
            return fail("%s: field %s is given twice: --driver has it, too", t->model->m.name,
                        conv_sources[k].name);
    if (take_direction(t, &call, &call.conv.dir) != 0)
        return -1;
    if (problem_of_conv(t->model, t->field, &call.conv, problem, why) != REASON_NONE)
        return 1;
    for (int f = 0; f < (int)t->model->m.n_fields; f++)
        if (f != t->field[CONV_GPU]) {
            t->problem[f] = problem[f];
            t->seen |= UINT32_C(1) << f;
        }
    return 0;
}

/* ---- what is not given ---- */

/* Has a field of depth a value that no 2-D convolution has, or layout the name of a 3-D one? */
static int is_3d(const struct taking *t)
{
    const int layout = t->field[CONV_LAYOUT];
    int64_t flat[KPRED_MAX_FIELDS] = {0};
    struct conv conv;
    driver_defaults(&conv, 2);
    conv_put_sizes(t->field, &conv, flat);
    static const enum conv_source depths[] = {CONV_D, CONV_Z, CONV_PAD_D, CONV_STRIDE_D,
                                              CONV_DIL_D};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        const int f = t->field[depths[i]];
        if (is_seen(t, f) && t->problem[f] != flat[f])
            return 1;
    }
    return is_seen(t, layout)
           && strchr(field_of(t, layout)->tokens[t->problem[layout]], 'D') != NULL;
}

static void take_default(struct taking *t, int f, int64_t value, struct buf *taken)
{
    const kpred_field *field = field_of(t, f);
    if (value < field->least || value > field->most)
        return;
    t->problem[f] = (int32_t)value;
    t->seen |= UINT32_C(1) << f;
    buf_printf(taken, " %s=", field->name);
    if (field->tokens != NULL)
        buf_puts(taken, field->tokens[value]);
    else
        buf_printf(taken, "%" PRId64, value);
}

/* In the model's order; `taken` tells which. */
static void take_defaults(struct taking *t, struct buf *taken)
{
    const int dims = is_3d(t) ? 3 : 2, layout = t->field[CONV_LAYOUT];
    int64_t value[KPRED_MAX_FIELDS] = {0};
    struct conv conv;
    driver_defaults(&conv, dims);
    conv_put_sizes(t->field, &conv, value);
    if (layout >= 0)
        value[layout] = kpred_token(&t->model->m, (size_t)layout, conv_layout(&conv));
    /* The fields that make a convolution have none: MIOpenDriver's is but an example. */
    for (int f = 0; f < (int)t->model->m.n_fields; f++)
        for (int k = 0; k < CONV_N_SOURCES; k++)
            if (t->field[k] == f && !is_seen(t, f) && conv_sources[k].is_optional && k != CONV_GPU
                && !(k == CONV_D && dims == 3))
                take_default(t, f, value[f], taken);
}

static int check_missing(const struct taking *t)
{
    struct buf list = {NULL, 0, 0};
    unsigned n = 0;
    int bad = 0;
    for (int f = 0; f < (int)t->model->m.n_fields; f++)
        if (!is_seen(t, f))
            buf_printf(&list, "%s%s", n++ != 0 ? ", " : "", field_of(t, f)->name);
    if (n != 0)
        bad = fail("%s: field%s %s %s missing", t->model->m.name, as_counted(n, "", "s"), list.s,
                   as_counted(n, "is", "are"));
    buf_free(&list);
    return bad;
}

/* ---- all of it ---- */

/* Where each of a convolution's fields is, if the model is about one */
static void map_fields(struct taking *t)
{
    const struct spec *s = t->model->spec;
    int is_conv = s->format == SPEC_MIOPEN || s->format == SPEC_FIND_DB;
    for (size_t k = 0; k < CONV_N_SOURCES; k++) {
        t->field[k] = spec_field_index(s, conv_sources[k].name);
        is_conv &= t->field[k] >= 0 || conv_sources[k].is_optional;
    }
    for (size_t k = 0; k < CONV_N_SOURCES && !is_conv; k++)
        t->field[k] = -1;
}

int given_problem(const struct given *g, const struct model *model, int32_t *problem,
                  struct reason *why)
{
    struct taking t = {.given = g, .model = model, .problem = problem};
    const int32_t gpu = kpred_field_index(&model->m, "gpu");
    struct buf taken = {NULL, 0, 0};
    int rc = 0;
    map_fields(&t);
    for (size_t i = 0; i < g->fields.n && rc == 0; i++)
        rc = take_field(&t, g->fields.v[i]);
    if (rc == 0 && g->gpu != NULL)
        rc = gpu >= 0 ? take_value(&t, gpu, g->gpu)
                      : fail("%s: --gpu: the model has no field for it", model->m.name);
    if (rc == 0 && g->driver != NULL)
        rc = take_driver(&t, why);
    if (rc == 0 && t.field[CONV_DIR] >= 0)
        take_defaults(&t, &taken);
    if (rc == 0)
        rc = check_missing(&t);
    if (rc == 0 && taken.n != 0 && !g->is_quiet)
        note("not given, so as MIOpenDriver has it:%s", taken.s);
    buf_free(&taken);
    return rc;
}
