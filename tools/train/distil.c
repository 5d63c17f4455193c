/* distil.c - training by a recipe: teachers, the rows that they label, the student, see recipe.h
   SPDX-License-Identifier: MIT */
#include "recipe.h"

#include "base/numbers.h"
#include "matrix.h"
#include "trees.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

struct trainer {
    const struct recipe *recipe;
    const struct model *model;
    const struct recipe_task *task;
    char what[32]; /* is being trained */
    size_t epochs; /* of it */
    size_t n_features, n_params;
    struct watch *watch; /* of the student, or NULL */
};

static void features_of(const struct trainer *t, const int32_t *problem, uint8_t *x)
{
    program_run(&t->model->program, problem, t->model->m.n_fields, x);
}

/* Rows as networks read them: features and labels of the first rows->n, and room behind them */
struct material {
    const struct recipe_rows *rows;
    size_t room;
    uint8_t *x, *y;
};

static struct material read_rows(const struct trainer *t, const struct recipe_rows *rows,
                                 size_t times)
{
    struct material m = {rows, rows->n * times, NULL, NULL};
    m.x = xcalloc(m.room + 1, t->n_features);
    m.y = xcalloc(m.room + 1, t->n_params);
    for (size_t i = 0; i < rows->n; i++)
        features_of(t, rows->problem + i * t->model->m.n_fields, m.x + i * t->n_features);
    memcpy(m.y, rows->target, rows->n * t->n_params);
    return m;
}

static void free_material(struct material *m)
{
    free(m->x);
    free(m->y);
}

/* Some of them, to be asked about */
static struct net_rows some_of(const struct trainer *t, const struct material *m, size_t first,
                               size_t n)
{
    return (struct net_rows){
        .n = n, .x = m->x + first * t->n_features, .y = m->y + first * t->n_params};
}

/* The first n, to learn these targets from */
static struct net_rows to_learn(const struct trainer *t, const struct material *m, size_t n,
                                const float *target)
{
    struct net_rows learnt = some_of(t, m, 0, n);
    learnt.target = target;
    learnt.timed = m->rows->soft;
    learnt.n_timed = m->rows->soft ? m->rows->n : 0;
    return learnt;
}

/* A problem with some of its fields taken from another one, to which the kernel applies; after some
   tries just a copy. */
static void draw_crossed(const struct trainer *t, const struct recipe_rows *rows, uint64_t *seed,
                         int32_t *out)
{
    const size_t n_fields = t->model->m.n_fields;
    for (int tries = 0; tries < 20; tries++) {
        const int32_t *a = rows->problem + num_draw(seed) % rows->n * n_fields;
        const int32_t *b = rows->problem + num_draw(seed) % rows->n * n_fields;
        const uint64_t mask = num_draw(seed) & num_draw(seed); /* each field with probability 1/4 */
        for (size_t f = 0; f < n_fields; f++)
            out[f] = tries < 19 && (mask >> f & 1) ? b[f] : a[f];
        if (!t->model->m.rule || t->model->m.rule(out, out, 0))
            return;
    }
}

/* ---- training ---- */

static void distil_report(void *user, size_t epoch, double loss, double held_out)
{
    const struct trainer *t = user;
    if (t->task->progress)
        t->task->progress(t->what, epoch + 1, t->epochs, loss, held_out);
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
    net_train(out, rows, held_out, c, distil_report, t);
    return 0;
}

/* The numbers that the spec sets of teachers and of the student */
struct schooling {
    double epochs, batch, rate, decay, drop_input, drop_encoder, drop_hidden;
};

/* In common they have the shape of the schedule, the average, the threads. A target falls
   `sharpness` times as fast as a time rises. */
static struct net_train_config config_of(const struct trainer *t, const struct schooling *s)
{
    const struct recipe *r = t->recipe;
    return (struct net_train_config){
        .seed = t->task->seed,
        .epochs = (size_t)s->epochs,
        .batch = (size_t)s->batch,
        .n_threads = t->task->n_threads,
        .rate = (float)s->rate,
        .rate_end = 1e-5f,
        .warm_up = 0.05f,
        .weight_decay = (float)s->decay,
        .temperature = 1,
        .regret = r->sharpness > 0 ? (float)(r->regret / r->sharpness) : 0,
        .drop_input = (float)s->drop_input,
        .drop_encoder = (float)s->drop_encoder,
        .drop_hidden = (float)s->drop_hidden,
        .average = (float)r->average,
    };
}

static int train_teachers(struct trainer *t, const struct net_dims *d, const struct net_rows *rows,
                          const struct net_rows *held_out, struct net *teachers)
{
    const struct recipe *r = t->recipe;
    const struct schooling schooling = {
        r->teacher_epochs,     r->teacher_batch,        r->teacher_rate,       r->teacher_decay,
        r->teacher_drop_input, r->teacher_drop_encoder, r->teacher_drop_hidden};
    const size_t n = (size_t)r->teachers;
    struct net_train_config c = config_of(t, &schooling);
    for (size_t i = 0; i < n; i++) {
        c.seed = t->task->seed + 1 + i;
        snprintf(t->what, sizeof t->what, "teacher %zu of %zu", i + 1, n);
        if (train_one(t, d, rows, held_out, &c, 1, &teachers[i]))
            return -1;
    }
    return 0;
}

static struct net_dims dimensions_of_teachers(const struct trainer *t)
{
    const struct recipe *r = t->recipe;
    return dimensions(t, r->teacher_encoder1, r->teacher_encoder2, r->teacher_hidden);
}

int recipe_train_teachers(const struct recipe_task *task, size_t n_features,
                          const struct net_rows *rows, struct recipe_nets *out)
{
    struct trainer t = {task->recipe, task->model, task, "", 0, n_features, 1, NULL};
    struct net_dims d = dimensions_of_teachers(&t);
    d.n_values[0] = 2;
    memset(out, 0, sizeof *out);
    out->n = (size_t)task->recipe->teachers;
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
    const struct schooling schooling = {r->epochs,     r->batch,        r->rate,       r->decay,
                                        r->drop_input, r->drop_encoder, r->drop_hidden};
    struct net_train_config c = config_of(t, &schooling);
    c.rounded_epochs = (size_t)r->rounded_epochs;
    c.temperature = (float)r->temperature;
    c.watch = t->watch;
    snprintf(t->what, sizeof t->what, "network");
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

/* Fills in what follows the first rows of x: the same again, then crossed problems. The problems of
   all rows */
static int32_t *multiply_rows(const struct trainer *t, const struct material *m)
{
    const struct recipe_rows *rows = m->rows;
    const size_t again = rows->n * (size_t)t->recipe->redrawn, n_fields = t->model->m.n_fields;
    uint64_t seed = t->task->seed ^ UINT64_C(0x637265737365640a);
    int32_t *problem = xcalloc(m->room * n_fields + 1, sizeof *problem);
    memcpy(problem, rows->problem, rows->n * n_fields * sizeof *problem);
    for (size_t i = rows->n; i < m->room; i++) {
        int32_t *to = problem + i * n_fields;
        uint8_t *x = m->x + i * t->n_features;
        if (i < rows->n + again) {
            memcpy(to, problem + i % rows->n * n_fields, n_fields * sizeof *problem);
            memcpy(x, m->x + i % rows->n * t->n_features, t->n_features);
        } else {
            draw_crossed(t, rows, &seed, to);
            features_of(t, to, x);
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

/* A forest of the first n rows has its say on all. */
static void ask_forest(const struct trainer *t, const struct net_dims *d,
                       const struct net_rows *all, size_t n, const float *soft, float *target)
{
    const struct recipe *r = t->recipe;
    struct net_rows own = *all;
    own.n = n;
    uint8_t *narrow = narrow_flags(t, soft, n);
    struct forest *f =
        forest_new(d, &own, narrow, (size_t)r->trees, t->task->seed, t->task->n_threads);
    forest_mix(f, all, n * (size_t)(1 + r->redrawn), (float)r->tree_share, t->task->n_threads,
               target);
    forest_free(f);
    free(narrow);
}

/* Boosted trees of the first n rows have theirs on the rows that do not repeat these. */
static void ask_chain(const struct trainer *t, const struct net_dims *d, const struct net_rows *all,
                      size_t n, float *target)
{
    const struct recipe *r = t->recipe;
    const size_t first = n * (size_t)(1 + r->redrawn);
    struct chain c = {
        d, *all, *all, (size_t)r->boosted_rounds, (float)r->boosted_share, t->task->seed};
    c.known.n = n;
    c.asked.n -= first;
    c.asked.x += first * d->n_features;
    c.asked.y += first * d->n_params;
    chain_mix(&c, t->task->n_threads, target + first * net_target_width(d));
}

static void ask_trees(const struct trainer *t, const struct net_dims *dims,
                      const struct material *m, const int32_t *problem, float *target)
{
    const size_t n = m->rows->n;
    struct net_dims d = *dims;
    struct tree_problems of = {&t->model->program, problem, t->model->m.n_fields, m->room, n, m->x,
                               t->n_features};
    uint8_t *x = tree_inputs(&of, &d.n_features);
    struct net_rows all = some_of(t, m, 0, m->room);
    all.x = x;
    if (t->recipe->trees >= 1)
        ask_forest(t, &d, &all, n, m->rows->soft, target);
    if (t->recipe->boosted_rounds >= 1)
        ask_chain(t, &d, &all, n, target);
    free(x);
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
    struct pool *pool = pool_new(t->task->n_threads);
    pool_run(pool, mix_some, &m, NET_SHARDS);
    pool_free(pool);
}

/* The teachers' opinion on every row: of those given their labels, which are mixed in; of the
   others on the way to values drawn from it. */
static void ask_teachers(const struct trainer *t, const struct net *teachers,
                         const struct material *m, const int32_t *problem, float *target)
{
    const size_t n_teachers = (size_t)t->recipe->teachers, n = m->rows->n, rest = m->room - n;
    const struct net_dims *d = &teachers[0].dims;
    const struct net_rows own = some_of(t, m, 0, n), others = some_of(t, m, n, rest);
    uint64_t *draws = xcalloc(m->room, sizeof *draws), seed = t->task->seed + 1000;
    for (size_t i = 0; i < m->room; i++)
        draws[i] = num_draw(&seed);
    net_ensemble(teachers, n_teachers, &own, m->y, NULL, t->task->n_threads, target);
    if (rest)
        net_ensemble(teachers, n_teachers, &others, m->y + n * t->n_params, draws,
                     t->task->n_threads, target + n * net_target_width(d));
    free(draws);
    if (t->recipe->trees >= 1 || t->recipe->boosted_rounds >= 1)
        ask_trees(t, d, m, problem, target);
}

/* By how many bits a problem the student is behind its teachers where no label helps it, on the
   crossed problems: the loss of its answers less that of their own */
static double gap_to_teachers(const struct trainer *t, const struct material *m,
                              const struct net_rows *all, const struct net *student)
{
    const size_t first = m->rows->n * (size_t)(1 + t->recipe->redrawn), n = m->room - first;
    const size_t width = net_target_width(&student->dims);
    struct net_rows crossed = some_of(t, m, first, n);
    crossed.target = all->target + first * width;
    double own = 0;
    for (size_t i = 0; i < n * width; i++) {
        const double p = (double)crossed.target[i];
        own -= p > 0 ? p * num_log2(p) : 0;
    }
    const double loss = net_loss(student, &crossed, (float)t->recipe->temperature, 0, 0, NULL);
    return n ? (loss - own) / (double)n : 0;
}

/* Steps 2 and 3; gap: see recipe_losses */
static int distil(struct trainer *t, const struct material *m, const struct net *teachers,
                  const struct net_rows *held_out, struct net *out, double *gap)
{
    const struct recipe_rows *rows = m->rows;
    float *target = xmalloc(m->room * net_target_width(&teachers[0].dims) * sizeof *target);
    const struct net_rows all = to_learn(t, m, m->room, target);
    int32_t *problem = multiply_rows(t, m);
    ask_teachers(t, teachers, m, problem, target);
    if (rows->mix)
        mix_opinions(t, rows, problem, m->room, target);
    mix_labels(t, m->y, rows->soft, rows->n, target);
    free(problem);
    int bad = train_student(t, &all, held_out, out);
    *gap = bad ? 0 : gap_to_teachers(t, m, &all, out);
    free(target);
    return bad;
}

static int distil_run(struct trainer *t, const struct material *m, const struct net_rows *held_out,
                      struct recipe_nets *out)
{
    const struct net_dims d = dimensions_of_teachers(t);
    const struct net_rows labels = to_learn(t, m, m->rows->n, m->rows->soft);
    if (t->recipe->teachers < 1)
        return train_student(t, &labels, held_out, out->net);
    return train_teachers(t, &d, &labels, held_out, out->net + 1)
           || distil(t, m, out->net + 1, held_out, out->net, &out->losses.behind);
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

/* A watch over rows with octaves; end: room for an end of each */
static struct watch *watch_over(const struct trainer *t, const struct material *m, size_t *end)
{
    const struct recipe_rows *rows = m->rows;
    const size_t n_fields = t->model->m.n_fields;
    const int errors = rows->is_exact ? WATCH_EXACT_ERRORS : WATCH_ERRORS;
    struct watch_rows watched = {rows->n, 0, m->x, m->y, rows->octaves, end, errors};
    for (size_t i = 1; i <= rows->n; i++)
        if (i == rows->n
            || memcmp(rows->problem + (i - 1) * n_fields, rows->problem + i * n_fields,
                      n_fields * sizeof *rows->problem))
            end[watched.n_problems++] = i;
    return watch_new(&watched);
}

int recipe_train(const struct recipe_task *task, const struct recipe_rows *rows,
                 const struct recipe_rows *held_out, struct recipe_nets *out)
{
    const struct recipe *r = task->recipe;
    const size_t n_features = (task->model->program.n_features + 15) / 16 * 16;
    struct trainer t = {r, task->model, task, "", 0, n_features, task->model->m.n_params, NULL};
    struct material own =
        read_rows(&t, rows, r->teachers < 1 ? 1 : (size_t)(1 + r->redrawn + r->crossed));
    struct material kept = read_rows(&t, held_out, 1);
    struct net_rows held = to_learn(&t, &kept, held_out->n, held_out->soft);
    const struct net_rows labels = to_learn(&t, &own, rows->n, rows->soft);
    size_t *end = xcalloc(held.n + 1, sizeof *end);
    if (held_out->octaves && held.n) {
        t.watch = watch_over(&t, &kept, end);
        held.n = 0;
    }
    memset(out, 0, sizeof *out);
    out->n = 1 + (size_t)r->teachers;
    int bad = distil_run(&t, &own, held.n ? &held : NULL, out);
    if (!bad && t.watch)
        out->losses.watched = watch_choose(t.watch, out->net);
    if (bad)
        recipe_nets_free(out);
    else
        set_losses(out, &labels, &held);
    watch_free(t.watch);
    free(end);
    free_material(&own);
    free_material(&kept);
    return bad;
}
