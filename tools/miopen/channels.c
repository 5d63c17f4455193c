/* channels.c - which way round the channels stand in the backward keys of a text perf-db
   SPDX-License-Identifier: MIT

   A key of a backward direction begins with the image that the forward convolution writes, and with
   its channels. Some old files have that image's size there, but the channels of the other. A key
   does not show it, the optima do: read the wrong way round, some are illegal. A whole file is one
   or the other, so all built-in kernels of one filter decide together, whichever is wanted: there
   are kernels whose rules hardly look at channels. */
#include "miopen_rows.h"

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* A built-in model whose spec holds the filter to one size, and which is so a kernel's own. */
struct witness {
    struct model model;
    int field[CONV_N_SOURCES];
};

struct evidence {
    size_t n;
    struct witness **witnesses;
    size_t as_read, exchanged; /* optima that are legal only so */
};

static void close_witness(struct witness *w)
{
    model_free(&w->model);
    free(w);
}

/* 0, or -1 with a message; end_evidence in both cases */
static int begin_evidence(struct evidence *e)
{
    size_t n = 0;
    memset(e, 0, sizeof *e);
    while (builtins[n].model != NULL)
        n++;
    e->witnesses = xcalloc(n + 1, sizeof(struct witness *));
    for (const struct builtin *b = builtins; b->model != NULL; b++) {
        struct witness *w = e->witnesses[e->n] = xcalloc(1, sizeof *w);
        const int rc = model_open(b->model->name, &w->model);
        e->n++;
        if (rc != 0)
            return -1;
        if (w->model.spec->format != SPEC_MIOPEN || w->model.spec->filter_h == 0)
            close_witness(e->witnesses[--e->n]);
        else if (conv_map_fields(w->model.spec, b->model->name, w->field) != 0)
            return -1;
    }
    return 0;
}

static void end_evidence(struct evidence *e)
{
    while (e->n != 0)
        close_witness(e->witnesses[--e->n]);
    free(e->witnesses);
}

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
static void ask(struct evidence *e, const struct witness *w, const struct conv *conv,
                const char *list)
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
    for (size_t i = 0; i < e->n; i++) {
        const char *values = find_values(equals + 1, e->witnesses[i]->model.spec->solver);
        if (values != NULL)
            ask(e, e->witnesses[i], &conv, values);
    }
}

int channels_are_exchanged(const char *path, const char *text)
{
    struct evidence e;
    int rc = begin_evidence(&e);
    char *copy = xstrdup(text), *at = copy, *line;
    while (rc == 0 && (line = next_line(&at)) != NULL)
        ask_all(&e, line);
    free(copy);
    end_evidence(&e);
    if (rc == 0 && e.exchanged > e.as_read) {
        note("%s: c and k of backward keys are exchanged: %zu of its optima are legal only so, %zu "
             "only as they stand",
             path, e.exchanged, e.as_read);
        rc = 1;
    }
    return rc;
}
