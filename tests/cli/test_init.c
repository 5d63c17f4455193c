/* test_init.c - a spec from a tuner's files or a plain table, which trains without a change
   SPDX-License-Identifier: MIT

   TUNER: the folder of kernels of Kernel Tuner's hub. tests/cli/init.py reads the same files with
   Python, and says what the spec should have. Most tests are named after what they give init;
   what it refuses is in init.cases. */
#include "harness/cases.h"

#include "model/header.h"
#include "model/model.h"

#define run_cases(kind) each_row_of("tests/cli/init.cases", kind, see_case)

#define BY              " --fields rows,cols,dtype"
#define VALUES          "[1] + list(range(2, 5, 2))"
#define T1              "T1.json"
#define BAD             "bad.json"
#define SPEC            text_of("my.spec")
#define TOLD            text_of("told") /* by the last run of init, on standard error */
#define TELLS(text)     CASE(has(TOLD, text), "it tells: %s", text)
#define SPEC_HAS(lines) CASE(has_lines(SPEC, lines), "the spec has %s", lines)
#define INIT(arguments) RAN_CASE(made(arguments), arguments)
#define SAME_SPEC(arguments) \
    RAN_CASE(made(arguments) && strcmp(SPEC, text_of("other.spec")) == 0, arguments)

static int made(const char *arguments)
{
    const int status = RAN("kpred-train init %s --force -o my.spec", arguments);
    put_text("told", "%s", program.err.s);
    return status == 0;
}

/* How many tuples are legal, measured, legal but not measured, measured but not legal: this is what
   init prints, and the last line of the spec. */
static void counts(const char *numbers, const char *arguments)
{
    int n[4];
    if (sscanf(numbers, "%d %d %d %d", n, n + 1, n + 2, n + 3) != 4)
        program_stop(numbers);
    const char *line =
        say("\n# rule: %d legal, %d measured, %d unmeasured, %d illegal\n", n[0], n[1], n[2], n[3]);
    RAN_CASE(made(arguments) && strcmp(program.out.s, line + 3) == 0 && ends_with(SPEC, line),
             say("%s: %d legal", arguments, n[0]));
}

static void as_python(const char *files)
{
    const char *name = say("%s: as Python reads it", files);
    const int status =
        RAN("/usr/bin/env python3 %s my.spec %s", in_root("tests/cli/init.py"), files);
    if (status == 127)
        skip_case(name, "there is no python3");
    else
        RAN_CASE(status == 0, name);
}

/* The spec trains as it is, by the command that init told, and ingests these data. */
static void trains(const char *data)
{
    static const char train[] = "kpred-train: to train it: ";
    const char *at = strstr(TOLD, train);
    const char *command = at != NULL ? say("%s", at + strlen(train)) : NULL;
    RAN_CASE(at != NULL && !has(SPEC, "\nrule")
                 && WORKS("%.*s --epochs 1", (int)strcspn(command, "\n"), command)
                 && WORKS("kpred-train ingest my.spec --data %s", data)
                 && count_lines(program.out.s) >= 2,
             say("it trains, of %s", data));
}

/* It is refused, and nothing is written. */
static void no_file(const char *arguments, const char *text)
{
    remove("none.spec");
    RAN_CASE(program_refuses(1, text, "kpred-train init %s -o none.spec", arguments)
                 && !is_there("none.spec"),
             say("%s: %s", arguments, text));
}

/* With what sed makes of a good file in place of a bad one */
static void bad(const char *good, const char *script, const char *arguments, const char *text)
{
    if (CASE(edited(good, say("bad%s", strchr(good, '.')), script), "sed %s of %s", script, good))
        no_file(arguments, text);
}

/* T1 with the conditions that bars separate; the first one is in line 9. */
static void put_t1(const char *path, const char *vec, const char *conditions)
{
    struct buf *b = new_text();
    for (size_t n; *conditions != '\0'; conditions += n + (conditions[n] == '|')) {
        n = strcspn(conditions, "|");
        buf_printf(b, "%s{\"Parameters\": [], \"Expression\": \"%.*s\"}", b->n > 0 ? ",\n" : "",
                   (int)n, conditions);
    }
    put_text(path, text_of(in_root("tests/fixtures/axpy_T1.json")), vec, b->s);
}

/* Of the 72 tuples the 64 legal ones are predicted, and no other. */
static void all_legal(void)
{
    CASE(WORKS(
             "kpred predict axpy.h gpu=RTX_A4000 problem_size_x=1000 problem_size_y=20 -k 72 --csv "
             "> predicted")
             && WORKS(
                 "/usr/bin/env awk -F, '$3 * $4 > 256 || NR == 1 && $3 $4 != \"bxvec\" { e = 1 }"
                 " END { exit e || NR != 65 }' predicted"),
         "the 64 legal tuples are predicted");
}

/* A table made by awk of table.csv: two GPUs, 24 problems, 8 tuples */
static void change(const char *path, const char *script)
{
    if (RAN("/usr/bin/env awk -F, -v OFS=, '%s' table.csv > %s", script, path) != 0)
        program_stop(script);
}

/* A step of init.cases, and what the spec and standard error then have */
static void take_step(char *const *c)
{
    const char *step = c[0];
    if (strcmp(step, "hub") == 0 || strcmp(step, "counts") == 0)
        counts(c[3], c[4]);
    else if (strcmp(step, "init") == 0)
        INIT(c[4]);
    else if (strcmp(step, "same") == 0)
        SAME_SPEC(c[4]);
    else if (strcmp(step, "trains") == 0)
        trains(c[4]);
    else if (strcmp(step, "runs") == 0)
        RUNS("%s", c[4]);
    else if (strcmp(step, "says") == 0)
        RAN_CASE(WORKS("%s", c[4]) && has_lines(program.out.s, c[3]), c[4]);
    else if (strcmp(step, "awk") == 0)
        change(c[3], c[4]);
    else if (strcmp(step, "sed") == 0)
        CASE(edited(c[3], c[4], c[5]), "%s of %s", c[4], c[3]);
    else if (strcmp(step, "conditions") == 0)
        put_t1(T1, *c[4] != '\0' ? c[4] : VALUES, c[3]);
    else if (strcmp(step, "legal") == 0)
        all_legal();
    else
        program_stop(step);
    if (strcmp(step, "hub") == 0)
        as_python(c[4]);
    if (*c[1] != '\0')
        SPEC_HAS(c[1]);
    if (*c[2] == '!')
        CASE(lines_like(SPEC, c[2] + 1) == 0, "no line of the spec is like %s", c[2] + 1);
    else if (*c[2] != '\0')
        TELLS(c[2]);
}

/* The lines of this kind in init.cases, which says what they mean */
static void see_case(const char *kind, char *const *c)
{
    const char *told = say("kpred-train: %s", c[1]);
    if (strcmp(kind, "table") == 0)
        bad("table.csv", c[0], "bad.csv" BY, c[1]);
    else if (strcmp(kind, "value") == 0)
        no_file((put_t1(BAD, c[1], ""), BAD), say("bad.json:3:%s: values of vec: ", c[0]));
    else if (strcmp(kind, "json") == 0)
        bad(c[0], c[1], c[2], c[3]);
    else if (strcmp(kind, "line") == 0)
        REFUSES(c[0], atoi(c[1]), c[2], "kpred-train init %s", c[3]);
    else if (strcmp(kind, "slip") == 0)
        RAN_CASE((put_t1(T1, VALUES, c[0]), made(T1)) && count_of(TOLD, told) == 1, told);
    else if (strstr("file own hub", kind) != NULL)
        no_file(c[0], c[1]);
    else
        take_step(c);
}

static void own_json(void)
{
    put_text("one.json", "%s", text_of(in_root("tests/fixtures/axpy_cache.json")));
    edited("one.json", "two.json", "1s/NVIDIA RTX A4000/AMD Instinct MI210/;1s/1000/4000/");
    put_copy("forms.json", in_root("tests/fixtures/forms_T1.json"));
    run_cases("caches");
    run_cases("value");
    run_cases("json");
    run_cases("slip");
    put_t1(T1, VALUES, "lds or not lds and bx * vec <= 256|bx > 32 and layout == row");
    RAN_CASE(made("T1.json") && program.err.n == 0, "no slip, no word");
    INIT("forms.json --gpu A100");
    as_python("forms.json"); /* whose eval says what a list of values means */
    REFUSES("the output is an input", 1, "would overwrite FILE",
            "kpred-train init one.json -o one.json");
    RUNS("/usr/bin/env cmp one.json %s", in_root("tests/fixtures/axpy_cache.json"));
    run_cases("nameless");
    run_cases("own");
}

static void tuner(void)
{
    run_cases("tuners");
    as_python("hub/pnpoly.T1.json");
    run_cases("hub");
}

static void forms_of_tables(void)
{
    run_cases("forms");
    put_text("other.spec", "%s", SPEC);
    RAN_CASE(WORKS("/usr/bin/env mkdir beside")
                 && WORKS("kpred-train init table.csv --name own -o beside/my.spec" BY)
                 && has(program.err.s, " --split config -o beside/own.h\n"),
             "the header goes beside the spec");
    if (has_library("BZIP2") && WORKS("/usr/bin/env bzip2 -k table.csv"))
        SAME_SPEC("table.csv.bz2" BY);
    else
        skip_case("a packed table", "there is no bzip2");
    change("quoted.csv", "{ sub(/very slow/, \"\\\"&\\\"\") } 1");
    test_put_edited("bom.csv", text_of("quoted.csv"));
    run_cases("others");
}

static void gpus_of_tables(void)
{
    run_cases("spelled");
    CASE(!has(TOLD, "one chip"), "GPUs in several spellings are no other GPUs");
    run_cases("gpus");
    struct model model;
    int exact = 0;
    CHECK(header_read("products.h", &model) == 0);
    const int32_t token = kpred_gpu_token(&model.m, "gfx942:sramecc+:xnack-", 304, &exact);
    CHECK(token >= 0 && exact && strcmp(model.m.fields[0].tokens[token], "gfx942_304") == 0);
    model_free(&model);
}

/* What failed in place of times is told; in place of speeds it does not matter. */
static void words_for_numbers(void)
{
    static const char *const words[] = {"",     "failed", "TimeOut", "inf",
                                        "-nan", "-",      "N/A",     "out of memory"};
    for (size_t i = 0; i < COUNT(words); i++) {
        change("bad.csv", say("{ $8 = NR == 1 ? \"result\" : NR %% 9 ? $8 + NR / 1000 : \"%s\"; "
                              "sub(/,[^,]*$/, \"\") } 1",
                              words[i]));
        no_file("bad.csv" BY, "column \"result\": has too ");
        change("words.csv", say("NR %% 9 == 2 { $9 = \"%s\" } 1", words[i]));
        SAME_SPEC("words.csv --name table" BY);
    }
}

static void bad_tables(void)
{
    run_cases("table");
    change("bad.csv", "{ print $0, (NR > 1 ? NR / 8 : \"alpha\") }");
    no_file("bad.csv" BY, "column \"alpha\": has");
    INIT("bad.csv --ignore alpha" BY);
    change("bad.csv", "{ print $0, (NR > 1 ? int(NR / 2) : \"number\") }");
    no_file("bad.csv" BY, "column \"number\": has 192 values, a parameter has at most 128");
}

static void bad_lines(void)
{
    run_cases("line");
    put_text("two.csv", "gpu,n,p\nMI50,1,1\nAMD_Instinct_MI50,1,2\n");
    change("copy.csv", "1");
    change("'a table.csv'", "1");
    run_cases("file");
}

static void plain_tables(void)
{
    RAN("/usr/bin/env awk 'BEGIN { print "
        "\"gpu,rows,cols,dtype,block_x,unroll,mode,time_us,gflops\";"
        " for (g = 0; g < 2; g++) for (r = 64; r <= 512; r *= 2) for (c = 1; c <= 7; c += 3)"
        " for (d = 0; d < 2; d++) for (b = 32; b <= 128; b *= 2) for (u = 1; u <= 4; u *= 2)"
        " if (b * u <= 256) printf \"%%s,%%d,%%d,%%s,%%d,%%d,%%s,%%.4f,%%.3f\\n\","
        " (g ? \"gfx906_60\" : \"gfx90a68\"), r, c * 64, (d ? \"FP16\" : \"FP32\"), b, u,"
        " (b > 64 ? \"fast\" : \"very slow\"), r * c / b + u * (1 + g), b / 7 }' > table.csv");
    forms_of_tables();
    gpus_of_tables();
    run_cases("parts");
    words_for_numbers();
    bad_tables();
    bad_lines();
}

int main(void)
{
    program_begin();
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    if (symlink(folder_of("TUNER", "../shared/tuner"), "hub") != 0)
        program_stop("hub");
    if (is_had("python3")) {
        plain_tables(); /* beside the time they have a speed, which an importer passes over */
        own_json();
        if (is_there("hub/convolution_milo.T1.json"))
            tuner();
        else
            skip_case("the hub's kernels", "there is no TUNER");
    } else {
        put_t1(T1, VALUES, "");
        no_file("T1.json --gpu A100", "python3 is not found");
        skip_case("tables, and other tuners' files", "there is no python3");
    }
    return program_end();
}
