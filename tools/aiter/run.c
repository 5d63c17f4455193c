/* run.c - see run.h
   SPDX-License-Identifier: MIT */
#include "run.h"

#include "compiled.h"
#include "files.h"
#include "inputs.h"
#include "story.h"

#include "base/outputs.h"

#include <stdlib.h>
#include <string.h>

/* All that a run holds */
struct run {
    const struct aiter_options *o;
    struct target target;
    enum family_id only;
    struct asked asked;
    struct installed installed;
    struct interned compiled;
    struct rows rows;
    char *path[N_FAMILIES];
};

/* ---- the command line ---- */

static int is_folder(const char *output)
{
    return output != NULL && !ends_with(output, ".csv");
}

static int wrong(const char *what)
{
    fail("aiter: %s", what);
    return 2;
}

static int check(const struct aiter_options *o)
{
    if (o->top != 0 && !is_folder(o->output))
        return wrong("--top: candidates are written into a folder: -o DIR");
    if (o->top != 0 && o->schema != SCHEMA_CURRENT)
        return wrong("--schema: candidates have columns of their own: not with --top");
    return outputs_check_force(o->force, o->output) != 0 ? 2 : 0;
}

/* ---- reading ---- */

/* Of --family: it may name one without a model. */
static int check_family(const struct run *r)
{
    struct buf known = {NULL, 0, 0};
    int rc = 0;
    if (r->only == FAMILY_NONE || r->target.model[r->only] != NULL)
        return 0;
    if (*target_known(r->only, &known) != '\0')
        rc = fail("--gpu: value \"%s\": the model of %s does not know it (known: %s)", r->o->gpu,
                  families[r->only].name, known.s);
    buf_free(&known);
    return rc;
}

static int read_all(struct run *r)
{
    const struct aiter_options *o = r->o;
    if (target_find(&r->target, o->gpu) != 0 || check_family(r) != 0)
        return -1;
    if (o->compiled != NULL && compiled_read(&r->compiled, &r->target, o->compiled) != 0)
        return -1;
    if (installed_read(&r->installed, &r->target, r->only, o->installed.v, o->installed.n) != 0)
        return -1;
    const struct asked_from from = {r->only, r->target.cu_num};
    return inputs_read(&r->asked, &from, o->inputs.v, o->inputs.n);
}

/* ---- predicting and writing ---- */

static int predict(struct run *r)
{
    const struct aiter_options *o = r->o;
    const struct rows_options options = {.is_exact = o->is_exact,
                                         .only_ck = o->schema >= SCHEMA_NO_LIBTYPE,
                                         .top = o->top != 0 ? (size_t)o->top : 1,
                                         .beam = (size_t)(o->beam > o->top ? o->beam : o->top),
                                         .compiled = &r->compiled};
    if (rows_make(&r->rows, &r->asked, &r->target, &r->installed, &options) != 0)
        return -1;
    story_note(&r->asked, &r->rows);
    if (r->asked.n != 0 && r->rows.without_gpu == r->asked.n)
        return fail("--gpu: value \"%s\": no model of the families asked for knows it", o->gpu);
    return 0;
}

/* All that the command reads: no output may be one of them. */
static const char **list_inputs(const struct aiter_options *o, size_t *n)
{
    const char **list = xcalloc(o->inputs.n + o->installed.n + 1, sizeof *list);
    *n = 0;
    for (size_t i = 0; i < o->inputs.n; i++)
        list[(*n)++] = o->inputs.v[i];
    for (size_t i = 0; i < o->installed.n; i++)
        list[(*n)++] = o->installed.v[i];
    if (o->compiled != NULL)
        list[(*n)++] = o->compiled;
    return list;
}

static int write_out(struct run *r)
{
    const struct aiter_options *o = r->o;
    struct files_options options = {.output = o->output, .force = o->force};
    const char **list = list_inputs(o, &options.n_inputs);
    options.inputs = list;
    options.schema = o->top != 0 ? SCHEMA_CANDIDATES : (enum write_schema)o->schema;
    const int rc = files_write(&r->rows, &r->target, &options, r->path);
    if (rc == 0 && o->top == 0)
        story_variables(&r->installed, r->path);
    free(list);
    return rc;
}

static void close_run(struct run *r)
{
    asked_free(&r->asked);
    installed_free(&r->installed);
    intern_free(&r->compiled);
    rows_free(&r->rows);
    for (int i = 0; i < N_FAMILIES; i++)
        free(r->path[i]);
}

int aiter_run(const struct aiter_options *o)
{
    struct run r;
    memset(&r, 0, sizeof r);
    r.o = o;
    r.only = FAMILY_NONE;
    const int status = check(o);
    if (status != 0)
        return status;
    if (o->family != NULL && (r.only = family_asked("--family", o->family)) == FAMILY_NONE)
        return 1;
    const int bad = read_all(&r) != 0 || predict(&r) != 0 || write_out(&r) != 0;
    close_run(&r);
    return bad;
}
