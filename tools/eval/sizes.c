/* sizes.c - how good a model is among all legal tuples, and for sizes that the table has not
   SPDX-License-Identifier: MIT

   Two things make the share of timed tuples of problems kept apart too kind a figure. The best of a
   sample is easier to find than the best of all legal tuples, and all sizes of these problems may
   be known from other problems. For the first, half of each sample tells beside the whole what
   twice as many tuples cost. For the second, judges that know nothing of some values choose for
   the problems that have them; what the network loses beside its judges on problems between those
   of the table comes on top. */
#include "eval.h"

#include "base/numbers.h"
#include "data/split.h"
#include "train/timed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Problems at most: of which timed tuples are ranked, and judges are asked for all legal ones */
enum { MOST_TIMED = 400, MOST_ASKED = 100 };

/* In octaves, of what learnt n problems: so far, beyond their own error, 38 such estimates were off
   for kernels of `make own`, whose every time is known. Learning from fewer problems weighs. */
static double sizes_method_error(size_t n)
{
    return hypot(0.03, 8 / (double)(n + 1));
}

/* In octaves: log2 of the mean share at k = 1, and its standard error */
struct loss {
    size_t n; /* problems; 0: nothing is known */
    double octaves, error;
};

/* share: of each row at the PEER_PLACES, of which the first counts. The error is that of a mean of
   so few problems. */
static struct loss loss_of(const struct eval *e, const double *share)
{
    struct loss l = {e->n, 0, 0};
    double *value = xcalloc(e->n + 1, sizeof *value);
    for (size_t i = 0; i < e->n; i++) {
        value[i] = share[i * PEER_PLACES];
        l.octaves += value[i] / (double)e->n;
    }
    l.error = eval_error(e, value, l.octaves, 0, e->n) * (1 + 2 / (double)e->n);
    free(value);
    return l;
}

/* The same with a copy of some of the rows, to be freed */
static struct eval some_rows(const struct eval *e, size_t most)
{
    struct eval some = *e;
    some.row = xcalloc(e->n + 1, sizeof *some.row);
    some.n = 0;
    for (size_t i = 0; i < e->n; i += e->n / most + 1)
        some.row[some.n++] = e->row[i];
    return some;
}

/* ---- from timed tuples to all legal ones ---- */

/* log2 of how many legal tuples there are for each timed one, the mean over the problems */
static double mean_doublings(const struct eval *e)
{
    static const struct tuples_most most = {1 << 14, 1 << 14};
    double sum = 0;
    for (size_t i = 0; i < e->n; i++) {
        const struct eval_row *r = e->row + i;
        struct tuples legal;
        tuples_open(&legal, &e->model->m, e->data.problem + r->index * e->data.n_fields, &most);
        const double n = (double)legal.n / (double)(r->end - r->index);
        sum += n > 1 ? num_log2(n) : 0;
        tuples_close(&legal);
    }
    return sum / (double)e->n;
}

/* Takes half of each problem's tuples out of is_out's: those that are drawn, or the others. */
static void take_half(const struct eval *e, uint64_t others, unsigned char *out)
{
    memcpy(out, e->is_out, e->data.n);
    for (size_t i = 0; i < e->n; i++)
        for (size_t j = e->row[i].index, n = 0; j < e->row[i].end; j++) {
            if (e->is_out[j])
                continue;
            uint64_t seed = num_mix(21, j, 0);
            const uint64_t draw = n < 2 ? n : num_draw(&seed) >> 63; /* neither half is empty */
            out[j] = draw == others;
            n++;
        }
}

/* What is found in half of the tuples: the mean of both halves */
static int ask_halves(const struct eval *e, const struct judge_trees *judges, double *share)
{
    const size_t n = e->n * PEER_PLACES;
    double *half = xcalloc(n + 1, sizeof *half);
    struct eval of_half = *e;
    int bad = 0;
    of_half.is_out = xmalloc(e->data.n);
    for (uint64_t others = 0; others < 2 && !bad; others++) {
        take_half(e, others, of_half.is_out);
        bad = peers_ask(&of_half, judges, half);
        for (size_t i = 0; i < n; i++)
            share[i] += half[i] / 2;
    }
    free(of_half.is_out);
    free(half);
    return bad;
}

/* Does the loss grow with each doubling as it did with the last one, or no more? All between is
   as likely. */
static int ask_timed(const struct eval *all, const struct judge_trees *chooser, struct loss *l)
{
    const struct eval e = some_rows(all, MOST_TIMED);
    const size_t n = e.n * PEER_PLACES;
    const double doublings = mean_doublings(&e);
    double *whole = xcalloc(n + 1, sizeof *whole), *half = xcalloc(n + 1, sizeof *half);
    const int bad =
        peers_ask(&e, chooser, whole) || (doublings > 0 && ask_halves(&e, chooser, half));
    *l = loss_of(&e, whole);
    const double more = doublings * (loss_of(&e, half).octaves - l->octaves);
    if (more > 0) {
        l->octaves -= more / 2;
        l->error = hypot(l->error, more / sqrt(12));
    }
    free(e.row);
    free(whole);
    free(half);
    return bad;
}

/* ---- all legal tuples, as judges see them ---- */

/* log2 of the share of a chooser's first answer to each row, as `judges` see it */
static int judge_choices(const struct eval *e, const struct judge_trees *chooser, double *share)
{
    kpred_tuple answer;
    struct outcome *out = xcalloc(e->n + 1, sizeof *out);
    const int bad = !chooser && eval_run(e, watch_places, 1, out);
    for (size_t i = 0; i < e->n; i++) {
        const size_t n = chooser ? eval_choose(e, e->row + i, chooser, &answer, 1) : 0;
        const double judged = chooser ? eval_estimate(e, e->row + i, &answer, n) : out[i].judged;
        share[i * PEER_PLACES] = judged > 0 ? num_log2(judged) : 0;
    }
    free(out);
    return bad;
}

/* The same for some of the rows */
static int ask_judged(const struct eval *e, const struct judge_trees *chooser,
                      const struct judge_trees *judges, struct loss *l)
{
    struct eval asked = some_rows(e, MOST_ASKED);
    double *share = xcalloc(asked.n * PEER_PLACES + 1, sizeof *share);
    eval_use_estimate(&asked, judges);
    const int bad = judge_choices(&asked, chooser, share);
    *l = loss_of(&asked, share);
    eval_close_estimate(&asked);
    free(asked.row);
    free(share);
    return bad;
}

/* The truth lies between the judges, which are too kind to those that learnt from them, and times,
   whose noise makes the best of a sample look faster than it is. Of a chooser, or for NULL of the
   network; 0, or -1 with a message. */
static int sizes_measure(const struct eval *e, const struct judge_trees *chooser,
                         const struct judge_trees *judges, struct loss *l)
{
    struct loss kind;
    if (ask_timed(e, chooser, l) || ask_judged(e, chooser, judges, &kind))
        return -1;
    l->error = hypot(l->error, (kind.octaves - l->octaves) / sqrt(12));
    l->octaves = (l->octaves + kind.octaves) / 2;
    return 0;
}

/* ---- values that are held out ---- */

enum { EVERY = 5, FEW_VALUES = 4, FEW_PROBLEMS = 8 };
enum { HELD_KNOWN = HELD_OUT_ASIDE + 1 }; /* one in EVERY of problems with known values */
#define HELD_MOST 0.4                     /* of the problems */

/* The values of a field in the problems to train on, rising */
static size_t list_values(const struct dataset *d, const unsigned char *part, size_t field,
                          int32_t *v)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (part[i] != HELD_OUT_ASIDE)
            v[n++] = d->problem[i * d->n_fields + field];
    return num_unique(v, n);
}

/* Neither end of a range is between others. */
static int is_value_held(const int32_t *v, size_t n, int32_t value)
{
    const int32_t *at = bsearch(&value, v, n, sizeof *v, num_rising_int);
    const size_t i = at ? (size_t)(at - v) : 0;
    return n >= FEW_VALUES && i % EVERY == EVERY / 2 && i + 1 < n;
}

/* Holds some values of a size, unless too little were left to learn from. */
static void hold_values(const struct dataset *d, size_t field, size_t most, unsigned char *part)
{
    int32_t *v = xcalloc(d->n + 1, sizeof *v);
    unsigned char *next = xmalloc(d->n);
    const size_t n = list_values(d, part, field, v);
    size_t held = 0;
    memcpy(next, part, d->n);
    for (size_t i = 0, end; i < d->n; i = end) {
        end = data_problem_end(d, i);
        if (part[i] == HELD_OUT_TRAIN && is_value_held(v, n, d->problem[i * d->n_fields + field]))
            memset(next + i, HELD_OUT_TEST, end - i);
        held += next[i] == HELD_OUT_TEST;
    }
    if (held <= most)
        memcpy(part, next, d->n);
    free(next);
    free(v);
}

/* Puts aside what is not trained on, and problems of names of [unseen], which were made of others;
   how many are left. */
static size_t put_aside(const struct eval *e, const struct unseen *u, unsigned char *part)
{
    const struct dataset *d = &e->data;
    size_t n = 0;
    for (size_t i = 0, end; i < d->n; i = end) {
        const int is_made = u->n && unseen_index(u, d->problem[i * d->n_fields + u->field]) >= 0;
        end = data_problem_end(d, i);
        memset(part + i, part[i] == HELD_OUT_TRAIN && !is_made ? HELD_OUT_TRAIN : HELD_OUT_ASIDE,
               end - i);
        n += part[i] == HELD_OUT_TRAIN;
    }
    return n;
}

/* Which of n problems are held for their values, and a part of the others for comparison; how many
   for their values */
static size_t hold_all(const struct eval *e, size_t n, unsigned char *part)
{
    const struct dataset *d = &e->data;
    size_t held = 0;
    for (size_t f = 0; f < d->n_fields; f++)
        if (made_up_is_size(e->model->spec, f))
            hold_values(d, f, (size_t)(HELD_MOST * (double)n), part);
    for (size_t i = 0, end; i < d->n; i = end) {
        end = data_problem_end(d, i);
        held += part[i] == HELD_OUT_TEST;
        if (part[i] == HELD_OUT_TRAIN && num_mix(23, i, 0) % EVERY == 0)
            memset(part + i, HELD_KNOWN, end - i);
    }
    return held;
}

/* A chooser's figure for the problems of a part */
static int measure_part(const struct eval *e, const unsigned char *part, int which,
                        const struct judge_trees *chooser, const struct judge_trees *judges,
                        struct loss *l)
{
    struct eval held = *e;
    held.row = xcalloc(e->data.n, sizeof *held.row);
    held.n = eval_list_rows(e, part, which, held.row);
    const int bad = held.n > 0 && sizes_measure(&held, chooser, judges, l);
    free(held.row);
    return bad;
}

/* Judges that know neither, asked for the problems of held values, and for others */
static int measure_held(const struct eval *e, const unsigned char *part,
                        const struct judge_trees *judges, struct loss *known, struct loss *between)
{
    struct judge_trees others;
    const struct judge_task task = {
        .model = e->model, .data = &e->data, .part = part, .seed = 1, .n_threads = worker_count(0)};
    const int bad = judge_trees_fit(&others, &task)
                    || measure_part(e, part, HELD_KNOWN, &others, judges, known)
                    || measure_part(e, part, HELD_OUT_TEST, &others, judges, between);
    judge_trees_free(&others);
    return bad;
}

/* ---- the network beside its judges ---- */

enum { MADE_UP = 64, TRIES = 4096 };

static int is_trained(const kpred_model *m, const int32_t *problem)
{
    for (size_t f = 0; f < m->n_fields; f++)
        if (!m->fields[f].tokens
            && (problem[f] < m->fields[f].trained_min || problem[f] > m->fields[f].trained_max))
            return 0;
    return 1;
}

/* Problems between those of the data that are not aside; how many */
static size_t make_up(const struct eval *e, const unsigned char *part, int32_t *problem)
{
    const struct dataset *d = &e->data;
    int32_t *known = xcalloc(d->n * d->n_fields + 1, sizeof *known);
    uint64_t seed = num_mix(22, 0, 0);
    size_t n_known = 0, n = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (part[i] != HELD_OUT_ASIDE)
            memcpy(known + n_known++ * d->n_fields, d->problem + i * d->n_fields,
                   d->n_fields * sizeof *known);
    for (size_t i = 0; i < TRIES && n < MADE_UP; i++) {
        int32_t *next = problem + n * d->n_fields;
        make_up_problem(e->model->spec, MADE_UP_ANY, known, n_known, &seed, next);
        n += is_trained(e->run, next) && data_find_problem(d, next) == d->n;
    }
    free(known);
    return n;
}

/* In place of the data, rows of made-up problems, which the caller frees; of the times and targets
   nobody asks. */
static void open_made_up(struct eval *e, const unsigned char *part)
{
    int32_t *problem = xcalloc(MADE_UP, e->data.n_fields * sizeof *problem);
    e->n = make_up(e, part, problem);
    e->data.n = e->n;
    e->data.problem = problem;
    e->data.target = xcalloc(MADE_UP, e->data.n_params);
    e->data.time_us = xcalloc(MADE_UP, sizeof *e->data.time_us);
    e->row = xcalloc(MADE_UP, sizeof *e->row);
    for (size_t i = 0; i < e->n; i++) {
        e->row[i] = (struct eval_row){i, i + 1, i, -1, -1};
        e->data.time_us[i] = 1;
    }
    e->is_out = NULL;
    e->is_sample = 0;
}

/* What the network loses for problems that nobody timed, as its judges see it */
static int measure_made_up(const struct eval *e, const unsigned char *part,
                           const struct judge_trees *judges, struct loss *l)
{
    struct eval asked = *e;
    open_made_up(&asked, part);
    const int bad = asked.n > 0 && ask_judged(&asked, NULL, judges, l);
    free(asked.row);
    free(asked.data.problem);
    free(asked.data.target);
    free(asked.data.time_us);
    return bad;
}

/* ---- both ---- */

static void sizes_line(const char *name, const struct loss *l, size_t n)
{
    const double share = exp2(l->octaves), error = hypot(l->error, sizes_method_error(n));
    note("  %-24s  %.3f +- %.3f", name, share, share * error * log(2));
}

/* Of all problems together, where one of the two has more */
static struct loss loss_pooled(const struct loss *a, const struct loss *b)
{
    const double n = (double)(a->n + b->n), x = (double)a->n / n, y = (double)b->n / n;
    return (struct loss){a->n + b->n, x * a->octaves + y * b->octaves,
                         hypot(x * a->error, y * b->error)};
}

static struct loss loss_sum(const struct loss *a, const struct loss *b)
{
    return (struct loss){a->n, a->octaves + b->octaves, hypot(a->error, b->error)};
}

static int has_sizes(const struct spec *spec)
{
    size_t f = 0;
    while (f < spec->n_fields && !made_up_is_size(spec, f))
        f++;
    return f < spec->n_fields;
}

/* n: problems that taught the model */
static void sizes_tell(const struct model *model, size_t n, const struct loss *known,
                       const struct loss *between)
{
    const char *name = model->m.name;
    const double less = known->octaves - between->octaves;
    note("%s: an estimate among all legal tuples, timed or not, at k = 1:", name);
    sizes_line(has_sizes(model->spec) ? "sizes that the table has" : "problems kept apart", known,
               n);
    if (between->n == 0)
        return;
    sizes_line("sizes between", between, n);
    if (less > 2 * hypot(known->error, between->error) && less > 0.05)
        note(
            "warning: %s: for sizes between those of the table it is worse by %.0f %% of the time: "
            "`kpred-train tune SPEC --next 10 --data FILE...` proposes ten problems to time",
            name, 100 * (exp2(less) - 1));
}

/* part: what training kept apart, then of each row whether it is held out here */
static int sizes_of(const struct eval *e, const struct judge_trees *judges, unsigned char *part)
{
    struct loss timed, imitated, known = {0, 0, 0}, between = {0, 0, 0}, made_up = {0, 0, 0};
    struct unseen unseen;
    if (unseen_read(&unseen, e->model->spec) || ask_timed(e, NULL, &timed)
        || ask_judged(e, NULL, judges, &imitated))
        return -1;
    const size_t n = put_aside(e, &unseen, part);
    if (hold_all(e, n, part) >= FEW_PROBLEMS
        && (measure_held(e, part, judges, &known, &between)
            || measure_made_up(e, part, judges, &made_up)))
        return -1;
    known = loss_sum(&known, &imitated);
    known = loss_pooled(&timed, &known);
    between = loss_sum(&between, &made_up);
    between.n = made_up.n ? between.n : 0;
    sizes_tell(e->model, n, &known, &between);
    return 0;
}

int eval_sizes(const struct eval *e, const struct judge_trees *judges)
{
    struct held_out held;
    const int bad = held_out_find(e->model->spec, e->model->m.split, &e->data, &held)
                    || sizes_of(e, judges, held.part);
    held_out_free(&held);
    return bad ? -1 : 0;
}
