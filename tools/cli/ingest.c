/* ingest.c - `kpred-train ingest`: any results to one table; `merge`: of several tuners
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "data/readers.h"
#include "tune/results.h"

#include <stdlib.h>

#define FORMAT(ending, format, what, is, read) {ending, format, what, is, read},
const struct data_format readers[] = {DATA_READERS(FORMAT){NULL, SPEC_N_FORMATS, NULL, NULL, NULL}};
#undef FORMAT

#define FORMAT_ROW(ending, format, what, is, read) OPT(SAID, ending, NULL, what),

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
        || outputs_check_inputs(&to, 1, "--data", &in->data) != 0
        || out_open_kept(&out, in->output, in->force) != 0)
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
    const struct opt table[] = {
        OPT_SAYS("Writes the rows of a kernel's data files as CSV or JSON: one column per field "
                 "and parameter of the spec, and of timed data one for the time, time_us, in "
                 "microseconds; sorted, the same bytes whatever the order of the files."),
        OPT(TEXT, "SPEC", &in.spec, SPEC_OPERAND),
        OPT(TEXTS, "--data FILE...", &in.data, "data files, as below"),
        DATA_OPTIONS(in.how),
        OUTPUT_OPTIONS("FILE.csv|FILE.json", &in.output, &in.force),
        FORM_OPTIONS(in.form, " (the default)"),
        OPT_SAYS("Data files, by the end of their names, each maybe with .bz2 or .gz behind it:"),
        DATA_READERS(FORMAT_ROW) OPT_SAYS("Rows left out are counted by reason on standard error."),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0 && outputs_check_force(in.force, in.output) != 0)
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
    return opts_free(table, status);
}

/* ---- merge ---- */

int cmd_merge(int argc, char **argv)
{
    struct opt_texts files = {0};
    struct output to = {"-o", NULL};
    int force = 0, repeats = 0;
    const struct opt table[] = {
        OPT_SAYS("Joins what several runs of tune or races have written, such as shards, into one "
                 "file."),
        OPT(TEXTS, "FILE...", &files,
            "files that tune has written for one spec, maybe with .gz or .bz2; a last line without "
            "an end is left out"),
        OPT(TEXT, "-o FILE.csv", &to.path,
            "all their rows, in the order of the files, written whole or not at all"),
        OPT(FLAG, "[--force]", &force, "replace FILE.csv if it is there"),
        OPT(FLAG, "[--repeats]", &repeats,
            "keep all times of a tuple, of which training takes the median"),
        OPT_SAYS("A row that stands there several times counts once. Without --repeats, rows that "
                 "give one tuple of a problem two times are an error, and nothing is written. "
                 "Files of two commands are told. A file is left out and told if its comments `# "
                 "device:`, `# driver:` or `# library:` name another one than those before, unless "
                 "there is a column gpu; ingest, train and eval do the same."),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0)
        status = outputs_check_inputs(&to, 1, "FILE", &files) != 0
                 || join_files(files.v, files.n, to.path, force, repeats) != 0;
    return opts_free(table, status);
}
