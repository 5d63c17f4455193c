/* test_relayout.c - kpred-train relayout: headers of format 2, edited specs, and what it refuses
   SPDX-License-Identifier: MIT

   tests/fixtures/second_format.h.txt was written by the kpred-train of commit 713a1f7, by
     kpred-train train tiny.spec --data tests/fixtures/tiny.csv --split none -o tiny.h
   where tiny.spec is the text in its opening comment. */
#include "cli/lines.h"

#define SAYS       "kpred predict %s gpu=gfx906 kind=plain n=16 h=64 stride=1 -k 6 --csv"
#define TRAINS(to) "--data root/tests/fixtures/tiny.csv --split none -o " to

/* Relayout of these arguments makes this header. */
static int makes(const char *arguments, const char *header)
{
    return RAN("kpred-train relayout %s -o again.h", arguments) == 0
           && same_files("again.h", header);
}

/* `edited.h`, of the spec with a change, has that spec. */
static int takes_spec(const char *change)
{
    return edited("tiny.spec", "edited.spec", change)
           && RAN("kpred-train relayout second.h --spec edited.spec -o edited.h") == 0
           && has(text_of("edited.h"), say("\nspec:\n%send of spec", text_of("edited.spec")));
}

static int same_id(void)
{
    const char *id = strstr(text_of("now.h"), "\n   id ");
    return id != NULL && has(text_of("edited.h"), say("%.*s", 24, id));
}

/* The header has the line and the predictions of before, and its id as said. */
static void takes(const char *change, const char *line, int keeps_id)
{
    RAN_CASE(takes_spec(change) && has_line(text_of("edited.h"), line) && same_id() == keeps_id
                 && same_as(&five, SAYS, "edited.h"),
             change);
}

static void format_2(void)
{
    RAN_CASE(RAN("kpred-train train tiny.spec " TRAINS("tiny.h")) == 0
                 && same_as(&five, SAYS, "tiny.h") && same_files("tiny.h", "now.h"),
             "a header of format 2 is as one trained now");
    RAN_CASE(makes("now.h", "now.h"), "a header of today stays");
    put_text("same.h", "%s", text_of("second.h"));
    RAN_CASE(RAN("kpred-train relayout same.h -o same.h --force") == 0
                 && same_files("same.h", "now.h"),
             "into the same file");
    /* The code is written again, whatever an earlier kpred-train wrote around the numbers. */
    RAN_CASE(edited("now.h", "other.h",
                    "s/^    KPRED_TINY_FIELD_N,$/    KPRED_TINY_FIELD_M,/;/^#pragma/d")
                 && makes("other.h", "now.h"),
             "other code around the same numbers");
}

static void shipped_headers(void)
{
    glob_t all;
    if (!has_weights() || glob("root/weights/*.h", 0, NULL, &all) != 0) {
        skip_case("the shipped headers", "they are not there (make weights)");
        return;
    }
    for (size_t i = 0; i < all.gl_pathc; i++) {
        const char *header = all.gl_pathv[i];
        const int stays = makes(header, header);
        RAN_CASE(stays
                     && makes(say("%s --spec %.*sspec", header, (int)strlen(header) - 1, header),
                              header),
                 say("%s stays, with its spec", header));
    }
    globfree(&all);
}

static void another_spec(void)
{
    takes("s/^title .*/title = something else/", "/* tiny.h - something else", 1);
    RAN_CASE(!has(text_of("now.h"), "SPDX"), "no licence without one in the spec");
    takes("s/^title .*/&\\nlicence = Apache-2.0/", "   SPDX-License-Identifier: Apache-2.0", 1);
    takes("s/^title .*/&\\nruns_on = gfx906 gfx90a/",
          "static const char *const kpri_tiny_runs_on[] = { \"gfx906\", \"gfx90a\", NULL };", 0);
    takes("s/^epochs .*/epochs = 99/", "epochs = 99", 1);
    /* The split is none: the temperature of another split changes nothing but the spec. */
    takes("$a [calibration]\\nconfig = 3", "config = 3", 1);
    RAN_CASE(takes_spec("$a [calibration]\\nnone = 2.5") && !same_id()
                 && has_line(text_of("edited.h"),
                             "    kpri_tiny_fields, kpri_tiny_params, 5, 2, 32, 0, 26214,"),
             "--spec with a calibration");
    RAN_CASE(RAN(SAYS, "edited.h") == 0 && strcmp(program.out.s, five.s) != 0,
             "a calibration changes probabilities");
    put_text("now.csv", "%s", five.s);
    put_text("edited.csv", "%s", program.out.s);
    RAN_CASE(same_output("/usr/bin/env cut -d, -f1,3- now.csv",
                         "/usr/bin/env cut -d, -f1,3- edited.csv"),
             "a calibration changes nothing else");
    RAN_CASE(has_line(text_of("now.h"), "#include \"kpred.h\"")
                 && RAN("kpred-train relayout now.h --include-dir ../up/ -o up.h") == 0
                 && has_line(text_of("up.h"), "#include \"../up/kpred.h\"") && makes("up.h", "up.h")
                 && makes("up.h --include-dir ./", "now.h"),
             "--include-dir");
}

/* The header has the features that it was trained with. Another kpred-train may have made them
   otherwise: here a register has another name. */
static void features_by_default(void)
{
    const char *without =
        "/^\\[derived\\]/,/^\\[network\\]/{/^\\[network\\]/!d;}; s/= tiny/= plain/";
    RAN_CASE(edited("tiny.spec", "plain.spec", without) && !has(text_of("plain.spec"), "features")
                 && RAN("kpred-train train plain.spec --epochs 1 --threads 1 " TRAINS("plain.h"))
                        == 0
                 && !has(program.err.s, "nothing is learnt from it")
                 && has_line(text_of("plain.h"), "log2_n = log2 n") && makes("plain.h", "plain.h")
                 && makes("plain.h --spec plain.spec", "plain.h"),
             "features by default");
    RAN_CASE(edited("plain.h", "older.h", "s/log2_n/n_in_octaves/") && makes("older.h", "older.h")
                 && makes("older.h --spec plain.spec", "older.h") && RAN(SAYS, "older.h") == 0,
             "features that another kpred-train made by default");
}

static void other_format(void)
{
    put_text("use.c", "#include \"now.h\"\n");
    CHECK(RAN("/usr/bin/env %s -Iroot -fsyntax-only use.c", own_cc()) == 0);
    CHECK(edited("root/kpred.h", "kpred.h", "s/\\(#define KPRED_FORMAT *\\)3 /\\14 /"));
    RAN_CHECK(RAN("/usr/bin/env %s -I. -fsyntax-only use.c", own_cc()) != 0
              && has(program.err.s,
                     "tiny.h and kpred.h are of different formats: see kpred-train relayout"));
}

int main(void)
{
    cases_begin();
    if (!is_there(say("%s/kpred-train", program.build))) {
        skip_case("relayout", "kpred-train is not built");
        return program_end();
    }
    put_text("second.h", "%s", text_of("root/tests/fixtures/second_format.h.txt"));
    const char *spec = strstr(text_of("second.h"), "\nspec:\n"),
               *end = spec != NULL ? strstr(spec, "\nend of spec") : NULL;
    if (end != NULL)
        put_text("tiny.spec", "%.*s", (int)(end - spec) - 6, spec + 7);
    RAN_CASE(RAN("kpred-train relayout second.h -o now.h") == 0 && RAN(SAYS, "now.h") == 0,
             "relayout");
    keep_output(&five);
    format_2();
    shipped_headers();
    another_spec();
    features_by_default();
    RAN_CASE(RAN("kpred-train train tiny.spec --net attn --epochs 1 " TRAINS("float.h")) == 0,
             "a network of the paper");
    run_cases("relayout");
    run_cases("relayout of a later header");
    program_now = "second";
    run_cases("relayout of a broken header");
    program_now = "now";
    run_cases("relayout of a broken header");
    RUN(other_format);
    return program_end();
}
