/* eval.c - `kpred-train eval`: how good predictions are (see weights/README.md)
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/plot.h"
#include "eval/eval.h"
#include "eval/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define HITS "method,model,split,key,row,k,hit,agree"

/* Behind those of the group and k: a format, a name, and what people are told of it. Those of timed
   data come behind VALID. */
#define COLUMNS(X)                                                                              \
    X(N, "%.0f", "n", "problems")                                                               \
    X(GROUPS, "%.0f", "groups", "groups of problems that the split keeps together")             \
    X(PFT, "%.2f", "pft", "percent of problems with the tuned optimum among the k tuples")      \
    X(SE, "%.2f", "se", "standard error of pft over the groups")                                \
    X(AVG, "%.2f", "avg", "percent of parameters that agree, of the tuple that agrees best")    \
    X(VALID, "%.2f", "valid", "percent of the k tuples that the rule accepts")                  \
    X(EXACT, "%.2f", "exact", "percent of problems with a timed tuple as fast as any")          \
    X(SHARE, "%.5f", "share", "of the best speed, by the first k timed tuples; geometric mean") \
    X(SHARE_SE, "%.5f", "share_se", "standard error of share over the groups")                  \
    X(SHARE_P1, "%.5f", "share_p1", "the share that all but 1 percent of the problems reach")   \
    X(SHARE_P5, "%.5f", "share_p5", "the share that all but 5 percent of the problems reach")   \
    X(UNLISTED, "%.2f", "unlisted", "percent of problems whose first tuple was not timed")      \
    X(LEFT_OUT, "%.0f", "left_out", "problems with fewer than two timed tuples that are legal") \
    X(TIMED, "%.2f", "timed", "percent of the first k tuples that were timed")                  \
    X(JUDGED, "%.5f", "judged", "share of the k tuples among all legal ones, as trees think")   \
    X(CEILING, "%.5f", "ceiling", "share of one who knows all times without noise, at k = 1")

/* Those of --reliability */
#define RELIABILITY_COLUMNS(X)                                                                   \
    X(BIN, "", "bin", "range of the predicted probability, percent; all: every problem")         \
    X(PROBLEMS, "", "n", "problems")                                                             \
    X(PREDICTED, "", "predicted", "the mean predicted probability, percent")                     \
    X(OBSERVED, "", "observed", "percent of problems with the tuned optimum among the k tuples") \
    X(OBSERVED_SE, "", "se", "standard error of observed")                                       \
    X(ECE, "", "ece", "how far predicted and observed are apart; all: the mean of that")

#define COLUMN_NUMBER(column, format, name, what) column,
enum column { COLUMNS(COLUMN_NUMBER) N_COLUMNS };

static const struct column_text {
    const char *format, *name, *what;
} columns[] = {
#define COLUMN_TEXT(column, format, name, what) {format, name, what},
    COLUMNS(COLUMN_TEXT)};

#define COLUMN_ROW(column, format, name, what) OPT(SAID, name, NULL, what),

/* Tables have them in the order above. In CSV and JSON those that others read by their places came
   first. */
static const unsigned char csv_columns[N_COLUMNS] = {
    N,     PFT,    AVG,     VALID,  EXACT, SHARE,    SHARE_P1, SHARE_P5,
    TIMED, JUDGED, CEILING, GROUPS, SE,    SHARE_SE, UNLISTED, LEFT_OUT};

/* The column at a place; N_COLUMNS: it is for timed data alone */
static size_t column_at(const struct eval *e, const struct options *o, size_t place)
{
    const size_t column = o->form.csv || o->form.json ? csv_columns[place] : place;
    return column <= VALID || eval_is_timed(e) ? column : N_COLUMNS;
}

static void set_heading(const struct eval *e, struct results *to)
{
    struct buf names = {NULL, 0, 0};
    buf_puts(&names, "model,split,gpu,dtype,k");
    for (size_t i = 0, c; i < N_COLUMNS; i++)
        if ((c = column_at(e, to->o, i)) < N_COLUMNS)
            buf_printf(&names, ",%s", columns[c].name);
    table_heading(&to->table, names.s);
    buf_free(&names);
}

/* Row `first` stands for its group. */
static void set_summary(const struct eval *e, const struct summary *s, double *cell)
{
    const double n = (double)s->n;
    const double legal = s->returned ? 100.0 * (double)s->legal / (double)s->returned : 100;
    cell[N] = n;
    cell[GROUPS] = (double)s->units;
    cell[PFT] = 100.0 * (double)s->hits / n;
    cell[SE] = 100.0 * sqrt(s->square) / n;
    cell[AVG] = 100.0 * (double)s->agree / (n * e->model->m.n_params);
    /* rounded down, so that 100.00 says that all are */
    cell[VALID] = s->legal == s->returned ? 100.0 : floor(legal * 100) / 100;
}

static void set_shares(const struct eval_shares *s, double n, double *cell)
{
    cell[EXACT] = 100.0 * (double)s->exact / n;
    cell[SHARE] = s->share;
    cell[SHARE_SE] = s->se;
    cell[SHARE_P1] = s->p1;
    cell[SHARE_P5] = s->p5;
    cell[UNLISTED] = 100.0 * (double)s->unlisted / n;
    cell[TIMED] = s->answers ? 100.0 * (double)s->timed / (double)s->answers : 0;
    cell[JUDGED] = s->judged;
}

/* Below 0: it is not known. */
static void add_cells(const struct eval *e, struct results *to, size_t first, size_t k,
                      const double *cell)
{
    eval_group_cells(e, &to->table, first);
    table_number(&to->table, "%zu", k);
    for (size_t i = 0, c; i < N_COLUMNS; i++) {
        if ((c = column_at(e, to->o, i)) == N_COLUMNS)
            continue;
        if (cell[c] < 0)
            table_text(&to->table, "");
        else
            table_number(&to->table, columns[c].format, cell[c]);
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
    double cell[N_COLUMNS];
    set_summary(e, &s, cell);
    if (eval_is_timed(e)) {
        const struct eval_shares shares = eval_shares_of(e, out, first, end);
        set_shares(&shares, (double)s.n, cell);
        cell[CEILING] = k == 1 ? eval_ceiling(e, first, end) : -1;
        cell[LEFT_OUT] = (double)eval_left_out(e, first);
        percent = 100.0 * shares.share;
    }
    add_cells(e, to, first, k, cell);
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

static int eval_draw(const struct eval *e, struct results *r)
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
    const int bad = eval_open_estimate(e) || evaluate_ks(e, to)
                    || (e->rows == EVAL_TEST && e->n > 1 && eval_sizes(e, eval_estimate_judges(e)));
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

static const struct column_text reliability_columns[] = {RELIABILITY_COLUMNS(COLUMN_TEXT)};

static void explain(const struct eval *e, const struct results *r)
{
    const size_t timed = eval_is_timed(e) ? N_COLUMNS : VALID + 1;
    const struct column_text *c = r->o->reliability ? reliability_columns : columns;
    const size_t n = r->o->reliability ? sizeof reliability_columns / sizeof *c : timed;
    struct table t = {0};
    table_heading(&t, "column,what it tells");
    for (size_t i = 0; i < n; i++) {
        table_text(&t, c[i].name);
        table_text(&t, c[i].what);
    }
    putchar('\n');
    table_print(&t, stdout, (struct table_form){0});
    table_free(&t);
}

static int print_results(const struct eval *e, struct results *r)
{
    table_print(&r->table, stdout, r->o->form);
    if (isatty(STDOUT_FILENO) && !r->o->form.csv && !r->o->form.json)
        explain(e, r);
    return flush_stdout() || (r->o->plot && eval_draw(e, r)) ? -1 : 0;
}

/* The file of --hits is opened before the long work, not after it. */
static int evaluate(struct eval *e, const struct options *o)
{
    struct results r = {
        .o = o,
        .plot = {.is_whole = !o->reliability},
        .table = {.keys = "gpu,dtype,k",
                  .minor = "split,model,left_out,groups,share_p1,timed,exact,ceiling,valid,avg,"
                           "share_se,share_p5,se,judged",
                  .units = "pft %,se %,avg %,valid %,exact %,unlisted %,timed %,predicted %,"
                           "observed %"},
    };
    struct outfile hits;
    if (o->hits && out_open(&hits, o->hits))
        return -1;
    int bad = evaluate_all(e, &r) || print_results(e, &r);
    if (o->hits && !bad)
        table_print(&r.hits, hits.f, (struct table_form){.csv = 1});
    if (o->hits)
        bad = out_end(&hits, bad);
    table_free(&r.table);
    table_free(&r.hits);
    plot_free(&r.plot);
    return bad;
}

static int run_data(struct eval *e, const struct options *o)
{
    if (e->rows != EVAL_ALL && !strcmp(e->model->m.split, "none"))
        return fail(
            "%s: trained with --split none, so no row was kept for testing; use --rows all%s",
            e->model->m.name,
            !strcmp(e->model->spec->shipped, "none")
                ? ", which measures memory: weights/accuracy.csv has the figures of models "
                  "that were trained alike, without each group once (split fold)"
                : "");
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
    return !by || text_find(known, sizeof known / sizeof *known, by) >= 0
               ? 0
               : fail("--by \"%s\": expected gpu,dtype, gpu, dtype or all", by);
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
    if (check_nets(o) || check_by(o->by) || check_beam(o) || check_outputs(o))
        return 2;
    return open_and_run(o) ? 1 : 0;
}

int cmd_eval(int argc, char **argv)
{
    struct options o = {.rows = EVAL_TEST, .how.most = ROW_LIMIT, .k = {1, {1}}};
    const struct opt table[] = {
        OPT_SAYS("Compares what a model predicts with what tuning found, a line for each group and "
                 "each K."),
        OPT(TEXT, "MODEL|FILE.h", &o.model, MODEL_OPERAND),
        OPT(TEXTS, "--data FILE...", &o.data, DATA_FILES),
        OPT(CHOICE, "[--rows all|test|aside]", &o.rows,
            "test: those the model's own split kept from training, an error where it is none; all: "
            "every row; aside: for a fold (config:I/N, shape:I/N) the rows that are in no fold"),
        OPT_RANGE(COUNTS, "[-k K,...]", &o.k, 1, KPRED_MAX_BEAM, "tuples asked for"),
        OPT_RANGE(COUNT, "[--beam B]", &o.beam, 1, KPRED_MAX_BEAM,
                  "beam width, k at least, which is the default"),
        OPT(FLAG, "[--float", &o.use_float,
            "the float network that train left beside the header, FILE.f32, in place of the "
            "integer one; of a built-in model weights/MODEL.f32"),
        OPT_RANGE(COUNT, "|--teachers N]", &o.teachers, 1, MAX_TEACHERS,
                  "the mean of N of the networks that taught it, from the same file"),
        OPT(TEXT, "[--by gpu,dtype|gpu|dtype|all]", &o.by,
            "what to group by (default: gpu,dtype); all: one group"),
        DATA_OPTIONS(o.how),
        OPT(FLAG, "[--reliability]", &o.reliability,
            "how well the probabilities fit, of all k tuples together; not together with --hits"),
        OPT(TEXT, "[--plot FILE.svg]", &o.plot,
            "pft against k, of timed data share, a curve for each group; with --reliability, what "
            "was observed against what was predicted, a curve for each k, too"),
        OPT(TEXT, "[--hits FILE.csv]", &o.hits,
            "as CSV what each problem was worth for each k, columns " HITS
            "; of timed data also share,unlisted. A row has its number as ingest writes them, and "
            "of the best tuple how many parameters agree"),
        ALL_OPTION(o.form),
        FORM_OPTIONS(o.form, ", with the columns of the table"),
        OPT_SAYS("Below a table on a terminal a line says what each column is. share_p1 and "
                 "share_p5 are percentiles. Columns from exact on are of timed data:"),
        COLUMNS(COLUMN_ROW) OPT_SAYS(
            "Timed data: tuples that were not timed for a problem, or that the rule rejects, are "
            "passed over, of how many problems such a one was the fastest is told; if none of the "
            "k was timed, the slowest option stands for them. Problems "
            "of which a single option was timed are left out. Of models with one parameter all "
            "values are ranked. With format = timed a table is full if each problem has every "
            "tuple that the rule allows, failures included, or, without a rule, if all problems "
            "have the same tuples. Else it is a sample, which standard error says: the model's "
            "order of those that were timed counts, as if no others were legal, and only timed and "
            "judged tell of the tuples that it would predict. judged is what trees think that "
            "learn from the files, of up to 128 of the problems; they are too kind where they "
            "taught the model. ceiling, where tuples were timed several times, is the share of who "
            "knew all times without the noise of repeats.\n--reliability prints columns "
            "model,split,gpu,dtype,k and these, for ten bins, those without a problem left out, "
            "and for all problems:"),
        RELIABILITY_COLUMNS(COLUMN_ROW)
            OPT_SAYS("A line on standard error tells the temperature, 0.55 to 8.00, that would fit "
                     "the first tuple's probability best, for [calibration] of a spec."),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? run(&o) : status);
}
