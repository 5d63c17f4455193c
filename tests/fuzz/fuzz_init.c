/* fuzz_init.c - files of tuners without a spec: kpred-train init
   SPDX-License-Identifier: MIT

   The first byte says how the file's name ends, and whether the command line says what files often
   lack. What init writes is a spec that loads. */
#include "fuzz.h"

#include "data/init.h"

/* Which columns of a table are fields, or which GPU a tuner's file is of */
static void say_more(struct survey_asked *asked, int is_csv)
{
    if (!is_csv) {
        asked->gpu = "gfx906_60";
        return;
    }
    intern_text(&asked->fields, "m");
    intern_text(&asked->fields, "n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct init in = {.asked = {.output = "own.spec", .gpu = NULL}};
    struct init_spec made;
    struct spec spec;
    if (size == 0)
        return 0;
    const char *path = fuzz_file(*data % 2 ? "own.csv" : "own.json", data + 1, size - 1);
    const struct opt_texts files = {1, &path};
    in.asked.files = &files;
    if (*data / 2 % 2)
        say_more(&in.asked, *data % 2);
    if (init_make(&in, &made) == 0) {
        FUZZ_CHECK(spec_parse(&spec, made.text.s, "own.spec") == 0);
        if (*data % 2)
            FUZZ_REACHED("a spec for CSV");
        else
            FUZZ_REACHED("a spec for JSON");
        spec_free(&spec);
    }
    init_free(&made);
    intern_free(&in.asked.fields);
    return 0;
}
