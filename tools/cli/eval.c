/* eval.c - `kpred-train eval`: how good predictions are (see weights/README.md)
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/plot.h"
#include "eval/eval.h"
#include "eval/predictor.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: kpred-train eval MODEL|FILE.h --data FILE... [--rows all|test|aside] [-k K,...] "
    "[--beam B]\n"
    "                        [--float|--teachers N] [--by gpu,dtype] [--gpu GPU]\n"
    "                        [--set FIELD=VALUE...] [--unit UNIT] [--nearest] [--lenient] "
    "[--reliability]\n"
    "                        [--plot FILE.svg] [--hits FILE.csv] [--csv|--json]\n"
    "\n"
    "Compares what a model predicts with what tuning found.\n"
    "\n"
    "  MODEL|FILE.h   a built-in model, or a header that kpred-train wrote\n"
    "  --data FILE... tuning results, as for train\n"
    "  --rows WHICH   test (default): those the model's own split kept from training; all: every "
    "row;\n"
    "                 aside: for a fold (config:I/N, shape:I/N) the rows that are in no fold\n"
    "  -k K,...       tuples asked for (default 1)\n"
    "  --beam B       beam width (default: k)\n"
    "  --float        the float network that train left beside the header, FILE.f32, in place of\n"
    "                 the integer one\n"
    "  --teachers N   the mean of N of the networks that taught it, from the same file\n"
    "  --by LIST      what to group by: gpu,dtype (default), gpu, dtype, or all for one group\n"
    "  --gpu GPU      the GPU of files that do not say it; default: their names\n"
    "  --set FIELD=VALUE...  the value of a field in files that do not say it\n"
    "  --unit UNIT    s, ms, us or ns: of times in .json files that say none; default: ms\n"
    "  --nearest      for a GPU that the model lacks, take the nearest that it has\n"
    "  --lenient      drop and count rows that would be an error\n"
    "  --reliability  how well the probabilities fit, of all k tuples together: columns\n"
    "                 model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece\n"
    "  --csv          as CSV, with the columns of the table\n"
    "  --json         as JSON, an array of objects with the same names\n"
    "  --plot FILE    pft against k as an SVG, a curve for each group; with --reliability, what\n"
    "                 was observed against what was predicted; gnuplot draws it\n"
    "  --hits FILE    as CSV what each problem was worth for each k, columns\n"
    "                 method,model,split,key,row,k,hit,agree; of timed data also share,unlisted\n"
    "\n"
    "On a terminal the table says below what each column is. pft: percent of problems whose tuned\n"
    "optimum is, whole, among the k tuples; avg: of the tuple that agrees best, the percent of\n"
    "parameters that agree; valid: percent of returned tuples that the rule accepts; groups: "
    "those\n"
    "that the split keeps together; se: the standard error of pft over them.\n"
    "\n"
    "Timed data: tuples that were not timed for a problem are passed over. exact: percent of\n"
    "problems where the fastest of the first k others is as fast as any; share: the geometric\n"
    "mean of the best time by its time, with standard error and percentiles; unlisted: percent of\n"
    "problems whose first tuple was not timed; left_out: problems with fewer than two timed\n"
    "tuples that are legal; timed: percent of the first k tuples that were timed. Where not all\n"
    "tuples of a problem were timed (format = timed), the model's order of those that were\n"
    "counts, and judged estimates the share of the first k tuples among all legal ones: it is\n"
    "what trees think that learn from the files. ceiling, at k = 1 and where tuples were timed\n"
    "several times, estimates the share of who knew all times without the noise of repeats.\n"
    "\n"
    "bin: of the predicted probability, in percent; predicted, observed: its mean, and the\n"
    "percent of problems whose optimum was there; se: the standard error of observed; ece: how\n"
    "far the two are apart, in the line `all` the mean over the problems of how far those of\n"
    "their bin are. A line on standard error tells the temperature that would fit the first\n"
    "tuple's probability best, for [calibration] of a spec.\n";

struct options {
    const char *model, *by, *plot, *hits;
    struct data_options how;
    struct opt_texts data;
    struct opt_counts k;
    long beam, teachers; /* 0: none */
    int rows;            /* an enum eval_rows: --rows has its words in the same order */
    int use_float, reliability;
    struct table_form form;
};

/* What comes out. */
struct results {
    const struct options *o;
    struct table table, hits;
    struct plot plot;
};

struct summary {
    size_t n, units, hits, agree, returned, legal;
    double square; /* sum over units of (hits - pft * size)^2, for the standard error */
};

/* Rows first..end-1 are one group, sorted by unit. */
static struct summary summarise(const struct eval *e, const struct outcome *out, size_t first,
                                size_t end)
{
    struct summary s = {end - first, 0, 0, 0, 0, 0, 0};
    size_t j;
    for (size_t i = first; i < end; i++) {
        s.hits += out[i].hit;
        s.agree += out[i].agree;
        s.returned += out[i].returned;
        s.legal += out[i].legal;
    }
    for (size_t i = first; i < end; i = j) {
        double off = 0;
        for (j = i; j < end && e->row[j].unit == e->row[i].unit; j++)
            off += (double)out[j].hit - (double)s.hits / (double)s.n;
        s.square += off * off;
        s.units++;
    }
    return s;
}

/* ---- columns ---- */

/* Behind those of the group and k: a name, and what people are told of it */
#define COLUMNS(X)                                                                      \
    X(N, "n", "problems")                                                               \
    X(GROUPS, "groups", "groups of problems that the split keeps together")             \
    X(PFT, "pft", "percent of problems with the tuned optimum among the k tuples")      \
    X(SE, "se", "standard error of pft over the groups")                                \
    X(AVG, "avg", "percent of parameters that agree, of the tuple that agrees best")    \
    X(VALID, "valid", "percent of the k tuples that the rule accepts")                  \
    X(EXACT, "exact", "percent of problems with a timed tuple as fast as any")          \
    X(SHARE, "share", "of the best speed, by the first k timed tuples; geometric mean") \
    X(SHARE_SE, "share_se", "standard error of share over the groups")                  \
    X(SHARE_P1, "share_p1", "the share that all but 1 percent of the problems reach")   \
    X(SHARE_P5, "share_p5", "the share that all but 5 percent of the problems reach")   \
    X(UNLISTED, "unlisted", "percent of problems whose first tuple was not timed")      \
    X(LEFT_OUT, "left_out", "problems with fewer than two timed tuples that are legal") \
    X(TIMED, "timed", "percent of the first k tuples that were timed")                  \
    X(JUDGED, "judged", "share of the k tuples among all legal ones, as trees think")   \
    X(CEILING, "ceiling", "share of one who knows all times without noise, at k = 1")

#define COLUMN_NUMBER(column, name, what) column,
enum column { COLUMNS(COLUMN_NUMBER) N_COLUMNS };

static const struct column_text {
    const char *name, *what;
} columns[] = {
#define COLUMN_TEXT(column, name, what) {name, what},
    COLUMNS(COLUMN_TEXT)};

/* Tables have them in the order above. In CSV and JSON those that others read by their places came
   first. */
static const unsigned char untimed[] = {N, GROUPS, PFT, SE, AVG, VALID};
static const unsigned char untimed_csv[] = {N, PFT, AVG, VALID, GROUPS, SE};
static const unsigned char timed[] = {N,        GROUPS, PFT,      SE,       AVG,      VALID,
                                      EXACT,    SHARE,  SHARE_SE, SHARE_P1, SHARE_P5, UNLISTED,
                                      LEFT_OUT, TIMED,  JUDGED,   CEILING};
static const unsigned char timed_csv[] = {N,        PFT,      AVG,      VALID,   EXACT,   SHARE,
                                          SHARE_P1, SHARE_P5, TIMED,    JUDGED,  CEILING, GROUPS,
                                          SE,       SHARE_SE, UNLISTED, LEFT_OUT};

struct order {
    const unsigned char *column;
    size_t n;
};

#define ORDER(columns) ((struct order){columns, sizeof columns})

static struct order order_of(const struct eval *e, const struct options *o)
{
    const int is_csv = o->form.csv || o->form.json;
    if (eval_is_timed(e))
        return is_csv ? ORDER(timed_csv) : ORDER(timed);
    return is_csv ? ORDER(untimed_csv) : ORDER(untimed);
}

static void set_heading(const struct eval *e, struct results *to)
{
    const struct order all = order_of(e, to->o);
    struct buf names = {NULL, 0, 0};
    buf_puts(&names, "model,split,gpu,dtype,k");
    for (size_t i = 0; i < all.n; i++)
        buf_printf(&names, ",%s", columns[all.column[i]].name);
    table_heading(&to->table, names.s);
    buf_free(&names);
}

/* A line of a group: the numbers as text, "" of what is not known */
struct cells {
    char v[N_COLUMNS][16];
};

PRINTF_LIKE(3, 4)
static void set_cell(struct cells *c, enum column column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->v[column], sizeof c->v[column], fmt, args);
    va_end(args);
}

/* Row `first` stands for its group. */
static void set_summary(const struct eval *e, const struct summary *s, struct cells *c)
{
    const double n = (double)s->n;
    const double legal = s->returned ? 100.0 * (double)s->legal / (double)s->returned : 100;
    set_cell(c, N, "%zu", s->n);
    set_cell(c, GROUPS, "%zu", s->units);
    set_cell(c, PFT, "%.2f", 100.0 * (double)s->hits / n);
    set_cell(c, SE, "%.2f", 100.0 * sqrt(s->square) / n);
    set_cell(c, AVG, "%.2f", 100.0 * (double)s->agree / (n * e->model->m.n_params));
    /* rounded down, so that 100.00 says that all are */
    set_cell(c, VALID, "%.2f", s->legal == s->returned ? 100.0 : floor(legal * 100) / 100);
}

/* Below 0: there is none. */
static void set_estimate(struct cells *c, enum column column, double share)
{
    if (share >= 0)
        set_cell(c, column, "%.5f", share);
}

static void set_shares(const struct eval_shares *s, size_t n, struct cells *c)
{
    set_cell(c, EXACT, "%.2f", 100.0 * (double)s->exact / (double)n);
    set_cell(c, SHARE, "%.5f", s->share);
    set_cell(c, SHARE_SE, "%.5f", s->se);
    set_cell(c, SHARE_P1, "%.5f", s->p1);
    set_cell(c, SHARE_P5, "%.5f", s->p5);
    set_cell(c, UNLISTED, "%.2f", 100.0 * (double)s->unlisted / (double)n);
    set_cell(c, TIMED, "%.2f", s->answers ? 100.0 * (double)s->timed / (double)s->answers : 0);
    set_estimate(c, JUDGED, s->judged);
}

static void add_cells(const struct eval *e, struct results *to, size_t first, size_t k,
                      const struct cells *c)
{
    const struct order all = order_of(e, to->o);
    eval_group_cells(e, &to->table, first);
    table_number(&to->table, "%zu", k);
    for (size_t i = 0; i < all.n; i++) {
        const char *cell = c->v[all.column[i]];
        if (*cell)
            table_number(&to->table, "%s", cell);
        else
            table_text(&to->table, "");
    }
}

/* ---- what each problem was worth, and curves ---- */

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
    struct buf key = {NULL, 0, 0};
    eval_row_key(e, r, &key);
    table_text(t, e->method);
    table_text(t, e->model->m.name);
    table_text(t, eval_split_name(e));
    table_text(t, key.s);
    table_number(t, "%zu", r->index + 1);
    table_number(t, "%zu", k);
    table_number(t, "%zu", o->hit);
    table_number(t, "%zu", o->agree);
    if (eval_is_timed(e)) {
        table_number(t, "%.5f", o->share);
        table_number(t, "%zu", o->unlisted);
    }
    buf_free(&key);
}

/* A line for every row, in the order in which `ingest` writes them, whatever the groups are. */
static void add_hits(const struct eval *e, struct table *t, size_t k, const struct outcome *out)
{
    size_t *place = xcalloc(e->data.n, sizeof *place); /* of a row of the data among ours, + 1 */
    for (size_t i = 0; i < e->n; i++)
        place[e->row[i].index] = i + 1;
    for (size_t i = 0; i < e->data.n; i++)
        if (place[i])
            add_hit(e, t, k, e->row + place[i] - 1, out + place[i] - 1);
    free(place);
}

static void add_group(const struct eval *e, struct results *to, size_t group, size_t k,
                      const struct outcome *out, size_t first, size_t end)
{
    const struct summary s = summarise(e, out, first, end);
    double percent = 100.0 * (double)s.hits / (double)s.n;
    struct cells cells = {{""}};
    set_summary(e, &s, &cells);
    if (eval_is_timed(e)) {
        const struct eval_shares shares = eval_shares_of(e, out, first, end);
        set_shares(&shares, s.n, &cells);
        set_estimate(&cells, CEILING, k == 1 ? eval_ceiling(e, first, end) : -1);
        set_cell(&cells, LEFT_OUT, "%zu", eval_left_out(e, first));
        percent = 100.0 * shares.share;
    }
    add_cells(e, to, first, k, &cells);
    add_point(e, &to->plot, group, k, percent, first);
}

/* One k: a line of the table and a point of a curve for every group */
static void add_k(const struct eval *e, size_t k, const struct outcome *out, struct results *to)
{
    size_t end, group = 0;
    if (to->o->hits)
        add_hits(e, &to->hits, k, out);
    for (size_t first = 0; first < e->n; first = end, group++) {
        end = eval_group_end(e, first);
        add_group(e, to, group, k, out, first, end);
    }
}

static int eval_draw(const struct eval *e, const struct results *r)
{
    const struct options *o = r->o;
    static const char *const rows[] = {[EVAL_ALL] = "all problems",
                                       [EVAL_TEST] = "problems kept from training",
                                       [EVAL_ASIDE] = "problems in no fold"};
    struct buf title = {NULL, 0, 0};
    int bad;
    buf_printf(&title, "%s, %s", e->model->m.name, rows[e->rows]);
    if (o->reliability)
        bad = plot_write(&r->plot, title.s, "predicted probability, %",
                         "observed, % of problems whose optimum is among the k", o->plot);
    else
        bad = plot_write(&r->plot, title.s, "k, tuples returned",
                         eval_is_timed(e) ? "share of the optimum's speed, %, geometric mean"
                                          : "Pft@k, % of problems whose optimum is among them",
                         o->plot);
    buf_free(&title);
    return bad;
}

#define HITS "method,model,split,key,row,k,hit,agree"

/* Every k in turn */
static int evaluate_ks(const struct eval *e, struct results *to)
{
    const struct opt_counts *k = &to->o->k;
    struct outcome *out = xcalloc(k->n * e->n, sizeof *out);
    const int bad = eval_run(e, k->v, k->n, out);
    set_heading(e, to);
    table_heading(&to->hits, eval_is_timed(e) ? HITS ",share,unlisted" : HITS);
    for (size_t i = 0; i < k->n && !bad; i++)
        add_k(e, (size_t)k->v[i], out + i * e->n, to);
    free(out);
    return bad;
}

/* Of a sample, judges say what they think of the answers that were not timed. */
static int evaluate_sample(struct eval *e, struct results *to)
{
    const int bad = eval_open_estimate(e) || evaluate_ks(e, to);
    eval_close_estimate(e);
    return bad;
}

static int evaluate_reliability(const struct eval *e, struct results *to)
{
    const struct opt_counts *k = &to->o->k;
    struct outcome *out = xcalloc(e->n, sizeof *out);
    const int bad = eval_reliability(e, k->v, k->n, out, &to->table, &to->plot);
    free(out);
    if (!bad)
        eval_temperature(e);
    return bad;
}

static int evaluate_all(struct eval *e, struct results *to)
{
    return to->o->reliability ? evaluate_reliability(e, to)
           : e->is_sample     ? evaluate_sample(e, to)
                              : evaluate_ks(e, to);
}

/* ---- below a table on a terminal, a line for each column ---- */

static const struct column_text reliability_columns[] = {
    {"bin", "range of the predicted probability, percent; all: every problem"},
    {"n", "problems"},
    {"predicted", "the mean predicted probability, percent"},
    {"observed", "percent of problems with the tuned optimum among the k tuples"},
    {"se", "standard error of observed"},
    {"ece", "how far predicted and observed are apart; all: the mean of that"}};

static void explain_column(struct table *t, const struct column_text *c)
{
    table_text(t, c->name);
    table_text(t, c->what);
}

static void explain(const struct eval *e, const struct results *r)
{
    const struct order all = order_of(e, r->o);
    struct table t = {0, {NULL, 0, 0}};
    table_heading(&t, "column,what it tells");
    for (size_t i = 0; i < all.n && !r->o->reliability; i++)
        explain_column(&t, &columns[all.column[i]]);
    for (size_t i = 0; i < sizeof reliability_columns / sizeof *reliability_columns; i++)
        if (r->o->reliability)
            explain_column(&t, &reliability_columns[i]);
    putchar('\n');
    table_print(&t, stdout, (struct table_form){0, 0});
    table_free(&t);
}

static int print_results(const struct eval *e, const struct results *r)
{
    table_print(&r->table, stdout, r->o->form);
    if (isatty(STDOUT_FILENO) && !r->o->form.csv && !r->o->form.json)
        explain(e, r);
    return flush_stdout() || (r->o->plot && eval_draw(e, r)) ? -1 : 0;
}

/* The file of --hits is opened before the long work, not after it. */
static int evaluate(struct eval *e, const struct options *o)
{
    struct results r = {.o = o, .plot = {.is_whole = !o->reliability}};
    struct outfile hits;
    if (o->hits && out_open(&hits, o->hits))
        return -1;
    int bad = evaluate_all(e, &r) || print_results(e, &r);
    if (o->hits && bad)
        out_abandon(&hits);
    else if (o->hits) {
        table_print(&r.hits, hits.f, (struct table_form){1, 0});
        bad = out_commit(&hits);
    }
    table_free(&r.table);
    table_free(&r.hits);
    plot_free(&r.plot);
    return bad;
}

static int run_data(struct eval *e, const struct options *o)
{
    if (e->rows != EVAL_ALL && !strcmp(e->model->m.split, "none"))
        return fail("%s: trained with --split none, so no row was kept for testing; use --rows all",
                    e->model->m.name);
    if (data_load(readers, e->model->spec, o->data.v, o->data.n, &o->how, &e->data))
        return -1;
    int bad = no_tuple_check(e->model, &e->data, o->how.lenient);
    if (!bad) {
        data_note_drops(&e->data);
        bad = eval_select_rows(e) || evaluate(e, o);
    }
    free(e->row);
    free(e->is_out);
    data_free(&e->data);
    return bad;
}

static int open_and_run(const struct options *o)
{
    struct predictor p;
    struct eval e = {.model = &p.model,
                     .run = &p.run,
                     .by = o->by,
                     .beam = (size_t)o->beam,
                     .rows = (enum eval_rows)o->rows};
    int bad = o->use_float || o->teachers ? predictor_open_float(o->model, (size_t)o->teachers, &p)
                                          : predictor_open(o->model, &p);
    if (bad)
        return -1;
    e.method = p.net;
    bad = run_data(&e, o);
    predictor_close(&p);
    return bad;
}

static int check_by(const char *by)
{
    static const char *const known[] = {"gpu,dtype", "dtype,gpu", "gpu", "dtype", "all"};
    for (size_t i = 0; by && i < sizeof known / sizeof *known; i++)
        if (!strcmp(by, known[i]))
            return 0;
    return by ? fail("--by \"%s\": expected gpu,dtype, gpu, dtype or all", by) : 0;
}

static int check_beam(const struct options *o)
{
    for (size_t i = 0; o->beam && i < o->k.n; i++)
        if (o->k.v[i] > o->beam)
            return fail("-k %ld is more than --beam %ld", o->k.v[i], o->beam);
    return 0;
}

static int check_outputs(const struct options *o)
{
    const struct output to[] = {{"--hits", o->hits}, {"--plot", o->plot}};
    if (o->hits && o->reliability)
        return fail("--hits and --reliability cannot be used together");
    return outputs_check_apart(to, 2) || outputs_check_input(to, 2, "MODEL|FILE.h", o->model)
                   || outputs_check_inputs(to, 2, "--data", &o->data)
               ? -1
               : 0;
}

static int check_nets(const struct options *o)
{
    return o->use_float && o->teachers ? fail("--float and --teachers cannot be used together") : 0;
}

static int run(const struct options *o)
{
    if (check_nets(o) || table_form_check(&o->form) || check_by(o->by) || check_beam(o)
        || check_outputs(o))
        return 2;
    return (o->plot && plot_check()) || open_and_run(o) ? 1 : 0;
}

int cmd_eval(int argc, char **argv)
{
    struct options o = {.rows = EVAL_TEST, .how.most = ROW_LIMIT, .k = {1, {1}}};
    const struct opt table[] = {
        {.name = "MODEL|FILE.h", .kind = OPT_TEXT, .to = &o.model, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data, .is_required = 1},
        {.name = "--rows", .kind = OPT_CHOICE, .to = &o.rows, .choices = "all|test|aside"},
        {.name = "-k", .kind = OPT_COUNTS, .to = &o.k, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--beam", .kind = OPT_COUNT, .to = &o.beam, .least = 1, .most = KPRED_MAX_BEAM},
        {.name = "--float", .kind = OPT_FLAG, .to = &o.use_float},
        {.name = "--teachers",
         .kind = OPT_COUNT,
         .to = &o.teachers,
         .least = 1,
         .most = MAX_TEACHERS},
        {.name = "--by", .kind = OPT_TEXT, .to = &o.by},
        DATA_OPTIONS(o.how),
        {.name = "--reliability", .kind = OPT_FLAG, .to = &o.reliability},
        FORM_OPTIONS(o.form),
        {.name = "--plot", .kind = OPT_TEXT, .to = &o.plot},
        {.name = "--hits", .kind = OPT_TEXT, .to = &o.hits},
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = run(&o);
    free(o.data.v);
    free(o.how.set.v);
    return status;
}
