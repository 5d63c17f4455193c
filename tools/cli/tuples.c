/* tuples.c - `kpred-train tuples`: the legal tuples of problems as a table, for whoever judges them
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "train/timed.h"
#include "tune/loop.h"

#include <stdlib.h>
#include <string.h>

struct options {
    const char *spec, *problems, *output;
    long made_up, most, seed;
    int force;
};

struct listing {
    const struct model *model;
    struct tuples_most most;
    struct buf text;
    char **value[KPRED_MAX_TUPLE]; /* of each parameter the cells */
    size_t drawn;                  /* problems of which not all are listed */
};

static void open_listing(struct listing *l)
{
    const struct spec *s = l->model->spec;
    struct buf cell = {0};
    char number[12];
    for (size_t p = 0; p < s->n_params; p++) {
        l->value[p] = xcalloc(s->params[p].n_values, sizeof *l->value[p]);
        for (size_t v = 0; v < s->params[p].n_values; v++) {
            cell.n = 0;
            buf_printf(&cell, s->params[p].names[0] != NULL ? ",\"%s\"" : ",%s",
                       spec_value_text(&s->params[p], v, number));
            l->value[p][v] = xstrdup(cell.s);
        }
    }
    buf_free(&cell);
}

static void close_listing(struct listing *l)
{
    const struct spec *s = l->model->spec;
    for (size_t p = 0; p < s->n_params; p++) {
        for (size_t v = 0; v < s->params[p].n_values; v++)
            free(l->value[p][v]);
        free(l->value[p]);
    }
    buf_free(&l->text);
}

static void write_heading(const struct spec *s, FILE *f)
{
    for (size_t i = 0; i < s->n_fields; i++)
        fprintf(f, "\"%s\",", s->fields[i].name);
    fputs("\"line\"", f);
    for (size_t i = 0; i < s->n_params; i++)
        fprintf(f, ",\"%s\"", s->params[i].name);
    fputs("\n", f);
}

static void add_problem(const struct spec *s, const int32_t *problem, long line, struct buf *b)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].n_tokens != 0)
            buf_printf(b, "\"%s\",", s->fields[i].tokens[problem[i]]);
        else
            buf_printf(b, "%ld,", (long)problem[i]);
    buf_printf(b, "%ld", line);
}

/* How many there are */
static size_t write_problem(struct listing *l, const int32_t *problem, long line, FILE *f)
{
    const struct spec *s = l->model->spec;
    struct tuples all;
    struct buf start = {0};
    tuples_open(&all, &l->model->m, problem, &l->most);
    add_problem(s, problem, line, &start);
    l->text.n = 0;
    for (size_t i = 0; i < all.n; i++) {
        buf_add(&l->text, start.s, start.n);
        for (size_t p = 0; p < s->n_params; p++)
            buf_puts(&l->text, l->value[p][all.value[i * s->n_params + p]]);
        buf_puts(&l->text, "\n");
    }
    fwrite(l->text.s, 1, l->text.n, f);
    l->drawn += all.kind != TUPLES_ALL;
    const size_t n = all.n;
    tuples_close(&all);
    buf_free(&start);
    return n;
}

static int write_problems(const struct options *o, struct listing *l, struct problems *p, FILE *f)
{
    const size_t n_fields = p->n_fields, room = p->n + (size_t)o->made_up;
    const struct unseen none = {0};
    p->v = xrealloc(p->v, room, n_fields * sizeof *p->v);
    const size_t n =
        p->n + make_up_problems(l->model, &none, p->v, p->n, (size_t)o->made_up, (uint64_t)o->seed);
    for (size_t i = 0; i < n; i++) {
        const long line = i < p->n ? p->line[i] : (long)p->n - (long)i - 1;
        if (write_problem(l, p->v + i * n_fields, line, f) == 0 && i < p->n)
            return fail("%s:%ld: no tuple is legal for this problem", o->problems, line);
    }
    if (l->drawn > 0)
        note("%zu %s more than %ld legal tuples: as many are drawn", l->drawn,
             as_counted(l->drawn, "problem has", "problems have"), o->most);
    return 0;
}

static int tuples_run(const struct options *o, const struct model *model)
{
    const struct output to = {"-o", o->output};
    struct listing l = {.model = model, .most = {(size_t)o->most, (size_t)o->most}};
    struct problems p;
    struct outfile out;
    if (outputs_check_input(&to, 1, "SPEC", o->spec) != 0
        || outputs_check_input(&to, 1, "--problems", o->problems) != 0
        || problems_read(o->problems, model->spec, 0, &p) != 0)
        return -1;
    int rc = out_open_kept(&out, o->output, o->force);
    if (rc == 0) {
        open_listing(&l);
        write_heading(model->spec, out.f);
        rc = write_problems(o, &l, &p, out.f);
        close_listing(&l);
        rc = out_end(&out, rc != 0);
    }
    problems_free(&p);
    return rc;
}

int cmd_tuples(int argc, char **argv)
{
    struct options o = {.most = 16384, .seed = 1};
    struct model model = {0};
    struct spec spec;
    const struct opt table[] = {
        OPT_SAYS("Writes the legal tuples of problems as CSV, for Python's kpred.judge: one column "
                 "per field of the spec, the line of the problem, and one column per parameter. "
                 "Names stand in quotes. A problem without a legal tuple is an error."),
        OPT(TEXT, "SPEC", &o.spec, SPEC_OPERAND),
        OPT(TEXT, "--problems FILE.csv", &o.problems, "the problems, a column for each field"),
        OPT_RANGE(COUNT, "[--made-up N]", &o.made_up, 0, 100000,
                  "up to N problems more, made up between those, 12 of each at most: their lines "
                  "are -1, -2, ..."),
        OPT_RANGE(COUNT, "[--most N]", &o.most, 1, 1 << 20,
                  "of a problem with more legal tuples N are drawn, the same ones each time"),
        OPT_RANGE(COUNT, "[--seed N]", &o.seed, 0, INT32_MAX, "of the problems that are made up"),
        OUTPUT_OPTIONS("FILE.csv", &o.output, &o.force),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0 && outputs_check_force(o.force, o.output) != 0)
        status = 2;
    if (status >= 0)
        return status;
    if (spec_load(&spec, o.spec) != 0)
        return EXIT_FAILURE;
    int rc = spec_is_listed(&spec)
                 ? fail("%s: rule = listed: the legal tuples are those of a table", o.spec)
             : default_features_give(&spec, NULL) != 0 ? -1
                                                       : model_from_spec(&model, &spec, "none");
    if (rc == 0)
        rc = tuples_run(&o, &model);
    model_free(&model);
    spec_free(&spec);
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
