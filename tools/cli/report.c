/* report.c - `kpred-train report`: a page that shows tunings and models
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "tune/tuning_page.h"

#include <stdlib.h>
#include <string.h>

struct options {
    struct opt_texts of, data, beside;
    struct data_options how;
    const char *output;
    int force;
};

/* ---- a tuning ---- */

static int report_data(const struct options *o, struct model *model, const struct opt_texts *files,
                       struct dataset *data, struct buf *notes)
{
    buf_puts(notes, "");
    notes_keep(notes);
    int bad = data_load(readers, model->spec, files->v, files->n, &o->how, data);
    if (!bad)
        data_note_drops(data);
    notes_keep(NULL);
    if (!bad && data->time_us == NULL)
        bad = fail("%s: has no times: a page of a tuning shows tables with format = timed",
                   model->spec->path);
    if (!bad && spec_is_listed(model->spec) && data->n > 0)
        bad = model_list(model, data->problem, data->target, data->n);
    return bad;
}

static int report_table(const struct options *o, struct model *model, const struct opt_texts *files,
                        struct buf *page)
{
    struct dataset data = {0};
    struct buf notes = {0}, title = {0};
    int bad = report_data(o, model, files, &data, &notes);
    buf_printf(&title, "Tuning of %s:", model->m.name);
    for (size_t i = 0; i < files->n; i++)
        buf_printf(&title, " %s", base_name(files->v[i]));
    if (!bad) {
        page_part(page, title.s);
        bad = tuning_page(page, model, &data, notes.s);
    }
    data_free(&data);
    buf_free(&notes);
    buf_free(&title);
    return bad;
}

static int report_spec(const struct options *o, const char *path, struct buf *page)
{
    struct model model = {0};
    struct spec spec;
    if (o->data.n == 0)
        return fail("%s: a page of a spec shows a table: --data is missing", path);
    if (spec_load(&spec, path) != 0)
        return -1;
    int bad = default_features_give(&spec, NULL) || model_from_spec(&model, &spec, "none")
              || report_table(o, &model, &o->data, page)
              || (o->beside.n > 0 && report_table(o, &model, &o->beside, page));
    model_free(&model);
    spec_free(&spec);
    return bad ? -1 : 0;
}

/* ---- the command ---- */

static int report_run(const struct options *o)
{
    struct buf page = {0};
    struct outfile out;
    int bad = out_open_kept(&out, o->output, o->force);
    if (bad)
        return -1;
    page_begin(&page, "kpred report");
    for (size_t i = 0; i < o->of.n && !bad; i++)
        bad = report_spec(o, o->of.v[i], &page);
    page_end(&page);
    fwrite(page.s, 1, page.n, out.f);
    if (bad)
        out_abandon(&out);
    else
        bad = out_commit(&out) != 0;
    buf_free(&page);
    return bad;
}

static int report_check(const struct options *o)
{
    const struct output to = {"-o", o->output};
    return outputs_check_force(o->force, o->output)
           || outputs_check_inputs(&to, 1, "SPEC|FILE.h", &o->of)
           || outputs_check_inputs(&to, 1, "--data", &o->data)
           || outputs_check_inputs(&to, 1, "--beside", &o->beside);
}

int cmd_report(int argc, char **argv)
{
    static struct options o;
    static const struct opt table[] = {
        OPT_SAYS("Writes a page that shows a tuning: the best so far, what is left to gain, the "
                 "best tuples, which parameters matter, heat maps, failures and noise."),
        OPT(TEXTS, "SPEC...", &o.of, SPEC_OPERAND),
        OPT(TEXTS, "[--data FILE...]", &o.data, DATA_FILES),
        OPT(TEXTS, "[--beside FILE...]", &o.beside,
            "a second tuning of the same kernel, which is shown beside the first"),
        DATA_OPTIONS(o.how),
        OUTPUT_OPTIONS("FILE.html", &o.output, &o.force),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0)
        status = report_check(&o) ? 2 : report_run(&o) ? 1 : 0;
    opts_free(table);
    return status;
}
