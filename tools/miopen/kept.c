/* kept.c - tells which entries of a user perf-db the kernels' rules call illegal
   SPDX-License-Identifier: MIT */
#include "coverage.h"

#include "conv.h"
#include "tuple_text.h"

#include <inttypes.h>
#include <string.h>

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
            buf_printf(b, "%s = %s is none of %s", p->name, text[i], spec_values_text(p, &values));
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

static const struct coverage_model *find_model(const struct coverage *c, const char *solver,
                                               size_t n)
{
    for (size_t i = 0; i < c->n_models; i++) {
        const char *name = c->models[i]->model.spec->solver;
        if (strlen(name) == n && memcmp(name, solver, n) == 0)
            return c->models[i];
    }
    return NULL;
}

struct check {
    const struct coverage *c;
    const struct user_db *u;
    int force;
    size_t n; /* illegal entries so far */
};

/* One entry, "SOLVER:PARAMETERS" */
static void check_entry(struct check *k, const struct user_db_line *line, const struct conv *conv,
                        const char *entry, size_t n_solver)
{
    const struct coverage_model *cm = find_model(k->c, entry, n_solver);
    struct buf why = {NULL, 0, 0};
    if (cm != NULL && *find_illegal(cm, conv, entry + n_solver + 1, &why) != '\0'
        && k->n++ < MAX_TOLD)
        note("%s%s%zu: %s: %s: the entry is kept as it is", k->u->path,
             k->u->is_sqlite ? ": perf_db row " : ":", line->number, entry, why.s);
    buf_free(&why);
}

/* Does the entry at `start` stay? Of a solver's several in a line the first does. */
static int is_kept(const struct check *k, const struct user_db_line *line, const char *start,
                   size_t n_solver, const char *params)
{
    const char *ours = k->force ? coverage_entries(k->c, line->key) : NULL;
    size_t n;
    return user_db_find_entry(line->entries, start, n_solver, &n) == params
           && (ours == NULL || user_db_find_entry(ours, start, n_solver, &n) == NULL);
}

static void check_line(struct check *k, const struct user_db_line *line)
{
    const char *at = line->entries, *start = at, *params;
    size_t n_solver, n_params;
    struct conv conv;
    char why[96];
    if (at == NULL || conv_parse_key(line->key, strlen(line->key), &conv, why) != 0)
        return;
    for (; (params = user_db_next_entry(&at, &n_solver, &n_params)) != NULL; start = at) {
        struct buf entry = {NULL, 0, 0};
        buf_add(&entry, start, n_solver + 1 + n_params);
        if (is_kept(k, line, start, n_solver, params))
            check_entry(k, line, &conv, entry.s, n_solver);
        buf_free(&entry);
    }
}

void kept_note(const struct coverage *c, const struct user_db *u, int force)
{
    struct check k = {c, u, force, 0};
    for (size_t i = 0; i < u->n; i++)
        check_line(&k, &u->lines[i]);
    if (k.n > MAX_TOLD)
        note("%s: %zu more entries that are not legal are kept as they are", u->path,
             k.n - MAX_TOLD);
}
