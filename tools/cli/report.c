/* report.c - `kpred-train report`: a page that shows tunings and models
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/page.h"
#include "eval/eval.h"
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

struct options {
    struct opt_texts of, data, beside;
    struct data_options how;
    const char *output;
    int force;
};

static int is_spec(const char *name)
{
    return ends_with(name, ".spec");
}

/* ---- a tuning ---- */

static int report_table(const struct options *o, struct model *model, const struct opt_texts *files,
                        struct buf *page)
{
    struct dataset data = {0};
    struct buf notes = {0}, title = {0};
    buf_printf(&title, "Tuning of %s:", model->m.name);
    for (size_t i = 0; i < files->n; i++)
        buf_printf(&title, " %s", base_name(files->v[i]));
    page_part(page, title.s);
    notes_keep(&notes);
    int bad = data_load(readers, model->spec, files->v, files->n, &o->how, &data);
    if (!bad)
        data_note_drops(&data);
    notes_keep(NULL);
    if (!bad && data.time_us == NULL)
        bad = fail("%s: has no times: a page of a tuning shows tables with format = timed",
                   model->spec->path);
    if (!bad && spec_is_listed(model->spec) && data.n > 0)
        bad = model_list(model, data.problem, data.target, data.n);
    bad = bad || tuning_page(page, model, &data, notes.s);
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

/* ---- models ---- */

static int report_figures(const struct options *o, const struct model *model, struct buf *page)
{
    struct eval e = {.model = model,
                     .run = &model->m,
                     .by = "all",
                     .rows = strcmp(model->m.split, "none") != 0 ? EVAL_TEST : EVAL_ALL};
    if (data_load(readers, model->spec, o->data.v, o->data.n, &o->how, &e.data))
        return -1;
    int bad = no_tuple_check(model, &e.data, o->how.lenient);
    if (!bad) {
        data_note_drops(&e.data);
        bad = model_page_figures(page, &e);
    }
    free(e.row);
    free(e.is_out);
    data_free(&e.data);
    return bad;
}

static int report_model(const struct options *o, const struct model *model, struct buf *page)
{
    const kpred_model *m = &model->m;
    struct buf title = {0};
    buf_printf(&title, "Model %s", m->name);
    page_part(page, title.s);
    buf_free(&title);
    page_say(page, "%s: %u fields, %u parameters, %.0f KB of constants; split %s.", m->kernel,
             (unsigned)m->n_fields, (unsigned)m->n_params, (double)model_cost(m).bytes / 1024,
             m->split);
    return o->data.n > 0 ? report_figures(o, model, page) : 0;
}

/* All models are asked in one part, which comes first: they share one program. Names of two models
   of one kernel would collide there: the first one of a name is asked. */
static int ask_models(const struct options *o, const struct model *v, struct buf *page)
{
    const struct model **model = xcalloc(o->of.n + 1, sizeof *model);
    const char **path = xcalloc(o->of.n + 1, sizeof *path);
    size_t n = 0;
    for (size_t i = 0; i < o->of.n; i++) {
        size_t same = 0;
        if (is_spec(o->of.v[i]))
            continue;
        while (same < n && strcmp(model[same]->m.name, v[i].m.name) != 0)
            same++;
        model[same] = same < n ? model[same] : &v[i];
        path[same] = same < n ? path[same] : o->of.v[i];
        n += same == n;
    }
    const int bad = n > 0 ? explore_add(page, path, model, n) : 0;
    free(model);
    free(path);
    return bad;
}

/* ---- the command ---- */

static int report_parts(const struct options *o, struct model *model, struct buf *page)
{
    int bad = 0;
    for (size_t i = 0; i < o->of.n && !bad; i++)
        bad = !is_spec(o->of.v[i]) && model_open(o->of.v[i], &model[i]) != 0;
    bad = bad || ask_models(o, model, page);
    for (size_t i = 0; i < o->of.n && !bad; i++)
        bad = is_spec(o->of.v[i]) ? report_spec(o, o->of.v[i], page)
                                  : report_model(o, &model[i], page);
    return bad;
}

static int report_run(const struct options *o)
{
    struct buf page = {0};
    struct outfile out;
    if (out_open_kept(&out, o->output, o->force) != 0)
        return -1;
    struct model *models = xcalloc(o->of.n, sizeof *models);
    page_begin(&page, "kpred report");
    int bad = report_parts(o, models, &page);
    page_end(&page);
    if (!bad)
        fwrite(page.s, 1, page.n, out.f);
    bad = out_end(&out, bad) != 0;
    for (size_t i = 0; i < o->of.n; i++)
        model_free(&models[i]);
    free(models);
    buf_free(&page);
    return bad;
}

static int report_check(const struct options *o)
{
    const struct output to = {"-o", o->output};
    for (size_t i = 0; i < o->of.n; i++)
        if (!is_spec(o->of.v[i]) && !ends_with(o->of.v[i], ".h"))
            return fail("%s: is no .spec and no .h, such as weights/NAME.h", o->of.v[i]);
    return outputs_check_force(o->force, o->output)
           || outputs_check_inputs(&to, 1, "SPEC|FILE.h", &o->of)
           || outputs_check_inputs(&to, 1, "--data", &o->data)
           || outputs_check_inputs(&to, 1, "--beside", &o->beside);
}

int cmd_report_page(int argc, char **argv)
{
    static struct options o;
    static const struct opt table[] = {
        OPT_SAYS(
            "Writes a page that shows tunings and models, side by side, in one file of HTML that "
            "asks no network. Of a tuning it shows the best so far, what is left to gain, the best "
            "tuples, which parameters matter, heat maps, failures and noise. Of a model it shows "
            "how good it is on a table, whether its probabilities come true, and the worst "
            "problems, and the model itself runs in the page, where clang and lld are: it answers "
            "as predict does."),
        OPT(TEXTS, "SPEC|FILE.h...", &o.of,
            "of a .spec the tuning of its kernel; a header that kpred-train wrote"),
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
    return opts_free(table, status);
}
