/* ingest.c - `kpred-train ingest`: any results to one table; `merge`: of several tuners
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "data/readers.h"
#include "tune/results.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT(ending, format, what, is, read) {ending, format, what, is, read},
const struct data_format readers[] = {DATA_READERS(FORMAT){NULL, SPEC_N_FORMATS, NULL, NULL, NULL}};
#undef FORMAT

static const char help_options[] =
    "usage: kpred-train ingest SPEC --data FILE... [--gpu GPU] [--set FIELD=VALUE...]\n"
    "                          [--unit UNIT] [--nearest] [--lenient] [-o FILE [--force]]\n"
    "                          [--csv|--json]\n"
    "\n"
    "Writes the rows of a kernel's data files as CSV or JSON: one column per field and\n"
    "parameter of the spec, and of timed data one for the time,\n"
    "time_us; sorted, the same bytes whatever the order of the files.\n"
    "\n"
    "  SPEC           the kernel's .spec file\n"
    "  --data FILE... data files, as below\n"
    "  --gpu GPU      the GPU of files that do not say it; default: their names, up to the\n"
    "                  first `.` or `-`, of .json the piece that is a GPU\n"
    "  --set FIELD=VALUE...  the value of a field in files that do not say it\n"
    "  --unit UNIT    s, ms, us or ns: of times in .json files that say none; default: ms\n"
    "  --nearest      for a GPU that the spec lacks, take the nearest that it has\n"
    "  --lenient      drop and count rows that would be an error\n"
    "  -o FILE        write there, whole or not at all; default: standard output\n"
    "  --force        replace FILE if it is there\n"
    "  --csv          as CSV (the default)\n"
    "  --json         as JSON, an array of objects with the columns' names\n"
    "\n"
    "Data files, by the end of their names, each maybe with .bz2 or .gz behind it:\n";

static const char help_end[] =
    "\n"
    "Rows left out are counted by reason on standard error. Exit status: 0, 1 for trouble with\n"
    "the spec, the data or the output, 2 for a wrong command line.\n";

/* With a line for each kind of files */
static const char *help_text(struct buf *b)
{
    buf_puts(b, help_options);
    for (const struct data_format *f = readers; f->ending != NULL; f++) {
        const int is_first = f == readers || strcmp(f->ending, f[-1].ending) != 0;
        buf_printf(b, "  %-14s %s%s\n", is_first ? f->ending : "", is_first ? "" : "or ", f->what);
    }
    buf_puts(b, help_end);
    return b->s;
}

struct ingest {
    const char *spec, *output;
    struct opt_texts data;
    struct data_options how;
    struct table_form form;
    int force;
};

/* It knows no rules: it keeps what is tuned. The output is opened first: a path that cannot be
   written shows before the work is done. */
static int ingest_run(const struct ingest *in, const struct spec *spec)
{
    struct dataset d;
    struct outfile out;
    const struct output to = {"-o", in->output};
    if (outputs_check_input(&to, 1, "SPEC", in->spec) != 0
        || outputs_check_inputs(&to, 1, "--data", &in->data) != 0)
        return -1;
    if (out_open_kept(&out, in->output, in->force) != 0)
        return -1;
    if (data_load(readers, spec, in->data.v, in->data.n, &in->how, &d) != 0) {
        out_abandon(&out);
        return -1;
    }
    data_note_drops(&d);
    data_write(spec, &d, in->form, out.f);
    int rc = out_commit(&out);
    data_free(&d);
    return rc;
}

int cmd_ingest(int argc, char **argv)
{
    struct ingest in = {0};
    struct spec spec;
    struct buf help = {0};
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &in.spec, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &in.data, .is_required = 1},
        DATA_OPTIONS(in.how),
        {.name = "-o", .kind = OPT_TEXT, .to = &in.output},
        {.name = "--force", .kind = OPT_FLAG, .to = &in.force},
        FORM_OPTIONS(in.form),
        {.name = NULL},
    };
    int status = opts_parse(table, help_text(&help), argc, argv);
    if (status < 0
        && (table_form_check(&in.form) != 0 || outputs_check_force(in.force, in.output) != 0))
        status = 2;
    if (status < 0) {
        in.form.csv = !in.form.json;
        status = EXIT_FAILURE;
        if (spec_load(&spec, in.spec) == 0) {
            if (ingest_run(&in, &spec) == 0)
                status = EXIT_SUCCESS;
            spec_free(&spec);
        }
    }
    buf_free(&help);
    free(in.data.v);
    free(in.how.set.v);
    return status;
}

/* ---- merge ---- */

static const char help_merge[] =
    "usage: kpred-train merge FILE... -o FILE.csv [--force] [--repeats]\n"
    "\n"
    "Joins what several runs of tune or races have written, such as shards, into one file.\n"
    "\n"
    "  FILE...      files that tune has written for one spec, maybe with .gz or .bz2; a last line\n"
    "               without an end is left out\n"
    "  -o FILE.csv  all their rows, in the order of the files, written whole or not at all\n"
    "  --force      replace FILE.csv if it is there\n"
    "  --repeats    keep all times of a tuple, of which training takes the median\n"
    "\n"
    "A row that stands there several times counts once. Without --repeats, rows that give one\n"
    "tuple of a problem two times are an error, and nothing is written. A file is left out and\n"
    "told if its comments name another device, driver or library than those before, unless there\n"
    "is a column gpu. Exit status: 0, 1 for trouble with the files, 2 for a wrong command line.\n";

int cmd_merge(int argc, char **argv)
{
    struct opt_texts files = {0};
    struct output to = {"-o", NULL};
    int force = 0, repeats = 0;
    const struct opt table[] = {
        {.name = "FILE", .kind = OPT_TEXTS, .to = &files, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &to.path, .is_required = 1},
        {.name = "--force", .kind = OPT_FLAG, .to = &force},
        {.name = "--repeats", .kind = OPT_FLAG, .to = &repeats},
        {.name = NULL},
    };
    int status = opts_parse(table, help_merge, argc, argv);
    if (status < 0)
        status = outputs_check_inputs(&to, 1, "FILE", &files) != 0
                 || join_files(files.v, files.n, to.path, force, repeats) != 0;
    free(files.v);
    return status;
}
