/* recipe.c - see recipe.h
   SPDX-License-Identifier: MIT */
#include "recipe.h"

#include "forest.h"

#include "base/numbers.h"
#include "ensemble.h"
#include "matrix.h"
#include "quantise.h"

#include <stdlib.h>
#include <string.h>

/* ---- the spec's numbers ---- */

struct number {
    const char *name;
    double least, most;
    size_t at; /* of the member */
};

#define RECIPE_NUMBER(name, normal, least, most) \
    {#name, least, most, offsetof(struct recipe, name)},
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
            return fail("%s:%ld: judge_gpus: \"%s\": is no token of the field gpu", spec->path,
                        line->line, word);
        r->judge_gpu[token] = 1;
        at += n;
    }
    return 0;
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
        return fail("%s:%ld: \"%.*s\": no such number of the network", spec->path, line->line,
                    (int)n, line->text);
    if (*value != '=')
        return fail("%s:%ld: %s: expected NAME = NUMBER", spec->path, line->line, to->name);
    double x = strtod(value + 1, &end);
    if (end == value + 1 || *end || !(x >= to->least && x <= to->most))
        return fail("%s:%ld: %s: \"%s\" is no number from %g to %g", spec->path, line->line,
                    to->name, value + 1, to->least, to->most);
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
    r->draws = 0; /* as many as lessons.h or time_targets.h says */
}

int recipe_from_spec(const struct spec *spec, struct recipe *out)
{
#define RECIPE_DEFAULT(name, normal, least, most) normal,
    static const struct recipe normal = {RECIPE_NUMBERS(RECIPE_DEFAULT)};
    *out = normal;
    if (spec->format == SPEC_TIMED)
        set_timed_defaults(out);
    for (size_t i = 0; i < spec->network.n; i++)
        if (set_number(spec, &spec->network.v[i], out))
            return -1;
    if ((int)out->encoder1 % 16 || (int)out->encoder2 % 16 || (int)out->hidden % 16)
        return fail("%s: encoder1, encoder2 and hidden must be multiples of 16", spec->path);
    if (out->judge_share > 0 && (spec->format != SPEC_FIND_DB || out->teachers < 1))
        return fail("%s: judge_share = %g: needs `format = find-db`, and teachers to stand beside",
                    spec->path, out->judge_share);
    return 0;
}

/* ---- rows ---- */

struct trainer {
    const struct recipe *recipe;
    const struct model *model;
    uint64_t seed;
    size_t n_threads;
    recipe_progress *progress;
    char what[32]; /* is being trained */
    size_t epochs; /* of it */
    size_t n_features, n_params;
    struct watch *watch; /* of the student, or NULL */
};

static void features_of(const struct trainer *t, const int32_t *problem, uint8_t *x)
{
    program_run(&t->model->program, problem, t->model->m.n_fields, x);
}

/* Features and labels of rows into x and y. */
static void copy_rows(const struct trainer *t, const struct recipe_rows *rows, uint8_t *x,
                      uint8_t *y)
{
    for (size_t i = 0; i < rows->n; i++)
        features_of(t, rows->problem + i * t->model->m.n_fields, x + i * t->n_features);
    memcpy(y, rows->target, rows->n * t->n_params);
}

/* A problem with some of its fields taken from another one. Bit f of `mask`: field f is. */
static void cross(const struct trainer *t, const int32_t *a, const int32_t *b, uint64_t mask,
                  int32_t *out)
{
    for (size_t f = 0; f < t->model->m.n_fields; f++)
        out[f] = (mask >> f & 1) ? b[f] : a[f];
}

/* A crossed problem to which the kernel applies; after some tries just a copy. */
static void draw_crossed(const struct trainer *t, const struct recipe_rows *rows, uint64_t *seed,
                         int32_t *out)
{
    const size_t n_fields = t->model->m.n_fields;
    for (int tries = 0; tries < 20; tries++) {
        const int32_t *a = rows->problem + num_draw(seed) % rows->n * n_fields;
        const int32_t *b = rows->problem + num_draw(seed) % rows->n * n_fields;
        const uint64_t mask = num_draw(seed) & num_draw(seed); /* each field with probability 1/4 */
        cross(t, a, b, tries < 19 ? mask : 0, out);
        if (!t->model->m.rule || t->model->m.rule(out, out, 0))
            return;
    }
}

size_t recipe_width(const struct model *model)
{
    size_t width = 0;
    for (size_t p = 0; p < model->m.n_params; p++)
        width += (size_t)model->params[p].n_values;
    return width;
}

/* ---- training ---- */

void recipe_nets_free(struct recipe_nets *nets)
{
    for (size_t i = 0; i < nets->n; i++)
        net_free(&nets->net[i]);
}

static void report(void *user, size_t epoch, double loss, double held_out)
{
    const struct trainer *t = user;
    if (t->progress)
        t->progress(t->what, epoch + 1, t->epochs, loss, held_out);
}

static struct net_dims dimensions(const struct trainer *t, double e1, double e2, double hidden)
{
    struct net_dims d = {t->n_features, (size_t)e1, (size_t)e2, (size_t)hidden, t->n_params, {0}};
    for (size_t p = 0; p < t->n_params; p++)
        d.n_values[p] = (size_t)t->model->params[p].n_values;
    return d;
}

static int train_one(struct trainer *t, const struct net_dims *d, const struct net_rows *rows,
                     const struct net_rows *held_out, const struct net_train_config *c,
                     double first_weights, struct net *out)
{
    t->epochs = c->epochs;
    if (net_new(out, d, t->model->m.name))
        return -1;
    net_init(out, c->seed);
    const struct net_block *first = &out->at.block[NET_W1];
    for (size_t i = 0; i < first->rows * first->cols; i++)
        out->w[first->at + i] *= (float)first_weights;
    net_train(out, rows, held_out, c, report, t);
    return 0;
}

/* What teachers and student have in common: the shape of the schedule, the average, the threads. */
static struct net_train_config common_config(const struct trainer *t)
{
    struct net_train_config c;
    memset(&c, 0, sizeof c);
    c.seed = t->seed;
    c.n_threads = t->n_threads;
    c.rate_end = 1e-5f;
    c.warm_up = 0.05f;
    c.average = (float)t->recipe->average;
    c.temperature = 1;
    return c;
}

/* A target falls `sharpness` times as fast as a time rises. */
static float regret_of(const struct recipe *r)
{
    return r->sharpness > 0 ? (float)(r->regret / r->sharpness) : 0;
}

static int train_teachers(struct trainer *t, const struct net_dims *d, const struct net_rows *rows,
                          const struct net_rows *held_out, struct net *teachers)
{
    const struct recipe *r = t->recipe;
    const size_t n = (size_t)r->teachers;
    struct net_train_config c = common_config(t);
    c.regret = regret_of(r);
    c.epochs = (size_t)r->teacher_epochs;
    c.batch = (size_t)r->teacher_batch;
    c.rate = (float)r->teacher_rate;
    c.weight_decay = (float)r->teacher_decay;
    c.drop_input = (float)r->teacher_drop_input;
    c.drop_encoder = (float)r->teacher_drop_encoder;
    c.drop_hidden = (float)r->teacher_drop_hidden;
    for (size_t i = 0; i < n; i++) {
        c.seed = t->seed + 1 + i;
        snprintf(t->what, sizeof t->what, "teacher %zu of %zu", i + 1, n);
        if (train_one(t, d, rows, held_out, &c, 1, &teachers[i]))
            return -1;
    }
    return 0;
}

int recipe_train_teachers(const struct recipe *recipe, const struct model *model, size_t n_features,
                          const struct net_rows *rows, uint64_t seed, size_t n_threads,
                          recipe_progress *progress, struct recipe_nets *out)
{
    struct trainer t = {recipe, model, seed, n_threads, progress, "", 0, n_features, 1, NULL};
    struct net_dims d =
        dimensions(&t, recipe->teacher_encoder1, recipe->teacher_encoder2, recipe->teacher_hidden);
    d.n_values[0] = 2;
    memset(out, 0, sizeof *out);
    out->n = (size_t)recipe->teachers;
    int bad = train_teachers(&t, &d, rows, NULL, out->net);
    if (bad)
        recipe_nets_free(out);
    return bad;
}

static int train_student(struct trainer *t, const struct net_rows *rows,
                         const struct net_rows *held_out, struct net *out)
{
    const struct recipe *r = t->recipe;
    const struct net_dims d = dimensions(t, r->encoder1, r->encoder2, r->hidden);
    struct net_train_config c = common_config(t);
    c.epochs = (size_t)r->epochs;
    c.batch = (size_t)r->batch;
    c.rounded_epochs = (size_t)r->rounded_epochs;
    c.temperature = (float)r->temperature;
    c.regret = regret_of(r);
    c.rate = (float)r->rate;
    c.weight_decay = (float)r->decay;
    c.drop_input = (float)r->drop_input;
    c.drop_encoder = (float)r->drop_encoder;
    c.drop_hidden = (float)r->drop_hidden;
    c.watch = t->watch;
    snprintf(t->what, sizeof t->what, "student");
    return train_one(t, &d, rows, held_out, &c, r->first_weights, out);
}

/* What the teachers leave to the values that the label tells apart: all, or of values that were
   tried and others (below 0) what those that were tried have. */
static float share_tried(const float *label, const float *target, size_t n_values)
{
    float share = 0;
    int all = 1;
    for (size_t v = 0; v < n_values; v++) {
        all &= label[v] >= 0.0f;
        share += label[v] >= 0.0f ? target[v] : 0.0f;
    }
    return all ? 1 : share;
}

/* Mixes the labels y of n rows into the teachers' means, or what is learnt in place of them. */
static void mix_labels(const struct trainer *t, const uint8_t *y, const float *soft, size_t n,
                       float *target)
{
    const float weight = (float)t->recipe->label_share;
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < t->n_params; p++) {
            const size_t n_values = (size_t)t->model->params[p].n_values;
            const float tried = soft ? share_tried(soft, target, n_values) : 1;
            for (size_t v = 0; v < n_values; v++, target++) {
                const float label = soft ? *soft++ : (float)(v == y[i * t->n_params + p]);
                if (label >= 0.0f)
                    *target = (1 - weight) * *target + weight * tried * label;
            }
        }
}

/* Fills in what follows the first rows->n of x: the same again, then crossed problems. The problems
   of all rows */
static int32_t *multiply_rows(const struct trainer *t, const struct recipe_rows *rows, uint8_t *x,
                              size_t total)
{
    const size_t again = rows->n * (size_t)t->recipe->redrawn, n_fields = t->model->m.n_fields;
    uint64_t seed = t->seed ^ UINT64_C(0x637265737365640a);
    int32_t *problem = xcalloc(total * n_fields + 1, sizeof *problem);
    memcpy(problem, rows->problem, rows->n * n_fields * sizeof *problem);
    for (size_t i = rows->n; i < total; i++) {
        int32_t *to = problem + i * n_fields;
        if (i < rows->n + again) {
            memcpy(to, problem + i % rows->n * n_fields, n_fields * sizeof *problem);
            memcpy(x + i * t->n_features, x + i % rows->n * t->n_features, t->n_features);
        } else {
            draw_crossed(t, rows, &seed, to);
            features_of(t, to, x + i * t->n_features);
        }
    }
    return problem;
}

/* Is a row narrow (data.h)? Its target says that a value of the first parameter was not tried. */
static uint8_t *narrow_flags(const struct trainer *t, const float *soft, size_t n)
{
    const size_t width = recipe_width(t->model), values = (size_t)t->model->params[0].n_values;
    uint8_t *narrow = xcalloc(n, 1);
    for (size_t i = 0; soft && i < n; i++)
        for (size_t v = 0; v < values; v++)
            narrow[i] |= soft[i * width + v] < 0.0f;
    return narrow;
}

/* A forest of the first n rows has its say on all of them. */
static void ask_forest(const struct trainer *t, const struct net_dims *d,
                       const struct net_rows *all, size_t n, const float *soft, float *target)
{
    struct net_rows own = *all;
    own.n = n;
    uint8_t *narrow = narrow_flags(t, soft, n);
    struct forest *f = forest_new(d, &own, narrow, (size_t)t->recipe->trees, t->seed, t->n_threads);
    forest_mix(f, all, n * (size_t)(1 + t->recipe->redrawn), (float)t->recipe->tree_share,
               t->n_threads, target);
    forest_free(f);
    free(narrow);
}

struct mixing {
    const struct trainer *t;
    const struct recipe_rows *rows;
    const int32_t *problem;
    size_t total, width;
    float *target;
};

static void mix_some(void *user, size_t shard)
{
    const struct mixing *m = user;
    for (size_t i = shard; i < m->total; i += NET_SHARDS)
        m->rows->mix(m->rows->mixer, m->problem + i * m->t->model->m.n_fields,
                     m->target + i * m->width);
}

/* Who teaches beside the networks has a say on every row. */
static void mix_opinions(const struct trainer *t, const struct recipe_rows *rows,
                         const int32_t *problem, size_t total, float *target)
{
    struct mixing m = {t, rows, problem, total, recipe_width(t->model), target};
    struct pool *pool = pool_new(t->n_threads);
    pool_run(pool, mix_some, &m, NET_SHARDS);
    pool_free(pool);
}

/* The teachers' opinion on every row: of the first n given their labels, which are mixed in; of the
   others on the way to values drawn from it. */
static void ask_teachers(const struct trainer *t, const struct net *teachers, size_t n,
                         size_t total, const uint8_t *x, uint8_t *y, const float *soft,
                         float *target)
{
    const size_t n_teachers = (size_t)t->recipe->teachers;
    const struct net_dims *d = &teachers[0].dims;
    uint64_t *draws = xcalloc(total, sizeof *draws), seed = t->seed + 1000;
    struct net_rows first;
    memset(&first, 0, sizeof first);
    first.n = n;
    first.x = x;
    first.y = y;
    struct net_rows rest = first;
    rest.n = total - n;
    rest.x = x + n * t->n_features;
    rest.y = y + n * t->n_params;
    for (size_t i = 0; i < total; i++)
        draws[i] = num_draw(&seed);
    net_ensemble(teachers, n_teachers, &first, y, NULL, t->n_threads, target);
    if (rest.n)
        net_ensemble(teachers, n_teachers, &rest, y + n * t->n_params, draws, t->n_threads,
                     target + n * net_target_width(d));
    free(draws);
    if (t->recipe->trees >= 1) {
        rest = first;
        rest.n = total;
        ask_forest(t, d, &rest, n, soft, target);
    }
}

/* Steps 2 and 3. x and y have room for `total` rows, of which the first rows->n are filled in. */
static int distil(struct trainer *t, const struct recipe_rows *rows, const struct net *teachers,
                  uint8_t *x, uint8_t *y, size_t total, const struct net_rows *held_out,
                  struct net *out)
{
    float *target = xmalloc(total * net_target_width(&teachers[0].dims) * sizeof *target);
    struct net_rows all;
    memset(&all, 0, sizeof all);
    all.n = total;
    all.x = x;
    all.y = y;
    all.target = target;
    all.timed = rows->soft;
    all.n_timed = rows->soft ? rows->n : 0;
    int32_t *problem = multiply_rows(t, rows, x, total);
    ask_teachers(t, teachers, rows->n, total, x, y, rows->soft, target);
    if (rows->mix)
        mix_opinions(t, rows, problem, total, target);
    mix_labels(t, y, rows->soft, rows->n, target);
    free(problem);
    int bad = train_student(t, &all, held_out, out);
    free(target);
    return bad;
}

static int run(struct trainer *t, const struct recipe_rows *rows, uint8_t *x, uint8_t *y,
               size_t total, const struct net_rows *held_out, struct recipe_nets *out)
{
    const struct net_dims d = dimensions(t, t->recipe->teacher_encoder1,
                                         t->recipe->teacher_encoder2, t->recipe->teacher_hidden);
    struct net_rows labels;
    memset(&labels, 0, sizeof labels);
    labels.n = rows->n;
    labels.x = x;
    labels.y = y;
    labels.target = labels.timed = rows->soft;
    labels.n_timed = rows->soft ? rows->n : 0;
    if (t->recipe->teachers < 1)
        return train_student(t, &labels, held_out, out->net);
    return train_teachers(t, &d, &labels, held_out, out->net + 1)
           || distil(t, rows, out->net + 1, x, y, total, held_out, out->net);
}

static double loss_of(const struct net *rounded, const struct net_rows *rows)
{
    return rows->n ? net_loss(rounded, rows, 1, 0, 1, NULL) / (double)rows->n : 0;
}

/* Of the network as it will be rounded */
static void set_losses(struct recipe_nets *nets, const struct net_rows *rows,
                       const struct net_rows *held_out)
{
    struct net_exponents k;
    struct net rounded;
    if (net_new(&rounded, &nets->net[0].dims, "")) /* there is one of these dimensions */
        return;
    net_choose_exponents(nets->net, &k);
    net_round(nets->net, &k, &rounded);
    nets->losses.train = loss_of(&rounded, rows);
    nets->losses.held_out = loss_of(&rounded, held_out);
    net_free(&rounded);
}

/* Features and labels of rows, as networks read them. `copies`: room for so many of each */
static struct net_rows rows_of(const struct trainer *t, const struct recipe_rows *rows,
                               size_t copies, uint8_t **x, uint8_t **y)
{
    struct net_rows to;
    *x = xcalloc(rows->n * copies + 1, t->n_features);
    *y = xcalloc(rows->n * copies + 1, t->n_params);
    copy_rows(t, rows, *x, *y);
    memset(&to, 0, sizeof to);
    to.n = rows->n;
    to.x = *x;
    to.y = *y;
    to.target = rows->soft;
    return to;
}

/* A watch over rows with octaves; end: room for an end of each */
static struct watch *watch_over(const struct trainer *t, const struct recipe_rows *rows,
                                const struct net_rows *as_read, size_t *end)
{
    const size_t n_fields = t->model->m.n_fields;
    struct watch_rows watched = {rows->n, 0, as_read->x, as_read->y, rows->octaves, end};
    for (size_t i = 1; i <= rows->n; i++)
        if (i == rows->n
            || memcmp(rows->problem + (i - 1) * n_fields, rows->problem + i * n_fields,
                      n_fields * sizeof *rows->problem))
            end[watched.n_problems++] = i;
    return watch_new(&watched);
}

int recipe_train(const struct recipe *recipe, const struct model *model,
                 const struct recipe_rows *rows, const struct recipe_rows *held_out, uint64_t seed,
                 size_t n_threads, recipe_progress *progress, struct recipe_nets *out)
{
    const size_t n_features = (model->program.n_features + 15) / 16 * 16;
    const size_t times = recipe->teachers < 1 ? 1 : (size_t)(1 + recipe->redrawn + recipe->crossed);
    struct trainer t = {recipe, model, seed,       n_threads,         progress,
                        "",     0,     n_features, model->m.n_params, NULL};
    uint8_t *x, *y, *held_x, *held_y;
    const struct net_rows own = rows_of(&t, rows, times, &x, &y);
    struct net_rows held = rows_of(&t, held_out, 1, &held_x, &held_y);
    size_t *end = xcalloc(held.n + 1, sizeof *end);
    if (held_out->octaves && held.n) {
        t.watch = watch_over(&t, held_out, &held, end);
        held.n = 0;
    }
    memset(out, 0, sizeof *out);
    out->n = 1 + (size_t)recipe->teachers;
    int bad = run(&t, rows, x, y, rows->n * times, held.n ? &held : NULL, out);
    if (!bad && t.watch)
        out->losses.watched = watch_choose(t.watch, out->net);
    if (bad)
        recipe_nets_free(out);
    else
        set_losses(out, &own, &held);
    watch_free(t.watch);
    free(end);
    free(x);
    free(y);
    free(held_x);
    free(held_y);
    return bad;
}
