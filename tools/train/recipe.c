/* recipe.c - the numbers of a spec's section [network], and the networks that they make
   SPDX-License-Identifier: MIT */
#include "recipe.h"

#include "model/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the spec's numbers ---- */

struct number {
    const char *name;
    double least, most;
    int step;
    size_t at; /* of the member */
};

#define RECIPE_NUMBER(name, normal, least, most, step) \
    {#name, least, most, step, offsetof(struct recipe, name)},
static const struct number numbers[] = {RECIPE_NUMBERS(RECIPE_NUMBER)};

static const struct number *find_number(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == n && !strncmp(numbers[i].name, name, n))
            return &numbers[i];
    return NULL;
}

static int set_gpus(const struct spec *spec, const struct spec_line *line, struct recipe *r)
{
    const int field = spec_field_index(spec, "gpu");
    const char *at = line->text + strcspn(line->text, "=");
    char word[64];
    for (at += strspn(at, "= \t"); *at; at += strspn(at, " \t")) {
        const size_t n = strcspn(at, " \t");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        const int token = field < 0 ? -1 : spec_token(&spec->fields[field], word);
        if (token < 0)
            return fail("%s:%ld: judge_gpus: value \"%s\": is not a token of the field gpu",
                        spec->path, line->line, word);
        r->judge_gpu[token] = 1;
        at += n;
    }
    return 0;
}

/* fail() for a name that is none of theirs */
static int fail_number(const struct spec *spec, const struct spec_line *line, size_t n)
{
    struct buf known = {NULL, 0, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        buf_printf(&known, "%s, ", numbers[i].name);
    fail("%s:%ld: \"%.*s\": no such number of the network; known are %sjudge_gpus", spec->path,
         line->line, (int)(n < 60 ? n : 60), line->text, known.s);
    buf_free(&known);
    return -1;
}

static int fail_value(const struct spec *spec, const struct spec_line *line,
                      const struct number *to, const char *value)
{
    const char *what = to->step > 1 ? "a multiple of 16" : to->step ? "an integer" : "a number";
    return fail("%s:%ld: %s: value \"%.60s\": is not %s from %g to %g", spec->path, line->line,
                to->name, value, what, to->least, to->most);
}

static int set_number(const struct spec *spec, const struct spec_line *line, struct recipe *r)
{
    const size_t n = strcspn(line->text, " \t=");
    if (n == strlen("judge_gpus") && !strncmp(line->text, "judge_gpus", n))
        return set_gpus(spec, line, r);
    const struct number *to = find_number(line->text, n);
    const char *value = line->text + n + strspn(line->text + n, " \t");
    char *end;
    if (!to)
        return fail_number(spec, line, n);
    if (*value != '=')
        return fail("%s:%ld: %s: expected NAME = NUMBER", spec->path, line->line, to->name);
    value += 1 + strspn(value + 1, " \t");
    const double x = strtod(value, &end);
    if (end == value || *end || !(x >= to->least && x <= to->most)
        || (to->step != 0 && (x > (double)(long)x || (long)x % to->step != 0)))
        return fail_value(spec, line, to, value);
    memcpy((char *)r + to->at, &x, sizeof x);
    return 0;
}

/* For a table of a user's kernel, which may have five problems or five thousand: training takes a
   minute or two of one core whatever the table, and what is learnt of problems that were timed in
   part goes for others. Of many thousand tuples the slow ones have more odds than the few fast
   ones unless these fall steeply, and the more steeply the less the times differ. */
static void set_timed_defaults(struct recipe *r)
{
    r->teachers = 2;
    r->teacher_epochs = 30;
    r->crossed = 1;
    r->sharpness = 16;
    r->perplexity = 64;
    r->judge_trees = 1;
    r->first_weights = 0.4; /* of few problems, features that matter little stay little */
    r->judged = 700;
    r->draws = 0; /* as many as timed.h says */
}

int recipe_from_spec(const struct spec *spec, struct recipe *out)
{
#define RECIPE_DEFAULT(name, normal, least, most, step) normal,
    static const struct recipe normal = {RECIPE_NUMBERS(RECIPE_DEFAULT){0}};
    *out = normal;
    if (spec->format == SPEC_TIMED)
        set_timed_defaults(out);
    for (size_t i = 0; i < spec->network.n; i++)
        if (set_number(spec, &spec->network.v[i], out))
            return -1;
    if (out->judge_share > 0 && (spec->format != SPEC_FIND_DB || out->teachers < 1))
        return fail("%s: judge_share = %g: needs `format = find-db`, and teachers to stand beside",
                    spec->path, out->judge_share);
    return 0;
}

/* ---- the networks ---- */

size_t recipe_width(const struct model *model)
{
    size_t width = 0;
    for (size_t p = 0; p < model->m.n_params; p++)
        width += (size_t)model->params[p].n_values;
    return width;
}

void recipe_nets_free(struct recipe_nets *nets)
{
    for (size_t i = 0; i < nets->n; i++)
        net_free(&nets->net[i]);
}

void float_file_beside(const char *header, struct buf *path)
{
    const int n = (int)strlen(header) - (ends_with(header, ".h") ? 2 : 0);
    buf_printf(path, "%.*s.f32", n, header);
}

/* The header of a built-in model, which may be called by other names, lies in weights/. */
static void find_beside(const char *header, const struct model *model, struct buf *path)
{
    struct buf in_weights = {NULL, 0, 0};
    buf_printf(&in_weights, "weights/%s", model->m.name);
    float_file_beside(strchr(header, '/') || strchr(header, '.') ? header : in_weights.s, path);
    buf_free(&in_weights);
}

void float_file_write(const struct model *model, const struct recipe_nets *nets, FILE *f)
{
    net_save(nets->net, nets->n, runtime_net_id(&model->m), f);
}

int float_file_read(const char *header, const struct model *model, struct recipe_nets *nets)
{
    struct buf path = {NULL, 0, 0};
    uint64_t id = 0;
    find_beside(header, model, &path);
    int bad =
        access(path.s, R_OK)
            ? fail("%s: no such file: `kpred-train train %s.spec --split %s ... -o FILE.h` writes "
                   "it; for the shipped models `make weights`",
                   path.s, model->m.name, model->m.split)
            : net_load(nets->net, RECIPE_MAX_NETS, path.s, &nets->n, &id);
    if (!bad && id != runtime_net_id(&model->m)) {
        recipe_nets_free(nets);
        bad = fail("%s: the floats of another network than that of %s", path.s, header);
    }
    buf_free(&path);
    return bad;
}
