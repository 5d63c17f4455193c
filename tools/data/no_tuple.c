/* no_tuple.c - see no_tuple.h
   SPDX-License-Identifier: MIT */
#include "no_tuple.h"

#include "model/any_tuple.h"

#include <stdlib.h>

enum { MAX_STEPS = 1 << 24 }; /* for all problems together: some seconds */

struct dead {
    unsigned char *is_out; /* a flag a row */
    size_t problems;
    size_t first; /* row: the one that stands first in the first file */
    size_t steps;
};

/* Is one of the tuples that were measured for it legal? */
static int has_legal_row(const struct model *model, const struct dataset *d, size_t first,
                         size_t end)
{
    for (size_t i = first; i < end; i++)
        if (data_is_known(d, i)
            && model_allows(model, d->problem + i * d->n_fields, d->target + i * d->n_params))
            return 1;
    return 0;
}

static int stands_before(const struct dataset *d, size_t a, size_t b)
{
    return d->file[a] != d->file[b] ? d->file[a] < d->file[b] : d->row[a] < d->row[b];
}

static void find_dead(const struct model *model, const struct dataset *d, struct dead *dead)
{
    for (size_t i = 0, end; i < d->n; i = end) {
        end = data_problem_end(d, i);
        if (has_legal_row(model, d, i, end)
            || any_tuple(&model->clauses, model->spec, d->problem + i * d->n_fields, &dead->steps)
                   != 0)
            continue;
        for (size_t row = i; row < end; row++) {
            dead->is_out[row] = 1;
            if ((dead->problems == 0 && row == i) || stands_before(d, row, dead->first))
                dead->first = row;
        }
        dead->problems++;
    }
}

/* "gpu = gfx906_60, rows = 16" */
static const char *problem_text(const struct spec *s, const int32_t *problem, struct buf *b)
{
    for (size_t i = 0; i < s->n_fields; i++) {
        buf_printf(b, "%s%s = ", i > 0 ? ", " : "", s->fields[i].name);
        if (s->fields[i].n_tokens != 0)
            buf_puts(b, s->fields[i].tokens[problem[i]]);
        else
            buf_printf(b, "%ld", (long)problem[i]);
    }
    return b->s;
}

static int refuse(const struct model *model, const struct dataset *d, struct dead *dead)
{
    const struct spec *s = model->spec;
    const int32_t *problem = d->problem + dead->first * d->n_fields;
    const struct clause *c = any_tuple_culprit(&model->clauses, s, problem, &dead->steps);
    const size_t n = data_count_problems(d);
    struct buf fields = {0}, why = {0};
    buf_printf(&why,
               model->own_spec != NULL ? "in the spec of %s, line %ld: " : "%s:%ld: ", s->path,
               c != NULL ? c->line : s->restricts.line);
    if (c != NULL)
        buf_printf(&why, "%s: is false for all tuples", c->text);
    else
        buf_puts(&why, "the conditions of [restrict] exclude each other");
    fail("%s:%lld: %s: no tuple is legal for this problem: %s (it is so for %zu of %zu problem%s; "
         "--lenient leaves such rows out)",
         d->files[d->file[dead->first]].name, (long long)d->row[dead->first],
         problem_text(s, problem, &fields), why.s, dead->problems, n, n == 1 ? "" : "s");
    buf_free(&fields);
    buf_free(&why);
    return -1;
}

static int drop(const struct model *model, struct dataset *d, const struct dead *dead)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->n; i++)
        if (dead->is_out[i]) {
            d->dropped[DROP_NO_TUPLE]++;
            d->files[d->file[i]].rows--;
        } else {
            data_copy_row(d, kept++, d, i);
        }
    d->n = kept;
    if (kept > 0)
        return 0;
    data_note_drops(d);
    return fail("%s: no row of %s is left to use", d->files[0].name, model->m.name);
}

int no_tuple_check(const struct model *model, struct dataset *d, int lenient)
{
    struct dead dead = {NULL, 0, 0, MAX_STEPS};
    int rc = 0;
    if (model->clauses.n == 0 && !model->clauses.kernels)
        return 0;
    dead.is_out = xcalloc(d->n, 1);
    find_dead(model, d, &dead);
    if (dead.problems > 0)
        rc = lenient ? drop(model, d, &dead) : refuse(model, d, &dead);
    free(dead.is_out);
    return rc;
}
