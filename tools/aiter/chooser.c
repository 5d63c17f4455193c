/* chooser.c - see chooser.h
   SPDX-License-Identifier: MIT */
#include "chooser.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum { WIDER = 4 };

static int find_fields(struct chooser *p, const struct target *t)
{
    static const char *const names[] = {"gpu", "m", "n", "k"};
    for (size_t i = 0; i < 4; i++) {
        p->field[i] = kpred_field_index(p->model, names[i]);
        if (p->field[i] < 0 || p->model->n_fields != 4)
            return fail("%s: its fields are not gpu, m, n and k", p->model->name);
    }
    p->gpu = kpred_token(p->model, (size_t)p->field[0], t->token);
    return 0;
}

static int find_params(struct chooser *p)
{
    const kpred_model *m = p->model;
    p->library = p->split = m->n_params;
    for (uint32_t i = 0; i < m->n_params; i++) {
        if (strcmp(m->params[i].name, "library") == 0 && m->params[i].names != NULL)
            p->library = i;
        if (strcmp(m->params[i].name, "split") == 0)
            p->split = i;
    }
    if (p->library == m->n_params || p->split == m->n_params)
        return fail("%s: it has no parameters library and split", m->name);
    return 0;
}

static kpred_status open_beam(struct chooser *p, size_t width)
{
    struct chooser_beam *b = &p->beam[p->n_open++];
    const size_t words = kpred_arena_words(p->model, width);
    b->width = width;
    b->arena = xcalloc(words, sizeof *b->arena);
    p->tuples = xrealloc(p->tuples, width, sizeof *p->tuples);
    return kpred_init(&b->ctx, KPRED_VERSION, p->model, width, b->arena, words);
}

int chooser_open(struct chooser *p, const struct target *t, enum family_id family,
                 const unsigned char *may_run, size_t beam)
{
    memset(p, 0, sizeof *p);
    p->model = t->model[family];
    p->may_run = may_run;
    if (find_fields(p, t) != 0 || find_params(p) != 0)
        return -1;
    const kpred_status status = open_beam(p, beam);
    return status == KPRED_OK ? 0 : fail("%s: %s", p->model->name, kpred_status_string(status));
}

/* Those of n tuples that may run, at most `most` */
static size_t choose(const struct chooser *p, const int32_t problem[4], size_t n, size_t most,
                     struct prediction *out)
{
    const kpred_model *m = p->model;
    size_t found = 0;
    for (size_t i = 0; i < n && found < most; i++) {
        const int32_t *values = p->tuples[i].value, kernel = kpred_kernel_of(m, values);
        if (kernel < 0 || !p->may_run[kernel])
            continue;
        out[found].kernel = kpred_kernel_name(m, kernel);
        out[found].id = kpred_kernel_id(m, kernel, problem);
        out[found].library = m->params[p->library].names[values[p->library]];
        out[found].split = values[p->split];
        out[found++].score = p->tuples[i].score;
    }
    return found;
}

static size_t wider(size_t width)
{
    return width * WIDER < KPRED_MAX_BEAM ? width * WIDER : KPRED_MAX_BEAM;
}

size_t chooser_run(struct chooser *p, int32_t m, int32_t n, int32_t k, size_t most,
                   struct prediction *out, kpred_status *status)
{
    int32_t problem[4];
    const int32_t values[4] = {p->gpu, m, n, k};
    size_t found = 0, width = 0;
    for (size_t i = 0; i < 4; i++)
        problem[p->field[i]] = values[i];
    *status = KPRED_OK;
    for (size_t i = 0; width < KPRED_MAX_BEAM && found < most; i++) {
        size_t got = 0;
        if (i == p->n_open)
            *status = open_beam(p, wider(width));
        if (*status != KPRED_OK)
            return 0;
        width = p->beam[i].width;
        *status = kpred_predict(&p->beam[i].ctx, problem, 4, p->tuples, width, &got);
        if (*status != KPRED_OK)
            return 0;
        found = choose(p, problem, got, most, out);
    }
    return found;
}

void chooser_close(struct chooser *p)
{
    for (size_t i = 0; i < p->n_open; i++)
        free(p->beam[i].arena);
    free(p->tuples);
    memset(p, 0, sizeof *p);
}
