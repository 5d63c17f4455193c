/* test_fmoe.c - kpred aiter: fused MoE and batched products, from the nearest measured rows
   SPDX-License-Identifier: MIT */
#include "harness/cases.h"

#define TABLE "mine_tuned_fmoe.csv"
#define LIST  "mine_untuned_fmoe.csv"
#define OUT   "dir/tuned_fmoe.csv"
#define KEY                                                                            \
    "token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type," \
    "use_g1u1,doweight_stage1"
#define VALUES                                                                           \
    "block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,xbf16,flat," \
    "tflops,bw,_tag"
#define B_HEAD "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
#define B_LOG  "shape is B:3, M:5, N:64, K:512, not found tuned config in CKGEMM, will"

/* Programs of awk: T,D,I,E,K ACT to the line of a miss; a row of fmoe.cases to one of a table */
static const char to_log[] =
    "BEGIN { FS = \"[, ]\" } { print \"(Worker_TP1 pid=7) [aiter] [fused_moe] using 2stage default "
    "for ('gfx950', 256, \" "
    "$1 \", \" $2 \", \" $3 \", \" $4 \", \" $5 \", <ActivationType.\" $6 \": 0>, 't.a', 't.b', "
    "'t.c', 'QuantType.per_1x128', True, False) \" }";
static const char to_row[] =
    "BEGIN { FS = \",\"; print \"gfx,cu_num," KEY "," VALUES "\" } { OFS = \",\"; "
    "if ($6 !~ /^</) $6 = \"ActivationType.\" $6; print \"gfx950,256\", $1, $2, $3, $4, $5, $6, "
    "\"t.a,t.b,t.c,QuantType.per_1x128,1,0\", $7, $8, 5, $10, \"0.1%\", 5, $11, \"0.0%\", $9, 0, "
    "0, $12, 1, 1, $13 }";

/* A file of these lines, as a program of awk changes them; its path */
static const char *made(const char *path, const char *lines, const char *script)
{
    put_text("lines", "%s\n", lines);
    put_text("script", "%s\n", script);
    if (RAN("/usr/bin/env awk -f script lines > %s", path) != 0)
        program_stop(script);
    return path;
}

static int aiter(const char *arguments, const char *file)
{
    remove_tree("dir");
    return RAN("kpred aiter --gpu gfx950_256 -o dir %s -- %s", arguments, file);
}

/* These columns of the rows of a table, and a blank behind each row */
static const char *cells(const char *path, const char *columns)
{
    RAN("/usr/bin/env awk -F, -v OFS=, -v ORS=' ' 'NR > 1 { print %s }' %s", columns, path);
    return program.out.s;
}

/* block_m and the kernels that are written for the miss; "": no row, for that reason */
static void nearest(const char *kernels, const char *miss, const char *rows, const char *words)
{
    made("log", miss, to_log);
    made(TABLE, rows, to_row);
    const int status = aiter("--exact --installed " TABLE, "log");
    const int is_told = lines_like(program.err.s, words) > 0;
    RAN_CASE(is_told
                 && (*kernels == '\0'
                         ? !is_there("dir")
                         : status == 0
                               && strcmp(cells(OUT, "$15 \" \" $18 \" \" $21"), say("%s ", kernels))
                                      == 0),
             say("%s: %s%s", miss, kernels, words));
}

static void refused(const char *pattern, const char *arguments, const char *file)
{
    RAN_CASE(aiter(arguments, file) == 1 && !is_there("dir")
                 && lines_like(program.err.s, say("^kpred: .*%s", pattern)) > 0,
             say("%s: %s", arguments, pattern));
}

/* The lines of this kind in fmoe.cases, which says what they mean */
static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "nearest") == 0)
        nearest(c[0], c[1], c[2], c[3]);
    else if (strcmp(kind, "log") == 0) {
        put_text("log", "[aiter] [fused_moe] using 2stage default for %s\n", c[0]);
        refused(c[1], "", "log");
    } else if (strcmp(kind, "table") == 0) {
        made("log", "64,4096,256,64,8 Silu", to_log);
        made("table.csv", say("%s,Silu,32,0,5.5,kernel_1,kernel_2,0,", c[1]), to_row);
        edited("table.csv", TABLE, c[0]);
        refused(say(TABLE ":%s", c[2]), "--installed " TABLE, "log");
    } else if (strcmp(kind, "list") == 0) {
        put_text(LIST, "%s\n", c[0]);
        refused(c[1], "", LIST);
    } else {
        put_text("log", "%s\n", c[1]);
        refused(c[2], c[0], "log");
    }
}

/* A line of each form in which AITER may write one key, and a list: one row, in AITER's form */
static void forms(void)
{
    static const char row[] = "gfx950,256,32,4096,256,64,8,ActivationType.Silu,t.a,t.b,t.c,"
                              "QuantType.per_1x128,1,0,64,0,999999.0,\"k,1\",0.0%,999999.0,k2,"
                              "0.0%,999999.0,0,1,0,0.0,0.0,\n";
    made("table.csv", "16,4096,256,64,8,Silu,64,0,5.5,K1,k2,0,", to_row);
    edited("table.csv", TABLE,
           "s/K1/\"k,1\"/;s/,0,0,0,1,1,/,False,1.0,0,1,1,/;s/,64,0,5/,64.0,0.0,5/");
    put_text("log",
             "[fused_moe] using 2stage default for ('gfx950', 256, 32, 4096, 2[aiter] [fused_moe] "
             "using 2stage default for ('gfx950', 256, 32, 4096, 256, 64, 8, <ActivationType.Silu: "
             "0>, 't.a', 't.b', 't.c', <QuantType.per_1x128: 5>, True, False) \n"
             "[fused_moe] using 1stage default for (256, 32, 4096, 256, 64, 8, "
             "'ActivationType.Silu', 't.a', 't.b', 't.c', 'QuantType.per_1x128', 1, 0) \n");
    put_text(LIST, KEY "\n32,4096,256,64,8,<ActivationType.Silu: 0>,t.a,t.b,t.c,"
                       "QuantType.per_1x128,1,False\n17,4096,256,64,8,ActivationType.Silu,t.a,t.b,"
                       "t.c,<QuantType.per_128x128: 6>,1,0\n");
    RAN_CASE(aiter("--exact --installed " TABLE, "log " LIST) == 0
                 && strcmp(text_of(OUT), say("gfx,cu_num," KEY "," VALUES "\n%s", row)) == 0
                 && has(program.err.s, "fmoe: 1 shape with 1 layer: 1 row, 1 of nearest shapes")
                 && has(program.err.s, "kpred: 1 line: begins like one of AITER's")
                 && has(program.err.s, say("export AITER_CONFIG_FMOE=%s/" TABLE ":%s/" OUT,
                                           program.scratch, program.scratch)),
             "every form of one key");
    RAN_CASE(
        RAN("kpred aiter --gpu gfx950 -o dir --exact --schema no-gfx --installed " TABLE " -- log")
                == 0
            && begins(text_of(OUT), "cu_num," KEY "," VALUES "\n256,32,"),
        "over its own, without gfx");
    edited(TABLE, "one_" TABLE, "s/per_1x128/per_128x128/;s/gfx950,256,16/gfx950,256,32/");
    RAN_CASE(aiter("--exact --installed one_" TABLE, "log " LIST) == 0
                 && strcmp(text_of(OUT), say("gfx,cu_num," KEY "," VALUES "\n%s", row)) == 0,
             "AITER does not look for per_128x128, and its kernels are good ones");
    RAN_CASE(aiter("--exact --top 2 --installed " TABLE, "log") == 0
                 && strcmp(text_of("dir/candidates_fmoe.csv"),
                           "gfx,cu_num," KEY ",rank,ksplit,kernelName1,block_m,kernelName2,"
                           "run_1stage,xbf16,flat,probability\ngfx950,256,32,4096,256,64,8,"
                           "ActivationType.Silu,t.a,t.b,t.c,QuantType.per_1x128,1,0,1,0,\"k,1\","
                           "64,k2,0,1,0,\n")
                        == 0,
             "candidates");
}

/* Tables of AITER's own forms: without gfx, xbf16, flat and _tag, or with rows that lack the tag */
static void older_tables(void)
{
    made("log", "32,4096,256,64,8 Silu", to_log);
    made("table.csv", "16,4096,256,64,8,Silu,64,0,5.5,k1,k2,0,", to_row);
    edited("table.csv", TABLE,
           "s/^gfx[^,]*,//;s/,xbf16,flat,tflops,bw,_tag/,tflops,bw/;s/,0,0,1,1,$/,1,1/");
    RAN_CASE(aiter("--exact --installed " TABLE, "log") == 0
                 && strcmp(cells(OUT, "$1, $18, $25, $26"), "gfx950,k1,0,0 ") == 0,
             "a table of an older AITER");
    edited("table.csv", TABLE, "2s/,$//");
    RAN_CASE(aiter("--exact --installed " TABLE, "log") == 0
                 && strcmp(cells(OUT, "$18"), "k1 ") == 0,
             "a row that lacks the last cell, the tag");
    made("table.csv",
         "16,4096,256,64,8,Silu,64,0,5.5,k1,k2,0,\n32,4096,256,64,8,Silu,64,0,5.5,k3,k4,0,\n"
         "64,4096,256,64,8,Silu,64,0,5.5,k5,k6,0,",
         to_row);
    edited("table.csv", TABLE, "3s/,0,1,1,$/,1,1,/");
    RAN_CASE(aiter("--installed " TABLE, "log") == 0
                 && has(program.err.s, "1 row is left out, the first: " TABLE ":3: has 28 cells")
                 && has(program.err.s, "left out: 3 that --installed has")
                 && !has(text_of(OUT), ",k3,"),
             "a row that lacks another cell has its key alone");
}

static void tiers(void)
{
    made("log", "3,4096,256,64,8 Silu", to_log);
    made(TABLE, "16,4096,256,64,8,Silu,64,0,5.5,k1,k2,0,", to_row);
    RAN_CASE(aiter("--installed " TABLE, "log") == 0
                 && strcmp(cells(OUT, "$3"),
                           "1 2 4 8 32 64 128 256 512 1024 2048 4096 8192 16384 32768 ")
                        == 0,
             "all tiers but that of the table");
    made("log", "131072,4096,256,64,8 Silu\n40000,4096,256,64,8 Silu", to_log);
    RAN_CASE(aiter("--installed " TABLE, "log") == 0
                 && has(cells(OUT, "$3"), " 16384 32768 131072 "),
             "and the largest");
    made(TABLE, "16,4096,512,64,8,Silu,1,0,5.5,k1,Null,1,", to_row);
    RAN_CASE(aiter("--installed " TABLE, "log") == 0 && !is_there("dir")
                 && has(program.err.s, "5 M are left out: fmoe: AITER would take the row for a "
                                       "larger tier"),
             "no layer of small tiers alone, which would serve the large ones");
}

/* Which family a batched product is of stands in an option, or in the name of a list. */
static void batched(void)
{
    const char *names[] = {"a8w8", "bf16"};
    put_text("log", B_LOG "\n");
    for (size_t i = 0; i < 2; i++) {
        const char *table = say("%s_tuned_batched_gemm.csv", names[i]);
        const char *list = say("%s_untuned_batched_gemm.csv", names[i]);
        put_text(table, B_HEAD "\ngfx950,256,4,8,64,512,1,0,5.5,x_256x16x64x128_1,1,1,0\n"
                               "gfx950,256,32,8,64,512,2,0,5.5,y_256x16x64x128_1,1,1,0\n");
        const int by_option =
            aiter(say("--family %s_batched --installed %s", names[i], table), "log");
        RAN_CASE(by_option == 0
                     && strcmp(text_of(say("dir/%s", table)),
                               B_HEAD "\ngfx950,256,3,5,64,512,1,0,999999.0,x_256x16x64x128_1,"
                                      "0.0,0.0,0.0\n")
                            == 0
                     && has(program.err.s, "AITER may read this table only after a rebuild"),
                 say("--family %s_batched", names[i]));
        put_text(list, "B,M,N,K\n20,5,64,512\n");
        RAN_CASE(
            aiter(say("--installed %s", table), list) == 0
                && strcmp(cells(say("dir/%s", table), "$3, $4, $10"), "20,5,y_256x16x64x128_1 ")
                       == 0,
            list);
    }
}

int main(void)
{
    program_begin();
    each_row("tests/aiter/fmoe.cases", see_case);
    RUN_ALL(forms, older_tables, tiers, batched);
    return program_end();
}
