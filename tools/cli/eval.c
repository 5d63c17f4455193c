/* eval.c - `kpred-train eval`: how good predictions are (see weights/README.md)
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "data/held_out.h"
#include "data/split.h"
#include "eval/eval.h"
#include "eval/float_scorer.h"
#include "eval/predictor.h"
#include "train/recipe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-train eval MODEL|FILE.h --data FILE... [--rows all|test] [-k K,...] [--beam B]\n"
    "                        [--float|--teachers N] [--by gpu,dtype] [--gpu GPU] [--nearest]\n"
    "                        [--lenient] [--reliability] [--plot FILE.svg] [--hits FILE.csv]\n"
    "                        [--csv|--json]\n"
    "\n"
    "Compares what a model predicts with what tuning found.\n"
    "\n"
    "  MODEL|FILE.h   a built-in model, or a header that kpred-train wrote\n"
    "  --data FILE... tuning results, as for train\n"
    "  --rows WHICH   test (default): those the model's own split kept from training; all: every "
    "row\n"
    "  -k K,...       tuples asked for (default 1)\n"
    "  --beam B       beam width (default: k)\n"
    "  --float        the float network that train left in build/float/ID.f32 in place of the\n"
    "                 integer one\n"
    "  --teachers N   the mean of N of the networks that taught it, from the same file\n"
    "  --by LIST      what to group by: gpu,dtype (default), gpu, dtype, or all for one group\n"
    "  --gpu GPU      the GPU of the files; default: their names\n"
    "  --nearest      for a GPU that the model lacks, take the nearest that it has\n"
    "  --lenient      drop and count rows that would be an error\n"
    "  --reliability  how well the probabilities fit, of all k tuples together: columns\n"
    "                 model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece\n"
    "  --csv          as CSV, columns model,split,gpu,dtype,k,n,pft,avg,valid; of timed data also\n"
    "                 exact,share,share_p1,share_p5\n"
    "  --json         as JSON, an array of objects with the same names\n"
    "  --plot FILE    pft against k as an SVG, a curve for each group; with --reliability, what\n"
    "                 was observed against what was predicted; gnuplot draws it\n"
    "  --hits FILE    as CSV what each problem was worth for each k, columns\n"
    "                 method,model,split,key,row,k,hit,agree; of timed data also share,unlisted\n"
    "\n"
    "pft: percent of problems whose tuned optimum is, whole, among the k tuples; avg: of the "
    "tuple\n"
    "that agrees best, the percent of parameters that agree; valid: percent of returned tuples "
    "that\n"
    "the rule accepts. The table adds the groups that the split keeps together, and se, the\n"
    "standard error of pft over them.\n"
    "\n"
    "Timed data: tuples that were not timed for a problem are passed over. exact: percent of\n"
    "problems where the fastest of the first k others is as fast as any; share: the geometric "
    "mean\n"
    "of the best time by its time, with percentiles; unlisted, in the table: percent of problems\n"
    "whose first tuple was not timed.\n"
    "\n"
    "bin: of the predicted probability, in percent; predicted, observed: its mean, and the\n"
    "percent of problems whose optimum was there; se: the standard error of observed; ece: how\n"
    "far the two are apart, in the line `all` the mean over the problems of how far those of\n"
    "their bin are. A line on standard error tells the temperature that would fit best.\n";

/* What comes out. */
struct results {
    struct table table, hits;
    struct plot plot;
};

size_t eval_agreement(const struct eval *e, const kpred_tuple *t, const unsigned char *target)
{
    const kpred_param *params = e->model->m.params;
    size_t i, same = 0;
    for (i = 0; i < e->model->m.n_params; i++)
        same += target[i] != DATA_UNKNOWN && t->value[i] == params[i].values[target[i]];
    return same;
}

static int is_timed(const struct eval *e)
{
    return e->data.time_us != NULL;
}

size_t eval_best_row(const struct eval *e, const struct eval_row *r)
{
    size_t i, best = r->index;
    for (i = r->index + 1; i < r->end; i++)
        if (e->data.time_us[i] < e->data.time_us[best])
            best = i;
    return best;
}

/* n tuples, of which the first k were asked for */
static struct outcome judge(const struct eval *e, const struct eval_row *r, const kpred_tuple *t,
                            size_t n, size_t k)
{
    const int32_t *problem = e->data.problem + r->index * e->data.n_fields;
    const unsigned char *target = e->data.target + eval_best_row(e, r) * e->data.n_params;
    struct outcome o = {0, 0, n < k ? n : k, 0, 0, 0, 0, 1};
    int64_t all = 0;
    size_t i;
    for (i = 0; i < o.returned; i++) {
        const size_t same = eval_agreement(e, t + i, target);
        o.agree = same > o.agree ? same : o.agree;
        o.legal += (size_t)kpred_legal(&e->model->m, problem, t[i].value);
        all += kpred_probability(t[i].score);
    }
    o.hit = o.agree == e->model->m.n_params;
    o.probability = (int32_t)(all < 1 << 24 ? all : 1 << 24); /* each was rounded */
    if (is_timed(e))
        eval_judge_times(e, r, t, n, k, &o);
    return o;
}

/* How many tuples to look at. Of timed data with one parameter all of them, since those that were
   not timed are passed over. */
static size_t most_tuples(const struct eval *e, size_t k)
{
    const size_t all = (size_t)e->model->params[0].n_values;
    return is_timed(e) && e->model->m.n_params == 1 && all > k ? all : k;
}

int eval_run(const struct eval *e, size_t k, struct outcome *out)
{
    const size_t most = most_tuples(e, k);
    const size_t beam = (size_t)e->o->beam > most ? (size_t)e->o->beam : most;
    const size_t words = kpred_arena_words(e->run, beam);
    int32_t *arena = xcalloc(words, sizeof *arena);
    kpred_tuple *tuples = xcalloc(most, sizeof *tuples);
    kpred_ctx ctx;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, e->run, beam, arena, words);
    size_t i;
    for (i = 0; i < e->n && status == KPRED_OK; i++) {
        const int32_t *problem = e->data.problem + e->row[i].index * e->data.n_fields;
        size_t n = 0;
        status = kpred_predict(&ctx, problem, e->data.n_fields, tuples, most, &n);
        if (status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE)
            status = KPRED_OK; /* nothing returned: a miss */
        out[i] = judge(e, e->row + i, tuples, n, k);
    }
    free(arena);
    free(tuples);
    return status == KPRED_OK ? 0 : fail("%s: %s", e->model->m.name, kpred_status_string(status));
}

static int by_group(const void *a, const void *b)
{
    const struct eval_row *p = a, *q = b;
    if (p->gpu != q->gpu)
        return p->gpu < q->gpu ? -1 : 1;
    if (p->dtype != q->dtype)
        return p->dtype < q->dtype ? -1 : 1;
    if (p->unit != q->unit)
        return p->unit < q->unit ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

struct summary {
    size_t n, units, hits, agree, returned, legal;
    double square; /* sum over units of (hits - pft * size)^2, for the standard error */
};

/* Rows first..end-1 are one group, sorted by unit. */
static struct summary summarise(const struct eval *e, const struct outcome *out, size_t first,
                                size_t end)
{
    struct summary s = {end - first, 0, 0, 0, 0, 0, 0};
    size_t i, j;
    for (i = first; i < end; i++) {
        s.hits += out[i].hit;
        s.agree += out[i].agree;
        s.returned += out[i].returned;
        s.legal += out[i].legal;
    }
    for (i = first; i < end; i = j) {
        double off = 0;
        for (j = i; j < end && e->row[j].unit == e->row[i].unit; j++)
            off += (double)out[j].hit - (double)s.hits / (double)s.n;
        s.square += off * off;
        s.units++;
    }
    return s;
}

static const char *token_name(const struct eval *e, const char *field, int32_t token)
{
    const int f = spec_field_index(e->model->spec, field);
    return f < 0 || token < 0 ? "all" : e->model->spec->fields[f].tokens[token];
}

static const char *split_name(const struct eval *e)
{
    return e->o->rows ? e->model->m.split : "all";
}

void eval_group_cells(const struct eval *e, struct table *t, size_t first)
{
    table_text(t, e->model->m.name);
    table_text(t, split_name(e));
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

size_t eval_group_end(const struct eval *e, size_t first)
{
    size_t end = first;
    while (end < e->n && e->row[end].gpu == e->row[first].gpu
           && e->row[end].dtype == e->row[first].dtype)
        end++;
    return end;
}

/* The table is for people: it says how far to trust a figure. */
static int shows_error(const struct eval *e)
{
    return !e->o->form.csv && !e->o->form.json;
}

/* Row `first` stands for its group. */
static void add_line(const struct eval *e, struct table *t, size_t k, struct summary s,
                     size_t first)
{
    const double n = (double)s.n;
    const double legal = s.returned ? 100.0 * (double)s.legal / (double)s.returned : 100;
    eval_group_cells(e, t, first);
    table_number(t, "%zu", k);
    table_number(t, "%zu", s.n);
    if (shows_error(e))
        table_number(t, "%zu", s.units);
    table_number(t, "%.2f", 100.0 * (double)s.hits / n);
    if (shows_error(e))
        table_number(t, "%.2f", 100.0 * sqrt(s.square) / n);
    table_number(t, "%.2f", 100.0 * (double)s.agree / (n * e->model->m.n_params));
    /* rounded down, so that 100.00 says that all are */
    table_number(t, "%.2f", s.legal == s.returned ? 100.0 : floor(legal * 100) / 100);
}

/* Timed data: what follows in the line */
static void add_shares(const struct eval *e, struct table *t, const struct eval_shares *s, size_t n)
{
    table_number(t, "%.2f", 100.0 * (double)s->exact / (double)n);
    table_number(t, "%.5f", s->share);
    if (shows_error(e))
        table_number(t, "%.5f", s->se);
    table_number(t, "%.5f", s->p1);
    table_number(t, "%.5f", s->p5);
    if (shows_error(e))
        table_number(t, "%.2f", 100.0 * (double)s->unlisted / (double)n);
}

static void add_point(const struct eval *e, struct plot *plot, size_t group, size_t k,
                      double percent, size_t first)
{
    struct buf name = {NULL, 0, 0};
    eval_group_name(e, &name, first);
    plot_point(plot, group, name.s, (double)k, percent);
    buf_free(&name);
}

static void add_hit(const struct eval *e, struct table *t, size_t k, const struct eval_row *r,
                    const struct outcome *o)
{
    const int32_t *problem = e->data.problem + r->index * e->data.n_fields;
    const struct split_key *parts = held_out_key(e->model->spec, e->model->m.split);
    struct buf key = {NULL, 0, 0};
    if (parts)
        split_key_text(e->model->spec, parts, problem, &key);
    else
        buf_printf(&key, "%zu", r->index + 1);
    table_text(t, e->method);
    table_text(t, e->model->m.name);
    table_text(t, split_name(e));
    table_text(t, key.s);
    table_number(t, "%zu", r->index + 1);
    table_number(t, "%zu", k);
    table_number(t, "%zu", o->hit);
    table_number(t, "%zu", o->agree);
    if (is_timed(e)) {
        table_number(t, "%.5f", o->share);
        table_number(t, "%zu", o->unlisted);
    }
    buf_free(&key);
}

/* A line for every row, in the order in which `ingest` writes them, whatever the groups are. */
static void add_hits(const struct eval *e, struct table *t, size_t k, const struct outcome *out)
{
    size_t *place = xcalloc(e->data.n, sizeof *place); /* of a row of the data among ours, + 1 */
    size_t i;
    for (i = 0; i < e->n; i++)
        place[e->row[i].index] = i + 1;
    for (i = 0; i < e->data.n; i++)
        if (place[i])
            add_hit(e, t, k, e->row + place[i] - 1, out + place[i] - 1);
    free(place);
}

static void add_group(const struct eval *e, struct results *to, size_t group, size_t k,
                      const struct outcome *out, size_t first, size_t end)
{
    const struct summary s = summarise(e, out, first, end);
    double percent = 100.0 * (double)s.hits / (double)s.n;
    add_line(e, &to->table, k, s, first);
    if (is_timed(e)) {
        const struct eval_shares shares = eval_shares_of(e, out, first, end);
        add_shares(e, &to->table, &shares, s.n);
        percent = 100.0 * shares.share;
    }
    add_point(e, &to->plot, group, k, percent, first);
}

/* One k: a line of the table and a point of a curve for every group */
static int evaluate_k(const struct eval *e, size_t k, struct outcome *out, struct results *to)
{
    size_t first, end, group = 0;
    if (eval_run(e, k, out))
        return -1;
    if (e->o->hits)
        add_hits(e, &to->hits, k, out);
    for (first = 0; first < e->n; first = end, group++) {
        end = eval_group_end(e, first);
        add_group(e, to, group, k, out, first, end);
    }
    return 0;
}

static int draw(const struct eval *e, const struct plot *plot)
{
    struct buf title = {NULL, 0, 0};
    int bad;
    buf_printf(&title, "%s, %s", e->model->m.name,
               e->o->rows ? "problems kept from training" : "all problems");
    if (e->o->reliability)
        bad = plot_write(plot, title.s, "predicted probability, %",
                         "observed, % of problems whose optimum is among the k", e->o->plot);
    else
        bad = plot_write(plot, title.s, "k, tuples returned",
                         is_timed(e) ? "share of the optimum's speed, %, geometric mean"
                                     : "Pft@k, % of problems whose optimum is among them",
                         e->o->plot);
    buf_free(&title);
    return bad;
}

#define HITS "method,model,split,key,row,k,hit,agree"

static const char *heading(const struct eval *e)
{
    if (!shows_error(e))
        return is_timed(e) ? "model,split,gpu,dtype,k,n,pft,avg,valid,exact,share,share_p1,share_p5"
                           : "model,split,gpu,dtype,k,n,pft,avg,valid";
    return is_timed(e) ? "model,split,gpu,dtype,k,n,groups,pft,se,avg,valid,exact,share,share se,"
                         "share p1,share p5,unlisted"
                       : "model,split,gpu,dtype,k,n,groups,pft,se,avg,valid";
}

/* Every k in turn */
static int evaluate_ks(const struct eval *e, struct outcome *out, struct results *to)
{
    size_t i;
    int bad = 0;
    table_heading(&to->table, heading(e));
    table_heading(&to->hits, is_timed(e) ? HITS ",share,unlisted" : HITS);
    for (i = 0; i < e->o->k.n && !bad; i++)
        bad = evaluate_k(e, (size_t)e->o->k.v[i], out, to);
    return bad;
}

static int evaluate_all(const struct eval *e, struct results *to)
{
    struct outcome *out = xcalloc(e->n, sizeof *out);
    const int bad = e->o->reliability ? eval_reliability(e, out, &to->table, &to->plot)
                                      : evaluate_ks(e, out, to);
    free(out);
    if (e->o->reliability && !bad)
        eval_temperature(e);
    return bad;
}

static int print_results(const struct eval *e, const struct results *r)
{
    table_print(&r->table, stdout, e->o->form);
    return flush_stdout() || (e->o->plot && draw(e, &r->plot)) ? -1 : 0;
}

/* The file of --hits is opened before the long work, not after it. */
static int evaluate(const struct eval *e)
{
    struct results r;
    struct outfile hits;
    int bad;
    memset(&r, 0, sizeof r);
    if (e->o->hits && out_open(&hits, e->o->hits))
        return -1;
    bad = evaluate_all(e, &r) || print_results(e, &r);
    if (e->o->hits && bad)
        out_abandon(&hits);
    else if (e->o->hits) {
        table_print(&r.hits, hits.f, (struct table_form){1, 0});
        bad = out_commit(&hits);
    }
    table_free(&r.table);
    table_free(&r.hits);
    plot_free(&r.plot);
    return bad;
}

/* The field to group by, if --by asks for it and the model has it; else -1. */
static int group_field(const struct eval *e, const char *name)
{
    return e->o->by && !strstr(e->o->by, name) ? -1 : spec_field_index(e->model->spec, name);
}

/* How many of the optima the rule rejects */
static size_t count_illegal(const struct eval *e)
{
    size_t i, illegal = 0;
    for (i = 0; i < e->n; i++) {
        const size_t best = eval_best_row(e, e->row + i);
        const unsigned char *target = e->data.target + best * e->data.n_params;
        illegal += target[0] != DATA_UNKNOWN
                   && !model_allows(e->model, e->data.problem + best * e->data.n_fields, target);
    }
    return illegal;
}

/* Row i, or the problem whose options are rows i..end-1. */
static void add_problem(struct eval *e, size_t i, size_t end, uint64_t unit)
{
    const int gpu = group_field(e, "gpu"), dtype = group_field(e, "dtype");
    const int32_t *p = e->data.problem + i * e->data.n_fields;
    struct eval_row *r = e->row + e->n++;
    r->index = i;
    r->end = end;
    r->unit = unit;
    r->gpu = gpu < 0 ? -1 : p[gpu];
    r->dtype = dtype < 0 ? -1 : p[dtype];
}

/* A problem with a single option tells nothing: how many there are. */
static size_t add_problems(struct eval *e, const struct held_out *held)
{
    size_t i, end, single = 0;
    for (i = 0; i < e->data.n; i = end) {
        end = is_timed(e) ? data_problem_end(&e->data, i) : i + 1;
        if (e->o->rows && !held->is_test[i])
            continue;
        if (is_timed(e) && end - i < 2)
            single++;
        else
            add_problem(e, i, end, held->unit[i]);
    }
    return single;
}

static int select_rows(struct eval *e)
{
    struct held_out held;
    size_t single = 0, illegal;
    const int bad = held_out_find(e->model->spec, e->model->m.split, &e->data, &held);
    e->row = xcalloc(e->data.n, sizeof *e->row);
    if (!bad)
        single = add_problems(e, &held);
    held_out_free(&held);
    if (bad)
        return -1;
    illegal = count_illegal(e);
    if (illegal)
        note("%s: %zu optima that the rule rejects count as a miss", e->model->m.name, illegal);
    if (single)
        note("%s: %zu problems with a single timed option are left out", e->model->m.name, single);
    qsort(e->row, e->n, sizeof *e->row, by_group);
    return e->n ? 0 : fail("%s: the data holds no row to test on", e->model->m.name);
}

static int run_data(struct eval *e)
{
    const struct eval_options *o = e->o;
    int bad;
    if (o->rows && !strcmp(e->model->m.split, "none"))
        return fail("%s: trained with --split none, so no row was kept for testing; use --rows all",
                    e->model->m.name);
    if (data_load(e->model->spec, o->data.v, o->data.n, &o->how, &e->data))
        return -1;
    data_note_drops(&e->data);
    bad = select_rows(e) || evaluate(e);
    free(e->row);
    data_free(&e->data);
    return bad;
}

/* Loads the float networks of the model's id, or says which command makes them. */
static int load_float(const struct model *model, struct recipe_nets *nets)
{
    struct buf path = {NULL, 0, 0};
    FILE *f;
    int bad = 0;
    buf_printf(&path, "build/float/%016" PRIx64 ".f32", model->m.id);
    f = fopen(path.s, "rb");
    if (f)
        fclose(f);
    else
        bad = fail("%s: no such file: `kpred-train train %s.spec --split %s ... -o FILE.h` writes "
                   "it; for the shipped models `make weights`",
                   path.s, model->m.name, model->m.split);
    if (!bad)
        bad = net_load(nets->net, RECIPE_MAX_NETS, path.s, &nets->n);
    buf_free(&path);
    return bad;
}

/* The network before rounding, or some of its teachers, in place of the one that predicts */
static int run_nets(struct eval *e, const struct recipe_nets *nets)
{
    const size_t n = (size_t)e->o->teachers;
    struct float_scorer scorer;
    kpred_model twin;
    if (n >= nets->n)
        return fail("--teachers: value \"%zu\": the model has %zu", n, nets->n - 1);
    e->run = &twin;
    e->method = n ? "additive teachers" : "additive float";
    return float_scorer_attach(e->model, nets->net + (n ? 1 : 0), n ? n : 1, &scorer, &twin)
           || run_data(e);
}

static int run_float(struct eval *e)
{
    struct recipe_nets nets;
    int bad;
    if (load_float(e->model, &nets))
        return -1;
    bad = run_nets(e, &nets);
    recipe_nets_free(&nets);
    return bad;
}

static int wants_float(const struct eval_options *o)
{
    return o->use_float || o->teachers;
}

static int open_and_run(const struct eval_options *o)
{
    struct any_model any;
    struct eval e;
    int bad;
    if (any_open(o->model, &any))
        return -1;
    memset(&e, 0, sizeof e);
    e.o = o;
    e.model = &any.model;
    e.run = &any.run;
    e.method = any.net;
    if (wants_float(o) && any.is_paper)
        bad = fail("%s: --float, --teachers: it is a float network of its own", o->model);
    else
        bad = wants_float(o) ? run_float(&e) : run_data(&e);
    any_close(&any);
    return bad;
}

static int check_by(const char *by)
{
    static const char *const known[] = {"gpu,dtype", "dtype,gpu", "gpu", "dtype", "all"};
    size_t i;
    for (i = 0; by && i < sizeof known / sizeof *known; i++)
        if (!strcmp(by, known[i]))
            return 0;
    return by ? fail("--by \"%s\": expected gpu,dtype, gpu, dtype or all", by) : 0;
}

static int check_beam(const struct eval_options *o)
{
    size_t i;
    for (i = 0; o->beam && i < o->k.n; i++)
        if (o->k.v[i] > o->beam)
            return fail("-k %ld is more than --beam %ld", o->k.v[i], o->beam);
    return 0;
}

static int check_outputs(const struct eval_options *o)
{
    if (o->hits && o->reliability)
        return fail("--hits and --reliability exclude each other");
    return o->hits && o->plot && !strcmp(o->hits, o->plot)
               ? fail("--hits and --plot: both %s", o->hits)
               : 0;
}

static int check_nets(const struct eval_options *o)
{
    return o->use_float && o->teachers ? fail("--float and --teachers exclude each other") : 0;
}

static int run(const struct eval_options *o)
{
    if (check_nets(o) || table_form_check(&o->form) || check_by(o->by) || check_beam(o)
        || check_outputs(o))
        return 2;
    return (o->plot && plot_check()) || open_and_run(o) ? 1 : 0;
}

int cmd_eval(int argc, char **argv)
{
    struct eval_options o;
    const struct opt table[] = {
        {.name = "MODEL|FILE.h", .kind = OPT_TEXT, .to = &o.model, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data, .is_required = 1},
        {.name = "--rows", .kind = OPT_CHOICE, .to = &o.rows, .choices = "all|test"},
        {.name = "-k", .kind = OPT_COUNTS, .to = &o.k, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--beam", .kind = OPT_COUNT, .to = &o.beam, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--float", .kind = OPT_FLAG, .to = &o.use_float},
        {.name = "--teachers",
         .kind = OPT_COUNT,
         .to = &o.teachers,
         .least = 1,
         .most = RECIPE_MAX_NETS - 1},
        {.name = "--by", .kind = OPT_TEXT, .to = &o.by},
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.how.gpu},
        {.name = "--nearest", .kind = OPT_FLAG, .to = &o.how.nearest},
        {.name = "--lenient", .kind = OPT_FLAG, .to = &o.how.lenient},
        {.name = "--reliability", .kind = OPT_FLAG, .to = &o.reliability},
        {.name = "--csv", .kind = OPT_FLAG, .to = &o.form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &o.form.json},
        {.name = "--plot", .kind = OPT_TEXT, .to = &o.plot},
        {.name = "--hits", .kind = OPT_TEXT, .to = &o.hits},
        {.name = NULL},
    };
    int status;
    memset(&o, 0, sizeof o);
    o.rows = 1;
    o.k.n = 1;
    o.k.v[0] = 1;
    status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = run(&o);
    free(o.data.v);
    return status;
}
