/* train.c - `kpred-train train`: tuning results in, a generated header out
   SPDX-License-Identifier: MIT */
#include "commands.h"
#include "train_run.h"

#include "model/header.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* additive, then the paper's in their order */
#define NETS "additive|encdec|attn|attn2|hybrid|hybrid2"

/* ---- progress: one line, rewritten, on a terminal; nothing elsewhere ---- */

static const char *progress_name;
static int progress_is_watched; /* the score is in octaves of time, else in bits */
static time_t progress_start;

static void show_progress(const char *what, size_t epoch, size_t epochs, double loss,
                          double held_out)
{
    const long seconds = (long)(time(NULL) - progress_start);
    struct buf line = {NULL, 0, 0};
    buf_printf(&line, "%s: %s, epoch %zu of %zu: loss %.3f bits", progress_name, what, epoch,
               epochs, loss);
    if (held_out > 0 && progress_is_watched)
        buf_printf(&line, ", %.1f %% slower than the fastest", 100 * (exp2(held_out) - 1));
    else if (held_out > 0)
        buf_printf(&line, ", %.3f bits on held-out rows", held_out);
    buf_printf(&line, ", %ld:%02ld", seconds / 60, seconds % 60);
    line_show(line.s);
    buf_free(&line);
}

static recipe_progress *progress_begin(const char *name, int is_watched)
{
    progress_is_watched = is_watched;
    progress_name = name;
    progress_start = time(NULL);
    return isatty(STDERR_FILENO) ? show_progress : NULL;
}

/* ---- the files: opened before training begins, as what cannot be written shows then ---- */

struct train_files {
    struct outfile header, floats;
    int has_floats, is_file; /* is the header a file, and no device or pipe? */
};

static int is_device(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* Where the floats go; NULL: nowhere. Beside a device or a pipe, no file is left unasked. `beside`
   is to be freed. */
static const char *float_path(const struct train_options *o, struct buf *beside)
{
    if (o->net || o->float_out || is_device(o->output))
        return o->float_out;
    float_file_beside(o->output, beside);
    return beside->s;
}

/* 0, or -1 with a message and nothing open. Exactly one of the next two follows a success. */
static int train_files_open(const struct train_options *o, struct train_files *to)
{
    struct buf beside = {NULL, 0, 0};
    const char *floats = float_path(o, &beside);
    const struct output named[] = {{"-o", o->output},
                                   {o->float_out ? "--float-out" : "the float file", floats}};
    int bad = outputs_check_apart(named, 2) || outputs_check_input(named, 2, "SPEC", o->spec)
              || outputs_check_inputs(named, 2, "--data", &o->data)
              || outputs_check_inputs(named, 2, "--beside", &o->beside)
              || outputs_check_inputs(named, 2, "--judge", &o->judge)
              || header_check_kept(o->output, o->force) || out_open(&to->header, o->output);
    to->has_floats = floats != NULL;
    to->is_file = !is_device(o->output);
    if (!bad && floats && out_open(&to->floats, floats)) {
        out_abandon(&to->header);
        bad = 1;
    }
    buf_free(&beside);
    return bad;
}

static void train_files_abandon(struct train_files *to)
{
    out_abandon(&to->header);
    if (to->has_floats)
        out_abandon(&to->floats);
}

/* The header does without the floats, but not the other way round. */
static int train_files_commit(struct train_files *to, const struct train_options *o)
{
    if (out_commit(&to->header)) {
        if (to->has_floats)
            out_abandon(&to->floats);
        return -1;
    }
    if (!to->has_floats || out_commit(&to->floats) == 0)
        return 0;
    note("%s: is written all the same; eval --float alone needs the other file", o->output);
    return -1;
}

/* ---- rows ---- */

static int make_rows(const struct train_options *o, struct model *model,
                     const struct recipe *recipe, const struct training_data *data,
                     struct training_rows *rows)
{
    const struct training_task task = {recipe, o->split, (uint64_t)o->seed,
                                       worker_count(o->threads), progress_begin(model->m.name, 0)};
    const int bad = training_rows_make(&task, model, data, rows);
    line_wipe();
    training_rows_note_drops(rows, model->m.name);
    advice_clauses(model, &data->own);
    if (bad || !rows->train.n)
        return bad ? -1
                   : fail("%s: no row to train on%s", model->m.name,
                          rows->held_out.n ? ": the split keeps all of them for testing; train on "
                                             "all with --split none"
                                           : "");
    advice_rows(model, o->split, rows);
    advice_features(model, &rows->train);
    return 0;
}

/* ---- the command ---- */

static int train_additive(const struct train_options *o, struct model *model,
                          const struct recipe *recipe, const struct training_rows *rows,
                          const char *story, struct train_files *to)
{
    struct recipe_nets nets;
    struct recipe r = *recipe;
    if (model->spec->judge.n || rows->are_judged)
        r.teachers = 0; /* the rows are their opinion */
    const struct recipe_task task = {&r, model, (uint64_t)o->seed, worker_count(o->threads),
                                     progress_begin(model->m.name, rows->are_judged)};
    int bad = recipe_train(&task, &rows->train, rows->are_judged ? &rows->watched : &rows->held_out,
                           &nets);
    line_wipe();
    if (bad)
        return -1;
    bad = net_quantise(nets.net, model);
    advice_losses(model, &nets.losses);
    if (!bad && to->has_floats)
        float_file_write(model, &nets, to->floats.f);
    recipe_nets_free(&nets);
    if (!bad)
        header_write(to->header.f, model, story);
    return bad;
}

static int train_paper(const struct train_options *o, struct model *model,
                       const struct recipe *recipe, const struct training_rows *rows,
                       const char *story, struct train_files *to)
{
    struct paper paper;
    const struct paper_training t = {(enum paper_kind)(o->net - 1),
                                     recipe,
                                     model,
                                     &rows->train,
                                     &rows->held_out,
                                     (uint64_t)o->seed,
                                     worker_count(o->threads),
                                     progress_begin(model->m.name, 0)};
    const int bad = paper_train(&t, &paper);
    line_wipe();
    if (bad)
        return -1;
    advice_losses(model, &paper.losses);
    paper_write(to->header.f, model, &paper, story);
    paper_close(&paper);
    return 0;
}

static int train(const struct train_options *o, struct model *model, const struct recipe *recipe,
                 const struct training_data *d, struct train_files *to)
{
    struct training_rows rows;
    struct buf story = {NULL, 0, 0};
    int bad = make_rows(o, model, recipe, d, &rows);
    if (!bad) {
        train_story(&story, o, model, d, &rows, recipe);
        bad = (o->net ? train_paper : train_additive)(o, model, recipe, &rows, story.s, to);
    }
    if (!bad && !o->net)
        bad = train_report(model, &d->own, rows.judges);
    if (bad)
        train_files_abandon(to);
    else
        bad = train_files_commit(to, o);
    if (!bad && to->is_file && ends_with(o->output, ".h")) /* so eval and predict know it */
        train_tell_next(o, model, &rows);
    buf_free(&story);
    training_rows_free(&rows);
    return bad;
}

/* What [judge] and --beside are for */
static int check_judge(const struct train_options *o, const struct spec *spec)
{
    if (o->judge.n && spec->format != SPEC_TIMED)
        return fail("%s: --judge: is for a spec with `format = timed`, not %s", spec->path,
                    spec_formats[spec->format]);
    for (size_t i = 0; i < o->judge.n; i++)
        if (!strstr(base_name(o->judge.v[i]), ".csv"))
            return fail("--judge %s: is not a table (.csv): `python3 -m kpred.judge %s --model %s "
                        "--problems FILE.csv -o judged.csv` makes one of what a model says",
                        o->judge.v[i], spec->path, o->judge.v[i]);
    if (spec->judge.n && !spec_is_timed(spec))
        return fail("%s:%ld: [judge]: is for timed data", spec->path, spec->judge.line);
    return spec->judge.n || spec->format == SPEC_TIMED || !o->beside.n
               ? 0
               : fail("%s: --beside: the spec has no section [judge]", spec->path);
}

/* A network needs something to choose between. */
static int check_choice(const struct model *model)
{
    for (size_t t = 0; t < model->m.n_params; t++)
        if (model->params[t].n_values > 1)
            return 0;
    return fail("%s: no parameter has more than one value: nothing to learn", model->spec->path);
}

static void set_epochs(const struct train_options *o, struct recipe *r)
{
    if (!o->epochs)
        return;
    r->teacher_epochs = (double)(long)(r->teacher_epochs * (double)o->epochs / r->epochs + 0.999);
    r->epochs = r->paper_epochs = (double)o->epochs;
}

static int load_and_train(const struct train_options *o, struct model *model,
                          const struct spec *spec)
{
    const struct opt_texts *own = o->judge.n ? &o->judge : &o->data;
    const struct training_files files = {readers, own->v, o->beside.v, own->n, o->beside.n};
    struct recipe recipe;
    struct training_data d;
    struct train_files to;
    if (model_from_spec(model, spec, o->split) || check_choice(model) || check_judge(o, spec)
        || recipe_from_spec(spec, &recipe)
        || (o->include_dir && header_set_include_dir(model, o->include_dir)))
        return -1;
    set_epochs(o, &recipe);
    if (train_files_open(o, &to))
        return -1;
    int bad = training_data_open(model, &files, &o->how, &d);
    if (!bad) {
        d.is_judged = o->judge.n > 0;
        bad = train(o, model, &recipe, &d, &to);
        training_data_close(&d);
    } else {
        train_files_abandon(&to);
    }
    return bad ? -1 : 0;
}

/* 0, or 2 after a message */
static int check_options(const struct train_options *o)
{
    if (o->split && !held_out_is_split(o->split)) {
        fail(
            "--split \"%s\": expected config, shape, none, or config:I/N, shape:I/N, fold:I/N with "
            "I < N, or file:NAME",
            o->split);
        return 2;
    }
    if (o->problems || !o->judge.n == !o->data.n || (o->judge.n && o->beside.n)) {
        fail(o->problems  ? "--problems: `python3 -m kpred.judge` makes the table of --judge, and "
                            "takes it"
             : o->judge.n ? "--judge stands without --data and --beside"
                          : "--data is missing");
        return 2;
    }
    if (o->net && o->float_out) {
        fail("--float-out is only for --net additive: %s is not rounded", paper_names[o->net - 1]);
        return 2;
    }
    return 0;
}

static int train_spec(struct train_options *o)
{
    struct model model = {0};
    struct spec spec;
    if (check_options(o))
        return 2;
    if (spec_load(&spec, o->spec) || default_features_give(&spec, NULL))
        return 1;
    o->split = o->split ? o->split : spec.shipped;
    o->how.most = o->judge.n ? 2 * ROW_LIMIT : ROW_LIMIT; /* 256 rows of each of 4,096 problems */
    int bad = spec_is_listed(&spec) && o->net
                  ? fail("%s: rule listed: a header of --net %s has no room for a list", o->spec,
                         paper_names[o->net - 1])
                  : load_and_train(o, &model, &spec);
    model_free(&model);
    spec_free(&spec);
    return bad ? 1 : 0;
}

int cmd_train(int argc, char **argv)
{
    struct train_options o = {
        .seed = 1,
    };
    const struct opt table[] = {
        OPT_SAYS(
            "Trains a network on tuning results and writes it as a C header. The same files and "
            "options give the same bytes, whatever the machine, the compiler and the number of "
            "threads. Rows that say the same count once, and rows whose optimum the rule rejects "
            "are dropped. Rows, losses, warnings and what to type next go to standard error."),
        OPT(TEXT, "SPEC", &o.spec, SPEC_OPERAND),
        OPT(TEXTS, "--data FILE...", &o.data, DATA_FILES),
        OPT(TEXTS, "|--judge FILE.csv...", &o.judge,
            "in the place of data, tables of what a model says, with all problems that are to be "
            "learnt: `python3 -m kpred.judge` makes them (see docs/dispatcher.md), and nothing "
            "else judges tuples; the spec is timed"),
        OPT(TEXT, "[--problems FILE]", &o.problems, NULL), /* of 0.3.0 */
        OPT(TEXTS, "[--beside FILE...]", &o.beside,
            "timed data of other kernels with the same parameters, from each file of which the "
            "judges learn as well; format = timed or a section [judge]; --split keeps none of "
            "them"),
        OPT(TEXT, "[--split config|shape|none|config:I/N|shape:I/N|fold:I/N|file:NAME]", &o.split,
            "which tenth of the problems to keep for testing: by whole problem (config), by tensor "
            "shape (shape), or none; default: what the spec says (shipped), or config; a problem "
            "that is kept is kept on every GPU; config:I/N, shape:I/N: in its place fold I of N of "
            "the others, the first being 0, and nothing is learnt of the tenth either (but for a "
            "spec with `shipped = none`, whose folds are of all); fold:I/N: "
            "every N-th problem of the files, from number I; file:NAME: the problems of the file "
            "whose name is NAME or begins so before a dot, and nothing is learnt of their shapes"),
        OPT(CHOICE, "[--net " NETS "]", &o.net,
            "the kind of network. The others are those of the paper that kpred starts from, in "
            "floats, for eval and bench alone: encdec: encoder-decoder LSTM; attn: attention "
            "between a bi-LSTM and an LSTM; attn2: the same, not fed with the parameters it "
            "decided; hybrid: convolutions, then two bi-LSTMs; hybrid2: the same, the second fed "
            "with the last states of the first"),
        OPT_RANGE(COUNT, "[--epochs N]", &o.epochs, 1, 10000,
                  "passes of the final network over its rows, the spec's by default; those of its "
                  "teachers change in proportion"),
        SEED_OPTION(&o.seed),
        OPT_RANGE(COUNT, "[--threads N]", &o.threads, 1, 256, "by default one per core"),
        DATA_OPTIONS(o.how),
        OPT(TEXT, "[--float-out FILE]", &o.float_out,
            "the network before rounding, and its teachers (default: FILE.f32 beside the header); "
            "of additive alone, the others are not rounded"),
        OPT(TEXT, "[--include-dir DIR]", &o.include_dir,
            INCLUDE_DIR("nothing, so that it lies beside the header or where -I says")),
        OPT(TEXT, "-o FILE.h", &o.output,
            "the header, written whole or not at all, in the place of an earlier one; its opening "
            "comment has the command that makes it again, with all files named without their "
            "folders"),
        OPT(FLAG, "[--force]", &o.force,
            "replace FILE.h even if it is not a header that kpred-train has written"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? train_spec(&o) : status);
}
