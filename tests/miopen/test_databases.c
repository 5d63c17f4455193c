/* test_databases.c - text perf-dbs and find-dbs of MIOpen as ingest, train and eval read them
   SPDX-License-Identifier: MIT

   Databases of $MIOPEN_DB are read in full and compared with an independent reader, readers.py; all
   else needs only what is here, and databases.cases. */
#include "data/sample.h"
#include "harness/cases.h"

#define run_cases(kind) each_row_of("tests/miopen/databases.cases", kind, see_case)

#define SAYS      "kpred-train: "
#define TEXT      "gfx906_60.txt" /* the file that is read, and its GPU */
#define F_SPEC    "conv_asm_1x1u"
#define WRW_SPEC  "conv_asm_bwd_wrw_3x3"
#define FIND_SPEC "conv_solver"
#define OF_GROUP  "ConvHipImplicitGemmGroupWrwXdlops"

static int ingest(const char *spec, const char *files)
{
    return RAN("kpred-train ingest %s%s.spec --data %s", begins(spec, "conv_") ? "weights/" : "",
               spec, files);
}

/* Was it just that, rows below their heading and what is told, or an error that begins so? */
static int gave(const char *want)
{
    const char *rows = below_heading(program.out.s);
    if (begins(want, SAYS) && !begins(want, SAYS "dropped"))
        return program.status == 1 && program.out.n == 0 && count_lines(program.err.s) == 1
               && begins(program.err.s, want);
    return program.status == 0 && begins(want, rows)
           && strcmp(want + strlen(rows), program.err.s) == 0;
}

/* A file of this bad line behind a good one: what is said of it, of a find-db from the start */
static void wrong_line(const char *spec, const char *good, const char *rows, const char *line,
                       const char *what, const char *dropped)
{
    const int is_start = strcmp(spec, WRW_SPEC) != 0;
    put_text(TEXT, "%s%s\n", good, line);
    ingest(spec, TEXT);
    RAN_CASE(gave(say(SAYS TEXT ":2: %s", is_start ? what : "")) && has(program.err.s, what),
             say("%s: %s", line, what));
    ingest(spec, TEXT " --lenient");
    RAN_CASE(program.status == 0 && strcmp(below_heading(program.out.s), rows) == 0
                 && count_lines(program.err.s) == 1
                 && begins(program.err.s, say(SAYS "dropped %s", dropped)),
             say("%s, --lenient", line));
}

static void wrong_csv(const char *from, const char *to, const char *what)
{
    put_text("changed.csv", "%s", replaced(filled("{HEADING}{ROWS}"), from, to));
    ingest(FIND_SPEC, "changed.csv");
    RAN_CASE(gave(say(SAYS "changed.csv:%s", what)), what);
}

/* The spec is so up to [split]. */
static void wrong_spec(const char *from, const char *to, const char *what)
{
    const char *changed = replaced(text_of("weights/" FIND_SPEC ".spec"), from, to);
    put_text("changed.spec", "%.*s", (int)(strstr(changed, "\n[split]") - changed), changed);
    put_text(TEXT, "%s", filled("{GEMM_LINE}"));
    REFUSES(what, 1, what, "kpred-train ingest changed.spec --data " TEXT);
}

/* With few fields: 2-D, 3x3 with pad 1, one stride, NCHW */
#define FEW       "64-8-8-3x3-32-4-4-1-1x1-2x2-1x1-0-NCHW-FP32-F" FEW_ENTRY "\n"
#define FEW_ENTRY "=GemmFwdRest:1,0,miopenConvolutionFwdAlgoGEMM"
#define FEW_ROW   "F,FP32,1,64,8,8,32,2,GemmFwdRest,1000\n"

static void few_fields(const char *key, const char *what)
{
    wrong_line("few", FEW, FEW_ROW, say("%s" FEW_ENTRY, key), say("%s: the spec covers", what),
               "1 row: a problem that the spec does not cover\n");
}

static void see_case(const char *kind, char *const *c)
{
    const char *cell[4];
    if (strcmp(kind, "let") == 0) {
        let(c[0], c[1]);
        return;
    }
    for (size_t i = 0; i < COUNT(cell); i++)
        cell[i] = filled(c[i]);
    if (strcmp(kind, "own") == 0) {
        put_text(say("%s.spec", cell[0]), "%s", cell[1]);
    } else if (strcmp(kind, "wrong") == 0) {
        wrong_line(WRW_SPEC, filled("{LINE}"), filled("{GOOD}"),
                   replaced(filled("{KEY}{ENTRY}"), cell[0], cell[1]), cell[2], "1 row: ");
    } else if (strcmp(kind, "line") == 0) {
        wrong_line(FIND_SPEC, filled("{GEMM_LINE}"), filled("{BEST_ROW}"), cell[0], cell[1],
                   *cell[2] != '\0' ? say("%s\n", cell[2]) : "1 row: a cell that cannot be read\n");
    } else if (strcmp(kind, "csv") == 0) {
        wrong_csv(cell[0], cell[1], cell[2]);
    } else if (strcmp(kind, "spec") == 0) {
        wrong_spec(cell[0], cell[1], cell[2]);
    } else if (strcmp(kind, "few") == 0) {
        few_fields(cell[0], cell[1]);
    } else {
        const int is_find = strcmp(kind, "find") == 0, is_text = strcmp(kind, "text") == 0;
        const char *files = is_find ? cell[1] : is_text ? TEXT : cell[2];
        if (is_text || (is_find && *cell[2] != '\0'))
            put_text(say("%.*s", (int)strcspn(files, " "), files), "%s", cell[2]);
        ingest(is_find ? FIND_SPEC : cell[1], files);
        RAN_CASE(gave(cell[3]) && (!is_find || begins(program.out.s, filled("{HEADING}"))),
                 cell[0]);
    }
}

/* The one old database whose backward keys have c and k exchanged. ingest finds it by the kernels'
   rules; for readers.py its name says so, and the database of SQLite confirms it. */
static const char swapped[] = "gfx900_56-2019-12-06.cd.pdb.txt.bz2";
/* Real rows of several kernels, as they stand in a published text perf-db */
static const char sample[] = "gfx906_60.cd.pdb.txt";

/* Is the file of $MIOPEN_DB here, too? */
static int is_linked(const char *name)
{
    const char *path = say("%s/%s", folder_of("MIOPEN_DB", "../shared/miopen/data"), name);
    return is_there(name) || (is_there(path) && symlink(path, name) == 0);
}

/* A test where there is all: does the reader, which is told what the file is, read the same? */
static int whole_database(const char *kind, const char *path, const char *more)
{
    if (!is_linked(path) || !has_library("BZIP2") || !has_command("python3")) {
        skip_case(path, "needs the file, bzip2 and python3");
        return 0;
    }
    RAN("/usr/bin/env python3 %s %s %s %s %s", in_root("tests/miopen/readers.py"), kind,
        in_build("kpred-train"), path, more);
    RAN_CASE(program.status == 0 && program.err.n == 0, path);
    printf("%s", program.out.s);
    return 1;
}

static void whole_perf_db(const char *path, const char *database)
{
    const char *known = has_library("SQLITE") && is_linked(database) ? database : "";
    if (!whole_database("text", path, say("%d %s", path == swapped, known)))
        return;
    if (*database != '\0' && !has(program.out.s, "problems are in"))
        skip_case(say("%s, c and k", path), "needs its database of SQLite, and SQLite");
}

static void read_files(void)
{
    static const char *const text = TEXT, *const find = "gfx999.txt";
    static const char *const one_row[] = {
        "DELETE FROM perf_db", "DELETE FROM config",
        ("INSERT INTO config VALUES "
         "(1,'NCHW','FP32','B',2,64,14,14,1,1,1,1,72,1,0,0,0,1,1,0,1,1,0,0,1)"),
        "INSERT INTO perf_db VALUES (1,'ConvAsm1x1U',1,'1,16,1,64,1,1,1,1')"};
    static const char *const names[] = {TEXT, "gfx900_56-2019-12-06.cd.pdb.txt",
                                        "gfx906_64-2019.txt", "radeon.txt", "gfx906_60.3.txt.bz2"};
    put_text(TEXT, "%s", filled("{F_LINE}"));
    ingest(F_SPEC, TEXT);
    put_text("b.csv", "%s",
             replaced(program.out.s, filled("{F_ROW}"),
                      filled("gfx906_60,B,FP32,1,72,14,14,64{ASM_ROW}")));
    for (size_t i = 0; i < COUNT(names); i++)
        put_text(names[i], "%s", filled("{LINE}"));
    put_text("nul.txt", "%s%c\n", filled("{LINE}"), 0);
    put_text("gfx906_60.nul.txt", "%s%c\n", filled("{GEMM_LINE}"), 0);
    put_text("gfx999.txt", "%s", filled("{GEMM_LINE}"));
    put_text("gfx906_60.db", "%s", "");
    ingest(WRW_SPEC, TEXT " -o one.csv");
    run_cases("file");
    if (!HAS_SAMPLES) {
        skip_case("packed files and SQLite", "make found no SQLite, or no bzip2");
        return;
    }
    CASE(make_bz2("gfx906_60.1.txt.bz2", &text, 1) == 0
             && make_bz2("gfx906_60.4.txt.bz2", &find, 1) == 0,
         "packed");
    CASE(make_bz2("gfx906_60.2.txt.bz2", &text, 1) == 0 && truncate("gfx906_60.2.txt.bz2", 40) == 0,
         "cut off");
    CASE(make_db("gfx906_60.db", in_root("tests/fixtures/gfx900_56.sql"), one_row, COUNT(one_row))
             == 0,
         "a database");
    run_cases("packed");
}

static void read_find_dbs(void)
{
    put_text("gfx906_60.1.txt", "%s", filled("{FP16}GemmFwdRest:6,0,{GEMM};Beta:6,0,{GEMM}"));
    put_text("gfx906_60.2.txt", "%s", filled("{FP16}Alpha:1,0,{GEMM};{BEST}"));
    run_cases("find");
    put_text("mine.txt", "%s", filled("{GEMM_LINE}"));
    ingest(FIND_SPEC, "mine.txt --gpu gfx942130");
    RAN_CASE(gave(replaced(filled("{BEST_ROW}"), "gfx906_60", "gfx942130")), "find-db: --gpu");
    ingest(FIND_SPEC, "mine.txt --gpu gfx906_60 --json");
    RAN_CASE(has(program.out.s, "\"solver\": \"GemmFwdRest\", \"time_us\": 4000}"), "JSON");
    put_text(TEXT, "%s", filled("{PROBLEM}-NCHW-INT8-F={TWO}"));
    ingest(FIND_SPEC, TEXT);
    RAN_CASE(
        program.status == 1 && program.out.n == 0
            && strcmp(program.err.s,
                      filled("{DROPPED_2}{UNNAMED}{TEXT} no row of conv_solver is left to use\n"))
                   == 0,
        "no row left");
    run_cases("line");
    run_cases("csv");
    run_cases("spec");
    run_cases("few");
    put_text("few.txt", "%s",
             FEW "64-8-8-3x3-32-4-4-1-1x1-2x2-1x1-0-NHWC-NHWC-NHWC-FP32-F" FEW_ENTRY
                 "\n64-1-8-8-1x3x3-32-1-4-4-1-0x1x1-1x2x2-1x1x1-0-NCDHW-FP32-F" FEW_ENTRY "\n");
    ingest("few", "few.txt");
    RAN_CASE(gave(filled(FEW_ROW "{DROPPED_2}{UNNAMED}")), "few fields, another layout and depth");
}

static void put_specs(void)
{
    const char *spec = text_of(in_root("weights/conv_bin_winograd_rxs_f3x2.spec"));
    if (symlink(in_root("weights"), "weights") != 0
        || symlink(in_root("tests/fixtures/gfx906_60.cd.pdb.txt"), sample) != 0)
        program_stop("weights");
    spec = replaced(spec, "kpred_rule_conv_bin_winograd_rxs_f3x2\nheader  = kpred_constraints.h",
                    "unconstrained");
    spec = replaced(spec, "\nn_groups ", "\ntile = 1 2\nn_groups ");
    put_text("sum.spec", "%s", replaced(spec, " 15 16\n", " 15 16\nmode = a b\n"));
    run_cases("own");
}

static void names_with_commas(void)
{
    struct buf *lines = new_text();
    for (int n = 1; n <= 16; n++)
        buf_printf(lines, "64-28-14-3x3-32-28-14-%d-1x1-1x1-1x1-0-NCHW-FP%d-W=" OF_GROUP ":%s\n", n,
                   n <= 8 ? 32 : 16, n <= 8 ? "A<1, 2>" : "other");
    put_text(TEXT, "%s", lines->s);
    ingest("group", TEXT " -o names.csv");
    RAN_CHECK(program_prints(text_of("names.csv"), "kpred-train ingest group.spec --data names.csv")
              && count_lines(program.out.s) == 17);
    RAN("kpred-train train group.spec --data " TEXT " --split none --float-out f32 -o names.h");
    RAN_CHECK(program.status == 0);
    RAN("kpred predict names.h gpu=gfx906 dir=W dtype=FP32 n=3 c=32 h=28 w=14 k=64 stride=1 "
        "groups=1 -k 3 --csv");
    RAN_CHECK(program.status == 0 && has(program.out.s, "\"A<1, 2>\"")
              && has(program.out.s, "\"DeviceConv2d<256, 128> Default\""));
    RAN_CHECK(RAN("kpred-train eval names.h --data " TEXT " --rows all") == 0);
}

int main(void)
{
    program_begin();
    if (!is_built("kpred-train")) {
        skip_case("text perf-dbs and find-dbs", "kpred-train is not built");
        return program_end();
    }
    run_cases("let");
    put_specs();
    whole_perf_db(sample, "");
    whole_perf_db(swapped, "gfx900_56.db.bz2");
    whole_database("find", "gfx942130.HIP.fdb.txt.bz2", "gfx942130");
    run_cases("wrong");
    run_cases("text");
    put_text(TEXT, "%s", filled("64-14-14-1x1-72{B_1}{ASM}\n{F_LINE},1\n"));
    RAN_CASE(ingest(F_SPEC, TEXT) == 1 && program.out.n == 0 && has(program.err.s, TEXT ": c and k")
                 && has(program.err.s, TEXT ":2: params: "),
             "exchanged, and an error");
    read_files();
    read_find_dbs();
    RUN(names_with_commas);
    return program_end();
}
