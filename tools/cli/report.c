/* report.c - `kpred-train report`: a page that shows tunings and models
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "explore.h"

#include "eval/model_page.h"
#include "tune/tuning_page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- models ---- */

/* A header by its path or, of a built-in model, that of the folder weights; NULL: there is none. */
static const char *header_path(const char *name, const struct model *model, struct buf *path)
{
    if (ends_with(name, ".h"))
        return name;
    buf_printf(path, "weights/%s.h", model->m.name);
    return access(path->s, R_OK) == 0 ? path->s : NULL;
}

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
    struct buf title = {0};
    buf_printf(&title, "Model %s", model->m.name);
    page_part(page, title.s);
    buf_free(&title);
    model_page_facts(page, model);
    return o->data.n > 0 ? report_figures(o, model, page) : 0;
}

/* The models are asked in one part, which comes first: all share one program. Names of two models
   of one kernel would collide there: the first one of a name is asked. */
struct shown_models {
    struct model *v;
    const char **path;
    struct buf *paths;
    size_t n;
};

static int is_spec(const char *name)
{
    return ends_with(name, ".spec");
}

static int shown_open(const struct options *o, struct shown_models *m)
{
    m->v = xcalloc(o->of.n + 1, sizeof *m->v);
    m->path = xcalloc(o->of.n + 1, sizeof *m->path);
    m->paths = xcalloc(o->of.n + 1, sizeof *m->paths);
    for (size_t i = 0; i < o->of.n; i++) {
        if (is_spec(o->of.v[i]))
            continue;
        if (model_open(o->of.v[i], &m->v[m->n]) != 0)
            return -1;
        m->path[m->n] = header_path(o->of.v[i], &m->v[m->n], &m->paths[m->n]);
        if (m->path[m->n++] == NULL)
            return fail("%s: there is no weights/%s.h here: give the path of the header",
                        o->of.v[i], m->v[m->n - 1].m.name);
    }
    return 0;
}

static int ask_models(const struct shown_models *m, struct buf *page)
{
    const struct model **model = xcalloc(m->n + 1, sizeof *model);
    const char **path = xcalloc(m->n + 1, sizeof *path);
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++) {
        size_t same = 0;
        while (same < n && strcmp(model[same]->m.name, m->v[i].m.name) != 0)
            same++;
        model[same] = same < n ? model[same] : &m->v[i];
        path[same] = same < n ? path[same] : m->path[i];
        n += same == n;
    }
    const int bad = n > 0 ? explore_add(page, path, model, n) : 0;
    free(model);
    free(path);
    return bad;
}

static void shown_close(struct shown_models *m)
{
    for (size_t i = 0; i < m->n; i++) {
        model_free(&m->v[i]);
        buf_free(&m->paths[i]);
    }
    free(m->v);
    free(m->path);
    free(m->paths);
}

/* ---- the command ---- */

static int report_parts(const struct options *o, struct shown_models *m, struct buf *page)
{
    size_t next = 0;
    int bad = shown_open(o, m);
    bad = bad || ask_models(m, page);
    for (size_t i = 0; i < o->of.n && !bad; i++)
        bad = is_spec(o->of.v[i]) ? report_spec(o, o->of.v[i], page)
                                  : report_model(o, &m->v[next++], page);
    return bad;
}

static int report_run(const struct options *o)
{
    struct buf page = {0};
    struct shown_models models = {0};
    struct outfile out;
    int bad = out_open_kept(&out, o->output, o->force);
    if (bad)
        return -1;
    page_begin(&page, "kpred report");
    bad = report_parts(o, &models, &page);
    page_end(&page);
    if (bad)
        out_abandon(&out);
    else {
        fwrite(page.s, 1, page.n, out.f);
        bad = out_commit(&out) != 0;
    }
    shown_close(&models);
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
    opts_free(table);
    return status;
}
