/* target.c - see target.h
   SPDX-License-Identifier: MIT */
#include "target.h"

#include "model/products.h"
#include "model/registry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* AITER's builds are for these unless CU_NUM says otherwise. */
static const struct {
    const char *gfx;
    int cu_num;
} usual[] = {{"gfx942", 304}, {"gfx950", 256}, {"gfx1250", 256}};

static const kpred_model *model_of(enum family_id family)
{
    for (const struct builtin *b = builtins; b->model != NULL; b++)
        if (families[family].model != NULL && strcmp(b->model->name, families[family].model) == 0)
            return b->model;
    return NULL;
}

static const kpred_field *gpu_field(const kpred_model *m)
{
    const int32_t f = m != NULL ? kpred_field_index(m, "gpu") : -1;
    return f >= 0 ? &m->fields[f] : NULL;
}

const char *target_known(enum family_id family, struct buf *b)
{
    const kpred_field *f = gpu_field(model_of(family));
    buf_puts(b, "");
    for (int32_t i = 0; f != NULL && i < f->n_tokens; i++)
        buf_printf(b, "%s%s", b->n != 0 ? " " : "", f->tokens[i]);
    return b->s;
}

static int unknown(const char *gpu, const struct target *t)
{
    struct buf list = {NULL, 0, 0}, value = {NULL, 0, 0};
    for (int i = 0; i < N_FAMILIES; i++) {
        struct buf known = {NULL, 0, 0};
        if (*target_known((enum family_id)i, &known) != '\0')
            buf_printf(&list, "%s%s: %s", list.n != 0 ? "; " : "", families[i].name, known.s);
        buf_free(&known);
    }
    buf_printf(&value, "\"%s\"", gpu);
    if (strcmp(t->token, gpu) != 0)
        buf_printf(&value, ", which is %s", t->token);
    fail("--gpu: value %s: no model of AITER's kernels knows it (%s)", value.s,
         list.n != 0 ? list.s : "none is built in");
    buf_free(&value);
    buf_free(&list);
    return -1;
}

/* The name of AMD's for the GPU that a text names; NULL with a message */
static const char *name_of(const char *text, struct buf *b)
{
    const char *name = gpu_name(text, b);
    return gpu_is_gfx(name) ? name : gpu_asked("--gpu", text, b);
}

static int usual_units(const char *arch)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(arch, usual[i].gfx) == 0)
            return usual[i].cu_num;
    return 0;
}

static int parse(struct target *t, const char *text)
{
    struct buf b = {NULL, 0, 0};
    const char *name = name_of(text, &b);
    const struct gpu gpu = gpu_parse(name != NULL ? name : "");
    buf_free(&b);
    if (name == NULL)
        return -1;
    snprintf(t->gfx, sizeof t->gfx, "%s", gpu.arch);
    t->cu_num = gpu.units != 0 ? gpu.units : usual_units(gpu.arch);
    snprintf(t->token, sizeof t->token, t->cu_num != 0 ? "%s_%d" : "%s", gpu.arch, t->cu_num);
    if (gpu.units == 0 && t->cu_num != 0)
        note("%s: taken as %s, which AITER builds for unless CU_NUM is set", text, t->token);
    else if (strcmp(text, t->token) != 0)
        note("%s is %s", text, t->token);
    return 0;
}

int target_find(struct target *t, const char *gpu)
{
    int n = 0;
    memset(t, 0, sizeof *t);
    if (parse(t, gpu) != 0)
        return -1;
    for (int i = 0; i < N_FAMILIES; i++) {
        const kpred_model *m = model_of((enum family_id)i);
        const int32_t field = m != NULL ? kpred_field_index(m, "gpu") : -1;
        if (field >= 0 && m->names != NULL && kpred_token(m, (size_t)field, t->token) >= 0) {
            t->model[i] = m;
            n++;
        }
    }
    return n != 0 ? 0 : unknown(gpu, t);
}

const char *target_gfx_of_units(int64_t cu_num)
{
    return cu_num == 256 ? "gfx950" : cu_num == 80 || cu_num == 304 ? "gfx942" : "";
}
