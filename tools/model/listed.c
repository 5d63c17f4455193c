/* listed.c - see listed.h
   SPDX-License-Identifier: MIT */
#include "listed.h"

#include <string.h>

#define PREFIX "listed_" /* of the rule's name */

enum { MAX_BITS = 1 << 21 };

/* ---- a rule for each model that is open ---- */

#define SLOTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define COUNT(i) +1
enum { N_SLOTS = SLOTS(COUNT) };

static const struct model *open_models[N_SLOTS];

static int accepts(const struct model *model, const int32_t *values, size_t n)
{
    return listed_accepts(model->params, model->listed, values, n);
}

#define RULE(i)                                                                 \
    static int rule##i(const int32_t *problem, const int32_t *values, size_t n) \
    {                                                                           \
        (void)problem;                                                          \
        return accepts(open_models[i], values, n);                              \
    }
SLOTS(RULE)

#define RULE_NAME(i) rule##i,
static const kpred_rule rules[] = {SLOTS(RULE_NAME)};

/* ---- the bits ---- */

/* Bytes for a bit for each prefix, of any length; 0: too many. */
static size_t count_bytes(const kpred_model *m)
{
    size_t size = 1, all = 1;
    uint32_t t;
    for (t = 0; t < m->n_params && all <= MAX_BITS; t++) {
        size *= (size_t)m->params[t].n_values;
        all += size;
    }
    return all <= MAX_BITS ? (all + 7) / 8 : 0;
}

size_t listed_bytes(const kpred_model *m)
{
    return strncmp(m->rule_name, PREFIX, strlen(PREFIX)) == 0 ? count_bytes(m) : 0;
}

int listed_open(struct model *model)
{
    size_t i = 0;
    model->n_listed = count_bytes(&model->m);
    if (!model->n_listed)
        return fail("%s: rule listed: the parameters have more than %d prefixes of values",
                    model->spec->path, MAX_BITS);
    while (i < N_SLOTS && open_models[i])
        i++;
    if (i == N_SLOTS)
        return fail("%s: rule listed: at most %d such models at a time", model->spec->path,
                    N_SLOTS);
    open_models[i] = model;
    model->listed = model_array(model, model->n_listed, 1);
    model->m.rule = rules[i];
    listed_name(model);
    return 0;
}

void listed_close(struct model *model)
{
    size_t i;
    for (i = 0; i < N_SLOTS; i++)
        if (open_models[i] == model)
            open_models[i] = NULL;
}

/* Every prefix of a tuple, the empty one and the tuple itself included */
static void set_bits(struct model *model, const unsigned char *target)
{
    size_t t, first = 0, size = 1, at = 0;
    for (t = 0;; t++) {
        unsigned char *byte = &model->listed[(first + at) / 8];
        *byte = (unsigned char)(*byte | 1 << (first + at) % 8);
        if (t == model->m.n_params)
            return;
        first += size;
        size *= (size_t)model->params[t].n_values;
        at = at * (size_t)model->params[t].n_values + target[t];
    }
}

int listed_take(struct model *model, const struct dataset *d)
{
    size_t i;
    for (i = 0; i < d->n; i++)
        if (data_is_known(d, i))
            set_bits(model, d->target + i * d->n_params);
    listed_name(model);
    return model->listed[0] & 1
               ? 0
               : fail("%s: rule listed: the data have no tuple of the spec", model->m.name);
}

void listed_name(struct model *model)
{
    char hex[65];
    sha256_hex(model->listed, model->n_listed, hex);
    snprintf(model->rule_name, sizeof model->rule_name, PREFIX "%.16s", hex);
    model->m.rule_name = model->rule_name;
}
