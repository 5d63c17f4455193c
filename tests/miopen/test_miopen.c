/* test_miopen.c - kpred miopen: what it reads of logs, and the entries that it prints
   SPDX-License-Identifier: MIT

   usage: test_miopen                    its tests
          test_miopen miopen ARGUMENT... is `kpred miopen` with the four kernels that the paper
                                         judges: what is read of a log does not depend on what else
                                         ships, and of these miopen_oracle.py knows the rules
          test_miopen peak ARGUMENT...   the same, and tells how many KB it took at most */
#define builtins shipped
#include "model/registry.c"
#undef builtins

#include "cli/commands.h"
#include "logs.h"

#include <time.h>

extern const struct builtin builtins[];
const struct builtin builtins[] = {BUILTIN(conv_asm_1x1u) BUILTIN(conv_asm_bwd_wrw_1x1) BUILTIN(
    conv_asm_bwd_wrw_3x3) BUILTIN(conv_ocl_direct_fwd_1x1){NULL, NULL, NULL}};

static char four[2048]; /* this program, by a path that every folder knows */
static char *wanted;    /* what it prints of the calls in `both` */

static int tell_peak(void)
{
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            note("peak %d", atoi(line + 6));
    return f != NULL ? fclose(f) : 0;
}

static int as_kpred(int argc, char **argv)
{
    static const struct command table[] = {{"miopen", "", cmd_miopen}, {NULL, NULL, NULL}};
    if (strcmp(argv[1], "peak") != 0)
        return commands_run("kpred", table, argc, argv);
    const int status = commands_run("kpred", table, argc - 1, argv + 1);
    return tell_peak() != 0 ? 1 : status;
}

/* ---- what is said of a run ---- */

/* Runs it for one GPU, with arguments made as by printf. */
static int miopen(const char *format, ...) PRINTF_LIKE(1, 2);
static int miopen(const char *format, ...)
{
    char arguments[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(arguments, sizeof arguments, format, args);
    va_end(args);
    return RAN("%s miopen --gpu gfx906_60 %s", four, arguments);
}

/* The text without what stands between each `from` and the next of these characters */
static const char *without(const char *text, const char *from, const char *until)
{
    static struct buf b;
    b.n = 0;
    buf_puts(&b, "");
    for (const char *next; (next = strstr(text, from)) != NULL; text = next + strcspn(next, until))
        buf_add(&b, text, (size_t)(next - text));
    buf_puts(&b, text);
    return b.s;
}

/* The lines of a perf-db without the values: KEY=SOLVER;SOLVER */
static const char *bare(const char *text)
{
    return without(text, ":", ";\n");
}

/* It prints these keys and solvers for the file `log`. */
static int gives(const char *keys)
{
    return miopen("log") == 0 && strcmp(bare(program.out.s), keys) == 0;
}

static int prints_wanted(const char *arguments)
{
    return miopen("%s", arguments) == 0 && strcmp(program.out.s, wanted) == 0;
}

/* Its standard error is these lines alone, behind counts that agree with its output. */
static int tells(size_t lines, size_t calls, size_t covered, const char *reasons)
{
    char counts[256];
    const size_t n = (size_t)snprintf(
        counts, sizeof counts,
        "kpred: %zu line%s, %zu driver lines: %zu covered, %zu not; %zu problems, %zu entries\n",
        lines, lines == 1 ? "" : "s", calls, covered, calls - covered, count_lines(program.out.s),
        count_of(program.out.s, ":"));
    return strncmp(program.err.s, counts, n) == 0 && strcmp(program.err.s + n, reasons) == 0;
}

/* ---- keys ---- */

#define F KEY_F "=ConvAsm1x1U;ConvOclDirectFwd1x1\n"
static const char *kind_now;
static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, kind_now) != 0)
        return;
    if (strcmp(kind, "call") == 0) {
        put_text("log", DRIVER "%s\n", c[1]);
        RAN_CASE(gives(c[2]), c[0]);
    } else if (strcmp(kind, "log") == 0) {
        REFUSES(c[0], 1, c[1], "%s miopen --gpu gfx906_60 %s", four, c[2]);
    } else {
        REFUSES(c[0], atoi(c[1]), c[2], "%s miopen %s", four, c[3]);
    }
}

static void run_cases(const char *kind)
{
    kind_now = kind;
    each_row("tests/miopen/calls.cases", see_case);
}

static const char *const networks[] = {"bert",      "densenet121", "googlenet",
                                       "mobilenet", "resnet50",    "vgg16"};

static void network_logs(void)
{
    struct buf all = {0};
    for (size_t i = 0; i < LENGTH(networks); i++) {
        put_network(networks[i]);
        RAN_CASE(miopen("%s.log", networks[i]) == 0
                     && strcmp(bare(program.out.s), text_of(say("%s.keys", networks[i]))) == 0,
                 networks[i]);
        buf_puts(&all, text_of(say("%s.log", networks[i])));
    }
    put_text("all", "%s", all.s);
    buf_free(&all);
}

/* ---- logs ---- */

/* The lines of a log, each with this before and behind it; between: it stands there twice. */
static void put_lines(const char *path, const char *before, const char *between, const char *behind,
                      int is_reversed)
{
    char *text = xstrdup(text_of(path)), *at = text, *lines[512];
    struct buf log = {0};
    size_t n = 0;
    while (n < LENGTH(lines) && (lines[n] = next_line(&at)) != NULL)
        n++;
    for (size_t i = 0; i < n; i++) {
        const char *line = lines[is_reversed ? n - 1 - i : i];
        buf_printf(&log, "%s%s%s%s%s", before, line, between, *between != '\0' ? line : "", behind);
    }
    put_text("log", "%s", log.s);
    buf_free(&log);
    free(text);
}

/* Every one of these is worth the two logs. */
static void ways_to_write_a_log(void)
{
    static const struct {
        const char *name, *arguments;
    } ways[] = {
        {"standard input", "< both"},
        {"-", "- < both"},
        {"several logs", "resnet50.log mobilenet.log"},
        {"in another order, again and again", "mobilenet.log resnet50.log mobilenet.log"},
        {"a log and -", "mobilenet.log - < resnet50.log"},
    };
    static const struct {
        const char *name, *before, *between, *behind;
        int is_reversed;
    } lines[] = {
        {"CRLF", "", "", "\r\n", 0},
        {"several calls in a line", "", " ; ", "\n", 0},
        {"lines in another order", "", "", "\n", 1},
        {"other lines between, and text before",
         "step 12: loss 0.5 (MIOpen)\n\nMIOpen(HIP): Info [FindSolutionImpl] ConvAsm1x1U\n"
         "[rank 0] \x1b[1mINFO\x1b[0m ",
         "", "\n", 0},
        {"broken calls between", "MIOpenDriver conv -n 0\nx/MIOpenDriver convfp16 -F 1 --no 3\n",
         "", "\nMIOpenDriver conv -y 1 -n\n", 0},
    };
    for (size_t i = 0; i < LENGTH(ways); i++)
        RAN_CASE(prints_wanted(ways[i].arguments), ways[i].name);
    for (size_t i = 0; i < LENGTH(lines); i++) {
        put_lines("both", lines[i].before, lines[i].between, lines[i].behind, lines[i].is_reversed);
        RAN_CASE(prints_wanted("log")
                     && has(program.err.s, "broken") == (strstr(lines[i].name, "broken") != NULL),
                 lines[i].name);
    }
    put_text("log", "%.*s", (int)strlen(text_of("both")) - 1, text_of("both"));
    RAN_CASE(prints_wanted("log"), "no newline at the end");
    put_text("log", "\xef\xbb\xbfMIOpenDriver conv " STRIDED " -F 1\r\n");
    RAN_CASE(gives(F) && miopen("- < log") == 0 && strcmp(bare(program.out.s), F) == 0,
             "a log with a byte order mark");
}

static void order(void)
{
    char *text = xstrdup(wanted), *at = text, *line;
    const char *last = "";
    CHECK(strcmp(sorted("%s", wanted), wanted) == 0);
    for (; (line = next_line(&at)) != NULL; last = line) {
        *strchr(line, '=') = '\0';
        CHECK(strcmp(last, line) != 0); /* the same keys would stand side by side */
    }
    free(text);
}

/* None of a long line is lost without a word: it is read, or refused. */
static void long_lines(void)
{
    put_text("log", "%70000s" DRIVER "conv " STRIDED " -F 1\n", "x");
    RAN_CASE(miopen("log") != 0 || program.out.n != 0, "a call behind 70,000 characters");
    put_text("log", "MIOpenDriver conv -F 1 -y 1 -x 1%70000s-n 7\n", " ");
    RAN_CASE(miopen("log") != 0 || strncmp(program.out.s, "3-32-32-1x1-32-32-32-7-", 23) == 0,
             "a call that is 70,000 characters long");
}

static void no_logs(void)
{
    put_text("noise", "noise\n");
    put_text("zero", DRIVER "conv -n 0\n");
    run_cases("log");
    RAN_CASE(prints_wanted("noise both")
                 && has_line(program.err.s, "kpred: noise: no line calls MIOpenDriver"),
             "a log without a driver line, beside others");
    RAN_CASE(miopen("%s", four) <= 1, "a program for a log");
    uint64_t seed = 1;
    FILE *f = fopen("noise", "wb");
    for (int i = 0; f != NULL && i < 100000; i++)
        putc((int)(test_random64(&seed) & 255), f);
    RAN_CASE(f != NULL && fclose(f) == 0 && miopen("noise") <= 1, "noise for a log");
}

/* ---- what is not covered ---- */

/* Each is counted, with its reason, in a fixed order; the call at the end is covered. That nothing
   is covered is no error. */
static void not_covered(void)
{
    static const char reasons[] =
        "kpred:   1 line: spatial_dim = 3 (it must be 2); first log:3\n"
        "kpred:   1 line: ConvAsm1x1U: fil_h = 5 (it must be 1); first log:7\n"
        "kpred:   1 line: ConvAsm1x1U: fil_w = 3 (it must be 1); first log:8\n"
        "kpred:   1 line: ConvAsm1x1U: pad_h = 1 (it must be 0); first log:10\n"
        "kpred:   1 line: ConvAsmBwdWrW3x3: dilation_h = 2 (it must be 1); first log:9\n"
        "kpred:   2 lines: layout = NHWC (it must be NCHW); first log:4\n"
        "kpred:   1 line: dtype = INT8 (it must be FP32, FP16 or BF16); first log:6\n"
        "kpred:   1 line: bias = 1 (it must be 0); first log:1\n"
        "kpred:   1 line: ConvAsm1x1U: group_count = 2 (it must be 1); first log:12\n"
        "kpred:   1 line: ConvAsm1x1U: conv_stride_w = 2 (it must be the same stride in h and w); "
        "first log:11\n"
        "kpred:   1 line: ConvAsmBwdWrW3x3: stride = 2 (it must be 1); first log:13\n"
        "kpred:   7 lines: another operation than a convolution; first log:14\n"
        "kpred:   1 line: a transposed convolution; first log:2\n";
    put_text("calls",
             "conv " STRIDED " -b 1\n"
             "conv " STRIDED " -m trans\n"
             "conv -_ 3 -! 8 -@ 1 " STRIDED "\n"
             "conv " STRIDED " -I NHWC -f NHWC -O NHWC\n"
             "conv " STRIDED " --out_layout=NHWC\n"
             "convint8 " STRIDED "\n"
             "conv -y 5 -x 5 -p 2 -q 2\n"
             "conv -y 1 -x 3 -q 1\n"
             "conv -p 1 -q 1 -H 64 -W 64 -l 2 -j 2 -F 4\n"
             "conv -y 1 -x 1 -p 1 -q 1\n"
             "conv -y 1 -x 1 -u 1 -v 2\n"
             "conv -y 1 -x 1 -c 64 -k 64 -g 2\n"
             "conv -p 1 -q 1 -u 2 -v 2 -F 4\n"
             "pool -n 0 --what\nbnorm -n 0 --what\nCBAInfer -n 0 --what\ngemm -n 0 --what\n"
             "softmax -n 0 --what\nconvfp64 -n 0 --what\nconv2 -n 0 --what\n"
             "conv " STRIDED " -F 1\n");
    put_lines("calls", DRIVER, "", "\n", 0);
    RAN_CHECK(gives(F) && tells(21, 21, 1, reasons));
    put_lines("calls", DRIVER, "", "\n", 1);
    char *same = xstrdup(without(reasons, "; first ", "\n"));
    RAN_CHECK(gives(F));
    RAN_CHECK(strcmp(strchr(without(program.err.s, "; first ", "\n"), '\n') + 1, same) == 0);
    free(same);
    put_text("log", DRIVER "conv -c 64 -k 64 -p 1 -q 1 -F 1\n");
    RAN_CHECK(
        gives("")
        && tells(1, 1, 0, "kpred:   1 line: ConvAsm1x1U: fil_h = 3 (it must be 1); first log:1\n"));
}

/* A broken line is left out and counted, by what is wrong: test_driver.c has each form. */
static void broken_lines(void)
{
    put_text(
        "log",
        "MIOpenDriver conv -n 0\nMIOpenDriver conv -n 0 -c 3\nMIOpenDriver conv -n x\r\n" DRIVER
        "conv " STRIDED " -F 1\n" DRIVER "conv -n\n" DRIVER "conv -c 16777217\n" DRIVER
        "conv really\n" DRIVER "conv -B 3\n" DRIVER "conv -c 3 -k 32 -g 2\n" DRIVER
        "conv -c 32 -k 3 -g 2\nMIOpenDriver conv -n 1 -y\n");
    RAN_CHECK(gives(F));
    RAN_CHECK(tells(
        11, 11, 1,
        "kpred:   1 line: broken: \"really\": is no option; first log:7\n"
        "kpred:   1 line: broken: \"-B\": is no option of MIOpenDriver; first log:8\n"
        "kpred:   1 line: broken: -c: value \"16777217\": is no integer from 1 to 16777216; first "
        "log:6\n"
        "kpred:   2 lines: broken: -g: value \"2\": does not divide the channels, 3 and 32; first "
        "log:9\n"
        "kpred:   1 line: broken: -n: needs a value; first log:5\n"
        "kpred:   3 lines: broken: -n: value \"0\": is no integer from 1 to 16777216; first "
        "log:1\n"
        "kpred:   1 line: broken: -y: needs a value; first log:11\n"));
    RAN_CHECK(miopen("--lenient log") == 0 && strcmp(bare(program.out.s), F) == 0);
}

static void beams(void)
{
    char *keys_alone = xstrdup(bare(wanted));
    RAN_CHECK(prints_wanted("--beam 1 both"));
    RAN_CHECK(miopen("--beam 100 both") == 0 && strcmp(program.out.s, wanted) != 0);
    RAN_CHECK(strcmp(bare(program.out.s), keys_alone) == 0);
    free(keys_alone);
}

/* ---- GPUs and the command line ---- */

static int on(const char *gpu)
{
    return RAN("%s miopen --gpu %s resnet50.log", four, gpu);
}

static void gpus(void)
{
    REQUIRE(on("gfx906_60") == 0);
    char *exact = xstrdup(program.out.s), *said = xstrdup(program.err.s);
    RAN_CHECK(on("gfx906") == 0 && strcmp(program.out.s, exact) == 0);
    RAN_CHECK(on("gfx900") == 0 && strcmp(program.out.s, exact) != 0);
    RAN_CHECK(on("gfx906_64 --nearest") == 0 && strcmp(program.out.s, exact) == 0);
    RAN_CHECK(has(program.err.s, "gfx906_60"));
    RAN_CHECK(on("gfx906_60 --nearest") == 0 && strcmp(program.out.s, exact) == 0);
    RAN_CHECK(strcmp(program.err.s, said) == 0);
    free(exact);
    free(said);
}

static int helps(const char *name)
{
    static const char *const options[] = {"--gpu",   "--nearest", "--beam", "--lenient",
                                          "--force", "-o",        "LOG"};
    int all = RAN("%s miopen --help", name) == 0 && program.err.n == 0;
    for (size_t i = 0; i < LENGTH(options); i++)
        all = all && has(program.out.s, options[i]);
    char *at = program.out.s, *line;
    while ((line = next_line(&at)) != NULL)
        all = all && strlen(line) <= 100;
    return all;
}

static void command_lines(void)
{
    run_cases("refused");
    RAN_CASE(helps("kpred"), "--help");
    RAN_CASE(helps("kpred-train") && RAN("kpred-train miopen --help") == 0
                 && has(program.out.s, "--sqlite"),
             "kpred-train miopen --help");
}

/* What MIOpen's own database has stays out. */
static void system_databases(void)
{
#define PROBLEM(n) "64-56-56-1x1-256-56-56-" n "-0x0-1x1-1x1-0-NCHW-FP32-F="
    static const struct {
        const char *name, *line, *left, *told;
    } rows[] = {
        {"--system, one solver", PROBLEM("16") "ConvOclDirectFwd1x1:1;Other:2",
         PROBLEM("16") "ConvAsm1x1U\n", "has 1 of the entries"},
        {"--system, both solvers",
         PROBLEM("16") "ConvAsm1x1U:4,16,4,16,2,1,1,1;ConvOclDirectFwd1x1:1", "",
         "has 2 of the entries"},
        {"--system, another problem", PROBLEM("17") "ConvAsm1x1U:1;ConvOclDirectFwd1x1:1",
         PROBLEM("16") "ConvAsm1x1U;ConvOclDirectFwd1x1\n", "has 0 of the entries"},
    };
    put_text("log", DRIVER "conv -n 16 -c 64 -H 56 -W 56 -k 256 -y 1 -x 1 -F 1\n");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        put_text("system.txt", "%s\n", rows[i].line);
        RAN_CASE(miopen("--system system.txt log") == 0
                     && strcmp(bare(program.out.s), rows[i].left) == 0
                     && has(program.err.s, rows[i].told),
                 rows[i].name);
    }
    RAN_CASE(miopen("--system none.txt log") == 1 && program.out.n == 0
                 && has(program.err.s, "none.txt: cannot open"),
             "--system, no such file");
}

/* ---- speed and memory ---- */

/* Reads the calls of all networks again and again; the seconds and KB that this takes. */
static void take(int n, double *seconds, int *peak)
{
    struct timespec from, to;
    const char *all = text_of("all"), *told;
    FILE *f = fopen("long", "wb");
    for (int i = 0; f != NULL && i < n; i++)
        fprintf(f, "%sstep %d: loss 0.5, 12 ms\n", all, i);
    CHECK(f != NULL && fclose(f) == 0);
    clock_gettime(CLOCK_MONOTONIC, &from);
    RAN_CHECK(RAN("%s peak miopen --gpu gfx906 long", four) == 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    *seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
    *peak = (told = strstr(program.err.s, "kpred: peak ")) != NULL ? atoi(told + 12) : 0;
}

/* A log of 1,000 lines and one of 300,000 give the same; how long it is costs no memory. */
static void long_logs(void)
{
    double seconds[2];
    int peak[2];
    take(3, &seconds[0], &peak[0]);
    char *output = xstrdup(program.out.s);
    take(910, &seconds[1], &peak[1]);
    RAN_CHECK(strcmp(program.out.s, output) == 0);
    RAN_CHECK(seconds[1] - seconds[0] < 20 && peak[1] - peak[0] < 2048); /* KB */
    if (peak[0] == 0)
        test_skip("there is no /proc, so the memory is not measured");
    free(output);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return as_kpred(argc, argv);
    program_begin();
    snprintf(four, sizeof four, "%s", *argv[0] == '/' ? argv[0] : in_root(argv[0]));
    free(put_both());
    wanted = xstrdup(miopen("both") == 0 ? program.out.s : "");
    run_cases("call");
    network_logs();
    ways_to_write_a_log();
    RUN(order);
    long_lines();
    no_logs();
    RUN(not_covered);
    RUN(broken_lines);
    RUN(beams);
    RUN(gpus);
    command_lines();
    system_databases();
    RUN(long_logs);
    free(wanted);
    return program_end();
}
