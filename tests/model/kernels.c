/* kernels.c - names of kernels in the built-in models: from a tuple to a name, and back
   SPDX-License-Identifier: MIT

   usage: kernels, for test_kernels.steps
          kernels legal, for kernels.py: reads lines "MODEL GPU M N K", and prints a line for
          each legal tuple: that line, the kernel's name, its number for that GPU, the split */
#include "harness/test.h"

#include "model/model.h"

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
    for (size_t i = 0; i < COUNT(none); i++) {
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

/* ---- the legal tuples of problems ---- */

/* The splits of one kernel */
static void print_splits(const kpred_model *m, const char *line, const int32_t *problem,
                         int32_t *values, int32_t kernel)
{
    const kpred_param *split = &m->params[0];
    for (int32_t s = 0; s < split->n_values; s++) {
        values[0] = split->values[s];
        if (kpred_legal(m, problem, values))
            printf("%s %s %d %d\n", line, kpred_kernel_name(m, kernel),
                   (int)kpred_kernel_id(m, kernel, problem), (int)values[0]);
    }
}

static void print_legal(const kpred_model *m, const char *line, const char *gpu, const long size[3])
{
    int32_t values[KPRED_MAX_TUPLE];
    const int32_t problem[KPRED_MAX_FIELDS] = {kpred_token(m, 0, gpu), (int32_t)size[0],
                                               (int32_t)size[1], (int32_t)size[2]};
    for (int32_t i = 0; problem[0] >= 0 && i < (int32_t)m->names->n; i++) {
        kpred_kernel_values(m, i, values);
        print_splits(m, line, problem, values, i);
    }
}

/* All lines are of one model. */
static int print_all(void)
{
    char line[256], name[64], gpu[32];
    long size[3];
    struct model model;
    int bad = 0, is_open = 0;
    while (!bad && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        bad = sscanf(line, "%63s %31s %ld %ld %ld", name, gpu, &size[0], &size[1], &size[2]) != 5;
        if (!bad && !is_open)
            is_open = !(bad = model_open(name, &model) != 0);
        if (!bad)
            print_legal(&model.m, line, gpu, size);
    }
    if (is_open)
        model_free(&model);
    return bad;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return print_all();
    test_run("names there and back", names);
    return test_end();
}
