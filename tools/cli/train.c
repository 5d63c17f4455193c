/* train.c - `kpred-train train`: tuning results in, a generated header out
   SPDX-License-Identifier: MIT */
#include "base/numbers.h"
#include "base/opts.h"
#include "commands.h"
#include "data/held_out.h"
#include "model/header.h"
#include "readers.h"
#include "train/judge.h"
#include "train/paper/paper.h"
#include "train/recipe.h"
#include "train/time_targets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: kpred-train train SPEC --data FILE... [--beside FILE...]\n"
    "                         [--split config|shape|none|fold:I/N]\n"
    "                         [--net additive|encdec|attn|attn2|hybrid|hybrid2]\n"
    "                         [--epochs N] [--seed N] [--threads N] [--gpu GPU] [--nearest]\n"
    "                         [--lenient] [--float-out FILE] -o FILE.h\n"
    "\n"
    "Trains a network on tuning results and writes it as a C header. The same files and options\n"
    "give the same bytes, whatever the compiler and the number of threads. Rows that say the same\n"
    "count once.\n"
    "\n"
    "  SPEC             the kernel's .spec file\n"
    "  --data FILE...   perf-dbs of SQLite (.db) and of text (.txt), CSV files (.csv), and each "
    "of\n"
    "                   these with .bz2\n"
    "  --beside FILE... timed data of other kernels with the same parameters, from each file of\n"
    "                   which the judges learn as well, for specs with a section [judge];\n"
    "                   --split keeps none of them\n"
    "  --split SPLIT    which tenth of the problems to keep for testing: by whole problem "
    "(config,\n"
    "                   the default), by tensor shape (shape), or none; fold:I/N: every N-th\n"
    "                   problem of the files, from number I, the first being 0\n"
    "  --net NET        the kind of network (default: additive). The others are those of the "
    "paper\n"
    "                   that kpred starts from, in floats, for eval to compare with:\n"
    "                   encdec   encoder-decoder LSTM\n"
    "                   attn     attention between a bi-LSTM and an LSTM\n"
    "                   attn2    the same, not fed with the parameters it decided\n"
    "                   hybrid   convolutions, then two bi-LSTMs\n"
    "                   hybrid2  the same, the second fed with the last states of the first\n"
    "  --epochs N       passes of the final network over its rows (default: the spec's); those of\n"
    "                   its teachers change in proportion\n"
    "  --seed N         of all that is random (default 1)\n"
    "  --threads N      default: one per core\n"
    "  --gpu GPU        the GPU of the files; default: their names\n"
    "  --nearest        for a GPU that the spec lacks, take the nearest that it has\n"
    "  --lenient        drop and count rows that would be an error\n"
    "  --float-out FILE the network before rounding, and its teachers (default:\n"
    "                   build/float/ID.f32); of additive alone, the others are not rounded\n"
    "  -o FILE.h        the header, written whole or not at all\n";

struct options {
    const char *spec, *split, *float_out, *output;
    struct opt_texts data, beside;
    struct data_options how;
    int net;
    long epochs, seed, threads;
};

struct data {
    struct dataset own, *beside;
    size_t n_beside;
};

/* additive, then the paper's in their order */
#define NETS "additive|encdec|attn|attn2|hybrid|hybrid2"

static size_t thread_count(const struct options *o)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return o->threads ? (size_t)o->threads : cores > 0 ? (size_t)cores : 1;
}

/* ---- progress: one line, rewritten, on a terminal; nothing elsewhere ---- */

static const char *progress_name;
static time_t progress_start;

static void show_progress(const char *what, size_t epoch, size_t epochs, double loss,
                          double held_out)
{
    const long seconds = (long)(time(NULL) - progress_start);
    fprintf(stderr, "\r\033[K%s: %s, epoch %zu of %zu: loss %.3f bits", progress_name, what, epoch,
            epochs, loss);
    if (held_out > 0)
        fprintf(stderr, ", score %.3f bits on held-out rows", held_out);
    fprintf(stderr, ", %ld:%02ld", seconds / 60, seconds % 60);
}

static recipe_progress *progress_begin(const char *name)
{
    progress_name = name;
    progress_start = time(NULL);
    return isatty(STDERR_FILENO) ? show_progress : NULL;
}

static void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ---- rows ---- */

struct rows {
    struct recipe_rows train, held_out;
    size_t measured; /* of train, the first ones; the others are of judges (judge.h) */
    size_t copies;   /* rows that say the same as another */
    size_t illegal;  /* of the others, those whose optimum the rule rejects */
    size_t lost;     /* problems of timed data of which the model can return no option */
};

static void append(struct recipe_rows *to, const struct dataset *d, size_t i)
{
    memcpy(to->problem + to->n * d->n_fields, d->problem + i * d->n_fields,
           d->n_fields * sizeof *to->problem);
    memcpy(to->target + to->n * d->n_params, d->target + i * d->n_params, d->n_params);
    to->n++;
}

static void allocate(struct recipe_rows *r, const struct dataset *d, size_t most, size_t width)
{
    r->n = 0;
    r->problem = xcalloc(most, d->n_fields * sizeof *r->problem);
    r->target = xcalloc(most, d->n_params);
    r->soft = d->time_us ? xcalloc(most, width * sizeof *r->soft) : NULL;
}

/* Does the row say what the one before it says? Rows are sorted: equal ones stand together. */
static int is_copy(const struct dataset *d, size_t i)
{
    const int32_t *problem = d->problem + i * d->n_fields;
    const unsigned char *target = d->target + i * d->n_params;
    return i > 0 && !memcmp(problem - d->n_fields, problem, d->n_fields * sizeof *problem)
           && !memcmp(target - d->n_params, target, d->n_params);
}

/* One optimum */
static void add_row(const struct model *model, const struct dataset *d, size_t i,
                    struct recipe_rows *to, struct rows *out)
{
    const int32_t *problem = d->problem + i * d->n_fields;
    if (is_copy(d, i))
        out->copies++;
    else if (!model_allows(model, problem, d->target + i * d->n_params))
        out->illegal++;
    else
        append(to, d, i);
}

static void add_rows(const struct model *model, const struct recipe *recipe,
                     const struct dataset *d, uint64_t seed, const struct held_out *held,
                     struct rows *out)
{
    size_t i, end;
    for (i = 0; i < d->n; i = end) {
        struct recipe_rows *to = held->is_test[i] ? &out->held_out : &out->train;
        end = d->time_us ? data_problem_end(d, i) : i + 1;
        if (!d->time_us)
            add_row(model, d, i, to, out);
        else if (!soft_add(recipe, model, d, i, end, num_mix(seed, 7, i), to))
            out->lost++;
    }
}

static void note_dropped(const char *model, size_t n, const char *what, const char *why)
{
    if (n)
        note("%s: dropped %zu %s%s%s", model, n, what, n == 1 ? "" : "s", why);
}

static size_t rows_at_most(const struct model *model, const struct recipe *recipe,
                           const struct dataset *d)
{
    return !d->time_us ? d->n
                       : soft_most(recipe, d) + (model->spec->judge.n ? judge_most(recipe, d) : 0);
}

/* What the judges say, who are the recipe's teachers. */
static int add_judged(const struct model *model, const struct recipe *recipe,
                      const struct data *data, const struct options *o, const struct held_out *held,
                      struct rows *out)
{
    const struct judge_task task = {recipe,
                                    model,
                                    &data->own,
                                    held->is_test,
                                    data->beside,
                                    data->n_beside,
                                    (uint64_t)o->seed,
                                    thread_count(o),
                                    progress_begin(model->m.name)};
    const int bad = judge_add(&task, &out->train);
    progress_end();
    return bad;
}

static int divide(const struct model *model, const struct recipe *recipe, const struct data *data,
                  const struct options *o, struct rows *out)
{
    const struct dataset *d = &data->own;
    const size_t most = rows_at_most(model, recipe, d), width = recipe_width(model);
    struct held_out held;
    int bad = held_out_find(model->spec, o->split, d, &held);
    memset(out, 0, sizeof *out);
    allocate(&out->train, d, most, width);
    allocate(&out->held_out, d, most, width);
    if (!bad) {
        add_rows(model, recipe, d, (uint64_t)o->seed, &held, out);
        out->measured = out->train.n;
        if (model->spec->judge.n)
            bad = add_judged(model, recipe, data, o, &held, out);
    }
    held_out_free(&held);
    note_dropped(model->m.name, out->copies, "row", ": another says the same");
    note_dropped(model->m.name, out->illegal, "row", " whose optimum the rule rejects");
    note_dropped(model->m.name, out->lost, "problem", " that the model can do nothing for");
    return bad ? -1 : out->train.n ? 0 : fail("%s: no row to train on", model->m.name);
}

static void free_rows(struct recipe_rows *r)
{
    free(r->problem);
    free(r->target);
    free(r->soft);
}

static void rows_free(struct rows *r)
{
    free_rows(&r->train);
    free_rows(&r->held_out);
}

/* ---- from the float network to the model ---- */

static const int8_t *take_bytes(struct model *m, const int8_t *from, size_t n, size_t room)
{
    int8_t *to = model_array(m, room, 1);
    memcpy(to, from, n);
    return to;
}

static const int32_t *take_ints(struct model *m, const int32_t *from, size_t n, size_t room)
{
    int32_t *to = model_array(m, room, sizeof *to);
    memcpy(to, from, n * sizeof *to);
    return to;
}

static void take_layer(struct model *m, size_t i, const int8_t *w, const int32_t *b, int shift)
{
    kpred_layer *l = m->net.layer + i;
    const size_t n = (size_t)l->rows * l->cols;
    l->weight = take_bytes(m, w, n, n);
    l->bias = take_ints(m, b, l->rows, l->rows);
    l->shift = (uint8_t)shift;
}

static void take_head(struct model *m, const struct qnet *q, size_t t)
{
    kpred_head *h = m->heads + t;
    const size_t hidden = q->dims.hidden, above = model_embedding_rows(&m->m, t) * hidden;
    const size_t n = q->dims.n_values[t], rows = model_head_rows(&m->m, t);
    const int *k = q->k.k;
    h->weight = take_bytes(m, q->out[t], n * hidden, rows * hidden);
    h->bias = take_ints(m, q->bias[t], n, rows);
    h->embedding = above ? take_bytes(m, q->emb[t], above, above) : NULL;
    h->hidden_shift = (uint8_t)k[NET_KC];
    h->embedding_shift = (uint8_t)(above ? 6 + k[NET_KC] - k[NET_KE + 2 * t] : 0);
    h->logit_shift = (uint8_t)(10 - k[NET_KE + 2 * t + 1]);
}

/* Rounds the network into the model's arrays. */
static int quantise(struct model *model, const struct net *net)
{
    struct net_exponents k;
    struct qnet q;
    char text[200];
    size_t t;
    net_choose_exponents(net, &k);
    if (!net_quantise(net, &k, &q))
        return fail("%s: the network cannot be rounded", model->m.name);
    if (!qnet_check_bounds(&q, text, sizeof text)) {
        qnet_free(&q);
        return fail("%s: %s", model->m.name, text);
    }
    model_set_widths(model, q.dims.enc1, q.dims.enc2, q.dims.hidden);
    take_layer(model, 0, q.w1, q.b1, k.k[NET_K1]);
    take_layer(model, 1, q.w2, q.b2, k.k[NET_K2]);
    take_layer(model, 2, q.wc, q.bc, k.k[NET_KC]);
    for (t = 0; t < q.dims.n_params; t++)
        if (q.dims.n_values[t] > 1)
            take_head(model, &q, t);
    qnet_free(&q);
    return model_seal(model);
}

/* ---- output ---- */

static void write_files(struct buf *b, const char *what, const struct dataset *d)
{
    size_t i;
    for (i = 0; i < d->n_files; i++)
        buf_printf(b, "   %s %s, %zu rows, sha256\n        %s\n", what, d->files[i].name,
                   d->files[i].rows, d->files[i].sha256);
}

/* Lines for the header's opening comment. */
static void write_story(struct buf *b, const struct options *o, const struct data *d,
                        const struct rows *rows, const struct recipe *r)
{
    size_t i;
    buf_printf(b,
               "   net %s, split %s, epochs %.0f, seed %ld; %zu rows to train, %zu kept for "
               "testing\n",
               o->net ? paper_names[o->net - 1] : "additive", o->split,
               o->net ? r->paper_epochs : r->epochs, o->seed, rows->train.n, rows->held_out.n);
    write_files(b, "data", &d->own);
    for (i = 0; i < d->n_beside; i++)
        write_files(b, "beside", &d->beside[i]);
}

/* Makes the directories above a path, as far as they are missing. */
static int make_directories(const char *path)
{
    char *copy = xstrdup(path), *p;
    int bad = 0;
    for (p = strchr(copy + 1, '/'); p && !bad; p = strchr(p + 1, '/')) {
        *p = 0;
        if (mkdir(copy, 0777) && errno != EEXIST)
            bad = fail("%s: %s", copy, strerror(errno));
        *p = '/';
    }
    free(copy);
    return bad;
}

static int write_float(const struct options *o, const struct model *model,
                       const struct recipe_nets *nets)
{
    struct buf path = {NULL, 0, 0};
    int bad;
    if (o->float_out)
        buf_puts(&path, o->float_out);
    else
        buf_printf(&path, "build/float/%016" PRIx64 ".f32", model->m.id);
    bad = make_directories(path.s);
    if (!bad && !net_save(nets->net, nets->n, path.s))
        bad = fail("%s: cannot be written", path.s);
    buf_free(&path);
    return bad;
}

static int write_header(struct outfile *out, const struct options *o, const struct model *model,
                        const struct data *d, const struct rows *rows, const struct recipe *r)
{
    struct buf story = {NULL, 0, 0};
    write_story(&story, o, d, rows, r);
    header_write(out->f, model, story.s);
    buf_free(&story);
    return out_commit(out);
}

/* ---- the command ---- */

static int train_additive(const struct options *o, struct model *model, const struct recipe *recipe,
                          const struct data *d, const struct rows *rows, struct outfile *out)
{
    struct recipe_nets nets;
    struct recipe r = *recipe;
    int bad;
    if (model->spec->judge.n)
        r.teachers = 0; /* the rows are their opinion */
    bad = recipe_train(&r, model, &rows->train, &rows->held_out, (uint64_t)o->seed, thread_count(o),
                       progress_begin(model->m.name), &nets);
    progress_end();
    if (bad) {
        out_abandon(out);
        return -1;
    }
    bad = quantise(model, nets.net) || write_float(o, model, &nets);
    recipe_nets_free(&nets);
    if (bad)
        out_abandon(out);
    return bad ? -1 : write_header(out, o, model, d, rows, recipe);
}

static int train_paper(const struct options *o, struct model *model, const struct recipe *recipe,
                       const struct data *d, const struct rows *rows, struct outfile *out)
{
    struct buf story = {NULL, 0, 0};
    struct paper paper;
    const int bad =
        paper_train((enum paper_kind)(o->net - 1), recipe, model, &rows->train, &rows->held_out,
                    (uint64_t)o->seed, thread_count(o), progress_begin(model->m.name), &paper);
    progress_end();
    if (bad) {
        out_abandon(out);
        return -1;
    }
    write_story(&story, o, d, rows, recipe);
    paper_write(out->f, model, &paper, story.s);
    buf_free(&story);
    paper_close(&paper);
    return out_commit(out);
}

static int train(const struct options *o, struct model *model, const struct recipe *recipe,
                 const struct data *d, struct outfile *out)
{
    struct rows rows;
    int bad = divide(model, recipe, d, o, &rows);
    if (bad) {
        out_abandon(out);
    } else {
        model_train_ranges(model, rows.train.problem, rows.measured);
        bad = (o->net ? train_paper : train_additive)(o, model, recipe, d, &rows, out);
    }
    rows_free(&rows);
    return bad;
}

/* What [judge] and --beside are for */
static int check_judge(const struct options *o, const struct spec *spec)
{
    if (spec->judge.n && !spec_is_timed(spec))
        return fail("%s:%ld: [judge]: is for timed data", spec->path, spec->judge.line);
    return spec->judge.n || !o->beside.n
               ? 0
               : fail("%s: --beside: the spec has no section [judge]", spec->path);
}

/* A network needs something to choose between. */
static int check_choice(const struct model *model)
{
    size_t t;
    for (t = 0; t < model->m.n_params; t++)
        if (model->params[t].n_values > 1)
            return 0;
    return fail("%s: no parameter has more than one value: nothing to learn", model->spec->path);
}

static void data_close(struct data *d)
{
    size_t i;
    for (i = 0; i < d->n_beside; i++)
        data_free(&d->beside[i]);
    free(d->beside);
    data_free(&d->own);
}

static int data_open(const struct options *o, const struct spec *spec, struct data *d)
{
    size_t i;
    memset(d, 0, sizeof *d);
    if (data_load(readers, spec, o->data.v, o->data.n, &o->how, &d->own))
        return -1;
    data_note_drops(&d->own);
    d->beside = xcalloc(o->beside.n + 1, sizeof *d->beside);
    for (i = 0; i < o->beside.n; i++) {
        if (data_load(readers, spec, &o->beside.v[i], 1, &o->how, &d->beside[i])) {
            data_close(d);
            return -1;
        }
        d->n_beside++;
        data_note_drops(&d->beside[i]);
    }
    return 0;
}

static void set_epochs(const struct options *o, struct recipe *r)
{
    if (!o->epochs)
        return;
    r->teacher_epochs = (double)(long)(r->teacher_epochs * (double)o->epochs / r->epochs + 0.999);
    r->epochs = r->paper_epochs = (double)o->epochs;
}

static int load_and_train(const struct options *o, struct model *model, const struct spec *spec)
{
    struct recipe recipe;
    struct data d;
    struct outfile out;
    int bad;
    if (model_from_spec(model, spec, o->split) || check_choice(model) || check_judge(o, spec)
        || recipe_from_spec(spec, &recipe))
        return -1;
    set_epochs(o, &recipe);
    if (out_open(&out, o->output))
        return -1;
    if (data_open(o, spec, &d)) {
        out_abandon(&out);
        return -1;
    }
    bad = model->listed && model_list(model, d.own.target, d.own.n);
    if (bad)
        out_abandon(&out);
    else
        bad = train(o, model, &recipe, &d, &out);
    data_close(&d);
    return bad;
}

static int run(const struct options *o)
{
    struct model model;
    struct spec spec;
    int bad;
    if (!held_out_is_split(o->split)) {
        fail("--split \"%s\": expected config, shape, none or fold:I/N with I < N", o->split);
        return 2;
    }
    if (o->net && o->float_out) {
        fail("--float-out is of --net additive alone: %s is not rounded", paper_names[o->net - 1]);
        return 2;
    }
    if (spec_load(&spec, o->spec))
        return 1;
    memset(&model, 0, sizeof model);
    bad = spec_is_listed(&spec) && o->net
              ? fail("%s: rule listed: a header of --net %s has no room for a list", o->spec,
                     paper_names[o->net - 1])
              : load_and_train(o, &model, &spec);
    model_free(&model);
    spec_free(&spec);
    return bad ? 1 : 0;
}

int cmd_train(int argc, char **argv)
{
    struct options o;
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &o.spec, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data, .is_required = 1},
        {.name = "--beside", .kind = OPT_TEXTS, .to = &o.beside},
        {.name = "--split", .kind = OPT_TEXT, .to = &o.split},
        {.name = "--net", .kind = OPT_CHOICE, .to = &o.net, .choices = NETS},
        {.name = "--epochs", .kind = OPT_COUNT, .to = &o.epochs, .least = 1, .most = 10000},
        {.name = "--seed", .kind = OPT_COUNT, .to = &o.seed, .least = 0, .most = INT32_MAX},
        {.name = "--threads", .kind = OPT_COUNT, .to = &o.threads, .least = 1, .most = 256},
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.how.gpu},
        {.name = "--nearest", .kind = OPT_FLAG, .to = &o.how.nearest},
        {.name = "--lenient", .kind = OPT_FLAG, .to = &o.how.lenient},
        {.name = "--float-out", .kind = OPT_TEXT, .to = &o.float_out},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        {.name = NULL},
    };
    int status;
    memset(&o, 0, sizeof o);
    o.seed = 1;
    o.split = "config";
    status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = run(&o);
    free(o.data.v);
    free(o.beside.v);
    return status;
}
