/* telling_features.c - keeps of a new spec's features those that tell its problems apart
   SPDX-License-Identifier: MIT */
#include "init.h"

#include "base/numbers.h"
#include "model/program.h"

#include <stdlib.h>
#include <string.h>

/* ---- what features say of all problems ---- */

struct column {
    uint64_t hash; /* of what it says of one problem after the other */
    uint8_t first;
    unsigned char is_constant;
};

struct view {
    size_t n;
    struct column column[KPRED_MAX_WIDTH];
};

static void see(const struct program *p, const struct spec *spec,
                const struct telling_problems *problems, struct view *view)
{
    uint8_t x[KPRED_MAX_WIDTH];
    view->n = p->n_features;
    for (size_t i = 0; i < problems->n; i++) {
        program_run(p, problems->v + i * spec->n_fields, spec->n_fields, x);
        for (size_t c = 0; c < view->n; c++) {
            struct column *to = &view->column[c];
            if (i == 0)
                *to = (struct column){0, x[c], 1};
            to->is_constant &= x[c] == to->first;
            to->hash = num_mix(to->hash, x[c], 0);
        }
    }
}

struct telling {
    const struct spec *spec;
    const struct telling_problems *problems;
    struct buf *out;
    struct interned said; /* by the columns of the lines that were written, as hashes */
};

static int is_said(const struct telling *t, const struct column *c)
{
    return intern_find(&t->said, &c->hash, sizeof c->hash) != INTERN_NONE;
}

/* It tells something that no line before it says; from now on it is said. */
static int tells(struct telling *t, const struct column *c)
{
    if (c->is_constant || is_said(t, c))
        return 0;
    (void)intern(&t->said, &c->hash, sizeof c->hash);
    return 1;
}

/* ---- features of which each is by itself ---- */

struct line {
    char op[16], of[64];
    int first, step, count; /* as far as it has them */
    size_t n;               /* columns */
    const struct column *column;
};

static void write_run(const struct line *l, size_t from, size_t end, struct buf *out)
{
    const int first = strcmp(l->op, "divides") == 0 ? l->first << from : l->first + (int)from;
    buf_printf(out, "%s %s %d %zu\n", l->op, l->of, first, end - from);
}

static void write_runs(struct telling *t, const struct line *l)
{
    size_t end;
    for (size_t i = 0; i < l->n; i = end + 1) {
        for (end = i; end < l->n && tells(t, &l->column[end]); end++)
            ;
        if (end > i)
            write_run(l, i, end, t->out);
    }
}

/* ---- hats ---- */

/* Hats over the same logarithm, from one octave to another */
struct hats {
    int first, step, count;
    struct view view;
};

static int see_hats(const struct telling *t, const struct line *l, struct hats *h)
{
    struct spec one = *t->spec;
    struct program program;
    struct buf text = {0};
    buf_printf(&text, "hats %s %d %d %d", l->of, h->first, h->step, h->count);
    struct spec_line line = {text.s, 1, 1};
    one.features.n = 1;
    one.features.v = &line;
    const int rc = program_compile(&one, &program);
    if (rc == 0)
        see(&program, &one, t->problems, &h->view);
    buf_free(&text);
    return rc;
}

/* Leaves out at both ends what no problem reaches, as long as anything is left. */
static void trim(struct hats *h)
{
    size_t from = 0, end = h->view.n;
    while (from < end && h->view.column[from].is_constant)
        from++;
    while (from < end && h->view.column[end - 1].is_constant)
        end--;
    h->first += (int)from * h->step;
    h->count = (int)(end - from);
}

/* Those at the ends that a line before says stand aside for the next to them. */
static int write_hats(struct telling *t, const struct line *l, struct hats *h)
{
    for (int aside = 1; aside > 0 && h->count > 1; h->count -= aside) {
        if (see_hats(t, l, h) != 0)
            return -1;
        const int first = is_said(t, &h->view.column[0]);
        aside = first || is_said(t, &h->view.column[h->view.n - 1]);
        h->first += first ? h->step : 0;
    }
    if (h->count < 2)
        return 0;
    for (size_t i = 0; i < h->view.n; i++)
        (void)tells(t, &h->view.column[i]);
    buf_printf(t->out, "hats %s %d %d %d\n", l->of, h->first, h->step, h->count);
    return 0;
}

static int add_hats(struct telling *t, const struct line *l)
{
    struct hats h = {.first = l->first, .step = l->step, .count = l->count};
    if (see_hats(t, l, &h) != 0)
        return -1;
    trim(&h);
    return write_hats(t, l, &h);
}

/* ---- all lines ---- */

/* Tokens stay, as some stand for GPUs of which the data have none. */
static int add_line(struct telling *t, const char *text, struct line *l)
{
    sscanf(text, "%15s %63s %d %d %d", l->op, l->of, &l->first, &l->step, &l->count);
    if (strcmp(l->op, "hats") == 0)
        return add_hats(t, l);
    if (strcmp(l->op, "equals") == 0 || strcmp(l->op, "divides") == 0)
        write_runs(t, l);
    else if (tells(t, l->column) || strcmp(l->op, "onehot") == 0)
        buf_printf(t->out, "%s\n", text);
    return 0;
}

int telling_features(const struct spec *spec, const struct telling_problems *problems,
                     struct buf *out)
{
    struct telling t = {.spec = spec, .problems = problems, .out = out};
    struct view *all = xmalloc(sizeof *all);
    struct program program;
    int rc = program_compile(spec, &program);
    if (rc == 0)
        see(&program, spec, problems, all);
    const kpred_instr *in = program.instr;
    size_t column = 0;
    for (size_t i = 0; rc == 0 && i < spec->features.n; i++, in++) {
        while (in->op <= KPRED_OP_CONST)
            in++;
        struct line l = {.n = in->n, .column = all->column + column};
        rc = add_line(&t, spec->features.v[i].text, &l);
        column += in->n;
    }
    free(all);
    intern_free(&t.said);
    return rc;
}
