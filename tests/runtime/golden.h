/* golden.h - the problems of tests/fixtures/golden.csv: a model, then the fields of a real problem
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/shipped.h"

#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/fixtures/golden.csv"

enum { GOLDEN_LINE = 512 }; /* at most */

#define MODEL(name, NAME) &kpred_model_##name,
static const kpred_model *const golden_models[] = {SHIPPED(MODEL)};
#undef MODEL

/* For SHIPPED: a test that has a model's name and calls check_model(), and the run of it */
#define GOLDEN_TEST(name, NAME)           \
    static void name(void)                \
    {                                     \
        check_model(&kpred_model_##name); \
    }
#define GOLDEN_RUN(name, NAME) RUN(name);

/* The model that a line begins with, or NULL */
static inline const kpred_model *golden_model(const char *line)
{
    const size_t n = strcspn(line, ",");
    for (size_t i = 0; i < sizeof golden_models / sizeof *golden_models; i++)
        if (strlen(golden_models[i]->name) == n && !strncmp(golden_models[i]->name, line, n))
            return golden_models[i];
    return NULL;
}

/* Fields from text that ends with a comma; 0 if it is not as the model wants it. */
static inline int golden_problem(const kpred_model *m, const char *text, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const size_t n = strcspn(text, " ,");
        char word[64];
        if (n == 0 || n >= sizeof word || (text[n] == ',') != (f + 1 == m->n_fields))
            return 0;
        memcpy(word, text, n);
        word[n] = 0;
        problem[f] = m->fields[f].tokens ? kpred_token(m, f, word) : (int32_t)atol(word);
        text += n + 1;
    }
    return 1;
}
