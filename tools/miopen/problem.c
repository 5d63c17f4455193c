/* problem.c - see problem.h
   SPDX-License-Identifier: MIT */
#include "problem.h"

#include <inttypes.h>
#include <string.h>

static enum reason_kind set_token(const struct model *model, int f, const char *name,
                                  int32_t *problem, struct reason *why)
{
    if (f < 0)
        return REASON_NONE;
    problem[f] = kpred_token(&model->m, (size_t)f, name);
    return problem[f] < 0 ? reason_no_token(why, &model->m.fields[f], name) : REASON_NONE;
}

/* The direction is asked before all else, whatever the sizes. */
static enum reason_kind set_direction(const struct model *model, int f, char dir, int32_t *problem,
                                      struct reason *why)
{
    const char name[] = {dir, '\0'};
    for (size_t i = 0; i < model->m.n_fields; i++)
        problem[i] = model->m.fields[i].least;
    if (set_token(model, f, name, problem, why) != REASON_NONE)
        return REASON_DIR;
    return reason_find(model, problem, why) == REASON_DIR ? REASON_DIR : REASON_NONE;
}

static enum reason_kind wrong_size(struct reason *why, const char *name, int64_t value,
                                   int32_t least, int32_t most)
{
    char is[24], need[64];
    snprintf(is, sizeof is, "%" PRId64, value);
    snprintf(need, sizeof need, "%" PRId32 " to %" PRId32, least, most);
    return reason_set(why, reason_kind_of(name), name, is, need);
}

/* Pads may make an image that is larger than any key can say. */
static enum reason_kind check_outputs(const struct conv *conv, struct reason *why)
{
    static const char *const names[] = {"out_d", "out_h", "out_w"};
    for (size_t i = 0; i < 3; i++)
        if (conv->out[i] > KPRED_MAX_SIZE)
            return wrong_size(why, names[i], conv->out[i], 1, KPRED_MAX_SIZE);
    return REASON_NONE;
}

static enum reason_kind set_sizes(const struct model *model, const int field[CONV_N_SOURCES],
                                  const struct conv *conv, int32_t *problem, struct reason *why)
{
    int64_t value[KPRED_MAX_FIELDS] = {0};
    conv_put_sizes(field, conv, value);
    for (size_t i = 0; i < model->m.n_fields; i++) {
        const kpred_field *f = &model->m.fields[i];
        if (f->tokens != NULL)
            continue;
        problem[i] = (int32_t)value[i];
        if (value[i] < f->least || value[i] > f->most)
            return wrong_size(why, f->name, value[i], f->least, f->most);
    }
    return check_outputs(conv, why);
}

enum reason_kind problem_of_conv(const struct model *model, const int field[CONV_N_SOURCES],
                                 const struct conv *conv, int32_t *problem, struct reason *why)
{
    enum reason_kind kind = set_direction(model, field[CONV_DIR], conv->dir, problem, why);
    if (kind == REASON_NONE)
        kind = conv_find_gap(model->spec, field, conv, why);
    if (kind == REASON_NONE)
        kind = set_token(model, field[CONV_LAYOUT], conv_layout(conv), problem, why);
    if (kind == REASON_NONE)
        kind = set_token(model, field[CONV_DTYPE], conv->dtype, problem, why);
    if (kind == REASON_NONE)
        kind = set_sizes(model, field, conv, problem, why);
    return kind;
}
