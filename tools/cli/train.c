/* train.c - `kpred-train train`: tuning results in, a generated header out
   SPDX-License-Identifier: MIT */
#include "commands.h"
#include "readers.h"

#include "base/opts.h"
#include "model/header.h"
#include "train/train.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: kpred-train train SPEC --data FILE... [--beside FILE...]\n"
    "                         [--split config|shape|none|config:I/N|shape:I/N|fold:I/N]\n"
    "                         [--net additive|encdec|attn|attn2|hybrid|hybrid2]\n"
    "                         [--epochs N] [--seed N] [--threads N] [--gpu GPU] [--nearest]\n"
    "                         [--lenient] [--float-out FILE] [--include-dir DIR] -o FILE.h\n"
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
    "                   the default), by tensor shape (shape), or none; config:I/N, shape:I/N:\n"
    "                   in its place fold I of N of the others, the first being 0; fold:I/N: "
    "every\n"
    "                   N-th problem of the files, from number I\n"
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
    "  --float-out FILE the network before rounding, and its teachers (default: FILE.f32 beside\n"
    "                   the header); of additive alone, the others are not rounded\n"
    "  --include-dir DIR  what stands before kpred.h in the #include of the header, such as ../\n"
    "                   (default: nothing, so that it lies beside the header or where -I says)\n"
    "  -o FILE.h        the header, written whole or not at all\n";

struct options {
    const char *spec, *split, *float_out, *include_dir, *output;
    struct opt_texts data, beside;
    struct data_options how;
    int net;
    long epochs, seed, threads;
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

static int make_rows(const struct options *o, struct model *model, const struct recipe *recipe,
                     const struct training_data *data, struct training_rows *rows)
{
    const struct training_task task = {recipe, o->split, (uint64_t)o->seed, thread_count(o),
                                       progress_begin(model->m.name)};
    const int bad = training_rows_make(&task, model, data, rows);
    progress_end();
    training_rows_note_drops(rows, model->m.name);
    return bad ? -1 : rows->train.n ? 0 : fail("%s: no row to train on", model->m.name);
}

/* ---- output ---- */

static void write_files(struct buf *b, const char *what, const struct dataset *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        buf_printf(b, "   %s %s, %zu rows, sha256\n        %s\n", what, d->files[i].name,
                   d->files[i].rows, d->files[i].sha256);
}

/* A command on lines that end with a backslash where it goes on */
struct command_text {
    struct buf *b;
    size_t column;
};

/* Text as a shell reads it in one word; the sign that might end the comment becomes another. */
static void quote(struct buf *to, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    const int is_plain = *text && text[strspn(text, plain)] == '\0';
    buf_puts(to, is_plain ? "" : "'");
    for (; *text; text++)
        if (*text == '\'')
            buf_puts(to, "'\\''");
        else
            buf_printf(to, "%c", *text == '*' ? '?' : *text);
    buf_puts(to, is_plain ? "" : "'");
}

/* Words of the program's own, as they are */
static void add_plain(struct command_text *c, const char *text)
{
    const size_t n = strlen(text);
    if (c->column + n > 90) {
        buf_puts(c->b, " \\\n          ");
        c->column = 10;
    }
    buf_printf(c->b, " %s", text);
    c->column += n + 1;
}

/* One word more, quoted if need be */
static void add_word(struct command_text *c, const char *word)
{
    struct buf quoted = {NULL, 0, 0};
    quote(&quoted, word);
    add_plain(c, quoted.s);
    buf_free(&quoted);
}

static void add_files(struct command_text *c, const char *option, const struct opt_texts *files)
{
    for (size_t i = 0; i < files->n; i++) {
        if (i == 0)
            add_word(c, option);
        add_word(c, base_name(files->v[i]));
    }
}

static void add_text(struct command_text *c, const char *option, const char *value)
{
    if (value) {
        add_word(c, option);
        add_word(c, value);
    }
}

static void add_count(struct command_text *c, const char *option, long value, long usual)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", value);
    add_text(c, option, value == usual ? NULL : digits);
}

/* The spec as it was named, unless that is a path of this machine */
static const char *spec_name(const struct options *o)
{
    return *o->spec == '/' || strstr(o->spec, "..") ? base_name(o->spec) : o->spec;
}

/* What makes the header again; the files are named without their folders, the header after its
   model, so that the same data and options give the same bytes. */
static void write_command(struct buf *b, const struct options *o, const struct model *model)
{
    struct command_text c = {b, 6};
    struct buf header = {NULL, 0, 0};
    buf_printf(&header, "%s.h", model->m.name);
    buf_puts(b, "   from ");
    quote(b, spec_name(o));
    buf_puts(b, " by\n     ");
    add_plain(&c, "kpred-train train");
    add_word(&c, spec_name(o));
    add_files(&c, "--data", &o->data);
    add_files(&c, "--beside", &o->beside);
    add_text(&c, "--split", strcmp(o->split, "config") ? o->split : NULL);
    add_text(&c, "--net", o->net ? paper_names[o->net - 1] : NULL);
    add_count(&c, "--epochs", o->epochs, 0);
    add_count(&c, "--seed", o->seed, 1);
    add_text(&c, "--gpu", o->how.gpu);
    if (o->how.nearest)
        add_word(&c, "--nearest");
    if (o->how.lenient)
        add_word(&c, "--lenient");
    add_text(&c, "--include-dir", o->include_dir);
    add_text(&c, "-o", header.s);
    buf_puts(b, "\n");
    buf_free(&header);
}

/* Lines for the header's opening comment. */
static void write_story(struct buf *b, const struct options *o, const struct model *model,
                        const struct training_data *d, const struct training_rows *rows,
                        const struct recipe *r)
{
    write_command(b, o, model);
    buf_printf(b,
               "   net %s, split %s, epochs %.0f, seed %ld; %zu rows to train, %zu kept for "
               "testing\n",
               o->net ? paper_names[o->net - 1] : "additive", o->split,
               o->net ? r->paper_epochs : r->epochs, o->seed, rows->train.n, rows->held_out.n);
    write_files(b, "data", &d->own);
    for (size_t i = 0; i < d->n_beside; i++)
        write_files(b, "beside", &d->beside[i]);
}

/* ---- the command ---- */

/* Beside a device or a pipe, no file is left unasked. */
static int write_floats(const struct options *o, const struct model *model,
                        const struct recipe_nets *nets)
{
    struct buf beside = {NULL, 0, 0};
    struct stat st;
    if (!o->float_out && !stat(o->output, &st) && !S_ISREG(st.st_mode))
        return 0;
    float_file_beside(o->output, &beside);
    const int bad = float_file_write(model, nets, o->float_out ? o->float_out : beside.s);
    buf_free(&beside);
    return bad;
}

static int train_additive(const struct options *o, struct model *model, const struct recipe *recipe,
                          const struct training_rows *rows, const char *story, FILE *f)
{
    struct recipe_nets nets;
    struct recipe r = *recipe;
    if (model->spec->judge.n)
        r.teachers = 0; /* the rows are their opinion */
    int bad = recipe_train(&r, model, &rows->train, &rows->held_out, (uint64_t)o->seed,
                           thread_count(o), progress_begin(model->m.name), &nets);
    progress_end();
    if (bad)
        return -1;
    bad = net_quantise(nets.net, model) || write_floats(o, model, &nets);
    recipe_nets_free(&nets);
    if (!bad)
        header_write(f, model, story);
    return bad;
}

static int train_paper(const struct options *o, struct model *model, const struct recipe *recipe,
                       const struct training_rows *rows, const char *story, FILE *f)
{
    struct paper paper;
    const int bad =
        paper_train((enum paper_kind)(o->net - 1), recipe, model, &rows->train, &rows->held_out,
                    (uint64_t)o->seed, thread_count(o), progress_begin(model->m.name), &paper);
    progress_end();
    if (bad)
        return -1;
    paper_write(f, model, &paper, story);
    paper_close(&paper);
    return 0;
}

static int train(const struct options *o, struct model *model, const struct recipe *recipe,
                 const struct training_data *d, FILE *f)
{
    struct training_rows rows;
    struct buf story = {NULL, 0, 0};
    int bad = make_rows(o, model, recipe, d, &rows);
    if (!bad) {
        write_story(&story, o, model, d, &rows, recipe);
        bad = (o->net ? train_paper : train_additive)(o, model, recipe, &rows, story.s, f);
    }
    buf_free(&story);
    training_rows_free(&rows);
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
    for (size_t t = 0; t < model->m.n_params; t++)
        if (model->params[t].n_values > 1)
            return 0;
    return fail("%s: no parameter has more than one value: nothing to learn", model->spec->path);
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
    const struct training_files files = {readers, o->data.v, o->beside.v, o->data.n, o->beside.n};
    struct recipe recipe;
    struct training_data d;
    struct outfile out;
    if (model_from_spec(model, spec, o->split) || check_choice(model) || check_judge(o, spec)
        || recipe_from_spec(spec, &recipe)
        || (o->include_dir && header_set_include_dir(model, o->include_dir)))
        return -1;
    set_epochs(o, &recipe);
    if (out_open(&out, o->output))
        return -1;
    int bad = training_data_open(spec, &files, &o->how, &d);
    if (!bad) {
        bad = train(o, model, &recipe, &d, out.f);
        training_data_close(&d);
    }
    if (!bad)
        return out_commit(&out);
    out_abandon(&out);
    return -1;
}

static int run(const struct options *o)
{
    struct model model;
    struct spec spec;
    if (!held_out_is_split(o->split)) {
        fail(
            "--split \"%s\": expected config, shape, none, or config:I/N, shape:I/N, fold:I/N with "
            "I < N",
            o->split);
        return 2;
    }
    if (o->net && o->float_out) {
        fail("--float-out is of --net additive alone: %s is not rounded", paper_names[o->net - 1]);
        return 2;
    }
    if (spec_load(&spec, o->spec))
        return 1;
    memset(&model, 0, sizeof model);
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
        {.name = "--include-dir", .kind = OPT_TEXT, .to = &o.include_dir},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    o.seed = 1;
    o.split = "config";
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = run(&o);
    free(o.data.v);
    free(o.beside.v);
    return status;
}
