/* signature.c - prints the signature of every shipped model, as signature.h computes it
   SPDX-License-Identifier: MIT

       cc -std=c99 -I. tests/signature.c -o signature && ./signature [BODY]

   Prints `NAME hash` for each model, 16 hex digits. BODY is one of the bodies of the network, as
   kpred_body_name calls it. */
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

int main(int argc, char **argv)
{
    const int body = argc > 1 ? body_of(argv[1]) : -1;
    for (int i = 0; i < N_MODELS; i++) {
        uint64_t hash;
        if (!signature_of(models[i], body, &hash)) {
            fprintf(stderr, "%s cannot be run\n", models[i]->name);
            return 1;
        }
        printf("%s %016" PRIx64 "\n", models[i]->name, hash);
    }
    return fflush(stdout) || ferror(stdout);
}
