/* score.c - selects the rows to test on and scores each prediction
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include "base/numbers.h"
#include "data/split.h"

#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

size_t eval_group_end(const struct eval *e, size_t first)
{
    size_t end = first;
    while (end < e->n && e->row[end].gpu == e->row[first].gpu
           && e->row[end].dtype == e->row[first].dtype)
        end++;
    return end;
}

size_t eval_left_out(const struct eval *e, size_t first)
{
    size_t n = 0;
    for (const struct eval_row *r = e->row + e->data.n - e->n_left; r < e->row + e->data.n; r++)
        n += r->gpu == e->row[first].gpu && r->dtype == e->row[first].dtype;
    return n;
}

static const char *token_name(const struct eval *e, const char *field, int32_t token)
{
    const int f = spec_field_index(e->model->spec, field);
    return f < 0 || token < 0 ? "all" : e->model->spec->fields[f].tokens[token];
}

const char *eval_split_name(const struct eval *e)
{
    return e->rows != EVAL_ALL ? e->model->m.split : "all";
}

void eval_group_cells(const struct eval *e, struct table *t, size_t first)
{
    table_text(t, e->model->m.name);
    table_text(t, eval_split_name(e));
    table_text(t, token_name(e, "gpu", e->row[first].gpu));
    table_text(t, token_name(e, "dtype", e->row[first].dtype));
}

/* "gfx906_60, FP16", or what there is of it */
void eval_group_name(const struct eval *e, struct buf *name, size_t first)
{
    const char *gpu = token_name(e, "gpu", e->row[first].gpu);
    const char *dtype = token_name(e, "dtype", e->row[first].dtype);
    const int both = strcmp(gpu, "all") && strcmp(dtype, "all");
    buf_printf(name, "%s%s%s", both || strcmp(gpu, "all") ? gpu : dtype, both ? ", " : "",
               both ? dtype : "");
}

static int is_out(const struct eval *e, size_t row)
{
    return e->is_out != NULL && e->is_out[row];
}

/* ---- a sample of tuples: is it a sample? ---- */

/* Nothing is known of a predicted tuple that nobody timed. So a model is judged by its order of the
   timed tuples alone: it is asked as if no other were legal. */

enum { LISTED = 1 << 18 };

/* What was tried of a problem: how many tuples that the model may return, and the sum of the hashes
   of all */
struct tried {
    size_t n;
    uint64_t hash;
};

static void score_count(const struct eval *e, const unsigned char *target, int may, struct tried *t)
{
    uint64_t hash = 0;
    for (size_t p = 0; p < e->data.n_params; p++)
        hash = num_mix(hash, p, target[p]);
    t->hash += hash;
    t->n += (size_t)may;
}

/* Failures were tried as well. */
static struct tried count_tried(const struct eval *e, const struct eval_row *r)
{
    const struct data_failures *f = &e->data.failed;
    const size_t n_params = e->data.n_params;
    const int32_t *problem = e->data.problem + r->index * e->data.n_fields;
    struct tried t = {0, 0};
    size_t end;
    for (size_t i = r->index; i < r->end; i++)
        score_count(e, e->data.target + i * n_params, !is_out(e, i), &t);
    for (size_t i = data_find_failures(&e->data, problem, &end); i < end; i++)
        score_count(e, f->target + i * n_params,
                    model_allows(e->model, problem, f->target + i * n_params), &t);
    return t;
}

static int has_all_legal(const struct eval *e, const struct eval_row *r, size_t tried)
{
    static const struct tuples_most most = {LISTED, 1};
    struct tuples legal;
    tuples_open(&legal, &e->model->m, e->data.problem + r->index * e->data.n_fields, &most);
    const int is_full = legal.kind == TUPLES_ALL && tried >= legal.n;
    tuples_close(&legal);
    return is_full;
}

/* Is it a sample? A table is full where each problem has every tuple that the rule allows, failures
   included, or, without a rule, where all problems have as many. */
static int is_sample(const struct eval *e)
{
    if (e->model->spec->format != SPEC_TIMED)
        return 0;
    uint64_t first = 0;
    for (size_t i = 0; i < e->n; i++) {
        const struct tried tried = count_tried(e, &e->row[i]);
        first = i ? first : tried.hash;
        if (e->model->m.rule ? !has_all_legal(e, &e->row[i], tried.n) : tried.hash != first)
            return 1;
    }
    return 0;
}

/* ---- a sample of tuples: the model that knows the timed tuples alone ---- */

static struct {
    const struct eval *e;
    const struct eval_row *row;
} timed_alone; /* what the rule below asks: a rule has no argument for it */

/* Does the row's tuple begin with these values? */
static int begins_so(const struct eval *e, size_t row, const int32_t *values, size_t n)
{
    const unsigned char *target = e->data.target + row * e->data.n_params;
    for (size_t p = 0; p < n; p++)
        if (target[p] == DATA_UNKNOWN || values[p] != e->model->params[p].values[target[p]])
            return 0;
    return 1;
}

static int timed_rule(const int32_t *problem, const int32_t *values, size_t n)
{
    (void)problem;
    for (size_t i = timed_alone.row->index; i < timed_alone.row->end; i++)
        if (!is_out(timed_alone.e, i) && begins_so(timed_alone.e, i, values, n))
            return 1;
    return 0;
}

static void set_timed_alone(const struct eval *e, const struct eval_row *row)
{
    timed_alone.e = e;
    timed_alone.row = row;
}

/* How many of the n tuples were timed and are legal */
static size_t count_timed(const struct eval *e, const struct eval_row *row, const kpred_tuple *t,
                          size_t n)
{
    size_t found = 0;
    set_timed_alone(e, row);
    for (size_t i = 0; i < n; i++)
        found += (size_t)timed_rule(NULL, t[i].value, e->model->m.n_params);
    return found;
}

int eval_is_timed(const struct eval *e)
{
    return e->data.time_us != NULL && !e->is_single;
}

/* How many parameters of the tuple agree with a target. */
static size_t agreement(const struct eval *e, const kpred_tuple *t, const unsigned char *target)
{
    const kpred_param *params = e->model->m.params;
    size_t same = 0;
    for (size_t i = 0; i < e->model->m.n_params; i++)
        same += target[i] != DATA_UNKNOWN && t->value[i] == params[i].values[target[i]];
    return same;
}

/* The fastest of the rows first..end-1; with `all`, of those that are out as well */
static size_t fastest(const struct eval *e, size_t first, size_t end, int all)
{
    size_t best = first;
    for (size_t i = first + 1; i < end; i++)
        if (!all && is_out(e, best))
            best = i;
        else if ((all || !is_out(e, i)) && e->data.time_us[i] < e->data.time_us[best])
            best = i;
    return best;
}

size_t eval_best_row(const struct eval *e, const struct eval_row *r)
{
    return fastest(e, r->index, r->end, 0);
}

/* ---- which rows ---- */

/* The field to group by, if it is one to group by and the model has it; else -1. */
static int group_field(const struct eval *e, const char *name)
{
    return e->by && !strstr(e->by, name) ? -1 : spec_field_index(e->model->spec, name);
}

static int is_legal(const struct eval *e, size_t row)
{
    return model_allows(e->model, e->data.problem + row * e->data.n_fields,
                        e->data.target + row * e->data.n_params);
}

/* What a user timed may be more than what the spec's rule allows, and the best of what it allows
   is all that a prediction can reach. Of MIOpen's and Tensile's data the optimum is the optimum. */
static void leave_out_illegal(struct eval *e)
{
    if (e->model->spec->format != SPEC_TIMED)
        return;
    e->is_out = xcalloc(e->data.n, 1);
    for (size_t i = 0; i < e->data.n; i++)
        e->is_out[i] = !data_is_known(&e->data, i) || !is_legal(e, i);
}

/* How many of the optima the rule rejects */
static size_t count_illegal(const struct eval *e)
{
    size_t illegal = 0;
    for (size_t i = 0; i < e->n; i++) {
        const size_t best = fastest(e, e->row[i].index, e->row[i].end, 1);
        illegal += data_is_known(&e->data, best) && !is_legal(e, best);
    }
    return illegal;
}

static void note_illegal(const struct eval *e)
{
    const size_t n = count_illegal(e);
    if (n != 0 && e->is_out != NULL)
        note("%s: %zu problem%s faster with a tuple that the rule rejects: the optimum is the best "
             "of "
             "the others",
             e->model->m.name, n, as_counted(n, " was", "s were"));
    else if (n != 0)
        note("%s: %zu %s as a miss", e->model->m.name, n,
             as_counted(n, "optimum that the rule rejects counts",
                        "optima that the rule rejects count"));
}

/* Row i, or the problem whose options are rows i..end-1. */
static void set_problem(const struct eval *e, struct eval_row *r, size_t i, size_t end,
                        uint64_t unit)
{
    const int gpu = group_field(e, "gpu"), dtype = group_field(e, "dtype");
    const int32_t *p = e->data.problem + i * e->data.n_fields;
    r->index = i;
    r->end = end;
    r->unit = unit;
    r->gpu = gpu < 0 ? -1 : p[gpu];
    r->dtype = dtype < 0 ? -1 : p[dtype];
}

static size_t count_options(const struct eval *e, size_t first, size_t end)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        n += !is_out(e, i);
    return n;
}

/* A problem of timed data with a single option tells nothing. */
static void add_problems(struct eval *e, const struct held_out *held)
{
    size_t end;
    for (size_t i = 0; i < e->data.n; i = end) {
        end = eval_is_timed(e) ? data_problem_end(&e->data, i) : i + 1;
        if (e->rows != EVAL_ALL
            && held->part[i] != (e->rows == EVAL_TEST ? HELD_OUT_TEST : HELD_OUT_ASIDE))
            continue;
        const int is_left = eval_is_timed(e) && count_options(e, i, end) < 2;
        struct eval_row *r = e->row + (is_left ? e->data.n - ++e->n_left : e->n++);
        set_problem(e, r, i, end, held->unit[i]);
    }
}

size_t eval_list_rows(const struct eval *e, const unsigned char *part, int which,
                      struct eval_row *row)
{
    size_t n = 0;
    for (size_t i = 0, end; i < e->data.n; i = end) {
        end = data_problem_end(&e->data, i);
        if (part[i] == which && count_options(e, i, end) > 1)
            set_problem(e, &row[n++], i, end, i);
    }
    return n;
}

static int by_group(const void *a, const void *b)
{
    const struct eval_row *p = a, *q = b;
    int order = ORDER(p->gpu, q->gpu);
    order = order != 0 ? order : ORDER(p->dtype, q->dtype);
    order = order != 0 ? order : ORDER(p->unit, q->unit);
    return order != 0 ? order : ORDER(p->index, q->index);
}

int eval_select_rows(struct eval *e)
{
    struct held_out held;
    const int bad = held_out_find(e->model->spec, e->model->m.split, &e->data, &held);
    e->row = xcalloc(e->data.n, sizeof *e->row);
    leave_out_illegal(e);
    e->is_single =
        e->model->spec->format == SPEC_AITER && data_count_problems(&e->data) == e->data.n;
    if (!bad)
        add_problems(e, &held);
    held_out_free(&held);
    if (bad)
        return -1;
    note_illegal(e);
    if (e->n_left > 0)
        note("%s: %zu problem%s with less than two %stimed options %s left out", e->model->m.name,
             e->n_left, as_counted(e->n_left, "", "s"), e->is_out != NULL ? "legal " : "",
             as_counted(e->n_left, "is", "are"));
    qsort(e->row, e->n, sizeof *e->row, by_group);
    e->is_sample = is_sample(e);
    if (e->is_sample)
        note("%s: not all tuples were timed: the figures rank those that were", e->model->m.name);
    return e->n || e->may_lack ? 0 : fail("%s: the data holds no row to test on", e->model->m.name);
}

void eval_row_key(const struct eval *e, const struct eval_row *r, struct buf *key)
{
    const struct split_key *parts = held_out_key(e->model->spec, e->model->m.split);
    if (parts)
        split_key_text(e->model->spec, parts, e->data.problem + r->index * e->data.n_fields, key);
    else
        buf_printf(key, "%zu", r->index + 1);
}

/* ---- what a prediction was worth ---- */

/* The time of the tuple; 0: it was not timed for this problem. */
static double time_of(const struct eval *e, const struct eval_row *r, const kpred_tuple *t)
{
    for (size_t i = r->index; i < r->end; i++)
        if (begins_so(e, i, t->value, e->model->m.n_params))
            return e->data.time_us[i];
    return 0;
}

static double worst_time(const struct eval *e, const struct eval_row *r)
{
    double worst = 0;
    for (size_t i = r->index; i < r->end; i++)
        worst = !is_out(e, i) && e->data.time_us[i] > worst ? e->data.time_us[i] : worst;
    return worst;
}

/* Scores n tuples, best first, and passes over those that were not timed for the problem. If none
   was timed, the share is the slowest option's. */
static void score_times(const struct eval *e, const struct eval_row *r, const kpred_tuple *t,
                        size_t n, size_t k, struct outcome *o)
{
    const double best = e->data.time_us[eval_best_row(e, r)];
    double found = 0;
    size_t timed = 0;
    for (size_t i = 0; i < n && timed < k; i++) {
        const double time = time_of(e, r, t + i);
        timed += time > 0;
        if (time > 0 && (found == 0 || time < found))
            found = time;
        if (i == 0)
            o->unlisted = !(time > 0);
    }
    if (found == 0) /* no better can be said of it */
        found = worst_time(e, r);
    o->exact = found == best;
    o->share = best / found;
}

/* n tuples, of which the first k were asked for */
static struct outcome score_row(const struct eval *e, const struct eval_row *r,
                                const kpred_tuple *t, size_t n, size_t k)
{
    const int32_t *problem = e->data.problem + r->index * e->data.n_fields;
    const unsigned char *target = e->data.target + eval_best_row(e, r) * e->data.n_params;
    struct outcome o = {.returned = n < k ? n : k, .share = 1};
    int64_t all = 0;
    for (size_t i = 0; i < o.returned; i++) {
        const size_t same = agreement(e, t + i, target);
        o.agree = same > o.agree ? same : o.agree;
        o.legal += (size_t)kpred_legal(&e->model->m, problem, t[i].value);
        all += kpred_probability(t[i].score);
    }
    o.hit = o.agree == e->model->m.n_params;
    o.probability = (int32_t)(all < 1 << 24 ? all : 1 << 24); /* each was rounded */
    if (eval_is_timed(e))
        score_times(e, r, t, n, k, &o);
    return o;
}

/* How many tuples to look at. For timed data with one parameter it is all of them, since tuples
   that were not timed are passed over. */
static size_t most_tuples(const struct eval *e, size_t k)
{
    const size_t all = (size_t)e->model->params[0].n_values;
    return eval_is_timed(e) && e->model->m.n_params == 1 && all > k ? all : k;
}

/* A model while it is asked */
struct asking {
    kpred_model model;
    kpred_ctx ctx;
    int32_t *arena;
};

static kpred_status open_asking(struct asking *a, const kpred_model *model, size_t beam)
{
    const size_t words = kpred_arena_words(model, beam);
    a->model = *model;
    a->arena = xcalloc(words, sizeof *a->arena);
    return kpred_init(&a->ctx, KPRED_VERSION, &a->model, beam, a->arena, words);
}

static kpred_status score_ask(struct asking *a, const struct eval *e, const struct eval_row *r,
                              kpred_tuple *out, size_t most, size_t *n)
{
    const int32_t *problem = e->data.problem + r->index * e->data.n_fields;
    *n = 0;
    const kpred_status status = kpred_predict(&a->ctx, problem, e->data.n_fields, out, most, n);
    return status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE
               ? KPRED_OK /* nothing returned: a miss */
               : status;
}

/* What the answers to a row are scored by */
struct scoring {
    const struct eval *e;
    const long *k;
    size_t n_k;
    kpred_tuple *tuples, *known;
    struct asking *asking; /* for each k, and of a sample for the timed tuples alone */
};

/* n tuples are what the model says; of a sample n_known are its order of those that were timed. */
static void score_answers(const struct scoring *s, const struct eval_row *r, size_t k, size_t n,
                          size_t n_known, struct outcome *out)
{
    const struct eval *e = s->e;
    const size_t answers = n < k ? n : k;
    *out = e->is_sample ? score_row(e, r, s->known, n_known, k) : score_row(e, r, s->tuples, n, k);
    out->answers = answers;
    out->timed = e->is_out ? count_timed(e, r, s->tuples, answers) : answers;
    out->judged = eval_estimate(e, r, s->tuples, answers);
}

/* The timed tuples alone are asked for once: their order is the same for each k. */
static kpred_status run_row(const struct scoring *s, const struct eval_row *r, struct outcome *out)
{
    const struct eval *e = s->e;
    size_t n_known = 0;
    kpred_status status = KPRED_OK;
    if (e->is_sample) {
        set_timed_alone(e, r);
        status = score_ask(&s->asking[s->n_k], e, r, s->known, KPRED_MAX_BEAM, &n_known);
    }
    for (size_t i = 0; i < s->n_k && status == KPRED_OK; i++) {
        size_t n;
        status = score_ask(&s->asking[i], e, r, s->tuples, most_tuples(e, (size_t)s->k[i]), &n);
        score_answers(s, r, (size_t)s->k[i], n, n_known, &out[i * e->n]);
    }
    return status;
}

static kpred_status open_all(const struct scoring *s, const kpred_model *known)
{
    kpred_status status = KPRED_OK;
    for (size_t i = 0; i < s->n_k && status == KPRED_OK; i++) {
        const size_t most = most_tuples(s->e, (size_t)s->k[i]);
        status = open_asking(&s->asking[i], s->e->run, s->e->beam > most ? s->e->beam : most);
    }
    if (s->e->is_sample && status == KPRED_OK)
        status = open_asking(&s->asking[s->n_k], known, KPRED_MAX_BEAM);
    return status;
}

int eval_run(const struct eval *e, const long *k, size_t n_k, struct outcome *out)
{
    kpred_model known = *e->run;
    struct scoring s = {e,
                        k,
                        n_k,
                        xcalloc(KPRED_MAX_BEAM, sizeof *s.tuples),
                        xcalloc(KPRED_MAX_BEAM, sizeof *s.known),
                        xcalloc(n_k + 1, sizeof *s.asking)};
    known.rule = timed_rule;
    kpred_status status = open_all(&s, &known);
    for (size_t i = 0; i < e->n && status == KPRED_OK; i++)
        status = run_row(&s, e->row + i, out + i);
    for (size_t i = 0; i <= n_k; i++)
        free(s.asking[i].arena);
    free(s.asking);
    free(s.tuples);
    free(s.known);
    return status == KPRED_OK ? 0 : fail("%s: %s", e->model->m.name, kpred_status_string(status));
}
