/* init.c - see init.h
   SPDX-License-Identifier: MIT */
#include "init.h"

#include "formats.h"
#include "new_spec.h"
#include "survey_json.h"
#include "survey_table.h"

#include "model/model.h"
#include "model/same_gpu.h"

#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

static void add_data(struct opt_texts *data, const char *path)
{
    data->v = xrealloc(data->v, data->n + 1, sizeof *data->v);
    data->v[data->n++] = path;
}

static int read_data(const struct init *in, struct survey *s, const char *path, int is_json,
                     struct buf *bytes, struct init_spec *out)
{
    if (is_json && in->asked.metric != NULL)
        return fail("%s: --metric \"%s\": chooses a column of tables, and this is none: its times "
                    "count",
                    path, in->asked.metric);
    add_data(&out->data, path);
    return is_json ? survey_tuner(s, &in->asked, path, bytes)
                   : survey_table(s, &in->asked, path, bytes);
}

static int read_t1(struct t1 *t1, const char *path, struct buf *bytes)
{
    return t1->path == NULL
               ? t1_read(t1, path, bytes)
               : fail("%s: is a T1 input, as %s is: a spec is of one kernel", path, t1->path);
}

/* A training refuses a file that is given twice. The n-th file is the n-th digest. */
static int check_twice(const struct opt_texts *files, struct interned *seen, const char *path,
                       const struct buf *bytes)
{
    char digest[65];
    const size_t n = seen->n;
    if (files->n == 1)
        return 0;
    sha256_hex(bytes->s, bytes->n, digest);
    const size_t i = intern_text(seen, digest);
    return seen->n > n ? 0 : fail("%s: the same data as %s: given twice", path, files->v[i]);
}

static int read_one(const struct init *in, struct survey *s, struct t1 *t1, const char *path,
                    struct interned *seen, struct init_spec *out)
{
    struct buf bytes = {0};
    const int is_json = data_has_ending(path, ".json");
    if (!is_json && !data_has_ending(path, ".csv"))
        return fail("%s: its name ends in neither .csv nor .json, nor in these with .bz2 or .gz",
                    path);
    int rc = data_read(path, &bytes);
    if (rc == 0)
        rc = check_twice(in->asked.files, seen, path, &bytes);
    if (rc == 0)
        rc = is_json && t1_is(&bytes) ? read_t1(t1, path, &bytes)
                                      : read_data(in, s, path, is_json, &bytes, out);
    buf_free(&bytes);
    return rc;
}

static int read_all(const struct init *in, struct survey *s, struct t1 *t1, struct init_spec *out)
{
    const struct opt_texts *files = in->asked.files;
    struct interned seen = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < files->n; i++) {
        if (in->progress != NULL)
            in->progress(files->v[i], i, files->n);
        rc = read_one(in, s, t1, files->v[i], &seen, out);
    }
    intern_free(&seen);
    if (rc != 0)
        return -1;
    if (t1->path != NULL && survey_t1(s, &in->asked, t1) != 0)
        return -1;
    return survey_check(s);
}

/* ---- what a training would say of the spec ---- */

static void note_conditions(const struct clauses *clauses, const struct spec *of_t1,
                            const struct rule_count *count)
{
    const struct clause *c = clauses->v + count->culprit;
    if (clauses_note_slips(clauses, of_t1) == 0 && count->is_counted && count->legal == 0)
        note("%s:%ld: %s: no tuple is legal%s", of_t1->path, c->line, c->text,
             count->culprit > 0 ? ", with the conditions before it" : "");
}

static int count_tuples(const struct init *in, const struct survey *s, const struct spec *spec,
                        struct init_spec *out)
{
    struct model model;
    if (model_from_spec(&model, spec, "none") != 0)
        return -1;
    if (in->progress != NULL)
        in->progress(NULL, 0, 0);
    rule_count(spec, &model.clauses, s, &out->count);
    failed_rows_of_survey(spec, &model.clauses, s, &out->failed);
    out->has_rule = model.clauses.n > 0;
    out->split = new_spec_split(s);
    snprintf(out->name, sizeof out->name, "%s", spec->name);
    model_free(&model);
    return 0;
}

/* T1's conditions, so that a message names their place in T1 */
static int check_conditions(const struct init *in, const struct survey *s, const struct spec *spec,
                            const struct t1 *t1, struct init_spec *out)
{
    struct spec of_t1 = *spec;
    struct clauses clauses;
    struct spec_line *v = xcalloc(t1->n_conditions + 1, sizeof *v);
    for (size_t i = 0; i < t1->n_conditions; i++)
        v[i] = (struct spec_line){t1->conditions[i].text, t1->conditions[i].line,
                                  t1->conditions[i].column};
    of_t1.path = t1->path;
    of_t1.restricts = (struct spec_lines){1, t1->n_conditions, v};
    int rc = clauses_read(&clauses, &of_t1);
    if (rc == 0) {
        rc = count_tuples(in, s, spec, out);
        if (rc == 0)
            note_conditions(&clauses, &of_t1, &out->count);
        clauses_free(&clauses);
    }
    free(v);
    return rc;
}

static int check_spec(const struct init *in, const struct survey *s, const struct t1 *t1,
                      struct init_spec *out)
{
    struct spec spec;
    if (spec_parse(&spec, out->text.s, in->asked.output) != 0)
        return -1;
    const int rc = check_conditions(in, s, &spec, t1, out);
    spec_free(&spec);
    return rc;
}

/* ---- the whole ---- */

/* Two spellings of one GPU that nothing makes one */
static void note_chips(struct survey *s)
{
    const int gpu = survey_find(&s->fields, "gpu");
    const struct interned *v = gpu >= 0 ? &s->fields.v[gpu].values : NULL;
    const char *names[KPRED_MAX_VALUES];
    struct buf b = {0};
    for (size_t i = 0; v != NULL && i < v->n; i++)
        names[i] = v->v[i].s;
    if (v != NULL && *gpu_chips(names, v->n, &b) != '\0')
        survey_note(s, "gpu: %s: " GPU_CHIPS_TOLD, b.s);
    buf_free(&b);
}

int init_make(const struct init *in, struct init_spec *out)
{
    struct survey *s = xmalloc(sizeof *s);
    struct t1 t1 = {0};
    memset(out, 0, sizeof *out);
    survey_open(s);
    int rc = read_all(in, s, &t1, out);
    struct new_spec n = {s, t1.path != NULL ? &t1 : NULL, in->asked.name, in->asked.output, NULL};
    if (rc == 0)
        rc = new_spec_text(&n, &out->text);
    if (rc == 0)
        rc = check_spec(in, s, &t1, out);
    if (rc == 0 && in->conditions && out->failed.found.n > 0) {
        n.failed = &out->failed;
        buf_free(&out->text);
        rc = new_spec_text(&n, &out->text);
    }
    if (rc == 0)
        note_chips(s);
    out->notes = s->notes;
    memset(&s->notes, 0, sizeof s->notes);
    t1_free(&t1);
    survey_close(s);
    free(s);
    return rc;
}

void init_free(struct init_spec *spec)
{
    buf_free(&spec->text);
    failed_rows_free(&spec->failed);
    intern_free(&spec->notes);
    free(spec->data.v);
}
