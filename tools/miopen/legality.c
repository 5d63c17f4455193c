/* legality.c - what the kernels' rules say of databases: illegal entries, exchanged channels
   SPDX-License-Identifier: MIT */
#include "miopen_rows.h"
#include "tuple_text.h"
#include "user_db.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- entries of a user perf-db that are kept although they are illegal ---- */

enum { MAX_TOLD = 10 };

/* The first value that the rule does not take behind those before it, in words; "": it takes all */
static const char *find_value(const kpred_model *m, const int32_t *problem, const int32_t *value,
                              struct buf *b)
{
    buf_puts(b, "");
    for (size_t n = 1; m->rule != NULL && n <= m->n_params && b->n == 0; n++)
        if (!m->rule(problem, value, n) && m->params[n - 1].names != NULL)
            buf_printf(b, "%s = %s is not legal", m->params[n - 1].name,
                       m->params[n - 1].names[value[n - 1]]);
        else if (!m->rule(problem, value, n))
            buf_printf(b, "%s = %" PRId32 " is not legal%s", m->params[n - 1].name, value[n - 1],
                       n > 1 ? " with the values before it" : "");
    return b->s;
}

/* What is wrong with the parameters, in words; "": nothing, or they name what no model knows */
static const char *find_trouble(const struct coverage_model *cm, const int32_t *problem,
                                const char *params, struct buf *b)
{
    const struct spec *s = cm->model.spec;
    const char *text[KPRED_MAX_TUPLE];
    int32_t value[KPRED_MAX_TUPLE];
    struct buf pieces = {NULL, 0, 0}, values = {NULL, 0, 0};
    int is_known = 1;
    char why[96];
    buf_puts(b, "");
    if (tuple_text_cut(s, params, &pieces, text, why) != 0) {
        buf_puts(b, why);
        is_known = 0;
    }
    for (size_t i = 0; i < s->n_params && is_known; i++) {
        const struct spec_param *p = &s->params[i];
        const int index = spec_value_index(p, text[i]);
        is_known = index >= 0;
        if (is_known)
            value[i] = p->values[index];
        else if (p->names[0] == NULL)
            buf_printf(b, "%s = %s is not one of %s", p->name, text[i],
                       spec_values_text(p, &values));
    }
    if (is_known)
        find_value(&cm->model.m, problem, value, b);
    buf_free(&pieces);
    buf_free(&values);
    return b->s;
}

/* The same of an entry */
static const char *find_illegal(const struct coverage_model *cm, const struct conv *conv,
                                const char *params, struct buf *b)
{
    int32_t problem[KPRED_MAX_FIELDS];
    struct reason why;
    buf_puts(b, "");
    if (cm->gpu < 0 || cm->is_near
        || problem_of_conv(&cm->model, cm->field, conv, problem, &why) != REASON_NONE)
        return b->s;
    if (cm->field[CONV_GPU] >= 0)
        problem[cm->field[CONV_GPU]] = cm->gpu;
    if (reason_find(&cm->model, problem, &why) == REASON_NONE)
        return find_trouble(cm, problem, params, b);
    buf_puts(b, "the kernel does not apply: ");
    return reason_text(&why, b);
}

struct check {
    const struct coverage *c;
    const struct user_db *u;
    size_t n; /* illegal entries so far */
};

/* One entry, "SOLVER:PARAMETERS" */
static void check_entry(struct check *k, const struct user_db_line *line, const struct conv *conv,
                        const char *entry, size_t n_solver)
{
    const struct coverage_model *cm = NULL;
    struct buf why = {NULL, 0, 0};
    for (size_t i = 0; i < k->c->n_models && cm == NULL; i++) {
        const char *name = k->c->models[i]->model.spec->solver;
        if (strlen(name) == n_solver && memcmp(name, entry, n_solver) == 0)
            cm = k->c->models[i];
    }
    if (cm != NULL && *find_illegal(cm, conv, entry + n_solver + 1, &why) != '\0'
        && k->n++ < MAX_TOLD)
        note("%s%s%zu: %s: %s: the entry is kept as it is", k->u->path,
             k->u->is_sqlite ? ": perf_db row " : ":", line->number, entry, why.s);
    buf_free(&why);
}

void kept_note(const struct coverage *c, const struct user_db *u, int force)
{
    struct check k = {c, u, 0};
    for (size_t i = 0; i < u->n; i++) {
        const struct user_db_line *line = &u->lines[i];
        const char *at = line->entries, *start = at, *params;
        const char *ours = force ? coverage_entries(c, line->key) : NULL;
        size_t n_solver, n_params, n;
        struct conv conv;
        char why[96];
        if (at == NULL || conv_parse_key(line->key, strlen(line->key), &conv, why) != 0)
            continue;
        for (; (params = user_db_next_entry(&at, &n_solver, &n_params)) != NULL; start = at) {
            struct buf entry = {NULL, 0, 0};
            buf_add(&entry, start, n_solver + 1 + n_params);
            /* Of a solver's several in a line the first stays, unless ours replaces it. */
            if (user_db_find_entry(line->entries, start, n_solver, &n) == params
                && (ours == NULL || user_db_find_entry(ours, start, n_solver, &n) == NULL))
                check_entry(&k, line, &conv, entry.s, n_solver);
            buf_free(&entry);
        }
    }
    if (k.n > MAX_TOLD)
        note("%s: %zu more %s", u->path, k.n - MAX_TOLD,
             as_counted(k.n - MAX_TOLD, "entry that is not legal is kept as it is",
                        "entries that are not legal are kept as they are"));
}

/* ---- which way round the channels stand in the backward keys of a text perf-db ---- */

/* A key of a backward direction begins with the image that the forward convolution writes, and with
   its channels. Some old files have that image's size there, but the channels of the other. A key
   does not show it, the optima do: read the wrong way round, some are illegal. A whole file is one
   or the other, so all built-in kernels of one filter decide together, whichever is wanted: there
   are kernels whose rules hardly look at channels. */

struct evidence {
    struct coverage models;
    size_t as_read, exchanged; /* optima that are legal only so */
};

/* The values of a solver in a line's list of entries, or NULL. */
static const char *find_values(const char *entries, const char *solver)
{
    const size_t n = strlen(solver);
    for (const char *p = entries; (p = strstr(p, solver)) != NULL; p += n)
        if ((p == entries || p[-1] == ';') && p[n] == ':')
            return p + n + 1;
    return NULL;
}

/* How many integers the entry is a list of; 0: it is none, or of too many. */
static size_t read_values(const char *p, int32_t values[KPRED_MAX_TUPLE])
{
    for (size_t n = 0; n < KPRED_MAX_TUPLE; p++) {
        char *end;
        const long v = strtol(p, &end, 10);
        if (end == p || v < -SPEC_MAX_VALUE || v > SPEC_MAX_VALUE)
            return 0;
        values[n++] = (int32_t)v;
        if (*end != ',')
            return *end == ';' || *end == '\0' ? n : 0;
        p = end;
    }
    return 0;
}

/* Which readings of the row are legal? */
static void legality_ask(struct evidence *e, const struct coverage_model *w,
                         const struct conv *conv, const char *list)
{
    const kpred_model *m = &w->model.m;
    int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
    struct reason why;
    if (read_values(list, values) != m->n_params
        || problem_of_conv(&w->model, w->field, conv, problem, &why) != REASON_NONE)
        return;
    if (w->field[CONV_GPU] >= 0) /* the last one, where most is legal */
        problem[w->field[CONV_GPU]] = m->fields[w->field[CONV_GPU]].most;
    const int as_read = kpred_legal(m, problem, values);
    problem[w->field[CONV_C]] = (int32_t)conv->k;
    problem[w->field[CONV_K]] = (int32_t)conv->c;
    const int exchanged = kpred_legal(m, problem, values);
    e->as_read += as_read && !exchanged;
    e->exchanged += exchanged && !as_read;
}

static void ask_all(struct evidence *e, const char *line)
{
    const char *equals = strchr(line, '=');
    struct conv conv;
    char why[96];
    if (equals == NULL || conv_parse_key(line, (size_t)(equals - line), &conv, why) != 0
        || conv.dir == 'F' || conv.c == conv.k)
        return;
    /* A model whose spec holds the filter to one size is a kernel's own. */
    for (size_t i = 0; i < e->models.n_models; i++) {
        const struct coverage_model *w = e->models.models[i];
        const char *values = find_values(equals + 1, w->model.spec->solver);
        if (w->model.spec->filter_h != 0 && values != NULL)
            legality_ask(e, w, &conv, values);
    }
}

int channels_are_exchanged(const char *path, const char *text)
{
    struct evidence e = {.as_read = 0};
    int rc = coverage_models(&e.models);
    char *copy = xstrdup(text), *at = copy, *line;
    while (rc == 0 && (line = next_line(&at)) != NULL)
        ask_all(&e, line);
    free(copy);
    coverage_close(&e.models);
    if (rc == 0 && e.exchanged > e.as_read) {
        note("%s: c and k of backward keys are exchanged: %zu of its optima are legal only so, %zu "
             "only as they stand",
             path, e.exchanged, e.as_read);
        rc = 1;
    }
    return rc;
}
