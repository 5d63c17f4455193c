/* test_kernels.c - names of kernels in the built-in models: from a tuple to a name, and back
   SPDX-License-Identifier: MIT */
#include "kpred.h"

#include "harness/test.h"
#include "model/registry.h"

#include <string.h>

static void check_there_and_back(const kpred_model *m)
{
    const kpred_names *k = m->names;
    int32_t values[KPRED_MAX_TUPLE] = {0};
    for (int32_t i = 0; i < (int32_t)k->n; i++) {
        const char *name = kpred_kernel_name(m, i);
        CHECK(name != NULL && kpred_kernel_named(m, name) == i);
        CHECK(kpred_kernel_values(m, i, values) && kpred_kernel_of(m, values) == i);
    }
}

/* Some GPU has each kernel, and each number is that of the spec's line. */
static void check_ids(const kpred_model *m)
{
    const kpred_names *k = m->names;
    for (int32_t i = 0; i < (int32_t)k->n; i++) {
        int32_t problem[KPRED_MAX_FIELDS] = {0}, most = -1;
        for (uint32_t t = 0; t < k->n_ids; t++) {
            problem[k->id_field] = (int32_t)t;
            const int32_t id = kpred_kernel_id(m, i, problem);
            CHECK(id == k->ids[(uint32_t)i * k->n_ids + t]);
            most = id > most ? id : most;
        }
        CHECK(most >= 0);
    }
}

static void check_strangers(const kpred_model *m)
{
    int32_t values[KPRED_MAX_TUPLE], problem[KPRED_MAX_FIELDS] = {0};
    for (size_t i = 0; i < KPRED_MAX_TUPLE; i++)
        values[i] = 77;
    CHECK(kpred_kernel_of(m, values) == -1);
    CHECK(kpred_kernel_named(m, "no_such_kernel") == -1 && kpred_kernel_named(m, "") == -1);
    const int32_t none[] = {-1, INT32_MIN, INT32_MAX, m->names ? (int32_t)m->names->n : 0};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK(kpred_kernel_name(m, none[i]) == NULL);
        CHECK(kpred_kernel_id(m, none[i], problem) == -1);
        CHECK(!kpred_kernel_values(m, none[i], values) && values[0] == 77);
    }
}

static void check_model(const kpred_model *m)
{
    check_strangers(m);
    if (m->names == NULL)
        return;
    check_there_and_back(m);
    check_ids(m);
}

static void names(void)
{
    int any = 0;
    for (size_t i = 0; builtins[i].model != NULL; i++) {
        check_model(builtins[i].model);
        any |= builtins[i].model->names != NULL;
    }
    CHECK(any);
}

int main(void)
{
    RUN(names);
    return test_end();
}
