/* test_finddb.c - MIOpen's find-dbs as timed data: what ingest makes of them, and of its own CSV
   SPDX-License-Identifier: MIT

   A find-db of $MIOPEN_DB is read in full and compared with an independent reader, finddb.py; all
   else needs only what is here. */
#include "harness/cases.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define SAYS     "kpred-train: "
#define FILE60   "gfx906_60.txt"
#define FWD      "miopenConvolutionFwdAlgo"
#define BWD      "miopenConvolutionBwdDataAlgo"
#define WRW      "miopenConvolutionBwdWeightsAlgo"
#define GEMM     FWD "GEMM"
#define HEADING                                                                                  \
    "gpu,dir,dtype,layout,n,c,d,h,w,k,z,y,x,pad_d,pad_h,pad_w,stride_d,stride_h,stride_w,dil_d," \
    "dil_h,dil_w,groups,solver,time_us\n"

/* The same measurements as newer and as older files have them. Keys of B and W begin with what the
   forward convolution writes; the time of 0 failed. */
#define F_KEY    "64-56-58-3x5-128-28-29-16-1x2-2x2-1x1-0-NCHW-FP32-F="
#define BACKWARD "128-28-29-3x5-64-56-58-16-1x2-2x2-1x1-0-NCHW-"
#define NEWER                                                                                    \
    F_KEY "GemmFwdRest:0.25,4096," GEMM ";ConvOclDirectFwd:0.12116,0," FWD "Direct;fft:0,0," FWD \
          "FFT\n" BACKWARD "FP16-B_g2=ConvMlirIgemmBwd:1e-05,0," BWD "ImplicitGEMM\n" BACKWARD   \
          "BF16-W=ConvOclBwdWrW2<16>:3,7," WRW "Direct\n"
#define OLDER                                                                                     \
    F_KEY GEMM ":GemmFwdRest,0.25,4096," GEMM ",<unused>;" FWD                                    \
               "Direct:ConvOclDirectFwd,0.12116,0," FWD "Direct,not used;" FWD "FFT:fft,0,0," FWD \
               "FFT,not used\n" BACKWARD "FP16-B_g2=" BWD                                         \
               "ImplicitGEMM:ConvMlirIgemmBwd,1e-05,0," BWD "ImplicitGEMM,<unused>\n" BACKWARD    \
               "BF16-W=" WRW "Direct:ConvOclBwdWrW2<16>,3,7," WRW "Direct,not used;\n"
#define SIZES   "NCHW,16,64,1,56,58,128,1,3,5,0,1,2,1,2,2,1,1,1"
#define FASTEST "gfx906_60,F,FP32," SIZES ",1,ConvOclDirectFwd,121.16\n"
#define SLOWER  "gfx906_60,F,FP32," SIZES ",1,GemmFwdRest,250\n"
#define OTHERS                                             \
    "gfx906_60,B,FP16," SIZES ",2,ConvMlirIgemmBwd,0.01\n" \
    "gfx906_60,W,BF16," SIZES ",1,ConvOclBwdWrW2<16>,3000\n"
#define ROWS          FASTEST SLOWER OTHERS
#define DROPPED(what) SAYS "dropped " what "\n"
#define FAILED(n)     DROPPED(n ": a failed measurement (no time or speed, or one of 0)")
#define UNKNOWN       SAYS "2 rows name an option that the spec does not know: " KEPT
#define KEPT          "kept, never predicted\n"
#define UNNAMED       DROPPED("2 rows: a data type, layout or depth that the spec does not name")

/* A line that is good, and what others are about */
#define KEY   "64-7-8-1x1-32-7-8-4-0x0-1x1-1x1-0"
#define FP16  KEY "-NCHW-FP16-F="
#define ENTRY "GemmFwdRest:4,0," GEMM
#define LINE  FP16 ENTRY "\n"
#define OF(solver_time) \
    "gfx906_60,F,FP16,NCHW,4,64,1,7,8,32,1,1,1,0,0,0,1,1,1,1,1,1,1," solver_time "\n"
#define GOOD OF("GemmFwdRest,4000")
#define ONE  KEY "-NCHW-FP32-F="
#define TWO  ENTRY ";fft:5,0," FWD "FFT"
#define P1x1 "NCHW,16,64,1,28,28,128,1,1,1,0,0,0,1,1,1,1,1,1,1,"
#define P3x3 "NCHW,16,64,1,28,28,128,1,3,3,0,1,1,1,1,1,1,1,1,1,"

static int ingest(const char *files)
{
    return RAN("kpred-train ingest weights/conv_solver.spec --data %s", files);
}

/* Was it just that, rows below their heading and what is told? */
static int gave(const char *want)
{
    const char *rows = below_heading(program.out.s);
    return program.status == 0 && begins(program.out.s, HEADING) && begins(want, rows)
           && strcmp(want + strlen(rows), program.err.s) == 0;
}

static int is_error(const char *start)
{
    return program.status == 1 && program.out.n == 0 && count_lines(program.err.s) == 1
           && begins(program.err.s, say(SAYS "%s", start));
}

/* ---- good files ---- */

/* The text, which is put into the file if there is one, and what ingest says */
static const struct {
    const char *name, *files, *text, *want;
} readings[] = {
    {"newer layout", FILE60, NEWER, ROWS FAILED("1 row")},
    {"older layout", FILE60, OLDER, ROWS FAILED("1 row")},
    /* which is made up in the form of another release */
    {"rocBlas in place of the algorithm", "gfx906_64.HIP.fdb.txt --nearest", NULL,
     "gfx906_60,F,FP32," P1x1 "ConvAsm1x1U,39.2\ngfx906_60,F,FP32," P1x1 "gemm,50.4\n"
     "gfx906_60,B,FP32,NCHW,16,128,1,28,28,64,1,1,1,0,0,0,1,1,1,1,1,1,1,gemm,56\n"
     "gfx906_60,B,FP16," P3x3 "ConvBinWinogradRxS,90\ngfx906_60,B,FP16," P3x3 "GemmBwdRest,700\n"
     "gfx906_60,W,FP32," P3x3 "GemmWrwUniversal,1250\n" UNKNOWN},
    {"ingest's CSV", "rows.csv", HEADING ROWS, ROWS},
    {"CSV with a time of 0", "rows.csv",
     HEADING FASTEST "gfx906_60,F,FP32," SIZES ",1,GemmFwdRest,0\n" OTHERS,
     FASTEST OTHERS FAILED("1 row")},
    {"times keep 15 digits", "rows.csv",
     HEADING OF("fft,0.1234567890123456789") OF("GemmFwdRest,1.5e-7"),
     OF("GemmFwdRest,1.5e-07") OF("fft,0.123456789012346")},
    {"they come back", "rows.csv", HEADING OF("fft,0.123456789012346") OF("GemmFwdRest,1.5e-07"),
     OF("GemmFwdRest,1.5e-07") OF("fft,0.123456789012346")},
    /* All have 17 parts but the last, which is the 2-D convolution of the one before it. */
    {"2-D NHWC and 3-D NCDHW", "gfx90878.txt",
     "32-7-8-3x3-64-7-8-4-1x1-1x1-1x1-0-NHWC-NHWC-NHWC-FP16-W=GemmWrwUniversal:1,0," WRW "GEMM\n"
     "64-5-7-8-3x3x3-32-2-3-5-4-0x1x2-2x3x2-1x1x1-0-NCDHW-FP16-F=GemmFwdRest:2,0," GEMM "\n"
     "64-1-7-8-1x1x1-32-1-7-8-4-0x0x0-1x1x1-1x1x1-0-NCDHW-FP16-F=GemmFwdRest:3,0," GEMM "\n"
     "64-7-8-1x1-32-7-8-4-0x0-1x1-1x1-0-NCHW-FP16-F=GemmFwdRest:4,0," GEMM "\n",
     "gfx90878,F,FP16,NCHW,4,64,1,7,8,32,1,1,1,0,0,0,1,1,1,1,1,1,1,GemmFwdRest,4000\n"
     "gfx90878,F,FP16,NCDHW,4,64,1,7,8,32,1,1,1,0,0,0,1,1,1,1,1,1,1,GemmFwdRest,3000\n"
     "gfx90878,F,FP16,NCDHW,4,64,5,7,8,32,3,3,3,0,1,2,2,3,2,1,1,1,1,GemmFwdRest,2000\n"
     "gfx90878,W,FP16,NHWC,4,64,1,7,8,32,1,3,3,0,1,1,1,1,1,1,1,1,1,GemmWrwUniversal,1000\n"},
    {"a data type without a name", FILE60, LINE KEY "-NCHW-INT8-F=" TWO, GOOD UNNAMED},
    {"a layout without a name", FILE60, LINE KEY "-CHWN-CHWN-CHWN-FP16-F=" TWO, GOOD UNNAMED},
    {"layouts that differ", FILE60, LINE KEY "-NHWC-NCHW-NHWC-FP16-F=" TWO, GOOD UNNAMED},
    {"cast tensors", FILE60, LINE KEY "-NCHW-FP16-F_ciFP8=" TWO,
     GOOD DROPPED("2 rows: cast tensors")},
    {"sizes that contradict each other", FILE60,
     LINE "4-2-2-3x3-3-1-1-128-0x0-1x1-1x1-0-NCHW-FP16-F=" TWO,
     GOOD DROPPED("2 rows: a key whose image sizes no convolution with its filter has")},
    {"failed measurements", FILE60, LINE ONE "GemmFwdRest:0,0," GEMM ";fft:0.000,0," FWD "FFT\n",
     GOOD FAILED("2 rows")},
    {"equal times of one option", FILE60, LINE LINE FP16 ENTRY ";GemmFwdRest:4.0,0," GEMM, GOOD},
    {"solvers that the spec does not know", FILE60,
     LINE FP16 "Zeta:1,0," GEMM ";Al \"pha:2,0," GEMM,
     GOOD OF("\"Al \"\"pha\",2000") OF("Zeta,1000") UNKNOWN},
    {"they come back from CSV", "rows.csv", HEADING GOOD OF("\"Al \"\"pha\",2000") OF("Zeta,1000"),
     GOOD OF("\"Al \"\"pha\",2000") OF("Zeta,1000") UNKNOWN},
    {"two files", "gfx906_60.1.txt gfx906_60.2.txt", NULL,
     OF("GemmFwdRest,4000") OF("GemmFwdRest,6000") OF("Alpha,1000") OF("Beta,6000") UNKNOWN},
    {"two files, the other way round", "gfx906_60.2.txt gfx906_60.1.txt", NULL,
     OF("GemmFwdRest,4000") OF("GemmFwdRest,6000") OF("Alpha,1000") OF("Beta,6000") UNKNOWN},
};

static void read_good_files(void)
{
    if (symlink(in_root("tests/fixtures/gfx906_64.HIP.fdb.txt"), "gfx906_64.HIP.fdb.txt") != 0)
        program_stop("tests/fixtures");
    put_text("gfx906_60.1.txt", FP16 "GemmFwdRest:6,0," GEMM ";Beta:6,0," GEMM);
    put_text("gfx906_60.2.txt", FP16 "Alpha:1,0," GEMM ";" ENTRY);
    for (size_t i = 0; i < COUNT(readings); i++) {
        if (readings[i].text != NULL)
            put_text(readings[i].files, "%s", readings[i].text);
        ingest(readings[i].files);
        RAN_CASE(gave(readings[i].want), readings[i].name);
    }
    test_put_edited(FILE60, NEWER);
    ingest(FILE60);
    RAN_CASE(gave(ROWS FAILED("1 row")), "lines that end with CRLF, behind a byte order mark");
    ingest(FILE60 " --json");
    RAN_CASE(has(program.out.s, "\"solver\": \"ConvOclDirectFwd\", \"time_us\": 121.16}"), "JSON");
    put_text("mine.txt", LINE);
    ingest("mine.txt --gpu gfx942130");
    RAN_CASE(gave(replaced(GOOD, "gfx906_60", "gfx942130")), "--gpu");
    if (!has_library("BZIP2") || RAN("/usr/bin/env bzip2 mine.txt") != 0) {
        skip_case("packed", "there is no bzip2");
        return;
    }
    ingest("mine.txt.bz2 --gpu gfx906_60");
    RAN_CASE(gave(GOOD), "packed");
}

/* ---- errors ---- */

#define CELL                "1 row: a cell that cannot be read"
#define FIGURES(value, n)   "entry: value \"" value "\": has " n
#define NO_ALGORITHM(value) "algorithm: value \"" value "\": is no algorithm of direction F"
/* With the line behind a good one, ingest stops and says what; with --lenient it drops it. */
static const struct {
    const char *line, *what;
} errors[] = {
    {"abc", "line: value \"abc\": is not of the form"},
    {ONE, "line: value \"" ONE "\": is not of the form"},
    {"=x", "line: value \"=x\": is not of the form"},
    {ONE "fft", "entry: value \"fft\": is not of the form"},
    {ONE ":1,0," GEMM, "solver: value \"\": is no name"},
    {ONE "fft:1,0", FIGURES("fft", "2 figures, not 3")},
    {ONE "fft:1,0," GEMM ",1", FIGURES("fft", "4 figures, not 3")},
    {ONE GEMM ":fft,1,0," GEMM, FIGURES(GEMM, "4 figures, not 5")},
    {ONE GEMM ":fft,1,0," GEMM ",,,,,,", FIGURES(GEMM, "at least 6 figures, not 5")},
    {ONE "fft:1e306,0," GEMM, "time_us: value \"inf\": is no time"},
    {ONE "fft:1,-1," GEMM, "workspace: value \"-1\": is no size in bytes"},
    {ONE "fft:1,0,Magic", NO_ALGORITHM("Magic")},
    {ONE "fft:1,0," BWD "GEMM", NO_ALGORITHM(BWD "GEMM")},
    {ONE GEMM ":fft,1,0," FWD "FFT,<unused>", "algorithm: value \"" FWD "FFT\": is not " GEMM},
    {ONE FWD "FFT:fft,1,0,rocBlas,<unused>", "algorithm: value \"rocBlas\": is not " FWD "FFT"},
    {ONE "fft:1,0,rocBlas", NO_ALGORITHM("rocBlas")},
    {ONE WRW "GEMM:gemm,1,0,rocBlas,<unused>", NO_ALGORITHM(WRW "GEMM")},
};

static void wrong_line(const char *line, const char *what, const char *dropped)
{
    put_text(FILE60, LINE "%s\n", line);
    ingest(FILE60);
    RAN_CASE(is_error(say(FILE60 ":2: %s", what)), say("%s: %s", line, what));
    ingest(FILE60 " --lenient");
    RAN_CASE(gave(say(GOOD DROPPED("%s"), dropped)), say("%s, --lenient", line));
}

static void wrong_lines(void)
{
    static const char longer[] = "1 row: a second, longer time of one problem and option";
    static const char again[] =
        "time_us: value \"5000\": the same option of the same problem took 4000 in line 1";
    static const char *const times[] = {"", "-1", "inf", "nan", "1e999", "0x10", " 1", "1s"};
    for (size_t i = 0; i < COUNT(errors); i++)
        wrong_line(errors[i].line, errors[i].what, CELL);
    for (size_t i = 0; i < COUNT(times); i++)
        wrong_line(say(ONE "fft:%s,0," GEMM, times[i]),
                   say("time: value \"%s\": is no finite number of at least 0", times[i]), CELL);
    wrong_line("1-2-3=" TWO, "key: value \"1-2-3\": is no key of a convolution",
               "2 rows: a cell that cannot be read");
    wrong_line("64-7-8-1x1-32-7-8-4-0x0-1x1-1x1-1-NCHW-FP32-F=" TWO,
               "bias: value \"1\": the spec covers 0 only",
               "2 rows: a problem that the spec does not cover");
    wrong_line(FP16 ENTRY ";GemmFwdRest:5,0," GEMM, again, longer);
    wrong_line(FP16 "GemmFwdRest:5,0," GEMM, again, longer);
}

static void wrong_files(void)
{
    static const char *const files[] = {
        "gfx906_60.nul.txt: is no text: it holds a NUL byte",
        "gfx999.txt: gpu: value \"gfx999\"",
        "gfx906_60.db: the spec's data have format = find-db, this is a perf-db",
    };
    put_text("gfx906_60.nul.txt", LINE "%c\n", 0);
    put_text("gfx999.txt", LINE);
    put_text("gfx906_60.db", "%s", "");
    for (size_t i = 0; i < COUNT(files); i++) {
        ingest(say("%.*s", (int)strcspn(files[i], ":"), files[i]));
        RAN_CASE(is_error(files[i]), files[i]);
    }
    put_text(FILE60, KEY "-NCHW-INT8-F=" TWO);
    ingest(FILE60);
    RAN_CASE(
        program.status == 1 && program.out.n == 0
            && strcmp(program.err.s, UNNAMED SAYS FILE60 ": no row of conv_solver is left to use\n")
                   == 0,
        "no row left");
}

/* ---- changed CSV and specs ---- */

#define D_TO_K "\nd        = size\nh        = size\nw        = size\nk        = size"
#define PAD_D  "\npad_d    = size 0"
/* The CSV is wrong with `to` in the place of `from`, or the spec, which ends before [split]. */
static const struct change {
    const char *from, *to, *what;
} csv[] = {
    {"time_us", "time", "1: there is no column \"time_us\""},
    {",250\n", ",-250\n", "3: time_us: value \"-250\": is no finite number"},
    {"GemmFwdRest", "", "3: solver: value \"\": is none of"},
    {"GemmFwdRest", "ConvOclDirectFwd", "3: time_us: value \"250\": the same option"},
};
static const struct change specs[] = {
    {"[params]\nsolver =", "[params]\nother = 1 2\nsolver =",
     "[params]: for find-db it is one parameter"},
    {"[params]\n", "[params]\nsolver = 1 2\n#", "[params]: for find-db it is one parameter"},
    {"find-db\n", "find-db\nsolver = x\n", "solver: value \"x\": a find-db has all solvers"},
    {"find-db\n", "find-db\nfilter = 1x1\n", "filter: value \"1x1\": the fields y and x say it"},
    {"find-db\n", "find-db\npad = 0\n", "pad: value \"0\": the fields pad_h and pad_w say it"},
    {"\ny        = size\nx        = size", "", "[data]: key \"filter\" is missing"},
    {PAD_D "\npad_h    = size 0\npad_w    = size 0", "", "[data]: key \"pad\" is missing"},
    {"\nx        = size", "", "has a field \"y\", which needs one \"x\""},
    {"\nz        = size", "", "has a field \"d\", which needs one \"z\""},
    {D_TO_K "\nz        = size", "\nh = size\nw = size\nk = size",
     "has a field \"pad_d\", which needs one \"d\""},
    {"stride_d", "stride", "has a field \"stride\" beside \"stride_h\""},
    {PAD_D, "\ntime_us = size", "time_us: is the time of each row"},
    {PAD_D, "\ncolor = size", "field \"color\" of"},
};

static void changed_files(void)
{
    const char *spec = text_of("weights/conv_solver.spec"), *data = "--data " FILE60;
    for (size_t i = 0; i < COUNT(csv); i++) {
        put_text("changed.csv", "%s", replaced(HEADING ROWS, csv[i].from, csv[i].to));
        ingest("changed.csv");
        RAN_CASE(is_error(say("changed.csv:%s", csv[i].what)), csv[i].what);
    }
    put_text(FILE60, NEWER);
    for (size_t i = 0; i < COUNT(specs); i++) {
        const char *changed = replaced(spec, specs[i].from, specs[i].to);
        put_text("changed.spec", "%.*s", (int)(strstr(changed, "\n[split]") - changed), changed);
        REFUSES(specs[i].what, 1, specs[i].what, "kpred-train ingest changed.spec %s", data);
    }
}

/* With few fields: 2-D, 3x3 with pad 1, one stride, NCHW */
#define FEW       "64-8-8-3x3-32-4-4-1-1x1-2x2-1x1-0-NCHW-FP32-F"
#define FEW_ENTRY "=GemmFwdRest:1,0," GEMM "\n"
#define FEW_ROWS \
    "dir,dtype,n,c,h,w,k,stride,solver,time_us\nF,FP32,1,64,8,8,32,2,GemmFwdRest,1000\n"
static const struct {
    const char *key, *what;
} not_covered[] = {
    {"64-8-8-1x3-32-5-4-1-1x1-2x2-1x1-0-NCHW-FP32-F", "fil_h: value \"1\""},
    {"64-8-8-3x5-32-4-3-1-1x1-2x2-1x1-0-NCHW-FP32-F", "fil_w: value \"5\""},
    {"64-8-8-3x3-32-3-4-1-0x1-2x2-1x1-0-NCHW-FP32-F", "pad_h: value \"0\""},
    {"64-8-8-3x3-32-4-5-1-1x2-2x2-1x1-0-NCHW-FP32-F", "pad_w: value \"2\""},
    {"64-8-8-3x3-32-3-4-1-1x1-2x2-2x1-0-NCHW-FP32-F", "dilation_h: value \"2\""},
    {"64-8-8-3x3-32-4-3-1-1x1-2x2-1x2-0-NCHW-FP32-F", "dilation_w: value \"2\""},
    {"64-8-8-3x3-32-4-8-1-1x1-2x1-1x1-0-NCHW-FP32-F", "conv_stride_w: value \"1\""},
    {FEW "_g2", "group_count: value \"2\""},
};

/* The rows of few.txt, and what is told */
static int gave_few(const char *options, const char *told)
{
    RAN("kpred-train ingest few.spec --data few.txt %s", options);
    return program.status == 0 && strcmp(program.out.s, FEW_ROWS) == 0
           && strcmp(program.err.s, told) == 0;
}

static void few_fields(void)
{
    put_text("few.spec",
             "[kernel]\nname = few\nrule = unconstrained\n[data]\nformat = find-db\n"
             "filter = 3x3\npad = 1\n[fields]\ndir = F\ndtype = FP32\nn = size\nc = size\n"
             "h = size\nw = size\nk = size\nstride = size\n[params]\nsolver = GemmFwdRest\n");
    put_text("few.txt", FEW FEW_ENTRY);
    RAN_CASE(gave_few("", ""), "few fields");
    for (size_t i = 0; i < COUNT(not_covered); i++) {
        put_text("few.txt", FEW FEW_ENTRY "%s" FEW_ENTRY, not_covered[i].key);
        RAN("kpred-train ingest few.spec --data few.txt");
        RAN_CASE(is_error(say("few.txt:2: %s: the spec covers", not_covered[i].what)),
                 say("few fields, %s", not_covered[i].what));
        RAN_CASE(gave_few("--lenient", DROPPED("1 row: a problem that the spec does not cover")),
                 say("few fields, %s, --lenient", not_covered[i].what));
    }
    put_text("few.txt",
             FEW FEW_ENTRY "64-8-8-3x3-32-4-4-1-1x1-2x2-1x1-0-NHWC-NHWC-NHWC-FP32-F" FEW_ENTRY
                           "64-1-8-8-1x3x3-32-1-4-4-1-0x1x1-1x2x2-1x1x1-0-NCDHW-FP32-F" FEW_ENTRY);
    RAN_CASE(gave_few("", UNNAMED), "few fields, another layout and depth");
}

static void whole_find_db(void)
{
    const char *path =
        say("%s/gfx942130.HIP.fdb.txt.bz2", folder_of("MIOPEN_DB", "../shared/miopen/data"));
    if (!is_there(path) || !has_library("BZIP2") || !has_command("python3"))
        skip_case("gfx942130 in full", "needs its find-db in $MIOPEN_DB, bzip2 and python3");
    else
        RAN_CASE(RAN("/usr/bin/env python3 %s %s %s gfx942130", in_root("tests/miopen/finddb.py"),
                     in_build("kpred-train"), path)
                     == 0,
                 "gfx942130 in full");
}

int main(void)
{
    program_begin();
    if (!is_built("kpred-train")) {
        skip_case("find-dbs", "kpred-train is not built");
        return program_end();
    }
    if (symlink(in_root("weights"), "weights") != 0)
        program_stop("weights");
    read_good_files();
    wrong_lines();
    wrong_files();
    changed_files();
    few_fields();
    whole_find_db();
    return program_end();
}
