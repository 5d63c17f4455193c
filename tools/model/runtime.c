/* runtime.c - kpred.h, the built-in models, and what needs their insides; the id of format 2
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#define HEADER_NAMES
#include "runtime.h"

#include "kpred_constraints.h"
#include "models.h" /* generated: every weights/NAME.h, and header_names */

#include <string.h>

void runtime_features(const kpred_instr *program, size_t n_instr, const int32_t *problem,
                      size_t n_fields, uint8_t *features, size_t n_features, int32_t *registers)
{
    const kpred_additive net = {.program = program, .n_instr = (uint16_t)n_instr};
    int16_t x[KPRED_MAX_WIDTH];
    memcpy(registers, problem, n_fields * sizeof *registers);
    kpri_features(&net, n_fields, n_features, registers, x);
    for (size_t i = 0; i < n_features; i++)
        features[i] = (uint8_t)x[i];
}

uint64_t runtime_net_id(const kpred_model *m)
{
    uint64_t h = 0;
    kpri_hash_additive(&h, m);
    return h;
}

int runtime_listed(const kpred_param *params, const uint8_t *bits, const int32_t *values, size_t n)
{
    return kpri_listed(params, bits, values, n);
}

int runtime_named(const kpred_names *k, const kpred_param *params,
                  int (*condition)(const int32_t *problem, const int32_t *values),
                  const int32_t *problem, const int32_t *values, size_t n)
{
    return kpri_named(k, params, condition, problem, values, n);
}

const char *runtime_header_name(const char *name, int is_start)
{
    const size_t whole = strlen(name) + 1;
    for (const char *const *of = header_names; *of; of++) {
        const size_t n = strlen(*of);
        const int is_pasted = (*of)[n - 1] == '_'; /* what follows comes by ## */
        if ((is_pasted && !strncmp(name, *of, n)) || !strncmp(name, *of, whole - (is_start != 0)))
            return *of;
    }
    return NULL;
}

/* ---- the id of format 2: what kpred_model_id covers today, byte by byte ---- */

static void add_byte(uint64_t *h, unsigned byte)
{
    *h = (*h ^ byte) * UINT64_C(0x100000001b3); /* FNV-1a */
}

static void add_bytes(uint64_t *h, const int8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_byte(h, (uint8_t)p[i]);
}

static void add_int(uint64_t *h, int32_t x)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        add_byte(h, (uint32_t)x >> shift & 255);
}

static void add_ints(uint64_t *h, const int32_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_int(h, p[i]);
}

static void add_text(uint64_t *h, const char *text)
{
    do
        add_byte(h, (uint8_t)*text);
    while (*text++ != 0);
}

static void add_names(uint64_t *h, const char *const *names, int32_t n)
{
    for (int32_t i = 0; names != NULL && i < n; i++)
        add_text(h, names[i]);
}

static void add_field(uint64_t *h, const kpred_field *f)
{
    add_text(h, f->name);
    add_int(h, f->n_tokens);
    add_names(h, f->tokens, f->n_tokens);
    add_ints(h, (const int32_t[]){f->least, f->most, f->trained_min, f->trained_max}, 4);
}

static void add_param(uint64_t *h, const kpred_param *p)
{
    add_text(h, p->name);
    add_int(h, p->n_values);
    add_ints(h, p->values, (size_t)p->n_values);
    add_names(h, p->names, p->n_values);
}

static void add_layer(uint64_t *h, const kpred_layer *l)
{
    add_ints(h, (const int32_t[]){l->rows, l->cols, l->shift}, 3);
    add_bytes(h, l->weight, (size_t)l->rows * l->cols);
    add_ints(h, l->bias, l->rows);
}

static void add_head(uint64_t *h, const kpred_head *head, size_t embeddings, size_t rows,
                     size_t hidden)
{
    add_ints(h, (const int32_t[]){head->embedding_shift, head->hidden_shift, head->logit_shift}, 3);
    add_bytes(h, head->embedding, embeddings * hidden);
    add_bytes(h, head->weight, rows * hidden);
    add_ints(h, head->bias, rows);
}

static void add_net(uint64_t *h, const kpred_model *m)
{
    const kpred_additive *net = m->net;
    size_t embeddings = 0;
    for (const kpred_instr *in = net->program; in < net->program + net->n_instr; in++)
        add_ints(h, (const int32_t[]){in->op, in->a, in->b, in->n, in->k}, 5);
    add_int(h, net->hidden);
    for (size_t i = 0; i < 3; i++)
        add_layer(h, net->layer + i);
    for (uint32_t t = 0; t < m->n_params; t++) {
        const size_t n = (size_t)m->params[t].n_values;
        if (net->heads[t].weight == NULL)
            continue;
        add_head(h, net->heads + t, embeddings, (n + 3) & ~(size_t)3, net->hidden);
        embeddings += n;
    }
}

uint64_t format2_id(const kpred_model *m)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    add_int(&h, 2);
    add_text(&h, m->name);
    add_text(&h, m->kernel);
    add_text(&h, m->split);
    add_text(&h, m->rule_name);
    add_ints(&h,
             (const int32_t[]){(int32_t)m->work_words, (int32_t)m->state_words, (int32_t)m->scale},
             3);
    for (const char *const *arch = m->runs_on; arch != NULL && *arch != NULL; arch++)
        add_text(&h, *arch);
    for (uint32_t f = 0; f < m->n_fields; f++)
        add_field(&h, m->fields + f);
    for (uint32_t t = 0; t < m->n_params; t++)
        add_param(&h, m->params + t);
    add_net(&h, m);
    return h;
}
