/* test_textdb.c - MIOpen's text perf-dbs as data: what ingest, train and eval make of them
   SPDX-License-Identifier: MIT

   The old databases of $MIOPEN_DB are read in full and compared with an independent reader,
   textdb.py; all else needs only what is here. */
#include "data/sample.h"
#include "harness/cases.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define SAYS     "kpred-train: "
#define TEXT     "gfx906_60.txt" /* the file that is read, and its GPU */
#define KEY      "64-28-14-3x3-32-28-14-16-1x1-1x1-1x1-0-NCHW-FP32-W"
#define KEY_3D   "64-2-28-14-1x3x3-32-2-28-14-16-0x1x1-1x1x1-1x1x1-0-NCDHW-FP32-W"
#define SOLVER   "ConvAsmBwdWrW3x3"
#define VALUES   "0,1,8,2,5,4"
#define ENTRY    "=" SOLVER ":" VALUES
#define LINE     KEY ENTRY "\n"
#define ROW(end) "gfx906_60,W,FP32,16,32,28,14,64,1,1," end "\n"
#define GOOD     ROW(VALUES)

static const char wrw[] = "weights/conv_asm_bwd_wrw_3x3", asm1[] = "weights/conv_asm_1x1u";
static const char f3x2[] = "weights/conv_bin_winograd_rxs_f3x2";

static int ingest(const char *spec, const char *files)
{
    return RAN("kpred-train ingest %s.spec --data %s", spec, files);
}

/* Was it just that, rows below their heading and what is told, or an error that begins so? */
static int gave(const char *want)
{
    const char *rows = below_heading(program.out.s);
    if (begins(want, SAYS))
        return program.status == 1 && program.out.n == 0 && count_lines(program.err.s) == 1
               && begins(program.err.s, want);
    return program.status == 0 && begins(want, rows)
           && strcmp(want + strlen(rows), program.err.s) == 0;
}

/* ---- whole databases ---- */

/* The one old database whose backward keys have c and k exchanged. ingest finds it by the kernels'
   rules; for textdb.py its name says so, and the database of SQLite confirms it. */
static const char swapped[] = "gfx900_56-2019-12-06.cd.pdb.txt.bz2";
/* Real rows of several kernels, as they stand in a published text perf-db */
static const char sample[] = "gfx906_60.cd.pdb.txt";

/* Is the file of $MIOPEN_DB here, too? */
static int is_linked(const char *name)
{
    const char *path = say("%s/%s", folder_of("MIOPEN_DB", "../shared/miopen/data"), name);
    return is_there(name) || (is_there(path) && symlink(path, name) == 0);
}

static void whole_database(const char *path, const char *database)
{
    if (!is_linked(path) || !has_library("BZIP2") || !has_command("python3")) {
        skip_case(path, "needs the file, bzip2 and python3");
        return;
    }
    RAN("/usr/bin/env python3 %s %s %s %d %s", in_root("tests/miopen/textdb.py"),
        in_build("kpred-train"), path, path == swapped,
        has_library("SQLITE") && is_linked(database) ? database : "");
    RAN_CASE(program.status == 0 && program.err.n == 0, path);
    printf("%s", program.out.s);
    if (*database != '\0' && !has(program.out.s, "problems are in"))
        skip_case(say("%s, c and k", path), "needs its database of SQLite, and SQLite");
    if (path == swapped && !has(program.out.s, "conv_asm_1x1u,"))
        skip_case("eval on an old database", "the weights are not there");
}

/* ---- wrong lines ---- */

/* The good line is wrong with each of these in the place of `from`. */
static const struct {
    const char *from, *what, *to[8];
} changes[] = {
    {ENTRY, "line: value \"" KEY "\": is not of the form key=solver:values", {""}},
    {KEY, "line: value \"" ENTRY "\": is not of the form key=solver:values", {""}},
    {":" VALUES, "entry: value \"" SOLVER "\": is not of the form solver:values", {""}},
    {"=", "entry: value \"\": is not of the form solver:values", {"=;"}},
    {VALUES, "solver: value \"" SOLVER "\": stands in the line twice", {VALUES ";" SOLVER ":1"}},
    {"-16-", "its batch size is \"", {"-16x-", "--", "-+16-", "-0-", "-16777217-"}},
    {"-16-", "its batch size is \"99999999999999999999\"", {"-99999999999999999999-"}},
    {"-16-", "it has 16 parts, and a 2-D key 15 or 17", {"--16-"}},
    {"-0-NCHW", "it has 16 parts, and a 2-D key 15 or 17", {"-0-0-NCHW"}},
    {"-0-NCHW", "it has fewer than 15 parts", {"-NCHW"}},
    {"-28-14", "it has fewer than 15 parts", {"-28x14"}},
    {"3x3", "it has 15 parts, and a 3-D key 17 or 19", {"3"}},
    {"-1x1-", "its pad is \"1x1x1\"", {"-1x1x1-"}},
    {"W=", "its direction is \"", {"X=", "WW="}},
    {"FP32", "dtype: value \"INT8\": is none of FP32 FP16 BF16", {"INT8"}},
    {"W=", "its suffix is \"_", {"W_x2=", "W_g=", "W_g0=", "W_g2x="}},
    {"W=", "cast: value \"_c", {"W_ciFP8=", "W_cwFP8=", "W_coFP8=", "W_ciFP8_cwBFP8_coFP16="}},
    {"W=", "cast: value \"_ciFP16\": the spec covers none only", {"W_g2_ciFP16="}},
    {"NCHW", "layout: value \"NHWC\": the spec covers NCHW", {"NHWC-NHWC-NHWC", "NHWC"}},
    {KEY, "spatial_dim: value \"3\": the spec covers 2 only", {KEY_3D, KEY_3D "_g2"}},
    {"3x3", "no convolution with this filter makes size 14 out of 14", {"3x1"}},
    {"-0-NCHW", "bias: value \"1\": the spec covers 0 only", {"-1-NCHW"}},
    {"-1x1-0-", "no convolution with this filter makes size 28 out of 28", {"-2x2-0-"}},
    {VALUES, "is a list of 5, not 6", {"0,1,8,2,5"}},
    {VALUES, "is a list of 7, not 6", {VALUES ",1"}},
    {VALUES, "is a list of 1, not 6", {""}},
    {VALUES, "k_per_wave: value \"", {"0,1,8,two,5,4", "0,1,8,3,5,4"}},
};

static void wrong_line(const char *from, const char *to, const char *what)
{
    const char *line = replaced(LINE, from, to), *name = say("%s for %s: %s", to, from, what);
    put_text(TEXT, LINE "%s", line);
    ingest(wrw, TEXT);
    RAN_CASE(gave(SAYS TEXT ":2: ") && has(program.err.s, what), name);
    put_text(TEXT, "%s" LINE, line);
    ingest(wrw, TEXT " --lenient");
    RAN_CASE(program.status == 0 && strcmp(below_heading(program.out.s), GOOD) == 0
                 && count_lines(program.err.s) == 1
                 && begins(program.err.s, SAYS "dropped 1 row: "),
             say("%s, --lenient", name));
}

static void wrong_lines(void)
{
    for (size_t i = 0; i < COUNT(changes); i++)
        for (size_t j = 0; changes[i].to[j] != NULL; j++)
            wrong_line(changes[i].from, changes[i].to[j], changes[i].what);
}

/* ---- texts and files ---- */

/* A spec with fields for the filter takes of a solver's rows those that it is about. */
#define ENDING(end)  "64-28-14-3x3-32-28-14-16-1x1-1x1-1x1-0-" end ENTRY "\n"
#define DROPPED(why) SAYS "dropped 1 row: " why "\n"
#define UNNAMED      DROPPED("a data type, layout or depth that the spec does not name")
#define GOOD_3X3     ROW("3,3,1,1," VALUES)
#define HAS_U        "ConvAsm3x3U:1,2,3"
#define ALGORITHM    "miopenConvolutionBwdWeightsAlgo"
/* One number that is two parameters, their sum */
#define SUM(n)      KEY "=ConvBinWinogradRxSf3x2:" n "\n"
#define SUM_ROW(p)  "gfx906_60,W,FP32,NCHW,16,32,28,14,64,3,3,1,1,1,1,1,1,1," p "\n"
#define SUM_NONE(n) ": has \"" n "\", which is no n_groups + n_groups_plus"
/* Backward data with these channels, which is legal where 16 divides c: MIOpen's keys have c as the
   second. Its row in the user's view. */
#define B(n, c, k)     c "-14-14-1x1-" k "-14-14-" n "-0x0-1x1-1x1-0-NCHW-FP32-B="
#define ASM            "ConvAsm1x1U:1,16,1,64,1,1,1,1"
#define B_ROW(n, c, k) "gfx906_60,B,FP32," n "," c ",14,14," k ",1,1,16,1,64,1,1,1,1\n"
#define F_LINE         "64-14-14-1x1-128-14-14-1-0x0-1x1-1x1-0-NCHW-FP32-F=" ASM
#define F_ROW          "gfx906_60,F,FP32,1,64,14,14,128,1,1,16,1,64,1,1,1,1\n"
#define EXCHANGED(n)   SAYS TEXT ": c and k of backward keys are exchanged: " n " as they stand\n"
#define ONLY_ONE       EXCHANGED("1 of its optima are legal only so, 0 only")
#define ONLY_TWO       EXCHANGED("2 of its optima are legal only so, 1 only")
#define SWAPPED        "32-28-14-3x3-64-28-14-16-1x1-1x1-1x1-0-NCHW-FP32-W"
/* The other kernel's optimum is legal with c before k, and not with k before c. */
#define DECIDES(line) "ruleless", line "\n" SWAPPED "=ConvX:2\n", ROW("2") ONLY_ONE
/* Names as parameters */
#define OF_GROUP "ConvHipImplicitGemmGroupWrwXdlops"
#define GROUP    KEY "=" OF_GROUP ":"
#define MIX      KEY "=ConvMix:"
#define W2(arg)  "ConvOclBwdWrW2<" arg ">:"

/* The text, or the files, with what ingest says */
static const struct reading {
    const char *name, *spec, *text, *want;
} texts[] = {
    {"a line", wrw, LINE, GOOD},
    {"a byte order mark", wrw, "\xef\xbb\xbf" LINE, GOOD},
    {"CRLF", wrw, KEY ENTRY "\r\n", GOOD},
    {"no newline at the end", wrw, KEY ENTRY, GOOD},
    {"CRLF, then none", wrw, KEY ENTRY "\r\n\r\n" KEY ENTRY, GOOD GOOD},
    {"empty lines", wrw, "\n\n" LINE "\n\r\n", GOOD},
    {"several solvers", wrw, KEY "=" HAS_U ";" SOLVER ":" VALUES ";ConvX<16>:a\n", GOOD},
    {"the solver first", wrw, KEY ENTRY ";" HAS_U "\n", GOOD},
    {"one that begins so", wrw,
     KEY "=" SOLVER "V2:9;Conv" SOLVER ":7\n" KEY "=" SOLVER "V2:9;" SOLVER ":" VALUES, GOOD},
    {"groups", wrw, KEY "_g2" ENTRY, "gfx906_60,W,FP32,16,32,28,14,64,1,2," VALUES "\n"},
    {"keys of no convolution", wrw, "x=X:1\n7x7-pool=X:1,2\n-=X:\n" LINE, GOOD},
    {"stride 2, both views", asm1,
     "32-14-7-1x1-64-27-14-16-0x0-2x2-1x1-0-NCHW-FP16-B=ConvAsm1x1U:1,16,1,64,1,2,1,1\n"
     "64-28-14-1x1-32-14-7-16-0x0-2x2-1x1-0-NCHW-FP32-F=" ASM "\n",
     "gfx906_60,F,FP32,16,64,28,14,32,2,1,16,1,64,1,1,1,1\n"
     "gfx906_60,B,FP16,16,64,27,14,32,2,1,16,1,64,1,2,1,1\n"},
    {"a find-db, newer form", wrw,
     KEY "=" SOLVER ":0.0125,0," ALGORITHM "Direct;GemmWrw1x1:1.5,72," ALGORITHM "GEMM\n",
     SAYS TEXT ": is a find-db"},
    {"a find-db, older form", wrw,
     KEY "=" ALGORITHM "Direct:" SOLVER ",0.0125,0," ALGORITHM "Direct,<unused>\n",
     SAYS TEXT ": is a find-db"},
    {"an empty file", wrw, "", SAYS TEXT ": is empty"},
    {"no line of the solver", wrw, KEY "=" HAS_U "\n", SAYS TEXT ": no row of " SOLVER},
    {"stride 2 is left out", wrw,
     "64-14-7-3x3-32-28-14-16-1x1-2x2-1x1-0-NCHW-FP32-W" ENTRY "\n" LINE,
     GOOD DROPPED("stride 2, which MIOpen no longer runs with this kernel")},
    {"fields: a data type", "fields", ENDING("NCHW-INT8-W") LINE, GOOD_3X3 UNNAMED},
    {"fields: a layout", "fields", ENDING("NHWC-NHWC-NHWC-FP32-W") LINE, GOOD_3X3 UNNAMED},
    {"fields: a depth", "fields", KEY_3D ENTRY "\n" LINE, GOOD_3X3 UNNAMED},
    {"fields: casts", "fields", KEY "_ciFP8" ENTRY "\n" LINE, GOOD_3X3 DROPPED("cast tensors")},
    {"fields: sizes", "fields",
     "64-28-14-3x3-32-28-14-16-0x0-1x1-1x1-0-NCHW-FP32-W" ENTRY "\n" LINE,
     GOOD_3X3 DROPPED("a key whose image sizes no convolution with its filter has")},
    {"fields: a negative number", "fields",
     LINE "64-28-14-3x3-32-28-14--16-1x1-1x1-1x1-0-NCHW-FP32-W" ENTRY,
     SAYS TEXT
     ":2: key: value \"64-28-14-3x3-32-28-14--16-1x1-1x1-1x1-0-NCHW-FP32-W\": is no key of a"
     " convolution"},
    {"fields: a bias", "fields", LINE "64-28-14-3x3-32-28-14-16-1x1-1x1-1x1-1-NCHW-FP32-W" ENTRY,
     SAYS TEXT ":2: bias: value \"1\""},
    {"a sum", f3x2, SUM("16") SUM("17") SUM("60"),
     SUM_ROW("0,16") SUM_ROW("16,1") SUM_ROW("48,12")},
    {"no sum", f3x2, SUM("304") SUM("305"), SAYS TEXT ":2: params: value \"305\"" SUM_NONE("305")},
    {"a sum in a list", "sum", SUM("2,304,b"), SUM_ROW("2,288,16,b")},
    {"a sum in a short list", "sum", SUM("2,304"),
     SAYS TEXT ":1: params: value \"2,304\": is a list of 2, not 3"},
    {"no sum in a list", "sum", SUM("2,0,b"),
     SAYS TEXT ":1: params: value \"2,0,b\"" SUM_NONE("0")},

    {"MIOpen's order", asm1, F_LINE "\n" B("1", "72", "64") ASM, F_ROW B_ROW("1", "64", "72")},
    {"channels exchanged", asm1, F_LINE "\n" B("1", "64", "72") ASM,
     F_ROW B_ROW("1", "64", "72") ONLY_ONE},
    {"the majority decides", asm1,
     B("1", "64", "72") ASM "\n" B("2", "72", "64") ASM "\n" B("3", "64", "72") ASM,
     B_ROW("1", "64", "72") B_ROW("2", "72", "64") B_ROW("3", "64", "72") ONLY_TWO},
    {"a tie: as they stand", asm1, B("1", "64", "72") ASM "\n" B("2", "72", "64") ASM,
     B_ROW("1", "72", "64") B_ROW("2", "64", "72")},
    {"illegal both ways", asm1, B("1", "72", "24") ASM, B_ROW("1", "24", "72")},
    {"as many channels", asm1, B("1", "64", "64") ASM, B_ROW("1", "64", "64")},
    {"forward rows are no evidence", asm1, /* exchanged it would be legal: 4 divides 128 */
     "66-14-14-1x1-128-14-14-1-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:1,8,1,64,1,4,1,1",
     "gfx906_60,F,FP32,1,66,14,14,128,1,1,8,1,64,1,4,1,1\n"},
    {"a longer list is no evidence", asm1, B("1", "64", "72") ASM ",1",
     SAYS TEXT ":1: params: value \"1,16,1,64,1,1,1,1,1\": is a list of 9, not 8"},
    {"what cannot be read is no evidence", asm1, B("1x", "64", "72") ASM, SAYS TEXT ":1: key"},
    {"another kernel's", wrw, B("1", "64", "72") ASM "\n" SWAPPED ENTRY, GOOD ONLY_ONE},
    {"in the same line", wrw,
     SWAPPED ENTRY "\n" B("1", "64", "72") "ConvX:1;" ASM ";ConvAsm1x1UV2:7", GOOD ONLY_ONE},
    {"no rule: ConvAsm1x1U decides", DECIDES(B("1", "64", "72") ASM)},
    {"no rule: ConvOclDirectFwd1x1",
     DECIDES("20-14-14-1x1-64-14-14-1-0x0-1x1-1x1-0-NCHW-BF16-B=ConvOclDirectFwd1x1:"
             "1,64,1,1,0,1,4,8,0")},
    {"no rule: ConvAsmBwdWrW1x1",
     DECIDES("64-14-14-1x1-65-14-14-1-0x0-1x1-1x1-0-NCHW-FP16-W=ConvAsmBwdWrW1x1:"
             "4,4,2,1,2,1,1,4,0,1")},
    {"no rule: ConvAsmBwdWrW3x3 decides",
     DECIDES("64-14-14-3x3-36-14-14-1-1x1-1x1-1x1-0-NCHW-FP32-W=" SOLVER ":0,0,8,1,2,1")},
    {"no rule: ConvAsmBwdWrW3x3 decides with groups",
     DECIDES("64-14-14-3x3-40-14-14-1-1x1-1x1-1x1-0-NCHW-FP32-W_g4=" SOLVER ":0,0,8,2,2,1")},
    {"no rule at all: as they stand", "ruleless",
     B("1", "64", "72") "X" ASM ";ConvAsm1x1UV2:1,16,1,64,1,1,1,1\n" KEY "=ConvX:2", ROW("2")},

    {"a name with blanks and commas", "group",
     KEY "=ConvX:1;" OF_GROUP ":DeviceConv2d<256, 128> Default;ConvY:2\n",
     ROW("\"DeviceConv2d<256, 128> Default\"")},
    {"a name without", "group", GROUP "other\n", ROW("other")},
    {"a name that the spec lacks", "group", GROUP "DeviceConv2d<256>", SAYS TEXT ":1: kernel_id: "},
    {"half of a name", "group", GROUP "A<1", SAYS TEXT ":1: kernel_id: "},
    {"names among integers", "mix", MIX "fwd,nhwc,fp16,0", ROW("fwd,nhwc,fp16,0")},
    {"a name in the place of an integer", "mix", MIX "fwd,nhwc,fp16,x", SAYS TEXT ":1: splits: "},
    {"an integer in the place of a name", "mix", MIX "fwd,0,fp16,0", SAYS TEXT ":1: layout: "},
    {"too few names", "mix", MIX "fwd,nhwc,fp16",
     SAYS TEXT ":1: params: value \"fwd,nhwc,fp16\": is a list of 3, not 4"},
    {"a template", "template", KEY "=" W2("1") "2,4,8;" W2("16") "1,3,16;" W2("2") "1,1,8\n",
     ROW("1,3,16")},
    {"another template", "template", KEY "=" W2("1") "2,4,8",
     SAYS TEXT ": no row of ConvOclBwdWrW2<16>"},
};

#define NO_GPU " (from the file's name, --gpu overrides it): is no GPU of the spec"
static const struct reading files[] = {
    {"a NUL byte", wrw, "nul.txt", SAYS "nul.txt: is no text: it holds a NUL byte"},
    {"beside a CSV file", wrw, TEXT " one.csv", GOOD GOOD},
    {"CSV stays as it is", asm1, "b.csv", B_ROW("1", "72", "64")},
    {"the GPU is that of the name", wrw, "gfx900_56-2019-12-06.cd.pdb.txt",
     "gfx900_56,W,FP32,16,32,28,14,64,1,1," VALUES "\n"},
    {"no GPU of the spec", wrw, "gfx906_64-2019.txt",
     SAYS "gfx906_64-2019.txt: gpu: value \"gfx906_64\"" NO_GPU
          ", which has gfx900_56 gfx906_60; the nearest is gfx906_60"},
    {"the GPU is that of --gpu", wrw, "gfx906_64-2019.txt --gpu gfx906_60", GOOD},
    {"the GPU is the nearest", wrw, "gfx906_64-2019.txt --nearest", GOOD},
    {"no GPU is near", wrw, "radeon.txt --nearest",
     SAYS "radeon.txt: gpu: value \"radeon\"" NO_GPU},
};
static const struct reading packed[] = {
    {".txt.bz2", wrw, "gfx906_60.1.txt.bz2", GOOD},
    {".txt.bz2 that is cut off", wrw, "gfx906_60.2.txt.bz2", SAYS "gfx906_60.2.txt.bz2: "},
    {".txt.bz2 that is no bzip2", wrw, "gfx906_60.3.txt.bz2", SAYS "gfx906_60.3.txt.bz2: "},
    {"SQLite stays as it is", asm1, "gfx906_60.db", B_ROW("1", "72", "64")},
};

static void read_each(const struct reading *r, size_t n, int is_text)
{
    for (; n-- > 0; r++) {
        if (is_text)
            put_text(TEXT, "%s", r->text);
        ingest(r->spec, is_text ? TEXT : r->text);
        RAN_CASE(gave(r->want), r->name);
    }
}

static void read_files(void)
{
    static const char *const text = TEXT;
    static const char *const one_row[] = {
        "DELETE FROM perf_db", "DELETE FROM config",
        ("INSERT INTO config VALUES "
         "(1,'NCHW','FP32','B',2,64,14,14,1,1,1,1,72,1,0,0,0,1,1,0,1,1,0,0,1)"),
        "INSERT INTO perf_db VALUES (1,'ConvAsm1x1U',1,'1,16,1,64,1,1,1,1')"};
    put_text(TEXT, F_LINE);
    ingest(asm1, TEXT);
    put_text("b.csv", "%s", replaced(program.out.s, F_ROW, B_ROW("1", "72", "64")));
    put_text("nul.txt", LINE "%c\n", 0);
    put_text(TEXT, LINE);
    put_text("gfx900_56-2019-12-06.cd.pdb.txt", LINE);
    put_text("gfx906_64-2019.txt", LINE);
    put_text("radeon.txt", LINE);
    ingest(wrw, TEXT " -o one.csv");
    read_each(files, COUNT(files), 0);
    if (!HAS_SAMPLES) {
        skip_case("packed files and SQLite", "make found no SQLite, or no bzip2");
        return;
    }
    CASE(make_bz2("gfx906_60.1.txt.bz2", &text, 1) == 0, "packed");
    CASE(make_bz2("gfx906_60.2.txt.bz2", &text, 1) == 0 && truncate("gfx906_60.2.txt.bz2", 40) == 0,
         "cut off");
    put_text("gfx906_60.3.txt.bz2", LINE);
    CASE(make_db("gfx906_60.db", in_root("tests/fixtures/gfx900_56.sql"), one_row, COUNT(one_row))
             == 0,
         "a database");
    read_each(packed, COUNT(packed), 0);
}

static void put_spec(const char *name, const char *solver, const char *filter, const char *fields,
                     const char *params)
{
    put_text(
        say("%s.spec", name),
        "[kernel]\nname = names\nrule = unconstrained\n[data]\nformat = miopen\nsolver = %s\n%s"
        "[fields]\ngpu = gfx900_56 gfx906_60\ndir = F B W\ndtype = FP32 FP16 BF16\nn = size\n"
        "c = size\nh = size\nw = size\nk = size\nstride = size\ngroups = size\n%s[params]\n%s\n"
        "[split]\nconfig = dir,dtype,n,c,h,w,k,stride,groups\nshape = min(c,k),max(c,k),h,w\n"
        "[features]\nonehot dtype\n[network]\nhidden = 16\nepochs = 2\nrounded_epochs = 1\n"
        "teachers = 1\n",
        solver, filter, fields, params);
}

static void put_specs(void)
{
    static const char filter[] = "filter = 3x3\npad = 1\n";
    const char *spec = text_of(in_root("weights/conv_bin_winograd_rxs_f3x2.spec"));
    if (symlink(in_root("weights"), "weights") != 0
        || symlink(in_root("tests/fixtures/gfx906_60.cd.pdb.txt"), sample) != 0)
        program_stop("weights");
    spec = replaced(spec, "kpred_rule_conv_bin_winograd_rxs_f3x2\nheader  = kpred_constraints.h",
                    "unconstrained");
    spec = replaced(spec, "\nn_groups ", "\ntile = 1 2\nn_groups ");
    put_text("sum.spec", "%s", replaced(spec, " 15 16\n", " 15 16\nmode = a b\n"));
    put_spec("fields", SOLVER, "", "y = size\nx = size\npad_h = size 0\npad_w = size 0\n",
             "p0 = 0 1\np1 = 0 1\np2 = 8 16\np3 = 1 2\np4 = 4 5\np5 = 4 5");
    put_spec("ruleless", "ConvX", filter, "", "pa = 1 2");
    put_spec("group", OF_GROUP, filter, "",
             "kernel_id = \"DeviceConv2d<256, 128> Default\" \"A<1, 2>\" other");
    put_spec("mix", "ConvMix", filter, "",
             "dir2 = fwd bwd\nlayout = nchw nhwc\ntype = fp16 fp32\nsplits = 0 1 2");
    put_spec("template", "ConvOclBwdWrW2<16>", filter, "", "pa = 1 2\npb = 1 2 3 4\npc = 8 16");
}

/* ---- train, eval ---- */

static void names_with_commas(void)
{
    FILE *f = fopen(TEXT, "w");
    REQUIRE(f != NULL);
    for (int n = 1; n <= 16; n++)
        fprintf(f, "64-28-14-3x3-32-28-14-%d-1x1-1x1-1x1-0-NCHW-FP%d-W=" OF_GROUP ":%s\n", n,
                n <= 8 ? 32 : 16, n <= 8 ? "A<1, 2>" : "other");
    fclose(f);
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

/* The rows of a text perf-db and these rows as CSV make one model: only what it says of the file
   differs, and the command that names it. */
static void train_and_eval(void)
{
    static const char net[] =
        "   net additive, split none, epochs 4, seed 1; 14 rows to train, 0 kept for testing";
    static const char training[] = "--epochs 4 --split none --float-out f32";
    RAN("kpred-train train %s.spec --data %s --lenient %s -o small.h", wrw, sample, training);
    RAN_CHECK(program.status == 0);
    ingest(wrw, say("%s --lenient -o gfx906_60.csv", sample));
    RAN("kpred-train train %s.spec --data gfx906_60.csv %s -o same.h", wrw, training);
    RAN_CHECK(program.status == 0);
    const char *a = text_of("small.h"), *b = text_of("same.h");
    REQUIRE(has_line(a, net) && has_line(b, net) && has(a, "\n   id ") && has(b, "\n   id "));
    CHECK(strcmp(strstr(a, "\n   id "), strstr(b, "\n   id ")) == 0);
    RAN("kpred-train eval small.h --data %s --lenient --rows all -k 10 --csv", sample);
    RAN_CHECK(program.status == 0 && has(program.out.s, "\nconv_asm_bwd_wrw_3x3,all,gfx906_60,"));
}

int main(void)
{
    program_begin();
    if (!is_built("kpred-train")) {
        skip_case("text perf-dbs", "kpred-train is not built");
        return program_end();
    }
    put_specs();
    whole_database(sample, "");
    whole_database(swapped, "gfx900_56.db.bz2");
    whole_database("gfx906_60-2019-07-19.cd.pdb.txt.bz2", "gfx906_60.db.bz2");
    whole_database("gfx906_64-2019-07-19.cd.pdb.txt.bz2", "gfx906_60.db.bz2");
    wrong_lines();
    read_each(texts, COUNT(texts), 1);
    put_text(TEXT, B("1", "64", "72") ASM "\n" F_LINE ",1\n");
    RAN_CASE(ingest(asm1, TEXT) == 1 && program.out.n == 0 && has(program.err.s, TEXT ": c and k")
                 && has(program.err.s, TEXT ":2: params: "),
             "exchanged, and an error");
    read_files();
    RUN(names_with_commas);
    RUN(train_and_eval);
    return program_end();
}
