/* signature.c - prints the signature of every shipped model, as signature.h computes it
   SPDX-License-Identifier: MIT

       cc -std=c99 -I. tests/signature.c -o signature && ./signature [BODY]

   Prints `NAME hash` for each model and `total hash` last, 16 hex digits each. BODY is one of the
   bodies of the network, as kpred_body_name calls it; with `total` it reads the lines of models and
   prints that line. */
#ifndef MODELS_APART /* else their definitions, and the headers', are in other files */
#define KPRED_IMPLEMENTATION
#endif
#include "model/shipped.h"

#include "signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MODEL(name, NAME) &kpred_model_##name,
static const kpred_model *const models[] = {SHIPPED(MODEL)};
#undef MODEL

enum { N_MODELS = sizeof models / sizeof *models };

/* The number of the body with that name; KPRED_BODIES if there is none */
static int body_of(const char *name)
{
    int body = 0;
    while (body < KPRED_BODIES && strcmp(kpred_body_name((kpred_body)body), name) != 0)
        body++;
    return body;
}

/* What several models predict, one after the other */
static void signature_add(uint64_t *total, uint64_t hash)
{
    add_word(total, (uint32_t)hash);
    add_word(total, (uint32_t)(hash >> 32));
}

static int print_total(uint64_t total)
{
    printf("total %016" PRIx64 "\n", total);
    return fflush(stdout) || ferror(stdout);
}

static int total_of_lines(void)
{
    uint64_t total = signature_start(), hash;
    while (scanf("%*s %" SCNx64, &hash) == 1)
        signature_add(&total, hash);
    return print_total(total);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "total") == 0)
        return total_of_lines();
    const int body = argc > 1 ? body_of(argv[1]) : -1;
    uint64_t total = signature_start();
    for (int i = 0; i < N_MODELS; i++) {
        uint64_t hash;
        if (!signature_of(models[i], body, &hash)) {
            fprintf(stderr, "%s cannot be run\n", models[i]->name);
            return 1;
        }
        printf("%s %016" PRIx64 "\n", models[i]->name, hash);
        signature_add(&total, hash);
    }
    return print_total(total);
}
