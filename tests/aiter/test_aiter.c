/* test_aiter.c - kpred aiter: from logs of AITER and untuned lists to tuned tables
   SPDX-License-Identifier: MIT

   Most tests are named after the arguments and what is expected of them. */
#include "data/sample.h" /* the libraries that unpack */
#include "harness/cases.h"

#define run_cases(kind) each_row_of("tests/aiter/aiter.cases", kind, see_case)

#define BS   "a8w8_blockscale"
#define BSP  "a8w8_blockscale_bpreshuffle"
#define A4   "a4w4_blockscale"
#define BP   "a8w8_bpreshuffle"
#define BF   "bf16"
#define LIST BS "_untuned_gemm.csv"
#define BASE BS "_tuned_gemm.csv"
#define MINE BS "_tuned_gemm_mine.csv"
#define DIR  "dir/" BASE
#define HEAD "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
#define USUAL \
    BS "_1x128x128_256x16x128x256_16x16_16x16_1x2_16x16x1_16x16x1_1x16x1x16_8_1x2_intrawave_v1"
#define SMALL \
    BS "_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1"
#define KEY                  "17,1536,7168"
#define MISS                 "miss bs " KEY
#define LOG_OF(lines)        made("log", lines, to_log)
#define LIST_OF(lines)       made(LIST, lines, "")
#define TABLE_OF(path, rows) made(path, rows, to_table)

/* Of extended sed: `miss FAMILY M,N,K` and `hit FAMILY M PADDED CU` to what AITER writes */
static const char to_log[] =
    "s|^miss bp (.*),(.*),(.*) (.*)|shape is M:\\1, N:\\2, K:\\3, q_dtype_w:\\4, not found tuned "
    "config in /tmp/" BP "_tuned_gemm.csv, will use default config!|;"
    "s|^miss bf (.*),(.*),(.*) (.*)|shape is M:\\1, N:\\2, K:\\3 dtype='torch.bfloat16' "
    "otype='torch.float32' bias=\\4, scaleAB=False, bpreshuffle=True, not found tuned config in "
    "/tmp/bf16_tuned_gemm.csv, will use default config! using torch solution:0|;"
    "s/(miss|hit) bs /\\1 " BS " /;s/(miss|hit) bsp /\\1 " BSP " /;s/(miss|hit) a4 /\\1 " A4 " /;"
    "s|miss ([^ ]*) (.*),(.*),(.*)|(Worker_TP1 pid=7) [aiter] shape is M:\\2, N:\\3, K:\\4, not "
    "found tuned config in /tmp/aiter_configs/\\1_tuned_gemm.csv, will use default config!|;"
    "s|^hit ([^ ]*) (.*) (.*) (.*)|[aiter] shape is M:\\2, N:1536, K:7168, found padded_M: \\3, "
    "N:1536, K:7168 is tuned on cu_num = \\4 in /tmp/aiter_configs/\\1_tuned_gemm.csv , kernel "
    "name "
    "is x!|";
/* M,N,K,US,KERNEL to a row of a table, below its heading */
static const char to_table[] =
    "s/^([0-9,]*,)([^,]*),(.*)/gfx950,256,\\1ck,0,0,\\2,\\3,1,1,0/;1i" HEAD;
/* KEY,LIBRARY,SPLIT,US,KERNEL to such a row of a family with nearest shapes */
#define TO_ROW "s/^(.*),(.*),(.*),(.*),(.*)$/gfx950,256,\\1,\\2,7,\\3,\\4,\\5,0.1,1,1/;1i"
#define BP_HEAD \
    "gfx,cu_num,M,N,K,q_dtype_w,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
#define BF_HEAD                                                                          \
    "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us," \
    "kernelName,"                                                                        \
    "err_ratio,tflops,bw"
static const char *const families[] = {BS, BSP, A4};

/* A file of these lines, between which bars stand, as sed changes them; its path */
static const char *made(const char *path, const char *lines, const char *script)
{
    char *copy = new_copy(lines);
    for (char *p = copy; (p = strchr(p, '|')) != NULL;)
        *p = '\n';
    put_text("lines", "%s\n", copy);
    if (RAN("/usr/bin/env sed -E '%s' lines > %s", script, path) != 0)
        program_stop(script);
    return path;
}

/* For the GPU of all families, unless the arguments name one */
static int aiter(const char *arguments, const char *file)
{
    remove_tree("dir");
    return RAN("kpred aiter%s %s %s", has(arguments, "--gpu") ? "" : " --gpu gfx950_256", arguments,
               file);
}

/* These columns of the rows of a table, and a blank behind each row */
static const char *cells(const char *path, const char *columns)
{
    RAN("/usr/bin/env awk -F, -v OFS=, -v ORS=' ' 'NR > 1 { print %s }' %s", columns, path);
    return program.out.s;
}

/* No line on standard error has 100 columns or more, but for those with texts of the log. */
static int are_short(void)
{
    return lines_like(program.err.s, "^kpred: .{93}") == 0;
}

/* Just these keys are written, of the first family. */
static void gives(const char *keys, const char *arguments, const char *file)
{
    RAN_CASE(aiter(say("-o dir %s", arguments), file) == 0 && are_short()
                 && strcmp(cells(DIR, "$3, $4, $5"), say("%s ", keys)) == 0,
             say("%s %s: %s", arguments, file, keys));
}

/* On standard error, with status 0 */
static void says(const char *text, const char *arguments, const char *file)
{
    RAN_CASE(aiter(arguments, file) == 0 && has(program.err.s, text)
                 && (has(program.err.s, "left out: the model of") || are_short()),
             text);
}

static void refused(const char *pattern, const char *arguments, const char *file)
{
    arguments = say("%s%s", has(arguments, "-o ") ? "" : "-o dir ", arguments);
    RAN_CASE(aiter(arguments, file) == 1 && program.out.n == 0 && !is_there("dir")
                 && lines_like(program.err.s, say("^kpred: %s", pattern)) > 0,
             say("%s: %s", arguments, pattern));
}

static void bad_file(const char *file, const char *pattern)
{
    refused(say("%s:%s", file, pattern), "", file);
}

/* Of a log that line alone, which is counted */
static void leaves_out(const char *why, const char *line)
{
    gives(KEY, "--exact", LOG_OF(say("noise|%s|%s|" MISS, line, line)));
    says(say("kpred: 2 lines: %s (first: log:2)", why), "--exact", "log");
    bad_file(LOG_OF(say("noise|%s", line)),
             say(" there is nothing to predict for: %s .first: log:2.$", why));
}

static int is_bf16(const char *miss)
{
    return strncmp(miss, "miss bf", strlen("miss bf")) == 0;
}

/* A log with this miss, and the installed table of its family */
static const char *made_nearest(const char *miss, const char *rows)
{
    const int is_bf = is_bf16(miss);
    LOG_OF(miss);
    return made(is_bf ? BF "_tuned_gemm.csv" : BP "_tuned_gemm.csv", rows,
                *rows > '9' ? ""
                : is_bf     ? TO_ROW BF_HEAD
                            : TO_ROW BP_HEAD);
}

/* The kernels that are written for the miss; "": none, for that reason */
static void nearest(const char *kernels, const char *miss, const char *rows, const char *words)
{
    const char *table = made_nearest(miss, rows);
    const int status = aiter(say("--exact -o dir --installed %s --", table), "log");
    const int is_told = has(program.err.s, words);
    RAN_CASE(
        status == 0 && is_told
            && (*kernels == '\0'
                    ? !is_there("dir")
                    : strcmp(cells(say("dir/%s", table), "$(NF - 3)"), say("%s ", kernels)) == 0),
        say("%s: %s%s", miss, kernels, words));
}

/* T for the beginning of the names of tables */
static const char *with_stem(const char *text)
{
    while (has(text, "T_") || has(text, "T."))
        text = replaced(text, has(text, "T_") ? "T_" : "T.",
                        has(text, "T_") ? BS "_tuned_gemm_" : BASE);
    return text;
}

/* The command goes on; a key that can be read is not written again. */
static void spares(const char *words, const char *tables, const char *path, const char *lines)
{
    path = with_stem(path);
    TABLE_OF(BASE, "1,2,3,5.5," SMALL);
    made(path, lines, *lines == '\0' || *lines > '9' ? "" : to_table);
    if (strcmp(lines, "NUL") == 0)
        put_bytes(path, "M,N\0", 4);
    RAN_CASE(aiter(say("-o dir --installed %s --", with_stem(tables)), LOG_OF(MISS)) == 0
                 && lines_like(program.err.s, say("^kpred: %s", with_stem(words))) == 1
                 && has(text_of(DIR), ",256,16,1536,") == (*words == 'a'),
             words);
}

/* The lines of this kind in aiter.cases, which says what they mean */
static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "gives") == 0)
        gives(c[0], c[1],
              *c[3] != '\0' ? made(c[2], c[3], strcmp(c[2], "log") == 0 ? to_log : "") : c[2]);
    else if (strcmp(kind, "says") == 0)
        says(c[0], c[1], *c[2] != '\0' ? LOG_OF(c[2]) : "log");
    else if (strcmp(kind, "installed") == 0)
        refused(c[0], say("--installed %s --", c[1]),
                (made(c[2], c[3], *c[3] == '\0' || c[3][0] > '9' ? "" : to_table), "log"));
    else if (strcmp(kind, "spares") == 0)
        spares(c[0], c[1], c[2], c[3]);
    else if (strcmp(kind, "nearest") == 0)
        nearest(c[0], c[1], c[2], c[3]);
    else if (strcmp(kind, "table") == 0)
        refused(say("(.* left out[:,].* )?%s_tuned_gemm.csv:%s", is_bf16(c[1]) ? BF : BP, c[0]),
                say("--installed %s --", made_nearest(c[1], c[2])), "log");
    else if (strcmp(kind, "usage") == 0)
        REFUSES(c[1], 2, c[0], "kpred aiter %s log", c[1]);
    else if (strcmp(kind, "log") == 0)
        bad_file(LOG_OF(c[0]), c[1]);
    else if (strcmp(kind, "list") == 0)
        bad_file(LIST_OF(c[0]), c[1]);
    else if (strcmp(kind, "out") == 0)
        leaves_out(c[1], c[0]);
    else
        refused(c[1], c[0], "log");
}

static void logs_and_lists(void)
{
    run_cases("gives");
    CASE(edited(LOG_OF(MISS "|" MISS "|" MISS), "crlf.log", "s/$/\\r/"), "a log with CRLF");
    gives(KEY, "--exact", "crlf.log"); /* of several workers */
    put_text(LIST, "M,N,K\r\n16,1536,7168");
    gives("16,1536,7168", "--exact", LIST);
    put_text("shapes.csv", "%s", text_of(LIST));
    gives("16,1536,7168", "--exact --family bs", "shapes.csv");
    gives("16,1536,7168 " KEY, "--exact " LIST, LOG_OF(MISS));
    run_cases("says");
    RAN_CASE(aiter("-o dir", "log") == 0 && !is_there("dir"), "no row, no file");
}

static void sizes_that_serve(void)
{
    static const int ranges[][3] = {{16, 256, 16}, {288, 1024, 32}, {1088, 4096, 64}};
    struct buf *b = new_text();
    buf_puts(b, "1 2 4 8 ");
    for (size_t i = 0; i < COUNT(ranges); i++)
        for (int m = ranges[i][0]; m <= ranges[i][1]; m += ranges[i][2])
            buf_printf(b, "%d ", m);
    buf_puts(b, "8192 16384 32768 ");
    RAN_CASE(aiter("-o dir", LOG_OF(MISS)) == 0 && strcmp(cells(DIR, "$3"), b->s) == 0,
             "the M that serve every M");
    RAN_CASE(aiter("-o dir", LOG_OF("miss bs 70000,1536,7168|miss bs 70000,8192,512")) == 0
                 && count_of(text_of(DIR), ",131072,1536,") == 1
                 && count_lines(text_of(DIR)) == 192,
             "an M beyond them");
}

static void outputs(void)
{
    static const char *const schemas[][2] = {
        {"current", HEAD},
        {"no-gfx", "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
        {"no-libtype", "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"},
        {"no-tflops", "cu_num,M,N,K,kernelId,splitK,us,kernelName"}};
    int are_all =
        aiter("--exact -o dir", LOG_OF(MISS "|miss bsp 18,512,7168|miss a4 19,1024,4096")) == 0;
    for (size_t i = 0; i < 3; i++)
        are_all =
            are_all && count_lines(text_of(say("dir/%s_tuned_gemm.csv", families[i]))) == 2
            && has(program.err.s,
                   say("%s: no line sets its variable, which would hide AITER's", families[i]));
    RAN_CASE(are_all && !has(program.err.s, "export"),
             "a folder for all families, and no line that hides AITER's own");
    RAN_CASE(aiter("--exact -o one.csv --family a4w4", "log") == 0
                 && strcmp(cells("one.csv", "$3, $4, $5"), "19,1024,4096 ") == 0,
             "a file for one");
    RAN_CASE(aiter("--exact --family bsp", "log > out") == 0
                 && strcmp(cells("out", "$3, $4, $5"), "18,512,7168 ") == 0,
             "standard output for one");
    refused("x.csv: one file is for one family.*-o DIR", "-o x.csv --exact", "log");
    for (size_t i = 0; i < COUNT(schemas); i++) {
        const int status = aiter(say("--exact --schema %s -o dir", schemas[i][0]), "log");
        const char *text = text_of(DIR), *head = say("%s\n", schemas[i][1]);
        RAN_CASE(status == 0 && strncmp(text, head, strlen(head)) == 0
                     && count_of(text, ",") == 2 * count_of(head, ","),
                 say("--schema %s", schemas[i][0]));
    }
    RAN_CASE(aiter("--exact --schema no-libtype -o dir", "log") == 0
                 && lines_like(text_of("dir/" BSP "_tuned_gemm.csv"), "cktile|_ZN") == 0
                 && count_lines(text_of("dir/" BSP "_tuned_gemm.csv")) == 2,
             "--schema no-libtype: ck alone");
    int has_five = aiter("--exact --top 5 -o dir", "log") == 0;
    for (size_t i = 0; i < 3; i++)
        test_put_edited(say("dir/candidates_%s.csv", families[i]),
                        text_of(say("dir/candidates_%s.csv", families[i])));
    has_five = has_five && WORKS("kpred aiter --gpu gfx950_256 --exact --top 5 -o dir log")
               && !has(program.err.s, "AITER_CONFIG");
    for (size_t i = 0; i < 3; i++) /* candidates in order, no two of one kernel */
        has_five = has_five
                   && WORKS("/usr/bin/env awk -F, 'NR > 1 && $6 == NR - 1 && !s[$9, $10]++ "
                            "{ n++ } END { exit n != 5 || NR != 6 }' dir/candidates_%s.csv",
                            families[i]);
    RAN_CASE(has_five && WORKS("/usr/bin/env find dir -type f") && count_lines(program.out.s) == 3,
             "--top, over what an editor has written");
}

static int writes_over(const char *file, const char *option)
{
    char *before = new_copy(text_of(file));
    if (!is_there("dir"))
        mkdir("dir", 0777);
    put_text(DIR, "%s", before);
    return RAN("kpred aiter --gpu gfx950_256 --exact %s -o dir log", option);
}

static void replaces(const char *file, const char *option)
{
    const int status = aiter("--exact -o dir", "log");
    char *wanted = new_copy(text_of(DIR));
    RAN_CASE(status == 0 && writes_over(file, option) == 0 && strcmp(text_of(DIR), wanted) == 0,
             say("%s is replaced: %s", file, option));
}

static void keeps(const char *file, const char *text)
{
    remove_tree("dir");
    RAN_CASE(writes_over(file, "") != 0 && strcmp(text_of(file), text_of(DIR)) == 0
                 && has(program.err.s, text),
             say("it stays: %s", text));
}

static void earlier_outputs(void)
{
    LOG_OF(MISS);
    replaces(TABLE_OF("predicted.csv", "1,2,3,999999.0," USUAL "|1,2,4,999999," USUAL), "");
    put_text("empty.csv", "%s", "");
    replaces("empty.csv", "");
    TABLE_OF("measured.csv", "1,2,3,999999.0," USUAL "|1,2,4,5.1234," USUAL);
    keeps("measured.csv", BASE ":3: us: value \"5.1234\"");
    replaces("measured.csv", "--force");
    keeps(made("other.csv", "some text", ""), "column \"some text\"");
}

/* No other kernel than these is written. */
static void only(const char *one, const char *other, const char *options)
{
    RAN_CASE(
        aiter(say("%s -o dir --", options), "log") == 0
            && WORKS("/usr/bin/env awk -F, 'NR > 1 && $10 != \"%s\" && $10 != \"%s\" { e = 1 } "
                     "END { exit e || NR < 2 }' " DIR,
                     one, other),
        say("%s: its kernels alone", options));
}

static void installed_tables(void)
{
    TABLE_OF(BASE, "17,1536,7168,5.5," SMALL "|48,1536,7168,5.5," SMALL);
    gives("18,1536,7168", "--exact --installed " BASE " --", LOG_OF(MISS "|miss bs 18,1536,7168"));
    edited(BASE, "spelled_" BS ".csv", "s/gfx950/ GFX950:xnack-/");
    gives("18,1536,7168", "--exact --installed spelled_" BS ".csv --", "log");
    says("left out: 1 that --installed has, 0 within", "--exact --installed " BASE " --", "log");
    /* In these, 17 and 18 are not among the M that serve; 32 is, and no row of theirs. */
    RAN_CASE(aiter("--installed " BASE " -o dir --", "log") == 0 && count_lines(text_of(DIR)) == 95
                 && !has(text_of(DIR), ",256,48,"),
             "keys of --installed are left out of those that serve");
    TABLE_OF(BASE, "16,1536,7168,5.5," SMALL);
    says("90 rows\nkpred: " BS ": left out: 1 that --installed has, 4 within a fine step",
         "--installed " BASE " --", "log");
    only(USUAL, SMALL, "--installed " BASE);
    made("compiled", "GLIBC_2.17|  " SMALL "  ", "");
    only(SMALL, "", "--compiled compiled");
    only(SMALL, "", "--compiled compiled --installed " BASE);
    says("kpred: warning: " BS ": AITER may lack these kernels: use --compiled\n", "", "log");
    /* K is less than the tile. */
    says("no legal kernel is compiled in", "--exact --family " BS " --compiled compiled",
         LOG_OF("miss bs 17,512,128"));
    CASE(program.out.n == 0, "nothing is left, nothing is written");
    refused("--installed: none/[*].csv: cannot open: No such file", "--installed none/*.csv --",
            LOG_OF(MISS));
    TABLE_OF(MINE, "1,1536,7168,5.5," SMALL);
    RAN_CASE(aiter("--exact --installed " MINE " " BASE " -o dir --", LOG_OF(MISS)) == 0
                 && has(program.err.s, say("export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=%s/" BASE
                                           ":%s/" MINE ":%s/dir/" BS "_tuned",
                                           program.scratch, program.scratch, program.scratch)),
             "the variable lists all files, the base file first");
    RAN_CASE(
        RAN("kpred aiter --gpu gfx950 --exact --installed " BASE " -o a:b -- log") == 0
            && has(program.err.s, "no line sets its variable: AITER reads a path with : as two"),
        "a path that would be two");
}

/* Tables and lists are read packed, too, and the base file comes first all the same. */
static void packed_files(void)
{
#ifdef HAVE_ZLIB
    TABLE_OF(BASE, "17,1536,7168,5.5," SMALL "|33,1536,7168,5.5," USUAL);
    LIST_OF("M,N,K|17,1536,7168|18,1536,7168");
    RUNS("/usr/bin/env gzip -f -k " BASE " " MINE " " LIST);
    gives("18,1536,7168", "--exact --installed " BASE ".gz --", LIST ".gz");
    aiter("--exact --installed " MINE ".gz " BASE ".gz -o dir --", LIST ".gz");
    RAN_CASE(has(program.err.s, say("=%s/" BASE ".gz:%s/" MINE ".gz:%s/dir/", program.scratch,
                                    program.scratch, program.scratch)),
             "the variable lists packed files");
    LIST_OF("M,N,K|17,1536");
    RUNS("/usr/bin/env gzip -f " LIST);
    bad_file(LIST ".gz", "2: has 2 cells, the header has 3");
    put_text(LIST ".gz", "M,N,K\n");
    bad_file(LIST ".gz", " is not gzip data");
    refused("none.csv.gz: cannot open: No such file", "", "none.csv.gz");
#endif
}

static void nearest_shapes(void)
{
    char *rows = "16,1024,4096,torch.int8,ck,1.0,5.5,a_256x16x64x128|"
                 "16,2048,4096,torch.int8,ck,0,5.5,b_256x16x64x128";
    run_cases("nearest");
    made_nearest(MISS "|miss bp 17,1024,4096 torch.int8|miss bf 1,2,3 True", rows);
    RAN_CASE(aiter("--exact -o dir --installed " BP "_tuned_gemm.csv --", "log") == 0
                 && strcmp(text_of("dir/" BP "_tuned_gemm.csv"),
                           BP_HEAD "\ngfx950,256,17,1024,4096,torch.int8,ck,7,1,999999.0,"
                                   "a_256x16x64x128,0.0,0.0,0.0\n")
                        == 0
                 && has(program.err.s, ": 1 row acts only after a rebuild")
                 && has(program.err.s, "1 row, 1 of nearest shapes\n")
                 && has(program.err.s, "False,True, nor has --installed a row for gfx950")
                 && has(program.err.s, say("PRESHUFFLE=%s/" BP "_tuned_gemm.csv:%s/dir/" BP,
                                           program.scratch, program.scratch)),
             "a row of the nearest shape");
    RAN_CASE(aiter("--exact -o dir --top 3 --installed " BP "_tuned_gemm.csv --", "log") == 0
                 && strcmp(cells("dir/candidates_" BP ".csv", "$6, $7, $11, $12"),
                           "torch.int8,1,a_256x16x64x128, torch.int8,2,b_256x16x64x128, ")
                        == 0
                 && WORKS("kpred aiter --gpu gfx950 --exact -o dir --top 3 --installed " BP
                          "_tuned_gemm.csv -- log"),
             "candidates, nearest first, over older ones");
    RAN_CASE(aiter("-o dir --installed " BP "_tuned_gemm.csv --",
                   LOG_OF("miss bp 17,1024,4096 torch.int8"))
                     == 0
                 && count_lines(text_of("dir/" BP "_tuned_gemm.csv")) == 91,
             "the M that serve, but those that the table serves");
    RAN_CASE(
        WORKS("/usr/bin/env sed -i s/gfx950,256/gfx1250,96/ " BP "_tuned_gemm.csv")
            && aiter("--gpu gfx1250_96 --exact -o dir --installed " BP "_tuned_gemm.csv --", "log")
                   == 0
            && strcmp(cells("dir/" BP "_tuned_gemm.csv", "$1, $2"), "gfx1250,96 ") == 0,
        "a GPU that no model knows");
    made(BP "_tuned_gemm.csv",
         "17,1024,2048,torch.int8,x,0,5.5,a|17,1024,512,torch.int8,ck,0,5.5,b_256x16x64x128",
         TO_ROW BP_HEAD);
    RAN_CASE(
        aiter("--exact --schema no-libtype -o dir --installed " BP "_tuned_gemm.csv --", "log") == 0
            && strcmp(cells("dir/" BP "_tuned_gemm.csv", "$5, $9"), "torch.int8,b_256x16x64x128 ")
                   == 0,
        "--schema no-libtype: the nearest of ck");
    put_text("list_" BF "_untuned_gemm.csv",
             "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n3, 64,64,True,a,b,False,True\t\n");
    made(BF "_tuned_gemm.csv", "3,64,128,True,a,b,False,True,torch,0,5.5,native", TO_ROW BF_HEAD);
    RAN_CASE(
        aiter("--exact -o dir --installed " BF "_tuned_gemm.csv --", "list_" BF "_untuned_gemm.csv")
                == 0
            && strcmp(text_of("dir/" BF "_tuned_gemm.csv"),
                      BF_HEAD "\ngfx950,256,3,64,64,True,a,b,False,True,torch,7,0,999999.0,"
                              "native,0.0,0.0,0.0\n")
                   == 0,
        "an untuned list of bf16");
}

/* Of one family: FP8 by the model, INT8 by nearest shapes, and all of a GPU that the model lacks */
static void models_and_nearest_shapes(void)
{
    made_nearest("miss bp 17,1024,4096 torch.float8_e4m3fn|miss bp 18,1024,4096 torch.int8|miss bp "
                 "19,1000,4096 torch.int8|miss bp 16,1024,4096 torch.int8|miss a8w8_tuned 1,2,3",
                 "16,1024,4096,torch.int8,asm,0,5.5,a_16x64");
    RAN_CASE(
        aiter("--exact -o dir --installed " BP "_tuned_gemm.csv --", "log") == 0
            && has(program.err.s, "2 rows, 1 of nearest shapes\n")
            && has(program.err.s,
                   "4 shapes in all: 1 predicted, 1 of nearest shapes, 1 in a table, 1 left out")
            && strcmp(cells("dir/" BP "_tuned_gemm.csv", "$6, $11 == \"a_16x64\""),
                      "torch.float8_e4m3fn,0 torch.int8,1 ")
                   == 0,
        "FP8 is predicted, INT8 is copied, and the summary counts them");
    edited(BP "_tuned_gemm.csv", "304_" BP "_tuned_gemm.csv",
           "s/gfx950,256/gfx942,304/;s/torch.int8/x/");
    LOG_OF("miss bp 17,1024,4096 x");
    RAN_CASE(aiter("--gpu MI300X --exact -o dir --installed 304_" BP "_tuned_gemm.csv --", "log")
                     == 0
                 && strcmp(cells("dir/" BP "_tuned_gemm.csv", "$11"), "a_16x64 ") == 0,
             "a GPU that the model does not know: the nearest shape");
    refused("log: there is nothing .*: the model of " BP
            " does not know gfx942_304 .known: .*, nor "
            "has --installed a row for gfx942_304 .first: log:1.$",
            "--gpu MI300X", "log");
}

/* Of BF16, opus alone has to be compiled in: a table that names none of its leaves the others. */
static void opus_is_compiled_in(void)
{
    put_text("list_" BF "_untuned_gemm.csv",
             "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n16,1024,4096,False,torch.bfloat16,"
             "torch.bfloat16,False,False\n");
    made("950_" BF "_tuned_gemm.csv", "3,64,128,True,a,b,False,True,torch,0,5.5,native",
         TO_ROW BF_HEAD);
    edited("950_" BF "_tuned_gemm.csv", "80_" BF "_tuned_gemm.csv", "s/gfx950,256/gfx942,80/");
    RAN_CASE(aiter("--gpu MI308X --exact -o any.csv", "list_" BF "_untuned_gemm.csv") == 0
                 && strcmp(cells("any.csv", "$11"), "opus ") == 0
                 && aiter("--gpu MI308X --exact -o some.csv --installed 80_" BF
                          "_tuned_gemm.csv --",
                          "list_" BF "_untuned_gemm.csv")
                        == 0
                 && strcmp(cells("some.csv", "$11"), "asm ") == 0,
             "a kernel of opus that AITER was not built with is not predicted");
}

static void other_gpu(const char *gpu)
{
    RAN_CASE(aiter(say("--gpu %s --exact -o dir", gpu), "log") == 0
                 && has(program.err.s,
                        "the model of " BS " does not know gfx942_80 (known: gfx942_304 "
                        "gfx950_256) (first: log:1)")
                 && is_there("dir/" BSP "_tuned_gemm.csv") && WORKS("/usr/bin/env ls dir")
                 && count_lines(program.out.s) == 1,
             say("--gpu %s, which one model knows", gpu));
}

static void gpus(void)
{
    static const char *const known[][3] = {
        {"MI355X", "gfx950,256 ", "MI355X is gfx950_256"},
        {"mi350x", "gfx950,256 ", "mi350x is gfx950_256"},
        {"gfx950", "gfx950,256 ", "gfx950: taken as gfx950_256, which AITER builds for unless"},
        {"'AMD Instinct MI355X'", "gfx950,256 ", "AMD Instinct MI355X is gfx950_256"},
        {"gfx942", "gfx942,304 ", "gfx942: taken as gfx942_304, which AITER builds for unless"},
        {"gfx942_304", "gfx942,304 ", "warning: a8w8_blockscale: "}};
    LOG_OF(MISS);
    for (size_t i = 0; i < COUNT(known); i++) {
        says(say("kpred: %s", known[i][2]), say("--gpu %s --exact -o dir", known[i][0]), "log");
        CASE(begins(program.err.s, say("kpred: %s", known[i][2])), "--gpu %s: first", known[i][0]);
        CASE(strcmp(cells(DIR, "$1, $2"), known[i][1]) == 0, "--gpu %s: rows", known[i][0]);
    }
    refused("--gpu: value \"gfx90a\": no model of AITER's kernels knows it", "--gpu gfx90a", "log");
    CASE(count_lines(program.err.s) == 1, "no number of units is told of gfx90a");
    LOG_OF(MISS "|miss bsp 17,512,7168");
    other_gpu("MI308X");
    other_gpu("AMD_Instinct_MI308X_OAM");
    LOG_OF(MISS);
    run_cases("options");
}

static void bad_logs_and_lists(void)
{
    refused("--family: value \"fp8\": is not a family", "--family fp8", "log");
    run_cases("out");
    refused("log: there is nothing to predict for: --family has to say whether it is .*; "
            "the model of bf16 does not answer True,.*,True, nor has --installed a row for "
            "gfx950_256 .first: log:1.$",
            "",
            LOG_OF("miss bf 1,2,3 True|shape is B:1, M:1, N:2, K:3, not found tuned config in "
                   "CKGEMM, x"));
    refused("log: there is nothing .*: --family leaves out " BSP " .first: log:1.$", "--family bs",
            LOG_OF("miss bsp 1,2,3"));
    put_text("log", "%s", "");
    bad_file("log", " no line holds");
    bad_file("none", " cannot open");
    put_text("log", "BZh91AY");
    bad_file("log", " is packed; .bunzip2 -c. unpacks");
    bad_file(made(LIST, "M,N,K|\2331\377\302\233\303\251,2,3", ""),
             "2: M: value \"[?]1[?]{3}\303\251\"");
    bad_file(made("shapes.csv", "M,N,K|1,2,3", ""), " its name does not tell a family");
    run_cases("log");
    run_cases("list");
}

static void bad_installed_tables(void)
{
    LOG_OF(MISS);
    TABLE_OF(BASE, "1,2,3,5.5," SMALL);
    run_cases("installed");
    RUNS("/usr/bin/env mkdir " BS "_tuned_gemm_folder.csv");
    RUNS("/usr/bin/env ln -s nowhere " BS "_tuned_gemm_none.csv");
    run_cases("spares");
    run_cases("table");
    LOG_OF(MISS);
    put_text(MINE, "%s\n256,1,2,3,ck,0,0,5," SMALL ",1,1,0\n", &HEAD[strlen("gfx,")]);
    refused(MINE ":2: key gfx950 256 M 1 N 2 K 3", "--installed " BASE " " MINE " --", "log");
    made("compiled", "nothing|here", "");
    refused("compiled:1: \"nothing\": no line names a kernel", "--compiled compiled", "log");
}

static void bad_lines(void)
{
    run_cases("usage");
    put_text("compiled", "%s", "");
    refused("compiled: is empty", "--compiled compiled", "log");
    refused("log/x: cannot make the folder", "-o log/x", "log");
    refused(".*an input", "-o " LIST " --exact", LIST_OF("M,N,K|1,512,512"));
    CASE(strcmp(text_of(LIST), "M,N,K\n1,512,512\n") == 0, "an output that is an input stays");
}

/* A log of 1,000 lines and one of 200,000 give the same; how long it is costs no memory. */
static void speed_and_memory(void)
{
    long few, many;
    LOG_OF(MISS "|INFO 11-22 10:11:12 Avg throughput: 0.5|hit bsp 17 32 256"
                "|Loading:  50%\rLoading: 60%\rmiss bf16 3,512,512");
    for (int n = 1000; n <= 200000; n *= 200)
        RUNS("/usr/bin/env awk '{ a[NR] = $0 } END { while (i < %d) print a[i++ %% NR + 1] }' log "
             "> %d.log",
             n, n);
    RUNS("kpred aiter --gpu gfx950_256 --exact --family bs < 1000.log > few");
    const double from = programs_took(&few);
    RUNS("kpred aiter --gpu gfx950_256 --exact --family bs < 200000.log > many");
    RAN_CASE(strcmp(text_of("few"), text_of("many")) == 0 && programs_took(&many) - from < 5
                 && many - few < 2048,
             "the same, in less than 5 s, with no more memory");
}

int main(void)
{
    static void (*const parts[])(void) = {
        logs_and_lists,      sizes_that_serve,          outputs,
        earlier_outputs,     installed_tables,          packed_files,
        nearest_shapes,      models_and_nearest_shapes, gpus,
        opus_is_compiled_in, bad_logs_and_lists,        bad_installed_tables,
        bad_lines,           speed_and_memory};
    int has_all = 1;
    program_begin();
    for (size_t i = 0; i < COUNT(families); i++)
        has_all = has_all && is_there(in_root(say("weights/gemm_%s.h", families[i])));
    for (size_t i = 0; has_all && i < COUNT(parts); i++)
        parts[i]();
    if (!has_all)
        skip_case("kpred aiter", "a model of weights/gemm_*.h is not there");
    return program_end();
}
