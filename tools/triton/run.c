/* run.c - from names of missing files to files of predicted configurations, for the command triton
   SPDX-License-Identifier: MIT */
#include "triton.h"

#include "model/model.h"

#include <string.h>

/* ---- a run ---- */

struct run {
    const struct triton_options *o;
    struct missed missed;
    struct predictors predictors;
    struct tally left_out;
    struct triton_files files;
};

/* ---- a run: the story ---- */

static void add_count(struct buf *b, size_t n, const char *one, const char *several)
{
    if (n != 0)
        buf_printf(b, "%s %zu %s", b->n != 0 ? "," : "", n, as_counted(n, one, several));
}

static void tell_choices(const char *name, const struct choices *c)
{
    struct buf b = {NULL, 0, 0};
    add_count(&b, c->of[CHOICE_MODEL], "predicted", "predicted");
    add_count(&b, c->of[CHOICE_CAUTIOUS], "cautious", "cautious");
    add_count(&b, c->of[CHOICE_DEFAULT], "default", "defaults");
    if (c->of[CHOICE_DEFAULT] > c->illegal)
        buf_puts(&b, " (nearly as probable)");
    if (c->illegal != 0)
        buf_printf(&b, "; %zu without a legal tuple", c->illegal);
    if (c->outside != 0) {
        buf_puts(&b, "; ");
        model_outside(c->model, c->outside_of, c->outside,
                      as_counted(c->outside, "M lies", "M lie"), &b);
    }
    if (c->outside != c->n)
        buf_printf(&b, "; %sa tuning should agree in %d %% of tuples, and in %d %% of tiles",
                   c->outside != 0 ? "for the others " : "", choices_percent(c, c->tuple),
                   choices_percent(c, c->tile));
    note("%s: %zu M:%s", name, c->n, b.s);
    buf_free(&b);
}

/* ---- a run: making ---- */

/* A name that cannot be used: of a log it is counted, an operand is the user's to mend. */
static int run_refuse(struct run *r, const struct missed_name *m, const char *name, const char *why)
{
    if (m->at.line == 0)
        return fail("%s: %s", name, why);
    tally_add(&r->left_out, m->at, why);
    return 0;
}

static int add_file(struct run *r, const struct missed_name *m, const char *name,
                    const struct choices *c)
{
    struct buf text = {NULL, 0, 0};
    char *path = NULL;
    if (r->o->output != NULL && (path = triton_path(r->o->output, &m->name, m->version)) == NULL)
        return run_refuse(r, m, name,
                          "no folder tells the version of Triton, which SGLang's folders "
                          "are named after: --triton");
    tell_choices(name, c);
    triton_text(&text, &m->name, c, r->o->from.version);
    triton_files_add(&r->files, &m->name, path, &text);
    return 0;
}

static int run_make(struct run *r, const struct missed_name *m)
{
    struct choices c;
    struct buf why = {NULL, 0, 0}, name = {NULL, 0, 0};
    triton_name_write(&m->name, &name);
    struct choices_options o = r->o->choices;
    o.version = r->o->from.version != NULL ? r->o->from.version : m->version;
    int rc = choices_make(&c, &r->predictors, &m->name, &o, &why);
    if (rc > 0 || (rc == 0 && choices_doubt(&c, o.nearest, &why)))
        rc = run_refuse(r, m, name.s, why.s);
    else if (rc == 0 && c.n == 0)
        rc = run_refuse(r, m, name.s, "no tuple is legal for any M");
    else if (rc == 0 && c.of[CHOICE_DEFAULT] == c.n)
        note("%s: no file: for all %zu M the server's own choice is the best guess", name.s, c.n);
    else if (rc == 0)
        rc = add_file(r, m, name.s, &c);
    buf_free(&why);
    buf_free(&name);
    return rc;
}

static int make_all(struct run *r)
{
    const struct missed *m = &r->missed;
    if (m->n > 1 && r->o->output == NULL && !r->o->is_dry)
        return fail("standard output: it takes one file, and there are %zu: -o DIR takes all",
                    m->n);
    if (m->lines != 0)
        note("%zu line%s, %zu name%s of a missing file: %zu distinct", m->lines,
             as_counted(m->lines, "", "s"), m->calls, as_counted(m->calls, "", "s"), m->n);
    for (size_t i = 0; i < m->n; i++)
        if (run_make(r, &m->v[i]) != 0)
            return -1;
    if (r->files.n == 0 && r->left_out.words.n != 0)
        return tally_fail(log_line_called(r->o->inputs.v, r->o->inputs.n), "write", &r->left_out,
                          &m->cut);
    tally_note(&r->left_out, "file is left out", "files are left out");
    tally_note(&m->cut, "line", "lines");
    return 0;
}

int triton_run(const struct triton_options *o)
{
    struct run r = {.o = o, .missed.from = o->from};
    struct locked_folder folder;
    int bad = missed_read(&r.missed, &o->inputs) != 0 || make_all(&r) != 0;
    const int writes = !bad && !o->is_dry;
    const int has_folder = writes && r.files.n != 0 && o->output != NULL;
    bad = bad || (has_folder && triton_folder_lock(&folder, o->output) != 0);
    if (writes && !bad) {
        bad = triton_files_write(&r.files, o->from.force) != 0;
        if (has_folder)
            folder_release(&folder, bad);
    }
    if (writes && !bad && o->output != NULL)
        triton_files_tell(&r.files, o->output);
    triton_files_free(&r.files);
    tally_free(&r.left_out);
    predictors_close(&r.predictors);
    missed_free(&r.missed);
    return bad;
}
