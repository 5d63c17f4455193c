/* time_targets.c - timed problems: what rows aim at, how many there are, problems between them
   SPDX-License-Identifier: MIT */
#include "timed.h"

#include "base/numbers.h"
#include "data/split.h"

#include <stdlib.h>
#include <string.h>

static const int32_t *problem_of(const struct dataset *d, size_t row)
{
    return d->problem + row * d->n_fields;
}

static const unsigned char *target_of(const struct dataset *d, size_t row)
{
    return d->target + row * d->n_params;
}

int timed_can_return(const struct model *model, const struct dataset *d, size_t row)
{
    return data_is_known(d, row) && model_allows(model, problem_of(d, row), target_of(d, row));
}

size_t timed_problems(const struct dataset *d, const unsigned char *part, int32_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (!part[i])
            memcpy(out + n++ * d->n_fields, problem_of(d, i), d->n_fields * sizeof *out);
    return n;
}

void timed_append(const struct dataset *d, const int32_t *problem, const unsigned char *target,
                  struct recipe_rows *to)
{
    memcpy(to->problem + to->n * d->n_fields, problem, d->n_fields * sizeof *problem);
    memcpy(to->target + to->n * d->n_params, target, d->n_params);
    to->n++;
}

/* Draws beyond a few for each option say the same again, but a network needs many steps. */
size_t time_targets_draws(const struct recipe *recipe, const struct dataset *d)
{
    enum { LEAST_DRAWS = 4 };
    if (recipe->draws >= 1)
        return (size_t)recipe->draws;
    const size_t problems = data_count_problems(d);
    const size_t enough = 4 * d->n / problems, least = RECIPE_DRAWN / 4 / problems;
    size_t draws = RECIPE_DRAWN / problems;
    draws = draws < enough ? draws : enough > least ? enough : least;
    return draws > LEAST_DRAWS ? draws : LEAST_DRAWS;
}

/* ---- the options of one problem ---- */

struct options {
    const struct dataset *d;
    size_t first, n;
    double *odds;       /* n, not of sum 1; 0: no option for the model */
    unsigned char *out; /* n: has not the values that are decided */
};

/* An option that was timed has odds, be it slow: what has none is unknown to the regret. Floats
   hold them after all are made to sum to 1. */
#define LEAST (-110.0)

/* Of how many equal options the odds are worth as much */
static double perplexity_of(const struct options *o, double sharpness, double best)
{
    double sum = 0, octaves = 0;
    for (size_t i = 0; i < o->n; i++)
        if (o->odds[i] > 0) {
            sum += o->odds[i];
            octaves += o->odds[i] * sharpness * num_log2(best / o->d->time_us[o->first + i]);
        }
    return (double)num_exp2((float)(num_log2(sum) - octaves / sum));
}

static void set_sharp_odds(struct options *o, double sharpness, double best)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->odds[i] > 0) {
            const double octaves = sharpness * num_log2(best / o->d->time_us[o->first + i]);
            o->odds[i] = (double)num_exp2((float)(octaves > LEAST ? octaves : LEAST));
        }
}

/* Are there any? The times of one kernel differ tenfold, of another by a percent: where too many
   options share the odds, these fall more steeply. */
static int set_odds(struct options *o, const struct model *model, const struct recipe *r)
{
    enum { MOST_DOUBLINGS = 3 };
    double sharpness = r->sharpness;
    for (size_t i = 0; i < o->n; i++)
        o->odds[i] = timed_can_return(model, o->d, o->first + i);
    const double best = data_best_time(o->d, o->first, o->n, o->odds);
    if (!(best > 0))
        return 0;
    set_sharp_odds(o, sharpness, best);
    for (int i = 0; i < MOST_DOUBLINGS && r->perplexity > 0
                    && perplexity_of(o, sharpness, best) > r->perplexity;
         i++) {
        sharpness *= 2;
        set_sharp_odds(o, sharpness, best);
    }
    return 1;
}

/* Draws an option by its odds; if there is one parameter, the first of the best ones. */
static size_t draw(const struct options *o, uint64_t *seed)
{
    double all = 0;
    size_t last = 0;
    for (size_t i = 0; i < o->n; i++)
        all += o->odds[i];
    double at = all * ((double)(num_draw(seed) >> 11) / (double)(UINT64_C(1) << 53));
    for (size_t i = 0; i < o->n; i++)
        if (o->odds[i] > 0) {
            last = i;
            at -= o->odds[i];
            if (at < 0)
                break;
        }
    return last;
}

static size_t best_of(const struct options *o)
{
    size_t best = 0;
    for (size_t i = 1; i < o->n; i++)
        if (o->odds[i] > o->odds[best])
            best = i;
    return best;
}

/* Distributions of all parameters on the way to the values y. */
static void put_distributions(struct options *o, const struct model *model, const unsigned char *y,
                              float *soft)
{
    memset(o->out, 0, o->n);
    for (size_t p = 0; p < o->d->n_params; p++) {
        const size_t n_values = (size_t)model->params[p].n_values;
        double sum[KPRED_MAX_VALUES] = {0}, all = 0;
        for (size_t i = 0; i < o->n; i++)
            if (o->odds[i] > 0 && !o->out[i]) {
                const unsigned char v = target_of(o->d, o->first + i)[p];
                sum[v] += o->odds[i];
                all += o->odds[i];
                o->out[i] = v != y[p];
            }
        for (size_t i = 0; i < n_values; i++)
            *soft++ = (float)(sum[i] / all);
    }
}

/* Is the value one of `unsearched`, which lists values of the first parameter? */
static int was_tried(const struct spec *spec, size_t value)
{
    const char *list = spec->unsearched;
    char number[12];
    const char *text = spec_value_text(&spec->params[0], value, number);
    const size_t n = strlen(text);
    for (list += strspn(list, " \t"); *list; list += strspn(list, " \t")) {
        const size_t length = strcspn(list, " \t");
        if (length == n && !strncmp(list, text, n))
            return 1;
        list += length;
    }
    return 0;
}

static int all_narrow(const struct options *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (!o->d->narrow || !o->d->narrow[o->first + i])
            return 0;
    return 1;
}

static void mark_untried(const struct spec *spec, float *soft)
{
    for (size_t v = 0; v < spec->params[0].n_values; v++)
        if (!was_tried(spec, v))
            soft[v] = -1;
}

/* is_narrow: do the values of the first parameter leave the choice that were not tried? */
static void add_row(struct options *o, const struct model *model, size_t option, int is_narrow,
                    struct recipe_rows *to)
{
    const unsigned char *y = target_of(o->d, o->first + option);
    float *soft = to->soft + to->n * recipe_width(model);
    put_distributions(o, model, y, soft);
    if (is_narrow)
        mark_untried(model->spec, soft);
    timed_append(o->d, problem_of(o->d, o->first), y, to);
}

int time_targets_add(const struct recipe *recipe, const struct model *model,
                     const struct dataset *d, const struct time_problem *problem, uint64_t seed,
                     struct recipe_rows *to)
{
    const size_t n = problem->end - problem->first;
    struct options o = {d, problem->first, n, xcalloc(n, sizeof *o.odds), xcalloc(n, 1)};
    const int any = set_odds(&o, model, recipe), narrow = model->spec->unsearched && all_narrow(&o);
    uint64_t share = num_mix(seed, 8, 0);
    if (any && d->n_params == 1)
        add_row(&o, model, best_of(&o), narrow, to);
    for (size_t i = 0; any && d->n_params > 1 && i < problem->rows; i++)
        add_row(&o, model, draw(&o, &seed),
                narrow && num_unit(&share) >= (float)recipe->as_searched, to);
    free(o.odds);
    free(o.out);
    return any;
}

/* ---- how many rows a problem gets ---- */

struct groups {
    uint64_t *sorted; /* the group of each problem that trains */
    uint64_t *group;  /* the group of each row that begins a problem */
    size_t n;
};

int compare_hashes(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return ORDER(a, b);
}

static struct groups find_groups(const struct spec *spec, const struct dataset *d,
                                 const unsigned char *part)
{
    struct groups g = {xcalloc(d->n, sizeof *g.sorted), xcalloc(d->n, sizeof *g.group), 0};
    struct buf scratch = {NULL, 0, 0};
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i)) {
        g.group[i] = split_row_hash(spec, &spec->balance, d->problem + i * d->n_fields, &scratch);
        if (part[i] == HELD_OUT_TRAIN)
            g.sorted[g.n++] = g.group[i];
    }
    buf_free(&scratch);
    qsort(g.sorted, g.n, sizeof *g.sorted, compare_hashes);
    return g;
}

/* How many of the sorted ones are below x */
static size_t count_below(const struct groups *g, uint64_t x)
{
    size_t first = 0, n = g->n;
    while (n > 0) {
        const size_t half = n / 2;
        if (g->sorted[first + half] < x) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

/* A problem's share before all are made to sum to 1 */
static double weight_of(const struct recipe *r, const struct groups *g, size_t row)
{
    const uint64_t x = g->group[row];
    const size_t problems = (x == UINT64_MAX ? g->n : count_below(g, x + 1)) - count_below(g, x);
    return (double)num_exp2((float)(-r->balance * num_log2((double)problems)));
}

static double sum_weights(const struct recipe *r, const struct groups *g, const struct dataset *d,
                          const unsigned char *part)
{
    double sum = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (part[i] == HELD_OUT_TRAIN)
            sum += weight_of(r, g, i);
    return sum;
}

/* On average it is x. */
static size_t round_by_chance(double x, size_t row)
{
    uint64_t seed = num_mix(10, row, 0);
    return (size_t)(x + (double)num_unit(&seed));
}

size_t *balance_rows(const struct recipe *recipe, const struct spec *spec, const struct dataset *d,
                     const unsigned char *part)
{
    size_t *rows = xcalloc(d->n, sizeof *rows);
    const int any = spec->balance.n > 0 && recipe->balance > 0;
    struct groups g = {NULL, NULL, 0};
    double each = 0;
    if (any) {
        g = find_groups(spec, d, part);
        each = recipe->draws * (double)g.n / sum_weights(recipe, &g, d, part);
    }
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        rows[i] = any && part[i] == HELD_OUT_TRAIN
                      ? round_by_chance(each * recipe->thinned * weight_of(recipe, &g, i), i)
                      : (size_t)recipe->draws;
    free(g.sorted);
    free(g.group);
    return rows;
}

/* ---- problems between those that were measured ---- */

/* One in so many stands for a GPU that was not seen; half of these are known but for the GPU. */
enum { UNSEEN_PART = 6, PER_KNOWN = 12 };

static void make_one_up(const struct model *m, const struct unseen *u, const int32_t *known,
                        size_t n_known, size_t i, uint64_t *seed, int32_t *problem)
{
    const size_t n_fields = m->m.n_fields;
    make_up_problem(m->spec, MADE_UP_ANY, known, n_known, seed, problem);
    const uint64_t draw = num_draw(seed) >> 32; /* of a name, its upper part */
    if (u->n && draw % (2 * UNSEEN_PART) == 0)
        memcpy(problem, known + i % n_known * n_fields, n_fields * sizeof *problem);
    if (u->n && draw % UNSEEN_PART == 0)
        problem[u->field] = u->v[draw / UNSEEN_PART / 2 % u->n].token;
}

size_t make_up_problems(const struct model *m, const struct unseen *u, int32_t *problem,
                        size_t n_known, size_t asked, uint64_t seed)
{
    const size_t n_fields = m->m.n_fields, bytes = n_fields * sizeof *problem;
    const size_t tries = asked < PER_KNOWN * n_known ? asked : PER_KNOWN * n_known;
    int32_t *to = problem + n_known * n_fields;
    for (size_t i = 0; i < tries; i++) {
        const int32_t *other = problem;
        make_one_up(m, u, problem, n_known, i, &seed, to);
        while (other < to && memcmp(other, to, bytes))
            other += n_fields;
        to += other == to ? n_fields : 0;
    }
    return (size_t)(to - problem) / n_fields - n_known;
}
