/* test_init.c - a spec from a tuner's files or a plain table, which trains without a change
   SPDX-License-Identifier: MIT

   TUNER: the folder of kernels of Kernel Tuner's hub. tests/cli/init.py reads the same files with
   Python, and says what the spec should have. Most tests are named after what they give init;
   what it refuses is in init.cases. */
#include "harness/cases.h"

#define BY              " --fields rows,cols,dtype"
#define FIELDS          "config = problem_size_x,problem_size_y"
#define A100            "hub/convolution_milo.A100.json.gz"
#define VALUES          "[1] + list(range(2, 5, 2))"
#define T1              "T1.json"
#define BAD             "bad.json"
#define SPEC            text_of("my.spec")
#define TOLD            text_of("told") /* by the last run of init, on standard error */
#define TELLS(text)     CASE(has(TOLD, text), "it tells: %s", text)
#define SPEC_HAS(lines) CASE(has_lines(SPEC, lines), "the spec has %s", lines)
#define HAS_NO_RULE()   CASE(!has(SPEC, "\n[restrict") && !has(SPEC, "\nrule"), "there is no rule")
#define INIT(arguments) RAN_CASE(made(arguments), arguments)
#define SAME_SPEC(arguments) \
    RAN_CASE(made(arguments) && strcmp(SPEC, text_of("other.spec")) == 0, arguments)
#define COUNT(a) (sizeof(a) / sizeof *(a))

static int made(const char *arguments)
{
    const int status = RAN("kpred-train init %s --force -o my.spec", arguments);
    put_text("told", "%s", program.err.s);
    return status == 0;
}

/* How many tuples are legal, measured, legal but not measured, measured but not legal: this is what
   init prints, and the last line of the spec. */
static void counts(int legal, int measured, int unmeasured, int illegal, const char *arguments)
{
    const char *line = say("\n# rule: %d legal, %d measured, %d unmeasured, %d illegal\n", legal,
                           measured, unmeasured, illegal);
    RAN_CASE(made(arguments) && strcmp(program.out.s, line + 3) == 0 && ends_with(SPEC, line),
             say("%s: %d legal", arguments, legal));
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

static void hub(int legal, int measured, int unmeasured, int illegal, const char *files)
{
    counts(legal, measured, unmeasured, illegal, files);
    as_python(files);
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

/* ---- files of one's own: tests/fixtures/axpy_*.json, with parameters of all types ---- */

/* T1 with the conditions that bars separate; the first one is in line 9. */
static void put_t1(const char *path, const char *vec, const char *conditions)
{
    struct buf b = {0};
    buf_puts(&b, "");
    for (size_t n; *conditions != '\0'; conditions += n + (conditions[n] == '|')) {
        n = strcspn(conditions, "|");
        buf_printf(&b, "%s{\"Parameters\": [], \"Expression\": \"%.*s\"}", b.n > 0 ? ",\n" : "",
                   (int)n, conditions);
    }
    put_text(path, text_of(in_root("tests/fixtures/axpy_T1.json")), vec, b.s);
    buf_free(&b);
}

/* The lines of this kind in init.cases, which says what they mean */
static const char *kind_now;
static void see_case(const char *kind, char *const *c)
{
    const char *told = say("kpred-train: %s", c[1]);
    if (strcmp(kind, kind_now) != 0)
        return;
    if (strcmp(kind, "table") == 0)
        bad("table.csv", c[0], "bad.csv" BY, c[1]);
    else if (strcmp(kind, "value") == 0)
        no_file((put_t1(BAD, c[1], ""), BAD), say("bad.json:3:%s: values of vec: ", c[0]));
    else if (strcmp(kind, "json") == 0)
        bad(c[0], c[1], c[2], c[3]);
    else if (strcmp(kind, "slip") == 0)
        RAN_CASE((put_t1(T1, VALUES, c[0]), made(T1)) && count_of(TOLD, told) == 1, told);
    else
        no_file(c[0], c[1]);
}

static void run_cases(const char *kind)
{
    kind_now = kind;
    each_row("tests/cli/init.cases", see_case);
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

static void two_caches(void)
{
    put_t1(T1, VALUES, "bx * vec <= 256|seven == 7 and lds in (0, 1)");
    hub(64, 64, 0, 0, "T1.json one.json two.json");
    SPEC_HAS("bx = 32 64 128|vec = 1 2 4|layout = row \"by col\"|scale = \"1.5\" \"0.5\"|lds = 0 1"
             "|seven = 7");
    SPEC_HAS("gpu = RTX_A4000 gfx90a68 amd nvidia|[unseen]|amd = gfx90a68|nvidia = RTX_A4000");
    SPEC_HAS(FIELDS "|shipped = none");    /* two problems are few */
    SPEC_HAS("#     problem_size_y = 20"); /* in all files; it does not count as a feature */
    RUNS("/usr/bin/env grep -q hats.*size_x my.spec");
    CASE(RAN("/usr/bin/env grep hats.*size_y my.spec") == 1, "a size that is no feature");
    put_text("other.spec", "%s", SPEC);
    trains("one.json two.json");
    SAME_SPEC("two.json T1.json one.json");
    all_legal();
    hub(72, 64, 8, 0, "one.json two.json");
    HAS_NO_RULE();
    put_text("my.spec", "%s[restrict]\nbx * vec <= 256\n", SPEC);
    RAN("kpred-train train my.spec --data one.json two.json --split none --epochs 2 -o axpy.h");
    all_legal();
}

static void conditions_and_values(void)
{
    put_t1(T1, VALUES, "bx * vec <= 128");
    hub(48, 64, 0, 16, "T1.json one.json");
    TELLS("16 measured tuples find");
    put_t1(T1, VALUES, "");
    hub(72, 64, 8, 0, "T1.json one.json");
    HAS_NO_RULE();
    put_t1("T1.json", "[1, 2]", "bx * vec <= 256");
    hub(48, 64, 0, 16, "T1.json one.json");
    RUNS("/usr/bin/env grep -q 'one.json: vec: .* are not among those of T1.json: 4:' told");
    put_t1(T1, VALUES, "bx * vec <= 256");
    counts(64, 0, 64, 0, "T1.json");
    RUNS("/usr/bin/env grep -q 'hats.*size_y' my.spec");
    /* The rule depends on the problem: each has its own tuples. */
    put_t1(T1, VALUES, "bx <= vec * 32");
    counts(48, 64, 8, 24, "T1.json one.json --fields vec");
    SPEC_HAS("vec = size|" FIELDS ",vec");
}

static void own_json(void)
{
    put_text("one.json", "%s", text_of(in_root("tests/fixtures/axpy_cache.json")));
    edited("one.json", "two.json", "1s/NVIDIA RTX A4000/AMD Instinct MI210/;1s/1000/4000/");
    two_caches();
    conditions_and_values();
    run_cases("value");
    run_cases("json");
    run_cases("slip");
    put_t1(T1, VALUES, "lds or not lds and bx * vec <= 256|bx > 32 and layout == row");
    RAN_CASE(made("T1.json") && program.err.n == 0, "no slip, no word");
    put_text("forms.json", "%s", text_of(in_root("tests/fixtures/forms_T1.json")));
    INIT("forms.json --gpu A100");
    as_python("forms.json"); /* whose eval says what a list of values means */
    edited("one.json", "none.json",
           "1s/\"device_name\": \"[^\"]*\", //;1s/\"problem_size\": [^]]*], *//");
    counts(72, 64, 8, 0, "none.json --gpu 'NVIDIA A100' --set kind=fast n=12");
    SPEC_HAS("gpu = A100|kind = fast|n = size|config = kind,n");
    trains("none.json --gpu A100 --set kind=fast n=12");
    REFUSES("the output is an input", 1, "would overwrite FILE",
            "kpred-train init one.json -o one.json");
    RUNS("/usr/bin/env cmp one.json %s", in_root("tests/fixtures/axpy_cache.json"));
    run_cases("own");
}

/* ---- the kernels of Kernel Tuner's hub ---- */

static void tuner(void)
{
    hub(4362, 4362, 0, 0,
        "hub/convolution_milo.T1.json " A100 " hub/convolution_milo.W6600.json.bz2");
    SPEC_HAS("name = convolution_kernel|format = timed|shipped = none|" FIELDS
             "|problem_size_x = size|problem_size_y = size");
    trains(A100);
    RUNS("kpred predict convolution_kernel.h gpu=gfx1032_14 problem_size_x=4096 "
         "problem_size_y=4096");
    hub(11130, 11130, 0, 0,
        "hub/dedispersion_milo.A4000.slim.json.bz2 hub/dedispersion_milo.T1.json");
    hub(116928, 0, 116928, 0, "hub/gemm_milo.T1.json");
    hub(82984, 0, 82984, 0, "hub/hotspot_milo.T1.json");
    counts(4092, 0, 4092, 0, "hub/pnpoly.T1.json --gpu A100"); /* whose size is too large */
    as_python("hub/pnpoly.T1.json");
    hub(10240, 4362, 5878, 0, "hub/convolution_milo.A100_T4.json.bz2");
    TELLS("the tuner took samples, or there are conditions");
    counts(4092, 4092, 0, 0, "hub/ktt.KTPnpolyOutput_3090.json.gz --fields VERTICES");
    trains("hub/ktt.KTPnpolyOutput_3090.json.gz");
    run_cases("hub");
}

/* ---- plain tables ---- */

/* A table made by awk of table.csv: two GPUs, 24 problems, 8 tuples */
static void change(const char *path, const char *script)
{
    if (RAN("/usr/bin/env awk -F, -v OFS=, '%s' table.csv > %s", script, path) != 0)
        program_stop(script);
}

static void forms_of_tables(void)
{
    counts(18, 8, 10, 0, "table.csv" BY);
    SPEC_HAS("name = table|format = timed|gpu = gfx906_60 gfx90a68 gcn cdna amd|rows = size"
             "|dtype = FP16 FP32|block_x = 32 64 128|unroll = 1 2 4|mode = \"very slow\" fast"
             "|config = rows,cols,dtype|shipped = config");
    HAS_NO_RULE();
    TELLS("table.csv:1: column \"gflops\": is a measurement");
    trains("table.csv");
    put_text("other.spec", "%s", SPEC);
    if (has_library("BZIP2") && WORKS("/usr/bin/env bzip2 -k table.csv"))
        SAME_SPEC("table.csv.bz2" BY);
    else
        skip_case("a packed table", "there is no bzip2");
    change("quoted.csv", "{ sub(/very slow/, \"\\\"&\\\"\") } 1");
    test_put_edited("bom.csv", text_of("quoted.csv"));
    SAME_SPEC("bom.csv --name table" BY);
    change("pandas.csv", "{ print (NR > 1 ? NR - 2 : \"\"), $0 }");
    SAME_SPEC("pandas.csv --name table" BY);
    RUNS("kpred-train ingest my.spec --data pandas.csv -o rows.csv");
    RUNS("/usr/bin/env cut -d, -f2- rows.csv > wanted");
}

static void gpus_of_tables(void)
{
    static const char units[2][90] = {
        "\"gpu\": \"AMD_Radeon_R9700\", \"arch\": \"gfx1201\", \"units\": 32, \"compute_units\": "
        "64",
        "\"gpu\": \"A100-PCIE-40GB\", \"arch\": \"\", \"units\": 0, \"compute_units\": 0"};
    static const char chips[] = "gpu: A100 and A100-PCIE-40GB: GPUs of one chip";
    /* Spellings of two GPUs, of which the first of each becomes the token */
    change("spelled.csv",
           "BEGIN { split(\"gfx90a68|AMD_Instinct_MI210_OAM| gfx90a_104 |AMD Instinct MI210 VF\", "
           "a, \"|\"); split(\"NVIDIA A100-PCIE-40GB|A100-PCIE-40GB|NVIDIA_A100-PCIE-40GB|"
           "nvidia a100-pcie-40gb\", b, \"|\") } "
           "NR > 1 { $1 = $1 == \"gfx90a68\" ? a[NR % 4 + 1] : b[NR % 4 + 1] } 1");
    INIT("spelled.csv --name table" BY);
    CASE(!has(TOLD, "one chip"), "GPUs in several spellings are no other GPUs");
    SPEC_HAS("gpu = NVIDIA_A100-PCIE-40GB gfx90a_104 amd nvidia");
    RUNS("kpred-train ingest my.spec --data spelled.csv > spelled.rows");
    RUNS("/usr/bin/env cut -d, -f2- spelled.rows > without_gpu");
    RUNS("/usr/bin/env cmp without_gpu wanted");
    /* Two names of one chip are told. */
    edited("table.csv", "chips.csv", "s/gfx90a68/NVIDIA A100/;s/gfx906_60/A100-PCIE-40GB/");
    INIT("chips.csv" BY);
    TELLS(chips);
    RAN_CASE(WORKS("kpred-train ingest my.spec --data chips.csv") && has(program.err.s, chips),
             "two names of one chip are told by ingest, too");
    /* A token that is a product's name has that product's units, and its other names find it. */
    edited("table.csv", "r.csv", "s/gfx90a68/AMD_Radeon_R9700/;s/gfx906_60/A100-PCIE-40GB/");
    INIT("r.csv" BY);
    trains("r.csv");
    RAN_CASE(WORKS("kpred models r.h --json") && has(program.out.s, units[0])
                 && has(program.out.s, units[1]),
             "a product's name: its units");
    RUNS("kpred predict r.h gpu=gfx1201_32 rows=64 cols=64 dtype=FP32");
    /* Files that are named after two cards of one chip */
    change("NVIDIA_A100-PCIE-40GB.csv", "{ sub(/^[^,]*,/, \"\") } 1");
    change("A100-SXM4-80GB_mine.csv", "{ sub(/^[^,]*,/, \"\") } NR != 2");
    INIT("NVIDIA_A100-PCIE-40GB.csv A100-SXM4-80GB_mine.csv --name table" BY);
    SPEC_HAS("gpu = A100-SXM4-80GB NVIDIA_A100-PCIE-40GB nvidia");
    RUNS("kpred-train ingest my.spec --data A100-SXM4-80GB_mine.csv > mine.rows");
    RAN_CASE(WORKS("/usr/bin/env grep -vc ^A100-SXM4-80GB, mine.rows")
                 && strcmp(program.out.s, "1\n") == 0
                 && strncmp(text_of("mine.rows"), "gpu,", 4) == 0,
             "files named after GPUs");
}

static void parts_of_tables(void)
{
    /* Tiles that are products of parameters */
    change("tiles.csv", "NR == 1 { $2 = \"size_x\"; $6 = \"tile_x\" } 1");
    INIT("tiles.csv --fields size_x,cols,dtype");
    SPEC_HAS("fraction size_x 128|fraction size_x 256|fraction size_x 512");
    change("best.csv", "!seen[$1, $2, $3, $4]++ { print $1, $2, $3, $4, $5, $6, $7 }");
    counts(1, 1, 0, 0, "best.csv" BY);
    SPEC_HAS("format = csv|block_x = 32");
    change("one.csv", "NR < 10 { print $5, $6, $7, $8 }");
    INIT("one.csv --set n=12"); /* of one problem */
    change("2080.csv", "{ print $2, $3, $4, $5, $6, $7, $8 }");
    INIT("2080.csv" BY); /* A number in a file's name is no GPU. */
    CASE(!has(SPEC, "\ngpu"), "there is no GPU");
}

/* What failed in place of times is told; in place of speeds it does not matter. */
static void words_for_numbers(void)
{
    static const char *const words[] = {"",     "failed", "TimeOut", "inf",
                                        "-nan", "-",      "N/A",     "out of memory"};
    static const char *const columns[2][2] = {{"kernelTime", "is"}, {"result", "has too"}};
    for (size_t i = 0; i < COUNT(words); i++) {
        for (size_t j = 0; j < 2; j++) {
            change("bad.csv", say("{ $8 = NR == 1 ? \"%s\" : NR %% 9 ? $8 + NR / 1000 : \"%s\"; "
                                  "sub(/,[^,]*$/, \"\") } 1",
                                  columns[j][0], words[i]));
            no_file("bad.csv" BY, say("column \"%s\": %s ", columns[j][0], columns[j][1]));
        }
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
    change("bad.csv", "{ print $0, (NR > 1 ? NR : \"number\") }");
    no_file("bad.csv" BY, "column \"number\": has 384 values, a parameter has at most 128");
}

static void bad_lines(void)
{
    static const struct refusal rows[] = {
        {"no file", 2, "FILE is missing", "kpred-train init -o none.spec"},
        {"no output", 2, "-o is missing", "kpred-train init table.csv"},
        {"an output that cannot be written", 1, "nowhere/none.spec",
         "kpred-train init table.csv -o nowhere/none.spec"}};
    refuse_each(rows, COUNT(rows));
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
    parts_of_tables();
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
    plain_tables();
    if (has_library("JANSSON")) {
        own_json();
        if (is_there("hub/convolution_milo.T1.json"))
            tuner();
        else
            skip_case("the hub's kernels", "there is no TUNER");
    } else {
        put_t1(T1, VALUES, "");
        no_file("T1.json --gpu A100", "libjansson-dev");
        skip_case("other tuners' files", "libjansson is missing");
    }
    return program_end();
}
