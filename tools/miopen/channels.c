/* channels.c - which way round the channels stand in the backward keys of a text perf-db
   SPDX-License-Identifier: MIT

   A key of a backward direction begins with the image that the forward convolution writes, and with
   its channels. Some old files have that image's size there, but the channels of the other. A key
   does not show it, the optima do: read the wrong way round, some are illegal. A whole file is one
   or the other, so all kernels whose rules are known decide together, whichever is wanted: there
   are kernels whose rules hardly look at channels. */
#include "data/load.h"

#include "kpred_constraints.h"
#include "witnesses.h" /* generated: WITNESSES(X), of the shipped specs */

#include <stdlib.h>
#include <string.h>

#define WITNESS(...) {__VA_ARGS__},
/* The rules' problems have the fields in the order of conv_source. */
static const struct judge {
    const char *solver;
    kpred_rule rule;
    size_t n_fields, n_params;
    int32_t filter, pad;
} judges[] = {WITNESSES(WITNESS){.solver = NULL}};

struct evidence {
    struct spec *covered;      /* of it only what conv_find_gap asks */
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
static size_t read_values(const char *p, int32_t values[KPRED_MAX_PARAMS])
{
    for (size_t n = 0; n < KPRED_MAX_PARAMS; p++) {
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

static int dtype_token(const char *name)
{
#define SPELLING(enumerator, spelling) spelling,
    static const char *const names[] = {KPRED_DTYPE_LIST(SPELLING)};
#undef SPELLING
    int i = KPRED_DTYPE_COUNT - 1;
    while (i >= 0 && strcmp(names[i], name) != 0)
        i--;
    return i;
}

/* The problem as the judge's rule takes it: 0, or -1 if it is none of that kernel's. */
static int make_problem(const struct evidence *e, const struct judge *j, const struct conv *conv,
                        int32_t problem[CONV_N_SOURCES])
{
    int field[CONV_N_SOURCES];
    int64_t value[CONV_N_SOURCES] = {
        [CONV_GPU] = KPRED_GPU_GFX906_60, /* where most is legal */
        [CONV_DIR] = conv->dir == 'B' ? KPRED_DIR_B : KPRED_DIR_W,
        [CONV_DTYPE] = dtype_token(conv->dtype),
    };
    struct conv_gap gap;
    for (size_t i = 0; i < CONV_N_SOURCES; i++)
        field[i] = i < j->n_fields ? (int)i : -1;
    e->covered->filter_h = e->covered->filter_w = j->filter;
    e->covered->pad = j->pad;
    if (value[CONV_DTYPE] < 0 || conv_find_gap(e->covered, field, conv, &gap) != GAP_NONE)
        return -1;
    conv_put_sizes(field, conv, value);
    for (size_t i = 0; i < CONV_N_SOURCES; i++)
        problem[i] = (int32_t)value[i];
    return 0;
}

/* Which readings of the row are legal? */
static void ask(struct evidence *e, const struct judge *j, const struct conv *conv,
                const char *list)
{
    const kpred_model model = {.rule = j->rule, .n_params = (uint32_t)j->n_params};
    int32_t problem[CONV_N_SOURCES], values[KPRED_MAX_PARAMS];
    if (read_values(list, values) != j->n_params || make_problem(e, j, conv, problem) != 0)
        return;
    const int as_read = kpred_legal(&model, problem, values);
    problem[CONV_C] = (int32_t)conv->k;
    problem[CONV_K] = (int32_t)conv->c;
    const int exchanged = kpred_legal(&model, problem, values);
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
    for (const struct judge *j = judges; j->solver != NULL; j++) {
        const char *values = find_values(equals + 1, j->solver);
        if (values != NULL)
            ask(e, j, &conv, values);
    }
}

int channels_are_exchanged(const char *path, const char *text)
{
    struct evidence e = {.covered = xcalloc(1, sizeof *e.covered)};
    char *copy = xstrdup(text), *at = copy, *line;
    while ((line = next_line(&at)) != NULL)
        ask_all(&e, line);
    free(copy);
    free(e.covered);
    if (e.exchanged <= e.as_read)
        return 0;
    note("%s: c and k of backward keys are exchanged: %zu of its optima are legal only so, %zu "
         "only as they stand",
         path, e.exchanged, e.as_read);
    return 1;
}
