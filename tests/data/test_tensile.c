/* test_tensile.c - small tables of Tensile as timed data, and how it trains on them
   SPDX-License-Identifier: MIT

   Two kernels of the table differ in four pieces of their names, of which PGR and TT follow from
   the others. tensile.cases beside it has what is refused; test_readers.py reads whole tables. */
#include "data/sample.h"
#include "harness/cases.h"

#define INGEST "kpred-train ingest tensile.spec --data "
#define HEAD   "m,n,batch,k,MT0,GSU,SE,time_us\n"
#define FAILED "kpred-train: dropped 1 row: a failed measurement (no time or speed, or one of 0)\n"
#define KEPT \
    "kpred-train: 1 row names an option that the spec does not know: kept, never predicted\n"
static const char rows[] = HEAD "5,8,2,64,32,1,1,1\n5,8,2,64,32,2,1,428.571428571429\n"
                                "5,8,2,64,64,2,1,2\n7,8,1,64,32,1,1,0.512\n"
                                "7,8,1,64,32,2,1,14.336\n";
#define ROW_7 HEAD "7,8,1,64,32,1,1,0.512\n7,8,1,64,32,2,1,14.336\n"
#define SPEEDS \
    HEAD "5,8,2,64,32,1,1,1\n5,8,2,64,64,2,1,2\n7,8,1,64,32,1,1,0.512\n7,8,1,64,32,2,1,14.336\n"
#define KERNELS HEAD "5,8,2,64,32,2,1,428.571428571429\n5,8,2,64,64,2,1,2\n7,8,1,64,32,2,1,14.336\n"

/* Does ingest make these rows of the file, and note this alone? */
static int gives(const char *path, const char *want, const char *notes)
{
    return RAN(INGEST "%s", path) == 0 && strcmp(program.out.s, want) == 0
           && strcmp(program.err.s, notes) == 0;
}

static void tables(void)
{
    static const char *const table = "tensile.csv";
    const char *text = text_of(table);
    RAN_CHECK(gives(table, rows, FAILED));
    CHANGED("blanks.csv", text, "GFlops,", " GFlops,", ",", " , ");
    RAN_CHECK(gives("blanks.csv", rows, FAILED));
    CHANGED("crlf.csv", text, "\n", "\r\n");
    RAN_CHECK(gives("crlf.csv", rows, FAILED));
    put_text("back.csv", "%s", rows);
    RAN_CHECK(gives("back.csv", rows, ""));
}

static void packed(void)
{
    static const char *const table = "tensile.csv";
    NEEDS("BZIP2");
    REQUIRE(make_bz2("packed.csv.bz2", &table, 1) == 0);
    RAN_CHECK(gives("packed.csv.bz2", rows, FAILED));
}

static void unknown_stay(void)
{
    CHANGED("unknown.csv", text_of("tensile.csv"), "MT64x", "MT96x", "GSU1", "GSU01");
    CHANGED("back.csv", rows, "5,8,2,64,64", "5,8,2,64,96");
    const char *want = text_of("back.csv");
    RAN_CHECK(gives("unknown.csv", want, FAILED KEPT) || gives("unknown.csv", want, KEPT FAILED));
    RAN_CHECK(gives("back.csv", want, KEPT));
}

static void gpu_field(void)
{
    CHANGED("gpu.spec", text_of("tensile.spec"), "^m = ", "gpu = gfx908 gfx90a\n&");
    CHANGED("gpu.csv", rows, "\n", "\ngfx908,", "m,n", "gpu,m,n", "14.336\ngfx908,", "14.336\n");
    RAN_CHECK(RAN("kpred-train ingest gpu.spec --gpu gfx908 --data tensile.csv") == 0);
    CHECK_TEXT(program.out.s, text_of("gpu.csv"));
}

/* Tensile's word for a wrong result, and a kernel that was not run */
static void minus_one(void)
{
    CHANGED("minus.csv", text_of("tensile.csv"), "1.5e3,7", "1.5e3,-1");
    RAN_CHECK(RAN(INGEST "minus.csv") == 0 && strcmp(program.out.s, SPEEDS) == 0
              && has_line(program.err.s,
                          "kpred-train: dropped 2 rows: a failed measurement (no time "
                          "or speed, or one of 0)"));
}

static void twice(void)
{
    const char *last = strstr(text_of("tensile.csv"), "\n1,5") + 1;
    put_text("twice.csv", "%s%s", text_of("tensile.csv"), last);
    RAN_CHECK(gives("twice.csv", rows, FAILED));
    put_text("twice.csv", "%s%.*s6\n", text_of("tensile.csv"), (int)strlen(last) - 2, last);
    RAN_CHECK(program_refuses(
        1, "twice.csv:4: time_us: value \"500\": the same option of the same problem took 428",
        INGEST "twice.csv"));
}

static void see_case(const char *kind, char *const *cell)
{
    char text[256], note[128];
    const int is_spec = strcmp(kind, "spec") == 0, is_table = strcmp(kind, "table") == 0;
    put_changes(is_spec ? "changed.spec" : "changed.csv",
                text_of(is_spec ? "tensile.spec" : "tensile.csv"), (const char *const *)cell + 3);
    if (is_spec) {
        REFUSES(cell[0], 1, cell[1], "kpred-train ingest changed.spec --data tensile.csv");
        return;
    }
    snprintf(text, sizeof text, "%s%s", is_table ? "" : "changed.csv:", cell[1]);
    snprintf(note, sizeof note, "kpred-train: dropped %s", cell[2]);
    const char *want = *kind == 's' ? SPEEDS : *kind == 'r' ? ROW_7 : KERNELS;
    RAN_CASE(program_refuses(1, text, INGEST "changed.csv")
                 && (is_table ? program_refuses(1, text, INGEST "changed.csv --lenient")
                              : RAN(INGEST "changed.csv --lenient") == 0
                                    && strcmp(program.out.s, want) == 0
                                    && has_line(program.err.s, note)),
             cell[0]);
}

/* ---- what `make weights` runs ---- */

/* A script of tools with these tables; a spec of this folder has its whole path. */
#define SCRIPT(of) "/bin/sh -c 'cd %s && TENSILE_CSV=%s/" of "'"
#define RECIPE     SCRIPT("%s sh tools/train/train_model.sh %s %s %s \"%s\" %s")

static void no_table(const char *name, const char *text, const char *tables, const char *spec)
{
    REFUSES(name, 1, text, RECIPE, program.root, program.scratch, tables, in_build("kpred-train"),
            spec, say("%s/none.h", program.scratch), "", "");
    CASE(!is_there("none.h"), "%s: no header", name);
}

/* It hands that to the trainer, between the data and the header. */
static void trains_on(const char *text, const char *spec, const char *options, const char *file)
{
    RAN_CASE(WORKS(RECIPE, program.root, program.scratch, "one", "echo", spec, "x.h", options, file)
                 && strcmp(program.out.s, say("train %s --data %s %s -o x.h\n", spec, file, text))
                        == 0,
             text);
}

static void recipes(void)
{
    static const char *const nn = "one/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2",
                             *const nt = "one/mi100-sgemm-Cijk_Ailk_Bjlk_SB_00.csv.bz2",
                             *const tn = "one/mi100-sgemm-Cijk_Alik_Bljk_SB_00.csv.bz2",
                             *const spec = "weights/gemm_mi100_tn.spec",
                             *const at = program.scratch;
    static const char *const runs[] = {"gfx900_56-2019-12-06", "gfx906_60-2019-07-19",
                                       "gfx906_64-2019-07-19"};
    struct buf *older = new_text();
    mkdir("one", 0777);
    put_text(tn, "%s", "");
    no_table("no folder of tables", say("train_model.sh: there is no %s/n%s: TENSILE_CSV", at, nn),
             "none", "weights/gemm_mi100_nn.spec");
    no_table("no table of another layout", say("%s: TENSILE_CSV", nn), "one", spec);
    /* What stands in another section, or in a comment, is no such key. */
    CHANGED("own.spec", text_of("tensile.spec"), "^[data]", "[derived]\nfiles = log2 m\n&",
            "^format", "&\n# files = no.csv\n  files=own.csv");
    no_table("no table of its own", "one/own.csv: TENSILE_CSV", "one", say("%s/own.spec", at));
    no_table("a spec without a table",
             "tensile.spec: [data] has no line `files` that names its tables", "one",
             "tests/fixtures/tensile.spec");
    REFUSES("a layout that there is not", 1, "gemm.sh: \"tt\": none of nn nt tn",
            SCRIPT("one LAYOUTS=tt sh tools/lab/report/gemm.sh tensile %s %s/one"), program.root,
            at, program.build, at);
    put_text(nn, "%s", "");
    put_text(nt, "%s", "");
    const char *beside = say("--beside %s/%s %s/%s --split", at, nn, at, nt);
    trains_on(say("%s none", beside), spec, "", "a.csv");
    trains_on(say("%s fold:0/2", beside), spec, "--split fold:0/2", "a.csv");
    for (size_t i = 0; i < 3; i++) {
        put_text(say("one/%s.cd.pdb.txt.bz2", runs[i]), "%s", "");
        buf_printf(older, "%s/one/%s.cd.pdb.txt.bz2 ", at, runs[i]);
    }
    trains_on(say("%s--nearest --lenient", older->s), "weights/conv_asm_bwd_wrw_3x3.spec", "",
              say("%s/one/a.db", at));
}

int main(void)
{
    program_begin();
    if (symlink(in_root("tests/fixtures/tensile.csv"), "tensile.csv") != 0
        || symlink(in_root("tests/fixtures/tensile.spec"), "tensile.spec") != 0)
        program_stop("links");
    if (is_had("python3")) {
        test_run("a table, with blanks, with CRLF, and ingest's CSV", tables);
        test_run("a packed table", packed);
        test_run("kernels that the spec does not know stay", unknown_stay);
        test_run("a field for the GPU", gpu_field);
        test_run("a failed check", minus_one);
        test_run("a shape twice", twice);
        each_row("tests/data/tensile.cases", see_case);
        REFUSES("init takes it as any table", 1, "tensile.csv:1: column \"Cijk_Ailk_Bljk_SB_MT32",
                "kpred-train init tensile.csv --fields SizeI,SizeJ -o own.spec");
    } else
        skip_case("tables of Tensile", "there is no python3");
    REFUSES("a perf-db", 1, "format = tensile, this is a perf-db or find-db", INGEST "none.txt");
    recipes();
    return program_end();
}
