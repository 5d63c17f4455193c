/* specs.h - a spec, and a model of one, from a text; they stay until the program ends
   SPDX-License-Identifier: MIT */
#pragma once

#include "harness/program.h"
#include "model/model.h"

static inline struct spec *spec_of(const char *text)
{
    struct spec *s = new_memory(1, sizeof *s);
    if (spec_parse(s, text, "toy.spec") != 0)
        program_stop(text);
    return s;
}

static inline struct model *model_of(const char *text, const char *split)
{
    struct model *m = new_memory(1, sizeof *m);
    if (model_from_spec(m, spec_of(text), split) != 0)
        program_stop(text);
    return m;
}

/* Those of kpred: of the models that ship, and of the recipes */
static inline void each_spec(void (*see)(const char *path))
{
    FILE *specs = popen(". tests/harness/script.inc; model_specs; ls weights/recipes/*.spec", "r");
    char path[200];
    while (fgets(path, sizeof path, specs) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        see(path);
    }
    pclose(specs);
}
